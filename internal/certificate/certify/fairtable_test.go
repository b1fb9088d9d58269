package certify_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/certificate/certify"
	"github.com/inev-lts/inev/internal/testing/mutation"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// fairlyTable is certifiedTable under assumptions; nil if no run counts, or if there is too much for the
// oracle.
func fairlyTable(t testing.TB, m *lts.LTS, f property.Formula, judged bool, fair ...string) *tableSubject {
	t.Helper()
	s := &tableSubject{m: m, f: f, fair: parseFair(t, fair...)}
	happening, err := m.Happening(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if s.p, _, err = f.Bind(context.Background(), happening); err != nil {
		t.Fatal(err)
	}
	if judged {
		o, few := oracle.NewFairGeneral(m, fromproperty.Automaton(s.p), assumed(t, s.fair, m.Alphabet()))
		if !few {
			return nil
		}
		s.o = o
	}
	s.e, err = explain.Explain(context.Background(), m, f, explain.Options{Fair: s.fair, NoAdvice: true})
	if errors.Is(err, explain.ErrNoRunCounts) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return s.written(t)
}

// drawFairTable is drawTableSubject under assumptions; nil as fairlyTable. kind names the notion.
func drawFairTable(t testing.TB, seed uint64) (s *tableSubject, kind string) {
	t.Helper()
	c := randomlts.Seeded(seed, randomlts.Size{States: 4, Transitions: 9, Labels: 4, Steps: 1})
	r := rand.New(rand.NewPCG(seed, 8))
	fair := drawFair(r, c.Model.Alphabet())
	var f property.Formula = drawTable(r)
	text := tableFormulas[r.IntN(len(tableFormulas))]
	// The oracle does not know that a run which may end where it is not in a deadlock is free of deadlocks.
	if seed%3 > 0 && (text != "DeadlockFree" || fair[0] != "just") {
		var err error
		if f, err = formula.Parse(context.Background(), text); err != nil {
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
		if _, is := p.Chain(); is {
			f = drawTable(r)
		}
	}
	kind, _, _ = strings.Cut(fair[len(fair)-1], ":")
	return fairlyTable(t, c.Model, f, true, fair...), kind
}

// TestFairTables: what is claimed of properties that are no chains, under assumptions, is true, and its
// evidence suffices.
func TestFairTables(t *testing.T) {
	kinds, sets, missing := map[string]int{}, 0, 0
	for seed := range randomlts.Share(5000) {
		s, kind := drawFairTable(t, seed)
		if s == nil {
			continue
		}
		got, err := s.verify(s.text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s\nunder %v", seed, err, s.text, randomlts.Case{Model: s.m, Formula: s.f.String()}, s.fair)
		}
		if err := s.isTrue(s.text); err != nil {
			t.Fatalf("seed %d: %v\n%s\nunder %v", seed, err, s.text, s.fair)
		}
		if got.Violated != (s.e.Verdict == explain.Violated) {
			t.Fatalf("seed %d: violated: %t", seed, got.Violated)
		}
		kinds[fmt.Sprint(kind, " ", s.e.Verdict)]++
		if strings.Contains(s.text, `"tasks":[`) {
			sets++
		}
		if strings.Contains(s.text, `"missing":`) {
			missing++
		}
	}
	t.Log(kinds, sets, missing)
	if randomlts.Whole() && (len(kinds) < 12 || sets < 250 || missing < 250) {
		t.Errorf("too few were tried: %v, %d with tasks, %d with colours", kinds, sets, missing)
	}
}

// evidenceRefused begins errors about evidence.
var evidenceRefused = regexp.MustCompile(`^(place|home|set|sets:) `)

var nestedSet = regexp.MustCompile(`"parent":[1-9]`)

// TestFairLargerTables: sets within sets; [TestFairNests] has more.
func TestFairLargerTables(t *testing.T) {
	nested := 0
	for seed := range randomlts.Share(2000) {
		c := randomlts.Seeded(seed, randomlts.Medium())
		r := rand.New(rand.NewPCG(seed, 8))
		s := fairlyTable(t, c.Model, drawTable(r), false, drawFair(r, c.Model.Alphabet())...)
		if s == nil {
			continue
		}
		if _, err := s.verify(s.text); err != nil {
			t.Fatalf("seed %d: %v\n%s\nunder %v", seed, err, s.text, s.fair)
		}
		if nestedSet.MatchString(s.text) {
			nested++
		}
	}
	t.Log(nested)
	if randomlts.Whole() && nested < 5 {
		t.Errorf("%d have sets within sets", nested)
	}
}

// TestFalsifiedFairTables: a certificate with one or two places changed is refused, or true.
func TestFalsifiedFairTables(t *testing.T) {
	accepted, refused := 0, 0
	for seed := range randomlts.Share(2000) {
		s, _ := drawFairTable(t, seed)
		if s == nil {
			continue
		}
		r := rand.New(rand.NewPCG(seed, 4))
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
			if err := s.isTrue(text); err != nil {
				t.Fatalf("seed %d: accepted: %v\n%s\nof %s\nunder %v", seed, err, text, s.text, s.fair)
			}
		}
	}
	t.Log(accepted, refused)
	if accepted*10 > refused {
		t.Errorf("%d changes were accepted, %d refused", accepted, refused)
	}
}

// TestForgedFairTables presents consistent evidence for wrong claims: that under other assumptions, of
// another model or of another property, with what binds it exchanged. What is accepted is true all the
// same.
func TestForgedFairTables(t *testing.T) {
	refused := 0
	for seed := range randomlts.Share(4500) {
		r := rand.New(rand.NewPCG(seed, 5))
		s, _ := drawFairTable(t, seed)
		if s == nil {
			continue
		}
		m, f, fair := s.m, s.f, s.fair
		switch seed % 3 {
		case 0:
			if m = redirected(t, r, m); m == nil || m.Alphabet().Len() != s.m.Alphabet().Len() {
				continue
			}
		case 1:
			f = drawTable(r)
		case 2:
			// Of the same sort, so that the members of the file are the same.
			for again := 0; ; again++ {
				if fair = parseFair(t, drawFair(r, m.Alphabet())...); sortOf(fair) == sortOf(s.fair) || again > 200 {
					break
				}
			}
		}
		var texts []string
		for _, a := range fair {
			texts = append(texts, a.String())
		}
		other := fairlyTable(t, m, f, false, texts...)
		if other == nil {
			continue
		}
		_, was := sections(other.text)
		_, digest := sections(s.text)
		text := strings.Replace(other.text, was, digest, 1)
		from, to := strings.Index(text, `"property"`), strings.Index(text, `"verdict"`)
		text = text[:from] + s.text[strings.Index(s.text, `"property"`):strings.Index(s.text, `"verdict"`)] + text[to:]
		if _, err := s.verify(text); err != nil {
			if refused++; strings.Contains(err.Error(), "made for") {
				t.Fatalf("not a test of the claims: %v\n%s", err, text)
			}
			continue
		}
		if err := s.isTrue(text); err != nil {
			t.Fatalf("seed %d: accepted: %v\n%s\nof %s\nunder %v, made under %v", seed, err, text, s.text, s.fair, fair)
		}
	}
	t.Log(refused)
	if randomlts.Whole() && refused < 750 {
		t.Errorf("only %d certificates were refused", refused)
	}
}

// TestFairTableAttacks claims of places what is not so, with evidence as good as there is: for more
// assumptions than there are, for homes that are not fair, for sets that are made up.
func TestFairTableAttacks(t *testing.T) {
	wrongs := 0
	for seed := range randomlts.Share(3000) {
		r := rand.New(rand.NewPCG(seed, 6))
		s, _ := drawFairTable(t, seed)
		if s == nil {
			continue
		}
		for range 6 {
			text, wrong := certify.ForgeTable(r, s.e, s.text)
			_, err := s.verify(text)
			if wrong == 0 {
				continue
			}
			wrongs++
			if err == nil {
				t.Fatalf("seed %d: %d wrong claims are accepted:\n%s\nof %s\nunder %v", seed, wrong, text, s.text, s.fair)
			}
			// Their evidence is wrong, not only what follows from them.
			if !evidenceRefused.MatchString(err.Error()) {
				t.Fatalf("seed %d: refused for another reason, %v:\n%s\nunder %v", seed, err, text, s.fair)
			}
		}
	}
	t.Log(wrongs)
}

// FuzzVerifyFairTable is [FuzzVerifyFair] for properties that are no chains.
func FuzzVerifyFairTable(f *testing.F) {
	var subjects []*tableSubject
	for _, c := range []struct {
		text, formula string
		fair          []string
	}{
		{"des (0,4,2)\n(0,A,1)\n(0,B,0)\n(1,C,1)\n(1,D,0)\n", "Response(B; A)", []string{"strong"}},
		{"des (0,4,2)\n(0,A,1)\n(0,B,0)\n(1,C,1)\n(1,D,0)\n", "G F A -> G F D", []string{"strong!:D", "finitely:C"}},
		{"des (0,4,3)\n(0,B,1)\n(1,B,0)\n(1,C,1)\n(0,D,2)\n", "G F C", []string{"weak:C"}},
		{"des (0,3,2)\n(0,B,1)\n(1,B,0)\n(1,A,1)\n", "G F A -> F G B", []string{"full"}},
	} {
		m, _, err := aut.Read(context.Background(), strings.NewReader(c.text), aut.Options{})
		if err != nil {
			f.Fatal(err)
		}
		of, err := formula.Parse(context.Background(), c.formula)
		if err != nil {
			f.Fatal(err)
		}
		s := fairlyTable(f, m, of, false, c.fair...)
		if _, err := s.verify(s.text); err != nil {
			f.Fatal(err)
		}
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
