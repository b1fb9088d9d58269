package editor

import (
	"cmp"
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
	"github.com/inev-lts/inev/lts"
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
	if o.stopDiagnosing != nil {
		o.stopDiagnosing()
	}
	ctx, stop := context.WithCancel(inputfile.Untrusted(s.ctx, &s.globs))
	o.stopDiagnosing = stop
	d := o.doc
	s.mu.Unlock()
	started := s.goroutines.Go(func() {
		defer close(done)
		defer stop()
		found, err := containing(s.logPanic, func() ([]diagnostic, error) {
			return s.diagnosticsOf(ctx, d)
		})
		if err == nil {
			s.showDiagnostics(ctx, d, found)
		}
	})
	if !started {
		stop()
		close(done)
	}
	return done
}

// showDiagnostics sends the mistakes in a text to the client, or asks the client to fetch them. It
// does nothing if there is a newer text, or if ctx is done: then the mistakes are being looked for
// again.
func (s *Server) showDiagnostics(ctx context.Context, d *document, found []diagnostic) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.open[d.uri]
	if ctx.Err() != nil || o == nil || o.doc != d {
		return
	}
	hasChanged := !reflect.DeepEqual(o.shown, found)
	o.shown = found
	switch {
	case !s.clientPulls():
		s.notify("textDocument/publishDiagnostics", publishParams{
			URI:         d.uri,
			Version:     d.version,
			Diagnostics: found,
		})
	case hasChanged:
		s.call("workspace/diagnostic/refresh", nil)
	}
}

// documentDiagnostics answers a client that asks for the mistakes of a text, as they are known.
func (s *Server) documentDiagnostics(
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
	a, err := s.questionsWhenRead(ctx, d, false)
	if err != nil {
		return nil, err
	}
	list := &diagnosticList{doc: d, all: []diagnostic{}}
	for _, m := range a.mistakes {
		list.addMistake(m)
	}
	for _, r := range a.remarks {
		list.add(r.start, r.end, severityError, "text", r.message)
	}
	if a.file != nil {
		for _, w := range a.file.formulas {
			list.addSyntax(w)
		}
		s.addUnreadable(a, list)
	}
	for _, q := range a.questions {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.addQuestion(ctx, q, list)
	}
	slices.SortStableFunc(list.all, func(a, b diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Range.Start.Line, b.Range.Start.Line),
			cmp.Compare(a.Range.Start.Character, b.Range.Start.Character),
		)
	})
	return joined(list.all), nil
}

// addQuestion adds the diagnostic of a question: the mistake in it or, if there is none, its
// verdict.
func (s *Server) addQuestion(ctx context.Context, q asked, list *diagnosticList) {
	if q.formula != nil && q.formula.mistake != "" {
		return // the mistake of the formula is in the list
	}
	if q.job.Refused != "" {
		message := strings.TrimPrefix(q.job.Refused, q.job.Where.String()+": ")
		list.add(q.start, q.end, severityError, "syntax", message)
		return
	}
	if wrong := s.unmatched(ctx, list.doc, q); wrong != nil && q.tla == "" {
		list.all = append(list.all, *wrong)
		return
	}
	s.addVerdict(q, list)
}

// diagnosticList collects the diagnostics of a document.
type diagnosticList struct {
	doc *document
	all []diagnostic
}

// add adds a diagnostic of the text in [from, to). The result is valid until the next one is added.
func (l *diagnosticList) add(from, to, severity int, code, message string) *diagnostic {
	l.all = append(l.all, diagnostic{
		Range:    l.doc.span(from, to),
		Severity: severity,
		Code:     code,
		Source:   "inev",
		Message:  printable.Text(message),
	})
	return &l.all[len(l.all)-1]
}

// addSyntax adds the mistake in a formula, if it has one: what is probably meant may replace it.
func (l *diagnosticList) addSyntax(w *writtenFormula) {
	if w.mistake == "" {
		return
	}
	found := l.add(w.mistakeStart, w.mistakeEnd, severityError, "syntax", w.mistake)
	meant := meantBy(l.doc.text[w.mistakeStart:w.mistakeEnd], w.mistake)
	if meant != "" {
		found.Data = &diagnosticData{Replacements: []string{meant}}
	}
}

// meantBy returns what a mistake proposes in place of the text that was typed: the name of a pattern, or an
// assumption with the same tasks; "" if it proposes neither.
func meantBy(typed, mistake string) string {
	isProposed := func(name string) bool { return strings.Contains(mistake, "did you mean "+name+"?") }
	if pattern, isFound := actl.MeantPattern(typed); isFound && isProposed(pattern) {
		return pattern
	}
	name, tasks := typed, ""
	if end := strings.IndexAny(typed, "!:"); end >= 0 {
		name, tasks = typed[:end], typed[end:]
	}
	for _, a := range assumptions {
		if name != a.text && isProposed(a.text) {
			return a.text + tasks
		}
	}
	return ""
}

// addMistake adds a mistake of a manifest: at the unknown word, at its line, or at the first line if it
// is in another file.
func (l *diagnosticList) addMistake(m batch.Mistake) {
	isHere := m.Where.File == l.doc.path
	line := 0
	text := m.String()
	if isHere {
		line = max(0, m.Where.Line-1)
		text = m.Message
	}
	content, start := l.doc.line(line)
	word := indexOfWord(content, m.Unknown)
	if !isHere || word < 0 {
		indent := len(content) - len(strings.TrimLeft(content, " \t-"))
		l.add(start+indent, start+len(content), severityError, "manifest", text)
		return
	}
	from := start + word
	found := l.add(from, from+len(m.Unknown), severityError, "manifest", text)
	if m.Nearest != "" {
		found.Data = &diagnosticData{Replacements: []string{m.Nearest}}
	}
}

// addUnreadable adds a mistake for each model that cannot be read.
func (s *Server) addUnreadable(a *questionSet, list *diagnosticList) {
	for _, target := range a.targets.paths {
		s.mu.Lock()
		m := s.models[target.path]
		wrong := ""
		if m != nil {
			wrong = m.readError
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
		list.add(from, to, severityError, "model", wrong)
	}
}

// learnSoon reads a model that a text has just named.
func (s *Server) learnSoon(uri, path string) {
	stamp := stampOf(path)
	s.mu.Lock()
	o := s.open[uri]
	if s.models[path] != nil || o == nil || stamp == "" { // there is no such file while the name is typed
		s.mu.Unlock()
		return
	}
	s.models[path] = &model{stamp: stamp}
	s.mu.Unlock()
	s.goroutines.Go(func() { s.learnModel(s.ctx, uri, path) })
}

// unmatched reports a step that matches no label of the model, nil if there is no such step, or the
// labels of the model are not known.
func (s *Server) unmatched(ctx context.Context, d *document, q asked) *diagnostic {
	s.mu.Lock()
	m := s.models[q.job.Path]
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
	from, to := q.start, q.end
	err = f.Unmatched(ctx, m.alphabet)
	if err == nil {
		from, to, err = q.unmatchedAssumption(ctx, o.Fair, m.alphabet)
	}
	var unmatched *actl.UnmatchedError
	if !errors.As(err, &unmatched) {
		return nil
	}
	if at := indexOfPattern(d.text[from:to], unmatched.Pattern); at >= 0 {
		from += at
		to = from + len(patternAt(d.text[from:to]))
	}
	return &diagnostic{
		Range:    d.span(from, to),
		Severity: severityError,
		Code:     "unmatched",
		Source:   "inev",
		Message:  printable.Text(q.job.Model + ": " + err.Error()),
		Data: &diagnosticData{Replacements: similarPatterns(d.text[from:to],
			patternsInHint(unmatched.Hint, m.patterns))},
	}
}

// unmatchedAssumption returns the error of the first assumption with a step that matches no label, and
// where the assumption is written: in the formula, if that has its own, or at the question.
func (q *asked) unmatchedAssumption(
	ctx context.Context,
	assumed []*actl.Assumption,
	labels *lts.Alphabet,
) (from, to int, err error) {
	for i, a := range assumed {
		err = a.Unmatched(ctx, labels)
		if err == nil {
			continue
		}
		if q.formula != nil {
			ofOthers := len(assumed) - len(q.formula.fair) // those of the formula come last
			if i >= ofOthers {
				written := q.formula.fair[i-ofOthers]
				return written.start, written.end, err
			}
		}
		return q.start, q.end, err
	}
	return q.start, q.end, nil
}

// indexOfPattern returns the position of a pattern in a formula, -1 if it is not found.
func indexOfPattern(text string, p actl.Pattern) int {
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
		if isWholeWord(text, at, at+len(word)) {
			return at
		}
		from = at + 1
	}
	return -1
}

// isWholeWord reports whether text[from:to] is a whole word: whether it neither begins nor ends within one.
func isWholeWord(text string, from, to int) bool {
	inWord := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	continuesBefore := from > 0 && inWord(text[from-1]) && inWord(text[from])
	continuesAfter := to < len(text) && inWord(text[to-1]) && inWord(text[to])
	return !continuesBefore && !continuesAfter
}

// patternsInHint returns the patterns that a hint names, in the order of the hint.
func patternsInHint(hint string, patterns []string) []string {
	rest := strings.TrimPrefix(strings.TrimPrefix(hint, "did you mean "),
		"none is similar: the model has ")
	if rest == hint {
		return nil
	}
	var all []string
	for rest != "" && rest != "?" {
		longest := ""
		for _, p := range patterns {
			behind, isPrefix := strings.CutPrefix(rest, p)
			endsHere := behind == "" || behind == "?" || strings.HasPrefix(behind, ", ")
			if isPrefix && endsHere && len(p) > len(longest) {
				longest = p
			}
		}
		if longest == "" {
			break
		}
		all = append(all, longest)
		rest = strings.TrimPrefix(rest[len(longest):], ", ")
	}
	return all
}

// similarPatterns returns the patterns that the user may have meant by a mistyped text: few edits lead from
// the text to the pattern or, if the pattern has offers or arguments, to its gate. Few is one for
// each three characters of the text, and at least one.
func similarPatterns(typed string, patterns []string) []string {
	typed = strings.ToLower(strings.Trim(typed, `"`))
	limit := max(1, utf8.RuneCountInString(typed)/3)
	var all []string
	for _, p := range patterns {
		label := strings.ToLower(strings.Trim(p, `"`))
		gate, hasGate := actl.GateOf(label)
		if editDistance(typed, label) <= limit || hasGate && editDistance(typed, gate) <= limit {
			all = append(all, p)
		}
	}
	return all
}

// editDistance returns how many characters have to be inserted, removed, replaced or swapped with their neighbours to make b of a.
func editDistance(a, b string) int {
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

// addVerdict adds the diagnostic that has the verdict on a question.
func (s *Server) addVerdict(q asked, list *diagnosticList) {
	v, known := s.verdictOf(q)
	if !known || v.answer == nil {
		return
	}
	r := &v.answer.Result
	deviates := r.Unexpected || len(r.Exceeds) > 0  // from what the questions expect of the model
	hasOwnError := r.Error != "" && !s.isAtModel(q) // not one that the diagnostic of the model has
	switch {
	case r.Status == batch.Violated && r.Unexpected:
		addViolation(q, v.answer, list)
	case r.Status == batch.Satisfied && deviates:
		list.add(q.start, q.end, severityWarning, "unexpected", q.job.Model+": "+sentenceAbout(r))
	case !r.Status.Answered() && hasOwnError:
		list.addOfGraph(q, severityError, string(r.Status), r.Error)
	}
	severity := severityWarning
	if r.Argument != "" { // most are notes on how a formula about states was read
		severity = severityInformation
	}
	for _, warning := range r.Warnings {
		list.addOfGraph(q, severity, "warning", q.job.Model+": "+warning)
	}
}

// addViolation adds the diagnostic of a property that is violated, with the assumption under which it holds.
func addViolation(q asked, a *Answer, list *diagnosticList) {
	r := &a.Result
	found := list.add(q.start, q.end, severityWarning, "violated", q.job.Model+": "+sentenceAbout(r))
	isWithoutAssumptions := q.formula != nil && len(q.formula.fair) == 0
	if isWithoutAssumptions && len(a.Assumptions) > 0 {
		found.Data = &diagnosticData{Assumption: a.Assumptions[0]}
	}
	found.RelatedInformation = decidedAt(list.doc, q, r)
}

// addOfGraph adds a diagnostic of a question. All questions of a specification are about one graph, so what is wrong with the
// graph is added at the first of them only.
func (l *diagnosticList) addOfGraph(q asked, severity int, code, message string) {
	isAdded := func(d diagnostic) bool { return d.Code == code && d.Message == printable.Text(message) }
	if l.doc.isSpecification() && slices.ContainsFunc(l.all, isAdded) {
		return
	}
	l.add(q.start, q.end, severity, code, message)
}

// isAtModel reports whether the mistake of a question's model has a diagnostic of its own.
func (s *Server) isAtModel(q asked) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.models[q.job.Path]
	return q.formula != nil && m != nil && m.readError != ""
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
