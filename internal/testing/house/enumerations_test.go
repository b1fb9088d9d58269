package house

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// partial are the enumerations of schemas that have some of the values of a type on purpose.
var partial = map[string]string{
	"report/schema/explanation-3.json#/properties/fairness/properties/cut/items": "a search for choices has no limit of its own",
	"report/schema/explanation-3.json#/$defs/counterexample/allOf/1/then":        "of a shortest run",
	"report/schema/explanation-3.json#/$defs/counterexample/allOf/1/else":        "of any other run",
	"report/schema/repair-1.json#/properties/assumed/items":                      "no repair is found under justness",
}

// tree is the project, with the files that a change has already, by their names.
type tree map[string]string

func (files tree) read(t *testing.T, name string) string {
	t.Helper()
	if text, is := files[name]; is {
		return text
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sources returns the files of Go, see [sources].
func (files tree) sources(t *testing.T) []source {
	t.Helper()
	all := slices.Clone(sources(t))
	for i, s := range all {
		text, is := files[s.path]
		if !is {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), s.path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		all[i].text, all[i].file = text, file
	}
	return all
}

// TestSchemasNameEveryValue: an enumeration in a schema has all values of a type of the sources,
// and no others. A new value that a schema lacks makes the schema that of no type.
func TestSchemasNameEveryValue(t *testing.T) { tree(nil).checkSchemas(t) }

func (files tree) checkSchemas(t *testing.T) {
	types := enumerated(files.sources(t))
	met := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" || filepath.Base(filepath.Dir(path)) != "schema" {
			return err
		}
		var document any
		if err := json.Unmarshal([]byte(files.read(t, filepath.ToSlash(path))), &document); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		eachEnum(filepath.ToSlash(path)+"#", document, func(place string, values []string) {
			met[place] = true
			for exception := range partial {
				if strings.HasPrefix(place, exception) {
					return
				}
			}
			if _, is := types[key(values)]; !is {
				t.Errorf("%s: %q are the values of no type; nearest are those of %s", place, values, nearest(types, values))
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(met) < 30 {
		t.Errorf("only %d enumerations were found", len(met))
	}
	for exception := range partial {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(met)), func(place string) bool { return strings.HasPrefix(place, exception) }) {
			t.Errorf("there is no enumeration %s", exception)
		}
	}
}

// eachEnum calls f with the place and the values of each enumeration of texts in a schema.
func eachEnum(place string, schema any, f func(place string, values []string)) {
	switch schema := schema.(type) {
	case map[string]any:
		if list, is := schema["enum"].([]any); is {
			values := make([]string, len(list))
			for i, v := range list {
				values[i] = fmt.Sprint(v)
			}
			f(place, values)
		}
		for name, inside := range schema {
			eachEnum(place+"/"+name, inside, f)
		}
	case []any:
		for i, inside := range schema {
			eachEnum(place+"/"+strconv.Itoa(i), inside, f)
		}
	}
}

// enumerated returns the lists of values of a type in the sources, by these values: those that
// package enumeration gives names, other lists of texts, and constants of one type or block.
func enumerated(sources []source) map[string]string {
	types := map[string]string{}
	for _, s := range sources {
		constants := map[string][]string{}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if f, is := n.Fun.(*ast.SelectorExpr); is && f.Sel.Name == "New" && fmt.Sprint(f.X) == "enumeration" {
					texts := textsIn(n.Args...)
					types[key(texts[1:])] = s.path + ": " + texts[0]
				}
			case *ast.CompositeLit:
				if texts := textsIn(n.Elts...); len(texts) > 1 {
					types[key(texts)] = s.path + ": a list"
				}
			case *ast.GenDecl:
				if n.Tok != token.CONST {
					return true
				}
				var block []string
				for _, spec := range n.Specs {
					v := spec.(*ast.ValueSpec)
					texts := textsIn(v.Values...)
					block = append(block, texts...)
					if v.Type != nil {
						constants[fmt.Sprint(v.Type)] = append(constants[fmt.Sprint(v.Type)], texts...)
					}
				}
				types[key(block)] = s.path + ": constants"
			}
			return true
		})
		for name, texts := range constants {
			types[key(texts)] = s.path + ": " + name
		}
	}
	return types
}

// textsIn returns the values of those expressions, or of the values of those with a key, that are
// texts in quotes.
func textsIn(all ...ast.Expr) (texts []string) {
	for _, e := range all {
		if pair, is := e.(*ast.KeyValueExpr); is {
			e = pair.Value
		}
		if literal, is := e.(*ast.BasicLit); is && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// key returns the same text for the same values in any order, without an empty one.
func key(values []string) string {
	values = slices.DeleteFunc(slices.Sorted(slices.Values(values)), func(v string) bool { return v == "" })
	return strings.Join(slices.Compact(values), "\n")
}

// nearest returns the type that shares most values.
func nearest(types map[string]string, values []string) string {
	best, most := "none", 0
	for _, k := range slices.Sorted(maps.Keys(types)) {
		shared := 0
		for _, v := range strings.Split(k, "\n") {
			if slices.Contains(values, v) {
				shared++
			}
		}
		if shared > most {
			best, most = fmt.Sprintf("%s: %q", types[k], strings.Split(k, "\n")), shared
		}
	}
	return best
}

// patternLists are the places that have every pattern: by its name those that users read, by its
// kind those that compute. Those without steps need not be written with values of states.
var patternLists = []struct {
	file   string
	byKind bool
	except string
}{
	{file: "actl/doc.go"}, {file: "cmd/inev/formula.go"}, {file: "README.md"}, {file: "docs/semantics.md"}, {file: "formula/table_test.go"},
	{file: "internal/testing/collection/patterns.go"}, {file: "modules/editor/patterns.go"}, {file: "modules/editor/vscode/inev.tmLanguage.json"},
	{file: "property/body.go", byKind: true}, {file: "actl/mcl.go", byKind: true, except: "DeadlockFree"},
	{file: "internal/property/role/role.go", byKind: true}, {file: "internal/formula/ltl/pattern.go", byKind: true}, {file: "internal/formula/ltl/moments.go", byKind: true, except: "DeadlockFree"},
}

// withoutComments returns the code of a file of Go: what a comment names is not done.
func withoutComments(t *testing.T, name, text string) string {
	t.Helper()
	fileSet := token.NewFileSet()
	file, err := parser.ParseFile(fileSet, name, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	if err := printer.Fprint(&code, fileSet, file); err != nil {
		t.Fatal(err)
	}
	return code.String()
}

// TestListsHaveEveryPattern: each pattern that is written by name is in each list of them.
func TestListsHaveEveryPattern(t *testing.T) { tree(nil).checkPatterns(t) }

func (files tree) checkPatterns(t *testing.T) {
	row := regexp.MustCompile(`(?m)^\t\{property\.Kind(\w+), "(\w+)", `)
	rows := row.FindAllStringSubmatch(files.read(t, "actl/patterns.go"), -1)
	if len(rows) < 7 {
		t.Fatalf("only %q were found", rows)
	}
	for _, list := range patternLists {
		text := files.read(t, list.file)
		if list.byKind {
			text = withoutComments(t, list.file, text)
		}
		for _, row := range rows {
			word := `\b` + row[2] + `\b`
			if list.byKind {
				word = `\bKind` + row[1] + `\b`
			}
			if row[2] != list.except && !regexp.MustCompile(word).MatchString(text) {
				t.Errorf("%s has no %s", list.file, row[2])
			}
		}
	}
}
