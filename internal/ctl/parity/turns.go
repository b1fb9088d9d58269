package parity

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/formula/mucalculus"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

const (
	// maxTurns is the largest number of turns of a region that are described.
	maxTurns = 1000
	// maxReplies is the largest number of labels and of targets that one sentence lists.
	maxReplies = 6
	// maxChain is the largest number of turns that a sentence has after its first one.
	maxChain = 7
	// longestStage is the largest number of characters of a formula in the sentence about a turn.
	longestStage = 80
	longestLabel = 60
)

// turn is what a strategy does between two steps: the steps that it chooses, and the steps that it is
// prepared for.
type turn struct {
	// position is the position of the turn, after unfolding fixpoints.
	position position
	chosen   []reply
	answered []reply
}

// reply is a step of a turn.
type reply struct {
	step lts.Transition
	// next is the turn after the step. isLast reports whether the step leaves the region.
	next   position
	isLast bool
	// priority is the largest priority of the fixpoints between the two steps.
	priority int
}

// behindFixpoints returns the position after unfolding fixpoints, and the largest priority of these
// fixpoints.
func (a *arguing) behindFixpoints(p position) (position, int) {
	component := a.Formula.Node(int(p.node)).Component
	priority := 0
	met := map[int32]bool{}
	for !met[p.node] {
		met[p.node] = true
		n := a.Formula.Node(int(p.node))
		if n.Kind != mucalculus.Fixpoint || a.Formula.Node(n.Parts[0]).Component != component {
			break
		}
		priority = max(priority, n.Priority)
		p.node = int32(n.Parts[0])
	}
	return p, priority
}

// turns returns the turns of the strategy in the region of a position, each after a turn that leads to
// it.
func (a *arguing) turns(at position) ([]*turn, error) {
	first, _ := a.behindFixpoints(at)
	known := map[position]bool{first: true}
	all := []*turn{{position: first}}
	for i := 0; i < len(all); i++ {
		if err := a.ctx.Err(); err != nil {
			return nil, err
		}
		t := all[i]
		a.findSteps(t)
		for _, r := range slices.Concat(t.chosen, t.answered) {
			if !r.isLast && !known[r.next] {
				known[r.next] = true
				all = append(all, &turn{position: r.next})
			}
		}
	}
	return all, nil
}

// findSteps finds the steps of a turn.
func (a *arguing) findSteps(t *turn) {
	component := a.Formula.Node(int(t.position.node)).Component
	largest := map[int32]int{t.position.node: 0} // for each node met, the largest priority on a way to it
	waiting := []int32{t.position.node}
	for len(waiting) > 0 {
		node := waiting[0]
		waiting = waiting[1:]
		n := a.Formula.Node(int(node))
		a.eachRelevant(int(node), t.position.state, func(m move) {
			isLast := a.Formula.Node(m.node).Component != component
			if m.isStep {
				a.addReply(t, n, m, largest[node], isLast)
				return
			}
			if isLast {
				return
			}
			priority := largest[node]
			to := a.Formula.Node(m.node)
			if to.Kind == mucalculus.Fixpoint {
				priority = max(priority, to.Priority)
			}
			known, isKnown := largest[int32(m.node)]
			if !isKnown || known < priority {
				largest[int32(m.node)] = priority
				waiting = append(waiting, int32(m.node))
			}
		})
	}
}

// addReply adds a step of modality n to a turn. priority is the largest priority of the fixpoints
// before the step.
func (a *arguing) addReply(t *turn, n *mucalculus.Node, m move, priority int, isLast bool) {
	r := reply{
		step:     m.step,
		next:     position{node: int32(m.node), state: m.state},
		isLast:   isLast,
		priority: priority,
	}
	if !isLast {
		next, behind := a.behindFixpoints(r.next)
		r.next = next
		r.priority = max(priority, behind)
	}
	list := &t.answered
	isChoice := n.All != a.Holds(int(t.position.node), t.position.state)
	if isChoice {
		list = &t.chosen
	}
	for i, known := range *list {
		if known.step == r.step && known.next == r.next {
			(*list)[i].priority = max(known.priority, r.priority)
			return
		}
	}
	*list = append(*list, r)
}

// playing is a region whose turns are described.
type playing struct {
	*arguing
	turns  []*turn
	turnOf map[position]int
	holds  bool
	// hasStages reports whether the turns of the region are about several formulas.
	hasStages bool
	// steps are the replies of all turns. The nodes of graph are the turns, followed by the steps.
	steps []reply
	graph *component
	// componentRoot has, for each node of the graph, a node that represents its strongly connected component.
	componentRoot []uint32
}

// answersAll reports whether each turn is prepared for all steps from its state with some labels.
func (p *playing) answersAll(isMeant []bool) bool {
	for _, t := range p.turns {
		answered := map[lts.Transition]bool{}
		for _, r := range t.answered {
			answered[r.step] = true
		}
		for label, to := range p.Model.From(t.position.state) {
			step := lts.Transition{From: t.position.state, Label: label, To: to}
			if isMeant[label] && !answered[step] {
				return false
			}
		}
	}
	return true
}

// playRegion returns the turns of a region, to be described.
func (a *arguing) playRegion(at position) (*playing, error) {
	turns, err := a.turns(at)
	if err != nil {
		return nil, err
	}
	p := &playing{
		arguing: a,
		turns:   turns,
		turnOf:  map[position]int{},
		holds:   a.Holds(int(at.node), at.state),
		graph:   &component{},
	}
	for i, t := range turns {
		p.turnOf[t.position] = i
		p.hasStages = p.hasStages || t.position.node != turns[0].position.node
	}
	p.link()
	p.componentRoot = p.longestPaths(func(uint32) bool { return false }, func(uint32) bool { return false }).roots
	return p, nil
}

// link makes the graph of turns and steps.
func (p *playing) link() {
	count := len(p.turns)
	for _, t := range p.turns {
		p.graph.rows = append(p.graph.rows, uint32(len(p.graph.moves)))
		for _, r := range slices.Concat(t.chosen, t.answered) {
			p.graph.moves = append(p.graph.moves, uint32(count+len(p.steps)))
			p.steps = append(p.steps, r)
		}
	}
	for _, r := range p.steps {
		p.graph.rows = append(p.graph.rows, uint32(len(p.graph.moves)))
		if !r.isLast {
			p.graph.moves = append(p.graph.moves, uint32(p.turnOf[r.next]))
		}
	}
	p.graph.rows = append(p.graph.rows, uint32(len(p.graph.moves)))
}

// longestPaths finds the paths with the largest number of counted nodes of the graph.
func (p *playing) longestPaths(ends, counts func(uint32) bool) *longestPaths {
	nodes := len(p.turns) + len(p.steps)
	x := &longestPaths{
		component: p.graph,
		isEnd:     ends,
		isCounted: counts,
		order:     make([]uint32, nodes),
		low:       make([]uint32, nodes),
		length:    make([]uint32, nodes),
		roots:     make([]uint32, nodes),
	}
	for node := range uint32(nodes) {
		if x.order[node] == 0 {
			x.search(node)
		}
	}
	return x
}

// longest returns the largest number of steps on a path from the first turn; -1 if there are loops.
func (p *playing) longest() int {
	isStep := func(node uint32) bool { return int(node) >= len(p.turns) }
	for i := range p.steps {
		if p.isOnLoop(i) {
			return -1
		}
	}
	return int(p.longestPaths(func(uint32) bool { return false }, isStep).length[0])
}

// isOnLoop reports whether a step is on a loop.
func (p *playing) isOnLoop(step int) bool {
	r := p.steps[step]
	return !r.isLast && p.componentRoot[len(p.turns)+step] == p.componentRoot[p.turnOf[r.next]]
}

// recurrence returns words about what a run by the strategy takes again and again, or only finitely
// often. It returns "" if the fixpoints of the region do not alternate.
func (p *playing) recurrence() string {
	fixpoints := p.fixpointsByPriority()
	if len(fixpoints) < 2 {
		return ""
	}
	upper := fixpoints[0]
	n := p.Formula.Node(upper)
	isUpper := func(node uint32) bool {
		return p.isInnerStep(node) && p.stepAt(node).priority >= n.Priority
	}
	isOther := func(node uint32) bool {
		return p.isInnerStep(node) && !isUpper(node)
	}
	action := p.actionOf(isUpper, upper)
	mustRecur := p.holds == (n.Priority%2 == 0)
	hasMiddle := len(fixpoints) > 2
	switch {
	case mustRecur && hasMiddle:
		return "a run of these steps that goes on forever " + p.recurring(fixpoints, ", or ")
	case mustRecur:
		between := slices.Max(p.longestPaths(isUpper, isOther).length)
		return fmt.Sprintf("a run of these steps that goes on forever %s again and again, %s", action, otherSteps(int(between)))
	}
	times := p.longestPaths(func(uint32) bool { return false }, isUpper).length[0]
	ending := " in all"
	if hasMiddle {
		ending = ", and one that goes on forever " + p.recurring(fixpoints[1:], ", or ")
	}
	switch {
	case times == 0 && hasMiddle:
		return "no run of these steps " + action + ending
	case times == 0:
		return "no run of these steps " + action
	case times == 1:
		return "a run of these steps " + action + " at most once" + ending
	}
	most := printable.Quantity(int(times), "time")
	return "a run of these steps " + action + " at most " + most + ending
}

// isInnerStep reports whether a node of the graph of turns is a step that stays in the region.
func (p *playing) isInnerStep(node uint32) bool {
	return int(node) >= len(p.turns) && !p.stepAt(node).isLast
}

// stepAt returns the step that is a node of the graph of turns. The nodes before the steps are turns.
func (p *playing) stepAt(node uint32) reply { return p.steps[int(node)-len(p.turns)] }

// recurring returns words for what happens on a run that stays below the largest priority of the
// region forever, or reaches it again and again. The fixpoints are in the order of their
// priorities. Either the first one is unfolded again and again; or the second one is unfolded only
// finitely often, and what is said of the first two holds of the next two. With steps a, b, c and
// so on before the fixpoints, the words are: takes a again and again, or takes b only finitely
// often and takes c again and again. The last fixpoint needs no words. The parameter or has the
// word between the first two parts, with the text around it.
func (p *playing) recurring(fixpoints []int, or string) string {
	words := p.actionOfPriority(fixpoints[0]) + " again and again"
	if len(fixpoints) <= 2 {
		return words
	}
	words += or + p.actionOfPriority(fixpoints[1]) + " only finitely often"
	below := fixpoints[2:]
	switch len(below) {
	case 1:
		return words
	case 2:
		return words + " and " + p.recurring(below, or)
	}
	return words + " and either " + p.recurring(below, " or ")
}

// actionOfPriority returns words for taking the steps after which fixpoints of the priority of a fixpoint
// are unfolded, and none of a larger priority.
func (p *playing) actionOfPriority(fixpoint int) string {
	priority := p.Formula.Node(fixpoint).Priority
	isMeant := func(node uint32) bool {
		return p.isInnerStep(node) && p.stepAt(node).priority == priority
	}
	return p.actionOf(isMeant, fixpoint)
}

// otherSteps returns words that say when a step is taken, given the largest number of other steps
// before it.
func otherSteps(most int) string {
	if most == 0 {
		return "at each step"
	}
	return fmt.Sprintf("each time after at most %s", printable.Quantity(most, "other step"))
}

// fixpointsByPriority returns a fixpoint of the region for each of its priorities, the largest priority
// first.
func (p *playing) fixpointsByPriority() []int {
	number := p.Formula.Node(int(p.turns[0].position.node)).Component
	byPriority := map[int]int{}
	for node := range p.Formula.Len() {
		n := p.Formula.Node(node)
		if n.Kind != mucalculus.Fixpoint || n.Component != number {
			continue
		}
		if _, isKnown := byPriority[n.Priority]; !isKnown {
			byPriority[n.Priority] = node
		}
	}
	priorities := slices.Sorted(maps.Keys(byPriority))
	slices.Reverse(priorities)
	var fixpoints []int
	for _, priority := range priorities {
		fixpoints = append(fixpoints, byPriority[priority])
	}
	return fixpoints
}

// actionOf returns words for taking the steps after which a fixpoint is unfolded. It names their labels
// if these are few and no other step has one of them.
func (p *playing) actionOf(unfolds func(uint32) bool, fixpoint int) string {
	var labels []lts.Label
	others := map[lts.Label]bool{}
	for i, r := range p.steps {
		switch {
		case !unfolds(uint32(len(p.turns) + i)):
			others[r.step.Label] = true
		case !slices.Contains(labels, r.step.Label):
			labels = append(labels, r.step.Label)
		}
	}
	isClear := len(labels) > 0 && len(labels) <= maxReplies
	for _, l := range labels {
		isClear = isClear && !others[l]
	}
	if isClear {
		var texts []string
		for _, l := range labels {
			texts = append(texts, p.label(l))
		}
		return "takes " + enumerated(texts, "or")
	}
	return "unfolds " + p.fixpointName(fixpoint)
}

// sentences returns sentences about all turns, at most maxTurns. Turns that only follow each other and
// choose a single step each share a sentence.
func (p *playing) sentences() []string {
	x := &narration{
		playing:     p,
		isDescribed: make([]bool, len(p.turns)),
		numSources:  make([]int, len(p.turns)),
	}
	for _, r := range p.steps {
		if !r.isLast {
			x.numSources[p.turnOf[r.next]]++
		}
	}
	var all []string
	for i := range p.turns {
		if x.isDescribed[i] {
			continue
		}
		if len(all) == maxTurns {
			more := len(p.turns) - i
			all = append(all, fmt.Sprintf("… and so on, for at most %s.", printable.Quantity(more, "more turn")))
			break
		}
		all = append(all, x.sentence(i))
	}
	return all
}

// narration describes the turns of a region, and records which ones it has described.
type narration struct {
	*playing
	isDescribed []bool
	numSources  []int // how many steps lead to a turn
}

// sentence describes what the strategy does in a turn that has not been described yet, and in the turns
// that share its sentence.
func (x *narration) sentence(number int) string {
	first := x.turns[number]
	x.isDescribed[number] = true
	text := fmt.Sprintf("In %d%s, ", first.position.state, x.stageText(first.position))
	last := first
	var parts []string
	if len(first.chosen) > 0 {
		chosen := "choose " + x.choicesText(first)
		for range maxChain {
			next := x.sharedNext(last)
			if next < 0 {
				break
			}
			x.isDescribed[next] = true
			last = x.turns[next]
			chosen += ", then " + x.choicesText(last)
		}
		parts = append(parts, chosen)
	}
	if len(last.answered) > 0 {
		parts = append(parts, x.answersText(last))
	}
	if len(parts) == 0 {
		return text + "no further step is asked about."
	}
	if x.closesLoop(last) {
		parts = append(parts, "the loop repeats")
	}
	return text + strings.Join(parts, "; ") + "."
}

// sharedNext returns the turn that shares a sentence with a turn; -1 if there is none. Both choose one
// step, and nothing else leads to the second turn.
func (x *narration) sharedNext(t *turn) int {
	isAlone := func(t *turn) bool { return len(t.chosen) == 1 && len(t.answered) == 0 }
	if !isAlone(t) || t.chosen[0].isLast {
		return -1
	}
	next := x.turnOf[t.chosen[0].next]
	if x.isDescribed[next] || x.numSources[next] != 1 || !isAlone(x.turns[next]) {
		return -1
	}
	return next
}

// closesLoop reports whether all steps of a turn lead back to turns that have been described, and the turn
// is on a loop with one of these.
func (x *narration) closesLoop(t *turn) bool {
	isLoop := false
	for _, r := range slices.Concat(t.chosen, t.answered) {
		if r.isLast || !x.isDescribed[x.turnOf[r.next]] {
			return false
		}
		isLoop = isLoop || x.areInSameComponent(r.next, t.position)
	}
	return isLoop
}

// areInSameComponent reports whether the turns of two positions are in the same strongly connected component.
func (p *playing) areInSameComponent(a, b position) bool {
	return p.componentRoot[p.turnOf[a]] == p.componentRoot[p.turnOf[b]]
}

// stageText returns words for the formula that a turn is about, if the turns of the region are about
// several formulas.
func (p *playing) stageText(at position) string {
	if !p.hasStages {
		return ""
	}
	return " (" + p.purposeText(at) + ")"
}

// purposeText returns words for what remains to be shown, or refuted, at a position.
func (p *playing) purposeText(at position) string {
	verb := "refute"
	if p.isTrue(int(at.node), at.state) {
		verb = "show"
	}
	return fmt.Sprintf("to %s %s", verb, p.printed(int(at.node), longestStage))
}

// target is a state that steps of a turn lead to, with everything that is said about it.
type target struct {
	state lts.State
	// purposes are about the turns after the steps; "" means the formula of the turn itself.
	purposes []string
	// facts are about the formulas outside of the region that the steps lead to.
	facts []string
}

// targets returns the states that steps of a turn lead to, each once.
func (p *playing) targets(t *turn, replies []reply) []*target {
	var all []*target
	known := map[lts.State]*target{}
	for _, r := range replies {
		to := known[r.next.state]
		if to == nil {
			to = &target{state: r.next.state}
			known[r.next.state] = to
			all = append(all, to)
		}
		if r.isLast {
			to.facts = addOnce(to.facts, p.factText(r.next))
			continue
		}
		purpose := ""
		if r.next.node != t.position.node {
			purpose = p.purposeText(r.next)
		}
		to.purposes = addOnce(to.purposes, purpose)
	}
	return all
}

// addOnce adds a text to texts, unless it is there.
func addOnce(texts []string, text string) []string {
	if slices.Contains(texts, text) {
		return texts
	}
	return append(texts, text)
}

// factText returns words for the value of a formula outside of the region.
func (p *playing) factText(at position) string {
	if p.isConstant(int(at.node)) {
		return "which is enough"
	}
	return fmt.Sprintf("where %s %s", p.printed(int(at.node), longestStage), p.verdict(int(at.node), at.state))
}

// String returns the state and, in parentheses, what remains to be shown there.
func (t *target) String() string {
	text := fmt.Sprint(t.state)
	isAboutSameFormula := len(t.purposes) == 1 && t.purposes[0] == "" && len(t.facts) == 0
	if len(t.purposes) > 0 && !isAboutSameFormula {
		purposes := slices.Sorted(slices.Values(t.purposes)) // "" comes first
		if purposes[0] == "" {
			purposes[0] = "to go on"
		}
		text += " (" + strings.Join(purposes, " and ") + ")"
	}
	if len(t.facts) > 0 {
		text += ", " + strings.Join(t.facts, " and ")
	}
	return text
}

// label returns the text of a label, shortened.
func (p *playing) label(l lts.Label) string {
	return printable.Cut(p.Model.Alphabet().Text(l), longestLabel)
}

// choicesText returns the steps that a strategy chooses, each once.
func (p *playing) choicesText(t *turn) string {
	var texts []string
	for _, group := range byLabel(t.chosen) {
		for _, to := range p.targets(t, group) {
			texts = append(texts, p.label(group[0].step.Label)+" to "+to.String())
		}
	}
	if len(texts) == 2 {
		texts[0] = "both " + texts[0]
	}
	return enumerated(texts, "and")
}

// answersText returns the steps that a strategy is prepared for, label by label.
func (p *playing) answersText(t *turn) string {
	var texts []string
	for _, group := range byLabel(t.answered) {
		var targets []string
		for _, to := range p.targets(t, group) {
			targets = append(targets, to.String())
		}
		texts = append(texts, fmt.Sprintf("every %s leads to %s", p.label(group[0].step.Label), enumerated(targets, "or")))
	}
	return enumerated(texts, "and")
}

// byLabel groups replies by their labels, in the order of the first reply with each label.
func byLabel(replies []reply) [][]reply {
	var groups [][]reply
	number := map[lts.Label]int{}
	for _, r := range replies {
		i, isKnown := number[r.step.Label]
		if !isKnown {
			i = len(groups)
			number[r.step.Label] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// enumerated joins texts. If there are many, it shows only the first ones.
func enumerated(texts []string, word string) string {
	if more := len(texts) - maxReplies; more > 1 {
		texts = append(slices.Clone(texts[:maxReplies]), fmt.Sprintf("%d more", more))
	}
	return printable.List(texts, word)
}
