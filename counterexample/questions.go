package counterexample

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/enumeration"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Shortest searches for a run of m that violates p with the fewest transitions. Result.Minimal is
// the set of runs among which it is a shortest one. This set is all runs of the model if p is a
// chain, if the result is a bad prefix, if p is a response with one step, or if p has one state;
// otherwise it has the runs whose loop closes in the product of m and p. For a safety property the
// result is a bad prefix, since every violation has one. The result is deterministic: of the runs
// that end in the state that is visited first, or whose loop begins there, it is the first in the
// order of the model.
//
// It fails if ctx is done, or if the complement of the condition of p has more than 1,024 pairs. If
// ctx stops the search after a run was found, Shortest returns that run together with the error; if
// no run was found, the result reports only whether the property is known to be violated. Cost: for
// a chain of n steps that of [chainHalf.shortest], O(n (S + T)) if loops are soon found; otherwise
// that of [inProduct].
func Shortest(
	ctx context.Context,
	m *lts.LTS,
	p *property.Property,
	o Options,
) (r *Result, err error) {
	defer abort.Caught(&err)
	r = &Result{}
	halfOf(p).shortest(ctx, m, o, r)
	return r, nil
}

// All returns all runs of m that violate p and are as short as the run of [Shortest], among the
// runs of [Family.Minimal]. It returns nil if the property holds. It fails if ctx is done, if no
// shortest run is known, or if the condition of p has more than 10 colours. Cost as for
// [chainHalf.all] and [tableHalf.all].
func All(
	ctx context.Context,
	m *lts.LTS,
	p *property.Property,
	o Options,
) (all *Family, err error) {
	defer abort.Caught(&err)
	return halfOf(p).all(ctx, m, o), nil
}

// Containing searches for a short run of m that violates p and does the steps of pattern, a chain,
// in this order, not necessarily contiguous. If p is a chain, the run is a shortest one.
// Result.Minimal covers only runs that do the pattern: another counterexample may be shorter. The
// result has no trace if there is none. Containing fails with a [property.NotChainError] if pattern
// is no chain, and as [Shortest] does. Cost as for Shortest, for a model or a property larger by
// the number of steps of the pattern.
func Containing(
	ctx context.Context,
	m *lts.LTS,
	p *property.Property,
	pattern *property.Property,
	o Options,
) (r *Result, err error) {
	defer abort.Caught(&err)
	if pattern.Steps() == 0 {
		return nil, property.NotChainError{
			Property: pattern.String(),
			What:     "a pattern that a run does",
		}
	}
	return halfOf(p).containing(ctx, m, pattern, o), nil
}

// Fair searches for a run of the model of f that counts under the assumption of f and violates the
// property of f. The result has no trace if there is none. Errors and cost as for [chainHalf.fair] and
// [tableHalf.fair].
func Fair(ctx context.Context, f *fate.Map) (r *Result, err error) {
	defer abort.Caught(&err)
	return halfOf(f.Property()).fair(ctx, f, limitsIn(f.LTS())), nil
}

// Match returns a run of the model of f, among all runs, that fits the given trace v and violates
// the property of f. Labels agree if their texts do. If a text of the given trace is no label of
// the model, it may differ from a label in blanks after commas. If several runs fit, as in
// nondeterministic models, Match finds one that violates the property if there is any; this need
// not be a shortest one.
//
// A given trace that has an end may be only a part of a counterexample:
//
//   - the run may stop in a state that it has passed before, because the trace is
//     a lasso, written once round in a format that cannot express loops;
//   - or the run stops where no continuation satisfies the property any more. Match
//     then adds a shortest continuation, unless the run is a bad prefix as it is.
//
// Errors are of one line. There are three cases: if the given trace is no trace of the model, the
// error names the step that fails, and what the model offers there; if the run satisfies the
// property, it names the step that completes the property; and if the run breaks off while the
// property can still be satisfied, it names the state reached. Match also fails if ctx is done.
// Cost as for [chainHalf.match] and [tableHalf.match].
func Match(
	ctx context.Context,
	f *fate.Map,
	v *Given,
	o MatchOptions,
) (*Trace, MatchNote, error) {
	internal := o.Internal
	if internal == nil {
		internal = []string{"i", "tau"}
	}
	if o.SkipInternal {
		return matchWith(ctx, f, v, internal, o.Fair)
	}
	// If no run fits without internal actions, a run may fit with them.
	t, note, err := matchWith(ctx, f, v, nil, o.Fair)
	var refused *refusal
	isInModel := func(text string) bool {
		return f.LTS().Alphabet().Variants(text) != nil
	}
	if !errors.As(err, &refused) || !slices.ContainsFunc(internal, isInModel) {
		return t, note, err
	}
	_, _, skippingErr := matchWith(ctx, f, v, internal, o.Fair)
	if skippingErr == nil {
		err = hint.New(refused, refused,
			"; but it is a counterexample that leaves out internal actions: ", hint.SkipInternal)
	}
	return nil, MatchNote{}, err
}

// matchWith finds a run that fits a given trace as [Match] does; internal are the labels of actions
// that the run may do although the given trace lacks them.
func matchWith(
	ctx context.Context,
	f *fate.Map,
	v *Given,
	internal []string,
	fair []property.Task,
) (t *Trace, note MatchNote, err error) {
	defer abort.Caught(&err)
	y := &matching{
		pairing: newPairing(ctx, f.LTS(), v, internal),
		ctx:     ctx,
		fates:   f,
		p:       f.Property(),
	}
	if len(fair) > 0 {
		t, note = y.fairRun(fair)
		if t != nil {
			return t, note, nil
		}
	}
	y.violations = halfOf(f.Property()).match(y)
	t, note = y.run()
	return t, note, nil
}

// half answers the questions either about chains, or about all other properties.
type half interface {
	// shortest sets r to its findings, even if the search is stopped.
	shortest(ctx context.Context, m *lts.LTS, o Options, r *Result)
	all(ctx context.Context, m *lts.LTS, o Options) *Family
	containing(ctx context.Context, m *lts.LTS, pattern *property.Property, o Options) *Result
	fair(ctx context.Context, fates *fate.Map, most limits) *Result
	match(y *matching) violations
}

// halfOf returns the half for a property. No other function distinguishes the kinds of properties.
func halfOf(p *property.Property) half {
	if c, isChain := p.Chain(); isChain {
		return chainHalf{c}
	}
	return tableHalf{p}
}

// chainHalf searches pairs of a state and a progress. tableHalf searches the product of model and
// property.
type (
	chainHalf struct{ p *property.Chain }
	tableHalf struct{ p *property.Property }
)

// Minimality is the set of runs among which a counterexample is a shortest one.
type Minimality uint8

// The sets of runs.
const (
	MinimalUnknown Minimality = iota // not known to be shortest
	InProduct                        // shortest in the product that was searched; the model may have a shorter one
	InModel                          // shortest in the model
)

var minimalityNames = enumeration.New("place where a counterexample is minimal", "unknown",
	"product", "model")

func (m Minimality) String() string { return minimalityNames.Name(uint8(m)) }

// MarshalText returns the name of the set.
func (m Minimality) MarshalText() ([]byte, error) { return minimalityNames.Text(uint8(m)) }

// UnmarshalText sets the set by its name.
func (m *Minimality) UnmarshalText(text []byte) error {
	return enumeration.Set(minimalityNames, m, text)
}

// ifShortest returns InModel if a run is known to be a shortest one of the model, otherwise
// MinimalUnknown.
func ifShortest(isShortest bool) Minimality {
	if isShortest {
		return InModel
	}
	return MinimalUnknown
}

// closesInModel completes the result of a search whose loops close in the model: if the run is
// known to be a shortest one, it is a shortest one of the model.
func (r *Result) closesInModel() { r.Minimal = ifShortest(r.Minimal != MinimalUnknown) }

// containing searches for a shortest counterexample among those that do the steps of pattern in
// this order, not necessarily contiguous, where a loop counts once (SEFM'18, section 3.4, technique
// (iii)). The result has no trace if there is none. It fails if ctx is done.
//
// The run need not be elementary: it may have to pass a state twice to do the pattern. The search
// is that of [Shortest], but in the model unfolded by the pattern. In that model, a deadlock counts
// only if the pattern is complete, and a loop leads from a state with any progress of the pattern
// to the same state with the pattern complete.
//
// Cost as for [Shortest] on a model larger by the number of steps of the pattern.
func (h chainHalf) containing(
	ctx context.Context,
	m *lts.LTS,
	pattern *property.Property,
	o Options,
) *Result {
	c := o.modelComponents(ctx, m)
	u := abort.Must(product.Unfold(ctx, m, pattern))
	unfolded := abort.Must(scc.Find(ctx, u.LTS(), "iterative"))
	search := newShortest(ctx, u.LTS(), h.p, Options{Components: unfolded})
	search.goal = &goal{unfolding: u, model: c, steps: pattern.Steps()}
	search.run()
	steps, loop, found := search.steps()
	if !found {
		return &Result{}
	}
	t := violating("the search for a pattern", m, h.p.Property(), lower(u, steps), loop)
	return &Result{Trace: t, Minimal: InModel}
}

// modelComponents returns the components of the model; it computes them unless they are known.
func (o *Options) modelComponents(ctx context.Context, m *lts.LTS) *scc.Components {
	if o.Components != nil {
		return o.Components
	}
	return abort.Must(scc.Find(ctx, m, o.Engine))
}

// goal is a pattern that a run must complete. Its states are those of the model unfolded by the
// pattern. The nil goal is always complete.
type goal struct {
	unfolding *product.Unfolding
	model     *scc.Components
	steps     int
}

// reached reports whether the pattern is complete in s.
func (g *goal) reached(s lts.State) bool {
	return g == nil || int(g.unfolding.At(s).Q) == g.steps
}

// closing returns the state of the unfolded model in which a loop that begins in s must end: the
// state with the same state of the model and the pattern complete. It returns false if there is no
// such state.
func (g *goal) closing(s lts.State) (lts.State, bool) {
	if g == nil {
		return s, true
	}
	return g.unfolding.Find(product.State{
		State: g.unfolding.At(s).State,
		Q:     property.Q(g.steps),
	})
}

// containing searches for a run of m that violates the property p and does the steps of pattern in
// this order, not necessarily contiguous. The result has no trace if there is none.
//
// Such a run violates "p, or never the whole pattern", so [inProduct] finds it. It need not be a
// shortest one: its loop begins after the whole pattern, and a run that does part of the pattern in
// the first round of its loop may be shorter. Errors, options and cost are those of inProduct, for
// an automaton larger by the number of steps of the pattern.
func (h tableHalf) containing(
	ctx context.Context,
	m *lts.LTS,
	pattern *property.Property,
	o Options,
) *Result {
	o.Fates = nil // they are the fates of p, not those of the property that is searched
	r := &Result{}
	inProduct(ctx, m, h.orNot(pattern), o, r)
	if r.Trace == nil {
		return r
	}
	r.Minimal = MinimalUnknown
	// The trace is one of the property that was searched; the result is the same run as a trace of p.
	r.Trace = violating("the search for a pattern", m, h.p, r.Trace.steps, r.Trace.loop)
	return r
}

// orNot returns the property "p, or never the whole pattern". Its automaton is the product of the
// automata of p and of the pattern. State q of p with j steps of the pattern done has the number
// q(n+1)+j, for n steps in all. An additional colour marks the transitions after which the pattern
// is complete.
func (h tableHalf) orNot(pattern *property.Property) *property.Property {
	complete := spareColour(h.p, "a pattern")
	first := h.p.Automaton()
	second := pattern.Automaton()
	n := property.Q(pattern.Steps())
	letterOf, letters := h.letterPairs(&first, &second)
	t := property.Automaton{
		Initial:    first.Initial * (n + 1),
		Letters:    letterOf,
		Columns:    len(letters),
		Acceptance: property.Any(first.Acceptance, property.Fin(complete)),
		Name:       first.Name,
	}
	for q := range property.Q(first.States()) {
		for done := range n + 1 {
			t.Stop = append(t.Stop, first.Stop[q] || done < n)
			for _, letter := range letters {
				inFirst := int(q)*first.Columns + int(letter.first)
				inSecond := int(done)*second.Columns + int(letter.second)
				marks := property.Marks(0)
				if first.Marks != nil {
					marks = first.Marks[inFirst] &^ property.Mark(complete)
				}
				if second.Next[inSecond] == n {
					marks |= property.Mark(complete)
				}
				t.Next = append(t.Next, first.Next[inFirst]*(n+1)+second.Next[inSecond])
				t.Marks = append(t.Marks, marks)
			}
		}
	}
	return abort.Must(property.Table(h.p.Alphabet(), t))
}

// letterPair is a class of labels that neither of two automata distinguishes: a letter of each.
type letterPair struct{ first, second uint16 }

// letterPairs returns the pairs of letters that labels have, and the number of the pair of each label.
func (h tableHalf) letterPairs(first, second *property.Automaton) (letterOf []uint16, pairs []letterPair) {
	var all intern.List[letterPair, letterPair]
	letterOf = make([]uint16, h.p.Alphabet().Len())
	for l := range letterOf {
		pair := letterPair{first: first.Letters[l], second: second.Letters[l]}
		letterOf[l] = uint16(all.Index(pair, pair))
		if len(all.All) > 1<<16 {
			abort.On(fmt.Errorf("counterexample: %s and the pattern tell more than %d classes of labels apart", h.p, 1<<16))
		}
	}
	return letterOf, all.All
}

// spareColour returns a colour that the condition of p does not mention.
func spareColour(p *property.Property, purpose string) int {
	used, _ := p.Acceptance().Colours()
	c := 0
	for used.Has(c) {
		c++
		if c == property.Colours {
			abort.On(fmt.Errorf("counterexample: %s uses all %d colours, so none is left for %s", p, property.Colours, purpose))
		}
	}
	return c
}

// Joined is a property with other views of it: automata for the property or for its parts. A search
// in the product with such an automaton may find a shorter run, since a loop may close there
// although it does not close in the product with the property.
type Joined struct {
	Property *property.Property
	// Conditions are properties whose conjunction is the property; nil if there are none. A
	// condition has fewer states than the property.
	Conditions []*property.Property
	// Nondeterministic returns an automaton of the runs that violate the property; nil if none is
	// known.
	Nondeterministic func(context.Context) (*property.Nondeterministic, error)
}

// Shortest is the function [Shortest] for all views of the property. It searches with the
// conditions if together they have at most twice as many states as the property.
func (j Joined) Shortest(ctx context.Context, m *lts.LTS, o Options) (*Result, error) {
	states := 0
	for _, p := range j.Conditions {
		states += p.States()
	}
	conditionsAreSmall := states <= 2*j.Property.States()
	var r *Result
	var err error
	if conditionsAreSmall {
		r, err = j.ByConditions(ctx, m, o)
	}
	if r == nil && err == nil {
		r, err = Shortest(ctx, m, j.Property, o)
	}
	if err != nil || r == nil || r.Trace == nil || r.Minimal == InModel {
		return r, err
	}
	shorter, complete, err := j.Shorter(ctx, m, r.Trace, o.Limit)
	if err != nil {
		return r, err
	}
	if !complete {
		r.Minimal = MinimalUnknown
	}
	if shorter != nil {
		r.Trace = shorter
		r.Stats.Length = shorter.Len() + 1
	}
	return r, nil
}

// ByConditions returns a shortest run that violates one of the conditions, and so the property. It
// returns nil if there are no conditions, or if it knows no run that is shortest in the model. If
// it is stopped, it returns the shortest run found until then.
func (j Joined) ByConditions(ctx context.Context, m *lts.LTS, o Options) (*Result, error) {
	if len(j.Conditions) == 0 {
		return nil, nil
	}
	best := &Result{Minimal: InModel}
	o.Fates = nil
	for _, p := range j.Conditions {
		r, err := Shortest(ctx, m, p, o)
		if err != nil {
			best.Minimal = MinimalUnknown
			best.Violated = best.Violated || r != nil && r.Violated
			return best, err
		}
		best.Stats.Stored += r.Stats.Stored
		best.Stats.Matched += r.Stats.Matched
		if r.Trace == nil {
			continue
		}
		isShortestRun := r.Minimal == InModel && r.Trace.Kind() != Prefix
		if !isShortestRun {
			return nil, nil
		}
		best.Stats.Found += r.Stats.Found
		best.Violated = true
		if best.Trace != nil && best.Trace.Len() <= r.Trace.Len() {
			continue
		}
		best.Trace, err = Under(m, r.Trace, j.Property)
		if err != nil {
			return nil, err
		}
		best.Stats.Length = r.Stats.Length
	}
	return best, nil
}

// Shorter returns a shortest run in the product with the nondeterministic automaton, if it is
// shorter than the given one. It returns nil if no such run is shorter, if there is no such
// automaton, or if the search would visit more than limit transitions. Cost O(P²) for P transitions
// of the product, within the limit.
func (j Joined) Shorter(
	ctx context.Context,
	m *lts.LTS,
	than *Trace,
	limit int64,
) (t *Trace, complete bool, err error) {
	defer abort.Caught(&err)
	violations := abort.Must(j.Nondeterministic(ctx))
	if violations == nil {
		return nil, true, nil
	}
	x := &guesser{
		ctx:       ctx,
		m:         m,
		automaton: violations,
		remaining: limit,
		known:     map[guess]bool{},
		ends:      map[int]bool{},
	}
	found, complete := x.search(than.Len())
	if !complete || found.length == than.Len() {
		return nil, complete, nil
	}
	t = abort.Must(newTrace(m, j.Property, found.steps, found.loop))
	if t.Satisfies() {
		abort.On(fmt.Errorf("%w, though the automaton that was given accepts it", ErrSatisfies))
	}
	return t, true, nil
}

// search returns a shortest run that the automaton accepts. below is a bound: if no such run has
// fewer transitions, the result has the length below, and no steps. complete reports whether the
// search stayed within its limit.
func (x *guesser) search(below int) (best lasso, complete bool) {
	best = lasso{loop: noLoop, length: below}
	for _, q := range x.automaton.Initial {
		// The root of a tree is its own parent.
		x.addNode(guessed{
			treeNode: treeNode{state: x.m.Initial(), parent: uint32(len(x.nodes))},
			q:        q,
		})
	}
	for i := 0; i < len(x.nodes); i++ {
		node := x.nodes[i]
		if node.distance >= best.length {
			break
		}
		if x.m.IsDeadlock(node.state) {
			if x.endsAccepted(node.q) {
				best = lasso{
					steps:  x.path(i),
					loop:   noLoop,
					length: node.distance,
				}
			}
			continue
		}
		loop := x.loopFrom(node, best.length-node.distance)
		if loop != nil {
			best = newLasso(x.path(i), loop)
		}
		const noColours = property.Marks(0) // those of the stem do not matter
		x.expand(i, noColours)
		if x.remaining < 0 {
			return best, false
		}
		if i&0xff == 0 {
			abort.On(x.ctx.Err())
		}
	}
	return best, true
}

// guess is a state of the model with a state of the automaton, and the set of colours taken.
type guess struct {
	state lts.State
	q     int
	taken property.Marks
}

// guessed is a guess, with the transition by which a search reached it.
type guessed struct {
	treeNode
	q        int
	taken    property.Marks
	distance int
}

// guesser searches the product of a model and a nondeterministic automaton.
type guesser struct {
	ctx       context.Context
	m         *lts.LTS
	automaton *property.Nondeterministic
	// remaining is the number of transitions that may still be visited.
	remaining int64
	// known are the guesses that the current search has visited, in nodes.
	known map[guess]bool
	nodes []guessed
	// ends caches the results of endsAccepted.
	ends map[int]bool
}

// addNode adds a node, unless its guess is known.
func (x *guesser) addNode(n guessed) {
	g := guess{state: n.state, q: n.q, taken: n.taken}
	if !x.known[g] {
		x.known[g] = true
		x.nodes = append(x.nodes, n)
	}
}

// path returns the transitions to node i.
func (x *guesser) path(i int) []lts.Transition {
	return treePath(i, func(i int) *treeNode { return &x.nodes[i].treeNode })
}

// expand visits the successors of a node. It records which of the given colours are taken.
func (x *guesser) expand(i int, colours property.Marks) {
	from := x.nodes[i]
	labels, targets := x.m.Out(from.state)
	for j, to := range targets {
		label := labels.At(j)
		moves := []property.Move{{To: from.q}} // of a transition where runs begin
		_, begins := x.m.Alphabet().Facts(label)
		if !begins {
			moves = x.automaton.Moves[x.automaton.Letters[label]][from.q]
		}
		for _, next := range moves {
			x.remaining--
			x.addNode(guessed{
				treeNode: treeNode{state: to, label: label, parent: uint32(i)},
				q:        next.To,
				taken:    from.taken | next.Marks&colours,
				distance: from.distance + 1,
			})
		}
	}
}

// loopFrom returns a shortest closed walk from a guess that takes all colours; nil if no such walk has
// fewer than the given number of transitions.
func (x *guesser) loopFrom(from guessed, below int) []lts.Transition {
	outerNodes := x.nodes
	outerKnown := x.known
	defer func() {
		x.nodes = outerNodes
		x.known = outerKnown
	}()
	x.nodes = []guessed{{treeNode: treeNode{state: from.state}, q: from.q}}
	x.known = map[guess]bool{}
	for i := 0; i < len(x.nodes) && x.remaining >= 0; i++ {
		if x.nodes[i].distance+1 >= below {
			break
		}
		firstNew := len(x.nodes)
		x.expand(i, x.automaton.All)
		for k := firstNew; k < len(x.nodes); k++ {
			at := x.nodes[k]
			if at.state == from.state && at.q == from.q && at.taken == x.automaton.All {
				return x.path(k)
			}
		}
	}
	return nil
}

// endsAccepted reports whether the automaton accepts a run that ends when the automaton is in state
// q. It does if the moves by "nothing happens" lead from q to a state on a cycle of such moves that
// takes all colours. The answers are kept.
func (x *guesser) endsAccepted(q int) bool {
	accepted, known := x.ends[q]
	if known {
		return accepted
	}
	reached := map[int]bool{q: true}
	for to := range x.idleFrom(q) {
		reached[to.q] = true
	}
	for r := range reached {
		accepted = accepted || x.idleFrom(r)[guess{q: r, taken: x.automaton.All}]
	}
	x.ends[q] = accepted
	return accepted
}

// idleFrom returns the states of the automaton, with the colours taken, that it reaches from q by at
// least one move while nothing happens.
func (x *guesser) idleFrom(q int) map[guess]bool {
	idle := x.automaton.Moves[len(x.automaton.Moves)-1]
	visited := map[guess]bool{}
	pending := []guess{{q: q}}
	for len(pending) > 0 {
		at := pending[0]
		pending = pending[1:]
		for _, move := range idle[at.q] {
			to := guess{q: move.To, taken: at.taken | move.Marks&x.automaton.All}
			if !visited[to] {
				visited[to] = true
				pending = append(pending, to)
			}
		}
	}
	return visited
}
