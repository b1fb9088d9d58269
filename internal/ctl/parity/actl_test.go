package parity_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/explain"
	formulas "github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/formula/modal"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// until is an operator of ACTL as its definition says: runs go through states of during, by actions of while, until an
// action of last, which may be any if last is nil, leads to a state of reached.
type until struct {
	m               *lts.LTS
	during, reached func(lts.State) bool
	while, last     func(string) bool
}

// steps calls do for each transition of a state.
func (u *until) steps(s lts.State, do func(label string, to lts.State)) {
	for l, to := range u.m.From(s) {
		do(u.m.Alphabet().Text(l), to)
	}
}

// some reports whether some run from a state is as the operator says: it searches such a path.
func (u *until) some(s lts.State, seen map[lts.State]bool) bool {
	if u.last == nil && u.reached(s) {
		return true
	}
	if seen[s] || !u.during(s) {
		return false
	}
	seen[s] = true
	found := false
	u.steps(s, func(label string, to lts.State) {
		if u.last != nil && u.last(label) && u.reached(to) || (u.while(label) || label == "i") && u.some(to, seen) {
			found = true
		}
	})
	return found
}

// fails reports whether a run from a state is not as the operator says: one that stops too early, takes a step that is
// not allowed, or waits on a loop. The states on the path are in path.
func (u *until) fails(s lts.State, path map[lts.State]bool) bool {
	if u.last == nil && u.reached(s) {
		return false
	}
	if path[s] || !u.during(s) || u.m.IsDeadlock(s) {
		return true
	}
	path[s] = true
	defer delete(path, s)
	failing := false
	u.steps(s, func(label string, to lts.State) {
		switch {
		case u.last != nil && u.last(label) && u.reached(to):
		case u.while(label) || label == "i":
			failing = failing || u.fails(to, path)
		default:
			failing = true
		}
	})
	return failing
}

// next reports whether an action of while leads from the initial state to a state of reached: some, or each and there is one.
func next(u *until, all bool) bool {
	good := 0
	bad := 0
	u.steps(0, func(label string, to lts.State) {
		if u.while(label) && u.reached(to) {
			good++
		} else {
			bad++
		}
	})
	return good > 0 && (!all || bad == 0)
}

// stateFormula draws a formula of states, and what it means.
func stateFormula(t *rapid.T, m *lts.LTS) (text string, holds func(lts.State) bool) {
	can := func(s lts.State, label string) bool {
		for l := range m.From(s) {
			if m.Alphabet().Text(l) == label {
				return true
			}
		}
		return false
	}
	switch rapid.IntRange(0, 4).Draw(t, "state formula") {
	case 0:
		return `< "a" > true`, func(s lts.State) bool { return can(s, "a") }
	case 1:
		return `[ "b" ] false`, func(s lts.State) bool { return !can(s, "b") }
	case 2:
		return `< true > true`, func(s lts.State) bool { return !m.IsDeadlock(s) }
	}
	return "true", func(lts.State) bool { return true }
}

// actionFormula draws a formula of actions, and what it means.
func actionFormula(t *rapid.T) (text string, admits func(string) bool) {
	switch rapid.IntRange(0, 4).Draw(t, "action formula") {
	case 0:
		return `"a"`, func(l string) bool { return l == "a" }
	case 1:
		return `not "b"`, func(l string) bool { return l != "b" }
	case 2:
		return `"a" or "b"`, func(l string) bool { return l == "a" || l == "b" }
	case 3:
		return "true", func(string) bool { return true }
	}
	return "false", func(string) bool { return false }
}

// modelWithInternal draws a model with internal actions, one of which there always is.
func modelWithInternal(t *rapid.T) *lts.LTS {
	n := rapid.IntRange(1, 5).Draw(t, "states")
	var b lts.Builder
	for range rapid.IntRange(0, 2*n).Draw(t, "transitions") {
		from := lts.State(rapid.IntRange(0, n-1).Draw(t, "from"))
		label := rapid.SampledFrom([]string{"a", "b", "i"}).Draw(t, "label")
		b.Add(from, b.Label(label), lts.State(rapid.IntRange(0, n-1).Draw(t, "to")))
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// holdsOnAllRuns reports whether all runs of a model satisfy a property.
func holdsOnAllRuns(t *rapid.T, m *lts.LTS, f property.Formula) bool {
	e, err := explain.Check(context.Background(), m, f, explain.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e.Verdict == explain.Satisfied
}

// TestACTL: the macros of ACTL are what De Nicola and Vaandrager define, on random models.
func TestACTL(t *testing.T) {
	ofRuns := 0
	for range randomlts.Share(200) {
		rapid.Check(t, func(t *rapid.T) {
			m := modelWithInternal(t)
			u := until{m: m}
			during, isDuring := stateFormula(t, m)
			reached, isReached := stateFormula(t, m)
			while, isWhile := actionFormula(t)
			last, isLast := actionFormula(t)
			anywhere := func(lts.State) bool { return true }
			u.while = isWhile
			u.reached = isReached
			var call string
			var want bool
			switch operator := rapid.SampledFrom([]string{"EU_A", "AU_A", "EU_A_B", "AU_A_B", "EF_A", "AF_A", "AG_A", "EX_A", "AX_A"}).Draw(t, "operator"); operator {
			case "EU_A", "AU_A":
				call = fmt.Sprintf("%s (%s, %s, %s)", operator, during, while, reached)
				u.during = isDuring
				want = operator == "EU_A" && u.some(0, map[lts.State]bool{}) || operator == "AU_A" && !u.fails(0, map[lts.State]bool{})
			case "EU_A_B", "AU_A_B":
				call = fmt.Sprintf("%s (%s, %s, %s, %s)", operator, during, while, last, reached)
				u.during = isDuring
				u.last = isLast
				want = operator == "EU_A_B" && u.some(0, map[lts.State]bool{}) || operator == "AU_A_B" && !u.fails(0, map[lts.State]bool{})
			case "EF_A", "AF_A":
				call = fmt.Sprintf("%s (%s, %s)", operator, while, reached)
				u.during = anywhere
				want = operator == "EF_A" && u.some(0, map[lts.State]bool{}) || operator == "AF_A" && !u.fails(0, map[lts.State]bool{})
			case "AG_A":
				call = fmt.Sprintf("%s (%s, %s)", operator, while, reached)
				u.during = anywhere
				u.reached = func(s lts.State) bool { return !isReached(s) }
				want = !u.some(0, map[lts.State]bool{})
			default:
				call = fmt.Sprintf("%s (%s, %s)", operator, while, reached)
				want = next(&u, operator == "AX_A")
			}
			text := "library actl.mcl end_library " + call
			if got := len(solve(t, m, text).Good) == 1; got != want {
				t.Fatalf("%s is %v on\n%v, want %v", call, got, m, want)
			}
			f, err := formulas.Parse(context.Background(), text)
			var other *modal.OtherwiseError
			if err != nil && !errors.As(err, &other) {
				if _, err := modal.Graph(context.Background(), text); err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil {
				ofRuns++
				if got := holdsOnAllRuns(t, m, f); got != want {
					t.Fatalf("as a property of runs, %s is %v on\n%v, want %v", call, got, m, want)
				}
			}
		})
	}
	t.Logf("%d were properties of runs", ofRuns)
}
