package repair_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// begun returns a property as the oracle takes it, from one of its states on.
func begun(p *property.Property, initial property.Q) oracle.Automaton {
	a := fromproperty.Automaton(p)
	a.Initial = int(initial)
	return a
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
// hold; false if there are too many ways.
func bestOfAll(u *product.Unfolding, p *property.Property, forced func(lts.Label) bool) (map[lts.State]bool, bool) {
	var can []lts.Transition
	seen := map[lts.Transition]bool{}
	for t := range u.LTS().Transitions() {
		if !forced(t.Label) && !seen[t] {
			seen[t] = true
			can = append(can, t)
		}
	}
	if len(can) > 9 || u.LTS().NumStates() > 12 {
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
			q := u.At(s).Q
			_, rejects := oracle.NewGeneral(left, begun(p, q)).Can(s, int(q))
			wins[s] = !rejects
		}
	}
	return wins, true
}

// remembering returns a property whose states remember the order in which its colours came
// last: that is all that a supervisor has to know of the past (Gurevich and Harrington:
// Trees, Automata, and Games, STOC 1982). State q of the property is that of state
// q / orders of the result.
func remembering(t *testing.T, a *lts.Alphabet, p *property.Property) (remembers *property.Property, orders int) {
	t.Helper()
	with := p.Automaton()
	colours, _ := with.Acceptance.Colours()
	first := []int{}
	for c := range 3 {
		if colours.Has(c) {
			first = append(first, c)
		}
	}
	memory := [][]int{first}
	after := func(order []int, m property.Marks) int {
		var next, others []int
		for _, c := range order {
			if m.Has(c) {
				next = append(next, c)
			} else {
				others = append(others, c)
			}
		}
		next = append(next, others...)
		for i, known := range memory {
			if fmt.Sprint(known) == fmt.Sprint(next) {
				return i
			}
		}
		memory = append(memory, next)
		return len(memory) - 1
	}
	for i := 0; i < len(memory); i++ {
		for m := range property.Marks(8) {
			after(memory[i], m)
		}
	}
	orders = len(memory)
	n := with
	n.Next, n.Marks, n.Stop, n.Pending = nil, nil, nil, nil
	n.Initial *= property.Q(orders)
	for q := range with.States() {
		for _, order := range memory {
			n.Stop = append(n.Stop, with.Stop[q])
			n.Pending = append(n.Pending, property.Phrase{})
			for letter := range with.Columns {
				at := q*with.Columns + letter
				m := property.Marks(0)
				if with.Marks != nil {
					m = with.Marks[at]
				}
				n.Marks = append(n.Marks, m)
				n.Next = append(n.Next, with.Next[at]*property.Q(orders)+property.Q(after(order, m)))
			}
		}
	}
	remembers, err := property.Table(a, n)
	if err != nil {
		t.Fatal(err)
	}
	return remembers, orders
}

// TestOtherPropertiesAgainstAllSupervisors compares repairs for properties other than
// inevitability with the best of all supervisors.
func TestOtherPropertiesAgainstAllSupervisors(t *testing.T) {
	ctx := context.Background()
	texts := []string{
		`Response("A"; "B")`, `Response("A"; "B", "C")`, `Never("A")`, `Never("A", "B")`, `Precedes("A"; "B")`, `AtMost(1; "A")`, `DeadlockFree`,
		`G F "A"`, `F G "A"`, `G F "A" && G F "B"`, `G F "A" -> G F "B"`, `Response("A"; "B"; after "C")`, `Inev("A"; before "B")`, `(G F "A") || (F "B" && G !"C")`,
		`G F ("A" && X "B") && G F "C"`, `(F G !"A") && G F "B"`, `(G F "A" && G F "B") || F G "C"`, `(G F "A" -> G F "B") && (G F "B" -> G F "C")`,
	}
	compared := map[string]int{}
	for seed := range randomlts.Share(3_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 4, Transitions: 7, Labels: 3, Steps: 1})
		text := texts[seed%uint64(len(texts))]
		p := bindAny(t, c.Model, text)
		forced := func(l lts.Label) bool { return (seed/uint64(len(texts)))>>(l%4)&1 != 0 }
		u, err := product.Unfold(ctx, c.Model, p)
		if err != nil {
			t.Fatal(err)
		}
		remembers, orders := remembering(t, c.Model.Alphabet(), p)
		remembered, err := product.Unfold(ctx, c.Model, remembers)
		if err != nil {
			t.Fatal(err)
		}
		all, ok := bestOfAll(remembered, remembers, forced)
		if !ok {
			continue
		}
		wins := map[lts.State]bool{}
		for s := range lts.State(remembered.LTS().NumStates()) {
			at := remembered.At(s)
			at.Q /= property.Q(orders)
			k, known := u.Find(at)
			if !known {
				t.Fatalf("seed %d: place %v is not found", seed, at)
			}
			if w, met := wins[k]; met && w != all[s] {
				t.Fatalf("seed %d: whether %v is won depends on what is remembered", seed, at)
			}
			wins[k] = all[s]
		}
		r, err := repair.Find(ctx, c.Model, p, repair.Options{Controllable: func(l lts.Label) bool { return !forced(l) }})
		if err != nil {
			t.Fatal(err)
		}
		compared[text]++
		if err := sameAsBest(c, u, p, r, wins, forced); err != nil {
			t.Fatalf("seed %d:\n%s\n%s\n%v", seed, c, text, err)
		}
	}
	t.Log(compared)
	for _, text := range texts {
		if randomlts.Whole() && compared[text] < 50 {
			t.Errorf("%s was compared %d times: nothing is known of it", text, compared[text])
		}
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
			want[move{lts.Transition{From: u.At(s).State, Label: labels.At(i), To: u.At(to).State}, int(u.At(s).Q)}] = true
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
	rest := &remains{u: u, rejects: func(set []lts.Transition) bool {
		met := property.Marks(0)
		for _, t := range set {
			met |= u.Marks(t.From, t.Label)
		}
		return !p.Acceptance().Holds(met)
	}}
	for t := range u.LTS().Transitions() {
		if kept[t.From] && wins[t.To] && !slices.Contains(rest.left, t) {
			rest.left = append(rest.left, t)
		}
	}
	if err := rest.check(r); err != nil {
		return err
	}
	fixed, places, err := r.Apply(context.Background(), c.Model)
	if err != nil {
		return err
	}
	q := p.Initial()
	_, rejects := oracle.NewGeneral(fixed, begun(p, q)).Can(fixed.Initial(), int(q))
	if places == nil && rejects == r.EnoughAlone() || places != nil && rejects == r.EnoughAlone() {
		return fmt.Errorf("the repaired model violates: %t, enough alone: %t", rejects, r.EnoughAlone())
	}
	return nil
}

// remains are the transitions of an unfolded model that may be taken, and which sets of
// them a run must not take forever; few enough to look at every set.
type remains struct {
	u       *product.Unfolding
	left    []lts.Transition
	rejects func(set []lts.Transition) bool
}

// recurring yields the sets of transitions that a run can take forever and must not.
func (x *remains) recurring(yield func(set []lts.Transition) bool) {
	for set := range x.subsets {
		if x.rejects(set) && !yield(set) {
			return
		}
	}
}

func (x *remains) folded(t lts.Transition) lts.Transition {
	return lts.Transition{From: x.u.At(t.From).State, Label: t.Label, To: x.u.At(t.To).State}
}

// isFair reports whether a run that takes just these transitions forever is fair to the
// choices of some states: it takes all that may be taken from those that it comes to.
func (x *remains) isFair(set []lts.Transition, states map[lts.State]bool) bool {
	at, taken := map[lts.State]bool{}, map[lts.Transition]bool{}
	for _, t := range set {
		at[t.From] = true
		taken[x.folded(t)] = true
	}
	for _, t := range x.left {
		if at[t.From] && states[x.u.At(t.From).State] && !taken[x.folded(t)] {
			return false
		}
	}
	return true
}

// suffices reports whether no run that is fair to the choices of some states does forever
// what it must not.
func (x *remains) suffices(states map[lts.State]bool) bool {
	for set := range x.recurring {
		if x.isFair(set, states) {
			return false
		}
	}
	return true
}

// check compares what must not be stayed in forever, and the choices of which it is enough
// that they are fair, with all sets of transitions that a run can take forever.
func (x *remains) check(r *repair.Repair) error {
	if len(x.left) > 12 {
		return nil
	}
	move := func(t lts.Transition) repair.Move {
		return repair.Move{Transition: x.folded(t), Progress: int(x.u.At(t.From).Q)}
	}
	in := func(part repair.Part, set []lts.Transition) bool {
		for _, t := range set {
			if slices.Contains(part.WaysOut, move(t)) || !slices.Contains(part.Places, x.u.At(t.From)) || !slices.Contains(part.Places, x.u.At(t.To)) || !slices.Contains(part.Loop, t.Label) {
				return false
			}
		}
		return true
	}
	does := func(set []lts.Transition, all [][]repair.Move) bool {
		for _, moves := range all {
			if !slices.ContainsFunc(set, func(t lts.Transition) bool { return slices.Contains(moves, move(t)) }) {
				return false
			}
		}
		return true
	}
	for set := range x.recurring {
		if !slices.ContainsFunc(r.NotForEver, func(part repair.Part) bool { return in(part, set) && does(set, part.Again) }) {
			return fmt.Errorf("a run can take %v forever, which is in none of %v", set, r.NotForEver)
		}
	}
	for set := range x.subsets {
		if err := x.checkParts(r, set, func(part repair.Part) bool { return in(part, set) && does(set, part.Again) }); err != nil {
			return err
		}
	}
	for i, part := range r.NotForEver {
		var set []lts.Transition
		for _, t := range x.left {
			if in(part, []lts.Transition{t}) {
				set = append(set, t)
			}
		}
		if !connected(set) {
			return fmt.Errorf("%v is not strongly connected", part)
		}
		if part.Again != nil && (!does(set, part.Again) || !x.rejects(set)) {
			return fmt.Errorf("what %v must not do again and again is not bad", part)
		}
		for _, other := range r.NotForEver[i+1:] {
			if part.Again == nil && other.Again == nil && in(other, set) {
				return fmt.Errorf("%v lies in %v", part, other)
			}
		}
	}
	return x.checkChoices(r)
}

// subsets yields all sets of transitions that a run can take forever.
func (x *remains) subsets(yield func([]lts.Transition) bool) {
	for bits := 1; bits < 1<<len(x.left); bits++ {
		var set []lts.Transition
		for i, t := range x.left {
			if bits>>i&1 != 0 {
				set = append(set, t)
			}
		}
		if connected(set) && !yield(set) {
			return
		}
	}
}

// checkParts checks that a set of transitions which a run can take forever is forbidden by the
// parts only if the run is not correct, and so by those that are told by labels: it is bad if
// it stays in their states, leaves out the ways out, and does what is not to be done.
func (x *remains) checkParts(r *repair.Repair, set []lts.Transition, forbids func(repair.Part) bool) error {
	bad := x.rejects(set)
	for _, part := range r.NotForEver {
		if forbids(part) && !bad {
			return fmt.Errorf("%v is forbidden by %+v, and correct", set, part)
		}
		if told := x.told(part, set); part.ByLabels && told && !bad || part.ByLabels && forbids(part) && !told {
			return fmt.Errorf("%v is told by labels to be forbidden by %+v: %t, and bad: %t", set, part, told, bad)
		}
	}
	return nil
}

// told reports whether a part as it is told by states and labels forbids a set of transitions.
func (x *remains) told(part repair.Part, set []lts.Transition) bool {
	left := slices.Clone(part.Again)
	for _, t := range set {
		folded := x.folded(t)
		for _, s := range []lts.State{folded.From, folded.To} {
			if !slices.ContainsFunc(part.Places, func(at product.State) bool { return at.State == s }) {
				return false
			}
		}
		if slices.ContainsFunc(part.WaysOut, func(m repair.Move) bool { return m.Transition == folded }) {
			return false
		}
		left = slices.DeleteFunc(left, func(moves []repair.Move) bool {
			return slices.ContainsFunc(moves, func(m repair.Move) bool { return m.Transition.Label == t.Label })
		})
	}
	return len(left) == 0
}

func (x *remains) checkChoices(r *repair.Repair) error {
	chosen, err := r.FairChoices(context.Background(), 0)
	if err != nil {
		return err
	}
	states := map[lts.State]bool{}
	for _, s := range chosen {
		states[s] = true
	}
	if chosen == nil && slices.ContainsFunc(r.NotForEver, func(p repair.Part) bool { return p.Again != nil }) {
		return nil
	}
	if chosen == nil {
		for s := range lts.State(x.u.LTS().NumStates()) {
			states[x.u.At(s).State] = true
		}
		if suffices := x.suffices(states); suffices != (len(r.NotForEver) == 0) {
			return fmt.Errorf("no choices are told: that all are fair is enough: %t, with parts %v", suffices, r.NotForEver)
		}
		return nil
	}
	if !x.suffices(states) {
		return fmt.Errorf("it is not enough that the choices in %v are fair", chosen)
	}
	for _, s := range chosen {
		delete(states, s)
		if x.suffices(states) {
			return fmt.Errorf("of %v, state %d can be left out", chosen, s)
		}
		states[s] = true
	}
	return nil
}

// connected reports whether a run can take all of a set of transitions forever.
func connected(set []lts.Transition) bool {
	reach := map[lts.State]map[lts.State]bool{}
	for _, t := range set {
		if reach[t.From] != nil {
			continue
		}
		met := map[lts.State]bool{}
		for todo := []lts.State{t.From}; len(todo) > 0; todo = todo[1:] {
			for _, next := range set {
				if next.From == todo[0] && !met[next.To] {
					met[next.To] = true
					todo = append(todo, next.To)
				}
			}
		}
		reach[t.From] = met
	}
	for _, t := range set {
		for _, other := range set {
			if !reach[t.From][other.From] || !reach[t.From][t.To] || reach[t.To] == nil {
				return false
			}
		}
	}
	return len(set) > 0
}
