package quotient_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/simplify/quotient"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// labels is a size with many labels, so that most do no step.
func labels() randomlts.Size { return randomlts.Size{States: 9, Transitions: 24, Labels: 6, Steps: 3} }

// bound returns the property of a formula on a model.
func bound(t testing.TB, m *lts.LTS, formula string) *property.Chain {
	t.Helper()
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	bound, _, _ := f.Bind(context.Background(), m.Alphabet())
	p, _ := bound.Chain()
	return p
}

func enriched(t testing.TB, m *lts.LTS, p *property.Chain) *enrich.Enriched {
	t.Helper()
	c, err := scc.Find(context.Background(), m, "")
	if err != nil {
		t.Fatal(err)
	}
	e, err := enrich.Enrich(context.Background(), c, p, enrich.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// pair is a model and its quotient, each with its oracle.
type pair struct {
	q           *quotient.Quotient
	model, quot *oracle.Oracle
}

func newPair(q *quotient.Quotient, p *property.Chain) (*pair, error) {
	x := &pair{q: q}
	var err error
	if x.model, err = oracle.New(q.Model(), stepsOf(p)); err != nil {
		return nil, err
	}
	x.quot, err = oracle.New(q.LTS(), stepsOf(chainOf(q)))
	return x, err
}

func chainOf(q *quotient.Quotient) *property.Chain {
	p, _ := q.Property().Chain()
	return p
}

func stepsOf(p *property.Chain) []map[lts.Label]bool {
	steps := make([]map[lts.Label]bool, p.Len())
	for i := range steps {
		steps[i] = make(map[lts.Label]bool)
		for _, l := range p.Step(i + 1).Labels {
			steps[i][l] = true
		}
	}
	return steps
}

// kept checks what every quotient for a property keeps: (1) to (3) of the package
// comment.
func (x *pair) kept() error {
	if x.model.Satisfied() != x.quot.Satisfied() {
		return fmt.Errorf("satisfied: %v, in the quotient: %v", x.model.Satisfied(), x.quot.Satisfied())
	}
	for b := range lts.State(x.q.LTS().NumStates()) {
		cp, mp := 1<<16, 0
		for _, s := range x.q.States(b) {
			if x.model.MS(s) != x.quot.MS(b) || x.model.CS(s) != x.quot.CS(b) {
				return fmt.Errorf("suffixes of state %d: %d, %d, of its block %d: %d, %d", s, x.model.MS(s), x.model.CS(s), b, x.quot.MS(b), x.quot.CS(b))
			}
			cp, mp = min(cp, x.model.CP(s)), max(mp, x.model.MP(s))
		}
		if cp != x.quot.CP(b) || mp != x.quot.MP(b) {
			return fmt.Errorf("prefixes of block %d: %d, %d, of its states: %d, %d", b, x.quot.CP(b), x.quot.MP(b), cp, mp)
		}
	}
	classes := x.represented()
	for t := range x.q.LTS().Transitions() {
		if joined := join(classes[t]); joined != x.quot.Class(t) {
			return fmt.Errorf("%v is %s, and stands for %v", t, x.quot.Class(t), classes[t])
		}
	}
	return nil
}

// represented returns the classes of the transitions of the model for which each
// one of the quotient stands.
func (x *pair) represented() map[lts.Transition]map[oracle.Class]bool {
	classes := make(map[lts.Transition]map[oracle.Class]bool)
	for t := range x.q.Model().Transitions() {
		b, reachable := x.q.Block(t.From)
		if !reachable {
			continue
		}
		c, _ := x.q.Block(t.To)
		to := lts.Transition{From: b, Label: x.q.Label(t.Label), To: c}
		if classes[to] == nil {
			classes[to] = make(map[oracle.Class]bool)
		}
		classes[to][x.model.Class(t)] = true
	}
	return classes
}

func join(classes map[oracle.Class]bool) oracle.Class {
	if len(classes) == 1 {
		for c := range classes {
			return c
		}
	}
	return oracle.Neutral
}

// keptClasses checks what the quotient for classes keeps beside that: (4) and (5).
func (x *pair) keptClasses() error {
	for t, classes := range x.represented() {
		if len(classes) != 1 {
			return fmt.Errorf("%v stands for %v", t, classes)
		}
	}
	for _, reading := range []oracle.Reading{oracle.All, oracle.Some} {
		ofModel := x.model.Neighbourhoods(reading)
		for b, kind := range x.quot.Neighbourhoods(reading) {
			found := false
			for _, s := range x.q.States(b) {
				_, is := ofModel[s]
				found = found || is
			}
			if !found {
				return fmt.Errorf("reading %s: block %d is a neighbourhood (%s), none of its states is", reading, b, kind)
			}
		}
	}
	return nil
}

// checkProperty checks both quotients for a property, with labels merged and not.
func checkProperty(t testing.TB, c randomlts.Case) error {
	p := bound(t, c.Model, c.Formula)
	e := enriched(t, c.Model, p)
	for _, merge := range []bool{false, true} {
		o := quotient.Options{MergeLabels: merge}
		q, err := quotient.ForProperty(context.Background(), c.Model, p.Property(), o)
		if err != nil {
			return err
		}
		x, err := newPair(q, p)
		if err != nil {
			return err
		}
		if err := x.kept(); err != nil {
			return fmt.Errorf("for the property, labels merged: %v: %w", merge, err)
		}
		finer, err := quotient.ForClasses(context.Background(), fate.OfChain(e), o)
		if err != nil {
			return err
		}
		if x, err = newPair(finer, p); err != nil {
			return err
		}
		if err := x.kept(); err != nil {
			return fmt.Errorf("for classes, labels merged: %v: %w", merge, err)
		}
		if err := x.keptClasses(); err != nil {
			return fmt.Errorf("for classes, labels merged: %v: %w", merge, err)
		}
		if finer.LTS().NumStates() < q.LTS().NumStates() {
			return fmt.Errorf("the quotient for classes is smaller")
		}
	}
	return nil
}

func TestPropertyIsKept(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		if err := checkProperty(t, randomlts.Generator(labels()).Draw(r, "case")); err != nil {
			r.Fatal(err)
		}
	})
}

func TestPropertyIsKeptInBulk(t *testing.T) {
	cases := randomlts.Share(10_000)
	for seed := range cases {
		c := randomlts.Seeded(seed, labels())
		if err := checkProperty(t, c); err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
	}
}

// TestDivergenceMatters: state 0 may wait forever before A, or hurry to 1, which
// must do A. Branching bisimulation merges the two; but A is inevitable from 1
// only.
func TestDivergenceMatters(t *testing.T) {
	m := read(t, `des (0,4,3)
(0,"wait",0)
(0,"hurry",1)
(0,"A",2)
(1,"A",2)
`)
	p := bound(t, m, "Inev(A)")
	hidden := func(l lts.Label) bool { return !p.Concerns(l) }
	plain, err := bisimilar(m, hidden, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := bisimilar(m, hidden, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !plain[0][1] || exact[0][1] {
		t.Fatalf("branching bisimilar: %v, with divergence: %v", plain[0][1], exact[0][1])
	}
	// The quotient of branching bisimilarity: {0, 1} -A-> {2}.
	merged := read(t, "des (0,1,2)\n(0,\"A\",1)\n")
	if enriched(t, m, p).Holds() || !enriched(t, merged, bound(t, merged, "Inev(A)")).Holds() {
		t.Fatal("the model should violate the property, and its plain quotient satisfy it")
	}
	q, err := quotient.ForProperty(context.Background(), m, p.Property(), quotient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if q.LTS().NumStates() != 3 || enriched(t, q.LTS(), chainOf(q)).Holds() {
		t.Fatalf("the quotient forgets the divergence:\n%s", text(t, q.LTS()))
	}
}

// TestClassesNeedHistories: after A, q is free and s certain; without it, both
// are hopeless. The quotient for the property merges the histories and knows no
// correct transition any more; that for classes does.
func TestClassesNeedHistories(t *testing.T) {
	m := read(t, `des (0,8,8)
(0,"A",1)
(0,"x",2)
(1,"y",3)
(1,"z",4)
(2,"y",5)
(2,"z",6)
(3,"B",7)
(5,"B",7)
`)
	p := bound(t, m, "Inev(A, B)")
	e := enriched(t, m, p)
	coarse, err := quotient.ForProperty(context.Background(), m, p.Property(), quotient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fine, err := quotient.ForClasses(context.Background(), fate.OfChain(e), quotient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		q       *quotient.Quotient
		blocks  int
		correct int
	}{{"property", coarse, 4, 0}, {"classes", fine, 7, 2}} {
		o, err := oracle.New(c.q.LTS(), stepsOf(chainOf(c.q)))
		if err != nil {
			t.Fatal(err)
		}
		correct := 0
		for tr := range c.q.LTS().Transitions() {
			if o.Class(tr) == oracle.Correct {
				correct++
			}
		}
		if correct != c.correct || c.q.LTS().NumStates() != c.blocks {
			t.Errorf("for the %s: %d correct transitions of %d blocks, want %d of %d\n%s", c.name, correct, c.q.LTS().NumStates(), c.correct, c.blocks, text(t, c.q.LTS()))
		}
	}
}

// TestLabelsOfProperty: what labels become, and that the property finds them.
func TestLabelsOfProperty(t *testing.T) {
	const model = `des (0,6,3)
(0,"PUT !1",1)
(0,"PUT !2",1)
(0,"x",1)
(1,"GET",2)
(1,"ACK \q",2)
(2,"i",0)
`
	for _, c := range []struct {
		formula string
		merge   bool
		labels  []string
		bound   string
	}{
		{"Inev(PUT, GET)", false, []string{"PUT !1", "PUT !2", "GET", "i"}, "Inev(PUT, GET)"},
		{"Inev(PUT, GET)", true, []string{"PUT", "GET", "i"}, "Inev(PUT, GET)"},
		{"Inev(GET, i)", true, []string{"GET", "i", "tau"}, "Inev(GET, i)"},
		{`Inev("ACK \\q")`, true, []string{`ACK \q`, "i"}, `Inev("ACK \\q")`},
		{"Inev(PUT, /^P|x/)", true, []string{"PUT and /^P|x/", "x", "i"}, `Inev(PUT, /^P|x/)`},
		{"Inev(/^[A-Z]|^i_|tau|^i$/)", false, []string{"PUT !1", "PUT !2", "GET", `ACK \q`, "i", "tau"}, `Inev({"PUT !1", "PUT !2", "GET", "ACK \\q", "i"})`},
		{"Inev(MISSING, /P|ACK/)", true, []string{"/P|ACK/", "i"}, `Inev(MISSING, /P|ACK/)`},
	} {
		m := read(t, model)
		q, err := quotient.ForProperty(context.Background(), m, bound(t, m, c.formula).Property(), quotient.Options{MergeLabels: c.merge})
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, label := range q.LTS().Alphabet().All() {
			texts = append(texts, label)
		}
		want, err := actl.Parse(context.Background(), c.bound)
		if err != nil {
			t.Fatal(err)
		}
		if got := q.Property(); strings.Join(texts, ", ") != strings.Join(c.labels, ", ") || got.String() != want.String() {
			t.Errorf("%s: labels %q, formula %s\nwant %q, %s", c.formula, texts, got, c.labels, want)
		}
	}
}
