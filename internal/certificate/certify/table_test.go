package certify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/certificate/certify"
	"github.com/inev-lts/inev/internal/certificate/verify"
	"github.com/inev-lts/inev/internal/testing/mutation"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// written is a property given as a table.
type written struct{ table property.Automaton }

func (w written) String() string                                 { return "table" }
func (w written) Kind() string                                   { return "table" }
func (w written) Unmatched(context.Context, *lts.Alphabet) error { return nil }
func (w written) Bind(_ context.Context, a *lts.Alphabet) (*property.Property, []string, error) {
	t := w.table
	t.Letters = make([]uint16, a.Len())
	for l := range t.Letters {
		t.Letters[l] = uint16(l % t.Columns)
	}
	p, err := property.Table(a, t)
	return p, nil, err
}

// drawTable returns a random table with two colours.
func drawTable(r *rand.Rand) written {
	states, letters := 1+r.IntN(3), 1+r.IntN(3)
	t := property.Automaton{Columns: letters, Name: "table"}
	for range states {
		t.Stop = append(t.Stop, r.IntN(2) == 0)
		for range letters {
			t.Next, t.Marks = append(t.Next, property.Q(r.IntN(states))), append(t.Marks, property.Marks(r.IntN(4)))
		}
	}
	leaves := []property.Acceptance{property.Inf(0), property.Fin(0), property.Inf(1), property.Fin(1), property.Always(), property.Never()}
	leaf := func() property.Acceptance { return leaves[r.IntN(len(leaves))] }
	t.Acceptance = []property.Acceptance{leaf(), property.Any(leaf(), leaf()), property.All(leaf(), leaf()), property.Any(property.All(leaf(), leaf()), leaf())}[r.IntN(4)]
	return written{t}
}

var tableFormulas = []string{
	"Response(A; B)", "Response(A; B, A)", "Never(A, B)", "Precedes(B; A)", "AtMost(1; A)", "DeadlockFree", "Inev(A; after B)",
	"G F A -> G F B", "A U B", "G (A -> X B)", "F G !A", "(G F A && G F B) || F G A", "Response(A; B; after B until A)",
}

// tableSubject is a subject whose property is no chain.
type tableSubject struct {
	m    *lts.LTS
	f    property.Formula
	p    *property.Property
	e    *explain.Explanation
	o    judge
	fair []*actl.Assumption
	text string
}

// judge is an oracle, of all runs or of those that count.
type judge interface {
	Can(s lts.State, q int) (accept, reject bool)
	Reached(s lts.State, q int) bool
	Class(t lts.Transition) oracle.Class
}

func certifiedTable(t testing.TB, m *lts.LTS, f property.Formula) *tableSubject {
	t.Helper()
	s := &tableSubject{m: m, f: f}
	happening, err := m.Happening(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if s.p, _, err = f.Bind(context.Background(), happening); err != nil {
		t.Fatal(err)
	}
	if s.e, err = explain.Explain(context.Background(), m, f, explain.Options{NoFairness: true, NoAdvice: true}); err != nil {
		t.Fatal(err)
	}
	s.o = oracle.NewGeneral(m, fromproperty.Automaton(s.p))
	return s.written(t)
}

// written writes the certificate.
func (s *tableSubject) written(t testing.TB) *tableSubject {
	var b bytes.Buffer
	if err := certify.Write(context.Background(), &b, s.e); err != nil {
		t.Fatal(err)
	}
	s.text = b.String()
	return s
}

// drawTableSubject returns a certificate of a small model.
func drawTableSubject(t testing.TB, seed uint64) *tableSubject {
	t.Helper()
	c := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 12, Labels: 3, Steps: 1})
	if seed%3 == 0 {
		return certifiedTable(t, c.Model, drawTable(rand.New(rand.NewPCG(seed, 3))))
	}
	f, err := formula.Parse(context.Background(), tableFormulas[seed%uint64(len(tableFormulas))])
	if err != nil {
		t.Fatal(err)
	}
	happening, err := c.Model.Happening(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := f.Bind(context.Background(), happening)
	if err != nil {
		t.Fatal(err)
	}
	if _, is := p.Chain(); is { // A U B is, where nothing else happens
		return certifiedTable(t, c.Model, drawTable(rand.New(rand.NewPCG(seed, 3))))
	}
	return certifiedTable(t, c.Model, f)
}

func (s *tableSubject) verify(text string) (*verify.Result, error) {
	return verify.Verify(context.Background(), s.m, s.f, s.fair, strings.NewReader(text))
}

// tableFile is a certificate, without what is evidence only.
type tableFile struct {
	Verdict string
	Classes struct{ Correct, Incorrect, Neutral, Excluded int }
	Places  []struct {
		State, Q            lts.State
		First               int
		Satisfies, Violates []int
	}
	States []struct {
		State lts.State
		Out   string
	}
	Neighbourhoods []struct {
		State lts.State
	}
	Counterexample *struct {
		LoopStart *int `json:"loop_start"`
		Steps     []struct {
			From, To lts.State
			Out      int
			Q        int
			Fate     string
		}
	}
}

// isTrue compares all claims of a certificate with the oracle.
func (s *tableSubject) isTrue(text string) error {
	var f tableFile
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return err
	}
	_, violates := s.o.Can(s.m.Initial(), int(s.p.Initial()))
	if violates != (f.Verdict == "violated") || violates != (f.Counterexample != nil) {
		return fmt.Errorf("violated: %v, said to be %s", violates, f.Verdict)
	}
	listed := map[[2]lts.State]bool{}
	for _, p := range f.Places {
		accept, reject := s.o.Can(p.State, int(p.Q))
		if accept != (p.Satisfies != nil) || reject != (p.Violates != nil) {
			return fmt.Errorf("place %+v: some run satisfies the property: %v, some violates it: %v", p, accept, reject)
		}
		listed[[2]lts.State{p.State, p.Q}] = true
	}
	for st := range lts.State(s.m.NumStates()) {
		for q := range s.p.States() {
			if s.o.Reached(st, q) != listed[[2]lts.State{st, lts.State(q)}] {
				return fmt.Errorf("place %d·%d: reached %v", st, q, s.o.Reached(st, q))
			}
		}
	}
	counts := map[string]int{}
	for _, st := range f.States {
		labels, targets := s.m.Out(st.State)
		for i := range labels.Len() {
			l := labels.At(i)
			class := s.o.Class(lts.Transition{From: st.State, Label: l, To: targets[i]})
			if counts[string(class)]++; st.Out[i] != string(class)[0] {
				return fmt.Errorf("state %d: out %s, but transition %d is %s", st.State, st.Out, i, class)
			}
		}
	}
	if counts["correct"] != f.Classes.Correct || counts["incorrect"] != f.Classes.Incorrect || counts["neutral"] != f.Classes.Neutral || counts["excluded"] != f.Classes.Excluded {
		return fmt.Errorf("classes %v, said to be %+v", counts, f.Classes)
	}
	return s.violates(&f)
}

// violates replays the counterexample.
func (s *tableSubject) violates(f *tableFile) error {
	c := f.Counterexample
	if c == nil {
		return nil
	}
	at, q := s.m.Initial(), s.p.Initial()
	begin, entered := at, q
	var loop []lts.Label
	var round []lts.Transition
	var in []int
	for i, step := range c.Steps {
		if c.LoopStart != nil && i == *c.LoopStart {
			begin, entered = at, q
		}
		labels, targets := s.m.Out(at)
		if step.From != at || targets[step.Out] != step.To {
			return fmt.Errorf("step %d is none of the model", i)
		}
		if c.LoopStart != nil && i >= *c.LoopStart {
			loop = append(loop, labels.At(step.Out))
			round, in = append(round, lts.Transition{From: at, Label: labels.At(step.Out), To: step.To}), append(in, int(q))
		}
		at, q = step.To, s.p.Next(q, labels.At(step.Out))
		if accept, _ := s.o.Can(at, int(q)); int(q) != step.Q || accept != (step.Fate == "free") {
			return fmt.Errorf("step %d leads to %d·%d, from where some run satisfies the property: %v", i, at, q, accept)
		}
	}
	if c.LoopStart == nil {
		accept, reject := s.o.Can(at, int(q))
		f, _, err := actl.BindAssumptions(context.Background(), s.fair, s.m.Alphabet())
		ends := err == nil && f.MayEnd(s.m, at) && !s.p.Ends(q, s.m.IsDeadlock(at))
		if (accept || !reject) && !ends {
			return errors.New("the end of the counterexample can satisfy the property")
		}
		return nil
	}
	var met property.Marks
	for round, q := 0, entered; round <= 2*s.p.States(); round++ {
		for _, l := range loop {
			if round >= s.p.States() {
				met |= s.p.Marks(q, l)
			}
			q = s.p.Next(q, l)
		}
	}
	if at != begin || s.p.Acceptance().Holds(met) {
		return errors.New("the loop of the counterexample satisfies the property, or is none")
	}
	// If the automaton comes back in other states, the loop is longer than what is written.
	if o, is := s.o.(*oracle.FairGeneral); is && q == entered && !o.Recurs(round, in) {
		return errors.New("the loop of the counterexample does not count")
	}
	return nil
}

// TestTables: what is claimed of properties that are no chains is true, and its evidence
// suffices.
func TestTables(t *testing.T) {
	verdicts := map[bool]int{}
	for seed := range randomlts.Share(1000) {
		s := drawTableSubject(t, seed)
		got, err := s.verify(s.text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, s.text)
		}
		if err := s.isTrue(s.text); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, s.text)
		}
		want := verify.Result{Violated: s.e.Verdict == explain.Violated, States: s.e.Model.ReachableStates, Transitions: s.e.Model.ReachableTransitions}
		if *got != want {
			t.Fatalf("result %+v, want %+v", *got, want)
		}
		verdicts[got.Violated]++
	}
	if randomlts.Whole() && (verdicts[true] < 200 || verdicts[false] < 200) {
		t.Errorf("verdicts %v", verdicts)
	}
}

// proofs are the parts of a certificate of which there can be several that are as good: ranks
// need only not rise, homes may name colours that nothing in them has, a bad prefix may be a
// lasso as well.
var proofs = regexp.MustCompile(`"never_(satisfies|violates)":\[[0-9,]*\]|"homes": \{[^\n]*|"neighbourhood_reading": "[a-z]+"|"out": [0-9]+|"loop_start": [a-z0-9]+`)

// TestFalsifiedTables: a certificate with one place changed is refused, unless it is another
// proof of the same claims.
func TestFalsifiedTables(t *testing.T) {
	accepted := 0
	for seed := range randomlts.Share(500) {
		s := drawTableSubject(t, seed)
		r := rand.New(rand.NewPCG(seed, 4))
		for range 12 {
			text := falsify(r, s.text)
			if text == s.text {
				continue
			}
			_, err := s.verify(text)
			if err == nil && !json.Valid([]byte(text)) {
				t.Fatalf("no JSON, but not refused:\n%s", text)
			}
			if err != nil {
				if strings.Contains(err.Error(), "\n") {
					t.Errorf("an error of several lines: %v", err)
				}
				continue
			}
			accepted++
			if err := s.isTrue(text); err != nil {
				t.Fatalf("seed %d: accepted: %v\n%s", seed, err, text)
			}
			if proofs.ReplaceAllString(text, "") != proofs.ReplaceAllString(s.text, "") {
				t.Fatalf("seed %d: not refused:\n%s\nof %s", seed, text, s.text)
			}
		}
	}
	if accepted > 1200 {
		t.Errorf("%d changes were accepted: the evidence says too little", accepted)
	}
}

// TestForgedTables presents consistent evidence for wrong claims: that of another model or
// property, with what binds it exchanged. What is accepted is true all the same.
func TestForgedTables(t *testing.T) {
	refused := 0
	for seed := range randomlts.Share(1000) {
		r := rand.New(rand.NewPCG(seed, 5))
		s := drawTableSubject(t, seed)
		var other *tableSubject
		if seed%2 == 0 {
			m := redirected(t, r, s.m)
			if m == nil || m.Alphabet().Len() != s.m.Alphabet().Len() {
				continue
			}
			other = certifiedTable(t, m, s.f)
		} else {
			other = certifiedTable(t, s.m, drawTable(r))
		}
		_, was := sections(other.text)
		_, digest := sections(s.text)
		text := strings.Replace(other.text, was, digest, 1)
		from, to := strings.Index(text, `"property"`), strings.Index(text, `"verdict"`)
		text = text[:from] + s.text[strings.Index(s.text, `"property"`):strings.Index(s.text, `"verdict"`)] + text[to:]
		if _, err := s.verify(text); err != nil {
			if refused++; strings.Contains(err.Error(), "another") {
				t.Fatalf("not a test of the claims: %v\n%s", err, text)
			}
			continue
		}
		if err := s.isTrue(text); err != nil {
			t.Fatalf("seed %d: accepted: %v\n%s\nof %s", seed, err, text, s.text)
		}
	}
	if randomlts.Whole() && refused < 300 {
		t.Errorf("only %d certificates were refused", refused)
	}
}

// TestTableAttacks claims of places what is not so, with the best evidence that there is: all
// of it is refused, and for what is said of places and homes.
func TestTableAttacks(t *testing.T) {
	reasons := map[string]int{}
	for seed := range randomlts.Share(1200) {
		r := rand.New(rand.NewPCG(seed, 6))
		s := drawTableSubject(t, seed)
		for range 4 {
			text, wrong := certify.ForgeTable(r, s.e, s.text)
			_, err := s.verify(text)
			if wrong == 0 {
				continue
			}
			if err == nil {
				t.Fatalf("seed %d: %d wrong claims are accepted:\n%s\nof %s", seed, wrong, text, s.text)
			}
			if !strings.HasPrefix(err.Error(), "place ") && !strings.HasPrefix(err.Error(), "home ") {
				t.Fatalf("seed %d: refused for another reason, %v:\n%s", seed, err, text)
			}
			reasons[regexp.MustCompile(`[0-9·]+|transitions? [^ ]+ -.*-> |by .*|on .*`).ReplaceAllString(err.Error(), "")]++
		}
	}
	if randomlts.Whole() && len(reasons) < 8 {
		t.Errorf("refused for %d reasons only: %v", len(reasons), reasons)
	}
}

// TestTableRanks says that no run satisfies a property which the only run satisfies, by ranks
// that rise, and by colours that are missing here and there.
func TestTableRanks(t *testing.T) {
	m, _, err := aut.Read(context.Background(), strings.NewReader("des (0,2,2)\n(0,A,1)\n(1,B,0)\n"), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	both := property.All(property.Inf(0), property.Inf(1))
	for _, c := range []struct {
		accept        property.Acceptance
		marks         []property.Marks
		first, second string
		reason        string
	}{
		{property.Inf(0), []property.Marks{1, 0}, "1,1", "0,1", "rises"},
		{property.Inf(0), []property.Marks{1, 0}, "0,1", "0,1", "is not missing"},
		{property.Inf(0), []property.Marks{1, 0}, "0,0", "0,0", "no colour is said to be missing"},
		{property.Inf(0), []property.Marks{1, 0}, "0,2", "0,2", "no colour is said to be missing"},
		{both, []property.Marks{1, 2}, "0,2", "0,1", "is not missing"},
	} {
		s := certifiedTable(t, m, written{property.Automaton{Columns: 2, Next: []property.Q{0, 0}, Marks: c.marks, Stop: []bool{true}, Acceptance: c.accept}})
		if _, err := s.verify(s.text); err != nil {
			t.Fatal(err)
		}
		text := s.text
		for state, ranks := range []string{c.first, c.second} {
			text = regexp.MustCompile(fmt.Sprintf(`("state":%d,"q":0,"first":[0-9]),"satisfies":\[[0-9,]*\]`, state)).ReplaceAllString(text, `$1,"never_satisfies":[`+ranks+"]")
		}
		text = regexp.MustCompile(`"homes": \{"satisfies": \[.*\], "violates"`).ReplaceAllString(text, `"homes": {"satisfies": [], "violates"`)
		if _, err := s.verify(text); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%v\n%s", err, text)
		}
	}
}

// FuzzVerifyTable is [FuzzVerify] for a property that is no chain.
func FuzzVerifyTable(f *testing.F) {
	m, _, err := aut.Read(context.Background(), strings.NewReader("des (0,3,2)\n(0,A,1)\n(0,B,0)\n(1,C,1)\n"), aut.Options{})
	if err != nil {
		f.Fatal(err)
	}
	response, err := formula.Parse(context.Background(), "G F A -> G F B")
	if err != nil {
		f.Fatal(err)
	}
	s := certifiedTable(f, m, response)
	f.Add(s.text)
	f.Add(strings.Join(strings.Fields(s.text), ""))
	f.Add(s.text[:len(s.text)/2])
	f.Fuzz(func(t *testing.T, text string) {
		defer mutation.Limited()()
		if _, err := s.verify(text); err == nil && !json.Valid([]byte(text)) {
			t.Errorf("accepted:\n%s", text)
		}
	})
}

// TestEvidenceOfTablesIsExact: of what proves that runs can and cannot satisfy a property, no
// number can be changed unnoticed.
func TestEvidenceOfTablesIsExact(t *testing.T) {
	lists := regexp.MustCompile(`"(?:satisfies|violates|never_satisfies|never_violates)":\[([0-9,]+)\]`)
	number := regexp.MustCompile(`[0-9]+`)
	changed, seeds := 0, uint64(150)
	if !randomlts.Whole() {
		seeds = 30
	}
	for seed := range seeds {
		s := drawTableSubject(t, seed)
		places := strings.Index(s.text, `"states": [`)
		for _, list := range lists.FindAllStringSubmatchIndex(s.text[:places], -1) {
			for _, at := range number.FindAllStringIndex(s.text[list[2]:list[3]], -1) {
				from, to := list[2]+at[0], list[2]+at[1]
				value, err := strconv.Atoi(s.text[from:to])
				if err != nil {
					t.Fatal(err)
				}
				for _, other := range []int{value + 1, value - 1} {
					if other < 0 {
						continue
					}
					changed++
					text := s.text[:from] + strconv.Itoa(other) + s.text[to:]
					if _, err := s.verify(text); err == nil {
						t.Fatalf("seed %d: %d in the place of %d goes unnoticed in %s of\n%s", seed, other, value, s.text[list[0]:list[1]], s.text)
					}
				}
			}
		}
	}
	if changed < 6*int(seeds) {
		t.Errorf("%d numbers were changed", changed)
	}
}
