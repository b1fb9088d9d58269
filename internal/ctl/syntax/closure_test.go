package syntax_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/lts"
)

func mustParse(t *testing.T, text string) *syntax.Formula {
	t.Helper()
	f, err := syntax.Parse(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestClosure(t *testing.T) {
	c := mustParse(t, "A[p W q] && (E[p M q] -> EF q) && EF q && E[true {a} U {a} q]").Closure()
	var texts []string
	for i, n := range c.Nodes {
		texts = append(texts, n.Formula.String())
		if n.Left >= syntax.Index(i) && i > 0 || n.Right >= syntax.Index(i) && i > 0 {
			t.Errorf("%s stands before what it is made of", n.Formula)
		}
	}
	want := []string{
		"p", "q", "p || q", "A[p W q]", "p && q", "E[p M q]", "true", "EF q", "!E[p M q]", "E[p M q] -> EF q",
		"A[p W q] && (E[p M q] -> EF q)", "A[p W q] && (E[p M q] -> EF q) && EF q", "E[true {a} U {a} q]",
		"A[p W q] && (E[p M q] -> EF q) && EF q && E[true {a} U {a} q]",
	}
	if !slices.Equal(texts, want) {
		t.Errorf("%s", strings.Join(texts, "\n"))
	}
	if w := c.Nodes[3]; w.Op != syntax.Release || w.Left != 1 || w.Right != 2 {
		t.Errorf("%+v", w)
	}
	if u := c.Nodes[12]; len(c.Patterns) != 2 || u.Labels == u.Last {
		t.Errorf("%+v: transitions before the last may be hidden, the last must not", u)
	}
}

// TestClosureIsSmall: where operators are written out, what they repeat is there once.
func TestClosureIsSmall(t *testing.T) {
	text := strings.Repeat("A[p W ", maxDepth-1) + "q" + strings.Repeat("]", maxDepth-1)
	if c := mustParse(t, text).Closure(); len(c.Nodes) > 2*maxDepth {
		t.Errorf("%d formulas", len(c.Nodes))
	}
}

func TestBind(t *testing.T) {
	a, err := lts.NewAlphabet([]string{"PUT !1", "i", "GET"})
	if err != nil {
		t.Fatal(err)
	}
	hidden, _, err := actl.Text("{i, tau}").Atom(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	c := mustParse(t, "E[true {PUT} U {PUT} true] && <{NONE, GET}> true && E[true {false} U true]").Closure()
	means, warnings, err := c.Bind(context.Background(), a, []actl.Pattern{hidden})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(means); got != "[[true true false] [true false false] [false false true] [false true false]]" {
		t.Error(got)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "NONE") {
		t.Error(warnings)
	}
	if err := c.Unmatched(context.Background(), a); err != nil {
		t.Error(err)
	}
	if err := mustParse(t, "<GOT> true").Closure().Unmatched(context.Background(), a); err == nil || !strings.Contains(err.Error(), "did you mean GET") {
		t.Error(err)
	}
}
