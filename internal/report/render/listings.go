package render

import (
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/modeljson"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/simplify/steprows"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// fact is one of the statistics of a model.
type fact struct {
	name   string // for programs
	title  string // for people; indented if the fact is a detail of the fact above
	values []string
	texts  bool   // values are names, not a number
	note   string // the meaning of the fact
}

const parameterFact = "parameter"

func number(name, title string, n int, note string) fact {
	return fact{
		name:   name,
		title:  title,
		values: []string{strconv.Itoa(n)},
		note:   note,
	}
}

// factsOf returns the statistics in the order of the report: the size of the model, obvious faults,
// its structure.
func factsOf(s *explain.Statistics) []fact {
	m := s.Model
	facts := []fact{
		{name: "file", title: "model", values: []string{m.File}, texts: true},
		number("initial", "initial state", int(m.Initial), ""),
		number("states", "states", m.States, ""),
		number("reachable_states", "  reachable", m.ReachableStates, "from the initial state"),
		number("unreachable_states", "  unreachable", m.States-m.ReachableStates,
			"no part of any run"),
		number("transitions", "transitions", m.Transitions, ""),
		number("reachable_transitions", "  reachable", m.ReachableTransitions,
			"leave a reachable state"),
		number("max_out_degree", "  most from one state", s.MaxOutDegree, ""),
		number("labels", "labels", m.Labels, "different actions"),
		number("deadlocks", "deadlocks", m.Deadlocks,
			"reachable states in which nothing can happen any more"),
		number("nondeterministic_states", "non-deterministic states", s.Nondeterministic,
			"one action leads to different states"),
		{
			name:   "internal_label",
			title:  "internal actions",
			values: s.Internal,
			texts:  true,
			note:   "not visible from outside",
		},
		number("internal_transitions", "  transitions", s.InternalTransitions, ""),
		number("divergent_states", "  divergent states", s.Divergent,
			"on a cycle of internal actions: the system may stay silent forever"),
		number("sccs", "strongly connected components", m.SCCs,
			"sets of states that all reach each other"),
		number("cyclic_sccs", "  with a cycle", s.CyclicSCCs, "a run can stay in them forever"),
		number("largest_scc", "  states of the largest", s.LargestSCC, ""),
		number("depth", "  depth", m.Depth,
			"how often a run can move on from one to another, at most"),
	}
	if m.InitialStates > 0 {
		facts[1] = number("initial_states", "initial states", m.InitialStates,
			"runs begin in each of them")
	}
	if len(s.Parameters) > 0 {
		var names []string
		for _, p := range s.Parameters {
			name := p.Name
			if p.Sort != "" {
				name += ": " + p.Sort
			}
			names = append(names, name)
		}
		facts = append(facts, fact{
			name:   parameterFact,
			title:  "parameters",
			values: names,
			texts:  true,
			note:   "what states have values of",
		})
	}
	return facts
}

// shown returns the values in the form for people.
func (f fact) shown(quote func(string) string) string {
	if len(f.values) == 0 {
		return "none"
	}
	return strings.Join((&prose{quote: quote}).quoted(f.values), ", ")
}

// statisticsResult is the result of explain.Describe.
func statisticsResult(s *explain.Statistics) result {
	facts := factsOf(s)
	return result{
		prose: func(to *sheet) {
			if to.markdown {
				to.table(tableOf(" | value: | meaning", func(t *table) error {
					return factRows(t, facts)
				}))
			} else {
				factLines(to, facts)
			}
		},
		table: tableOf("name | value", func(t *table) error {
			for _, f := range facts {
				for _, value := range f.values {
					if err := t.row(f.name, modelText(value)); err != nil {
						return err
					}
				}
			}
			return nil
		}),
		object: struct {
			Schema string `json:"schema"`
			*explain.Statistics
		}{"inev.statistics/1", s},
	}
}

// factRows writes the rows of Markdown.
func factRows(t *table, facts []fact) error {
	for _, f := range facts {
		quote := printable.Text
		if f.texts {
			quote = printable.CodeCell
		}
		detail, isDetail := strings.CutPrefix(f.title, "  ")
		if isDetail {
			detail = "– " + detail
		}
		if err := t.row(detail, formatted(f.shown(quote)), f.note); err != nil {
			return err
		}
	}
	return nil
}

// factLines writes the facts as text in three columns. A long note takes several lines, and a note that
// does not fit next to a long name begins on the next line.
func factLines(to *sheet, facts []fact) {
	titleWidth := 0
	valueWidth := 0
	for _, f := range facts {
		titleWidth = max(titleWidth, len(f.title))
		if !f.texts {
			valueWidth = max(valueWidth, len(f.values[0]))
		}
	}
	for _, f := range facts {
		if f.name == parameterFact {
			// There can be many parameters, so their lines are wrapped.
			f.note = "what states have values of: " + f.shown(printable.Text)
			f.values = []string{strconv.Itoa(len(f.values))}
		}
		line := padRight(f.title, titleWidth) + "  " +
			padRight(f.shown(printable.Text), valueWidth) + "  "
		indent := displayWidth(line)
		for _, note := range wrapped(f.note, max(LeastWidth, to.o.width()-indent)) {
			to.line(strings.TrimRight(line+note, " "))
			line = strings.Repeat(" ", indent)
		}
	}
}

// labelsResult is the labels of a model, or its gates. No text is shortened, since users copy labels
// into formulas. Cost of writing it: O(labels).
func labelsResult(l *explain.Labels) result {
	return listing("inev.labels/1",
		func(w io.Writer, to layout) error { return labelsTable(w, to, l) },
		func(d *document, _ Options) { labelsJSON(d, l) })
}

func labelsTable(w io.Writer, to layout, l *explain.Labels) error {
	texts := make([]string, len(l.Uses)) // labels; for a gate, its name
	gates := make([]string, len(l.Uses)) // of labels
	widestText := 0
	widestGate := 0
	largest := 0
	for i, use := range l.Uses {
		switch {
		case !l.Gates && use.Gate != "":
			texts[i] = to.whole(use.Text)
			gates[i] = to.whole(use.Gate)
		case l.Gates && use.Gate != "":
			texts[i] = to.whole(use.Gate)
		default:
			texts[i] = to.whole(use.Text)
		}
		widestText = max(widestText, displayWidth(texts[i]))
		widestGate = max(widestGate, displayWidth(gates[i]))
		largest = max(largest, use.Transitions, use.Labels)
	}
	columns := "label | gate | transitions: | reachable:"
	secondWidth := min(widestGate, widestLabel)
	if l.Gates {
		columns = "gate | labels: | transitions: | reachable:"
		secondWidth = digits(largest)
	}
	// A label that is longer than widestLabel does not widen the column further.
	t := newTable(w, to, columns, min(widestText, widestLabel), secondWidth, digits(largest),
		digits(largest))
	for i, use := range l.Uses {
		var second any = formatted(gates[i])
		if l.Gates {
			second = use.Labels
		}
		if err := t.row(formatted(texts[i]), second, use.Transitions, use.Reachable); err != nil {
			return err
		}
	}
	return t.flush()
}

// labelJSON is a label, or a gate. The label is null if the entry is about a gate; the gate is null if
// the label has none.
type labelJSON struct {
	Label       *string `json:"label"`
	Gate        *string `json:"gate"`
	Labels      int     `json:"labels"`
	Transitions int     `json:"transitions"`
	Reachable   int     `json:"reachable_transitions"`
	IsReachable bool    `json:"reachable"`
}

func labelsJSON(d *document, l *explain.Labels) {
	d.field("file", l.Model.File)
	d.field("by", map[bool]string{false: "label", true: "gate"}[l.Gates])
	d.list("labels")
	for _, use := range l.Uses {
		object := labelJSON{
			Labels:      use.Labels,
			Transitions: use.Transitions,
			Reachable:   use.Reachable,
			IsReachable: use.Reachable > 0,
		}
		if !l.Gates || use.Gate == "" {
			object.Label = &use.Text
		}
		if use.Gate != "" {
			object.Gate = &use.Gate
		}
		d.element(object)
	}
	d.close()
	d.field("warnings", l.Warnings)
	d.cost(l.Timings, l.Cost)
}

// statesResult is a row for each reachable state: its component, prefixes and suffixes. Cost of writing
// it: O(S).
func statesResult(a *explain.Analysis) result {
	return listing("inev.states/1",
		func(w io.Writer, l layout) error { return statesTable(w, l, a) },
		func(d *document, _ Options) { statesJSON(d, a) })
}

func statesTable(w io.Writer, l layout, a *explain.Analysis) error {
	names := stateColumns(a)
	largestOf := make([]int, len(names))
	copy(largestOf, []int{a.Components.Len() - 1, a.Components.MaxDepth()})
	// All columns except the first two count steps of a chain or, for other properties, property
	// states. A chain has one step fewer than states.
	largest := a.Property.States()
	if a.Property.Steps() > 0 {
		largest--
	}
	widths := []int{widestState(a)}
	for _, n := range largestOf {
		widths = append(widths, digits(max(n, largest)))
	}
	t := newTable(w, l, "state: | "+strings.Join(names, ": | ")+":", widths...)
	for s, row := range states(a) {
		t.state(a, s)
		for _, n := range row {
			t.number(n)
		}
		if err := t.end(); err != nil {
			return err
		}
	}
	return t.flush()
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
		if d.failed() {
			break
		}
	}
	d.close()
}

// transitionsResult is the class of each reachable transition. Cost of writing it: O(S + T) time and
// O(labels) memory, and 4 bytes a transition if the file does not list the transitions by source.
func transitionsResult(a *explain.Analysis) result {
	return listing("inev.transitions/1",
		func(w io.Writer, l layout) error { return transitionsTable(w, l, a) },
		func(d *document, _ Options) { transitionsJSON(d, a) })
}

func transitionsTable(w io.Writer, l layout, a *explain.Analysis) error {
	m := a.Components.LTS()
	cells := make([]string, m.Alphabet().Len())
	widest := 0
	for label, text := range m.Alphabet().All() {
		cells[label] = l.label(text)
		widest = max(widest, displayWidth(cells[label]))
	}
	state := widestState(a)
	t := newTable(w, l, "from: | label | to: | class", state, min(widest, widestLabel), state)
	for transition, class := range transitions(a) {
		t.state(a, transition.From)
		t.text(cells[transition.Label])
		t.state(a, transition.To)
		t.text(class.String())
		if err := t.end(); err != nil {
			return err
		}
	}
	return t.flush()
}

func transitionsJSON(d *document, a *explain.Analysis) {
	// Each label is encoded once: there are far fewer labels than transitions.
	alphabet := a.Components.LTS().Alphabet()
	labels := make([][]byte, alphabet.Len())
	format := modeljson.Plain()
	for label, name := range alphabet.All() {
		text, err := format.Marshal(name)
		d.keep(err)
		labels[label] = text
	}
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
		if d.failed() {
			break
		}
	}
	d.close()
}

// neighbourhoodsResult is the neighbourhoods of an analysis. Cost of writing it: O(transitions of the
// neighbourhoods, and lengths of the shortest paths to them).
func neighbourhoodsResult(a *explain.Analysis, found *explain.Neighbourhoods) result {
	return listing("inev.neighbourhoods/1",
		func(w io.Writer, l layout) error {
			return neighbourhoodsTable(w, l, a, found)
		},
		func(d *document, o Options) {
			d.name(a.Unfolding != nil, a.Name)
			d.field("formula", a.Formula.String())
			d.field("warnings", a.Warnings)
			d.field("neighbourhood_reading", a.Classification.Reading())
			d.list("neighbourhoods")
			neighbourhoodsJSON(d, found, o.pathLabels(), func() bool {
				return true
			})
			d.close()
		})
}

func neighbourhoodsTable(
	w io.Writer,
	l layout,
	a *explain.Analysis,
	found *explain.Neighbourhoods,
) error {
	kind := 0
	for _, k := range neighbourhood.Kinds() {
		kind = max(kind, len(k.String()))
	}
	t := newTable(w, l,
		"state: | kind | distance: | incoming: | correct: | incorrect: | neutral:", widestState(a), kind)
	for n := range found.All() {
		outgoing := map[fate.Class]int{}
		for _, o := range n.Outgoing {
			outgoing[o.Class]++
		}
		err := t.row(a.Name(n.State), n.Kind, n.Distance, len(n.Incoming),
			outgoing[fate.Correct], outgoing[fate.Incorrect], outgoing[fate.Neutral])
		if err != nil {
			return err
		}
	}
	return t.flush()
}

// stateColumns returns the names of the columns. For a chain, they are the prefixes and suffixes. For
// another property, they are the number of property states with which runs reach the state, and the
// numbers of those from which the property can be satisfied, and violated.
func stateColumns(a *explain.Analysis) []string {
	if a.Property.Steps() > 0 {
		return []string{"scc", "depth", "mp", "cp", "ms", "cs"}
	}
	return []string{"scc", "depth", "histories", "can_satisfy", "can_violate"}
}

// states yields the reachable states of the system in ascending order.
func states(a *explain.Analysis) iter.Seq2[lts.State, []int] {
	e, isChain := a.Fates.Enriched()
	return func(yield func(lts.State, []int) bool) {
		row := make([]int, 0, 6)
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
			number := int(c)
			depth := a.Components.Depth(c) - m.Before()
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

// transitions yields the reachable transitions in the order of the file.
func transitions(a *explain.Analysis) iter.Seq2[lts.Transition, fate.Class] {
	return func(yield func(lts.Transition, fate.Class) bool) {
		m := a.Components.LTS()
		reach := m.Reachable()
		for t := range m.Transitions() {
			if reach.Has(t.From) && !m.IsBefore(t.From) &&
				!yield(t, a.Classification.Class(t.From, t.Label, t.To)) {
				return
			}
		}
	}
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

// appendState appends a state as JSON. It allocates nothing if the state is shown by its number.
func appendState(line []byte, a *explain.Analysis, s lts.State) []byte {
	if a.Unfolding == nil {
		return strconv.AppendUint(line, uint64(s), 10)
	}
	return append(append(append(line, '"'), a.Name(s)...), '"')
}

// pathsResult are the requested shortest paths of an analysis.
func pathsResult(
	a *explain.Analysis,
	to explain.Destination,
	paths iter.Seq[explain.Path],
) result {
	return result{
		prose: func(s *sheet) {
			if s.markdown {
				pathsMarkdown(s, a, paths)
			} else {
				pathsText(s, a, to, paths)
			}
		},
		table: tableOf("state | kind | step | from | label | to", func(t *table) error {
			for p := range paths {
				for i, step := range p.Steps {
					err := t.row(a.Name(p.State), kindOf(p), i+1, a.Name(step.From),
						modelText(step.Label), a.Name(step.To))
					if err != nil {
						return err
					}
				}
			}
			return nil
		}),
		schema: "inev.paths/1",
		json: func(d *document, _ Options) {
			d.name(a.Unfolding != nil, a.Name)
			d.field("formula", a.Formula.String())
			d.field("warnings", a.Warnings)
			d.list("paths")
			for p := range paths {
				d.element(p)
				if d.failed() {
					break
				}
			}
			d.close()
		},
	}
}

// pathsMarkdown writes a row for each path.
func pathsMarkdown(s *sheet, a *explain.Analysis, paths iter.Seq[explain.Path]) {
	label := s.layout().label
	s.table(tableOf("state: | the property | length: | path", func(t *table) error {
		for p := range paths {
			var labels []string
			for _, steps := range rowsOfPath(p, s.o) {
				labels = append(labels,
					repeatedly(label(p.Steps[steps.First].Label), steps.Len()))
			}
			if err := t.row(a.Name(p.State), fateAt(p), len(p.Steps), formatted(strings.Join(labels, " "))); err != nil {
				return err
			}
		}
		return nil
	}))
}

// pathsText writes each path below a heading. If there is none, it says so.
func pathsText(
	s *sheet,
	a *explain.Analysis,
	to explain.Destination,
	paths iter.Seq[explain.Path],
) {
	widest := widestState(a)
	isFirst := true
	for p := range paths {
		if !isFirst {
			s.line("")
		}
		isFirst = false
		heading := "State " + a.Name(p.State)
		fate := fateAt(p)
		if fate != "" {
			heading += ", where the property " + fate
		}
		s.line(s.style(bold, heading+": "+printable.Quantity(len(p.Steps), "transition")))
		for _, steps := range rowsOfPath(p, s.o) {
			step := p.Steps[steps.First]
			line := fmt.Sprintf("  %s  %s  ", padLeft(numberOf(steps), 4),
				padLeft(a.Name(step.From), widest))
			s.line(line + repeatedly(s.label(printable.Text(step.Label), displayWidth(line)),
				steps.Len()))
		}
	}
	if isFirst {
		s.line(noPath(to))
	}
}

// noPath says that there is no path to a destination.
func noPath(to explain.Destination) string {
	switch {
	case to.State != nil && to.Through != nil:
		return fmt.Sprintf("There is no such path to state %d through state %d.", *to.State,
			*to.Through)
	case to.State != nil:
		return fmt.Sprintf("There is no such path to state %d.", *to.State)
	case to.Through != nil:
		return fmt.Sprintf("There is no such path through state %d.", *to.Through)
	case to.Lost:
		return "There is no such path: the property can still be satisfied after each."
	}
	return "There is no such decision, or no such path to one."
}

// fateAt describes what can become of the property at the end of a path that ends in a neighbourhood or
// loses the property; "" for other paths.
func fateAt(p explain.Path) string {
	switch {
	case p.Lost:
		return "is lost"
	case p.Kind == 0:
		return ""
	}
	return canBe(p.Kind)
}

// kindOf names the goal of a path.
func kindOf(p explain.Path) string {
	switch {
	case p.Lost:
		return "lost"
	case p.Kind == 0:
		return ""
	}
	return p.Kind.String()
}

// rowsOfPath groups a path into rows: single steps, and repetitions of one label.
func rowsOfPath(p explain.Path, o Options) []steprows.Row {
	return steprows.FoldRows(len(p.Steps), func(i int) string {
		return p.Steps[i].Label
	},
		o.Full)
}
