package repair_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// place is a state with the number of steps done.
type place struct {
	s lts.State
	j int
}

// edge is a transition from a place.
type edge struct {
	from, to place
	label    lts.Label
}

// arena is a game, played by brute force.
type arena struct {
	initial place
	steps   []map[lts.Label]bool
	out     map[place][]edge
	forced  func(lts.Label) bool
	byLabel bool
	fair    bool // the choices that are left are
}

func newArena(c randomlts.Case, forced func(lts.Label) bool, byLabel, fair bool) *arena {
	a := &arena{place{c.Model.Initial(), 0}, c.Steps, map[place][]edge{}, forced, byLabel, fair}
	todo := []place{a.initial}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		if a.out[at] != nil {
			continue
		}
		a.out[at] = []edge{}
		for t := range c.Model.Transitions() {
			if t.From != at.s {
				continue
			}
			to := place{t.To, at.j}
			if at.j < len(c.Steps) && c.Steps[at.j][t.Label] {
				to.j++
			}
			a.out[at] = append(a.out[at], edge{at, to, t.Label})
			todo = append(todo, to)
		}
	}
	return a
}

// supervisors yields every way to forbid transitions of unfinished places, as what each
// such place keeps, which is not nothing where there was something; false if there are
// too many.
func (a *arena) supervisors(yield func(map[place][]edge) bool) bool {
	var places []place
	ways := [][][]edge{}
	all := 1
	for at, out := range a.out {
		if at.j == len(a.steps) || len(out) == 0 {
			continue
		}
		keeps := a.subsets(out)
		places, ways = append(places, at), append(ways, keeps)
		if all *= len(keeps); all > 2_000 {
			return false
		}
	}
	kept := map[place][]edge{}
	var choose func(i int) bool
	choose = func(i int) bool {
		if i == len(places) {
			return yield(kept)
		}
		for _, keep := range ways[i] {
			kept[places[i]] = keep
			if !choose(i + 1) {
				return false
			}
		}
		return true
	}
	choose(0)
	return true
}

// subsets returns what may be left of these transitions.
func (a *arena) subsets(out []edge) [][]edge {
	var keeps [][]edge
	for bits := 1; bits < 1<<len(out); bits++ {
		var keep []edge
		ok := true
		with := map[lts.Label]bool{}
		for i, e := range out {
			has := bits>>i&1 != 0
			if before, known := with[e.label]; known && a.byLabel && before != has {
				ok = false
			}
			with[e.label] = has
			if has {
				keep = append(keep, e)
			} else if a.forced(e.label) {
				ok = false
			}
		}
		if ok {
			keeps = append(keeps, keep)
		}
	}
	return keeps
}

// holds reports whether from a place every run that is left does all steps.
func (a *arena) holds(at place, kept map[place][]edge, onPath map[place]bool) bool {
	if at.j == len(a.steps) {
		return true
	}
	if onPath[at] || len(a.out[at]) == 0 {
		return false
	}
	onPath[at] = true
	defer delete(onPath, at)
	for _, e := range kept[at] {
		if !a.holds(e.to, kept, onPath) {
			return false
		}
	}
	return true
}

// canAlways reports whether from every place that can be come to from here the steps can
// still be done.
func (a *arena) canAlways(at place, kept map[place][]edge) bool {
	reach := func(from place) map[place]bool {
		seen := map[place]bool{}
		todo := []place{from}
		for len(todo) > 0 {
			at := todo[0]
			todo = todo[1:]
			if seen[at] {
				continue
			}
			seen[at] = true
			if at.j < len(a.steps) {
				for _, e := range kept[at] {
					todo = append(todo, e.to)
				}
			}
		}
		return seen
	}
	for p := range reach(at) {
		can := false
		for q := range reach(p) {
			can = can || q.j == len(a.steps)
		}
		if !can {
			return false
		}
	}
	return true
}

// winning returns the places from which some supervisor makes the property hold; false
// where there are too many supervisors.
func (a *arena) winning() (map[place]bool, bool) {
	wins := map[place]bool{}
	ok := a.supervisors(func(kept map[place][]edge) bool {
		for at := range a.out {
			if !wins[at] && (!a.fair && a.holds(at, kept, map[place]bool{}) || a.fair && a.canAlways(at, kept)) {
				wins[at] = true
			}
		}
		return len(wins) < len(a.out)
	})
	return wins, ok
}

// never returns what is forbidden: what leads out of the places that are won, among those
// come to without.
func (a *arena) never(wins map[place]bool) map[edge]bool {
	never := map[edge]bool{}
	seen := map[place]bool{}
	todo := []place{a.initial}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		if seen[at] || at.j == len(a.steps) {
			continue
		}
		seen[at] = true
		spoilt := map[lts.Label]bool{}
		for _, e := range a.out[at] {
			if !wins[e.to] {
				spoilt[e.label] = true
			}
		}
		for _, e := range a.out[at] {
			if !wins[e.to] || a.byLabel && spoilt[e.label] {
				never[e] = true
			} else {
				todo = append(todo, e.to)
			}
		}
	}
	return never
}

// check compares a repair with brute force; false if that is too much.
func check(c randomlts.Case, mask uint, byLabel, fair bool) (bool, error) {
	forced := func(l lts.Label) bool { return mask>>(l%8)&1 != 0 }
	a := newArena(c, forced, byLabel, fair)
	wins, ok := a.winning()
	if !ok {
		return false, nil
	}
	ctx := context.Background()
	formula, err := actl.Parse(ctx, c.Formula)
	if err != nil {
		return false, err
	}
	p, _, err := formula.Bind(ctx, c.Model.Alphabet())
	if err != nil {
		return false, err
	}
	r, err := repair.Find(ctx, c.Model, p, repair.Options{Controllable: func(l lts.Label) bool { return !forced(l) }, ByLabel: byLabel, Fair: fair})
	if err != nil {
		return false, err
	}
	if r.Solvable != wins[a.initial] {
		return true, fmt.Errorf("solvable: %t, by brute force %t", r.Solvable, wins[a.initial])
	}
	if !r.Solvable {
		return true, a.checkObstacle(r.Obstacle, wins)
	}
	never := a.never(wins)
	got := map[edge]bool{}
	for _, g := range r.Never {
		for _, j := range g.Progress {
			to := place{g.Transition.To, j}
			if c.Steps[j][g.Transition.Label] {
				to.j++
			}
			got[edge{place{g.Transition.From, j}, to, g.Transition.Label}] = true
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(never) {
		return true, fmt.Errorf("forbidden %v, want %v", got, never)
	}
	if !fair {
		rest, err := a.remains(ctx, c, p, never)
		if err != nil {
			return true, err
		}
		if err := rest.check(r); err != nil {
			return true, err
		}
	}
	return true, checkFixed(ctx, c, r, fair)
}

// remains returns what is left without what is forbidden.
func (a *arena) remains(ctx context.Context, c randomlts.Case, p *property.Property, never map[edge]bool) (*remains, error) {
	u, err := product.Unfold(ctx, c.Model, p)
	if err != nil {
		return nil, err
	}
	at := func(s lts.State) place { return place{u.At(s).State, int(u.At(s).Q)} }
	rest := &remains{u: u, rejects: func(set []lts.Transition) bool {
		return at(set[0].From).j < len(a.steps)
	}}
	met := map[lts.State]bool{0: true}
	for todo := []lts.State{0}; len(todo) > 0; todo = todo[1:] {
		labels, targets := u.LTS().Out(todo[0])
		for i, to := range targets {
			t := lts.Transition{From: todo[0], Label: labels.At(i), To: to}
			if at(t.From).j == len(a.steps) || never[edge{at(t.From), at(t.To), t.Label}] || slices.Contains(rest.left, t) {
				continue
			}
			rest.left = append(rest.left, t)
			if !met[to] {
				met[to] = true
				todo = append(todo, to)
			}
		}
	}
	return rest, nil
}

// checkObstacle checks what is said to stand in the way.
func (a *arena) checkObstacle(o *repair.Obstacle, wins map[place]bool) error {
	at := a.initial
	for _, t := range o.Path {
		next := place{t.To, at.j}
		if at.j < len(a.steps) && a.steps[at.j][t.Label] {
			next.j++
		}
		at = next
	}
	t := o.Transition
	switch {
	case at != place{o.ProductState.State, int(o.ProductState.Q)} || wins[at]:
		return fmt.Errorf("the obstacle at %v is not reached, or is none", at)
	case o.Kind == repair.NoCorrectRun:
		free := &arena{a.initial, a.steps, a.out, func(lts.Label) bool { return false }, false, false}
		if wins, ok := free.winning(); ok && wins[a.initial] {
			return fmt.Errorf("there is a correct run")
		}
	case t.From != at.s || a.forced(t.Label) != (o.Kind == repair.Uncontrollable):
		return fmt.Errorf("obstacle %+v", o)
	}
	return nil
}

// checkFixed checks the repaired model: no new deadlock, and the property holds, under
// full fairness where there are loops to be left.
func checkFixed(ctx context.Context, c randomlts.Case, r *repair.Repair, fair bool) error {
	m, places, err := r.Apply(ctx, c.Model)
	if err != nil {
		return err
	}
	o, err := oracle.New(m, c.Steps)
	if err != nil {
		return err
	}
	if !fair && o.Satisfied() != r.EnoughAlone() {
		return fmt.Errorf("the repaired model satisfies: %t, enough alone: %t", o.Satisfied(), r.EnoughAlone())
	}
	if m.NumTransitions() <= 10 && !oracle.NewFair(m, c.Steps, oracle.Assumption{Full: true}).Holds() {
		return fmt.Errorf("the repaired model does not satisfy the property under full fairness")
	}
	before, err := oracle.New(c.Model, c.Steps)
	if err != nil {
		return err
	}
	for s := range lts.State(m.NumStates()) {
		old := s
		if places != nil {
			old = places[s].State
		}
		if o.Reachable(s) && len(o.Out(s)) == 0 && len(before.Out(old)) > 0 {
			return fmt.Errorf("state %d is a new deadlock", s)
		}
	}
	return nil
}

// TestAgainstAllSupervisors compares repairs with the best of all supervisors.
func TestAgainstAllSupervisors(t *testing.T) {
	size := randomlts.Size{States: 5, Transitions: 8, Labels: 4, Steps: 3}
	compared := 0
	cases := uint64(22_000)
	if !randomlts.Whole() {
		cases = 1_000
	}
	for seed := range cases {
		c := randomlts.Seeded(seed, size)
		ok, err := check(c, uint(seed*2654435761>>7)&uint(seed>>3), seed%4 == 0, seed%3 == 0)
		if err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
		if ok {
			compared++
		}
	}
	t.Logf("%d compared", compared)
	if compared < int(cases)*10/11 {
		t.Errorf("only %d of %d compared", compared, cases)
	}
}

// TestAgainstAllSupervisorsShrinking is the same with cases that shrink.
func TestAgainstAllSupervisorsShrinking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomlts.Generator(randomlts.Size{States: 4, Transitions: 7, Labels: 3, Steps: 2}).Draw(t, "case")
		if _, err := check(c, rapid.UintRange(0, 15).Draw(t, "uncontrollable"), rapid.Bool().Draw(t, "by label"), rapid.Bool().Draw(t, "fair")); err != nil {
			t.Fatal(err)
		}
	})
}
