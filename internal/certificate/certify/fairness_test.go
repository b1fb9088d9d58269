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
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/certificate/certify"
	"github.com/inev-lts/inev/internal/certificate/verify"
	"github.com/inev-lts/inev/internal/testing/collection"
	"github.com/inev-lts/inev/internal/testing/exampletest"
	"github.com/inev-lts/inev/internal/testing/mutation"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// fairSize is what the oracle for fairness can enumerate.
func fairSize() randomlts.Size {
	return randomlts.Size{States: 6, Transitions: 10, Labels: 4, Steps: 3}
}

// drawFair draws assumptions as they are written, all that can be combined.
func drawFair(r *rand.Rand, a *lts.Alphabet) []string {
	if a.Len() == 0 {
		return []string{"full"}
	}
	some := func() string {
		var texts []string
		for _, text := range a.All() {
			if r.IntN(2) == 0 {
				texts = append(texts, `"`+text+`"`)
			}
		}
		if len(texts) == 0 {
			return `"` + a.Text(lts.Label(r.IntN(a.Len()))) + `"`
		}
		if r.IntN(2) == 0 {
			return "{" + strings.Join(texts, ", ") + "}" // one task of all
		}
		return strings.Join(texts, ", ")
	}
	tasks := func() string {
		kind := [...]string{"weak", "strong", "weak!", "strong!"}[r.IntN(4)]
		switch r.IntN(4) {
		case 0:
			return kind
		case 1:
			return kind + ":/(?P<task>[AB]|.)/"
		}
		return kind + ":" + some()
	}
	var texts []string
	switch r.IntN(10) {
	case 8:
		return []string{"just"}
	case 9:
		if texts = []string{"just", "blocking:" + some()}; r.IntN(3) == 0 {
			texts = append(texts, "finitely:"+some())
		}
		if r.IntN(2) == 0 {
			return texts
		}
	case 0:
		return []string{"full"}
	case 1:
		return []string{"full", "finitely:" + some()}
	case 2:
		return []string{"weak"}
	case 3:
		return []string{"strong"}
	case 4:
		texts = append(texts, "finitely:"+some())
	}
	for range 1 + r.IntN(3) {
		texts = append(texts, tasks())
	}
	return texts
}

func parseFair(t testing.TB, texts ...string) []*actl.Assumption {
	t.Helper()
	var all []*actl.Assumption
	for _, text := range texts {
		a, err := actl.ParseAssumption(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, a.On(components))
	}
	return all
}

// components returns the components that labels of random models need.
func components(label string) []string {
	return map[string][]string{"A": {"p"}, "B": {"p", "x"}, "C": {"q", "x"}, "D": {"q"}}[label[:1]]
}

// assumed returns what assumptions mean, as the oracle takes it.
func assumed(t testing.TB, fair []*actl.Assumption, a *lts.Alphabet) oracle.Assumption {
	t.Helper()
	f, _, err := actl.BindAssumptions(context.Background(), fair, a)
	if err != nil {
		t.Fatal(err)
	}
	o := oracle.Assumption{Full: f.Full(), Rare: map[lts.Label]bool{}}
	if j := f.Justness(); j != nil {
		o.Just = &oracle.Just{Components: map[lts.Label]map[int]bool{}, Blocking: map[lts.Label]bool{}}
		for l, needs := range j.Components {
			o.Just.Components[lts.Label(l)] = map[int]bool{}
			for _, c := range needs {
				o.Just.Components[lts.Label(l)][int(c)] = true
			}
		}
		for _, l := range j.Blocking {
			o.Just.Blocking[l] = true
		}
		others := slices.DeleteFunc(slices.Clone(fair), func(a *actl.Assumption) bool { return a.Kind() == actl.Just || a.Kind() == actl.Blocking })
		if f, _, err = actl.BindAssumptions(context.Background(), others, a); err != nil {
			t.Fatal(err)
		}
		if f == nil {
			return o
		}
	}
	for _, task := range f.Tasks() {
		labels := map[lts.Label]bool{}
		for _, l := range task.Labels {
			labels[l] = true
		}
		o.Tasks = append(o.Tasks, oracle.FairTask{Labels: labels, Strong: task.Strong, Nonstuttering: task.Nonstuttering})
	}
	for l := range a.All() {
		if f.Rare(l) {
			o.Rare[l] = true
		}
	}
	return o
}

// fairSubject draws a model, a property and assumptions, with a certificate; nil if no
// run counts.
func fairSubject(t testing.TB, seed uint64, size randomlts.Size) (*subject, randomlts.Case) {
	t.Helper()
	c := randomlts.Seeded(seed, size)
	fair := parseFair(t, drawFair(rand.New(rand.NewPCG(seed, 4)), c.Model.Alphabet())...)
	return fairly(t, c.Model, c.Formula, explain.Options{Fair: fair, Reading: neighbourhood.Reading(seed % 2)}), c
}

// fairly is certified for assumptions; nil if no run counts.
func fairly(t testing.TB, m *lts.LTS, formula string, o explain.Options) *subject {
	t.Helper()
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	o.NoAdvice = true // no certificate has any
	e, err := explain.Explain(context.Background(), m, f, o)
	if errors.Is(err, explain.ErrNoRunCounts) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := certify.Write(context.Background(), &b, e); err != nil {
		t.Fatalf("%v\n%s under %v\n%s", err, formula, o.Fair, randomlts.Case{Model: m, Formula: formula})
	}
	return &subject{m, f, e, o.Fair, b.String()}
}

func advanceIn(c randomlts.Case) func(int, lts.Label) int {
	return func(j int, l lts.Label) int {
		if j < len(c.Steps) && c.Steps[j][l] {
			return j + 1
		}
		return j
	}
}

// TestFairModels: every certificate under every notion is accepted, and what it claims is
// true by the oracle.
func TestFairModels(t *testing.T) {
	kinds, sets, none := map[string]int{}, 0, 0
	for seed := range randomlts.Share(6000) {
		s, c := fairSubject(t, seed, fairSize())
		if s == nil {
			none++
			continue
		}
		if _, err := s.verify(s.text); err != nil {
			t.Fatalf("seed %d: %v\n%s\nof %s\nunder %v", seed, err, s.text, c, s.fair)
		}
		s.isRight(t)
		f, err := parse(s.text)
		if err != nil {
			t.Fatalf("%v\n%s", err, s.text)
		}
		o := oracle.NewFair(c.Model, c.Steps, assumed(t, s.fair, c.Model.Alphabet()))
		if err := f.isTrue(s, o, len(c.Steps), advanceIn(c)); err != nil {
			t.Fatalf("seed %d: %v\n%s\nof %s\nunder %v", seed, err, s.text, c, s.fair)
		}
		kinds[f.Verdict+" "+s.fair[0].Kind().String()]++
		if strings.Contains(s.text, `"parent":`) {
			sets++
		}
	}
	if randomlts.Whole() && (len(kinds) != 10 || sets < 200 || none < 20) {
		t.Errorf("too few were tried: %v, %d with sets, %d without a run that counts", kinds, sets, none)
	}
}

// TestFairLargerModels: sets within sets, and long distances.
func TestFairLargerModels(t *testing.T) {
	nested, far := 0, 0
	for seed := range randomlts.Share(3000) {
		s, c := fairSubject(t, seed, randomlts.Medium())
		if s == nil {
			continue
		}
		if _, err := s.verify(s.text); err != nil {
			t.Fatalf("seed %d: %v\n%s\nof %s\nunder %v", seed, err, s.text, c, s.fair)
		}
		if regexp.MustCompile(`"parent":[1-9]`).MatchString(s.text) {
			nested++
		}
		if regexp.MustCompile(`"settle":[3-9]`).MatchString(s.text) {
			far++
		}
	}
	if randomlts.Whole() && (nested < 20 || far < 20) {
		t.Errorf("%d have sets within sets, %d settle after more than two transitions", nested, far)
	}
}

// TestFairNests: rings that fall apart turn by turn, with states between, shared labels, chords, and states
// that only lead in or out.
func TestFairNests(t *testing.T) {
	deep, deepTables := 0, 0
	for seed := range randomlts.Share(600) {
		r := rand.New(rand.NewPCG(seed, 9))
		n := 12 + r.IntN(30)
		var b lts.Builder
		state := func(s int) lts.State { return lts.State((s + n) % n) }
		more := n
		for s := range n {
			switch r.IntN(8) {
			case 0:
				b.Add(state(s), b.Label(fmt.Sprint("forth ", s)), lts.State(more))
				b.Add(lts.State(more), b.Label("on"), state(s+1))
				more++
			case 1:
				b.Add(state(s), b.Label("on"), state(s+1))
			default:
				b.Add(state(s), b.Label(fmt.Sprint("forth ", s)), state(s+1))
			}
			if r.IntN(6) > 0 {
				b.Add(state(s), b.Label(fmt.Sprint("back ", s)), state(s-1))
			}
			if r.IntN(12) == 0 {
				b.Add(state(s), b.Label(fmt.Sprint("chord ", s)), state(r.IntN(n)))
			}
			if r.IntN(12) == 0 {
				b.Add(state(s), b.Label("on"), lts.State(more))
				b.Add(lts.State(more), b.Label("out"), lts.State(more))
				more++
			}
		}
		b.Add(0, b.Label("goal"), 0)
		m, err := b.Build(0, b.NumStates())
		if err != nil {
			t.Fatal(err)
		}
		goal := [...]string{"goal", fmt.Sprint("forth ", r.IntN(n)), fmt.Sprint("back ", r.IntN(n)), "on", "out"}[r.IntN(5)]
		inevitable := fmt.Sprintf("Inev(%q)", goal)
		if _, is := m.Alphabet().Lookup(goal); !is {
			continue
		}
		s := fairly(t, m, inevitable, explain.Options{Fair: parseFair(t, [...]string{"strong", "strong!"}[r.IntN(2)])})
		if s == nil {
			continue
		}
		s.isRight(t)
		eight := regexp.MustCompile(`"parent":([7-9]|[1-9][0-9])`)
		if eight.MatchString(s.text) {
			deep++
		}
		recurs, err := formula.Parse(context.Background(), fmt.Sprintf("G F %q", goal))
		if err != nil {
			t.Fatal(err)
		}
		of := fairlyTable(t, m, recurs, false, s.fair[0].String())
		if _, err := of.verify(of.text); err != nil {
			t.Fatalf("%v\n%s", err, of.text)
		}
		if eight.MatchString(of.text) {
			deepTables++
		}
	}
	t.Log(deep, deepTables)
	if randomlts.Whole() && (deep < 80 || deepTables < 15) {
		t.Errorf("%d and %d certificates have eight sets within each other, or more", deep, deepTables)
	}
}

// TestFairFalsified: after any change the certificate is refused, or all that it claims is
// true.
func TestFairFalsified(t *testing.T) {
	accepted, refused := 0, 0
	for seed := range randomlts.Share(2500) {
		s, c := fairSubject(t, seed, fairSize())
		if s == nil {
			continue
		}
		var o *oracle.Fair
		r := rand.New(rand.NewPCG(seed, 5))
		for range 12 {
			text := falsify(r, s.text)
			if r.IntN(3) == 0 {
				text = falsify(r, text)
			}
			if text == s.text {
				continue
			}
			if _, err := s.verify(text); err != nil {
				if refused++; strings.Contains(err.Error(), "\n") {
					t.Errorf("an error of several lines: %v", err)
				}
				continue
			}
			accepted++
			f, err := parse(text)
			if err != nil {
				t.Fatalf("no JSON, but not refused:\n%s", text)
			}
			if o == nil {
				o = oracle.NewFair(c.Model, c.Steps, assumed(t, s.fair, c.Model.Alphabet()))
			}
			if err := f.isTrue(s, o, len(c.Steps), advanceIn(c)); err != nil {
				t.Fatalf("seed %d: accepted: %v\n%s\nof %s\nunder %v", seed, err, text, c, s.fair)
			}
			if claims(text) != claims(s.text) && legitimate.ReplaceAllString(text, "") != legitimate.ReplaceAllString(s.text, "") {
				t.Fatalf("seed %d: accepted, with other claims:\n%s\nof %s\nunder %v\n%s", seed, text, c, s.fair, s.text)
			}
		}
	}
	if accepted*10 > refused {
		t.Errorf("%d changes were accepted, %d refused", accepted, refused)
	}
}

// evidenceOfFairness is what may be different in two certificates of the same claims.
var evidenceOfFairness = regexp.MustCompile(`"(due|within|home)":\[[0-9,]*\]|"settle":[0-9]+|"sets": \[[^\]]*(\][^\]]+)*\n?\],`)

func claims(text string) string {
	before, after, _ := strings.Cut(text, `"sets": [`)
	if _, rest, found := strings.Cut(after, `"neighbourhoods"`); found {
		text = before + rest
	}
	return evidenceOfFairness.ReplaceAllString(text, "")
}

// TestFairForged presents consistent evidence for other claims: a certificate under other
// assumptions, of a model with a transition changed, or both, said to be what it is not.
// It may only be accepted where its claims are true.
func TestFairForged(t *testing.T) {
	different := 0
	for seed := range randomlts.Share(9000) {
		r := rand.New(rand.NewPCG(seed, 6))
		s, c := fairSubject(t, seed, fairSize())
		if s == nil {
			continue
		}
		m, fair := c.Model, s.fair
		if seed%3 > 0 {
			if m = redirected(t, r, m); m == nil || m.Alphabet().Len() != c.Model.Alphabet().Len() {
				continue
			}
		}
		if seed%3 < 2 {
			// Of the same sort, so that the members of the file are the same.
			for again := 0; ; again++ {
				if fair = parseFair(t, drawFair(r, c.Model.Alphabet())...); sortOf(fair) == sortOf(s.fair) || again > 200 {
					break
				}
			}
		}
		forged := fairly(t, m, c.Formula, explain.Options{Fair: fair})
		if forged == nil {
			continue
		}
		_, was := sections(forged.text)
		_, digest := sections(s.text)
		text := strings.Replace(forged.text, was, digest, 1)
		from, to := strings.Index(text, `"fairness"`), strings.Index(text, `"verdict"`)
		text = text[:from] + s.text[strings.Index(s.text, `"fairness"`):strings.Index(s.text, `"verdict"`)] + text[to:]
		_, err := s.verify(text)
		if claims(text) != claims(s.text) {
			different++
		}
		switch {
		case err != nil && strings.Contains(err.Error(), "made for"):
			t.Fatalf("not a test of the claims: %v\n%s", err, text)
		case err != nil:
			continue
		}
		f, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		o := oracle.NewFair(c.Model, c.Steps, assumed(t, s.fair, c.Model.Alphabet()))
		if err := f.isTrue(s, o, len(c.Steps), advanceIn(c)); err != nil {
			t.Fatalf("seed %d: accepted: %v\n%s\nof %s\nunder %v, made under %v", seed, err, text, c, s.fair, fair)
		}
	}
	if randomlts.Whole() && different < 1500 {
		t.Errorf("only %d certificates were forged", different)
	}
}

// sortOf says which members certificates under these assumptions have.
func sortOf(fair []*actl.Assumption) string {
	has := func(k actl.AssumptionKind) bool {
		return slices.ContainsFunc(fair, func(a *actl.Assumption) bool { return a.Kind() == k })
	}
	return fmt.Sprint(has(actl.FullFairness), has(actl.Finitely))
}

// TestFairOtherRuns puts a random run in the place of the counterexample: it is accepted
// iff it counts and violates the property, or leaves nothing else to what counts.
func TestFairOtherRuns(t *testing.T) {
	accepted := map[string]int{}
	for seed := range randomlts.Share(4000) {
		s, c := fairSubject(t, seed, fairSize())
		if s == nil {
			continue
		}
		before, _, _ := strings.Cut(s.text, `"counterexample"`)
		o := oracle.NewFair(c.Model, c.Steps, assumed(t, s.fair, c.Model.Alphabet()))
		r := rand.New(rand.NewPCG(seed, 7))
		for range 6 {
			steps, places := walk(r, s.m)
			var loop *int
			start := -1
			if at := r.IntN(len(steps) + 2); at < len(steps) {
				start = at
				loop = &start
			}
			_, err := s.verify(before + s.describe(steps, places, start))
			wrong := violatesFairly(s, o, len(c.Steps), advanceIn(c), steps, loop)
			if s.fair[0].Kind() == actl.FullFairness && loop != nil {
				if err == nil {
					t.Fatal("a loop was accepted under full fairness")
				}
				continue
			}
			switch {
			case (wrong == nil) != (err == nil):
				t.Fatalf("%v, but %v\n%s\nloop %d of %v under %v", err, wrong, c, start, steps, s.fair)
			case err == nil:
				accepted[fmt.Sprint(loop != nil)]++
			}
		}
	}
	if randomlts.Whole() && (accepted["true"] < 100 || accepted["false"] < 100) {
		t.Errorf("too few runs were accepted: %v", accepted)
	}
}

// TestOtherAssumption: a certificate counts under its assumption only.
func TestOtherAssumption(t *testing.T) {
	m := read(t, "../../../examples/abp/abp.aut")
	const formula = "Inev(PUT)"
	weak := fairly(t, m, formula, explain.Options{Fair: parseFair(t, "weak:PUT", "finitely:LOSS")})
	none := fairly(t, m, formula, explain.Options{})
	for _, c := range []struct {
		s    *subject
		fair []string
		want []string
	}{
		{weak, []string{"finitely:LOSS", "weak:PUT"}, nil},
		{weak, []string{"finitely:LOSS", "weak:PUT", "weak:PUT"}, nil},
		{weak, nil, []string{"weak:PUT", "finitely:LOSS"}},
		{weak, []string{"weak:PUT"}, []string{"weak:PUT", "finitely:LOSS"}},
		{weak, []string{"weak:PUT", "finitely:LOSS", "full"}, []string{"weak:PUT", "finitely:LOSS"}},
		{weak, []string{"weak!:PUT", "finitely:LOSS"}, []string{"weak:PUT", "finitely:LOSS"}},
		{none, []string{"full"}, []string{}},
	} {
		c.s.fair = parseFair(t, c.fair...)
		_, err := c.s.verify(c.s.text)
		var other *verify.AssumptionError
		if !errors.As(err, &other) != (c.want == nil) || c.want != nil && !slices.Equal(other.Made, c.want) {
			t.Errorf("%q: %v, want %q", c.fair, err, c.want)
		}
	}
}

// TestFairRealModels certifies every property of the examples under some assumptions,
// and one of a model by others.
func TestFairRealModels(t *testing.T) {
	models, err := filepath.Glob("../../../examples/*/*.aut")
	if err != nil || len(models) == 0 {
		t.Fatal(models, err)
	}
	for n, path := range models {
		if !randomlts.Whole() && n%2 > 0 {
			continue
		}
		formulas, err := exampletest.Read(strings.TrimSuffix(path, ".aut") + ".inev")
		if err != nil {
			t.Fatal(err)
		}
		m := read(t, path)
		for i, f := range formulas {
			if !strings.HasPrefix(f.Text, "Inev") {
				continue
			}
			rare := fmt.Sprintf("finitely:%q", m.Alphabet().Text(lts.Label(i%m.Alphabet().Len())))
			for _, fair := range [][]string{{"full"}, {"weak"}, {"strong"}, {rare, "weak!"}} {
				if s := fairly(t, m, f.Text, explain.Options{Fair: parseFair(t, fair...)}); s != nil {
					s.isRight(t)
				}
			}
		}
	}
	if !randomlts.Whole() {
		return // the next one is large
	}
	if path, there := collection.Foreign(t, "vasy_8_24.aut"); there {
		for _, fair := range []string{"full", "weak", "strong"} {
			fairly(t, read(t, path), "Inev(*)", explain.Options{Fair: parseFair(t, fair)}).isRight(t)
		}
	}
}

// FuzzVerifyFair is FuzzVerify for certificates under assumptions, with sets and homes.
func FuzzVerifyFair(f *testing.F) {
	var subjects []*subject
	for _, c := range []struct {
		text, formula string
		fair          []string
	}{
		{"des (0,4,2)\n(0,A,1)\n(0,B,0)\n(1,C,1)\n(1,D,0)\n", "Inev(A)", []string{"strong"}},
		{"des (0,4,3)\n(0,B,1)\n(1,B,0)\n(1,C,1)\n(0,D,2)\n", "Inev(A)", []string{"weak:C", "finitely:D"}},
		{"des (0,3,2)\n(0,B,1)\n(1,B,0)\n(1,A,1)\n", "Inev(A)", []string{"full"}},
	} {
		m, _, err := aut.Read(context.Background(), strings.NewReader(c.text), aut.Options{})
		if err != nil {
			f.Fatal(err)
		}
		s := fairly(f, m, c.formula, explain.Options{Fair: parseFair(f, c.fair...)})
		s.isRight(f)
		subjects = append(subjects, s)
		f.Add(s.text)
		f.Add(strings.Join(strings.Fields(s.text), ""))
		f.Add(s.text[:len(s.text)/2])
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer mutation.Limited()()
		for _, s := range subjects {
			if _, err := s.verify(text); err == nil && !json.Valid([]byte(text)) {
				t.Errorf("accepted:\n%s", text)
			}
		}
	})
}
