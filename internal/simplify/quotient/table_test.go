package quotient_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/simplify/quotient"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// inTables are properties over the labels of models with six labels and no chains.
var inTables = []string{
	"Response(l0; l1)", "Response(l0; l1, l2)", "Response(l0; l1; after l2 until l3)", "Never(l0, l1)", "Precedes(l0; l1; before l2)",
	"Always({l0, l1, l2})", "AtMost(1; l0; between l1 and l2)", "DeadlockFree", "Inev(l0, l1; after l2)", "Inev(l0; after l1 until l2)",
	"G (l0 -> F l1)", "l0 U l1", "G F l0 -> G F l1", "F G l0", "X l0", "(F l0) && G !l1", "G (l0 -> X l1)", "F G !l0 || G F l1",
}

func boundTable(t testing.TB, m *lts.LTS, text string) *property.Property {
	t.Helper()
	f, err := formula.Parse(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := f.Bind(context.Background(), m.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// randomTable returns an automaton of which some letters often stay in each state.
func randomTable(r *rand.Rand, a *lts.Alphabet) property.Automaton {
	const colours = 2
	letters, states := 1+r.IntN(4), 1+r.IntN(3)
	t := property.Automaton{Columns: letters, Stop: make([]bool, states), Letters: make([]uint16, a.Len())}
	for l := range t.Letters {
		t.Letters[l] = uint16(r.IntN(letters))
	}
	stays := make([]bool, letters)
	for l := range stays {
		stays[l] = r.IntN(2) == 0
	}
	for q := range states {
		t.Stop[q] = r.IntN(2) == 0
		for l := range letters {
			to := property.Q(r.IntN(states))
			if stays[l] {
				to = property.Q(q)
			}
			t.Next, t.Marks = append(t.Next, to), append(t.Marks, property.Marks(r.IntN(1<<colours)))
		}
	}
	leaves := []property.Acceptance{property.Inf(0), property.Fin(0), property.Inf(1), property.Fin(1)}
	leaf := func() property.Acceptance { return leaves[r.IntN(len(leaves))] }
	t.Acceptance = []property.Acceptance{leaf(), property.Any(leaf(), leaf()), property.All(leaf(), leaf())}[r.IntN(3)]
	return t
}

// keptOfTable checks (1) to (4) of the package comment for a quotient by brute force.
func keptOfTable(q *quotient.Quotient, p *property.Property, classes bool) error {
	model, quot := oracle.NewGeneral(q.Model(), fromproperty.Automaton(p)), oracle.NewGeneral(q.LTS(), fromproperty.Automaton(q.Property()))
	for b := range lts.State(q.LTS().NumStates()) {
		for at := range p.States() {
			reached := false
			for _, s := range q.States(b) {
				if !model.Reached(s, at) {
					continue
				}
				reached = true
				if !quot.Reached(b, at) {
					return fmt.Errorf("state %d is reached with %d, its block %d is not", s, at, b)
				}
				accept, reject := model.Can(s, at)
				inBlock, notInBlock := quot.Can(b, at)
				if accept != inBlock || reject != notInBlock {
					return fmt.Errorf("%d·%d can %v %v, its block %d can %v %v", s, at, accept, reject, b, inBlock, notInBlock)
				}
			}
			if reached != quot.Reached(b, at) {
				return fmt.Errorf("block %d is reached with %d: %v, some state of it: %v", b, at, quot.Reached(b, at), reached)
			}
		}
	}
	of := make(map[lts.Transition]map[oracle.Class]bool)
	for t := range q.Model().Transitions() {
		from, reachable := q.Block(t.From)
		if !reachable {
			continue
		}
		to, _ := q.Block(t.To)
		image := lts.Transition{From: from, Label: q.Label(t.Label), To: to}
		if of[image] == nil {
			of[image] = map[oracle.Class]bool{}
		}
		of[image][model.Class(t)] = true
	}
	for t := range q.LTS().Transitions() {
		if quot.Class(t) != join(of[t]) || classes && len(of[t]) != 1 {
			return fmt.Errorf("%v is %s, and stands for %v", t, quot.Class(t), of[t])
		}
	}
	return nil
}

func checkTable(t testing.TB, m *lts.LTS, p *property.Property) (merged int, err error) {
	c, err := scc.Find(context.Background(), m, "")
	if err != nil {
		t.Fatal(err)
	}
	f, err := fate.Compute(context.Background(), c, p, enrich.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, merge := range []bool{false, true} {
		o := quotient.Options{MergeLabels: merge}
		q, err := quotient.ForProperty(context.Background(), m, p, o)
		if err == nil {
			err = keptOfTable(q, p, false)
		}
		if err != nil {
			return 0, fmt.Errorf("for the property, labels merged: %v: %w", merge, err)
		}
		finer, err := quotient.ForClasses(context.Background(), f, o)
		if err == nil {
			err = keptOfTable(finer, p, true)
		}
		if err != nil {
			return 0, fmt.Errorf("for classes, labels merged: %v: %w", merge, err)
		}
		if finer.LTS().NumStates() < q.LTS().NumStates() {
			return 0, fmt.Errorf("the quotient for classes is smaller")
		}
		merged += m.Reachable().NumStates() - finer.LTS().NumStates()
	}
	return merged, nil
}

// TestTablesAreKept: quotients keep properties that are no chains, on random models.
func TestTablesAreKept(t *testing.T) {
	cases := randomlts.Share(3_000)
	merged, silent := 0, 0
	for seed := range cases {
		r := rand.New(rand.NewPCG(seed, 14))
		c := randomlts.Seeded(seed, randomlts.Size{States: 7, Transitions: 14, Labels: 6, Steps: 1})
		m := renamed(t, c.Model)
		text := inTables[seed%uint64(len(inTables))]
		p := boundTable(t, m, text)
		if seed%3 == 0 {
			table := randomTable(r, m.Alphabet())
			var err error
			if p, err = property.Table(m.Alphabet(), table); err != nil {
				t.Fatal(err)
			}
			text = fmt.Sprintf("%+v", table)
		}
		n, err := checkTable(t, m, p)
		if err != nil {
			t.Fatalf("seed %d: %s\n%s\n%v", seed, text, c, err)
		}
		of, err := product.Silent(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if merged += n; slices.Contains(of, true) {
			silent++
		}
	}
	if merged < int(cases) || silent < int(cases)/3 {
		t.Errorf("%d states merged and silent labels in %d of %d cases: the test tries too little", merged, silent, cases)
	}
}

// renamed returns a model with labels l0, l1, ….
func renamed(t testing.TB, m *lts.LTS) *lts.LTS {
	t.Helper()
	var b lts.Builder
	for l := range m.Alphabet().All() {
		b.Label(fmt.Sprintf("l%d", l))
	}
	for l := m.Alphabet().Len(); l < 6; l++ {
		b.Label(fmt.Sprintf("l%d", l))
	}
	for tr := range m.Transitions() {
		b.Add(tr.From, tr.Label, tr.To)
	}
	n, err := b.Build(m.Initial(), m.NumStates())
	if err != nil {
		t.Fatal(err)
	}
	return n
}
