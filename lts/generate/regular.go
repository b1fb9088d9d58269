package generate

import (
	"context"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
)

// checkBoard fails if width and height make too many states to be counted
// without overflow.
func checkBoard(s Spec) {
	high, states := bits.Mul64(uint64(s.Width), uint64(s.Height))
	if high > 0 || states > lts.MaxStates {
		abort.On(fmt.Errorf("width %d and height %d make more than %d states; ask for a smaller model", s.Width, s.Height, int64(lts.MaxStates)))
	}
}

// line is a chain or a cycle: the last transition has its own label, label 0.
type line struct {
	actionsAnd
	states, transitions uint64
}

func newChain(_ context.Context, s Spec) model {
	return &line{actionsAnd{actions{uint64(s.Labels)}, "END"}, uint64(s.States), uint64(s.States) - 1}
}

func newCycle(_ context.Context, s Spec) model {
	return &line{actionsAnd{actions{uint64(s.Labels)}, "BACK"}, uint64(s.States), uint64(s.States)}
}

func (m *line) size() (states, transitions uint64) { return m.states, m.transitions }

func (m *line) row(out sink, state uint64) {
	if state == m.transitions {
		return
	}
	label := 1 + state%m.count
	if state == m.transitions-1 {
		label = 0
	}
	out.from(state)
	out.add(label, (state+1)%m.states)
}

type grid struct {
	names
	width, height uint64
	wrap          bool
}

func newGrid(_ context.Context, s Spec) model {
	checkBoard(s)
	return &grid{names{"RIGHT", "DOWN"}, uint64(s.Width), uint64(s.Height), s.Wrap}
}

func (m *grid) size() (states, transitions uint64) {
	states = m.width * m.height
	if m.wrap {
		return states, 2 * states
	}
	return states, states - m.height + states - m.width
}

func (m *grid) row(out sink, state uint64) {
	out.from(state)
	column := state % m.width
	if column+1 < m.width {
		out.add(0, state+1)
	} else if m.wrap {
		out.add(0, state-column)
	}
	if below := state + m.width; below < m.width*m.height {
		out.add(1, below)
	} else if m.wrap {
		out.add(1, column)
	}
}

// fan is a star or parallel transitions: all lead from the first state, to a state each or to one.
type fan struct {
	actions
	states, transitions uint64
}

func newStar(_ context.Context, s Spec) model {
	return &fan{actions{uint64(s.Labels)}, uint64(s.States), uint64(s.States) - 1}
}

func newParallel(_ context.Context, s Spec) model {
	return &fan{actions{uint64(s.Labels)}, 2, uint64(s.Transitions)}
}

func (m *fan) size() (states, transitions uint64) { return m.states, m.transitions }

func (m *fan) row(out sink, state uint64) {
	if state > 0 {
		return
	}
	out.from(0)
	for i := range m.transitions {
		out.add(i%m.count, 1+i%(m.states-1))
	}
}

type complete struct {
	actions
	states, seed uint64
}

func newComplete(_ context.Context, s Spec) model {
	return &complete{actions{uint64(s.Labels)}, uint64(s.States), s.Seed}
}

func (m *complete) size() (states, transitions uint64) { return m.states, m.states * (m.states - 1) }

func (m *complete) row(out sink, state uint64) {
	out.from(state)
	r := numbersOf(m.seed, state)
	for to := range m.states {
		if to != state {
			out.add(r.below(m.count), to)
		}
	}
}

// stages leads through the states of each stage one by one, by WORK. The step of
// a stage leads from each of its states to the next stage; the transition that
// leaves out the step leads to the next stage from the last state of the stage
// only.
type stages struct{ width, height uint64 }

func newStages(_ context.Context, s Spec) model {
	checkBoard(s)
	return &stages{uint64(s.Width), uint64(s.Height)}
}

func (m *stages) size() (states, transitions uint64) {
	return m.width*m.height + 1, 2 * m.width * m.height
}

func (m *stages) labels() uint64 { return 1 + 2*m.height }

func (m *stages) appendLabel(text []byte, label uint64) []byte {
	if label == 0 {
		return append(text, "WORK"...)
	}
	name := [...]string{"STEP !", "SKIP !"}[(label-1)%2]
	return strconv.AppendUint(append(text, name...), (label-1)/2, 10)
}

func (m *stages) row(out sink, state uint64) {
	stage := state / m.width
	if stage == m.height {
		return
	}
	out.from(state)
	next := (stage + 1) * m.width
	out.add(1+2*stage, next)
	if state+1 < next {
		out.add(0, state+1)
	} else {
		out.add(2+2*stage, next)
	}
}

// stagesFormula asks for all steps of a model of this many stages.
func stagesFormula(height int) string {
	var b strings.Builder
	b.WriteString("Inev(")
	for i := range height {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, `"STEP !%d"`, i)
	}
	b.WriteString(")")
	return b.String()
}
