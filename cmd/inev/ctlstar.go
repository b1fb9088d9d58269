//go:build !js

package main

import (
	"errors"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/ctl/star"
	"github.com/inev-lts/inev/ctl/wmc"
)

var errNoStarEvidence = errors.New("a formula of CTL* has no evidence, since parts of it are decided by automata; its text shows the verdict and the runs")

// refuseStarEvidence refuses output that is evidence, or JSON, which is the same, for a formula of CTL*.
func (j *job) refuseStarEvidence() error {
	if j.format != "json" && j.flag("evidence") == "" {
		return nil
	}
	f, err := j.readCTL()
	if err == nil && f.IsStar() {
		return j.refuse("%v", errNoStarEvidence)
	}
	return err
}

// reduce decides the parts of a formula of CTL*, and goes on with what is left.
func (j *job) reduce(q *branching, hidden []actl.Pattern) error {
	var err error
	q.star, err = star.Reduce(j.ctx, star.Question{
		Model: q.m, Formula: q.f, Hidden: hidden, Holding: q.holding, Asked: q.initial, Fairness: q.fair,
	})
	if err != nil {
		return err
	}
	j.warn(q.star.Warnings)
	q.c, q.holding = q.star.Formula.Closure(), q.star.Holding
	if err := j.bindBranching(q, hidden); err != nil {
		return err
	}
	q.sets = wmc.NewExplicit(q.m, q.means, q.holding)
	return nil
}
