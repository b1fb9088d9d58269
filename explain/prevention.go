package explain

import (
	"cmp"
	"context"
	"errors"
	"math/big"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property/product"
)

// Owners are the owners of the transitions with a label, who can therefore forbid them.
type Owners struct {
	// Names are the owners in the order of results.
	Names []string
	// Of returns the owner of a label; false if there is none, so that nobody can forbid the
	// label's transitions.
	Of func(label string) (owner string, owned bool)
	// Shares asks for [Prevention.Shares].
	Shares bool
	// Components returns the components that take part in an action, by its label; nil if they are
	// not known.
	Components func(label string) []string
}

// Prevention is who could have prevented a violation: which owners together can make the property
// true, whatever the others do, if each forbids only transitions of its own and every state keeps a
// transition.
type Prevention struct {
	// Owners are the owners of those labels of the model that may be forbidden.
	Owners []string `json:"owners"`
	// Minimal are the minimal sets of owners who can prevent the violation: one empty set if the
	// property holds, no set if not even all owners together can prevent it.
	Minimal [][]string `json:"minimal"`
	// Shares are the Shapley values of the owners, in the order of Owners, as fractions: how much
	// each contributes to what all together can prevent (Baier, Funke, Majumdar: A Game-Theoretic
	// Account of Responsibility Allocation, IJCAI 2021). Nil if they were not requested, and if
	// there are more than 12 owners.
	Shares []Share `json:"shares,omitempty"`
	// Complete reports whether there are no other minimal sets.
	Complete bool `json:"complete"`
	// Supervisor is what the owners of the only minimal set forbid, each of them only transitions
	// of its own; or, if there is no minimal set, why not even all owners together can prevent the
	// violation. Nil if there are several sets, if the set is empty, and if the repair has too many
	// transitions.
	Supervisor *Repair `json:"supervisor,omitempty"`
}

// Share is the share of an owner, such as 1/2.
type Share struct {
	Owner string `json:"owner"`
	Share string `json:"share"`
}

// The largest numbers of owners for which all minimal sets, or all shares, are found.
const (
	mostCoalitions = 16
	mostShares     = 12
)

// errNoOwner is the error if no owner owns a label of the model.
var errNoOwner = errors.New("nobody owns a label of the model that may be forbidden")

// prevent finds out who could have prevented that the property is violated, on all runs or on fully
// fair ones; triggers have no owner. It uses the options ByLabel and Work. It fails as [FindRepair]
// does, and with [errNoOwner]. Cost: a game of repair.Find for each set that is tried, on one unfolded
// model; at most as many games as there are minimal and maximal sets, times the number of owners.
func prevent(ctx context.Context, a *Analysis, triggers triggers, owners *Owners, o repair.Options) *Prevention {
	m := a.m
	x := &preventing{ctx: ctx, a: a}
	owner := ownersOf(m, owners, triggers)
	bit := make([]int, len(owners.Names))
	for i, name := range owners.Names {
		if bit[i] = -1; slices.Contains(owner, i) && len(x.names) < 64 {
			bit[i] = len(x.names)
			x.names = append(x.names, name)
		}
	}
	for l, i := range owner {
		if i >= 0 {
			owner[l] = bit[i]
		}
	}
	if len(x.names) == 0 {
		abort.On(errNoOwner)
	}
	progress.Start(ctx, "coalitions", progress.Nothing, 0)
	o.Fair = a.fairness != nil
	if a.Fates == nil {
		o.Unfolding = abort.Must(product.Unfold(ctx, m, a.Property))
	} else {
		o.Unfolding = abort.Must(a.Fates.Product(ctx))
	}
	x.games = abort.Must(repair.NewCoalitions(ctx, m, a.Property, owner, o))
	p := x.prevention(owners.Shares)
	if len(p.Minimal) > 1 || !p.Complete || len(p.Minimal) == 1 && len(p.Minimal[0]) == 0 {
		return p
	}
	together := p.Owners
	if len(p.Minimal) == 1 {
		together = p.Minimal[0]
	}
	p.Supervisor = x.supervisor(o, func(l lts.Label) string {
		if owner[l] < 0 || !slices.Contains(together, x.names[owner[l]]) {
			return ""
		}
		return x.names[owner[l]]
	})
	return p
}

// supervisor finds what owners must forbid together, or why they cannot prevent the violation; nil
// if the search takes too much work. owner returns the owner of a label who may forbid it, "" if
// there is none.
func (x *preventing) supervisor(o repair.Options, owner func(lts.Label) string) *Repair {
	o.Controllable = func(l lts.Label) bool { return owner(l) != "" }
	o.Most, o.Work = repair.MostGuards, repair.WorkForRepair
	r, err := repair.Find(x.ctx, x.a.m, x.a.Property, o)
	if errors.Is(err, repair.ErrWork) || errors.Is(err, repair.ErrTooMany) {
		return nil
	}
	abort.On(err)
	d := describeRepair(x.a.m, x.a.Property, r, nil)
	for i, g := range r.Never {
		d.Never[i].Owner = owner(g.Transition.Label)
	}
	return d
}

// ownersOf returns the owner of each label as an index of Names, -1 for none.
func ownersOf(m *lts.LTS, owners *Owners, triggers triggers) []int {
	of := make([]int, m.Alphabet().Len())
	for l, text := range m.Alphabet().All() {
		of[l] = -1
		if name, is := owners.Of(text); is && !triggers.has(l) {
			of[l] = slices.Index(owners.Names, name)
		}
	}
	return of
}

func (x *preventing) prevention(shares bool) *Prevention {
	p := &Prevention{Owners: x.names, Minimal: [][]string{}, Complete: true}
	minimal := x.minimal()
	p.Complete = len(x.names) <= mostCoalitions || len(minimal) == 0
	for _, set := range minimal {
		p.Minimal = append(p.Minimal, x.named(set))
	}
	if shares && p.Complete && len(x.names) <= mostShares {
		for i, share := range sharesOf(len(x.names), minimal) {
			p.Shares = append(p.Shares, Share{x.names[i], share.RatString()})
		}
	}
	return p
}

// sharesOf returns the Shapley value of each of n players in the game where a set wins if it
// includes a minimal set. Cost O(2^n times the number of minimal sets).
func sharesOf(n int, minimal []uint64) []*big.Rat {
	wins := func(set uint64) bool {
		return slices.ContainsFunc(minimal, func(m uint64) bool { return set&m == m })
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

// preventing is a search for the sets of owners who can prevent a violation. Bit i of a set stands
// for names[i].
type preventing struct {
	ctx   context.Context
	a     *Analysis
	games *repair.Coalitions
	names []string
	// verdict has for each set, with at most mostCoalitions owners, whether it can prevent.
	// Supersets of a set that can prevent can, too.
	verdict []ability
}

// ability is whether a set of owners can prevent a violation, as far as it is decided.
type ability uint8

const (
	undecided ability = iota
	able
	failing
)

func (x *preventing) named(set uint64) []string {
	names := []string{}
	for i, name := range x.names {
		if set>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return names
}

// everybody returns the set of all owners.
func (x *preventing) everybody() uint64 { return ^uint64(0) >> (64 - len(x.names)) }

// minimal returns the minimal sets that can prevent the violation, smallest first: all of them if
// there are at most mostCoalitions owners, otherwise one.
func (x *preventing) minimal() []uint64 {
	if len(x.names) > mostCoalitions {
		return x.shrunk()
	}
	x.verdict = make([]ability, 1<<len(x.names))
	for sets := x.first(); len(sets) > 0; sets = x.next() {
		can := abort.Must(x.games.CanPrevent(x.ctx, sets))
		for k, set := range sets {
			x.decide(set, can>>k&1 != 0)
		}
	}
	var minimal []uint64
	for set := range uint64(len(x.verdict)) {
		if x.isMinimal(set) {
			minimal = append(minimal, set)
		}
	}
	slices.SortFunc(minimal, func(a, b uint64) int {
		return cmp.Or(bits.OnesCount64(a)-bits.OnesCount64(b), cmp.Compare(bits.Reverse64(b), bits.Reverse64(a)))
	})
	return minimal
}

// isMinimal reports whether a set can prevent the violation, and cannot without any one of its
// owners.
func (x *preventing) isMinimal(set uint64) bool {
	is := x.verdict[set] == able
	for rest := set; is && rest != 0; rest &= rest - 1 {
		is = x.verdict[set&^(rest&-rest)] == failing
	}
	return is
}

// first returns the sets to be tried first: all sets if there are at most [repair.MostSets];
// otherwise those with at most one owner, or with all owners but one at most.
func (x *preventing) first() (sets []uint64) {
	for set := range uint64(len(x.verdict)) {
		n := bits.OnesCount64(set)
		if len(x.verdict) <= repair.MostSets || n <= 1 || n >= len(x.names)-1 {
			sets = append(sets, set)
		}
	}
	return sets
}

// next returns sets to be tried next; none if all are decided. Half of them are borders: maximal
// undecided sets, which decide all their subsets if they cannot prevent, and minimal ones, which
// decide all their supersets if they can (Liffiton, Previti, Malik, Marques-Silva: Fast, Flexible
// MUS Enumeration, Constraints 21, 2016). The other half have about half of the owners: on average
// they decide most other sets, whatever their result.
func (x *preventing) next() []uint64 {
	var borders, others []uint64
	for set := range uint64(len(x.verdict)) {
		switch {
		case x.verdict[set] != undecided:
		case len(borders) < repair.MostSets/2 && x.isBorder(set):
			borders = append(borders, set)
		default:
			others = append(others, set)
		}
	}
	half := len(x.names)
	far := func(set uint64) int { return max(2*bits.OnesCount64(set)-half, half-2*bits.OnesCount64(set)) }
	slices.SortStableFunc(others, func(a, b uint64) int { return far(a) - far(b) })
	return slices.Concat(borders, others[:min(len(others), repair.MostSets-len(borders))])
}

// isBorder reports whether all sets with one owner less fail to prevent the violation, or all sets
// with one owner more can prevent it.
func (x *preventing) isBorder(set uint64) bool {
	least, most := true, true
	for i := range x.names {
		if other := set ^ 1<<i; other < set {
			least = least && x.verdict[other] == failing
		} else {
			most = most && x.verdict[other] == able
		}
	}
	return least || most
}

// decide records whether a set can prevent the violation, and the verdicts on its supersets or
// subsets that follow.
func (x *preventing) decide(set uint64, can bool) {
	if x.verdict[set] != undecided {
		return
	}
	// The loop goes through all sets of the owners that may be added, or removed.
	if rest := x.everybody() &^ set; can {
		for more := rest; ; more = (more - 1) & rest {
			x.verdict[set|more] = able
			if more == 0 {
				return
			}
		}
	}
	for less := set; ; less = (less - 1) & set {
		x.verdict[less] = failing
		if less == 0 {
			return
		}
	}
}

// shrunk returns one minimal set that can prevent the violation; none if not even all owners can
// prevent it. It removes owners one by one, the last ones first.
func (x *preventing) shrunk() []uint64 {
	can := func(set uint64) bool { return abort.Must(x.games.CanPrevent(x.ctx, []uint64{set})) != 0 }
	set := x.everybody()
	if !can(set) {
		return nil
	}
	for i := len(x.names) - 1; i >= 0; i-- {
		if can(set &^ (1 << i)) {
			set &^= 1 << i
		}
	}
	return []uint64{set}
}

// workForPrevention is the largest number of product states and transitions that the search for who
// could have prevented a violation visits, repeated visits included.
const workForPrevention = 100_000_000

// of returns the owner of a label, "" if the label has none; o may be nil.
func (o *Owners) of(label string) string {
	if o == nil || o.Of == nil {
		return ""
	}
	owner, _ := o.Of(label)
	return owner
}

// own sets the owners of the steps of a run, and of the run's decisions.
func (p *parts) own() {
	if p.o.Owners == nil || p.run.described == nil {
		return
	}
	described := *p.run.described
	described.Steps = append([]Step(nil), described.Steps...)
	for i := range described.Steps {
		described.Steps[i].Owner = p.o.Owners.of(described.Steps[i].Label)
	}
	p.run.described = &described
	for i := range p.Decisions {
		d := &p.Decisions[i]
		d.Owner = p.o.Owners.of(d.Chosen.Label)
	}
}

func (p *parts) prevent(ctx context.Context) {
	m, fair := p.a.m, p.a.fairness
	if p.o.Owners == nil || p.o.NoAdvice || p.run.trace == nil || largestProduct(m, p.a.Property) > mostForAdvice || fair != nil && (len(p.o.Fair) > 1 || !fair.Full()) {
		return
	}
	defer p.a.begin(ctx, "prevention")()
	err := abort.Try(func() {
		p.Prevention = prevent(ctx, p.a, p.a.triggers(), p.o.Owners, repair.Options{Work: workForPrevention})
	})
	if !errors.Is(err, errNoOwner) && !errors.Is(err, repair.ErrWork) {
		abort.On(err)
	}
}
