package house

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/internal/testing/packages"
)

// TestSignaturesAreReadable: whoever reads the documentation of a public package finds each type
// that its signatures name, with its fields and methods, and can name it.
func TestSignaturesAreReadable(t *testing.T) {
	if !randomlts.Whole() {
		t.Skip("looks at the types of all packages")
	}
	if found := internalTypes(t); len(found) > 0 {
		t.Errorf("public signatures name internal types: declare them where users can read them\n%s", strings.Join(found, "\n"))
	}
}

// stillNamed are internal packages whose types public signatures name today. The list only gets shorter.
var stillNamed = []string{
	"internal/lts/bitset", "internal/property/values",
}

// internalTypes returns the internal types that exported declarations of public packages name,
// aliases included, each with the first declaration that does.
func internalTypes(t *testing.T) []string {
	t.Helper()
	own := compiledPackages(t, "./...")
	imported := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(own[0].exports[path]) })
	var found []string
	for _, row := range rows(t) {
		if !row.Public() {
			continue
		}
		p, err := imported.Import(packages.Module + "/" + row.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range p.Scope().Names() {
			declared := p.Scope().Lookup(name)
			if !declared.Exported() {
				continue
			}
			eachNamed(declared.Type(), true, func(named *types.TypeName) {
				if named.Pkg() == nil || !strings.HasPrefix(named.Pkg().Path(), packages.Module) || !strings.Contains(named.Pkg().Path(), "/internal/") {
					return
				}
				if slices.Contains(stillNamed, strings.TrimPrefix(named.Pkg().Path(), packages.Module+"/")) {
					return
				}
				at := strings.TrimPrefix(named.Pkg().Path(), packages.Module+"/") + "." + named.Name()
				if !slices.ContainsFunc(found, func(line string) bool { return strings.HasPrefix(line, at+" ") }) {
					found = append(found, fmt.Sprintf("%s in %s.%s", at, row.Name, name))
				}
			})
		}
	}
	slices.Sort(found)
	return found
}

// eachNamed visits the named types in the exported part of a type; of a named type itself, its
// fields and methods only if it is the declared one.
func eachNamed(t types.Type, declared bool, visit func(*types.TypeName)) {
	of := func(t types.Type) { eachNamed(t, false, visit) }
	switch t := t.(type) {
	case *types.Alias:
		visit(t.Obj())
		eachNamed(t.Rhs(), declared, visit)
	case *types.Named:
		visit(t.Obj())
		if !declared {
			return
		}
		of(t.Underlying())
		for m := range t.Methods() {
			if m.Exported() {
				of(m.Type())
			}
		}
	case *types.Pointer:
		eachNamed(t.Elem(), declared, visit)
	case *types.Map:
		of(t.Key())
		of(t.Elem())
	case interface{ Elem() types.Type }: // slice, array, channel
		of(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				of(f.Type())
			}
		}
	case *types.Signature:
		for _, list := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range list.Variables() {
				of(v.Type())
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if m.Exported() {
				of(m.Type())
			}
		}
	}
}

// TestWhoWritesDOTLinksNoEngine: package draw, and all that it needs, do without Graphviz and
// what runs it.
func TestWhoWritesDOTLinksNoEngine(t *testing.T) {
	out, err := golden.Command(t, "go", "list", "-deps", "./internal/diagram/draw").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		if strings.Contains(path, "wazero") || strings.HasSuffix(path, "internal/diagram/graphviz") {
			t.Errorf("package draw needs %s", path)
		}
	}
}
