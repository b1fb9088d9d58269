package product_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// drawTable returns a model and a table of so many states. Where the table is lazy, most
// letters leave its states where they are, so that few places are reached.
func drawTable(t *testing.T, r *rand.Rand, states, q int, lazy bool) (*lts.LTS, *property.Property) {
	t.Helper()
	const labels = 4
	var b lts.Builder
	for l := range labels {
		b.Label(fmt.Sprint(l))
	}
	for s := range lts.State(states) {
		for range r.IntN(4) {
			b.Add(s, lts.Label(r.IntN(labels)), lts.State(r.IntN(states)))
		}
		if s > 0 {
			b.Add(lts.State(r.IntN(int(s))), lts.Label(r.IntN(labels)), s)
		}
	}
	m, err := b.Build(0, states)
	if err != nil {
		t.Fatal(err)
	}
	a := property.Automaton{Letters: []uint16{0, 1, 2, 0}, Columns: 3, Stop: make([]bool, q), Acceptance: property.Inf(0)}
	for i := range q * a.Columns {
		to := property.Q(r.IntN(q))
		if lazy && r.IntN(20) > 0 {
			to = property.Q(i / a.Columns)
		}
		a.Next, a.Marks = append(a.Next, to), append(a.Marks, property.Marks(r.IntN(2)))
	}
	p, err := property.Table(m.Alphabet(), a)
	if err != nil {
		t.Fatal(err)
	}
	return m, p
}

// TestPlaces compares the product of models and tables with one that is searched by a map:
// places in rows, as sets, and where the property has many states.
func TestPlaces(t *testing.T) {
	for seed := range randomlts.Share(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		m, p := drawTable(t, r, 1+r.IntN(40), []int{1, 2, 9, 16, 63, 64, 65, 300}[r.IntN(8)], r.IntN(2) == 0)
		u, err := product.Unfold(context.Background(), m, p)
		if err != nil {
			t.Fatal(err)
		}
		productStates := []product.State{{State: m.Initial(), Q: p.Initial()}}
		number := map[product.State]lts.State{productStates[0]: 0}
		for i := 0; i < len(productStates); i++ {
			labels, targets := m.Out(productStates[i].State)
			got, to := u.LTS().Out(lts.State(i))
			if !slices.Equal(slices.Collect(got.All()), slices.Collect(labels.All())) {
				t.Fatalf("seed %d: state %d has labels %v, want %v", seed, i, got, labels)
			}
			for k, s := range targets {
				at := product.State{State: s, Q: p.Next(productStates[i].Q, labels.At(k))}
				if _, known := number[at]; !known {
					number[at] = lts.State(len(productStates))
					productStates = append(productStates, at)
				}
				if to[k] != number[at] {
					t.Fatalf("seed %d: a transition leads from %d to %d, want %d", seed, i, to[k], number[at])
				}
			}
		}
		if u.LTS().NumStates() != len(productStates) || u.IsCut() {
			t.Fatalf("seed %d: %d states, want %d", seed, u.LTS().NumStates(), len(productStates))
		}
		checkPlaces(t, u, m, p, number)
		checkCopies(t, u, m, p, number)
	}
}

func checkPlaces(t *testing.T, u *product.Unfolding, m *lts.LTS, p *property.Property, number map[product.State]lts.State) {
	t.Helper()
	for s := range lts.State(m.NumStates()) {
		var of []lts.State
		for q := range property.Q(p.States() + 2) {
			at := product.State{State: s, Q: q}
			want, reached := number[at]
			if got, found := u.Find(at); found != reached || reached && (got != want || u.At(got) != at) {
				t.Fatalf("%v is state %d (%t), want %d (%t)", at, got, found, want, reached)
			}
			if reached {
				of = append(of, want)
			}
		}
		slices.Sort(of)
		slices.Reverse(of)
		if got := slices.Collect(u.Unfolded(s)); !slices.Equal(got, of) {
			t.Fatalf("the productStates of state %d are %v, want %v", s, got, of)
		}
	}
}

func checkCopies(t *testing.T, u *product.Unfolding, m *lts.LTS, p *property.Property, number map[product.State]lts.State) {
	t.Helper()
	for step := range m.Transitions() {
		want := []lts.State{7}
		for q := range property.Q(p.States()) {
			if _, reached := number[product.State{State: step.From, Q: q}]; reached {
				want = append(want, number[product.State{State: step.To, Q: p.Next(q, step.Label)}])
			}
		}
		got := u.AppendCopies([]lts.State{7}, step.From, step.Label, step.To)
		slices.Sort(got[1:])
		slices.Sort(want[1:])
		if !slices.Equal(got, want) {
			t.Fatalf("the copies of %v lead to %v, want %v", step, got, want)
		}
	}
}

// TestComponents: the components of products are those that are found without the model.
func TestComponents(t *testing.T) {
	around := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 4))
		m, p := drawTable(t, r, 200+r.IntN(800), 2+r.IntN(20), r.IntN(2) == 0)
		u, err := product.Unfold(context.Background(), m, p)
		if err != nil {
			t.Fatal(err)
		}
		got, err := u.Components(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if m.HasPredecessors() {
			around++
		}
		want, err := scc.Find(context.Background(), u.LTS(), "iterative")
		if err != nil {
			t.Fatal(err)
		}
		if got.Len() != want.Len() {
			t.Fatalf("seed %d: %d components, want %d", seed, got.Len(), want.Len())
		}
		for c := range scc.Component(want.Len()) {
			if !slices.Equal(got.States(c), want.States(c)) || got.Depth(c) != want.Depth(c) || got.IsCyclic(c) != want.IsCyclic(c) {
				t.Fatalf("seed %d: component %d is %v, want %v", seed, c, got.States(c), want.States(c))
			}
		}
		for s := range lts.State(u.LTS().NumStates()) {
			of, _ := got.Of(s)
			if wanted, _ := want.Of(s); of != wanted || got.Leaves(s) != want.Leaves(s) {
				t.Fatalf("seed %d: state %d is in component %d, want %d", seed, s, of, wanted)
			}
		}
	}
	if around < 20 {
		t.Errorf("%d products of 60 were gone back in", around)
	}
}

// TestProductsAskForMemory: what goes through all places asks before it takes tables.
func TestProductsAskForMemory(t *testing.T) {
	m, p := drawTable(t, rand.New(rand.NewPCG(1, 5)), 80_000, 2, false)
	u, err := product.Unfold(context.Background(), m, p)
	if err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func(context.Context) error{
		"unfold":     func(ctx context.Context) error { _, err := product.Unfold(ctx, m, p); return err },
		"components": func(ctx context.Context) error { _, err := u.Components(ctx); return err },
	} {
		budget := resources.NewBudget(resources.Limit{Bytes: 1, By: "allowed by a test"}, nil)
		ctx, leave := resources.Join(budget.With(context.Background()))
		var exceeded *resources.ExceededError
		if err := do(ctx); !errors.As(err, &exceeded) {
			t.Errorf("%s: %v", name, err)
		}
		leave()
	}
}
