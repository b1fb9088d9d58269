package inev_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/inev-lts/inev"

// edges is the table of imports: for each package of the module exactly those of the
// module that its files import, tests aside. A package stands below all that it
// imports. An edge that is not here is a decision to be made, not an oversight to be
// mended: add it only where data flows that way.
var edges = []edge{
	{"internal/bitset", ""},
	{"internal/lines", ""},
	{"internal/compressed", ""},
	{"internal/enumeration", ""},
	{"internal/paged", ""},
	{"internal/printable", ""},
	{"internal/asjson", "internal/printable"},
	{"internal/stoppable", ""},
	{"internal/wholefile", "internal/stoppable"},

	// What users import, in the order in which data flows.
	{"internal/progress", ""},
	{"internal/remedy", ""},
	{"internal/resources", "internal/progress internal/remedy"},
	{"lts", "internal/resources"},
	{"internal/counters", "internal/resources"},
	{"aut", "internal/compressed internal/progress internal/remedy internal/resources internal/stoppable lts"},
	{"lts/generate", "internal/progress lts"},
	{"property", "internal/enumeration lts"},
	{"property/sample", "lts property"},
	{"counterexample/run", "internal/enumeration lts property"},
	{"lts/bfs", "internal/bitset internal/paged internal/resources lts"},
	{"lts/scc", "internal/bitset internal/paged internal/progress internal/resources lts"},
	{"property/fairset", "internal/bitset internal/resources lts lts/scc property"},
	{"property/product", "internal/bitset internal/resources lts lts/scc property property/fairset"},
	{"formula/temporal", "internal/bitset internal/remedy lts lts/scc property property/product"},
	{"actl", "lts property"},
	{"formula/ltl", "actl formula/temporal lts property"},
	{"formula", "actl formula/ltl property"},
	{"certificate/verify", "actl aut lts property"},
	{"formula/hoa", "actl internal/printable internal/resources lts property"},
	{"buchi", "formula/hoa internal/bitset internal/resources"},
	{"enrich", "internal/bitset internal/counters internal/paged internal/progress internal/resources lts lts/scc property property/fairset"},
	{"explain/internal/assume", "enrich internal/bitset lts lts/scc property property/product"},
	{"neighbourhood/fate", "enrich internal/enumeration internal/resources lts lts/scc property property/product"},
	{"neighbourhood/monitor", "actl lts neighbourhood/fate property property/product"},
	{"simplify/quotient", "internal/progress internal/resources lts lts/scc neighbourhood/fate property property/product"},
	{"neighbourhood", "internal/bitset internal/enumeration internal/resources lts neighbourhood/fate"},
	{"format/autx", "aut internal/compressed internal/lines internal/remedy lts neighbourhood"},
	{"format/states", "aut internal/lines internal/resources lts"},
	{"ctl", "actl format/states lts"},
	{"ctl/wmc/verify", "actl ctl lts"},
	{"ctl/wmc", "ctl internal/bitset lts"},
	{"ctl/argument", "ctl ctl/wmc internal/bitset internal/printable lts lts/scc"},
	{"format/internal/mcrl2", "aut format/states internal/compressed internal/resources lts"},
	{"format/internal/fsm", "aut format/states internal/compressed internal/lines internal/remedy lts"},
	{"format/internal/tlc", "aut format/states internal/compressed internal/remedy lts"},
	{"format", "aut format/autx format/internal/fsm format/internal/mcrl2 format/states format/internal/tlc internal/compressed internal/progress internal/remedy lts"},
	{"counterexample", "buchi counterexample/run enrich internal/bitset internal/counters internal/paged internal/printable internal/progress internal/remedy internal/resources lts lts/scc neighbourhood/fate property property/product"},
	{"counterexample/sequence", "aut counterexample format format/states internal/compressed internal/remedy lts"},
	{"simplify", "counterexample internal/enumeration neighbourhood neighbourhood/fate property"},
	{"explain/repair", "counterexample counterexample/run internal/bitset internal/enumeration internal/paged internal/resources lts lts/bfs lts/scc property property/product"},
	{"explain", "actl buchi counterexample counterexample/run enrich explain/internal/assume explain/repair format/states internal/asjson internal/bitset internal/enumeration internal/paged internal/progress internal/resources lts lts/bfs lts/scc neighbourhood neighbourhood/fate property property/product simplify simplify/quotient"},
	{"report/internal/claim", "counterexample explain lts neighbourhood property simplify"},
	{"diagram/view", "actl counterexample counterexample/run ctl/argument explain explain/repair internal/bitset internal/lines internal/printable internal/resources lts lts/bfs lts/scc neighbourhood neighbourhood/fate property simplify simplify/quotient"},
	{"certificate", "certificate/verify explain internal/remedy lts lts/bfs lts/scc neighbourhood neighbourhood/fate property property/product"},
	{"report", "actl buchi counterexample diagram/view explain explain/repair formula/ltl internal/asjson internal/printable lts neighbourhood property property/sample report/internal/claim"},
	{"diagram/internal/typeface", ""},
	{"diagram/graphviz", "diagram/internal/typeface"},
	{"diagram/internal/raster", "diagram/internal/typeface"},
	{"diagram", "diagram/graphviz diagram/internal/raster diagram/internal/typeface diagram/view internal/printable lts neighbourhood"},
	{"report/page", "diagram diagram/graphviz diagram/view explain explain/repair internal/printable lts neighbourhood report report/internal/claim simplify"},
	{"report/page/serve", "diagram/view explain internal/printable lts neighbourhood/fate property report/page"},
	{"batch", "actl aut counterexample diagram diagram/graphviz diagram/view explain format formula formula/hoa internal/progress internal/remedy internal/resources internal/wholefile lts lts/generate lts/scc neighbourhood property report report/page"},
	{"batch/summary", "batch counterexample internal/printable internal/wholefile report report/page"},
	{"cmd/wording", "batch batch/summary internal/printable internal/remedy report"},
	{"cmd/inev", "actl aut batch batch/summary buchi certificate certificate/verify cmd/wording counterexample/sequence ctl ctl/argument ctl/wmc ctl/wmc/verify diagram diagram/graphviz diagram/view enrich explain format format/autx format/states formula formula/hoa formula/ltl internal/printable internal/progress internal/remedy internal/resources internal/stoppable internal/wholefile lts lts/generate lts/scc neighbourhood neighbourhood/fate neighbourhood/monitor property property/sample report report/page report/page/serve"},

	// What tests and measurements are made with, and programs that make models.
	{"internal/golden", ""},
	{"internal/collection", ""},
	{"oracle/specimens", "actl aut counterexample ctl ctl/argument ctl/wmc explain formula internal/collection lts property"},
	{"oracle", "lts"},
	{"oracle/randomlts", "lts"},
	{"oracle/fromproperty", "lts oracle property"},
	{"oracle/assertions", "lts oracle"},
	{"batch/samplebatch", "batch counterexample neighbourhood"},
	{"examples/exampletest", "aut ctl ctl/argument ctl/wmc diagram diagram/view explain formula internal/golden lts report"},
	{"examples/*", "aut lts"},
	{".", ""},
}

// edge is a package, and those that it imports, with spaces between them.
type edge struct{ name, imports string }

// find returns the row of a package, and where it stands; false where it has none.
func find(name string) (row edge, at int, listed bool) {
	if strings.HasPrefix(name, "examples/") && name != "examples/exampletest" {
		name = "examples/*"
	}
	at = slices.IndexFunc(edges, func(e edge) bool { return e.name == name })
	if at < 0 {
		return edge{}, 0, false
	}
	return edges[at], at, true
}

// published returns the packages that others can import, and the command, in the order
// of the table.
func published() []string {
	var names []string
	for _, e := range edges {
		if !strings.HasPrefix(e.name, "internal/") && !strings.HasPrefix(e.name, "examples/") && e.name != "cmd/wording" && e.name != "." {
			names = append(names, e.name)
		}
		if e.name == "cmd/inev" {
			break // what comes below is for tests
		}
	}
	return names
}

// TestImportsAreThoseOfTheTable compares the table with the code, edge by edge.
func TestImportsAreThoseOfTheTable(t *testing.T) {
	packages := importsOfModule(t)
	for _, e := range edges {
		if packages[e.name] == nil && e.name != "examples/*" {
			t.Errorf("there is no package %s: take it out of the table", e.name)
		}
	}
	for name, imports := range packages {
		row, _, listed := find(name)
		if !listed {
			t.Errorf("package %s is not in the table: say where it stands, and what it imports", name)
			continue
		}
		for _, imported := range imports {
			if !slices.Contains(strings.Fields(row.imports), imported) {
				t.Errorf("package %s must not import %s", name, imported)
			}
		}
		for _, imported := range strings.Fields(row.imports) {
			if !slices.Contains(imports, imported) {
				t.Errorf("package %s does not import %s: take this edge out of the table", name, imported)
			}
		}
	}
}

// TestImportsGoOneWay: the table is in the order in which data flows, and nothing that
// is published needs what only tests are made with.
func TestImportsGoOneWay(t *testing.T) {
	_, last, _ := find("cmd/inev")
	for at, e := range edges {
		for _, imported := range strings.Fields(e.imports) {
			_, before, listed := find(imported)
			if !listed || before >= at {
				t.Errorf("the row of %s does not stand below that of %s", e.name, imported)
			}
			if at <= last && before > last {
				t.Errorf("package %s, which users need, must not import %s", e.name, imported)
			}
			if imported == "cmd/inev" || strings.HasPrefix(imported, "examples/") {
				t.Errorf("package %s must not import the program %s", e.name, imported)
			}
		}
	}
}

// TestRenderersComputeNothing: what draws and writes takes views and explanations as they
// are, and what computes these does not draw.
func TestRenderersComputeNothing(t *testing.T) {
	analyses := []string{"lts/scc", "property/product", "enrich", "neighbourhood/fate", "simplify/quotient", "counterexample/sequence"}
	renderers := []string{"report", "diagram", "diagram/graphviz", "diagram/internal/raster", "diagram/internal/typeface", "report/page"}
	for name, never := range map[string][]string{
		"report": append([]string{"diagram"}, analyses...), "diagram": append([]string{"explain", "report"}, analyses...),
		"report/page": analyses, "diagram/view": renderers, "explain": renderers,
	} {
		row, _, _ := find(name)
		for _, imported := range strings.Fields(row.imports) {
			if slices.Contains(never, imported) {
				t.Errorf("package %s must not import %s", name, imported)
			}
		}
	}
}

// TestCheckerIsIndependent: what checks certificates shares nothing with what
// makes them but the readers of models and formulas, and nobody builds on it but
// who writes certificates and the command.
func TestCheckerIsIndependent(t *testing.T) {
	const checker = "certificate/verify"
	readers := []string{"internal/progress", "internal/remedy", "internal/resources", "lts", "aut", "property", "actl", "internal/compressed", "internal/enumeration", "internal/stoppable", "internal/wholefile"}
	packages := importsOfModule(t)
	for _, name := range append([]string{checker}, readers...) {
		for _, imported := range packages[name] {
			if !slices.Contains(readers, imported) {
				t.Errorf("%s imports %s, but a checker of certificates must not depend on it", name, imported)
			}
		}
	}
	for _, imported := range packages["ctl/wmc/verify"] {
		if !slices.Contains(readers, imported) && imported != "ctl" {
			t.Errorf("ctl/wmc/verify imports %s, but a checker of evidence must not depend on it", imported)
		}
	}
	for name, imports := range packages {
		if slices.Contains(imports, checker) && name != "certificate" && name != "cmd/inev" {
			t.Errorf("%s imports %s", name, checker)
		}
	}
}

// TestOverviewIsComplete: the package comment of the root lists all packages, in the
// order of the table.
func TestOverviewIsComplete(t *testing.T) {
	lists(t, "doc.go", "["+module+"/%s]: ")
}

// TestArchitectureIsComplete: the table of the document has all packages, in the order
// of the table here, and it mentions those that are internal.
func TestArchitectureIsComplete(t *testing.T) {
	document := lists(t, "docs/architecture.md", "\n| `%s` | ")
	for _, e := range edges {
		if strings.HasPrefix(e.name, "internal/") && !strings.Contains(document, "`"+e.name+"`") {
			t.Errorf("docs/architecture.md does not mention %s", e.name)
		}
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(document, -1) {
		if _, _, listed := find(row[1]); !listed {
			t.Errorf("docs/architecture.md lists %s, which is no package", row[1])
		}
	}
}

// lists demands that a file has an entry for each published package, in the order of the
// table, and returns its text.
func lists(t *testing.T, file, entry string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rest := string(text)
	for _, name := range published() {
		begin := fmt.Sprintf(entry, name)
		_, after, listed := strings.Cut(rest, begin)
		if !listed {
			t.Fatalf("%s does not list %s, or not in the order of the table of imports", file, name)
		}
		rest = after
	}
	return string(text)
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
	for name, imports := range packages {
		slices.Sort(imports)
		packages[name] = slices.Compact(imports)
	}
	return packages
}

// isNoPackage reports whether Go does not look into a folder: it passes over it by its
// name, or it is a module of its own.
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
		run := regexp.MustCompile(`go (?:-C (\S+) )?test -race (.*)`).FindStringSubmatch(line)
		if run == nil || strings.HasPrefix(line, "#") {
			continue
		}
		for _, folder := range strings.Fields(run[2]) {
			raced = append(raced, "./"+path.Join(run[1], folder))
		}
	}
	// Programs that only start others and wait for them.
	raced = append(raced, "./tools/interrupts", "./tools/soak")
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
