//go:build !js

package main

import (
	"bytes"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/formula/hoa"
	"github.com/inev-lts/inev/property"
)

// readHOA reads the automaton that is the property.
func readHOA(j *reading, path string) (property.Formula, error) {
	text, err := j.small(path, "automaton", automatonLimit)
	if err != nil {
		return nil, err
	}
	f, err := hoa.Read(j.ctx, bytes.NewReader(text), path)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// readClaim reads the claim of forbidden behaviour.
func readClaim(j *reading, path string) (property.Formula, error) {
	text, err := j.small(path, "claim", automatonLimit)
	if err != nil {
		return nil, err
	}
	return formula.ParseClaim(j.ctx, path, text)
}
