package render_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

var (
	sameSteps = regexp.MustCompile(`^\((\d+) steps? as above(?:, and (\d+) of the loop again)?: to state (\d+)\)$`)
	diffRow   = regexp.MustCompile(`^(\w+)(?: to state (\d+))?((?:, \w+(?: ×\d+)?|, … \(\d+ more\))*)(?: ×\d+)?(?: \(the run then stops\)| \(the property holds whatever follows\)| \(then the property holds on every run that counts\)| \(the last (?:\d+ steps|step) again and again\)|, and so on)?$`)
)

// TestDiffsReplay: the lines of a diff are the beginning of the counterexample, what it goes on
// with from there, and another choice from there; where they fork they look different.
func TestDiffsReplay(t *testing.T) {
	told, named := 0, 0
	texts := append(slices.Clone(tables), "Inev(B)", "Inev(A, B)", "Inev(C, A)")
	for seed := range randomlts.Share(4_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 9, Labels: 3, Steps: 1})
		text := texts[seed%uint64(len(texts))]
		e, err := explainedText(c.Model, text)
		if err != nil {
			t.Fatal(err)
		}
		if e.Nearest == nil {
			continue
		}
		lines := render.NewSentences(e, printable.Text).Diff()
		states, err := replay(c.Model, e, lines)
		if err == nil {
			err = settles(text, e, lines[len(lines)-1].Text)
		}
		if err != nil {
			t.Fatalf("seed %d, %s:\n%s\n%v\n%v", seed, text, c, lines, err)
		}
		told++
		if states {
			named++
		}
	}
	if t.Log(told, named); randomlts.Whole() && (told < 500 || named < 50) {
		t.Errorf("%d were told, %d with states", told, named)
	}
}

// settles checks a correct run of which only a beginning is shown, for properties that each A is answered
// by a later B: the last B that is shown answers all of the A before it.
func settles(text string, e *explain.Explanation, row string) error {
	shown, isCut := strings.CutSuffix(row, ", and so on")
	isResponse := text == "G (A -> F B)" || text == "Response(A; B)"
	if !isCut || !isResponse {
		return nil
	}
	var word, inserted string
	for _, s := range e.Nearest.Steps {
		switch s.Op {
		case explain.Keep:
			word += s.Label
		case explain.Insert:
			inserted += s.Label
		}
	}
	isAnswered := func(word string) bool { return strings.LastIndex(word, "B") > strings.LastIndex(word, "A") }
	end := 0 // up to where the inserted steps are expected to be shown
	for i := range inserted {
		wasPending := !isAnswered(word+inserted[:i]) && strings.Contains(word+inserted[:i], "A")
		if wasPending && isAnswered(word+inserted[:i+1]) {
			end = i + 1
			break
		}
	}
	for _, label := range inserted[end:] {
		if !strings.ContainsRune(word+inserted[:end], label) {
			return fmt.Errorf("%q goes on with %c", row, label)
		}
	}
	if end == 0 || !strings.HasSuffix(shown, "B") && !strings.Contains(shown, "×") {
		return fmt.Errorf("%q is no answer", row)
	}
	folded := strings.ContainsAny(shown, "×…")
	if n := strings.Count(shown, ",") + 1; !folded && n != end {
		return fmt.Errorf("%q shows %d steps, want %d", row, n, end)
	}
	return nil
}

// replay checks a diff, and reports whether its fork names states.
func replay(m *lts.LTS, e *explain.Explanation, lines []render.DiffLine) (bool, error) {
	run := runOf(e.Trace())
	at, steps := m.Initial(), 0
	if lines[0].Sign == explain.Keep {
		is := sameSteps.FindStringSubmatch(lines[0].Text)
		if is == nil {
			return false, fmt.Errorf("%q", lines[0].Text)
		}
		steps = atoi(is[1]) + atoi(is[2])
		for i := range steps {
			at = step(run, i).To
		}
		if int(at) != atoi(is[3]) {
			return false, fmt.Errorf("it is in state %d", at)
		}
		lines = lines[1:]
	}
	if len(lines) != 2 || lines[0].Sign != explain.Remove || lines[1].Sign != explain.Insert {
		return false, fmt.Errorf("there are %d more lines", len(lines))
	}
	gone, come := diffRow.FindStringSubmatch(lines[0].Text), diffRow.FindStringSubmatch(lines[1].Text)
	if gone == nil || come == nil {
		return false, fmt.Errorf("not understood")
	}
	if err := removesOnce(e, run, steps); err != nil {
		return false, err
	}
	next := step(run, steps)
	takes := slices.ContainsFunc(slices.Collect(m.Transitions()), func(t lts.Transition) bool {
		return t.From == at && m.Alphabet().Text(t.Label) == come[1] && (come[2] == "" || int(t.To) == atoi(come[2]))
	})
	switch {
	case m.Alphabet().Text(next.Label) != gone[1] || gone[2] != "" && int(next.To) != atoi(gone[2]):
		return false, fmt.Errorf("the counterexample goes on with %v", next)
	case !takes:
		return false, fmt.Errorf("%s does not leave state %d", come[1], at)
	case gone[1] == come[1] && (gone[2] == "" || gone[2] == come[2]) || gone[1] != come[1] && gone[2]+come[2] != "":
		return false, fmt.Errorf("the fork does not show")
	}
	return gone[2] != "", follows(m, e, run, steps, lines)
}

// removesOnce checks how many steps a diff removes from the fork on: those up to the end of the run or, of a loop, up
// to the end of a round; one step is enough where the correct run is decided.
func removesOnce(e *explain.Explanation, run oracle.Run, fork int) error {
	removed := 0
	for _, s := range e.Nearest.Steps {
		if s.Op == explain.Remove {
			removed++
		}
	}
	end := len(run.Transitions)
	for end <= fork {
		end += len(run.Transitions) - run.Loop
	}
	isDecided := e.Nearest.Loop == 0 && !e.Nearest.Ends
	if removed != end-fork && (removed != 1 || !isDecided) {
		return fmt.Errorf("%d steps are removed, want %d", removed, end-fork)
	}
	return nil
}

// follows checks the labels of a diff, those that are shown, against both runs.
func follows(m *lts.LTS, e *explain.Explanation, run oracle.Run, steps int, lines []render.DiffLine) error {
	var come []string
	for _, s := range e.Nearest.Steps {
		if s.Op == explain.Insert {
			come = append(come, s.Label)
		}
	}
	if d := e.Diagnosis; d != nil && slices.ContainsFunc(come, func(l string) bool { return slices.Contains(d.Pending, l) }) &&
		!slices.ContainsFunc(d.Pending, func(l string) bool { return strings.Contains(lines[1].Text, l) }) {
		return fmt.Errorf("%q does not show %v", lines[1].Text, d.Pending)
	}
	for k, line := range lines {
		text := regexp.MustCompile(` \((?:the |\d+ more).*$| to state \d+|, and so on$`).ReplaceAllString(line.Text, "")
		for i, label := range strings.Split(text, ", ") {
			if label == "…" || strings.Contains(label, "×") || strings.Contains(line.Text, "×") {
				break
			}
			var want string
			switch {
			case k == 0:
				want = m.Alphabet().Text(step(run, steps+i).Label)
			case i < len(come):
				want = come[i]
			}
			if strings.Contains(line.Text, "…") && i > 2 {
				break
			}
			if label != want {
				return fmt.Errorf("%q: step %d is %q", line.Text, i, want)
			}
		}
	}
	return recursAsSaid(e, come, lines[1].Text)
}

var lastSteps = regexp.MustCompile(` \(the last (?:(\d+) steps|step) again and again\)$`)

// recursAsSaid checks that the labels on a line, of which the last ones are said to recur, are the word of the correct run.
func recursAsSaid(e *explain.Explanation, come []string, line string) error {
	found := lastSteps.FindStringSubmatch(line)
	if found == nil || strings.ContainsAny(line, "×…") || e.Nearest.Loop > len(come) {
		return nil
	}
	text := regexp.MustCompile(` to state \d+`).ReplaceAllString(strings.TrimSuffix(line, found[0]), "")
	told := strings.Split(text, ", ")
	said := max(1, atoi(found[1]))
	const enough = 40
	for i := range enough {
		said, want := around(told, said, i), around(come, e.Nearest.Loop, i)
		if said != want {
			return fmt.Errorf("%q: step %d of the correct run is %s, not %s", line, i, want, said)
		}
	}
	return nil
}

// around returns element i of a word whose last elements, as many as loop, recur.
func around(word []string, loop, i int) string {
	if i >= len(word) {
		i = len(word) - loop + (i-len(word))%loop
	}
	return word[i]
}

// step returns step i of a run that goes round its loop.
func step(run oracle.Run, i int) lts.Transition {
	if n := len(run.Transitions); i >= n && run.Loop != oracle.NoLoop {
		i = run.Loop + (i-run.Loop)%(n-run.Loop)
	}
	return run.Transitions[i]
}

func atoi(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// TestAdviceLeavesTriggersAlone: what the property is about is in no advice, and the nearest
// correct run does it if the counterexample does.
func TestAdviceLeavesTriggersAlone(t *testing.T) {
	cuts, nevers, nearest := 0, 0, 0
	texts := slices.Sorted(maps.Keys(triggersOf))
	for seed := range randomlts.Share(2_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 4, Transitions: 8, Labels: 4, Steps: 1})
		text := texts[seed%uint64(len(texts))]
		e, err := explainedText(c.Model, text)
		if err != nil {
			t.Fatal(err)
		}
		if e.Repair == nil {
			continue
		}
		is := func(label string) bool { return strings.Contains(triggersOf[text], label) }
		fail := func(what string) { t.Fatalf("seed %d, %s:\n%s\n%s", seed, text, c, what) }
		for _, f := range e.Repair.Never {
			if nevers++; is(f.Label) {
				fail("never " + f.Label)
			}
		}
		if e.Repair.Cut != nil {
			for _, f := range e.Repair.Cut.Transitions {
				if cuts++; is(f.Label) {
					fail("without " + f.Label)
				}
			}
		}
		for _, a := range e.Fairness.Assumptions {
			if a.Kind == explain.Finitely && slices.ContainsFunc(a.Labels, is) {
				fail(fmt.Sprint("finitely ", a.Labels))
			}
		}
		if e.Nearest == nil {
			continue
		}
		nearest++
		for _, name := range strings.Split(triggersOf[text], "") {
			same := name == "A" || name == "D"
			does := func(label string) bool {
				return label == name || text == "Response({A, D}; B)" && same && (label == "A" || label == "D")
			}
			run := slices.ContainsFunc(e.Counterexample.Steps, func(s explain.Step) bool { return does(s.Label) })
			correct := slices.ContainsFunc(e.Nearest.Steps, func(s explain.DiffStep) bool { return s.Op != explain.Remove && does(s.Label) })
			if run && !correct {
				fail("the nearest correct run does not do " + name)
			}
		}
	}
	if t.Log(cuts, nevers, nearest); randomlts.Whole() && (cuts < 100 || nevers < 50 || nearest < 100) {
		t.Error("hardly anything was met")
	}
}
