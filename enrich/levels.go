package enrich

import (
	"math"

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
		l := levels{wide: make([]uint16, states)}
		if start != 0 {
			for s := range l.wide {
				l.wide[s] = uint16(start)
			}
		}
		return l
	}
	l := levels{narrow: make([]uint8, states)}
	if start != 0 {
		for s := range l.narrow {
			l.narrow[s] = uint8(start)
		}
	}
	return l
}

// levelBytes returns the bytes of one level, 0 to n.
func levelBytes(n int) int64 {
	if n > math.MaxUint8 {
		return 2
	}
	return 1
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

// raise sets the level of s to value if value is larger; lower, if value is
// smaller. Both report whether they changed the level.
func (l *levels) raise(s lts.State, value int) bool {
	if value <= l.at(s) {
		return false
	}
	l.set(s, value)
	return true
}

func (l *levels) lower(s lts.State, value int) bool {
	if value >= l.at(s) {
		return false
	}
	l.set(s, value)
	return true
}
