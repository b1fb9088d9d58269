package ltl_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// valued is a small model with values x and y of its states.
type valued struct {
	m     *lts.LTS
	table *lts.Values
	x, y  []int
}

func drawValued(t *testing.T, r *rand.Rand) valued {
	t.Helper()
	n := 1 + r.IntN(6)
	var b lts.Builder
	seen := map[lts.Transition]bool{}
	for range r.IntN(3 * n) {
		from, to := lts.State(r.IntN(n)), lts.State(r.IntN(n))
		l := b.Label(string("abc"[r.IntN(3)]))
		if key := (lts.Transition{From: from, Label: l, To: to}); !seen[key] {
			seen[key] = true
			b.Add(from, l, to)
		}
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	v := valued{m: m}
	table, err := lts.NewValuesBuilder(context.Background(), []lts.Parameter{{Name: "x"}, {Name: "y"}})
	if err != nil {
		t.Fatal(err)
	}
	for s := range n {
		v.x, v.y = append(v.x, r.IntN(3)), append(v.y, r.IntN(2))
		for p, value := range []int{v.x[s], v.y[s]} {
			if err := table.Set(lts.State(s), p, table.Value(p, []byte(strconv.Itoa(value)))); err != nil {
				t.Fatal(err)
			}
		}
	}
	if v.table, err = table.Build(n); err != nil {
		t.Fatal(err)
	}
	return v
}

// stateAtoms are atoms, with what they mean.
var stateAtoms = []struct {
	text  string
	holds func(x, y int) bool
}{
	{"x = 0", func(x, _ int) bool { return x == 0 }},
	{"x > 0", func(x, _ int) bool { return x > 0 }},
	{"x != 1", func(x, _ int) bool { return x != 1 }},
	{"y = 1", func(_, y int) bool { return y == 1 }},
	{"x <= y", func(x, y int) bool { return x <= y }},
	{`x \in {1, 2}`, func(x, _ int) bool { return x == 1 || x == 2 }},
}

// split returns the model in which each state s is 2s -«values»-> 2s+1.
func (v valued) split(t *testing.T) *lts.LTS {
	t.Helper()
	var b lts.Builder
	for s := range lts.State(v.m.NumStates()) {
		b.Add(2*s, b.Label(v.letter(s)), 2*s+1)
		labels, targets := v.m.Out(s)
		for i, to := range targets {
			b.Add(2*s+1, b.Label(v.m.Alphabet().Text(labels.At(i))), 2*to)
		}
	}
	m, err := b.Build(0, 2*v.m.NumStates())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (v valued) letter(s lts.State) string { return fmt.Sprintf("«%d %d»", v.x[s], v.y[s]) }

// element draws an element of a pattern, as it is written, and over the labels of the split model.
func (v valued) element(r *rand.Rand, labels, atoms bool) (text, over string) {
	member := func() (string, []string) {
		if !atoms || labels && r.IntN(2) == 0 {
			l := string("abc"[r.IntN(3)])
			return l, []string{l}
		}
		a := stateAtoms[r.IntN(len(stateAtoms))]
		var of []string
		for x := range 3 {
			for y := range 2 {
				if a.holds(x, y) {
					of = append(of, fmt.Sprintf(`"«%d %d»"`, x, y))
				}
			}
		}
		return a.text, of
	}
	var all []string
	text, all = member()
	if r.IntN(4) == 0 {
		more, also := member()
		text, all = "{"+text+", "+more+"}", append(all, also...)
	}
	return text, "{" + strings.Join(all, ", ") + "}"
}

// pattern draws a formula, and the one that says the same of the split model.
func (v valued) pattern(r *rand.Rand) (text, over string) {
	var parts, overs []string
	add := func(n int, before string) {
		for i := range n {
			e, o := v.element(r, true, true)
			if i > 0 {
				before = ", "
			}
			parts, overs = append(parts, before+e), append(overs, before+o)
		}
	}
	name := []string{"Inev", "Response", "Never", "Precedes", "AtMost", "Always"}[r.IntN(6)]
	switch name {
	case "Inev", "Never":
		add(1+r.IntN(3), "")
	case "Response":
		add(1, "")
		add(1+r.IntN(2), "; ")
	case "Precedes":
		add(1+r.IntN(2), "")
		add(1, "; ")
	case "AtMost":
		add(1, strconv.Itoa(r.IntN(3))+"; ")
	case "Always":
		atoms := r.IntN(2) == 0
		e, o := v.element(r, !atoms, atoms)
		others := []string{"a", "b", "c"}
		if !atoms {
			others = nil
			for x := range 3 {
				for y := range 2 {
					others = append(others, fmt.Sprintf(`"«%d %d»"`, x, y))
				}
			}
		}
		parts, overs = []string{e}, []string{"{" + o + ", " + strings.Join(others, ", ") + "}"}
	}
	from, fromOver := v.element(r, true, true)
	to, toOver := v.element(r, true, true)
	scope := func(from, to string) string {
		return [...]string{"", "", "; before " + to, "; after " + from, "; between " + from + " and " + to, "; after " + from + " until " + to}[r.IntN(6)]
	}
	k := r.Uint64()
	in := func(from, to string) string {
		*r = *rand.New(rand.NewPCG(k, 1))
		return scope(from, to)
	}
	a, b := in(from, to), in(fromOver, toOver)
	*r = *rand.New(rand.NewPCG(k, 2))
	return name + "(" + strings.Join(parts, "") + a + ")", name + "(" + strings.Join(overs, "") + b + ")"
}

// TestPatternsAboutStatesAgreeWithSplitModels: a pattern with atoms about values has the verdict
// and classes that the same pattern has over labels, in the model in which each state is a
// transition labelled with its values.
func TestPatternsAboutStatesAgreeWithSplitModels(t *testing.T) {
	ctx := context.Background()
	times := int(randomlts.Share(5_000))
	r := rand.New(rand.NewPCG(31, 1))
	kinds := map[explain.Verdict]int{}
	for range times {
		v := drawValued(t, r)
		text, over := v.pattern(r)
		f, err := formula.Parse(ctx, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		g, err := formula.Parse(ctx, over)
		if err != nil {
			t.Fatalf("%s: %v", over, err)
		}
		fair := explain.Options{Source: explain.Source{States: v.table}}
		got, err := explain.Analyse(ctx, v.m, f, fair)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		split := v.split(t)
		want, err := explain.Analyse(ctx, split, g, explain.Options{})
		if err != nil {
			t.Fatalf("%s: %v", over, err)
		}
		m := got.Components.LTS()
		for tr := range m.Transitions() {
			if !m.Reachable().Has(tr.From) {
				continue
			}
			l, _ := split.Alphabet().Lookup(m.Alphabet().Text(tr.Label))
			a, b := got.Classification.Class(tr.From, tr.Label, tr.To), want.Classification.Class(2*tr.From+1, l, 2*tr.To)
			if a != b {
				t.Fatalf("%s: %d -%s-> %d is %s, and %s of the split model\n%v\n%v %v", text, tr.From, m.Alphabet().Text(tr.Label), tr.To, a, b, slices.Collect(v.m.Transitions()), v.x, v.y)
			}
		}
		var assumed []*actl.Assumption
		if text := []string{"", "full", "strong:a,b"}[r.IntN(3)]; text != "" {
			a, err := actl.ParseAssumption(ctx, text)
			if err != nil {
				t.Fatal(err)
			}
			assumed = append(assumed, a)
		}
		explains := explain.Check
		if r.IntN(10) == 0 {
			explains = explain.Explain
		}
		x, err := explains(ctx, v.m, f, explain.Options{Source: explain.Source{States: v.table}, Fair: assumed})
		if err != nil {
			t.Fatal(err)
		}
		y, err := explains(ctx, split, g, explain.Options{Fair: assumed})
		if err != nil {
			t.Fatal(err)
		}
		if x.Verdict != y.Verdict {
			t.Fatalf("%s is %s, and %s of the split model\n%v\n%v %v", text, x.Verdict, y.Verdict, slices.Collect(v.m.Transitions()), v.x, v.y)
		}
		kinds[x.Verdict]++
	}
	if len(kinds) < 2 {
		t.Error("all properties have one verdict")
	}
}

// position is what an atom is judged at.
type position struct {
	state lts.State
	label string // "" if nothing happens any more
}

// walk is a run written as positions, of which those from loop on recur forever.
type walk struct {
	at   []position
	loop int
}

// judge returns where a formula holds, by its definition on the walk, with fixpoints for until.
func (v valued) judge(w walk, f *temporal.Formula, atom func(int, position) bool) []bool {
	n := len(w.at)
	next := func(i int) int {
		if i+1 < n {
			return i + 1
		}
		return w.loop
	}
	of := make([][]bool, len(f.Parts()))
	for i, p := range f.Parts() {
		of[i] = v.judge(w, p, atom)
	}
	holds := make([]bool, n)
	each := func(is func(i int) bool) []bool {
		for i := range holds {
			holds[i] = is(i)
		}
		return holds
	}
	until := func(a, b func(int) bool, greatest bool) []bool {
		for i := range holds {
			holds[i] = greatest
		}
		for range 2*n + 2 {
			for i := n - 1; i >= 0; i-- {
				holds[i] = b(i) || a(i) && holds[next(i)]
			}
		}
		return holds
	}
	yes := func(int) bool { return true }
	no := func(int) bool { return false }
	part := func(k int) func(int) bool { return func(i int) bool { return of[k][i] } }
	both := func(a, b func(int) bool) func(int) bool { return func(i int) bool { return a(i) && b(i) } }
	switch f.Operator() {
	case temporal.TrueOp:
		return each(yes)
	case temporal.FalseOp:
		return each(no)
	case temporal.AtomOp:
		return each(func(i int) bool { return atom(f.Number(), w.at[i]) })
	case temporal.DeadlockOp:
		return each(func(i int) bool { return w.at[i].label == "" })
	case temporal.NotOp:
		return each(func(i int) bool { return !of[0][i] })
	case temporal.AndOp:
		return each(func(i int) bool { return !slices.ContainsFunc(of, func(p []bool) bool { return !p[i] }) })
	case temporal.OrOp:
		return each(func(i int) bool { return slices.ContainsFunc(of, func(p []bool) bool { return p[i] }) })
	case temporal.ImpliesOp:
		return each(func(i int) bool { return !of[0][i] || of[1][i] })
	case temporal.IffOp:
		return each(func(i int) bool { return of[0][i] == of[1][i] })
	case temporal.NextOp:
		return each(func(i int) bool { return of[0][next(i)] })
	case temporal.EventuallyOp:
		return until(yes, part(0), false)
	case temporal.AlwaysOp:
		return until(part(0), no, true)
	case temporal.UntilOp:
		return until(part(0), part(1), false)
	case temporal.WeakUntilOp:
		return until(part(0), part(1), true)
	case temporal.ReleaseOp:
		return until(part(1), both(part(0), part(1)), true)
	}
	return until(part(1), both(part(0), part(1)), false)
}

// drawLTL draws a formula over labels and atoms about states.
func drawLTL(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(6) == 0 {
		k := r.IntN(9)
		switch {
		case k < 3:
			return string("abc"[k])
		case k == 3:
			return "deadlock"
		default:
			return stateAtoms[r.IntN(len(stateAtoms))].text
		}
	}
	one := func() string { return "(" + drawLTL(r, depth-1) + ")" }
	if k := r.IntN(12); k < 6 {
		return []string{"!", "X ", "F ", "G ", "[]", "~"}[k] + one()
	}
	return one() + []string{" && ", " || ", " U ", " W ", " R ", " ~> ", " => "}[r.IntN(7)] + one()
}

// TestTemporalLogicAboutStates: a formula holds of a run of a model iff its definition says so,
// and its verdict is that of the runs: the counterexample violates the definition, and no run
// that is drawn does where the property holds.
func TestTemporalLogicAboutStates(t *testing.T) {
	ctx := context.Background()
	times := int(randomlts.Share(5_000))
	r := rand.New(rand.NewPCG(31, 2))
	kinds := map[explain.Verdict]int{}
	for range times {
		v := drawValued(t, r)
		parsed, err := ltl.Parse(ctx, drawLTL(r, 1+r.IntN(3)))
		if err != nil {
			t.Fatal(err)
		}
		source := explain.Source{States: v.table}
		e, err := explain.Check(ctx, v.m, parsed, explain.Options{Source: source})
		if err != nil {
			t.Fatalf("%s: %v", parsed, err)
		}
		kinds[e.Verdict]++
		atoms := parsed.Atoms()
		holds := func(w walk) bool {
			return v.judge(w, parsed.Temporal(), func(n int, at position) bool {
				text := atoms[n].String()
				for _, a := range stateAtoms {
					if a.text == text {
						return a.holds(v.x[at.state], v.y[at.state])
					}
				}
				return at.label != "" && atoms[n].Matches(at.label)
			})[0]
		}
		if c := e.Trace(); c != nil {
			w := walk{loop: -1}
			for i := range c.Len() {
				w.at = append(w.at, position{c.Step(i).From, e.LTS().Alphabet().Text(c.Step(i).Label)})
			}
			last := v.m.Initial()
			if c.Len() > 0 {
				last = c.Last()
			}
			if start, is := c.LoopStart(); is {
				w.loop = start
			} else if v.m.IsDeadlock(last) {
				w.loop = len(w.at)
				w.at = append(w.at, position{last, ""})
			}
			if w.loop >= 0 && holds(w) {
				t.Fatalf("%s: the counterexample %v does not violate it\n%v\n%v %v", parsed, w, slices.Collect(v.m.Transitions()), v.x, v.y)
			}
		}
		if e.Verdict == explain.Violated {
			continue
		}
		for range 10 {
			if w := v.drawWord(r); !holds(w) {
				t.Fatalf("%s holds, but not of the run %v\n%v\n%v %v", parsed, w, slices.Collect(v.m.Transitions()), v.x, v.y)
			}
		}
	}
	if len(kinds) < 2 {
		t.Error("all formulas have one verdict")
	}
}

// drawWord draws a maximal run of the model.
func (v valued) drawWord(r *rand.Rand) walk {
	w := walk{}
	at := v.m.Initial()
	met := map[lts.State][]int{}
	for {
		labels, targets := v.m.Out(at)
		if len(targets) == 0 {
			w.loop = len(w.at)
			w.at = append(w.at, position{at, ""})
			return w
		}
		if before := met[at]; len(before) > 0 && r.IntN(3) == 0 {
			w.loop = before[r.IntN(len(before))]
			return w
		}
		met[at] = append(met[at], len(w.at))
		i := r.IntN(len(targets))
		w.at = append(w.at, position{at, v.m.Alphabet().Text(labels.At(i))})
		at = targets[i]
	}
}
