package render_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// scopedGuard is advice such as "Forbid C in states 1, 2 between A and B", as it is read.
type scopedGuard struct {
	label  string
	states []int
	// The guard applies from each from until the next to; from is "" if it applies from the beginning, up to the
	// first to.
	from, to string
}

var scopedGuardForm = regexp.MustCompile(`^Forbid (\w) in states? ([\d, ]+) (?:between (\w) and (\w)|before (\w))(?:: .*)?\.$`)

// readScopedGuard reads a sentence; false if it is no such advice.
func readScopedGuard(sentence string) (scopedGuard, bool) {
	found := scopedGuardForm.FindStringSubmatch(sentence)
	if found == nil {
		return scopedGuard{}, false
	}
	guard := scopedGuard{label: found[1], from: found[3], to: found[4] + found[5]}
	for _, s := range strings.Split(found[2], ", ") {
		n, err := strconv.Atoi(s)
		if err != nil {
			return scopedGuard{}, false
		}
		guard.states = append(guard.states, n)
	}
	return guard, true
}

// phase is where a run is in the scope of a formula, and in that of a guard.
type phase struct {
	state lts.State
	// applies reports whether the guard applies, isOpen whether the scope has begun and not ended, and isSpoiled
	// whether C has happened in it.
	applies, isOpen, isSpoiled bool
}

// judgeGuard says what is wrong with a guard for Never(C; between A and B) or, unless between is set, for
// Never(C; before B); "" if nothing is: then no run that keeps to the guard violates the property, each state
// keeps a way on, and the guard takes a transition in each of its states.
func judgeGuard(m *lts.LTS, guard scopedGuard, between bool) string {
	first := phase{state: m.Initial(), applies: guard.from == "", isOpen: !between}
	visited := map[phase]bool{first: true}
	isUsedIn := map[int]bool{}
	for open := []phase{first}; len(open) > 0; open = open[1:] {
		at := open[0]
		labels, targets := m.Out(at.state)
		goesOn := len(targets) == 0
		for i, to := range targets {
			label := m.Alphabet().Text(labels.At(i))
			if at.applies && label == guard.label && slices.Contains(guard.states, int(at.state)) {
				isUsedIn[int(at.state)] = true
				continue
			}
			goesOn = true
			next := at
			next.state = to
			switch label {
			case guard.from:
				next.applies = true
			case guard.to:
				next.applies = false
			}
			switch {
			case label == "A" && between:
				next.isOpen = true
			case label == "B" && at.isSpoiled:
				return "some run violates the property"
			case label == "B":
				next.isOpen = false
			case label == "C" && at.isOpen:
				next.isSpoiled = true
			}
			if !visited[next] {
				visited[next] = true
				open = append(open, next)
			}
		}
		if !goesOn {
			return "a run stops where it did not"
		}
	}
	for _, s := range guard.states {
		if !isUsedIn[s] {
			return "in a state nothing is forbidden"
		}
	}
	return ""
}

// TestScopedGuards reads the scope in advice back, and plays it: a guard that applies between other actions than the
// sentence says would let a run violate the property.
func TestScopedGuards(t *testing.T) {
	read := map[bool]int{}
	for seed := range randomlts.Share(12_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 13, Labels: 4, Steps: 1})
		between := seed%2 == 0
		text := "Never(C; before B)"
		if between {
			text = "Never(C; between A and B)"
		}
		e, err := explainedText(c.Model, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, sentence := range render.NewSentences(e, printable.Text).Hold() {
			guard, isGuard := readScopedGuard(sentence)
			if !isGuard {
				continue
			}
			read[between]++
			if fault := judgeGuard(c.Model, guard, between); fault != "" {
				t.Fatalf("seed %d, %s:\n%s\n%s: %s", seed, text, c, sentence, fault)
			}
		}
	}
	t.Log(read)
	if randomlts.Whole() && (read[true] < 50 || read[false] < 20) {
		t.Errorf("%d were read between two actions, %d before one", read[true], read[false])
	}
}
