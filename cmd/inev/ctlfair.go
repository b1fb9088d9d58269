//go:build !js

package main

import (
	"io"
	"strconv"

	"github.com/inev-lts/inev/ctl"
	"github.com/inev-lts/inev/ctl/argument"
	"github.com/inev-lts/inev/ctl/fair"
	"github.com/inev-lts/inev/lts"
)

// answerFairly decides a formula about the runs that meet the assumptions.
func (j *job) answerFairly(q *branching) (*branchingAnswer, error) {
	d, err := fair.Decide(j.ctx, fair.Question{
		Model: q.m, Closure: q.c, Means: q.means, Asked: q.initial, Fairness: q.fair,
		Holding: func(p ctl.Predicate) ([]lts.State, error) { return q.holding(p) },
	})
	if err != nil {
		return nil, err
	}
	return &branchingAnswer{
		good: d.Good, bad: d.Bad,
		write: func(w io.Writer) error {
			return fair.WriteJSON(w, fair.Asked{Formula: q.f.String(), Internal: q.hidden, Fair: assumptionTexts(j.options.Fair)}, d)
		},
		argument: func() (*argument.Case, error) { return argument.NewFair(j.ctx, d) },
	}, nil
}

// readWithin reads how many transitions an argument may have.
func (j *job) readWithin(q *branching) error {
	q.within = -1
	text := j.flag("within")
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return j.refuse("--within %s: not a number of transitions, such as 10", text)
	}
	q.within = n
	return nil
}
