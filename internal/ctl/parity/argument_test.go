package parity_test

import (
	"context"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/ctl/argument"
	"github.com/inev-lts/inev/internal/ctl/parity"
	"github.com/inev-lts/inev/internal/formula/modal"
	oracle "github.com/inev-lts/inev/internal/testing/oracle/mucalculus"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestArguments: each claim of an argument about a closed formula is true by iteration over sets of
// states, and runs are runs of the model that begin where they should and come back to their loop.
func TestArguments(t *testing.T) {
	closed := 0
	kinds := map[string]int{}
	for range randomlts.Share(50) {
		rapid.Check(t, func(t *rapid.T) {
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 73))
			w := &author{r: r, isMCL: rapid.Bool().Draw(t, "MCL")}
			text := w.state(1+w.below(6), nil)
			if w.below(3) == 0 {
				text = w.nested()
			}
			if tooDeep(text) {
				t.Skip(text)
			}
			m := randomModel(t)
			s := solve(t, m, text)
			a, err := s.Argue(context.Background(), m.Initial())
			if err != nil {
				t.Fatal(err)
			}
			// The argument of a negation is that of its operand.
			if a.State != m.Initial() || a.Formula == text && a.Holds != (len(s.Good) == 1) {
				t.Fatalf("%s on %v: %+v", text, m, a)
			}
			kinds["explained"] += variablesAreExplained(t, text, a, "")
			each(a, func(claim *argument.Argument) {
				closed += isTrue(t, m, claim)
				if found := whereText.FindStringSubmatch(claim.Text); found != nil {
					at, _ := strconv.Atoi(found[1])
					kinds["where"] += isTrue(t, m, &argument.Argument{Formula: found[2], Holds: found[3] == "holds", State: lts.State(at)})
				}
				kinds[isRun(t, m, claim)]++
				kinds[stays(t, m, claim)]++
			})
		})
	}
	t.Log(closed, kinds)
	if randomlts.Whole() && (closed < 5000 || kinds["loop"] < 20 || kinds["path"] < 500 || kinds["states"] < 500 || kinds["with labels"] < 100 || kinds["where"] < 40 || kinds["explained"] < 40) {
		t.Errorf("too little was met: %d, %v", closed, kinds)
	}
}

var (
	variableText  = regexp.MustCompile(`\bX\d+\b`)
	fixpointText  = regexp.MustCompile(`\b(?:mu|nu) X\d+`)
	explainedText = regexp.MustCompile(`\b(X\d+) is the (least|greatest) fixpoint ((?:mu|nu) X\d+)`)
)

// variablesAreExplained checks that the fixpoint of each variable in the text of a claim stands in that text, in the text of a claim
// around it, or in a clause that is right about it. It returns the number of these clauses.
func variablesAreExplained(t rapid.TB, formula string, a *argument.Argument, around string) int {
	t.Helper()
	for _, found := range explainedText.FindAllStringSubmatch(a.Text, -1) {
		kind := map[string]string{"mu": "least", "nu": "greatest"}[found[3][:2]]
		if found[2] != kind || !strings.HasSuffix(found[3], " "+found[1]) || !strings.Contains(formula, found[3]+" .") {
			t.Fatalf("%s: %s is wrong about %s", a.Text, found[0], formula)
		}
		if strings.Contains(around, found[0]) {
			t.Fatalf("%s: a claim above it says that %s, in %s", a.Text, found[0], formula)
		}
	}
	texts := a.Text + strings.Join(a.Strategy, "\n")
	known := around + texts
	for _, name := range variableText.FindAllString(texts, -1) {
		isKnown := func(fixpoint string) bool { return strings.HasSuffix(fixpoint, " "+name) }
		if !slices.ContainsFunc(fixpointText.FindAllString(known, -1), isKnown) {
			t.Fatalf("%s: nothing says what %s is, in %s", texts, name, formula)
		}
	}
	n := len(explainedText.FindAllString(a.Text, -1))
	for _, below := range a.Because {
		n += variablesAreExplained(t, formula, below, known)
	}
	return n
}

// TestArgumentsInWords: a claim is about a formula without variables of fixpoints around it, or the fixpoint itself, and
// says whether steps are chosen.
func TestArgumentsInWords(t *testing.T) {
	const model = "des (0,5,4)\n(0,a,1)\n(1,b,2)\n(2,c,1)\n(2,d,3)\n(3,d,3)\n"
	m, _, err := aut.Read(context.Background(), strings.NewReader(model), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for formula, want := range map[string][]string{
		`[ "a" ] nu X . mu Y . ((< "d" > X or < true > Y) and [ "b" ] X)`: {
			`[ "a" ] nu X . mu Y . ((< "d" > X or < true > Y) and [ "b" ] X) holds in 0: a run of 1 transition leads to state 1, where nu X . mu Y . ((< "d" > X or < true > Y) and [ "b" ] X) holds.`,
			`nu X . mu Y . ((< "d" > X or < true > Y) and [ "b" ] X) holds in 1: some of its steps can be chosen so that, whichever of the others follow, they stay in 3 states; a run of these steps that goes on forever unfolds nu X again and again, each time after at most 1 other step.`,
		},
		`mu X . ([ "a" ] X and [ "b" ] X and < true > true)`: {
			`mu X . ([ "a" ] X and [ "b" ] X and < true > true) holds in 0: whichever of its steps follow, they end after at most 2, in 3 states; < true > true holds in all 3 of them.`,
		},
		`mu X . (< "a" > X or not false)`: {
			`mu X . (< "a" > X or not false) holds in 0, since it comes down to true without any step.`,
		},
		`nu X . mu Y . (< "a" > X or < "b" > Y)`: {
			`nu X . mu Y . (< "a" > X or < "b" > Y) does not hold in 0: whichever of its steps follow, they end after at most 2, in 3 states.`,
		},
		`mu X . < not "a" > (X or true)`: {
			`< not "a" > (X or true) does not hold in 0: no transition from there has such a label; X is the least fixpoint mu X.`,
		},
	} {
		a, err := solve(t, m, formula).Argue(context.Background(), m.Initial())
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		each(a, func(claim *argument.Argument) { texts = append(texts, claim.Text) })
		for i, text := range want {
			if i >= len(texts) || !strings.HasPrefix(texts[i], text) {
				t.Errorf("%s: claim %d of\n%s\nwant\n%s", formula, i, strings.Join(texts, "\n"), text)
			}
		}
	}
}

// each calls do for a claim and those below it.
// TestStepsOfSeveralFormulas: where a step is asked about only after another one, what recurs on the steps that are
// asked about need not recur on all steps with their labels, and the claim is not about these.
func TestStepsOfSeveralFormulas(t *testing.T) {
	for _, c := range []struct{ model, formula string }{
		{"des (0,4,3)\n(0,a,1)\n(0,c,0)\n(1,b,2)\n(2,b,0)\n", `mu X . nu Y . ([ "a" ] [ "b" ] X and [ "c" ] Y)`},
		{"des (0,3,2)\n(0,a,1)\n(1,b,0)\n(1,c,1)\n", `nu X . mu Y . ([ "a" ] [ "b" ] X and [ "c" ] Y)`},
		{"des (0,3,2)\n(1,c,0)\n(1,a,0)\n(0,b,1)\n", `mu X . (nu Y . ((< true > < not "a" > X or < "c" > Y) or < true > < "b" > X))`},
	} {
		m, _, err := aut.Read(context.Background(), strings.NewReader(c.model), aut.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := solve(t, m, c.formula).Argue(context.Background(), m.Initial())
		if err != nil {
			t.Fatal(err)
		}
		recur := 0
		each(a, func(claim *argument.Argument) {
			stays(t, m, claim)
			if strings.Contains(claim.Text, "a run of these steps") {
				recur++
			}
		})
		if recur != 1 {
			t.Errorf("%s on %v: %d claims about what recurs", c.formula, m, recur)
		}
	}
}

func each(a *argument.Argument, do func(*argument.Argument)) {
	do(a)
	for _, below := range a.Because {
		each(below, do)
	}
}

// isTrue checks a claim about a closed formula, and returns 1 if it is one.
func isTrue(t rapid.TB, m *lts.LTS, claim *argument.Argument) int {
	t.Helper()
	if _, err := modal.Graph(context.Background(), claim.Formula); err != nil || strings.Contains(claim.Formula, "…") {
		return 0
	}
	var b lts.Builder
	for transition := range m.Transitions() {
		b.Add(transition.From, b.Label(m.Alphabet().Text(transition.Label)), transition.To)
	}
	there, err := b.Build(claim.State, m.NumStates())
	if err != nil {
		t.Fatal(err)
	}
	holds, err := oracle.Holds(there, claim.Formula)
	if err != nil {
		t.Fatalf("%s: %v", claim.Formula, err)
	}
	if holds != claim.Holds {
		t.Fatalf("%s in %d of %v: %t is claimed", claim.Formula, claim.State, m, claim.Holds)
	}
	return 1
}

var whereText = regexp.MustCompile(`transitions? leads to state (\d+), where ([^,]*) (holds|does not hold)\.$`)

var stepsByLabel = regexp.MustCompile(`whichever steps(| by labels other than ([abc, nd]+?)| by ([abc, or]+?)) follow, they stay in`)

// stays checks that all steps of which a claim says so stay in its states and, if it says what recurs, that it does
// whichever of these steps follow. It returns what kind of claim it is.
func stays(t rapid.TB, m *lts.LTS, claim *argument.Argument) string {
	t.Helper()
	found := stepsByLabel.FindStringSubmatch(claim.Text)
	if found == nil {
		return "without labels"
	}
	isMeant := func(label string) bool {
		return found[1] == "" || found[2] != "" && !strings.Contains(strings.ReplaceAll(found[2], "and", ""), label) || strings.Contains(found[3], label)
	}
	for _, from := range claim.Set {
		for l, to := range m.From(from) {
			label := m.Alphabet().Text(l)
			if isMeant(label) && !slices.Contains(claim.Set, to) {
				t.Fatalf("%s: %s leads from %d to %d, not in %v", claim.Text, label, from, to, claim.Set)
			}
		}
	}
	again := againText.FindStringSubmatch(claim.Text)
	if again != nil {
		// Whatever goes on forever takes such a step: the other steps have no cycle.
		other := func(label string) bool { return isMeant(label) && !strings.Contains(again[1], label) }
		for _, s := range claim.Set {
			if reaches(m, s, s, other) {
				t.Fatalf("%s: a cycle through %d takes none, in %v", claim.Text, s, m)
			}
		}
		return "recurring"
	}
	seldom := seldomText.FindStringSubmatch(claim.Text)
	if seldom != nil {
		for _, from := range claim.Set {
			for l, to := range m.From(from) {
				label := m.Alphabet().Text(l)
				if isMeant(label) && strings.Contains(seldom[1], label) && (from == to || reaches(m, to, from, isMeant)) {
					t.Fatalf("%s: %s from %d to %d is on a cycle of %v", claim.Text, label, from, to, m)
				}
			}
		}
		return "not recurring"
	}
	return "with labels"
}

var seldomText = regexp.MustCompile(`a run of these steps takes ([abc, or]+?) at most (?:once|\d+ times) in all`)

// reaches reports whether steps with some labels, at least one, lead from a state to another one.
func reaches(m *lts.LTS, from, goal lts.State, means func(label string) bool) bool {
	open := []lts.State{from}
	seen := map[lts.State]bool{}
	for len(open) > 0 {
		s := open[0]
		open = open[1:]
		for l, to := range m.From(s) {
			if !means(m.Alphabet().Text(l)) || seen[to] {
				continue
			}
			if to == goal {
				return true
			}
			seen[to] = true
			open = append(open, to)
		}
	}
	return false
}

// isRun checks the run of a claim, and returns what kind of claim it is.
func isRun(t rapid.TB, m *lts.LTS, claim *argument.Argument) string {
	t.Helper()
	if claim.Run == nil {
		if len(claim.Set) > 0 {
			if !slices.Contains(claim.Set, claim.State) {
				t.Fatalf("%s: the states %v are without %d", claim.Text, claim.Set, claim.State)
			}
			return "states"
		}
		return "other"
	}
	at := claim.State
	for i, step := range claim.Run.Steps {
		if step.From != at {
			t.Fatalf("%s: step %d begins in %d", claim.Text, i, step.From)
		}
		isIn := false
		for label, to := range m.From(at) {
			isIn = isIn || label == step.Label && to == step.To
		}
		if !isIn {
			t.Fatalf("%s: %v is no transition of %v", claim.Text, step, m)
		}
		at = step.To
	}
	if claim.Run.LoopStart < 0 {
		return "path"
	}
	if at != claim.Run.Steps[claim.Run.LoopStart].From {
		t.Fatalf("%s: the loop ends in %d", claim.Text, at)
	}
	return "loop"
}

// TestPartsAreToldOnce: of the instances of a quantified formula, those that do not depend on the variable are told
// once, and together with the others they decide the formula.
func TestPartsAreToldOnce(t *testing.T) {
	const model = "des (0, 4, 4)\n(0, \"s(0)\", 1)\n(1, \"s(1)\", 2)\n(2, \"s(2)\", 3)\n(3, \"ack\", 0)\n"
	forms := []struct {
		text  string
		holds bool
		parts []string
	}{
		{"forall n: Nat. val(1 <= n && n <= 2) => (<true* . s(n)> true && [ack] false)", true,
			[]string{"<true* . s(1)> true", "[ack] false", "<true* . s(2)> true"}},
		{"exists n: Nat. val(n <= 2) && (<s(0)> <ack> true || <s(n)> <ack> true)", false,
			[]string{"<s(0)> <ack> true", "<s(1)> <ack> true", "<s(2)> <ack> true"}},
		{"exists n: Nat. val(n <= 5) && [true*] mu Y. (<s(9)> true || <ack> Y)", false, nil},
		{"forall n: Nat. val(n <= 5) => <s(0)> true", true, nil},
	}
	m, _, err := aut.Read(context.Background(), strings.NewReader(model), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range forms {
		written, err := modal.Read(context.Background(), form.text)
		if err != nil {
			t.Fatal(err)
		}
		graph, _, err := written.Graph(context.Background(), m.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		means, _, err := graph.Bind(context.Background(), m.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		s, err := parity.Solve(context.Background(), m, graph, means, []lts.State{0})
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Argue(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		var parts []string
		for _, below := range a.Because {
			parts = append(parts, below.Formula)
		}
		t.Log(a.Text, parts)
		if a.Holds != form.holds || form.parts != nil && !slices.Equal(parts, form.parts) || len(parts) > 3 {
			t.Errorf("%s: %s\n%q", form.text, a.Text, parts)
		}
	}
}
