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
	"github.com/inev-lts/inev/internal/explain/remedy"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// workForFewest bounds the search for the fewest transitions to forbid, in units of work.
const workForFewest = 200_000_000

// repairCommand returns inev repair, which finds what to forbid, or applies a remedy of inev explain.
func repairCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:     "find what to forbid so that a property holds",
		ArgsUsage: "MODEL FORMULA",
		Description: `Which transitions must never be taken so that a property such as Inev(A, B) holds, and
which loops must be left sooner or later? This command computes both for a supervisor
that observes all actions and may forbid controllable ones. Every transition that it
forbids is necessary, and no new deadlock arises. It cannot forbid the internal
actions i and tau, the labels of --uncontrollable, or the triggers of the property,
such as REQ in Response(REQ; ACK): without triggers, the property would hold
vacuously.

With --apply N, it applies remedy N of those that inev explain --full lists under "What
would make it hold", and shows the verdict then, and what the remedy takes from the
model. Without a remedy N, it lists the remedies with their numbers. --fair then takes
the assumptions of inev explain.

With -o FILE.aut, FILE.lts or FILE.fsm, it writes the model without the forbidden
transitions. States are split where a decision depends on the progress made.

Exit code: 0 if there is a repair or nothing to repair, 1 if there is no repair.`,
		Flags: slices.Concat(reporting(), []cli.Flag{inFull()}, bothInput(), []cli.Flag{
			value(methodFlags, "uncontrollable",
				"labels that match `PATTERNS`, such as 'LOSS, TIMEOUT', cannot be forbidden"),
			value(methodFlags, "controllable",
				"labels that match `PATTERNS` can be forbidden, even internal actions"),
			toggle(methodFlags, "may-forbid-triggers",
				"also allow forbidding what triggers the property, such as a request"),
			value(methodFlags, "by",
				"`WHAT` is forbidden: single transitions (transition), or at each place all transitions with the same label (label)"),
			toggle(methodFlags, "fewest",
				"also find the fewest transitions to forbid, whatever happened before"),
			toggle(methodFlags, "labels", "also find the fewest labels to forbid everywhere"),
			toggle(methodFlags, byOwner,
				"also find which owners of labels (--lanes) or components of a network can prevent the violation"),
			sharesOf(),
			lanes(),
			value(methodFlags, applyFlag,
				"apply remedy `N` of inev explain: the verdict then, and what is lost; -o writes the model"),
			&cli.StringSliceFlag{
				Name:     "fair",
				Category: string(methodFlags),
				Usage:    "with `full`, consider only fully fair runs: they leave every loop that can be left",
			},
		}, modelRun()),
		Action: action(p, func(j *job) error {
			if j.flag(applyFlag) != "" {
				return applyRemedy(j)
			}
			return repair(j)
		}),
	},
		`inev repair m.aut 'Inev(REQ, ACK)'`,
		`inev repair m.aut 'Inev(REQ, ACK)' --uncontrollable REQ --fewest`)
}

// repair finds what a supervisor has to forbid, and writes the model without it if -o asks for a model.
func repair(j *job) error {
	o, err := readRepairOptions(j)
	if err != nil {
		return err
	}
	m, f, err := j.readBoth()
	if err != nil {
		return err
	}
	if err := j.checkMatched(m.Alphabet(), "uncontrollable", o.Uncontrollable); err != nil {
		return err
	}
	if err := j.checkMatched(m.Alphabet(), "controllable", o.Controllable); err != nil {
		return err
	}
	o.Source = j.options.Source
	// With --fair full, the fairness of Spec need not be added: full fairness implies it.
	if j.tla != nil && len(o.Fair) == 0 {
		o.Fair = j.options.Fair
	}
	o.Owners, err = owners(j, m)
	if err != nil {
		return err
	}
	o.Lacking = j.options.Lacking
	r, err := explain.FindRepair(j.ctx, m, f, o)
	if errors.Is(err, explain.ErrFairRepair) {
		err = fmt.Errorf("%s violates %s: %w; %s",
			j.options.File, asWritten(f), err, whatSpecLacks(o.Lacking))
	}
	if err != nil {
		return err
	}
	j.account(r.Timings, r.Warnings)
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

// whatSpecLacks says which fairness makes a property hold that the specification of a model violates.
func whatSpecLacks(l *explain.LackingFairness) string {
	switch {
	case l == nil || len(l.Conjuncts) == 0:
		return "inev explain shows which assumptions Spec lacks"
	case l.Specification == "":
		return "it holds with " + printable.List(l.Conjuncts, "and")
	}
	return fmt.Sprintf("it holds if %s also has %s", l.Specification, printable.List(l.Conjuncts, "and"))
}

// readRepairOptions reads the flags about what may be forbidden, and how.
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
	isJust := slices.ContainsFunc(o.Fair, func(a *actl.Assumption) bool {
		return a.Kind() == actl.Just
	})
	if isJust {
		return o, j.refuse("--fair %s: inev finds no repairs under justness, because forbidding an action changes which runs are just; find a repair without --fair or with --fair full, write the model by -o, and check it under --fair %s", actl.Just, actl.Just)
	}
	isFullFairness := len(o.Fair) == 1 && o.Fair[0].Kind() == actl.FullFairness
	if len(o.Fair) > 0 && !isFullFairness {
		return o, j.refuse("--fair: %s; give --fair full", wording.Text(explain.ErrFairRepair))
	}
	if j.writesModel() {
		return o, checkPlace(j.flag("o"))
	}
	return o, nil
}

// saveRepaired writes the model without what is to be forbidden.
func saveRepaired(j *job, r *explain.Repaired) error {
	repaired, origins, err := r.Apply(j.ctx)
	if err != nil {
		return err
	}
	values, err := remedy.ValuesOf(j.ctx, j.options.States, origins)
	if err != nil {
		return err
	}
	path := j.flag("o")
	if err := saveModel(&j.call, repaired, values, path); err != nil {
		return err
	}
	if origins != nil {
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
	return toggle(methodFlags, sharesFlag,
		"also compute the share of each owner of labels (--lanes) in preventing the violation")
}

// owners returns the owners of the labels of a model, nil if no flag asks for them.
func owners(j *job, m *lts.LTS) (*explain.Owners, error) {
	named, err := j.readLanes()
	if err != nil {
		return nil, err
	}
	isAsked := j.c.Bool(byOwner) || j.c.Bool(sharesFlag)
	switch {
	case !isAsked && named != nil:
		return nil, j.refuse("--lanes names the owners of labels; add --%s", byOwner)
	case !isAsked:
		return nil, nil
	}
	j.lanes = named
	j.takeNetworkLanes(m.Alphabet())
	o := j.ownersOf(m)
	if j.lanes.IsNetwork() {
		return o, nil
	}
	text := named.Unmatched(labelsOf(m))
	if text != "" {
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
	if w, ok := f.(interface{ Written() string }); ok && w.Written() != "" {
		return w.Written()
	}
	return f.String()
}
