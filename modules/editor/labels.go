package editor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula"
)

// links returns links from the names of models in a file or a manifest to these models.
func (s *Server) links(
	ctx context.Context,
	now snapshot,
	p documentParams,
) ([]documentLink, error) {
	all := []documentLink{}
	d := now[p.TextDocument.URI]
	if d == nil || !d.asksText() && !d.isManifest() {
		return all, nil
	}
	a, err := s.questionsWhenRead(ctx, d, false)
	if err != nil {
		return nil, err
	}
	if d.isManifest() {
		return append(all, a.linksOfJobs()...), nil
	}
	for _, target := range a.targets.paths {
		if target.where == nil || strings.ContainsAny(target.where.text, "*?[") {
			continue
		}
		all = append(all, documentLink{
			d.span(target.where.start, target.where.end),
			uriOf(target.path),
		})
	}
	return all, nil
}

// linksOfJobs returns links from the fields model of a manifest to the files. A pattern of names has none.
func (a *questionSet) linksOfJobs() []documentLink {
	const field = "model:"
	var all []documentLink
	isLinked := map[int]bool{} // by the offset of the field: jobs about several formulas of one entry share it
	for _, q := range a.questions {
		_, job := a.doc.line(q.line)
		distance := strings.Index(a.doc.text[job:], field)
		if distance < 0 {
			continue
		}
		behind := a.doc.text[job+distance+len(field):]
		value := strings.TrimLeft(behind, " \t\"'")
		start := len(a.doc.text) - len(value)
		if !strings.HasPrefix(value, q.job.Model) || isLinked[start] {
			continue
		}
		isLinked[start] = true
		all = append(all, documentLink{
			Range:  a.doc.span(start, start+len(q.job.Model)),
			Target: uriOf(q.job.Path),
		})
	}
	return all
}

// stepAt returns the step of a formula at a position, and its range; "" if there is none.
func (s *Server) stepAt(a *questionSet, offset int) (word string, from, to int) {
	f, start, end := a.formulaAt(offset)
	if f == nil {
		return "", 0, 0
	}
	at := placeIn(a.doc.text[start:end], offset-start)
	word = a.doc.text[start+at.from : start+at.to]
	if word == "" || patternOf(word) != nil || !isStep(word) {
		return "", 0, 0
	}
	return word, start + at.from, start + at.to
}

// isStep reports whether a text is one step of a formula.
func isStep(text string) bool {
	f, err := actl.Parse(context.Background(), "Inev("+text+")")
	return err == nil && len(f.Steps()) == 1
}

// occurrences returns the places of a step in the formulas of a document.
func (a *questionSet) occurrences(word string) []span {
	var all []span
	if a.file != nil {
		for _, w := range a.file.formulas {
			all = append(all, a.doc.occurrences(word, w.start, w.end)...)
		}
		return all
	}
	isDone := map[int]bool{} // several questions may be about one formula
	for _, q := range a.questions {
		isFormula := q.tla == "" && a.doc.text[q.start:q.end] == q.job.Formula
		if isFormula && !isDone[q.start] {
			isDone[q.start] = true
			all = append(all, a.doc.occurrences(word, q.start, q.end)...)
		}
	}
	return all
}

// occurrences returns the places of a step in the formula between two offsets.
func (d *document) occurrences(word string, start, end int) (all []span) {
	text := d.text[start:end]
	for i := 0; i < len(text); {
		next, opens := step(text, i)
		if next == i {
			i++
			continue
		}
		if text[i:next] == word && !opens {
			all = append(all, d.span(start+i, start+next))
		}
		i = next
	}
	return all
}

// stepPlaces returns the step at a position, its range, and all its places in the document.
func (s *Server) stepPlaces(
	ctx context.Context,
	now snapshot,
	p positionParams,
) (word string, at span, all []span, err error) {
	d := now[p.TextDocument.URI]
	if d == nil {
		return "", span{}, nil, nil
	}
	a, err := s.questionsWhenRead(ctx, d, false)
	if err != nil {
		return "", span{}, nil, err
	}
	word, from, to := s.stepAt(a, d.offset(p.Position))
	if word == "" {
		return "", span{}, nil, nil
	}
	return word, d.span(from, to), a.occurrences(word), nil
}

// highlights marks the places of the step at a position.
func (s *Server) highlights(
	ctx context.Context,
	now snapshot,
	p positionParams,
) ([]documentHighlight, error) {
	_, _, found, err := s.stepPlaces(ctx, now, p)
	all := []documentHighlight{}
	for _, where := range found {
		all = append(all, documentHighlight{where})
	}
	return all, err
}

// references lists the places of the step at a position, in all documents that are open.
func (s *Server) references(
	ctx context.Context,
	now snapshot,
	p positionParams,
) ([]location, error) {
	all := []location{}
	word, _, _, err := s.stepPlaces(ctx, now, p)
	if err != nil || word == "" {
		return all, err
	}
	var open []string
	for uri := range now {
		open = append(open, uri)
	}
	slices.Sort(open)
	for _, uri := range open {
		a, err := s.questionsWhenRead(ctx, now[uri], false)
		if err != nil {
			return nil, err
		}
		for _, where := range a.occurrences(word) {
			all = append(all, location{uri, where})
		}
	}
	return all, nil
}

// isAtom reports whether a text is one step in linear temporal logic, too, where labels with blanks and signs stand in quotes.
func isAtom(text string) bool {
	if strings.IndexByte(`"/{`, text[0]) >= 0 {
		return true
	}
	end, _ := step(text, 0)
	_, err := formula.Parse(context.Background(), "G "+text)
	return end == len(text) && err == nil
}

// prepareRename returns the range of the step that would be renamed; nil if there is none.
func (s *Server) prepareRename(ctx context.Context, now snapshot, p positionParams) (*span, error) {
	word, at, _, err := s.stepPlaces(ctx, now, p)
	if err != nil || word == "" {
		return nil, err
	}
	return &at, nil
}

// rename replaces the step at a position by another one in all its places in the document. The model keeps
// its labels.
func (s *Server) rename(
	ctx context.Context,
	now snapshot,
	p renameParams,
) (*workspaceEdit, error) {
	if !isStep(p.NewName) || strings.ContainsAny(p.NewName, "\r\n") {
		return nil, fmt.Errorf("%q is not one step of a formula: put a label with blanks or signs in quotes", p.NewName)
	}
	_, _, found, err := s.stepPlaces(ctx, now, p.positionParams)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	text := p.NewName
	if !isAtom(text) {
		text = actl.Quoted(text)
	}
	var edits []edit
	for _, where := range found {
		edits = append(edits, edit{where, text})
	}
	return &workspaceEdit{map[string][]edit{p.TextDocument.URI: edits}}, nil
}
