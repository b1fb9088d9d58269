package report

import (
	"io"
	"iter"
	"strconv"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/asjson"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// statesResult is a row for each reachable state: its component, prefixes and suffixes. Writing it
// costs O(S).
func statesResult(a *explain.Analysis) result {
	return listing("inev.states/1", func(w io.Writer, l layout) { writeStates(w, a, l) },
		func(d *document, _ int) { statesJSON(d, a) })
}

// transitionsResult is the class of each reachable transition. Writing it costs O(S + T) time, and
// O(labels) memory with 4 bytes a transition if the file does not list the transitions by source.
func transitionsResult(a *explain.Analysis) result {
	return listing("inev.transitions/1", func(w io.Writer, l layout) { writeTransitions(w, a, l) },
		func(d *document, _ int) { transitionsJSON(d, a) })
}

// neighbourhoodsResult is the neighbourhoods of an analysis. Writing them costs O(their
// transitions, and the lengths of the shortest paths to them).
func neighbourhoodsResult(a *explain.Analysis, found *explain.Neighbourhoods) result {
	return listing("inev.neighbourhoods/1", func(w io.Writer, l layout) { writeNeighbourhoods(w, a, found, l) },
		func(d *document, labels int) { listedJSON(d, a, found, labels) })
}

type stateRow []int

// stateColumns are the names of the columns: for a chain, the prefixes and suffixes; for another
// property, the number of property states with which runs reach the state, and from how many of
// these it can be satisfied, and violated.
func stateColumns(a *explain.Analysis) []string {
	if a.Property.Steps() > 0 {
		return []string{"scc", "depth", "mp", "cp", "ms", "cs"}
	}
	return []string{"scc", "depth", "histories", "can_satisfy", "can_violate"}
}

// states yields the reachable states of the system in ascending order.
func states(a *explain.Analysis) iter.Seq2[lts.State, stateRow] {
	e, isChain := a.Fates.Enriched()
	return func(yield func(lts.State, stateRow) bool) {
		row := make(stateRow, 0, 6)
		m := a.Components.LTS()
		start, _ := a.Components.Of(m.Initial())
		for i := range m.NumStates() {
			s := lts.State(i)
			c, reachable := a.Components.Of(s)
			if !reachable || m.IsBefore(s) {
				continue
			}
			// Components and depths are counted without the artificial initial state before several
			// initial states.
			number, depth := int(c), a.Components.Depth(c)-m.Before()
			if c > start {
				number -= m.Before()
			}
			row = append(row[:0], number, depth)
			if isChain {
				row = append(row, e.MP(s), e.CP(s), e.MS(s), e.CS(s))
			} else {
				reached, satisfy, violate := a.Fates.Histories(s)
				row = append(row, reached, satisfy, violate)
			}
			if !yield(s, row) {
				return
			}
		}
	}
}

func writeStates(w io.Writer, a *explain.Analysis, l layout) {
	names := stateColumns(a)
	most := make(stateRow, len(names))
	copy(most, stateRow{a.Components.Len() - 1, a.Components.MaxDepth()})
	widest := a.Property.States()
	if a.Property.Steps() > 0 {
		widest--
	}
	columns := make([]column, 1+len(names))
	columns[0] = column{name: "state", number: true, width: widestState(a)}
	for i, name := range names {
		columns[i+1] = column{name: name, number: true, width: digits(max(most[i], widest))}
	}
	t := newTable(w, l, columns...)
	for s, row := range states(a) {
		t.state(a, s)
		for _, n := range row {
			t.number(n)
		}
		t.end()
	}
	abort.On(t.w.Flush())
}

// transitions yields the reachable transitions in the order of the file.
func transitions(a *explain.Analysis) iter.Seq2[lts.Transition, neighbourhood.Class] {
	return func(yield func(lts.Transition, neighbourhood.Class) bool) {
		m := a.Components.LTS()
		reach := m.Reachable()
		for t := range m.Transitions() {
			if reach.Has(t.From) && !m.IsBefore(t.From) && !yield(t, a.Classification.Class(t.From, t.Label, t.To)) {
				return
			}
		}
	}
}

func writeTransitions(w io.Writer, a *explain.Analysis, l layout) {
	m := a.Components.LTS()
	cells := make([]string, m.Alphabet().Len())
	widest := 0
	for label, text := range m.Alphabet().All() {
		cells[label] = l.label(text)
		widest = max(widest, displayWidth(cells[label]))
	}
	state := widestState(a)
	t := newTable(w, l,
		column{name: "from", number: true, width: state},
		column{name: "label", width: min(widest, widestLabel)},
		column{name: "to", number: true, width: state},
		column{name: "class"})
	for transition, class := range transitions(a) {
		t.state(a, transition.From)
		t.text(cells[transition.Label])
		t.state(a, transition.To)
		t.text(class.String())
		t.end()
	}
	abort.On(t.w.Flush())
}

func writeNeighbourhoods(w io.Writer, a *explain.Analysis, found *explain.Neighbourhoods, l layout) {
	kind := 0
	for _, k := range neighbourhood.Kinds() {
		kind = max(kind, len(k.String()))
	}
	t := newTable(w, l,
		column{name: "state", number: true, width: widestState(a)},
		column{name: "kind", width: kind},
		column{name: "distance", number: true},
		column{name: "incoming", number: true},
		column{name: "correct", number: true},
		column{name: "incorrect", number: true},
		column{name: "neutral", number: true})
	for n := range found.All() {
		outgoing := map[neighbourhood.Class]int{}
		for _, o := range n.Outgoing {
			outgoing[o.Class]++
		}
		t.state(a, n.State)
		t.text(n.Kind.String())
		t.number(n.Distance)
		t.number(len(n.Incoming))
		t.number(outgoing[neighbourhood.Correct])
		t.number(outgoing[neighbourhood.Incorrect])
		t.number(outgoing[neighbourhood.Neutral])
		t.end()
	}
	abort.On(t.w.Flush())
}

// state writes a cell with the name of a state.
func (t *table) state(a *explain.Analysis, s lts.State) {
	if a.Unfolding == nil {
		t.number(int(s))
		return
	}
	t.text(a.Name(s))
}

func widestState(a *explain.Analysis) int {
	if a.Unfolding == nil {
		return digits(a.Components.LTS().NumStates() - 1)
	}
	widest := 0
	for i := range a.Components.LTS().NumStates() {
		widest = max(widest, displayWidth(a.Name(lts.State(i))))
	}
	return widest
}

func statesJSON(d *document, a *explain.Analysis) {
	d.field("formula", a.Formula.String())
	d.field("warnings", a.Warnings)
	d.list("states")
	names := stateColumns(a)
	var line []byte
	for s, row := range states(a) {
		line = append(line[:0], `{"state": `...)
		line = appendState(line, a, s)
		for i, n := range row {
			line = append(line, ", "...)
			line = strconv.AppendQuote(line, names[i])
			line = append(line, ": "...)
			line = strconv.AppendInt(line, int64(n), 10)
		}
		d.line(append(line, '}'))
	}
	d.close()
}

func transitionsJSON(d *document, a *explain.Analysis) {
	labels := encodedLabels(a.Components.LTS().Alphabet())
	d.field("formula", a.Formula.String())
	d.field("warnings", a.Warnings)
	counts := a.Classification.Counts()
	d.field("classes", explain.Classes(counts))
	d.list("transitions")
	var line []byte
	for t, class := range transitions(a) {
		line = append(line[:0], `{"from": `...)
		line = appendState(line, a, t.From)
		line = append(line, `, "label": `...)
		line = append(line, labels[t.Label]...)
		line = append(line, `, "to": `...)
		line = appendState(line, a, t.To)
		line = append(line, `, "class": "`...)
		line = append(line, class.String()...)
		d.line(append(line, `"}`...))
	}
	d.close()
}

// appendState appends a state as JSON, without an allocation if it is shown by its number.
func appendState(line []byte, a *explain.Analysis, s lts.State) []byte {
	if a.Unfolding == nil {
		return strconv.AppendUint(line, uint64(s), 10)
	}
	return append(append(append(line, '"'), a.Name(s)...), '"')
}

// encodedLabels returns all labels as JSON, encoded once: there are far fewer labels than
// transitions.
func encodedLabels(alphabet *lts.Alphabet) [][]byte {
	encoded := make([][]byte, alphabet.Len())
	format := asjson.Plain()
	for label, name := range alphabet.All() {
		encoded[label] = abort.Must(format.Marshal(name))
	}
	return encoded
}

func listedJSON(d *document, a *explain.Analysis, found *explain.Neighbourhoods, labels int) {
	d.name(a.Unfolding != nil, a.Name)
	d.field("formula", a.Formula.String())
	d.field("warnings", a.Warnings)
	d.field("neighbourhood_reading", a.Classification.Reading())
	d.list("neighbourhoods")
	neighbourhoodsJSON(d, found, labels, func() bool { return true })
	d.close()
}
