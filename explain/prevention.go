package explain

import (
	"cmp"
	"context"
	"errors"
	"math/big"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Owners say who takes the transitions with a label, and so who can refuse to.
type Owners struct {
	// Names are the owners in the order of results.
	Names []string
	// Of returns who owns a label; false if nobody does, so that nobody can forbid it.
	Of func(label string) (owner string, owned bool)
	// Shares asks for the shares of the owners, too.
	Shares bool
	// Components returns the components that the action with a label needs; nil if that is not
	// known.
	Components func(label string) []string
}

// Prevention is who could have prevented a violation: which owners together, by forbidding
// transitions of their own and leaving at least one way on everywhere, can make a property
// true whatever all others do.
type Prevention struct {
	// Owners are those who own a label of the model that may be forbidden.
	Owners []string `json:"owners"`
	// Minimal are the sets of owners who can and cannot do without any of them; an empty set if
	// the property holds, and no set if not even all together can.
	Minimal [][]string `json:"minimal"`
	// Shares are the Shapley values of the owners, in the order of Owners, as fractions: how
	// much of what all together can prevent is due to each (Baier, Funke, Majumdar: A
	// Game-Theoretic Account of Responsibility Allocation, IJCAI 2021). Nil unless they are
	// asked for, and there are at most 12 owners.
	Shares []Share `json:"shares,omitempty"`
	// Complete is false if there may be other minimal sets.
	Complete bool `json:"complete"`
}

// Share is the share of an owner, such as 1/2.
type Share struct {
	Owner string `json:"owner"`
	Share string `json:"share"`
}

// Up to these numbers of owners all minimal sets and all shares are found.
const (
	mostCoalitions = 16
	mostShares     = 12
)

// errNoOwner is the error if no owner owns a label of the model.
var errNoOwner = errors.New("nobody owns a label of the model that may be forbidden")

// prevent finds out who could have prevented that f is violated in m. Of the options count
// Source, Fair, ByLabel and MayForbidTriggers: triggers belong to nobody. It fails as
// [FindRepair] does, and with [errNoOwner]. Cost: a game of repair.Find for each set that is
// tried, on one unfolded model; at most as many as there are minimal and maximal sets, times
// the number of owners.
func prevent(ctx context.Context, m *lts.LTS, f property.Formula, o RepairOptions, owners Owners) (*Prevention, error) {
	m, _, err := WithValues(ctx, m, f, &o.Source)
	if err != nil {
		return nil, err
	}
	a, err := prepare(ctx, m, f, Options{Source: o.Source, Fair: o.Fair})
	if err != nil {
		return nil, err
	}
	if a.fairness != nil && (len(o.Fair) > 1 || !a.fairness.Full()) {
		return nil, ErrFairRepair
	}
	var triggers []property.Step
	if !o.MayForbidTriggers {
		if triggers, err = triggersOf(ctx, f, m.Alphabet()); err != nil {
			return nil, err
		}
	}
	return a.prevent(ctx, triggers, o.ByLabel, owners)
}

// prevent is [Prevent] for an analysis, of all runs or of fully fair ones.
func (a *Analysis) prevent(ctx context.Context, triggers []property.Step, byLabel bool, owners Owners) (_ *Prevention, err error) {
	m := a.m
	x := &preventing{ctx: ctx, shares: owners.Shares, owner: ownersOf(m, owners, triggers)}
	for i, name := range owners.Names {
		if slices.Contains(x.owner, i) && len(x.members) < 64 {
			x.names, x.members = append(x.names, name), append(x.members, i)
		}
	}
	if len(x.names) == 0 {
		return nil, errNoOwner
	}
	progress.Start(ctx, "coalitions", progress.Nothing, 0)
	if x.games, err = repair.NewCoalitions(ctx, m, a.Property, repair.Options{ByLabel: byLabel, Fair: a.fairness != nil}); err != nil {
		return nil, err
	}
	return x.prevention()
}

// ownersOf returns the owner of each label as an index of Names, -1 for none.
func ownersOf(m *lts.LTS, owners Owners, triggers []property.Step) []int {
	of := make([]int, m.Alphabet().Len())
	for l, text := range m.Alphabet().All() {
		of[l] = -1
		if name, is := owners.Of(text); is {
			of[l] = slices.Index(owners.Names, name)
		}
		for _, step := range triggers {
			if slices.Contains(step.Labels, l) || step.LeadsTo(m.Alphabet(), l) {
				of[l] = -1
			}
		}
	}
	return of
}

// preventing is a search for the sets of owners who can prevent a violation. A set is a word,
// bit i stands for names[i].
type preventing struct {
	ctx     context.Context
	games   *repair.Coalitions
	owner   []int // of each label
	names   []string
	members []int // the owner that each bit stands for
	shares  bool
	// able and failing are the sets whose games were played.
	able, failing []uint64
}

// can plays the game of a set, unless those that were played decide it: more owners can prevent
// what fewer can.
func (x *preventing) can(set uint64) (bool, error) {
	if slices.ContainsFunc(x.able, func(a uint64) bool { return set&a == a }) {
		return true, nil
	}
	if slices.ContainsFunc(x.failing, func(f uint64) bool { return set&f == set }) {
		return false, nil
	}
	can, err := x.play(set)
	switch {
	case err != nil:
	case can:
		x.able = append(x.able, set)
	default:
		x.failing = append(x.failing, set)
	}
	return can, err
}

// play plays the game of a set.
func (x *preventing) play(set uint64) (bool, error) {
	return x.games.CanPrevent(x.ctx, func(l lts.Label) bool {
		i := slices.Index(x.members, x.owner[l])
		return i >= 0 && set>>i&1 != 0
	})
}

func (x *preventing) prevention() (*Prevention, error) {
	p := &Prevention{Owners: x.names, Minimal: [][]string{}, Complete: true}
	minimal, err := x.minimal()
	if err != nil {
		return nil, err
	}
	p.Complete = len(x.names) <= mostCoalitions || len(minimal) == 0
	for _, set := range minimal {
		p.Minimal = append(p.Minimal, x.named(set))
	}
	if x.shares && p.Complete && len(x.names) <= mostShares {
		for i, share := range sharesOf(len(x.names), minimal) {
			p.Shares = append(p.Shares, Share{x.names[i], share.RatString()})
		}
	}
	return p, nil
}

func (x *preventing) named(set uint64) []string {
	names := []string{}
	for i, name := range x.names {
		if set>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return names
}

// minimal returns the minimal sets who can, smallest first: as many as there are up to
// mostCoalitions owners, else one. From a set that is neither known to be able nor known to
// fail it goes down to a minimal one or up to a maximal one that fails, which decides all
// sets above or below (Liffiton, Previti, Malik, Marques-Silva: Fast, Flexible MUS Enumeration,
// Constraints 21, 2016).
func (x *preventing) minimal() ([]uint64, error) {
	n := len(x.names)
	all := uint64(1)<<n - 1
	if n == 64 {
		all = ^uint64(0)
	}
	if can, err := x.can(all); err != nil || !can {
		return nil, err
	}
	if n > mostCoalitions {
		set, err := x.shrink(all)
		return []uint64{set}, err
	}
	var able, failing []uint64
	for {
		set, found := undecided(all, able, failing)
		if !found {
			break
		}
		can, err := x.can(set)
		if err != nil {
			return nil, err
		}
		if can {
			if set, err = x.shrink(set); err != nil {
				return nil, err
			}
			able = append(able, set)
			continue
		}
		if set, err = x.grow(set, all); err != nil {
			return nil, err
		}
		failing = append(failing, set)
	}
	slices.SortFunc(able, func(a, b uint64) int {
		return cmp.Or(bits.OnesCount64(a)-bits.OnesCount64(b), cmp.Compare(bits.Reverse64(b), bits.Reverse64(a)))
	})
	return able, nil
}

// undecided returns the largest set, as a number, that includes no able one and is included in
// no failing one.
func undecided(all uint64, able, failing []uint64) (uint64, bool) {
	for set := all; ; set-- {
		decided := slices.ContainsFunc(able, func(a uint64) bool { return set&a == a }) ||
			slices.ContainsFunc(failing, func(f uint64) bool { return set&f == set })
		if !decided {
			return set, true
		}
		if set == 0 {
			return 0, false
		}
	}
}

// shrink leaves out of a set who can all who are not needed, the last owners first.
func (x *preventing) shrink(set uint64) (uint64, error) {
	for i := len(x.names) - 1; i >= 0; i-- {
		if set>>i&1 == 0 {
			continue
		}
		can, err := x.can(set &^ (1 << i))
		if err != nil {
			return 0, err
		}
		if can {
			set &^= 1 << i
		}
	}
	return set, nil
}

// grow adds all owners to a set who cannot, as long as they still cannot.
func (x *preventing) grow(set, all uint64) (uint64, error) {
	for i := range x.names {
		more := set | 1<<i
		if more == set || more == all {
			continue
		}
		can, err := x.can(more)
		if err != nil {
			return 0, err
		}
		if !can {
			set = more
		}
	}
	return set, nil
}

// sharesOf returns the Shapley value of each of n players, if just the sets that include a
// minimal one win. Cost O(2^n times the number of minimal sets).
func sharesOf(n int, minimal []uint64) []*big.Rat {
	wins := func(set uint64) bool {
		return slices.ContainsFunc(minimal, func(m uint64) bool { return set&m == m })
	}
	// pivotal[i][k] is the number of sets of k others that win with player i only.
	pivotal := make([][]int64, n)
	for i := range pivotal {
		pivotal[i] = make([]int64, n)
	}
	for set := range uint64(1) << n {
		if wins(set) {
			continue
		}
		for i := range n {
			if set>>i&1 == 0 && wins(set|1<<i) {
				pivotal[i][bits.OnesCount64(set)]++
			}
		}
	}
	shares := make([]*big.Rat, n)
	for i := range shares {
		shares[i] = new(big.Rat)
		for k, times := range pivotal[i] {
			// k! (n-k-1)! / n! = 1 / (n · C(n-1, k))
			weight := new(big.Int).Mul(big.NewInt(int64(n)), new(big.Int).Binomial(int64(n-1), int64(k)))
			shares[i].Add(shares[i], new(big.Rat).SetFrac(big.NewInt(times), weight))
		}
	}
	return shares
}
