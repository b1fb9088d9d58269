package assume

import "slices"

// hitting finds smallest sets that meet all conflicts, one after the other.
type hitting struct {
	conflicts [][]int
	// blocked are sets of which no superset is wanted.
	blocked [][]int
	most    int // members of a set
}

// next returns a smallest set, ascending, that meets every conflict and holds no blocked
// set, the first one in lexical order; false where there is none of at most so many
// members.
func (h *hitting) next() ([]int, bool) {
	for size := range h.most + 1 {
		if best := h.search(nil, size); best != nil {
			return best, true
		}
	}
	return nil, false
}

// search returns the least set that adds at most so many members to chosen.
func (h *hitting) search(chosen []int, left int) []int {
	if h.isBlocked(chosen) {
		return nil
	}
	open := h.unmet(chosen)
	if open == nil {
		return append([]int{}, sorted(chosen)...)
	}
	if left == 0 {
		return nil
	}
	var best []int
	for _, x := range open {
		found := h.search(append(slices.Clone(chosen), x), left-1)
		if found != nil && (best == nil || slices.Compare(found, best) < 0) {
			best = found
		}
	}
	return best
}

// unmet returns the smallest conflict that chosen does not meet; nil where there is none.
func (h *hitting) unmet(chosen []int) []int {
	var open []int
	for _, c := range h.conflicts {
		meets := slices.ContainsFunc(c, func(x int) bool { return slices.Contains(chosen, x) })
		if !meets && (open == nil || len(c) < len(open)) {
			open = c
		}
	}
	return open
}

func (h *hitting) isBlocked(chosen []int) bool {
	for _, b := range h.blocked {
		if !slices.ContainsFunc(b, func(x int) bool { return !slices.Contains(chosen, x) }) {
			return true
		}
	}
	return false
}

func sorted(set []int) []int {
	s := slices.Clone(set)
	slices.Sort(s)
	return s
}

// answers collects minimal sufficient sets: all of at most through members, and all there
// are where they are complete. Test reports whether a set suffices, and gives a conflict
// where it does not; an empty one tells that no set suffices, a nil one that neither this
// set nor a superset is wanted.
func answers(most, members int, test func(set []int) (suffices bool, conflict []int, err error)) (found [][]int, through int, complete bool, err error) {
	h := hitting{most: members}
	for {
		set, ok := h.next()
		switch {
		case !ok:
			return found, members, len(h.conflicts) == 0 || !h.cut(), nil
		case len(found) == most:
			return found, len(set) - 1, false, nil
		}
		suffices, conflict, err := test(set)
		switch {
		case err != nil:
			return found, len(set) - 1, false, err
		case suffices:
			found = append(found, set)
			h.blocked = append(h.blocked, set)
		case conflict == nil:
			h.blocked = append(h.blocked, set)
		case len(conflict) == 0:
			return nil, members, true, nil
		default:
			h.conflicts = append(h.conflicts, conflict)
		}
	}
}

// cut reports whether there may be larger sets than those looked for.
func (h *hitting) cut() bool {
	larger := hitting{conflicts: h.conflicts, blocked: h.blocked, most: h.most + 1}
	_, is := larger.next()
	return is
}
