package render_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestStandstills: where one transition is to be forbidden, the advice says that nothing but stuttering remains in its state
// exactly if the state is reachable without it and has no other step.
func TestStandstills(t *testing.T) {
	form := regexp.MustCompile(`Forbid ([a-z]) in state ([0-9]+)(?: \(step [0-9]+ of this run\))?(:[^.]*)?\.`)
	said := map[bool]int{}
	for seed := range randomlts.Share(600) {
		r := rand.New(rand.NewPCG(seed, 131))
		var lines []string
		out := map[string][]string{} // the targets by source and label
		for s := range 5 {
			lines = append(lines, fmt.Sprintf("%d stuttering %d", s, s))
			for range 1 + r.IntN(2) {
				from, label, to := fmt.Sprint(s), string("abc"[r.IntN(3)]), fmt.Sprint(r.IntN(5))
				if len(out[from+label]) == 0 {
					lines = append(lines, from+" "+label+" "+to)
					out[from+label] = []string{to}
				}
			}
		}
		text := []string{"Never(a)", "Precedes(b; c)", "G !c"}[r.IntN(3)]
		e, err := explain.Explain(t.Context(), modelOf(t, lines...), parseAny(t, text),
			explain.Options{Source: explain.Source{Idle: "stuttering"}})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := newWriter(t, "text", render.Options{Width: 1_000}).Explanation(&b, e); err != nil {
			t.Fatal(err)
		}
		found := form.FindStringSubmatch(b.String())
		if found == nil {
			continue
		}
		forbidden, state := found[1], found[2]
		reached := map[string]bool{}
		for todo := []string{"0"}; len(todo) > 0; todo = todo[1:] {
			s := todo[0]
			if reached[s] {
				continue
			}
			reached[s] = true
			for _, l := range []string{"a", "b", "c"} {
				if s != state || l != forbidden {
					todo = append(todo, out[s+l]...)
				}
			}
		}
		others := 0
		for _, l := range []string{"a", "b", "c"} {
			if l != forbidden {
				others += len(out[state+l])
			}
		}
		isIdle := reached[state] && others == 0
		says := strings.Contains(found[3], "then nothing but stuttering is possible in state "+state)
		said[isIdle]++
		if says != isIdle {
			t.Fatalf("seed %d, %s, %s:\n%s", seed, text, lines, b.String())
		}
	}
	t.Log(said)
	if randomlts.Whole() && (said[true] < 20 || said[false] < 20) {
		t.Errorf("only %v remedies were checked", said)
	}
}
