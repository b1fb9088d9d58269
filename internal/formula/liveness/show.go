package liveness

import (
	"context"

	"github.com/inev-lts/inev/lts"
)

// Expression returns the value of an expression about states, as it would stand in the module, in each state of a
// model with these values. It fails if the text is no such expression, and if values of a variable are missing. The
// function that it returns fails where the expression has no value.
func (s *Specification) Expression(
	ctx context.Context,
	m *lts.LTS,
	t *lts.Values,
	text string,
) (func(lts.State) (string, error), error) {
	g, err := s.graph(ctx, t)
	if err != nil {
		return nil, err
	}
	g.m = m
	g.begins = m.Before() > 0
	p, err := s.s.Expression(text)
	if err != nil {
		return nil, err
	}
	return func(at lts.State) (string, error) {
		if !g.isReal(m, at) {
			return "", nil
		}
		now, err := g.state(at, nil)
		if err != nil {
			return "", err
		}
		v, err := g.eval.In(p, now)
		if err != nil {
			return "", err
		}
		return v.String(), nil
	}, nil
}
