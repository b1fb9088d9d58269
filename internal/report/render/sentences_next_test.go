package render_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// TestSentencesAboutLaterActions: the table of a run says after how many actions an action must come, counted from each step,
// and no operator of the formula.
func TestSentencesAboutLaterActions(t *testing.T) {
	for next := 1; next <= 4+int(randomlts.Share(4)); next++ {
		var lines []string
		for i := range 10 {
			lines = append(lines, fmt.Sprintf("%d A %d", i, i+1), fmt.Sprintf("%d B %d", i, i+1))
		}
		out, e := reported(t, modelOf(t, lines...), strings.Repeat("X ", next)+"B", "")
		for i := range min(next, len(e.Counterexample.Steps)) {
			left := next - i - 1
			want := fmt.Sprintf("B must come after the next %d actions", left)
			switch left {
			case 0:
				want = "B must come next"
			case 1:
				want = "B must come after the next action"
			}
			pending := e.Counterexample.Steps[i].Pending
			if pending == nil || pending.Words.String() != want {
				t.Errorf("%d of X, after step %d: %v, want %s\n%s", next, i+1, pending, want, out)
			}
		}
	}
}

// TestSentencesAboutWaitingUntil: what is not allowed before the awaited action is named by its label, without operators.
func TestSentencesAboutWaitingUntil(t *testing.T) {
	m := modelOf(t, "0 A 1", "1 B 0", "1 D 2", "2 C 2")
	out, _ := reported(t, m, "G (A -> (!D U B))", "")
	for _, want := range []string{
		"D happens (step 2) before B.",
		"A  waiting for B, with no D before it",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	out, _ = reported(t, m, "G (A -> ((!D && !C) U B))", "")
	if !strings.Contains(out, "with no D or C before it") {
		t.Error(out)
	}
}

// obligations are the sentences about what may happen from now on, with what they mean of the labels that follow.
var obligations = []struct {
	sentence *regexp.Regexp
	holds    func(first, second []string, run word) bool
}{
	{regexp.MustCompile(`^only (\S+(?: or \S+)*) may happen from now on()$`), func(allowed, _ []string, run word) bool {
		return run.all(func(i int) bool { return slices.Contains(allowed, run.at(i)) })
	}},
	{regexp.MustCompile(`^only (\S+(?: or \S+)*) may happen before (\S+)$`), func(allowed, end []string, run word) bool {
		return run.all(func(i int) bool {
			return run.firstOf(end) <= i || slices.Contains(allowed, run.at(i))
		})
	}},
	{regexp.MustCompile(`^only (\S+(?: or \S+)*) may happen up to the first (\S+)$`), func(allowed, end []string, run word) bool {
		return run.all(func(i int) bool {
			return run.firstOf(end) < i || slices.Contains(allowed, run.at(i))
		})
	}},
	{regexp.MustCompile(`^(\S+(?: or \S+)*) is not allowed up to the first (\S+)$`), func(forbidden, end []string, run word) bool {
		return run.all(func(i int) bool {
			return run.firstOf(end) < i || !slices.Contains(forbidden, run.at(i))
		})
	}},
	{regexp.MustCompile(`^(\S+) must follow each (\S+)$`), func(answer, asked []string, run word) bool {
		return run.all(func(i int) bool {
			return !slices.Contains(asked, run.at(i)) || run.from(i).firstOf(answer) < len(run.stem)+2*len(run.loop)
		})
	}},
}

// word are the labels of a run that repeats its last ones forever.
type word struct{ stem, loop []string }

func (w word) at(i int) string {
	if i < len(w.stem) {
		return w.stem[i]
	}
	return w.loop[(i-len(w.stem))%len(w.loop)]
}

// all reports whether something is so of each position, where two rounds of the loop stand for all.
func (w word) all(is func(i int) bool) bool {
	for i := range len(w.stem) + 2*len(w.loop) {
		if !is(i) {
			return false
		}
	}
	return true
}

// firstOf returns the first position of one of some labels; a great number if there is none.
func (w word) firstOf(labels []string) int {
	for i := range len(w.stem) + 2*len(w.loop) {
		if slices.Contains(labels, w.at(i)) {
			return i
		}
	}
	return 1_000
}

func (w word) from(i int) word {
	var stem []string
	for k := i; k < len(w.stem)+len(w.loop); k++ {
		stem = append(stem, w.at(k))
	}
	return word{stem: stem, loop: w.loop}
}

// TestSentencesAboutObligations: what a formula demands from now on is said without its operators, and the sentence means what
// the formula means.
func TestSentencesAboutObligations(t *testing.T) {
	var b lts.Builder
	for _, label := range []string{"A", "B", "C", "D"} {
		b.Add(0, b.Label(label), 0)
	}
	m, err := b.Build(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	met := map[int]bool{}
	for _, text := range []string{
		"G C", "G (C || D)", "C W B", "(C || D) W B", "B R C", "B R (C || D)", "C R !D", "C R (!D && !A)", "G (A -> F B)", "A W (B || C)",
	} {
		p := bound(t, m, "X ("+text+")")
		said := p.Pending(p.Next(p.Initial(), 0)).String()
		said = strings.NewReplacer("B || C", "B||C").Replace(said)
		found := slices.IndexFunc(obligations, func(o struct {
			sentence *regexp.Regexp
			holds    func(first, second []string, run word) bool
		}) bool {
			return o.sentence.MatchString(said)
		})
		if found < 0 {
			t.Errorf("%s: %s", text, said)
			continue
		}
		met[found] = true
		parts := obligations[found].sentence.FindStringSubmatch(said)
		first := strings.Split(parts[1], " or ")
		second := strings.Split(parts[2], "||")
		for seed := range uint64(200) {
			r := rand.New(rand.NewPCG(seed, 7))
			run := word{}
			for range r.IntN(4) {
				run.stem = append(run.stem, string(rune('A'+r.IntN(4))))
			}
			for range 1 + r.IntN(3) {
				run.loop = append(run.loop, string(rune('A'+r.IntN(4))))
			}
			if got, want := obligations[found].holds(first, second, run), satisfies(t, run, text); got != want {
				t.Fatalf("%s, %q of %v: %t, want %t", text, said, run, got, want)
			}
		}
	}
	if len(met) < len(obligations) {
		t.Errorf("only %v were met", met)
	}
}

// bound returns a formula bound to a model.
func bound(t *testing.T, m *lts.LTS, text string) *property.Property {
	t.Helper()
	f, err := formula.Parse(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := f.Bind(t.Context(), m.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// satisfies reports whether a formula holds in the model that has only a run with these labels.
func satisfies(t *testing.T, run word, text string) bool {
	t.Helper()
	var b lts.Builder
	for _, label := range []string{"A", "B", "C", "D"} {
		b.Label(label)
	}
	n := len(run.stem) + len(run.loop)
	for i := range n {
		to := i + 1
		if to == n {
			to = len(run.stem)
		}
		b.Add(lts.State(i), b.Label(run.at(i)), lts.State(to))
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	f, err := formula.Parse(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Check(t.Context(), m, f, explain.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e.Verdict == explain.Satisfied
}
