package render_test

import (
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// conditionsOf are the conditions that properties join.
var conditionsOf = map[string][]string{
	"(F A) && (G !C)": {"F A", "G !C"}, "G F A && G F B": {"G F A", "G F B"}, "F G !A && G F B": {"F G !A", "G F B"},
	"G (!C && (A -> X B))": {"G !C", "G (A -> X B)"}, "!(F A || G F B)": {"G !A", "!G F B"},
	"F A && G !C && G F B && F G !A && A W B": {"F A", "G !C", "G F B", "F G !A", "A W B"},
	"G !C && X (B && F A)":                    {"G !C", "X B", "X F A"},
}

// joining are properties that join conditions and are not among tables.
var joining = []string{
	"(F A) && (G !C)", "G F A && G F B", "G (!C && (A -> X B))", "!(F A || G F B)", "F A && G !C && G F B && F G !A && A W B", "G !C && X (B && F A)",
}

// TestSentencesAboutConditions reads back which of several conditions runs violate.
func TestSentencesAboutConditions(t *testing.T) {
	understood := map[string]int{}
	cases := uint64(600)
	if !randomlts.Whole() {
		cases /= 10
	}
	for seed := range cases {
		c := randomlts.Seeded(seed, randomlts.Size{States: 4, Transitions: 8, Labels: 3, Steps: 1})
		text, fair := joining[seed%uint64(len(joining))], ""
		if seed%7 == 0 {
			fair = "full"
		}
		if err := readTable(c.Model, text, fair, understood); err != nil {
			t.Fatalf("seed %d, %s, fair %q:\n%s\n%v", seed, text, fair, c, err)
		}
	}
	if understood["conditions"] < int(cases/3) {
		t.Errorf("%d sentences about conditions were read", understood["conditions"])
	}
}
