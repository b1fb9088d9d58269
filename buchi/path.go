package buchi

// path is the stack of a depth-first search: the current path (cp in the papers),
// and for each state on it the successors that were not visited yet. The
// successors of all states are on one stack, too, so that a push allocates
// nothing once that stack has grown.
type path struct {
	frames     []frame
	successors []State
}

type frame struct {
	state State
	// first and next are indexes into successors: of the first successor of
	// state, and of the next one to visit. The successors of the last frame end
	// at the end of the stack.
	first, next int
}

func (p *path) len() int { return len(p.frames) }

func (p *path) top() State { return p.frames[len(p.frames)-1].state }

func (p *path) push(g Graph, s State) {
	p.frames = append(p.frames, frame{state: s, first: len(p.successors), next: len(p.successors)})
	p.successors = g.Successors(s, p.successors)
}

func (p *path) pop() {
	last := len(p.frames) - 1
	p.successors = p.successors[:p.frames[last].first]
	p.frames = p.frames[:last]
}

// next returns the next successor of the last state, false if all have been
// considered.
func (p *path) next() (State, bool) {
	f := &p.frames[len(p.frames)-1]
	if f.next == len(p.successors) {
		return NoState, false
	}
	t := p.successors[f.next]
	f.next++
	return t, true
}

// considered returns all successors of the last state.
func (p *path) considered() []State {
	return p.successors[p.frames[len(p.frames)-1].first:]
}

// lasso returns the path as a lasso whose last state leads back to t, a state
// of the path.
func (p *path) lasso(t State) *Lasso {
	l := &Lasso{States: make([]State, len(p.frames))}
	for i, f := range p.frames {
		l.States[i] = f.state
		if f.state == t {
			l.LoopStart = i
		}
	}
	return l
}
