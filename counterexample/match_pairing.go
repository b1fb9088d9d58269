package counterexample

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

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
		variants := model.Variants(text)
		if variants == nil {
			key := withoutBlanks(text)
			loose[key] = append(loose[key], e)
		}
		for _, l := range variants {
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
func (x *pairing) successors(from joint, do func(label string, next joint)) {
	labels, targets := x.m.Out(from.state)
	edges, nodes := x.given.graph.Out(from.node)
	for i := range labels.Len() {
		l := labels.At(i)
		number := strconv.Itoa(int(l))
		for j := range edges.Len() {
			if slices.Contains(x.spelling[l], edges.At(j)) && x.given.allows(nodes[j], targets[i]) {
				do(number, joint{targets[i], nodes[j]})
			}
		}
		if x.internal[l] {
			do(number, joint{targets[i], from.node})
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
		progressBefore := progress
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
		if v.loop == noLoop || progress == progressBefore {
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
func afterSteps(numSteps int, states []lts.State) string {
	where := fmt.Sprintf("state %d", states[0])
	if len(states) > 1 {
		where += fmt.Sprintf(" or %s", printable.Quantity(len(states)-1, "other"))
	}
	if numSteps == 0 {
		return "in the beginning (" + where + ")"
	}
	return fmt.Sprintf("after step %d (%s)", numSteps, where)
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
func (y *pairing) refuseStep(numSteps int, at []lts.State) error {
	v := y.given
	var states []lts.State
	for _, s := range at {
		states = append(states, y.joints[s].state)
	}
	slices.Sort(states)
	offers := y.offers(states)
	if numSteps == len(v.line) && v.loop == noLoop {
		return refuse("the trace ends in a deadlock, but %s the model offers %s",
			afterSteps(numSteps, states), offers)
	}
	step := numSteps
	round := 1
	afterFirstRound := numSteps - len(v.line)
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
	return refuse("%s: %s it offers %s", refused, afterSteps(numSteps, states), offers)
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
	reached := []lts.State{furthest}
	for numSteps := 0; len(reached) > 0; numSteps++ {
		reached = y.withInternal(reached)
		for _, s := range reached {
			isFirst := !y.q.IsDeadlock(furthest)
			if y.q.IsDeadlock(s) && (isFirst || numSteps > most) {
				furthest = s
				most = numSteps
			}
		}
		reached = y.afterStepOfTrace(reached, visited)
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
