package render_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/assertions"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/property"
)

// TestFairSentencesAreTrue reads back what is said of the runs that count, and checks it
// by trying every set of transitions that a run could take forever.
func TestFairSentencesAreTrue(t *testing.T) {
	size := randomlts.Size{States: 5, Transitions: 9, Labels: 4, Steps: 3}
	understood := map[string]int{}
	// Beside weak fairness, the first needs less that is strong than alone.
	seeds := []uint64{186}
	for seed := range randomlts.Share(1_500) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		c := randomlts.Seeded(seed, size)
		if c.Model.NumTransitions() > 10 || c.Model.Alphabet().Len() == 0 {
			continue
		}
		each := func(strong bool) (a oracle.Assumption) {
			for l := range c.Model.Alphabet().All() {
				a.Tasks = append(a.Tasks, oracle.FairTask{Labels: map[lts.Label]bool{l: true}, Strong: strong})
			}
			return a
		}
		rare := lts.Label(seed % uint64(c.Model.Alphabet().Len()))
		for text, a := range map[string]oracle.Assumption{
			"full": {Full: true}, "weak": each(false), "strong": each(true),
			"just": justOf(c.Model.Alphabet(), nil), "just\nblocking:A": justOf(c.Model.Alphabet(), func(l string) bool { return l == "A" }),
			fmt.Sprintf("finitely:%q", c.Model.Alphabet().Text(rare)): {Rare: map[lts.Label]bool{rare: true}},
		} {
			if err := readFairly(c, text, a, understood); err != nil {
				t.Fatalf("seed %d under %s:\n%s\n%v", seed, text, c, err)
			}
		}
	}
	for _, form := range []string{"satisfied", "violated", "trap", "doomed", "into a deadlock", "enough", "all needed", "unneeded", "decision", "elsewhere", "classes", "refused"} {
		if randomlts.Whole() && understood[form] < 20 {
			t.Errorf("the form %q was met %d times", form, understood[form])
		}
	}
}

// components returns the components that labels of random models need.
func components(label string) []string {
	return map[string][]string{"A": {"p"}, "B": {"p", "x"}, "C": {"q", "x"}, "D": {"q"}}[label[:1]]
}

// readAssumptions reads assumptions about random models.
func readAssumptions(texts ...string) (all []*actl.Assumption, err error) {
	for _, text := range texts {
		assumed, err := actl.ParseAssumption(context.Background(), text)
		if err != nil {
			return nil, err
		}
		all = append(all, assumed.On(components))
	}
	return all, nil
}

// justOf is justness with these components, as the oracle takes it.
func justOf(a *lts.Alphabet, blocks func(string) bool) oracle.Assumption {
	j := &oracle.Just{Components: map[lts.Label]map[int]bool{}, Blocking: map[lts.Label]bool{}}
	for l, text := range a.All() {
		j.Components[l] = map[int]bool{}
		for _, name := range components(text) {
			j.Components[l][int(name[0])] = true
		}
		j.Blocking[l] = blocks != nil && blocks(text)
	}
	return oracle.Assumption{Just: j}
}

func readFairly(c randomlts.Case, text string, a oracle.Assumption, understood map[string]int) error {
	fair, err := readAssumptions(strings.Split(text, "\n")...)
	if err != nil {
		return err
	}
	e, err := explained(c, explain.Options{Source: explain.Source{File: "m.aut"}, Fair: fair})
	if errors.Is(err, explain.ErrNoRunCounts) {
		return nil
	}
	if err != nil {
		return err
	}
	checker, err := assertions.NewFair(subject(c, e, neighbourhood.All), a)
	if err != nil {
		return err
	}
	if err := checker.Sentence(render.NewSentences(e, printable.Code).Verdict()); err != nil {
		return err
	}
	_, said, err := sentencesOf(e, checker.Sentence)
	if err != nil {
		return err
	}
	for _, sentence := range said {
		if err := checker.Sentence(sentence); err != nil {
			return err
		}
	}
	for form, n := range checker.Understood {
		understood[form] += n
	}
	return nil
}

// TestStrongerFairnessIsTold: where a property fails under a notion of fairness, and holds under a stronger one, the
// report names the weakest such notion, or the actions to which fairness must be strong; and nothing where there is none.
func TestStrongerFairnessIsTold(t *testing.T) {
	met := map[string]int{}
	for seed := range randomlts.Share(6_000) {
		m := randomlts.Seeded(seed, randomlts.Size{States: 4, Transitions: 9, Labels: 3, Steps: 1}).Model
		text := []string{"Inev(A)", "Inev(B, A)", "Response(B; A)", "G F A", "F G !B"}[seed%5]
		given := []string{"weak", "strong", "weak:A"}[seed/5%3]
		fair, err := readAssumptions(given)
		if err != nil {
			t.Fatal(err)
		}
		e, err := explain.Explain(t.Context(), m, parseAny(t, text), explain.Options{Fair: fair, NoPaths: true})
		if err != nil {
			t.Fatal(err)
		}
		if e.Verdict == explain.Satisfied {
			continue
		}
		of := &notionsOf{t: t, m: m, f: parseAny(t, text)}
		want := ""
		switch {
		case !of.holds(oracle.Assumption{Full: true}):
		case of.holds(oracle.Assumption{Tasks: of.tasks(true)}):
			want = "strong"
		default:
			want = "full"
		}
		if of.isLarge {
			continue
		}
		told := ""
		for _, r := range render.NewSentences(e, printable.Text).Remedies() {
			kind, _, _ := strings.Cut(r.Assumption, ":")
			told += kind
		}
		if told != want {
			t.Fatalf("seed %d, %s under %s: %q is told, and not %q\n%s", seed, text, given, told, want, randomlts.Case{Model: m, Formula: text})
		}
		met[given+" "+want]++
	}
	t.Log(met)
	for _, form := range []string{"weak ", "weak strong", "weak full", "strong ", "strong full", "weak:A strong", "weak:A full"} {
		if randomlts.Whole() && met[form] < 10 {
			t.Errorf("%q was met %d times", form, met[form])
		}
	}
}

// notionsOf decides by brute force under which notions of fairness a property holds.
type notionsOf struct {
	t *testing.T
	m *lts.LTS
	f property.Formula
	// isLarge reports that some question was too large for brute force.
	isLarge bool
}

// holds reports whether all runs under an assumption satisfy the property.
func (n *notionsOf) holds(a oracle.Assumption) bool {
	n.t.Helper()
	p, _, err := n.f.Bind(n.t.Context(), n.m.Alphabet())
	if err != nil {
		n.t.Fatal(err)
	}
	of, isSmall := oracle.NewFairGeneral(n.m, fromproperty.Automaton(p), a)
	if !isSmall {
		n.isLarge = true
		return false
	}
	_, rejects := of.Can(n.m.Initial(), int(p.Initial()))
	return !rejects
}

// tasks returns a task for each label.
func (n *notionsOf) tasks(strong bool) (all []oracle.FairTask) {
	for l := range n.m.Alphabet().All() {
		all = append(all, oracle.FairTask{Labels: map[lts.Label]bool{l: true}, Strong: strong})
	}
	return all
}

// TestStopsAtTheStart: a run that may be blocked from the start is said to stop in the initial state,
// also where its states are told apart by their histories.
func TestStopsAtTheStart(t *testing.T) {
	m, _, err := aut.Read(t.Context(), strings.NewReader("des (5, 1, 6)\n(5, \"A\", 0)\n"), aut.Options{Name: "m.aut"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := actl.Parse(t.Context(), "Inev(A)")
	if err != nil {
		t.Fatal(err)
	}
	fair, err := readAssumptions("just", "blocking:A")
	if err != nil {
		t.Fatal(err)
	}
	for unfold, state := range map[bool]string{false: "state 5 ", true: "state 5·0 "} {
		e, err := explain.Explain(t.Context(), m, f, explain.Options{Source: explain.Source{File: "m.aut"}, Fair: fair, Unfold: unfold})
		if err != nil {
			t.Fatal(err)
		}
		if said := render.NewSentences(e, printable.Text).Verdict(); !strings.Contains(said, "the run stops in "+state) {
			t.Errorf("unfolded %t: %s", unfold, said)
		}
	}
}
