package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/lts/scc"
)

const opening = `# Performance

This page is written by

    %s

which generates all models, measures everything in one run, side by side, and draws the
plot. It was run on a machine with %s.
The rows of a table take turns; "median" and "best" are those of %s, each in a
process of its own. Times of another machine differ: go by the ratios. "÷ counting" is the
time divided by that of counting the lines of the same file, in the same run. "Peak" is
the largest resident memory of the process.%s
`

const (
	readingIntro = `
## Reading .aut

`
	wholeIntro = `
## Whole runs

Whole processes, from the file to the report. The number behind a verdict is the length
of the counterexample, a shortest one, where the command tells it. Of the three properties
of the reference model, the first has a first step that every cycle does: that takes a
pass over the whole model to know. The second is violated near the initial state, and the
third holds. %s

`
	phasesIntro = `
### Where the time goes

Suffixes are computed beside prefixes, and neighbourhoods beside the search; "process
besides" is the start, the report and the end.

`
	coresIntro = `
### One core and all of them

`
	growthIntro = `
## Growth

![Time and memory a transition, by the number of transitions](%s)

`
	componentsIntro = `
## Strongly connected components

Three transitions a state, to any state. "States reached" is a search of the same model
without any further thought. The default is gonum up to %d states, and the
iterative engine for larger models.

`
	passesIntro = `
## Prefixes and suffixes

All four values of every state, in the reference model and in one of its size whose
transitions lead anywhere. Prefixes and suffixes are computed side by side.

`
	searchesIntro = `
## The search for a counterexample

Three transitions a state, to near ones; a short loop violates the property. "plain" is a
breadth-first search of the whole model, the measure of the others, "inev" the search of
` + "`inev check`" + `, the others those of ` + "`--algorithm`" + `. Components are known.

`
	shapesIntro = `
## Shapes without short loops

No label does the only step of the property: each loop violates it, and all of them are
long. "÷ ` + "`inev info`" + `" is the time divided by that of reading the model, and telling its size.

`
	besideIntro = `
## Beside each other

` + "`inev explain`" + ` without advice on fairness and repair. %s

`
	largerIntro = `
## Larger models

`
	picturesIntro = `
## Pictures and pages

The travel agency of the examples, 102 states and 217 transitions, drawn whole. The
Graphviz inside has been compiled before, but where nothing is kept.

`
	batchesIntro = `
## Batches

The same model, with its formulas in turn; each job writes its explanation as JSON.

`
	pipedIntro = `
## From a pipe

A component of which every transition leads to a state that is near. The check begins while
the model is generated; nothing is written to a disk.

`
	servingIntro = `
## The page of a server

`
	generatingIntro = `
## Generating models

` + "`inev generate`" + ` on one core, without the time to write to a disk.

`
	smallIntro = `
## A small model

`
	closing = `
In the worst case the search for a shortest counterexample is a girth problem (see
[semantics.md](semantics.md)): many states from which no short loop returns, and no short
counterexample anywhere.
`
)

// document measures everything, and returns the text of the document, in which the
// plot has this name, and what is to be plotted.
func (l *laboratory) document(ctx context.Context, plot string) (string, []*curve, error) {
	var body strings.Builder
	add := func(intro string, measure func(context.Context) (string, error)) error {
		text, err := measure(ctx)
		body.WriteString(intro + text)
		return err
	}
	if err := add(readingIntro, l.reading); err != nil {
		return "", nil, err
	}
	runs, phases, err := l.wholeRuns(ctx)
	if err != nil {
		return "", nil, err
	}
	body.WriteString(fmt.Sprintf(wholeIntro, l.aboutPeers()) + runs + phasesIntro + phases)
	for _, section := range []struct {
		intro   string
		measure func(context.Context) (string, error)
	}{
		{coresIntro, l.cores},
		{shapesIntro, l.badShapes},
		{fmt.Sprintf(besideIntro, l.aboutReduction()), l.beside},
		{largerIntro, l.larger},
		{picturesIntro, l.pictures},
		{batchesIntro, l.batches},
		{servingIntro, l.serving},
		{fmt.Sprintf(componentsIntro, scc.GonumStates), l.components},
		{passesIntro, l.passes},
		{searchesIntro, l.searches},
		{generatingIntro, l.generating},
		{smallIntro, l.smallModel},
	} {
		if err := add(section.intro, section.measure); err != nil {
			return "", nil, err
		}
	}
	if l.pipe > 0 {
		if err := add(pipedIntro, l.piped); err != nil {
			return "", nil, err
		}
	}
	// The largest model comes last: it leaves no room for others.
	growth, sizes, err := l.growth(ctx)
	if err != nil {
		return "", nil, err
	}
	body.WriteString(fmt.Sprintf(growthIntro, plot) + growth + closing)
	return l.opening() + l.verdicts() + body.String(), sizes, nil
}

func (l *laboratory) opening() string {
	command := "go -C tools run ./performance"
	var sizes []string
	for _, n := range l.sizes {
		sizes = append(sizes, strconv.Itoa(n))
	}
	command += " -sizes " + strings.Join(sizes, ",")
	if l.largest > 0 {
		command += " -largest " + strconv.Itoa(l.largest)
	}
	if l.pipe > 0 {
		command += " -pipe " + strconv.Itoa(l.pipe)
	}
	runs := "one run"
	if l.runs > 1 {
		runs = fmt.Sprintf("%d runs", l.runs)
	}
	if l.runs != 3 {
		command += " -runs " + strconv.Itoa(l.runs)
	}
	note := ""
	if l.reference() != targetSize {
		note = fmt.Sprintf("\n\nThe targets are meant for a reference model of %s transitions; here it has %s.", count(targetSize), count(int64(l.reference())))
	}
	return fmt.Sprintf(opening, command, machine(), runs, note)
}

// targetSize is the size of the reference model that the targets are meant for.
const targetSize = 10_000_000

func (l *laboratory) aboutPeers() string {
	if len(l.peers.tools) == 0 {
		return "mCRL2's tools were not\nfound on this machine."
	}
	return fmt.Sprintf("The others are\n"+
		"%s; each of its tools ran once, and was stopped after\n"+
		"%.0f minutes. Its time is the sum of those of its tools, its peak the largest of them.\n"+
		"`ltsconvert` reduces the model by divergence-preserving branching bisimilarity, with all\n"+
		"labels hidden that do not concern the property. All verdicts agree.", l.peers.version, l.peerLimit.Minutes())
}

// aboutReduction says what the rows of others are there.
func (l *laboratory) aboutReduction() string {
	switch {
	case !l.peers.has("ltsconvert"):
		return "mCRL2's tools were not found on this machine."
	case l.peers.solves():
		return "The rows of mCRL2 are its fastest route, as above."
	}
	return "The rows of mCRL2 are the first half\nof its fastest route, the reduction, without the verdict."
}

// verdicts returns the table of targets.
func (l *laboratory) verdicts() string {
	t := newTable("", "target", "measured", "met")
	for _, x := range l.targets {
		met := "yes"
		if !x.met {
			met = "**no**"
		}
		t.add(x.work, x.wanted, x.measured, met)
	}
	return "\n## Targets\n\n" + t.String()
}

// machine describes the machine, in words that tell nothing of its place.
func machine() string {
	parts := []string{fmt.Sprintf("%d cores", runtime.NumCPU())}
	if model := fieldOf("/proc/cpuinfo", "model name"); model != "" {
		parts[0] += " of an " + model
	}
	if text := strings.TrimSuffix(fieldOf("/proc/meminfo", "MemTotal"), " kB"); text != "" {
		if kilobytes, err := strconv.ParseFloat(text, 64); err == nil {
			parts = append(parts, fmt.Sprintf("%.0f GB of memory", kilobytes*1024/1e9))
		}
	}
	return strings.Join(append(parts, runtime.GOOS+"/"+runtime.GOARCH, "Go "+strings.TrimPrefix(runtime.Version(), "go")), ", ")
}

// fieldOf returns what stands behind a name in a file of the system, "" where there
// is no such file or name.
func fieldOf(path, name string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close() // it was only read
	for lines := bufio.NewScanner(f); lines.Scan(); {
		field, value, _ := strings.Cut(lines.Text(), ":")
		if strings.TrimSpace(field) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
