package main

import (
	"os"
	"strings"
	"testing"

	"github.com/inev-lts/inev/examples/exampletest"
)

func TestModel(t *testing.T) {
	exampletest.Check(t, generate)
}

// TestFirstScreen: who reads 24 lines of the explanation learns that the property holds if
// losses do not go on for ever.
func TestFirstScreen(t *testing.T) {
	text, err := os.ReadFile("abp.explained.txt")
	if err != nil {
		t.Fatal(err)
	}
	// The first line is the command.
	screen := strings.Join(strings.SplitN(string(text), "\n", 26)[1:25], "\n")
	if !strings.Contains(screen, "It holds on every run in which LOSS happens finitely often") {
		t.Errorf("the first screen is\n%s", screen)
	}
}
