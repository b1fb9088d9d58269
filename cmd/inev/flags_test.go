package main

import (
	"testing"
)

// TestFlagsKnowTheirNames: what asks for the names of a flag, as cli does for each pair of flags of a command, costs
// no more than reading them.
func TestFlagsKnowTheirNames(t *testing.T) {
	app := (&program{}).app()
	flags := app.Flags
	for _, command := range app.Commands {
		flags = append(flags, command.Flags...)
	}
	for _, f := range flags {
		if made := testing.AllocsPerRun(1, func() { f.Names() }); made > 0 {
			t.Errorf("--%s allocates %v times to tell its names", f.Names()[0], made)
		}
	}
}
