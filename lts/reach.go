package lts

// Reach is the part of an LTS that its initial state reaches.
type Reach struct {
	// in is nil where every state is reachable.
	in          []bool
	states      int
	transitions int
	deadlocks   int
}

// Has tells whether s is reachable from the initial state. Cost O(1).
func (r *Reach) Has(s State) bool { return r.in == nil || r.in[s] }

// NumStates returns the number of reachable states, at least 1.
func (r *Reach) NumStates() int { return r.states }

// NumTransitions returns the number of transitions that leave reachable states.
func (r *Reach) NumTransitions() int { return r.transitions }

// NumDeadlocks returns the number of reachable states without outgoing
// transitions.
func (r *Reach) NumDeadlocks() int { return r.deadlocks }

// Reachable returns the part of the LTS that is reachable from the initial
// state; it is computed by the first call. Cost O(S + T) time then, 5 bytes a
// state while it runs and at most one a state after it.
func (m *LTS) Reachable() *Reach {
	m.reachOnce.Do(func() { m.reach = m.explore() })
	return m.reach
}

func (m *LTS) explore() *Reach {
	r := &Reach{in: make([]bool, m.NumStates())}
	r.in[m.initial] = true
	open := []State{m.initial}
	for len(open) > 0 {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		_, targets := m.Out(s)
		r.states++
		r.transitions += len(targets)
		if len(targets) == 0 {
			r.deadlocks++
		}
		for _, t := range targets {
			if !r.in[t] {
				r.in[t] = true
				open = append(open, t)
			}
		}
	}
	if r.states == m.NumStates() {
		r.in = nil
	}
	return r
}

// Predecessors are the transitions of an LTS in compressed rows sorted by
// target.
type Predecessors struct {
	rows    offsets
	labels  []Label
	sources []State
}

// In returns the transitions that enter s, in the order in which they were
// added, those from unreachable states included: transition i comes by
// labels[i] from sources[i]. The slices must not be changed. Cost O(1).
func (p *Predecessors) In(s State) (labels []Label, sources []State) {
	first, end := p.rows.bounds(s)
	return p.labels[first:end:end], p.sources[first:end:end]
}

// Predecessors returns the transitions sorted by target; they are built by the
// first call. Cost O(S + T) time and 8 bytes a transition then.
func (m *LTS) Predecessors() *Predecessors {
	m.inOnce.Do(func() { m.in = m.invert() })
	return m.in
}

func (m *LTS) invert() *Predecessors {
	counts := make([]uint64, m.NumStates()+1)
	for _, t := range m.targets {
		counts[int(t)+1]++
	}
	p := &Predecessors{
		rows:    sortedOffsets(counts),
		labels:  make([]Label, len(m.labels)),
		sources: make([]State, len(m.labels)),
	}
	next := make([]uint64, m.NumStates())
	for s := range next {
		next[s], _ = p.rows.bounds(State(s))
	}
	place := func(t Transition) bool {
		at := next[t.To]
		next[t.To]++
		p.labels[at] = t.Label
		p.sources[at] = t.From
		return true
	}
	for t := range m.Transitions() {
		place(t)
	}
	return p
}
