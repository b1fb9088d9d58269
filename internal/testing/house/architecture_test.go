package house

import (
	"errors"
	"go/ast"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/graph/topo"

	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/packages"
	"github.com/inev-lts/inev/lts"
)

// readTable reads the table once for all tests.
var readTable = sync.OnceValues(packages.Table)

// folders returns the table of packages.
func folders(t *testing.T) []packages.Folder {
	t.Helper()
	table, err := readTable()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// rows returns the rows of the table, in their order.
func rows(t *testing.T) []packages.Package {
	t.Helper()
	var all []packages.Package
	for _, f := range folders(t) {
		all = append(all, f.Packages...)
	}
	return all
}

// TestImportsAreThoseOfTheTable compares the table with the code, edge by edge. An edge
// that is not in it is a decision to be made, not an oversight to be mended: it is added
// only if data flows that way.
func TestImportsAreThoseOfTheTable(t *testing.T) {
	found := importsOfModule(t)
	for _, p := range rows(t) {
		if found[p.Name] == nil && p.Name != "examples/*" {
			t.Errorf("there is no package %s: take it out of %s", p.Name, packages.File)
		}
	}
	for name, imports := range found {
		row, listed := packages.Find(folders(t), name)
		switch {
		case name == "." && len(imports) == 0:
			continue // it has a comment only
		case !listed:
			t.Errorf("package %s is not in %s: say where it stands, and what it imports", name, packages.File)
			continue
		}
		for _, imported := range imports {
			if !slices.Contains(row.Imported(), imported) {
				t.Errorf("package %s must not import %s", name, imported)
			}
		}
		for _, imported := range row.Imported() {
			if !slices.Contains(imports, imported) {
				t.Errorf("package %s does not import %s: take this edge out of %s", name, imported, packages.File)
			}
		}
	}
}

// TestImportsGoOneWay: folders import each other without a cycle (what a package imports
// stands above it in the table, of which each folder is one piece), internal is the ground
// that needs nothing else, nothing that users need needs what only tests are made with, and
// nobody imports a program.
func TestImportsGoOneWay(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range folders(t) {
		if seen[f.Name] {
			t.Errorf("folder %s is there twice", f.Name)
		}
		seen[f.Name] = true
	}
	for _, p := range rows(t) {
		for _, imported := range p.Imported() {
			other, _ := packages.Find(folders(t), imported)
			if other.Tests && !p.Tests {
				t.Errorf("package %s, which users need, must not import %s, which lies in a folder for tests", p.Name, imported)
			}
			if packages.FolderOf(p.Name) == "internal" && packages.FolderOf(imported) != "internal" {
				t.Errorf("package %s, which others stand on, must not import %s", p.Name, imported)
			}
			if imported == "cmd/inev" || strings.HasPrefix(imported, "examples/") && !strings.HasPrefix(p.Name, "examples/") {
				t.Errorf("package %s must not import the program %s", p.Name, imported)
			}
		}
	}
}

// TestFoldersHaveNoCycle looks for cycles of folders in the code itself, tests aside.
func TestFoldersHaveNoCycle(t *testing.T) {
	var b lts.Builder
	const top = lts.State(0) // all are reached from there
	imports := b.Label("imports")
	number := map[string]lts.State{}
	node := func(name string) lts.State {
		folder := packages.FolderOf(name)
		if _, known := number[folder]; !known {
			number[folder] = top + 1 + lts.State(len(number))
			b.Add(top, imports, number[folder])
		}
		return number[folder]
	}
	for name, all := range importsOfModule(t) {
		for _, imported := range all {
			if from, to := node(name), node(imported); from != to {
				b.Add(from, imports, to)
			}
		}
	}
	m, err := b.Build(top, 1+len(number))
	if err != nil {
		t.Fatal(err)
	}
	for _, component := range topo.TarjanSCC(m.Graph()) {
		if len(component) > 1 {
			t.Errorf("%d folders import each other", len(component))
		}
	}
}

// TestFewFoldersImportBuchi: the algorithms of the papers on Büchi automata are for the command
// and for who compares; the analyses have their own searches.
func TestFewFoldersImportBuchi(t *testing.T) {
	for name, imports := range importsOfModule(t) {
		folder, _, _ := strings.Cut(name, "/")
		if slices.Contains(imports, "buchi") && !slices.Contains([]string{"buchi", "formula", "cmd"}, folder) {
			t.Errorf("package %s must not import buchi", name)
		}
	}
}

// TestFoldersAreFew: a folder at the top is a room that a newcomer has to know.
func TestFoldersAreFew(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var there []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			there = append(there, e.Name())
		}
	}
	var listed []string
	for _, f := range folders(t) {
		isHidden := f.Name != "internal" && len(f.Packages) > 0 && !slices.ContainsFunc(f.Packages, func(p packages.Package) bool { return !p.Internal() })
		if !strings.Contains(f.Name, "/") && !isHidden {
			listed = append(listed, f.Name)
		}
	}
	slices.Sort(listed)
	// Folders that releases and other builds leave behind are no part of the project.
	there = slices.DeleteFunc(there, func(name string) bool { return name == "dist" || name == "release" })
	if !slices.Equal(there, listed) {
		t.Errorf("the folders are\n%v\nand the table of packages has\n%v", there, listed)
	}
	if len(there) > 24 {
		t.Errorf("there are %d folders at the top", len(there))
	}
}

// TestRenderersComputeNothing: what draws and writes takes views and explanations as they
// are, and what computes these does not draw.
func TestRenderersComputeNothing(t *testing.T) {
	analyses := []string{"lts/scc", "property/product", "enrich", "internal/simplify/quotient", "internal/counterexample/sequence"}
	renderers := []string{"report", "internal/report/render", "internal/diagram/draw", "internal/diagram/graphviz", "internal/diagram/raster", "internal/diagram/typeface", "internal/report/page"}
	for name, never := range map[string][]string{
		"internal/report/render": append([]string{"internal/diagram/draw"}, analyses...), "internal/diagram/draw": append([]string{"report", "internal/report/render"}, analyses...),
		"internal/report/page": analyses, "internal/diagram/view": renderers, "explain": renderers,
	} {
		row, _ := packages.Find(folders(t), name)
		for _, imported := range row.Imported() {
			if slices.Contains(never, imported) {
				t.Errorf("package %s must not import %s", name, imported)
			}
		}
	}
	// Of these packages, renderers use the enumerations.
	computes := regexp.MustCompile(`\b(fate\.(Compute|Of|OfChain|Losses)|neighbourhood\.Classify)\(`)
	for _, s := range sources(t) {
		if slices.Contains(renderers, s.folder()) && computes.MatchString(s.text) {
			t.Errorf("%s computes fates or neighbourhoods", s.path)
		}
	}
}

// TestCheckerIsIndependent: what checks certificates shares nothing with what
// makes them but the readers of models and formulas, and nobody builds on it but
// who writes certificates and the command.
func TestCheckerIsIndependent(t *testing.T) {
	const checker = "internal/certificate/verify"
	readers := []string{"internal/abort", "internal/contained", "internal/required", "internal/intern", "internal/lineblocks", "internal/cores", "internal/swar", "internal/printable", "internal/inputfile", "internal/memoize", "internal/textlimit", "internal/progress", "internal/hint", "internal/resources", "internal/lts/stochastic", "internal/lts/multiaction", "internal/property/labelset", "internal/property/role", "internal/property/values", "lts", "aut", "property", "actl", "internal/compressed", "internal/enumeration", "internal/filesystem", "internal/stoppable", "internal/wholefile"}
	found := importsOfModule(t)
	for _, name := range append([]string{checker}, readers...) {
		for _, imported := range found[name] {
			if !slices.Contains(readers, imported) {
				t.Errorf("%s imports %s, but a checker of certificates must not depend on it", name, imported)
			}
		}
	}
	for _, imported := range found["internal/ctl/wmc/verify"] {
		if !slices.Contains(readers, imported) && imported != "internal/ctl/syntax" {
			t.Errorf("internal/ctl/wmc/verify imports %s, but a checker of evidence must not depend on it", imported)
		}
	}
	for name, imports := range found {
		if slices.Contains(imports, checker) && name != "internal/certificate/certify" && name != "cmd/inev" {
			t.Errorf("%s imports %s", name, checker)
		}
	}
}

// TestTableIsShown: what is made from the table of packages is what the table says now.
func TestTableIsShown(t *testing.T) {
	for file, made := range map[string]func([]packages.Folder, string) (string, error){
		"doc.go": packages.Overview, "docs/architecture.md": packages.Rows, ".ci/run": packages.Runs,
	} {
		was, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue // not in the module as it is downloaded
		}
		if err != nil {
			t.Fatal(err)
		}
		now, err := made(folders(t), string(was))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		golden.Check(t, file, []byte(now))
	}
}

// importsOfModule returns the packages of the module, and for each which others
// its files import, tests aside.
func importsOfModule(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, source := range sources(t) {
		if isWithin(source.path, "tools") || isWithin(source.path, "modules") {
			continue // modules of their own
		}
		folder := source.folder()
		found[folder] = append(found[folder], importsOf(t, source.file)...)
		if found[folder] == nil {
			found[folder] = []string{}
		}
	}
	for name, imports := range found {
		slices.Sort(imports)
		found[name] = slices.Compact(imports)
	}
	return found
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
		if imported == packages.Module {
			imports = append(imports, ".")
		} else if name, ours := strings.CutPrefix(imported, packages.Module+"/"); ours {
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
		run := regexp.MustCompile(`go (?:-C (\S+) )?test (?:-short )?-race (.*)`).FindStringSubmatch(line)
		if run == nil || strings.HasPrefix(line, "#") {
			continue
		}
		for _, folder := range strings.Fields(run[2]) {
			raced = append(raced, "./"+path.Join(run[1], folder))
		}
	}
	// Programs that only start others and wait for them.
	raced = append(raced, "./tools/interrupts", "./tools/soak")
	for _, source := range sources(t) {
		folder := "./" + source.folder()
		if slices.Contains(raced, folder) {
			continue
		}
		for _, start := range goroutinesOf(source.file) {
			t.Errorf("%s starts a goroutine: add %s to the race detector in .ci/run", source.set.Position(start.Pos()), folder)
		}
		for _, start := range namesOf(source.file, "contained", "Go", "Group") {
			t.Errorf("%s starts a goroutine: add %s to the race detector in .ci/run", source.set.Position(start.Pos()), folder)
		}
	}
}

// uncontained are the files in which a panic may end the process, or which contain it by a way of their own, each for
// its reason. Everywhere else package contained starts goroutines.
var uncontained = map[string]string{
	"internal/contained/contained.go":     "it is the way",
	"tools":                               "measurements and tests: their result is the panic",
	"internal/testing":                    "tests: their result is the panic",
	"internal/diagram/graphviz/engine.go": "counts layouts under way; and sets a variable, which cannot panic, when a context ends",
	"cmd/inev/main.go":                    "stops listening to signals when a context ends",
	"cmd/inev/entry.go":                   "shows a bar of progress after a time, by a package that recovers",
	"cmd/inev/entry_js.go":                "carries out a command line, which contains its panics",
	"batch/run.go":                        "wakes those who wait for a job when a context ends",
	"modules":                             "modules of their own: each job, call and callback is contained where it is done",
}

// TestGoroutinesAreContained: a panic in a goroutine that Go starts by itself ends the process, and with it all other jobs
// and requests.
func TestGoroutinesAreContained(t *testing.T) {
	used := map[string]bool{}
	for _, source := range sources(t) {
		starts := goroutinesOf(source.file)
		starts = append(starts, namesOf(source.file, "sync", "WaitGroup")...)
		starts = append(starts, namesOf(source.file, "errgroup", "Group", "WithContext")...)
		starts = append(starts, namesOf(source.file, "context", "AfterFunc")...)
		starts = append(starts, namesOf(source.file, "time", "AfterFunc")...)
		for _, start := range starts {
			allowed := false
			for file := range uncontained {
				if isWithin(source.path, file) {
					allowed, used[file] = true, true
				}
			}
			if !allowed {
				t.Errorf("%s: a panic here ends the process; start it by package contained", source.set.Position(start.Pos()))
			}
		}
	}
	for file := range uncontained {
		if !used[file] {
			t.Errorf("%s starts nothing any more", file)
		}
	}
}

// goroutinesOf returns the statements of a file that start goroutines.
func goroutinesOf(file *ast.File) (starts []ast.Node) {
	ast.Inspect(file, func(n ast.Node) bool {
		if start, is := n.(*ast.GoStmt); is {
			starts = append(starts, start)
		}
		return true
	})
	return starts
}

// namesOf returns where a file uses these names of a package.
func namesOf(file *ast.File, of string, names ...string) (uses []ast.Node) {
	ast.Inspect(file, func(n ast.Node) bool {
		use, is := n.(*ast.SelectorExpr)
		if !is {
			return true
		}
		if x, is := use.X.(*ast.Ident); is && x.Name == of && slices.Contains(names, use.Sel.Name) {
			uses = append(uses, use)
		}
		return true
	})
	return uses
}
