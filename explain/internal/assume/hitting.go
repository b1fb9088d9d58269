package assume

import (
	"errors"
	"slices"
)

// hitting finds smallest hitting sets of the conflicts, one after the other. Its work is
// exponential: the exponent is the size of the sets, and the base is the size of conflicts. So the
// work is counted.
type hitting struct {
	conflicts [][]int // each ascending
	// blocked are sets whose supersets are excluded.
	blocked [][]int
	most    int // the largest number of members of a set
	// size is the size of the last set found: no later set is smaller.
	size int
	*budget
}

// next returns a smallest set, ascending, that hits every conflict and includes no blocked set. Of
// several such sets, it returns the first in lexical order; nil if there is none with at most
// h.most members. If the work reaches its limit, each such set has at least h.size members.
func (h *hitting) next() ([]int, error) {
	for ; h.size <= h.most; h.size++ {
		set, err := h.search(nil, h.size)
		if set != nil || err != nil {
			return set, err
		}
	}
	return nil, nil
}

// search returns the first set in lexical order that has the chosen members and at most the given
// number of others; nil if there is none. Each additional member hits a conflict that was not hit
// before.
func (h *hitting) search(chosen []int, more int) ([]int, error) {
	open, err := h.unhit(chosen)
	switch {
	case err != nil:
		return nil, err
	case h.isBlocked(chosen):
		return nil, nil
	case len(open) == 0:
		set := append([]int{}, chosen...)
		slices.Sort(set)
		return set, nil
	case more == 0:
		return nil, nil
	case more == 1:
		return h.withOne(chosen, open)
	}
	var best []int
	shortest := slices.MinFunc(open, func(a, b []int) int {
		return len(a) - len(b)
	}) // the first one
	for _, member := range shortest {
		set, err := h.search(append(slices.Clone(chosen), member), more-1)
		if err != nil {
			return nil, err
		}
		if set == nil {
			continue
		}
		comesFirst := best == nil || slices.Compare(set, best) < 0
		if comesFirst {
			best = set
		}
	}
	return best, nil
}

// withOne returns the chosen members and one more: the least member that hits all open conflicts.
// It returns nil if there is no such member.
func (h *hitting) withOne(chosen []int, open [][]int) ([]int, error) {
	common := slices.Clone(open[0])
	for _, conflict := range open[1:] {
		if err := h.use((len(common)+len(conflict))/glances + 1); err != nil {
			return nil, err
		}
		common = intersection(common, conflict)
		if len(common) == 0 {
			return nil, nil
		}
	}
	for _, member := range common {
		set := append(slices.Clone(chosen), member)
		if err := h.use(len(h.blocked)); err != nil {
			return nil, err
		}
		if !h.isBlocked(set) {
			slices.Sort(set)
			return set, nil
		}
	}
	return nil, nil
}

// intersection returns the common members of two ascending lists. It may change the first list.
func intersection(a, b []int) []int {
	next := 0
	return slices.DeleteFunc(a, func(member int) bool {
		for next < len(b) && b[next] < member {
			next++
		}
		return next == len(b) || b[next] != member
	})
}

// glances is the number of members of sorted lists whose comparison takes as long as the visit to
// one transition.
const glances = 8

// unhit returns the conflicts that have no member of chosen.
func (h *hitting) unhit(chosen []int) ([][]int, error) {
	if err := h.use((len(h.conflicts)+len(h.blocked))*len(chosen) + 1); err != nil {
		return nil, err
	}
	if len(chosen) == 0 {
		return h.conflicts, nil
	}
	var open [][]int
	for _, conflict := range h.conflicts {
		isHit := slices.ContainsFunc(chosen, func(member int) bool {
			_, found := slices.BinarySearch(conflict, member)
			return found
		})
		if !isHit {
			open = append(open, conflict)
		}
	}
	return open, nil
}

func (h *hitting) isBlocked(chosen []int) bool {
	return slices.ContainsFunc(h.blocked, func(b []int) bool {
		return isSubset(b, chosen)
	})
}

func isSubset(a, b []int) bool {
	return !slices.ContainsFunc(a, func(x int) bool {
		return !slices.Contains(b, x)
	})
}

// existsWithout reports whether some set without the members in leftOut, of any size, hits every
// conflict and includes no blocked set. For each blocked set, one more of its members must be left
// out. existsWithout tries all combinations of these members: each conflict must keep a member.
func (h *hitting) existsWithout(leftOut []int) (bool, error) {
	for _, conflict := range h.conflicts {
		if err := h.use(min(len(conflict), len(leftOut)+1)); err != nil {
			return false, err
		}
		if len(conflict) <= len(leftOut) && isSubset(conflict, leftOut) {
			return false, nil
		}
	}
	isLeftOut := func(member int) bool { return slices.Contains(leftOut, member) }
	for _, blocked := range h.blocked {
		if slices.ContainsFunc(blocked, isLeftOut) {
			continue
		}
		for _, member := range blocked {
			found, err := h.existsWithout(append(slices.Clone(leftOut), member))
			if found || err != nil {
				return found, err
			}
		}
		return false, nil
	}
	return true, nil
}

// test reports whether a set is sufficient. If it is not, conflict is an ascending conflict. An
// empty conflict means that no set is sufficient; nil means that this set and its supersets are
// excluded.
type test func(set []int) (suffices bool, conflict []int, err error)

// answers collects minimal sufficient sets of at most l.Members members, up to l.Answers of them.
// If the work reaches its limit, the sets that were found until then are valid.
func answers(b *budget, l Limits, test test) (Found, error) {
	h := hitting{most: l.Members, budget: b}
	sets, complete, err := h.collect(l.Answers, test)
	found := Found{
		Sets:     sets,
		Through:  h.size - 1,
		Complete: complete,
		Stopped:  errors.Is(err, errLimit),
	}
	if found.Stopped {
		err = nil
	}
	return found, err
}

// collect collects minimal sufficient sets, at most the given number of them. It reports whether
// there are no others of any size. If it fails, it returns the sets found until then.
func (h *hitting) collect(most int, test test) (found [][]int, complete bool, err error) {
	for {
		set, err := h.next()
		if err != nil {
			return found, false, err
		}
		if set == nil {
			existsOther, err := h.existsWithout(nil)
			return found, !existsOther && err == nil, err
		}
		if len(found) == most {
			return found, false, nil
		}
		suffices, conflict, err := test(set)
		switch {
		case err != nil:
			return found, false, err
		case suffices:
			found = append(found, set)
			h.blocked = append(h.blocked, set)
		case conflict == nil:
			h.blocked = append(h.blocked, set)
		case len(conflict) == 0:
			h.size = h.most + 1
			return nil, true, nil
		default:
			h.conflicts = append(h.conflicts, conflict)
		}
	}
}
