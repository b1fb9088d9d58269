package assume

import (
	"slices"

	"github.com/inev-lts/inev/internal/abort"
)

// hitting finds smallest hitting sets of the conflicts, one after the other. Its work is
// exponential in the size of the sets, to the base of the size of conflicts, so it is counted.
type hitting struct {
	conflicts [][]int // each ascending
	// blocked are sets whose supersets are excluded.
	blocked [][]int
	most    int // the largest number of members of a set
	// size is the size of the last set found: no later set is smaller.
	size int
	*budget
}

// next returns a smallest set, ascending, that hits every conflict and includes no blocked set, the
// first one in lexical order; nil if there is none with at most h.most members. If the work reaches
// its limit, each such set has at least h.size members.
func (h *hitting) next() []int {
	for ; h.size <= h.most; h.size++ {
		if best := h.search(nil, h.size); best != nil {
			return best
		}
	}
	return nil
}

// search returns the lexically least set that consists of the chosen members and of others, no more
// than left allows; nil if there is none. Each further member hits a conflict that was not hit
// before.
func (h *hitting) search(chosen []int, left int) []int {
	open := h.unmet(chosen)
	switch {
	case h.isBlocked(chosen):
		return nil
	case len(open) == 0:
		set := append([]int{}, chosen...)
		slices.Sort(set)
		return set
	case left == 0:
		return nil
	case left == 1:
		// One member that hits all open conflicts.
		common := slices.Clone(open[0])
		for _, c := range open[1:] {
			h.spend((len(common)+len(c))/glances + 1)
			at := 0
			common = slices.DeleteFunc(common, func(x int) bool {
				for at < len(c) && c[at] < x {
					at++
				}
				return at == len(c) || c[at] != x
			})
			if len(common) == 0 {
				return nil
			}
		}
		for _, x := range common {
			with := append(slices.Clone(chosen), x)
			h.spend(len(h.blocked))
			if !h.isBlocked(with) {
				slices.Sort(with)
				return with
			}
		}
		return nil
	}
	var best []int
	least := slices.MinFunc(open, func(a, b []int) int { return len(a) - len(b) }) // the first of the shortest
	for _, x := range least {
		found := h.search(append(slices.Clone(chosen), x), left-1)
		if found != nil && (best == nil || slices.Compare(found, best) < 0) {
			best = found
		}
	}
	return best
}

// glances is the number of members of sorted lists whose comparison takes as long as the visit to
// one transition.
const glances = 8

// unmet returns the conflicts that have no member of chosen.
func (h *hitting) unmet(chosen []int) [][]int {
	h.spend((len(h.conflicts)+len(h.blocked))*len(chosen) + 1)
	if len(chosen) == 0 {
		return h.conflicts
	}
	var open [][]int
	for _, c := range h.conflicts {
		meets := slices.ContainsFunc(chosen, func(x int) bool {
			_, is := slices.BinarySearch(c, x)
			return is
		})
		if !meets {
			open = append(open, c)
		}
	}
	return open
}

func (h *hitting) isBlocked(chosen []int) bool {
	return slices.ContainsFunc(h.blocked, func(b []int) bool { return isSubset(b, chosen) })
}

func isSubset(a, b []int) bool {
	return !slices.ContainsFunc(a, func(x int) bool { return !slices.Contains(b, x) })
}

// others reports whether some set, of any size, hits every conflict and includes no blocked set. It
// excludes one member of each blocked set, in all combinations that leave a member of every
// conflict.
func (h *hitting) others(leftOut []int) bool {
	for _, c := range h.conflicts {
		if h.spend(min(len(c), len(leftOut)+1)); len(c) <= len(leftOut) && isSubset(c, leftOut) {
			return false
		}
	}
	for _, b := range h.blocked {
		if slices.ContainsFunc(b, func(x int) bool { return slices.Contains(leftOut, x) }) {
			continue
		}
		return slices.ContainsFunc(b, func(x int) bool { return h.others(append(slices.Clone(leftOut), x)) })
	}
	return true
}

// answers collects minimal sufficient sets, up to a largest number of sets: all sets of up to the
// returned size through, and all of any size if complete is true. test reports whether a set is
// sufficient; if not, it returns an ascending conflict. An empty conflict says that no set is
// sufficient, nil that this set and its supersets are excluded. If test ends with an error, or the
// work reaches its limit, the sets found until then are valid.
func answers(b *budget, most, members int, test func(set []int) (suffices bool, conflict []int)) (found [][]int, through int, complete bool, err error) {
	h := hitting{most: members, budget: b}
	err = abort.Try(func() {
		for {
			set := h.next()
			switch {
			case set == nil:
				complete = !h.others(nil)
				return
			case len(found) == most:
				return
			}
			suffices, conflict := test(set)
			switch {
			case suffices:
				found = append(found, set)
				h.blocked = append(h.blocked, set)
			case conflict == nil:
				h.blocked = append(h.blocked, set)
			case len(conflict) == 0:
				found, complete, h.size = nil, true, members+1
				return
			default:
				h.conflicts = append(h.conflicts, conflict)
			}
		}
	})
	return found, h.size - 1, complete, err
}
