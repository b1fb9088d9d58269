package repair_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/oracle"
	"github.com/inev-lts/inev/internal/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/product"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/repair"
)

// plain returns a property as the oracle takes it.
func plain(p *property.Property, initial property.Q) oracle.Automaton {
	return oracle.Automaton{
		States: p.States(), Colours: 3, Initial: int(initial),
		Next: func(q int, l lts.Label) int { return int(p.Next(property.Q(q), l)) },
		Marks: func(q int, l lts.Label) map[int]bool {
			marks := map[int]bool{}
			for c := range 3 {
				if p.Marks(property.Q(q), l).Has(c) {
					marks[c] = true
				}
			}
			return marks
		},
		Accepts: func(met map[int]bool) bool {
			var m property.Marks
			for c, is := range met {
				if is {
					m |= property.Mark(c)
				}
			}
			return p.Acceptance().Holds(m)
		},
		Stops: func(q int) bool { return p.Stops(property.Q(q)) },
	}
}

// supervised returns the unfolded model from a place on with what some transitions leave
// out, and whether that has a new deadlock.
func supervised(u *product.Unfolding, from lts.State, gone map[lts.Transition]bool) (*lts.LTS, bool) {
	m := u.LTS()
	var b lts.Builder
	for _, text := range m.Alphabet().All() {
		b.Label(text)
	}
	for t := range m.Transitions() {
		if !gone[t] {
			b.Add(t.From, t.Label, t.To)
		}
	}
	left, err := b.Build(from, m.NumStates())
	if err != nil {
		return nil, true
	}
	for s := range lts.State(m.NumStates()) {
		if left.Reachable().Has(s) && left.IsDeadlock(s) && !m.IsDeadlock(s) {
			return nil, true
		}
	}
	return left, false
}

// bestOfAll returns the places from which some way to forbid transitions makes the property
// hold; false where there are too many ways.
func bestOfAll(u *product.Unfolding, p *property.Property, forced func(lts.Label) bool) (map[lts.State]bool, bool) {
	var can []lts.Transition
	seen := map[lts.Transition]bool{}
	for t := range u.LTS().Transitions() {
		if !forced(t.Label) && !seen[t] {
			seen[t] = true
			can = append(can, t)
		}
	}
	if len(can) > 7 || u.LTS().NumStates() > 8 {
		return nil, false
	}
	wins := map[lts.State]bool{}
	for set := range 1 << len(can) {
		gone := map[lts.Transition]bool{}
		for i, t := range can {
			gone[t] = set>>i&1 != 0
		}
		for s := range lts.State(u.LTS().NumStates()) {
			if wins[s] {
				continue
			}
			left, deadlock := supervised(u, s, gone)
			if deadlock {
				continue
			}
			q := u.Place(s).Q
			_, rejects := oracle.NewGeneral(left, plain(p, q)).Can(s, int(q))
			wins[s] = !rejects
		}
	}
	return wins, true
}

// TestOtherPropertiesAgainstAllSupervisors compares repairs for properties other than
// inevitability with the best of all supervisors.
func TestOtherPropertiesAgainstAllSupervisors(t *testing.T) {
	ctx := context.Background()
	texts := []string{
		`Response("A"; "B")`, `Response("A"; "B", "C")`, `Never("A")`, `Never("A", "B")`, `Precedes("A"; "B")`, `AtMost(1; "A")`, `DeadlockFree`,
		`G F "A"`, `F G "A"`, `G F "A" && G F "B"`, `G F "A" -> G F "B"`, `Response("A"; "B"; after "C")`, `Inev("A"; before "B")`, `(G F "A") || (F "B" && G !"C")`,
	}
	compared, unsupported := 0, map[string]int{}
	for seed := range uint64(6_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 4, Transitions: 7, Labels: 3, Steps: 1})
		text := texts[seed%uint64(len(texts))]
		f, err := formula.Parse(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(ctx, c.Model.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		forced := func(l lts.Label) bool { return (seed/uint64(len(texts)))>>(l%4)&1 != 0 }
		u, err := product.Unfold(ctx, c.Model, p)
		if err != nil {
			t.Fatal(err)
		}
		wins, ok := bestOfAll(u, p, forced)
		if !ok {
			continue
		}
		r, err := repair.Find(ctx, c.Model, p, repair.Options{Controllable: func(l lts.Label) bool { return !forced(l) }})
		if errors.As(err, new(repair.UnsupportedError)) {
			unsupported[text]++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		compared++
		if err := sameAsBest(c, u, p, r, wins, forced); err != nil {
			t.Fatalf("seed %d:\n%s\n%s\n%v", seed, c, text, err)
		}
	}
	t.Log(compared, unsupported)
	if compared < 3_000 {
		t.Errorf("only %d compared", compared)
	}
}

func sameAsBest(c randomlts.Case, u *product.Unfolding, p *property.Property, r *repair.Repair, wins map[lts.State]bool, forced func(lts.Label) bool) error {
	if r.Solvable != wins[0] {
		return fmt.Errorf("solvable: %t, by brute force %t", r.Solvable, wins[0])
	}
	if !r.Solvable {
		return nil
	}
	type move struct {
		lts.Transition
		q int
	}
	want, got := map[move]bool{}, map[move]bool{}
	kept := map[lts.State]bool{}
	for todo := []lts.State{0}; len(todo) > 0; todo = todo[1:] {
		s := todo[0]
		if kept[s] {
			continue
		}
		kept[s] = true
		labels, targets := u.LTS().Out(s)
		for i, to := range targets {
			if wins[to] {
				todo = append(todo, to)
				continue
			}
			want[move{lts.Transition{From: u.Place(s).State, Label: labels[i], To: u.Place(to).State}, int(u.Place(s).Q)}] = true
		}
	}
	for _, g := range r.Never {
		for _, q := range g.Progress {
			got[move{g.Transition, q}] = true
		}
	}
	if fmt.Sprint(want) != fmt.Sprint(got) {
		return fmt.Errorf("forbidden %v, want %v", got, want)
	}
	fixed, places, err := r.Apply(context.Background(), c.Model)
	if err != nil {
		return err
	}
	q := p.Initial()
	_, rejects := oracle.NewGeneral(fixed, plain(p, q)).Can(fixed.Initial(), int(q))
	if places == nil && rejects == r.EnoughAlone() || places != nil && rejects == r.EnoughAlone() {
		return fmt.Errorf("the repaired model violates: %t, enough alone: %t", rejects, r.EnoughAlone())
	}
	return nil
}
