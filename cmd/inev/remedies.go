package main

import (
	"strconv"
	"strings"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/remedy"
	"github.com/inev-lts/inev/report"
)

// say returns the text of an error, with what helps in terms of flags.
func say(err error) string { return remedy.Say(err, flagFor) }

// flagFor puts into words what helps against an error.
func flagFor(r remedy.Remedy) string {
	switch r {
	case remedy.Lenient:
		return "with --lenient"
	case remedy.SkipInternal:
		return "use --skip-internal"
	case remedy.NotUnfolded:
		return "leave --unfold out"
	case remedy.WholeRun:
		return "give the sequence that --trace writes, not --abstracted"
	case remedy.MoreMemory:
		return "raise --memory (none: try all the same)"
	case remedy.MoreTime:
		return "by timeout in the manifest or by --timeout"
	case remedy.Unmatched:
		return "allow_unmatched: true, or --allow-unmatched,"
	case remedy.Resume:
		return "with --resume"
	case remedy.Begin:
		return "go on with them by --resume, start afresh by --force, or choose another folder with -o"
	case remedy.InFolder:
		return "-o"
	case remedy.Automaton:
		return "give one that another tool made, with --hoa"
	case remedy.AnotherFolder:
		return " with -o"
	}
	return r.String()
}

// onward returns the command that answers what a reader of a report may ask next, about
// the same model, property and reading; none where the model is no file.
func (j *job) onward(e *explain.Explanation, next report.Next) []string {
	file := e.Model.File
	if file == "" || file == standardInput {
		return nil
	}
	if strings.HasPrefix(file, "-") { // no flag
		file = "./" + file
	}
	var words []string
	switch next {
	case report.WayToEach:
		words = append(append([]string{"inev", "path", file}, j.asGiven(e)...), "--to", "each")
	case report.TellApart:
		words = append(append([]string{"inev", "explain", file}, j.asGiven(e)...), "--unfold")
	}
	if e.IsUnfolded() {
		words = append(words, "--unfold")
	}
	if e.Fairness != nil {
		for _, a := range e.Fairness.Asked {
			words = append(words, "--fair", a.String())
		}
	}
	if e.Reading != neighbourhood.All {
		words = append(words, "--neighbourhood", e.Reading.String())
	}
	return words
}

// commandOf returns the command that makes the page of a job of a batch.
func commandOf(j batch.Job) []string {
	line := []string{"inev", "explain", j.Path, j.Formula}
	o := j.Options
	flag := func(name, value string) {
		if value != "" {
			line = append(line, "--"+name, value)
		}
	}
	flag("neighbourhood", o.Neighbourhood)
	flag("scc", o.SCC)
	if o.SearchLimit > 0 {
		flag("search-limit", strconv.FormatInt(o.SearchLimit, 10))
	}
	flag("decisions", o.Decisions)
	flag("pattern", o.Pattern)
	for _, assumption := range o.Fair {
		flag("fair", assumption)
	}
	if o.Unfold {
		line = append(line, "--unfold")
	}
	if o.Lenient {
		line = append(line, "--lenient")
	}
	if o.AllowUnmatched {
		line = append(line, "--allow-unmatched")
	}
	return append(line, "--html", "page.html")
}

// asGiven returns the words of a command line that give the property of e.
func (j *job) asGiven(e *explain.Explanation) []string {
	if path := j.flag("hoa"); path != "" {
		return []string{"--hoa", path}
	}
	return []string{e.Property.Text}
}
