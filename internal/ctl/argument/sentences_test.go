package argument

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// obligation is a claim that has to be argued for below another one.
type obligation struct {
	literal
	s lts.State
}

// judge checks what an argument says.
type judge struct {
	*truth
	counted map[string]int // sentences by form
}

var headForm = regexp.MustCompile(`^(.*?) (holds|does not hold) in (\d+)([.,:].*)$`)

// claim checks a claim with all below it, and returns it and the number of transitions on
// its runs; counts is false if that is not all there is.
func (j *judge) claim(c *told) (of obligation, weight int, counts bool, err error) {
	of, tail, err := j.head(c)
	if err != nil {
		return of, 0, false, err
	}
	if !j.is(of.literal, of.s) {
		return of, 0, false, fmt.Errorf("false: %q", c.sentence)
	}
	if err := j.sameElsewhere(c, of.literal); err != nil {
		return of, 0, false, err
	}
	owed, runs, err := j.tail(c, of, tail)
	if err != nil {
		return of, 0, false, fmt.Errorf("%w: %q", err, c.sentence)
	}
	weight, counts = runs, c.left == 0
	sets := len(c.layers) > 0 || strings.Contains(tail, ": all transitions ") || strings.Contains(tail, " runs never leave ") || strings.Contains(tail, " runs stay in ")
	var paid []obligation
	for _, b := range c.because {
		below, w, all, err := j.claim(b)
		if err != nil {
			return of, 0, false, err
		}
		weight += w
		counts = counts && all && !(sets && w > 0)
		if paid, err = j.pay(b, below, owed, paid); err != nil {
			return of, 0, false, fmt.Errorf("%w: %q below %q", err, b.sentence, c.sentence)
		}
	}
	for _, o := range owed {
		if c.left == 0 && !o.isConstant() && !slices.ContainsFunc(paid, func(p obligation) bool { return p.s == o.s && p.same(o.literal) }) {
			return of, 0, false, fmt.Errorf("nothing is said of %s being %t in %d below %q", o.f.text, o.holds, o.s, c.sentence)
		}
	}
	return of, weight, counts, nil
}

// head reads what a sentence claims, and returns the rest of it.
func (j *judge) head(c *told) (of obligation, tail string, err error) {
	if found := regexp.MustCompile(`^state (\d+) is (a|not a) deadlock(.*)$`).FindStringSubmatch(c.sentence); found != nil {
		f := &wff{op: "deadlock", text: "deadlock"}
		return obligation{literal{f, found[2] == "a"}, lts.State(number(found[1]))}, found[3], nil
	}
	found := headForm.FindStringSubmatch(c.sentence)
	if found == nil {
		return of, "", fmt.Errorf("not understood: %q", c.sentence)
	}
	f, err := read(found[1])
	return obligation{literal{f, found[2] == "holds"}, lts.State(number(found[3]))}, found[4], err
}

// sameElsewhere checks of which other states the same is said.
func (j *judge) sameElsewhere(c *told, l literal) error {
	for _, s := range c.also {
		if !j.is(l, s) {
			return fmt.Errorf("not so in %d: %q", s, c.sentence)
		}
	}
	if c.also != nil && c.alsoMore > 0 && len(c.also) != 12 {
		return fmt.Errorf("%d named of more: %q", len(c.also), c.sentence)
	}
	return nil
}

// pay takes what a claim below says off from what is owed: of states on a way, or of those
// at its end, where the same can be owed of both.
func (j *judge) pay(b *told, below obligation, owed, paid []obligation) ([]obligation, error) {
	of := map[literal][]lts.State{}
	add := func(l literal, s lts.State) {
		if !slices.Contains(of[l], s) {
			of[l] = append(of[l], s)
		}
	}
	for _, o := range owed {
		if o.same(below.literal) {
			add(o.literal, o.s)
			if b.others == 0 {
				add(below.literal, o.s) // of both
			}
		}
	}
	for _, states := range of {
		named := append([]lts.State{below.s}, b.also...)
		if slices.ContainsFunc(named, func(s lts.State) bool { return !slices.Contains(states, s) }) || b.others > 0 && b.others != len(states)-1 {
			continue
		}
		if b.others > 0 || b.alsoMore > 0 {
			named = states
		}
		for _, s := range named {
			paid = append(paid, obligation{below.literal, s})
		}
		return paid, nil
	}
	return nil, fmt.Errorf("%d and %v and %d others, where it is owed of %v", below.s, b.also, b.others, of)
}

// transition reads a transition, which has to be one of the model.
func (j *judge) transition(text string) (lts.Transition, error) {
	if f := stepLine.FindStringSubmatch("  " + text); f != nil {
		for _, t := range j.out(lts.State(number(f[2]))) {
			if fmt.Sprint(t.To) == f[4] && j.label(t) == f[3] {
				return t, nil
			}
		}
	}
	return lts.Transition{}, fmt.Errorf("%s is no transition", text)
}

// setIs checks that a text names these states.
func setIs(text string, want []lts.State) error {
	want = slices.Compact(slices.Sorted(slices.Values(want)))
	if len(want) == 1 {
		if text != fmt.Sprintf("state %d", want[0]) {
			return fmt.Errorf("%s for %v", text, want)
		}
		return nil
	}
	return group(text, "(", ")", want)
}

func group(text, opening, closing string, want []lts.State) error {
	var first []string
	for _, s := range want[:min(len(want), 6)] {
		first = append(first, fmt.Sprint(s))
	}
	if len(want) > 6 {
		first = append(first, "…")
	}
	plural := "s"
	if len(want) == 1 {
		plural = ""
	}
	if right := strconv.Itoa(len(want)) + " state" + plural + " " + opening + strings.Join(first, ", ") + closing; text != right {
		return fmt.Errorf("%s for %s", text, right)
	}
	return nil
}

// clause checks that a claim is made, as it has to be, unless it is one about a constant.
func clause(text string, l literal) error {
	if l.isConstant() && text == "" {
		return nil
	}
	formula, is := strings.CutSuffix(text, map[bool]string{true: " holds", false: " does not hold"}[l.holds])
	if l.isConstant() || !is || !l.f.is(formula) {
		return fmt.Errorf("%q, and not that %s is %t", text, l.f.text, l.holds)
	}
	return nil
}

// all checks that a claim is true in some states.
func (j *judge) all(l literal, states []lts.State) error {
	for _, s := range states {
		if !j.is(l, s) {
			return fmt.Errorf("%s is not %t in %d", l.f.text, l.holds, s)
		}
	}
	return nil
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestSentencesAreTrue reads each line of arguments on random models back, and checks it by
// searches for runs: what is claimed, the runs and sets that argue for it, what is owed of
// their states and paid by the claims below, and that no argument is smaller where that is
// said. INEV_CTL_STRUCTURES=20000 checks so many models.
func TestSentencesAreTrue(t *testing.T) {
	seeds, from := 600, 0
	if text := os.Getenv("INEV_CTL_STRUCTURES"); text != "" {
		seeds = number(text)
	}
	counted := map[string]int{}
	smallest := 0
	for seed := from; seed < seeds; seed++ {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		size, depth := randomlts.Small(), 3
		if seed%8 == 0 {
			size, depth = randomlts.Medium(), 1+r.IntN(3)
		}
		m := randomlts.Seeded(uint64(seed), size).Model
		marks := r.Uint64()
		p := func(s lts.State) bool { return marks>>(s%64)&1 != 0 }
		formula := randomlts.Branching(r, depth, randomlts.BranchingAtoms("p"))
		x := newCaseWith(t, m, formula, p)
		a, err := x.Argue(m.Initial())
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := a.WriteText(&text, m); err != nil {
			t.Fatal(err)
		}
		fail := func(err error) {
			if err != nil {
				t.Fatalf("seed %d: %s: %v\n%s\n%s", seed, formula, err, text.String(), randomlts.Case{Model: m})
			}
		}
		root, least, err := readText(m, text.String())
		fail(err)
		j := &judge{&truth{m: m, p: p, known: map[string][]bool{}, weights: map[string]float64{}}, counted}
		of, weight, counts, err := j.claim(root)
		fail(err)
		asked, err := read(x.closure.Nodes[x.closure.Root()].Formula.String())
		fail(err)
		if !of.same(literal{asked, j.of(asked)[m.Initial()]}) || of.s != m.Initial() {
			fail(fmt.Errorf("asked about %s", asked.text))
		}
		if least >= 0 {
			smallest++
			if !counts || least != weight {
				fail(fmt.Errorf("%d transitions, and not %d (%t)", weight, least, counts))
			}
			if m.NumStates() <= randomlts.Small().States && j.least(of.literal, of.s) != float64(least) {
				fail(fmt.Errorf("an argument has %v", j.least(of.literal, of.s)))
			}
		}
	}
	if len(counted) < forms || smallest < seeds/20 {
		t.Errorf("%d forms of sentences, and %d smallest arguments: %v", len(counted), smallest, counted)
	}
	t.Log(smallest, counted)
}

// newCaseWith is newCase with a predicate.
func newCaseWith(t *testing.T, m *lts.LTS, text string, p func(lts.State) bool) *Case {
	t.Helper()
	var in wmc.States
	for s := range lts.State(m.NumStates()) {
		if p(s) {
			in = append(in, s)
		}
	}
	return caseOf(t, m, text, func(syntax.Predicate) (wmc.States, error) { return in, nil })
}
