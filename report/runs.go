package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property/sample"
)

// Written is a property with short runs that satisfy it, and such that do not.
type Written struct {
	Notation
	Accepted, Rejected []SampleRun
}

// SampleRun is a run that shows what a property means.
type SampleRun struct {
	Labels []string `json:"labels"`
	// LoopStart is the index of the label at which the run goes on for ever; nil if it
	// stops.
	LoopStart *int `json:"loop_start"`
}

// SampleRuns returns runs with the labels of an alphabet.
func SampleRuns(a *lts.Alphabet, runs []sample.Run) []SampleRun {
	var all []SampleRun
	for _, r := range runs {
		shown := SampleRun{Labels: []string{}}
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
func (r SampleRun) String() string {
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
	all := []titled{{"Runs that satisfy it", "accepted", w.Accepted}, {"Runs that do not", "rejected", w.Rejected}}
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
	runs        []SampleRun
}

func writeRunsText(w io.Writer, f Notation) {
	for _, t := range runsOf(f) {
		fmt.Fprintf(w, "\n%s\n", t.title)
		for _, r := range t.runs {
			fmt.Fprintf(w, "    %s\n", Printable(r.String()))
		}
	}
}

func writeRunsMarkdown(w io.Writer, f Notation) {
	for _, t := range runsOf(f) {
		fmt.Fprintf(w, "\n### %s\n\n", t.title)
		for _, r := range t.runs {
			fmt.Fprintf(w, "- %s\n", MarkdownCode(r.String()))
		}
	}
}
