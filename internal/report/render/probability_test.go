package render_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/simplify"
)

// chain is a Markov chain whose states have letters, and in which parts of a formula hold or not. When a part is decided, a state
// is split in two if runs from it satisfy the part with a probability between 0 and 1 (Courcoubetis, Yannakakis, J. ACM 1995).
type chain struct {
	letters []byte
	first   []*big.Rat         // the probability to begin in a state; nil for 0
	next    []map[int]*big.Rat // by state
	parts   [][]bool           // the decided parts of the formula, each by state
}

// errLarge reports that a chain would have too many states.
var errLarge = errors.New("the chain is too large")

// decide decides f in all states, and returns its number among the parts.
func (c *chain) decide(f *randomlts.Linear) (int, error) {
	var of [2]int
	for i, part := range f.Parts {
		var err error
		if of[i], err = c.decide(part); err != nil {
			return 0, err
		}
	}
	part := func(i, s int) bool { return c.parts[of[i]][s] }
	each := func(holds func(s int) bool) (int, error) {
		var is []bool
		for s := range c.letters {
			is = append(is, holds(s))
		}
		c.parts = append(c.parts, is)
		return len(c.parts) - 1, nil
	}
	switch f.Op {
	case "!":
		return each(func(s int) bool { return !part(0, s) })
	case "&&":
		return each(func(s int) bool { return part(0, s) && part(1, s) })
	case "||":
		return each(func(s int) bool { return part(0, s) || part(1, s) })
	case "->":
		return each(func(s int) bool { return !part(0, s) || part(1, s) })
	case "X":
		// The next state decides in which copy a run is.
		p := make([]*big.Rat, len(c.letters))
		for s, next := range c.next {
			p[s] = new(big.Rat)
			for to, weight := range next {
				if part(0, to) {
					p[s].Add(p[s], weight)
				}
			}
		}
		return c.split(p, func(_, to int, _ bool) (bool, bool) { return true, part(0, to) })
	case "F", "G", "U":
		before, goal := func(int) bool { return true }, func(s int) bool { return part(0, s) }
		switch f.Op {
		case "G":
			goal = func(s int) bool { return !part(0, s) }
		case "U":
			before, goal = goal, func(s int) bool { return part(1, s) }
		}
		open := func(s int) bool { return before(s) && !goal(s) }
		i, err := c.split(c.until(open, goal), func(s, _ int, later bool) (bool, bool) { return open(s), later })
		if err == nil && f.Op == "G" {
			return each(func(s int) bool { return !c.parts[i][s] })
		}
		return i, err
	}
	return each(func(s int) bool { return c.letters[s] == f.Op[0] })
}

// until returns the probabilities to come to the goal through open states: by elimination among those that can.
func (c *chain) until(open, goal func(s int) bool) []*big.Rat {
	p, can := make([]*big.Rat, len(c.letters)), make([]bool, len(c.letters))
	for changed := true; changed; {
		changed = false
		for s := range c.letters {
			is := goal(s)
			for to := range c.next[s] {
				is = is || open(s) && can[to]
			}
			changed, can[s] = changed || is && !can[s], can[s] || is
		}
	}
	var unknown []int
	index := map[int]int{}
	for s := range c.letters {
		p[s] = new(big.Rat)
		if goal(s) {
			p[s].SetInt64(1)
		} else if can[s] {
			index[s] = len(unknown)
			unknown = append(unknown, s)
		}
	}
	rows := make([][]*big.Rat, len(unknown))
	for i, s := range unknown {
		rows[i] = make([]*big.Rat, len(unknown)+1)
		for j := range rows[i] {
			rows[i][j] = new(big.Rat)
		}
		rows[i][i].SetInt64(1)
		for to, weight := range c.next[s] {
			if goal(to) {
				rows[i][len(unknown)].Add(rows[i][len(unknown)], weight)
			} else if j, is := index[to]; is {
				rows[i][j].Sub(rows[i][j], weight)
			}
		}
	}
	zero, product := new(big.Rat), new(big.Rat)
	for i := range rows {
		pivot := slices.IndexFunc(rows[i:], func(row []*big.Rat) bool { return row[i].Cmp(zero) != 0 }) + i
		rows[i], rows[pivot] = rows[pivot], rows[i]
		by := new(big.Rat).Inv(rows[i][i])
		for j := range rows[i] {
			rows[i][j].Mul(rows[i][j], by)
		}
		for k, row := range rows {
			if k == i || row[i].Cmp(zero) == 0 {
				continue
			}
			factor := new(big.Rat).Set(row[i])
			for j := range row {
				row[j].Sub(row[j], product.Mul(factor, rows[i][j]))
			}
		}
	}
	for i, s := range unknown {
		p[s] = rows[i][len(unknown)]
	}
	return p
}

// split makes a part of the formula that holds in a state with probability p hold in a copy of it, and not in another. depends
// says of a step whether what follows decides the part, and then whether it holds if it holds in the target or not.
func (c *chain) split(p []*big.Rat, depends func(from, to int, later bool) (is, holds bool)) (int, error) {
	one := big.NewRat(1, 1)
	rest := func(holds bool, s int) *big.Rat {
		if holds {
			return p[s]
		}
		return new(big.Rat).Sub(one, p[s])
	}
	type state struct {
		of    int
		holds bool
	}
	var all []state
	at := map[state]int{}
	for s := range c.letters {
		for _, holds := range []bool{true, false} {
			if x := (state{s, holds}); rest(holds, s).Sign() > 0 {
				at[x] = len(all)
				all = append(all, x)
			}
		}
	}
	if len(all) > 90 {
		return 0, errLarge
	}
	d := chain{}
	for _, x := range all {
		d.letters = append(d.letters, c.letters[x.of])
		var first *big.Rat
		if c.first[x.of] != nil {
			first = new(big.Rat).Mul(c.first[x.of], rest(x.holds, x.of))
		}
		d.first = append(d.first, first)
		next := map[int]*big.Rat{}
		for to, weight := range c.next[x.of] {
			for _, later := range []bool{true, false} {
				i, is := at[state{to, later}]
				if !is {
					continue
				}
				w := new(big.Rat).Mul(weight, rest(later, to))
				if is, holds := depends(x.of, to, later); is && holds != x.holds {
					continue
				} else if is {
					w.Quo(w, rest(x.holds, x.of))
				}
				next[i] = w
			}
		}
		d.next = append(d.next, next)
	}
	for _, part := range c.parts {
		var is []bool
		for _, x := range all {
			is = append(is, part[x.of])
		}
		d.parts = append(d.parts, is)
	}
	var is []bool
	for _, x := range all {
		is = append(is, x.holds)
	}
	d.parts = append(d.parts, is)
	*c = d
	return len(c.parts) - 1, nil
}

// chances are the probabilities of a formula in a model whose transitions have random weights.
type chances struct {
	m       *lts.LTS
	f       *randomlts.Linear
	weights [][]int64
	known   map[string]int
}

// of compares the probability that a run satisfies the formula which goes on from a state after a word with 0 and 1: it returns
// -1 for 0, 1 for 1, and 0 between.
func (x *chances) of(word string, s lts.State) (int, error) {
	key := fmt.Sprint(word, s)
	if is, has := x.known[key]; has {
		return is, nil
	}
	c := &chain{letters: []byte(word)}
	begin := map[lts.State]int{}
	for s := range lts.State(x.m.NumStates()) {
		begin[s] = len(c.letters)
		labels, targets := x.m.Out(s)
		for i := range targets {
			c.letters = append(c.letters, x.m.Alphabet().Text(labels.At(i))[0])
		}
		if len(targets) == 0 {
			c.letters = append(c.letters, '-') // nothing happens
		}
	}
	after := func(s lts.State) map[int]*big.Rat {
		next, sum := map[int]*big.Rat{}, int64(0)
		for _, weight := range x.weights[s] {
			sum += weight
		}
		for i, weight := range x.weights[s] {
			next[begin[s]+i] = big.NewRat(weight, sum)
		}
		return next
	}
	for i := range len(word) {
		next := map[int]*big.Rat{i + 1: big.NewRat(1, 1)}
		if i+1 == len(word) {
			next = after(s)
		}
		c.next = append(c.next, next)
	}
	for s := range lts.State(x.m.NumStates()) {
		_, targets := x.m.Out(s)
		for _, to := range targets {
			c.next = append(c.next, after(to))
		}
		if len(targets) == 0 {
			c.next = append(c.next, after(s))
		}
	}
	c.first = make([]*big.Rat, len(c.letters))
	if word == "" {
		for at, weight := range after(s) {
			c.first[at] = weight
		}
	} else {
		c.first[0] = big.NewRat(1, 1)
	}
	i, err := c.decide(x.f)
	if err != nil {
		return 0, err
	}
	all, p := new(big.Rat), new(big.Rat)
	for s, first := range c.first {
		if first == nil {
			continue
		}
		if all.Add(all, first); c.parts[i][s] {
			p.Add(p, first)
		}
	}
	if all.Cmp(big.NewRat(1, 1)) != 0 {
		return 0, fmt.Errorf("the probabilities are %s in all", all)
	}
	is := 0
	switch {
	case p.Sign() == 0:
		is = -1
	case p.Cmp(all) == 0:
		is = 1
	}
	x.known[key] = is
	return is, nil
}

// drawWeighted draws a model, in one of three cases with deadlocks, and the weights of its transitions.
func drawWeighted(t *testing.T, r *rand.Rand) *chances {
	var b lts.Builder
	labels := []lts.Label{b.Label("A"), b.Label("B"), b.Label("C")}
	n, least := 1+r.IntN(5), 1
	if r.IntN(3) == 0 {
		least = 0
	}
	for s := range n {
		for range least + r.IntN(3-least) {
			b.Add(lts.State(s), labels[r.IntN(3)], lts.State(r.IntN(n)))
		}
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	x := &chances{m: m, known: map[string]int{}}
	for s := range lts.State(n) {
		_, targets := m.Out(s)
		weights := []int64{1}
		for range targets {
			weights = append(weights, 1+r.Int64N(3))
		}
		x.weights = append(x.weights, weights[min(len(targets), 1):])
	}
	return x
}

// TestProbabilities compares what is said of almost all runs with the probabilities in a Markov chain.
func TestProbabilities(t *testing.T) {
	ctx := context.Background()
	full, err := actl.ParseAssumption(ctx, "full")
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]int{}
	for seed := range randomlts.Share(1_500) {
		r := rand.New(rand.NewPCG(seed, 83))
		f := randomlts.DrawLinear(r, 2+r.IntN(2))
		if r.IntN(2) == 0 {
			f = drawBounded(r)
		}
		g := parseAny(t, f.String())
		w := drawWeighted(t, r)
		w.f = f
		m := w.m
		fail := func(what string, of ...any) {
			t.Fatalf("seed %d, %s: %s %s\n%s", seed, f, what, fmt.Sprint(of...), texts(m))
		}
		e, err := explain.Explain(ctx, m, g, explain.Options{Source: explain.Source{File: "m.aut"}, Fair: []*actl.Assumption{full}})
		if errors.Is(err, explain.ErrNoRunCounts) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		is, err := w.of("", m.Initial())
		if errors.Is(err, errLarge) {
			met["too large"]++
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		met[e.Verdict.String()]++
		if met[fmt.Sprint("sign ", is)]++; (e.Verdict == explain.Satisfied) != (is == 1) {
			fail(e.Verdict.String(), is)
		}
		if e.Verdict == explain.Violated {
			w.judge(e, met, fail)
		}
		plain, err := explain.Explain(ctx, m, g, explain.Options{Source: explain.Source{File: "m.aut"}})
		if err != nil {
			t.Fatal(err)
		}
		if plain.Verdict == explain.Satisfied && is != 1 {
			fail("holds on all runs", is)
		}
		said := render.NewSentences(plain, printable.Code).InFull()
		for _, c := range said.Story().All() {
			text := said.Say(c)
			switch {
			case strings.HasPrefix(text, "It holds with probability 1"):
				if met["probability 1"]++; e.Verdict != explain.Satisfied {
					fail(text)
				}
			case strings.Contains(text, "a run satisfies the property with probability 0"):
				if met["probability 0"]++; is >= 0 {
					fail(text)
				}
			case strings.Contains(text, "satisfies the property with probability 0"):
				if met["to probability 0"]++; e.Verdict == explain.Satisfied {
					fail(text)
				}
			}
		}
	}
	t.Log(met)
}

// judge checks what is said of the run that violates the property, and what it leads to.
func (x *chances) judge(e *explain.Explanation, met map[string]int, fail func(string, ...any)) {
	sign := func(word string, s lts.State) int {
		is, err := x.of(word, s)
		if err != nil {
			fail(err.Error())
		}
		return is
	}
	c := e.Counterexample
	word := ""
	if fated := c.InitialFate == simplify.Fated; fated != (sign("", x.m.Initial()) < 0) {
		fail("the beginning is lost:", fated)
	}
	next := 0
	for i, step := range c.Steps {
		for ; next < len(e.Decisions) && int(e.Decisions[next].Step) == i; next++ {
			for _, a := range append(e.Decisions[next].Alternatives, e.Decisions[next].Chosen) {
				want := map[fate.Class]int{fate.Correct: 1, fate.Incorrect: -1, fate.Neutral: 0}[a.First]
				if met["choice"]++; sign(word+a.Label, a.To) != want {
					fail("another class:", i, a)
				}
			}
		}
		word += step.Label
		if fated := step.Fate == simplify.Fated; fated != (sign(word, step.To) < 0) {
			fail("lost:", fated, i, word)
		}
		met["step"]++
	}
}
