package house

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestTextsOfModels reads the default texts about all models that are at hand, those of the
// examples and, where they are there, those made by others, for properties of their labels;
// without CI, those of the examples for every third property.
func TestTextsOfModels(t *testing.T) {
	models, _ := filepath.Glob("examples/*/*.aut")
	for _, folder := range []string{"", "mcrl2", "tlc", "edge"} {
		if !randomlts.Whole() {
			break
		}
		for _, kind := range []string{"*.aut", "*.dot"} {
			others, _ := filepath.Glob(filepath.Join("..", "shared", "lts", folder, kind))
			models = append(models, others...)
		}
	}
	read := 0
	for _, file := range models {
		if size, err := os.Stat(file); err != nil || size.Size() > 1<<20 {
			continue
		}
		m, _, err := format.Open(context.Background(), file, format.Options{Name: file})
		if err != nil {
			continue // some are there to be refused
		}
		for i, asked := range questions(m.LTS) {
			if !randomlts.Whole() && i%3 != 0 {
				continue
			}
			if err := readText(file, m.LTS, asked, &read); err != nil {
				t.Errorf("%s %s: %v", file, asked, err)
			}
		}
	}
	if randomlts.Whole() && read < 50 || read == 0 {
		t.Errorf("only %d explanations were read", read)
	}
	t.Logf("%d explanations", read)
}

// question is a property and, perhaps, an assumption.
type question struct{ formula, fair, trigger string }

func (q question) String() string { return strings.TrimSpace(q.formula + " " + q.fair) }

// questions returns properties of the labels of a model: of the most frequent ones, of the
// rarest, and of one between them.
func questions(m *lts.LTS) []question {
	count := map[lts.Label]int{}
	for t := range m.Transitions() {
		count[t.Label]++
	}
	var labels []lts.Label
	for l := range count {
		if text := m.Alphabet().Text(l); text != "i" && text != "tau" {
			labels = append(labels, l)
		}
	}
	slices.SortFunc(labels, func(a, b lts.Label) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	if len(labels) == 0 {
		return nil
	}
	name := func(i int) string { return actl.Quoted(m.Alphabet().Text(labels[i])) }
	many, some, rare := name(0), name(len(labels)/2), name(len(labels)-1)
	return []question{
		{formula: "Inev(" + rare + ")"},
		{formula: "Inev(" + some + ", " + rare + ")"},
		{formula: "Inev(" + many + ", " + some + ")", fair: "weak"},
		{formula: "Inev(" + rare + ", " + many + ")", fair: "full"},
		{formula: "Response(" + many + "; " + rare + ")", trigger: many},
		{formula: "Response(" + some + "; " + many + ")", trigger: some},
		{formula: "Precedes(" + some + "; " + rare + ")"},
		{formula: "Never(" + rare + ")"},
		{formula: "G F " + rare},
		{formula: "F G !" + many},
		{formula: "G (" + some + " -> X F " + rare + ")", trigger: some},
	}
}

// readText explains, and checks what the text is to be.
func readText(file string, m *lts.LTS, q question, read *int) error {
	f, err := formula.Parse(context.Background(), q.formula)
	if err != nil {
		return err
	}
	o := explain.Options{Source: explain.Source{File: file}}
	if q.fair != "" {
		fair, err := actl.ParseAssumption(context.Background(), q.fair)
		if err != nil {
			return err
		}
		o.Fair = []*actl.Assumption{fair}
	}
	e, err := explain.Explain(context.Background(), m, f, o)
	if err != nil {
		return err
	}
	if e.Verdict == explain.Satisfied {
		return nil
	}
	*read++
	var b bytes.Buffer
	text, err := render.New("text", render.Options{Width: 80})
	if err != nil {
		return err
	}
	if err := text.Explanation(&b, e); err != nil {
		return err
	}
	for _, fails := range []error{diagnosed(e, b.String()), short(b.String()), lists(e), sameDecisions(e, marks(e)), withoutTrigger(e, q.trigger), forked(e), differs(e), shows(e, marks(e))} {
		if fails != nil {
			return fmt.Errorf("%w\n%s", fails, b.String())
		}
	}
	return nil
}

// diagnosed checks that the first sentence is the verdict with the diagnosis.
func diagnosed(e *explain.Explanation, text string) error {
	said := render.NewSentences(e, printable.Text).Diagnosis()
	if e.Diagnosis == nil || said == "" {
		return fmt.Errorf("there is no diagnosis")
	}
	first, _, _ := strings.Cut(text, "\n\n")
	if squeezed := strings.Join(strings.Fields(first), " "); !strings.Contains(squeezed, " violates ") || !strings.Contains(strings.ToLower(squeezed), strings.ToLower(said)) && len(said) < 200 {
		return fmt.Errorf("the first sentence is without the diagnosis %q", said)
	}
	return nil
}

// mostLines is how many lines a text may have beside the table of steps.
const mostLines = 25

func short(text string) error {
	var lines, table int
	inTable := false
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		lines++
		switch {
		case strings.Contains(line, "step  ") && strings.Contains(line, "action"):
			inTable = true
		case inTable && !strings.HasPrefix(line, " "):
			inTable = false
		}
		if inTable {
			table++
		}
	}
	if lines-table > mostLines {
		return fmt.Errorf("%d lines beside the table", lines-table)
	}
	return nil
}

// longList is a list of five and more labels, set in brackets by the test.
var longList = regexp.MustCompile(`(?:⟦[^⟧]*⟧(?: to state \d+)?(?:, | or | and )){4}⟦`)

// longNumbers is such a list of numbers.
var longNumbers = regexp.MustCompile(`\d(?:, \d+| (?:and|or) \d+){4}`)

var (
	andMore = regexp.MustCompile(` (?:and|or) (?:[2-9]|\d\d+) more`)
	setText = regexp.MustCompile(`⟦[^⟧]*⟧`)
)

// lists checks that no sentence has a list of more than four: a fourth is named instead of "1 more".
func lists(e *explain.Explanation) error {
	s := render.NewSentences(e, func(text string) string {
		return "⟦" + strings.NewReplacer("⟦", "", "⟧", "").Replace(printable.Text(text)) + "⟧"
	})
	for _, said := range slices.Concat([]string{s.Verdict()}, s.Hold(), s.Better()) {
		said = strings.ReplaceAll(said, "⟦"+printable.Text(e.Property.Text)+"⟧", "the property")
		if list := longNumbers.FindString(andMore.ReplaceAllString(setText.ReplaceAllString(said, ""), "")); list != "" {
			return fmt.Errorf("the list %q is not cut in %q", list, said)
		}
		if list := longList.FindString(andMore.ReplaceAllString(said, "")); list != "" {
			return fmt.Errorf("the list %q is not cut in %q", list, said)
		}
	}
	return nil
}

// marks returns a text so wide that each step is on a line of its own.
func marks(e *explain.Explanation) string {
	var b bytes.Buffer
	if text, err := render.New("text", render.Options{Width: 2000}); err != nil || text.Explanation(&b, e) != nil {
		return ""
	}
	return b.String()
}

// sameDecisions checks that the table of steps marks the decisions of the explanation, which
// are those of its JSON, and that the excerpt draws the same.
func sameDecisions(e *explain.Explanation, text string) error {
	marked := 0
	for _, line := range strings.SplitAfter(text, "\n") {
		if regexp.MustCompile(`^ *[╭│╰↻]? *\d+ +\d+.* decision`).MatchString(line) {
			marked++
		}
	}
	onRun := map[lts.State]bool{}
	shown := 0
	for _, d := range e.Decisions {
		onRun[d.State] = true
		shown++
	}
	if !strings.Contains(text, " steps)") && !strings.Contains(text, "…") && marked != shown {
		return fmt.Errorf("%d decisions are marked, there are %d", marked, shown)
	}
	g, err := view.Of(context.Background(), e, view.Options{Kind: view.Excerpt})
	if err != nil {
		return err
	}
	for _, n := range g.Nodes {
		if decides := n.Turn != 0; decides != onRun[n.State] {
			return fmt.Errorf("state %d is drawn as a decision: %t", n.State, decides)
		}
	}
	return nil
}

// withoutTrigger checks that no advice forbids what the property asks to be answered, or wants
// it to happen finitely often.
func withoutTrigger(e *explain.Explanation, trigger string) error {
	if trigger == "" || e.Repair == nil {
		return nil
	}
	for _, n := range e.Repair.Never {
		if actl.Quoted(n.Label) == trigger {
			return fmt.Errorf("%s is to be forbidden", n.Label)
		}
	}
	if e.Repair.Cut != nil {
		for _, t := range e.Repair.Cut.Transitions {
			if actl.Quoted(t.Label) == trigger {
				return fmt.Errorf("%s is cut", t.Label)
			}
		}
	}
	return nil
}

// rowNumber is the number of the step in a row of the table that is no other step's.
var rowNumber = regexp.MustCompile(`(?m)^ *[╭│╰↻]? *(\d+) +\d+ `)

// shows checks that each step of a decision, that the first sentence names, or where the nearest correct run leaves
// the run, is a row of its own, and that the first sentence counts no internal actions.
func shows(e *explain.Explanation, text string) error {
	alone := map[string]bool{}
	for _, m := range rowNumber.FindAllStringSubmatch(text, -1) {
		alone[m[1]] = true
	}
	var named []int
	for _, d := range e.Decisions {
		named = append(named, int(d.Step))
	}
	if d := e.Diagnosis; d.Step != nil {
		named = append(named, int(*d.Step))
	}
	if e.Diagnosis.Instead != nil {
		named = append(named, int(*e.Diagnosis.Instead))
	}
	if e.Nearest != nil && e.Nearest.Fork < len(e.Counterexample.Steps) {
		named = append(named, e.Nearest.Fork)
	}
	for _, step := range named {
		if !alone[fmt.Sprint(step+1)] {
			return fmt.Errorf("step %d has no row of its own", step+1)
		}
	}
	if said := render.NewSentences(e, printable.Text).Diagnosis(); regexp.MustCompile(`\b(?:tau|i)"? ×\d`).MatchString(said) {
		return fmt.Errorf("%q counts internal actions", said)
	}
	return nil
}

// differs checks that no two remedies that a report shows leave out the same transitions, or assume the same.
func differs(e *explain.Explanation) error {
	known := map[string]string{}
	for _, r := range render.NewSentences(e, printable.Text).Remedies() {
		without := r.Without
		if r.Supervised && len(e.Repair.NotForEver) == 0 {
			for _, f := range e.Repair.Never {
				without = append(without, explain.ModelStep{From: f.From, Label: f.Label, To: f.To})
			}
		}
		slices.SortFunc(without, func(a, b explain.ModelStep) int {
			return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Label, b.Label), cmp.Compare(a.To, b.To))
		})
		key := fmt.Sprint(without, r.Assumption)
		if r.Supervised && len(e.Repair.NotForEver) > 0 {
			key = "supervisor"
		}
		if other := known[key]; other != "" {
			return fmt.Errorf("%q and %q are one remedy", other, r.Sentence)
		}
		known[key] = r.Sentence
	}
	return nil
}

// forked checks that the two runs of the diff differ in the first thing that is said of them.
func forked(e *explain.Explanation) error {
	if e.Nearest == nil {
		return nil
	}
	var gone, come string
	for _, l := range render.NewSentences(e, printable.Text).Diff() {
		switch first := l.Text; l.Sign {
		case "-":
			gone = first
		case "+":
			come = first
		}
	}
	for _, s := range e.Nearest.Steps {
		// A label may have commas: what stands before the first label's end is compared.
		if label := printable.Text(s.Label); s.Op == explain.Remove {
			if rest, same := strings.CutPrefix(gone, label); same && come != "" && strings.HasPrefix(come, label) && strings.HasPrefix(rest, ",") && strings.HasPrefix(come[len(label):], ",") {
				return fmt.Errorf("both runs begin with %q after the fork", label)
			}
			break
		}
	}
	return nil
}
