package render_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/assertions"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// TestSentencesShrink gives a smaller model where the test in bulk fails: run it with
// -rapid.checks=100000.
func TestSentencesShrink(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if _, err := readBack(randomlts.Generator(randomlts.Small()).Draw(t, "case"), neighbourhood.All); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSentencesAreTrue reads every sentence of the explanations of random models
// back, and checks it by brute force.
func TestSentencesAreTrue(t *testing.T) {
	understood := map[string]int{}
	for seed := range randomlts.Share(6_000) {
		reading := neighbourhood.All
		if seed%4 == 0 {
			reading = neighbourhood.Some
		}
		c := randomlts.Seeded(seed, randomlts.Small())
		if seed%8 == 0 {
			c = withInternal(c, "A")
		}
		forms, err := readBack(c, reading)
		if err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
		for form, n := range forms {
			understood[form] += n
		}
	}
	for _, form := range append(assertions.Forms(), "too early", "set by labels") {
		if slices.Contains(ofOwners, form) || form == "refused" || form == "way" {
			continue // see TestSentencesAboutOwners, TestFairSentencesAreTrue, TestTheWayToWhatIsAwaited
		}
		least := 5
		if form == "advice on choices" {
			least = 1 // it is said where no assumption says the same, as behind a search that was stopped
		}
		if randomlts.Whole() && understood[form] < least {
			t.Errorf("the form %q was met %d times: nothing is known of it", form, understood[form])
		}
	}
	t.Log(understood)
}

// TestSentencesAboutCauses reads the explanations of loops with a cause back; these are rare among all.
func TestSentencesAboutCauses(t *testing.T) {
	met := 0
	for seed := range randomlts.Share(8_000) {
		c := withWay(t, seed)
		if seed%4 == 0 {
			c = withInternal(c, "A")
		}
		e, err := explained(c, explain.Options{Source: explain.Source{File: "m.aut"}})
		if err != nil {
			t.Fatal(err)
		}
		if e.Diagnosis == nil || e.Diagnosis.Cause == nil {
			continue
		}
		forms, err := readExplanation(c, e, neighbourhood.All)
		if err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
		if forms["cause"] > 0 {
			met++
		}
	}
	t.Log(met)
	if randomlts.Whole() && met < 200 {
		t.Errorf("only %d causes were met", met)
	}
}

// TestProhibitionsInManyStates: what must be forbidden in more states than a sentence lists is told by a
// rule, "everywhere" only if that are all states that allow it; each label stands in the sentence
// once, also if its states differ in when it is forbidden.
func TestProhibitionsInManyStates(t *testing.T) {
	forms := map[string]*regexp.Regexp{
		"everywhere": regexp.MustCompile(`^Forbid .* everywhere \(\d+ states\)`),
		"until then": regexp.MustCompile(`^Forbid .* everywhere before`),
		"into":       regexp.MustCompile(`^Forbid whatever leads to`),
		"apart":      regexp.MustCompile("^Forbid `B` .*, and in state"),
	}
	met := map[string]int{}
	for seed := range randomlts.Share(3_000) {
		c := randomlts.Case{Model: withTrap(t, rand.New(rand.NewPCG(seed, 43))), Formula: []string{`Inev("D")`, `Inev("A", "D")`, `Inev("D", "A", "D")`}[seed%3]}
		for _, name := range regexp.MustCompile(`"(.)"`).FindAllStringSubmatch(c.Formula, -1) {
			l, _ := c.Model.Alphabet().Lookup(name[1])
			c.Steps = append(c.Steps, map[lts.Label]bool{l: true})
		}
		e, err := explained(c, explain.Options{Source: explain.Source{File: "m.aut"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readExplanation(c, e, neighbourhood.All); err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
		for _, said := range render.NewSentences(e, printable.Code).Hold() {
			for name, form := range forms {
				if form.MatchString(said) {
					met[name]++
				}
			}
		}
	}
	t.Log(met)
	for name := range forms {
		if randomlts.Whole() && met[name] < 5 {
			t.Errorf("%q was met %d times", name, met[name])
		}
	}
}

// withTrap draws a model in which many states can do B, which often leads to where all is lost.
func withTrap(t *testing.T, r *rand.Rand) *lts.LTS {
	var b lts.Builder
	labels := []lts.Label{b.Label("A"), b.Label("B"), b.Label("C"), b.Label("D")}
	n := 6 + r.IntN(4)
	for s := range n {
		b.Add(lts.State(s), labels[[]int{2, 2, 0, 3}[r.IntN(4)]], lts.State((s+1)%n))
		if r.IntN(6) > 0 {
			b.Add(lts.State(s), labels[1], lts.State(n))
		} else {
			b.Add(lts.State(s), labels[1], lts.State((s+1)%n))
		}
	}
	if r.IntN(2) == 0 {
		b.Add(lts.State(n), labels[[]int{1, 2, 3}[r.IntN(3)]], lts.State(n))
	}
	last := lts.State(0)
	if r.IntN(2) == 0 {
		last = lts.State(n + 1) // what follows is no concern of the property
	}
	b.Add(lts.State(n-1), labels[3], last)
	b.Add(lts.State(n-2), labels[0], 0)
	b.Add(lts.State(n+1), labels[2], lts.State(n+1))
	m, err := b.Build(0, n+2)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// withWay adds a way of two transitions to a random model: the second one alone does what is awaited.
func withWay(t *testing.T, seed uint64) randomlts.Case {
	t.Helper()
	m := randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 10, Labels: 3, Steps: 1}).Model
	r := rand.New(rand.NewPCG(seed, 71))
	var b lts.Builder
	for _, text := range []string{"A", "B", "C"} {
		b.Label(text)
	}
	for step := range m.Transitions() {
		b.Add(step.From, b.Label(m.Alphabet().Text(step.Label)), step.To)
	}
	n := lts.State(m.NumStates())
	awaited := b.Label("END")
	b.Add(lts.State(r.IntN(int(n))), lts.Label(r.IntN(3)), n)
	b.Add(n, awaited, n+1)
	built, err := b.Build(m.Initial(), int(n)+2)
	if err != nil {
		t.Fatal(err)
	}
	return randomlts.Case{Model: built, Steps: []map[lts.Label]bool{{awaited: true}}, Formula: `Inev("END")`}
}

// withInternal returns a case with the internal action in the place of a label.
func withInternal(c randomlts.Case, label string) randomlts.Case {
	var b lts.Builder
	for _, text := range c.Model.Alphabet().All() {
		if text == label {
			c.Formula = strings.ReplaceAll(c.Formula, `"`+text+`"`, `"tau"`)
			text = "tau"
		}
		b.Label(text)
	}
	for t := range c.Model.Transitions() {
		b.Add(t.From, t.Label, t.To)
	}
	if m, err := b.Build(c.Model.Initial(), c.Model.NumStates()); err == nil {
		c.Model = m
	}
	return c
}

// readBack explains a case and checks what the report says of it; it returns how
// often each form of sentence was met.
func readBack(c randomlts.Case, reading neighbourhood.Reading) (map[string]int, error) {
	e, err := explained(c, explain.Options{Source: explain.Source{File: "m.aut"}, Reading: reading})
	if err != nil {
		return nil, err
	}
	return readExplanation(c, e, reading)
}

func explained(c randomlts.Case, o explain.Options) (*explain.Explanation, error) {
	formula, err := actl.Parse(context.Background(), c.Formula)
	if err != nil {
		return nil, err
	}
	o.NoReasons = true // see TestSentencesOfWhatHolds
	return explain.Explain(context.Background(), c.Model, formula, o)
}

// readExplanation checks what the report says of an explanation.
func readExplanation(c randomlts.Case, e *explain.Explanation, reading neighbourhood.Reading) (map[string]int, error) {
	checker, err := assertions.New(subject(c, e, reading))
	if err != nil {
		return nil, err
	}
	s := render.NewSentences(e, printable.Code)
	short, said, err := sentencesOf(e, checker.Sentence)
	if err != nil {
		return nil, err
	}
	for i, sentence := range said {
		if s.Story().All()[i].Kind() == "note" {
			continue // about the evidence, which is not known here
		}
		if err := checker.Sentence(sentence); err != nil {
			return nil, fmt.Errorf("%w\nof\n%s", err, strings.Join(said, "\n"))
		}
	}
	if err := errors.Join(sameEverywhere(e, short, said), readInFull(e, checker)); err != nil {
		return nil, err
	}
	if err := checker.WhenComplete(); err != nil {
		return nil, fmt.Errorf("%w\nof\n%s", err, strings.Join(said, "\n"))
	}
	if e.Counterexample != nil {
		if err := checker.Progress(progressOf(e.Counterexample)); err != nil {
			return nil, err
		}
	}
	return checker.Understood, nil
}

// sameEverywhere checks that JSON says these sentences and that Markdown does, shortly or in
// full, unless the verdict says the same, or a report in full lists more.
func sameEverywhere(e *explain.Explanation, said, long []string) error {
	var markdown, full, data bytes.Buffer
	for _, to := range []struct {
		format string
		full   bool
		into   io.Writer
	}{{"markdown", false, &markdown}, {"markdown", true, &full}, {"json", false, &data}} {
		w, err := render.New(to.format, render.Options{Full: to.full})
		if err != nil {
			return err
		}
		if err := w.Explanation(to.into, e); err != nil {
			return err
		}
	}
	var document struct {
		Claims []struct{ Kind, Text string }
	}
	if err := json.Unmarshal(data.Bytes(), &document); err != nil {
		return err
	}
	if len(document.Claims) != len(said) {
		return fmt.Errorf("JSON has %d claims of %d", len(document.Claims), len(said))
	}
	s := render.NewSentences(e, printable.Code)
	story := s.Story()
	all, advice := story.All(), slices.Concat(story.When, story.Change)
	for i, sentence := range said {
		same := func(c render.Claim) bool { return c.Kind() == all[i].Kind() && s.Say(c) == s.Say(all[i]) }
		switch {
		case slices.Contains([]string{"diagnosis", "shape", "missing", "unmet", "decision", "ways_out", "elsewhere"}, document.Claims[i].Kind):
		case e.Counterexample != nil && slices.ContainsFunc(advice, same):
			if told := slices.ContainsFunc(story.Hold, same); told != strings.Contains(markdown.String(), sentence) {
				return fmt.Errorf("Markdown is to say %q: %t\n%s", sentence, told, markdown.String())
			}
		case !strings.Contains(markdown.String()+full.String(), sentence):
			return fmt.Errorf("Markdown does not say %q:\n%s", sentence, markdown.String())
		}
		if plain := strings.NewReplacer("`` ", "", " ``", "", "`", "").Replace(long[i]); document.Claims[i].Text != plain {
			return fmt.Errorf("JSON says %q, want %q", document.Claims[i].Text, plain)
		}
	}
	return nil
}

// item is a line of a list in Markdown, without the command that it recommends.
var item = regexp.MustCompile(`^(?:-|\d+\.) (.*?\.)(?: (?:How|What) [a-z ]+: .*)?$`)

// readInFull checks the lists of a report that leaves nothing out.
func readInFull(e *explain.Explanation, checker *assertions.Checker) error {
	w, err := render.New("markdown", render.Options{Full: true})
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := w.Explanation(&b, e); err != nil {
		return err
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if m := item.FindStringSubmatch(line); m != nil {
			if err := checker.Sentence(m[1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// progressOf lists the steps of the property that a run does: round of its loop (1
// before and in the first), step of the run, progress.
func progressOf(c *explain.Counterexample) [][3]int {
	var all [][3]int
	before := 0
	for i, step := range c.Steps {
		if step.Progress > before {
			all = append(all, [3]int{1, i, step.Progress})
		}
		before = step.Progress
	}
	for _, l := range c.Late {
		all = append(all, [3]int{l.Round, int(l.Step), l.Progress})
	}
	return all
}

// TestSentencesAboutGivenRuns: a run that was given may come by a state several
// times.
func TestSentencesAboutGivenRuns(t *testing.T) {
	given, late := 0, 0
	for seed := range randomlts.Share(6_000) {
		c := randomlts.Seeded(seed, randomlts.Small())
		evidence := walk(t, c, rand.New(rand.NewPCG(seed, 7)))
		if evidence == nil {
			continue
		}
		given++
		e, err := explained(c, explain.Options{Source: explain.Source{File: "m.aut"}, Search: explain.Search{Given: evidence, File: "given"}})
		if err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
		if _, err := readExplanation(c, e, neighbourhood.All); err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
		if len(e.Counterexample.Late) > 0 {
			late++
		}
	}
	if randomlts.Whole() && (given < 1000 || late < 15) {
		t.Errorf("%d runs were given, %d with late progress", given, late)
	}
}

// walk returns a random run that violates the property, as evidence; nil if the
// first one tried does not.
func walk(t *testing.T, c randomlts.Case, r *rand.Rand) *counterexample.Given {
	formula, err := actl.Parse(context.Background(), c.Formula)
	if err != nil {
		t.Fatal(err)
	}
	bound, _, _ := formula.Bind(context.Background(), c.Model.Alphabet())
	property, _ := bound.Chain()
	at := c.Model.Initial()
	var steps []lts.Transition
	for range r.IntN(12) {
		labels, targets := c.Model.Out(at)
		if labels.Len() == 0 {
			break
		}
		i := r.IntN(labels.Len())
		steps = append(steps, lts.Transition{From: at, Label: labels.At(i), To: targets[i]})
		at = targets[i]
	}
	loop := -1
	if !c.Model.IsDeadlock(at) {
		loop = slices.IndexFunc(steps, func(s lts.Transition) bool { return s.From == at })
	}
	if _, err := counterexample.NewViolating(c.Model, property.Property(), steps, loop); err != nil {
		return nil
	}
	var b lts.Builder
	for i, s := range steps {
		to := lts.State(i + 1)
		if i == len(steps)-1 && loop >= 0 {
			to = lts.State(loop)
		}
		b.Add(lts.State(i), b.Label(c.Model.Alphabet().Text(s.Label)), to)
	}
	graph, err := b.Build(0, len(steps)+1)
	if err != nil {
		t.Fatal(err)
	}
	var deadlocks []lts.State
	if loop < 0 {
		deadlocks = append(deadlocks, lts.State(len(steps)))
	}
	evidence, err := counterexample.NewGiven(graph, nil, deadlocks...)
	if err != nil {
		t.Fatal(err)
	}
	return evidence
}

func subject(c randomlts.Case, e *explain.Explanation, reading neighbourhood.Reading) assertions.Subject {
	s := assertions.Subject{Model: c.Model, Steps: c.Steps, Violated: e.Verdict == explain.Violated, Reading: oracle.All}
	if reading == neighbourhood.Some {
		s.Reading = oracle.Some
	}
	for _, step := range e.Property.Steps {
		s.Patterns = append(s.Patterns, step.Pattern)
	}
	if t := e.Trace(); t != nil {
		s.Run = runOf(t)
	}
	return s
}

func runOf(t *counterexample.Trace) oracle.Run {
	run := oracle.Run{Transitions: slices.Clone(t.Steps()), Loop: oracle.NoLoop}
	if loop, ok := t.LoopStart(); ok {
		run.Loop = loop
	}
	return run
}
