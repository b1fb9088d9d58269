package batch

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/testing/oracle/mucalculus"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// drawn is a model that needs no file.
type drawn struct{ m *lts.LTS }

func (drawn) Digest(context.Context, Job) (string, error) { return "", nil }

func (d drawn) Model(context.Context, Job) (*Model, error) { return &Model{LTS: d.m}, nil }

// drawMCL draws a formula of MCL about labels A to D; inside says whether it stands in a fixpoint X.
func drawMCL(t *rapid.T, depth int, inside bool) string {
	action := func() string {
		return rapid.SampledFrom([]string{`"A"`, `"B"`, `not "A"`, `"C" or "D"`, "true"}).Draw(t, "action")
	}
	run := func() string {
		return rapid.SampledFrom([]string{"%", "%", "(%)*", "true* . (%)", "(%) . true"}).Draw(t, "run")
	}
	if depth == 0 {
		leaves := []string{"true", "false"}
		if inside {
			leaves = []string{"X", "X", "true"}
		}
		return rapid.SampledFrom(leaves).Draw(t, "leaf")
	}
	below := func() string { return drawMCL(t, depth-1, inside) }
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		return "(" + below() + " and " + below() + ")"
	case 1:
		return "(" + below() + " or " + below() + ")"
	case 2, 3:
		return "[ " + strings.Replace(run(), "%", action(), 1) + " ] " + below()
	case 4:
		if inside {
			break
		}
		fixpoint := rapid.SampledFrom([]string{"mu", "nu"}).Draw(t, "fixpoint")
		return "(" + fixpoint + " X . (" + drawMCL(t, depth-1, true) + "))"
	}
	return "< " + strings.Replace(run(), "%", action(), 1) + " > " + below()
}

// TestVerdictsOfFormulasAboutStates: a job has the verdict of an evaluation over sets of states, whether the
// formula is read as a property of runs, as one of computation tree logic, or as one of the mu-calculus; and it is
// the same whether the formula stands in the manifest or in a file of its own.
func TestVerdictsOfFormulasAboutStates(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		m := randomlts.Generator(randomlts.Small()).Draw(t, "case").Model
		text := drawMCL(t, 3, false)
		whole, err := readAskedFile(context.Background(), "f.mcl", text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		holds, err := mucalculus.Holds(m, text)
		if err != nil {
			t.Fatal(err)
		}
		want := Violated
		if holds {
			want = Satisfied
		}
		for _, j := range []Job{{Formula: text, Modal: true}, {Formula: whole.String(), Modal: whole.isModal()}} {
			j.Name = "m.aut"
			j.Model = "m.aut"
			j.Options.AllowUnmatched = true
			r := Do(context.Background(), j, Work{Models: drawn{m}})
			if r.Status != want {
				t.Errorf("%s, read as %s: %s, want %s (error %q)", text, j.Formula, r.Status, want, r.Error)
			}
			if whole.ofStates == nil {
				continue
			}
			checkArgument(t, m, r, whole)
		}
		switch {
		case whole.ofStates == nil:
			seen["of runs"]++
		case whole.isModal():
			seen["fixpoints"]++
		default:
			seen["branching"]++
		}
	})
	// A short run draws too few formulas to promise one of each kind.
	if randomlts.Whole() && len(seen) < 3 {
		t.Errorf("only these kinds of formulas were drawn: %v", seen)
	}
}

// holdsIn evaluates a part of a formula. The part may be about the variable of a fixpoint around it.
func holdsIn(m *lts.LTS, part, whole string) (bool, error) {
	for _, fixpoint := range fixpoints(whole) {
		if !strings.Contains(part, fixpoint) && strings.Contains(fixpoint, part) {
			return mucalculus.HoldsIn(m, part, "X", fixpoint)
		}
	}
	return mucalculus.Holds(m, part)
}

// fixpoints returns the fixpoints of X in a formula of [drawMCL], none of which is in another one.
func fixpoints(formula string) []string {
	var all []string
	for _, head := range regexp.MustCompile(`[mn]u X \. `).FindAllStringIndex(formula, -1) {
		body := bodyAt(formula[head[1]:])
		all = append(all, formula[head[0]:head[1]]+body)
	}
	return all
}

// bodyAt returns the body of a fixpoint with which a text begins: up to the parenthesis that closes its first one or, if
// it does not begin with one, that closes an earlier one.
func bodyAt(text string) string {
	depth := 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 {
			return text[:i]
		}
		if depth == 0 && text[0] == '(' {
			return text[:i+1]
		}
	}
	return text
}

// checkArgument checks what the sentence about a formula says of the initial state: of the formula, or of a part of
// it that decides.
func checkArgument(t *rapid.T, m *lts.LTS, r Result, f asked) {
	part, _, fails := strings.Cut(r.Argument, " does not hold in ")
	if !fails {
		part, _, _ = strings.Cut(r.Argument, " holds in ")
	}
	if part == r.Argument || r.Counterexample != nil {
		t.Fatalf("%s: %s, since %q", f, r.Status, r.Argument)
	}
	if !f.isModal() {
		return // the evaluator does not read computation tree logic
	}
	if holds, err := holdsIn(m, part, f.String()); err != nil || holds == fails {
		t.Errorf("%s: %s, since %q, where the part holds: %t (error %v)", f, r.Status, r.Argument, holds, err)
	}
}

// TestRefusedAboutStates: what only properties of runs have is refused, by its name, of a formula about states.
func TestRefusedAboutStates(t *testing.T) {
	folder := tree(t, map[string]string{"m.aut": model})
	for _, c := range []struct {
		change func(*Job)
		error  string
	}{
		{func(j *Job) { j.Bound = 3 }, "bound: AG EF <REQ> true has no bound; only inevitability, a response with one answer, and what is to happen again and again have bounds"},
		{func(j *Job) { j.Options.Faults = []string{"REQ"} }, "faults: AG EF <REQ> true is not a property of runs, so faults cannot violate it; leave faults out"},
		{func(j *Job) { j.Formula = "EF <REC> true" }, `m.aut: atom 1, "REC", matches no label of the model; did you mean REQ? (AllowUnmatched takes it as an atom that never happens)`},
		{func(j *Job) { j.Formula = "AF REQ" }, "m.aut: REQ is a predicate of states, and the states of the model have no values; <REQ> true asks for a transition by that label; about the actions of all runs it is written F REQ, which inev check answers"},
		{func(j *Job) { j.Formula, j.Options.Fair = "nu X . mu Y . (<REQ> X || <!REQ> Y)", []string{"strong"} }, "a formula with fixpoints is about transitions, not about fair runs; leave the assumption out"},
		{func(j *Job) { j.Formula = "AG EF" }, "formula: expected a formula, such as true, EF f, <PUT> f or A[f U g], found end of formula (column 6)"},
	} {
		j := jobOn(folder, "m.aut", "AG EF <REQ> true")
		c.change(&j)
		r := Do(context.Background(), j, Work{})
		if r.Status != Failed || r.Error != c.error {
			t.Errorf("%s: %s %q\nwant %q", j.Formula, r.Status, r.Error, c.error)
		}
	}
	if _, _, err := (&Job{Formula: "AG EF <REQ> true"}).Question(context.Background()); err == nil || !strings.HasSuffix(err.Error(), "is about states, and not a property of runs") {
		t.Errorf("a question about runs: error %v", err)
	}
}
