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
		return c.leaf(n)
	case *relabelled:
		return c.relabelled(n)
	case *prioritised:
		return c.prioritised(n)
	case *vectored:
		return c.vectored(n)
	default:
		return c.parallel(n.(*parallel))
	}
}

// leaf returns a move for each label of the component that its runs can do.
func (c *compiler) leaf(n *leaf) (all []move, err error) {
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

// relabelled returns the moves of a behaviour with labels cut, hidden or renamed.
func (c *compiler) relabelled(n *relabelled) ([]move, error) {
	inside, err := c.compile(n.inside)
	if err != nil {
		return nil, err
	}
	hidden := c.language.Hidden
	kept := inside[:0]
	changes := false
	for _, m := range inside {
		prefix := ""
		text := m.label
		before := m.label
		if n.coActions && text != hidden {
			if rest, is := strings.CutPrefix(text, c.language.CoAction); is {
				prefix = c.language.CoAction
				text = rest
			}
		}
		switch {
		case n.kind == relabel.Cut && n.rules.Has(text, hidden):
			changes = true
			continue
		case n.kind == relabel.Hide && n.rules.Has(text, hidden):
			m.label = hidden
		case n.kind == relabel.Rename:
			m.label = prefix + n.rules.Renamed(text, hidden)
		}
		changes = changes || m.label != before
		kept = append(kept, m)
	}
	if !changes && n.at != (position{}) {
		c.warn(n.at,
			"%s changes no label of its behaviour; without total, partial or multiple before it, its patterns match gates", n.kind)
	}
	return unique(kept), nil
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
			fmt.Sprintf("%s: the hidden label of this network is %s, and %s is an ordinary one, on which behaviours may join; in the model both are %s, an internal action", c.name, hidden, internal, internal))
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

// joined returns the move of several moves at once.
func joined(label string, together []*move) move {
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
func groupsOf(inside [][]move, key func(text string) string) (by []group, keys []string) {
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
		by = append(by, g)
	}
	return by, keys
}

// composition collects the moves of a parallel composition.
type composition struct {
	*compiler
	at  position
	all []move
}

// join adds each move that combines one move from each list.
func (x *composition) join(label string, lists [][]*move) error {
	n := 1
	for _, list := range lists {
		n *= len(list)
		if n == 0 {
			return nil
		}
		if n > mostMoves {
			return x.tooMany()
		}
	}
	if len(x.all)+n > mostMoves {
		return x.tooMany()
	}
	chosen := make([]*move, len(lists))
	for i := range n {
		rest := i
		for k := len(lists) - 1; k >= 0; k-- {
			chosen[k] = lists[k][rest%len(lists[k])]
			rest /= len(lists[k])
		}
		x.all = append(x.all, joined(label, chosen))
	}
	return x.ctx.Err()
}

func (x *composition) tooMany() error {
	return x.at.errorf("the behaviours here can join in more than %d ways; let fewer of them join in one label", mostMoves)
}

// alone adds the moves of a behaviour as they are.
func (x *composition) alone(moves []*move) error {
	for _, m := range moves {
		x.all = append(x.all, *m)
	}
	if len(x.all) > mostMoves {
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

// parallel composes behaviours by synchronisation interfaces.
func (c *compiler) parallel(n *parallel) ([]move, error) {
	inside, err := c.compileAll(n.inside)
	if err != nil {
		return nil, err
	}
	x := &composition{compiler: c, at: n.at}
	by, labels := groupsOf(inside, func(text string) string { return text })
	c.check(n, by)
	for _, text := range labels {
		if err := x.compose(n, text, by); err != nil {
			return nil, err
		}
	}
	return unique(x.all), nil
}

// compose adds the moves for one label.
func (x *composition) compose(n *parallel, text string, by []group) error {
	gate := relabel.GateOf(text)
	switch {
	case text == x.language.Hidden:
		return x.interleave(text, by)
	case n.ccs:
		return x.ccs(text, by)
	case n.mcrl:
		return x.mcrl(text, by)
	case x.language.ends != "" && gate == x.language.ends:
		return x.together(text, by, all(len(by)))
	case n.isCSP:
		return x.csp(n, text, gate, by)
	}
	key := gate
	if n.labels {
		key = text
	}
	if n.all {
		return x.together(text, by, all(len(by)))
	}
	return x.byInterfaces(n, text, key, by)
}

// interleave lets each behaviour do a label alone.
func (x *composition) interleave(text string, by []group) error {
	for _, g := range by {
		if err := x.alone(g[text]); err != nil {
			return err
		}
	}
	return nil
}

// all returns the numbers below n.
func all(n int) (numbers []int) {
	for i := range n {
		numbers = append(numbers, i)
	}
	return numbers
}

// together lets some behaviours do a label together.
func (x *composition) together(text string, by []group, members []int) error {
	var lists [][]*move
	for _, k := range members {
		lists = append(lists, by[k][text])
	}
	return x.join(text, lists)
}

// some lets any n of the members do a label together.
func (x *composition) some(n int, text string, by []group, members []int) error {
	members = slices.DeleteFunc(slices.Clone(members), func(k int) bool {
		return len(by[k][text]) == 0
	})
	if n < 1 || n > len(members) {
		return nil
	}
	chosen := all(n)
	for {
		var subset []int
		for _, i := range chosen {
			subset = append(subset, members[i])
		}
		if err := x.together(text, by, subset); err != nil {
			return err
		}
		i := n - 1
		for i >= 0 && chosen[i] == len(members)-n+i {
			i--
		}
		if i < 0 {
			return nil
		}
		chosen[i]++
		for j := i + 1; j < n; j++ {
			chosen[j] = chosen[j-1] + 1
		}
	}
}

// byInterfaces composes one label by the elements that it matches.
func (x *composition) byInterfaces(n *parallel, text, key string, by []group) error {
	matches := func(e element) bool { return e.label == key }
	global := slices.ContainsFunc(n.global, matches)
	for k, g := range by {
		if !global && !slices.ContainsFunc(n.local[k], matches) {
			if err := x.alone(g[text]); err != nil {
				return err
			}
		}
	}
	for _, e := range n.global {
		if matches(e) {
			if err := x.byElement(e, text, by, all(len(by))); err != nil {
				return err
			}
		}
	}
	done := map[int]bool{}
	for k := range by {
		for _, e := range n.local[k] {
			if !matches(e) || done[e.degree] {
				continue
			}
			done[e.degree] = true
			if err := x.byElement(e, text, by, n.having(e)); err != nil {
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

// byElement lets as many of the members join as the element says.
func (x *composition) byElement(e element, text string, by []group, members []int) error {
	if e.degree == whole {
		return x.together(text, by, members)
	}
	return x.some(e.degree, text, by, members)
}

// ccs composes as CCS does: each behaviour moves alone, and an action of one behaviour and the
// co-action of another together are a hidden move.
func (x *composition) ccs(text string, by []group) error {
	if err := x.interleave(text, by); err != nil {
		return err
	}
	co := x.language.CoAction + text
	var doing, answering []int
	for k := range by {
		if len(by[k][text]) > 0 {
			doing = append(doing, k)
		}
		if len(by[k][co]) > 0 {
			answering = append(answering, k)
		}
	}
	for _, k := range doing {
		for _, other := range answering {
			if k == other {
				continue
			}
			if err := x.join(x.language.Hidden, [][]*move{by[k][text], by[other][co]}); err != nil {
				return err
			}
		}
	}
	return nil
}

// mcrl composes as mCRL does: each behaviour moves alone, and two behaviours move together if their
// gates communicate and their offers are equal.
func (x *composition) mcrl(text string, by []group) error {
	if err := x.interleave(text, by); err != nil {
		return err
	}
	gate := relabel.GateOf(text)
	for _, other := range slices.Sorted(maps.Keys(by[1])) {
		moves := by[1][other]
		partner := relabel.GateOf(other)
		result, is := x.comm[[2]string{min(gate, partner), max(gate, partner)}]
		if !is || len(by[0][text]) == 0 || text[len(gate):] != other[len(partner):] {
			continue
		}
		if err := x.join(result+text[len(gate):], [][]*move{by[0][text], moves}); err != nil {
			return err
		}
	}
	return nil
}

// csp composes by the alphabets of two behaviours.
func (x *composition) csp(n *parallel, text, gate string, by []group) error {
	left := slices.Contains(n.alphabets[0], gate)
	right := slices.Contains(n.alphabets[1], gate)
	switch {
	case left && right:
		return x.together(text, by, []int{0, 1})
	case left:
		return x.alone(by[0][text])
	case right:
		return x.alone(by[1][text])
	}
	return nil
}

// vectored composes behaviours by synchronisation vectors.
func (c *compiler) vectored(n *vectored) ([]move, error) {
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
		if n.labels {
			err = x.byWholeLabels(v, byLabel)
		} else {
			err = x.byGates(v, byGate)
		}
		if err != nil {
			return nil, err
		}
	}
	return unique(x.all), nil
}

// byWholeLabels adds the moves of a vector of labels.
func (x *composition) byWholeLabels(v vector, by []group) error {
	var lists [][]*move
	for k, text := range v.parts {
		if text == "" {
			continue
		}
		if len(by[k][text]) == 0 {
			x.warn(v.at, "behaviour %d never does %s: this vector has no effect", k+1, text)
			return nil
		}
		lists = append(lists, by[k][text])
	}
	return x.join(v.result, lists)
}

// byGates adds the moves of a vector of gates: all have the same offers, which stay.
func (x *composition) byGates(v vector, by []group) error {
	var members []int
	for k, gate := range v.parts {
		if gate == "" {
			continue
		}
		members = append(members, k)
		if len(by[k][gate]) == 0 {
			x.warn(v.at, "behaviour %d never does %s: this vector has no effect", k+1, gate)
			return nil
		}
	}
	byOffers := map[string][][]*move{}
	var order []string
	for i, k := range members {
		gate := v.parts[k]
		for _, m := range by[k][gate] {
			offers := m.label[len(gate):]
			if byOffers[offers] == nil {
				byOffers[offers] = make([][]*move, len(members))
				order = append(order, offers)
			}
			byOffers[offers][i] = append(byOffers[offers][i], m)
		}
	}
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

// check warns of elements that some behaviour never does, as the language demands.
func (c *compiler) check(n *parallel, by []group) {
	if n.ccs || n.mcrl || n.isCSP || n.all {
		return
	}
	for _, e := range n.global {
		c.checkGlobal(n, e, by)
	}
	for k, local := range n.local {
		for _, e := range local {
			c.checkLocal(n, e, k, by[k])
		}
	}
}

// checkGlobal warns of an element of all interfaces that never happens.
func (c *compiler) checkGlobal(n *parallel, e element, by []group) {
	able := 0
	for _, behaviour := range by {
		if n.does(behaviour, e.label) {
			able++
		}
	}
	switch {
	case e.degree == whole && able < len(by):
		c.warn(e.at,
			"%s never happens: all behaviours have to join in it, but %d of %d never do it", e.label, len(by)-able, len(by))
	case e.degree > able:
		c.warn(e.at, "%d behaviours have to join in %s, but only %d can do it, so this action never happens",
			e.degree, e.label, able)
	}
}

// checkLocal warns of an element of the interface of behaviour k that never happens, or that happens
// without others.
func (c *compiler) checkLocal(n *parallel, e element, k int, behaviour group) {
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
		if text == element || !n.labels && relabel.GateOf(text) == element {
			return true
		}
	}
	return false
}
