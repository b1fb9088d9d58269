package counterexample

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// MatchOptions control how a given trace is matched with a model.
type MatchOptions struct {
	// SkipInternal lets the run do internal actions that the given trace lacks: finitely many
	// between two steps of the trace, and any number after its end.
	SkipInternal bool
	// Internal are the texts of the labels that are internal actions; nil means i and tau.
	Internal []string
	// Fair are tasks. If several runs fit the given trace, Match prefers a run that is fair to
	// these tasks.
	Fair []property.Task
}

// MatchNote describes how the counterexample differs from the given trace.
type MatchNote struct {
	// Skipped is the number of internal actions that the given trace lacks.
	Skipped int
	// Closed reports whether the given trace was read as a lasso whose loop is written once. Match
	// does so if the trace ends where no run can end.
	Closed bool
	// Completed is the number of transitions added after the given trace.
	Completed int
	// Rounds is the number of times that the counterexample repeats the loop of the given trace. It
	// is usually 1, but a model may need several rounds to return to a state. It is 0 if the given
	// trace is no lasso.
	Rounds int

	last lts.State // the last state of the counterexample
}

// Sentences returns the note as text, one sentence for each remarkable fact.
func (n MatchNote) Sentences() []string {
	var all []string
	if n.Rounds > 1 {
		all = append(all,
			fmt.Sprintf("the loop of the trace is written out %d times: only then does the model return to an earlier state", n.Rounds))
	}
	if n.Closed {
		all = append(all,
			fmt.Sprintf("the trace ends neither in a deadlock nor in a loop; it is read as a lasso whose loop is written once, from state %d", n.last))
	}
	if n.Completed > 0 {
		all = append(all,
			fmt.Sprintf("the trace stops before the run ends, in a state from which the property can no longer be satisfied; a shortest continuation of %s is added", printable.Quantity(n.Completed, "transition")))
	}
	if n.Skipped > 0 {
		all = append(all,
			fmt.Sprintf("the trace leaves out %s, which the run has",
				printable.Quantity(n.Skipped, "internal action")))
	}
	return all
}

// matching searches for the runs of a product that are counterexamples.
type matching struct {
	*pairing
	ctx   context.Context
	fates *fate.Map
	p     *property.Property
	// bound is p over the alphabet of the product. runs has shortest runs of the product to each
	// pair of a state of the product and a property state; it is nil before findRuns is called.
	bound *property.Property
	runs  *general
	violations
}

// violations searches for runs that violate a property; chains and other properties have different
// implementations.
type violations interface {
	// maximal returns a run that fits the given trace, is maximal and violates the property; nil if
	// there is none.
	maximal() *match
	// closedAtCut returns a lasso that violates the property, and whose loop closes at a cut: the run to the
	// cut has passed the same state of the model before. It returns nil if there is none. The lasso is
	// a shortest one and, of several shortest ones, the one with the longest loop.
	closedAtCut() *match
	// isBeginning reports whether a run that has reached a cut, and has not lost the property, can
	// still violate it.
	isBeginning(at product.State) bool
	// violatedOnceLost returns a property that every loop violates once the property is lost. So a
	// shortest run that continues a lost run and violates this property is a shortest continuation.
	violatedOnceLost() *property.Property
	// refuseSatisfied returns the error for the case that all runs that fit satisfy the property.
	// It gives the reason.
	refuseSatisfied() error
}

// match is a run of the product: a path, or a lasso as in [NewViolating].
type match struct {
	steps []lts.Transition
	loop  int
}

// run returns a run of the model that fits the given trace and violates the property.
func (y *matching) run() (t *Trace, note MatchNote) {
	found := y.maximal()
	if found == nil {
		found = y.closedAtCut()
		note.Closed = found != nil
	} else {
		note.Rounds = y.rounds(found)
	}
	if found != nil {
		t = violating("matching", y.m, y.p, y.inModel(found.steps), found.loop)
	} else {
		y.findRuns()
		isLost := func(at product.State) bool {
			return y.fates.At(y.joints[at.State].state, at.Q) == fate.Lost
		}
		cut, exists := y.nearestCut(isLost)
		if !exists {
			abort.On(y.refuse())
		}
		found = &match{steps: y.runTo(cut)}
		t = y.completed(y.inModel(found.steps), y.runs.u.At(cut).Q)
		note.Completed = t.Len() - len(found.steps)
	}
	note.Skipped = len(found.steps) - y.countTaken(found.steps)
	note.last = t.Last()
	return t, note
}

// rounds returns how often a run repeats the loop of the given trace, including an incomplete
// round; 0 if the given trace is no lasso.
func (y *matching) rounds(found *match) int {
	v := y.given
	if !v.linear || v.loop == noLoop {
		return 0
	}
	roundLength := len(v.line) - v.loop
	stepsOnLoop := y.countTaken(found.steps) - v.loop
	return (stepsOnLoop + roundLength - 1) / roundLength // rounded up
}

// findRuns finds shortest runs of the product.
func (y *matching) findRuns() {
	if y.runs == nil {
		y.runs = newGeneral(y.ctx, abort.Must(product.Unfold(y.ctx, y.q, y.bound)), nil,
			Options{})
	}
}

// runTo returns a shortest run of the product to a state with a property state.
func (y *matching) runTo(s lts.State) []lts.Transition {
	return lower(y.runs.u, y.runs.pathTo(s))
}

// nearestCut returns the nearest cut that is wanted; false if there is none.
func (y *matching) nearestCut(isWanted func(at product.State) bool) (lts.State, bool) {
	return y.nearest(func(at product.State) bool { return y.isCut(at.State) && isWanted(at) })
}

// nearest returns the wanted state in the field runs to which a shortest run leads; false if there
// is none.
func (y *matching) nearest(isWanted func(at product.State) bool) (lts.State, bool) {
	// The states of runs are numbered breadth first, so the first one found is nearest.
	for s := range lts.State(y.runs.m.NumStates()) {
		if isWanted(y.runs.u.At(s)) {
			return s, true
		}
	}
	return 0, false
}

// completed returns the run to a cut, in property state q, where the property is lost. If the run
// is a bad prefix, it is returned as it is, and otherwise with a shortest continuation.
func (y *matching) completed(given []lts.Transition, q property.Q) *Trace {
	words := abort.Must(product.ResidualsOf(y.ctx, y.p))
	isBadPrefix := words.CanAccept(y.p.Initial()) && !words.CanAccept(q)
	if words.IsSafety() && isBadPrefix {
		return abort.Must(NewStem(y.m, y.p, given, Prefix))
	}
	// A shortest counterexample that begins with these steps is a shortest counterexample of the model
	// in which every run begins with them. In that model, every loop violates the property. The cost is
	// that of [Shortest], and O(S + T).
	beginning := y.beginningWith(given)
	t := abort.Must(Shortest(y.ctx, beginning, y.violatedOnceLost(), Options{})).Trace
	original := func(s lts.State) lts.State {
		k := int(s) - y.m.NumStates()
		if k >= 0 {
			return given[k].From
		}
		return s
	}
	steps := t.Steps()
	for i, step := range steps {
		steps[i] = lts.Transition{
			From:  original(step.From),
			Label: step.Label,
			To:    original(step.To),
		}
	}
	return abort.Must(NewViolating(y.m, y.p, steps, t.loop))
}

// beginningWith returns the model with the given steps as its only beginning. The steps become a
// path through copies of their states, which are numbered after the states of the model; only the
// last state of the path is the model's own state. Transitions to a state with a copy lead to the
// copy, so that they close a loop. Labels keep their numbers.
func (y *matching) beginningWith(given []lts.Transition) *lts.LTS {
	states := lts.State(y.m.NumStates())
	copies := map[lts.State]lts.State{}
	for k, step := range given {
		copies[step.From] = states + lts.State(k)
	}
	initial := y.m.Initial()
	if len(given) > 0 {
		initial = states // the first copy
	}
	var b lts.Builder
	b.Over(y.m.Alphabet())
	b.Grow(y.m.NumTransitions() + len(given))
	for s := range states {
		labels, targets := y.m.Out(s)
		for i, to := range targets {
			stateCopy, isCopied := copies[to]
			if isCopied {
				to = stateCopy
			}
			b.Add(s, labels.At(i), to)
		}
	}
	for k, step := range given {
		to := states + lts.State(k+1)
		if k == len(given)-1 {
			to = step.To
		}
		b.Add(states+lts.State(k), step.Label, to)
	}
	return abort.Must(b.Build(initial, y.m.NumStates()+len(given)))
}

// refuse returns the error that explains why no run of the product is a counterexample.
func (y *matching) refuse() error {
	if cut, exists := y.nearestCut(y.isBeginning); exists {
		reached := []lts.State{y.joints[y.runs.u.At(cut).State].state}
		return refuse("the trace is only the beginning of a run: %s the property can still be satisfied; the model offers %s there",
			afterSteps(y.countTaken(y.runTo(cut)), reached), y.offers(reached))
	}
	someRunFits := len(y.statesWhere(y.isCut)) > 0 || len(y.statesWhere(y.isEnd)) > 0 ||
		len(y.looping()) > 0
	switch {
	case someRunFits:
		return y.refuseSatisfied()
	case y.given.linear:
		return y.refuseLine()
	}
	return y.refuseGraph()
}

// looping returns the states of the product where a run can stay forever.
func (y *matching) looping() []lts.State {
	all := y.statesWhere(func(lts.State) bool { return true })
	anyTransition := func(lts.State, lts.Label, lts.State) bool { return true }
	return slices.Concat(y.componentsToStay(all, anyTransition)...)
}

// componentsToStay returns the strongly connected components, of some states and the allowed
// transitions, in which a run can stay forever: those with a transition that the product accepts.
func (y *matching) componentsToStay(
	states []lts.State,
	allowed func(lts.State, lts.Label, lts.State) bool,
) (found [][]lts.State) {
	parts := abort.Must(scc.NewParts(y.ctx, y.q))
	for component := range abort.Must(parts.Components(states, allowed)) {
		parts.Enter(component)
		hasAccepted := func(s lts.State) bool {
			labels, targets := y.q.Out(s)
			for i, t := range targets {
				l := labels.At(i)
				staysInside := parts.Has(t) && allowed(s, l, t)
				if staysInside && y.accepts(s, l, t) {
					return true
				}
			}
			return false
		}
		if slices.ContainsFunc(component, hasAccepted) {
			found = append(found, component)
		}
	}
	return found
}

// Given is a counterexample of another tool: a graph whose runs begin in its initial node, and
// whose labels are texts. Most often it is a path or a lasso. Its nodes are not the states of the
// model, but it may be known which state belongs to each node. A node without edges is an end that leaves open how the run continues, unless it is known
// to be a deadlock.
//
// A Given is immutable.
type Given struct {
	graph *lts.LTS
	// states has the state of the model in which the run is at each node; nil if they are unknown.
	states    []lts.State
	deadlocks map[lts.State]bool
	// line has the edges in order if the given trace is linear: a path, with noLoop as loop, or a lasso
	// whose last edge leads to the source of line[loop].
	line   []lts.Transition
	loop   int
	linear bool
}

// NewGiven returns the given trace with the given graph. states has the state of the model in which the
// run is at each node, and is nil if they are unknown. The nodes in deadlocks are known to be deadlocks
// of the model; NewGiven fails if an edge leaves such a node. Cost O(size of the graph).
func NewGiven(graph *lts.LTS, states []lts.State, deadlocks ...lts.State) (*Given, error) {
	v := &Given{
		graph:     graph,
		states:    states,
		deadlocks: make(map[lts.State]bool, len(deadlocks)),
		loop:      noLoop,
	}
	for _, node := range deadlocks {
		if int(node) >= graph.NumStates() || !graph.IsDeadlock(node) {
			return nil, fmt.Errorf("counterexample: node %d of the given trace goes on, and cannot be a deadlock", node)
		}
		v.deadlocks[node] = true
	}
	v.findLine()
	return v, nil
}

// findLine sets the fields about a linear trace. A trace is linear if each node has at most one
// edge.
func (v *Given) findLine() {
	number := map[lts.State]int{} // the index in the line of the edge of each node passed so far
	at := v.graph.Initial()
	for {
		labels, nodes := v.graph.Out(at)
		for i := range nodes {
			if nodes[i] != nodes[0] || labels.At(i) != labels.At(0) {
				v.line = nil
				return
			}
		}
		if len(nodes) == 0 {
			break
		}
		number[at] = len(v.line)
		v.line = append(v.line, lts.Transition{
			From:  at,
			Label: labels.At(0),
			To:    nodes[0],
		})
		at = nodes[0]
		loop, isPassed := number[at]
		if isPassed {
			v.loop = loop
			break
		}
	}
	v.linear = true
}

// Line returns the labels of the given trace in order if the trace is linear: a lasso, whose loop
// begins with labels[loop], or a path; then loop is negative. ok is false if some node has several
// edges. Cost O(len(labels)).
func (v *Given) Line() (labels []string, loop int, ok bool) {
	for _, step := range v.line {
		labels = append(labels, v.graph.Alphabet().Text(step.Label))
	}
	return labels, v.loop, v.linear
}

// Graph returns the graph of the given trace.
func (v *Given) Graph() *lts.LTS { return v.graph }

// IsDeadlock reports whether a node is known to be a deadlock of the model.
func (v *Given) IsDeadlock(node lts.State) bool { return v.deadlocks[node] }

// isOpen reports whether a node is an end after which the run may continue.
func (v *Given) isOpen(node lts.State) bool {
	return v.graph.IsDeadlock(node) && !v.deadlocks[node]
}

// allows reports whether a run can be in a state of the model at a node.
func (v *Given) allows(node, state lts.State) bool {
	return v.states == nil || v.states[node] == state
}

func (v *Given) text(l lts.Label) string { return v.graph.Alphabet().Text(l) }

// productLimit is the number of states of a product above which matching fails; an ordinary machine
// can hold that many. A product is about as large as the given trace, unless many runs of the model
// have the same labels.
const productLimit = 1 << 24

// joint is a state of the model paired with a node of the given trace.
type joint struct {
	state lts.State
	node  lts.State
}

// pairing is the product of the model and a given trace. Both take a step together if the texts of their
// labels agree; the model takes an internal step alone.
type pairing struct {
	m     *lts.LTS
	given *Given
	// spelling[l] are the labels of the given trace that match label l of the model.
	spelling [][]lts.Label
	internal []bool // for each label of the model, whether it is an internal action

	q *lts.LTS
	// joints[s] is the pair that state s of q represents, and labels[l] is the label of the model
	// for label l of q.
	joints []joint
	labels []lts.Label
}

// newPairing prepares the search for a given run in a model. internal are the labels that the given run may
// leave out.
func newPairing(ctx context.Context, m *lts.LTS, v *Given, internal []string) *pairing {
	x := &pairing{
		m:        m,
		given:    v,
		spelling: spellings(m.Alphabet(), v.graph.Alphabet()),
		internal: make([]bool, m.Alphabet().Len()),
	}
	for _, text := range internal {
		for _, l := range m.Alphabet().Variants(text) {
			x.internal[l] = true
		}
	}
	var err error
	x.q, x.joints, err = lts.Explore(ctx, joint{m.Initial(), v.graph.Initial()}, x.successors,
		productLimit)
	abort.On(ctx.Err())
	if err != nil {
		abort.On(fmt.Errorf("too many runs of the model fit the trace to be told apart (more than %d states side by side): give a smaller one, such as a single sequence", productLimit))
	}
	for _, number := range x.q.Alphabet().All() {
		l, _ := strconv.Atoi(number)
		x.labels = append(x.labels, lts.Label(l))
	}
	return x
}

// spellings returns, for each label of a model, the labels of a given trace that match it. A label
// of the trace matches the labels of the model with the same text. If there are none, it matches
// the labels whose text differs only in blanks after commas.
func spellings(model, given *lts.Alphabet) [][]lts.Label {
	matching := make([][]lts.Label, model.Len())
	loose := map[string][]lts.Label{} // by their texts without blanks
	for e, text := range given.All() {
		same := model.Variants(text)
		if same == nil {
			key := withoutBlanks(text)
			loose[key] = append(loose[key], e)
		}
		for _, l := range same {
			matching[l] = append(matching[l], e)
		}
	}
	if len(loose) > 0 {
		for l, text := range model.All() {
			matching[l] = append(matching[l], loose[withoutBlanks(text)]...)
		}
	}
	return matching
}

// withoutBlanks returns a text without the blanks around it and after its commas.
func withoutBlanks(text string) string {
	parts := strings.Split(text, ",")
	for i := range parts {
		parts[i] = strings.TrimLeft(parts[i], " \t")
	}
	return strings.TrimRight(strings.Join(parts, ","), " \t")
}

// successors calls do for each transition from a pair. do gets the label of the transition in the
// model, as a text with its number, and the pair to which the transition leads.
func (x *pairing) successors(at joint, do func(label string, next joint)) {
	labels, targets := x.m.Out(at.state)
	edges, nodes := x.given.graph.Out(at.node)
	for i := range labels.Len() {
		l := labels.At(i)
		number := strconv.Itoa(int(l))
		for j := range edges.Len() {
			if slices.Contains(x.spelling[l], edges.At(j)) && x.given.allows(nodes[j], targets[i]) {
				do(number, joint{targets[i], nodes[j]})
			}
		}
		if x.internal[l] {
			do(number, joint{targets[i], at.node})
		}
	}
}

// isStepOfTrace reports whether the given trace takes part in a transition of the product.
func (x *pairing) isStepOfTrace(from lts.State, label lts.Label, to lts.State) bool {
	before := x.joints[from].node
	after := x.joints[to].node
	if before != after {
		return true
	}
	edges, nodes := x.given.graph.Out(before)
	for i, node := range nodes {
		if node == after && slices.Contains(x.spelling[x.labels[label]], edges.At(i)) {
			return true
		}
	}
	return false
}

// accepts reports whether a run that takes a transition infinitely often fits the given trace. A
// run that from some step on takes internal actions alone fits only if it does so after an open end
// of the given trace.
func (x *pairing) accepts(from lts.State, label lts.Label, to lts.State) bool {
	return x.given.isOpen(x.joints[from].node) || x.isStepOfTrace(from, label, to)
}

// isEnd reports whether a run that ends in s fits the given trace.
func (x *pairing) isEnd(s lts.State) bool {
	at := x.joints[s]
	return x.m.IsDeadlock(at.state) && x.given.graph.IsDeadlock(at.node)
}

// isCut reports whether the given trace may end in s although the model cannot.
func (x *pairing) isCut(s lts.State) bool {
	at := x.joints[s]
	return !x.m.IsDeadlock(at.state) && x.given.isOpen(at.node)
}

// inModel returns the transitions of the model that transitions of the product represent.
func (x *pairing) inModel(steps []lts.Transition) []lts.Transition {
	mapped := make([]lts.Transition, len(steps))
	for i, step := range steps {
		mapped[i] = lts.Transition{
			From:  x.joints[step.From].state,
			Label: x.labels[step.Label],
			To:    x.joints[step.To].state,
		}
	}
	return mapped
}

// countTaken returns the number of transitions in a list that are steps of the given trace.
func (x *pairing) countTaken(steps []lts.Transition) int {
	count := 0
	for _, step := range steps {
		if x.isStepOfTrace(step.From, step.Label, step.To) {
			count++
		}
	}
	return count
}

// statesWhere returns the states of the product that are wanted, ascending.
func (x *pairing) statesWhere(wanted func(lts.State) bool) (all []lts.State) {
	for s := range lts.State(len(x.joints)) {
		if wanted(s) {
			all = append(all, s)
		}
	}
	return all
}

// refusal is the error about a given trace that is no counterexample.
type refusal struct{ message string }

func (r *refusal) Error() string { return r.message }

func refuse(format string, args ...any) error {
	return &refusal{fmt.Sprintf(format, args...)}
}

// Texts for errors about a given trace that satisfies the property.
const (
	satisfied = "the trace does not violate the property: "
	fitting   = "every run of the model that fits it satisfies it"
)

// refuseSatisfied returns the error that names the step that completes the property. If the given
// trace is linear, this step is the same in all runs, because internal actions that the given trace
// lacks do no steps.
func (y *chainMatching) refuseSatisfied() error {
	v := y.given
	if !v.linear {
		return refuse(satisfied + fitting)
	}
	progress := 0
	begin := 0 // the index where the current round begins
	for round := 1; ; round++ {
		before := progress
		for i, step := range v.line[begin:] {
			progress = y.advance(progress, step.Label)
			if progress < y.chain.Len() {
				continue
			}
			message := fmt.Sprintf("step %d (%q) completes it", begin+i+1, v.text(step.Label))
			if round > 1 {
				message += fmt.Sprintf(" on round %d of the loop", round)
			}
			return refuse("%s", satisfied+message)
		}
		if v.loop == noLoop || progress == before {
			return refuse(satisfied +
				"with the internal actions that it leaves out, every run of the model that fits it satisfies it")
		}
		begin = v.loop
	}
}

// advance returns the progress after a step of the given trace with a certain label. Labels that the
// model or the product lacks do no step.
func (y *chainMatching) advance(progress int, given lts.Label) int {
	inModel := slices.IndexFunc(y.spelling, func(spelled []lts.Label) bool {
		return slices.Contains(spelled, given)
	})
	if inModel < 0 {
		return progress
	}
	inProduct := slices.Index(y.labels, y.m.Alphabet().Plain(lts.Label(inModel)))
	if inProduct < 0 {
		return progress
	}
	return y.chain.Advance(progress, lts.Label(inProduct))
}

// afterSteps returns the text about the states in which the model is after the first steps of the given
// trace.
func afterSteps(steps int, states []lts.State) string {
	where := fmt.Sprintf("state %d", states[0])
	if len(states) > 1 {
		where += fmt.Sprintf(" or %s", printable.Quantity(len(states)-1, "other"))
	}
	if steps == 0 {
		return "in the beginning (" + where + ")"
	}
	return fmt.Sprintf("after step %d (%s)", steps, where)
}

// offers returns the text that lists some labels of the transitions from these states.
func (y *pairing) offers(states []lts.State) string {
	var distinct []lts.Label
	for _, s := range states {
		labels, _ := y.m.Out(s)
		for i := range labels.Len() {
			l := labels.At(i)
			if !slices.Contains(distinct, l) {
				distinct = append(distinct, l)
			}
		}
	}
	if len(distinct) == 0 {
		return "nothing, which is a deadlock"
	}
	return listed(distinct, y.m.Alphabet())
}

// listed returns a text that quotes the first labels and gives the number of the others.
func listed(labels []lts.Label, a *lts.Alphabet) string {
	const most = 3
	shown := labels
	if len(labels) > most {
		shown = labels[:most-1]
	}
	quoted := make([]string, len(shown))
	for i, l := range shown {
		quoted[i] = fmt.Sprintf("%q", a.Text(l))
	}
	text := strings.Join(quoted, ", ")
	more := len(labels) - len(shown)
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// refuseLine follows all runs that fit a linear given trace, step by step, and returns the error
// about the first step that none of them can take. There is such a step, since otherwise some run
// would fit.
func (y *pairing) refuseLine() error {
	at := y.withInternal([]lts.State{y.q.Initial()})
	for steps := 0; ; steps++ {
		next := y.withInternal(y.afterStepOfTrace(at, map[lts.State]bool{}))
		if len(next) == 0 {
			return y.refuseStep(steps, at)
		}
		at = next
	}
}

// refuseStep returns the error about the step of a linear given trace that follows the given number of
// steps. at are the states of the product after these steps; none of them can take the next one.
func (y *pairing) refuseStep(steps int, at []lts.State) error {
	v := y.given
	var states []lts.State
	for _, s := range at {
		states = append(states, y.joints[s].state)
	}
	slices.Sort(states)
	offers := y.offers(states)
	if steps == len(v.line) && v.loop == noLoop {
		return refuse("the trace ends in a deadlock, but %s the model offers %s",
			afterSteps(steps, states), offers)
	}
	step := steps
	round := 1
	afterFirstRound := steps - len(v.line)
	if afterFirstRound >= 0 {
		roundLength := len(v.line) - v.loop
		step = v.loop + afterFirstRound%roundLength
		round = 2 + afterFirstRound/roundLength
	}
	refused := fmt.Sprintf("step %d, %q, is not a step of the model", step+1,
		printable.Echo(v.text(v.line[step].Label)))
	if round > 1 {
		refused += fmt.Sprintf(" on round %d of the loop", round)
	}
	return refuse("%s: %s it offers %s", refused, afterSteps(steps, states), offers)
}

// withInternal returns some states and the states that the model reaches from them by internal actions
// alone.
func (y *pairing) withInternal(states []lts.State) []lts.State {
	visited := map[lts.State]bool{}
	for _, s := range states {
		visited[s] = true
	}
	for i := 0; i < len(states); i++ {
		states = append(states, y.afterInternalStep(states[i:i+1], visited)...)
	}
	return states
}

// afterStepOfTrace returns the states to which one step of the given trace leads from some states. It
// leaves out the states in visited, and adds the others to visited.
func (y *pairing) afterStepOfTrace(states []lts.State, visited map[lts.State]bool) []lts.State {
	return y.successorsBy(states, visited, y.isStepOfTrace)
}

// afterInternalStep returns the states to which one internal action that the given trace lacks leads
// from some states. It leaves out the states in visited, and adds the others to visited.
func (y *pairing) afterInternalStep(states []lts.State, visited map[lts.State]bool) []lts.State {
	isInternal := func(from lts.State, l lts.Label, to lts.State) bool {
		return !y.isStepOfTrace(from, l, to)
	}
	return y.successorsBy(states, visited, isInternal)
}

// successorsBy returns the states to which one wanted transition leads from some states. It leaves out the
// states in visited, and adds the others to visited.
func (y *pairing) successorsBy(
	states []lts.State,
	visited map[lts.State]bool,
	isWanted func(from lts.State, l lts.Label, to lts.State) bool,
) (next []lts.State) {
	for _, s := range states {
		labels, targets := y.q.Out(s)
		for j, to := range targets {
			if !visited[to] && isWanted(s, labels.At(j), to) {
				visited[to] = true
				next = append(next, to)
			}
		}
	}
	return next
}

// refuseGraph returns the error about the run that takes the most steps of the given trace.
func (y *pairing) refuseGraph() error {
	// Search for the first state of the product at which a run ends after the most steps of the
	// trace.
	furthest := y.q.Initial()
	most := 0
	visited := map[lts.State]bool{furthest: true}
	at := []lts.State{furthest}
	for steps := 0; len(at) > 0; steps++ {
		at = y.withInternal(at)
		for _, s := range at {
			isFirst := !y.q.IsDeadlock(furthest)
			if y.q.IsDeadlock(s) && (isFirst || steps > most) {
				furthest = s
				most = steps
			}
		}
		at = y.afterStepOfTrace(at, visited)
	}
	end := y.joints[furthest]
	states := []lts.State{end.state}
	wants := "has ended in a deadlock"
	edges, _ := y.given.graph.Out(end.node)
	if edges.Len() > 0 {
		wants = "goes on with " + listed(slices.Collect(edges.All()), y.given.graph.Alphabet())
	}
	return refuse("no run of the model fits the trace: the one that gets furthest stops %s, where the trace %s and the model offers %s",
		afterSteps(most, states), wants, y.offers(states))
}

// chainMatching searches for runs that violate a chain: the property over the alphabet of the
// product.
type chainMatching struct {
	*matching
	chain *property.Chain
}

// match finds the runs of a matching that violate a chain, see [Match].
//
// Cost O(n P) for P states and transitions of the product of model and given trace. The product is
// about as large as the given trace if few runs fit it. For a given trace that has no loop and
// breaks off, the cost is also O(n P) for each state where it may break off, and O(S + T).
func (h chainHalf) match(y *matching) violations {
	chain := abort.Must(h.p.Relabel(y.q.Alphabet(), func(l lts.Label) lts.Label {
		return y.labels[l]
	}))
	y.bound = chain.Property()
	return &chainMatching{y, chain}
}

// isBeginning reports whether a run to a cut has yet to do some step.
func (y *chainMatching) isBeginning(at product.State) bool { return int(at.Q) < y.chain.Len() }

// violatedOnceLost returns the chain itself: every loop violates it once no run does all steps.
func (y *chainMatching) violatedOnceLost() *property.Property { return y.p }

// maximal returns a shortest run to a deadlock, or a lasso if there is a shorter one.
func (y *chainMatching) maximal() *match {
	y.findRuns()
	var best *match
	isViolatingEnd := func(at product.State) bool { return y.isEnd(at.State) && y.isBeginning(at) }
	if end, exists := y.nearest(isViolatingEnd); exists {
		best = &match{steps: y.runTo(end), loop: noLoop}
	}
	looping := y.looping()
	// A run that loops violates the chain iff, for some m, its stem has progress at most m and its loop
	// avoids step m+1.
	for m := 0; m < y.chain.Len() && len(looping) > 0; m++ {
		found := y.lasso(m, looping)
		if found != nil && (best == nil || len(found.steps) < len(best.steps)) {
			best = found
		}
	}
	return best
}

// lasso returns a run with progress at most m to a cycle through one of the looping states, and the
// cycle; the cycle has no labels of step m+1.
func (y *chainMatching) lasso(m int, looping []lts.State) *match {
	runs := y.firstRuns(m)
	states := slices.DeleteFunc(slices.Clone(looping), func(s lts.State) bool {
		return runs[s] == none
	})
	avoids := func(_ lts.State, l lts.Label, _ lts.State) bool {
		return !y.chain.Does(l, m+1)
	}
	first := none
	var reached []lts.State // the component that the first run reaches
	for _, component := range y.componentsToStay(states, avoids) {
		for _, s := range component {
			if runs[s] < first {
				first = runs[s]
				reached = component
			}
		}
	}
	if first == none {
		return nil
	}
	stem := y.runTo(first)
	cycle := y.cycle(y.runs.u.At(first).State, m, reached)
	return &match{steps: append(stem, cycle...), loop: len(stem)}
}

// none means that no run leads to a state.
const none lts.State = lts.MaxStates

// firstRuns returns, for each state of the product, a state in the field runs: there ends a
// shortest run to the state of the product with progress at most m. It is none if there is no such
// run.
func (y *chainMatching) firstRuns(m int) []lts.State {
	first := slices.Repeat([]lts.State{none}, y.q.NumStates())
	for s := range lts.State(y.runs.m.NumStates()) {
		at := y.runs.u.At(s)
		if int(at.Q) <= m && first[at.State] == none {
			first[at.State] = s
		}
	}
	return first
}

// onCycle is a state of the product on a path that may become a cycle. accepted reports whether the
// product accepts some transition of the path.
type onCycle struct {
	treeNode
	accepted bool
}

// cycle returns a shortest cycle through start, inside its component and without labels of step m+1,
// with a transition that the product accepts. There must be one.
func (y *chainMatching) cycle(start lts.State, m int, component []lts.State) []lts.Transition {
	inside := bitset.Of(y.q.NumStates(), component)
	type node struct {
		state    lts.State
		accepted bool
	}
	visited := map[node]bool{}
	queue := []onCycle{{treeNode: treeNode{state: start}}}
	for i := 0; ; i++ {
		from := queue[i]
		labels, targets := y.q.Out(from.state)
		for j, to := range targets {
			next := node{to, from.accepted || y.accepts(from.state, labels.At(j), to)}
			mayTake := inside.Has(to) && !y.chain.Does(labels.At(j), m+1)
			if !mayTake || visited[next] {
				continue
			}
			visited[next] = true
			step := treeNode{state: to, label: labels.At(j), parent: uint32(i)}
			queue = append(queue, onCycle{treeNode: step, accepted: next.accepted})
			if next == (node{start, true}) {
				return treePath(len(queue)-1, func(i int) *treeNode {
					return &queue[i].treeNode
				})
			}
		}
	}
}

// closedAtCut searches backwards from each cut. A loop that violates a chain lacks the labels of some
// step m+1, so the search is repeated for each m.
func (y *chainMatching) closedAtCut() *match {
	cuts := y.statesWhere(y.isCut)
	if len(cuts) == 0 {
		return nil
	}
	best := closing{length: infinite}
	for m := range y.chain.Len() {
		firstRuns := y.firstRuns(m)
		for _, cut := range cuts {
			abort.On(y.ctx.Err())
			best = y.bestClosing(cut, m, firstRuns, best)
		}
	}
	if best.length == infinite {
		return nil
	}
	return &match{steps: append(y.runTo(best.run), best.loop...), loop: best.stem}
}

// closing is a lasso whose loop closes at a cut. run is the state in which the run to the beginning
// of the loop ends. stem is the number of transitions of that run, and length the number of
// transitions of stem and loop.
type closing struct {
	run          lts.State
	stem, length int
	loop         []lts.Transition
}

// isBetter reports whether a lasso is shorter than another or, if both have the same length, has
// the longer loop.
func (c closing) isBetter(other closing) bool {
	return c.length < other.length || c.length == other.length && c.stem < other.stem
}

// bestClosing searches backwards from a cut, by transitions without labels of step m+1, for product
// states with the same state of the model: there a loop can begin. It returns the best of these
// lassos and of the given one. firstRuns has the results of [chainMatching.firstRuns] for m.
func (y *chainMatching) bestClosing(
	cut lts.State,
	m int,
	firstRuns []lts.State,
	best closing,
) closing {
	onward := map[lts.State]lts.Transition{cut: {}} // from each visited state towards the cut
	queue := []lts.State{cut}
	for distance := 1; len(queue) > 0; distance++ {
		var next []lts.State
		for _, s := range queue {
			labels, sources := y.q.Predecessors().In(s)
			for i, from := range sources {
				_, visited := onward[from]
				if visited || y.chain.Does(labels.At(i), m+1) {
					continue
				}
				onward[from] = lts.Transition{
					From:  from,
					Label: labels.At(i),
					To:    s,
				}
				next = append(next, from)
				run := firstRuns[from]
				closesLoop := y.joints[from].state == y.joints[cut].state
				if run == none || !closesLoop {
					continue
				}
				found := closing{run: run, stem: int(y.runs.distance[run])}
				found.length = found.stem + distance
				if found.isBetter(best) {
					found.loop = pathAlong(onward, from, cut)
					best = found
				}
			}
		}
		queue = next
	}
	return best
}

// pathAlong returns the path from a state to the end that takes the transition of onward in each state.
func pathAlong(onward map[lts.State]lts.Transition, from, end lts.State) []lts.Transition {
	var path []lts.Transition
	for at := from; at != end; at = onward[at].To {
		path = append(path, onward[at])
	}
	return path
}

// tableMatching searches for runs that violate a property of any kind. Infinite runs must also be
// fair.
type tableMatching struct {
	*matching
	fair []*obligations
}

// match finds the runs of a matching that violate a property that is no chain, see [Match]. If the
// given trace is a bad prefix, it is returned as it is. If it is a lasso whose loop is written once,
// the search stops after about ten million steps of runs, and may miss a counterexample.
//
// Cost as for [chainHalf.match], with the number of property states instead of n, and that of
// [inProduct] on the product of model and given trace.
func (h tableHalf) match(y *matching) violations {
	y.bound = abort.Must(h.p.Relabel(y.q.Alphabet(), func(l lts.Label) lts.Label {
		return y.labels[l]
	}))
	return &tableMatching{matching: y}
}

func (y *tableMatching) isBeginning(at product.State) bool {
	return y.fates.At(y.joints[at.State].state, at.Q) == fate.Open
}

// violatedOnceLost returns the property that no run satisfies.
func (y *tableMatching) violatedOnceLost() *property.Property {
	a := y.m.Alphabet()
	return abort.Must(property.Table(a, property.Automaton{
		Letters:    make([]uint16, a.Len()),
		Columns:    1,
		Next:       []property.Q{0},
		Stop:       []bool{false},
		Acceptance: property.Never(),
		Name:       "false",
	}))
}

func (y *tableMatching) refuseSatisfied() error { return refuse(satisfied + fitting) }

// maximal returns a shortest run. It searches for a run that violates the property "p, or only
// finitely many steps of the given trace occur, or the run is not fair". The labels of the product
// that it searches have a bit for whether a transition is a step of the given trace.
func (y *tableMatching) maximal() *match {
	f := y.newFitProduct()
	if f == nil {
		return nil
	}
	m, letters := f.model()
	var r Result
	inProduct(y.ctx, m, f.property(m, letters), Options{}, &r)
	if r.Trace == nil {
		return nil
	}
	steps := r.Trace.Steps()
	for i := range steps {
		steps[i].Label /= lts.Label(f.perLabel())
	}
	return &match{steps: steps, loop: r.Trace.loop}
}

// mostClosing limits the search for a lasso whose loop is written once: it visits at most this many
// steps of runs.
const mostClosing = 10_000_000

// closed visits runs depth first.
func (y *tableMatching) closedAtCut() *match {
	if len(y.statesWhere(y.isCut)) == 0 {
		return nil
	}
	w := &fittingRuns{
		tableMatching: y,
		onRun:         make(map[lts.State]bool),
		stepsLeft:     mostClosing,
	}
	w.enter(y.q.Initial())
	for len(w.next) > 0 && w.stepsLeft > 0 {
		w.stepsLeft--
		abort.IfDone(y.ctx, w.stepsLeft)
		w.step()
	}
	return w.best
}

// fittingRuns visits the runs of a product that pass no state twice, depth first.
type fittingRuns struct {
	*tableMatching
	steps     []lts.Transition
	at        []lts.State        // the sources of steps, and the target of the last step
	next      []int              // for each state in at, the index of the transition to be tried next
	onRun     map[lts.State]bool // the states in at
	stepsLeft int                // the number of steps that may still be visited
	best      *match
}

// enter appends a state to the run.
func (w *fittingRuns) enter(s lts.State) {
	w.at = append(w.at, s)
	w.next = append(w.next, 0)
	w.onRun[s] = true
	if w.isCut(s) {
		w.close()
	}
}

// step takes the next transition, or goes back if there is none.
func (w *fittingRuns) step() {
	last := len(w.at) - 1
	s := w.at[last]
	labels, targets := w.q.Out(s)
	mayBeShorter := w.best == nil || len(w.steps) < len(w.best.steps)
	i := w.next[last]
	if i < len(targets) && mayBeShorter {
		w.next[last]++
		t := targets[i]
		if !w.onRun[t] {
			w.steps = append(w.steps, lts.Transition{
				From:  s,
				Label: labels.At(i),
				To:    t,
			})
			w.enter(t)
		}
		return
	}
	delete(w.onRun, s)
	w.at = w.at[:last]
	w.next = w.next[:last]
	w.steps = w.steps[:max(0, last-1)]
}

// close searches for the longest loop that the run can close at its end.
func (w *fittingRuns) close() {
	end := w.joints[w.at[len(w.at)-1]].state
	var inModel []lts.Transition
	for loop, s := range w.at[:len(w.at)-1] {
		closesLoop := w.joints[s].state == end
		if !closesLoop || w.stepsLeft <= 0 {
			continue
		}
		hasSameLength := w.best != nil && len(w.steps) == len(w.best.steps)
		if hasSameLength && loop >= w.best.loop {
			return // this loop and all later ones are no longer than that of the best run
		}
		if inModel == nil {
			inModel = w.inModel(w.steps)
		}
		w.stepsLeft -= len(inModel)
		neglects := func(o *obligations) bool { return !o.isFair(inModel[loop:]) }
		if slices.ContainsFunc(w.fair, neglects) {
			continue
		}
		_, err := NewViolating(w.m, w.p, inModel, loop)
		if err == nil {
			w.best = &match{steps: slices.Clone(w.steps), loop: loop}
			return
		}
	}
}
