//go:build !js

package main

import (
	"io"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// enrichCommand returns inev enrich, which lists the prefixes and suffixes of all states.
func enrichCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:     "list how much of a property is done before and after each state",
		ArgsUsage: "MODEL FORMULA",
		Description: `Lists for each reachable state how many steps of the property Inev(A, B, ...) are
done:

  mp  at most, on the runs from the initial state to it (maximal prefix)
  cp  on every such run (common prefix)
  ms  at most, counted from the last step, on the runs from it (maximal suffix)
  cs  on every such run (common suffix)

and its strongly connected component (scc), the set of states that it can reach and
that can reach it, with the depth of that below the initial one (depth).

Other properties have no steps. For these it lists the number of histories that the
property distinguishes and with which a run can reach the state (histories), after how
many of them some continuation satisfies the property (can_satisfy), and after how
many some violates it (can_violate). With --unfold each history is a state.`,
		Flags:  slices.Concat(reporting(), bothInput(), method(), justFairness(), modelRun()),
		Action: action(p, enrichStates),
	},
		`inev enrich m.aut 'Inev(REQ, ACK)' --format tsv`)
}

// enrichStates carries out inev enrich.
func enrichStates(j *job) error {
	a, err := j.analyse()
	if err != nil {
		return err
	}
	return j.print(func(w io.Writer) error { return j.report.States(w, a) })
}

// classifyCommand returns inev classify, which lists the classes of all transitions.
func classifyCommand(p *program) *cli.Command {
	neighbourhoods := toggle(resultFlags, "neighbourhoods",
		"list the neighbourhoods instead of the transitions")
	return page(&cli.Command{
		Usage:     "list which transitions are correct, incorrect or neutral",
		ArgsUsage: "MODEL FORMULA",
		Description: `Lists the class of every reachable transition: correct if every maximal run through it
(one that goes on forever, or ends in a deadlock) satisfies the property, incorrect
if none does, and otherwise neutral.

With --neighbourhoods, lists the neighbourhoods and their kinds instead: the states
that neutral transitions enter and a correct or an incorrect one leaves.`,
		Flags: slices.Concat(reporting(), []cli.Flag{neighbourhoods}, bothInput(), method(),
			justFairness(), modelRun()),
		Action: action(p, classifyTransitions),
	},
		`inev classify m.aut 'Inev(REQ, ACK)' --format tsv`,
		`inev classify m.aut 'Inev(REQ, ACK)' --neighbourhoods`)
}

// classifyTransitions carries out inev classify; with --neighbourhoods, it lists these in place of the
// transitions.
func classifyTransitions(j *job) error {
	a, err := j.analyse()
	if err != nil {
		return err
	}
	if !j.c.Bool("neighbourhoods") {
		return j.print(func(w io.Writer) error {
			return j.report.Transitions(w, a)
		})
	}
	found, err := a.Neighbourhoods(j.ctx)
	if err != nil {
		return err
	}
	return j.print(func(w io.Writer) error {
		return j.report.Neighbourhoods(w, a, found)
	})
}

// pathCommand returns inev path, which shows shortest paths to the places where a property is decided.
func pathCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:     "show shortest paths to where a property is decided or lost",
		ArgsUsage: "MODEL FORMULA",
		Description: `Shows the shortest path from the initial state to the nearest neighbourhood, a state
in which it can be decided whether the property holds. With --to: the paths to each,
to the nearest of a kind, to where the property is lost, or to a state by its number.
With --through: those that go through a state.

A neighbourhood is a state that is entered while the outcome is open, and that a
correct transition (all runs through it satisfy the property) or an incorrect one
(none does) leaves. The kinds are correct (the property can be saved there),
incorrect (it can be lost), and mixed and mixed-neutral (both). With --to lost, the
path is the shortest after which no run satisfies the property.`,
		Flags: slices.Concat(reporting(), []cli.Flag{
			preset(value(resultFlags, "to", "`WHERE` is nearest, each, a kind (the nearest of it), lost or a state"), "nearest"),
			value(resultFlags, "through", "only paths through the state `N`, or to it"),
			value(resultFlags, "pattern", "only paths with `ACTIONS` such as 'A, B', in order"),
			inFull(),
		}, bothInput(), method(), justFairness(), modelRun()),
		Action: action(p, showPaths),
	},
		`inev path m.aut 'Inev(REQ, ACK)'`,
		`inev path m.aut 'Inev(REQ, ACK)' --to each --format tsv`,
		`inev path m.aut 'Inev(REQ, ACK)' --to lost`,
		`inev path m.aut 'Inev(REQ, ACK)' --to 2 --through 1`)
}

// showPaths carries out inev path. The destination and the pattern are checked before the model is read.
func showPaths(j *job) error {
	var to explain.Destination
	if err := to.Set(j.flag("to")); err != nil {
		return j.refuse("--to: %v", err)
	}
	text := j.flag("through")
	if text != "" {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return j.refuse("--through %s: states are numbers, such as 3", text)
		}
		s := lts.State(n)
		to.Through = &s
	}
	pattern, err := j.readPattern()
	if err != nil {
		return err
	}
	a, err := j.analyse()
	if err != nil {
		return err
	}
	paths, warnings, err := a.Paths(j.ctx, to, pattern)
	if err != nil {
		return err
	}
	j.warn(warnings)
	return j.print(func(w io.Writer) error {
		return j.report.Paths(w, a, to, paths)
	})
}
