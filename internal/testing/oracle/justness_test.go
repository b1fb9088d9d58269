package oracle_test

import (
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// interference is which labels need a common component, or are the same.
type interference func(a, b lts.Label) bool

// persists reports whether what is possible and not blocking stays so until it is interfered
// with.
func persists(m *lts.LTS, j *oracle.Just, meets interference) bool {
	for t := range m.Transitions() {
		labels, _ := m.Out(t.From)
		for i := range labels.Len() {
			a := labels.At(i)
			if !j.Blocking[a] && !meets(a, t.Label) && !isPossible(m, t.To, a) {
				return false
			}
		}
	}
	return true
}

func isPossible(m *lts.LTS, s lts.State, l lts.Label) bool {
	labels, _ := m.Out(s)
	for i := range labels.Len() {
		if labels.At(i) == l {
			return true
		}
	}
	return false
}

// isJustAsInPapers reports whether from each state of a run on, each label that is possible there
// and not blocking is interfered with later (van Glabbeek, Justness, FoSSaCS 2019). A run with
// loop < 0 ends.
func isJustAsInPapers(m *lts.LTS, j *oracle.Just, meets interference, run []lts.Transition, loop int) bool {
	for at := range len(run) + 1 {
		s, from := m.Initial(), at
		if at > 0 {
			s = run[at-1].To
		}
		if loop >= 0 && from > loop {
			from = loop // what is on the loop comes again
		}
		for a := range m.Alphabet().All() {
			interfered := j.Blocking[a] || !isPossible(m, s, a)
			for _, t := range run[min(from, len(run)):] {
				interfered = interfered || meets(a, t.Label)
			}
			if !interfered {
				return false
			}
		}
	}
	return true
}

// isJustHere is the definition that fate, counterexamples and certificates are compared with.
func isJustHere(m *lts.LTS, j *oracle.Just, meets interference, run []lts.Transition, loop int) bool {
	possible := func(s lts.State, recurring []lts.Transition) bool {
		for a := range m.Alphabet().All() {
			interfered := j.Blocking[a] || !isPossible(m, s, a)
			for _, t := range recurring {
				interfered = interfered || meets(a, t.Label)
			}
			if !interfered {
				return false
			}
		}
		return true
	}
	if loop < 0 {
		end := m.Initial()
		if len(run) > 0 {
			end = run[len(run)-1].To
		}
		return possible(end, nil)
	}
	for _, t := range run[loop:] {
		if !possible(t.From, run[loop:]) {
			return false
		}
	}
	return true
}

// TestJustnessOfThePapers compares the definition with the one in the papers on all short runs of
// models that persist, and finds that they differ elsewhere.
func TestJustnessOfThePapers(t *testing.T) {
	persistent, runs, just, differ := 0, 0, 0, 0
	size := randomlts.Size{States: 4, Transitions: 7, Labels: 3, Steps: 1}
	for seed := range randomlts.Share(6_000) {
		c := randomlts.Seeded(seed, size)
		m := c.Model
		var want oracle.Assumption
		drawJustness(rand.New(rand.NewPCG(seed, 11)), m.Alphabet(), &want)
		j := want.Just
		meets := func(a, b lts.Label) bool {
			for c := range j.Components[a] {
				if j.Components[b][c] {
					return true
				}
			}
			return a == b
		}
		persist := persists(m, j, meets)
		if persist {
			persistent++
		}
		var walk func(run []lts.Transition, at lts.State)
		check := func(run []lts.Transition, loop int) {
			here, papers := isJustHere(m, j, meets, run, loop), isJustAsInPapers(m, j, meets, run, loop)
			if here != papers && !persist {
				differ++
			}
			if !persist {
				return
			}
			runs++
			if here {
				just++
			}
			if here != papers {
				t.Fatalf("seed %d:\n%s\n%+v\nrun %v, loop %d: just %t, in the papers %t", seed, c, *j, run, loop, here, papers)
			}
		}
		walk = func(run []lts.Transition, at lts.State) {
			check(run, -1)
			for i := range run {
				if run[i].From == at {
					check(run, i)
				}
			}
			if len(run) == 4 {
				return
			}
			labels, targets := m.Out(at)
			for i, to := range targets {
				walk(append(run[:len(run):len(run)], lts.Transition{From: at, Label: labels.At(i), To: to}), to)
			}
		}
		walk(nil, m.Initial())
	}
	t.Logf("%d persistent models with %d runs, %d of them just; %d runs of other models differ", persistent, runs, just, differ)
	if randomlts.Whole() && (persistent < 1_000 || just < 1_000 || differ == 0) {
		t.Error("too few")
	}
}
