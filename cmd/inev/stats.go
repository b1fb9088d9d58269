package main

import (
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/report"
)

// accounts are what the cost of a run is told from.
type accounts struct {
	transitions int
	phases      []explain.Phase
}

// account notes the phases until now.
func (j *job) account(phases []explain.Phase) { j.accounts.phases = phases }

// tellCost tells at the end what the run cost, where --stats asks for it.
func (j *job) tellCost() error {
	if !j.c.Bool("stats") {
		return nil
	}
	j.unwatch()
	return report.Cost(j.stderr, j.accounts.phases, explain.Measure(j.accounts.transitions, j.accounts.phases))
}
