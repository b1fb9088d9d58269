package certify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/certificate/certify"
	"github.com/inev-lts/inev/internal/certificate/verify"
	"github.com/inev-lts/inev/internal/testing/collection"
	"github.com/inev-lts/inev/internal/testing/exampletest"
	"github.com/inev-lts/inev/internal/testing/mutation"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// subject is a model and a property with a certificate.
type subject struct {
	m    *lts.LTS
	f    *actl.Formula
	e    *explain.Explanation
	fair []*actl.Assumption
	text string
}

func certified(t testing.TB, m *lts.LTS, formula string, o explain.Options) *subject {
	t.Helper()
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	o.NoAdvice = true // no certificate has any
	e, err := explain.Explain(context.Background(), m, f, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := certify.Write(context.Background(), &b, e); err != nil {
		t.Fatalf("%v\n%s", err, formula)
	}
	return &subject{m, f, e, o.Fair, b.String()}
}

func (s *subject) verify(text string) (*verify.Result, error) {
	return verify.Verify(context.Background(), s.m, s.f, s.fair, strings.NewReader(text))
}

// isRight fails unless the certificate is found right, with the claims of the
// explanation.
func (s *subject) isRight(t testing.TB) {
	t.Helper()
	got, err := s.verify(s.text)
	if err != nil {
		t.Fatalf("%v\n%s", err, s.text)
	}
	want := verify.Result{
		Violated: s.e.Verdict == explain.Violated,
		States:   s.e.Model.ReachableStates, Transitions: s.e.Model.ReachableTransitions,
	}
	if run := s.e.Counterexample; run != nil {
		want.Shortest = run.Minimal == counterexample.InModel && len(s.fair) == 0
	}
	if *got != want {
		t.Errorf("result %+v, want %+v", *got, want)
	}
}

func TestRandomModels(t *testing.T) {
	for seed := range randomlts.Share(4000) {
		size := randomlts.Small()
		if seed%4 == 0 {
			size = randomlts.Medium()
		}
		c := randomlts.Seeded(seed, size)
		certified(t, c.Model, c.Formula, explain.Options{Reading: neighbourhood.Reading(seed % 2)}).isRight(t)
	}
}

var (
	numbers = regexp.MustCompile(`[:\[,] ?[0-9]+`)
	classes = regexp.MustCompile(`"out":"[cine]+"`)
	words   = regexp.MustCompile(`"(correct|incorrect|neutral|mixed|mixed-neutral|free|fated|all|some|satisfied|violated)"|true|false|null`)
	lines   = regexp.MustCompile(`\n\{[^\n]*`)
)

// pick returns the bounds of one match, at random.
func pick(r *rand.Rand, text string, of *regexp.Regexp) (from, to int, ok bool) {
	found := of.FindAllStringIndex(text, -1)
	if len(found) == 0 {
		return 0, 0, false
	}
	at := found[r.IntN(len(found))]
	return at[0], at[1], true
}

// falsify changes one place of a certificate.
func falsify(r *rand.Rand, text string) string {
	of := [...]*regexp.Regexp{numbers, numbers, classes, words, lines}[r.IntN(5)]
	from, to, ok := pick(r, text, of)
	if !ok {
		from, to, _ = pick(r, text, numbers)
		of = numbers
	}
	old := text[from:to]
	changed := ""
	switch of {
	case numbers:
		digits := strings.TrimLeft(old, ":[, ")
		var value int
		fmt.Sscan(digits, &value)
		value += 1 - 2*r.IntN(2)
		changed = strings.TrimSuffix(old, digits) + fmt.Sprint(value)
	case classes:
		letters := []byte(old)
		i := len(`"out":"`) + r.IntN(len(letters)-len(`"out":"`)-1)
		for letters[i] == old[i] {
			letters[i] = "cine"[r.IntN(4)]
		}
		changed = string(letters)
	case words:
		for changed == "" || changed == old {
			changed = [...]string{`"correct"`, `"incorrect"`, `"neutral"`, `"mixed"`, `"mixed-neutral"`, `"free"`, `"fated"`,
				`"all"`, `"some"`, `"satisfied"`, `"violated"`, "true", "false", "null", "0"}[r.IntN(15)]
		}
	case lines: // leave a line out
		if strings.HasSuffix(old, ",") || text[from-1] == '[' {
			return text[:from] + text[to:]
		}
		return strings.TrimSuffix(text[:from], ",") + text[to:]
	}
	return text[:from] + changed + text[to:]
}

// legitimate are the changes that need not be found: to the reading of
// neighbourhoods where both readings find the same ones, and from one of several
// equal transitions to another.
var legitimate = regexp.MustCompile(`"neighbourhood_reading": "[a-z]+"|"out": [0-9]+`)

// TestFalsified: since the evidence is unique, every other change is found.
func TestFalsified(t *testing.T) {
	for seed := range randomlts.Share(1500) {
		c := randomlts.Seeded(seed, randomlts.Small())
		s := certified(t, c.Model, c.Formula, explain.Options{})
		r := rand.New(rand.NewPCG(seed, 1))
		for range 10 {
			text := falsify(r, s.text)
			if text == s.text {
				continue
			}
			_, err := s.verify(text)
			if err == nil && !json.Valid([]byte(text)) {
				t.Fatalf("no JSON, but not refused:\n%s", text)
			}
			if err == nil && legitimate.ReplaceAllString(text, "") == legitimate.ReplaceAllString(s.text, "") {
				continue
			}
			if err == nil {
				t.Fatalf("not refused:\n%s\nof %s\n%v", text, s.text, c)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("an error of several lines: %v", err)
			}
		}
	}
}

// sections returns the parts of a certificate that tell of states, classes and
// neighbourhoods, and its digest.
func sections(text string) (claims, digest string) {
	_, claims, _ = strings.Cut(text, `"classes"`)
	claims, _, _ = strings.Cut(claims, `"counterexample"`)
	_, digest, _ = strings.Cut(text, `"sha256": "`)
	digest, _, _ = strings.Cut(digest, `"`)
	return claims, digest
}

// TestForged presents consistent evidence for wrong claims: certificates of a
// model with one transition changed, and of a property with one step changed,
// with what binds them exchanged. They may only be accepted where all numbers are
// those of the original.
func TestForged(t *testing.T) {
	different := 0
	for seed := range randomlts.Share(6000) {
		r := rand.New(rand.NewPCG(seed, 2))
		c := randomlts.Seeded(seed, randomlts.Small())
		s := certified(t, c.Model, c.Formula, explain.Options{})
		m, formula := c.Model, c.Formula
		if labels := m.Alphabet(); seed%2 == 0 {
			steps := strings.SplitAfter(strings.TrimSuffix(formula, ")"), ", ")
			if len(steps) < 2 || strings.Contains(formula, "{") {
				continue
			}
			steps[1], steps[len(steps)-1] = fmt.Sprintf("%q, ", labels.Text(lts.Label(r.IntN(labels.Len())))), strings.TrimSuffix(steps[len(steps)-1], ", ")
			formula = strings.TrimSuffix(strings.Join(steps, ""), ", ") + ")"
		} else if m = redirected(t, r, m); m == nil {
			continue
		}
		forged := certified(t, m, formula, explain.Options{})
		text := forged.text
		_, was := sections(text)
		claims, digest := sections(s.text)
		text = strings.Replace(text, was, digest, 1)
		from, to := strings.Index(text, `"property"`), strings.Index(text, `"verdict"`)
		text = text[:from] + s.text[strings.Index(s.text, `"property"`):strings.Index(s.text, `"verdict"`)] + text[to:]
		if other, _ := sections(text); other == claims {
			continue
		}
		different++
		if _, err := s.verify(text); err == nil {
			t.Fatalf("not refused:\n%s\nof %s\n%v", text, s.text, c)
		} else if strings.Contains(err.Error(), "another") {
			t.Fatalf("not a test of the claims: %v\n%s", err, text)
		}
	}
	if randomlts.Whole() && different < 1500 {
		t.Errorf("only %d certificates were forged", different)
	}
}

// redirected returns m with another target for one of its transitions, nil if
// there is none.
func redirected(t *testing.T, r *rand.Rand, m *lts.LTS) *lts.LTS {
	if m.NumTransitions() == 0 {
		return nil
	}
	var b lts.Builder
	at, i := r.IntN(m.NumTransitions()), 0
	for step := range m.Transitions() {
		if i == at {
			step.To = lts.State(r.IntN(m.NumStates()))
		}
		b.Add(step.From, b.Label(m.Alphabet().Text(step.Label)), step.To)
		i++
	}
	changed, err := b.Build(m.Initial(), m.NumStates())
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// TestShortened: a certificate without its end is refused wherever it is cut.
func TestShortened(t *testing.T) {
	s := figure2(t)
	for length := range len(s.text) - 2 {
		if _, err := s.verify(s.text[:length]); err == nil {
			t.Errorf("refused not when cut after %d bytes", length)
		}
	}
	if _, err := s.verify(s.text + "x"); err == nil {
		t.Error("not refused with more behind it")
	}
}

// TestOtherModel: a certificate counts for its model and property only.
func TestOtherModel(t *testing.T) {
	for seed := range randomlts.Share(500) {
		c, other := randomlts.Seeded(seed, randomlts.Small()), randomlts.Seeded(seed+1, randomlts.Small())
		s := certified(t, c.Model, c.Formula, explain.Options{})
		digest, _ := verify.Digest(c.Model)
		if d, _ := verify.Digest(other.Model); d == digest {
			continue
		}
		s.m = other.Model
		if _, err := s.verify(s.text); err == nil || !strings.Contains(err.Error(), "another model") {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func read(t testing.TB, path string) *lts.LTS {
	t.Helper()
	m, _, err := aut.Open(context.Background(), path, aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func figure2(t testing.TB) *subject {
	t.Helper()
	return certified(t, read(t, "../../../examples/figure2/figure2.aut"), "Inev(A, B, C)", explain.Options{})
}

// TestNamed: the error names what is wrong.
func TestNamed(t *testing.T) {
	s := figure2(t)
	for _, c := range []struct{ old, changed, want string }{
		{`"state":2,"mp":3,"cp":1`, `"state":2,"mp":3,"cp":2`, "state 2: cp is 2, but by transition 1 -X-> 2 it is at most 1"},
		{`"state":2,"mp":3`, `"state":2,"mp":2`, "state 2: first has 4 numbers, not 3"},
		{`"verdict": "violated"`, `"verdict": "satisfied"`, "verdict is satisfied, but cs of the initial state 0 is 0 of 3 steps"},
		{`"initial": 0`, `"initial": 1`, "made for another model: initial is 1 there, 0 here"},
		{`"sha256": "`, `"sha256": "0`, "made for another model: its transitions have the sha256"},
		{`"correct": 3`, `"correct": 4`, "classes: 4 transitions are said to be correct, but 3 are"},
		{`"out":"cn"`, `"out":"nn"`, "transition 2 -B-> 3: class is neutral, but the prefixes and suffixes of its ends make it correct"},
		{`"kind": "correct"`, `"kind": "mixed"`, "neighbourhood 2: kind is mixed, but the classes make it correct"},
		{`"distance_from_initial": 2`, `"distance_from_initial": 3`, "neighbourhood 2: distance_from_initial is 3, but the distance is 2"},
		{`"length": 3`, `"length": 2`, "counterexample: length is 2, but it has 3 steps"},
		{`"loop_start": null`, `"loop_start": 1`, "counterexample: it ends in state 4, but its loop begins in state 1"},
		{`"fate": "free"`, `"fate": "fated"`, "counterexample: step 1 has the wrong fate: progress 1, and ms of state 1 is 2 of 3 steps"},
		{`Inev(A, B, C)`, `Inev(A)`, "made for another property, Inev(A)"},
		{`certificate/1`, `certificate/2`, `schema is "inev.certificate/2"; this version of inev knows inev.certificate/1`},
		{`"least"`, `"last"`, `line 9: found the member "last" where "least" was expected`},
	} {
		if !strings.Contains(s.text, c.old) {
			t.Errorf("the certificate lacks %s:\n%s", c.old, s.text)
			continue
		}
		_, err := s.verify(strings.Replace(s.text, c.old, c.changed, 1))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.changed, err, c.want)
		}
	}
}

// TestForgedDeadlock: that a deadlock does nothing is a condition of its own, for
// nothing follows that could tell.
func TestForgedDeadlock(t *testing.T) {
	var b lts.Builder
	m, err := b.Build(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	s := certified(t, m, "Inev(A)", explain.Options{})
	before, _, _ := strings.Cut(s.text, `"counterexample"`)
	forged := strings.NewReplacer(`"violated"`, `"satisfied"`, `"cs":0`, `"cs":1`, `"due":[]`, `"due":[1]`).Replace(before) + `"counterexample": null}`
	if _, err := s.verify(forged); err == nil || err.Error() != "state 0: cs is 1, but it is 0 in a deadlock" {
		t.Error(err)
	}
}

// TestRealModels certifies every property of the examples, and some of models by
// others.
func TestRealModels(t *testing.T) {
	models, err := filepath.Glob("../../../examples/*/*.aut")
	if err != nil || len(models) == 0 {
		t.Fatal(models, err)
	}
	for _, path := range models {
		formulas, err := exampletest.Read(strings.TrimSuffix(path, ".aut") + ".inev")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range formulas {
			if !strings.HasPrefix(f.Text, "Inev(") {
				continue // there are certificates for inevitability only
			}
			certified(t, read(t, path), f.Text, explain.Options{}).isRight(t)
		}
	}
	for _, c := range []struct{ file, formula string }{
		{"sanitary_agency.aut", "Inev(REQ_EM, PROVT_REC)"},
		{"abp.aut", "Inev(r1(d1))"},
		{"iteration.aut", "Inev(LOSS, REC)"},
		{"commproc.aut", `Inev("DEPLOY !1", "START !1")`},
		{"vasy_8_24.aut", "Inev(*)"},
	} {
		if !randomlts.Whole() && c.file == "vasy_8_24.aut" {
			continue // it is large
		}
		if path, there := collection.Foreign(t, c.file); there {
			certified(t, read(t, path), c.formula, explain.Options{}).isRight(t)
		}
	}
}

// TestManySteps: more steps than a bit mask has bits.
func TestManySteps(t *testing.T) {
	var b lts.Builder
	for s := range lts.State(100) {
		b.Add(s, b.Label("A"), s+1)
	}
	b.Add(100, b.Label("A"), 0)
	b.Add(100, b.Label("B\xff<\""), 101)
	m, err := b.Build(0, 102)
	if err != nil {
		t.Fatal(err)
	}
	formula := "Inev(" + strings.Repeat("A, ", 300) + "A)"
	certified(t, m, formula, explain.Options{}).isRight(t)
}

func TestRefusedExplanations(t *testing.T) {
	ctx := context.Background()
	s := figure2(t)
	unfolded, err := explain.Explain(ctx, s.m, s.f, explain.Options{Unfold: true})
	if err != nil {
		t.Fatal(err)
	}
	checked, err := explain.Check(ctx, s.m, s.f, explain.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := certify.Write(ctx, &b, unfolded); !errors.Is(err, certify.ErrUnfolded) {
		t.Error(err)
	}
	if err := certify.Write(ctx, &b, checked); !errors.Is(err, certify.ErrIncomplete) {
		t.Error(err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if err := certify.Write(stopped, &b, s.e); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if b.Len() > 0 {
		t.Errorf("written: %s", b.String())
	}
	if _, err := verify.Verify(stopped, s.m, s.f, s.fair, strings.NewReader(s.text)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// FuzzVerify: nothing that is no JSON is accepted, and no input makes the checker
// panic. go test -fuzz FuzzVerify -fuzzminimizetime 1x ./certificate does some thousand
// inputs a second.
func FuzzVerify(f *testing.F) {
	// Of a small model, since the time goes with the length of the seeds: with one
	// state, and with a choice in it.
	small := func(text, formula string) *subject {
		m, _, err := aut.Read(context.Background(), strings.NewReader(text), aut.Options{})
		if err != nil {
			f.Fatal(err)
		}
		return certified(f, m, formula, explain.Options{})
	}
	s := small("des (0,3,2)\n(0,A,1)\n(0,B,0)\n(1,C,1)\n", "Inev(A)")
	f.Add(s.text)
	f.Add(strings.Join(strings.Fields(s.text), ""))
	f.Add(small("des (0,1,1)\n(0,A,0)\n", "Inev(A)").text)
	f.Add(s.text[:len(s.text)/2])
	f.Fuzz(func(t *testing.T, text string) {
		defer mutation.Limited()()
		if _, err := s.verify(text); err == nil && !json.Valid([]byte(text)) {
			t.Errorf("accepted:\n%s", text)
		}
	})
}
