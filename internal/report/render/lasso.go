package render

import (
	"fmt"
	"strconv"

	"github.com/inev-lts/inev/internal/printable"
)

// Lasso is the result of a search for an accepting lasso in an automaton that was
// read from a file.
type Lasso struct {
	// File is the name of the file, and Name is the name of the automaton in the file.
	File, Name string
	// States and Edges are the sizes of the searched automaton.
	States, Edges int
	// Steps is empty if the automaton has no accepting lasso within the bound. The last step leads
	// back to step LoopStart, counted from 0.
	Steps     []LassoStep
	LoopStart int
	// Shortest reports whether the search has proved that no accepting lasso is shorter.
	Shortest bool
	// Beyond, if it is not 0, is the bound of the search, as a number of states. Then each accepting
	// lasso has at least this many states, and Steps is empty.
	Beyond int
}

// LassoStep is an edge of a lasso. States have their numbers in the file. An initial state that was
// added when the file was read has a negative number.
type LassoStep struct {
	From      int64
	Name      string // the name of From; "" if it has none
	Accepting bool   // whether From is accepting
	Label     string
	To        int64
}

// Empty reports whether no lasso was found.
func (l *Lasso) Empty() bool { return l.Steps == nil && l.Beyond == 0 }

// sentence returns the result in a sentence: whether a lasso was found, and its size.
func (l *Lasso) sentence(quote func(string) string) string {
	if l.Beyond > 0 {
		return fmt.Sprintf("%s is not empty, but no accepting lasso has fewer than %s.",
			quote(l.File), printable.Quantity(l.Beyond, "state"))
	}
	if l.Steps == nil {
		return fmt.Sprintf("%s is empty: no run is accepting.", quote(l.File))
	}
	adjective := "This accepting lasso"
	if l.Shortest {
		adjective = "A shortest accepting lasso"
	}
	loop := len(l.Steps) - l.LoopStart
	shape := fmt.Sprintf("has %s, of which the last %s a loop",
		printable.Quantity(len(l.Steps), "transition"), lastForm(loop))
	if l.LoopStart == 0 {
		shape = fmt.Sprintf("is a loop of %s at the initial state",
			printable.Quantity(loop, "transition"))
	}
	return fmt.Sprintf("%s is not empty. %s %s that passes an accepting state.", quote(l.File),
		adjective, shape)
}

// stateInFile returns the number of a state as text. For a state that the file does not have, it
// returns other.
func stateInFile(s int64, other string) string {
	if s < 0 {
		return other
	}
	return strconv.FormatInt(s, 10)
}

// lassoResult is the result of a search for an accepting lasso.
func lassoResult(l *Lasso) result {
	return result{
		prose: func(s *sheet) {
			s.paragraph("", "", l.sentence(s.quote))
			switch {
			case l.Steps == nil:
			case s.markdown:
				s.separate()
				s.table(tableOf("step: | state: | name | edge | :loop:", l.markdownRows))
			default:
				s.steps("edge", l.rows())
			}
		},
		table:  tableOf("step | from | name | label | to | loop", l.tableRows),
		schema: "inev.lasso/1",
		json:   func(d *document, _ Options) { l.writeJSON(d) },
	}
}

func (l *Lasso) markdownRows(t *table) error {
	for i, step := range l.Steps {
		name := formatted("")
		if step.Name != "" {
			name = formatted(printable.CodeCell(step.Name))
		}
		err := t.row(i+1, stateInFile(step.From, "start"), name, modelText(step.Label),
			bracketAt(i, i+1, l.LoopStart, len(l.Steps)).String())
		if err != nil {
			return err
		}
	}
	return nil
}

// rows returns the rows of the text.
func (l *Lasso) rows() []row {
	var rows []row
	for i, step := range l.Steps {
		r := row{
			bracket: bracketAt(i, i+1, l.LoopStart, len(l.Steps)),
			number:  strconv.Itoa(i + 1),
			state:   stateInFile(step.From, "(start)"),
			label:   step.Label,
		}
		if step.Name != "" {
			r.remarks = append(r.remarks, remark{text: printable.Text(step.Name)})
		}
		if step.Accepting {
			r.remarks = append(r.remarks, remark{text: "accepting", style: bold})
		}
		if i == len(l.Steps)-1 {
			r.remarks = append(r.remarks, remark{text: "back to state " +
				stateInFile(step.To, "(start)")})
		}
		rows = append(rows, r)
	}
	return rows
}

func (l *Lasso) tableRows(t *table) error {
	for i, step := range l.Steps {
		err := t.row(i+1, stateInFile(step.From, ""), modelText(step.Name),
			modelText(step.Label), stateInFile(step.To, ""), i >= l.LoopStart)
		if err != nil {
			return err
		}
	}
	return nil
}

// lassoStepJSON is an edge. A state that the file does not have is null.
type lassoStepJSON struct {
	From      *int64 `json:"from"`
	Name      string `json:"name"`
	Accepting bool   `json:"accepting"`
	Label     string `json:"label"`
	To        *int64 `json:"to"`
}

func (l *Lasso) writeJSON(d *document) {
	d.field("file", l.File)
	d.field("name", l.Name)
	d.field("states", l.States)
	d.field("edges", l.Edges)
	d.field("empty", l.Empty())
	if l.Steps == nil {
		d.field("lasso", nil)
		return
	}
	known := func(s int64) *int64 {
		if s < 0 {
			return nil
		}
		return &s
	}
	d.object("lasso")
	d.field("length", len(l.Steps))
	d.field("shortest", l.Shortest)
	d.field("loop_start", l.LoopStart)
	d.list("steps")
	for _, step := range l.Steps {
		d.element(lassoStepJSON{
			From:      known(step.From),
			Name:      step.Name,
			Accepting: step.Accepting,
			Label:     step.Label,
			To:        known(step.To),
		})
	}
	d.close()
	d.close()
}
