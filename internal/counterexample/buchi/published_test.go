package buchi

import "slices"

// This file writes the algorithms of the papers down as they are printed, with
// recursion and line by line, so that tests can show that the package does the
// same, and what is wrong where it does not.

// published holds the fields of the states, as in the papers.
type published struct {
	g         Graph
	e         [][]State
	cp        []State
	isInCP    map[State]bool
	colour    map[State]uint8
	found     *Lasso
	depth     map[State]int
	mce       []State
	sequence  []Lasso
	bound     int
	boundedBy bool
	// visits counts calls of the procedures.
	visits int64
}

func newPublished(g Graph) *published {
	return &published{
		g: g, e: successorsOf(g), isInCP: map[State]bool{}, colour: map[State]uint8{}, depth: map[State]int{},
	}
}

func (p *published) push(s State) { p.cp = append(p.cp, s) }

func (p *published) pop() { p.cp = p.cp[:len(p.cp)-1] }

func (p *published) close(t State) Lasso {
	return Lasso{States: slices.Clone(p.cp), LoopStart: slices.Index(p.cp, t)}
}

// dfsBlue is DFS_blue of Algorithm 1 of [SPIN04].
func (p *published) dfsBlue(s State) {
	p.visits++
	p.push(s)
	p.isInCP[s], p.colour[s] = true, blue
	for _, t := range p.e[s] {
		if p.isInCP[t] && p.g.Accepting(t) {
			l := p.close(t)
			p.found = &l
		} else if p.colour[t] == white {
			p.dfsBlue(t)
		}
		if p.found != nil {
			return
		}
	}
	p.pop()
	p.isInCP[s] = false
	if !slices.ContainsFunc(p.e[s], func(t State) bool { return p.colour[t] != black }) {
		p.colour[s] = black
	} else if p.g.Accepting(s) {
		p.dfsRed(s)
		if p.found == nil {
			p.dfsBlack(s)
		}
	}
}

func (p *published) dfsRed(s State) {
	p.visits++
	p.push(s)
	p.isInCP[s], p.colour[s] = true, red
	for _, t := range p.e[s] {
		if p.isInCP[t] && (p.g.Accepting(t) || p.colour[t] == blue) {
			l := p.close(t)
			p.found = &l
		} else if p.colour[t] == blue {
			p.dfsRed(t)
		}
		if p.found != nil {
			return
		}
	}
	p.pop()
	p.isInCP[s] = false
}

func (p *published) dfsBlack(s State) {
	p.visits++
	p.colour[s] = black
	for _, t := range p.e[s] {
		if p.colour[t] != black {
			p.dfsBlack(t)
		}
	}
}

// dfsMin is DFS_MIN of Algorithm 2 of [SPIN04]. With boundedBy, line 4 is the one
// that section 3.4 gives for a bound. closesAccepting is to report whether the place
// of t on the path, and that of the last accepting state, both counted from 1,
// make an accepting loop.
func (p *published) dfsMin(s State, careful bool, closesAccepting func(t, last int) bool) {
	p.visits++
	p.push(s)
	if d, ok := p.depth[s]; !ok || len(p.cp) < d {
		p.depth[s] = len(p.cp)
	}
	for _, t := range p.e[s] {
		line4 := p.mce == nil || len(p.cp)+1 < len(p.mce)
		if p.boundedBy {
			line4 = p.mce == nil && len(p.cp)+1 < p.bound || p.mce != nil && len(p.cp)+1 < len(p.mce)
		}
		if !line4 {
			continue
		}
		d, visited := p.depth[t]
		if at := slices.Index(p.cp, t) + 1; at > 0 {
			last := len(p.cp)
			for last > 0 && !p.g.Accepting(p.cp[last-1]) {
				last--
			}
			if closesAccepting(at, last) {
				p.mce = append(slices.Clone(p.cp), t)
				p.sequence = append(p.sequence, p.close(t))
			}
		} else if careful || p.g.Accepting(t) {
			p.dfsMin(t, true, closesAccepting)
		} else if !visited {
			p.dfsMin(t, careful, closesAccepting)
		} else if d > len(p.cp)+1 && p.mce != nil {
			p.dfsMin(t, true, closesAccepting)
		}
	}
	p.pop()
}

// closes is closes_accepting with "smaller or equal", which the algorithm needs;
// closesStrictly is what the paper says.
func closes(t, last int) bool { return last > 0 && t <= last }

func closesStrictly(t, last int) bool { return t < last }

// publishedContrex runs Algorithm 2 in the mode that [SPIN04r] gives.
func publishedContrex(g Graph) (sequence []Lasso, visits int64) {
	p := newPublished(g)
	p.dfsMin(g.Initial(), g.Accepting(g.Initial()), closes)
	return p.sequence, p.visits
}

// simpleAcceptingPaths returns the set S of section 3.3 in lexicographic order.
func simpleAcceptingPaths(g Graph) []Lasso {
	p := newPublished(g)
	var walk func(s State)
	walk = func(s State) {
		p.push(s)
		for _, t := range p.e[s] {
			if !slices.Contains(p.cp, t) {
				walk(t)
			} else if l := p.close(t); slices.ContainsFunc(l.Loop(), g.Accepting) {
				p.sequence = append(p.sequence, l)
			}
		}
		p.pop()
	}
	walk(g.Initial())
	return p.sequence
}

// gammas returns the sequence γ0 … γp of section 3.3, of the lassos shorter than
// bound.
func gammas(g Graph, bound int) []Lasso {
	var sequence []Lasso
	for _, l := range simpleAcceptingPaths(g) {
		if l.Length() < bound {
			sequence = append(sequence, l)
			bound = l.Length()
		}
	}
	return sequence
}

// publishedPriority is [MIN07] as printed: Algorithm 5 with Algorithm 2 or 6, 3 or
// 7, and 4; it returns the size found, 0 for none.
type publishedPriority struct {
	g        Graph
	e        [][]State
	depth    map[State]int
	maxDepth int
	// cp is the counterexample of the improvements, nil for the plain algorithm,
	// and blue its blue states.
	cp   *Lasso
	blue map[State]bool
	// testEarly moves lines 18 to 21 of Algorithm 7 before line 13.
	testEarly bool
}

func (p *publishedPriority) run() (size int) {
	p.e, p.depth, p.maxDepth = successorsOf(p.g), map[State]int{}, unlimited
	for _, r := range p.bfsDistance() {
		if n := p.prioMin(r, p.bfsPF(r)); n < p.maxDepth {
			size, p.maxDepth = n, n
		}
	}
	return size
}

// bfsDistance is Algorithm 2, or 6 where there is a counterexample cp.
func (p *publishedPriority) bfsDistance() (accept []State) {
	initial := p.g.Initial()
	queue := []State{initial}
	p.depth[initial] = 0
	saved := 0
	if p.cp != nil {
		p.maxDepth = p.cp.Transitions()
	}
	for n := 0; len(queue) > 0 && n < p.maxDepth; {
		s := queue[0]
		queue = queue[1:]
		n = p.depth[s]
		if p.g.Accepting(s) {
			accept = append(accept, s)
		}
		for _, t := range p.e[s] {
			if _, reached := p.depth[t]; !reached {
				p.depth[t] = n + 1
				queue = append(queue, t)
			}
		}
		if p.cp != nil && p.blue[s] {
			if at := slices.Index(p.cp.States, s); at >= 0 && at-n > saved {
				saved = at - n
				p.maxDepth = p.cp.Transitions() - saved
			}
		}
	}
	return accept
}

// bfsPF is Algorithm 3, or 7 where there is a counterexample cp.
func (p *publishedPriority) bfsPF(r State) []distant {
	reached := map[State]bool{r: true}
	queue := []distant{{r, 0}}
	var pf []distant
	if p.depth[r] < p.maxDepth {
		pf = append(pf, distant{r, p.depth[r]})
	}
	loop := false
	shorten := func(t State, n int) {
		loop = loop || t == r
		if size := p.depth[t] + n + 1; t == r && size < p.maxDepth {
			p.maxDepth = size
		}
	}
	for len(queue) > 0 {
		s, n := queue[0].state, queue[0].n
		queue = queue[1:]
		if p.cp != nil && n+1 >= p.maxDepth {
			break
		}
		for _, t := range p.e[s] {
			if p.testEarly {
				shorten(t, n)
			}
			if reached[t] {
				continue
			}
			reached[t] = true
			queue = append(queue, distant{t, n + 1})
			depth, known := p.depth[t]
			if priority := depth + n + 1; known && priority < p.maxDepth && (p.cp == nil || depth < p.depth[s]) {
				pf = append(pf, distant{t, priority})
			}
			if !p.testEarly {
				shorten(t, n)
			}
		}
	}
	if p.cp != nil && !loop {
		return nil
	}
	return pf
}

// prioMin is Algorithm 4.
func (p *publishedPriority) prioMin(r State, pf []distant) int {
	if len(pf) == 0 {
		return unlimited
	}
	marked := map[State]bool{}
	var queue []State
	n := slices.MinFunc(pf, func(a, b distant) int { return a.n - b.n }).n
	for ; n+1 < p.maxDepth && n <= 2*len(p.e); n++ {
		for _, q := range pf {
			if q.n == n && !marked[q.state] {
				queue = append(queue, q.state)
				marked[q.state] = true
			}
		}
		for range len(queue) {
			s := queue[0]
			queue = queue[1:]
			for _, t := range p.e[s] {
				if t == r {
					return n + 1
				}
				if !marked[t] {
					marked[t] = true
					queue = append(queue, t)
				}
			}
		}
	}
	return unlimited
}
