package parity_test

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/ctl/parity"
	"github.com/inev-lts/inev/internal/formula/modal"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// counted is the number of values of a parameter without bound that the evaluation here knows.
const counted = 12

// counting is a fixpoint whose parameter has no bound.
type counting struct {
	isNu            bool
	name, parameter string
	first           term
	of              formula
	// beyond is what the fixpoint is for values that are not known here: everywhere or nowhere true. Where both give the
	// same verdict, this is the verdict.
	beyond *bool
}

func (c counting) text(isMCL bool) string {
	return recursion{c.isNu, c.name, c.parameter, c.first, c.of}.text(isMCL)
}

func (c counting) eval(w *world, v values, x map[string]fixpoint) set {
	var now [counted]set
	for n := range now {
		now[n] = constant(c.isNu).eval(w, nil, nil)
	}
	value := func(n int) set {
		if n >= counted {
			return constant(*c.beyond).eval(w, nil, nil)
		}
		return now[n]
	}
	for {
		inside := map[string]fixpoint{c.name: value}
		for name, of := range x {
			if name != c.name {
				inside[name] = of
			}
		}
		next := now
		for n := range next {
			next[n] = c.of.eval(w, v.with(c.parameter, n), inside)
		}
		if next == now {
			return value(c.first.value(v))
		}
		now = next
	}
}

// countingFormula draws a formula whose parameters count up.
func (d *drawing) countingFormula(depth int, s scope, beyond *bool) formula {
	choice := d.below(9)
	switch {
	case depth == 0 || choice == 0:
		if len(s.variables) == 0 {
			return constant(d.below(2) == 0)
		}
		if d.below(4) == 0 {
			return d.condition(s)
		}
		return call{name: s.variables[d.below(len(s.variables))], argument: d.term(s)}
	case choice <= 3:
		op := []string{"and", "or"}[d.below(2)]
		return joined{op, d.countingFormula(depth-1, s, beyond), d.countingFormula(depth-1, s, beyond)}
	case choice <= 5 && d.names < 2:
		c := counting{
			isNu:      d.below(2) == 0,
			name:      fmt.Sprintf("X%d", len(s.variables)),
			parameter: d.fresh(),
			first:     d.term(s),
			beyond:    beyond,
		}
		inside := s.with(c.parameter, false)
		inside.variables = append(append([]string{}, s.variables...), c.name)
		c.of = d.countingFormula(depth-1, inside, beyond)
		return c
	}
	r, behind := d.run(d.below(2), s)
	return modality{d.below(2) == 0, r, d.countingFormula(depth-1, behind, beyond)}
}

// forwardModel draws a model most of whose transitions lead to states with larger numbers.
func forwardModel(t *rapid.T, isMCL bool) *lts.LTS {
	n := rapid.IntRange(2, 5).Draw(t, "states")
	var b lts.Builder
	for range rapid.IntRange(1, 2*n).Draw(t, "transitions") {
		from := rapid.IntRange(0, n-1).Draw(t, "from")
		to := rapid.IntRange(0, n-1).Draw(t, "to")
		if from > to && rapid.IntRange(0, 3).Draw(t, "turned") > 0 {
			from, to = to, from
		}
		label := fmt.Sprintf("%s(%d)", rapid.SampledFrom([]string{"a", "b"}).Draw(t, "gate"), rapid.IntRange(0, 2).Draw(t, "of"))
		if isMCL {
			label = fmt.Sprintf("%s !%s", string(label[0]-'a'+'A'), label[2:3])
		}
		b.Add(lts.State(from), b.Label(label), lts.State(to))
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestReachedParameters: a formula whose parameters have no bound has the verdict of an evaluation that has the values at
// hand, wherever runs of the model lead to finitely many of them.
func TestReachedParameters(t *testing.T) {
	verdicts := map[bool]int{}
	unbounded := 0 // without a model
	refused := 0
	for range randomlts.Share(40) {
		rapid.Check(t, func(t *rapid.T) {
			d := &drawing{t: t, isMCL: rapid.Bool().Draw(t, "MCL")}
			var beyond bool
			f := d.countingFormula(4, scope{}, &beyond)
			m := forwardModel(t, d.isMCL)
			text := "[nil] (" + f.text(d.isMCL) + ")"
			asked := []lts.State{m.Initial()}
			if rapid.Bool().Draw(t, "two") {
				asked = append(asked, lts.State(m.NumStates()-1))
			}
			ctx := context.Background()
			w, err := modal.Read(ctx, text)
			if err != nil {
				t.Skip(err)
			}
			_, _, unboundedError := w.Graph(ctx, m.Alphabet())
			graph, _, err := w.ReachedGraph(ctx, m, m.Alphabet(), asked)
			if err != nil {
				if unboundedError == nil {
					t.Fatalf("%s on %v: %v", text, m, err)
				}
				refused++
				t.Skip(err)
			}
			means, _, err := graph.Bind(ctx, m.Alphabet())
			if err != nil {
				t.Fatal(err)
			}
			if err := m.FindPredecessors(ctx); err != nil {
				t.Fatal(err)
			}
			s, err := parity.Solve(ctx, m, graph, means, asked)
			if err != nil {
				t.Skip(err)
			}
			least := f.eval(&world{m}, values{}, nil)
			beyond = true
			greatest := f.eval(&world{m}, values{}, nil)
			for _, state := range asked {
				if (least^greatest)&(1<<state) != 0 {
					t.Skip("the values lead too far for the evaluation")
				}
				holds := least&(1<<state) != 0
				if s.Holds(graph.Root(), state) != holds {
					t.Fatalf("%s on %v in state %d: want %t", text, m, state, holds)
				}
				if unboundedError != nil {
					verdicts[holds]++
				}
			}
			if unboundedError != nil {
				unbounded++
			}
			wins(t, s, text)
		})
	}
	t.Log(verdicts, unbounded, refused)
	if randomlts.Whole() && (verdicts[true] < 30 || verdicts[false] < 30) {
		t.Errorf("too little was met: %v", verdicts)
	}
}
