package liveness

import (
	"context"

	"github.com/inev-lts/inev/lts"
)

// Expression returns a function that evaluates an expression about states in a state of the model. The
// text is written as in the module. Expression fails if the text is not such an expression, or if the
// table has no values of a variable. The function fails in states where the expression has no value.
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
