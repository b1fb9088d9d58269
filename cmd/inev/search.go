package main

import "github.com/inev-lts/inev/actl"

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
		return j.refuse("--passing, --pattern and --counterexample each choose the counterexample; give one of them")
	}
	search.MatchOptions.SkipInternal = j.c.Bool("skip-internal")
	if path == "" {
		if search.MatchOptions.SkipInternal {
			return j.refuse("--skip-internal goes with --counterexample")
		}
		return nil
	}
	return j.readRun(path)
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
