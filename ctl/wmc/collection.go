package wmc

import (
	"github.com/inev-lts/inev/ctl"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// collection is a bit set with a list of its members. Emptying it costs as much as filling it, so
// many small unfoldings of a large model cost what they visit.
type collection struct {
	x    *Explicit
	in   bitset.Set[lts.State]
	list States // in the order of addition
}

// Collect returns an empty collection. Cost O(1), or O(S) if there is none to be reused.
func (x *Explicit) Collect() Collection[States] {
	c := &collection{x: x}
	if last := len(x.free) - 1; last >= 0 {
		c.in, x.free = x.free[last], x.free[:last]
	} else {
		c.in = bitset.New[lts.State](x.m.NumStates())
	}
	return c
}

// Add adds states. Cost O(their number).
func (c *collection) Add(states States) {
	for _, s := range states {
		if !c.in.Has(s) {
			c.in.Add(s)
			c.list = append(c.list, s)
		}
	}
}

// Known returns the states that are in the collection. Cost O(their number).
func (c *collection) Known(states States) States { return c.filter(states, true) }

// New returns the states that are not in the collection. Cost O(their number).
func (c *collection) New(states States) States { return c.filter(states, false) }

func (c *collection) filter(states States, in bool) States {
	// Often all states are wanted, or none.
	n := 0
	for n < len(states) && c.in.Has(states[n]) == in {
		n++
	}
	if n == len(states) {
		return states
	}
	found := append(States(nil), states[:n]...)
	for _, s := range states[n:] {
		if c.in.Has(s) == in {
			found = append(found, s)
		}
	}
	return found
}

// All returns the members. Cost: that of sorting them.
func (c *collection) All() States {
	all := append(States(nil), c.list...)
	for _, s := range all {
		c.x.mark.Add(s)
	}
	return c.x.sorted(all)
}

// Release empties the collection, and keeps its bits for reuse.
func (c *collection) Release() {
	for _, s := range c.list {
		c.in.Remove(s)
	}
	c.x.free = append(c.x.free, c.in)
	c.in, c.list = nil, nil
}

// closer finds states that have only good transitions. resume is, for each state, the number of its
// first transitions that are known to be good.
type closer struct {
	x       *Explicit
	c       Closing[States]
	done    *collection
	resume  []uint32
	touched States
}

// Closing returns a [Closer]. Cost O(size of c.Done), or O(S) if there is none to be reused.
func (x *Explicit) Closing(c Closing[States]) Closer[States] {
	f := &closer{x: x, c: c}
	if c.Last != ctl.NoLast {
		f.done = x.Collect().(*collection)
		f.done.Add(c.Done)
	}
	return f
}

// Closed returns which of the states have only good transitions. Cost O(their number and the
// transitions not known to be good before).
func (f *closer) Closed(states States, into Collection[States]) States {
	if f.resume == nil {
		if last := len(f.x.resumes) - 1; last >= 0 {
			f.resume, f.x.resumes = f.x.resumes[last], f.x.resumes[:last]
		} else {
			f.resume = make([]uint32, f.x.m.NumStates())
		}
	}
	z := into.(*collection)
	var found States
	for _, s := range states {
		if f.resume[s] == 0 {
			f.touched = append(f.touched, s)
		}
		if f.closed(s, z) {
			found = append(found, s)
		}
	}
	return found
}

func (f *closer) closed(s lts.State, z *collection) bool {
	labels, targets := f.x.m.Out(s)
	for i := int(f.resume[s]); i < len(targets); i++ {
		if !(z.in.Has(targets[i]) && f.x.has(f.c.Labels, labels.At(i))) &&
			!(f.done != nil && f.done.in.Has(targets[i]) && f.x.has(f.c.Last, labels.At(i))) {
			f.resume[s] = uint32(i)
			return false
		}
	}
	f.resume[s] = uint32(len(targets))
	return true
}

// Release keeps the memory for reuse.
func (f *closer) Release() {
	if f.done != nil {
		f.done.Release()
	}
	if f.resume != nil {
		for _, s := range f.touched {
			f.resume[s] = 0
		}
		f.x.resumes = append(f.x.resumes, f.resume)
	}
}
