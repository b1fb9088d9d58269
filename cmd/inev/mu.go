//go:build !js

package main

import (
	"context"
	"io"

	"github.com/inev-lts/inev/internal/ctl/argument"
	"github.com/inev-lts/inev/internal/ctl/parity"
	"github.com/inev-lts/inev/internal/formula/modal"
	"github.com/inev-lts/inev/internal/formula/mucalculus"
	"github.com/inev-lts/inev/lts"
)

// fixpoints is a run of inev ctl about a formula of the mu-calculus that computation tree logic does
// not have.
type fixpoints struct {
	*branching
	formula *modal.Written
}

func (q *fixpoints) run() error {
	if len(q.options.Fair) > 0 {
		return q.refuse("--fair: fixpoints speak of transitions, and not of runs that could be fair; leave it out")
	}
	if q.c.IsSet("internal") {
		return q.refuse("--internal: a modality is about the labels that it names, hidden or not; name them there")
	}
	q.text = q.formula.String()
	if _, err := modal.Parse(q.ctx, q.text); err == nil {
		q.note("the formula is a property of all runs; inev check and inev explain answer it, too")
	}
	drawn, err := q.checkOutputs()
	if err != nil {
		return err
	}
	if err := q.readWithin(); err != nil {
		return err
	}
	s, err := q.solve()
	if err != nil {
		return err
	}
	a := &branchingAnswer{
		good:     s.Good,
		bad:      s.Bad,
		write:    func(w io.Writer) error { return s.WriteJSON(q.ctx, w) },
		argument: func() (arguer, error) { return gameArguments{ctx: q.ctx, s: s}, nil },
	}
	return q.tell(a, drawn)
}

// gameArguments makes arguments of a solution.
type gameArguments struct {
	ctx context.Context
	s   *parity.Solution
}

func (g gameArguments) Argue(state lts.State) (*argument.Argument, error) {
	return g.s.Argue(g.ctx, state)
}

// solve reads the model, and decides the formula in the states that are asked about.
func (q *fixpoints) solve() (*parity.Solution, error) {
	m, err := q.readModel()
	if err != nil {
		return nil, err
	}
	q.m = m
	q.warn(q.options.Warnings)
	graph, means, err := bindFixpoints(q.job, m, q.formula)
	if err != nil {
		return nil, err
	}
	q.initial, err = q.readInitial(m)
	if err != nil {
		return nil, err
	}
	if err := m.FindPredecessors(q.ctx); err != nil {
		return nil, err
	}
	return parity.Solve(q.ctx, m, graph, means, q.initial)
}

// bindFixpoints returns a formula as a graph, and what its modalities mean for a model.
func bindFixpoints(j *job, m *lts.LTS, f *modal.Written) (*mucalculus.Formula, [][]bool, error) {
	if err := j.unmatched(f.Unmatched(j.ctx, m.Alphabet())); err != nil {
		return nil, nil, err
	}
	happening, err := m.Happening(j.ctx)
	if err != nil {
		return nil, nil, err
	}
	graph, note, err := f.Graph(j.ctx, happening)
	if err != nil {
		return nil, nil, err
	}
	if note != "" {
		j.note(note)
	}
	means, warnings, err := graph.Bind(j.ctx, m.Alphabet())
	j.warn(warnings)
	return graph, means, err
}
