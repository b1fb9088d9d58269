package render

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/property/sample"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// notation is a formula in one language.
type notation struct {
	name  string // for programs
	title string // for people
	text  string
	notes []string // what the language cannot express
}

// Notation is a property that is shown as the user wrote it and, if branching logics can express
// it, in the languages of other tools. An *actl.Formula is translated without a model; an
// actl.Bound and Written.InModel are translated with the labels of a model. An *ltl.Formula is only
// shown as it was written.
type Notation interface {
	Kind() string
	String() string
}

// modal is a property that branching logics can express.
type modal interface {
	ACTL() string
	MCL(context.Context) (text string, notes []string, err error)
	MuCalculus(context.Context) (text string, notes []string, err error)
}

// notationsOf returns a formula in all languages. It fails if the formula would be too long in some
// language, or if ctx is done.
func notationsOf(ctx context.Context, f Notation) ([]notation, error) {
	written, _ := f.(Written)
	if written.Notation != nil {
		f = written.Notation
	}
	if about, ok := f.(interface{ StateAtoms() []*values.Atom }); ok &&
		len(about.StateAtoms()) > 0 {
		return notationsOfValues(ctx, f)
	}
	branching, isModal := f.(modal)
	if !isModal {
		return []notation{{
			name:  "ltl",
			title: f.Kind(),
			text:  f.String(),
			notes: labelsOfSteps(written),
		}}, nil
	}
	if written.InModel != nil {
		branching = written.InModel
	}
	mcl, mclNotes, err := branching.MCL(ctx)
	if err != nil {
		return nil, err
	}
	mu, muNotes, err := branching.MuCalculus(ctx)
	if err != nil {
		return nil, err
	}
	all := []notation{{name: "inev", title: f.Kind(), text: f.String()}}
	if text := f.(modal).ACTL(); text != "" {
		all = append(all, notation{
			name:  "actl",
			title: "ACTL (De Nicola and Vaandrager)",
			text:  text,
		})
	}
	if written, ok := f.(*actl.Formula); ok {
		text, err := ltl.Of(written).Text(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, notation{name: "ltl", title: titleOfLTL, text: text})
	}
	if _, ok := f.(*actl.FullyFair); ok {
		all[0].notes = []string{"ACTL, as inev reads it, cannot say this: it takes negation"}
	}
	return append(all,
		notation{
			name:  "mcl",
			title: "MCL (CADP)",
			text:  mcl,
			notes: mclNotes,
		},
		notation{
			name:  "mu_calculus",
			title: "mu-calculus (mCRL2)",
			text:  mu,
			notes: muNotes,
		}), nil
}

const titleOfLTL = "LTL, which inev reads, too"

// notationsOfValues returns a formula about values of states in the languages with atoms about values.
func notationsOfValues(ctx context.Context, f Notation) ([]notation, error) {
	asWritten := notation{name: "inev", title: f.Kind(), text: f.String()}
	if _, ok := f.(*ltl.Formula); ok {
		asWritten.name = "ltl"
	}
	asWritten.notes = []string{"over transitions alone, MCL and the mu-calculus have no atoms about values of states"}
	pattern, isPattern := f.(*actl.Formula)
	if !isPattern {
		return []notation{asWritten}, nil
	}
	moments, can := ltl.OfMoments(pattern)
	if !can {
		asWritten.notes = append(asWritten.notes,
			"inev does not write it as linear temporal logic: of patterns with such atoms it writes those without a scope, and precedence of one step")
		return []notation{asWritten}, nil
	}
	text, err := moments.Text(ctx)
	if err != nil {
		return nil, err
	}
	return []notation{asWritten, {name: "ltl", title: titleOfLTL, text: text}}, nil
}

// formulaResult is a property in all languages; see [notationsOf] for errors.
func formulaResult(ctx context.Context, f Notation) (result, error) {
	all, err := notationsOf(ctx, f)
	if err != nil {
		return result{}, err
	}
	return result{
		prose: func(s *sheet) {
			if s.markdown {
				formulaMarkdown(s, all, runsOf(f))
			} else {
				formulaText(s, all, runsOf(f))
			}
		},
		table:  formulaTable(all, runsOf(f)),
		schema: "inev.formula/1",
		json: func(d *document, _ Options) {
			d.field("text", f.String())
			for _, n := range all {
				if n.name != "inev" {
					d.field(n.name, n.text)
				}
			}
			d.object("notes")
			for _, n := range all {
				if n.name == "mcl" || n.name == "mu_calculus" {
					d.field(n.name, n.notes)
				}
			}
			d.close()
			for _, example := range runsOf(f) {
				d.field(example.name, example.runs)
			}
		},
	}, nil
}

// formulaText writes a property in all languages as text. Each formula is on one line, so that users
// can copy it.
func formulaText(s *sheet, all []notation, examples []exampleRuns) {
	for i, n := range all {
		if i > 0 {
			s.line("")
		}
		s.line(n.title)
		s.line("    " + printable.Text(n.text))
		for _, note := range n.notes {
			s.paragraph("    note: ", "", printable.Text(note))
		}
	}
	for _, example := range examples {
		s.heading(example.title)
		for _, run := range example.runs {
			s.line("    " + printable.Text(run.String()))
		}
	}
}

// formulaMarkdown writes a property in all languages as Markdown.
func formulaMarkdown(s *sheet, all []notation, examples []exampleRuns) {
	for i, n := range all {
		if i > 0 {
			s.line("")
		}
		text := printable.Text(n.text)
		fence := "```"
		for strings.Contains(text, fence) {
			fence += "`"
		}
		s.printf("### %s\n\n%s\n%s\n%s\n", n.title, fence, text, fence)
		for j, note := range n.notes {
			s.item(j, printable.Code(note))
		}
	}
	for _, example := range examples {
		s.heading(example.title)
		for i, run := range example.runs {
			s.item(i, printable.Code(run.String()))
		}
	}
}

// formulaTable returns a table with a row for each language, each note, and each example of a run.
func formulaTable(all []notation, examples []exampleRuns) tableWriter {
	return tableOf("notation | formula", func(t *table) error {
		for _, n := range all {
			if err := t.row(n.name, modelText(n.text)); err != nil {
				return err
			}
			for _, note := range n.notes {
				if err := t.row(n.name+"_note", modelText(note)); err != nil {
					return err
				}
			}
		}
		for _, example := range examples {
			for _, run := range example.runs {
				if err := t.row(example.name, modelText(run.String())); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Written is a property with examples: short runs that satisfy it, and short runs that violate it.
type Written struct {
	Notation
	Alphabet           *lts.Alphabet // of the labels of the runs
	Accepted, Rejected []sample.Run
	// InModel is the property with the labels of a model, in the form that branching logics can
	// express. It is nil without a model, or if they cannot express the property.
	InModel *actl.Formula
	// Steps are the steps of the property with the labels of the model; nil without a model.
	Steps []property.Step
}

// mostLabelsOfStep is the largest number of labels that a note about a step lists.
const mostLabelsOfStep = 50

// labelsOfSteps returns a note with the labels of each step in the model. A step needs no note if
// its only label is its own text.
func labelsOfSteps(w Written) []string {
	var notes []string
	for _, step := range w.Steps {
		pattern := step.Pattern.String()
		var labels []string
		for _, l := range step.Labels[:min(len(step.Labels), mostLabelsOfStep)] {
			labels = append(labels, w.Alphabet.Text(l))
		}
		if more := len(step.Labels) - len(labels); more > 0 {
			labels = append(labels, printable.Quantity(more, "other label"))
		}
		if len(labels) == 1 && (labels[0] == pattern || actl.Quoted(labels[0]) == pattern) {
			continue
		}
		notes = append(notes, pattern+" matches "+cmp.Or(strings.Join(labels, ", "), "no label of the model"))
	}
	return notes
}

// sampleRun is an example of a run that satisfies or violates a property.
type sampleRun struct {
	Labels []string `json:"labels"`
	// LoopStart is the index of the label at which the loop begins; nil if the run ends.
	LoopStart *int `json:"loop_start"`
}

// sampleRuns returns runs in which labels are texts.
func sampleRuns(a *lts.Alphabet, runs []sample.Run) []sampleRun {
	var all []sampleRun
	for _, r := range runs {
		shown := sampleRun{Labels: []string{}}
		for _, l := range r.Labels {
			shown.Labels = append(shown.Labels, a.Text(l))
		}
		if r.Loop >= 0 {
			shown.LoopStart = &r.Loop
		}
		all = append(all, shown)
	}
	return all
}

// String writes a run on one line.
func (r sampleRun) String() string {
	switch {
	case r.LoopStart != nil && *r.LoopStart < len(r.Labels):
		loop := "(" + strings.Join(r.Labels[*r.LoopStart:], ", ") + ") forever"
		return strings.Join(append(slices.Clone(r.Labels[:*r.LoopStart]), loop), ", ")
	case len(r.Labels) == 0:
		return "nothing happens"
	}
	return strings.Join(r.Labels, ", ") + ", then nothing"
}

// runsOf returns the example runs of a property, with a title for those that satisfy it and one for
// those that do not.
func runsOf(f Notation) []exampleRuns {
	w, ok := f.(Written)
	if !ok {
		return nil
	}
	all := []exampleRuns{
		{"Runs that satisfy it", "accepted", sampleRuns(w.Alphabet, w.Accepted)},
		{"Runs that do not", "rejected", sampleRuns(w.Alphabet, w.Rejected)},
	}
	return slices.DeleteFunc(all, func(t exampleRuns) bool {
		return len(t.runs) == 0
	})
}

// exampleRuns are examples of runs, with a title for people and a name for programs.
type exampleRuns struct {
	title, name string
	runs        []sampleRun
}
