package hoa_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/formula/hoa"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// TestTooManyLetters: seventeen propositions of which every set holds of some label make more letters than there are numbers.
func TestTooManyLetters(t *testing.T) {
	if !randomlts.Whole() {
		t.Skip("131,072 labels")
	}
	const n = 17
	text := fmt.Sprintf("HOA: v1\nStates: 1\nStart: 0\nAP: %d%s\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0 {0}\n[t] 0\n--END--\n", n, strings.Repeat(` "p"`, n))
	for i := range n {
		text = strings.Replace(text, `"p"`, fmt.Sprintf(`"p%d"`, i), 1)
	}
	f, err := hoa.Read(t.Context(), strings.NewReader(text), "many.hoa")
	if err != nil {
		t.Fatal(err)
	}
	var b lts.AlphabetBuilder
	steps := make([]property.Step, n)
	for i := range 1 << n {
		l := b.Label(fmt.Sprint(i))
		for k := range steps {
			if i>>k&1 != 0 {
				steps[k].Labels = append(steps[k].Labels, l)
			}
		}
	}
	if _, _, err := f.Takes(t.Context(), steps, b.Build()); err == nil || !strings.HasPrefix(err.Error(), "many.hoa:4: ") {
		t.Errorf("%v", err)
	}
}
