package cluster

import (
	"maps"
	"slices"

	"github.com/inev-lts/inev/batch"
)

// jobInput is a file that a job reads beside its model.
type jobInput struct {
	*batch.File
	// changed is the error that the file has changed since the manifest was read.
	changed string
}

// inputsOf returns the files that a job reads beside its model.
func inputsOf(j batch.Job) []jobInput {
	var inputs []jobInput
	add := func(f *batch.File, changed string) {
		if f != nil {
			inputs = append(inputs, jobInput{f, changed})
		}
	}
	add(j.Automaton, "the automaton has changed")
	add(j.States, "the values of states have changed")
	add(j.Lanes, "the lanes have changed")
	for _, field := range slices.Sorted(maps.Keys(j.Rules)) {
		add(j.Rules[field], "the rules of "+field+" have changed")
	}
	return inputs
}

// pathsOf returns the paths of a job's model and of the files that it reads beside the model.
func pathsOf(j batch.Job) []string {
	paths := []string{j.Path}
	for _, input := range inputsOf(j) {
		paths = append(paths, input.Path)
	}
	return paths
}
