package explain_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// stronger has, written by hand, the formulas that are left of others where false stands for an
// element that helps, true for one that does not; and for what is asked for together.
var stronger = []struct {
	formula string
	without map[string]string
	all     string
}{
	{"Inev({A, B})", map[string]string{"A": "Inev(B)", "B": "Inev(A)"}, "false"},
	{"Inev(A, {B, C})", map[string]string{"A": "false", "B": "Inev(A, C)", "C": "Inev(A, B)"}, "false"},
	{"Response(A; B)", map[string]string{"A": "G X F B", "B": "G !A"}, "G !A"},
	{"Response(A; {B, C})", map[string]string{"A": "G X F (B || C)", "B": "Response(A; C)", "C": "Response(A; B)"}, "G !A"},
	{"Response({A, B}; C)", map[string]string{"A": "G X F C", "B": "G X F C", "C": "G !{A, B}"}, "G !{A, B}"},
	{"Precedes(A; B)", map[string]string{"A": "G !B", "B": "A"}, "G !B"},
	{"Never(A, B)", map[string]string{"A": "G X G !B", "B": "G (A -> X G false)"}, "G (A -> X G false)"},
	{"Response(A; B; after C)", map[string]string{"A": "!C W (C && X G X F B)", "B": "!C W (C && X G !A)", "C": "false"}, "!C W (C && X G !A)"},
	{"Never(A; before B)", map[string]string{"A": "F B -> B"}, "F B -> B"},
	{"Never(A; after B)", map[string]string{"A": "G (B -> X G false)"}, "G (B -> X G false)"},
	{"G (A -> F B)", map[string]string{"A": "G F B", "B": "G !A"}, "G !A"},
	{"GF A || GF B", map[string]string{"A": "GF B", "B": "GF A"}, "false"},
	{"GF A -> GF B", map[string]string{"A": "GF B", "B": "FG !A"}, "FG !A"},
	{"(A <-> B) || F C", map[string]string{"A": "false && B || F C", "B": "false && A || F C", "C": "A <-> B"}, "!A && !B && false || false"},
	{"G (A -> X (!B U C))", map[string]string{"A": "G X (!B U C)", "B": "G (A -> X C)", "C": "G !A || false"}, "G (A -> X false)"},
}

// TestRolesAgreeWithEditedFormulas: an element plays no role, and nothing is asked, iff the
// formula that was strengthened by hand holds.
func TestRolesAgreeWithEditedFormulas(t *testing.T) {
	met := map[string]int{}
	for seed := range randomlts.Share(4_000) {
		r := rand.New(rand.NewPCG(seed, 34))
		m := randomlts.Forward(r)
		c := stronger[r.IntN(len(stronger))]
		e, err := explain.Explain(context.Background(), m, parseAny(t, c.formula), explain.Options{NoFairness: true})
		if err != nil {
			t.Fatal(err)
		}
		if e.Reasons == nil {
			continue
		}
		if !e.Reasons.Complete {
			t.Fatalf("%s: %v", c.formula, e.Reasons.Skipped)
		}
		noRole := map[string]explain.NoRole{}
		for _, n := range e.Reasons.NoRole {
			noRole[n.Atom] = n
		}
		for atom, text := range c.without {
			n, is := noRole[atom]
			if holds := satisfies(t, m, text); holds != is {
				t.Fatalf("seed %d: %s without %s: %v, and %s is %v\n%s", seed, c.formula, atom, is, text, holds, texts(m))
			}
			if !is {
				continue
			}
			met["no role"]++
			if !satisfies(t, m, n.Still) {
				t.Fatalf("seed %d: %s does not hold, which is reported of %s", seed, n.Still, c.formula)
			}
			if n.Needless && n.Still != text {
				t.Fatalf("%s without %s is %s, and %s is reported", c.formula, atom, text, n.Still)
			}
		}
		nothing := e.Reasons.NothingAsked
		if holds := satisfies(t, m, c.all); holds != (nothing != nil) {
			t.Fatalf("seed %d: %s: nothing is asked is %v\n%s", seed, c.formula, nothing, texts(m))
		}
		if nothing == nil {
			continue
		}
		met["nothing asked"]++
		if nothing.Never == "" && nothing.Scope {
			met["empty"]++
			if !satisfies(t, m, "Never(/.*/; "+nothing.Within+")") {
				t.Fatalf("seed %d: nothing is said to happen %s\n%s", seed, nothing.Within, texts(m))
			}
		}
		if never := nothing.Never; never != "" {
			text := "Never(" + never + ")"
			if nothing.Within != "" {
				met["within"]++
				text = "Never(" + never + "; " + nothing.Within + ")"
			}
			if nothing.Scope {
				met["scope"]++
			}
			if !satisfies(t, m, text) {
				t.Fatalf("seed %d: %s is said never to happen %s\n%s", seed, never, nothing.Within, texts(m))
			}
		}
	}
	for _, kind := range []string{"no role", "nothing asked", "within", "scope", "empty"} {
		if randomlts.Whole() && met[kind] < 5 {
			t.Errorf("met %v", met)
		}
	}
}

func satisfies(t testing.TB, m *lts.LTS, text string) bool {
	t.Helper()
	e, err := explain.Check(context.Background(), m, parseAny(t, text), explain.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e.Verdict == explain.Satisfied
}

// TestSupportsAgreeWithEditedModels: a property rests on a label iff it fails in the model
// without it, and as it is reported.
func TestSupportsAgreeWithEditedModels(t *testing.T) {
	met := map[string]int{}
	for seed := range randomlts.Share(4_000) {
		r := rand.New(rand.NewPCG(seed, 35))
		m := randomlts.Forward(r)
		text := append(slices.Clone(boundedFormulas), "Never(A, B)", "DeadlockFree")[r.IntN(len(boundedFormulas)+2)]
		var fair []*actl.Assumption
		if r.IntN(2) == 0 {
			fair = assumed(t, []string{"weak", "strong", "full"}[r.IntN(3)])
		}
		f := parseAny(t, text)
		e, err := explain.Explain(context.Background(), m, f, explain.Options{NoFairness: true, Fair: fair, RestsOnLabels: seed%2 == 0})
		if err != nil {
			t.Fatal(err)
		}
		if e.Reasons == nil {
			continue
		}
		on := map[string]explain.Support{}
		for _, s := range e.Reasons.RestsOn {
			on[s.Gate] = s
		}
		for l, name := range m.Alphabet().All() {
			var b lts.Builder
			b.Over(m.Alphabet())
			left := 0
			for tr := range m.Transitions() {
				if tr.Label != l {
					b.Add(tr.From, tr.Label, tr.To)
					left++
				}
			}
			less, err := b.Build(m.Initial(), m.NumStates())
			if err != nil {
				t.Fatal(err)
			}
			edited, err := explain.Check(context.Background(), less, f, explain.Options{Fair: fair})
			if err != nil {
				t.Fatal(err)
			}
			s, is := on[name]
			if is != (edited.Verdict == explain.Violated) {
				t.Fatalf("seed %d, %s %v: rests on %s: %v\n%s", seed, text, fair, name, is, texts(m))
			}
			if !is {
				continue
			}
			met[s.Kind]++
			if s.Step != strings.Contains(text, name) {
				t.Fatalf("%s: %+v", text, s)
			}
			if s.State != nil && !less.IsDeadlock(lts.State(*s.State)) || (s.State != nil) != (s.Kind == "deadlock") {
				t.Fatalf("seed %d: without %s a run does not stop in %v", seed, name, s.State)
			}
			if s.State != nil && !less.Reachable().Has(lts.State(*s.State)) {
				t.Fatalf("seed %d: without %s no run comes to %v", seed, name, s.State)
			}
		}
	}
	if randomlts.Whole() && (met["deadlock"] < 20 || met["loop"] < 3) {
		t.Errorf("met %v", met)
	}
}

// TestVariationsUnderFairnessCountMore: a verdict under fairness takes several passes, so fewer gates
// are tried within the same work.
func TestVariationsUnderFairnessCountMore(t *testing.T) {
	const states, gates = 4_000, 60
	var b lts.Builder
	for s := range lts.State(states) {
		for _, label := range []string{"STEP", "G" + strconv.Itoa(int(s)%gates)} {
			b.Add(s, b.Label(label), (s+1)%states)
		}
		b.Add(s, b.Label("END"), states)
	}
	m, err := b.Build(0, states+1)
	if err != nil {
		t.Fatal(err)
	}
	strong, err := actl.ParseAssumption(context.Background(), "strong")
	if err != nil {
		t.Fatal(err)
	}
	for text, fair := range map[string][]*actl.Assumption{"Inev(END)": {strong}, "Inev({STEP, G*, END})": nil} {
		f, err := actl.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := explain.Explain(context.Background(), m, f, explain.Options{Fair: fair, NoFairness: true, NoPaths: true})
		if err != nil {
			t.Fatal(err)
		}
		if e.Reasons == nil || len(e.Reasons.Skipped) > 0 != (fair != nil) {
			t.Errorf("%s under %v: %+v", text, fair, e.Reasons)
		}
	}
}
