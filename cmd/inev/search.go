package main

import (
	"errors"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample/sequence"
)

// readSearch reads the flags that say which counterexample is explained.
func (j *job) readSearch() error {
	search := &j.options.Search
	var err error
	if search.Pattern, err = j.readPattern(); err != nil {
		return err
	}
	path := j.flag("counterexample")
	asked := 0
	for _, is := range []bool{search.Prefer != "", search.Pattern != nil, path != ""} {
		if is {
			asked++
		}
	}
	if asked > 1 {
		return j.refuse("--decisions, --pattern and --counterexample each choose the counterexample; give one of them")
	}
	search.MatchOptions.SkipInternal = j.c.Bool("skip-internal")
	if path == "" {
		if search.MatchOptions.SkipInternal {
			return j.refuse("--skip-internal goes with --counterexample")
		}
		return nil
	}
	given, warnings, err := sequence.Open(j.ctx, path)
	var valued *sequence.ValuesError
	if errors.As(err, &valued) {
		j.behaviour, search.File = valued.Behaviour, path
		return nil
	}
	if err != nil {
		return err
	}
	if len(given) > 1 {
		warnings = append(warnings, path+": holds several sequences; the first one is explained")
	}
	search.Given, search.File = given[0], path
	j.warn(warnings)
	return nil
}

// readPattern returns the steps that --pattern names, nil if it is not given.
// They are written as the steps of a property are.
func (j *job) readPattern() (*actl.Formula, error) {
	text := j.flag("pattern")
	if text == "" {
		return nil, nil
	}
	return actl.Parse(j.ctx, "Inev("+text+")")
}
