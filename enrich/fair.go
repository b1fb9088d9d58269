package enrich

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/resources"
)

// FairSets tells where a run can stay for ever and meet a fairness assumption: it
// looks for strongly connected sets of transitions that a fair run can take
// infinitely often. It is not for several goroutines.
type FairSets struct {
	ctx    context.Context
	c      *scc.Components
	f      *property.Fairness
	parts  *scc.Parts
	strong bool // some task is
	// bottom[i] reports whether component i is left by no transition; of full fairness.
	bottom []bool

	// tasks has what the present set means for each task; touched lists those that it
	// enables.
	tasks   []taskInSet
	touched []uint32
	present uint32 // the number of the present set
}

// taskInSet is what a set means for a task; it counts where set is its number.
type taskInSet struct {
	set     uint32
	taken   bool
	enabled int       // in how many of its states
	last    lts.State // that was counted
}

// NewFairSets returns a search in the model of c under f, which goes through parts with
// a search that is not at work elsewhere, or one of its own where that is nil. It fails
// where the budget of ctx is used up. Cost O(S), under full fairness O(S + T).
func NewFairSets(ctx context.Context, c *scc.Components, f *property.Fairness, parts *scc.Parts) (*FairSets, error) {
	if parts == nil {
		var err error
		if parts, err = scc.NewParts(ctx, c.LTS()); err != nil {
			return nil, err
		}
	}
	n := len(f.Tasks())
	if err := resources.AskFor[taskInSet](ctx, n); err != nil {
		return nil, err
	}
	x := &FairSets{ctx: ctx, c: c, f: f, parts: parts, tasks: make([]taskInSet, n)}
	x.strong = slices.ContainsFunc(f.Tasks(), func(t property.Task) bool { return t.Strong })
	if f.Full() {
		x.findBottom()
	}
	return x, nil
}

func (x *FairSets) findBottom() {
	x.bottom = make([]bool, x.c.Len())
	for i := range x.bottom {
		x.bottom[i] = true
		for _, s := range x.c.States(scc.Component(i)) {
			_, targets := x.c.LTS().Out(s)
			for _, t := range targets {
				if !x.c.Same(s, t) {
					x.bottom[i] = false
				}
			}
		}
	}
}

// In yields the states, all of component i, that lie in a fair strongly connected set of
// transitions between them the labels of which hides does not select, and that are not
// to be done finitely often. Each call of yield has a largest such set, until it says
// not to go on. It fails where the context is done.
//
// Refinement: of a component without the hidden transitions, states that enable a
// strong task which is not taken in it are removed, and what is left is searched
// again; one of which all states enable an untaken weak task is given up, for none of
// its parts can be fair. Cost O((k+1)(S + T)) for k strong tasks.
func (x *FairSets) In(i scc.Component, states []lts.State, hides func(lts.Label) bool, yield func([]lts.State) (more bool)) error {
	shows := func(_ lts.State, l lts.Label, _ lts.State) bool { return !x.f.Rare(l) && !hides(l) }
	if x.f.Full() {
		x.full(i, states, shows, yield)
		return nil
	}
	states, err := x.withoutHidden(states, hides)
	if err != nil {
		return err
	}
	work := [][]lts.State{states}
	for len(work) > 0 {
		part := work[len(work)-1]
		work = work[:len(work)-1]
		err := x.parts.Components(part, shows, func(set []lts.State) (bool, error) {
			if !x.count(set, shows) {
				return true, nil
			}
			left, given := x.refine(set)
			switch {
			case given:
				return true, nil
			case len(left) == len(set):
				if !yield(set) {
					work = nil
					return false, nil
				}
				return true, nil
			}
			if len(left) > 0 {
				work = append(work, left)
			}
			return true, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// withoutHidden returns those of the states that enable no strong task all labels of which
// are hidden, or to be done finitely often: no set takes it, and those that hold such a
// state are not fair.
func (x *FairSets) withoutHidden(states []lts.State, hides func(lts.Label) bool) ([]lts.State, error) {
	if !x.strong {
		return states, nil
	}
	x.present++
	taken := func(k uint32) bool {
		t := &x.tasks[k]
		if t.set != x.present {
			*t = taskInSet{set: x.present}
			for _, l := range x.f.Tasks()[k].Labels {
				t.taken = t.taken || !x.f.Rare(l) && !hides(l)
			}
		}
		return t.taken
	}
	same := 0
	for same < len(states) && !x.missesHidden(states[same], hides, taken) {
		same++
	}
	if same == len(states) {
		return states, nil
	}
	left := slices.Clone(states[:same])
	for i, s := range states[same+1:] {
		if i&(1<<14-1) == 0 && x.ctx.Err() != nil {
			return nil, x.ctx.Err()
		}
		if !x.missesHidden(s, hides, taken) {
			left = append(left, s)
		}
	}
	return left, nil
}

// missesHidden reports whether a strong task that is not taken is enabled in s by a hidden
// label.
func (x *FairSets) missesHidden(s lts.State, hides func(lts.Label) bool, taken func(task uint32) bool) bool {
	labels, targets := x.c.LTS().Out(s)
	for j, l := range labels {
		if !hides(l) && !x.f.Rare(l) {
			continue
		}
		for _, k := range x.f.TasksOf(l) {
			if t := &x.f.Tasks()[k]; t.Strong && !(t.Nonstuttering && targets[j] == s) && !taken(k) {
				return true
			}
		}
	}
	return false
}

// full is [FairSets.In] under full fairness: a run that is fully fair takes every
// transition of a bottom component infinitely often.
func (x *FairSets) full(i scc.Component, states []lts.State, shows func(lts.State, lts.Label, lts.State) bool, yield func([]lts.State) bool) {
	if !x.bottom[i] || !x.c.IsCyclic(i) {
		return
	}
	for _, s := range x.c.States(i) {
		labels, targets := x.c.LTS().Out(s)
		for j, t := range targets {
			if !shows(s, labels[j], t) {
				return
			}
		}
	}
	yield(states)
}

// count notes which tasks a set takes, and in how many of its states they are enabled
// in the model. It reports whether the set has transitions.
func (x *FairSets) count(set []lts.State, shows func(lts.State, lts.Label, lts.State) bool) bool {
	x.parts.Enter(set)
	x.present++
	x.touched = x.touched[:0]
	some := false
	for _, s := range set {
		labels, targets := x.c.LTS().Out(s)
		for j, t := range targets {
			inside := x.parts.Has(t) && shows(s, labels[j], t)
			some = some || inside
			for _, k := range x.f.TasksOf(labels[j]) {
				if s == t && x.f.Tasks()[k].Nonstuttering {
					continue
				}
				t := &x.tasks[k]
				if t.set != x.present {
					*t = taskInSet{set: x.present, last: lts.MaxStates}
					x.touched = append(x.touched, k)
				}
				t.taken = t.taken || inside
				if t.last != s {
					t.last = s
					t.enabled++
				}
			}
		}
	}
	return some
}

// refine returns the states of a set that was counted in which no strong task is
// enabled that it does not take, and whether the set is given up.
func (x *FairSets) refine(set []lts.State) (left []lts.State, given bool) {
	bad := false
	for _, k := range x.touched {
		t := &x.tasks[k]
		if t.taken {
			continue
		}
		if t.enabled == len(set) {
			return nil, true
		}
		bad = bad || x.f.Tasks()[k].Strong
	}
	if !bad {
		return set, false
	}
	for _, s := range set {
		if !x.neglects(s) {
			left = append(left, s)
		}
	}
	return left, false
}

// neglects reports whether a strong task that the present set does not take is enabled
// in s.
func (x *FairSets) neglects(s lts.State) bool {
	labels, targets := x.c.LTS().Out(s)
	for j, l := range labels {
		for _, k := range x.f.TasksOf(l) {
			t := &x.f.Tasks()[k]
			if t.Strong && !x.tasks[k].taken && !(t.Nonstuttering && targets[j] == s) {
				return true
			}
		}
	}
	return false
}

// fairSuffixes is MINSUFFIXLOOP under fairness: every state of a component gets the
// least m such that it lies in a fair strongly connected set without labels of step
// n-m; n where there is none.
type fairSuffixes struct {
	*pass
	sets    *FairSets
	present []bool
	seen    []uint32
}

func (x *fairSuffixes) minSuffixLoop(i scc.Component, cs *levels) {
	left := x.c.States(i)
	x.stepsInside(left, x.present, x.seen)
	for m := 0; m < x.n && len(left) > 0 && x.err == nil; m++ {
		x.err = x.sets.In(i, left, func(l lts.Label) bool { return x.p.Does(l, x.n-m) }, func(set []lts.State) bool {
			for _, s := range set {
				cs.set(s, m)
			}
			return true
		})
		if !x.present[x.n-m] {
			return // all sets have been found: other steps only leave fewer transitions
		}
		var rest []lts.State
		for _, s := range left {
			if cs.at(s) == x.n {
				rest = append(rest, s)
			}
		}
		left = rest
	}
}

// admit finds the components from which some run counts: a deadlock, or a fair set
// without the labels that are to be done finitely often. Nil where that is all.
func admit(ctx context.Context, c *scc.Components, f *property.Fairness) ([]bool, error) {
	if f == nil || !f.Excludes() {
		return nil, nil
	}
	sets, err := NewFairSets(ctx, c, f, nil)
	if err != nil {
		return nil, err
	}
	admitted := make([]bool, c.Len())
	for i := c.Len() - 1; i >= 0; i-- {
		states := c.States(scc.Component(i))
		for _, s := range states {
			_, targets := c.LTS().Out(s)
			admitted[i] = admitted[i] || len(targets) == 0
			for _, t := range targets {
				to, _ := c.Of(t)
				admitted[i] = admitted[i] || int(to) != i && admitted[to]
			}
		}
		if !admitted[i] && c.IsCyclic(scc.Component(i)) {
			err := sets.In(scc.Component(i), states, func(lts.Label) bool { return false }, func([]lts.State) bool {
				admitted[i] = true
				return false
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return admitted, nil
}

// Admits reports whether any run of the model of c counts under f: always, unless labels
// are to be done finitely often. It fails where ctx is done. Cost as for
// [FairSets.In].
func Admits(ctx context.Context, c *scc.Components, f *property.Fairness) (bool, error) {
	admitted, err := admit(ctx, c, f)
	if err != nil || admitted == nil {
		return err == nil, err
	}
	i, _ := c.Of(c.LTS().Initial())
	return admitted[i], nil
}
