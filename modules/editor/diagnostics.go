package editor

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
)

// diagnose finds the mistakes in a text, and sends them unless there is a newer text. It closes the
// channel when it is done, or the server ends.
func (s *Server) diagnose(uri string) <-chan struct{} {
	done := make(chan struct{})
	s.mu.Lock()
	o := s.open[uri]
	if o == nil {
		s.mu.Unlock()
		close(done)
		return done
	}
	if o.diagnosing != nil {
		o.diagnosing()
	}
	ctx, stop := context.WithCancel(inputfile.Untrusted(s.ctx, &s.globs))
	o.diagnosing = stop
	d := o.doc
	s.mu.Unlock()
	started := s.working.Go(func() {
		defer close(done)
		defer stop()
		found, err := containing(s.panicked, func() ([]diagnostic, error) {
			return s.diagnosticsOf(ctx, d)
		})
		s.mu.Lock()
		defer s.mu.Unlock()
		if o := s.open[uri]; ctx.Err() == nil && err == nil && o != nil && o.doc == d {
			changed := !reflect.DeepEqual(o.shown, found)
			o.shown = found
			switch {
			case !s.pulls():
				s.notify("textDocument/publishDiagnostics", publishParams{
					URI:         uri,
					Version:     d.version,
					Diagnostics: found,
				})
			case changed:
				s.call("workspace/diagnostic/refresh", nil)
			}
		}
	})
	if !started {
		stop()
		close(done)
	}
	return done
}

// pulled answers a client that asks for the mistakes of a text, as they are known.
func (s *Server) pulled(
	ctx context.Context,
	now snapshot,
	p documentParams,
) (*diagnosticReport, error) {
	report := &diagnosticReport{Kind: "full", Items: []diagnostic{}}
	d := now[p.TextDocument.URI]
	if d == nil {
		return report, nil
	}
	found, err := s.diagnosticsOf(ctx, d)
	if err != nil {
		return nil, err
	}
	report.Items = found
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.open[d.uri]; o != nil && o.doc == d {
		o.shown = found
	}
	return report, nil
}

// diagnosticsOf returns the mistakes, in the order of the text.
func (s *Server) diagnosticsOf(ctx context.Context, d *document) ([]diagnostic, error) {
	a, err := s.askingOf(ctx, d, false)
	if err != nil {
		return nil, err
	}
	all := []diagnostic{}
	add := func(from, to, severity int, code, message string) *diagnostic {
		all = append(all, diagnostic{
			Range:    d.span(from, to),
			Severity: severity,
			Code:     code,
			Source:   "inev",
			Message:  printable.Text(message),
		})
		return &all[len(all)-1]
	}
	for _, m := range a.mistakes {
		line, start := 0, 0
		text := m.Message
		if m.Where.File == d.path {
			line = max(0, m.Where.Line-1)
		} else {
			text = m.String()
		}
		content, start := d.line(line)
		from, to := start+len(content)-len(strings.TrimLeft(content, " \t-")), start+len(content)
		at := indexOfWord(content, m.Unknown)
		if m.Where.File != d.path || at < 0 {
			add(from, to, severityError, "manifest", text)
			continue
		}
		found := add(start+at, start+at+len(m.Unknown), severityError, "manifest", text)
		if m.Nearest != "" {
			found.Data = &diagnosticData{Replacements: []string{m.Nearest}}
		}
	}
	for _, r := range a.remarks {
		add(r.start, r.end, severityError, "text", r.message)
	}
	if a.file != nil {
		for _, w := range a.file.formulas {
			if w.wrong != "" {
				add(w.from, w.to, severityError, "syntax", w.wrong)
			}
		}
		s.unread(a, add)
	}
	for _, q := range a.all {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if q.formula != nil && q.formula.wrong != "" {
			continue
		}
		if q.job.Refused != "" {
			add(q.start, q.end, severityError, "syntax",
				strings.TrimPrefix(q.job.Refused, q.job.Where.String()+": "))
			continue
		}
		if wrong := s.unmatched(ctx, d, q); wrong != nil && q.tla == "" {
			all = append(all, *wrong)
			continue
		}
		s.judged(d, q, add)
	}
	slices.SortStableFunc(all, func(a, b diagnostic) int {
		if a.Range.Start.Line != b.Range.Start.Line {
			return a.Range.Start.Line - b.Range.Start.Line
		}
		return a.Range.Start.Character - b.Range.Start.Character
	})
	return joined(all), nil
}

// unread adds a mistake for each model that cannot be read.
func (s *Server) unread(
	a *asking,
	add func(from, to, severity int, code, message string) *diagnostic,
) {
	for _, target := range a.targets.paths {
		s.mu.Lock()
		m := s.known[target.path]
		wrong := ""
		if m != nil {
			wrong = m.wrong
		}
		s.mu.Unlock()
		if m == nil {
			s.learnSoon(a.doc.uri, target.path)
		}
		if wrong == "" {
			continue
		}
		from, to := 0, 0
		if target.where != nil {
			from, to = target.where.start, target.where.end
		} else if len(a.file.formulas) > 0 {
			from, to = a.file.formulas[0].start, a.file.formulas[0].end
		}
		add(from, to, severityError, "model", wrong)
	}
}

// learnSoon reads a model that a text has just named.
func (s *Server) learnSoon(uri, path string) {
	stamp := stampOf(path)
	s.mu.Lock()
	o := s.open[uri]
	if s.known[path] != nil || o == nil || stamp == "" { // there is no such file while the name is typed
		s.mu.Unlock()
		return
	}
	s.known[path] = &model{stamp: stamp}
	s.mu.Unlock()
	s.working.Go(func() { s.learn(s.ctx, uri, path) })
}

// unmatched reports a step that matches no label of the model, nil if there is no such step, or the
// labels of the model are not known.
func (s *Server) unmatched(ctx context.Context, d *document, q asked) *diagnostic {
	s.mu.Lock()
	m := s.known[q.job.Path]
	s.mu.Unlock()
	if m == nil || m.alphabet == nil || q.job.Options.AllowUnmatched {
		return nil
	}
	ctx = m.memory.With(ctx)
	if q.job.Options.Parts {
		ctx = actl.WithParts(ctx)
	}
	f, o, err := q.job.Question(ctx)
	if err != nil {
		return nil // the verdict has this message
	}
	err = f.Unmatched(ctx, m.alphabet)
	from, to := q.start, q.end
	for i, assumed := range o.Fair {
		if err != nil {
			break
		}
		if err = assumed.Unmatched(ctx, m.alphabet); err != nil && q.formula != nil {
			if own := i - (len(o.Fair) - len(q.formula.fair)); own >= 0 {
				from, to = q.formula.fair[own].start, q.formula.fair[own].end
			}
		}
	}
	var unmatched *actl.UnmatchedError
	if !errors.As(err, &unmatched) {
		return nil
	}
	if at := find(d.text[from:to], unmatched.Pattern); at >= 0 {
		from += at
		to = from + len(patternAt(d.text[from:to]))
	}
	return &diagnostic{
		Range:    d.span(from, to),
		Severity: severityError,
		Code:     "unmatched",
		Source:   "inev",
		Message:  printable.Text(q.job.Model + ": " + err.Error()),
		Data: &diagnosticData{Replacements: near(d.text[from:to],
			hinted(unmatched.Hint, m.patterns))},
	}
}

// find returns the position of a pattern in a formula, -1 if it is not found.
func find(text string, p actl.Pattern) int {
	spellings := []string{p.String()}
	if label, is := p.Unquoted(); is {
		spellings = append(spellings, actl.Quoted(label), label)
	}
	for _, member := range p.Elements() {
		spellings = append(spellings, member.String())
		if label, is := member.Unquoted(); is {
			spellings = append(spellings, actl.Quoted(label), label)
		}
	}
	for _, spelling := range spellings {
		if at := indexOfWord(text, spelling); at >= 0 {
			return at
		}
	}
	return -1
}

// indexOfWord returns the index at which a word first occurs in a text without being part of a longer word;
// -1 if there is none.
func indexOfWord(text, word string) int {
	for from := 0; word != ""; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			break
		}
		at += from
		if bounded(text, at, at+len(word)) {
			return at
		}
		from = at + 1
	}
	return -1
}

// bounded reports whether text[from:to] is a whole word.
func bounded(text string, from, to int) bool {
	inWord := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	return (from == 0 || !inWord(text[from]) || !inWord(text[from-1])) &&
		(to == len(text) || !inWord(text[to-1]) || !inWord(text[to]))
}

// hinted returns the patterns that a hint names, in the order of the hint.
func hinted(hint string, patterns []string) []string {
	rest := strings.TrimPrefix(strings.TrimPrefix(hint, "did you mean "),
		"none is similar: the model has ")
	if rest == hint {
		return nil
	}
	var all []string
	for rest != "" && rest != "?" {
		best := ""
		for _, p := range patterns {
			if len(p) > len(best) && strings.HasPrefix(rest, p) &&
				(strings.HasPrefix(rest[len(p):], ", ") || rest[len(p):] == "?" || rest == p) {
				best = p
			}
		}
		if best == "" {
			break
		}
		all = append(all, best)
		rest = strings.TrimPrefix(rest[len(best):], ", ")
	}
	return all
}

// near returns the patterns that a mistyped text may stand for: at most one edit for each three of its
// characters, but always one edit, leads to the pattern or, if the pattern has offers or arguments, to its
// gate.
func near(typed string, patterns []string) []string {
	typed = strings.ToLower(strings.Trim(typed, `"`))
	limit := max(1, utf8.RuneCountInString(typed)/3)
	var all []string
	for _, p := range patterns {
		label := strings.ToLower(strings.Trim(p, `"`))
		gate, hasGate := actl.GateOf(label)
		if edits(typed, label) <= limit || hasGate && edits(typed, gate) <= limit {
			all = append(all, p)
		}
	}
	return all
}

// edits returns how many characters have to be inserted, removed, replaced or swapped with their neighbours to make b of a.
func edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range y {
		rows[0][j+1] = j + 1
	}
	for i := range x {
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			least := min(rows[i][j]+cost, rows[i][j+1]+1, rows[i+1][j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				least = min(least, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = least
		}
	}
	return rows[len(x)][len(y)]
}

// judged adds the diagnostic that has the verdict on a question.
func (s *Server) judged(
	d *document,
	q asked,
	add func(from, to, severity int, code, message string) *diagnostic,
) {
	v, known := s.verdictOf(q)
	if !known || v.answer == nil {
		return
	}
	r := &v.answer.Result
	message := func() string { return q.job.Model + ": " + said(r) }
	switch {
	case r.Status == batch.Violated && r.Unexpected:
		found := add(q.start, q.end, severityWarning, "violated", message())
		if q.formula != nil && len(q.formula.fair) == 0 && len(v.answer.Assumptions) > 0 {
			found.Data = &diagnosticData{Assumption: v.answer.Assumptions[0]}
		}
		found.RelatedInformation = decidedAt(d, q, r)
	case r.Status == batch.Satisfied && (r.Unexpected || len(r.Exceeds) > 0):
		add(q.start, q.end, severityWarning, "unexpected", message())
	case !r.Status.Answered() && r.Error != "":
		s.mu.Lock()
		m := s.known[q.job.Path]
		atModel := q.formula != nil && m != nil && m.wrong != ""
		s.mu.Unlock()
		if !atModel {
			add(q.start, q.end, severityError, string(r.Status), r.Error)
		}
	}
	severity := severityWarning
	if r.Argument != "" { // most are notes on how a formula about states was read
		severity = severityInformation
	}
	for _, warning := range r.Warnings {
		add(q.start, q.end, severity, "warning", q.job.Model+": "+warning)
	}
}

// joinable are the codes of the diagnostics that are joined if they are about several models.
var joinable = map[string]bool{"violated": true, "unexpected": true, "unmatched": true}

// joined makes one diagnostic of those about several models at the same place, with a line for
// each model.
func joined(all []diagnostic) []diagnostic {
	type place struct {
		where span
		code  string
	}
	first := map[place]int{}
	kept := all[:0]
	for _, found := range all {
		at := place{found.Range, found.Code}
		i, isKnown := first[at]
		if !isKnown || !joinable[found.Code] {
			first[at] = len(kept)
			kept = append(kept, found)
			continue
		}
		kept[i].Message += "\n" + found.Message
		kept[i].RelatedInformation = append(kept[i].RelatedInformation,
			found.RelatedInformation...)
		if found.Code != "unmatched" {
			kept[i].Data = nil // an assumption that helps one model may not help the other
		}
	}
	return kept
}

// decidedAt returns the positions where the property is lost: in the model's file, and in its
// specification.
func decidedAt(d *document, q asked, r *batch.Result) []related {
	c := r.Counterexample
	if c == nil || c.Deciding == nil {
		return nil
	}
	var all []related
	at := func(path string, line int, message string) {
		where := span{position{line - 1, 0}, position{line, 0}}
		all = append(all, related{location{uriOf(path), where}, message})
	}
	text := fmt.Sprintf("step %d: %s", c.Deciding.Step, c.Deciding.Label)
	if c.Deciding.Why.IsDecision() {
		text = c.Deciding.Why.String() + ": " + c.Deciding.Label
	}
	if c.Deciding.Source != nil && c.Deciding.Source.Line > 0 {
		at(c.Deciding.Source.File, c.Deciding.Source.Line, text)
	}
	if c.Deciding.Line > 0 && !r.Packed {
		at(q.job.Path, c.Deciding.Line, text)
	}
	return all
}
