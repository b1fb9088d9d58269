package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/inev-lts/inev/buchi"
	"github.com/inev-lts/inev/internal/mdtext"
	"github.com/inev-lts/inev/internal/printable"
)

const lassoSchema = "inev.lasso/1"

// Lasso is the result of a search for an accepting lasso in an automaton that was
// read from a file.
type Lasso struct {
	// File is the name of the file.
	File string
	// Automaton is the automaton that was searched.
	Automaton *buchi.Description
	// Found is nil if the automaton has no accepting lasso below the bound.
	Found *buchi.Lasso
	// Shortest reports whether the search made sure that none is shorter.
	Shortest bool
	// Beyond, where it is not 0, is the bound that all accepting lassos exceed: a
	// number of states that none of them is below. Then Found is nil.
	Beyond int
}

// Empty reports whether no run is accepting.
func (l *Lasso) Empty() bool { return l.Found == nil && l.Beyond == 0 }

// sentence says what was found.
func (l *Lasso) sentence(quote func(string) string) string {
	if l.Beyond > 0 {
		return fmt.Sprintf("%s is not empty, but no accepting lasso has fewer than %s.", quote(l.File), printable.Quantity(l.Beyond, "state"))
	}
	if l.Found == nil {
		return fmt.Sprintf("%s is empty: no run is accepting.", quote(l.File))
	}
	adjective := "This accepting lasso"
	if l.Shortest {
		adjective = "A shortest accepting lasso"
	}
	loop := len(l.Found.Loop())
	shape := fmt.Sprintf("has %s, of which the last %s a loop", printable.Quantity(l.Found.Transitions(), "transition"), lastForm(loop))
	if l.Found.LoopStart == 0 {
		shape = fmt.Sprintf("is a loop of %s at the initial state", printable.Quantity(loop, "transition"))
	}
	return fmt.Sprintf("%s is not empty. %s %s that passes an accepting state.", quote(l.File), adjective, shape)
}

// steps returns the edges of the lasso, none where there is no lasso.
func (l *Lasso) steps() []buchi.Step {
	if l.Found == nil {
		return nil
	}
	return l.Automaton.Steps(*l.Found)
}

// stateInFile returns the number of a state, other where the file does not have it.
func stateInFile(s buchi.State, other string) string {
	if s == buchi.NoState {
		return other
	}
	return strconv.FormatUint(uint64(s), 10)
}

func (r textReport) Lasso(w io.Writer, l *Lasso) error {
	t := &textWriter{w: bufio.NewWriter(w), o: r.o}
	t.paragraph("", l.sentence(func(text string) string { return glue(printable.Text(text)) }))
	if l.Found == nil {
		return t.w.Flush()
	}
	t.line("")
	rows := []row{{number: "step", state: "state", label: "edge", faint: true}}
	for i, step := range l.steps() {
		r := row{
			gutter: gutter(l.Found.LoopStart, len(l.Found.States), i, i+1),
			number: strconv.Itoa(i + 1),
			state:  stateInFile(step.From, "(start)"),
			label:  shortened(printable.Text(step.Label), r.o),
		}
		if step.Name != "" {
			r.remarks = append(r.remarks, remark{printable.Text(step.Name), ""})
		}
		if l.Automaton.Automaton.Accepting(l.Found.States[i]) {
			r.remarks = append(r.remarks, remark{"accepting", bold})
		}
		if i == len(l.Found.States)-1 {
			r.remarks = append(r.remarks, remark{"back to state " + stateInFile(step.To, "(start)"), ""})
		}
		rows = append(rows, r)
	}
	t.rowsOf(rows)
	return t.w.Flush()
}

// withComma joins two remarks, either of which may be empty.
func withComma(before, text string) string {
	if before == "" || text == "" {
		return before + text
	}
	return before + "; " + text
}

func (r markdownReport) Lasso(w io.Writer, l *Lasso) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, l.sentence(mdtext.Code))
	if l.Found != nil {
		fmt.Fprint(b, "\n| step | state | name | edge | loop |\n| ---: | ---: | --- | --- | :---: |\n")
	}
	for i, step := range l.steps() {
		name := ""
		if step.Name != "" {
			name = mdtext.Cell(step.Name)
		}
		fmt.Fprintf(b, "| %d | %s | %s | %s | %s |\n", i+1, stateInFile(step.From, "start"), name,
			mdtext.Cell(shortened(printable.Text(step.Label), r.o)), gutter(l.Found.LoopStart, len(l.Found.States), i, i+1))
	}
	return b.Flush()
}

func (r tsvReport) Lasso(w io.Writer, l *Lasso) error {
	t := newTable(w, tsvLayout(r.o), column{name: "step"}, column{name: "from"}, column{name: "name"},
		column{name: "label"}, column{name: "to"}, column{name: "loop"})
	for i, step := range l.steps() {
		t.number(i + 1)
		t.text(stateInFile(step.From, ""))
		t.text(t.label(step.Name))
		t.text(t.label(step.Label))
		t.text(stateInFile(step.To, ""))
		t.text(strconv.FormatBool(i >= l.Found.LoopStart))
		if !t.end() {
			break
		}
	}
	return t.flush()
}

// lassoStepJSON has null for an initial state that the file does not have.
type lassoStepJSON struct {
	From      *buchi.State `json:"from"`
	Name      string       `json:"name"`
	Accepting bool         `json:"accepting"`
	Label     string       `json:"label"`
	To        *buchi.State `json:"to"`
}

func (jsonReport) Lasso(w io.Writer, l *Lasso) error {
	d := newDocument(w, lassoSchema)
	d.field("file", l.File)
	d.field("name", l.Automaton.Name)
	d.field("states", l.Automaton.Automaton.NumStates())
	d.field("edges", l.Automaton.Automaton.NumEdges())
	d.field("empty", l.Empty())
	if l.Found == nil {
		d.field("lasso", nil)
		return d.finish()
	}
	d.object("lasso")
	d.field("length", l.Found.Transitions())
	d.field("shortest", l.Shortest)
	d.field("loop_start", l.Found.LoopStart)
	d.list("steps")
	for i, step := range l.steps() {
		known := func(s buchi.State) *buchi.State {
			if s == buchi.NoState {
				return nil
			}
			return &s
		}
		d.element(lassoStepJSON{known(step.From), step.Name, l.Automaton.Automaton.Accepting(l.Found.States[i]), step.Label, known(step.To)})
	}
	d.close()
	d.close()
	return d.finish()
}
