package aut

import (
	"bytes"

	"github.com/inev-lts/inev/lts"
)

// decoder turns lines into the transitions of a Builder, and keeps what is
// needed to say whether the header told the truth.
//
// Two promises of a file cost memory before it has kept them: the number of
// transitions, which is believed only as far as the file is long enough (see
// grow), and state numbers, since a Builder keeps a counter for every state up
// to the largest source. A transition whose source is far beyond what the
// transitions before it account for therefore waits, with all that follow, until
// enough have been read.
type decoder struct {
	Options
	// size is the length of the text in bytes, less than 0 where it is unknown.
	size   int64
	header header
	// line is the number of the last line read.
	line     int
	builder  lts.Builder
	cache    labelCache
	warnings []string

	// count is the number of transitions read.
	count uint64
	// sources is the bound below which a source is added without a further
	// look; 0 while transitions wait.
	sources uint64
	waiting []lts.Transition
	// waitingMax is the largest source that waits.
	waitingMax uint64

	// surplusLine is the line of the first transition beyond the declared
	// number, 0 where there is none.
	surplusLine int
	// beyond is about state numbers that are not below the declared number.
	beyond struct {
		first, largest         uint64
		firstLine, largestLine int
	}
	// unfinishedLine is the line in which the file ends, 0 where it ends
	// between lines.
	unfinishedLine int
}

// declare takes over the header.
func (d *decoder) declare(h header) error {
	d.header = h
	d.grow()
	d.sources = min(h.states, accountedStates(0))
	if h.initial >= h.states {
		return d.noteBeyond("initial state", h.initial)
	}
	return nil
}

// grow makes room for the declared transitions as far as the text is long
// enough for them. Where its length is unknown, room for a million must do.
func (d *decoder) grow() {
	// The shortest line is (0,a,0) and its line feed, which the last may lack.
	possible := uint64(1 << 20)
	if d.size >= 0 {
		possible = uint64(d.size+1) / 8
	}
	d.builder.Grow(int(min(d.header.transitions, possible)))
}

// accountedStates is the number of states that a file with so many transitions
// may ask for. A transition makes at most two states known; the factor and the
// constant leave room for models with unreachable states and for parts of
// models that keep the state numbers of the whole.
func accountedStates(transitions uint64) uint64 {
	return 64*transitions + 1_000_000
}

// transitions reads the lines of a block. Only the last line of a file may lack
// its line feed.
func (d *decoder) transitions(block []byte) error {
	for len(block) > 0 {
		line, ended := block, false
		if i := bytes.IndexByte(block, '\n'); i >= 0 {
			line, ended = block[:i], true
			block = block[i+1:]
		} else {
			block = nil
		}
		d.line++
		from, label, to, ok := parseTransition(line)
		switch {
		case ok && from < d.sources && to < d.header.states && d.count < d.header.transitions:
			d.count++
			d.builder.Add(lts.State(from), d.cache.label(&d.builder, label), lts.State(to))
		case ok:
			if err := d.addUnusual(from, label, to); err != nil {
				return err
			}
		case len(trimBlanks(line)) > 0:
			if err := d.refuseLine(line, ended); err != nil {
				return err
			}
		}
	}
	return nil
}

// addUnusual adds a transition of which something has to be noted, or which has
// to wait.
func (d *decoder) addUnusual(from uint64, label []byte, to uint64) error {
	for _, s := range [...]struct {
		name  string
		state uint64
	}{{"source state", from}, {"target state", to}} {
		if s.state >= d.header.states {
			if err := d.noteBeyond(s.name, s.state); err != nil {
				return err
			}
		}
	}
	if d.count == d.header.transitions {
		d.surplusLine = d.line
	}
	d.count++
	t := lts.Transition{From: lts.State(from), Label: d.cache.label(&d.builder, label), To: lts.State(to)}
	if bound := accountedStates(d.count); len(d.waiting) == 0 && from < bound {
		d.sources = min(d.header.states, bound)
		d.builder.Add(t.From, t.Label, t.To)
		return nil
	}
	d.sources = 0
	d.waiting = append(d.waiting, t)
	d.waitingMax = max(d.waitingMax, from)
	if d.waitingMax < accountedStates(d.count) {
		d.addWaiting()
	}
	return nil
}

// addWaiting adds the transitions that wait, in their order.
func (d *decoder) addWaiting() {
	for _, t := range d.waiting {
		d.builder.Add(t.From, t.Label, t.To)
	}
	d.waiting, d.waitingMax = nil, 0
	d.sources = min(d.header.states, accountedStates(d.count))
}

// noteBeyond keeps in mind, or refuses, a state number that is not below the
// declared number of states.
func (d *decoder) noteBeyond(name string, state uint64) error {
	switch {
	case state >= tooLarge:
		return d.refuse(d.line, "the %s is too large: inev holds at most %d states", name, int64(lts.MaxStates))
	case state >= lts.MaxStates:
		return d.refuse(d.line, "%s %d is too large: inev holds at most %d states", name, state, int64(lts.MaxStates))
	case !d.Lenient:
		return d.refuse(d.line, "%s %d is not below %d, the declared number of states: correct it or the header, or read the file with --lenient",
			name, state, d.header.states)
	}
	if d.beyond.firstLine == 0 {
		d.beyond.first, d.beyond.firstLine = state, d.line
	}
	if state >= d.beyond.largest {
		d.beyond.largest, d.beyond.largestLine = state, d.line
	}
	return nil
}

// refuseLine explains a line that is no transition. ended tells whether it has
// a line feed: where it has none and could go on, it is the file that is cut
// off, which a lenient reading accepts.
func (d *decoder) refuseLine(line []byte, ended bool) error {
	r := refuseTransition(line)
	switch {
	case ended || !r.unfinished || d.count >= d.header.transitions:
		return d.refuse(d.line, "%s", r.message)
	case !d.Lenient:
		return d.refuse(d.line, "declared %d transitions, found %d and part of another: the file looks truncated; fetch it again, or read it with --lenient",
			d.header.transitions, d.count)
	}
	d.unfinishedLine = d.line
	return nil
}
