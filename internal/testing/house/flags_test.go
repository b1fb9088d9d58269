package house

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/packages"
)

// aFlag is what looks like the name of a flag.
var aFlag = regexp.MustCompile(`--[a-z]`)

// otherCommands are those whose flags a text may name.
var otherCommands = []string{"tracepp ", "ltsconvert ", "zstd "}

// drivers are the folders of commands, and of what drives them.
var drivers = []string{"cmd", "tools", "examples", "modules/cluster/cmd", "modules/cluster/throughput", "modules/agent", "modules/editor"}

// TestFlagsAreNamedByTheCommandOnly: what a package says is for programs, too, which
// have no flags. An error names its remedies (see package remedy).
func TestFlagsAreNamedByTheCommandOnly(t *testing.T) {
	looked := 0
	for _, source := range sources(t) {
		isGround := packages.FolderOf(path.Dir(source.path)) == "internal"
		if isGround || slices.ContainsFunc(drivers, func(folder string) bool { return isWithin(source.path, folder) }) || source.path == "internal/format/frontend/doctor.go" {
			continue // the flags in doctor.go are other programs'
		}
		looked++
		ast.Inspect(source.file, func(n ast.Node) bool {
			if text, is := n.(*ast.BasicLit); is && text.Kind == token.STRING && namesFlag(text.Value) {
				t.Errorf("%s: %s names a flag", source.set.Position(text.Pos()), text.Value)
			}
			return true
		})
	}
	if looked < 200 {
		t.Errorf("only %d files were looked at", looked)
	}
}

func namesFlag(text string) bool {
	for _, command := range otherCommands {
		if strings.Contains(text, command) {
			return false
		}
	}
	return aFlag.MatchString(text)
}

func TestNamesFlag(t *testing.T) {
	for text, want := range map[string]bool{
		"read it with --lenient": true, "use --skip-internal": true, "run ltsconvert --tau=i": false, "| --- |": false, "a--": false,
	} {
		if got := namesFlag(text); got != want {
			t.Errorf("%q names a flag: %v, want %v", text, got, want)
		}
	}
}
