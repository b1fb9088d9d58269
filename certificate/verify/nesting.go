package verify

import (
	"cmp"
	"slices"
)

// nesting answers how sets are nested, in time O(log n) whatever their depth, by heavy paths: a
// path goes on from each set to the set directly inside that contains the most sets. Number 0 is a
// set that contains all others.
type nesting struct {
	parent []uint32
	// inner[a] is the set directly inside a that contains the most sets, 0 if there is none; top[a]
	// is the outermost set of the heavy path of a.
	inner, top []uint32
	// The sets within a have the numbers from first[a] to end[a] in preorder.
	first, end []uint32
	// outermost[k] are the sets that neglect task k and lie in no other set that does, in preorder.
	outermost map[uint32][]uint32
}

// newNesting returns the nesting of sets. The parent of each set must come before it. Cost O(n log
// n).
func newNesting(sets []set) *nesting {
	size := len(sets) + 1
	x := &nesting{
		parent: make([]uint32, size), inner: make([]uint32, size), top: make([]uint32, size),
		first: make([]uint32, size), end: make([]uint32, size), outermost: map[uint32][]uint32{},
	}
	within := make([]uint32, size)
	for a := size - 1; a > 0; a-- {
		p := sets[a-1].parent
		x.parent[a] = p
		within[a]++
		within[p] += within[a]
		if x.inner[p] == 0 || within[a] > within[x.inner[p]] {
			x.inner[p] = uint32(a)
		}
	}
	within[0]++
	free := make([]uint32, size) // the next number within a
	free[0], x.end[0] = 1, within[0]
	for a := 1; a < size; a++ {
		p := x.parent[a]
		x.first[a], x.end[a] = free[p], free[p]+within[a]
		free[p], free[a] = x.end[a], x.first[a]+1
		if x.top[a] = uint32(a); x.inner[p] == uint32(a) {
			x.top[a] = x.top[p]
		}
		for _, k := range sets[a-1].tasks {
			x.outermost[k] = append(x.outermost[k], uint32(a))
		}
	}
	for k, all := range x.outermost {
		slices.SortFunc(all, func(a, b uint32) int { return cmp.Compare(x.first[a], x.first[b]) })
		kept := all[:1]
		for _, a := range all[1:] {
			if x.first[a] >= x.end[kept[len(kept)-1]] {
				kept = append(kept, a)
			}
		}
		x.outermost[k] = kept
	}
	return x
}

// meet returns the smallest common set of a and b, and the largest sets inside it that are around a
// and around b, 0 for none. Each set counts as around itself. Cost O(log n).
func (x *nesting) meet(a, b uint32) (common, below, other uint32) {
	for x.top[a] != x.top[b] {
		// Of two tops, that with the larger number does not contain the other set.
		if x.top[a] > x.top[b] {
			below = x.top[a]
			a = x.parent[below]
		} else {
			other = x.top[b]
			b = x.parent[other]
		}
	}
	switch {
	case a < b:
		other = x.inner[a]
	case b < a:
		below = x.inner[b]
	}
	return min(a, b), below, other
}

// neglecting returns a set that neglects task k and is a or contains a; 0 for none. Cost O(log n).
func (x *nesting) neglecting(a, k uint32) uint32 {
	if a == 0 {
		return 0
	}
	all := x.outermost[k]
	at, is := slices.BinarySearchFunc(all, x.first[a], func(b, first uint32) int { return cmp.Compare(x.first[b], first) })
	if !is {
		at--
	}
	if at < 0 || x.first[a] >= x.end[all[at]] {
		return 0
	}
	return all[at]
}
