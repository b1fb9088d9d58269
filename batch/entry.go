package batch

import (
	"slices"
	"strings"
	"unicode"

	"github.com/inev-lts/inev/internal/options"
)

// field is the value of one field of an entry.
type field struct {
	where Position
	text  string
	// list has the items if the manifest has a list, and places has the position of each.
	list   []string
	places []Position
	// wrong reports that the value is not a text, which has been reported as a mistake.
	wrong bool
}

// texts returns the items: those of the list, or the pieces of the text between semicolons.
func (f field) texts() []string {
	if f.list != nil {
		return f.list
	}
	return strings.Split(f.text, ";")
}

// at returns the position of item i.
func (f field) at(i int) Position {
	if i < len(f.places) {
		return f.places[i]
	}
	return f.where
}

// entry is one entry of a manifest. It makes a job for each pair of its models and formulas.
type entry struct {
	where  Position
	fields map[string]field
	// formula is the formula if a script has it, nil if a field of the entry gives it.
	formula *givenProperty
}

// fieldNames are the fields of an entry.
func fieldNames() []string {
	names := []string{
		"model",
		"formula",
		"formula_file",
		"hoa",
		"name",
		"expect",
		"bound",
		"faults",
		"timeout",
		"memory",
		"priority",
		"tags",
		"states",
		"source",
		"tla",
		"keep_models",
	}
	for _, p := range allOptions() {
		names = append(names, string(p.name))
	}
	return names
}

// propertyFields are the fields that give the property. An entry has exactly one of them.
var propertyFields = []string{"formula", "formula_file", "hoa"}

// fieldOf returns the field of this name, which may be spelled like a flag.
func fieldOf(written string) (name string, known bool) {
	name = options.Today(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(written)), "-",
		"_"))
	return name, slices.Contains(fieldNames(), name)
}

// unknownField adds the mistake of an unknown field of an entry. It returns the field that was probably
// meant, "" if none is similar.
func (r *reader) unknownField(where Position, written string) (meant string) {
	names := fieldNames()
	return r.addUnknown(unknownName{
		where:      where,
		text:       written,
		normalised: strings.ReplaceAll(written, "-", "_"),
		names:      names,
		remedy:     "the fields are " + strings.Join(names, ", "),
	})
}

// words returns the items of a list, or the words of a text.
func words(f field) []string {
	if f.list != nil {
		return f.list
	}
	return strings.FieldsFunc(f.text, func(c rune) bool {
		return c == ';' || unicode.IsSpace(c)
	})
}
