package batch

import (
	"bytes"
	"strings"

	"github.com/inev-lts/inev/formula"
)

// written is the text of a property and where it stands.
type written struct {
	text  string
	where Place
	// automaton is where the property is one.
	automaton *File
}

// formulasOf returns the formulas of an entry, all of which are right.
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
	if _, err := formula.Parse(r.ctx, f.text); err != nil {
		r.addError(f.where, "formula", err)
		return nil
	}
	return []written{{text: f.text, where: f.where}}
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
		f, err := formula.ParseFile(r.ctx, "", text)
		if err != nil {
			r.addError(Place{File: path}, "formula", err)
			return nil
		}
		r.formulas[path] = []written{{text: f.String(), where: Place{File: path}}}
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
		if _, err := formula.Parse(r.ctx, content); err != nil {
			r.addError(where, "formula", err)
			continue
		}
		all = append(all, written{text: content, where: where})
	}
	if len(all) == 0 && len(r.list) == before {
		r.add(Place{File: path}, "holds no formula; write one a line, such as Inev(A, B)")
	}
	r.formulas[path] = all
	return all
}
