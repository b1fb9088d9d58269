package render_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestInvariants: of an invariant of values that holds is said in how many states, which runs reach; nothing of
// this kind is said of other formulas that hold.
func TestInvariants(t *testing.T) {
	texts := []string{"G !(x = 2 && y = 1)", "G (x = 0 -> y = 0)", "G x < 2", "F G y = 0", "G (a -> x < 2)", "G F x = 0"}
	met := map[bool]int{}
	for seed := range randomlts.Share(2_000) {
		r := rand.New(rand.NewPCG(seed, 93))
		v := drawValuedModel(r)
		i := r.IntN(len(texts))
		e := v.check(t, texts[i])
		if e.Verdict != explain.Satisfied {
			continue
		}
		reached := map[int]bool{0: true}
		for range v.values {
			for _, a := range v.arcs {
				reached[a.to] = reached[a.to] || reached[a.from]
			}
		}
		n := 0
		for _, isReached := range reached {
			if isReached {
				n++
			}
		}
		want := ""
		switch isInvariant := i < 3; {
		case isInvariant && n == 1:
			want = "It holds in the only state that runs reach."
		case isInvariant:
			want = fmt.Sprintf("It holds in each of the %d states that runs reach.", n)
		}
		said := strings.Join(render.NewSentences(e, printable.Text).Holding(), " ")
		if strings.Contains(said, "It holds in") != (want != "") || !strings.Contains(said, want) {
			t.Fatalf("seed %d, %s: %q, want %q\n%v", seed, texts[i], said, want, v)
		}
		met[want != ""]++
	}
	if t.Log(met); randomlts.Whole() && (met[true] < 100 || met[false] < 50) {
		t.Error("hardly anything was met")
	}
}
