package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// TestRulesNameFlags: a flag in a rule is one that the command of the rule has or, without a
// command, that some command has; a rule about a flag that was renamed would be silent.
func TestRulesNameFlags(t *testing.T) {
	commands := (&program{}).app().Commands
	for _, r := range flagRules {
		for _, flag := range slices.Concat([]string{r.flag}, r.needs, r.excludes) {
			name, _, _ := strings.Cut(flag, "=")
			if !slices.ContainsFunc(commands, func(c *cli.Command) bool {
				return (r.command == "" || r.command == c.Name) &&
					slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
			}) {
				t.Errorf("%q: no command %s has a flag --%s", r.refused, r.command, name)
			}
		}
	}
}
