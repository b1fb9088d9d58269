package proof_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/certificate/verify"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// drawFair draws assumptions: all kinds but justness, together as they can be.
func drawFair(t *testing.T, r *rand.Rand, a *lts.Alphabet) []*actl.Assumption {
	t.Helper()
	some := func() string {
		var texts []string
		for _, text := range a.All() {
			if r.IntN(2) == 0 {
				texts = append(texts, `"`+text+`"`)
			}
		}
		switch {
		case len(texts) == 0:
			return "/^[AB]/"
		case r.IntN(2) == 0:
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
	switch r.IntN(9) {
	case 0:
		texts = []string{"full"}
	case 1:
		texts = []string{"full", "finitely:" + some()}
	case 2:
		texts = []string{"finitely:" + some()}
	case 3:
		texts = []string{tasks(), "finitely:" + some()}
	default:
		for range 1 + r.IntN(3) {
			texts = append(texts, tasks())
		}
	}
	var all []*actl.Assumption
	for _, text := range texts {
		x, err := actl.ParseAssumption(context.Background(), text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		all = append(all, x)
	}
	return all
}

// fairCase draws a model, a property and assumptions.
func fairCase(t *testing.T, seed uint64) (randomlts.Case, []*actl.Assumption) {
	t.Helper()
	size := randomlts.Small()
	if seed%3 == 0 {
		size = randomlts.Medium()
	}
	c := randomlts.Seeded(40_000+seed, size)
	return c, drawFair(t, rand.New(rand.NewPCG(seed, 7)), c.Model.Alphabet())
}

var nests = regexp.MustCompile(`"parent":[1-9]`)

// TestFairModels has certificates under assumptions judged.
func TestFairModels(t *testing.T) {
	proof := program(t)
	kinds, nested := map[string]int{}, 0
	for seed := range randomlts.Share(share(3000)) {
		c, fair := fairCase(t, seed)
		s := certified(t, c.Model, parsed(t, c.Formula), neighbourhood.Reading(seed%2), fair...)
		if s == nil {
			continue
		}
		if s.judge(t, proof, []string{s.text}) != 1 {
			t.Fatalf("refused:\n%s\nof %s under %v", s.text, c, fair)
		}
		kinds[fair[0].Kind().String()]++
		if nests.MatchString(s.text) {
			nested++
		}
	}
	t.Logf("%v, %d with sets within sets", kinds, nested)
	if randomlts.Whole() && (len(kinds) != 4 || nested < 3) {
		t.Errorf("too few were tried: %v, %d with sets within sets", kinds, nested)
	}
}

// TestFairForgeries does as TestForgeries does, under assumptions.
func TestFairForgeries(t *testing.T) {
	proof := program(t)
	const each = 100
	total, accepted := 0, 0
	for seed := range randomlts.Share(share(500)) {
		c, fair := fairCase(t, 10_000+seed)
		s := forgeries(t, rand.New(rand.NewPCG(seed, 8)), c.Model, parsed(t, c.Formula), neighbourhood.Reading(seed%2), each, fair...)
		if s == nil {
			continue
		}
		accepted += s.judge(t, proof, s.forged)
		total += len(s.forged)
	}
	t.Logf("%d of %d certificates are right", accepted, total)
}

// TestOrderOfAssumptions: tasks are numbered in the order of the assumptions, so that both files must have the same one,
// and the program says which.
func TestOrderOfAssumptions(t *testing.T) {
	proof := program(t)
	var fair []*actl.Assumption
	for _, text := range []string{"weak:A", "strong:B"} {
		x, err := actl.ParseAssumption(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		fair = append(fair, x)
	}
	m, f := randomlts.Ring(1).Model, parsed(t, "Inev(A)")
	s := certified(t, m, f, neighbourhood.All, fair...)
	p, err := bound(m, f)
	if err != nil {
		t.Fatal(err)
	}
	chain, _ := p.Chain()
	path := filepath.Join(s.folder, "certificate.json")
	s.save(t, path, s.text)
	s.save(t, s.labels, steps(t, m, f, chain, []*actl.Assumption{fair[1], fair[0]}))
	out, err := run(t, proof, s.model, s.labels, path)
	if err == nil || !strings.Contains(out, "in this one: weak:A and strong:B\n") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestFairTables: certificates under assumptions of properties other than Inev are refused, with an error that
// names the other program.
func TestFairTables(t *testing.T) {
	program := program(t)
	seen := 0
	for seed := range share(300) {
		c, fair := fairCase(t, seed)
		s := certified(t, c.Model, parsed(t, "Response(A; B)"), neighbourhood.Reading(0), fair...)
		if s == nil {
			continue
		}
		if _, err := verify.Verify(context.Background(), s.m, s.f, fair, strings.NewReader(s.text)); err != nil {
			t.Fatalf("%v\n%s", err, s.text)
		}
		path := filepath.Join(s.folder, "c.json")
		s.save(t, path, s.text)
		out, err := run(t, program, s.model, s.labels, path)
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(out, "checks certificates of Inev only; inev verify checks others") {
			t.Fatalf("%v: %s\nunder %v", err, out, fair)
		}
		seen++
	}
	if seen < 30 {
		t.Errorf("%d were tried", seen)
	}
}
