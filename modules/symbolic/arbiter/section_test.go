package main

import (
	"bytes"
	"context"
	"os"
	"testing"
)

// TestSectionIsWhatIsComputed compares the section with what the command prints.
func TestSectionIsWhatIsComputed(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	var b bytes.Buffer
	if err := write(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile("section.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), committed) {
		t.Error("section.md is not what the command prints: write it anew")
	}
}
