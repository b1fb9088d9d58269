package main

import (
	"os"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/exampletest"
)

func TestModel(t *testing.T) {
	exampletest.Check(t, generate)
}

// TestFirstScreen: who reads 25 lines of the explanation learns that the property holds if
// losses do not go on forever.
func TestFirstScreen(t *testing.T) {
	text, err := os.ReadFile("abp.explained.txt")
	if err != nil {
		t.Fatal(err)
	}
	// The first line is the command.
	screen := strings.Join(strings.SplitN(string(text), "\n", 27)[1:26], "\n")
	if !strings.Contains(screen, "1. LOSS happens finitely often") {
		t.Errorf("the first screen is\n%s", screen)
	}
}
