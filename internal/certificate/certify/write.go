package certify

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/certificate/verify"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// ErrUnfolded reports that an explanation is about an unfolded model, whereas a certificate is
// checked against the model itself.
var ErrUnfolded error = hint.New(nil, "a certificate is about the model itself; ",
	hint.NotUnfolded)

// errIncomplete reports an explanation that was made by [explain.Check].
var errIncomplete = errors.New("certificate: the explanation has no classes; use explain.Explain")

// Write writes a certificate for e to w, in the format of internal/certificate/README.md. It fails with
// [ErrUnfolded], errIncomplete or [verify.ErrManyPairs] if e can have no certificate, if ctx is
// done, if a label of the model has a line feed, or if w fails.
//
// Cost O(n (S + T)) time for S states, T transitions and n steps, and memory for up to 3n + 2
// numbers of 4 bytes for each reachable state and 8 bytes a transition; then, for a shortest
// counterexample, n + 9 such numbers a state and what the searches find. The output is written as it
// is made. Under an assumption with k strong tasks: O(n (k+1) (S + T)) time, and up to n + 4
// numbers more. For a property that is no chain: the cost of its product with the model, for each
// pair of the condition and its complement.
func Write(ctx context.Context, w io.Writer, e *explain.Explanation) error {
	switch {
	case e.IsUnfolded():
		return ErrUnfolded
	case e.Classification() == nil:
		return errIncomplete
	}
	digest, err := verify.Digest(e.LTS())
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	x := &writer{
		out:            bufio.NewWriterSize(w, 1<<14),
		e:              e,
		classification: e.Classification(),
	}
	fates := e.Classification().Fates()
	if enriched, isChain := fates.Enriched(); isChain {
		err = x.writeChain(ctx, enriched, digest)
	} else {
		err = x.writeTable(ctx, fates, digest)
	}
	if err != nil {
		return err
	}
	x.print("\n}\n")
	return x.out.Flush()
}

// writeChain writes the certificate for a chain.
func (x *writer) writeChain(ctx context.Context, enriched *enrich.Enriched, digest string) error {
	x.pass = newPass(ctx, enriched, x.e.LTS(), enriched.Property(), enriched.Fairness())
	v, err := newEvidence(x.pass)
	if err != nil {
		return err
	}
	x.evidence = v
	x.writeHead(digest)
	if err := x.writeStates(); err != nil {
		return err
	}
	if v.fairEvidence != nil && v.within != nil {
		x.writeSets(v.sets)
	}
	x.writeNeighbourhoods(func(s lts.State) uint32 { return v.first.rowOf(s)[0] })
	x.writeCounterexample()
	return x.writeShortest()
}

// writeTable writes the certificate for a property that is no chain.
func (x *writer) writeTable(ctx context.Context, fates *fate.Map, digest string) error {
	v, err := newTableEvidence(ctx, fates)
	if err != nil {
		return err
	}
	x.pass = &pass{ctx: ctx, model: x.e.LTS(), fairness: fates.Fairness()}
	x.writeHead(digest)
	if err := x.writeProductStates(v); err != nil {
		return err
	}
	x.writeHomes(v)
	if v.fairness != nil && !v.fairness.Full() {
		x.writeSets(v.sets)
	}
	if err := x.writeStates(); err != nil {
		return err
	}
	nearest := allNone(x.model.NumStates())
	for s, d := range v.first {
		at := v.u.At(lts.State(s)).State
		nearest[at] = min(nearest[at], d)
	}
	x.writeNeighbourhoods(func(s lts.State) uint32 { return nearest[s] })
	x.writeCounterexample()
	return nil
}

// writeShortest writes, for a counterexample that is known to be shortest, the evidence that none is
// shorter.
func (x *writer) writeShortest() error {
	c := x.e.Counterexample
	if x.fairness != nil || c == nil || c.Minimal != counterexample.InModel {
		return nil
	}
	v, err := newShortness(x.pass, len(c.Steps))
	if err != nil {
		return err
	}
	if v != nil {
		x.writeShortness(v)
	}
	return nil
}

// writer writes JSON. Its buffer keeps the first error until it is flushed.
type writer struct {
	*pass
	out            *bufio.Writer
	e              *explain.Explanation
	classification *neighbourhood.Classification
	// evidence is nil if the property is no chain.
	evidence       *evidence
	number         []byte // memory that field reuses
	isFirstElement bool   // whether no element of a list was written yet, see beginElement
}

// beginList begins a list whose elements are on lines of their own.
func (x *writer) beginList(member string) {
	x.out.WriteString(member)
	x.isFirstElement = true
}

// beginElement begins an element of a list.
func (x *writer) beginElement() {
	if !x.isFirstElement {
		x.out.WriteByte(',')
	}
	x.out.WriteByte('\n')
	x.isFirstElement = false
}

func (x *writer) print(format string, args ...any) { fmt.Fprintf(x.out, format, args...) }

// writeHead writes what the certificate is about, and the claims about the whole model.
func (x *writer) writeHead(digest string) {
	m := x.e.LTS()
	counts := x.classification.Counts()
	reading := x.classification.Reading()
	x.print("{\n\"schema\": %s,\n", quote(verify.Schema))
	x.print("\"model\": {\"initial\": %d, \"states\": %d, \"transitions\": %d, \"sha256\": %s},\n",
		m.Initial(), m.NumStates(), m.NumTransitions(), quote(digest))
	x.print("\"property\": %s,\n", quote(x.e.Formula().String()))
	if x.fairness != nil {
		x.print("\"fairness\": [")
		separator := ""
		for _, a := range x.e.Fairness.Asked {
			x.print("%s%s", separator, quote(a.String()))
			separator = ", "
		}
		x.print("],\n")
	}
	x.print("\"verdict\": %s,\n", quote(x.e.Verdict.String()))
	x.print("\"classes\": {\"correct\": %d, \"incorrect\": %d, \"neutral\": %d", counts.Correct,
		counts.Incorrect, counts.Neutral)
	if x.fairness != nil && x.fairness.Excludes() {
		x.print(", \"excluded\": %d", counts.Excluded)
	}
	x.print("},\n")
	x.print("\"neighbourhood_reading\": %s,\n", quote(reading.String()))
}

// writeStates writes a line for each reachable state, with the classes of its transitions. For a chain it
// is most of the file.
func (x *writer) writeStates() error {
	x.beginList("\"states\": [")
	m := x.model
	for i := range m.NumStates() {
		s := lts.State(i)
		if err := doneAt(x.ctx, i); err != nil {
			return err
		}
		if !m.Reachable().Has(s) {
			continue
		}
		x.beginElement()
		x.field(`{"state":`, uint64(s))
		if x.evidence != nil {
			x.writeState(s)
		}
		x.out.WriteString(`,"out":"`)
		for l, t := range m.From(s) {
			x.out.WriteByte(x.classification.Class(s, l, t).String()[0])
		}
		x.out.WriteString(`"}`)
	}
	x.print("\n],\n")
	return nil
}

// writeState writes the claims about s for a chain, and their evidence.
func (x *writer) writeState(s lts.State) {
	if x.fairness != nil && x.fairness.Excludes() {
		x.out.WriteString(`,"admitted":` + strconv.FormatBool(x.claimed.Admits(s)))
	}
	x.field(`,"mp":`, uint64(x.claimed.MP(s)))
	x.field(`,"cp":`, uint64(x.claimed.CP(s)))
	x.field(`,"ms":`, uint64(x.claimed.MS(s)))
	x.field(`,"cs":`, uint64(x.claimed.CS(s)))
	least, _ := x.evidence.least.Distance(s)
	x.field(`,"least":`, uint64(least))
	list(x, `,"first":[`, x.evidence.first.rowOf(s))
	list(x, `,"next":[`, x.evidence.next.rowOf(s))
	list(x, `,"due":[`, x.evidence.due.rowOf(s))
	if x.evidence.fairEvidence != nil {
		x.writeFairState(s)
	}
}

// writeFairState writes the evidence about s under an assumption.
func (x *writer) writeFairState(s lts.State) {
	v := x.evidence.fairEvidence
	if v.within != nil {
		first := x.evidence.due.start[s]
		end := x.evidence.due.start[int(s)+1]
		sets := v.within[first:end]
		isInSet := func(set uint32) bool { return set > 0 }
		if !slices.ContainsFunc(sets, isInSet) {
			sets = nil
		}
		list(x, `,"within":[`, sets)
	}
	x.field(`,"settle":`, uint64(v.settle[s]))
	var home []uint32
	if v.home[s] != none {
		home = []uint32{v.home[s], v.from[s], v.back[s]}
	}
	list(x, `,"home":[`, home)
}

// field writes a text and a number.
func (x *writer) field(before string, value uint64) {
	x.out.WriteString(before)
	x.number = strconv.AppendUint(x.number[:0], value, 10)
	x.out.Write(x.number)
}

// list writes a text, with the bracket that opens the list, and numbers.
func list[N ~uint32](x *writer, before string, values []N) {
	x.out.WriteString(before)
	separator := ""
	for _, v := range values {
		x.field(separator, uint64(v))
		separator = ","
	}
	x.out.WriteByte(']')
}

// writeNeighbourhoods writes the neighbourhoods. The function distance gives the length of a
// shortest run to each of them.
func (x *writer) writeNeighbourhoods(distance func(lts.State) uint32) {
	x.beginList("\"neighbourhoods\": [")
	for _, s := range x.classification.States() {
		kind, _ := x.classification.Kind(s)
		x.beginElement()
		x.print("{\"state\": %d, \"kind\": %s, \"distance_from_initial\": %d}", s,
			quote(kind.String()), distance(s)-uint32(x.model.Before()))
	}
	x.print("],\n")
}

// writeCounterexample writes the counterexample with its steps; null if there is none.
func (x *writer) writeCounterexample() {
	x.print("\"counterexample\": ")
	c := x.e.Counterexample
	if c == nil {
		x.print("null")
		return
	}
	start := "null"
	if c.LoopStart >= 0 {
		start = strconv.Itoa(int(c.LoopStart))
	}
	x.beginList(fmt.Sprintf("{\"length\": %d, \"loop_start\": %s, \"steps\": [", len(c.Steps),
		start))
	kept := x.e.Abstracted.Steps
	for i := range c.Steps {
		abstracted := len(kept) > 0 && kept[0] == i
		if abstracted {
			kept = kept[1:]
		}
		x.beginElement()
		x.writeStep(i, abstracted)
	}
	x.print("]}")
}

// writeStep writes step i of the counterexample; abstracted reports whether the abstracted one keeps it.
func (x *writer) writeStep(i int, abstracted bool) {
	step := x.e.Counterexample.Steps[i]
	history := "progress"
	reached := step.Progress
	if x.evidence == nil {
		history = "q"
		reached = int(x.e.Trace().At(i + 1))
	}
	x.print("{\"from\": %d, \"out\": %d, \"label\": %s, \"to\": %d, \"class\": %s, \"%s\": %d, \"fate\": %s, \"neighbourhood\": %v, \"abstracted\": %v}",
		step.From, x.position(x.e.Trace().Step(i)), quote(step.Label), step.To,
		quote(step.Class.String()), history, reached, quote(step.Fate.String()), step.Neighbourhood.Is(), abstracted)
}

// position returns the position of a transition among those of its source.
func (x *writer) position(t lts.Transition) int {
	labels, targets := x.e.LTS().Out(t.From)
	for i, target := range targets {
		if labels.At(i) == t.Label && target == t.To {
			return i
		}
	}
	return len(targets)
}

// quote returns text as a JSON string, with U+FFFD for bytes that are no UTF-8.
func quote(text string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	// Encoding a string, and writing to a buffer, cannot fail.
	_ = encoder.Encode(text)
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// writeSets writes the sets where no fair run stays.
func (x *writer) writeSets(sets []neglecting) {
	x.beginList("\"sets\": [")
	for _, s := range sets {
		x.beginElement()
		x.field(`{"parent":`, uint64(s.parent))
		x.field(`,"rank":`, uint64(s.rank))
		if s.missing > 0 {
			x.field(`,"missing":`, uint64(s.missing-1))
		} else {
			list(x, `,"tasks":[`, s.tasks)
		}
		x.out.WriteByte('}')
	}
	x.print("],\n")
}
