package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/inev-lts/inev/counterexample"
)

// writeTables writes all tables in Markdown.
func writeTables(w io.Writer, subjects []subject, trials []trial, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	writeSummary(w, subjects, trials)
	fmt.Fprintf(w, "\n### All faults\n\n")
	writeTable(w, trials, random)
	for _, kind := range faultKinds {
		fmt.Fprintf(w, "\n### Transitions %s\n\n", title(kind))
		writeTable(w, only(trials, func(t trial) bool { return t.fault == kind }), random)
	}
	fmt.Fprintf(w, "\n### Runs that stop\n\n")
	writeTable(w,
		only(trials, func(t trial) bool { return t.violation == counterexample.Deadlock }), random)
	fmt.Fprintf(w, "\n### Runs that loop\n\n")
	writeTable(w,
		only(trials, func(t trial) bool { return t.violation != counterexample.Deadlock }), random)
	writeGuesses(w, only(trials, func(t trial) bool {
		return t.fault == removed
	}))
	writeModels(w, subjects, trials, random)
}

func title(kind faultKind) string {
	if kind == losable {
		return "of one label that may get lost"
	}
	return string(kind)
}

// only returns the trials that are selected.
func only(trials []trial, isSelected func(trial) bool) []trial {
	return slices.DeleteFunc(slices.Clone(trials), func(t trial) bool {
		return !isSelected(t)
	})
}

// writeSummary writes the numbers of faults, models and properties, and a row for each kind of fault.
func writeSummary(w io.Writer, subjects []subject, trials []trial) {
	models := map[string]bool{}
	used := map[int]bool{} // the subjects with a trial
	for _, t := range trials {
		used[t.subject] = true
		models[subjects[t.subject].name] = true
	}
	repaired := 0
	for s := range used {
		if subjects[s].repaired {
			repaired++
		}
	}
	fmt.Fprintf(w,
		"%d faults in %d models with %d properties; %d of these hold after a repair.\n\n",
		len(trials), len(models), len(used), repaired)
	fmt.Fprintf(w,
		"| fault | faults | the run passes it | places of the run |\n| --- | ---: | ---: | ---: |\n")
	for _, kind := range faultKinds {
		ofKind := only(trials, func(t trial) bool { return t.fault == kind })
		if len(ofKind) == 0 {
			continue
		}
		places, onRun := 0, 0
		for _, t := range ofKind {
			places += t.length
			if t.onRun {
				onRun++
			}
		}
		count := float64(len(ofKind))
		fmt.Fprintf(w, "| %s | %d | %.1f %% | %.1f |\n", title(kind), len(ofKind),
			100*float64(onRun)/count, float64(places)/count)
	}
}

// writeTable writes a row for each method.
func writeTable(w io.Writer, trials []trial, random *rand.Rand) {
	if len(trials) == 0 {
		fmt.Fprintln(w, "None.")
		return
	}
	fmt.Fprintf(w,
		"| method | fault in the list, %% | places | rank | median | read, %% |\n| --- | ---: | ---: | ---: | ---: | ---: |\n")
	for i, m := range methods {
		r := summarise(trials, i, random)
		fmt.Fprintf(w, "| %s | %s | %.1f | %.1f | %.1f | %s |\n", m.name, percent(r.recall),
			r.listed, r.rank, r.median, percent(r.read))
	}
}

func percent(f figure) string {
	return fmt.Sprintf("%.1f (%.1f–%.1f)", 100*f.mean, 100*f.low, 100*f.high)
}

// writeGuesses writes how often the suggestions about a removed transition name it.
func writeGuesses(w io.Writer, trials []trial) {
	percentage := func(isRight func(guess) bool) float64 {
		right := only(trials, func(t trial) bool { return isRight(t.guess) })
		return 100 * float64(len(right)) / float64(max(1, len(trials)))
	}
	fmt.Fprintf(w,
		"\n### Guesses at what was removed\n\n| | of the faults, %% |\n| --- | ---: |\n")
	for _, row := range []struct {
		what    string
		isRight func(guess) bool
	}{
		{"some transition is named", func(g guess) bool { return g.guessed }},
		{"the first has the label that was removed", func(g guess) bool { return g.label == 1 }},
		{"one of three has it", func(g guess) bool { return g.label > 0 }},
		{"the first is the transition that was removed", func(g guess) bool { return g.transition == 1 }},
		{"one of three is", func(g guess) bool { return g.transition > 0 }},
	} {
		fmt.Fprintf(w, "| %s | %.1f |\n", row.what, percentage(row.isRight))
	}
}

// writeModels writes, for each model and method, the share of the states to read before the fault
// is found.
func writeModels(w io.Writer, subjects []subject, trials []trial, random *rand.Rand) {
	var names []string
	for _, t := range trials {
		if name := subjects[t.subject].name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	fmt.Fprintf(w, "\n### What has to be read, by model, in %%\n\n| model | faults |")
	for _, m := range methods {
		fmt.Fprintf(w, " %s |", m.name)
	}
	fmt.Fprintf(w, "\n| --- | ---: |")
	for range methods {
		fmt.Fprintf(w, " ---: |")
	}
	fmt.Fprintln(w)
	for _, name := range names {
		of := only(trials, func(t trial) bool {
			return subjects[t.subject].name == name
		})
		fmt.Fprintf(w, "| %s | %d |", name, len(of))
		for i := range methods {
			fmt.Fprintf(w, " %.0f |", 100*summarise(of, i, random).read.mean)
		}
		fmt.Fprintln(w)
	}
}
