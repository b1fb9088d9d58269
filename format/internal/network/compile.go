package network

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/format/relabel"
	"github.com/inev-lts/inev/lts"
)

// move is what some components do together.
type move struct {
	label string
	parts []part // by ascending components
	// yields are the classes of the move in the prio operators around it, the innermost operator
	// first.
	yields []yield
}

// part is the part of a component in a move.
type part struct {
	component int
	label     lts.Label
}

// yield is the class that the label of a move has in a priority.
type yield struct{ priority, class int }

// priority is a prio operator: the moves that it orders, and which classes of labels have priority
// over which.
type priority struct {
	moves []move
	// classes[i] is the class of the label of moves[i]; -1 if the order does not mention the label.
	classes []int
	// above[c] are the classes with priority over class c.
	above [][]int
}

// mostMoves is the largest number of moves of a network, all of which are kept in memory.
const mostMoves = 4_000_000

// compiler computes the moves of behaviours.
type compiler struct {
	ctx        context.Context
	language   parameters
	comm       map[[2]string]string
	components []component
	priorities []*priority
	warnings   []string
	name       string // of the network, in messages
}

// warn adds a warning about a place.
func (c *compiler) warn(at position, format string, args ...any) {
	const most = 20
	if c.language.NoCheck || len(c.warnings) >= most {
		return
	}
	text := fmt.Sprintf("%s:%d: %s (column %d)", at.file, at.line, fmt.Sprintf(format, args...),
		at.column)
	if !slices.Contains(c.warnings, text) {
		c.warnings = append(c.warnings, text)
	}
}

// compile returns the moves of a behaviour.
func (c *compiler) compile(n node) ([]move, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	switch n := n.(type) {
	case *leaf:
		return c.compileLeaf(n)
	case *relabelled:
		return c.compileRelabelled(n)
	case *prioritised:
		return c.compilePrioritised(n)
	case *vectored:
		return c.compileVectored(n)
	default:
		return c.compileParallel(n.(*parallel))
	}
}

// compileLeaf returns a move for each label of the component that its runs can do.
func (c *compiler) compileLeaf(n *leaf) (all []move, err error) {
	alphabet, err := c.components[n.component].model.Happening(c.ctx)
	if err != nil {
		return nil, err
	}
	for l, text := range alphabet.All() {
		if alphabet.Happens(l) {
			all = append(all, move{
				label: text,
				parts: []part{{component: n.component, label: l}},
			})
		}
	}
	return all, nil
}

// compileRelabelled returns the moves of a behaviour with labels cut, hidden or renamed.
func (c *compiler) compileRelabelled(n *relabelled) ([]move, error) {
	inside, err := c.compile(n.inside)
	if err != nil {
		return nil, err
	}
	kept := inside[:0]
	hasEffect := false
	for _, m := range inside {
		before := m.label
		isCut := c.relabel(n, &m)
		hasEffect = hasEffect || isCut || m.label != before
		if !isCut {
			kept = append(kept, m)
		}
	}
	if !hasEffect && n.at != (position{}) {
		c.warn(n.at,
			"%s changes no label of its behaviour; without total, partial or multiple before it, its patterns match gates", n.kind)
	}
	return unique(kept), nil
}

// relabel gives a move its label after an operator, or reports that the operator cuts it.
func (c *compiler) relabel(n *relabelled, m *move) (isCut bool) {
	hidden := c.language.Hidden
	prefix := ""
	text := m.label
	if n.coActions && text != hidden {
		if rest, isCoAction := strings.CutPrefix(text, c.language.CoAction); isCoAction {
			prefix = c.language.CoAction
			text = rest
		}
	}
	switch {
	case n.kind == relabel.Cut:
		return n.rules.Has(text, hidden)
	case n.kind == relabel.Hide && n.rules.Has(text, hidden):
		m.label = hidden
	case n.kind == relabel.Rename:
		m.label = prefix + n.rules.Renamed(text, hidden)
	}
	return false
}

// internalLabels are the texts of internal actions in models.
var internalLabels = []string{"i", "tau"}

// writeInternal gives hidden moves the text of internal actions in models, whatever the reference language writes, and
// warns if a visible label has that text.
func (c *compiler) writeInternal(moves []move) {
	hidden := c.language.Hidden
	if slices.Contains(internalLabels, hidden) {
		return
	}
	internal := internalLabels[0]
	isTaken := false
	for i := range moves {
		switch moves[i].label {
		case hidden:
			moves[i].label = internal
		case internal:
			isTaken = true
		}
	}
	if isTaken {
		c.warnings = append(c.warnings,
			fmt.Sprintf("%s: the hidden label of this network is %s, but %s is an ordinary one, on which behaviours may join; in the model both are %s, an internal action", c.name, hidden, internal, internal))
	}
}

// unique removes equal moves, and keeps the order of the others.
func unique(all []move) []move {
	seen := make(map[string]bool, len(all))
	kept := all[:0]
	for _, m := range all {
		key := m.key()
		if !seen[key] {
			seen[key] = true
			kept = append(kept, m)
		}
	}
	return kept
}

// key is equal for equal moves.
func (m *move) key() string {
	var b strings.Builder
	for _, p := range m.parts {
		fmt.Fprintf(&b, "%d.%d ", p.component, p.label)
	}
	for _, y := range m.yields {
		fmt.Fprintf(&b, "%d/%d ", y.priority, y.class)
	}
	b.WriteString(m.label)
	return b.String()
}

// joinMoves returns the move of several moves at once.
func joinMoves(label string, together []*move) move {
	m := move{label: label}
	for _, other := range together {
		m.parts = append(m.parts, other.parts...)
		m.yields = append(m.yields, other.yields...)
	}
	slices.SortFunc(m.parts, func(a, b part) int {
		return cmp.Compare(a.component, b.component)
	})
	slices.SortFunc(m.yields, func(a, b yield) int {
		return cmp.Compare(a.priority, b.priority)
	})
	return m
}

// group has the moves of a behaviour by a key, in their order.
type group map[string][]*move

// groupsOf groups the moves of each behaviour inside a composition by key. It also returns all
// keys, in the order in which they first occur.
func groupsOf(inside [][]move, key func(text string) string) (groups []group, keys []string) {
	seen := map[string]bool{}
	for _, moves := range inside {
		g := group{}
		for i := range moves {
			k := key(moves[i].label)
			g[k] = append(g[k], &moves[i])
			if !seen[k] {
				seen[k] = true
				keys = append(keys, k)
			}
		}
		groups = append(groups, g)
	}
	return groups, keys
}

// composition collects the moves of a parallel composition.
type composition struct {
	*compiler
	at    position
	moves []move
}

// join adds each move that combines one move from each list.
func (x *composition) join(label string, lists [][]*move) error {
	combinations := 1
	for _, list := range lists {
		combinations *= len(list)
		if combinations == 0 {
			return nil
		}
		if combinations > mostMoves {
			return x.tooMany()
		}
	}
	if len(x.moves)+combinations > mostMoves {
		return x.tooMany()
	}
	chosen := make([]*move, len(lists))
	for i := range combinations {
		digits := i // the indices of the chosen moves, in a mixed radix; the last list has the lowest digit
		for k, list := range slices.Backward(lists) {
			chosen[k] = list[digits%len(list)]
			digits /= len(list)
		}
		x.moves = append(x.moves, joinMoves(label, chosen))
	}
	return x.ctx.Err()
}

func (x *composition) tooMany() error {
	return x.at.errorf("the behaviours here can join in more than %d ways; let fewer of them join in one label", mostMoves)
}

// addAlone adds the moves of a behaviour as they are.
func (x *composition) addAlone(moves []*move) error {
	for _, m := range moves {
		x.moves = append(x.moves, *m)
	}
	if len(x.moves) > mostMoves {
		return x.tooMany()
	}
	return nil
}

// compileAll returns the moves of several behaviours.
func (c *compiler) compileAll(nodes []node) (all [][]move, err error) {
	for _, n := range nodes {
		moves, err := c.compile(n)
		if err != nil {
			return nil, err
		}
		all = append(all, moves)
	}
	return all, nil
}

// compileParallel composes behaviours by synchronisation interfaces.
func (c *compiler) compileParallel(n *parallel) ([]move, error) {
	inside, err := c.compileAll(n.inside)
	if err != nil {
		return nil, err
	}
	x := &composition{compiler: c, at: n.at}
	behaviours, labels := groupsOf(inside, func(text string) string { return text })
	c.warnOfElements(n, behaviours)
	for _, text := range labels {
		if err := x.compose(n, text, behaviours); err != nil {
			return nil, err
		}
	}
	return unique(x.moves), nil
}

// compose adds the moves for one label.
func (x *composition) compose(n *parallel, text string, behaviours []group) error {
	gate := relabel.GateOf(text)
	isTermination := x.language.terminationGate != "" && gate == x.language.terminationGate
	everybody := numbersBelow(len(behaviours))
	switch {
	case text == x.language.Hidden:
		return x.interleave(text, behaviours)
	case n.isCCS:
		return x.composeCCS(text, behaviours)
	case n.isMCRL:
		return x.composeMCRL(text, behaviours[0], behaviours[1])
	case isTermination:
		return x.joinMembers(text, behaviours, everybody)
	case n.isCSP:
		return x.composeCSP(n, text, behaviours[0], behaviours[1])
	case n.joinAll:
		return x.joinMembers(text, behaviours, everybody)
	case n.wholeLabels:
		return x.joinByInterfaces(n, text, text, behaviours)
	}
	return x.joinByInterfaces(n, text, gate, behaviours)
}

// interleave lets each behaviour do a label alone.
func (x *composition) interleave(text string, behaviours []group) error {
	for _, g := range behaviours {
		if err := x.addAlone(g[text]); err != nil {
			return err
		}
	}
	return nil
}

// numbersBelow returns the numbers below n.
func numbersBelow(n int) (numbers []int) {
	for i := range n {
		numbers = append(numbers, i)
	}
	return numbers
}

// joinMembers lets some behaviours do a label together.
func (x *composition) joinMembers(text string, behaviours []group, members []int) error {
	var lists [][]*move
	for _, k := range members {
		lists = append(lists, behaviours[k][text])
	}
	return x.join(text, lists)
}

// joinAnyOf lets any n of the members do a label together.
func (x *composition) joinAnyOf(n int, text string, behaviours []group, members []int) error {
	able := slices.DeleteFunc(slices.Clone(members), func(k int) bool {
		return len(behaviours[k][text]) == 0
	})
	if n < 1 || n > len(able) {
		return nil
	}
	for chosen := numbersBelow(n); chosen != nil; chosen = nextCombination(chosen, len(able)) {
		var subset []int
		for _, i := range chosen {
			subset = append(subset, able[i])
		}
		if err := x.joinMembers(text, behaviours, subset); err != nil {
			return err
		}
	}
	return nil
}

// nextCombination returns the combination of numbers below total that follows one in lexicographic order; nil after
// the last one. A combination is ascending.
func nextCombination(combination []int, total int) []int {
	n := len(combination)
	i := n - 1
	for i >= 0 && combination[i] == total-n+i { // at its largest value
		i--
	}
	if i < 0 {
		return nil
	}
	next := slices.Clone(combination)
	next[i]++
	for j := i + 1; j < n; j++ {
		next[j] = next[j-1] + 1
	}
	return next
}

// joinByInterfaces composes one label by the elements with this key, the label itself or its gate.
func (x *composition) joinByInterfaces(n *parallel, text, key string, behaviours []group) error {
	matches := func(e element) bool { return e.label == key }
	isGlobal := slices.ContainsFunc(n.global, matches)
	for k, g := range behaviours {
		isAlone := !isGlobal && !slices.ContainsFunc(n.local[k], matches)
		if !isAlone {
			continue
		}
		if err := x.addAlone(g[text]); err != nil {
			return err
		}
	}
	for _, e := range n.global {
		if !matches(e) {
			continue
		}
		if err := x.joinByElement(e, text, behaviours, numbersBelow(len(behaviours))); err != nil {
			return err
		}
	}
	isDone := map[int]bool{} // by degree
	for k := range behaviours {
		for _, e := range n.local[k] {
			if !matches(e) || isDone[e.degree] {
				continue
			}
			isDone[e.degree] = true
			if err := x.joinByElement(e, text, behaviours, n.having(e)); err != nil {
				return err
			}
		}
	}
	return nil
}

// having returns the behaviours with an element in their interfaces.
func (n *parallel) having(e element) (members []int) {
	for k, local := range n.local {
		if slices.ContainsFunc(local, func(other element) bool {
			return other.label == e.label && other.degree == e.degree
		}) {
			members = append(members, k)
		}
	}
	return members
}

// joinByElement lets as many of the members join as the element says.
func (x *composition) joinByElement(e element, text string, behaviours []group, members []int) error {
	if e.degree == whole {
		return x.joinMembers(text, behaviours, members)
	}
	return x.joinAnyOf(e.degree, text, behaviours, members)
}

// composeCCS composes as CCS does: each behaviour moves alone, and an action of one behaviour and the
// co-action of another together are a hidden move.
func (x *composition) composeCCS(text string, behaviours []group) error {
	if err := x.interleave(text, behaviours); err != nil {
		return err
	}
	co := x.language.CoAction + text
	var doing, answering []int
	for k := range behaviours {
		if len(behaviours[k][text]) > 0 {
			doing = append(doing, k)
		}
		if len(behaviours[k][co]) > 0 {
			answering = append(answering, k)
		}
	}
	for _, k := range doing {
		for _, other := range answering {
			if k == other {
				continue
			}
			if err := x.join(x.language.Hidden, [][]*move{behaviours[k][text], behaviours[other][co]}); err != nil {
				return err
			}
		}
	}
	return nil
}

// composeMCRL composes as mCRL does: each behaviour moves alone, and two behaviours move together if their
// gates communicate and their offers are equal.
func (x *composition) composeMCRL(text string, left, right group) error {
	if err := x.interleave(text, []group{left, right}); err != nil {
		return err
	}
	if len(left[text]) == 0 {
		return nil
	}
	gate := relabel.GateOf(text)
	offers := text[len(gate):]
	for _, partner := range slices.Sorted(maps.Keys(right)) {
		partnerGate := relabel.GateOf(partner)
		partnerOffers := partner[len(partnerGate):]
		result, communicate := x.comm[[2]string{min(gate, partnerGate), max(gate, partnerGate)}]
		if !communicate || offers != partnerOffers {
			continue
		}
		if err := x.join(result+offers, [][]*move{left[text], right[partner]}); err != nil {
			return err
		}
	}
	return nil
}

// composeCSP composes by the alphabets of two behaviours.
func (x *composition) composeCSP(n *parallel, text string, left, right group) error {
	gate := relabel.GateOf(text)
	isLeft := slices.Contains(n.alphabets[0], gate)
	isRight := slices.Contains(n.alphabets[1], gate)
	switch {
	case isLeft && isRight:
		return x.join(text, [][]*move{left[text], right[text]})
	case isLeft:
		return x.addAlone(left[text])
	case isRight:
		return x.addAlone(right[text])
	}
	return nil
}

// compileVectored composes behaviours by synchronisation vectors.
func (c *compiler) compileVectored(n *vectored) ([]move, error) {
	inside, err := c.compileAll(n.inside)
	if err != nil {
		return nil, err
	}
	x := &composition{compiler: c, at: n.at}
	byLabel, _ := groupsOf(inside, func(text string) string { return text })
	byGate, _ := groupsOf(inside, relabel.GateOf)
	if err := x.interleave(c.language.Hidden, byLabel); err != nil {
		return nil, err
	}
	for _, v := range n.vectors {
		if n.wholeLabels {
			err = x.joinWholeLabels(v, byLabel)
		} else {
			err = x.joinGates(v, byGate)
		}
		if err != nil {
			return nil, err
		}
	}
	return unique(x.moves), nil
}

// joinWholeLabels adds the moves of a vector of labels.
func (x *composition) joinWholeLabels(v vector, behaviours []group) error {
	var lists [][]*move
	for k, text := range v.parts {
		if text == "" {
			continue
		}
		if len(behaviours[k][text]) == 0 {
			x.warn(v.at, "behaviour %d never does %s: this vector has no effect", k+1, text)
			return nil
		}
		lists = append(lists, behaviours[k][text])
	}
	return x.join(v.result, lists)
}

// joinGates adds the moves of a vector of gates. All gates of such a move have the same offers, and
// the result has these offers, too.
func (x *composition) joinGates(v vector, behaviours []group) error {
	members := 0
	for k, gate := range v.parts {
		if gate == "" {
			continue
		}
		members++
		if len(behaviours[k][gate]) == 0 {
			x.warn(v.at, "behaviour %d never does %s: this vector has no effect", k+1, gate)
			return nil
		}
	}
	byOffers, order := movesByOffers(v, members, behaviours)
	for _, offers := range order {
		result := v.result + offers
		if v.result == x.language.Hidden {
			result = v.result
		}
		if err := x.join(result, byOffers[offers]); err != nil {
			return err
		}
	}
	return nil
}

// movesByOffers returns, for each text of offers, the moves of each member of a vector with these offers. The
// texts are in the order in which they occur.
func movesByOffers(
	v vector,
	members int,
	behaviours []group,
) (byOffers map[string][][]*move, order []string) {
	byOffers = map[string][][]*move{}
	member := 0
	for k, gate := range v.parts {
		if gate == "" {
			continue
		}
		for _, m := range behaviours[k][gate] {
			offers := m.label[len(gate):]
			if byOffers[offers] == nil {
				byOffers[offers] = make([][]*move, members)
				order = append(order, offers)
			}
			byOffers[offers][member] = append(byOffers[offers][member], m)
		}
		member++
	}
	return byOffers, order
}

// warnOfElements warns of elements that some behaviour never does, as the language demands.
func (c *compiler) warnOfElements(n *parallel, behaviours []group) {
	if n.isCCS || n.isMCRL || n.isCSP || n.joinAll {
		return
	}
	for _, e := range n.global {
		c.warnOfGlobal(n, e, behaviours)
	}
	for k, local := range n.local {
		for _, e := range local {
			c.warnOfLocal(n, e, k, behaviours[k])
		}
	}
}

// warnOfGlobal warns of an element of all interfaces that never happens.
func (c *compiler) warnOfGlobal(n *parallel, e element, behaviours []group) {
	able := 0
	for _, behaviour := range behaviours {
		if n.does(behaviour, e.label) {
			able++
		}
	}
	switch {
	case e.degree == whole && able < len(behaviours):
		c.warn(e.at, "%s never happens: all behaviours have to join in it, but %s", e.label,
			unable(len(behaviours)-able, len(behaviours)))
	case e.degree > able:
		c.warn(e.at, "%d behaviours have to join in %s, but only %d can do it, so this action never happens",
			e.degree, e.label, able)
	}
}

// unable says how many of all behaviours never do something.
func unable(n, all int) string {
	switch n {
	case all:
		return "none of them ever does it"
	case 1:
		return fmt.Sprintf("1 of %d never does it", all)
	}
	return fmt.Sprintf("%d of %d never do it", n, all)
}

// warnOfLocal warns of an element of the interface of behaviour k that never happens, or that happens
// without others.
func (c *compiler) warnOfLocal(n *parallel, e element, k int, behaviour group) {
	members := len(n.having(e))
	switch {
	case !n.does(behaviour, e.label):
		c.warn(e.at, "behaviour %d never does %s", k+1, e.label)
	case e.degree == whole && members < 2:
		c.warn(e.at,
			"no other behaviour has %s in its interface: %s happens without others; write %s#1 if that is meant", e.label, e.label, e.label)
	case e.degree > members:
		c.warn(e.at,
			"%s needs %d behaviours, and stands in the interfaces of only %d: it never happens", e.label, e.degree, members)
	}
}

// does reports whether a behaviour ever does what an element names: a label, or a gate.
func (n *parallel) does(behaviour group, element string) bool {
	for text := range behaviour {
		if text == element || !n.wholeLabels && relabel.GateOf(text) == element {
			return true
		}
	}
	return false
}
