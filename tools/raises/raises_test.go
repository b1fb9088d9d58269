package raises

import (
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/packages"
)

// TestExportedFunctionsReturnErrors: a reader of a call of another package sees whether it can fail, and what follows runs.
func TestExportedFunctionsReturnErrors(t *testing.T) {
	found := inModule(t)
	for _, f := range found.Raise {
		if f.Exported {
			t.Errorf("%v: return the error", f)
		}
	}
}

// TestErrorsAreRaisedWhereTheTableAllows: only packages whose rows have "aborts" import package abort, and each of them does.
func TestErrorsAreRaisedWhereTheTableAllows(t *testing.T) {
	folders, err := packages.Table()
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		for _, p := range folder.Packages {
			imports := slices.Contains(p.Imported(), "internal/abort")
			switch {
			case imports && p.Aborts == "":
				t.Errorf("package %s imports package abort: return its errors or, of a parser or the loops of a search, give its row in %s \"aborts\"", p.Name, packages.File)
			case !imports && p.Aborts != "":
				t.Errorf("package %s does not import package abort: take \"aborts\" out of its row in %s", p.Name, packages.File)
			}
		}
	}
}

// TestRaisingIsFound looks at small packages: what is raised spreads along calls, closures and interfaces, to whatever
// catches it.
func TestRaisingIsFound(t *testing.T) {
	found, err := In("testdata/raising", "./...")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range found.Raise {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	want := "(*Parser).Next Deep Iterator Method Single Value inner"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("raising are %s, want %s", got, want)
	}
	var doors []string
	for _, f := range found.Catch {
		doors = append(doors, f.Name)
	}
	slices.Sort(doors)
	if got, want := strings.Join(doors, " "), "Caught Swallowed Tried"; got != want {
		t.Errorf("doors are %s, want %s", got, want)
	}
}

func inModule(t *testing.T) *Found {
	t.Helper()
	found, err := module()
	if err != nil {
		t.Fatal(err)
	}
	return found
}
