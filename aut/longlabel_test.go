package aut_test

import (
	"context"
	"strings"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/inputfile"
)

// TestLongLabels: one that is too long is refused by its line, in every dialect; a byte less
// is taken.
func TestLongLabels(t *testing.T) {
	most := strings.Repeat("L", inputfile.MaxLabel)
	for _, form := range []string{"(1,LABEL,0)\n", "(1,\"LABEL\",0)\n", "( 1 , \"LABEL\" , 0 )\n", "(1,\"LABEL\",0)"} {
		text := "des (0,2,2)\n(0,A,1)\n"
		m, _, err := aut.Read(context.Background(), strings.NewReader(text+strings.Replace(form, "LABEL", most, 1)), aut.Options{Name: "m.aut"})
		if err != nil || m.Alphabet().Len() != 2 {
			t.Errorf("%q: %v", form, err)
		}
		_, _, err = aut.Read(context.Background(), strings.NewReader(text+strings.Replace(form, "LABEL", most+"|", 1)), aut.Options{Name: "m.aut"})
		const want = "m.aut:3: a label has 1048577 bytes; at most 1048576 are allowed: abstract from the data in it, or keep them as values of states"
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", form, err, want)
		}
	}
}
