//go:build !js

package main

import (
	"errors"

	"github.com/inev-lts/inev/counterexample/sequence"
	"github.com/inev-lts/inev/internal/abort"
)

// behaviour is a given counterexample whose states are described by their values.
type behaviour = sequence.Behaviour

// readRun reads the given counterexample.
func readRun(j *reading, path string) {
	search := &j.options.Search
	given, warnings, err := sequence.Open(j.ctx, path)
	var valued *sequence.ValuesError
	if errors.As(err, &valued) {
		j.behaviour, search.File = valued.Behaviour, path
		return
	}
	abort.On(err)
	if len(given) > 1 {
		warnings = append(warnings, path+": holds several sequences; the first one is explained")
	}
	search.Given, search.File = given[0], path
	j.warn(warnings)
}
