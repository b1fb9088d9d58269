package symbolic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/testing/mutation"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/modules/symbolic/aiger"
)

// randomCircuit returns a circuit of a few latches and inputs.
func randomCircuit(r *rand.Rand) *aiger.Circuit {
	b := &aiger.Builder{}
	known := []aiger.Literal{1}
	var latches []aiger.Literal
	for range r.IntN(3) {
		known = append(known, b.Input(""))
	}
	for range 1 + r.IntN(3) {
		latches = append(latches, b.Latch("", r.IntN(2) == 0))
	}
	known = append(known, latches...)
	pick := func() aiger.Literal { return known[r.IntN(len(known))] ^ aiger.Literal(r.IntN(2)) }
	for range 2 + r.IntN(6) {
		known = append(known, b.And(pick(), pick()))
	}
	for _, l := range latches {
		b.Next(l, pick())
	}
	b.Output("p", pick())
	b.Output("q", pick())
	c := b.Circuit()
	if r.IntN(3) == 0 {
		c.Constraints = append(c.Constraints, pick())
	}
	if r.IntN(3) == 0 {
		c.Latches[0].Reset = c.Latches[0].Literal
	}
	return c
}

// listed is a circuit state by state, by simulation.
type listed struct {
	m       *lts.LTS
	initial wmc.States
	in      map[string]wmc.States
}

func list(t *testing.T, c *aiger.Circuit) *listed {
	t.Helper()
	latches, inputs := len(c.Latches), len(c.Inputs)
	n := 1 << (latches + inputs)
	values := make([]aiger.Values, n)
	x := &listed{in: map[string]wmc.States{}}
	for s := range n {
		bit := func(i int) bool { return s>>i&1 != 0 }
		var l, in []bool
		for i := range latches {
			l = append(l, bit(i))
		}
		for i := range inputs {
			in = append(in, bit(latches+i))
		}
		v, err := c.Values(l, in)
		if err != nil {
			t.Fatal(err)
		}
		values[s] = v
		if c.Begins(v) && c.Meets(v) {
			x.initial = append(x.initial, lts.State(s))
		}
		for name, l := range c.Names() {
			if v.Of(l) {
				x.in[name] = append(x.in[name], lts.State(s))
			}
		}
	}
	var b lts.Builder
	step := b.Label("")
	for s, v := range values {
		for to, w := range values {
			follows := c.Meets(v) && c.Meets(w)
			for _, l := range c.Latches {
				follows = follows && v.Of(l.Next) == w.Of(l.Literal)
			}
			if follows {
				b.Add(lts.State(s), step, lts.State(to))
			}
		}
	}
	var err error
	if x.m, err = b.Build(0, n); err != nil {
		t.Fatal(err)
	}
	return x
}

var circuitFormulas = []string{
	"AG p", "EF p", "AF p", "EG p", "A[p U q]", "E[p U q]", "A[p R q]", "E[p R q]", "!EG p", "!AF p", "A[p W q]", "E[p M q]", "EF deadlock",
	"AG (p || deadlock)", "AG AF p", "p && EX q", "AG (p -> AF q)", "A[p && !q U q || deadlock]",
}

// TestCircuits compares answers about random circuits with those about their states, one by one, has
// evidence checked, and refuses it when it is changed, unless it is true all the same.
func TestCircuits(t *testing.T) {
	ctx := context.Background()
	kinds, refused, accepted := map[kind]int{}, 0, 0
	seeds := uint64(1500)
	if testing.Short() {
		seeds = 200
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 5))
		c := randomCircuit(r)
		x, err := NewCircuit(c)
		if err != nil {
			t.Fatal(err)
		}
		f := mustParse(t, circuitFormulas[r.IntN(len(circuitFormulas))])
		a, err := x.Answer(ctx, f)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		states := list(t, c)
		sets := wmc.NewExplicit(states.m, nil, func(p syntax.Predicate) (wmc.States, error) { return states.in[p.Name], nil })
		want, err := wmc.Check(ctx, sets, f.Closure(), states.initial, wmc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if a.Holds != (len(want.Bad) == 0) {
			t.Fatalf("seed %d: %s: not %t", seed, f, a.Holds)
		}
		if len(states.initial) == 0 {
			continue // nothing is claimed
		}
		var b bytes.Buffer
		err = x.WriteEvidence(&b, a)
		if errors.Is(err, ErrNested) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, f, err)
		}
		kinds[a.shownBy]++
		holds, err := Verify(ctx, c, f, bytes.NewReader(b.Bytes()))
		if err != nil || holds != a.Holds {
			t.Fatalf("seed %d: %s: %t, error %v\n%s", seed, f, holds, err, b.String())
		}
		for range 4 {
			mutant := changed(t, r, b.Bytes())
			holds, err := Verify(ctx, c, f, bytes.NewReader(mutant))
			if err != nil {
				refused++
				if strings.Contains(err.Error(), "\n") {
					t.Fatal(err)
				}
				continue
			}
			accepted++
			if holds != a.Holds {
				t.Fatalf("seed %d: %s: accepted, and false\n%s", seed, f, mutant)
			}
		}
	}
	if len(kinds) != 3 || refused < accepted {
		t.Errorf("%v, %d refused, %d accepted", kinds, refused, accepted)
	}
}

// grammar writes formulas over the names of circuits, and over others.
var grammar = mutation.Grammar{
	"formula": {
		"$name", "true", "false", "deadlock", "!$formula", "EX $formula", "AX $formula", "EF $formula", "AF $formula", "EG $formula", "AG $formula",
		"($formula && $formula)", "($formula || $formula)", "($formula -> $formula)", "$runs[$formula $until $formula]",
	},
	"runs": {"E", "A"}, "until": {"U", "R", "W", "M"},
	"name": {"p", "q", "l0", "i0", "o1", "nothing", "c0", "p=1", "p < 2"},
}

// FuzzFormulas: a formula over names of a circuit is answered as state by state, with evidence that is
// accepted; one with another name is refused, wherever that stands.
func FuzzFormulas(f *testing.F) {
	for i, derivation := range []string{"\x0a\x04\x00\x05", "\x0d\x00\x05\x00\x00", "\x04\x00\x05", "\x0c\x00\x00\x0a\x00\x07", "\x0e\x00\x00\x05\x00\x00\x01", "\x0e\x01\x00\x00\x01\x04\x00\x08"} {
		f.Add(uint64(i), []byte(derivation))
	}
	f.Fuzz(func(t *testing.T, seed uint64, derivation []byte) {
		defer mutation.Limited()()
		ctx := context.Background()
		text := grammar.Derive("formula", derivation)
		if len(text) > 1000 {
			return
		}
		c := randomCircuit(rand.New(rand.NewPCG(seed, 7)))
		x, err := NewCircuit(c)
		if err != nil {
			t.Fatal(err)
		}
		f := mustParse(t, text)
		a, err := x.Answer(ctx, f)
		if wrong := Defines(c, f); (err == nil) != (wrong == nil) {
			t.Fatalf("%s: %v, and by names %v", text, err, wrong)
		}
		evidence := `{"schema":"inev.symbolic/1","formula":` + strconv.Quote(f.String()) + `,"holds":true,"by":"set","sets":[{"nodes":[],"root":1}]}`
		if err != nil {
			if _, err := Verify(ctx, c, f, strings.NewReader(evidence)); err == nil {
				t.Fatalf("%s: evidence is accepted", text)
			}
			return
		}
		states := list(t, c)
		sets := wmc.NewExplicit(states.m, nil, func(p syntax.Predicate) (wmc.States, error) { return states.in[p.Name], nil })
		want, err := wmc.Check(ctx, sets, f.Closure(), states.initial, wmc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if a.Holds != (len(want.Bad) == 0) {
			t.Fatalf("%s: not %t", text, a.Holds)
		}
	})
}

// TestJustice compares runs that meet justice properties with strongly connected sets of states that do.
func TestJustice(t *testing.T) {
	found := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 6))
		c := randomCircuit(r)
		c.Justice = [][]aiger.Literal{{c.Outputs[0], c.Outputs[1]}}
		c.Fairness = []aiger.Literal{c.Latches[0].Literal}
		x, err := NewCircuit(c)
		if err != nil {
			t.Fatal(err)
		}
		run, err := x.Justice(context.Background(), 0)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if run != nil {
			found++
			if err := CheckJustice(c, 0, run); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			run.Loop = -1
			if CheckJustice(c, 0, run) == nil {
				t.Fatal("a run without a loop is accepted")
			}
		}
		if want := list(t, c).meets(c); (run != nil) != want {
			t.Fatalf("seed %d: %t, want %t", seed, run != nil, want)
		}
	}
	if found < 40 || found > 360 {
		t.Errorf("%d of 400 have a run", found)
	}
}

// meets reports whether some state that can be reached comes back to itself by way of all that p, q and
// the first latch are.
func (x *listed) meets(c *aiger.Circuit) bool {
	n := x.m.NumStates()
	reach := make([][]bool, n) // by one transition at least
	for s := range n {
		reach[s] = make([]bool, n)
		_, targets := x.m.Out(lts.State(s))
		for _, to := range targets {
			reach[s][to] = true
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	for s := range n {
		begins := x.initial.Has(lts.State(s))
		for _, i := range x.initial {
			begins = begins || reach[i][s]
		}
		if !begins || !reach[s][s] {
			continue
		}
		var p, q, f bool
		for u := range n {
			if reach[s][u] && reach[u][s] {
				p, q = p || x.in["p"].Has(lts.State(u)), q || x.in["q"].Has(lts.State(u))
				f = f || u&1 != 0
			}
		}
		if p && q && f {
			return true
		}
	}
	return false
}

// changed changes evidence: the verdict, a bit of a state, where the loop begins, a node of a diagram.
func changed(t *testing.T, r *rand.Rand, data []byte) []byte {
	t.Helper()
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	flip := func(bits string) string {
		if bits == "" {
			return bits
		}
		all := []byte(bits)
		all[r.IntN(len(all))] ^= 1
		return string(all)
	}
	switch {
	case r.IntN(4) == 0:
		f.Holds = !f.Holds
	case f.Run != nil && r.IntN(3) == 0:
		f.Run.Loop = r.IntN(len(f.Run.States)+2) - 1
	case f.Run != nil:
		i := r.IntN(len(f.Run.States))
		f.Run.States[i].Latches = flip(f.Run.States[i].Latches)
		if r.IntN(2) == 0 {
			f.Run.States = f.Run.States[:i+1]
		}
	case len(f.Sets) > 1 && r.IntN(2) == 0:
		f.Sets = f.Sets[:len(f.Sets)-1]
	case len(f.Sets) > 0:
		d := &f.Sets[r.IntN(len(f.Sets))]
		if len(d.Nodes) == 0 {
			d.Root = r.IntN(3)
			break
		}
		n := r.IntN(len(d.Nodes))
		d.Nodes[n][r.IntN(3)] = r.IntN(4)
	}
	mutant, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return mutant
}
