package repair_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// matched is a place of a correct run, and how far the other one is accounted for.
type matched struct {
	place
	i int
}

// fewestEdits returns the smallest number of edits, by relaxing all pairs until nothing
// becomes less, and the longest common beginning with which it can be had; false if
// there is no correct run.
func fewestEdits(c randomlts.Case, t *counterexample.Trace, allowed func(place, lts.Transition) bool) (edits, fork int, is bool) {
	steps := t.Steps()
	loop, isLoop := t.LoopStart()
	after := func(i int) int {
		if isLoop && i+1 == len(steps) {
			return loop
		}
		return i + 1
	}
	advance := func(j int, l lts.Label) int {
		if j < len(c.Steps) && c.Steps[j][l] {
			return j + 1
		}
		return j
	}
	from := func(start matched) int {
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
				for e := range c.Model.Transitions() {
					if e.From != m.s || !allowed(m.place, e) {
						continue
					}
					to := place{e.To, advance(m.j, e.Label)}
					set(matched{to, m.i}, d+1)
					if m.i < len(steps) && steps[m.i].Label == e.Label {
						set(matched{to, after(m.i)}, d)
					}
				}
			}
		}
		best := -1
		for m, d := range cost {
			if m.j == len(c.Steps) && (best < 0 || d < best) {
				best = d
			}
		}
		return best
	}
	at, edits := place{c.Model.Initial(), 0}, from(matched{place{c.Model.Initial(), 0}, 0})
	if edits < 0 {
		return 0, 0, false
	}
	fork = 0
	i := 0
	for k := 1; k <= (len(c.Steps)+1)*(len(steps)+1) && i < len(steps); k++ {
		if !allowed(at, steps[i]) {
			break
		}
		at = place{steps[i].To, advance(at.j, steps[i].Label)}
		i = after(i)
		if from(matched{at, i}) == edits && k <= len(steps) {
			fork = k
		}
	}
	return edits, fork, true
}

// checkNearest compares a nearest run with brute force.
func checkNearest(c randomlts.Case, mask uint) (bool, error) {
	ctx := context.Background()
	formula, err := actl.Parse(ctx, c.Formula)
	if err != nil {
		return false, err
	}
	p, _, err := formula.Bind(ctx, c.Model.Alphabet())
	if err != nil {
		return false, err
	}
	found, err := counterexample.Shortest(ctx, c.Model, p, counterexample.Options{})
	if err != nil || found.Trace == nil {
		return false, err
	}
	trace := found.Trace
	forced := func(l lts.Label) bool { return mask>>(l%8)&1 != 0 }
	r, err := repair.Find(ctx, c.Model, p, repair.Options{Controllable: func(l lts.Label) bool { return !forced(l) }})
	if err != nil {
		return false, err
	}
	d, err := r.Nearest(ctx, trace, nil, 0)
	if err != nil {
		return false, err
	}
	never := map[edge]bool{}
	for _, g := range r.Never {
		for _, j := range g.Progress {
			never[edge{from: place{g.Transition.From, j}, to: place{s: g.Transition.To}, label: g.Transition.Label}] = true
		}
	}
	allowed := func(at place, e lts.Transition) bool {
		return !never[edge{from: at, to: place{s: e.To}, label: e.Label}]
	}
	edits, fork, is := fewestEdits(c, trace, allowed)
	if (d != nil) != is {
		return true, fmt.Errorf("a correct run: %t, want %t", d != nil, is)
	}
	if d == nil {
		return true, nil
	}
	// Rounds of the loop that change nothing are left out.
	loop, loops := trace.LoopStart()
	if d.Edits != edits || d.Fork < fork && (!loops || d.Fork < loop) {
		return true, fmt.Errorf("%d edits after %d common steps, want %d after %d: %+v", d.Edits, d.Fork, edits, fork, d)
	}
	if err := checkDiff(c, trace, d); err != nil {
		return true, err
	}
	return true, checkNear(r, trace, d.Edits, d.Edits, func(near *repair.Diff) error { return checkDiff(c, trace, near) })
}

// checkNear checks that what is found at the limit is correct, not nearer than any correct run, and as near as
// the one without a limit unless it says that it may not be.
func checkNear(r *repair.Repair, t *counterexample.Trace, least, nearest int, check func(*repair.Diff) error) error {
	for _, limit := range []int64{1, 10, 30} {
		d, err := r.Nearest(context.Background(), t, nil, limit)
		switch {
		case errors.Is(err, repair.ErrTooFar):
			continue
		case err != nil || d == nil:
			return fmt.Errorf("limit %d: no run is found, but the nearest: %v", limit, err)
		case d.Edits < least || !d.Near && d.Edits > nearest:
			return fmt.Errorf("limit %d: %d edits, near: %t; the nearest has %d", limit, d.Edits, d.Near, nearest)
		}
		if err := check(d); err != nil {
			return fmt.Errorf("limit %d: %w", limit, err)
		}
	}
	return nil
}

// checkDiff checks that a diff is one of these runs, and that its run does all steps with
// its last transition.
func checkDiff(c randomlts.Case, t *counterexample.Trace, d *repair.Diff) error {
	steps, err := replays(t, d)
	if err != nil {
		return err
	}
	at := place{c.Model.Initial(), 0}
	for k, e := range steps {
		if at.j == len(c.Steps) {
			return fmt.Errorf("done before step %d", k)
		}
		found := false
		for x := range c.Model.Transitions() {
			found = found || x == e
		}
		if !found || e.From != at.s {
			return fmt.Errorf("step %d is not of the model", k)
		}
		at.s = e.To
		if c.Steps[at.j][e.Label] {
			at.j++
		}
	}
	if last := d.Steps[len(d.Steps)-1]; at.j != len(c.Steps) || last.Progress != at.j {
		return fmt.Errorf("%d steps are done", at.j)
	}
	return nil
}

// TestNearestAgainstBruteForce compares nearest correct runs with all.
func TestNearestAgainstBruteForce(t *testing.T) {
	compared := 0
	for seed := range randomlts.Share(5_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 12, Labels: 4, Steps: 3})
		ok, err := checkNearest(c, uint(seed%7)&uint(seed>>3))
		if err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
		if ok {
			compared++
		}
	}
	if randomlts.Whole() && compared < 2_000 {
		t.Errorf("only %d compared", compared)
	}
}

// fewestEditsAt returns the smallest number of edits of the correct runs that take another transition instead of a step i
// with at[i] in the first round of the loop, and do not return to where they could have left then. If there is none, the
// first such step may be in any round. It is -1 if there is still none.
func fewestEditsAt(c randomlts.Case, t *counterexample.Trace, allowed func(place, lts.Transition) bool, at []bool) int {
	inFirstRound := fewestEditsWithin(c, t, allowed, at, t.Len())
	if inFirstRound >= 0 {
		return inFirstRound
	}
	return fewestEditsWithin(c, t, allowed, at, math.MaxInt)
}

// fewestEditsWithin is [fewestEditsAt] for the runs that leave among the first so many steps, counted over the rounds.
func fewestEditsWithin(c randomlts.Case, t *counterexample.Trace, allowed func(place, lts.Transition) bool, at []bool, first int) int {
	steps := t.Steps()
	loop, isLoop := t.LoopStart()
	after := func(i int) int {
		if isLoop && i+1 == len(steps) {
			return loop
		}
		return i + 1
	}
	next := func(m matched, e lts.Transition) place {
		if m.j < len(c.Steps) && c.Steps[m.j][e.Label] {
			return place{e.To, m.j + 1}
		}
		return place{e.To, m.j}
	}
	along := map[matched]bool{}
	now := matched{place{c.Model.Initial(), 0}, 0}
	var leaves []matched
	for now.i < len(steps) && !along[now] && len(along) < first {
		along[now] = true
		if at[now.i] {
			leaves = append(leaves, now)
		}
		if !allowed(now.place, steps[now.i]) {
			break
		}
		now = matched{next(now, steps[now.i]), after(now.i)}
	}
	cost := map[matched]int{}
	set := func(m matched, d int) bool {
		old, known := cost[m]
		if slices.Contains(leaves, m) || known && old <= d {
			return false
		}
		cost[m] = d
		return true
	}
	for _, m := range leaves {
		for e := range c.Model.Transitions() {
			if e.From != m.s || e == steps[m.i] || !allowed(m.place, e) {
				continue
			}
			set(matched{next(m, e), m.i}, 1)
			i := m.i
			for removed := 0; i < len(steps) && removed <= 2*len(steps); removed++ {
				if steps[i].Label == e.Label {
					set(matched{next(m, e), after(i)}, removed)
				}
				i = after(i)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for m, d := range cost {
			if m.i < len(steps) && set(matched{m.place, after(m.i)}, d+1) {
				changed = true
			}
			for e := range c.Model.Transitions() {
				if e.From != m.s || !allowed(m.place, e) {
					continue
				}
				changed = set(matched{next(m, e), m.i}, d+1) || changed
				if m.i < len(steps) && steps[m.i].Label == e.Label {
					changed = set(matched{next(m, e), after(m.i)}, d) || changed
				}
			}
		}
	}
	best := -1
	for m, d := range cost {
		if m.j == len(c.Steps) && (best < 0 || d < best) {
			best = d
		}
	}
	return best
}

// TestNearestAtAgainstBruteForce: the nearest run among those that leave at certain steps has as few edits as any, and leaves
// at one of them.
func TestNearestAtAgainstBruteForce(t *testing.T) {
	found, none := 0, 0
	for seed := range randomlts.Share(5_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 12, Labels: 4, Steps: 2})
		p := bind(t, c.Model, c.Formula)
		shortest, err := counterexample.Shortest(t.Context(), c.Model, p, counterexample.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if shortest.Trace == nil {
			continue
		}
		r, err := repair.Find(t.Context(), c.Model, p, repair.Options{})
		if err != nil {
			t.Fatal(err)
		}
		never := map[edge]bool{}
		for _, g := range r.Never {
			for _, j := range g.Progress {
				never[edge{from: place{g.Transition.From, j}, to: place{s: g.Transition.To}, label: g.Transition.Label}] = true
			}
		}
		allowed := func(at place, e lts.Transition) bool {
			return !never[edge{from: at, to: place{s: e.To}, label: e.Label}]
		}
		at := make([]bool, shortest.Trace.Len())
		for i := range at {
			at[i] = seed>>(i%5)&1 != 0
		}
		d, err := r.NearestAt(t.Context(), shortest.Trace, nil, at, 0)
		if err != nil {
			t.Fatal(err)
		}
		want := fewestEditsAt(c, shortest.Trace, allowed, at)
		if (d != nil) != (want >= 0) || d != nil && d.Edits != want {
			t.Fatalf("seed %d:\n%s\n%+v, want %d edits at %v", seed, c, d, want, at)
		}
		if d == nil {
			none++
			continue
		}
		found++
		loop, loops := shortest.Trace.LoopStart()
		fork := d.Fork
		if loops && fork >= len(at) {
			fork = loop + (fork-loop)%(len(at)-loop)
		}
		if !at[fork] {
			t.Fatalf("seed %d:\n%s\nit leaves after %d steps, and may leave at %v", seed, c, d.Fork, at)
		}
		if err := checkDiff(c, shortest.Trace, d); err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
	}
	if randomlts.Whole() && (found < 200 || none < 200) {
		t.Errorf("%d found, %d none", found, none)
	}
}

// TestNearestShrinking is the same with cases that shrink.
func TestNearestShrinking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomlts.Generator(randomlts.Size{States: 4, Transitions: 7, Labels: 3, Steps: 2}).Draw(t, "case")
		if _, err := checkNearest(c, rapid.UintRange(0, 15).Draw(t, "uncontrollable")); err != nil {
			t.Fatal(err)
		}
	})
}

// TestNearestKnown: a correct run beside the one that goes wrong, of well-known models.
func TestNearestKnown(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct{ model, formula, want string }{
		{"examples/travel/travel.aut", "Inev(BOOKING_REC, TICKET_REC)", "  REQUEST_EM,   REQUEST_REC, - REFUSAL_EM, - REFUSAL_REC, + ACCEPTANCE_EM, + ACCEPTANCE_REC, + PAYMENT_EM, + BOOKING_EM, " +
			"+ PAYMENT_REC, + RECEIPT_EM, + RECEIPT_REC, + BOOKING_REC, + INVOICE_EM, + TICKET_EM, + TICKET_REC; 11 edits, fork after 2"},
		{"examples/abp/abp.aut", "Inev(PUT)", "  TIMEOUT,   RACK1, - LOSS, + PUT; 1 edits, fork after 2"},
		{"examples/election/lossy.aut", "Inev(LEADER)", "  START !0,   RECEIVE !2 !0,   RECEIVE !1 !2, - LOSE !1 !2, + RECEIVE !0 !2, + RECEIVE !2 !2, + LEADER !2; 3 edits, fork after 3"},
	} {
		m := open(t, c.model)
		p := bind(t, m, c.formula)
		found, err := counterexample.Shortest(ctx, m, p, counterexample.Options{})
		if err != nil {
			t.Fatal(err)
		}
		trace := found.Trace
		r := find(t, m, c.formula, repair.Options{})
		d, err := r.Nearest(ctx, trace, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		for _, e := range d.Steps {
			told = append(told, string(e.Op)+" "+m.Alphabet().Text(e.Transition.Label))
		}
		if got := fmt.Sprintf("%s; %d edits, fork after %d", strings.Join(told, ", "), d.Edits, d.Fork); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.model, c.formula, got, c.want)
		}
		if near, err := r.Nearest(ctx, trace, nil, 1); err != nil || !near.Near || near.Edits < d.Edits {
			t.Errorf("%s %s: near %+v, %v", c.model, c.formula, near, err)
		}
	}
}

// TestHopeless: where no run is correct, the search for the nearest one ends at once, however
// long the other one is; and with a limit, too.
func TestHopeless(t *testing.T) {
	ctx := context.Background()
	for _, formula := range []string{"Response(A; C)", "Inev(A, C)"} {
		var b lts.Builder
		labels := []lts.Label{b.Label("A"), b.Label("B")}
		const states = 3000
		for s := range lts.State(states) {
			b.Add(s, labels[s%2], (s+1)%states)
		}
		b.Add(states, b.Label("C"), states)
		m, err := b.Build(0, states+1)
		if err != nil {
			t.Fatal(err)
		}
		found, err := counterexample.Shortest(ctx, m, bind(t, m, formula), counterexample.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := find(t, m, formula, repair.Options{})
		if d, err := r.Nearest(ctx, found.Trace, nil, 1); d != nil || err != nil {
			t.Errorf("%s: %+v, %v", formula, d, err)
		}
	}
}

// TestNearestOnTorus: of many runs that order the same steps otherwise, the search visits few.
func TestNearestOnTorus(t *testing.T) {
	const width, looks = 100, 200_000
	var b lts.Builder
	right, down, goal := b.Label("right"), b.Label("down"), b.Label("goal")
	for y := range lts.State(width) {
		for x := range lts.State(width) {
			b.Add(y*width+x, right, y*width+(x+1)%width)
			below := down
			if x == width-1 && y == width-1 {
				below = goal
			}
			b.Add(y*width+x, below, (y+1)%width*width+x)
		}
	}
	m, err := b.Build(0, width*width)
	if err != nil {
		t.Fatal(err)
	}
	found, err := counterexample.Shortest(t.Context(), m, bind(t, m, "Inev(goal)"), counterexample.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := find(t, m, "Inev(goal)", repair.Options{})
	d, err := r.Nearest(t.Context(), found.Trace, nil, looks)
	if err != nil {
		t.Fatal(err)
	}
	// The correct run also takes the steps to the right, and inserts those down, the last of which is goal.
	if d.Near || d.Edits != width {
		t.Errorf("%d edits, want %d; near: %t", d.Edits, width, d.Near)
	}
}
