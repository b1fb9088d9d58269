// Package counters has a counter for each state of a model. A counter takes one byte as long as no
// number exceeds a byte, since most states have few transitions. All numbers are in one of two
// lists, and the other list is nil.
package counters

import (
	"context"
	"math"

	"github.com/inev-lts/inev/internal/resources"
)

// Counters are numbers from 0 to 1<<32-1, one for each state. They are for one goroutine.
type Counters struct {
	ctx    context.Context
	narrow []uint8
	wide   []uint32
	err    error
}

// New returns counters that are 0. It fails if the budget of ctx has no memory
// for a byte a state.
func New(ctx context.Context, states int) (*Counters, error) {
	narrow, err := resources.Make[uint8](ctx, states)
	return &Counters{ctx: ctx, narrow: narrow}, err
}

// Err returns an error if the budget had no memory when a number exceeded a byte; then the numbers
// are wrong. Cost O(1).
func (c *Counters) Err() error { return c.err }

// Clear makes all numbers 0. Cost O(S).
func (c *Counters) Clear() {
	clear(c.narrow)
	clear(c.wide)
}

// Add increases the counter of a state by 1. Cost O(1), and once O(S), when a number first exceeds
// a byte.
func (c *Counters) Add(s uint32) {
	if c.narrow != nil && c.narrow[s] < math.MaxUint8 {
		c.narrow[s]++
		return
	}
	c.addWide(s)
}

func (c *Counters) addWide(s uint32) {
	if c.widen(); c.err == nil {
		c.wide[s]++
	}
}

// Set sets the number of a state. Cost O(1), and once O(S), when a number first exceeds a byte.
func (c *Counters) Set(s uint32, n uint32) {
	if c.narrow != nil && n <= math.MaxUint8 {
		c.narrow[s] = uint8(n)
		return
	}
	if c.widen(); c.err == nil {
		c.wide[s] = n
	}
}

// widen replaces the counters of a byte by longer ones.
func (c *Counters) widen() {
	if c.wide != nil || c.err != nil {
		return
	}
	if c.wide, c.err = resources.Make[uint32](c.ctx, len(c.narrow)); c.err != nil {
		return
	}
	for s, n := range c.narrow {
		c.wide[s] = uint32(n)
	}
	c.narrow = nil
}

// Decrease decreases the counter of a state, which is above 0, by 1, and reports
// whether it is 0 now. Cost O(1).
func (c *Counters) Decrease(s uint32) (isZero bool) {
	if c.narrow != nil {
		c.narrow[s]--
		return c.narrow[s] == 0
	}
	c.wide[s]--
	return c.wide[s] == 0
}

// None reports whether the number of a state is 0. Cost O(1).
func (c *Counters) None(s uint32) bool {
	if c.narrow != nil {
		return c.narrow[s] == 0
	}
	return c.wide[s] == 0
}
