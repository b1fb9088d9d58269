package batch

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/property"
)

// written is the text of a property and where it stands.
type written struct {
	text  string
	where Place
	// automaton is where the property is one.
	automaton *File
	// refused is what is wrong with the text, if it cannot be read.
	refused string
}

// formulasOf returns the formulas of an entry. One that cannot be read is the mistake of its jobs alone.
func (r *reader) formulasOf(e entry) []written {
	var given []string
	for _, way := range waysToSay {
		if f, said := e.fields[way]; said {
			if f.wrong {
				return nil
			}
			given = append(given, way)
		}
	}
	switch {
	case len(given) == 0:
		r.add(e.where, "formula is missing; give formula, formula_file or hoa")
		return nil
	case len(given) > 1:
		r.add(e.fields[given[1]].where, "both %s and %s given; leave one of them out", given[0], given[1])
		return nil
	}
	f := e.fields[given[0]]
	switch given[0] {
	case "formula_file":
		return r.formulasIn(f.where, f.text, r.pathOf(f.text))
	case "hoa":
		return r.automatonIn(f.where, f.text)
	}
	return []written{r.parse(r.dir, f.where, f.text, func(ctx context.Context) (property.Formula, error) {
		return formula.Parse(ctx, f.text)
	})}
}

// parse reads a formula that stands at a place, with libraries from a folder, which are replaced in its
// text.
func (r *reader) parse(folder string, where Place, text string, read func(context.Context) (property.Formula, error)) written {
	f, err := read(formula.WithLibraries(r.ctx, folder))
	if err != nil {
		m := mistakeOf(where, "formula", err)
		r.refused = append(r.refused, m)
		return written{text: text, where: where, refused: m.String()}
	}
	if strings.Contains(text, "end_library") || formula.IsModal(where.File) {
		text = f.String()
	}
	return written{text: text, where: where}
}

// formulasIn returns the formulas of a file, which stand on a line each. Its mistakes
// are noted once.
func (r *reader) formulasIn(named Place, name, path string) []written {
	if known, is := r.formulas[path]; is {
		return known
	}
	r.formulas[path] = nil
	text, ok := r.readText(named, path)
	if !ok {
		return nil
	}
	if formula.IsModal(path) {
		r.formulas[path] = []written{r.parse(filepath.Dir(path), Place{File: path}, strings.Join(strings.Fields(string(text)), " "), func(ctx context.Context) (property.Formula, error) {
			return formula.ParseFile(ctx, path, text)
		})}
		return r.formulas[path]
	}
	var all []written
	before := len(r.list)
	for i, line := range bytes.Split(text, []byte("\n")) {
		content := strings.TrimSpace(string(line))
		if content == "" || content[0] == '#' {
			continue
		}
		if r.ctx.Err() != nil {
			return nil
		}
		where := Place{path, i + 1}
		all = append(all, r.parse(filepath.Dir(path), where, content, func(ctx context.Context) (property.Formula, error) {
			return formula.Parse(ctx, content)
		}))
	}
	if len(all) == 0 && len(r.list) == before {
		r.add(Place{File: path}, "holds no formula; write one a line, such as Inev(A, B)")
	}
	r.formulas[path] = all
	return all
}
