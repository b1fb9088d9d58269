package enrich

import (
	"math"
	"slices"

	"github.com/inev-lts/inev/lts"
)

// levels holds one number 0..n for every state, in the smallest integer that
// fits n.
type levels struct {
	narrow []uint8
	wide   []uint16
}

// newLevels returns levels for a number of states, all with the value start.
// MaxSteps of package property keeps n below 1<<16.
func newLevels(states, n, start int) levels {
	if n > math.MaxUint8 {
		return levels{wide: slices.Repeat([]uint16{uint16(start)}, states)}
	}
	return levels{narrow: slices.Repeat([]uint8{uint8(start)}, states)}
}

func (l *levels) at(s lts.State) int {
	if l.narrow != nil {
		return int(l.narrow[s])
	}
	return int(l.wide[s])
}

func (l *levels) set(s lts.State, value int) {
	if l.narrow != nil {
		l.narrow[s] = uint8(value)
		return
	}
	l.wide[s] = uint16(value)
}

// lower sets the level of s to value if value is smaller, and reports whether it was.
func (l *levels) lower(s lts.State, value int) bool {
	if value >= l.at(s) {
		return false
	}
	l.set(s, value)
	return true
}
