package report

import (
	"context"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula/ltl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property/sample"
	"github.com/inev-lts/inev/property/values"
)

// notation is a formula in one language.
type notation struct {
	name  string // for programs
	title string // for people
	text  string
	notes []string // what the language cannot express
}

// Notation is a property that is shown as the user wrote it and, if branching logics express it, in
// the languages of other tools. An *actl.Formula is translated without a model, an actl.Bound with
// the labels of its model. An *ltl.Formula is only shown as written.
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

// notationsOf returns a formula in all languages. An error ends it if the formula would be too long in one
// of them, or if ctx is done.
func notationsOf(ctx context.Context, f Notation) []notation {
	if w, is := f.(Written); is {
		f = w.Notation
	}
	if about, is := f.(interface{ StateAtoms() []*values.Atom }); is && len(about.StateAtoms()) > 0 {
		name := "inev"
		if _, is := f.(*ltl.Formula); is {
			name = "ltl"
		}
		note := "over transitions alone, MCL and the mu-calculus have no atoms about values of states"
		all := []notation{{name, f.Kind(), f.String(), []string{note}}}
		written, is := f.(*actl.Formula)
		if !is {
			return all
		}
		moments, can := ltl.OfMoments(written)
		if !can {
			all[0].notes = append(all[0].notes, "inev does not write it as linear temporal logic: of patterns with such atoms it writes those without a scope, and precedence of one step")
			return all
		}
		return append(all, notation{"ltl", "LTL, which inev reads, too", abort.Must(moments.Text(ctx)), nil})
	}
	branching, is := f.(modal)
	if !is {
		return []notation{{"ltl", f.Kind(), f.String(), nil}}
	}
	mcl, mclNotes, err := branching.MCL(ctx)
	abort.On(err)
	mu, muNotes, err := branching.MuCalculus(ctx)
	abort.On(err)
	all := []notation{{"inev", f.Kind(), f.String(), nil}}
	if text := branching.ACTL(); text != "" {
		all = append(all, notation{"actl", "ACTL (De Nicola and Vaandrager)", text, nil})
	}
	if written, is := f.(*actl.Formula); is {
		all = append(all, notation{"ltl", "LTL, which inev reads, too", abort.Must(ltl.Of(written).Text(ctx)), nil})
	}
	if _, is := f.(*actl.FullyFair); is {
		all[0].notes = []string{"ACTL, as inev reads it, cannot say this: it takes negation"}
	}
	return append(all, notation{"mcl", "MCL (CADP)", mcl, mclNotes}, notation{"mu_calculus", "mu-calculus (mCRL2)", mu, muNotes})
}

// formulaResult is a property in all languages; see [notationsOf] for errors.
func formulaResult(ctx context.Context, f Notation) result {
	all := notationsOf(ctx, f)
	return result{
		people: func(s *sheet) {
			for i, n := range all {
				if i > 0 {
					s.line("")
				}
				text := printable.Text(n.text)
				if !s.markdown { // each formula on one line, so that it can be copied
					s.line(n.title)
					s.line("    " + text)
					for _, note := range n.notes {
						s.paragraph("    note: ", "", printable.Text(note))
					}
					continue
				}
				fence := "```"
				for strings.Contains(text, fence) {
					fence += "`"
				}
				s.printf("### %s\n\n%s\n%s\n%s\n", n.title, fence, text, fence)
				for j, note := range n.notes {
					s.item(j, printable.Code(note))
				}
			}
			for _, some := range runsOf(f) {
				s.heading(some.title)
				for i, run := range some.runs {
					if s.markdown {
						s.item(i, printable.Code(run.String()))
					} else {
						s.line("    " + printable.Text(run.String()))
					}
				}
			}
		},
		table: tableOf("notation | formula", func(row func(cells ...any)) {
			for _, n := range all {
				row(n.name, modelText(n.text))
				for _, note := range n.notes {
					row(n.name+"_note", modelText(note))
				}
			}
			for _, some := range runsOf(f) {
				for _, run := range some.runs {
					row(some.name, modelText(run.String()))
				}
			}
		}),
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
			for _, t := range runsOf(f) {
				d.field(t.name, t.runs)
			}
		},
	}
}

// Written is a property with examples: short runs that satisfy it, and short runs that violate it.
type Written struct {
	Notation
	Alphabet           *lts.Alphabet // of the labels of the runs
	Accepted, Rejected []sample.Run
}

// sampleRun is an example of a run that satisfies or violates a property.
type sampleRun struct {
	Labels []string `json:"labels"`
	// LoopStart is the index of the label at which the loop begins; nil if the run ends.
	LoopStart *int `json:"loop_start"`
}

// sampleRuns returns runs with the texts of their labels.
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
		loop := "(" + strings.Join(r.Labels[*r.LoopStart:], ", ") + ") for ever"
		return strings.Join(append(slices.Clone(r.Labels[:*r.LoopStart]), loop), ", ")
	case len(r.Labels) == 0:
		return "nothing happens"
	}
	return strings.Join(r.Labels, ", ") + ", then nothing"
}

// runsOf returns the example runs of a property, with a title for those that satisfy it and one for
// those that do not.
func runsOf(f Notation) []titled {
	w, is := f.(Written)
	if !is {
		return nil
	}
	all := []titled{{"Runs that satisfy it", "accepted", sampleRuns(w.Alphabet, w.Accepted)}, {"Runs that do not", "rejected", sampleRuns(w.Alphabet, w.Rejected)}}
	return slices.DeleteFunc(all, func(t titled) bool { return len(t.runs) == 0 })
}

type titled struct {
	title, name string
	runs        []sampleRun
}
