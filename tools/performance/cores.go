package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

// part is a part of a run.
type part struct {
	name   string
	phases []string
}

// atOnce are the parts of a run: phases that go on at the same time are one.
var atOnce = []part{
	{"read", []string{"read"}},
	{"components, enrich", []string{"components", "enrich"}},
	{"classify, search, fairness", []string{"classify", "search", "fairness"}},
	{"all else", nil},
}

// secondsOf returns the time that each part of a run took, and the whole.
func secondsOf(s sample) []float64 {
	parts := make([]float64, len(atOnce)+1)
	rest := s.Seconds
	for i, part := range atOnce {
		for _, p := range s.Phases {
			if slices.Contains(part.phases, p.Name) {
				parts[i] += p.Seconds
				rest -= p.Seconds
			}
		}
	}
	parts[len(atOnce)-1], parts[len(atOnce)] = max(rest, 0), s.Seconds
	return parts
}

// middle returns the median of some numbers, of two in the middle the smaller one.
func middle(numbers []float64) float64 {
	sorted := slices.Sorted(slices.Values(numbers))
	return sorted[(len(sorted)-1)/2]
}

// twoCores compares explanations on one core and on two, phase by phase, and puts that into a page, in
// place of the section that is there.
func (l *laboratory) twoCores(ctx context.Context, page string) error {
	t := newTable("", "", "one core", "two cores", "one ÷ two", "alone", "of the run")
	for _, model := range []subject{
		{name: "reference model", spec: local(l.reference())},
		{name: "targets anywhere", spec: far(l.reference())},
	} {
		f, err := l.model(ctx, model.spec, "")
		if err != nil {
			return err
		}
		// By run: the two of a run follow each other.
		each := [2][][]float64{}
		for range l.runs {
			for i, environment := range []string{"GOMAXPROCS=1", "GOMAXPROCS=2"} {
				l.tell(model.name + ", " + environment)
				s, err := l.command(model.name, "explain", f, f.formula, environment).run(ctx)
				if err != nil {
					return err
				}
				each[i] = append(each[i], secondsOf(s))
			}
		}
		l.tell(model.name + ", goroutines at work")
		alone, err := l.aloneIn(ctx, f)
		if err != nil {
			return err
		}
		addCores(t, model.name, each, alone)
	}
	return replaceSection(page, "## What stays serial\n", fmt.Sprintf(coresText, l.runs, load(), t))
}

// addCores adds the rows of a model: of each part of a run the medians of its times, on one core and on
// two, and of their ratio in runs that followed each other; and how long one core would have been enough.
func addCores(t *table, name string, each [2][][]float64, alone []float64) {
	whole := 0.0
	for k := range len(atOnce) + 1 {
		i := (k + len(atOnce)) % (len(atOnce) + 1) // the whole first
		var one, two, ratios []float64
		for run := range each[0] {
			one, two = append(one, each[0][run][i]), append(two, each[1][run][i])
			ratios = append(ratios, each[0][run][i]/max(each[1][run][i], 1e-9))
		}
		enough := percent(alone[i])
		if i == len(atOnce) {
			whole = middle(two)
			t.add("`inev explain`, "+name, "the whole run", seconds(middle(one)), seconds(whole), times(middle(ratios)), enough, "")
			continue
		}
		t.add("", atOnce[i].name, seconds(middle(one)), seconds(middle(two)), times(middle(ratios)), enough, percent(middle(two)/whole))
	}
}

// load describes how busy the machine is; "" if that is not known.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	average, _, _ := strings.Cut(string(text), " ")
	return fmt.Sprintf("\nThe load average of the machine, of %d cores, was %s at the end: above the number of cores, times tell little.", runtime.NumCPU(), average)
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

const coresText = `
This section is written by

    go -C tools run ./performance -sizes 1e7 -runs %d -cores ../docs/performance.md

which explains the reference model and one with targets anywhere on one core and on two, in turns, and
takes medians of the times, and of the ratio of two runs that followed each other. Other programs that
run meanwhile make it smaller. What they do not change is "alone": the share of its time while a part of a run
has work for one core only, as a trace of a run on two cores has it. Phases that go
on at the same time are one row.%s

%s
One goroutine each finds the reachable states and the common prefixes, in the order of their levels, while
components are found; the component of the initial state is found by passes of one goroutine through the rows,
and a search in depth finds all others. Depths of components follow from each other, and so do the suffixes
of small ones. Two goroutines find what leads to a state and what it leads to, where it is asked if fairness
helps. All cores share reading, the passes for exits, the classes, the labels of fair sets, and the common
suffixes of a large component.
`
