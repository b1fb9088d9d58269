package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestAdviceIsLeftOutOfLargeModels: it is said where the product is too large for advice, and only there.
func TestAdviceIsLeftOutOfLargeModels(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		states int
		text   string
		large  bool
	}{
		{50, "Inev(B)", false}, {50, "G F B", false},
		{20_000, "G F B", false}, // loops of 20,000 transitions, which are not to be built again and again
		{510_000, "Inev(B)", true}, {240_000, "G F B", true},
	} {
		if c.large && c.text != "G F B" && !randomlts.Whole() {
			continue
		}
		var b lts.Builder
		goes, ends := b.Label("A"), b.Label("B")
		for s := range lts.State(c.states) {
			b.Add(s, goes, (s+1)%lts.State(c.states))
		}
		b.Add(0, goes, 0)
		b.Add(0, ends, 0)
		m, err := b.Build(0, c.states)
		if err != nil {
			t.Fatal(err)
		}
		f, err := formula.Parse(ctx, c.text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Explain(ctx, m, f, Options{NoFairness: true, NoPaths: true})
		if err != nil {
			t.Fatal(err)
		}
		far := slices.ContainsFunc(e.Warnings, func(w string) bool { return strings.HasPrefix(w, "the nearest correct run is left out: ") })
		if warned := slices.Contains(e.Warnings, tooLargeForAdvice); warned != c.large || (e.Repair == nil) != c.large || (e.Nearest == nil) != (c.large || far) {
			t.Errorf("%s, %d states: %q", c.text, c.states, e.Warnings)
		}
	}
}

// lift is a lift of four floors: up(i) and down(i) are pressed on a floor, to(i) in the cabin; where it
// is wanted it opens, and it moves on as long as somebody wants it there.
func lift(t *testing.T) *lts.LTS {
	t.Helper()
	const floors = 4
	type state struct {
		at, going int
		open      bool
		wanted    [3 * floors]bool // up, down, to
	}
	var b lts.Builder
	numbers, all := map[state]lts.State{{}: 0}, []state{{}}
	for s := 0; s < len(all); s++ {
		goes := func(label string, change func(*state)) {
			to := all[s]
			change(&to)
			n, known := numbers[to]
			if !known {
				n = lts.State(len(all))
				numbers[to], all = n, append(all, to)
			}
			b.Add(lts.State(s), b.Label(label), n)
		}
		at := all[s]
		var here, above, below bool
		for k, wanted := range at.wanted {
			floor := k % floors
			here, above, below = here || wanted && floor == at.at, above || wanted && floor > at.at, below || wanted && floor < at.at
			if kind := k / floors; !wanted && (kind != 0 || floor < floors-1) && (kind != 1 || floor > 0) {
				goes(fmt.Sprintf("%s(%d)", []string{"up", "down", "to"}[kind], floor), func(to *state) { to.wanted[k] = true })
			}
		}
		if at.open {
			goes("close", func(to *state) { to.open = false })
			continue
		}
		if here {
			goes(fmt.Sprintf("open(%d)", at.at), func(to *state) {
				to.open = true
				for kind := range 3 {
					to.wanted[kind*floors+at.at] = false
				}
			})
		}
		if above && (at.going >= 0 || !below) {
			goes(fmt.Sprintf("rise(%d)", at.at+1), func(to *state) { to.at, to.going = at.at+1, 1 })
		}
		if below && (at.going <= 0 || !above) {
			goes(fmt.Sprintf("sink(%d)", at.at-1), func(to *state) { to.at, to.going = at.at-1, -1 })
		}
	}
	m, err := b.Build(0, len(all))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestNearestOfALift: where much happens beside the run and loops are many, the nearest correct run is
// found within the limit; and a near one is told as such where it is not.
func TestNearestOfALift(t *testing.T) {
	ctx := context.Background()
	m := lift(t)
	f, err := formula.Parse(ctx, `Response("up(1)"; "down(1)")`)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Explain(ctx, m, f, Options{NoFairness: true, NoPaths: true})
	if err != nil {
		t.Fatal(err)
	}
	if e.Nearest == nil || e.Nearest.Near || e.Nearest.Edits != 4 || len(e.Warnings) > 0 {
		t.Errorf("nearest of %d states: %+v, warnings %q", m.NumStates(), e.Nearest, e.Warnings)
	}
}

// TestLimitsOfAdviceAreTold: each search for advice that reached its limit has a warning.
func TestLimitsOfAdviceAreTold(t *testing.T) {
	for _, c := range []struct {
		advice repair.Advice
		want   string
	}{
		{repair.Advice{}, ""},
		{repair.Advice{Stopped: true}, "what to forbid is left out: the search for it was stopped after 10,000,000 places and transitions"},
		{repair.Advice{LiftedStopped: true}, "whether it helps to forbid what triggers the property is left out: the search for it was stopped after 10,000,000 places and transitions"},
		{repair.Advice{TooFar: true, Looks: 2_000}, "the nearest correct run is left out: the search for it was stopped after 2,000 transitions"},
		{repair.Advice{LiftedStopped: true, Looks: 7, Nearest: &repair.Diff{Near: true}}, "whether it helps to forbid what triggers the property is left out: the search for it was stopped after 10,000,000 places and transitions"},
	} {
		if got := strings.Join(limitsOf(&c.advice), "; "); got != c.want {
			t.Errorf("%+v: %s, want %s", c.advice, got, c.want)
		}
	}
}
