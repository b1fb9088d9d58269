package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// workForFewest bounds the search for the fewest transitions to forbid, in units of work.
const workForFewest = 200_000_000

func repairCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:     "say what to forbid so that a property holds",
		ArgsUsage: "MODEL FORMULA",
		Description: `Which transitions must never be taken so that a property such as Inev(A, B) holds, and
which loops must be left sooner or later? This command answers for a supervisor who
sees what has been done, may forbid what is controllable, and always leaves some way
on: what it says to forbid is needed, and makes no new deadlock. The internal
actions i and tau cannot be forbidden, nor can what --uncontrollable names, nor what
triggers the property, such as REQ in Response(REQ; ACK): without it, the property
would hold of runs that it is not about.

With -o FILE.aut, it writes the model without what must never be taken, unfolded by
the progress made where that decides.

The exit code is 0 where there is a repair, also where there is nothing to repair,
and 1 where there is none.`,
		Flags: slices.Concat(reporting(), []cli.Flag{inFull()}, bothInput(), []cli.Flag{
			value(methodFlags, "uncontrollable", "labels that match `PATTERNS`, such as 'LOSS, TIMEOUT', cannot be forbidden"),
			value(methodFlags, "controllable", "labels that match `PATTERNS` can be forbidden, also internal actions"),
			toggle(methodFlags, "may-forbid-triggers", "what triggers the property, such as a request, can be forbidden, too"),
			value(methodFlags, "by", "`WHAT` is forbidden: transition, or label for all transitions with a label at a place together"),
			toggle(methodFlags, "fewest", "also find the fewest transitions to forbid, whatever happened before"),
			toggle(methodFlags, "labels", "also find the fewest labels to forbid everywhere"),
			toggle(methodFlags, byOwner, "also find out who can prevent the violation, by the owners of labels in --lanes"),
			sharesOf(),
			lanes(),
			&cli.StringSliceFlag{Name: "fair", Category: methodFlags, Usage: "with `full`, count only fully fair runs: loops that can be left are"},
		}, modelRun()),
		Action: action(p, repair),
	},
		`inev repair m.aut 'Inev(REQ, ACK)'`,
		`inev repair m.aut 'Inev(REQ, ACK)' --uncontrollable REQ --fewest`)
}

func repair(j *job) error {
	o, err := readRepairOptions(j)
	if err != nil {
		return err
	}
	m, f, err := j.readBoth()
	if err != nil {
		return err
	}
	if err := j.checkNamed(m.Alphabet(), "uncontrollable", o.Uncontrollable); err != nil {
		return err
	}
	if err := j.checkNamed(m.Alphabet(), "controllable", o.Controllable); err != nil {
		return err
	}
	o.Source = j.options.Source
	if j.tla != nil && len(o.Fair) == 0 { // full fairness is all that Spec asks for, and more
		o.Fair = j.options.Fair
	}
	o.Owners, err = owners(j, m)
	if err != nil {
		return err
	}
	r, err := explain.FindRepair(j.ctx, m, f, o)
	if errors.Is(err, explain.ErrFairRepair) {
		err = fmt.Errorf("%s violates %s: %w; inev explain tells what Spec would have to assume", j.options.File, asWritten(f), err)
	}
	if err != nil {
		return err
	}
	j.tell(r.Timings, r.Warnings)
	if j.writesModel() && r.Solvable {
		if err := saveRepaired(j, r); err != nil {
			return err
		}
	}
	if err := j.print(func(w io.Writer) error { return j.report.Repair(w, r) }); err != nil {
		return err
	}
	if !r.Solvable && j.writesModel() {
		j.warn([]string{j.flag("o") + ": not written, for there is no repair"})
	}
	return violatedIf(!r.Solvable)
}

// readRepairOptions reads the flags that say what may be forbidden, and how.
func readRepairOptions(j *job) (o explain.RepairOptions, err error) {
	o.Uncontrollable, err = j.readPatterns("uncontrollable")
	if err != nil {
		return o, err
	}
	o.Controllable, err = j.readPatterns("controllable")
	if err != nil {
		return o, err
	}
	o.Fair = j.options.Fair
	o.MayForbidTriggers = j.c.Bool("may-forbid-triggers")
	o.Fewest = j.c.Bool("fewest")
	o.FewestLabels = j.c.Bool("labels")
	o.Work = workForFewest
	switch by := j.flag("by"); by {
	case "", "transition":
	case "label":
		o.ByLabel = true
	default:
		return o, j.refuse("--by %s is not transition or label", by)
	}
	if len(o.Fair) > 1 || len(o.Fair) == 1 && o.Fair[0].Kind() != actl.FullFairness {
		return o, j.refuse("--fair: %s; give --fair full", wording.Text(explain.ErrFairRepair))
	}
	if j.writesModel() {
		return o, checkPlace(j.flag("o"))
	}
	return o, nil
}

// saveRepaired writes the model without what is to be forbidden.
func saveRepaired(j *job, r *explain.Repaired) error {
	repaired, unfolded, err := r.Apply(j.ctx)
	if err != nil {
		return err
	}
	path := j.flag("o")
	if err := saveModel(&j.call, repaired, path); err != nil {
		return err
	}
	if unfolded {
		j.note(path + ": its states are those of the unfolded model, numbered anew, for what is forbidden depends on the progress made")
	}
	return nil
}

// The flags about owners.
const (
	byOwner    = "by-owner"
	sharesFlag = "shares"
)

func sharesOf() cli.Flag {
	return toggle(methodFlags, sharesFlag, "also find the share of each owner of --lanes in what all can prevent")
}

// owners returns the owners of the labels of a model, nil if no flag asks for them.
func owners(j *job, m *lts.LTS) (*explain.Owners, error) {
	named, err := j.readLanes()
	if err != nil {
		return nil, err
	}
	asked := j.c.Bool(byOwner) || j.c.Bool(sharesFlag)
	switch {
	case !asked && named != nil:
		return nil, j.refuse("--lanes says who owns labels; add --%s", byOwner)
	case !asked:
		return nil, nil
	}
	j.lanes = named
	o := j.ownersOf(m)
	if text := named.Unmatched(labelsOf(m)); text != "" {
		j.warn([]string{text})
	}
	if len(o.Names) == 0 {
		return nil, fmt.Errorf("--lanes: no label of %s has an owner; inev labels lists the labels", j.options.File)
	}
	return o, nil
}

// asWritten returns a formula as the user has written it, if that is known; else as inev writes
// it.
func asWritten(f property.Formula) string {
	if w, is := f.(interface{ Written() string }); is && w.Written() != "" {
		return w.Written()
	}
	return f.String()
}
