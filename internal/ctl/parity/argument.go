package parity

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/internal/ctl/argument"
	"github.com/inev-lts/inev/internal/formula/mucalculus"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// maxClaims is the largest number of claims of an argument. Omitted counts further claims.
const maxClaims = 200

// longestText is the largest number of characters of a formula in a sentence.
const longestText = 300

// Argue returns why the formula holds or fails in an asked state: the part of a winning strategy that
// the state needs. As long as only one move matters at each position, the moves are a run. If several
// moves matter in a component of fixpoints, the argument has all states that they lead to, and claims
// about what is outside the component. Argue fails if ctx is done. Cost O(positions of the strategy and
// their moves), for each claim of the argument.
func (s *Solution) Argue(ctx context.Context, state lts.State) (*argument.Argument, error) {
	a := &arguing{Solution: s, ctx: ctx, unexplained: map[*argument.Argument][]string{}}
	made, err := a.argue(s.Formula.Root(), state)
	if err != nil {
		return nil, err
	}
	a.explainVariables(made, nil)
	return made, nil
}

// arguing makes an argument.
type arguing struct {
	*Solution
	ctx    context.Context
	claims int
	// variables has what each variable of a fixpoint is, in words. It is nil before its first use.
	variables map[string]string
	// firstAlike has, for connectives that have been seen, the first part that is the same formula as a part.
	firstAlike map[int]map[int]int
	// unexplained has, for claims, the variables in their texts whose fixpoints stand in none of the texts
	// there and above.
	unexplained map[*argument.Argument][]string
	// claim has the variables in the texts of the claim that is being made.
	claim *mentioned
}

// argue returns the argument for the value of a node in a state.
func (a *arguing) argue(node int, state lts.State) (*argument.Argument, error) {
	a.claim = &mentioned{around: a.claim}
	defer func() { a.claim = a.claim.around }()
	a.printed(node, longestText)
	made, err := a.claimAbout(node, state)
	if err != nil {
		return nil, err
	}
	for _, name := range a.claim.free {
		if !a.claim.explains(name) {
			a.unexplained[made] = append(a.unexplained[made], name)
		}
	}
	return made, nil
}

// claimAbout returns the argument for the value of a node in a state, whose text may contain variables
// of fixpoints that no text explains.
func (a *arguing) claimAbout(node int, state lts.State) (*argument.Argument, error) {
	a.claims++
	l, err := a.follow(node, state)
	if err != nil {
		return nil, err
	}
	argued := &argument.Argument{
		Formula: printable.Cut(a.text(node), longestText),
		Holds:   a.isTrue(node, state),
		State:   state,
	}
	branches := len(l.branches) > 1
	if len(l.steps) > 0 || !branches {
		return argued, a.argueLine(argued, node, l)
	}
	n := a.Formula.Node(l.node)
	switch {
	case n.Cyclic:
		return argued, a.argueRegion(argued, node, l)
	case n.Kind == mucalculus.Modality:
		targets := statesOf(l.branches)
		argued.Text = fmt.Sprintf("%s: the transitions that it is about lead to %s.",
			a.head(node, state), printable.Quantity(len(targets), "state"))
		return argued, a.addExample(argued, n.Parts[0], targets)
	}
	argued.Text = a.head(node, state) + ", for all of its parts."
	return argued, a.addParts(argued, l.branches)
}

// argueLine argues by a line that begins at a node, and by the position where it branches.
func (a *arguing) argueLine(argued *argument.Argument, node int, l *line) error {
	if len(l.steps) > 0 {
		argued.Run = &argument.Run{
			Start:     argued.State,
			Steps:     l.steps,
			LoopStart: l.loopStart,
		}
	}
	argued.Text = a.head(node, argued.State) + a.lineText(node, l)
	if len(l.branches) < 2 || a.claims >= maxClaims {
		return nil
	}
	below, err := a.argue(l.shownNode(), l.state)
	if err != nil {
		return err
	}
	argued.Because = append(argued.Because, below)
	return nil
}

// addParts adds the claims about the positions that moves lead to, as far as maxClaims allows.
func (a *arguing) addParts(argued *argument.Argument, moves []move) error {
	for i, m := range moves {
		if a.claims >= maxClaims {
			argued.Omitted = len(moves) - i
			return nil
		}
		below, err := a.argue(m.node, m.state)
		if err != nil {
			return err
		}
		argued.Because = append(argued.Because, below)
	}
	return nil
}

// text returns a node as its author wrote it.
func (a *arguing) text(node int) string {
	if a.isWholeConstant(node) {
		return a.Formula.String()
	}
	return a.Formula.Node(node).Text
}

// whereText returns the clause about the formula at the end of a line, which was reduced to a constant. It
// returns "" for a constant that the author wrote.
func (a *arguing) whereText(l *line) string {
	text := a.text(l.node)
	isWritten := text == "true" || text == "false"
	if isWritten || text == "" || !a.isClosed(l.node) {
		return ""
	}
	return fmt.Sprintf(", where %s %s", a.printed(l.node, longestText), a.verdict(l.node, l.state))
}

// isWholeConstant reports whether a node is the whole formula, and simplification reduced it to a
// constant. Then the text of the node is that of a part.
func (a *arguing) isWholeConstant(node int) bool {
	return node == a.Formula.Root() && a.isConstant(node)
}

// isTrue reports whether the text of a node is true in a state.
func (a *arguing) isTrue(node int, state lts.State) bool {
	if a.isWholeConstant(node) {
		return a.Holds(node, state)
	}
	return a.Holds(node, state) != a.Formula.Node(node).Negated
}

// verdict returns the words that say whether the text of a node is true in a state.
func (a *arguing) verdict(node int, state lts.State) string {
	if a.isTrue(node, state) {
		return "holds"
	}
	return "does not hold"
}

// head returns the beginning of a sentence: whether the text of a node is true in a state.
func (a *arguing) head(node int, state lts.State) string {
	return fmt.Sprintf("%s %s in %d", a.printed(node, longestText), a.verdict(node, state), state)
}

// isConstant reports whether a node is true or false.
func (a *arguing) isConstant(node int) bool {
	n := a.Formula.Node(node)
	return n.Kind == mucalculus.Connective && len(n.Parts) == 0
}

// eachRelevant calls do for the moves that matter at a position. It skips moves that lead to a constant
// without a transition, or to a formula to which another move leads.
func (a *arguing) eachRelevant(node int, state lts.State, do func(move)) {
	alike := a.alikeParts(node)
	var done []int
	a.eachWinningMove(node, state, func(m move) bool {
		if !m.isStep && a.isConstant(m.node) {
			return true
		}
		first, isAlike := alike[m.node]
		if !isAlike || !slices.Contains(done, first) {
			do(m)
		}
		if isAlike {
			done = append(done, first)
		}
		return true
	})
}

// alikeParts returns, for each part of a connective that is the same formula as other parts, the first of these
// parts. Those parts of a quantified formula are alike in which the variable of the quantifier does not occur.
func (a *arguing) alikeParts(node int) map[int]int {
	n := a.Formula.Node(node)
	if n.Kind != mucalculus.Connective || len(n.Parts) < 2 {
		return nil
	}
	alike, isKnown := a.firstAlike[node]
	if isKnown {
		return alike
	}
	firstOf := map[string]int{}
	for _, part := range n.Parts {
		text := a.Formula.Node(part).Text
		first, isRepeated := firstOf[text]
		switch {
		case text == "":
		case !isRepeated:
			firstOf[text] = part
		case a.isClosed(part):
			if alike == nil {
				alike = map[int]int{}
			}
			alike[first] = first
			alike[part] = first
		}
	}
	if a.firstAlike == nil {
		a.firstAlike = map[int]map[int]int{}
	}
	a.firstAlike[node] = alike
	return alike
}

// line is a part of a strategy in which only one move matters at each position.
type line struct {
	steps     []lts.Transition
	loopStart int // -1 without a loop
	loops     bool
	// node and state are the last position. branches are the moves that matter there, if there are
	// several.
	node     int
	state    lts.State
	branches []move
	// closedNode is the last node in this state that contains no free variable of a fixpoint. If there is
	// none, it is the first fixpoint; if there is no fixpoint, either, it is -1.
	closedNode int
}

// shownNode returns the node whose text is shown for the end of a line. If the line branches, the last node
// may contain a free variable of a fixpoint, so that its text means nothing by itself.
func (l *line) shownNode() int {
	if l.closedNode >= 0 && len(l.branches) > 1 {
		return l.closedNode
	}
	return l.node
}

// isClosed reports whether the text of a node contains no free variable of a fixpoint.
func (a *arguing) isClosed(node int) bool {
	free, _ := a.variablesIn(a.text(node))
	return len(free) == 0
}

// binder matches the beginning of a fixpoint.
var binder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\(*\s*(?:mu|nu)\s+[A-Za-z_]`)
})

// follow follows a strategy from a position.
func (a *arguing) follow(node int, state lts.State) (*line, error) {
	l := &line{
		loopStart:  -1,
		node:       node,
		state:      state,
		closedNode: -1,
	}
	stepsBefore := map[position]int{} // the number of steps before each position of the line
	for {
		if err := a.ctx.Err(); err != nil {
			return nil, err
		}
		here := position{node: int32(l.node), state: l.state}
		if first, isLoop := stepsBefore[here]; isLoop {
			l.loops = true
			if first < len(l.steps) {
				l.loopStart = first
			}
			return l, nil
		}
		stepsBefore[here] = len(l.steps)
		isFixpoint := a.Formula.Node(l.node).Kind == mucalculus.Fixpoint
		if a.isClosed(l.node) || isFixpoint && l.closedNode < 0 {
			l.closedNode = l.node
		}
		var moves []move
		a.eachRelevant(l.node, l.state, func(m move) { moves = append(moves, m) })
		if len(moves) != 1 {
			l.branches = moves
			return l, nil
		}
		if moves[0].isStep {
			l.steps = append(l.steps, moves[0].step)
			l.closedNode = -1
		}
		l.node = moves[0].node
		l.state = moves[0].state
	}
}

// modalityOf returns the modality at the beginning of a formula; the whole formula if there is none.
func modalityOf(text string) string {
	closing := map[byte]byte{'<': '>', '[': ']'}
	if text == "" || closing[text[0]] == 0 {
		return text
	}
	depth := 0
	isQuoted := false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			isQuoted = !isQuoted
		case isQuoted:
		case c == text[0]:
			depth++
		case c == closing[text[0]]:
			depth--
			if depth == 0 {
				return text[:i+1]
			}
		}
	}
	return text
}

// loopText returns the text about a line whose run repeats a loop.
func loopText(l *line) string {
	loop := printable.Quantity(len(l.steps)-l.loopStart, "transition")
	if l.loopStart == 0 {
		return fmt.Sprintf(": a run goes round a loop of %s forever.", loop)
	}
	return fmt.Sprintf(": after %s a run goes round a loop of %s forever.",
		printable.Quantity(l.loopStart, "transition"), loop)
}

// runText returns the text about a line with a run that does not repeat a loop.
func (a *arguing) runText(l *line) string {
	length := printable.Quantity(len(l.steps), "transition")
	n := a.Formula.Node(l.node)
	isEnd := len(l.branches) == 0
	switch {
	case isEnd && a.isConstant(l.node):
		return fmt.Sprintf(": a run of %s leads to state %d%s.", length, l.state, a.whereText(l))
	case isEnd && n.Kind == mucalculus.Modality:
		return fmt.Sprintf(": a run of %s leads to state %d, where no transition fits %s.",
			length, l.state, printable.Cut(modalityOf(n.Text), longestText))
	}
	shown := l.shownNode()
	return fmt.Sprintf(": a run of %s leads to state %d, where %s %s.", length, l.state,
		a.printed(shown, longestText), a.verdict(shown, l.state))
}

// lineText returns the text about a line that begins at a node and does not branch at once.
func (a *arguing) lineText(first int, l *line) string {
	n := a.Formula.Node(l.node)
	since := ""
	if n.Text != a.text(first) && !a.isConstant(l.node) {
		since = fmt.Sprintf(", since %s %s there", a.printed(l.node, longestText), a.verdict(l.node, l.state))
	}
	switch {
	case l.loops && l.loopStart < 0:
		return ", by its fixpoints alone."
	case l.loops:
		return loopText(l)
	case len(l.steps) > 0:
		return a.runText(l)
	case a.isConstant(l.node):
		return fmt.Sprintf(", since it comes down to %t without any step.", a.isTrue(first, l.state))
	case n.Kind == mucalculus.Modality && a.Model.IsDeadlock(l.state):
		return since + ": no transition leaves it."
	case n.Kind == mucalculus.Modality:
		return since + ": no transition from there has such a label."
	}
	return since + "."
}

// statesOf returns the states that moves lead to, each once.
func statesOf(moves []move) []lts.State {
	var all []lts.State
	for _, m := range moves {
		all = append(all, m.state)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// addExample adds the claim about a node for one of several states.
func (a *arguing) addExample(made *argument.Argument, node int, states []lts.State) error {
	if a.isConstant(node) {
		return nil
	}
	if a.claims >= maxClaims {
		made.Omitted += len(states)
		return nil
	}
	below, err := a.argue(node, states[0])
	if err != nil {
		return err
	}
	below.Others = len(states) - 1
	made.Because = append(made.Because, below)
	return nil
}

// region has the positions of one component that a strategy reaches from one of them.
type region struct {
	positions []position
	states    []lts.State
	exits     []int               // nodes outside of the component that the moves lead to, ascending
	statesAt  map[int][]lts.State // the states of each of these nodes
	// chooses reports whether the winner chooses steps in the region.
	chooses bool
	// hasSteps reports whether the region has transitions. modalities are the nodes of its modalities.
	hasSteps   bool
	modalities []int
	// longest is the largest number of transitions on a way out of the region; -1 if the strategy may stay
	// forever.
	longest int
}

// regionOf returns the region of a position. It fails if the context is done.
func (a *arguing) regionOf(node int, state lts.State) (*region, error) {
	x := regionSearch{
		arguing:   a,
		region:    &region{statesAt: map[int][]lts.State{}, longest: -1},
		component: a.Formula.Node(node).Component,
		visited:   map[int]bitset.Set[lts.State]{},
	}
	x.visit(node, state)
	if err := x.run(); err != nil {
		return nil, err
	}
	r := x.region
	r.sort(a.Model.NumStates())
	hasRanks := a.games[x.component] == nil && a.roundValue[x.component] == a.Holds(node, state)
	if hasRanks {
		r.longest = a.longestWayOut(r)
	}
	return r, nil
}

// regionSearch finds the positions of a region.
type regionSearch struct {
	*arguing
	region    *region
	component int
	visited   map[int]bitset.Set[lts.State] // by node
}

// visit adds a position to the region or, if its node is outside of the component, to the exits, unless
// it was visited before.
func (x *regionSearch) visit(node int, state lts.State) {
	states := x.visited[node]
	if states == nil {
		states = bitset.New[lts.State](x.Model.NumStates())
		x.visited[node] = states
	}
	if states.Has(state) {
		return
	}
	states.Add(state)
	r := x.region
	if x.Formula.Node(node).Component != x.component {
		r.statesAt[node] = append(r.statesAt[node], state)
		return
	}
	r.positions = append(r.positions, position{node: int32(node), state: state})
}

// run follows the relevant moves from all positions of the region.
func (x *regionSearch) run() error {
	r := x.region
	for i := 0; i < len(r.positions); i++ {
		if i%4096 == 0 {
			if err := x.ctx.Err(); err != nil {
				return err
			}
		}
		node := int(r.positions[i].node)
		state := r.positions[i].state
		n := x.Formula.Node(node)
		if n.Kind == mucalculus.Modality {
			r.addModality(node)
			isChoice := n.All != x.Holds(node, state)
			r.chooses = r.chooses || isChoice
		}
		x.eachRelevant(node, state, func(m move) {
			r.hasSteps = r.hasSteps || m.isStep
			x.visit(m.node, m.state)
		})
	}
	return nil
}

// sort sets the states and the exits of a region, ascending, for a model of this many states.
func (r *region) sort(numStates int) {
	inside := bitset.New[lts.State](numStates)
	for _, p := range r.positions {
		inside.Add(p.state)
	}
	r.states = slices.Collect(inside.All)
	for exit, states := range r.statesAt {
		slices.Sort(states)
		r.exits = append(r.exits, exit)
	}
	slices.Sort(r.exits)
}

// addModality adds a node unless it is known.
func (r *region) addModality(node int) {
	if !slices.Contains(r.modalities, node) {
		r.modalities = append(r.modalities, node)
	}
}

// longestWayOut returns the largest number of transitions on a way out of a region. Each relevant move
// within the region must lead to a smaller rank.
func (a *arguing) longestWayOut(r *region) int {
	rank := func(p position) uint32 { return a.tables[p.node].rank[p.state] }
	slices.SortFunc(r.positions, func(p, q position) int {
		return cmp.Compare(rank(p), rank(q))
	})
	length := map[position]int{}
	most := 0
	for _, p := range r.positions {
		a.eachRelevant(int(p.node), p.state, func(m move) {
			steps := length[position{node: int32(m.node), state: m.state}]
			if m.isStep {
				steps++
			}
			length[p] = max(length[p], steps)
		})
		most = max(most, length[p])
	}
	return most
}

// argueRegion argues by the region of the position that ends a line.
func (a *arguing) argueRegion(made *argument.Argument, node int, l *line) error {
	r, err := a.regionOf(l.node, l.state)
	if err != nil {
		return err
	}
	made.Set = r.states
	var claims []string
	for _, exit := range r.exits {
		states := r.statesAt[exit]
		claims = append(claims,
			fmt.Sprintf("%s %s in %s", a.printed(exit, longestText),
				a.verdict(exit, states[0]), a.shareText(states, r.states)))
		if err := a.addExample(made, exit, states); err != nil {
			return err
		}
	}
	play, err := a.playOf(r, node, l)
	if err != nil {
		return err
	}
	if play != nil && (r.chooses || len(play.turns) <= fewTurns) {
		made.Strategy = play.sentences()
	}
	how, err := a.stepsText(r, node, l, play)
	if err != nil {
		return err
	}
	text := a.head(node, made.State) + how
	if len(claims) > 0 {
		text += "; " + strings.Join(claims, ", and ")
	}
	made.Text = text + "."
	return nil
}

// stepsText returns words that say where the steps of a region lead, and what recurs.
func (a *arguing) stepsText(r *region, node int, l *line, play *playing) (string, error) {
	if !r.hasSteps {
		return ", without any step", nil
	}
	states := printable.Quantity(len(r.states), "state")
	longest := r.longest
	if play != nil && longest < 0 {
		longest = play.longest()
	}
	steps := "of its steps"
	if longest < 0 && a.isAboutAllSteps(r, l, play) {
		steps = a.labelledSteps(r)
	}
	text := ": whichever " + steps + " follow, they "
	if r.chooses {
		text = ": some of its steps can be chosen so that, whichever of the others follow, they "
	}
	if longest >= 0 {
		return text + fmt.Sprintf("end after at most %d, in %s", longest, states), nil
	}
	text += "stay in " + states
	if play != nil {
		recurrence := play.recurrence()
		if recurrence != "" {
			return text + "; " + recurrence, nil
		}
	}
	rounds, err := a.roundsText(node, l)
	return text + rounds, err
}

// fewTurns is the largest number of turns without a choice that are described.
const fewTurns = 6

// maxPlayed is the largest number of positions of a region whose turns are described.
const maxPlayed = 1 << 20

// playOf returns the turns of the region that a line leads to. It returns nil if there are too many, or
// if nothing is chosen there and no fixpoints alternate, so that a set of states is enough.
func (a *arguing) playOf(r *region, node int, l *line) (*playing, error) {
	if !r.chooses && !a.alternates(l) || len(r.positions) > maxPlayed {
		return nil, nil
	}
	return a.playRegion(a.entry(node, l))
}

// alternates reports whether fixpoints alternate in the component of a line.
func (a *arguing) alternates(l *line) bool {
	return a.games[a.Formula.Node(l.node).Component] != nil
}

// isAboutAllSteps reports whether a statement about the steps of a region applies to all steps with
// their labels. It does if no fixpoints alternate, because then only the states matter. Otherwise
// each turn must be prepared for all these steps.
func (a *arguing) isAboutAllSteps(r *region, l *line, play *playing) bool {
	if play == nil {
		return !a.alternates(l)
	}
	return play.answersAll(a.meantIn(r))
}

// meantIn reports for each label whether some modality of a region is about it.
func (a *arguing) meantIn(r *region) []bool {
	isMeant := make([]bool, a.Model.Alphabet().Len())
	for _, node := range r.modalities {
		for l, means := range a.means[node] {
			isMeant[l] = isMeant[l] || means
		}
	}
	return isMeant
}

// labelledSteps returns words for the steps of a region in which nothing is chosen. It names the labels that
// the modalities are about, if all steps with these labels stay in the region, and if the labels are
// few, or all except a few.
func (a *arguing) labelledSteps(r *region) string {
	isMeant := a.meantIn(r)
	if !a.isClosedUnder(r.states, isMeant) {
		return "of its steps"
	}
	var meant, other []string
	for l := range lts.Label(len(isMeant)) {
		text := printable.Cut(a.Model.Alphabet().Text(l), longestLabel)
		if isMeant[l] {
			meant = append(meant, text)
		} else {
			other = append(other, text)
		}
	}
	const few = 3
	switch {
	case len(other) == 0:
		return "steps"
	case len(meant) <= few && len(meant) > 0:
		return "steps by " + printable.List(meant, "or")
	case len(other) <= few:
		return "steps by labels other than " + printable.List(other, "and")
	}
	return "of its steps"
}

// isClosedUnder reports whether all transitions with some labels stay in a set of states.
func (a *arguing) isClosedUnder(states []lts.State, isMeant []bool) bool {
	inside := bitset.New[lts.State](a.Model.NumStates())
	for _, s := range states {
		inside.Add(s)
	}
	for _, s := range states {
		for label, to := range a.Model.From(s) {
			if isMeant[label] && !inside.Has(to) {
				return false
			}
		}
	}
	return true
}

// roundsText returns the text about how often the steps of a region unfold the outermost fixpoint that must
// not recur; "" if no fixpoints alternate in the region, or if no fixpoint must not recur. The region begins
// in the position to which [arguing.entry] leads from node.
func (a *arguing) roundsText(node int, l *line) (string, error) {
	if !a.alternates(l) {
		return "", nil
	}
	component := a.Formula.Node(l.node).Component
	fixpoint := a.outermostLost(component, a.Holds(l.node, l.state))
	if fixpoint < 0 {
		return "", nil
	}
	priority := a.Formula.Node(fixpoint).Priority
	name := a.fixpointName(fixpoint)
	first := a.entry(node, l)
	g, counts, err := a.countUnfoldings(first, component, priority)
	if err != nil {
		return "", err
	}
	if a.hasPriorityAbove(component, priority) { // unfolding such a fixpoint sets the count back to 0
		return unfoldsText(name, int(slices.Max(counts)), " before a fixpoint around it is unfolded"), nil
	}
	count := counts[g.number[int(first.node)][first.state]]
	return unfoldsText(name, int(count), " in all"), nil
}

// countUnfoldings returns the graph of those positions of a component to which a first position
// leads. For each of these, it also returns how often the steps from there unfold fixpoints of the
// given priority, at most, before a fixpoint of a larger priority.
func (a *arguing) countUnfoldings(
	first position,
	number, priority int,
) (*component, []uint32, error) {
	c := &certifying{Solution: a.Solution, ctx: a.ctx}
	if err := c.collect([]position{first}); err != nil {
		return nil, nil, err
	}
	g, err := c.graph(number)
	if err != nil {
		return nil, nil, err
	}
	counts, err := c.measure(g, priority)
	return g, counts, err
}

// outermostLost returns the fixpoint of a component with the largest priority that must not recur, where
// formulas of the component have the given value. It returns -1 if there is none: then each loop through
// a fixpoint of the kind that must not recur also passes one of the other kind around it.
func (a *arguing) outermostLost(component int, holds bool) int {
	outermost := -1
	for node := range a.Formula.Len() {
		n := a.Formula.Node(node)
		isLost := n.Kind == mucalculus.Fixpoint && n.Component == component && holds == (n.Priority%2 == 1)
		if isLost && (outermost < 0 || n.Priority > a.Formula.Node(outermost).Priority) {
			outermost = node
		}
	}
	return outermost
}

// hasPriorityAbove reports whether a node of a component has a priority above the given one.
func (a *arguing) hasPriorityAbove(component, priority int) bool {
	for node := range a.Formula.Len() {
		n := a.Formula.Node(node)
		if n.Component == component && n.Priority > priority {
			return true
		}
	}
	return false
}

// fixpointName returns the text of a repetition, or the beginning of a fixpoint with its variable.
func (a *arguing) fixpointName(fixpoint int) string {
	text := a.text(fixpoint)
	if binder().MatchString(text) { // and not a repetition in a modality
		text, _, _ = strings.Cut(text, ".")
	}
	return printable.Cut(strings.TrimSpace(text), longestText)
}

// entry returns the first position in the component of a line, which is about the outermost fixpoint of
// the component. The line reaches it from its first node without transitions.
func (a *arguing) entry(node int, l *line) position {
	component := a.Formula.Node(l.node).Component
	first := position{node: int32(node), state: l.state}
	for a.Formula.Node(int(first.node)).Component != component {
		a.eachRelevant(int(first.node), first.state, func(m move) {
			first.node = int32(m.node)
		})
	}
	return first
}

// unfoldsText returns the text about how often steps unfold a fixpoint.
func unfoldsText(name string, times int, until string) string {
	if times == 0 {
		return " and never unfold " + name
	}
	return fmt.Sprintf(" and unfold %s at most %s%s", name, printable.Quantity(times, "time"),
		until)
}

// shareText returns words for some of the states of a region. all are all states of the region.
func (a *arguing) shareText(states, all []lts.State) string {
	switch {
	case len(states) == 1:
		return fmt.Sprint(states[0])
	case slices.Equal(states, all) && len(all) == 2:
		return "both"
	case slices.Equal(states, all):
		return fmt.Sprintf("all %d of them", len(all))
	}
	return printable.Quantity(len(states), "state")
}
