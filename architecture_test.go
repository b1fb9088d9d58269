package inev_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/inev-lts/inev"

// flow lists the packages in the order in which data flows: a package may
// import those before it.
var flow = []string{
	"progress", "remedy", "resources", "lts", "aut", "generate", "property", "run", "actl", "certificate/verify", "buchi", "lts/scc", "product", "enrich", "fate", "quotient", "neighbourhood", "autx",
	"counterexample", "sequence", "simplify", "explain", "claim", "view", "certificate", "report", "diagram/typeface", "diagram/graphviz", "diagram/raster", "diagram", "report/page", "batch", "batch/summary", "cmd/inev",
}

// aside lists the packages beside the flow, each with the packages that may
// import it. Tests may import any package.
var aside = map[string][]string{
	".":                         {},
	"internal/bitset":           {"lts/scc", "buchi", "counterexample", "explain", "view"},
	"internal/enumeration":      {"property", "run", "fate", "neighbourhood", "counterexample", "simplify", "explain"},
	"internal/paged":            {"lts/scc", "counterexample", "enrich", "simplify", "explain"},
	"internal/printable":        {"view", "report", "diagram", "report/page", "batch/summary"},
	"internal/stoppable":        {"aut", "cmd/inev", "internal/wholefile"},
	"internal/wholefile":        {"aut", "batch", "batch/summary", "cmd/inev"},
	"internal/oracle":           {"internal/oracle/randomlts", "internal/assertions", "internal/soak"},
	"internal/assertions":       {"internal/soak"},
	"internal/oracle/randomlts": {"internal/soak"},
	"internal/samplebatch":      {},
	"internal/collection":       {},
	"internal/golden":           {"internal/exampletest"},
	"internal/specimens":        {},
	"internal/soak":             {},
	"internal/exampletest":      {},
	"internal/interrupts":       {},
	"internal/memorylimits":     {},
}

// allowed reports whether a file of one package that is no test may import the
// other.
func allowed(importer, imported string) bool {
	if importers, is := aside[imported]; is {
		return slices.Contains(importers, importer)
	}
	if at := slices.Index(flow, importer); at >= 0 {
		return slices.Contains(flow[:at], imported)
	}
	// What is beside the flow uses it as any program can.
	return slices.Contains(flow, imported) && !strings.HasPrefix(imported, "cmd/")
}

func known(name string) bool {
	_, is := aside[name]
	return is || slices.Contains(flow, name) || strings.HasPrefix(name, "examples/")
}

func TestImportsGoOneWay(t *testing.T) {
	packages := importsOfModule(t)
	for _, name := range flow {
		if packages[name] == nil {
			t.Errorf("there is no package %s: take it out of the table", name)
		}
	}
	for name, imports := range packages {
		if !known(name) {
			t.Errorf("package %s is in no table: say where it stands", name)
		}
		for _, imported := range imports {
			if !allowed(name, imported) {
				t.Errorf("package %s must not import %s", name, imported)
			}
		}
	}
}

// TestRenderersComputeNothing: what draws and writes takes views and explanations as they
// are. Of packages that compute, it may import those that name what it shows.
func TestRenderersComputeNothing(t *testing.T) {
	packages := importsOfModule(t)
	shown := []string{"lts", "property", "actl", "buchi", "counterexample", "neighbourhood", "simplify", "explain", "claim", "internal/printable"}
	for renderer, may := range map[string][]string{
		"report":      shown,
		"diagram":     {"lts", "neighbourhood", "view", "diagram/graphviz", "diagram/raster", "diagram/typeface", "internal/printable"},
		"report/page": append([]string{"view", "report", "diagram", "diagram/graphviz"}, shown...),
	} {
		for _, imported := range packages[renderer] {
			if !slices.Contains(may, imported) {
				t.Errorf("%s imports %s, but computes nothing", renderer, imported)
			}
		}
	}
	for _, imported := range packages["view"] {
		if strings.HasPrefix(imported, "diagram") || strings.HasPrefix(imported, "report") {
			t.Errorf("view imports %s, but does not draw", imported)
		}
	}
}

// TestCheckerIsIndependent: what checks certificates shares nothing with what
// makes them but the readers of models and formulas, and nobody builds on it but
// who writes certificates and the command.
func TestCheckerIsIndependent(t *testing.T) {
	const checker = "certificate/verify"
	readers := []string{"progress", "remedy", "resources", "lts", "aut", "property", "actl", "internal/enumeration", "internal/stoppable", "internal/wholefile"}
	packages := importsOfModule(t)
	for _, name := range append([]string{checker}, readers...) {
		for _, imported := range packages[name] {
			if !slices.Contains(readers, imported) {
				t.Errorf("%s imports %s, but a checker of certificates must not depend on it", name, imported)
			}
		}
	}
	for name, imports := range packages {
		if slices.Contains(imports, checker) && name != "certificate" && name != "cmd/inev" {
			t.Errorf("%s imports %s", name, checker)
		}
	}
}

// TestOverviewIsComplete: the package comment of the root lists all packages.
func TestOverviewIsComplete(t *testing.T) {
	overview, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	rest := string(overview)
	for _, name := range flow {
		_, after, listed := strings.Cut(rest, "["+module+"/"+name+"]: ")
		if !listed {
			t.Fatalf("doc.go does not list %s, or not in the order of the flow", name)
		}
		rest = after
	}
}

func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		importer, imported string
		want               bool
	}{
		{"explain", "lts", true},
		{"lts", "explain", false},
		{"lts", "lts", false},
		{"cmd/inev", "diagram", true},
		{"report", "cmd/inev", false},
		{"cmd/inev", "internal/wholefile", true},
		{"report", "internal/wholefile", false},
		{"enrich", "internal/oracle", false},
		{"explain", "examples/abp", false},
		{"examples/abp", "lts", true},
		{"examples/abp", "cmd/inev", false},
		{"internal/exampletest", "report", true},
		{"internal/oracle/randomlts", "internal/oracle", true},
		{"examples/abp", "examples/travel", false},
		{"examples/abp", "internal/exampletest", false},
	} {
		if got := allowed(c.importer, c.imported); got != c.want {
			t.Errorf("%s may import %s: %v, want %v", c.importer, c.imported, got, c.want)
		}
	}
}

// importsOfModule returns the packages of the module, and for each which others
// its files import, tests aside.
func importsOfModule(t *testing.T) map[string][]string {
	t.Helper()
	packages := map[string][]string{}
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && file != "." && isNoPackage(file, name):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		folder := filepath.ToSlash(filepath.Dir(file))
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		packages[folder] = append(packages[folder], importsOf(t, parsed)...)
		if packages[folder] == nil {
			packages[folder] = []string{}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

// isNoPackage tells of a folder that Go does not look into: one that it passes
// over by its name, or a module of its own.
func isNoPackage(folder, name string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil || name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// importsOf returns the packages of the module that a file imports.
func importsOf(t *testing.T, file *ast.File) []string {
	t.Helper()
	var imports []string
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if imported == module {
			imports = append(imports, ".")
		} else if name, ours := strings.CutPrefix(imported, module+"/"); ours {
			imports = append(imports, name)
		}
	}
	return imports
}

// TestGoroutinesRunUnderTheRaceDetector: each package that starts a goroutine is among
// those that .ci/run tests with the race detector.
func TestGoroutinesRunUnderTheRaceDetector(t *testing.T) {
	script, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Skip(err) // not in the module as it is downloaded
	}
	var raced []string
	for _, line := range strings.Split(string(script), "\n") {
		if strings.Contains(line, "go test -race") && !strings.HasPrefix(line, "#") {
			raced = append(raced, strings.Fields(line)...)
		}
	}
	// Programs that only start others and wait for them.
	raced = append(raced, "./internal/interrupts", "./internal/soak")
	files := token.NewFileSet()
	err = filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder := "./" + path.Dir(filepath.ToSlash(name))
		ast.Inspect(parsed, func(n ast.Node) bool {
			if start, is := n.(*ast.GoStmt); is && !slices.Contains(raced, folder) {
				t.Errorf("%s starts a goroutine: add %s to the race detector in .ci/run", files.Position(start.Pos()), folder)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
