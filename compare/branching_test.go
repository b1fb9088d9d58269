package compare

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/ctl/star"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// branchingBisimilar divides the states of both models as long as some of a class differ in what
// they can come to within it, or in whether they can stay in it forever by hidden transitions.
func branchingBisimilar(old, latest *lts.LTS, hides func(string) bool) bool {
	arcs := append(allArcs(old, 0), allArcs(latest, lts.State(old.NumStates()))...)
	n := old.NumStates() + latest.NumStates()
	class := make([]string, n)
	for classes := -1; ; {
		next, distinct := make([]string, n), map[string]bool{}
		for s := range lts.State(n) {
			next[s] = class[s] + "|" + strings.Join(comesTo(arcs, class, s, hides), ",")
			distinct[next[s]] = true
		}
		names := map[string]string{} // short ones
		for s := range next {
			if names[next[s]] == "" {
				names[next[s]] = fmt.Sprint(len(names) + 1)
			}
			class[s] = names[next[s]]
		}
		if len(distinct) == classes {
			return class[old.Initial()] == class[old.NumStates()+int(latest.Initial())]
		}
		classes = len(distinct)
	}
}

func allArcs(m *lts.LTS, shift lts.State) (arcs []Arc) {
	for tr := range m.Transitions() {
		arcs = append(arcs, Arc{tr.From + shift, m.Alphabet().Text(tr.Label), tr.To + shift})
	}
	return arcs
}

// comesTo lists what a state comes to by hidden transitions within its class.
func comesTo(arcs []Arc, class []string, s lts.State, hides func(string) bool) (all []string) {
	within := func(from lts.State) map[lts.State]bool { // by one transition or more
		visited := map[lts.State]bool{}
		open := []lts.State{from}
		for len(open) > 0 {
			x := open[0]
			open = open[1:]
			for _, a := range arcs {
				if a.From == x && hides(a.Label) && class[a.To] == class[s] && !visited[a.To] {
					visited[a.To] = true
					open = append(open, a.To)
				}
			}
		}
		return visited
	}
	visited := within(s)
	visited[s] = true
	for x := range visited {
		if within(x)[x] {
			all = append(all, "forever")
		}
		for _, a := range arcs {
			switch {
			case a.From == x && !hides(a.Label):
				all = append(all, a.Label+" "+class[a.To])
			case a.From == x && class[a.To] != class[s]:
				all = append(all, "hidden "+class[a.To])
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// holds evaluates a formula in the initial state, as inev ctl does and by its definition.
func holds(t testing.TB, m *lts.LTS, text string) bool {
	t.Helper()
	e := &evaluation{m: m, text: text}
	in := e.formula()
	if e.text != "" {
		t.Fatalf("%s: %q is left", text, e.text)
	}
	if is := holdsForCTL(t, m, text); is != in[m.Initial()] {
		t.Fatalf("%s: %t, and %t by package ctl", text, in[m.Initial()], is)
	}
	return in[m.Initial()]
}

func holdsForCTL(t testing.TB, m *lts.LTS, text string) bool {
	t.Helper()
	ctx := context.Background()
	f, err := syntax.ParseStar(ctx, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var holding func(syntax.Predicate) (wmc.States, error)
	if f.IsStar() {
		if err := m.FindPredecessors(ctx); err != nil {
			t.Fatal(err)
		}
		r, err := star.Reduce(ctx, star.Question{Model: m, Formula: f, Asked: wmc.States{m.Initial()}})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		f, holding = r.Formula, r.Holding
	}
	c := f.Closure()
	means, _, err := c.Bind(ctx, m.Alphabet(), nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	a, err := wmc.Check(ctx, wmc.NewExplicit(m, means, holding), c, wmc.States{m.Initial()}, wmc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return len(a.Bad) == 0
}

// evaluation reads a formula as comparisons write them, and evaluates it in all states.
type evaluation struct {
	m    *lts.LTS
	text string
}

func (e *evaluation) skip(begin string) bool {
	rest, is := strings.CutPrefix(e.text, begin)
	if is {
		e.text = rest
	}
	return is
}

// labels reads labels up to a bracket.
func (e *evaluation) labels(end string) map[string]bool {
	list, rest, _ := strings.Cut(e.text, end)
	e.text = rest
	all := map[string]bool{}
	for _, l := range strings.Split(list, ", ") {
		all[strings.Trim(l, `"`)] = true
	}
	return all
}

func (e *evaluation) each(is func(s lts.State) bool) []bool {
	in := make([]bool, e.m.NumStates())
	for s := range in {
		in[s] = is(lts.State(s))
	}
	return in
}

func (e *evaluation) can(s lts.State, labels map[string]bool, in []bool) bool {
	return slices.ContainsFunc(outOf(e.m, s), func(a Arc) bool { return labels[a.Label] && in[a.To] })
}

func (e *evaluation) formula() []bool {
	switch {
	case e.skip("true"):
		return e.each(func(lts.State) bool { return true })
	case e.skip("!"):
		f := e.formula()
		return e.each(func(s lts.State) bool { return !f[s] })
	case e.skip("<"):
		labels := e.labels("> ")
		f := e.formula()
		return e.each(func(s lts.State) bool { return e.can(s, labels, f) })
	case e.skip("("):
		f := e.formula()
		for !e.skip(")") {
			isAnd := e.skip(" && ")
			if !isAnd {
				e.skip(" || ")
			}
			g, left := e.formula(), f
			f = e.each(func(s lts.State) bool { return isAnd && left[s] && g[s] || !isAnd && (left[s] || g[s]) })
		}
		return f
	case e.skip("E[G "):
		return e.forEver()
	}
	e.skip("E[")
	return e.until()
}

// forEver takes states away that have no successor among the others.
func (e *evaluation) forEver() []bool {
	in := e.each(func(lts.State) bool { return true })
	isBoth := e.skip("({")
	if !isBoth {
		e.skip("{")
	}
	labels := e.labels("}")
	if isBoth {
		e.skip(" && ")
		in = e.formula()
		e.skip(")")
	}
	e.skip("]")
	for range e.m.NumStates() {
		before := in
		in = e.each(func(s lts.State) bool { return before[s] && e.can(s, labels, before) })
	}
	return in
}

func (e *evaluation) until() []bool {
	f := e.formula()
	e.skip(" {")
	labels := e.labels("} U ")
	last := map[string]bool(nil)
	if e.skip("{") {
		last = e.labels("} ")
	}
	g := e.formula()
	e.skip("]")
	in := g
	if last != nil {
		in = e.each(func(s lts.State) bool { return f[s] && e.can(s, last, g) })
	}
	for range e.m.NumStates() {
		before := in
		in = e.each(func(s lts.State) bool { return before[s] || f[s] && e.can(s, labels, before) })
	}
	return in
}

// TestFormulasOfBranching has random models with many internal transitions, of which most that
// differ do so in no run.
func TestFormulasOfBranching(t *testing.T) {
	o := Options{Hides: func(label string) bool { return label == "i" }}
	alone, deep, eternal := 0, 0, 0
	for seed := range randomlts.Share(6_000) {
		old, latest := versions(t, seed)
		old, latest = hiding(t, old), hiding(t, latest)
		b, err := checkModels(t, old, latest, o)
		if err != nil {
			t.Fatalf("seed %d: %v\nold %d %v\nnew %d %v", seed, err, old.Initial(), arcsOf(old), latest.Initial(), arcsOf(latest))
		}
		if b.Run == nil && !b.Alike {
			alone++
			if strings.Contains(b.Formula, "E[G ") {
				eternal++
			}
			if b.Depth > 1 {
				deep++
			}
			if n := nesting(b.Formula); strings.Contains(b.Formula, "[") && n != b.Depth { // without internal actions it has modalities of one step
				t.Fatalf("seed %d: %s is %d deep, not %d", seed, b.Formula, n, b.Depth)
			}
		}
	}
	t.Logf("%d by formulas alone, %d of these about what goes on forever, %d more than 1 deep", alone, eternal, deep)
	if randomlts.Whole() && (alone < 300 || eternal < 100 || deep < 100) {
		t.Error("too few of a kind")
	}
}

// nesting counts the modalities of a formula with until that stand within each other.
func nesting(formula string) int {
	most, n := 0, 0
	for _, c := range formula {
		switch c {
		case '[':
			n++
			most = max(most, n)
		case ']':
			n--
		}
	}
	return most
}

// hiding makes two of the labels internal.
func hiding(t *testing.T, m *lts.LTS) *lts.LTS {
	arcs := allArcs(m, 0)
	for i, a := range arcs {
		if a.Label == "A" || a.Label == "C" {
			arcs[i].Label = "i"
		}
	}
	return modelOf(t, m.Initial(), m.NumStates(), arcs)
}
