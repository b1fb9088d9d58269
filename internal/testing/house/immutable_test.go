package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/internal/testing/packages"
)

// TestExplanationsAreNotChanged: nobody but package explain assigns to a field of what
// it returns, tests aside.
func TestExplanationsAreNotChanged(t *testing.T) {
	if !randomlts.Whole() {
		t.Skip("checks the types of all packages that use explanations")
	}
	const owner = packages.Module + "/explain"
	looked := 0
	for _, p := range compiledPackages(t, "./...") {
		if p.ImportPath == owner || !p.imports(owner) {
			continue
		}
		looked++
		for _, at := range assignments(t, p) {
			if at.of == owner && (at.typ == "Explanation" || at.typ == "Statistics" || at.typ == "Labels" || at.typ == "Counterexample") {
				t.Errorf("%s: a field of an explain.%s is set: it is complete when it is returned", at.pos, at.typ)
			}
		}
	}
	if looked < 5 {
		t.Errorf("only %d packages use explanations", looked)
	}
}

// compiledPackage is what go list tells of a package.
type compiledPackage struct {
	ImportPath, Dir, Export string
	GoFiles, Imports        []string
	exports                 map[string]string // files with what packages export
}

func (p *compiledPackage) imports(path string) bool {
	for _, imported := range p.Imports {
		if imported == path {
			return true
		}
	}
	return false
}

// compiledPackages returns the packages of the module that are below some folders, with those that they import.
func compiledPackages(t *testing.T, folders ...string) []*compiledPackage {
	t.Helper()
	args := append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Imports"}, folders...)
	out, err := golden.Command(t, "go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	var own []*compiledPackage
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &compiledPackage{exports: exports}
		err := decoder.Decode(p)
		if errors.Is(err, io.EOF) {
			return own
		}
		if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, packages.Module) {
			own = append(own, p)
		}
	}
}

// assignment is one to a field of a type of a package.
type assignment struct {
	pos     token.Position
	of, typ string
}

// checked returns the files of a package, and the types in them.
func checked(t *testing.T, p *compiledPackage) (*token.FileSet, []*ast.File, *types.Info) {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}, Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(p.exports[path]) })}
	if _, err := config.Check(p.ImportPath, set, files, info); err != nil {
		t.Fatal(err)
	}
	return set, files, info
}

// assignments returns those to fields of named types in a package, by = and by ++.
func assignments(t *testing.T, p *compiledPackage) []assignment {
	t.Helper()
	set, files, info := checked(t, p)
	var found []assignment
	target := func(e ast.Expr) {
		for {
			switch x := e.(type) {
			case *ast.IndexExpr:
				e = x.X
				continue
			case *ast.SelectorExpr:
				if s := info.Selections[x]; s != nil && s.Kind() == types.FieldVal {
					if of, is := named(s.Recv()); is {
						found = append(found, assignment{set.Position(x.Pos()), of.Pkg().Path(), of.Name()})
					}
				}
				e = x.X
				continue
			}
			return
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					target(left)
				}
			case *ast.IncDecStmt:
				target(n.X)
			}
			return true
		})
	}
	return found
}

// named returns the named type behind a type, through a pointer.
func named(of types.Type) (*types.TypeName, bool) {
	if p, is := of.(*types.Pointer); is {
		of = p.Elem()
	}
	n, is := of.(*types.Named)
	if !is || n.Obj().Pkg() == nil {
		return nil, false
	}
	return n.Obj(), true
}
