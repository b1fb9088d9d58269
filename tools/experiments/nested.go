package main

import (
	"context"

	"github.com/inev-lts/inev/internal/counterexample/buchi"
)

// nested are SPIN's searches as the papers describe them: the nested depth-first search of section
// 2.1 of the paper of 2004 and, where minimise is set, its variant of section 3.1, which continues
// after each counterexample to find shorter ones. The paper describes them as changes of its own
// Algorithm 1:
//
//   - No state is painted black. Instead of lines 7 to 12 of DFS_blue, "if s ∈ F then r := s;
//     DFS_red(s)".
//   - The variant "carries on the visit below a state either if the state is new or if it is found
//     more quickly than during the previous visits", with one depth for each state, and does so
//     before it has a counterexample, too ("SPIN -i does not test whether a counterexample already
//     exists"). Paths that would not be shorter than the best counterexample are cut off.
//
// Nothing here is taken from SPIN itself, which stores its states in another way.
type nested struct {
	ctx      context.Context
	g        buchi.Graph
	minimise bool
	// depth is the smallest length of a current path that ended in the state, 0 for none.
	depth []int
	marks []uint8
	path  []buchi.State
	best  *buchi.Lasso
	all   []int // the lengths of the counterexamples found
	stats buchi.Stats
	err   error
}

// The marks of a state: visited by either search, and on the current path of either.
const (
	metBlue uint8 = 1 << iota
	metRed
	onBlue
	onRed
)

// searchNested returns the counterexample that SPIN's nested depth-first search finds first or, if
// it minimises, last. It fails if the context is done. Cost O(S + E), and O(S (S + E)) if it
// minimises.
func searchNested(ctx context.Context, g buchi.Graph, minimise bool) (*nested, error) {
	n := &nested{
		ctx:      ctx,
		g:        g,
		minimise: minimise,
		depth:    make([]int, g.NumStates()),
		marks:    make([]uint8, g.NumStates()),
	}
	n.err = ctx.Err()
	n.visit(g.Initial(), metBlue, onBlue)
	return n, n.err
}

// visit is DFS_blue and, called with the marks metRed and onRed, DFS_red.
func (n *nested) visit(s buchi.State, met, on uint8) {
	n.stats.Matched++
	if n.stats.Matched%4096 == 0 && n.err == nil {
		n.err = n.ctx.Err()
	}
	if n.depth[s] == 0 {
		n.stats.Stored++
	}
	n.path = append(n.path, s)
	isNearer := n.depth[s] == 0 || len(n.path) < n.depth[s]
	if isNearer {
		n.depth[s] = len(n.path)
	}
	n.marks[s] |= met | on
	for _, t := range n.g.Successors(s, nil) {
		if n.isOver() {
			break
		}
		isOnPath := n.marks[t]&(onBlue|onRed) != 0
		closesAcceptingLoop := isOnPath && (n.g.Accepting(t) || on == onRed && n.marks[t]&onBlue != 0)
		isReachedSooner := n.minimise && len(n.path)+1 < n.depth[t]
		switch {
		case closesAcceptingLoop:
			n.found(t)
		case !isOnPath && (n.marks[t]&met == 0 || isReachedSooner):
			n.visit(t, met, on)
		}
	}
	n.path = n.path[:len(n.path)-1]
	n.marks[s] &^= on
	if on == onBlue && n.g.Accepting(s) && !n.isOver() {
		n.visit(s, metRed, onRed)
	}
}

// isOver reports whether no lasso that begins with the current path can be shorter than the best
// one.
func (n *nested) isOver() bool {
	return n.err != nil || n.best != nil && (!n.minimise || len(n.path)+1 >= n.best.Length())
}

// found records the lasso that an edge from the last state of the path to t closes.
func (n *nested) found(t buchi.State) {
	l := &buchi.Lasso{States: append([]buchi.State(nil), n.path...)}
	for l.States[l.LoopStart] != t {
		l.LoopStart++
	}
	n.best = l
	n.all = append(n.all, l.Length())
	n.stats.Found = len(n.all)
	n.stats.Length = l.Length()
}

// spinFirst and spinLeast are the searches as the tables run them.
func spinFirst(ctx context.Context, g buchi.Graph) (*buchi.Lasso, buchi.Stats, error) {
	n, err := searchNested(ctx, g, false)
	return n.best, n.stats, err
}

func spinLeast(ctx context.Context, g buchi.Graph) (*buchi.Lasso, buchi.Stats, error) {
	n, err := searchNested(ctx, g, true)
	return n.best, n.stats, err
}

// contrexAfterNested is "Contrex / nested-DFS" of Table 2: the nested depth-first search finds the
// first counterexample, which bounds Algorithm 2.
func contrexAfterNested(ctx context.Context, g buchi.Graph) (*buchi.Lasso, buchi.Stats, error) {
	first, err := searchNested(ctx, g, false)
	if err != nil || first.best == nil {
		return nil, first.stats, err
	}
	lasso, stats, err := buchi.Find(ctx, g,
		buchi.FindOptions{Algorithm: buchi.ByContrex, Bound: first.best.Length()}, nil)
	if lasso == nil {
		lasso, stats.Length = first.best, first.best.Length()
	}
	// States that the first search stores and the second search does not reach are not counted.
	stats.Stored = max(stats.Stored, first.stats.Stored)
	stats.Matched += first.stats.Matched
	stats.Found++
	return lasso, stats, err
}
