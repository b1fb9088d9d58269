package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
)

// listOfPublic has the exported identifiers that users of this module may meet.
const listOfPublic = "internal/testing/packages/public.txt"

// mostExported is how many identifiers all packages export together, so that a user finds what a program needs.
const mostExported = 500

// mostAdded is how many identifiers a change may add to the list. Who needs more makes a package
// internal, or says in the review why users need them all, and raises it for this change.
const mostAdded = 10

// TestPublicSurface lists the exported identifiers of the packages that users can import, so
// that a review sees what is added to them, and bounds what is added. Counted are functions,
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
	if total > mostExported {
		t.Errorf("%d identifiers are exported, and at most %d should be: unexport those that no program of a user needs, or put them into a package below internal", total, mostExported)
	}
	before, err := os.ReadFile(listOfPublic)
	if err != nil {
		t.Fatal(err)
	}
	if added := addedTo(string(before), list.String()); len(added) > mostAdded {
		t.Errorf("%d identifiers are added, and a change may add %d: unexport those that only their package uses, and put those that only inev uses into a folder internal: %s",
			len(added), mostAdded, strings.Join(added, ", "))
	}
	golden.Check(t, listOfPublic, []byte(fmt.Sprintf("exported identifiers, %d\n%s", total, list.String())))
}

// TestDocumentationNamesNoInternalPackages: what a user reads with go doc links to nothing that only inev can import.
func TestDocumentationNamesNoInternalPackages(t *testing.T) {
	internal := map[string]bool{}
	for _, p := range rows(t) {
		internal[path.Base(p.Name)] = strings.Contains(p.Name, "internal/")
	}
	for _, p := range rows(t) {
		if p.Public() {
			internal[path.Base(p.Name)] = false
		}
	}
	for _, name := range []string{"bytes", "context", "errors", "fmt", "fs", "http", "io", "iter", "json", "net", "os", "slices", "strings", "testing", "time"} {
		internal[name] = false // of the standard library
	}
	links, read := regexp.MustCompile(`\[\*?([a-z]+)\.[A-Z]\w*(?:\.\w+)*\]`), 0
	for _, p := range rows(t) {
		if !p.Public() {
			continue
		}
		for _, comment := range documentationOf(t, filepath.FromSlash(p.Name)) {
			read++
			for _, link := range links.FindAllStringSubmatch(comment, -1) {
				if isInternal, known := internal[link[1]]; isInternal || !known {
					t.Errorf("%s: %s is nothing that a user can look up: say what is meant\n%s", p.Name, link[0], comment)
				}
			}
		}
	}
	if read < 1000 {
		t.Errorf("only %d comments were found", read)
	}
}

// documentationOf returns the comments of what the package in a folder exports, and of the fields of exported types.
func documentationOf(t *testing.T, folder string) []string {
	t.Helper()
	files := token.NewFileSet()
	var parsed []*ast.File
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.FileExports(file)
		parsed = append(parsed, file)
	}
	var all []string
	add := func(comment *ast.CommentGroup) {
		if comment != nil {
			all = append(all, comment.Text())
		}
	}
	for _, file := range parsed {
		add(file.Doc)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				add(n.Doc)
				return false
			case *ast.GenDecl:
				add(n.Doc)
			case *ast.TypeSpec:
				add(n.Doc)
			case *ast.ValueSpec:
				add(n.Doc)
				add(n.Comment)
			case *ast.Field:
				add(n.Doc)
				add(n.Comment)
			}
			return true
		})
	}
	return all
}

// addedTo returns the identifiers of a list that an earlier one lacks, each behind its package. A
// package that was moved to another folder adds nothing.
func addedTo(before, after string) (added []string) {
	known := map[string]bool{}
	each := func(list string, do func(name string)) {
		folder := ""
		for _, line := range strings.Split(list, "\n") {
			if name, is := strings.CutPrefix(line, "  "); is {
				do(folder + ": " + name)
			} else if line != "" {
				folder, _, _ = strings.Cut(line, ",")
			}
		}
	}
	each(before, func(name string) { known[path.Base(name)] = true })
	each(after, func(name string) {
		if !known[path.Base(name)] {
			added = append(added, name)
		}
	})
	return added
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
