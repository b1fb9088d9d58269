package parity

import (
	"fmt"
	"math"

	"github.com/inev-lts/inev/internal/formula/mucalculus"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// game is the parity game on a component in which fixpoints alternate. The number of a position is the
// index of its node in nodes, times the number of states, plus the state. Player 0 wants the formula to
// hold.
type game struct {
	solver *solver
	nodes  []int
	number []uint32 // the index in nodes of each node of the component
	states int
	// level is, for each position, the depth of the recursion that solves its subgame. It is 0 for a
	// position that is in no subgame, and inAttractor for a position in the attractor that is being
	// computed.
	level []uint8
	// count is, while an attractor grows, the number of moves of a position that are not yet known to
	// lead into the attractor.
	count []uint32
	// choice is the winning move at a position, if the winner moves there.
	choice []uint32
	// decidesExits is set while the game decides the positions that are won by moves out of the
	// component.
	decidesExits bool
	meter        *progress.Meter
}

// inAttractor is the level of positions in the attractor that is computed.
const inAttractor = math.MaxUint8

// nowhere is the choice at a position that is won at once, or by a move out of the component.
const nowhere = math.MaxUint32

// mostPositions limits positions times alternation depth.
const mostPositions = 1 << 31

// newGame returns the game on a component, with all its reached positions.
func newGame(x *solver, nodes []int) (*game, error) {
	g := &game{
		solver: x,
		nodes:  nodes,
		states: x.Model.NumStates(),
		number: make([]uint32, x.Formula.Len()),
	}
	reached := 0
	for i, node := range nodes {
		g.number[node] = uint32(i)
		reached += x.tables[node].reached.Len()
	}
	size := len(nodes) * g.states
	depth := x.Formula.Depth()
	if reached*depth > mostPositions || size >= math.MaxUint32 {
		return nil, resources.Refuse(fmt.Sprintf("fixpoints alternate %d deep on %s, and positions times depth may be at most 2^31",
			depth, printable.Quantity(reached, "position")))
	}
	g.meter = progress.Start(x.ctx, "game", progress.States, 0)
	var err error
	g.level, err = resources.Make[uint8](x.ctx, size)
	if err != nil {
		return nil, err
	}
	g.count, err = resources.Make[uint32](x.ctx, size)
	if err != nil {
		return nil, err
	}
	g.choice, err = resources.Make[uint32](x.ctx, size)
	return g, err
}

// numberOf returns the number of a position.
func (g *game) numberOf(node int, state lts.State) uint32 {
	return g.number[node]*uint32(g.states) + uint32(state)
}

// positionOf returns the position with a number.
func (g *game) positionOf(p uint32) position {
	return position{
		node:  int32(g.nodes[p/uint32(g.states)]),
		state: lts.State(p % uint32(g.states)),
	}
}

// mover returns the player who moves at a position.
func (g *game) mover(p uint32) int {
	if g.solver.Formula.Node(g.nodes[p/uint32(g.states)]).All {
		return 1
	}
	return 0
}

// priority returns the priority of a position.
func (g *game) priority(p uint32) int {
	return g.solver.Formula.Node(g.nodes[p/uint32(g.states)]).Priority
}

// moves calls yield for the successors of a position in its component, until yield returns false.
func (g *game) moves(p uint32, yield func(to uint32) bool) {
	at := g.positionOf(p)
	n := g.solver.Formula.Node(int(at.node))
	if n.Kind != mucalculus.Modality {
		for _, part := range n.Parts {
			if g.solver.Formula.Node(part).Component == n.Component && !yield(g.numberOf(part, at.state)) {
				return
			}
		}
		return
	}
	means := g.solver.means[at.node]
	labels, targets := g.solver.Model.Out(at.state)
	for i, to := range targets {
		if means[labels.At(i)] && !yield(g.numberOf(n.Parts[0], to)) {
			return
		}
	}
}

// predecessors calls do with the source of each move to a position.
func (g *game) predecessors(p uint32, do func(from uint32)) {
	at := g.positionOf(p)
	for _, parent := range g.solver.parents[at.node] {
		if g.solver.Formula.Node(parent).Kind != mucalculus.Modality {
			do(g.numberOf(parent, at.state))
			continue
		}
		means := g.solver.means[parent]
		labels, sources := g.solver.predecessors.In(at.state)
		for i, from := range sources {
			if means[labels.At(i)] {
				do(g.numberOf(parent, from))
			}
		}
	}
}

// solve decides all positions of the component. It first decides those that are won by moves out of the
// component, and those from which a player can force such positions. Each remaining position has a move
// within the rest.
func (g *game) solve() error {
	var won [2][]uint32
	var all []uint32
	for _, node := range g.nodes {
		for state := range g.solver.tables[node].reached.All {
			p := g.numberOf(node, state)
			g.level[p] = 1
			g.choice[p] = nowhere
			all = append(all, p)
			if player, isDecided := g.decided(node, state); isDecided {
				won[player] = append(won[player], p)
			}
			if err := g.solver.countWork(); err != nil {
				return err
			}
		}
	}
	g.decidesExits = true
	for player, seeds := range won {
		attracted, err := g.attract(player, 1, seeds)
		if err != nil {
			return err
		}
		g.win(player, attracted)
	}
	g.decidesExits = false
	return g.solveAt(1, g.ofLevel(all, 1))
}

// decided returns who wins a position by a move out of the component, or because there is no move;
// false if the position is not decided in this way.
func (g *game) decided(node int, state lts.State) (player int, isDecided bool) {
	n := g.solver.Formula.Node(node)
	mover := 0 // who moves there
	if n.All {
		mover = 1
	}
	if n.Kind == mucalculus.Modality {
		means := g.solver.means[node]
		labels, _ := g.solver.Model.Out(state)
		if labels.Any(func(l lts.Label) bool { return means[l] }) {
			return 0, false
		}
		return 1 - mover, true
	}
	for _, part := range n.Parts {
		isOutside := g.solver.Formula.Node(part).Component != n.Component
		if isOutside && n.Kind == mucalculus.Connective && g.solver.Holds(part, state) != n.All {
			return mover, true
		}
	}
	return 0, false
}

// winsByLeaving reports whether the player who moves at a position wins it by a move out of the component.
func (g *game) winsByLeaving(p uint32) bool {
	at := g.positionOf(p)
	player, isDecided := g.decided(int(at.node), at.state)
	return isDecided && player == g.mover(p)
}

// win records that a player wins positions, and removes them from their subgame.
func (g *game) win(player int, positions []uint32) {
	for _, p := range positions {
		g.level[p] = 0
		at := g.positionOf(p)
		if player == 0 {
			g.solver.tables[at.node].holds.Add(at.state)
		} else {
			g.solver.tables[at.node].holds.Remove(at.state)
		}
	}
}

// ofLevel returns the positions of a list that are in the subgame of the given level.
func (g *game) ofLevel(list []uint32, level uint8) []uint32 {
	var all []uint32
	for _, p := range list {
		if g.level[p] == level {
			all = append(all, p)
		}
	}
	return all
}

// attract returns the seeds that are in a subgame, and the positions of the subgame from which a player
// can force the play to a seed. All of these get the level inAttractor.
func (g *game) attract(player int, level uint8, seeds []uint32) ([]uint32, error) {
	a := &attractor{
		game:    g,
		player:  player,
		level:   level,
		members: make([]uint32, 0, len(seeds)),
	}
	for _, p := range seeds {
		if g.level[p] == level {
			a.add(p)
		}
	}
	for i := 0; i < len(a.members); i++ {
		to := a.members[i]
		g.predecessors(to, func(from uint32) {
			if g.level[from] == level && a.countMove(from, to) {
				a.add(from)
			}
		})
		if err := g.solver.countWork(); err != nil {
			return nil, err
		}
	}
	for _, p := range a.counted {
		g.count[p] = 0
	}
	g.meter.Add(int64(len(a.members)))
	return a.members, resources.AskFor[uint32](g.solver.ctx, len(a.members))
}

// attractor is the set of positions that [game.attract] computes. counted are the positions of the opponent
// whose moves have been counted.
type attractor struct {
	*game
	player           int
	level            uint8
	members, counted []uint32
}

func (a *attractor) add(p uint32) {
	a.game.level[p] = inAttractor
	a.members = append(a.members, p)
}

// countMove records that a move leads from a position to a new member, and reports whether the player can now force
// the play from there into the attractor. The player chooses this move; the opponent must have no other move left.
func (a *attractor) countMove(from, to uint32) (isForced bool) {
	if a.mover(from) == a.player {
		a.choice[from] = to
		return true
	}
	if a.decidesExits && a.winsByLeaving(from) {
		return false
	}
	if a.count[from] == 0 {
		a.count[from] = a.countMoves(from, a.level)
		a.counted = append(a.counted, from)
	}
	a.count[from]--
	return a.count[from] == 0
}

// countMoves returns how many moves of a position lead into a subgame or into the attractor.
func (g *game) countMoves(p uint32, level uint8) (n uint32) {
	g.moves(p, func(to uint32) bool {
		if g.level[to] == level || g.level[to] == inAttractor {
			n++
		}
		return true
	})
	return n
}

// solveAt decides the positions of a subgame, each of which must have a move in it. Afterwards the
// subgame is empty. The player whom the largest priority favours attracts the positions with this
// priority. If this player wins all the other positions, the player wins the whole subgame. Otherwise what
// the opponent wins there, and attracts, is removed, and the rest is solved again.
func (g *game) solveAt(level uint8, positions []uint32) error {
	for len(positions) > 0 {
		largest := 0
		for _, p := range positions {
			largest = max(largest, g.priority(p))
		}
		var seeds []uint32
		for _, p := range positions {
			if g.priority(p) == largest {
				seeds = append(seeds, p)
			}
		}
		player := largest % 2
		opponent := 1 - player
		attracted, err := g.attract(player, level, seeds)
		if err != nil {
			return err
		}
		g.setLevel(attracted, 0)
		others := g.ofLevel(positions, level)
		g.setLevel(others, level+1)
		if err := g.solveAt(level+1, others); err != nil {
			return err
		}
		g.setLevel(positions, level)
		lost := g.wonBy(opponent, others)
		if len(lost) == 0 {
			g.chooseMoves(player, level, seeds)
			g.win(player, positions)
			return nil
		}
		attracted, err = g.attract(opponent, level, lost)
		if err != nil {
			return err
		}
		g.win(opponent, attracted)
		positions = g.ofLevel(positions, level)
	}
	return nil
}

// setLevel moves positions to the subgame of a level.
func (g *game) setLevel(positions []uint32, level uint8) {
	for _, p := range positions {
		g.level[p] = level
	}
}

// wonBy returns the positions of a list that a player wins.
func (g *game) wonBy(player int, list []uint32) []uint32 {
	var all []uint32
	for _, p := range list {
		at := g.positionOf(p)
		if g.solver.Holds(int(at.node), at.state) == (player == 0) {
			all = append(all, p)
		}
	}
	return all
}

// chooseMoves chooses any move in a subgame for each position where a player moves.
func (g *game) chooseMoves(player int, level uint8, positions []uint32) {
	for _, p := range positions {
		if g.mover(p) != player {
			continue
		}
		g.moves(p, func(to uint32) bool {
			if g.level[to] != level {
				return true
			}
			g.choice[p] = to
			return false
		})
	}
}
