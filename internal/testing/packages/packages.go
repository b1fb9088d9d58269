// Package packages is the table of the packages of this module, folder by folder:
// what each is, the invariant inside, and what it imports. The overview in
// doc.go, the rows of docs/architecture.md and the runs of the race detector are
// made from it.
//
// A table has each package once, in its folder, below all packages that it
// imports.
package packages

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// File is the path of the table, from the root of the module.
const File = "internal/testing/packages/packages.yaml"

//go:embed packages.yaml
var table []byte

// Folder is a folder at the top, or internal/testing, with its packages.
type Folder struct {
	Name     string    `yaml:"folder"`
	For      string    `yaml:"for"` // the question that it answers
	Packages []Package `yaml:"packages"`
	// Tests marks folders that only tests import.
	Tests bool `yaml:"tests"`
}

// Package is a row of the table: a package and its promises.
type Package struct {
	Name  string `yaml:"name"`  // the path of the package in the module
	Is    string `yaml:"is"`    // one sentence
	Keeps string `yaml:"keeps"` // the invariant that holds inside, "" if none is worth a row
	// Imports are the packages of this module that it imports, with spaces between them.
	Imports string `yaml:"imports"`
	// Races are the tests that run under the race detector: all, or a pattern; ""
	// if the package starts no goroutine.
	Races string `yaml:"races"`
	// Unraced is a pattern of the tests that do not run under the race detector, if all other tests
	// of the package do.
	Unraced string `yaml:"unraced"`
	// Aborts names the parts of the package that may raise errors by package abort, such as a
	// parser; "" if it returns all errors.
	Aborts string `yaml:"aborts"`
	Tests  bool   `yaml:"-"` // it lies in a folder that only tests import
}

// Table returns the folders, in their order. It fails if the table is damaged.
func Table() ([]Folder, error) { return Parse(table) }

// Parse reads a table. The error, one line, says which field is unknown, or which package is not in
// its folder, occurs twice, or stands above a package that it imports.
func Parse(text []byte) ([]Folder, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var folders []Folder
	if err := decoder.Decode(&folders); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", File, err)
	}
	above := map[string]bool{}
	for _, f := range folders {
		for i := range f.Packages {
			p := &f.Packages[i]
			p.Tests = f.Tests
			if err := p.check(f.Name, above); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", File, p.Name, err)
			}
			above[p.Name] = true
		}
	}
	return folders, nil
}

// check checks a row of the table; above are the names of the rows before it.
func (p Package) check(folder string, above map[string]bool) error {
	switch {
	case FolderOf(p.Name) != folder:
		return fmt.Errorf("it does not lie in the folder %s", folder)
	case above[p.Name]:
		return errors.New("it is there twice")
	case p.Is == "" || strings.ContainsAny(p.Is+p.Keeps, "\n|"):
		return errors.New("it needs a sentence, on one line and without |")
	}
	for _, imported := range strings.Fields(p.Imports) {
		if !above[imported] {
			return fmt.Errorf("%s, which it imports, does not stand above it", imported)
		}
	}
	return nil
}

// FolderOf returns the folder of the table that a package lies in: the first element of its path,
// with two exceptions. It is internal/testing for the packages below that folder, and FOLDER for
// internal/FOLDER/NAME, since such a package is an internal part of that folder.
func FolderOf(name string) string {
	const testing = "internal/testing"
	if strings.HasPrefix(name, testing+"/") {
		return testing
	}
	parts := strings.Split(name, "/")
	if parts[0] == "internal" && len(parts) > 2 {
		return parts[1]
	}
	return parts[0]
}

// Internal reports whether only this module can import the package.
func (p Package) Internal() bool {
	return slices.Contains(strings.Split(p.Name, "/"), "internal")
}

// Public reports whether the package is for users: neither internal, nor for tests, nor an
// example, nor a part of the command.
func (p Package) Public() bool {
	return !p.Internal() && !p.Tests && !strings.HasPrefix(p.Name, "examples/") &&
		!strings.HasPrefix(p.Name, "cmd/")
}

// Imported returns the packages that it imports.
func (p Package) Imported() []string { return strings.Fields(p.Imports) }

// Find returns the row of the package with this path; an example without its own
// row has the row of all examples.
func Find(folders []Folder, name string) (Package, bool) {
	for _, f := range folders {
		for _, p := range f.Packages {
			if p.Name == name {
				return p, true
			}
		}
	}
	if path.Dir(name) == "examples" && path.Base(name) != "*" {
		return Find(folders, "examples/*")
	}
	return Package{}, false
}

// Module is the path of the module.
const Module = "github.com/inev-lts/inev"

// Overview returns the file with the package comment of the root, with its list
// of packages replaced by a list of all packages for users. It fails if the file
// has no list.
func Overview(folders []Folder, file string) (string, error) {
	var list strings.Builder
	for _, f := range folders {
		for _, p := range f.Packages {
			if p.Public() {
				list.WriteString(wrapped("//   - ", "//     ",
					fmt.Sprintf("[%s/%s]: %s", Module, p.Name,
						strings.ReplaceAll(p.Is, "`", ""))))
			}
		}
	}
	return replaced(file, "//   - [", "//\n// ", list.String())
}

// wrapped breaks a text into lines of up to 90 characters, if words allow it.
func wrapped(first, next, text string) string {
	var b strings.Builder
	line := first
	for i, word := range strings.Fields(text) {
		if i > 0 && len([]rune(line))+len([]rune(word)) >= 90 {
			b.WriteString(line + "\n")
			line = next
		} else if i > 0 {
			line += " "
		}
		line += word
	}
	return b.String() + line + "\n"
}

const (
	header = "| folder | what it is for | packages inside | the invariant inside |\n| --- | --- | --- | --- |\n"
	// The calls of the race detector in .ci/run are between these lines.
	runsBegin = "# Made from the table of packages: all that start a goroutine.\n"
	runsEnd   = "# The end of what is made.\n"
)

// Rows returns docs/architecture.md with its rows replaced by a row for each
// folder. It fails if the file has none.
func Rows(folders []Folder, file string) (string, error) {
	rows := strings.Builder{}
	rows.WriteString(header)
	for _, f := range folders {
		var inside []string
		keeps := ""
		for _, p := range f.Packages {
			name := strings.TrimPrefix(p.Name, f.Name+"/")
			switch {
			case p.Name == f.Name:
				keeps = p.Keeps
			case path.Base(p.Name) == "*":
			default:
				inside = append(inside, "`"+name+"`")
			}
		}
		fmt.Fprintf(&rows, "| `%s` | %s | %s | %s |\n", f.Name, f.For,
			dash(strings.Join(inside, ", ")), dash(keeps))
	}
	return replaced(file, header, "\n\n", strings.TrimSuffix(rows.String(), "\n"))
}

// dash returns a dash for an empty text.
func dash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

// Runs returns .ci/run with its calls of the race detector replaced. It fails if
// the file has none.
func Runs(folders []Folder, file string) (string, error) {
	all := ""
	some := ""
	var unraced, raced []string
	for _, f := range folders {
		for _, p := range f.Packages {
			switch p.Races {
			case "":
			case "all":
				all += " ./" + p.Name
				if p.Unraced != "" {
					unraced = append(unraced, p.Unraced)
				}
			default:
				some += " ./" + p.Name
				raced = append(raced, p.Races)
			}
		}
	}
	call := func(flag string, tests []string, packages string) string {
		if len(tests) > 0 {
			packages = fmt.Sprintf(" %s '%s'%s", flag, strings.Join(tests, "|"), packages)
		}
		return "CGO_ENABLED=1 go test -short -race" + packages + "\n"
	}
	// There are only two calls, since a call for each package would compile and link on one core at
	// a time.
	return replaced(file, runsBegin, runsEnd,
		runsBegin+call("-skip", unraced, all)+call("-run", raced, some))
}

// replaced returns a text with part instead of the text from first up to the next occurrence of
// after.
func replaced(text, first, after, part string) (string, error) {
	before, rest, begins := strings.Cut(text, first)
	_, rest, ends := strings.Cut(rest, after)
	if !begins || !ends {
		return "", fmt.Errorf("there is no part that begins with %q and ends before %q", first,
			after)
	}
	return before + part + after + rest, nil
}
