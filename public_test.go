package inev_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/golden"
)

// mostPublic is the number of identifiers that users of this module may meet. It may fall.
const mostPublic = 1000

// TestPublicSurface lists the exported identifiers of the packages that users can import, so
// that a review sees what is added to them, and bounds their number. Counted are functions,
// types, constants and variables of packages, with their names for each system once; methods
// and fields are not. Packages that are internal, examples, programs and what only tests are
// made with (see [packages.Package.Public]) are not for users.
func TestPublicSurface(t *testing.T) {
	var list strings.Builder
	total := 0
	for _, p := range rows(t) {
		if !p.Public() {
			continue
		}
		exported := exportedOf(t, filepath.FromSlash(p.Name))
		total += len(exported)
		fmt.Fprintf(&list, "\n%s, %d\n", p.Name, len(exported))
		for _, name := range exported {
			fmt.Fprintf(&list, "  %s\n", name)
		}
	}
	if total >= mostPublic {
		t.Errorf("%d identifiers are exported: unexport what only its package uses, or make a package internal, until they are fewer than %d", total, mostPublic)
	}
	golden.Check(t, "internal/packages/public.txt", []byte(fmt.Sprintf("exported identifiers, %d\n%s", total, list.String())))
}

// exportedOf returns the exported identifiers of the package in a folder, each with its kind.
func exportedOf(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no files: %v", folder, err)
	}
	var all []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			all = append(all, exportedBy(d)...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// exportedBy returns the exported identifiers that a declaration declares.
func exportedBy(d ast.Decl) []string {
	var all []string
	add := func(kind string, names ...*ast.Ident) {
		for _, name := range names {
			if name.IsExported() {
				all = append(all, kind+" "+name.Name)
			}
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			add("func", d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				add("type", s.Name)
			case *ast.ValueSpec:
				add(d.Tok.String(), s.Names...)
			}
		}
	}
	return all
}
