package inev_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// aFlag is what looks like the name of a flag.
var aFlag = regexp.MustCompile(`--[a-z]`)

// otherCommands are those whose flags a text may name.
var otherCommands = []string{"tracepp ", "ltsconvert ", "zstd "}

// TestFlagsAreNamedByTheCommandOnly: what a package says is for programs, too, which
// have no flags. An error names its remedies (see package remedy).
func TestFlagsAreNamedByTheCommandOnly(t *testing.T) {
	looked := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			switch path {
			case "cmd", "internal", "oracle", "tools", "examples", "modules/cluster/cmd", "modules/cluster/throughput", "modules/agent":
				return filepath.SkipDir // commands, and what drives them
			}
			return nil
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		if path == filepath.Join("format", "frontend", "doctor.go") {
			return nil // the flags in it are other programs'
		}
		looked++
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if text, is := n.(*ast.BasicLit); is && text.Kind == token.STRING && namesFlag(text.Value) {
				t.Errorf("%s: %s names a flag", set.Position(text.Pos()), text.Value)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
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
