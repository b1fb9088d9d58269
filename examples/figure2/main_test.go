package main

import (
	"testing"

	"github.com/inev-lts/inev/examples/exampletest"
)

func TestModel(t *testing.T) {
	exampletest.Check(t, generate)
}
