package main

import (
	"strings"

	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/neighbourhood"
)

// say returns the text of an error, with what helps in terms of flags.
func say(err error) string { return remedy.Say(err, wording.Flag) }

// onward returns the commands that answer what a reader of a report may ask next, about
// the same model, property and reading; none if the model is no file.
func (j *job) onward(e *explain.Explanation) (toEach, apart []string) {
	file := e.Model.File
	if file == "" || file == standardInput {
		return nil, nil
	}
	if strings.HasPrefix(file, "-") { // no flag
		file = "./" + file
	}
	under := j.alike(e)
	toEach = append(append([]string{"inev", "path", file}, j.asGiven(e)...), "--to", "each")
	apart = append(append([]string{"inev", "explain", file}, j.asGiven(e)...), "--unfold")
	return append(toEach, under...), append(apart, under...)
}

// alike returns the words of a command line that ask as e was asked for.
func (j *job) alike(e *explain.Explanation) []string {
	var words []string
	if j.c.Bool(partsMatch) {
		words = append(words, "--"+partsMatch)
	}
	if e.IsUnfolded() {
		words = append(words, "--unfold")
	}
	if e.Fairness != nil {
		for _, a := range e.Fairness.Asked {
			words = append(words, "--fair", a.String())
		}
	}
	if e.Reading != neighbourhood.All {
		words = append(words, "--neighbourhood", e.Reading.String())
	}
	return words
}

// asGiven returns the words of a command line that give the property of e.
func (j *job) asGiven(e *explain.Explanation) []string {
	for _, name := range []string{"hoa", "never"} {
		if path := j.flag(name); path != "" {
			return []string{"--" + name, path}
		}
	}
	return []string{e.Property.Text}
}
