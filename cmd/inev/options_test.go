package main

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/internal/options"
)

// TestOptionsAreSpelledByTheTable: inev explain has a flag for each option, with the usage of
// the table, and the help of manifests names all that they take.
func TestOptionsAreSpelledByTheTable(t *testing.T) {
	usages := map[string]string{}
	for _, command := range (&program{}).app().Commands {
		if command.Name != "explain" {
			continue
		}
		for _, f := range command.Flags {
			if documented, is := f.(cli.DocGenerationFlag); is {
				usages[f.Names()[0]] = documented.GetUsage()
			}
		}
	}
	_, manifest, _ := called(nil, "help", "--all", "batch")
	for _, o := range options.All() {
		usage, has := usages[o.Name.Flag()]
		// The lanes of explain are drawn, too.
		if !has || !strings.HasPrefix(usage, o.Usage) && o.Name != options.Lanes {
			t.Errorf("--%s is documented as %q, want %q", o.Name.Flag(), usage, o.Usage)
		}
		if o.Name != options.Queue && !strings.Contains(manifest, string(o.Name)) {
			t.Errorf("the help of manifests does not name %s", o.Name)
		}
	}
}

// TestWhereCompiledIsKept: the folder for the compiled Graphviz is the one that is asked for; there is none after "off".
func TestWhereCompiledIsKept(t *testing.T) {
	for value, want := range map[string]string{"off": "", "kept": "kept"} {
		if t.Setenv(wording.CacheVariable, value); wording.CompiledFolder() != want {
			t.Errorf("%s=%s: %q, want %q", wording.CacheVariable, value, wording.CompiledFolder(), want)
		}
	}
}
