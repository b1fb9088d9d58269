package report

import (
	"context"
	"io"
	"iter"
	"unicode/utf8"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/simplify"
)

// stateColumns are the names of what is told of a state, in the order of a
// stateRow.
var stateColumns = [...]string{"state", "scc", "depth", "mp", "cp", "ms", "cs"}

type stateRow [len(stateColumns)]int

// states yields the reachable states in ascending order.
func states(a *explain.Analysis) iter.Seq[stateRow] {
	return func(yield func(stateRow) bool) {
		for i := range a.Components.LTS().NumStates() {
			s := lts.State(i)
			c, reachable := a.Components.Of(s)
			if !reachable {
				continue
			}
			e := a.Enriched
			if !yield(stateRow{i, int(c), a.Components.Depth(c), e.MP(s), e.CP(s), e.MS(s), e.CS(s)}) {
				return
			}
		}
	}
}

func writeStates(w io.Writer, a *explain.Analysis, l layout) error {
	most := stateRow{a.Components.LTS().NumStates() - 1, a.Components.Len() - 1, a.Components.MaxDepth()}
	columns := make([]column, len(stateColumns))
	for i, name := range stateColumns {
		columns[i] = column{name: name, number: true, width: digits(max(most[i], a.Property.Len()))}
	}
	t := newTable(w, l, columns...)
	for row := range states(a) {
		for _, n := range row {
			t.number(n)
		}
		if !t.end() {
			break
		}
	}
	return t.flush()
}

// transitions yields the reachable transitions in the order of the file.
func transitions(a *explain.Analysis) iter.Seq2[lts.Transition, neighbourhood.Class] {
	return func(yield func(lts.Transition, neighbourhood.Class) bool) {
		m := a.Components.LTS()
		reach := m.Reachable()
		for t := range m.Transitions() {
			if reach.Has(t.From) && !yield(t, a.Map.Class(t.From, t.Label, t.To)) {
				return
			}
		}
	}
}

func writeTransitions(w io.Writer, a *explain.Analysis, l layout) error {
	m := a.Components.LTS()
	cells := make([]string, m.Alphabet().Len())
	widest := 0
	for label, text := range m.Alphabet().All() {
		cells[label] = l.label(text)
		widest = max(widest, utf8.RuneCountInString(cells[label]))
	}
	state := digits(m.NumStates() - 1)
	t := newTable(w, l,
		column{name: "from", number: true, width: state},
		column{name: "label", width: min(widest, widestLabel)},
		column{name: "to", number: true, width: state},
		column{name: "class"})
	for transition, class := range transitions(a) {
		t.number(int(transition.From))
		t.text(cells[transition.Label])
		t.number(int(transition.To))
		t.text(class.String())
		if !t.end() {
			break
		}
	}
	return t.flush()
}

// places holds what tells about the neighbourhoods of an analysis.
type places struct {
	m     *lts.LTS
	types *neighbourhood.Map
	paths *simplify.Paths
}

func findPlaces(a *explain.Analysis) (*places, error) {
	m := a.Components.LTS()
	paths, err := simplify.FindPaths(context.Background(), m, a.Map.States())
	return &places{m, a.Map, paths}, err
}

// tally is what a row of a table tells about a neighbourhood.
type tally struct {
	kind               neighbourhood.Kind
	distance, incoming int
	outgoing           neighbourhood.Counts
}

func (p *places) tally(s lts.State) tally {
	kind, _ := p.types.Kind(s)
	distance, _ := p.paths.Distance(s)
	n := tally{kind: kind, distance: distance, incoming: len(p.m.Incoming(s))}
	labels, targets := p.m.Out(s)
	for i, to := range targets {
		switch p.types.Class(s, labels[i], to) {
		case neighbourhood.Correct:
			n.outgoing.Correct++
		case neighbourhood.Incorrect:
			n.outgoing.Incorrect++
		case neighbourhood.Neutral:
			n.outgoing.Neutral++
		}
	}
	return n
}

// describe returns what JSON tells about a neighbourhood.
func (p *places) describe(s lts.State) explain.Neighbourhood {
	kind, _ := p.types.Kind(s)
	distance, _ := p.paths.Distance(s)
	n := explain.Neighbourhood{State: s, Kind: kind.String(), Distance: distance}
	name := p.m.Alphabet().Text
	for _, t := range p.m.Incoming(s) {
		class := p.types.Class(t.From, t.Label, s)
		n.Incoming = append(n.Incoming, explain.Incoming{From: t.From, Label: name(t.Label), Class: class.String()})
	}
	labels, targets := p.m.Out(s)
	for i, to := range targets {
		class := p.types.Class(s, labels[i], to)
		n.Outgoing = append(n.Outgoing, explain.Outgoing{Label: name(labels[i]), To: to, Class: class.String()})
	}
	for _, t := range p.paths.To(s) {
		n.ShortestPath = append(n.ShortestPath, name(t.Label))
	}
	return n
}

func writeNeighbourhoods(w io.Writer, a *explain.Analysis, l layout) error {
	found, err := findPlaces(a)
	if err != nil {
		return err
	}
	kind := 0
	for _, k := range neighbourhood.Kinds() {
		kind = max(kind, len(k.String()))
	}
	t := newTable(w, l,
		column{name: "state", number: true, width: digits(found.m.NumStates() - 1)},
		column{name: "kind", width: kind},
		column{name: "distance", number: true},
		column{name: "incoming", number: true},
		column{name: "correct", number: true},
		column{name: "incorrect", number: true},
		column{name: "neutral", number: true})
	for _, s := range a.Map.States() {
		n := found.tally(s)
		t.number(int(s))
		t.text(n.kind.String())
		t.number(n.distance)
		t.number(n.incoming)
		t.number(n.outgoing.Correct)
		t.number(n.outgoing.Incorrect)
		t.number(n.outgoing.Neutral)
		if !t.end() {
			break
		}
	}
	return t.flush()
}
