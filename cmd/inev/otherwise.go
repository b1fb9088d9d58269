package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/property"
)

// otherwise is the error of a formula that another property answers, see [modal.OtherwiseError].
type otherwise interface {
	error
	WhenFullyFair() property.Formula
	Dual() property.Formula
}

// readOtherwise returns the property that answers a formula of MCL or of the mu-calculus which is none
// about all runs, and notes what it is: of fully fair runs, which is assumed then, or that there is a
// run. It reports whether the formula is one of these.
func (j *job) readOtherwise(text string, err error) (f property.Formula, is bool, wrong error) {
	var other otherwise
	if !errors.As(err, &other) {
		return nil, false, nil
	}
	takes := func(flag string) bool {
		return slices.ContainsFunc(j.c.Command.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), flag) })
	}
	if f := other.WhenFullyFair(); f != nil {
		if !takes("fair") || j.options.NoFairness {
			return nil, false, nil
		}
		for _, a := range j.options.Fair {
			if a.Kind() != actl.FullFairness {
				return nil, true, j.refuse("--fair %s: the formula is about runs that are fully fair: it is %s under --fair full", a, f)
			}
		}
		full, err := actl.ParseAssumption(j.ctx, actl.FullFairness.String())
		if err != nil {
			return nil, true, err
		}
		j.options.Fair = []*actl.Assumption{full}
		j.note(fmt.Sprintf("the formula is read as %s on runs that are fully fair (--fair full), which says the same of finite models", f))
		return f, true, nil
	}
	if other.Dual() == nil || j.c.Command.Name != "check" {
		return nil, false, nil
	}
	switch {
	case j.format != "text":
		return nil, true, j.refuse("--format %s shows what is so of all runs; ask it about %s, whose verdict is the opposite", j.format, other.Dual())
	case len(j.options.Fair) > 0 || j.c.Bool("all") || j.flag("algorithm") != onModel:
		return nil, true, j.refuse("that there is a run needs no --fair, --all and --algorithm; they go with %s, whose verdict is the opposite", other.Dual())
	}
	j.exists = text
	return other.Dual(), true, nil
}
