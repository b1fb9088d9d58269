package repair_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// correct are the correct runs of a model, by brute force.
type correct struct {
	m       *lts.LTS
	a       oracle.Automaton
	o       *oracle.General
	allowed func(at place, t lts.Transition) bool
}

func (x *correct) out(at place) []lts.Transition {
	var out []lts.Transition
	for t := range x.m.Transitions() {
		if t.From == at.s && !slices.Contains(out, t) && x.allowed(at, t) {
			out = append(out, t)
		}
	}
	return out
}

func (x *correct) next(at place, t lts.Transition) place { return place{t.To, x.a.Next(at.j, t.Label)} }

// tail returns the least number of steps of a loop from a place after which an accepted run
// repeats itself, 0 if it need not have one; false if there is none.
func (x *correct) tail(at place) (int, bool) {
	if accept, reject := x.o.Can(at.s, at.j); accept && !reject {
		return 0, true
	}
	type node struct {
		place
		met string
	}
	level := map[node]map[int]bool{{at, ""}: {}}
	seen := map[node]bool{}
	for n := 1; len(level) > 0; n++ {
		next := map[node]map[int]bool{}
		for from, met := range level {
			for _, t := range x.out(from.place) {
				all := map[int]bool{}
				for c := range met {
					all[c] = true
				}
				for c := range x.a.Marks(from.j, t.Label) {
					all[c] = true
				}
				to := node{x.next(from.place, t), fmt.Sprint(all)}
				if to.place == at && x.a.Accepts(all) {
					return n, true
				}
				if !seen[to] {
					seen[to] = true
					next[to] = all
				}
			}
		}
		level = next
	}
	return 0, false
}

// twice returns the labels of a run which goes round its loop until the property is in the
// same state again, the number of them, and then round it once more; and whether it loops.
func (x *correct) twice(t *counterexample.Trace) (steps []lts.Transition, once int, loops bool) {
	loop, loops := t.LoopStart()
	if !loops {
		return t.Steps(), t.Len(), false
	}
	q := x.a.Initial
	for _, s := range t.Steps()[:loop] {
		q = x.a.Next(q, s.Label)
	}
	steps = slices.Clone(t.Steps()[:loop])
	begin := map[int]int{}
	for {
		if at, met := begin[q]; met {
			return append(steps, steps[at:]...), len(steps), true
		}
		begin[q] = len(steps)
		for _, s := range t.Steps()[loop:] {
			q = x.a.Next(q, s.Label)
			steps = append(steps, s)
		}
	}
}

// endless returns the states of the model from which some run is infinite: what is left after states
// whose transitions all lead to states that are gone have gone, too.
func (x *correct) endless() map[lts.State]bool {
	left := map[lts.State]bool{}
	for s := range lts.State(x.m.NumStates()) {
		left[s] = true
	}
	for changed := true; changed; {
		changed = false
		for s := range left {
			_, targets := x.m.Out(s)
			if !slices.ContainsFunc(targets, func(to lts.State) bool { return left[to] }) {
				delete(left, s)
				changed = true
			}
		}
	}
	return left
}

// checkEdits checks the number of edits, and that a run which can only end after it leaves the other one is
// returned only if it must be: nothing was pending at the fork, the model could go on, and so could a
// correct run.
func (x *correct) checkEdits(t *counterexample.Trace, d *repair.Diff, fewest int) error {
	endless := x.endless()
	goesOn := x.fewest(t, func(s lts.State) bool { return endless[s] })
	at := place{x.m.Initial(), x.a.Initial}
	for _, e := range d.Steps[:d.Fork] {
		at = x.next(at, e.Transition)
	}
	last := d.Steps[len(d.Steps)-1].Transition.To
	stopsNeedlessly := x.a.Stops(at.j) && endless[at.s] && !endless[last]
	switch {
	case stopsNeedlessly && goesOn >= 0:
		return fmt.Errorf("it can only end, and a correct run with %d edits goes on", goesOn)
	case d.Edits != fewest && (d.Edits != goesOn || !endless[last]):
		return fmt.Errorf("%d edits, want %d, or %d to go on", d.Edits, fewest, goesOn)
	}
	return nil
}

// fewest returns the smallest number of edits, by relaxing all pairs, if the run has to come to a state
// for which ends returns true.
func (x *correct) fewest(t *counterexample.Trace, ends func(lts.State) bool) int {
	steps, once, loops := x.twice(t)
	after := func(i int) int {
		if loops && i+1 == len(steps) {
			return once
		}
		return i + 1
	}
	start := matched{place{x.m.Initial(), x.a.Initial}, 0}
	cost := map[matched]int{start: 0}
	for changed := true; changed; {
		changed = false
		set := func(m matched, d int) {
			if old, known := cost[m]; !known || d < old {
				cost[m] = d
				changed = true
			}
		}
		for m, d := range cost {
			if m.i < len(steps) {
				set(matched{m.place, after(m.i)}, d+1)
			}
			for _, e := range x.out(m.place) {
				set(matched{x.next(m.place, e), m.i}, d+1)
				if m.i < len(steps) && steps[m.i].Label == e.Label {
					set(matched{x.next(m.place, e), after(m.i)}, d)
				}
			}
		}
	}
	best := -1
	for m, d := range cost {
		if tail, is := x.tail(m.place); is && ends(m.s) {
			if d += max(0, once-m.i) + tail; best < 0 || d < best {
				best = d
			}
		}
	}
	return best
}

// replays checks that a diff is the counterexample up to the fork and on from there, and
// returns the transitions of the correct run; the fork shows.
func replays(t *counterexample.Trace, d *repair.Diff) (correct []lts.Transition, err error) {
	steps := t.Steps()
	loop, loops := t.LoopStart()
	i := 0
	var removed, inserted []lts.Transition
	for k, e := range d.Steps {
		switch {
		case (e.Op == repair.Keep) != (k < d.Fork), e.Op == repair.Remove && inserted != nil:
			return nil, fmt.Errorf("step %d stands after what it comes before", k)
		case e.Op == repair.Remove:
			removed = append(removed, e.Transition)
		case e.Op == repair.Insert:
			inserted = append(inserted, e.Transition)
		}
		if e.Op != repair.Remove {
			correct = append(correct, e.Transition)
		}
		if e.Op != repair.Insert {
			if i >= len(steps) || steps[i] != e.Transition {
				return nil, fmt.Errorf("step %d is not of the counterexample", k)
			}
			if i++; loops && i == len(steps) {
				i = loop
			}
		}
	}
	switch {
	case len(removed) == 0 || len(inserted) == 0 || removed[0] == inserted[0] || removed[0].From != inserted[0].From:
		return nil, fmt.Errorf("there is no fork")
	case !loops && i < len(steps):
		return nil, fmt.Errorf("%d steps of the other run are left", len(steps)-i)
	}
	return correct, nil
}

// check checks that a diff is one of these runs, and that its run is correct.
func (x *correct) check(t *counterexample.Trace, d *repair.Diff) error {
	steps, err := replays(t, d)
	if err != nil {
		return err
	}
	at := place{x.m.Initial(), x.a.Initial}
	begin, met := place{}, map[int]bool{}
	for k, e := range steps {
		if k == len(steps)-d.Loop {
			begin = at
		}
		if !slices.Contains(x.out(at), e) {
			return fmt.Errorf("step %d is not possible", k)
		}
		if k >= len(steps)-d.Loop {
			for c := range x.a.Marks(at.j, e.Label) {
				met[c] = true
			}
		}
		at = x.next(at, e)
		if told := d.Steps[k+len(d.Steps)-len(steps)]; k >= d.Fork && told.Progress != at.j {
			return fmt.Errorf("after step %d the property is in %d, want %d", k, told.Progress, at.j)
		}
	}
	accept, reject := x.o.Can(at.s, at.j)
	switch {
	case d.Ends != (x.m.IsDeadlock(at.s)) || d.Ends && !x.a.Stops(at.j):
		return fmt.Errorf("it ends: %t", !d.Ends)
	case d.Loop > 0 && (at != begin || !x.a.Accepts(met)):
		return fmt.Errorf("its loop is none, or not accepted")
	case d.Loop == 0 && !d.Ends && (!accept || reject):
		return fmt.Errorf("it can be violated after its last step")
	}
	return nil
}

// checkAlso checks a nearest correct run that does A as the other does.
func (x *correct) checkAlso(r *repair.Repair, t *counterexample.Trace, m *lts.LTS) error {
	a, _ := m.Alphabet().Lookup("A")
	does := func(steps []lts.Transition) bool {
		return slices.ContainsFunc(steps, func(s lts.Transition) bool { return s.Label == a })
	}
	d, err := r.Nearest(context.Background(), t, [][]lts.Label{{a}}, 0)
	if err != nil || d == nil {
		return err
	}
	steps, err := replays(t, d)
	if err == nil && does(t.Steps()) && !does(steps) {
		err = fmt.Errorf("it does not do A: %+v", d)
	}
	return errors.Join(err, x.check(t, d))
}

// TestNearestOfOtherProperties compares nearest correct runs, for properties other than
// inevitability, with all.
func TestNearestOfOtherProperties(t *testing.T) {
	ctx := context.Background()
	texts := []string{
		`Response("A"; "B")`, `Response("A"; "B", "C")`, `Never("A", "B")`, `Precedes("A"; "B")`, `AtMost(1; "A")`, `F G "A"`, `G F "A" && G F "B"`,
		`G F "A" -> G F "B"`, `Response("A"; "B"; after "C")`, `(G F "A") || (F "B" && G !"C")`, `"A" U "B"`,
	}
	compared, kinds := map[string]int{}, map[string]int{}
	for seed := range randomlts.Share(6_600) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 9, Labels: 4, Steps: 1})
		text := texts[seed%uint64(len(texts))]
		p := bindAny(t, c.Model, text)
		if _, is := p.Chain(); is {
			continue // "A" U "B", where nothing else happens
		}
		found, err := counterexample.Shortest(ctx, c.Model, p, counterexample.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if found.Trace == nil {
			continue
		}
		can := func(l lts.Label) bool { return seed/11>>(l%8)&1 == 0 }
		r, err := repair.Find(ctx, c.Model, p, repair.Options{Controllable: can})
		if err != nil {
			t.Fatal(err)
		}
		d, err := r.Nearest(ctx, found.Trace, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		never := map[edge]bool{}
		for _, g := range r.Never {
			for _, j := range g.Progress {
				never[edge{from: place{g.Transition.From, j}, to: place{s: g.Transition.To}, label: g.Transition.Label}] = true
			}
		}
		a := begun(p, p.Initial())
		x := &correct{c.Model, a, oracle.NewGeneral(c.Model, a), func(at place, e lts.Transition) bool {
			return !never[edge{from: at, to: place{s: e.To}, label: e.Label}]
		}}
		fewest := x.fewest(found.Trace, func(lts.State) bool { return true })
		if (d == nil) != (fewest < 0) {
			t.Fatalf("seed %d:\n%s\n%s, counterexample %v:\n%+v, want %d edits", seed, c, text, found.Trace.Steps(), d, fewest)
		}
		if d == nil {
			continue
		}
		if d.Edits > fewest {
			kinds["goes on"]++
		}
		if err := errors.Join(x.checkEdits(found.Trace, d, fewest), x.check(found.Trace, d)); err != nil {
			t.Fatalf("seed %d:\n%s\n%s, counterexample %v:\n%+v: %v", seed, c, text, found.Trace.Steps(), d, err)
		}
		if err := checkNear(r, found.Trace, fewest, d.Edits, func(near *repair.Diff) error { return x.check(found.Trace, near) }); err != nil {
			t.Fatalf("seed %d:\n%s\n%s, counterexample %v: %v", seed, c, text, found.Trace.Steps(), err)
		}
		compared[text]++
		if err := x.checkAlso(r, found.Trace, c.Model); err != nil {
			t.Fatalf("seed %d:\n%s\n%s, counterexample %v: %v", seed, c, text, found.Trace.Steps(), err)
		}
		switch {
		case d.Loop > 0:
			kinds["loop"]++
		case d.Ends:
			kinds["ends"]++
		default:
			kinds["sure"]++
		}
	}
	t.Log(compared, kinds)
	for _, text := range texts {
		if randomlts.Whole() && compared[text] < 20 {
			t.Errorf("%s was compared %d times: nothing is known of it", text, compared[text])
		}
	}
	if randomlts.Whole() && len(kinds) < 4 {
		t.Error(kinds)
	}
}
