package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/inev-lts/inev/internal/mdtext"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property/sample"
)

// Written is a property with short runs that satisfy it, and such that do not.
type Written struct {
	Notation
	Alphabet           *lts.Alphabet // of the labels of the runs
	Accepted, Rejected []sample.Run
}

// sampleRun is a run that shows what a property means.
type sampleRun struct {
	Labels []string `json:"labels"`
	// LoopStart is the index of the label at which the run goes on for ever; nil if it
	// stops.
	LoopStart *int `json:"loop_start"`
}

// sampleRuns returns runs with the labels of an alphabet.
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

// String writes a run as a line.
func (r sampleRun) String() string {
	before, loop := r.Labels, []string(nil)
	if r.LoopStart != nil {
		before, loop = r.Labels[:*r.LoopStart], r.Labels[*r.LoopStart:]
	}
	var parts []string
	parts = append(parts, before...)
	switch {
	case len(loop) > 0:
		parts = append(parts, "("+strings.Join(loop, ", ")+") for ever")
	case len(parts) == 0:
		return "nothing happens"
	default:
		return strings.Join(parts, ", ") + ", then nothing"
	}
	return strings.Join(parts, ", ")
}

// notationOf returns what is written of a property besides runs.
func notationOf(f Notation) Notation {
	if w, is := f.(Written); is {
		return w.Notation
	}
	return f
}

// runsOf returns the runs of a property with their titles.
func runsOf(f Notation) []titled {
	w, is := f.(Written)
	if !is {
		return nil
	}
	all := []titled{{"Runs that satisfy it", "accepted", sampleRuns(w.Alphabet, w.Accepted)}, {"Runs that do not", "rejected", sampleRuns(w.Alphabet, w.Rejected)}}
	var some []titled
	for _, t := range all {
		if len(t.runs) > 0 {
			some = append(some, t)
		}
	}
	return some
}

type titled struct {
	title, name string
	runs        []sampleRun
}

func writeRunsText(w io.Writer, f Notation) {
	for _, t := range runsOf(f) {
		fmt.Fprintf(w, "\n%s\n", t.title)
		for _, r := range t.runs {
			fmt.Fprintf(w, "    %s\n", printable.Text(r.String()))
		}
	}
}

func writeRunsMarkdown(w io.Writer, f Notation) {
	for _, t := range runsOf(f) {
		fmt.Fprintf(w, "\n### %s\n\n", t.title)
		for _, r := range t.runs {
			fmt.Fprintf(w, "- %s\n", mdtext.Code(r.String()))
		}
	}
}
