// Command newpackage begins a package: it makes the file with the package comment, a file for its
// example, the row in the table of packages, and the files that are made from the table.
//
//	go -C tools run ./newpackage -is SENTENCE -keeps INVARIANT [-imports 'a b/c'] [-races all] FOLDER/NAME
//
// The sentence describes the package; the invariant always holds inside.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inev-lts/inev/internal/testing/packages"
)

func main() {
	if err := run(os.Args[1:], "..", os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "newpackage:", err)
		os.Exit(2)
	}
}

// aName matches the path of a package in the module.
var aName = regexp.MustCompile(`^[a-z][a-z0-9]*(/[a-z][a-z0-9]*)*$`)

// run begins the package that the arguments describe, in the module with this root. It writes
// nothing if anything is wrong.
func run(arguments []string, root string, out io.Writer) error {
	var p packages.Package
	flags := flag.NewFlagSet("newpackage", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&p.Is, "is", "", "what the package is, in one `SENTENCE`")
	flags.StringVar(&p.Keeps, "keeps", "", "the `INVARIANT` that holds inside")
	flags.StringVar(&p.Imports, "imports", "",
		"the `PACKAGES` of this module that it imports, with spaces between them")
	flags.StringVar(&p.Races, "races", "",
		"the `TESTS` that run under the race detector: all, or a pattern")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() != 1 || !aName.MatchString(flags.Arg(0)) {
		return errors.New("give one package as FOLDER/NAME, in small letters and digits")
	}
	p.Name = flags.Arg(0)
	if p.Is == "" || p.Keeps == "" {
		return errors.New("give -is and -keeps: a package begins with what it is and the invariant that holds inside")
	}
	files, err := newFiles(p, root)
	if err != nil {
		return err
	}
	for _, f := range files {
		name := filepath.Join(root, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(f.text), 0o644); err != nil {
			return err
		}
		fmt.Fprintln(out, f.name)
	}
	if p.Public() {
		fmt.Fprintf(out,
			"Write the example of %s: go test ./internal/testing/house fails until it has an output.\n", p.Name)
	}
	return nil
}

// file is a file to be written, by its path from the root.
type file struct{ name, text string }

// newFiles returns the files of a new package, and the existing files that change.
func newFiles(p packages.Package, root string) ([]file, error) {
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(p.Name))); err == nil {
		return nil, fmt.Errorf("%s is there already", p.Name)
	}
	table, err := os.ReadFile(filepath.Join(root, packages.File))
	if err != nil {
		return nil, err
	}
	changed, err := inserted(string(table), p)
	if err != nil {
		return nil, err
	}
	folders, err := packages.Parse([]byte(changed))
	if err != nil {
		return nil, err
	}
	name := path.Base(p.Name)
	files := []file{
		{packages.File, changed},
		{p.Name + "/" + name + ".go", comment(name, p)},
		{p.Name + "/example_test.go", fmt.Sprintf("package %s_test\n\nfunc Example() {\n\t// What a user does first, and below \"Output:\" what it prints.\n}\n", name)},
	}
	for _, made := range []struct {
		name string
		of   func([]packages.Folder, string) (string, error)
	}{{"doc.go", packages.Overview}, {"docs/architecture.md", packages.Rows}, {".ci/run", packages.Runs}} {
		was, err := os.ReadFile(filepath.Join(root, made.name))
		if err != nil {
			return nil, err
		}
		text, err := made.of(folders, string(was))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", made.name, err)
		}
		if text != string(was) {
			files = append(files, file{made.name, text})
		}
	}
	return files, nil
}

// comment returns the file that has the package comment. The comment ends with the invariant, as a
// sentence of its own.
func comment(name string, p packages.Package) string {
	return fmt.Sprintf("// Package %s: %s.\n//\n// %s.\npackage %s\n",
		name, strings.TrimSuffix(p.Is, "."), sentence(p.Keeps), name)
}

// sentence returns a clause with a capital letter, and without a full stop.
func sentence(clause string) string {
	first, size := utf8.DecodeRuneInString(clause)
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(clause[size:], ".")
}

// inserted returns the table with one more row for the package p. The row stands in the folder of
// p, below the last package of this folder that p imports; if p imports none, at the top.
func inserted(table string, p packages.Package) (string, error) {
	const packagesOf, rowOf = "  packages:\n", "    - name: "
	folder := packages.FolderOf(p.Name)
	begin := strings.Index(table, "- folder: "+folder+"\n")
	if begin < 0 {
		return "", fmt.Errorf("%s has no folder %s: a new one is a decision; write its rows by hand", packages.File, folder)
	}
	end := indexAfter(table, begin+1, "\n- folder: ")
	if end < len(table) {
		end++ // the next folder begins after the line feed
	}
	list := strings.Index(table[begin:end], packagesOf)
	if list < 0 {
		return "", fmt.Errorf("the folder %s has no packages of this module", folder)
	}
	place := begin + list + len(packagesOf)
	for _, imported := range p.Imported() {
		row := strings.Index(table[:end], rowOf+imported+"\n")
		if row >= place {
			place = indexAfter(table[:end], row+1, rowOf)
		}
	}
	return table[:place] + rowText(rowOf, p) + table[place:], nil
}

// indexAfter returns where a text occurs next from a position on; the length of the table if it does not.
func indexAfter(table string, from int, text string) int {
	i := strings.Index(table[from:], text)
	if i < 0 {
		return len(table)
	}
	return from + i
}

// rowText returns the row of a package in the table.
func rowText(begin string, p packages.Package) string {
	row := fmt.Sprintf("%s%s\n      is: %q\n      keeps: %q\n", begin, p.Name, p.Is, p.Keeps)
	if p.Races != "" {
		row += "      races: " + p.Races + "\n"
	}
	if p.Imports != "" {
		row += "      imports: " + p.Imports + "\n"
	}
	return row
}
