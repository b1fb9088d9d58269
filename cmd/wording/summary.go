//go:build !js

package wording

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/batch/baseline"
	"github.com/inev-lts/inev/internal/batch/summary"
	"github.com/inev-lts/inev/internal/printable"
)

// shownJobs is how many jobs are listed on standard output; the summaries list all.
const shownJobs = 20

// Summary writes the summary of a batch for a terminal; failing are the results that make it
// fail.
func Summary(
	out *batch.Outcome,
	b summary.Batch,
	failing []batch.Result,
	gate batch.Gate,
	folder string,
) string {
	var s strings.Builder
	s.WriteString(countsLine(out))
	if len(failing) > 0 {
		fmt.Fprintf(&s, "\nFailing (--fail-on %s):\n", gate)
		list(&s, failing, failureLine)
	}
	var warnings []string
	for _, r := range out.Results {
		for _, warning := range r.Warnings {
			warnings = append(warnings, r.Job.Name+": "+warning)
		}
	}
	if len(warnings) > 0 {
		fmt.Fprintf(&s, "\nWarnings:\n")
		list(&s, warnings, func(warning string) string { return warning })
	}
	if d := b.Differences; d != nil {
		writeDifferences(&s, d, failing)
	}
	fmt.Fprintf(&s, "\nMore in %s\n", printable.Text(filepath.Join(folder, summary.HTMLFile)))
	return s.String()
}

// countsLine returns the line with the numbers of jobs by their verdicts.
func countsLine(out *batch.Outcome) string {
	numbers := map[batch.Status]int{}
	for _, r := range out.Results {
		numbers[r.Status]++
	}
	answered := numbers[batch.Satisfied] + numbers[batch.Violated]
	line := fmt.Sprintf("%s: %d satisfied, %d violated, %d without a verdict",
		printable.Quantity(len(out.Results), "job"),
		numbers[batch.Satisfied], numbers[batch.Violated], len(out.Results)-answered)
	if out.Reused > 0 {
		line += fmt.Sprintf("; %d of them as in an earlier run", out.Reused)
	}
	return line + "\n"
}

// writeDifferences writes the differences from an earlier run. The causes of failing jobs are known from
// the list of these jobs, as far as it is printed.
func writeDifferences(s *strings.Builder, d *baseline.Differences, failing []batch.Result) {
	causes := map[string]string{} // maps the names of jobs to causes
	for _, r := range failing[:min(len(failing), shownJobs)] {
		causes[r.Job.Name] = causeOf(r)
	}
	fmt.Fprintf(s, "\nChanged since %s: %s\n", printable.Text(d.Baseline),
		printable.Quantity(len(d.List), "job"))
	list(s, d.List, func(d baseline.Difference) string {
		return differenceLine(d, causes[d.Name])
	})
}

// failureLine says how a job ended that makes the batch fail, and why that is a failure.
func failureLine(r batch.Result) string {
	text := fmt.Sprintf("%-9s  %s", r.Status, nameBeside(r.Error, r.Job))
	isExpectedOtherwise := r.Unexpected && r.Job.Expect != ""
	if isExpectedOtherwise {
		text += ", expected: " + r.Job.Expect
	}
	cause := causeOf(r)
	if cause != "" {
		text += ": " + cause
	}
	return text
}

// nameBeside returns the name of a job, without its model if the error begins with the name of that file.
func nameBeside(err string, j batch.Job) string {
	namesModel := strings.HasPrefix(err, j.Model+":") || strings.HasPrefix(err, j.Path+":")
	if !namesModel {
		return j.Name
	}
	return strings.TrimPrefix(j.Name, j.Model+": ")
}

// causeOf says why a job makes the batch fail, without a full stop; "" if that is not known.
func causeOf(r batch.Result) string {
	var causes []string
	switch {
	case r.Error != "":
		return r.Error
	case r.Stale():
		return "it holds now; remove the expectation"
	case r.Counterexample != nil && r.Counterexample.Sentence != "":
		causes = append(causes, strings.TrimSuffix(r.Counterexample.Sentence, "."))
	case r.Status == batch.Violated && r.Argument != "":
		causes = append(causes, strings.TrimSuffix(r.Argument, "."))
	}
	return strings.Join(append(causes, r.Exceeds...), "; ")
}

// differenceLine says how a job differs from the baseline, without a cause that is already known.
// If only the baseline or only the batch has the job, the line has the one result that there is.
func differenceLine(d baseline.Difference, known string) string {
	text := fmt.Sprintf("%-15s  %s", d.Change, d.Name)
	isInBoth := d.Old != "" && d.New != ""
	now := d.New
	if known != "" {
		now = strings.TrimSuffix(now, ": "+known)
	}
	if isInBoth {
		return text + " (" + d.Old + " before, now " + now + semicolon(d.Since) + ")"
	}
	return text + " (" + d.Old + now + ")"
}

// semicolon puts a semicolon before a text, unless it is empty.
func semicolon(text string) string {
	if text == "" {
		return ""
	}
	return "; " + text
}

// list writes the first items, a line each, and counts the rest.
func list[T any](s *strings.Builder, items []T, line func(T) string) {
	for i, item := range items {
		if i == shownJobs && len(items) > shownJobs+1 {
			fmt.Fprintf(s, "  … %d more\n", len(items)-shownJobs)
			return
		}
		fmt.Fprintf(s, "  %s\n", printable.Text(line(item)))
	}
}

// Command returns the command that makes the page of a job of a batch.
func Command(j batch.Job) []string {
	line := []string{"inev", "explain", j.Path, j.Formula}
	line = append(line, j.Flags()...)
	return append(line, "--html", "page.html")
}

// WantedFiles returns the kinds of files that the flags of a batch ask for, as
// [batch.Settings] has them; isSet reports whether a flag is given.
func WantedFiles(isSet func(flag string) bool) []string {
	var wanted []string
	if !isSet("no-json") {
		wanted = append(wanted, "explanation")
	}
	if isSet("html") {
		wanted = append(wanted, "page")
	}
	for _, kind := range []string{"svg", "dot", "trace"} {
		if isSet(kind) {
			wanted = append(wanted, kind)
		}
	}
	return wanted
}
