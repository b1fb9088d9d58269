package render_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/assertions"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// tables are properties without steps over the labels of random models.
var tables = []string{
	"Response(A; B)", "Response(A; B, C)", "Response({A, D}; B)", "Never(A, B)", "Never(C)", "Precedes(A; B)", "Always({A, B, C})", "AtMost(1; A)", "DeadlockFree",
	"Never(A; after B)", "Response(A; B; after C until D)",
	"G (A -> F B)", "G F A -> G F B", "F G !A", "A U B", "G (A -> X B)", "F G (A || B)", "(F A) && (G !C)", "G F (A && X B)", "G F A && G F B", "F G !A && G F B", "F G A",
}

// scoped are more patterns in scopes.
var scoped = []string{
	"Never(A; between B and C)", "Never(A, B; after C until D)", "Precedes(A; B; after C until D)", "Always({A, B}; between C and D)", "AtMost(1; A; after B until C)",
	"Inev(A; after B until C)", "Inev(A, B; between C and D)", "Response(A; B; between C and {A, D})", "DeadlockFree(after A until B)",
}

// triggersOf are the labels that oblige a run to something, of properties that have any.
var triggersOf = map[string]string{
	"Response(A; B)": "A", "Response(A; D)": "A", "Response(E; D)": "E", "Response(A; B, C)": "A", "Response({A, D}; B)": "AD", "Never(A; after B)": "B", "Response(A; B; after C until D)": "AC",
	"Never(A; between B and C)": "B", "Never(A, B; after C until D)": "C", "Precedes(A; B; after C until D)": "C", "Always({A, B}; between C and D)": "C", "AtMost(1; A; after B until C)": "B",
	"Inev(A; after B until C)": "B", "Inev(A, B; between C and D)": "C", "Response(A; B; between C and {A, D})": "AC", "DeadlockFree(after A until B)": "A",
	"G (A -> F B)": "A", "G (A -> X B)": "A", "G (!C && (A -> X B))": "A",
}

// demandedBy are the labels that properties demand.
var demandedBy = map[string]string{
	"Response(A; B)": "B", "Response(A; D)": "D", "Response(E; D)": "D", "Response(A; B, C)": "BC", "Response({A, D}; B)": "B", "Response(A; B; after C until D)": "B",
	"Precedes(A; B)": "A", "Precedes(A; B; after C until D)": "A", "Precedes(A; {B, D})": "A",
	"Inev(A; after B until C)": "A", "Inev(A, B; between C and D)": "AB", "Response(A; B; between C and {A, D})": "B",
	"G (A -> F B)": "B", "G F A -> G F B": "B", "A U B": "B", "G (A -> X B)": "B", "F G (A || B)": "AB", "(F A) && (G !C)": "A", "G F (A && X B)": "AB", "G F A && G F B": "AB",
	"F G !A && G F B": "B", "F G A": "A", "G (!C && (A -> X B))": "B",
}

// lettersIn returns the labels of a model whose names are letters of a text. In a text, tau has the name D.
func lettersIn(letters string, a *lts.Alphabet) map[lts.Label]bool {
	named := map[lts.Label]bool{}
	for _, name := range letters {
		for l, label := range a.All() {
			if label == string(name) || label == "tau" && name == 'D' {
				named[l] = true
			}
		}
	}
	return named
}

// assumptions are what runs are asked to meet; the first one is nothing.
var assumptions = []string{"", "weak", "strong", "full", "weak:A,B", "just"}

// TestSentencesAboutTables reads every sentence about properties without steps back, and
// checks it by brute force, with and without assumptions.
func TestSentencesAboutTables(t *testing.T) {
	understood := map[string]int{}
	cases := randomlts.Share(6_000)
	for seed := range cases {
		c := randomlts.Seeded(seed, randomlts.Size{States: 4, Transitions: 8, Labels: 4, Steps: 1})
		text, fair := tables[seed%uint64(len(tables))], ""
		if seed%3 == 0 {
			fair = assumptions[seed/3%uint64(len(assumptions))]
		}
		if seed%4 == 1 {
			text = scoped[seed/4%uint64(len(scoped))]
		}
		if fair == "just" && strings.HasPrefix(text, "DeadlockFree") {
			fair = "" // to stop is no deadlock, and the oracle's automata know one kind of ends
		}
		if seed%5 == 0 {
			c, text = withInternal(c, "D"), labelD.ReplaceAllString(text, "tau")
		}
		if err := readTable(c.Model, text, fair, understood); err != nil {
			t.Fatalf("seed %d, %s, fair %q:\n%s\n%v", seed, text, fair, c, err)
		}
	}
	t.Log(understood)
	for _, form := range []string{"verdict", "verdict under", "stem", "deadlock", "lasso", "doomed", "at its end", "forever", "after", "again and again", "undecided", "decision", "always possible", "by history", "ways out", "classes", "happened", "beyond", "almost surely", "holds if finitely", "holds if weak", "holds if strong", "advice", "advice on choices", "advice to leave", "irreparable", "stay and do", "one of several parts", "what violates", "cut", "only triggers", "with triggers", "nothing helps", "called too late", "all begin", "all end", "stops at once"} {
		if randomlts.Whole() && understood[form] < int(cases/1_000) {
			t.Errorf("the form %q was met %d times: nothing is known of it", form, understood[form])
		}
	}
}

// TestProhibitionsOfManyStates: if the property itself forbids the label in more states than a
// sentence lists, the sentence names the state in which the run does it.
func TestProhibitionsOfManyStates(t *testing.T) {
	met := 0
	ofThisRun := regexp.MustCompile(`^Forbid .* in state \d+ \(step \d+ of this run\) and \d+ more`)
	for seed := range randomlts.Share(3_000) {
		r := rand.New(rand.NewPCG(seed, 41))
		m := manyTimes(t, r)
		text := []string{"Precedes(A; B)", "Never(B; before A)", "Never(B)", "AtMost(1; B)", "Precedes(A; {B, D})"}[r.IntN(5)]
		said, err := toldOfTable(m, text, "", explain.Options{Source: explain.Source{File: "m.aut"}}, map[string]int{})
		if err != nil {
			t.Fatalf("seed %d, %s:\n%s\n%v", seed, text, texts(m), err)
		}
		if slices.ContainsFunc(said, ofThisRun.MatchString) {
			met++
		}
	}
	if t.Log(met); randomlts.Whole() && met < 100 {
		t.Errorf("it was met %d times", met)
	}
}

// manyTimes draws a model that does B in many states.
func manyTimes(t *testing.T, r *rand.Rand) *lts.LTS {
	var b lts.Builder
	labels := []lts.Label{b.Label("A"), b.Label("B"), b.Label("C"), b.Label("D")}
	n := 4 + r.IntN(2)
	for s := range n {
		b.Add(lts.State(s), labels[2], lts.State((s+1)%n))
		if r.IntN(8) > 0 {
			b.Add(lts.State(s), labels[1], lts.State(r.IntN(n)))
		}
		if r.IntN(3) == 0 {
			b.Add(lts.State(s), labels[r.IntN(4)], lts.State(r.IntN(n)))
		}
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var labelD = regexp.MustCompile(`\bD\b`)

// tableChecker explains a property of a model, and returns what checks sentences about it;
// nil if there is too much for that, or nothing to explain.
func tableChecker(m *lts.LTS, text, fair string, o explain.Options) (*assertions.TableChecker, *explain.Explanation, error) {
	f, err := formula.Parse(context.Background(), text)
	if err != nil {
		return nil, nil, err
	}
	happening, err := m.Happening(context.Background())
	if err != nil {
		panic(err)
	}
	p, _, err := f.Bind(context.Background(), happening)
	if err != nil {
		return nil, nil, err
	}
	if _, is := p.Chain(); is {
		return nil, nil, nil
	}
	named := strings.ReplaceAll(text, "tau", "D")
	triggers := lettersIn(triggersOf[named], m.Alphabet())
	demanded := lettersIn(demandedBy[named], m.Alphabet())
	prohibited := prohibitedBy(text, m.Alphabet())
	subject := assertions.TableSubject{Triggers: triggers, Demanded: demanded, Prohibited: prohibited, Model: m, Automaton: fromproperty.Automaton(p), Assume: fair != "", Phrase: func(q int) string { return phraseOf(p.Pending(property.Q(q))) }}
	for _, part := range conditionsOf[text] {
		f, err := formula.Parse(context.Background(), part)
		if err != nil {
			return nil, nil, err
		}
		p, _, err := f.Bind(context.Background(), happening)
		if err != nil {
			return nil, nil, err
		}
		subject.Conditions = append(subject.Conditions, assertions.Condition{
			Text: printable.Code(f.String()), Automaton: fromproperty.Automaton(p), Phrase: func(q int) string { return phraseOf(p.Pending(property.Q(q))) },
		})
	}
	switch {
	case fair == "just":
		if o.Fair, err = readAssumptions(fair, "blocking:A"); err != nil {
			return nil, nil, err
		}
		subject.Assumed = justOf(m.Alphabet(), func(l string) bool { return l == "A" })
	case fair != "":
		if o.Fair, err = readAssumptions(fair); err != nil {
			return nil, nil, err
		}
		if subject.Assumed, err = assumedBy(m.Alphabet(), o.Fair[0]); err != nil {
			return nil, nil, err
		}
	}
	if of := o.Owners; of != nil {
		subject.Owners, subject.Owner = of.Names, func(label string) string {
			owner, _ := of.Of(label)
			return owner
		}
	}
	o.NoReasons = true // see TestSentencesOfWhatHolds
	e, err := explain.Explain(context.Background(), m, f, o)
	if errors.Is(err, explain.ErrNoRunCounts) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if trace := e.Trace(); trace != nil {
		loop, _ := trace.LoopStart()
		subject.Violated, subject.Run = true, oracle.Run{Transitions: trace.Steps(), Loop: loop}
		subject.Stem = trace.Kind() == counterexample.Trap || trace.Kind() == counterexample.Prefix
	}
	checker, err := assertions.NewTable(subject)
	return checker, e, err
}

// prohibits matches the last step of a pattern that prohibits it, a label or a set of labels.
var prohibits = regexp.MustCompile(`^(?:Never|AtMost|Precedes)\((?:[^;]*; (?:[^;]*; )?)??(?:[^;{}]*, )?(\{[^}]*\}|\w+)(?:; (?:before|after|between) .*)?\)$`)

// prohibitedBy returns the labels of the step that a pattern prohibits; nil for a pattern that allows
// only some actions.
func prohibitedBy(text string, a *lts.Alphabet) map[lts.Label]bool {
	if strings.HasPrefix(text, "Always") {
		return nil
	}
	found := map[lts.Label]bool{}
	step := prohibits.FindStringSubmatch(text)
	if step == nil {
		return found
	}
	for _, name := range regexp.MustCompile(`\w+`).FindAllString(step[1], -1) {
		if l, known := a.Lookup(name); known {
			found[l] = true
		}
	}
	return found
}

func readTable(m *lts.LTS, text, fair string, understood map[string]int) error {
	return readTableOf(m, text, fair, explain.Options{Source: explain.Source{File: "m.aut"}}, understood)
}

func readTableOf(m *lts.LTS, text, fair string, o explain.Options, understood map[string]int) error {
	_, err := toldOfTable(m, text, fair, o, understood)
	return err
}

// toldOfTable is readTableOf, and returns the sentences.
func toldOfTable(m *lts.LTS, text, fair string, o explain.Options, understood map[string]int) ([]string, error) {
	checker, e, err := tableChecker(m, text, fair, o)
	if err != nil || checker == nil {
		return nil, err
	}
	short, said, err := sentencesOf(e, checker.Sentence)
	if err != nil {
		return nil, err
	}
	for _, sentence := range said {
		if err := checker.Sentence(sentence); err != nil {
			return nil, fmt.Errorf("%w\nof\n%s\nthe run is %v", err, strings.Join(said, "\n"), checker.Run)
		}
	}
	for form, n := range checker.Understood {
		understood[form] += n
	}
	return append(said, short...), sameEverywhere(e, short, said)
}

// phraseOf sets a phrase as sentences in Markdown do.
func phraseOf(p property.Phrase) string {
	var b strings.Builder
	for _, w := range p {
		if w.Quoted {
			b.WriteString(oneOfSet(w.Text))
		} else {
			b.WriteString(w.Text)
		}
	}
	return b.String()
}

// oneOfSet sets a pattern as sentences in Markdown do: a set or a disjunction of two or three labels as a
// list.
func oneOfSet(pattern string) string {
	isList := regexp.MustCompile(`^(?:\{\w+(?:, \w+){1,2}\}|\w+(?: \|\| \w+){1,2})$`).MatchString(pattern)
	if !isList {
		return printable.Code(pattern)
	}
	labels := regexp.MustCompile(`\w+`).FindAllString(pattern, -1)
	for i, label := range labels {
		labels[i] = printable.Code(label)
	}
	return printable.List(labels, "or")
}

// assumedBy returns an assumption as the oracle takes it.
func assumedBy(a *lts.Alphabet, assumed *actl.Assumption) (oracle.Assumption, error) {
	f, _, err := actl.BindAssumptions(context.Background(), []*actl.Assumption{assumed}, a)
	if err != nil {
		return oracle.Assumption{}, err
	}
	all := oracle.Assumption{Full: f.Full()}
	for _, task := range f.Tasks() {
		set := map[lts.Label]bool{}
		for _, l := range task.Labels {
			set[l] = true
		}
		all.Tasks = append(all.Tasks, oracle.FairTask{Labels: set, Strong: task.Strong, Nonstuttering: task.Nonstuttering})
	}
	return all, nil
}

// explainedText explains a property of a model in any syntax.
func explainedText(m *lts.LTS, text string) (*explain.Explanation, error) {
	f, err := formula.Parse(context.Background(), text)
	if err != nil {
		return nil, err
	}
	return explain.Explain(context.Background(), m, f, explain.Options{Source: explain.Source{File: "m.aut"}, NoReasons: true})
}

// TestSentencesAboutLoopsApart: a just run may stop before the loop goes on, so that the property is not lost though nothing
// leads from the loop to what is awaited.
func TestSentencesAboutLoopsApart(t *testing.T) {
	var b lts.Builder
	b.Add(0, b.Label("B"), 1)
	b.Add(1, b.Label("A"), 1)
	m, err := b.Build(0, 2)
	if err != nil {
		t.Fatal(err)
	}
	understood := map[string]int{}
	if err := readTable(m, "G F A -> G F B", "just", understood); err != nil || understood["apart"] == 0 {
		t.Errorf("%v, %v", err, understood)
	}
}
