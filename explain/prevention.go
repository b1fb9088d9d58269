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
	"github.com/inev-lts/inev/property/product"
)

// Owners are the owners of labels. The owner of a label can forbid its transitions.
type Owners struct {
	// Names are the owners in the order of results.
	Names []string
	// Of returns the owner of a label. owned is false if the label has no owner, so that nobody can
	// forbid its transitions.
	Of func(label string) (owner string, owned bool)
	// Shares makes the result include [Prevention.Shares].
	Shares bool
	// Components returns the components that take part in an action, given its label; it is nil if they
	// are not known.
	Components func(label string) []string
	// Moving reports whether the owners are the components of a network whose labels name the
	// components that move (see [lts.Alphabet.Movers]). If so, each component that moves can
	// refuse, and Of is not used.
	Moving bool
}

// ownersOf returns all owners of a label; a is its alphabet, and text its text.
func (o *Owners) ownersOf(a *lts.Alphabet, l lts.Label, text string) (names []string) {
	if o.Moving {
		for _, c := range a.Movers(l) {
			names = append(names, a.Components()[c])
		}
		return names
	}
	if name, owned := o.Of(text); owned {
		return []string{name}
	}
	return nil
}

// Prevention reports who could have prevented a violation: which owners together can make the
// property true, whatever the other owners do. Each owner forbids only its own transitions, and
// every state keeps a transition.
type Prevention struct {
	// Owners are the owners of the labels that runs do and that may be forbidden. There are none if
	// all labels with owners are triggers.
	Owners []string `json:"owners"`
	// Minimal are the minimal sets of owners who can prevent the violation: one empty set if the
	// property holds, and no set if even all owners together cannot prevent it.
	Minimal [][]string `json:"minimal"`
	// Shares are the Shapley values of the owners, in the order of Owners, as fractions. They measure
	// how much each owner contributes to what all owners can prevent together (Baier, Funke, Majumdar:
	// A Game-Theoretic Account of Responsibility Allocation, IJCAI 2021). They are nil if they were not
	// requested, or if there are more than 12 owners.
	Shares []Share `json:"shares,omitempty"`
	// Complete reports whether Minimal has all minimal sets.
	Complete bool `json:"complete"`
	// Supervisor is what the owners of the only minimal set forbid; each of them forbids only its own
	// transitions. If there is no minimal set, Supervisor has the reason why even all owners together
	// cannot prevent the violation. It is nil if there are several minimal sets, if the only one is
	// empty, or if the repair has too many transitions.
	Supervisor *Repair `json:"supervisor,omitempty"`
}

// Share is the share of an owner, such as 1/2.
type Share struct {
	Owner string `json:"owner"`
	Share string `json:"share"`
}

// These are the largest numbers of owners for which all minimal sets, or all shares, are found.
const (
	mostCoalitions = 16
	mostShares     = 12
)

// errNoOwner is the error if no owner owns a label that runs do.
var errNoOwner = errors.New("nobody owns a label of a run")

// preventInScope is prevent where what ends the scope of the property has no owner either, if somebody can prevent
// the violation in another way.
func preventInScope(
	ctx context.Context,
	a *Analysis,
	isFixed func(lts.Label) bool,
	owners *Owners,
	o repair.Options,
) (*Prevention, error) {
	scope, err := a.scope(ctx)
	if err != nil {
		return nil, err
	}
	if scope != nil && a.fairness == nil {
		isFixedInScope := func(l lts.Label) bool { return isFixed(l) || scope.Ends(l) }
		p, err := prevent(ctx, a, isFixedInScope, owners, o)
		if err != nil && !errors.Is(err, errNoOwner) {
			return nil, err
		}
		if err == nil && len(p.Minimal) > 0 {
			return p, nil
		}
	}
	return prevent(ctx, a, isFixed, owners, o)
}

// prevent finds out who could have prevented the violation of the property on all runs or, under
// full fairness, on fully fair ones. Labels that are fixed have no owner. It uses the options ByLabel and Work.
// It fails as [FindRepair] does, and with [errNoOwner]. Cost: a game of repair.Find for each set
// that is tried, on one unfolded model. The number of games is at most the number of minimal and
// maximal sets, times the number of owners.
func prevent(
	ctx context.Context,
	a *Analysis,
	isFixed func(lts.Label) bool,
	owners *Owners,
	o repair.Options,
) (*Prevention, error) {
	happening, err := a.m.Happening(ctx)
	if err != nil {
		return nil, err
	}
	search := newPreventing(owners, happening, isFixed)
	if !search.isOwned {
		return nil, errNoOwner
	}
	progress.Start(ctx, "coalitions", progress.Nothing, 0)
	o.Fair = a.fairness != nil
	if a.Fates == nil {
		o.Unfolding, err = product.Unfold(ctx, a.m, a.Property)
	} else {
		o.Unfolding, err = a.Fates.Product(ctx)
	}
	if err != nil {
		return nil, err
	}
	search.games, err = repair.NewCoalitions(ctx, a.m, a.Property, search.owners, o)
	if err != nil {
		return nil, err
	}
	minimal, err := search.minimal(ctx)
	if err != nil {
		return nil, err
	}
	p := &Prevention{
		Owners:   append([]string{}, search.names...),
		Minimal:  [][]string{},
		Complete: len(search.names) <= mostCoalitions || len(minimal) == 0,
	}
	for _, set := range minimal {
		p.Minimal = append(p.Minimal, search.namesIn(set))
	}
	if owners.Shares && p.Complete && len(search.names) <= mostShares {
		p.Shares = search.shares(minimal)
	}
	p.Supervisor, err = search.supervisor(ctx, a, p, o)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// newPreventing returns a search among the owners of the labels that runs do and that may be
// forbidden. Owners whose labels occur only in unreachable states take no part in any run.
func newPreventing(owners *Owners, happening *lts.Alphabet, isFixed func(lts.Label) bool) *preventing {
	p := &preventing{owners: make([]uint64, happening.Len())}
	ownersOf := map[lts.Label][]string{}
	canForbid := map[string]bool{}
	for l, text := range happening.All() {
		if !happening.Happens(l) {
			continue
		}
		names := owners.ownersOf(happening, l, text)
		p.isOwned = p.isOwned || len(names) > 0
		if isFixed(l) {
			continue
		}
		ownersOf[l] = names
		for _, name := range names {
			canForbid[name] = true
		}
	}
	const mostNames = 64 // the bits of a set
	for _, name := range owners.Names {
		if canForbid[name] && len(p.names) < mostNames {
			p.names = append(p.names, name)
		}
		canForbid[name] = false // Names may have it twice
	}
	for l, names := range ownersOf {
		for _, name := range names {
			if i := slices.Index(p.names, name); i >= 0 {
				p.owners[l] |= 1 << i
			}
		}
	}
	return p
}

// namesIn returns the owners in a set.
func (p *preventing) namesIn(set uint64) []string {
	names := []string{}
	for i, name := range p.names {
		if set>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return names
}

// supervisor returns what the owners of the only minimal set forbid. If there is no minimal set, it
// returns the reason why even all owners together cannot prevent the violation. It returns nil in
// the cases of [Prevention.Supervisor].
func (p *preventing) supervisor(
	ctx context.Context,
	a *Analysis,
	prevention *Prevention,
	o repair.Options,
) (*Repair, error) {
	if len(prevention.Minimal) > 1 || !prevention.Complete {
		return nil, nil
	}
	together := prevention.Owners
	if len(prevention.Minimal) == 1 {
		together = prevention.Minimal[0]
		if len(together) == 0 {
			return nil, nil // the property holds
		}
	}
	o.Controllable = func(l lts.Label) bool {
		return p.ownerAmong(together, l) != ""
	}
	o.Most = repair.MostGuards
	o.Work = repair.WorkForRepair
	found, err := repair.Find(ctx, a.m, a.Property, o)
	if errors.Is(err, repair.ErrWork) || errors.Is(err, repair.ErrTooMany) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	supervisor, err := a.describeRepair(ctx, found, nil)
	if err != nil {
		return nil, err
	}
	for i, g := range found.Never {
		supervisor.Never[i].Owner = p.ownerAmong(together, g.Transition.Label)
	}
	return supervisor, nil
}

// ownerAmong returns the first of the names whose owner owns a label; "" if there is none.
func (p *preventing) ownerAmong(names []string, l lts.Label) string {
	for _, name := range p.namesIn(p.owners[l]) {
		if slices.Contains(names, name) {
			return name
		}
	}
	return ""
}

// shares returns the Shapley value of each owner in this game: a set of owners wins if it includes
// a minimal set. Cost O(2^n times the number of minimal sets) for n owners.
func (p *preventing) shares(minimal []uint64) (shares []Share) {
	n := len(p.names)
	wins := func(set uint64) bool {
		return slices.ContainsFunc(minimal, func(m uint64) bool {
			return set&m == m
		})
	}
	// pivotal[i][k] is the number of sets of k other players that win only together with player i.
	pivotal := make([][]int64, n)
	for i := range pivotal {
		pivotal[i] = make([]int64, n)
	}
	for set := range uint64(1) << n {
		if wins(set) {
			continue
		}
		for i := range n {
			withPlayer := set | 1<<i
			if withPlayer != set && wins(withPlayer) {
				pivotal[i][bits.OnesCount64(set)]++
			}
		}
	}
	for i, name := range p.names {
		share := new(big.Rat)
		for k, times := range pivotal[i] {
			// k! (n-k-1)! / n! = 1 / (n · C(n-1, k))
			weight := new(big.Int).Mul(big.NewInt(int64(n)),
				new(big.Int).Binomial(int64(n-1), int64(k)))
			share.Add(share, new(big.Rat).SetFrac(big.NewInt(times), weight))
		}
		shares = append(shares, Share{Owner: name, Share: share.RatString()})
	}
	return shares
}

// preventing is a search for the sets of owners who can prevent a violation. Bit i of a set
// represents names[i].
type preventing struct {
	games *repair.Coalitions
	names []string
	// owners is, for each label, the set of its owners; 0 if nobody may forbid the label.
	owners []uint64
	// isOwned reports whether some owner owns a label that runs do, even if that label must not be
	// forbidden.
	isOwned bool
	// verdict reports, for each set, whether it can prevent the violation; nil for more than
	// mostCoalitions owners. If a set can prevent the violation, its supersets can, too.
	verdict []ability
}

// ability reports whether a set of owners can prevent a violation, if that is decided.
type ability uint8

const (
	undecided ability = iota
	able
	failing
)

// everybody returns the set of all owners.
func (p *preventing) everybody() uint64 { return ^uint64(0) >> (64 - len(p.names)) }

// minimal returns the minimal sets that can prevent the violation, the smallest first. For more
// than mostCoalitions owners, it returns at most one of these sets.
func (p *preventing) minimal(ctx context.Context) ([]uint64, error) {
	if len(p.names) > mostCoalitions {
		return p.oneMinimal(ctx)
	}
	if err := p.decideAll(ctx); err != nil {
		return nil, err
	}
	var minimal []uint64
	for set := range uint64(len(p.verdict)) {
		if p.isMinimal(set) {
			minimal = append(minimal, set)
		}
	}
	slices.SortFunc(minimal, func(a, b uint64) int {
		return cmp.Or(bits.OnesCount64(a)-bits.OnesCount64(b),
			cmp.Compare(bits.Reverse64(b), bits.Reverse64(a)))
	})
	return minimal, nil
}

// oneMinimal returns a minimal set, if all owners together can prevent the violation. It tries to remove
// the owners one by one, the last one first.
func (p *preventing) oneMinimal(ctx context.Context) ([]uint64, error) {
	set := p.everybody()
	can, err := p.games.CanPrevent(ctx, []uint64{set})
	if err != nil || can == 0 {
		return nil, err
	}
	for i := len(p.names) - 1; i >= 0; i-- {
		less := set &^ (1 << i)
		can, err := p.games.CanPrevent(ctx, []uint64{less})
		if err != nil {
			return nil, err
		}
		if can != 0 {
			set = less
		}
	}
	return []uint64{set}, nil
}

// decideAll finds the verdict on each set. If there are more sets than [repair.MostSets], it first
// tries the sets with at most one owner, and those that lack at most one owner.
func (p *preventing) decideAll(ctx context.Context) error {
	p.verdict = make([]ability, 1<<len(p.names))
	var sets []uint64
	canTryAll := len(p.verdict) <= repair.MostSets
	for set := range uint64(len(p.verdict)) {
		n := bits.OnesCount64(set)
		isNearlyEmpty := n <= 1
		isNearlyFull := n >= len(p.names)-1
		if canTryAll || isNearlyEmpty || isNearlyFull {
			sets = append(sets, set)
		}
	}
	for len(sets) > 0 {
		canPrevent, err := p.games.CanPrevent(ctx, sets) // bit i is about sets[i]
		if err != nil {
			return err
		}
		for i, set := range sets {
			p.decide(set, canPrevent>>i&1 != 0)
		}
		sets = p.nextSets()
	}
	return nil
}

// isMinimal reports whether a set can prevent the violation, and cannot do so without any one of
// its owners.
func (p *preventing) isMinimal(set uint64) bool {
	if p.verdict[set] != able {
		return false
	}
	for rest := set; rest != 0; rest &= rest - 1 {
		lowest := rest & -rest
		if p.verdict[set&^lowest] != failing {
			return false
		}
	}
	return true
}

// nextSets returns the sets to try next; none if all are decided. The first ones are up to MostSets/2
// borders (see [preventing.isBorder]): if a maximal undecided set cannot prevent the violation, all
// its subsets are decided, and if a minimal one can, all its supersets are (Liffiton, Previti,
// Malik, Marques-Silva: Fast, Flexible MUS Enumeration, Constraints 21, 2016). Then come the sets
// whose size is nearest to half of the owners: whatever their verdict, they decide the most other
// sets on average.
func (p *preventing) nextSets() []uint64 {
	var borders, others []uint64
	for set := range uint64(len(p.verdict)) {
		switch {
		case p.verdict[set] != undecided:
			continue
		case len(borders) < repair.MostSets/2 && p.isBorder(set):
			borders = append(borders, set)
		default:
			others = append(others, set)
		}
	}
	owners := len(p.names)
	fromHalf := func(set uint64) int {
		twice := 2 * bits.OnesCount64(set)
		return max(twice-owners, owners-twice)
	}
	slices.SortStableFunc(others, func(a, b uint64) int {
		return fromHalf(a) - fromHalf(b)
	})
	return slices.Concat(borders, others[:min(len(others), repair.MostSets-len(borders))])
}

// isBorder reports whether a set is a minimal or a maximal undecided one. It is minimal if no set
// with one owner less can prevent the violation, and maximal if every set with one owner more can.
func (p *preventing) isBorder(set uint64) bool {
	isMinimal := true
	isMaximal := true
	for i := range p.names {
		neighbour := set ^ 1<<i // with owner i, or without it
		hasOwnerLess := neighbour < set
		if hasOwnerLess {
			isMinimal = isMinimal && p.verdict[neighbour] == failing
		} else {
			isMaximal = isMaximal && p.verdict[neighbour] == able
		}
	}
	return isMinimal || isMaximal
}

// decide records whether a set can prevent the violation. If it can, it records the same for the
// supersets of the set; if it cannot, for the subsets.
func (p *preventing) decide(set uint64, can bool) {
	if p.verdict[set] != undecided {
		return
	}
	// The loop visits each set that has the members of fixed, and some members of optional.
	fixed := uint64(0)
	optional := set
	verdict := failing
	if can {
		fixed = set
		optional = p.everybody() &^ set
		verdict = able
	}
	for chosen := optional; ; chosen = (chosen - 1) & optional {
		p.verdict[fixed|chosen] = verdict
		if chosen == 0 {
			return
		}
	}
}

// workForPrevention is the largest number of product states and transitions that the search for who
// could have prevented a violation visits. Repeated visits count.
const workForPrevention = 100_000_000

// prevent finds out who could have prevented the violation, if the owners of actions are known and
// the product is not too large.
func (p *parts) prevent(ctx context.Context) error {
	isRequested := p.o.Owners != nil && !p.o.NoAdvice
	isSmall := largestProduct(p.a.m, p.a.Property) <= mostForAdvice
	if !isRequested || !isSmall || p.run.trace == nil {
		return nil
	}
	isFullFairness := p.a.fairness != nil && len(p.o.Fair) <= 1 && p.a.fairness.Full()
	if p.a.fairness != nil && !isFullFairness {
		return nil
	}
	defer p.a.begin(ctx, "prevention")()
	fixed, err := p.a.triggers()
	if err != nil {
		return err
	}
	prevention, err := preventInScope(ctx, p.a, fixed.has, p.o.Owners, repair.Options{Work: workForPrevention})
	if errors.Is(err, errNoOwner) || errors.Is(err, repair.ErrWork) ||
		errors.As(err, new(repair.UnsupportedError)) {
		return nil
	}
	if err != nil {
		return err
	}
	p.Prevention = prevention
	return nil
}
