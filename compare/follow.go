package compare

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
)

// follower is the set of states that a model can have reached after the labels of a run.
type follower struct {
	m     *lts.LTS
	hides func(label string) bool
	set   []lts.State // ascending
	work  work
}

// follow returns how far m can follow a run of another model with this alphabet. It repeats a loop
// until the set of states recurs: then m can do infinitely many rounds, since each state has
// finitely many transitions. At the limit of the options it stops, and returns that m follows, with
// Limited set. It fails if ctx is done. Cost O(T) a transition of the run.
func follow(ctx context.Context, m *lts.LTS, r *counterexample.Trace, alphabet *lts.Alphabet, o Options) (*Divergence, error) {
	f := &follower{m: m, hides: o.hides, work: work{ctx, o.limit()}}
	f.set = f.closed(m.Begin())
	d := &Divergence{}
	first := 0
	if _, begun := alphabet.InitialFacts(); !begun {
		// The first step of the run only leads to the initial state where the run begins.
		first = min(1, r.Len())
	}
	loop, lasso := r.LoopStart()
	seen := make(map[string]bool)
	for i := first; ; i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if lasso && i == r.Len() {
			i = loop
			d.Rounds++
		}
		if lasso && i == loop {
			key := f.key()
			if d.Limited = f.work.left < 0 && !seen[key]; d.Limited || seen[key] {
				return f.atLoop(d, r, alphabet, first), nil
			}
			seen[key] = true
		}
		if i == r.Len() {
			return f.atEnd(d, r), nil
		}
		label := alphabet.Text(r.Step(i).Label)
		if !f.step(label) {
			d.Takes, d.Step, d.Could = label, i, f.could()
			return d, nil
		}
		d.After++
	}
}

// atEnd records whether the model can stop at the end of a run.
func (f *follower) atEnd(d *Divergence, r *counterexample.Trace) *Divergence {
	d.Step = r.Len()
	d.Follows = r.Kind() != counterexample.Deadlock || slices.ContainsFunc(f.set, f.m.IsDeadlock)
	if !d.Follows {
		d.Could = f.could()
	}
	return d
}

// atLoop records whether the model can repeat the loop for ever. If all labels of the loop are
// hidden, it must be able to do infinitely many hidden transitions.
func (f *follower) atLoop(d *Divergence, r *counterexample.Trace, alphabet *lts.Alphabet, first int) *Divergence {
	loop, _ := r.LoopStart()
	for i := loop; i < r.Len(); i++ {
		if !f.hides(alphabet.Text(r.Step(i).Label)) {
			d.Follows = true
			return d
		}
	}
	if d.Follows = f.diverges(); !d.Follows {
		d.After, d.Step, d.Rounds = loop-first, loop, 0
		d.Takes, d.Could = alphabet.Text(r.Step(loop).Label), f.could()
	}
	return d
}

// diverges reports whether an infinite sequence of hidden transitions begins in the set. It removes
// states without a hidden transition to another state that is left, until nothing changes: from
// each state that is left at the end, there is such a sequence.
func (f *follower) diverges() bool {
	// The set is closed under hidden transitions, so it has all their cycles.
	left := make(map[lts.State]int, len(f.set)) // how many hidden transitions lead to states that remain
	into := make(map[lts.State][]lts.State)
	var stuck []lts.State
	for _, s := range f.set {
		labels, targets := f.m.Out(s)
		for k, t := range targets {
			if f.hidden(labels.At(k)) {
				left[s]++
				into[t] = append(into[t], s)
			}
		}
		if left[s] == 0 {
			stuck = append(stuck, s)
		}
	}
	for i := 0; i < len(stuck); i++ {
		for _, s := range into[stuck[i]] {
			if left[s]--; left[s] == 0 {
				stuck = append(stuck, s)
			}
		}
	}
	return len(stuck) < len(f.set)
}

func (f *follower) hidden(l lts.Label) bool { return f.hides(f.m.Alphabet().Text(l)) }

// step replaces the set by the states after a label. It returns false, without effect, if no state
// of the set has the label. A hidden label leaves the set unchanged.
func (f *follower) step(label string) bool {
	if f.hides(label) {
		return true
	}
	var next []lts.State
	for _, s := range f.set {
		labels, targets := f.m.Out(s)
		f.work.left -= int64(len(targets))
		for k, t := range targets {
			if f.m.Alphabet().Text(labels.At(k)) == label {
				next = append(next, t)
			}
		}
	}
	if len(next) == 0 {
		return false
	}
	f.set = f.closed(next)
	return true
}

// steps calls step for each label. It returns false if the model cannot follow the labels, or at
// the limit.
func (f *follower) steps(labels []string) bool {
	for _, label := range labels {
		if !f.step(label) || f.work.left < 0 {
			return false
		}
	}
	return true
}

// closed returns the given states, and all that hidden transitions reach from them, ascending.
func (f *follower) closed(states []lts.State) []lts.State {
	return closed(f.m, states, f.hidden, func(n int) { f.work.left -= int64(n) })
}

// closed returns the given states of m, and all that hidden transitions reach from them, ascending. It
// calls spend with the number of transitions that it visits.
func closed(m *lts.LTS, states []lts.State, hidden func(lts.Label) bool, spend func(int)) []lts.State {
	all := slices.Clone(states)
	slices.Sort(all)
	all = slices.Compact(all)
	in := make(map[lts.State]bool, len(all))
	for _, s := range all {
		in[s] = true
	}
	for i := 0; i < len(all); i++ {
		labels, targets := m.Out(all[i])
		spend(len(targets))
		for k, t := range targets {
			if !in[t] && hidden(labels.At(k)) {
				in[t] = true
				all = append(all, t)
			}
		}
	}
	slices.Sort(all)
	return all
}

// could returns the visible labels that some state of the set has.
func (f *follower) could() []string {
	possible := make(map[string]bool)
	for _, s := range f.set {
		labels, _ := f.m.Out(s)
		for l := range labels.All() {
			possible[f.m.Alphabet().Text(l)] = !f.hidden(l)
		}
	}
	var texts []string
	for _, text := range f.m.Alphabet().All() {
		if possible[text] {
			possible[text] = false
			texts = append(texts, text)
		}
	}
	return texts
}

func (f *follower) key() string {
	key := make([]byte, 0, 4*len(f.set))
	for _, s := range f.set {
		key = append(key, byte(s), byte(s>>8), byte(s>>16), byte(s>>24))
	}
	return string(key)
}
