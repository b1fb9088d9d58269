package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
)

// arc is a transition of a model that is compared.
type arc struct {
	from  int
	label string
	to    int
}

// comparedShape is a kind of model of which two versions are compared. The label i is internal in
// comparisons by branching bisimilarity.
type comparedShape struct {
	name string
	// arcs returns the transitions of a model of about n transitions.
	arcs func(n int) []arc
}

// letter returns one of ten labels, the first of which is internal.
func letter(i int) string { return string("ibcdefghja"[i%10]) }

// versionShapes are the shapes of models of which versions are compared.
func versionShapes() []comparedShape {
	return []comparedShape{
		{"hub", hubArcs},
		{"three counters", counterArcs},
		{"torus", torusArcs},
		{"cube", cubeArcs},
		{"band", bandArcs},
		{"ladder", ladderArcs},
		{"self-loops", loopArcs},
		{"components in a row", rowArcs},
		{"ring of layers", ringArcs},
		{"chain", chainArcs},
		{"tree", treeArcs},
		{"random", randomArcs},
	}
}

func hubArcs(n int) (all []arc) {
	for s := 1; s <= n/2; s++ {
		all = append(all, arc{0, "a", s}, arc{s, "b", 0})
	}
	return all
}

// counterArcs returns about n transitions of three counters side by side.
func counterArcs(n int) (all []arc) {
	k := int(math.Cbrt(float64(n) / 3))
	state := func(a, b, c int) int { return (a%k*k+b%k)*k + c%k }
	for a := range k {
		for b := range k {
			for c := range k {
				s := state(a, b, c)
				all = append(all, arc{s, "a", state(a+1, b, c)}, arc{s, "b", state(a, b+1, c)},
					arc{s, "i", state(a, b, c+1)})
			}
		}
	}
	return all
}

// torusArcs returns about n transitions of a grid whose borders are connected.
func torusArcs(n int) (all []arc) {
	k := int(math.Sqrt(float64(n) / 2))
	for a := range k {
		for b := range k {
			down := "b"
			if (a+b)%7 == 0 {
				down = "i"
			}
			all = append(all, arc{a*k + b, "a", a*k + (b+1)%k}, arc{
				a*k + b,
				down,
				(a+1)%k*k + b,
			})
		}
	}
	return all
}

// cubeArcs returns at most n transitions of a hypercube.
func cubeArcs(n int) (all []arc) {
	d := 1
	for (d+1)*(1<<d) <= n {
		d++
	}
	for s := range 1 << d {
		for j := range d {
			isSet := s>>j&1 != 0
			if !isSet {
				all = append(all, arc{s, letter(j), s | 1<<j})
			}
		}
	}
	return all
}

func bandArcs(n int) (all []arc) {
	for s := range n / 4 {
		for j := 1; j <= 4 && s+j < n/4; j++ {
			all = append(all, arc{s, letter(j), s + j})
		}
	}
	return all
}

func ladderArcs(n int) (all []arc) {
	for s := range n / 3 {
		all = append(all, arc{2 * s, "a", 2*s + 1})
		if s+1 < n/3 {
			all = append(all, arc{2 * s, "i", 2*s + 2}, arc{2*s + 1, "b", 2*s + 3})
		}
	}
	return all
}

func loopArcs(n int) (all []arc) {
	for s := range n / 2 {
		loop := "a"
		if s%3 == 0 {
			loop = "i"
		}
		all = append(all, arc{s, loop, s}, arc{s, "b", (s + 1) % (n / 2)})
	}
	return all
}

// rowArcs returns about n transitions of rings, one after the other.
func rowArcs(n int) (all []arc) {
	const size = 10
	for k := range n / (size + 1) {
		for j := range size {
			all = append(all, arc{k*size + j, letter(j), k*size + (j+1)%size})
		}
		if k+1 < n/(size+1) {
			all = append(all, arc{k * size, "next", (k + 1) * size})
		}
	}
	return all
}

// ringArcs returns about n transitions between layers, the last of which leads to the first.
func ringArcs(n int) (all []arc) {
	r := rand.New(rand.NewPCG(1, 2))
	const fromEach = 2 // transitions from each state
	width := int(math.Sqrt(float64(n))) / 2
	layers := n / (fromEach * width)
	for layer := range layers {
		firstOfNext := (layer + 1) % layers * width
		for s := layer * width; s < (layer+1)*width; s++ {
			for range fromEach {
				all = append(all, arc{s, letter(r.IntN(10)), firstOfNext + r.IntN(width)})
			}
		}
	}
	return all
}

func chainArcs(n int) (all []arc) {
	for s := range n {
		label := "a"
		if s%5 == 0 {
			label = "i"
		}
		all = append(all, arc{s, label, s + 1})
	}
	return all
}

func treeArcs(n int) (all []arc) {
	for s := 1; s < n; s++ {
		all = append(all, arc{(s - 1) / 3, letter(s), s})
	}
	return all
}

func randomArcs(n int) (all []arc) {
	r := rand.New(rand.NewPCG(1, 3))
	for s := range n / 3 {
		for range 3 {
			all = append(all, arc{s, letter(r.IntN(10)), r.IntN(n / 3)})
		}
	}
	return all
}

// versionChange is a way to make a version of a model.
type versionChange struct {
	name    string
	changed func(all []arc) []arc
}

// versionChanges are the changes by which versions are made.
func versionChanges() []versionChange {
	return []versionChange{
		{"one label", withOtherLabel},
		{"two lines", withOtherLines},
	}
}

// withOtherLabel returns a model in which one transition has another label of the model.
func withOtherLabel(all []arc) []arc {
	changed := slices.Clone(all)
	at := len(all) * 3 / 5
	changed[at].label = otherLabel(all, changed[at].label)
	return changed
}

// withOtherLines returns a model in which one transition has another label of the model, and another one
// leads elsewhere.
func withOtherLines(all []arc) []arc {
	changed := slices.Clone(all)
	relabelled := len(all) * 2 / 5
	redirected := len(all) * 3 / 5
	changed[relabelled].label = otherLabel(all, changed[relabelled].label)
	changed[redirected].to = all[len(all)/5].to
	return changed
}

// otherLabel returns the first label of a model that differs from a label; that label if there is no other.
func otherLabel(all []arc, label string) string {
	for _, x := range all {
		if x.label != label {
			return x.label
		}
	}
	return label
}

// writeArcs writes transitions as a model.
func writeArcs(path string, all []arc) error {
	states := 0
	for _, x := range all {
		states = max(states, x.from+1, x.to+1)
	}
	return writeLines(path, func(w *bufio.Writer) {
		fmt.Fprintf(w, "des (0, %d, %d)\n", len(all), states)
		for _, x := range all {
			fmt.Fprintf(w, "(%d, \"%s\", %d)\n", x.from, x.label, x.to)
		}
	})
}

// leastOf runs inev as often as the laboratory repeats each measurement, and returns the run with
// the least processor time.
func (l *laboratory) leastOf(
	ctx context.Context,
	acceptedCode int,
	arguments ...string,
) (best process, err error) {
	for i := range l.runs {
		p, err := runProgram(ctx, 0, nil, l.inev, append(arguments, "--no-progress")...)
		if err != nil && p.code != acceptedCode {
			return process{}, err
		}
		if i == 0 || p.processor < best.processor {
			best = p
		}
	}
	return best, nil
}

// measureVersions measures comparisons of two versions of models of about n and 4 n transitions, and
// replays of logs with a few deviations in models of up to 400 n transitions, and replaces the sections
// of a page with the figures.
func (l *laboratory) measureVersions(ctx context.Context, n int, page string) error {
	t := newTable("shape", "changed", "by", "transitions", "processor time", "÷ `info` of both",
		"÷ a quarter of the model", "peak")
	for _, s := range versionShapes() {
		for _, change := range versionChanges() {
			small, err := l.compareVersions(ctx, s, change, n)
			if err != nil {
				return err
			}
			large, err := l.compareVersions(ctx, s, change, 4*n)
			if err != nil {
				return err
			}
			for _, by := range equivalences {
				p := large.compared[by]
				t.add(s.name, change.name, by, grouped(int64(large.transitions)), seconds(p.processor),
					times(p.processor/(2*large.info.processor)), times(p.processor/small.compared[by].processor), size(float64(p.peak)))
			}
		}
	}
	logs, err := l.measureFewDeviations(ctx, n)
	if err != nil {
		return err
	}
	return replaceSection(page, "## Versions and deviations\n", fmt.Sprintf(`
This section is written by

    go -C tools run ./performance -versions ../docs/research/performance.md -compared %d -runs %d

which compares, without a formula, models of %d shapes with changed versions of them. In some versions one label is replaced by another one of the model; in others two
transitions are changed: one has another target, another one has another label. A linear comparison takes four times
as long as for a quarter of the model, or less if the start of the program counts. In the smaller ring, no run reaches
the changed label. Each processor time is the least of %d runs.

%s
`+"`inev replay`"+` replays a walk of 10,000 events through a random model of 40 labels, with the property `+"`Response(A0; A1)`"+`: first
the walk as it is, then with a few events left out or wrong.

%s`, n, l.runs, len(versionShapes()), l.runs, t, logs))
}

// versionComparison is the measurement of two versions of a model.
type versionComparison struct {
	transitions int
	compared    map[string]process // by equivalence
	info        process            // of inev info on the old version
}

// compareVersions measures comparisons of two versions of a model of about n transitions.
func (l *laboratory) compareVersions(
	ctx context.Context,
	s comparedShape,
	change versionChange,
	n int,
) (versionComparison, error) {
	c := versionComparison{compared: map[string]process{}}
	l.logProgress(fmt.Sprintf("versions, %s, %s, %d transitions", s.name, change.name, n))
	older := filepath.Join(l.folder, "old.aut")
	newer := filepath.Join(l.folder, "new.aut")
	arcs := s.arcs(n)
	c.transitions = len(arcs)
	if err := writeArcs(older, arcs); err != nil {
		return c, err
	}
	if err := writeArcs(newer, change.changed(arcs)); err != nil {
		return c, err
	}
	for _, by := range equivalences {
		p, err := l.leastOf(ctx, 1, "compare", older, newer, "--by", by,
			"--internal", "i", "--allow-unmatched")
		if err != nil {
			return c, err
		}
		c.compared[by] = p
	}
	var err error
	c.info, err = l.leastOf(ctx, 0, "info", older)
	return c, err
}

// measureFewDeviations measures replays of logs that fit, and of logs with a few deviations, in models
// of up to 400 n transitions.
func (l *laboratory) measureFewDeviations(ctx context.Context, n int) (*table, error) {
	t := newTable("states", "transitions", "a log that fits", "deviations", "with deviations",
		"÷ fits", "peak")
	for _, transitions := range []int{n, 10 * n, 40 * n, 400 * n} {
		states := transitions * 3 / 10
		l.logProgress(fmt.Sprintf("replay, %d states", states))
		fitting, _, err := l.replayWalk(ctx, states, transitions, 0)
		if err != nil {
			return nil, err
		}
		deviating, deviations, err := l.replayWalk(ctx, states, transitions, 0.0003)
		if err != nil {
			return nil, err
		}
		t.add(grouped(int64(states)), grouped(int64(transitions)), seconds(fitting.processor),
			grouped(int64(deviations)), seconds(deviating.processor),
			times(deviating.processor/fitting.processor), size(float64(deviating.peak)))
	}
	return t, nil
}

// replayWalk measures a replay of a walk through a random model, with a share of deviations, and
// returns their number, too.
func (l *laboratory) replayWalk(
	ctx context.Context,
	states, transitions int,
	share float64,
) (p process, deviations int, err error) {
	model := filepath.Join(l.folder, "logged.aut")
	log := filepath.Join(l.folder, "events.log")
	deviations, err = writeLogged(model, log, loggedWalk{
		states:      states,
		transitions: transitions,
		labels:      40,
		events:      10_000,
		share:       share,
	})
	if err != nil {
		return process{}, 0, err
	}
	p, err = l.leastOf(ctx, 3, "replay", model, log, "Response(A0; A1)", "--format", "tsv")
	return p, deviations, err
}

// equivalences are the equivalences by which versions are compared.
var equivalences = []string{"strong", "branching"}
