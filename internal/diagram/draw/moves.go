package draw

import (
	"cmp"
	"slices"
	"sync"
)

// move says how a label that an arrow crosses is moved.
type move struct {
	by point
	// leader are the ends of the line from the label to its arrow; nil for a label next to its arrow.
	leader []point
}

// Bounds, in points, on the moves of a label near its arrow: how far it may move, in which steps, and
// how far from its arrow it may be then.
const (
	maxMove  = 72
	moveStep = 4
	maxOff   = 9
)

// freeMove returns a move of a label to a free position on the page, or on a page that is extended to
// the right and downwards. The position is next to its own arrow and near the old position of the
// label; otherwise somewhere along the arrow; otherwise away from the arrow, with a leader.
func (s *sketch) freeMove(i int, page box) (move, bool) {
	label := s.labels.All[i]
	larger := page
	larger.right += maxMove + label.right - label.left
	larger.bottom += maxMove + label.bottom - label.top
	searches := []func(int, box) (move, bool){s.moveNear, s.moveAlong, s.moveAway}
	for _, search := range searches {
		for _, sheet := range []box{page, larger} {
			m, found := search(i, sheet)
			if found {
				return m, true
			}
		}
	}
	return move{}, false
}

// nearMoves are all moves of a label that keep it near its old position, the shortest first.
var nearMoves = sync.OnceValue(func() []point {
	return movesAround(maxMove, moveStep)
})

// moveNear returns the shortest move of a label to a free position next to its own arrow.
func (s *sketch) moveNear(i int, page box) (move, bool) {
	own := s.linesOf[s.labels.All[i].arrow]
	for _, by := range nearMoves() {
		position := s.labels.All[i].moved(by)
		if page.contains(position) && crosses(position.grown(maxOff), own) &&
			s.isFree(position, i) {
			return move{by: by}, true
		}
	}
	return move{}, false
}

// moveAlong returns a move of a label to a free position next to any point of its own arrow.
func (s *sketch) moveAlong(i int, page box) (move, bool) {
	label := s.labels.All[i]
	for gap := float64(moveStep); gap <= maxOff; gap += moveStep {
		for _, by := range movesAlong(s.linesOf[label.arrow], label.box, gap) {
			position := label.moved(by)
			if page.contains(position) && s.isFree(position, i) {
				return move{by: by}, true
			}
		}
	}
	return move{}, false
}

// movesAlong returns moves of a label, the shortest first. Each puts a corner of the label, or the
// middle of one of its sides, at the given distance from a point of its own arrow.
func movesAlong(own []line, label box, gap float64) []point {
	var all []point
	width := label.right - label.left
	height := label.bottom - label.top
	for _, l := range own {
		for _, p := range l.points {
			for _, left := range []float64{p.x + gap, p.x - width/2, p.x - gap - width} {
				for _, top := range []float64{p.y + gap, p.y - height/2, p.y - gap - height} {
					all = append(all, point{left - label.left, top - label.top})
				}
			}
		}
	}
	sortByLength(all)
	return all
}

// Bounds, in points, on the moves of a label away from its arrow: how far it may move, and in which
// steps.
const (
	maxAway  = 480
	awayStep = 12
)

// awayMoves are all moves of a label away from its arrow, the shortest first.
var awayMoves = sync.OnceValue(func() []point {
	return movesAround(maxAway, awayStep)
})

// moveAway returns the shortest move of a label to a free position from which a leader can be drawn.
func (s *sketch) moveAway(i int, page box) (move, bool) {
	label := s.labels.All[i]
	ownLines := s.linesOf[label.arrow]
	for _, by := range awayMoves() {
		position := label.moved(by)
		if !page.contains(position) || !s.isFree(position, i) {
			continue
		}
		leader := shortestBetween(position.grown(leaderGap), ownLines)
		if leader != nil && s.isFreeLeader(leader, i) {
			return move{by: by, leader: leader}, true
		}
	}
	return move{}, false
}

// leaderGap is the distance, in points, between a label and its leader.
const leaderGap = 2

// shortestBetween returns the ends of the shortest line from a box to some lines; nil if a point of
// these lines is in the box.
func shortestBetween(from box, lines []line) []point {
	var shortest []point
	length := 0.0
	for _, l := range lines {
		for _, p := range l.points {
			nearest := point{
				min(max(p.x, from.left), from.right),
				min(max(p.y, from.top), from.bottom),
			}
			away := point{p.x - nearest.x, p.y - nearest.y}
			if shortest == nil || away.squared() < length {
				shortest = []point{nearest, p}
				length = away.squared()
			}
		}
	}
	if length == 0 {
		return nil
	}
	return shortest
}

// isFreeLeader reports whether the leader of a label crosses no other label, no node, and not the caption.
func (s *sketch) isFreeLeader(leader []point, label int) bool {
	if s.head.isCrossedBy(leader[0], leader[1]) {
		return false
	}
	for _, node := range s.nodes {
		if node.isCrossedBy(leader[0], leader[1]) {
			return false
		}
	}
	for i, other := range s.labels.All {
		if i != label && other.isCrossedBy(leader[0], leader[1]) {
			return false
		}
	}
	return true
}

// squared returns the square of a length.
func (p point) squared() float64 { return p.x*p.x + p.y*p.y }

// movesAround returns the moves by at most the given size in each direction, in multiples of step, the
// shortest first.
func movesAround(most, step int) []point {
	var all []point
	for dx := -most; dx <= most; dx += step {
		for dy := -most; dy <= most; dy += step {
			all = append(all, point{float64(dx), float64(dy)})
		}
	}
	sortByLength(all)
	return all
}

// sortByLength sorts moves, the shortest first.
func sortByLength(all []point) {
	slices.SortStableFunc(all, func(a, b point) int {
		return cmp.Compare(a.squared(), b.squared())
	})
}
