package repair_test

import (
	"context"
	"errors"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestCoalitionsAgainstAllSupervisors compares who can prevent a violation with the best of
// all supervisors, for all sets of three owners, one after the other on one unfolded model.
func TestCoalitionsAgainstAllSupervisors(t *testing.T) {
	ctx := context.Background()
	size := randomlts.Size{States: 5, Transitions: 8, Labels: 4, Steps: 2}
	compared, prevented := 0, 0
	for seed := range randomlts.Share(2_000) {
		c := randomlts.Seeded(seed, size)
		f, err := actl.Parse(ctx, c.Formula)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(ctx, c.Model.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		games, err := repair.NewCoalitions(ctx, c.Model, p, []uint64{1, 2, 4, 0}[:c.Model.Alphabet().Len()], repair.Options{})
		if err != nil {
			t.Fatal(err)
		}
		able, err := games.CanPrevent(ctx, []uint64{0, 1, 2, 3, 4, 5, 6, 7})
		if err != nil {
			t.Fatal(err)
		}
		for set := range 8 {
			in := func(l lts.Label) bool { return l < 3 && set>>l&1 != 0 }
			wins, ok := newArena(c, func(l lts.Label) bool { return !in(l) }, false, false).winning()
			if !ok {
				continue
			}
			can := able>>set&1 != 0
			compared++
			if can {
				prevented++
			}
			if want := wins[place{c.Model.Initial(), 0}]; can != want {
				t.Fatalf("seed %d, owners %b: %t, want %t\n%v", seed, set, can, want, c)
			}
		}
	}
	t.Logf("%d compared, %d can", compared, prevented)
}

// TestGamesAtOnce compares the games that are played at once with a repair for each set of owners, for all
// kinds of conditions on infinite runs, and one after the other on the same nodes.
func TestGamesAtOnce(t *testing.T) {
	ctx := context.Background()
	texts := []string{
		`Inev("A", "B")`, `Response("A"; "B")`, `Response("A"; "B", "C")`, `Never("A")`, `Precedes("A"; "B")`, `DeadlockFree`, `F G "A"`, `G F "A" && G F "B"`,
		`G F "A" -> G F "B"`, `G F ("A" && X "B") && G F "C"`, `(F G !"A") && G F "B"`, `(G F "A" && G F "B") || F G "C"`, `(G F "A" -> G F "B") && (G F "B" -> G F "C")`,
	}
	var sets []uint64
	for set := range uint64(32) {
		sets = append(sets, set)
	}
	compared, able, stopped := map[string]int{}, 0, 0
	for seed := range randomlts.Share(1_500) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 7, Transitions: 15, Labels: 5, Steps: 1})
		text := texts[seed%uint64(len(texts))]
		p := bindAny(t, c.Model, text)
		owners := []uint64{1, 2, 4, 8, 16}
		switch seed % 3 {
		case 0:
			owners[seed/3%5] = 0
		case 1:
			owners[seed/3%5] |= 1 << (seed / 15 % 5) // each of two owners can forbid the label
		}
		games, err := repair.NewCoalitions(ctx, c.Model, p, owners[:c.Model.Alphabet().Len()], repair.Options{})
		if err != nil {
			t.Fatal(err)
		}
		half := len(sets) / 2
		less, err := games.CanPrevent(ctx, sets[:half])
		if err != nil {
			t.Fatal(err)
		}
		can, err := games.CanPrevent(ctx, sets)
		if err != nil {
			t.Fatal(err)
		}
		if can&(1<<half-1) != less {
			t.Fatalf("seed %d: %b, then %b", seed, less, can)
		}
		limited, err := repair.NewCoalitions(ctx, c.Model, p, owners[:c.Model.Alphabet().Len()], repair.Options{Work: int64(seed%100) + 1})
		if err != nil {
			t.Fatal(err)
		}
		switch within, err := limited.CanPrevent(ctx, sets); {
		case errors.Is(err, repair.ErrWork):
			stopped++
		case err != nil || within != can:
			t.Fatalf("seed %d: with a limit %b, want %b, error %v", seed, within, can, err)
		}
		for set := range sets {
			in := func(l lts.Label) bool { return uint64(set)&owners[l] != 0 }
			r, err := repair.Find(ctx, c.Model, p, repair.Options{Controllable: in})
			if err != nil {
				t.Fatal(err)
			}
			if got := can>>set&1 != 0; got != r.Solvable {
				t.Fatalf("seed %d, %s, owners %b: %t, want %t\n%v", seed, text, set, got, r.Solvable, c)
			}
			if compared[text]++; r.Solvable {
				able++
			}
		}
	}
	t.Log(compared, able, stopped)
	if stopped < 10 {
		t.Errorf("%d games were stopped by their limits: nothing is known of limits", stopped)
	}
	for _, text := range texts {
		if randomlts.Whole() && compared[text] < 2_500 {
			t.Errorf("%s was compared %d times: nothing is known of it", text, compared[text])
		}
	}
}
