package assume_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain/internal/assume"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

func enriched(t testing.TB, m *lts.LTS, formula string, f *property.Fairness) *enrich.Enriched {
	t.Helper()
	parsed, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	bound, _, _ := parsed.Bind(context.Background(), m.Alphabet())
	p, _ := bound.Chain()
	c, err := scc.Find(context.Background(), m, "")
	if err != nil {
		t.Fatal(err)
	}
	e, err := enrich.Enrich(context.Background(), c, p, enrich.Options{Fairness: f})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func open(t testing.TB, path string) *lts.LTS {
	t.Helper()
	m, _, err := aut.Open(context.Background(), path, aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// texts writes sets of labels as {A, B} {C}.
func texts[N ~uint32 | ~int](m *lts.LTS, sets [][]N) string {
	all := make([]string, len(sets))
	for i, set := range sets {
		labels := make([]string, len(set))
		for j, l := range set {
			labels[j] = m.Alphabet().Text(lts.Label(l))
		}
		slices.Sort(labels)
		all[i] = "{" + strings.Join(labels, ", ") + "}"
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// TestKnownAnswers: what makes well-known models satisfy their properties.
func TestKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		model, formula   string
		strong, finitely string
		choices          []lts.State // nil for any, where there are some
		noChoices        bool
	}{
		{model: "abp/abp.aut", formula: "Inev(PUT)", strong: "{PUT}", finitely: "{LOSS} {RACK1} {TIMEOUT}", choices: []lts.State{5}},
		{model: "abp/abp.aut", formula: "Inev(PUT, GET)",
			finitely: "{LOSS, RACK1} {LOSS, RDTE} {LOSS, SACK1, SACKE} {LOSS, SDT0} {RACK1, SDT0} {RACK1, TIMEOUT} {RDTE, TIMEOUT} {SACK1, SACKE, TIMEOUT} {SDT0, TIMEOUT}"},
	} {
		m := open(t, "../../../examples/"+c.model)
		e := enriched(t, m, c.formula, nil)
		search, err := assume.Of(context.Background(), fate.OfChain(e))
		if err != nil {
			t.Fatal(err)
		}
		strong, err := search.FairLabels(true, assume.Limits{Answers: 100})
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(m, strong.Sets); got != c.strong {
			t.Errorf("%s %s: strong fairness of %s (complete: %t), want %s", c.model, c.formula, got, strong.Complete, c.strong)
		}
		finitely, err := search.Finitely(assume.Limits{Answers: 100})
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(m, finitely.Sets); got != c.finitely {
			t.Errorf("%s %s: finitely %s (complete: %t), want %s", c.model, c.formula, got, finitely.Complete, c.finitely)
		}
		choices, err := search.FairChoices(assume.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if c.choices != nil && !slices.Equal(choices.States, c.choices) || choices.States == nil != c.noChoices {
			t.Errorf("%s %s: choices in %v, want %v", c.model, c.formula, choices.States, c.choices)
		}
	}
	m := open(t, "../../../examples/travel/travel.aut")
	if _, err := assume.Of(context.Background(), fate.OfChain(enriched(t, m, "Inev(BOOKING_REC, TICKET_REC)", nil))); !errors.Is(err, assume.ErrDeadlock) {
		t.Errorf("error %v", err)
	}
}
