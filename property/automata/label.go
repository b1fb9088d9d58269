package automata

// truth is a truth value of an expression in which some propositions have no
// value yet.
type truth int8

const (
	isFalse truth = iota
	unknown
	isTrue
)

// solver decides whether some letter satisfies a label of one automaton. First it
// tries the letter that gives each proposition the polarity of its first
// occurrence; this letter satisfies every satisfiable conjunction of literals.
// Then it assigns values to propositions in the order in which they occur, and
// backtracks when the label becomes false.
type solver struct {
	// aliases are the expressions of the aliases; each mentions only smaller
	// aliases.
	aliases [][]int
	// spent counts operations, over all labels.
	spent int

	// order lists the propositions in the label, and values has the values
	// assigned to them.
	order  []int
	values map[int]truth
	// used are the aliases that the label mentions, directly or through others,
	// in ascending order; results are their values.
	used    []int
	results []truth
	stack   []truth
}

// satisfiable reports whether a letter satisfies the expression code; decided is
// false if this would take more than budget operations, including those spent on
// earlier labels.
func (s *solver) satisfiable(code []int, budget int) (yes, decided bool) {
	s.collect(code)
	if s.evaluateAll(code) == isTrue {
		return true, true
	}
	clear(s.values)
	// assigned is how many propositions of order have a value.
	for assigned := 0; ; {
		result := s.evaluateAll(code)
		switch {
		case s.spent > budget:
			return false, false
		case result == isTrue:
			return true, true
		case result == unknown:
			s.values[s.order[assigned]] = isTrue
			assigned++
			continue
		}
		for assigned > 0 && s.value(s.order[assigned-1]) == isFalse {
			assigned--
			delete(s.values, s.order[assigned])
		}
		if assigned == 0 {
			return false, true
		}
		s.values[s.order[assigned-1]] = isFalse
	}
}

// value returns the value of a proposition.
func (s *solver) value(proposition int) truth {
	if value, known := s.values[proposition]; known {
		return value
	}
	return unknown
}

// collect finds the propositions and aliases in code, and gives each proposition
// the polarity of its first occurrence.
func (s *solver) collect(code []int) {
	s.order, s.values, s.used = s.order[:0], map[int]truth{}, s.used[:0]
	var needed []bool
	s.collectFrom(code, &needed)
	for i := len(needed) - 1; i >= 0; i-- {
		if needed[i] {
			s.collectFrom(s.aliases[i], &needed)
		}
	}
	for i, is := range needed {
		if is {
			s.used = append(s.used, i)
		}
	}
	s.spent += len(needed)
}

func (s *solver) collectFrom(code []int, needed *[]bool) {
	for i, c := range code {
		if c <= firstAlias {
			if *needed == nil {
				*needed = make([]bool, len(s.aliases))
				s.results = append(s.results[:0], make([]truth, len(s.aliases))...)
			}
			(*needed)[firstAlias-c] = true
			continue
		}
		if _, met := s.values[c]; c < 0 || met {
			continue
		}
		s.order = append(s.order, c)
		s.values[c] = isTrue
		if i+1 < len(code) && code[i+1] == codeNot {
			s.values[c] = isFalse
		}
	}
}

func (s *solver) evaluateAll(code []int) truth {
	for _, i := range s.used {
		s.results[i] = s.evaluate(s.aliases[i])
	}
	return s.evaluate(code)
}

// evaluate computes an expression in Kleene's three-valued logic, in which "and"
// is the minimum and "or" the maximum.
func (s *solver) evaluate(code []int) truth {
	s.spent += len(code)
	s.stack = s.stack[:0]
	for _, c := range code {
		top := len(s.stack) - 1
		switch {
		case c >= 0:
			s.stack = append(s.stack, s.value(c))
		case c <= firstAlias:
			s.stack = append(s.stack, s.results[firstAlias-c])
		case c == codeTrue:
			s.stack = append(s.stack, isTrue)
		case c == codeFalse:
			s.stack = append(s.stack, isFalse)
		case c == codeNot:
			s.stack[top] = isTrue - s.stack[top]
		case c == codeAnd:
			s.stack[top-1] = min(s.stack[top-1], s.stack[top])
			s.stack = s.stack[:top]
		case c == codeOr:
			s.stack[top-1] = max(s.stack[top-1], s.stack[top])
			s.stack = s.stack[:top]
		}
	}
	return s.stack[0]
}
