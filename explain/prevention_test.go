package explain

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// letters are owners of labels that begin with their letter; D is nobody's.
func letters() Owners {
	return Owners{Names: []string{"a", "b", "c"}, Of: func(label string) (string, bool) {
		owner := strings.ToLower(label[:1])
		return owner, strings.Contains("abc", owner)
	}, Shares: true}
}

// canPrevent asks for a repair in which just the labels of some owners can be forbidden.
func canPrevent(t *testing.T, c randomlts.Case, f *actl.Formula, set []string) bool {
	t.Helper()
	var patterns []actl.Pattern
	for _, text := range c.Model.Alphabet().All() {
		if owner, is := letters().Of(text); !is || !slices.Contains(set, owner) {
			pattern, err := actl.Parse(context.Background(), "Inev("+actl.Quoted(text)+")")
			if err != nil {
				t.Fatal(err)
			}
			patterns = append(patterns, pattern.Steps()[0])
		}
	}
	r, err := FindRepair(context.Background(), c.Model, f, RepairOptions{Uncontrollable: patterns})
	if err != nil {
		t.Fatal(err)
	}
	return r.Solvable
}

func preventionOf(ctx context.Context, m *lts.LTS, f property.Formula, owners Owners) (*Prevention, error) {
	r, err := FindRepair(ctx, m, f, RepairOptions{Owners: &owners})
	if err != nil {
		return nil, err
	}
	return r.Prevention, nil
}

// TestPrevention compares minimal sets with all sets, and shares with all orders in which the
// owners can join.
func TestPrevention(t *testing.T) {
	ctx := context.Background()
	kinds := map[int]int{}
	for seed := range randomlts.Share(3_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 9, Labels: 4, Steps: 2})
		f, err := actl.Parse(ctx, c.Formula)
		if err != nil {
			t.Fatal(err)
		}
		p, err := preventionOf(ctx, c.Model, f, letters())
		if errors.Is(err, errNoOwner) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if acting := actingOwners(c.Model); !slices.Equal(p.Owners, acting) {
			t.Fatalf("seed %d: owners %v, %v act on runs\n%v", seed, p.Owners, acting, c)
		}
		n := len(p.Owners)
		value := make([]bool, 1<<n)
		for set := range value {
			var names []string
			for i, name := range p.Owners {
				if set>>i&1 != 0 {
					names = append(names, name)
				}
			}
			value[set] = canPrevent(t, c, f, names)
			minimal := value[set]
			for i := range n {
				minimal = minimal && (set>>i&1 == 0 || !value[set&^(1<<i)])
			}
			told := slices.ContainsFunc(p.Minimal, func(m []string) bool { return slices.Equal(m, names) || len(m)+len(names) == 0 })
			if told != minimal {
				t.Fatalf("seed %d: %v is minimal: %t, told %v\n%v", seed, names, minimal, p.Minimal, c)
			}
		}
		kinds[len(p.Minimal)]++
		checkShares(t, p, value)
	}
	t.Log("minimal sets:", kinds)
	if randomlts.Whole() && (kinds[0] < 100 || kinds[1] < 100 || kinds[2] == 0) {
		t.Error("too few of a kind")
	}
}

// TestOwnersOfTriggersOnly: who owns nothing but triggers has no part in preventing a violation, which is an answer.
func TestOwnersOfTriggersOnly(t *testing.T) {
	ctx := context.Background()
	m, _, err := aut.Read(ctx, strings.NewReader("des (0,1,2)\n(0,A,1)\n"), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := actl.Parse(ctx, "Response(A; B)")
	if err != nil {
		t.Fatal(err)
	}
	p, err := preventionOf(ctx, m, f, letters())
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Owners) > 0 || len(p.Minimal) > 0 || !p.Complete {
		t.Errorf("%+v", p)
	}
	if p.Supervisor == nil || p.Supervisor.Obstacle.Kind != NoCorrectRun {
		t.Errorf("supervisor %+v", p.Supervisor)
	}
}

// actingOwners returns those letters that do something on some run.
func actingOwners(m *lts.LTS) []string {
	reached := map[lts.State]bool{m.Initial(): true}
	acting := map[string]bool{}
	for grown := true; grown; {
		grown = false
		for x := range m.Transitions() {
			if !reached[x.From] {
				continue
			}
			grown = grown || !reached[x.To]
			reached[x.To] = true
			if owner, is := letters().Of(m.Alphabet().Text(x.Label)); is {
				acting[owner] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(letters().Names), func(owner string) bool { return !acting[owner] })
}

func checkShares(t *testing.T, p *Prevention, value []bool) {
	t.Helper()
	n := len(p.Owners)
	sums := make([]int64, n)
	orders := int64(0)
	var join func(set int, left []int)
	join = func(set int, left []int) {
		if len(left) == 0 {
			orders++
			return
		}
		for k, i := range left {
			rest := slices.Delete(slices.Clone(left), k, k+1)
			if !value[set] && value[set|1<<i] {
				factorial := int64(1)
				for x := int64(2); x <= int64(len(rest)); x++ {
					factorial *= x
				}
				sums[i] += factorial
			}
			join(set|1<<i, rest)
		}
	}
	var everybody []int
	for i := range n {
		everybody = append(everybody, i)
	}
	join(0, everybody)
	for i, s := range p.Shares {
		if want := big.NewRat(sums[i], orders).RatString(); s.Share != want || s.Owner != p.Owners[i] {
			t.Fatalf("%v: %s has %s, want %s", p.Minimal, s.Owner, s.Share, want)
		}
	}
	if len(p.Shares) != n {
		t.Fatalf("%d shares of %d owners", len(p.Shares), n)
	}
}

// TestPreventionOfMany: beyond 16 owners one minimal set is found, and it is said that there may
// be more.
func TestPreventionOfMany(t *testing.T) {
	text := "des (0,21,22)\n"
	for i := range 20 {
		text += "(0,\"L" + string(rune('A'+i)) + "\"," + "21)\n"
	}
	text += "(0,\"GOOD\",1)\n"
	m, _, err := aut.Read(context.Background(), strings.NewReader(text), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := actl.Parse(context.Background(), "Inev(GOOD)")
	if err != nil {
		t.Fatal(err)
	}
	owners := Owners{Shares: true, Of: func(label string) (string, bool) { return label, label != "GOOD" }}
	for _, label := range m.Alphabet().All() {
		owners.Names = append(owners.Names, label)
	}
	p, err := preventionOf(context.Background(), m, f, owners)
	if err != nil {
		t.Fatal(err)
	}
	if p.Complete || len(p.Minimal) != 1 || len(p.Minimal[0]) != 20 || p.Shares != nil {
		t.Errorf("%+v", p)
	}
}

// TestPreventionByManyGroups: in a network, labels can have more sets of owners than games are played at once.
func TestPreventionByManyGroups(t *testing.T) {
	const components = 8
	var names []string
	for i := range components {
		names = append(names, fmt.Sprint("c", i))
	}
	texts := []string{"GOOD"}
	movers := [][]uint32{nil}
	for set := range uint(1 << components) {
		if n := bits.OnesCount(set); n != 2 && n != 3 {
			continue
		}
		var members []uint32
		for i := range uint32(components) {
			if set>>i&1 != 0 {
				members = append(members, i)
			}
		}
		texts = append(texts, "MOVE")
		movers = append(movers, members)
	}
	if len(texts) <= 64 {
		t.Fatalf("%d labels are too few", len(texts))
	}
	m := loopsBesideGood(t, lts.MovingAlphabet(texts, names, movers))
	f, err := actl.Parse(context.Background(), "Inev(GOOD)")
	if err != nil {
		t.Fatal(err)
	}
	p, err := preventionOf(context.Background(), m, f, Owners{Names: names, Moving: true})
	if err != nil {
		t.Fatal(err)
	}
	// Any two components have a move of their own, so all but one have to refuse.
	if len(p.Minimal) != components {
		t.Fatalf("minimal sets %v", p.Minimal)
	}
	for _, set := range p.Minimal {
		if len(set) != components-1 {
			t.Errorf("%v is no minimal set", set)
		}
	}
}

// TestPreventionUnderFairness: who could have prevented a violation is not known for each property under full
// fairness. The explanation leaves it out and is there all the same.
func TestPreventionUnderFairness(t *testing.T) {
	ctx := context.Background()
	var b lts.Builder
	put, lost, get := b.Label("PUT"), b.Label("LOST"), b.Label("GET")
	b.Add(0, put, 1)
	b.Add(1, lost, 0)
	b.Add(1, lost, 2)
	b.Add(1, get, 0)
	b.Add(2, put, 2)
	m, err := b.Build(0, 3)
	if err != nil {
		t.Fatal(err)
	}
	fair, err := actl.ParseAssumption(ctx, "full")
	if err != nil {
		t.Fatal(err)
	}
	owners := &Owners{Names: []string{"sender", "medium"}, Of: func(label string) (string, bool) {
		if label == "LOST" {
			return "medium", true
		}
		return "sender", true
	}}
	for _, text := range []string{"Response(PUT; GET)", "G F GET", "Never(PUT, LOST)"} {
		f, err := formula.Parse(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Explain(ctx, m, f, Options{Fair: []*actl.Assumption{fair}, Owners: owners})
		if err != nil || e.Verdict != Violated || e.Prevention != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// loopsBesideGood returns a model of two states: the first label leads to the second state, and each other one is a loop.
func loopsBesideGood(t *testing.T, a *lts.Alphabet) *lts.LTS {
	t.Helper()
	labels, err := lts.NewLabelColumn(context.Background(), a.Len(), a.Len())
	if err != nil {
		t.Fatal(err)
	}
	all := make([]lts.Label, a.Len())
	for l := range all {
		all[l] = lts.Label(l)
	}
	labels.Put(0, all)
	targets := make([]lts.State, a.Len())
	targets[0] = 1
	m, err := lts.FromRows(0, a, []uint32{0, uint32(a.Len()), uint32(a.Len())}, labels, targets)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
