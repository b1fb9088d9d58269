package generate

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/lts"
)

// model is the interface of the models of all kinds.
type model interface {
	size() (states, transitions uint64)
	// row delivers the transitions that leave a state.
	row(out sink, state uint64)
	// labels returns the number of labels, and appendLabel appends the text of
	// one of them.
	labels() uint64
	appendLabel(text []byte, label uint64) []byte
}

type preparation func(context.Context, Spec) model

// sink receives transitions. It checks the context.
type sink interface {
	// from sets the source of the transitions added next.
	from(state uint64)
	add(label, to uint64)
}

// step is how many states or transitions are written between two checks of the
// context.
const step = 1 << 16

// maxTransitions keeps all sums below far from overflow. It is no limit in
// practice: that many transitions take some 40 TB.
const maxTransitions = 1 << 40

// prepared returns the model of a Spec.
func (s Spec) prepared(ctx context.Context) (_ Spec, m model) {
	s, f, err := s.complete()
	abort.On(err)
	if err := abort.Try(func() { m = f.prepare(ctx, s) }); err != nil {
		abort.On(fmt.Errorf("generate: %s: %w", s.Kind, err))
	}
	switch states, transitions := m.size(); {
	case states > lts.MaxStates:
		abort.On(fmt.Errorf("generate: %s: that would be more than %d states; ask for a smaller model", s.Kind, int64(lts.MaxStates)))
	case transitions > maxTransitions:
		abort.On(fmt.Errorf("generate: %s: that would be more than %d transitions; ask for a smaller model", s.Kind, int64(maxTransitions)))
	}
	return s, m
}

// Size returns how many states and transitions the model has, all of them
// reachable. It fails if the Spec is invalid or ctx is done. Cost O(1), except
// for the models of algorithms, which are explored: then as [Write].
func (s Spec) Size(ctx context.Context) (states, transitions int64, err error) {
	defer abort.Caught(&err)
	_, m := s.prepared(ctx)
	n, t := m.size()
	return int64(n), int64(t), nil
}

// Write writes a model as .aut text, in the layout of [aut.Write]: what it writes
// reads back as the model, strictly. It fails before it has written anything if
// the Spec is invalid, and it fails if w fails or ctx is done.
//
// Cost O(length of the text) time, and memory that does not depend on the
// length: some hundred kilobytes, and at most 6 MB for the texts of labels. The
// models of algorithms take 6 bytes a transition and up to 33 a state.
//
// [aut.Write]: https://pkg.go.dev/github.com/inev-lts/inev/aut#Write
func Write(ctx context.Context, w io.Writer, s Spec) (err error) {
	defer abort.Caught(&err)
	s, m := s.prepared(ctx)
	states, transitions := m.size()
	out := newText(ctx, w, m)
	out.meter = progress.Start(ctx, "write", progress.Transitions, int64(transitions))
	out.buf = fmt.Appendf(out.buf, "des (0, %d, %d)\n", transitions, states)
	deliver(ctx, m, s, out)
	out.flush()
	return nil
}

// LTS returns a model without writing its text: the same LTS as reading what
// [Write] writes. It fails as Write does. Cost O(S + T) time and the memory of an
// [lts.Builder].
func LTS(ctx context.Context, s Spec) (_ *lts.LTS, err error) {
	defer abort.Caught(&err)
	s, m := s.prepared(ctx)
	states, transitions := m.size()
	out := &built{ctx: ctx, m: m, known: make([]lts.Label, min(m.labels(), maxTable))}
	out.b.Grow(int(transitions))
	deliver(ctx, m, s, out)
	return out.b.Build(0, int(states))
}

// deliver passes all transitions of a model to out.
func deliver(ctx context.Context, m model, s Spec, out sink) {
	states, _ := m.size()
	var order *permutation
	if s.Shuffle {
		order = newPermutation(states, s.Seed)
	}
	for i := range states {
		if i%step == 0 {
			abort.On(ctx.Err())
		}
		state := i
		if order != nil {
			state = order.at(i)
		}
		m.row(out, state)
	}
}

// full is the length at which the text is written out, and maxTable the largest
// number of labels whose texts are kept ready to be written.
const (
	full     = 128 << 10
	maxTable = 1 << 16
)

// text writes transitions as lines.
type text struct {
	ctx   context.Context
	w     io.Writer
	m     model
	meter *progress.Meter
	buf   []byte
	// before is the text with which all lines of a state begin.
	before []byte
	// table[l] is the text between the two states for label l.
	table [][]byte
	lines int64
}

func newText(ctx context.Context, w io.Writer, m model) *text {
	t := &text{ctx: ctx, w: w, m: m, buf: make([]byte, 0, full+4<<10)}
	t.table = make([][]byte, min(m.labels(), maxTable))
	for l := range t.table {
		t.table[l] = append(m.appendLabel(nil, uint64(l)), `", `...)
	}
	return t
}

func (t *text) from(state uint64) {
	t.before = append(strconv.AppendUint(append(t.before[:0], '('), state, 10), `, "`...)
}

func (t *text) add(label, to uint64) {
	if len(t.buf) >= full {
		t.flush()
	}
	buf := append(t.buf, t.before...)
	if label < uint64(len(t.table)) {
		buf = append(buf, t.table[label]...)
	} else {
		buf = append(t.m.appendLabel(buf, label), `", `...)
	}
	t.buf = append(strconv.AppendUint(buf, to, 10), ")\n"...)
	t.lines++
}

func (t *text) flush() {
	abort.On(t.ctx.Err())
	abort.Must(t.w.Write(t.buf))
	t.buf = t.buf[:0]
	t.meter.Add(t.lines)
	t.lines = 0
}

// built adds transitions to a Builder.
type built struct {
	ctx   context.Context
	b     lts.Builder
	m     model
	state lts.State
	// known[l] is one more than the Builder's number of label l. The Builder
	// numbers labels in the order in which they occur, as readers do.
	known   []lts.Label
	scratch []byte
	count   uint64
}

func (b *built) from(state uint64) { b.state = lts.State(state) }

func (b *built) add(label, to uint64) {
	if b.count%step == 0 {
		abort.On(b.ctx.Err())
	}
	b.count++
	b.b.Add(b.state, b.number(label), lts.State(to))
}

func (b *built) number(label uint64) lts.Label {
	kept := label < uint64(len(b.known))
	if kept && b.known[label] > 0 {
		return b.known[label] - 1
	}
	b.scratch = b.m.appendLabel(b.scratch[:0], label)
	l := b.b.LabelBytes(b.scratch)
	if kept {
		b.known[label] = l + 1
	}
	return l
}
