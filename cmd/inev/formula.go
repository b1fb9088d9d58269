//go:build !js

package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/property/values"
	"github.com/inev-lts/inev/report"
)

func formulaCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Name:      "formula",
		Usage:     "show what a property means, and write it for other tools",
		ArgsUsage: "FORMULA",
		Description: `Writes a property in ACTL, LTL, MCL for CADP and the mu-calculus of mCRL2. Inev(A, B)
says that on every maximal run (it goes on for ever, or ends in a deadlock) A
happens and later B. A step of a property is one of:

  PUT              the label PUT, or the action PUT with any offers or arguments
  r1(d1)           this label; blanks after commas do not matter
  "PUT !1"         exactly this label
  /^RACK[01]$/     a regular expression (Go's RE2), anywhere in the label
  SDT*             a pattern for the whole label: * any text, ? any character
  {PUT, GET}       any one of these

Other patterns are below. Each can have a scope after a last semicolon: before X,
after X, between X and Y, or after X until Y (X and Y themselves excluded).

  Response(A; B, C)    after every A, strictly later, B happens and later C
  Never(A, B)          no A is followed by B; Never(A): A does not happen
  Precedes(A; B)       no B happens before the first A
  Always(A)            nothing but A happens
  AtMost(2; A)         A happens twice at most
  DeadlockFree         no run ends

A formula can also be in ACTL, as in A[true_{true} U_{A} A[true_{true} U_{B} true]],
or in linear temporal logic, as in G (A -> F B). Its operators, the tightest first, are
!, X, F, G; U, R, W, M; &&; ||; ->; <->. Its atoms are deadlock and the patterns above;
quote those with characters other than letters, digits and ._*? outside parentheses.
What holds of all runs may also be in MCL or the mu-calculus of mCRL2, on the command line
and in files with the suffixes .mcl and .mcf: [ true* . "A" . "B" ] false.`,
		Flags: slices.Concat(reporting(), []cli.Flag{
			value(inputFlags, "model", "list the labels of the model in `FILE` that match each step"),
			fullFairness(), formulaFile(), libraries(), automatonFile(), claimFile(), matching(inputFlags), parts(inputFlags),
		}, automatonOutputs(), modelInput(), modelRun()),
		Action: action(p, writeFormula),
	},
		`inev formula 'Inev({PUT, GET}, ACK)'`,
		`inev formula 'Inev(REQ, ACK)' --model m.aut`,
		`inev formula 'Inev(REQ, ACK)' --fair full`,
		`inev formula 'Response(REQ; ACK)' --hoa-out response.hoa --svg response.svg`,
		`inev formula 'Inev("PUT !1", /^ACK/)' --format json`)
}

// fullFairness is the flag of the command that writes formulas.
func fullFairness() cli.Flag {
	return &cli.StringSliceFlag{Name: "fair", Category: inputFlags, Usage: "write that it holds under full fairness; `ASSUMPTION` is full"}
}

// isFullyFair reports whether the formula is to be about the runs that are fully fair.
func (j *job) isFullyFair() (bool, error) {
	for _, a := range j.options.Fair {
		if a.Kind() != actl.FullFairness {
			return false, j.refuse("--fair %s: only full fairness can be written as a formula; use --fair full, or check a model with inev check --fair %s", a, a.Kind())
		}
	}
	return len(j.options.Fair) > 0, nil
}

func writeFormula(j *job) error {
	if _, err := j.isFullyFair(); err != nil {
		return err
	}
	f, err := j.readFormula()
	if err != nil {
		return err
	}
	fair, err := j.isFullyFair() // which the formula may say itself
	if err != nil {
		return err
	}
	var fully *actl.FullyFair
	if pattern, is := f.(*actl.Formula); fair && is {
		fully, _ = pattern.FullyFair()
	}
	if fair && fully == nil {
		return fmt.Errorf("under full fairness, inev writes Inev(…) and Response(…) without a scope, and not %s", f)
	}
	if err := j.writeAutomaton(f); err != nil {
		return err
	}
	path := j.flag("model")
	if path == "" {
		if j.c.Bool(allowUnmatched) {
			return j.refuse("--%s goes with --model", allowUnmatched)
		}
		if j.flag("steps-out") != "" {
			return j.refuse("--steps-out goes with --model")
		}
		if fair {
			return j.writeNotation(fully)
		}
		shown, err := j.withSpecimens(f)
		if err != nil {
			return err
		}
		return j.writeNotation(shown)
	}
	j.aboutStates = len(values.AtomsOf(f)) > 0
	m, warnings, err := j.openModel(path)
	if err != nil {
		return err
	}
	j.options.File, j.options.States = path, m.States
	if m.LTS, err = j.withValues(m.LTS, f); err != nil {
		return err
	}
	warnings = slices.Concat(warnings, j.options.Warnings)
	if err := j.checkMatched(m.LTS, f); err != nil {
		return err
	}
	happening, err := m.LTS.Happening(j.ctx)
	if err != nil {
		return err
	}
	p, unmatched, err := f.Bind(j.ctx, happening)
	if err != nil {
		return err
	}
	j.warn(slices.Concat(warnings, unmatched))
	if err := j.writeSteps(f, p); err != nil {
		return err
	}
	if pattern, is := f.(*actl.Formula); is && pattern.IsChain() {
		chain, _ := p.Chain()
		bound := actl.Bound{Chain: chain}
		if fair {
			return j.writeNotation(bound.FullyFair())
		}
		return j.writeNotation(bound)
	}
	if fair {
		return j.writeNotation(fully)
	}
	shown, err := j.withRuns(f, p)
	if err != nil {
		return err
	}
	return j.writeNotation(shown)
}

func (j *job) writeNotation(f report.Notation) error {
	return j.print(func(w io.Writer) error { return j.report.Formula(j.ctx, w, f) })
}
