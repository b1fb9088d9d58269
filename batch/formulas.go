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
}

// formulasOf returns the formulas of an entry, all of which are right.
func (r *reader) formulasOf(e entry) []written {
	here, one := e.fields["formula"]
	file, other := e.fields["formula_file"]
	switch {
	case here.wrong || file.wrong:
	case one && other:
		r.add(file.where, "both formula and formula_file given; leave one of them out")
	case one:
		if _, err := formula.Parse(r.ctx, here.text); err != nil {
			r.addError(here.where, "formula", err)
			return nil
		}
		return []written{{here.text, here.where}}
	case other:
		return r.formulasIn(file.where, file.text, r.pathOf(file.text))
	default:
		r.add(e.where, "formula is missing; give formula or formula_file")
	}
	return nil
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
		all = append(all, written{content, where})
	}
	if len(all) == 0 && len(r.list) == before {
		r.add(Place{File: path}, "holds no formula; write one a line, such as Inev(A, B)")
	}
	r.formulas[path] = all
	return all
}
