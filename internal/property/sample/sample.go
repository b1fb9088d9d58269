// Package sample finds short runs that a property accepts and rejects, to be
// shown as examples beside it, because temporal formulas are easily misread.
//
// The runs are those of the property's automaton, not of a model, and each is accepted or rejected
// as reported.
package sample

import (
	"cmp"
	"context"
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Run is a run of labels. If Loop is negative, the run ends after the last label;
// otherwise it goes on forever from the label with index Loop.
type Run struct {
	Labels []lts.Label
	Loop   int
}

const (
	// mostStates is the largest number of property states from which loops are searched, and
	// mostMet is the largest number of nodes that the search for one loop expands.
	mostStates = 64
	mostMet    = 1 << 12
)

// chooseLabels chooses one label of each letter. Labels that never change the property state come last.
func (f *finder) chooseLabels() {
	seen := map[uint16]bool{}
	var idle []lts.Label
	for l := range f.p.Alphabet().All() {
		letter := f.t.Letters[l]
		if seen[letter] {
			continue
		}
		seen[letter] = true
		if f.changesState(l) {
			f.letters = append(f.letters, l)
		} else {
			idle = append(idle, l)
		}
	}
	f.letters = append(f.letters, idle...)
}

// changesState reports whether a label changes some property state.
func (f *finder) changesState(l lts.Label) bool {
	for q := range property.Q(f.p.States()) {
		if f.p.Next(q, l) != q {
			return true
		}
	}
	return false
}

// Of returns up to n short runs, all different, that p accepts or, if accepted is false, rejects.
// The first two are a run that ends and a run that is infinite, if both exist. Runs that change the
// property state precede others of the same kind. It fails if ctx is done. Cost O(states ·
// letters), and that of a bounded search for loops.
func Of(ctx context.Context, p *property.Property, accepted bool, n int) ([]Run, error) {
	f := &finder{p: p, t: p.Automaton(), accepted: accepted}
	f.chooseLabels()
	paths := f.paths()
	var stops, loops []found
	for _, w := range paths {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if p.Stops(w.at) == accepted {
			stops = append(stops, found{Run{w.labels, -1}, w.moved})
		}
	}
	for _, w := range paths[:min(len(paths), mostStates)] {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		loops = append(loops, f.loops(w)...)
	}
	sortFound(stops)
	sortFound(loops)
	return pick(stops, loops, n), nil
}

// found is a run, and whether it leaves its first property state.
type found struct {
	Run
	moved bool
}

func sortFound(all []found) {
	slices.SortStableFunc(all, func(a, b found) int {
		if a.moved != b.moved {
			if a.moved {
				return -1
			}
			return 1
		}
		return cmp.Compare(len(a.Labels), len(b.Labels))
	})
}

// pick takes runs that end and infinite runs in turn, up to n different ones.
func pick(stops, loops []found, n int) []Run {
	var runs []Run
	add := func(r Run) {
		isSame := func(o Run) bool {
			return o.Loop == r.Loop && slices.Equal(o.Labels, r.Labels)
		}
		if len(runs) < n && !slices.ContainsFunc(runs, isSame) {
			runs = append(runs, r)
		}
	}
	for i := range max(len(stops), len(loops)) {
		if i < len(stops) {
			add(stops[i].Run)
		}
		if i < len(loops) {
			add(loops[i].Run)
		}
	}
	return runs
}

type finder struct {
	p        *property.Property
	t        property.Automaton
	accepted bool
	letters  []lts.Label // one label of each letter
}

// path is a shortest path to a property state, either among the paths that change the state on the
// way (moved) or among those that do not.
type path struct {
	at     property.Q
	moved  bool
	labels []lts.Label
}

// paths returns shortest paths to all property states, shorter paths first. A state has up to two,
// see [path].
func (f *finder) paths() []path {
	type searchNode struct {
		at    property.Q
		moved bool
	}
	all := []path{{at: f.p.Initial()}}
	known := map[searchNode]bool{{f.p.Initial(), false}: true}
	for i := 0; i < len(all); i++ {
		w := all[i]
		for _, l := range f.letters {
			to := f.p.Next(w.at, l)
			next := searchNode{to, w.moved || to != w.at}
			if !known[next] {
				known[next] = true
				all = append(all, path{to, next.moved, append(slices.Clone(w.labels), l)})
			}
		}
	}
	return all
}

// loops returns runs that follow a path and then a shortest loop with the wanted verdict. Up to a
// limit it also searches for such a loop on which the property state changes.
func (f *finder) loops(w path) []found {
	type searchNode struct {
		at    property.Q
		met   property.Marks
		moved bool
	}
	type open struct {
		searchNode
		labels []lts.Label
	}
	queue := []open{{searchNode{at: w.at, moved: w.moved}, nil}}
	known := map[searchNode]bool{}
	var all []found
	for i := 0; i < len(queue) && i < mostMet; i++ {
		o := queue[i]
		for _, l := range f.letters {
			to := f.p.Next(o.at, l)
			next := searchNode{to, o.met | f.p.Marks(o.at, l), o.moved || to != o.at}
			labels := append(slices.Clone(o.labels), l)
			isLoop := to == w.at
			hasVerdict := f.p.Acceptance().Holds(next.met) == f.accepted
			if isLoop && hasVerdict && isNew(all, labels, next.moved) {
				all = append(all, found{
					rolled(slices.Concat(w.labels, labels), len(w.labels)),
					next.moved,
				})
			}
			if !known[next] {
				known[next] = true
				queue = append(queue, open{next, labels})
			}
		}
		if len(all) > 0 && all[len(all)-1].moved {
			break
		}
	}
	return all
}

// rolled returns the run with these labels and the earliest possible beginning of
// its loop: a followed by (b, a) forever is (a, b) forever.
func rolled(labels []lts.Label, loop int) Run {
	for loop > 0 && labels[loop-1] == labels[len(labels)-1] {
		loop--
		labels = labels[:len(labels)-1]
	}
	return Run{labels, loop}
}

// isNew reports whether a loop adds something to the loops before it. It does if there are none; if
// it leaves its state, and the first loop does not; or if there is only one, which lacks a label of
// the new loop.
func isNew(earlier []found, labels []lts.Label, moved bool) bool {
	if len(earlier) == 0 {
		return true
	}
	first := earlier[0]
	if moved && !first.moved {
		return true
	}
	return len(earlier) == 1 && slices.ContainsFunc(labels, func(l lts.Label) bool {
		return !slices.Contains(first.Labels, l)
	})
}
