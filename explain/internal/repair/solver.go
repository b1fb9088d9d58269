package repair

import "slices"

// clause demands that one of some variables is true, or one of others false.
type clause struct{ one, not []int }

// solver finds smallest sets of true variables that meet all clauses.
type solver struct {
	clauses []clause
	spend   func(work int) error
	// size is the number of true variables that there are at least.
	size int
	// most is the size beyond which no set is looked for; 0 for any number.
	most int

	value map[int]bool
}

// next returns a smallest set of variables, ascending, that meets all clauses where the
// others are false; false if there is none. It begins with the size of the one before:
// more clauses do not make a set smaller. It fails if spend does.
func (s *solver) next() ([]int, bool, error) {
	variables := map[int]bool{}
	for _, c := range s.clauses {
		for _, v := range c.one {
			variables[v] = true
		}
	}
	for ; s.size <= len(variables); s.size++ {
		if s.most > 0 && s.size > s.most {
			return nil, false, nil
		}
		s.value = map[int]bool{}
		if is, err := s.meets(s.size); is || err != nil {
			return s.chosen(), is, err
		}
	}
	return nil, false, nil
}

func (s *solver) chosen() []int {
	var chosen []int
	for v, is := range s.value {
		if is {
			chosen = append(chosen, v)
		}
	}
	slices.Sort(chosen)
	return chosen
}

// meets makes at most so many more variables true so that all clauses are met. Of the
// first clause that is not, one variable after the other is tried, those before it being
// false from then on. Of a few the last one comes first: what is forbidden late on a run
// leaves most of it.
func (s *solver) meets(left int) (bool, error) {
	at, looked := -1, 1
	for i, c := range s.clauses {
		looked += 1 + len(c.one) + len(c.not)
		if !s.isMet(c) {
			at = i
			break
		}
	}
	if err := s.spend(looked); err != nil || at < 0 {
		return at < 0, err
	}
	if left == 0 {
		return false, nil
	}
	var tried []int
	defer func() {
		for _, v := range tried {
			delete(s.value, v)
		}
	}()
	one := s.clauses[at].one
	if s.most > 0 {
		one = slices.Clone(one)
		slices.Reverse(one)
	}
	for _, v := range one {
		if _, fixed := s.value[v]; fixed {
			continue
		}
		s.value[v] = true
		if is, err := s.meets(left - 1); is || err != nil {
			return is, err
		}
		s.value[v] = false
		tried = append(tried, v)
	}
	return false, nil
}

// isMet reports whether a clause is met where what has no value is false.
func (s *solver) isMet(c clause) bool {
	return slices.ContainsFunc(c.one, func(v int) bool { return s.value[v] }) ||
		slices.ContainsFunc(c.not, func(v int) bool { return !s.value[v] })
}
