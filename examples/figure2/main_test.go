package main

import (
	"testing"

	"github.com/inev-lts/inev/internal/testing/exampletest"
)

func TestModel(t *testing.T) {
	exampletest.Check(t, generate)
}
