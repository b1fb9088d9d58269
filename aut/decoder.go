package aut

import (
	"context"
	"math"

	"github.com/inev-lts/inev/internal/blocks"
	"github.com/inev-lts/inev/lts"
)

// decoder joins the results of scanners, which hand over their blocks in the
// order of the text.
type decoder struct {
	Options
	// size is the length of the text in bytes, less than 0 if it is unknown.
	size   int64
	header header

	// line is the number of the last line read.
	line int
	// count is the number of transitions read.
	count    uint64
	alphabet lts.AlphabetBuilder
	columns  columns
	warnings []string
	// surplusLine is the line of the first transition beyond the declared
	// number, 0 if there is none.
	surplusLine int
	beyond      beyond
	// unfinishedLine is the line in which the file ends, 0 if it ends
	// between lines.
	unfinishedLine int
}

func newDecoder(o Options, size int64) *decoder {
	return &decoder{Options: o, size: size}
}

// declare stores the header.
func (d *decoder) declare(h header) error {
	d.header = h
	if d.Admit != nil {
		transitions := d.believed()
		states := min(h.states, accountedStates(transitions))
		if err := d.Admit(int64(states), int64(transitions)); err != nil {
			return d.fail(0, err.Error(), err)
		}
	}
	d.columns = columns{states: h.states, declared: d.believed(), borne: d.size >= 0, narrow: math.MaxUint32}
	if h.initial < h.states {
		return nil
	}
	if err := d.refuseBeyond(d.line, "initial state", h.initial); err != nil {
		return err
	}
	d.beyond.note(h.initial, d.line)
	return nil
}

// believed is the declared number of transitions, but no more than the text has
// room for.
func (d *decoder) believed() uint64 {
	if d.size < 0 {
		return d.header.transitions
	}
	// The shortest line is (0,a,0) and a line feed, which the last line may lack.
	return min(d.header.transitions, uint64(d.size+1)/8)
}

// accountedStates is the number of states that a file with this many transitions may declare. A
// transition mentions at most two new states; the factor and the constant leave room for models
// with unreachable states, and for parts of models that keep the state numbers of the whole.
func accountedStates(transitions uint64) uint64 {
	return 64*transitions + 1_000_000
}

// worker is a scanner with its decoder.
type worker struct {
	*scanner
	d  *decoder
	at columnRange
}

func (d *decoder) worker(known int) *worker {
	return &worker{scanner: &scanner{lenient: d.Lenient, known: known, states: d.header.states}, d: d}
}

func (w *worker) Room() *blocks.Block { return &w.Block }

func (w *worker) Scan() { w.scan() }

func (w *worker) Take(ctx context.Context) (err error) {
	w.at, err = w.d.take(ctx, w.scanner)
	return err
}

func (w *worker) Put() { w.d.columns.put(w.scanner, w.at) }

// take checks a block against the blocks before it, and returns the range for its
// transitions.
func (d *decoder) take(ctx context.Context, s *scanner) (columnRange, error) {
	if s.Err != nil {
		return columnRange{}, d.blockError(&s.Block)
	}
	found, before := uint64(len(s.found)), d.line
	d.line += len(s.found) + s.blank
	if declared := d.header.transitions; d.count <= declared && declared < d.count+found {
		d.surplusLine = before + 1 + s.lineOf(int(declared-d.count))
		if !d.Lenient {
			// This error comes before all further blocks are read.
			return columnRange{}, d.refuseSurplus()
		}
	}
	first := d.count
	d.count += found
	d.beyond.add(s.beyond, before+1)
	for l := len(s.numbers); l < s.labels.table.Len(); l++ {
		s.numbers = append(s.numbers, d.alphabet.Label(s.labels.table.Text(lts.Label(l))))
	}
	if s.stopped {
		if err := d.takeRefused(s); err != nil {
			return columnRange{}, err
		}
	}
	return d.columns.reserve(ctx, s, first, d.alphabet.Len())
}

// takeRefused returns the error for the line at which a scanner stopped; nil if
// it is the last line, which a lenient reading leaves out.
func (d *decoder) takeRefused(s *scanner) error {
	d.line++
	line, next := s.lineAt(s.at)
	from, _, to, ok := parseTransition(line)
	if !ok {
		return d.refuseLine(line, next > s.at+len(line))
	}
	if from >= d.header.states {
		if err := d.refuseBeyond(d.line, "source state", from); err != nil {
			return err
		}
	}
	return d.refuseBeyond(d.line, "target state", to)
}

// refuseBeyond returns the error for a state number that is not below the
// declared number of states, nil if the reading is lenient.
func (d *decoder) refuseBeyond(line int, name string, state uint64) error {
	switch {
	case state >= tooLarge:
		return d.refuse(line, "the %s is too large: inev holds at most %d states", name, int64(lts.MaxStates))
	case state >= lts.MaxStates:
		return d.refuse(line, "%s %d is too large: inev holds at most %d states", name, state, int64(lts.MaxStates))
	case !d.Lenient:
		return d.refuseStrictly(line, "%s %d is not below %d, the declared number of states: correct it or the header, or read the file",
			name, state, d.header.states)
	}
	return nil
}

// refuseLine explains a line that is no transition. ended reports whether it has
// a line feed: a line without one that could go on means that the file is cut
// off, which a lenient reading accepts.
func (d *decoder) refuseLine(line []byte, ended bool) error {
	r := refuseTransition(line)
	switch {
	case ended || !r.unfinished || d.count >= d.header.transitions:
		return d.refuse(d.line, "%s", r.message)
	case !d.Lenient:
		return d.refuseStrictly(d.line, "declared %d transitions, found %d and part of another: the file looks truncated; fetch it again, or read it",
			d.header.transitions, d.count)
	}
	d.unfinishedLine = d.line
	return nil
}
