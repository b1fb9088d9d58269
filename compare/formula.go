package compare

import (
	"context"
	"encoding/binary"
	"iter"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/lts"
)

// longestFormula is the largest length of a formula, in bytes.
const longestFormula = 1 << 16

// setFormulaOfRun sets the formula of a comparison that has found a distinguishing run, unless it would be too
// long.
func (d *disjointUnion) setFormulaOfRun(b *Behaviour) {
	text := d.formulaOfRun(b.Run)
	if len(text) <= longestFormula {
		b.Formula = text
		b.Depth = len(b.Run.Run) + 1
	}
}

// setFormulaOfBlocks sets the formula of a comparison to one that distinguishes the blocks of the initial states,
// unless the search for it reaches its limit.
func (d *disjointUnion) setFormulaOfBlocks(ctx context.Context, b *Behaviour, old, latest lts.State) error {
	found, err := d.distinguishingFormula(ctx, old, latest)
	done, err := completed(err)
	if done {
		b.Formula = found.text
		b.Depth = found.depth
	}
	return err
}

// formulaOfRun returns the formula of a distinguishing run: a version can do the run and then the
// label. If only the new version can do so, the formula is negated.
func (d *disjointUnion) formulaOfRun(run *Parting) string {
	opening := "<"
	closing := "> "
	closingAtEnd := ""
	hidden := d.hiddenPattern()
	if hidden != "" {
		opening = "E[true {" + hidden + "} U {"
		closing = "} "
		closingAtEnd = "]"
	}
	var text strings.Builder
	if run.Only == New {
		text.WriteString("!")
	}
	for _, label := range append(slices.Clone(run.Run), run.Label) {
		text.WriteString(opening + actl.Quoted(label) + closing)
	}
	text.WriteString("true")
	for range len(run.Run) + 1 {
		text.WriteString(closingAtEnd)
	}
	return text.String()
}

// hiddenPattern returns a pattern that matches the hidden labels; "" if no label is hidden.
func (d *disjointUnion) hiddenPattern() string {
	var texts []string
	for _, text := range d.texts {
		if d.hides(text) {
			texts = append(texts, actl.Quoted(text))
		}
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), ", ")
}

// hiddenSuccessors yields the blocks, other than s itself, to which hidden transitions lead from block s.
func (f *formulaBuilder) hiddenSuccessors(s lts.State) iter.Seq[lts.State] {
	return func(yield func(lts.State) bool) {
		for l, t := range f.From(s) {
			if l == f.tau && t != s && !yield(t) {
				return
			}
		}
	}
}

// move is a label and the class of a target: what a block can do after hidden transitions within
// its class. The class [divergence] represents infinitely many hidden transitions within the class.
type move uint64

const divergence = 1<<32 - 1

func moveTo(l lts.Label, class uint32) move { return move(l)<<32 | move(class) }

func (m move) label() lts.Label { return lts.Label(m >> 32) }
func (m move) class() uint32    { return uint32(m) }

// moves appends the moves of the transitions of a block, in their order. Hidden transitions within
// the class of the block are not moves.
func (f *formulaBuilder) moves(all []move, s lts.State, class []uint32) []move {
	for l, t := range f.From(s) {
		if l == f.tau && t == s {
			all = append(all, moveTo(l, divergence))
		} else if l != f.tau || class[t] != class[s] {
			all = append(all, moveTo(l, class[t]))
		}
	}
	return all
}

// distinguishingFormula returns a formula that holds in the first block and not in the second.
func (d *disjointUnion) distinguishingFormula(ctx context.Context, old, latest lts.State) (deepText, error) {
	f := &formulaBuilder{
		LTS:  d.blocks.LTS(),
		done: make(map[[2]lts.State]deepText),
		work: work{ctx, d.limit},
	}
	tau, hides := d.blocks.Tau()
	if hides {
		f.tau = tau
		f.hidden = d.hiddenPattern()
	} else {
		f.tau = lts.Label(f.Alphabet().Len())
	}
	if err := f.separate(ctx, old, latest); err != nil {
		return deepText{}, err
	}
	f.work.left = d.limit
	return f.distinguish(old, latest)
}

// postorder returns the blocks in postorder of a depth-first search along hidden transitions: each
// block after the targets of its hidden transitions.
func (f *formulaBuilder) postorder() []lts.State {
	const (
		unvisited = iota
		visited
		finished
	)
	var order []lts.State
	progress := make([]byte, f.NumStates())
	for root := range lts.State(f.NumStates()) {
		stack := []lts.State{root}
		for len(stack) > 0 {
			top := stack[len(stack)-1]
			if progress[top] == unvisited {
				progress[top] = visited
				for to := range f.hiddenSuccessors(top) {
					if progress[to] == unvisited {
						stack = append(stack, to)
					}
				}
				continue
			}
			// All that top leads to is finished. A block may be on the stack several times.
			stack = stack[:len(stack)-1]
			if progress[top] == visited {
				progress[top] = finished
				order = append(order, top)
			}
		}
	}
	return order
}

// separate refines the classes of blocks in rounds, until a round separates two blocks. It fails with
// errLimit at the limit of the work, or if ctx is done.
func (f *formulaBuilder) separate(ctx context.Context, old, latest lts.State) error {
	n := f.NumStates()
	r := &separation{formulaBuilder: f, order: f.postorder(), movesInClass: make([][]move, n)}
	class := make([]uint32, n)
	f.rounds = [][]uint32{class}
	for class[old] == class[latest] {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		next, err := r.refine(class)
		if err != nil {
			return err
		}
		class = next
		f.rounds = append(f.rounds, class)
	}
	return nil
}

// separation has what the rounds of [formulaBuilder.separate] use again.
type separation struct {
	*formulaBuilder
	order []lts.State // the blocks in postorder
	// movesInClass has, for each block, the moves that it reaches by hidden transitions within its class.
	movesInClass [][]move
	classes      int // the number of classes after the last round
	key          []byte
}

// refine returns the next class of each block: blocks with the same class and the same moves get the same
// next class.
func (r *separation) refine(class []uint32) (next []uint32, err error) {
	next = make([]uint32, len(class))
	numbers := make(map[string]uint32, r.classes) // of the next classes, by class and moves
	for _, s := range r.order {
		moves := r.moves(r.movesInClass[s][:0], s, class)
		for t := range r.hiddenSuccessors(s) {
			if class[t] == class[s] {
				moves = append(moves, r.movesInClass[t]...)
			}
		}
		if err := r.work.spend(len(moves) + 1); err != nil {
			return nil, err
		}
		slices.Sort(moves)
		r.movesInClass[s] = slices.Compact(moves)
		r.key = appendKey(r.key[:0], class[s], r.movesInClass[s])
		number, isKnown := numbers[string(r.key)]
		if !isKnown {
			number = uint32(len(numbers))
			numbers[string(r.key)] = number
		}
		next[s] = number
	}
	r.classes = len(numbers)
	return next, nil
}

// appendKey appends bytes that identify a class and a list of moves: two blocks get the same bytes
// if and only if they have the same class and the same moves.
func appendKey(key []byte, class uint32, moves []move) []byte {
	key = binary.BigEndian.AppendUint32(key, class)
	for _, m := range moves {
		key = binary.BigEndian.AppendUint64(key, uint64(m))
	}
	return key
}

// formulaBuilder makes formulas that distinguish blocks, from the rounds that separated them (Korver:
// Computing Distinguishing Formulas for Branching Bisimulation, CAV 1991, section 4), in the syntax
// of inev ctl: with the hidden labels as i, "E[f {i} U {a} g]" for visible moves, "E[f {i} U g]" for
// hidden moves to another class, and "E[G ({i} && f)]", a formula of CTL*, for divergence. Without
// hidden labels, they are formulas "<a> g" of Hennessy and Milner's logic (Cleaveland: On
// Automatically Explaining Bisimulation Inequivalence, CAV 1990, section 4).
//
// The model is the graph of blocks. Its hidden transitions form no cycles but self-loops: a block with
// a hidden self-loop is divergent.
type formulaBuilder struct {
	*lts.LTS
	tau    lts.Label // a label that no transition has if none is hidden
	hidden string    // a pattern that matches the hidden labels; "" if there are none
	// rounds has, for depths 0, 1, …, the classes of blocks that formulas of this depth
	// distinguish, up to the first depth that distinguishes the two blocks (Blom, Orzan: Distributed
	// Branching Bisimulation Reduction of State Spaces, PDMC 2003, section 3): blocks of one class are
	// separated by the moves that they reach within the class. Classes have the numbers of their first
	// blocks. Cost O(T) for each round, and at most as many rounds as blocks.
	rounds [][]uint32
	done   map[[2]lts.State]deepText
	work   work
	// reached, passed and seen mark the blocks that reachInClass, obligationsOf and leadsTo have visited.
	// ownMoves and otherMoves are buffers.
	reached, passed, seen marks
	ownMoves, otherMoves  []move
}

// marks is a set of blocks that is emptied in O(1) time.
type marks struct {
	lastIn  []uint32 // for each block, the number of the last set that it was in
	current uint32   // the number of the set
}

// clear empties the set; n is the number of blocks.
func (m *marks) clear(n int) {
	if m.lastIn == nil || m.current == never {
		m.lastIn = make([]uint32, n)
		m.current = 0
	}
	m.current++
}

// add adds a block, and reports whether it is new.
func (m *marks) add(s lts.State) bool {
	isNew := m.lastIn[s] != m.current
	m.lastIn[s] = m.current
	return isNew
}

// deepText is a formula with the nesting depth of its modalities.
type deepText struct {
	text  string
	depth int
}

var always = deepText{text: "true"}

// distinguish returns a formula that holds in s and not in t. Its depth is at most the number of the
// first round that separates s and t; without hidden labels, no formula has a smaller depth. If a
// formula gets too long, distinguish fails as it does at the limit of the search.
func (f *formulaBuilder) distinguish(s, t lts.State) (deepText, error) {
	blocks := [2]lts.State{s, t}
	if known, isKnown := f.done[blocks]; isKnown {
		return known, nil
	}
	separates := func(i int) bool { return f.rounds[i][s] != f.rounds[i][t] }
	lastCommon := sort.Search(len(f.rounds), separates) - 1
	class := f.rounds[lastCommon]
	found, err := f.formulaOfOwnMove(s, t, class)
	if err == nil && found.text == "" {
		found, err = f.formulaOfOwnMove(t, s, class)
		found.text = "!" + found.text
	}
	if err != nil {
		return deepText{}, err
	}
	if len(found.text) > longestFormula {
		return deepText{}, errLimit
	}
	f.done[blocks] = found
	return found, nil
}

// obligations describe a formula that holds in block s, since s can do a move, and must not hold in
// block t. They are the blocks that the formula must distinguish. path begins with s and lies in
// the class of s; its last block makes the move.
type obligations struct {
	move move
	path []lts.State
	// otherTargets are the blocks that t reaches by the same moves instead of the target. The formula of
	// the target must not hold in them.
	otherTargets []lts.State
	// otherStops are the blocks that t reaches by hidden transitions, and that have the move. The formula
	// of the path must not hold in them.
	otherStops []lts.State
}

// formulaOfOwnMove returns a formula for a move that s reaches by hidden transitions within its class, and that
// t, in the same class, cannot reach in this way. The formula is "" if there is no such move. If
// there are several, it chooses a move with the fewest pairs of blocks to distinguish.
func (f *formulaBuilder) formulaOfOwnMove(s, t lts.State, class []uint32) (deepText, error) {
	excluded, err := f.movesInClass(t, class)
	if err != nil {
		return deepText{}, err
	}
	blocksOfS, err := f.reachInClass(s, class)
	if err != nil {
		return deepText{}, err
	}
	var best *obligations
	for i, visited := range blocksOfS {
		f.ownMoves = f.moves(f.ownMoves[:0], visited.block, class)
		if f.hidden != "" {
			slices.Sort(f.ownMoves)
		}
		for _, m := range f.ownMoves {
			if excluded[m] {
				continue
			}
			excluded[m] = true // the first block of s with this move is the nearest
			o, err := f.obligationsOf(m, t, class)
			if err != nil {
				return deepText{}, err
			}
			o.path = pathTo(blocksOfS, i)
			if best == nil || o.cost() < best.cost() {
				best = o
			}
		}
	}
	if best == nil {
		return deepText{}, nil
	}
	return f.formulaOf(best, class)
}

// movesInClass returns the moves that t reaches by hidden transitions within its class.
func (f *formulaBuilder) movesInClass(t lts.State, class []uint32) (map[move]bool, error) {
	reached, err := f.reachInClass(t, class)
	if err != nil {
		return nil, err
	}
	moves := make(map[move]bool)
	for _, visited := range reached {
		f.otherMoves = f.moves(f.otherMoves[:0], visited.block, class)
		for _, m := range f.otherMoves {
			moves[m] = true
		}
	}
	return moves, nil
}

func (o *obligations) cost() int { return len(o.otherTargets) + len(o.path)*len(o.otherStops) }

// visit is a visited block with the index of the visit from which the search reached it, -1 for the
// first.
type visit struct {
	block    lts.State
	previous int
}

// pathTo returns the blocks on the path of a search to its visit i.
func pathTo(visits []visit, i int) []lts.State {
	var path []lts.State
	for ; i >= 0; i = visits[i].previous {
		path = append(path, visits[i].block)
	}
	slices.Reverse(path)
	return path
}

// reachInClass returns the blocks that s reaches by hidden transitions within its class, nearest first.
func (f *formulaBuilder) reachInClass(s lts.State, class []uint32) ([]visit, error) {
	f.reached.clear(f.NumStates())
	f.reached.add(s)
	all := []visit{{s, -1}}
	for i := 0; i < len(all); i++ {
		if err := f.work.spend(1); err != nil {
			return nil, err
		}
		for t := range f.hiddenSuccessors(all[i].block) {
			if class[t] == class[s] && f.reached.add(t) {
				all = append(all, visit{t, i})
			}
		}
	}
	return all, nil
}

// obligationsOf returns the blocks that a formula about a move must distinguish. Block t must not
// reach the move within its class. The search begins in t and follows hidden transitions. Outside
// the class of t, it continues through blocks that cannot reach the move, since these need not be
// distinguished, and stops at blocks that can. The caller sets the path.
func (f *formulaBuilder) obligationsOf(m move, t lts.State, class []uint32) (*obligations, error) {
	o := &obligations{move: m}
	canReachMove := make(map[lts.State]bool) // for the blocks that leadsTo has examined
	otherTargets := make(map[lts.State]bool)
	isHiddenStep := m.label() == f.tau && m.class() != divergence
	f.passed.clear(f.NumStates())
	f.passed.add(t)
	for open := []lts.State{t}; len(open) > 0; {
		x := open[0]
		open = open[1:]
		if err := f.addOtherTargets(m, x, otherTargets); err != nil {
			return nil, err
		}
		for y := range f.hiddenSuccessors(x) {
			if !f.passed.add(y) {
				continue
			}
			if class[y] == class[t] {
				open = append(open, y)
				continue
			}
			canMove, err := f.leadsTo(m, y, class, canReachMove)
			if err != nil {
				return nil, err
			}
			if !canMove {
				open = append(open, y)
				continue
			}
			o.otherStops = append(o.otherStops, y)
			if isHiddenStep {
				otherTargets[y] = true
			}
		}
	}
	o.otherTargets = slices.Sorted(maps.Keys(otherTargets))
	slices.Sort(o.otherStops)
	return o, nil
}

// addOtherTargets adds blocks that a run of t can reach instead of the target of the move, once it
// is in x. For a hidden move, this is x itself; otherwise, these are the targets of the transitions
// from x with the label of the move.
func (f *formulaBuilder) addOtherTargets(m move, x lts.State, otherTargets map[lts.State]bool) error {
	if m.label() == f.tau {
		if m.class() != divergence {
			otherTargets[x] = true
		}
		return f.work.spend(1)
	}
	labels, targets := f.Out(x)
	for k, y := range targets {
		if labels.At(k) == m.label() {
			otherTargets[y] = true
		}
	}
	return f.work.spend(len(targets) + 1)
}

// leadsTo reports whether hidden transitions lead from x to a block that has the move or, if the move is
// hidden, to its target class. It records in known which of the blocks that it visits lead there.
func (f *formulaBuilder) leadsTo(
	m move,
	x lts.State,
	class []uint32,
	known map[lts.State]bool,
) (bool, error) {
	var examined []lts.State
	f.seen.clear(f.NumStates())
	f.seen.add(x)
	for open := []lts.State{x}; len(open) > 0; {
		y := open[len(open)-1]
		open = open[:len(open)-1]
		examined = append(examined, y)
		if err := f.work.spend(1); err != nil {
			return false, err
		}
		leads, isKnown := known[y]
		if isKnown && !leads {
			continue
		}
		if !isKnown {
			isInTarget := m.label() == f.tau && m.class() == class[y]
			leads = isInTarget || f.hasMove(y, m, class)
		}
		if leads {
			known[x] = true
			return true, nil
		}
		for z := range f.hiddenSuccessors(y) {
			if f.seen.add(z) {
				open = append(open, z)
			}
		}
	}
	for _, y := range examined {
		known[y] = false
	}
	return false, nil
}

// hasMove reports whether a block has a move. It reuses the memory of otherMoves.
func (f *formulaBuilder) hasMove(s lts.State, m move, class []uint32) bool {
	f.otherMoves = f.moves(f.otherMoves[:0], s, class)
	return slices.Contains(f.otherMoves, m)
}

// formulaOf returns the formula that meets some obligations: a run along the path makes the move.
func (f *formulaBuilder) formulaOf(o *obligations, class []uint32) (deepText, error) {
	along, err := f.formulaOfPath(o)
	if err != nil {
		return deepText{}, err
	}
	if o.move.class() == divergence {
		text := "E[G {" + f.hidden + "}]"
		if along != always {
			text = "E[G ({" + f.hidden + "} && " + along.text + ")]"
		}
		return deepText{text, along.depth + 1}, nil
	}
	target := f.targetOf(o.move, o.path[len(o.path)-1], class)
	var conjuncts []deepText
	for _, other := range o.otherTargets {
		conjunct, err := f.distinguish(target, other)
		if err != nil {
			return deepText{}, err
		}
		conjuncts = append(conjuncts, conjunct)
	}
	after := joined(conjuncts, " && ")
	step := ""
	if o.move.label() != f.tau {
		label := actl.Quoted(f.Alphabet().Text(o.move.label()))
		if f.hidden == "" {
			return deepText{"<" + label + "> " + after.text, 1 + after.depth}, nil
		}
		step = "{" + label + "} "
	}
	return deepText{
		"E[" + along.text + " {" + f.hidden + "} U " + step + after.text + "]",
		1 + max(along.depth, after.depth),
	}, nil
}

// targetOf returns the first target of a move of a block.
func (f *formulaBuilder) targetOf(m move, block lts.State, class []uint32) lts.State {
	for l, t := range f.From(block) {
		if l == m.label() && class[t] == m.class() {
			return t
		}
	}
	return 0
}

// formulaOfPath returns a formula that holds in all blocks of the path and in no block of otherStops.
func (f *formulaBuilder) formulaOfPath(o *obligations) (deepText, error) {
	var conjuncts []deepText
	for _, stop := range o.otherStops {
		var disjuncts []deepText
		for _, block := range o.path {
			disjunct, err := f.distinguish(block, stop)
			if err != nil {
				return deepText{}, err
			}
			disjuncts = append(disjuncts, disjunct)
		}
		conjuncts = append(conjuncts, joined(disjuncts, " || "))
	}
	return joined(conjuncts, " && "), nil
}

// joined joins different formulas by an operator; for no formulas, it returns the formula true.
func joined(parts []deepText, operator string) deepText {
	var texts []string
	depth := 0
	for _, part := range parts {
		if !slices.Contains(texts, part.text) {
			texts = append(texts, part.text)
			depth = max(depth, part.depth)
		}
	}
	switch len(texts) {
	case 0:
		return always
	case 1:
		return deepText{texts[0], depth}
	}
	return deepText{"(" + strings.Join(texts, operator) + ")", depth}
}
