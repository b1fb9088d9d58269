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
	{"progress", ""},
	{"remedy", ""},
	{"resources", "progress remedy"},
	{"lts", "resources"},
	{"internal/counters", "lts resources"},
	{"aut", "internal/compressed internal/stoppable lts progress remedy resources"},
	{"generate", "lts progress"},
	{"property", "internal/enumeration lts"},
	{"sample", "lts property"},
	{"run", "internal/enumeration lts property"},
	{"lts/bfs", "internal/bitset internal/paged lts resources"},
	{"lts/scc", "internal/bitset internal/paged lts progress resources"},
	{"fairset", "internal/bitset lts lts/scc property resources"},
	{"product", "fairset internal/bitset lts lts/scc property resources"},
	{"temporal", "internal/bitset lts lts/scc product property remedy"},
	{"actl", "lts property"},
	{"ltl", "actl lts property temporal"},
	{"formula", "actl ltl property"},
	{"certificate/verify", "actl aut lts property"},
	{"hoa", "actl internal/printable lts property resources"},
	{"buchi", "hoa internal/bitset resources"},
	{"enrich", "fairset internal/bitset internal/counters internal/paged lts lts/scc progress property resources"},
	{"assume", "enrich internal/bitset lts lts/scc product property"},
	{"fate", "enrich internal/enumeration lts lts/scc product property resources"},
	{"monitor", "actl fate lts product property"},
	{"quotient", "fate lts lts/scc product progress property resources"},
	{"neighbourhood", "fate internal/bitset internal/enumeration lts resources"},
	{"autx", "aut internal/compressed internal/lines lts neighbourhood remedy"},
	{"states", "aut internal/lines lts resources"},
	{"ctl", "actl lts states"},
	{"wmc/verify", "actl ctl lts"},
	{"wmc", "ctl internal/bitset lts"},
	{"argument", "ctl internal/bitset internal/printable lts lts/scc wmc"},
	{"format/mcrl2", "aut internal/compressed lts resources states"},
	{"format/fsm", "aut internal/compressed internal/lines lts remedy states"},
	{"format/tlc", "aut internal/compressed lts remedy states"},
	{"format", "aut autx format/fsm format/mcrl2 format/tlc internal/compressed lts progress remedy states"},
	{"counterexample", "buchi enrich fate internal/bitset internal/counters internal/paged internal/printable lts lts/scc product progress property remedy resources run"},
	{"sequence", "aut counterexample format internal/compressed lts remedy states"},
	{"simplify", "counterexample fate internal/enumeration neighbourhood property"},
	{"repair", "counterexample internal/bitset internal/enumeration internal/paged lts lts/bfs lts/scc product property resources run"},
	{"explain", "actl assume buchi counterexample enrich fate internal/asjson internal/bitset internal/enumeration internal/paged lts lts/bfs lts/scc neighbourhood product progress property quotient repair resources run simplify states"},
	{"claim", "counterexample explain lts neighbourhood property simplify"},
	{"view", "actl argument counterexample explain fate internal/bitset internal/lines internal/printable lts lts/bfs lts/scc neighbourhood property quotient repair resources run simplify"},
	{"certificate", "certificate/verify explain fate lts lts/bfs lts/scc neighbourhood product property remedy"},
	{"report", "actl buchi claim counterexample explain internal/asjson internal/printable ltl lts neighbourhood property repair sample view"},
	{"diagram/typeface", ""},
	{"diagram/graphviz", "diagram/typeface"},
	{"diagram/raster", "diagram/typeface"},
	{"diagram", "diagram/graphviz diagram/raster diagram/typeface internal/printable lts neighbourhood view"},
	{"report/page", "claim diagram diagram/graphviz explain internal/printable lts neighbourhood repair report simplify view"},
	{"report/page/serve", "explain fate internal/printable lts property report/page view"},
	{"batch", "actl aut counterexample diagram diagram/graphviz explain format formula generate hoa internal/wholefile lts lts/scc neighbourhood progress property remedy report report/page resources view"},
	{"batch/summary", "batch counterexample internal/printable internal/wholefile report report/page"},
	{"internal/wording", "batch batch/summary internal/printable remedy report"},
	{"cmd/inev", "actl argument aut autx batch batch/summary buchi certificate certificate/verify ctl diagram diagram/graphviz enrich explain fate format formula generate hoa internal/printable internal/stoppable internal/wholefile internal/wording ltl lts lts/scc monitor neighbourhood progress property remedy report report/page report/page/serve resources sample sequence states view wmc wmc/verify"},

	// What tests and measurements are made with, and programs that make models.
	{"internal/golden", ""},
	{"internal/collection", ""},
	{"internal/specimens", "actl argument aut counterexample ctl explain formula internal/collection lts property wmc"},
	{"internal/oracle", "lts"},
	{"internal/oracle/randomlts", "lts"},
	{"internal/oracle/fromproperty", "internal/oracle lts property"},
	{"internal/assertions", "internal/oracle lts"},
	{"internal/samplebatch", "batch counterexample neighbourhood"},
	{"internal/exampletest", "argument aut ctl diagram explain formula internal/golden lts report view wmc"},
	{"examples/*", "aut lts"},
	{".", ""},
}

// edge is a package, and those that it imports, with spaces between them.
type edge struct{ name, imports string }

// find returns the row of a package, and where it stands; false where it has none.
func find(name string) (row edge, at int, listed bool) {
	if strings.HasPrefix(name, "examples/") {
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
		if !strings.HasPrefix(e.name, "internal/") && !strings.HasPrefix(e.name, "examples/") && e.name != "." {
			names = append(names, e.name)
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
	analyses := []string{"lts/scc", "product", "enrich", "fate", "quotient", "sequence"}
	renderers := []string{"report", "diagram", "diagram/graphviz", "diagram/raster", "diagram/typeface", "report/page"}
	for name, never := range map[string][]string{
		"report": append([]string{"diagram"}, analyses...), "diagram": append([]string{"explain", "report"}, analyses...),
		"report/page": analyses, "view": renderers, "explain": renderers,
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
	readers := []string{"progress", "remedy", "resources", "lts", "aut", "property", "actl", "internal/compressed", "internal/enumeration", "internal/stoppable", "internal/wholefile"}
	packages := importsOfModule(t)
	for _, name := range append([]string{checker}, readers...) {
		for _, imported := range packages[name] {
			if !slices.Contains(readers, imported) {
				t.Errorf("%s imports %s, but a checker of certificates must not depend on it", name, imported)
			}
		}
	}
	for _, imported := range packages["wmc/verify"] {
		if !slices.Contains(readers, imported) && imported != "ctl" {
			t.Errorf("wmc/verify imports %s, but a checker of evidence must not depend on it", imported)
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
