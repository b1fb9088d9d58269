package quotient_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/simplify/quotient"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// dense is a size at which most models have several ways between states.
func dense() randomlts.Size { return randomlts.Size{States: 8, Transitions: 24, Labels: 3, Steps: 3} }

// large is a size at which blocks are large enough to be split by either half.
func large() randomlts.Size {
	return randomlts.Size{States: 30, Transitions: 70, Labels: 4, Steps: 3}
}

// read returns the model of .aut text.
func read(t testing.TB, text string) *lts.LTS {
	t.Helper()
	m, _, err := aut.Read(context.Background(), strings.NewReader(text), aut.Options{Name: "model.aut"})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// text returns a model as .aut text.
func text(t testing.TB, m *lts.LTS) string {
	t.Helper()
	var b strings.Builder
	if _, err := aut.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// hiding returns what selects labels by their texts.
func hiding(m *lts.LTS, texts ...string) func(lts.Label) bool {
	return func(l lts.Label) bool { return slices.Contains(texts, m.Alphabet().Text(l)) }
}

func divided(t testing.TB, m *lts.LTS, hidden ...string) *quotient.Quotient {
	t.Helper()
	q, err := quotient.New(context.Background(), m, hiding(m, hidden...))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// sameBlocks tells how the blocks differ from the classes of a relation; nil
// where they are the same.
func sameBlocks(q *quotient.Quotient, related [][]bool) error {
	for s := range related {
		b, reachable := q.Block(lts.State(s))
		if reachable != related[s][s] {
			return fmt.Errorf("state %d has a block: %v", s, reachable)
		}
		for t := range related {
			c, other := q.Block(lts.State(t))
			if merged := reachable && other && b == c; merged != related[s][t] {
				return fmt.Errorf("states %d and %d are merged: %v, equivalent: %v", s, t, merged, related[s][t])
			}
		}
	}
	return nil
}

// checkNew compares the quotient with the relation that is computed naively, for
// every set of hidden labels.
func checkNew(m *lts.LTS) error {
	for set := range 1 << m.Alphabet().Len() {
		hides := func(l lts.Label) bool { return set>>l&1 != 0 }
		q, err := quotient.New(context.Background(), m, hides)
		if err != nil {
			return err
		}
		related, err := bisimilar(m, hides, true, nil)
		if err == nil {
			err = errors.Join(sameBlocks(q, related), sameTransitions(q, hides))
		}
		if err != nil {
			return fmt.Errorf("hidden labels %b: %w", set, err)
		}
	}
	return nil
}

// sameTransitions compares the transitions of the quotient, how many each stands
// for, and the lists of states with what the blocks say.
func sameTransitions(q *quotient.Quotient, hides func(lts.Label) bool) error {
	m := q.Model()
	want := make(map[lts.Transition]int)
	tau, _ := q.Tau()
	for t := range m.Transitions() {
		b, reachable := q.Block(t.From)
		if !reachable {
			continue
		}
		c, _ := q.Block(t.To)
		if hides(t.Label) && q.Label(t.Label) != tau {
			return fmt.Errorf("label %d is hidden, and has the number %d", t.Label, q.Label(t.Label))
		}
		if b != c || !hides(t.Label) || q.IsDivergent(b) {
			want[lts.Transition{From: b, Label: q.Label(t.Label), To: c}]++
		}
	}
	if len(want) != q.LTS().NumTransitions() {
		return fmt.Errorf("%d transitions, want %d", q.LTS().NumTransitions(), len(want))
	}
	row := 0
	for t := range q.LTS().Transitions() {
		if want[t] != q.Represented(row) || want[t] == 0 {
			return fmt.Errorf("%v stands for %d transitions, want %d", t, q.Represented(row), want[t])
		}
		row++
	}
	smallest := -1
	for b := range q.LTS().NumStates() {
		states := q.States(lts.State(b))
		if len(states) != q.NumMerged(lts.State(b)) || !slices.IsSorted(states) || int(states[0]) <= smallest {
			return fmt.Errorf("block %d has the states %v, the one before it began with %d", b, states, smallest)
		}
		smallest = int(states[0])
		for _, s := range states {
			if c, ok := q.Block(s); !ok || int(c) != b {
				return fmt.Errorf("state %d is listed in block %d, and lies in %d", s, b, c)
			}
		}
		labels, targets := q.LTS().Out(lts.State(b))
		loops := false
		for i := range labels.Len() {
			l := labels.At(i)
			loops = loops || isHidden(q, l) && int(targets[i]) == b
		}
		if loops != q.IsDivergent(lts.State(b)) {
			return fmt.Errorf("block %d has a hidden loop: %v, is divergent: %v", b, loops, q.IsDivergent(lts.State(b)))
		}
	}
	if b, _ := q.Block(m.Initial()); b != q.LTS().Initial() {
		return fmt.Errorf("the initial block is %d, want %d", q.LTS().Initial(), b)
	}
	return nil
}

func isHidden(q *quotient.Quotient, l lts.Label) bool {
	tau, hides := q.Tau()
	return hides && l == tau
}

func TestBlocksAreTheBisimulation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if err := checkNew(randomlts.Generator(dense()).Draw(t, "case").Model); err != nil {
			t.Fatal(err)
		}
	})
}

func TestBlocksAreTheBisimulationInBulk(t *testing.T) { inBulk(t, 10_000, dense()) }

func TestBlocksAreTheBisimulationOnLargeModels(t *testing.T) { inBulk(t, 300, large()) }

func inBulk(t *testing.T, cases uint64, size randomlts.Size) {
	for seed := range randomlts.Share(cases) {
		c := randomlts.Seeded(seed, size)
		if err := checkNew(c.Model); err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
	}
}

// TestQuotientOfQuotient: nothing is left to merge.
func TestQuotientOfQuotient(t *testing.T) {
	for seed := range randomlts.Share(500) {
		c := randomlts.Seeded(seed, large())
		q := divided(t, c.Model, "A", "B")
		tau, hides := q.Tau()
		again, err := quotient.New(context.Background(), q.LTS(), func(l lts.Label) bool { return hides && l == tau })
		if err != nil {
			t.Fatal(err)
		}
		if got, want := text(t, again.LTS()), text(t, q.LTS()); got != want {
			t.Fatalf("seed %d:\n%s\nits quotient\n%s\nand that one's\n%s", seed, c, want, got)
		}
	}
}

func TestLabels(t *testing.T) {
	m := read(t, `des (1,4,4)
(0,"UNREACHED",1)
(1,"i",2)
(2,"B",3)
(3,"A",1)
`)
	for _, c := range []struct {
		hidden []string
		want   string
		tau    string
	}{
		{nil, "des (0,3,3)\n(0,\"i\",1)\n(1,\"B\",2)\n(2,\"A\",0)\n", ""},
		{[]string{"B"}, "des (0,2,2)\n(0,\"i\",1)\n(1,\"A\",0)\n", "tau"},
		{[]string{"i"}, "des (0,2,2)\n(0,\"B\",1)\n(1,\"A\",0)\n", "i"},
		{[]string{"i", "A", "B"}, "des (0,1,1)\n(0,\"i\",0)\n", "i"},
		{[]string{"UNREACHED"}, "des (0,3,3)\n(0,\"i\",1)\n(1,\"B\",2)\n(2,\"A\",0)\n", "tau"},
	} {
		q := divided(t, m, c.hidden...)
		if got := strings.ReplaceAll(text(t, q.LTS()), ", ", ","); got != c.want {
			t.Errorf("hiding %q: %s\nwant %s", c.hidden, got, c.want)
		}
		if _, ok := q.Block(0); ok {
			t.Error("the unreachable state has a block")
		}
		if _, ok := q.Block(4); ok {
			t.Error("a state that there is not has a block")
		}
		tau, hides := q.Tau()
		if hides != (c.tau != "") || hides && q.LTS().Alphabet().Text(tau) != c.tau {
			t.Errorf("hiding %q: a hidden label: %v, number %d", c.hidden, hides, tau)
		}
		if q.Property() != nil {
			t.Error("a property of no one")
		}
	}
}

// TestDeadlockIsNoDivergence: three states that can do nothing visible.
func TestDeadlockIsNoDivergence(t *testing.T) {
	q := divided(t, read(t, `des (0,5,5)
(0,"A",1)
(0,"A",2)
(0,"A",3)
(2,"i",2)
(3,"i",4)
`), "i")
	block := func(s lts.State) lts.State { b, _ := q.Block(s); return b }
	if block(1) == block(2) || block(1) != block(3) || block(3) != block(4) {
		t.Errorf("blocks %d, %d, %d, %d of states 1 to 4", block(1), block(2), block(3), block(4))
	}
	if !q.IsDivergent(block(2)) || q.IsDivergent(block(1)) {
		t.Error("divergence of the wrong block")
	}
}

// stopped is a context that is done when it has been asked a number of times.
type stopped struct {
	context.Context
	left int
}

func (s *stopped) Err() error {
	if s.left--; s.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestStops(t *testing.T) {
	m := chain(t, 100_000, "a", "a")
	for left := 0; ; left = 2*left + 1 {
		_, err := quotient.New(&stopped{context.Background(), left}, m, hiding(m))
		if err == nil {
			if left < 5 {
				t.Errorf("looked at the context %d times", left)
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}
