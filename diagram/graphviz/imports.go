//go:build !js

package graphviz

import (
	"fmt"

	"github.com/tetratelabs/wazero/api"
)

// imported is a function that a module of WebAssembly imports.
type imported struct {
	module, name        string
	parameters, results []api.ValueType
}

// importedFunctions returns the functions that a module imports. The runtime can list them, too,
// but only after it has described all functions of the module, which takes a fifth of the time of
// starting. Cost O(number of sections, types and imports).
func importedFunctions(module []byte) ([]imported, error) {
	var types, functions []imported
	err := eachSection(module, func(id byte, content *reader) {
		switch id {
		case sectionType:
			content.each(func() {
				content.byte()
				types = append(types, imported{parameters: content.take(content.number()), results: content.take(content.number())})
			})
		case sectionImport:
			content.imports(func(module, name string, number uint64) {
				if number >= uint64(len(types)) {
					content.fail("a function has no type")
					return
				}
				f := types[number]
				f.module, f.name = module, name
				functions = append(functions, f)
			}, func() {})
		}
	})
	if err != nil {
		return nil, fmt.Errorf("graphviz: the imports of the module cannot be read: %w", err)
	}
	return functions, nil
}
