package oracle_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/testing/collection"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/lts"
)

// TestRealModels holds the oracle against what is known of real models, and the
// packages against the oracle there too.
func TestRealModels(t *testing.T) {
	for _, test := range []realModel{
		// By the definitions, in the paper that has it as Figure 2.
		{
			file: "examples/figure2/figure2.aut", steps: []string{"A", "B", "C"}, shortest: 3,
			classes: map[oracle.Class]int{oracle.Correct: 3, oracle.Neutral: 3},
			count:   1,
			kinds:   map[lts.State]oracle.Kind{2: oracle.KindCorrect},
		},
		// By the expectations beside it, which its program was written for.
		{
			file: "examples/travel/travel.aut", steps: []string{"BOOKING_REC", "TICKET_REC"}, shortest: 4,
			classes: map[oracle.Class]int{oracle.Correct: 62, oracle.Incorrect: 64, oracle.Neutral: 91},
			count:   23,
		},
		{
			file: "sanitary_agency.aut", steps: []string{"REQ_EM", "PROVT_REC"}, shortest: 8,
			classes: map[oracle.Class]int{oracle.Correct: 73, oracle.Incorrect: 75, oracle.Neutral: 24},
			count:   5,
			kinds: map[lts.State]oracle.Kind{
				67: oracle.KindMixed, 85: oracle.KindIncorrect,
				74: oracle.KindMixedNeutral, 75: oracle.KindMixedNeutral, 77: oracle.KindMixedNeutral,
			},
		},
		{
			file: "abp.aut", steps: []string{"r1(d1)"}, shortest: 7,
			classes: map[oracle.Class]int{oracle.Correct: 46, oracle.Neutral: 46},
		},
		{
			file: "iteration.aut", steps: []string{"LOSS", "REC"}, shortest: 5,
			classes: map[oracle.Class]int{oracle.Correct: 20, oracle.Incorrect: 7, oracle.Neutral: 78},
			count:   10,
		},
		{
			file: "commproc.aut", steps: []string{"DEPLOY !1", "START !1"}, shortest: -1,
			classes: map[oracle.Class]int{oracle.Correct: 646},
			count:   1,
			kinds:   map[lts.State]oracle.Kind{0: oracle.KindCorrect},
		},
	} {
		if path, there := collection.Find(t, test.file); there {
			t.Run(test.file, func(t *testing.T) { test.run(t, path) })
		}
	}
}

type realModel struct {
	file    string
	steps   []string // label texts
	classes map[oracle.Class]int
	count   int // of neighbourhoods
	kinds   map[lts.State]oracle.Kind
	// shortest is the length of a shortest counterexample, -1 if there is none.
	shortest int
}

func (r realModel) run(t *testing.T, path string) {
	m, _, err := aut.Open(context.Background(), path, aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := oracleOf(t, m, r.steps...)
	r.known(t, m, o)

	f, err := actl.Parse(context.Background(), `Inev("`+strings.Join(r.steps, `", "`)+`")`)
	if err != nil {
		t.Fatal(err)
	}
	x := &comparison{m: m, o: o}
	bound, _, _ := f.Bind(context.Background(), m.Alphabet())
	x.p, _ = bound.Chain()
	if err := x.sameSteps(stepsOf(m, r.steps...)); err != nil {
		t.Fatal(err)
	}
	x.inAllSettings((*comparison).measured)
	if err := errors.Join(x.errs...); err != nil {
		t.Error(err)
	}
}

// known checks the oracle.
func (r realModel) known(t *testing.T, m *lts.LTS, o *oracle.Oracle) {
	if o.Satisfied() != (r.shortest < 0) {
		t.Errorf("satisfied: %v", o.Satisfied())
	}
	classes := make(map[oracle.Class]int)
	for tr := range m.Transitions() {
		if o.Reachable(tr.From) {
			classes[o.Class(tr)]++
		}
	}
	if !maps.Equal(classes, r.classes) {
		t.Errorf("classes are %v, want %v", classes, r.classes)
	}
	if length, found := o.ShortestLength(); found != (r.shortest >= 0) || found && length != r.shortest {
		t.Errorf("shortest counterexample of length %d (found: %v), want %d", length, found, r.shortest)
	}
	kinds := o.Neighbourhoods(oracle.All)
	if len(kinds) != r.count || r.kinds != nil && !maps.Equal(kinds, r.kinds) {
		t.Errorf("neighbourhoods are %v, want %d: %v", kinds, r.count, r.kinds)
	}
}
