//go:build !js

package main

import (
	"bytes"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/formula/hoa"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/property"
)

// readHOA reads the automaton that is the property.
func readHOA(j *reading, path string) property.Formula {
	text := j.small(path, "automaton", automatonLimit)
	return abort.Must(hoa.Read(j.ctx, bytes.NewReader(text), path))
}

// readClaim reads the claim of forbidden behaviour.
func readClaim(j *reading, path string) property.Formula {
	text := j.small(path, "claim", automatonLimit)
	return abort.Must(formula.ParseClaim(j.ctx, path, text))
}
