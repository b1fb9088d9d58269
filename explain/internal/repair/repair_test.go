package repair_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/collection"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

func open(t testing.TB, name string) *lts.LTS {
	t.Helper()
	m, _, err := aut.Open(context.Background(), collection.Own(t, name), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func bind(t testing.TB, m *lts.LTS, formula string) *property.Property {
	t.Helper()
	parsed, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := parsed.Bind(context.Background(), m.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bindAny is bind for every syntax of properties.
func bindAny(t testing.TB, m *lts.LTS, text string) *property.Property {
	t.Helper()
	f, err := formula.Parse(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := f.Bind(context.Background(), m.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func find(t testing.TB, m *lts.LTS, formula string, o repair.Options) *repair.Repair {
	t.Helper()
	r, err := repair.Find(context.Background(), m, bind(t, m, formula), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// gate returns the first word of a label.
func gate(label string) string {
	word, _, _ := strings.Cut(label, " ")
	return word
}

// told sums a repair up: the guards by gate, with their numbers of states and what
// progress they are for, then the parts.
func told(m *lts.LTS, r *repair.Repair) string {
	var lines []string
	states := map[string]map[lts.State]bool{}
	for _, g := range r.Never {
		key := fmt.Sprintf("%s at %v", gate(m.Alphabet().Text(g.Transition.Label)), g.Progress)
		if states[key] == nil {
			states[key] = map[lts.State]bool{}
		}
		states[key][g.Transition.From] = true
	}
	for key, of := range states {
		lines = append(lines, fmt.Sprintf("%s in %d", key, len(of)))
	}
	slices.Sort(lines)
	places := 0
	for _, p := range r.NotForEver {
		places += len(p.Places)
	}
	return fmt.Sprintf("%d never [%s]; %d parts, %d places", len(r.Never), strings.Join(lines, ", "), len(r.NotForEver), places)
}

// TestKnownAnswers: what is to be forbidden in well-known models, all labels being
// controllable.
func TestKnownAnswers(t *testing.T) {
	for _, c := range []struct{ model, formula, want string }{
		{"examples/travel/travel.aut", "Inev(BOOKING_REC, TICKET_REC)", "23 never [REFUSAL_EM at [0] in 1, VOUCHER_EM at [1] in 22]; 0 parts, 0 places"},
		{"examples/philosophers/philosophers.aut", "Inev(EAT)", "4 never [TAKE at [0] in 4]; 0 parts, 0 places"},
		{"examples/figure2/figure2.aut", "Inev(A, B, C)", "1 never [Y at [1] in 1]; 0 parts, 0 places"},
		{"examples/pipeline/pipeline.aut", "Inev(DONE)", "36 never [IN at [0] in 8, REJECT at [0] in 28]; 12 parts, 124 places"},
		{"examples/election/lossy.aut", "Inev(LEADER)", "17 never [LOSE at [0] in 17]; 0 parts, 0 places"},
		{"examples/abp/abp.aut", "Inev(PUT)", "0 never []; 1 parts, 4 places"},
		{"examples/abp/abp.aut", "Inev(PUT, GET)", "0 never []; 7 parts, 40 places"},
		{"examples/peterson/peterson.aut", `Inev("ENTER !0")`, "0 never []; 12 parts, 34 places"},
	} {
		m := open(t, c.model)
		if got := told(m, find(t, m, c.formula, repair.Options{})); got != c.want {
			t.Errorf("%s %s:\n%s, want\n%s", c.model, c.formula, got, c.want)
		}
	}
}

// TestWorkOfGames: a game on what recurs ends at its limit of work, and nothing is said then.
func TestWorkOfGames(t *testing.T) {
	var b lts.Builder
	b.Add(0, b.Label("a"), 1)
	b.Add(1, b.Label("c"), 1)
	b.Add(1, b.Label("b"), 0)
	m, err := b.Build(0, 2)
	if err != nil {
		t.Fatal(err)
	}
	p := bind(t, m, "Response(a; b)")
	if r, err := repair.Find(context.Background(), m, p, repair.Options{Work: 1}); r != nil || !errors.Is(err, repair.ErrWork) {
		t.Errorf("%v, %v", r, err)
	}
	if r, err := repair.Find(context.Background(), m, p, repair.Options{Work: 1_000}); err != nil || !r.Solvable {
		t.Errorf("%v, %v", r, err)
	}
}
