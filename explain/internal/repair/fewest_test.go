package repair_test

import (
	"context"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// smallest returns the size of a smallest set of transitions, or labels, without which
// the property holds and there is no new deadlock; -1 if there is none.
func smallest(c randomlts.Case, can func(lts.Label) bool, labels, fair bool) int {
	var members []lts.Transition
	key := func(t lts.Transition) lts.Transition {
		if labels {
			return lts.Transition{Label: t.Label}
		}
		return t
	}
	for t := range c.Model.Transitions() {
		if can(t.Label) && !slices.Contains(members, key(t)) {
			members = append(members, key(t))
		}
	}
	best := -1
	for set := range uint(1) << len(members) {
		n := bits.OnesCount(set)
		if best >= 0 && n >= best {
			continue
		}
		gone := map[lts.Transition]bool{}
		for i, t := range members {
			gone[t] = set>>i&1 != 0
		}
		if suffices(c, func(t lts.Transition) bool { return gone[key(t)] }, fair) {
			best = n
		}
	}
	return best
}

func suffices(c randomlts.Case, gone func(lts.Transition) bool, fair bool) bool {
	var b lts.Builder
	for _, text := range c.Model.Alphabet().All() {
		b.Label(text)
	}
	for t := range c.Model.Transitions() {
		if !gone(t) {
			b.Add(t.From, t.Label, t.To)
		}
	}
	m, err := b.Build(c.Model.Initial(), c.Model.NumStates())
	if err != nil {
		return false
	}
	o, err := oracle.New(m, c.Steps)
	if err != nil || !fair && !o.Satisfied() || fair && !reachesFromAll(m, c.Steps) {
		return false
	}
	for s := range lts.State(m.NumStates()) {
		if o.Reachable(s) && m.IsDeadlock(s) && !c.Model.IsDeadlock(s) {
			return false
		}
	}
	return true
}

// reachesFromAll reports whether all steps can be done wherever a run is: what holds under full fairness.
func reachesFromAll(m *lts.LTS, steps []map[lts.Label]bool) bool {
	type place struct {
		s    lts.State
		done int
	}
	after := func(from place) (all []place) {
		labels, targets := m.Out(from.s)
		for i, to := range targets {
			p := place{to, from.done}
			if p.done < len(steps) && steps[p.done][labels.At(i)] {
				p.done++
			}
			all = append(all, p)
		}
		return all
	}
	from := func(at place) map[place]bool {
		met := map[place]bool{at: true}
		for open := []place{at}; len(open) > 0; open = open[1:] {
			for _, p := range after(open[0]) {
				if !met[p] {
					met[p] = true
					open = append(open, p)
				}
			}
		}
		return met
	}
	for at := range from(place{m.Initial(), 0}) {
		some := false
		for p := range from(at) {
			some = some || p.done == len(steps)
		}
		if !some {
			return false
		}
	}
	return true
}

// smallestOf is [smallest] for any property.
func smallestOf(m *lts.LTS, p *property.Property, can func(lts.Label) bool, labels bool) int {
	var members []lts.Transition
	key := func(t lts.Transition) lts.Transition {
		if labels {
			return lts.Transition{Label: t.Label}
		}
		return t
	}
	for t := range m.Transitions() {
		if can(t.Label) && !slices.Contains(members, key(t)) {
			members = append(members, key(t))
		}
	}
	best := -1
	for set := range uint(1) << len(members) {
		n := bits.OnesCount(set)
		if best >= 0 && n >= best {
			continue
		}
		gone := map[lts.Transition]bool{}
		for t := range m.Transitions() {
			i := slices.Index(members, key(t))
			gone[t] = i >= 0 && set>>i&1 != 0
		}
		if holdsWithout(m, p, gone) {
			best = n
		}
	}
	return best
}

// holdsWithout reports whether a property holds in a model without some transitions, and
// there is no new deadlock.
func holdsWithout(m *lts.LTS, p *property.Property, gone map[lts.Transition]bool) bool {
	var b lts.Builder
	for _, text := range m.Alphabet().All() {
		b.Label(text)
	}
	for t := range m.Transitions() {
		if !gone[t] {
			b.Add(t.From, t.Label, t.To)
		}
	}
	left, err := b.Build(m.Initial(), m.NumStates())
	if err != nil {
		return false
	}
	for s := range lts.State(m.NumStates()) {
		if left.Reachable().Has(s) && left.IsDeadlock(s) && !m.IsDeadlock(s) {
			return false
		}
	}
	_, rejects := oracle.NewGeneral(left, begun(p, p.Initial())).Can(left.Initial(), int(p.Initial()))
	return !rejects
}

// TestFewestOfOtherProperties compares the fewest, for properties other than
// inevitability, with all sets.
func TestFewestOfOtherProperties(t *testing.T) {
	ctx := context.Background()
	texts := []string{`Response("A"; "B")`, `Response("A"; "B", "C")`, `Never("A", "B")`, `Precedes("A"; "B")`, `F G "A"`, `G F "A" && G F "B"`, `G F "A" -> G F "B"`, `Response("A"; "B"; after "C")`}
	found := map[string]int{}
	for seed := range randomlts.Share(4_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 4, Transitions: 7, Labels: 4, Steps: 1})
		text := texts[seed%uint64(len(texts))]
		p := bindAny(t, c.Model, text)
		can := func(l lts.Label) bool { return seed/8>>(l%8)&1 == 0 }
		o := repair.FewestOptions{Controllable: can, Labels: seed%3 == 0}
		got, err := repair.FindFewest(ctx, c.Model, p, o)
		if err != nil {
			t.Fatal(err)
		}
		want := smallestOf(c.Model, p, can, o.Labels)
		n := len(got.Transitions) + len(got.Labels)
		gone := map[lts.Transition]bool{}
		for t := range c.Model.Transitions() {
			gone[t] = slices.Contains(got.Transitions, t) || slices.Contains(got.Labels, t.Label)
		}
		if got.Found != (want >= 0) || !got.Exact || got.Found && (n != want || got.AtLeast != n || !holdsWithout(c.Model, p, gone)) {
			t.Fatalf("seed %d:\n%s\n%s: %+v, want %d (labels: %t)", seed, c, text, got, want, o.Labels)
		}
		if got.Found && n > 0 {
			found[text]++
		}
		fromRuns(t, c.Model, p, o, got)
		o.Work = int64(seed%50) + 1
		stopped, err := repair.FindFewest(ctx, c.Model, p, o)
		if err != nil {
			t.Fatal(err)
		}
		for t := range c.Model.Transitions() {
			gone[t] = slices.Contains(stopped.Transitions, t)
		}
		if got.Found && stopped.AtLeast > n || stopped.Found && !o.Labels && !holdsWithout(c.Model, p, gone) {
			t.Fatalf("seed %d:\n%s\n%s, stopped: %+v, want %d", seed, c, text, stopped, n)
		}
	}
	t.Log(found)
	for _, text := range texts {
		if randomlts.Whole() && found[text] < 5 {
			t.Errorf("of %s, only %d sets were found", text, found[text])
		}
	}
}

// fromRuns compares the fewest with those that are found from a run that is known: the same from a
// shortest one, as many from any, and sufficient ones.
func fromRuns(t *testing.T, m *lts.LTS, p *property.Property, o repair.FewestOptions, want *repair.Fewest) {
	t.Helper()
	for _, limit := range []int64{0, 1} {
		r, err := counterexample.Shortest(context.Background(), m, p, counterexample.Options{Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		o.First = r.Trace
		got, err := repair.FindFewest(context.Background(), m, p, o)
		if err != nil {
			t.Fatal(err)
		}
		gone := map[lts.Transition]bool{}
		for t := range m.Transitions() {
			gone[t] = slices.Contains(got.Transitions, t) || slices.Contains(got.Labels, t.Label)
		}
		if got.AtLeast != want.AtLeast || got.Found != want.Found || !got.Exact || limit == 0 && !reflect.DeepEqual(got, want) || got.Found && !holdsWithout(m, p, gone) {
			t.Fatalf("%s, from %v: %+v, want %+v", p, r.Trace, got, want)
		}
	}
}

// TestFewestAgainstAllSets compares the fewest with all sets.
func TestFewestAgainstAllSets(t *testing.T) {
	size := randomlts.Size{States: 5, Transitions: 9, Labels: 5, Steps: 3}
	found, relying, cases := 0, 0, uint64(2_000)
	for seed := range cases {
		c := randomlts.Seeded(seed, size)
		if c.Model.NumTransitions() > 9 {
			continue
		}
		can := func(l lts.Label) bool { return seed>>(l%8)&1 == 0 }
		labels, fair := seed%3 == 0, seed/256%2 == 1
		want := smallest(c, can, labels, fair)
		got, err := fewest(c, repair.FewestOptions{Controllable: can, Labels: labels, Fair: fair})
		if err != nil {
			t.Fatal(err)
		}
		n := len(got.Transitions) + len(got.Labels)
		if got.Found != (want >= 0) || !got.Exact || got.Found && (n != want || got.AtLeast != n) {
			t.Fatalf("seed %d:\n%s\n%+v, want %d (labels: %t, fair: %t)", seed, c, got, want, labels, fair)
		}
		gone := func(t lts.Transition) bool {
			return slices.Contains(got.Transitions, t) || slices.Contains(got.Labels, t.Label)
		}
		if got.Found && !suffices(c, gone, fair) {
			t.Fatalf("seed %d:\n%s\n%+v does not suffice", seed, c, got)
		}
		if got.Found && n > 0 {
			found++
		}
		stopped, err := fewest(c, repair.FewestOptions{Controllable: can, Labels: labels, Fair: fair, Work: int64(seed%50) + 1})
		early := func(t lts.Transition) bool {
			return slices.Contains(stopped.Transitions, t) || slices.Contains(stopped.Labels, t.Label)
		}
		if err != nil || got.Found && stopped.AtLeast > n || stopped.Found && (!suffices(c, early, fair) || !got.Found) {
			t.Fatalf("seed %d:\n%s\nstopped: %+v, %v; want %d", seed, c, stopped, err, n)
		}
		// After one set that fails, the set of a supervisor is tried: under fairness, of one that relies on it.
		once := int64(max(1, len(c.Steps)) * (c.Model.NumStates() + c.Model.NumTransitions()))
		if !fair || labels || want <= 0 || smallest(c, can, labels, false) >= 0 {
			continue
		}
		switch late, err := fewest(c, repair.FewestOptions{Controllable: can, Fair: true, Work: once}); {
		case err != nil || late.Found && !suffices(c, func(t lts.Transition) bool { return slices.Contains(late.Transitions, t) }, true):
			t.Fatalf("seed %d:\n%s\nafter one set: %+v, %v", seed, c, late, err)
		case late.Found && !late.Exact:
			relying++
		}
	}
	if found < int(cases/20) || relying == 0 {
		t.Errorf("of %d, %d found, %d by a supervisor that relies on fairness", cases, found, relying)
	}
}

func fewest(c randomlts.Case, o repair.FewestOptions) (*repair.Fewest, error) {
	ctx := context.Background()
	formula, err := actl.Parse(ctx, c.Formula)
	if err != nil {
		return nil, err
	}
	p, _, err := formula.Bind(ctx, c.Model.Alphabet())
	if err != nil {
		return nil, err
	}
	return repair.FindFewest(ctx, c.Model, p, o)
}

// TestFewestKnown: what is enough in well-known models.
func TestFewestKnown(t *testing.T) {
	for _, c := range []struct{ model, formula, want string }{
		{"examples/travel/travel.aut", "Inev(BOOKING_REC, TICKET_REC)", "at most 21, at least 5; 2 labels"},
		{"examples/philosophers/philosophers.aut", "Inev(EAT)", "4; 1 labels"},
		{"examples/figure2/figure2.aut", "Inev(A, B, C)", "1; 1 labels"},
		{"examples/election/lossy.aut", "Inev(LEADER)", "8; 3 labels"},
		{"examples/abp/abp.aut", "Inev(PUT)", "1; 1 labels"},
		{"examples/abp/abp.aut", "Inev(PUT, GET)", "7; 3 labels"},
		{"examples/peterson/peterson.aut", `Inev("ENTER !0")`, "5; 1 labels"},
		{"examples/pipeline/pipeline.aut", "Inev(DONE)", "at most 17, at least 7; 3 labels"},
	} {
		if !randomlts.Whole() && strings.HasPrefix(c.want, "at most") {
			continue // the search goes on to its limit
		}
		m := open(t, c.model)
		ctx, p := context.Background(), bind(t, m, c.formula)
		few, err := repair.FindFewest(ctx, m, p, repair.FewestOptions{Work: 30_000_000})
		if err != nil {
			t.Fatal(err)
		}
		labels, err := repair.FindFewest(ctx, m, p, repair.FewestOptions{Labels: true, Work: 30_000_000})
		if err != nil || !labels.Exact {
			t.Fatal(labels, err)
		}
		got := fmt.Sprint(len(few.Transitions))
		if !few.Exact {
			got = fmt.Sprintf("at most %d, at least %d", len(few.Transitions), few.AtLeast)
		}
		if got += fmt.Sprintf("; %d labels", len(labels.Labels)); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.model, c.formula, got, c.want)
		}
	}
}
