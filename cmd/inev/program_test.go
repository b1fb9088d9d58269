package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestOneCommandIsEnough: a command line is read, or refused, in the same way whether one
// command is made or all are.
func TestOneCommandIsEnough(t *testing.T) {
	p := &program{}
	all := p.app()
	pieces := []string{"m.aut", "Inev(A)", "--", "-", "--help", "-h", "--version", "--quiet", "--quiet=1", "--html", "--html=x", "--format", "json",
		"--format=json", "--jobs", "-o", "--list", "--states", "--unknown", "--htm", "--all", "help", "explain", "check", "generate", "batch", "man", "version", "chekc"}
	r := rand.New(rand.NewPCG(1, 2))
	read, alone := 0, 0
	lines := 2_000
	if !randomlts.Whole() {
		lines = 120
	}
	for range lines {
		var words []string
		if r.IntN(2) == 0 {
			words = append(words, []string{"explain", "check", "generate", "batch", "help", "version"}[r.IntN(6)])
		}
		for range r.IntN(5) {
			words = append(words, pieces[r.IntN(len(pieces))])
		}
		want, refused := arrange(all, words)
		app, got, err := p.arranged(words)
		if !slices.Equal(got, want) || fmt.Sprint(err) != fmt.Sprint(refused) {
			t.Errorf("%q: %q (error %v), want %q (error %v)", words, got, err, want, refused)
		}
		if err == nil && len(got) > 0 && got[0] != "--version" && app.Command(got[0]) == nil {
			t.Errorf("%q: there is no command for %q", words, got)
		}
		if err == nil {
			read++
			if len(app.Commands) < 2 {
				alone++
			}
		}
	}
	if read < lines/20 || alone < read/2 {
		t.Errorf("of %d command lines that are read, %d make one command", read, alone)
	}
}
