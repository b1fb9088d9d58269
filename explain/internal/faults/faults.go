// Package faults counts how many faults, which are transitions with some labels, a violation takes.
//
// The invariant that holds inside: every number is the smallest, from a search of the whole product of
// model and property.
package faults

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Faults are the numbers of faults that a violation takes, and that lose the property.
type Faults struct {
	// Least is the smallest number of faults on a violating run, if Finite; otherwise each
	// violating run has infinitely many faults.
	Least  int
	Finite bool
	// Lost is the smallest number of faults after which no run satisfies the property, if Loses.
	Lost  int
	Loses bool
}

// mostPairs is the largest number of Rabin pairs that a complement may have.
const mostPairs = 1 << 10

// Least returns the smallest number of faults on a run that counts and violates the property
// of fates. It searches breadth first by the number of faults, until a run ends and violates the
// property, a bad prefix, or a product state from which a run without faults violates it. Cost O(n
// (S + T)) for n property states, and as for [product.Unfolding.Recurring] for each pair of the
// complement of the condition. A property of few states, without fairness and colours that must
// recur, takes some passes through the model instead, and three words and 4 bytes for each of its
// states.
func Least(ctx context.Context, fates *fate.Map, isFault func(lts.Label) bool) (_ *Faults, err error) {
	defer abort.Caught(&err)
	if found := inWords(ctx, fates, isFault); found != nil {
		return found, nil
	}
	return inProduct(ctx, fates, isFault), nil
}

func inProduct(ctx context.Context, fates *fate.Map, isFault func(lts.Label) bool) *Faults {
	x := newFaultSearch(ctx, fates, isFault)
	x.findTargets()
	return x.search()
}

func newFaultSearch(ctx context.Context, fates *fate.Map, isFault func(lts.Label) bool) *faultSearch {
	u := abort.Must(fates.Unfold(ctx))
	if u == nil {
		u = abort.Must(product.Unfold(ctx, fates.LTS(), fates.Property()))
	}
	return &faultSearch{ctx: ctx, u: u, fates: fates, m: u.LTS(), isFault: isFault}
}

// satisfiable returns which property states accept some word. It returns all if the initial state
// accepts none, so that no prefix counts as bad.
func satisfiable(ctx context.Context, p *property.Property) func(property.Q) bool {
	words := abort.Must(product.ResidualsOf(ctx, p))
	if words.CanAccept(p.Initial()) {
		return words.CanAccept
	}
	return func(property.Q) bool { return true }
}

type faultSearch struct {
	ctx     context.Context
	u       *product.Unfolding
	fates   *fate.Map
	m       *lts.LTS
	isFault func(lts.Label) bool
	// target has the product states from where a run violates the property without a further fault.
	target bitset.Set[lts.State]
}

// findTargets finds the product states where the count of faults ends.
func (x *faultSearch) findTargets() {
	abort.On(resources.AskFor[uint8](x.ctx, x.m.NumStates()/8))
	x.target = bitset.New[lts.State](x.m.NumStates())
	p := x.u.Property()
	canAccept := satisfiable(x.ctx, p)
	for s := range lts.State(x.m.NumStates()) {
		q := x.u.At(s).Q
		if x.m.IsDeadlock(s) && !p.Stops(q) || !canAccept(q) {
			x.target.Add(s)
		}
	}
	x.findLoops()
}

// findLoops finds the product states on loops without faults that violate the property.
func (x *faultSearch) findLoops() {
	p := x.u.Property()
	fair := x.withoutFaults()
	if f := x.fates.Fairness(); f == nil {
		if pairs, few := p.Acceptance().Not().Pairs(mostPairs); few && !slices.ContainsFunc(pairs, func(pair property.Pair) bool { return pair.Inf != 0 }) {
			x.plainLoops(pairs)
			return
		}
	}
	c := abort.Must(scc.Find(x.ctx, x.m, "iterative"))
	if fair.Full() {
		violating := abort.Must(x.u.AcceptingUnder(x.ctx, c, p.Acceptance().Not(), fair))
		for i, is := range violating {
			for _, s := range c.States(scc.Component(i)) {
				if is {
					x.target.Add(s)
				}
			}
		}
		return
	}
	pairs, few := p.Acceptance().Not().Pairs(mostPairs)
	if !few {
		abort.On(property.NotChainError{Property: p.String(), What: "a number of faults"})
	}
	for _, pair := range pairs {
		part, _, err := x.u.Recurring(x.ctx, c, pair.Fin, pair.Inf, fair)
		abort.On(err)
		for s := range part {
			if part[s] > 0 {
				x.target.Add(lts.State(s))
			}
		}
	}
}

// plainLoops finds loops without faults and without colours of Fin, for pairs without Inf, if all
// runs count.
func (x *faultSearch) plainLoops(pairs []property.Pair) {
	for _, pair := range pairs {
		keeps := func(from lts.State, l lts.Label, _ lts.State) bool {
			return !x.isFault(l) && x.u.Marks(from, l)&pair.Fin == 0
		}
		abort.On(scc.Within(x.ctx, x.m, keeps, func(states []lts.State, cyclic bool) {
			for _, s := range states {
				if cyclic {
					x.target.Add(s)
				}
			}
		}))
	}
}

// withoutFaults returns the fairness of the fates, with faults among the labels that occur finitely
// often.
func (x *faultSearch) withoutFaults() *property.Fairness {
	a := x.m.Alphabet()
	f := x.fates.Fairness()
	var rare []lts.Label
	for l := range a.All() {
		if x.isFault(l) || f != nil && f.Rare(l) {
			rare = append(rare, l)
		}
	}
	if f == nil {
		return abort.Must(property.NewFairness(a, false, nil, rare))
	}
	return abort.Must(f.Finitely(a, rare))
}

// search counts the faults to the nearest target, and to the nearest product state where the
// property is lost.
func (x *faultSearch) search() *Faults {
	visited := bitset.New[lts.State](x.m.NumStates())
	r := &Faults{}
	now, later := []lts.State{x.m.Initial()}, []lts.State(nil)
	visited.Add(x.m.Initial())
	for faults, looks := 0, 0; len(now) > 0; faults++ {
		for i := 0; i < len(now); i++ {
			looks++
			abort.IfDone(x.ctx, looks)
			s := now[i]
			at := x.u.At(s)
			if !r.Loses && x.fates.At(at.State, at.Q) == fate.Lost {
				r.Lost, r.Loses = faults, true
			}
			if x.target.Has(s) {
				r.Least, r.Finite = faults, true
				return r
			}
			labels, targets := x.m.Out(s)
			for k, t := range targets {
				if visited.Has(t) || !x.admits(t) {
					continue
				}
				if x.isFault(labels.At(k)) {
					later = append(later, t)
					continue
				}
				visited.Add(t)
				now = append(now, t)
			}
		}
		now = now[:0]
		for _, t := range later {
			if !visited.Has(t) {
				visited.Add(t)
				now = append(now, t)
			}
		}
		later = later[:0]
	}
	return r
}

func (x *faultSearch) admits(t lts.State) bool {
	at := x.u.At(t)
	return x.fates.AdmitsFrom(at.State, at.Q)
}

// mostCounting is the largest number of states of a property that counts faults, so that searches
// need no product.
const mostCounting = 64

// OrMoreFaults returns the property that p holds or more than this number of faults happen; faults
// after a bad prefix do not count. It is nil if it would have more than 64 states, or too many
// letters or colours; then use [WithFewFaults]. Cost O(its size).
func OrMoreFaults(ctx context.Context, p *property.Property, isFault func(lts.Label) bool, faults int) (_ *property.Property, err error) {
	defer abort.Caught(&err)
	of := p.Automaton()
	n := of.States()
	if of.Columns == 0 || faults >= mostCounting || n*(faults+1)+1 > mostCounting || 2*of.Columns > 1<<16 {
		return nil, nil
	}
	all, _ := of.Acceptance.Colours()
	fresh := 0
	for all.Has(fresh) {
		fresh++
	}
	if fresh >= property.Colours {
		return nil, nil
	}
	canAccept := satisfiable(ctx, p)
	sink := n * (faults + 1)
	t := property.Automaton{
		Columns: 2 * of.Columns, Initial: of.Initial, Acceptance: property.Any(of.Acceptance, property.Inf(fresh)),
		Kind: of.Kind, Name: of.Name,
	}
	for l := range p.Alphabet().All() {
		letter := of.Letters[l]
		if isFault(l) {
			letter += uint16(of.Columns)
		}
		t.Letters = append(t.Letters, letter)
	}
	for q := range sink {
		from, count := q%n, q/n
		t.Stop = append(t.Stop, of.Stop[from])
		for letter := range t.Columns {
			i := from*of.Columns + letter%of.Columns
			next, marks := int(of.Next[i])+count*n, property.Marks(0)
			if of.Marks != nil {
				marks = of.Marks[i]
			}
			if letter >= of.Columns && canAccept(property.Q(from)) {
				if next += n; count == faults {
					next, marks = sink, property.Mark(fresh)
				}
			}
			t.Next, t.Marks = append(t.Next, property.Q(next)), append(t.Marks, marks)
		}
	}
	t.Stop = append(t.Stop, true)
	for range t.Columns {
		t.Next, t.Marks = append(t.Next, property.Q(sink)), append(t.Marks, property.Mark(fresh))
	}
	return property.Table(p.Alphabet(), t)
}
