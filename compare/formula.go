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

// formula sets the formula of a comparison. If there is a distinguishing run, it is the formula of
// this run, otherwise a formula that distinguishes the classes of the two blocks.
func (d *divided) formula(ctx context.Context, b *Behaviour, old, latest lts.State) error {
	if b.Run != nil {
		text := d.formulaOfRun(b.Run)
		if len(text) <= longestFormula {
			b.Formula = text
			b.Depth = len(b.Run.Run) + 1
		}
		return nil
	}
	found, err := d.ofClasses(ctx, old, latest)
	done, err := completed(err)
	if done {
		b.Formula = found.text
		b.Depth = found.depth
	}
	return err
}

// formulaOfRun returns the formula of a distinguishing run: a version can do the run and then the
// label. If only the new version can do so, the formula is negated.
func (d *divided) formulaOfRun(run *Parting) string {
	before := "<"
	after := "> "
	end := ""
	if internal := d.hidden(); internal != "" {
		before = "E[true {" + internal + "} U {"
		after = "} "
		end = "]"
	}
	var text strings.Builder
	if run.Only == New {
		text.WriteString("!")
	}
	for _, label := range append(slices.Clone(run.Run), run.Label) {
		text.WriteString(before + actl.Quoted(label) + after)
	}
	text.WriteString("true")
	for range len(run.Run) + 1 {
		text.WriteString(end)
	}
	return text.String()
}

// hidden returns a pattern that matches the hidden labels; "" if no label is hidden.
func (d *divided) hidden() string {
	var texts []string
	for _, text := range d.texts {
		if d.hides(text) {
			texts = append(texts, actl.Quoted(text))
		}
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), ", ")
}

// steps yields the blocks, other than s itself, that hidden transitions of block s enter.
func (f *parting) steps(s lts.State) iter.Seq[lts.State] {
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
func (f *parting) moves(all []move, s lts.State, class []uint32) []move {
	for l, t := range f.From(s) {
		if l == f.tau && t == s {
			all = append(all, moveTo(l, divergence))
		} else if l != f.tau || class[t] != class[s] {
			all = append(all, moveTo(l, class[t]))
		}
	}
	return all
}

// ofClasses returns a formula that holds in the first block and not in the second.
func (d *divided) ofClasses(ctx context.Context, old, latest lts.State) (deepText, error) {
	f := &parting{
		LTS:  d.q.LTS(),
		done: make(map[[2]lts.State]deepText),
		work: work{ctx, d.limit},
	}
	tau, hides := d.q.Tau()
	if hides {
		f.tau = tau
		f.hidden = d.hidden()
	} else {
		f.tau = lts.Label(f.Alphabet().Len())
	}
	if err := f.separate(ctx, old, latest); err != nil {
		return deepText{}, err
	}
	f.work.left = d.limit
	return f.between(old, latest)
}

// inOrder returns the blocks in postorder of a depth-first search along hidden transitions: each
// block after the targets of its hidden transitions.
func (f *parting) inOrder() []lts.State {
	n := f.NumStates()
	const (
		unvisited = iota
		visited
		finished
	)
	var order []lts.State
	state := make([]byte, n)
	for s := range lts.State(n) {
		stack := []lts.State{s}
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			if state[at] == unvisited {
				state[at] = visited
				for to := range f.steps(at) {
					if state[to] == unvisited {
						stack = append(stack, to)
					}
				}
				continue
			}
			stack = stack[:len(stack)-1]
			if state[at] == visited {
				state[at] = finished
				order = append(order, at)
			}
		}
	}
	return order
}

// separate makes rounds until one separates two blocks.
func (f *parting) separate(ctx context.Context, old, latest lts.State) error {
	n := f.NumStates()
	order := f.inOrder()
	class := make([]uint32, n)
	f.rounds = [][]uint32{class}
	allMoves := make([][]move, n) // of each block, those by hidden transitions within its class included
	classes := 0
	var key []byte
	for class[old] == class[latest] {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		numbers := make(map[string]uint32, classes) // of the next classes, by the class and the moves
		next := make([]uint32, n)
		for _, s := range order {
			moves := f.moves(allMoves[s][:0], s, class)
			for t := range f.steps(s) {
				if class[t] == class[s] {
					moves = append(moves, allMoves[t]...)
				}
			}
			if err := f.work.spend(len(moves) + 1); err != nil {
				return err
			}
			slices.Sort(moves)
			allMoves[s] = slices.Compact(moves)
			key = binary.BigEndian.AppendUint32(key[:0], class[s])
			for _, m := range allMoves[s] {
				key = binary.BigEndian.AppendUint64(key, uint64(m))
			}
			number, isKnown := numbers[string(key)]
			if !isKnown {
				number = uint32(len(numbers))
				numbers[string(key)] = number
			}
			next[s] = number
		}
		classes = len(numbers)
		class = next
		f.rounds = append(f.rounds, class)
	}
	return nil
}

// parting makes formulas that distinguish blocks, from the rounds that separated them (Korver:
// Computing Distinguishing Formulas for Branching Bisimulation, CAV 1991, section 4), in the syntax
// of inev ctl: with the hidden labels as i, "E[f {i} U {a} g]" for visible moves, "E[f {i} U g]" for
// hidden moves to another class, and "E[G ({i} && f)]", a formula of CTL*, for divergence. Without
// hidden labels, they are formulas "<a> g" of Hennessy and Milner's logic (Cleaveland: On
// Automatically Explaining Bisimulation Inequivalence, CAV 1990, section 4).
//
// The model is the graph of blocks. Its hidden transitions form no cycles but self-loops: a block with
// a hidden self-loop is divergent.
type parting struct {
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
	// within, obligations and harmful mark the blocks that they have met in reached, passed and
	// seen. ownMoves and otherMoves are buffers.
	reached, passed, seen marks
	ownMoves, otherMoves  []move
}

// marks is a set of blocks that is emptied in O(1) time.
type marks struct {
	at  []uint32 // the number of the set in which each block was last
	now uint32
}

// clear empties the set; n is the number of blocks.
func (m *marks) clear(n int) {
	if m.at == nil || m.now == never {
		m.at = make([]uint32, n)
		m.now = 0
	}
	m.now++
}

// add adds a block, and reports whether it is new.
func (m *marks) add(s lts.State) bool {
	isNew := m.at[s] != m.now
	m.at[s] = m.now
	return isNew
}

// deepText is a formula with the nesting depth of its modalities.
type deepText struct {
	text  string
	depth int
}

var always = deepText{text: "true"}

// between returns a formula that holds in s and not in t. Its depth is at most the number of the
// first round that separates s and t; without hidden labels, no formula has a smaller depth. If a
// formula gets too long, between fails as it does at the limit of the search.
func (f *parting) between(s, t lts.State) (deepText, error) {
	blocks := [2]lts.State{s, t}
	if known, isKnown := f.done[blocks]; isKnown {
		return known, nil
	}
	separates := func(i int) bool { return f.rounds[i][s] != f.rounds[i][t] }
	class := f.rounds[sort.Search(len(f.rounds), separates)-1]
	found, err := f.can(s, t, class)
	if err == nil && found.text == "" {
		found, err = f.can(t, s, class)
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

// obligations are the blocks that a formula about a move of s must distinguish. path begins with s
// and lies in the class of s; its last block makes the move.
type obligations struct {
	move    move
	path    []lts.State
	against []lts.State // the formula must distinguish the target of the move from these blocks
	blocked []lts.State // the formula must distinguish each block of the path from these blocks
}

// can returns a formula for a move that s reaches by hidden transitions within its class, and that
// t, in the same class, cannot reach in this way. The formula is "" if there is no such move. If
// there are several, can chooses a move with the fewest blocks to distinguish.
func (f *parting) can(s, t lts.State, class []uint32) (deepText, error) {
	excluded := make(map[move]bool) // the moves of t, and those of the blocks of s that were examined
	blocksOfT, err := f.within(t, class)
	if err != nil {
		return deepText{}, err
	}
	for _, x := range blocksOfT {
		f.otherMoves = f.moves(f.otherMoves[:0], x.at, class)
		for _, m := range f.otherMoves {
			excluded[m] = true
		}
	}
	blocksOfS, err := f.within(s, class)
	if err != nil {
		return deepText{}, err
	}
	var best *obligations
	for i, x := range blocksOfS {
		f.ownMoves = f.moves(f.ownMoves[:0], x.at, class)
		if f.hidden != "" {
			slices.Sort(f.ownMoves)
		}
		for _, m := range f.ownMoves {
			if excluded[m] {
				continue
			}
			excluded[m] = true
			o, err := f.obligations(m, t, class)
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

func (o *obligations) cost() int { return len(o.against) + len(o.path)*len(o.blocked) }

// visit is a visited block; before is the index of the block before it, -1 for the first.
type visit struct {
	at     lts.State
	before int
}

func pathTo(visits []visit, i int) []lts.State {
	var path []lts.State
	for ; i >= 0; i = visits[i].before {
		path = append(path, visits[i].at)
	}
	slices.Reverse(path)
	return path
}

// within returns the blocks that s reaches by hidden transitions within its class, nearest first.
func (f *parting) within(s lts.State, class []uint32) ([]visit, error) {
	f.reached.clear(f.NumStates())
	f.reached.add(s)
	all := []visit{{s, -1}}
	for i := 0; i < len(all); i++ {
		if err := f.work.spend(1); err != nil {
			return nil, err
		}
		for t := range f.steps(all[i].at) {
			if class[t] == class[s] && f.reached.add(t) {
				all = append(all, visit{t, i})
			}
		}
	}
	return all, nil
}

// obligations returns the blocks that a formula about a move must distinguish, for a t that does
// not reach the move within its class. Blocks outside this class that cannot reach the move need
// not be distinguished.
func (f *parting) obligations(m move, t lts.State, class []uint32) (*obligations, error) {
	o := &obligations{move: m}
	harm := make(map[lts.State]bool)
	against := make(map[lts.State]bool)
	f.passed.clear(f.NumStates())
	f.passed.add(t)
	for open := []lts.State{t}; len(open) > 0; {
		x := open[0]
		open = open[1:]
		if err := f.against(m, x, against); err != nil {
			return nil, err
		}
		for y := range f.steps(x) {
			if !f.passed.add(y) {
				continue
			}
			if class[y] == class[t] {
				open = append(open, y)
				continue
			}
			isHarmful, err := f.harmful(m, y, class, harm)
			if err != nil {
				return nil, err
			}
			if !isHarmful {
				open = append(open, y)
				continue
			}
			o.blocked = append(o.blocked, y)
			if m.label() == f.tau && m.class() != divergence {
				against[y] = true
			}
		}
	}
	o.against = slices.Sorted(maps.Keys(against))
	slices.Sort(o.blocked)
	return o, nil
}

// against adds blocks from which the formula must distinguish the target of the move, if a run
// comes through x.
func (f *parting) against(m move, x lts.State, against map[lts.State]bool) error {
	if m.label() == f.tau {
		if m.class() != divergence {
			against[x] = true
		}
		return f.work.spend(1)
	}
	labels, targets := f.Out(x)
	for k, y := range targets {
		if labels.At(k) == m.label() {
			against[y] = true
		}
	}
	return f.work.spend(len(targets) + 1)
}

// harmful reports whether hidden transitions lead from x to the move or, if the move is hidden, to
// the move's target class.
func (f *parting) harmful(
	m move,
	x lts.State,
	class []uint32,
	known map[lts.State]bool,
) (bool, error) {
	var met []lts.State
	f.seen.clear(f.NumStates())
	f.seen.add(x)
	for open := []lts.State{x}; len(open) > 0; {
		y := open[len(open)-1]
		open = open[:len(open)-1]
		met = append(met, y)
		if err := f.work.spend(1); err != nil {
			return false, err
		}
		leads, isKnown := known[y]
		if isKnown && !leads {
			continue
		}
		if !isKnown {
			leads = m.label() == f.tau && m.class() == class[y] || f.hasMove(y, m, class)
		}
		if leads {
			known[x] = true
			return true, nil
		}
		for z := range f.steps(y) {
			if f.seen.add(z) {
				open = append(open, z)
			}
		}
	}
	for _, y := range met {
		known[y] = false
	}
	return false, nil
}

// hasMove reports whether a block has a move.
func (f *parting) hasMove(s lts.State, m move, class []uint32) bool {
	f.otherMoves = f.moves(f.otherMoves[:0], s, class)
	return slices.Contains(f.otherMoves, m)
}

// formulaOf returns the formula of a path and the move at its end.
func (f *parting) formulaOf(o *obligations, class []uint32) (deepText, error) {
	along, err := f.along(o)
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
	var parts []deepText
	for _, y := range o.against {
		part, err := f.between(target, y)
		if err != nil {
			return deepText{}, err
		}
		parts = append(parts, part)
	}
	after := joined(parts, " && ")
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
func (f *parting) targetOf(m move, block lts.State, class []uint32) lts.State {
	for l, t := range f.From(block) {
		if l == m.label() && class[t] == m.class() {
			return t
		}
	}
	return 0
}

// along returns a formula that holds in all blocks of the path and in no blocked block.
func (f *parting) along(o *obligations) (deepText, error) {
	var all []deepText
	for _, z := range o.blocked {
		var some []deepText
		for _, p := range o.path {
			one, err := f.between(p, z)
			if err != nil {
				return deepText{}, err
			}
			some = append(some, one)
		}
		all = append(all, joined(some, " || "))
	}
	return joined(all, " && "), nil
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
