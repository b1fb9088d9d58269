package main

import (
	"slices"
	"strings"
	"testing"
)

// longest is how many lines the help of a command has at most, without --all.
var longest = map[string]int{"explain": 32, "check": 32, "diagram": 40, "info": 62, "labels": 52, "formula": 60 /* a line for each pattern */}

// TestHelpIsShort: at first it shows only what most runs need, and says how to get the rest.
func TestHelpIsShort(t *testing.T) {
	for _, command := range (&program{}).app().Commands {
		_, page, _ := called(nil, command.Name, "--help")
		most := longest[command.Name]
		if most == 0 {
			most = 50
		}
		if lines := strings.Count(page, "\n"); lines > most {
			t.Errorf("the help of %s has %d lines, want at most %d", command.Name, lines, most)
		}
		if _, is := essentials[command.Name]; is && !strings.Contains(page, "inev "+command.Name+" --help --all") {
			t.Errorf("the help of %s does not say how to see all flags", command.Name)
		}
	}
}

// TestEssentialsExist: the flags that are shown at first are flags of the command, each
// once, and not all of them.
func TestEssentialsExist(t *testing.T) {
	app := (&program{}).app()
	for name, shown := range essentials {
		command := app.Command(name)
		if command == nil {
			t.Errorf("there is no command %s", name)
			continue
		}
		flags := strings.Fields(shown.flags)
		for i, f := range flags {
			if findFlag(command, f) == nil {
				t.Errorf("%s has no flag %s", name, f)
			}
			if slices.Contains(flags[:i], f) {
				t.Errorf("%s shows %s twice", name, f)
			}
		}
		if len(flags) >= len(command.Flags) {
			t.Errorf("%s shows all its flags at first", name)
		}
		if paragraphs := strings.Count(command.Description, "\n\n") + 1; shown.paragraphs > paragraphs {
			t.Errorf("the description of %s has only %d paragraphs", name, paragraphs)
		}
	}
}
