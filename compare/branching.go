package compare

import (
	"context"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/lts"
)

// hidden returns a pattern that matches the hidden labels; "" if no label is hidden.
func (d *divided) hidden() string {
	var texts []string
	for _, text := range d.texts {
		if quoted := actl.Quoted(text); d.hides(text) && !slices.Contains(texts, quoted) {
			texts = append(texts, quoted)
		}
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}

// inert is the graph of blocks. Its hidden transitions form no cycles but self-loops: a block with
// a hidden self-loop is divergent.
type inert struct {
	*lts.LTS
	tau lts.Label
	// order lists the blocks so that each block comes after the targets of its hidden transitions.
	order []lts.State
}

func newInert(g *lts.LTS, tau lts.Label) *inert {
	n := &inert{LTS: g, tau: tau}
	const (
		met = 1 + iota
		done
	)
	state := make([]byte, g.NumStates())
	for s := range lts.State(g.NumStates()) {
		for open := []lts.State{s}; len(open) > 0; {
			at := open[len(open)-1]
			if state[at] == 0 {
				state[at] = met
				for to := range n.steps(at) {
					if state[to] == 0 {
						open = append(open, to)
					}
				}
				continue
			}
			open = open[:len(open)-1]
			if state[at] == met {
				state[at] = done
				n.order = append(n.order, at)
			}
		}
	}
	return n
}

// steps yields the other blocks that hidden transitions of a block enter.
func (n *inert) steps(s lts.State) func(yield func(lts.State) bool) {
	labels, targets := n.Out(s)
	return func(yield func(lts.State) bool) {
		for k, t := range targets {
			if labels.At(k) == n.tau && t != s && !yield(t) {
				return
			}
		}
	}
}

// move is a label and the class of a target: what a block can do after hidden transitions within
// its class. The class [divergence] stands for infinitely many hidden transitions within the class.
type move uint64

const divergence = 1<<32 - 1

func moveTo(l lts.Label, class uint32) move { return move(l)<<32 | move(class) }

func (m move) label() lts.Label { return lts.Label(m >> 32) }
func (m move) class() uint32    { return uint32(m) }

// moves returns the moves of the transitions of a block, ascending, each once. Hidden transitions
// within its class are no moves.
func (n *inert) moves(s lts.State, class []uint32) []move {
	var all []move
	labels, targets := n.Out(s)
	for k, t := range targets {
		switch l := labels.At(k); {
		case l == n.tau && t == s:
			all = append(all, moveTo(l, divergence))
		case l != n.tau || class[t] != class[s]:
			all = append(all, moveTo(l, class[t]))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// rounds is [divided.rounds] for branching bisimilarity (Blom, Orzan: Distributed Branching
// Bisimulation Reduction of State Spaces, PDMC 2003, section 3): blocks of one class are separated
// by the moves that they reach within the class.
func (n *inert) rounds(ctx context.Context, old, latest lts.State, limit int64) ([][]uint32, error) {
	w := work{ctx, limit}
	return refined(ctx, n.NumStates(), old, latest, func(last, next []uint32) error {
		var number numbering
		all := make([][]move, n.NumStates())
		for _, s := range n.order {
			own := n.moves(s, last)
			for t := range n.steps(s) {
				if last[t] == last[s] {
					own = append(own, all[t]...)
				}
			}
			if err := w.spend(len(own) + 1); err != nil {
				return err
			}
			slices.Sort(own)
			all[s] = slices.Compact(own)
			next[s] = number.of(last[s], all[s])
		}
		return nil
	})
}

// branching returns a formula that holds in the first block and not in the second; it is for models
// with hidden labels.
func (d *divided) branching(ctx context.Context, tau lts.Label, old, latest lts.State, limit int64) (deepText, error) {
	n := newInert(d.q.LTS(), tau)
	rounds, err := n.rounds(ctx, old, latest, limit)
	if err != nil {
		return deepText{}, err
	}
	f := &branchParting{n: n, hidden: d.hidden(), rounds: rounds, done: make(map[askedPair]deepText), work: work{ctx, limit}}
	said, err := f.between(old, latest)
	if err != nil || f.tooLong {
		return deepText{}, err
	}
	return said, nil
}

// branchParting makes formulas that distinguish blocks (Korver: Computing Distinguishing Formulas
// for Branching Bisimulation, CAV 1991, section 4), in the syntax of inev ctl: with the hidden
// labels as i, "E[f {i} U {a} g]" for visible moves, "E[f {i} U g]" for hidden moves to another
// class, and "E[G ({i} && f)]", a formula of CTL*, for divergence.
type branchParting struct {
	n       *inert
	hidden  string
	rounds  [][]uint32
	done    map[askedPair]deepText
	work    work
	tooLong bool
}

// deepText is a formula with the nesting depth of its modalities.
type deepText struct {
	text  string
	depth int
}

var always = deepText{text: "true"}

// between returns a formula that holds in s and not in t. The formula's depth is at most the number
// of the first round that separates s and t.
func (f *branchParting) between(s, t lts.State) (deepText, error) {
	asked := askedPair{s, t}
	if text, is := f.done[asked]; is || f.tooLong {
		return text, nil
	}
	class := f.rounds[0]
	for _, next := range f.rounds[1:] {
		if next[s] != next[t] {
			break
		}
		class = next
	}
	found, err := f.can(s, t, class)
	if err != nil {
		return found, err
	}
	if found.text == "" {
		if found, err = f.can(t, s, class); err != nil {
			return found, err
		}
		found.text = "!" + found.text
	}
	f.tooLong = f.tooLong || len(found.text) > longestFormula
	f.done[asked] = found
	return found, nil
}

// obligations are the blocks that a formula about a move of s must distinguish. path begins with s
// and lies in the class of s; its last block makes the move, to the block to.
type obligations struct {
	move    move
	path    []lts.State
	to      lts.State
	against []lts.State // the formula must distinguish block to from these blocks
	blocked []lts.State // the formula must distinguish each block of the path from these blocks
}

// can returns a formula which says that s reaches a move by hidden transitions within its class; t,
// in the same class, does not. The formula is "" if there is no such move. Of several such moves,
// it takes one with the fewest blocks to distinguish.
func (f *branchParting) can(s, t lts.State, class []uint32) (deepText, error) {
	its := make(map[move]bool)
	within, err := f.within(t, class)
	if err != nil {
		return deepText{}, err
	}
	for _, x := range within {
		for _, m := range f.n.moves(x.at, class) {
			its[m] = true
		}
	}
	var best *obligations
	can, err := f.within(s, class)
	if err != nil {
		return deepText{}, err
	}
	for i, x := range can {
		for _, m := range f.n.moves(x.at, class) {
			if its[m] {
				continue
			}
			its[m] = true // a nearer block has this move
			o, err := f.obligations(m, t, class)
			if err != nil {
				return deepText{}, err
			}
			o.path = pathTo(can, i)
			if best == nil || o.cost() < best.cost() {
				best = o
			}
		}
	}
	if best == nil {
		return deepText{}, nil
	}
	return f.say(best, class)
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
func (f *branchParting) within(s lts.State, class []uint32) ([]visit, error) {
	visited := map[lts.State]bool{s: true}
	all := []visit{{s, -1}}
	for i := 0; i < len(all); i++ {
		if err := f.work.spend(1); err != nil {
			return nil, err
		}
		for t := range f.n.steps(all[i].at) {
			if class[t] == class[s] && !visited[t] {
				visited[t] = true
				all = append(all, visit{t, i})
			}
		}
	}
	return all, nil
}

// obligations returns the obligations of a formula about a move that t does not reach within its
// class. A block outside this class that cannot reach the move need not be distinguished.
func (f *branchParting) obligations(m move, t lts.State, class []uint32) (*obligations, error) {
	o := &obligations{move: m}
	harm := make(map[lts.State]bool)
	against := make(map[lts.State]bool)
	passed := map[lts.State]bool{t: true}
	for open := []lts.State{t}; len(open) > 0; {
		x := open[0]
		open = open[1:]
		if err := f.against(m, x, against); err != nil {
			return nil, err
		}
		for y := range f.n.steps(x) {
			if passed[y] {
				continue
			}
			passed[y] = true
			harmful := false
			if class[y] != class[t] {
				var err error
				if harmful, err = f.harmful(m, y, class, harm); err != nil {
					return nil, err
				}
			}
			if !harmful {
				open = append(open, y)
				continue
			}
			o.blocked = append(o.blocked, y)
			if m.label() == f.n.tau && m.class() != divergence {
				against[y] = true
			}
		}
	}
	for y := range against {
		o.against = append(o.against, y)
	}
	slices.Sort(o.against)
	slices.Sort(o.blocked)
	return o, nil
}

// against adds the blocks that the formula must distinguish from the target of the move if a run
// comes through x.
func (f *branchParting) against(m move, x lts.State, against map[lts.State]bool) error {
	if m.label() == f.n.tau {
		if m.class() != divergence {
			against[x] = true
		}
		return f.work.spend(1)
	}
	labels, targets := f.n.Out(x)
	for k, y := range targets {
		if labels.At(k) == m.label() {
			against[y] = true
		}
	}
	return f.work.spend(len(targets) + 1)
}

// harmful reports whether hidden transitions lead from x to the move or, if the move is hidden, to
// the move's target class.
func (f *branchParting) harmful(m move, x lts.State, class []uint32, known map[lts.State]bool) (bool, error) {
	var met []lts.State
	seen := map[lts.State]bool{x: true}
	for open := []lts.State{x}; len(open) > 0; {
		y := open[len(open)-1]
		open = open[:len(open)-1]
		met = append(met, y)
		if err := f.work.spend(1); err != nil {
			return false, err
		}
		is, decided := known[y]
		if decided && !is {
			continue
		}
		if !decided {
			is = m.label() == f.n.tau && m.class() == class[y] || slices.Contains(f.n.moves(y, class), m)
		}
		if is {
			known[x] = true
			return true, nil
		}
		for z := range f.n.steps(y) {
			if !seen[z] {
				seen[z] = true
				open = append(open, z)
			}
		}
	}
	for _, y := range met {
		known[y] = false
	}
	return false, nil
}

// say returns the formula of a path and the move at its end.
func (f *branchParting) say(o *obligations, class []uint32) (deepText, error) {
	along, err := f.along(o)
	if err != nil {
		return along, err
	}
	if o.move.class() == divergence {
		text := "E[G {" + f.hidden + "}]"
		if along != always {
			text = "E[G ({" + f.hidden + "} && " + along.text + ")]"
		}
		return deepText{text, along.depth + 1}, nil
	}
	labels, targets := f.n.Out(o.path[len(o.path)-1])
	for k, t := range targets {
		if labels.At(k) == o.move.label() && class[t] == o.move.class() {
			o.to = t
			break
		}
	}
	var parts []deepText
	for _, y := range o.against {
		part, err := f.between(o.to, y)
		if err != nil {
			return part, err
		}
		parts = append(parts, part)
	}
	then := joined(parts, " && ")
	last := ""
	if o.move.label() != f.n.tau {
		last = "{" + actl.Quoted(f.n.Alphabet().Text(o.move.label())) + "} "
	}
	return deepText{"E[" + along.text + " {" + f.hidden + "} U " + last + then.text + "]", 1 + max(along.depth, then.depth)}, nil
}

// along returns a formula that holds in all blocks of the path and in no blocked block.
func (f *branchParting) along(o *obligations) (deepText, error) {
	var all []deepText
	for _, z := range o.blocked {
		var some []deepText
		for _, p := range o.path {
			part, err := f.between(p, z)
			if err != nil {
				return part, err
			}
			some = append(some, part)
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
