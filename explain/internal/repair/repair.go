// Package repair finds out how to make a violated property true: which transitions must never be
// taken, which loops must not be repeated for ever, and which correct run differs least from the
// counterexample.
//
// A supervisor may forbid controllable transitions of a model, and leaves at least one transition
// in every state; it remembers the past as far as the property does. Which product states it can
// enforce, whatever happens without its control, is a game on the product of model and property,
// after Ramadge and Wonham (supervisory control). The strategy is a template, which leaves open
// everything that need not be decided (Anand, Nayak, Schmuck: Synthesizing Permissive Winning
// Strategy Templates for Parity Games, CAV 2023).
//
// The invariant that holds inside: a run that takes no forbidden transition, and stays for ever in
// no component that must be left, satisfies the property; and forbidding makes no new deadlock.
package repair

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Violation is a run of the model of Fates that violates the property of Fates.
type Violation struct {
	Fates *fate.Map
	Run   *counterexample.Trace
	// First reports that Run is the run that [counterexample.Shortest] returns.
	First bool
	// Triggers are the elements that oblige a run to something, IsTrigger reports which labels do
	// one of them. Controllable reports which labels may be forbidden, WithTriggers which may be if
	// triggers may be, too.
	Triggers                              []property.Step
	IsTrigger, Controllable, WithTriggers func(lts.Label) bool
	// Work is the largest number of product states and transitions that the search for a repair
	// visits, repeated visits included; [WorkForRepair] in all uses but tests.
	Work int64
}

// Advice is what is necessary for a violation, and what would make the property true. Its fields are
// nil if there is no such thing, and if the search for it takes too much work.
type Advice struct {
	Necessity *Necessity
	// Repair forbids no triggers, and at most MostGuards transitions; FairChoices is the result of
	// [Repair.FairChoices].
	Repair      *Repair
	FairChoices []lts.State
	// Cut is a smallest set of transitions, of at most mostInCut, if there is a Repair.
	Cut *Fewest
	// Lifted is the repair that may also forbid triggers, if the property can be made true, but not by
	// Repair. If Lifted is solvable, FewestTriggers are the fewest triggers without which the property
	// holds; with Everywhere, these are found, and Lifted allows none of them anywhere, nor does any
	// other repair.
	Lifted         *Repair
	FewestTriggers *Fewest
	Everywhere     bool
	Nearest        *Diff
	// Stopped reports that the search for Repair has reached its limit of work, LiftedStopped that
	// the search for Lifted has, TooFar that the search for Nearest has found nothing after Looks
	// transitions.
	Stopped, LiftedStopped, TooFar bool
	Looks                          int64
}

// MostGuards is the number of forbidden transitions above which nobody reads a repair.
const MostGuards = 10_000

// WorkForRepair is the largest number of product states and transitions that the search for a repair
// visits, repeated visits included.
const WorkForRepair = 10_000_000

// A cut has at most mostInCut transitions. The search for it visits at most workForCut transitions;
// for a property that is no chain, at most workForCut / passesForTable, since each search for a
// violating run takes more passes.
const (
	mostInCut      = 2
	workForCut     = 2_000_000
	passesForTable = 2
)

// The search for the nearest correct run visits at most workForDiff transitions, repeated visits
// included; with more than fewBesideDiff property states times states and transitions of the model,
// at most workForDiffBeside.
const (
	workForDiff       = 2_000_000
	workForDiffBeside = 400_000
	fewBesideDiff     = 450_000
)

// The limits of the search for necessary transitions, which the search for missing transitions has
// once more.
const (
	workForNecessity = 6_000_000
	workAtLength     = 24_000_000
)

// workForChoices is the largest number of transitions that the search for fair choices visits,
// repeated visits included.
const workForChoices = 2_000_000

// Advise finds what is necessary for a violation, and what would make the property true, within the
// limits above. It fails as [Find] does, but for these limits and properties that are not supported.
func Advise(ctx context.Context, v Violation) (_ *Advice, err error) {
	defer abort.Caught(&err)
	a := &Advice{}
	u := abort.Must(v.Fates.Product(ctx))
	a.Necessity = abort.Must(FindNecessity(ctx, u, v.Run, workForNecessity, workAtLength))
	if a.Repair, a.Stopped = v.repair(ctx, u, v.Controllable); a.Repair == nil {
		return a, nil
	}
	a.FairChoices = abort.Must(a.Repair.FairChoices(ctx, workForChoices))
	m, p := u.Model(), u.Property()
	o := FewestOptions{Controllable: v.Controllable, Most: mostInCut, Work: workForCut}
	if p.Steps() == 0 {
		o.Work /= passesForTable
	}
	if v.First {
		o.First = v.Run
	}
	triggers := map[lts.Label]bool{}
	for l := range m.Alphabet().All() {
		if v.IsTrigger(l) {
			triggers[m.Alphabet().Plain(l)] = true
		}
	}
	switch {
	case a.Repair.Solvable:
		a.Cut = abort.Must(FindFewest(ctx, m, p, o))
	case len(triggers) > 0 && a.Repair.Obstacle.Kind != NoCorrectRun:
		if a.Lifted, a.LiftedStopped = v.repair(ctx, u, v.WithTriggers); a.Lifted != nil && a.Lifted.Solvable {
			o.Controllable, o.Labels, o.Most = v.IsTrigger, true, len(triggers)
			a.FewestTriggers = abort.Must(FindFewest(ctx, m, p, o))
			a.Everywhere = a.FewestTriggers.Found && !a.Lifted.allows(a.FewestTriggers.Labels)
		}
	}
	a.Looks = workForDiff
	if int64(p.States())*int64(m.NumStates()+m.NumTransitions()) > fewBesideDiff {
		a.Looks = workForDiffBeside
	}
	var also [][]lts.Label
	for _, step := range v.Triggers {
		also = append(also, step.Labels)
	}
	a.Nearest, err = a.Repair.Nearest(ctx, v.Run, also, a.Looks)
	if a.TooFar = errors.Is(err, ErrTooFar); a.TooFar {
		err = nil
	}
	return a, err
}

// repair finds a repair; nil if the search is stopped, if the repair forbids too many transitions, or
// if the property is not supported.
func (v Violation) repair(ctx context.Context, u *product.Unfolding, can func(lts.Label) bool) (r *Repair, stopped bool) {
	r, err := Find(ctx, u.Model(), u.Property(), Options{Controllable: can, Most: MostGuards, Work: v.Work, Unfolding: u})
	if stopped = errors.Is(err, ErrWork); stopped || errors.Is(err, ErrTooMany) || errors.As(err, new(UnsupportedError)) {
		return nil, stopped
	}
	return abort.Must(r, err), false
}

// Options are the abilities of a supervisor, and the limits of the search.
type Options struct {
	// Controllable reports whether the supervisor can forbid transitions with a label; nil if it
	// can forbid all. It must always return the same for a label.
	Controllable func(lts.Label) bool
	// Fair assumes full fairness of allowed transitions: a run that comes infinitely often to a
	// product state takes all of them from there infinitely often. Then no run stays for ever in a
	// component that it can leave.
	Fair bool
	// ByLabel forbids all transitions together that have one label and leave one product state, for
	// a supervisor that sees labels only.
	ByLabel bool
	// Unfolding, unless it is nil, is the product of the model and property of [Find] or
	// [NewCoalitions].
	Unfolding *product.Unfolding
	// Most is the largest number of forbidden transitions for which [Find] succeeds; otherwise the
	// error is [ErrTooMany]; 0 for no limit.
	Most int
	// Work is the largest number of nodes and edges of the game that [Find] visits, repeated visits
	// included, before it fails with [ErrWork]; 0 for no limit. It has no effect on inevitability,
	// whose game takes a few passes.
	Work int64
}

// ErrTooMany reports that a repair forbids more transitions than Options.Most.
var ErrTooMany = errors.New("more transitions have to be forbidden than can be told")

// Repair is what makes a violated property true. It is immutable.
type Repair struct {
	// Solvable reports whether there is a supervisor under which the property holds
	// without new deadlocks.
	Solvable bool
	// Never are the transitions that must not be taken, in the order of the model: only those after
	// which the opponent could violate the property. Nil without a supervisor.
	Never []Guard
	// NotForEver are the components that a run must leave, in the order of their first product
	// states.
	NotForEver []Part
	// Obstacle says why there is no supervisor; nil if there is a supervisor.
	Obstacle *Obstacle

	game *game
}

// Guard is a transition that must not be taken in some property states.
type Guard struct {
	Transition lts.Transition
	// Progress are the property states where the transition must not be taken, ascending; for a
	// chain, numbers of done steps. Runs of the guarded model reach the source of the transition
	// with each of them.
	Progress []int
	// Comes are all property states of runs of the guarded model when the runs are in the source,
	// ascending.
	Comes []int
}

// Part is a strongly connected component of the guarded model where the property stays pending.
type Part struct {
	Places []product.State
	// Loop are the labels of the transitions within the component, ascending.
	Loop []lts.Label
	// WaysOut are the allowed moves that leave the component, in the order of the model.
	WaysOut []Move
	// Again, unless it is nil, has sets of moves: a run that takes a move of each set infinitely
	// often need not leave the component.
	Again [][]Move
	// ByLabels reports whether states and labels alone describe the component: every run that stays
	// in these states for ever, takes the transitions of WaysOut finitely often, and a label of
	// each set of Again infinitely often, violates the property, whatever the property states.
	ByLabels bool
}

// Move is a transition with the property state before it; for a chain, the number of done steps.
type Move struct {
	Transition lts.Transition
	Progress   int
}

// Obstacle is the nearest product state where a supervisor would need an ability that it lacks.
type Obstacle struct {
	Kind         ObstacleKind
	ProductState product.State
	// Path is a path from the initial state to the product state.
	Path []lts.Transition
	// Transition is a transition that cannot be forbidden, or only together with a good transition
	// with the same label; it is the zero value for NoCorrectRun.
	Transition lts.Transition
}

// EnoughAlone reports whether it is enough to forbid transitions: there is no component that a run
// must leave.
func (r *Repair) EnoughAlone() bool { return r.Solvable && len(r.NotForEver) == 0 }

// UnsupportedError reports that package repair does not support a property.
type UnsupportedError struct {
	Property string
	// Why says why no repair can be found for such a property.
	Why string
}

func (e UnsupportedError) Error() string {
	return fmt.Sprintf("no repair is computed for %s: %s", e.Property, e.Why)
}

// The reasons of [UnsupportedError].
const (
	whyFair  = "under full fairness, repairs are found for inevitability"
	whyPairs = "its condition on infinite runs has too many cases"
)

// Find returns a repair of m for the property p, which is bound to m. A supervisor is a winning
// strategy in a game: for inevitability, a reachability game, solved backwards with counters from
// the product states where all steps are done; for other properties, a game with an acceptance
// condition. It fails if ctx is done, if the unfolded model is too large, with the errors of the
// limits of o, and with [UnsupportedError]. Cost O(n (S + T)) for inevitability, with Fair times
// the number of rounds in which product states drop out, at worst n S; for Büchi and co-Büchi
// quadratic at worst, see [board.leave].
func Find(ctx context.Context, m *lts.LTS, p *property.Property, o Options) (_ *Repair, err error) {
	defer abort.Caught(&err)
	g := newGame(ctx, m, p, o)
	g.solve(ctx, p, o)
	r := &Repair{Solvable: g.wins(0), game: g}
	if !r.Solvable {
		// What could be won if everything were controllable.
		free := &game{unfolding: g.unfolding, m: g.m, forced: make([]bool, len(g.forced))}
		free.solve(ctx, p, Options{Work: o.Work})
		r.Obstacle = g.obstacle(ctx, free.wins)
		return r, nil
	}
	g.guarded = bitset.New[lts.State](g.m.NumStates())
	g.guarded.Add(0)
	queue := []lts.State{0}
	for next := 0; next < len(queue); next++ {
		abort.IfDone(ctx, next)
		from := queue[next]
		labels, targets := g.m.Out(from)
		for i, to := range targets {
			if !g.guarded.Has(to) && g.allows(from, labels.At(i), to) {
				g.guarded.Add(to)
				queue = append(queue, to)
			}
		}
	}
	if r.Never = g.never(o.Most); o.Most > 0 && len(r.Never) > o.Most {
		return nil, ErrTooMany
	}
	if !o.Fair {
		r.NotForEver = g.parts(ctx)
	}
	return r, nil
}

// allows reports whether some run of the guarded model does one of these labels. A label differs from
// another one with the same text only in what is known of states.
func (r *Repair) allows(some []lts.Label) bool {
	g := r.game
	a := g.m.Alphabet()
	is := make([]bool, a.Len())
	for _, l := range some {
		is[a.Plain(l)] = true
	}
	for s := range g.guarded.All {
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			if is[a.Plain(labels.At(i))] && g.allows(s, labels.At(i), to) {
				return true
			}
		}
	}
	return false
}

// solve finds the product states from which the supervisor wins, for a chain in rounds. W is the least
// set of product states that contains those where all steps are done, and each one, except deadlocks,
// whose uncontrollable transitions all lead into W or, if it has none, that has some transition into W.
//
// Under full fairness, W is the greatest set that equals the least set L of product states that
// contains those where all steps are done, and each one whose uncontrollable transitions all lead into
// W and that has a transition into L.
func (g *game) solve(ctx context.Context, p *property.Property, o Options) {
	g.refused = nil
	switch chain := p.Steps() > 0; {
	case !chain && o.Fair:
		abort.On(UnsupportedError{p.String(), whyFair})
	case !chain:
		g.condition = newCondition(p)
		g.rank = g.solveInfinite(ctx, o.Work)
	case !o.Fair:
		g.rank = g.attract(ctx, p.Steps(), nil)
	default:
		within := slices.Repeat([]bool{true}, g.m.NumStates())
		for stable := false; !stable; {
			g.rank = g.attract(ctx, p.Steps(), within)
			stable = true
			for s, is := range within {
				stable = stable && (!is || g.wins(lts.State(s)))
				within[s] = g.wins(lts.State(s))
			}
		}
	}
	if g.byLabel {
		g.refused = map[choice]bool{}
		g.wide(func(c choice, to lts.State) {
			if !g.wins(to) {
				g.refused[c] = true
			}
		})
	}
}

// never returns the forbidden transitions, each transition of the model once with its property
// states. It returns only some of them if there are more than most, unless most is 0.
func (g *game) never(most int) []Guard {
	var guards keyed.List[lts.Transition, Guard]
	for s := range lts.State(g.m.NumStates()) {
		if !g.guarded.Has(s) || g.pending(s) == 0 {
			continue
		}
		place := g.unfolding.At(s)
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			if g.allows(s, labels.At(i), to) {
				continue
			}
			t := lts.Transition{From: place.State, Label: labels.At(i), To: g.unfolding.At(to).State}
			guard := &guards.All[guards.Index(t, Guard{Transition: t})]
			if most > 0 && len(guards.All) > most {
				return guards.All
			}
			guard.Progress = append(guard.Progress, int(place.Q))
		}
	}
	for k := range guards.All {
		guard := &guards.All[k]
		slices.Sort(guard.Progress)
		guard.Progress = slices.Compact(guard.Progress)
		guard.Comes = g.comesTo(guard.Transition.From)
	}
	slices.SortFunc(guards.All, func(a, b Guard) int { return compare(a.Transition, b.Transition) })
	return guards.All
}

// comesTo returns the property states that runs of the guarded model have in a state.
func (g *game) comesTo(s lts.State) []int {
	var comes []int
	for at := range g.unfolding.Unfolded(s) {
		if g.guarded.Has(at) {
			comes = append(comes, int(g.unfolding.At(at).Q))
		}
	}
	slices.Sort(comes)
	return comes
}

// game is a game on the unfolded model: if uncontrollable transitions leave a product state, the
// opponent chooses one of them; otherwise the supervisor chooses a transition.
type game struct {
	unfolding *product.Unfolding
	m         *lts.LTS // the unfolded model
	// forced[l] reports whether label l is not controllable.
	forced  []bool
	byLabel bool
	// condition is the condition on infinite runs; nil for inevitability.
	condition *condition
	// rank[s] is one more than the round that wins product state s; 0 if product state s is not
	// won.
	rank []uint32
	// refused has, for games by label, each label at a wide product state with a transition to a
	// product state that is not won.
	refused map[choice]bool
	// guarded are the product states that are reachable without forbidden transitions.
	guarded bitset.Set[lts.State]
	// cycles are the components that a run must leave, for each set of colours such that one of
	// them must recur.
	cycles []cycles
}

// cycles are the components of the guarded model without the transitions that have some colours.
type cycles struct {
	without property.Marks
	parts   []found
}

// newGame returns the game of a supervisor with the abilities in the options.
func newGame(ctx context.Context, m *lts.LTS, p *property.Property, o Options) *game {
	u := o.Unfolding
	if u == nil {
		u = abort.Must(product.Unfold(ctx, m, p))
	}
	g := &game{unfolding: u, m: u.LTS(), forced: make([]bool, m.Alphabet().Len()), byLabel: o.ByLabel}
	for l := range g.forced {
		g.forced[l] = o.Controllable != nil && !o.Controllable(lts.Label(l))
	}
	return g
}

// pending returns the round, from 1, that wins a product state; 0 if no round does, or if the
// property is done there.
func (g *game) pending(s lts.State) uint32 {
	if g.rank[s] == 0 {
		return 0
	}
	return g.rank[s] - 1
}

func (g *game) wins(s lts.State) bool { return g.rank[s] > 0 }

// attract returns the rounds of solve for a chain. Under full fairness, within is the set W.
func (g *game) attract(ctx context.Context, steps int, within []bool) []uint32 {
	n := g.m.NumStates()
	abort.On(g.m.FindPredecessors(ctx))
	rank := abort.Must(resources.Make[uint32](ctx, n))
	left := abort.Must(resources.Make[uint32](ctx, n)) // the number of uncontrollable transitions that do not lead into W yet
	queue := abort.Must(resources.Make[lts.State](ctx, n))[:0]
	isForced := make([]bool, n)
	for s := range lts.State(n) {
		if int(g.unfolding.At(s).Q) == steps {
			rank[s] = 1
			queue = append(queue, s)
		}
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			isForced[s] = isForced[s] || g.forced[labels.At(i)]
			if g.forced[labels.At(i)] && (within == nil || !within[to]) {
				left[s]++
			}
		}
	}
	// For games by label, open has the number of transitions of a choice that do not lead into W yet: of
	// wide product states at once, of the others when they are first asked for.
	open := map[choice]uint32{}
	count := func(c choice, to lts.State) {
		if within == nil || !within[to] {
			open[c]++
		}
	}
	if g.byLabel {
		g.wide(count)
	}
	waits := func(c choice) bool {
		if _, known := open[c]; !known && !g.isWide(c.from) {
			open[c] = 0
			labels, targets := g.m.Out(c.from)
			for i, to := range targets {
				if labels.At(i) == c.label {
					count(c, to)
				}
			}
		}
		if within == nil {
			open[c]--
		}
		return open[c] > 0
	}
	for next := 0; next < len(queue); next++ {
		abort.IfDone(ctx, next)
		to := queue[next]
		labels, sources := g.m.Predecessors().In(to)
		for i, from := range sources {
			l := labels.At(i)
			switch {
			case rank[from] > 0, within == nil && isForced[from] && !g.forced[l]:
				continue
			case g.byLabel && !g.forced[l] && waits(choice{from, l}):
				continue
			case isForced[from]:
				if within == nil {
					left[from]--
				}
				if left[from] > 0 {
					continue
				}
			}
			rank[from] = rank[to] + 1
			queue = append(queue, from)
		}
	}
	return rank
}

// choice is a label at a product state.
type choice struct {
	from  lts.State
	label lts.Label
}

// A product state with more than mostNarrow transitions is wide. Its transitions are counted once
// for each label, in a map; at the other product states, visiting the transitions is faster.
const mostNarrow = 32

func (g *game) isWide(s lts.State) bool {
	labels, _ := g.m.Out(s)
	return labels.Len() > mostNarrow
}

// wide calls each with the transitions from wide product states.
func (g *game) wide(each func(choice, lts.State)) {
	for s := range lts.State(g.m.NumStates()) {
		if !g.isWide(s) {
			continue
		}
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			each(choice{s, labels.At(i)}, to)
		}
	}
}

// allows reports whether the supervisor allows a transition of the unfolded model from a product
// state that is won.
func (g *game) allows(from lts.State, l lts.Label, to lts.State) bool {
	switch {
	case g.pending(from) == 0 || g.forced[l]:
		return true
	case !g.byLabel:
		return g.wins(to)
	}
	if g.isWide(from) {
		return !g.refused[choice{from, l}]
	}
	labels, targets := g.m.Out(from)
	for i, other := range targets {
		if labels.At(i) == l && !g.wins(other) {
			return false
		}
	}
	return true
}

func compare(a, b lts.Transition) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Label, b.Label), cmp.Compare(a.To, b.To))
}

func comparePlaces(a, b product.State) int {
	return cmp.Or(cmp.Compare(a.State, b.State), cmp.Compare(a.Q, b.Q))
}

// parts finds the strongly connected components of the guarded model where the property stays
// pending: for each set of colours such that one of them must recur, the components without these
// colours. It leaves out a component that lies in another one.
func (g *game) parts(ctx context.Context) []Part {
	if g.condition == nil {
		all := g.within(ctx, 0)
		g.cycles = []cycles{{0, all}}
		return described(all)
	}
	// Again are the components where a run violates the property by taking some colours infinitely
	// often, although it meets the demands of recurring.
	var again []found
	for _, p := range g.condition.bad {
		if p.Inf == 0 {
			continue
		}
		for _, f := range g.within(ctx, p.Fin) {
			if f.Again = g.violating(f, p.Inf); f.Again != nil {
				f.ByLabels = g.byLabels(ctx, f)
				again = append(again, f)
			}
		}
	}
	var sets [][]found
	for _, recurring := range g.condition.recurring() {
		parts := g.within(ctx, recurring)
		sets = append(sets, parts)
		g.cycles = append(g.cycles, cycles{recurring, parts})
	}
	if len(sets) == 1 {
		return described(append(again, sets[0]...))
	}
	// A component that lies in another one is left out: a run that leaves the larger one also leaves the
	// smaller one. The components of one set of colours are disjoint.
	of := make([]map[lts.Transition]int, len(sets)) // the component of each transition
	for k, parts := range sets {
		of[k] = map[lts.Transition]int{}
		for i, p := range parts {
			for _, t := range p.inside {
				of[k][t] = i
			}
		}
	}
	var left []found
	for k, parts := range sets {
		for _, p := range parts {
			lies := false
			for other := range sets {
				if other == k {
					continue
				}
				at, known := of[other][p.inside[0]]
				known = known && !slices.ContainsFunc(p.inside, func(t lts.Transition) bool {
					i, is := of[other][t]
					return !is || i != at
				})
				lies = lies || known && (other < k || len(p.inside) < len(sets[other][at].inside))
			}
			if !lies {
				left = append(left, p)
			}
		}
	}
	return described(append(again, left...))
}

// recurring returns the sets of colours such that every run that satisfies the condition takes one
// colour of each set infinitely often.
func (c condition) recurring() []property.Marks {
	var sets []property.Marks
	for _, p := range c.bad {
		if p.Inf == 0 {
			sets = append(sets, p.Fin)
		}
	}
	return sets
}

// violating returns, for each of some colours, the moves of a component that have this colour; nil
// if the component lacks one of the colours, or one that recurring demands.
func (g *game) violating(f found, colours property.Marks) [][]Move {
	of := map[int][]Move{}
	inside := property.Marks(0)
	for _, t := range f.inside {
		marks := g.unfolding.Marks(t.From, t.Label)
		inside |= marks
		for c := range property.Colours {
			if (marks & colours).Has(c) {
				of[c] = append(of[c], g.move(t))
			}
		}
	}
	for _, recurring := range g.condition.recurring() {
		if recurring&inside == 0 {
			return nil
		}
	}
	if len(of) < colours.Len() {
		return nil
	}
	var again [][]Move
	for _, c := range slices.Sorted(maps.Keys(of)) {
		again = append(again, inOrder(of[c]))
	}
	return again
}

func (g *game) move(t lts.Transition) Move {
	return Move{g.folded(t), int(g.unfolding.At(t.From).Q)}
}

// inOrder sorts moves, and removes duplicates.
func inOrder(moves []Move) []Move {
	slices.SortFunc(moves, func(a, b Move) int {
		return cmp.Or(compare(a.Transition, b.Transition), cmp.Compare(a.Progress, b.Progress))
	})
	return slices.Compact(moves)
}

// leftOver returns a function that selects the transitions of the guarded model that keep the
// property pending and have none of some colours.
func (g *game) leftOver(without property.Marks) func(s lts.State, l lts.Label, to lts.State) bool {
	return func(s lts.State, l lts.Label, to lts.State) bool {
		return g.guarded.Has(s) && g.pending(s) > 0 && g.pending(to) > 0 && g.allows(s, l, to) &&
			(without == 0 || g.unfolding.Marks(s, l)&without == 0)
	}
}

// found is a component of the unfolded model, with its product states and, for properties other
// than inevitability, the transitions inside.
type found struct {
	Part
	states []lts.State
	inside []lts.Transition
}

func described(all []found) []Part {
	var parts []Part
	for _, f := range all {
		parts = append(parts, f.Part)
	}
	slices.SortStableFunc(parts, func(a, b Part) int { return comparePlaces(a.Places[0], b.Places[0]) })
	return parts
}

// within finds the components without transitions that have some colours.
func (g *game) within(ctx context.Context, without property.Marks) []found {
	var all []found
	stays := g.leftOver(without)
	in := bitset.New[lts.State](g.m.NumStates())
	abort.On(scc.Within(ctx, g.m, stays, func(states []lts.State, cyclic bool) {
		if !cyclic {
			return
		}
		for _, s := range states {
			in.Add(s)
		}
		f := found{states: slices.Clone(states)}
		loop := bitset.New[lts.Label](g.m.Alphabet().Len())
		for i, s := range states {
			abort.IfDone(ctx, i)
			f.Places = append(f.Places, g.unfolding.At(s))
			labels, targets := g.m.Out(s)
			for i, to := range targets {
				t := lts.Transition{From: s, Label: labels.At(i), To: to}
				switch {
				case in.Has(to) && stays(s, labels.At(i), to):
					loop.Add(labels.At(i))
					if g.condition != nil {
						f.inside = append(f.inside, t)
					}
				case g.allows(s, labels.At(i), to):
					f.WaysOut = append(f.WaysOut, g.move(t))
				}
			}
		}
		slices.SortFunc(f.Places, comparePlaces)
		f.Loop, f.WaysOut = slices.Collect(loop.All), inOrder(f.WaysOut)
		all = append(all, f)
		for _, s := range states {
			in.Remove(s)
		}
	}))
	for i := range all {
		all[i].ByLabels = g.byLabels(ctx, all[i])
	}
	return all
}

// byLabels reports whether states and labels alone can describe a component, see [Part]: whether
// every run that stays in it for ever, as they describe it, and takes a label of each set of f.Again
// infinitely often, violates the property. For a chain, runs must not reach its states with other
// numbers of done steps.
func (g *game) byLabels(ctx context.Context, f found) bool {
	if g.condition == nil {
		for i, s := range f.states {
			if abort.IfDone(ctx, i); len(g.comesTo(g.unfolding.At(s).State)) > 1 {
				return false
			}
		}
		return true
	}
	var places []lts.State // all product states of the states of the component
	for i, s := range f.states {
		abort.IfDone(ctx, i)
		places = slices.AppendSeq(places, g.unfolding.Unfolded(g.unfolding.At(s).State))
	}
	// If each state has only one product state, states and labels describe exactly the component,
	// and a run that stays in it violates the property.
	if f.Again == nil && len(places) == len(f.states) {
		return true
	}
	out := map[lts.Transition]bool{}
	for _, m := range f.WaysOut {
		out[m.Transition] = true
	}
	for i, inside := range f.inside {
		if abort.IfDone(ctx, i); out[g.folded(inside)] {
			return false
		}
	}
	var again []map[lts.Label]bool
	for _, set := range f.Again {
		labels := map[lts.Label]bool{}
		for _, m := range set {
			labels[g.m.Alphabet().Plain(m.Transition.Label)] = true
		}
		again = append(again, labels)
	}
	// A model of these product states alone, with every transition that the description admits, and a
	// state before all of them: there may be as many components as states, so its size is that of the
	// component.
	slices.Sort(places)
	places = slices.Compact(places)
	var b lts.Builder
	b.Over(g.m.Alphabet())
	first := lts.State(len(places))
	for i, s := range places {
		abort.IfDone(ctx, i)
		labels, targets := g.m.Out(s)
		for k, to := range targets {
			l := labels.At(k)
			j, in := slices.BinarySearch(places, to)
			if in && g.guarded.Has(s) && g.guarded.Has(to) && g.allows(s, l, to) &&
				(len(out) == 0 || !out[g.folded(lts.Transition{From: s, Label: l, To: to})]) {
				b.Add(lts.State(i), l, lts.State(j))
			}
		}
		b.Add(first, 0, lts.State(i))
	}
	m := abort.Must(b.Build(first, int(first)+1))
	violates := true
	in := bitset.New[lts.State](m.NumStates())
	for _, good := range g.condition.good {
		avoids := func(i lts.State, l lts.Label, _ lts.State) bool {
			return i != first && g.unfolding.Marks(places[i], l)&good.Fin == 0
		}
		abort.On(scc.Within(ctx, m, avoids, func(states []lts.State, cyclic bool) {
			for _, i := range states {
				in.Add(i)
			}
			missing, left := good.Inf, slices.Clone(again)
			for looks, i := range states {
				abort.IfDone(ctx, looks)
				labels, targets := m.Out(i)
				for k, to := range targets {
					if l := labels.At(k); in.Has(to) && avoids(i, l, to) {
						missing &^= g.unfolding.Marks(places[i], l)
						left = slices.DeleteFunc(left, func(set map[lts.Label]bool) bool { return set[m.Alphabet().Plain(l)] })
					}
				}
			}
			for _, i := range states {
				in.Remove(i)
			}
			violates = violates && !(cyclic && missing == 0 && len(left) == 0)
		}))
	}
	return violates
}

// ErrUnsolvable reports that there is no repaired model: see [Repair.Obstacle].
var ErrUnsolvable = errors.New("there is no repair")

// Apply returns the model without the transitions that must never be taken. If each of these is
// forbidden in all property states, the result is the model itself without them, with the same
// states, and places is nil. Otherwise the result is the reachable part of the unfolded model, and
// places[s] is the product state of state s. It fails with [ErrUnsolvable], and if ctx is done.
// Cost O(n (S + T)).
func (r *Repair) Apply(ctx context.Context, m *lts.LTS) (fixed *lts.LTS, places []product.State, err error) {
	defer abort.Caught(&err)
	if !r.Solvable {
		return nil, nil, ErrUnsolvable
	}
	everywhere, never := true, map[lts.Transition]bool{}
	for _, guard := range r.Never {
		everywhere = everywhere && len(guard.Progress) == len(guard.Comes)
		never[guard.Transition] = true
	}
	if everywhere {
		fixed, err = m.Without(func(t lts.Transition) bool { return never[t] })
		return fixed, nil, err
	}
	g := r.game
	number := abort.Must(resources.Make[lts.State](ctx, g.m.NumStates()))
	for s := range lts.State(g.m.NumStates()) {
		if g.guarded.Has(s) {
			number[s] = lts.State(len(places))
			places = append(places, g.unfolding.At(s))
		}
	}
	var b lts.Builder
	b.Over(g.m.Alphabet())
	for s := range lts.State(g.m.NumStates()) {
		abort.IfDone(ctx, s)
		if !g.guarded.Has(s) {
			continue
		}
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			if g.allows(s, labels.At(i), to) {
				b.Add(number[s], labels.At(i), number[to])
			}
		}
	}
	fixed, err = b.Build(0, len(places))
	return fixed, places, err
}

// Coalitions finds out, for one model and property, which sets of owners must control their labels
// so that a supervisor exists. All games are on the same unfolded model, 64 at once.
type Coalitions struct {
	game *game
	p    *property.Property
	o    Options
	// owner is the number of the owner of each label; negative if it has none.
	owner []int
	games *games // the games, kept after they have been played; not used under fairness and by label
}

// MostSets is the largest number of sets in a call of [Coalitions.CanPrevent].
const MostSets = 64

// NewCoalitions returns the coalitions of m, to which p is bound, for up to 64 owners. It uses the
// options Fair, ByLabel, Unfolding and Work, where Work is for all games together. It fails as
// [Find] does. Cost O(n (S + T)).
func NewCoalitions(ctx context.Context, m *lts.LTS, p *property.Property, owner []int, o Options) (_ *Coalitions, err error) {
	defer abort.Caught(&err)
	return &Coalitions{game: newGame(ctx, m, p, o), p: p, o: o, owner: owner}, nil
}

// CanPrevent returns, as bit k for sets[k], whether a supervisor exists that makes p hold, without
// new deadlocks, and forbids only transitions of the owners in the set. Bit i of a set stands for
// owner i; there may be up to [MostSets] sets. Only one goroutine may call it at a time. Errors as
// for [Find]. Cost O(n (S + T)) for an inevitability if the order of rounds is the same for all
// sets, and at worst that times their number; for other properties, and under fairness, as for
// [Find].
func (c *Coalitions) CanPrevent(ctx context.Context, sets []uint64) (can uint64, err error) {
	defer abort.Caught(&err)
	if c.o.Fair || c.o.ByLabel {
		for k, set := range sets {
			for l, owner := range c.owner {
				c.game.forced[l] = owner < 0 || set>>owner&1 == 0
			}
			if c.game.solve(ctx, c.p, c.o); c.game.wins(0) {
				can |= 1 << k
			}
		}
		return can, nil
	}
	if c.games == nil { // the games of all sets are played at once
		g := c.game
		x := &games{budget: budget{most: c.o.Work}}
		var mixed []bool
		if c.p.Steps() == 0 {
			x.condition = newCondition(c.p)
			x.marks, mixed = g.marksInto(x.condition)
		}
		for s := range lts.State(g.m.NumStates()) {
			at := g.unfolding.At(s)
			switch {
			case c.p.Steps() > 0:
				if int(at.Q) == c.p.Steps() {
					x.done = append(x.done, s)
				}
			case !g.m.IsDeadlock(s):
			case c.p.Stops(at.Q):
				x.good = append(x.good, s)
			default:
				x.bad = append(x.bad, s)
			}
		}
		abort.On(resources.AskFor[uint32](ctx, 5*g.m.NumTransitions()+20*g.m.NumStates()))
		owners := make([]uint8, len(c.owner))
		for l, o := range c.owner {
			if owners[l] = nobody; o >= 0 {
				owners[l] = uint8(o)
			}
		}
		x.connect(g, mixed, owners)
		x.queued = make([]bool, len(x.first)-1)
		x.queue = make([]uint32, len(x.first)-1)
		c.games = x
	}
	var forced [nobody + 1]uint64
	for k, set := range sets {
		for owner := range nobody {
			if set>>owner&1 == 0 {
				forced[owner] |= 1 << k
			}
		}
		forced[nobody] |= 1 << k
	}
	return c.games.play(ctx, &forced), nil
}

// ObstacleKind is why there is no supervisor.
type ObstacleKind string

const (
	NoCorrectRun   ObstacleKind = "no correct run" // no run of the model satisfies the property
	Uncontrollable ObstacleKind = "uncontrollable" // a transition that cannot be forbidden can always be taken
	Nondeterminism ObstacleKind = "nondeterminism" // the label that would help also leads elsewhere
)

// obstacle finds why the supervisor does not win from the initial product state. From there the
// supervisor cannot keep runs from going on through product states that are not won. Of these,
// obstacle returns the nearest where [game.stops] holds or, if there is none, the nearest where an
// uncontrollable transition, or a label with several targets, leaves the supervisor no choice.
func (g *game) obstacle(ctx context.Context, possible func(lts.State) bool) *Obstacle {
	if !possible(0) {
		return &Obstacle{Kind: NoCorrectRun, ProductState: g.unfolding.At(0)}
	}
	found, has := lts.State(0), false
	tree := abort.Must(bfs.From(ctx, g.m, []lts.State{0}, bfs.Options{
		// Only a transition that the supervisor cannot prevent: it is uncontrollable, or all transitions from
		// its source are controllable, and no other one leads to a product state that is won.
		Along: func(t lts.Transition) bool {
			return !g.wins(t.To) && (g.forced[t.Label] || !g.isForced(t.From))
		},
		Until: func(s lts.State) bool {
			stops := g.stops(s, possible)
			if stops || !has && (g.isForced(s) || g.byLabel && len(g.branches(s)) > 0) {
				found, has = s, true
			}
			return stops
		},
	}))
	o := &Obstacle{Kind: Uncontrollable, ProductState: g.unfolding.At(found)}
	for _, t := range tree.Path(found) {
		o.Path = append(o.Path, g.folded(t))
	}
	if !g.isForced(found) {
		o.Kind = Nondeterminism
	}
	// To blame is the first uncontrollable transition to a product state without a run that satisfies the
	// property or, if there is none, to one where the supervisor does not win; if all are controllable,
	// the first one that can be forbidden only together with a good transition.
	var at lts.Transition
	better := 0
	labels, targets := g.m.Out(found)
	good, several := g.couldWin(found, possible), g.branches(found)
	for i, to := range targets {
		blame := 0
		switch {
		case g.wins(to):
		case g.forced[labels.At(i)] && !possible(to):
			blame = 4
		case g.forced[labels.At(i)]:
			blame = 3
		case g.isForced(found) || !good[labels.At(i)] || !several[labels.At(i)]:
		case !possible(to):
			blame = 2
		default:
			blame = 1
		}
		if blame > better {
			better = blame
			at = lts.Transition{From: found, Label: labels.At(i), To: to}
		}
	}
	o.Transition = g.folded(at)
	return o
}

// isForced reports whether some uncontrollable transition leaves a product state.
func (g *game) isForced(s lts.State) bool {
	labels, _ := g.m.Out(s)
	return labels.Any(func(l lts.Label) bool { return g.forced[l] })
}

// stops reports whether the opponent prevents the supervisor from winning in a product state that
// is not won. possible reports the product states from where some run satisfies the property.
func (g *game) stops(s lts.State, possible func(lts.State) bool) bool {
	if !possible(s) {
		return false
	}
	labels, targets := g.m.Out(s)
	may := g.couldWin(s, possible)
	for i, to := range targets {
		if g.wins(to) || !possible(to) && (g.forced[labels.At(i)] || g.byLabel && !g.isForced(s) && may[labels.At(i)]) {
			return true
		}
	}
	return false
}

// couldWin returns the labels of transitions to product states where the supervisor wins or, if
// transitions with one label are forbidden together, to product states from where some run
// satisfies the property.
func (g *game) couldWin(s lts.State, possible func(lts.State) bool) map[lts.Label]bool {
	could := map[lts.Label]bool{}
	labels, targets := g.m.Out(s)
	for i, to := range targets {
		if g.wins(to) || g.byLabel && possible(to) {
			could[labels.At(i)] = true
		}
	}
	return could
}

// branches returns the labels of transitions that lead from a product state to several product
// states.
func (g *game) branches(s lts.State) map[lts.Label]bool {
	first, several := map[lts.Label]lts.State{}, map[lts.Label]bool{}
	labels, targets := g.m.Out(s)
	for i, to := range targets {
		if before, known := first[labels.At(i)]; known && before != to {
			several[labels.At(i)] = true
		}
		first[labels.At(i)] = to
	}
	return several
}

// folded returns the transition of the model for a transition of the unfolded model.
func (g *game) folded(t lts.Transition) lts.Transition {
	return lts.Transition{From: g.unfolding.At(t.From).State, Label: t.Label, To: g.unfolding.At(t.To).State}
}
