package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/formula/hoa"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/smalltext"
	"github.com/inev-lts/inev/property"
)

// automatonIn returns the property in a file in the HOA format. Its mistakes are noted
// once.
func (r *reader) automatonIn(named Place, name string) []written {
	path := r.pathOf(name)
	if known, is := r.formulas[path]; is {
		return known
	}
	r.formulas[path] = nil
	text, ok := r.readText(named, path)
	if !ok {
		return nil
	}
	f, err := hoa.Read(r.ctx, bytes.NewReader(text), name)
	var wrong *hoa.Error
	switch {
	case errors.As(err, &wrong):
		r.list = append(r.list, Mistake{Where: Place{path, wrong.Line}, Message: wrong.Message, Caret: wrong.Caret()})
		return nil
	case err != nil:
		r.addError(named, "hoa", err)
		return nil
	}
	all := []written{{text: f.String(), where: named, automaton: &File{File: name, Path: path, Digest: sum(text)}}}
	r.formulas[path] = all
	return all
}

// Question returns the property of a job and how it is to be explained. Errors as for a
// manifest, and if the file of an automaton, or of lanes, is not what it was when the manifest was
// read.
func (j *Job) Question(ctx context.Context) (property.Formula, explain.Options, error) {
	f, err := j.formula(ctx)
	if err != nil {
		return nil, explain.Options{}, err
	}
	o, _, err := j.explain(ctx)
	return f, o, err
}

// formula reads the property of a job. It fails if the file of an automaton is not
// what it was when the manifest was read.
func (j *Job) formula(ctx context.Context) (property.Formula, error) {
	a := j.Automaton
	if a == nil {
		return formula.Parse(ctx, j.Formula)
	}
	text, err := smalltext.Read(ctx, a.Path, textLimit)
	if err != nil {
		return nil, inputfile.FileError(a.Path, err)
	}
	if sum(text) != a.Digest {
		return nil, fmt.Errorf("%s: the automaton has changed since the manifest was read; run the batch again", a.File)
	}
	f, err := hoa.Read(ctx, bytes.NewReader(text), a.File)
	if err != nil {
		return nil, err
	}
	return f, nil
}
