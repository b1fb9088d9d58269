package never

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/formula/hoa"
	"github.com/inev-lts/inev/internal/formula/letters"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/internal/property/automata"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// graph is a nondeterministic Büchi automaton over letters. The last letter is
// "nothing happens". moves[letter][q] are the successors of state q, ascending.
type graph struct {
	initial []int
	accepts []bool
	moves   [][][]int
}

// source is a claim, from which a graph over the letters of a model can be made.
type source interface {
	letters.Source
	Unmatched(ctx context.Context, a *lts.Alphabet) error
	// over returns the letter of each label, and the graph of the claim.
	over(ctx context.Context, a *lts.Alphabet, atoms []property.Step) (of []uint16, g *graph)
	// given returns the automaton of the file, unchanged.
	given(ctx context.Context, a *lts.Alphabet, atoms []property.Step) *property.Nondeterministic
}

// claim is a nondeterministic Büchi automaton whose edges have conditions.
type claim struct {
	letters.Atoms
	initial []int
	accepts []bool
	steps   [][]step
}

type step struct {
	on *temporal.Formula
	to int
}

// Formula is the property that no run fulfils a claim. It comes from [Parse] or [FromAutomaton] and is
// immutable.
type Formula struct {
	source source
	// name is the name of the file, and text is its content.
	name, text string
}

// Named returns the formula with the name of its file.
func (f *Formula) Named(name string) *Formula {
	named := *f
	named.name = name
	return &named
}

// Kind names the kind of property for people.
func (f *Formula) Kind() string { return "Never claim" }

// String returns the name of the file, "never claim" if there is none.
func (f *Formula) String() string {
	if f.name == "" {
		return "never claim"
	}
	return f.name
}

// Bind returns the property over the labels of a, and warnings about atoms
// without labels. It fails if the automaton would become too large, or if ctx is
// done. Cost: exponential in the states of the claim at worst.
func (f *Formula) Bind(
	ctx context.Context,
	a *lts.Alphabet,
) (*property.Property, []string, error) {
	return letters.Bind(ctx, f.source, a, f.bind)
}

// BindLetters returns the property for actions with any labels, as
// [actl.Formula.BindLetters] does.
func (f *Formula) BindLetters(ctx context.Context) (*property.Property, *actl.Letters, error) {
	return letters.BindAny(ctx, f.source, f.bind)
}

// Unmatched returns nil if all atoms have labels in a, as
// [actl.Formula.Unmatched] does.
func (f *Formula) Unmatched(ctx context.Context, a *lts.Alphabet) error {
	return f.source.Unmatched(ctx, a)
}

// bind returns the property over the labels of a that no run satisfies the claim: its complement, as a
// deterministic automaton.
func (f *Formula) bind(
	ctx context.Context,
	a *lts.Alphabet,
	atoms []property.Step,
) (_ *property.Property, err error) {
	defer abort.Caught(&err)
	letterOf, g := f.source.over(ctx, a, atoms)
	t := abort.Must(g.complement(ctx))
	t.Letters = letterOf
	t.Kind = property.KindClaim
	t.Name = f.String()
	t.Stop = t.StopsByIdling(t.Columns - 1)
	p := abort.Must(property.Table(a, t.FromBeginning(a)))
	return product.AsChain(ctx, p, atoms)
}

// complement returns the deterministic automaton that accepts the runs that g does not accept. It uses
// breakpoints if that is possible, and otherwise Safra's construction.
func (g *graph) complement(ctx context.Context) (*property.Automaton, error) {
	const origin = "claim"
	letterCount := len(g.moves)
	settled, isWeak := g.settled()
	if isWeak {
		_, t, err := letters.Determinise(ctx, obligations{possible: g.initial}, letterCount, origin,
			obligations.key,
			func(o obligations, letter int) (obligations, property.Marks, error) {
				to, marks := g.oblige(o, settled, letter)
				return to, marks, nil
			})
		return t, err
	}
	x := &safra{graph: g, names: 1}
	_, t, err := letters.Determinise(ctx, &branch{states: g.initial}, letterCount, origin,
		(*branch).key, x.after)
	if err != nil {
		return nil, err
	}
	// The claim accepts no run iff each branch is complete only finitely often, or is removed again and
	// again.
	var all []property.Acceptance
	for name := range x.names {
		isRemoved := property.Inf(2*name + 1)
		all = append(all, property.Any(property.Fin(2*name), isRemoved))
	}
	t.Acceptance = property.All(all...)
	return t, nil
}

// Nondeterministic returns the original automaton over the labels of a. It fails as [Formula.Bind]
// does. Cost: linear in the moves of the automaton.
func (f *Formula) Nondeterministic(
	ctx context.Context,
	a *lts.Alphabet,
) (_ *property.Nondeterministic, err error) {
	defer abort.Caught(&err)
	atoms, _, err := f.source.Propositions(ctx, a)
	abort.On(err)
	return f.source.given(ctx, a, atoms), nil
}

// given returns the claim itself, as it was given, over the labels of a.
func (c *claim) given(
	ctx context.Context,
	a *lts.Alphabet,
	atoms []property.Step,
) *property.Nondeterministic {
	letterOf, g := c.over(ctx, a, atoms)
	n := &property.Nondeterministic{
		Initial: g.initial,
		Letters: letterOf,
		All:     property.Mark(0),
	}
	for _, letter := range g.moves {
		moves := make([][]property.Move, len(letter))
		for q, all := range letter {
			var marks property.Marks
			if g.accepts[q] {
				marks = property.Mark(0)
			}
			for _, to := range all {
				moves[q] = append(moves[q], property.Move{To: to, Marks: marks})
			}
		}
		n.Moves = append(n.Moves, moves)
	}
	return n
}

// over makes the graph of a claim.
func (c *claim) over(
	ctx context.Context,
	a *lts.Alphabet,
	atoms []property.Step,
) ([]uint16, *graph) {
	letterOf, held, err := letters.Of(ctx, atoms, a, letters.Most)
	abort.On(err)
	g := &graph{initial: c.initial, accepts: c.accepts}
	idle := make([]bool, len(atoms))
	for _, letter := range append(held, idle) {
		g.moves = append(g.moves, c.movesOn(letter))
	}
	return letterOf, g
}

// movesOn returns the successors of each state for a letter. The letter is given by the atoms that
// hold.
func (c *claim) movesOn(letter []bool) [][]int {
	moves := make([][]int, len(c.steps))
	for q, steps := range c.steps {
		for _, s := range steps {
			if s.on.Holds(func(atom int) bool { return letter[atom] }, false) {
				moves[q] = append(moves[q], s.to)
			}
		}
		slices.Sort(moves[q])
		moves[q] = slices.Compact(moves[q])
	}
	return moves
}

// next returns the successors of a set of states, ascending.
func (g *graph) next(from []int, letter int) []int {
	var all []int
	for _, q := range from {
		all = append(all, g.moves[letter][q]...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// settled returns the states of components in which every cycle has an accepting state. A run that
// satisfies the property must leave these components. isWeak is false if a component has both a cycle
// with an accepting state and a cycle without.
func (g *graph) settled() (settled []bool, isWeak bool) {
	states := len(g.accepts)
	reach := make([][]bool, states)
	for q := range reach {
		reach[q] = g.reachedWithin(q, func(int) bool { return true })
	}
	settled = make([]bool, states)
	for q := range settled {
		for r := range states {
			if g.accepts[r] && reach[q][r] && reach[r][q] {
				settled[q] = true
			}
		}
		if !settled[q] {
			continue
		}
		reachable := g.reachedWithin(q, func(r int) bool { return !g.accepts[r] })
		isOnOtherCycle := reachable[q]
		if isOnOtherCycle {
			return nil, false
		}
	}
	return settled, true
}

// reachedWithin returns the states that are reached from a state by one or more moves through states of
// a set.
func (g *graph) reachedWithin(from int, contains func(int) bool) []bool {
	found := make([]bool, len(g.accepts))
	if !contains(from) {
		return found
	}
	pending := []int{from}
	for len(pending) > 0 {
		q := pending[0]
		pending = pending[1:]
		for _, moves := range g.moves {
			for _, to := range moves[q] {
				if !found[to] && contains(to) {
					found[to] = true
					pending = append(pending, to)
				}
			}
		}
	}
	return found
}

// obligations is a state of the breakpoint construction: the states in which the claim can be, and
// waiting states in settled components, which the claim must leave. A transition takes waiting
// states to their successors; once no state is waiting, all possible states in settled components
// wait again.
type obligations struct{ possible, waiting []int }

func (o obligations) key() string { return fmt.Sprint(o.possible, o.waiting) }

// oblige returns the successor of a state of the breakpoint construction, and the marks of the
// transition.
func (g *graph) oblige(
	o obligations,
	settled []bool,
	letter int,
) (obligations, property.Marks) {
	to := obligations{possible: g.next(o.possible, letter)}
	successors := to.possible // the states after the waiting ones or, if none is waiting, after all possible ones
	if len(o.waiting) > 0 {
		successors = g.next(o.waiting, letter)
	}
	to.waiting = slices.DeleteFunc(slices.Clone(successors), func(q int) bool {
		return !settled[q]
	})
	if len(to.waiting) == 0 {
		return to, property.Mark(0)
	}
	return to, 0
}

// safra builds Safra trees. A branch has a set of states of the claim. Its children have the states of
// runs that have passed an accepting state since the branch was last complete. A state that belongs to
// two children is kept in the older one.
type safra struct {
	*graph
	names int // the number of different names of branches
}

// branch is a node of a Safra tree, with its subtrees; nil is the empty tree.
type branch struct {
	name     int
	states   []int
	children []*branch
}

// key returns a text that is the same for equal trees only.
func (n *branch) key() string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprint(&b, n.name, n.states, "(")
	for _, c := range n.children {
		b.WriteString(c.key())
	}
	b.WriteByte(')')
	return b.String()
}

// Each name of a branch has a Rabin pair of colours: the branch is completed infinitely often, and removed
// only finitely often.

// completed is the colour of transitions that complete a branch.
func completed(name int) int { return 2 * name }

// removed is the colour of transitions that remove a branch.
func removed(name int) int { return 2*name + 1 }

// after takes a step of the construction.
func (x *safra) after(
	from *branch,
	letter int,
) (root *branch, marks property.Marks, err error) {
	if from == nil {
		return nil, 0, nil
	}
	root = pruned(x.grown(from, letter), map[int]bool{})
	if root != nil {
		marks = root.mergeComplete()
	}
	used := from.names()
	kept := root.names()
	for name := range used {
		if !kept[name] {
			marks |= property.Mark(removed(name))
		}
	}
	x.nameFresh(root, used)
	if 2*x.names > property.Colours {
		return nil, 0, letters.TooLarge("the automaton of the claim is too large: more than %d colours", property.Colours)
	}
	return root, marks, nil
}

// nameFresh gives each new branch the smallest unused name.
func (x *safra) nameFresh(root *branch, used map[int]bool) {
	root.each(func(n *branch) {
		if n.name != fresh {
			return
		}
		name := 0
		for used[name] {
			name++
		}
		used[name] = true
		n.name = name
		x.names = max(x.names, name+1)
	})
}

// names returns the names in a tree.
func (n *branch) names() map[int]bool {
	all := map[int]bool{}
	n.each(func(b *branch) { all[b.name] = true })
	return all
}

func (n *branch) each(visit func(*branch)) {
	if n == nil {
		return
	}
	visit(n)
	for _, c := range n.children {
		c.each(visit)
	}
}

// fresh is the name of a new branch until it is renamed.
const fresh = -1

// grown returns the tree after a letter. Each branch gets a new child for its accepting states.
func (x *safra) grown(n *branch, letter int) *branch {
	m := &branch{name: n.name, states: x.next(n.states, letter)}
	for _, c := range n.children {
		m.children = append(m.children, x.grown(c, letter))
	}
	accepting := slices.DeleteFunc(slices.Clone(m.states), func(q int) bool {
		return !x.accepts[q]
	})
	if len(accepting) > 0 {
		m.children = append(m.children, &branch{name: fresh, states: accepting})
	}
	return m
}

// pruned removes from a branch the states that older branches have taken; nil if none is left.
func pruned(n *branch, taken map[int]bool) *branch {
	n.states = slices.DeleteFunc(n.states, func(q int) bool { return taken[q] })
	if len(n.states) == 0 {
		return nil
	}
	below := maps.Clone(taken)
	var children []*branch
	for _, c := range n.children {
		// A child has no states that its parent lacks.
		c.states = slices.DeleteFunc(c.states, func(q int) bool {
			return !slices.Contains(n.states, q)
		})
		c = pruned(c, below)
		if c == nil {
			continue
		}
		for _, q := range c.states {
			below[q] = true
		}
		children = append(children, c)
	}
	n.children = children
	return n
}

// mergeComplete merges the children of complete branches into the branches. A branch is complete if its
// children have all its states. mergeComplete returns the colours of the complete branches.
func (n *branch) mergeComplete() (marks property.Marks) {
	count := 0
	for _, c := range n.children {
		count += len(c.states)
	}
	if count < len(n.states) {
		for _, c := range n.children {
			marks |= c.mergeComplete()
		}
		return marks
	}
	n.children = nil
	if n.name != fresh {
		marks = property.Mark(completed(n.name))
	}
	return marks
}

// automaton is a claim from a file in the HOA format.
type automaton struct {
	*hoa.Formula
	// sets are the acceptance sets, each of which must be met infinitely often.
	sets []int
}

// FromAutomaton returns the property that no run is accepted by the automaton of a file, which may be
// nondeterministic. It fails if the condition is neither a Büchi nor a generalised Büchi condition.
func FromAutomaton(f *hoa.Formula) (*Formula, error) {
	g := f.Automaton()
	sets, is := generalised(g.Acceptance)
	if !is {
		return nil, f.Fail(g.AcceptanceLine,
			"a claim has a Büchi condition, Inf(0), or a generalised one, Inf(0) & Inf(1); autfilt -B of Spot makes one")
	}
	return &Formula{source: &automaton{f, sets}, name: f.String()}, nil
}

// generalised returns the acceptance sets if the condition is that all of them recur; false otherwise.
func generalised(c automata.Condition) (sets []int, isGeneralised bool) {
	switch c.Op {
	case automata.ConditionTrue:
		return nil, true
	case automata.ConditionInf:
		return []int{c.Set}, !c.Complement
	case automata.ConditionAnd:
		a, isA := generalised(c.Parts[0])
		b, isB := generalised(c.Parts[1])
		return append(a, b...), isA && isB
	}
	return nil, false
}

// given returns the automaton itself, as it was given, over the labels of a.
func (x *automaton) given(
	ctx context.Context,
	a *lts.Alphabet,
	propositions []property.Step,
) *property.Nondeterministic {
	letterOf, takes, err := x.Takes(ctx, propositions, a)
	abort.On(err)
	file := x.Automaton()
	n := &property.Nondeterministic{Initial: []int{int(file.Starts[0])}, Letters: letterOf}
	for _, set := range x.sets {
		n.All |= property.Mark(set)
	}
	for _, edges := range takes {
		moves := make([][]property.Move, file.States)
		for i, taken := range edges {
			e := file.Edges[i]
			if taken {
				moves[e.From] = append(moves[e.From], property.Move{
					To:    int(e.To),
					Marks: property.Marks(e.Marks),
				})
			}
		}
		n.Moves = append(n.Moves, moves)
	}
	return n
}

// over makes the graph of the automaton. A state of the graph is a state of the file with a level:
// the number of sets that were met in turn since the last time when all sets had been met. The
// state accepts if all sets have been met.
func (x *automaton) over(
	ctx context.Context,
	a *lts.Alphabet,
	propositions []property.Step,
) ([]uint16, *graph) {
	levels := len(x.sets) + 1
	states := x.Automaton().States * levels
	if states > mostStates {
		abort.On(x.Fail(1, "a claim has at most %d states, but this one has %d", mostStates,
			states))
	}
	n := x.given(ctx, a, propositions)
	g := &graph{initial: []int{n.Initial[0] * levels}}
	for i := range states {
		g.accepts = append(g.accepts, i%levels == levels-1)
	}
	for _, moves := range n.Moves {
		abort.On(ctx.Err())
		g.moves = append(g.moves, x.withLevels(moves))
	}
	return n.Letters, g
}

// withLevels returns the successors of each state of the graph for a letter, given the moves of the
// states of the file.
func (x *automaton) withLevels(moves [][]property.Move) [][]int {
	levels := len(x.sets) + 1
	all := make([][]int, len(moves)*levels)
	for from, leaving := range moves {
		for level := range levels {
			var targets []int
			for _, move := range leaving {
				targets = append(targets, move.To*levels+x.levelAfter(level, move.Marks))
			}
			slices.Sort(targets)
			all[from*levels+level] = slices.Compact(targets)
		}
	}
	return all
}

// levelAfter returns the level after a move with these marks. After all sets were met, the count begins
// again.
func (x *automaton) levelAfter(level int, marks property.Marks) int {
	if level == len(x.sets) {
		level = 0
	}
	for level < len(x.sets) && marks.Has(x.sets[level]) {
		level++
	}
	return level
}
