package editor

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/formula/liveness"
	"github.com/inev-lts/inev/property"
)

// hover describes the text at a position: the labels that a step matches, or the meaning of a
// formula.
func (s *Server) hover(ctx context.Context, now snapshot, p positionParams) (*hover, error) {
	d := now[p.TextDocument.URI]
	if d == nil {
		return nil, nil
	}
	a, err := s.questionsWhenRead(ctx, d, false)
	if err != nil {
		return nil, err
	}
	offset := d.offset(p.Position)
	if d.isSpecification() {
		return s.hoverName(a, offset), nil
	}
	w, from, to := a.formulaAt(offset)
	if w == nil {
		return s.hoverFormulaOfStates(a, offset), nil
	}
	text := d.text[from:to]
	at := placeIn(text, offset-from)
	if word := text[at.from:at.to]; word != "" && patternOf(word) == nil {
		if matched := s.matches(ctx, a, from, word); matched != "" {
			return &hover{markdown(matched), d.span(from+at.from, from+at.to)}, nil
		}
	}
	meaning, err := meaningOf(ctx, w)
	if err != nil || meaning == "" {
		return nil, err
	}
	section, answered := s.actionsIn(ctx, a, from, w)
	for _, note := range answered {
		meaning = strings.Replace(meaning, "- "+code(note)+"\n", "", 1)
	}
	return &hover{markdown(s.verdictsOn(a, from) + strings.TrimRight(meaning, "\n") + "\n" + section), d.span(from, to)}, nil
}

// hoverFormulaOfStates returns the verdicts on the formula about states, as inev ctl answers it, at a position; nil if
// there is no such formula, or no verdict yet.
func (s *Server) hoverFormulaOfStates(a *questionSet, offset int) *hover {
	if a.file == nil {
		return nil
	}
	w := a.file.formulaAt(offset)
	if w == nil || w.ofStates == nil {
		return nil
	}
	verdicts := s.verdictsOn(a, w.start)
	if verdicts == "" {
		return nil
	}
	return &hover{markdown(strings.TrimSpace(verdicts)), a.doc.span(w.start, w.end)}
}

// hoverName returns the verdict on the property of TLA+ at a position or, if there is no graph on which it could be
// checked, how to get one.
func (s *Server) hoverName(a *questionSet, offset int) *hover {
	for _, q := range a.questions {
		if q.start <= offset && offset <= q.end {
			if text := s.verdictsOn(a, q.start); text != "" {
				return &hover{markdown(strings.TrimSpace(text)), a.doc.span(q.start, q.end)}
			}
		}
	}
	if len(a.questions) > 0 {
		return nil
	}
	for _, n := range a.doc.namedProperties() {
		if n.start <= offset && offset <= n.end {
			return &hover{markdown(howToGetGraph(a.doc.module())), a.doc.span(n.start, n.end)}
		}
	}
	return nil
}

// howToGetGraph says what makes TLC write the graph of a module.
func howToGetGraph(module string) string {
	name := filepath.Base(module)
	stem := strings.TrimSuffix(name, filepath.Ext(name))
	return fmt.Sprintf("There is no graph of %s beside it. TLC writes one with %s. "+
		"An installed inev-ls has TLC do so itself with %s or, in VS Code, in a trusted workspace.",
		code(name), code("-dump dot,actionlabels "+stem+".dot"), code("-front-ends"))
}

// verdictsOn returns a line for each verdict on the formula that begins at an offset.
func (s *Server) verdictsOn(a *questionSet, from int) string {
	var b strings.Builder
	for _, q := range a.questions {
		if q.start != from {
			continue
		}
		item := s.shownVerdictOf(a, q)
		if !batch.Status(item.Status).Answered() {
			continue
		}
		fmt.Fprintf(&b, "%s %s: %s\n\n", shownStatus(item), code(q.job.Model), code(item.Message))
		b.WriteString(listOfRemedies(s.remediesOn(q)))
	}
	return b.String()
}

// shownStatus returns the status of an answer, and whether it is the expected one.
func shownStatus(item shownVerdict) string {
	isViolated := batch.Status(item.Status) == batch.Violated
	switch {
	case item.Passes && isViolated:
		return "✓ violated, as expected,"
	case item.Passes:
		return "✓ " + item.Status
	default:
		return "✗ " + item.Status
	}
}

// listOfRemedies returns what would make a property hold, as a list with a title; "" if nothing is known.
func listOfRemedies(remedies []string) string {
	if len(remedies) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("What would make it hold:\n\n")
	for _, remedy := range remedies {
		fmt.Fprintf(&b, "- %s\n", code(remedy))
	}
	b.WriteString("\n")
	return b.String()
}

// remediesOn returns what would make the property of a question hold.
func (s *Server) remediesOn(q asked) []string {
	v, isKnown := s.verdictOf(q)
	if !isKnown || v.answer == nil {
		return nil
	}
	return v.answer.Remedies
}

// formulaAt returns the formula at a position, and its range.
func (a *questionSet) formulaAt(offset int) (f property.Formula, from, to int) {
	if a.file != nil {
		if w := a.file.formulaAt(offset); w != nil && w.formula != nil {
			return w.formula, w.start, w.end
		}
		return nil, 0, 0
	}
	for i := range a.questions {
		q := &a.questions[i]
		if q.tla == "" && q.start <= offset && offset <= q.end &&
			a.doc.text[q.start:q.end] == q.job.Formula {
			if f, _, err := q.job.Question(context.Background()); err == nil {
				return f, q.start, q.end
			}
		}
	}
	return nil, 0, 0
}

// mostMatches is the largest number of labels that are listed.
const mostMatches = 12

// matches lists the labels that a step matches, for each model that the formula at a position is
// about; "" if there is no step, or it matches none.
func (s *Server) matches(ctx context.Context, a *questionSet, from int, word string) string {
	f, err := actl.Parse(ctx, "Inev("+word+")")
	if err != nil || len(f.Steps()) != 1 || !f.Steps()[0].HasLabels() {
		return ""
	}
	var b strings.Builder
	done := map[string]bool{}
	for _, q := range a.questions {
		if q.start != from || done[q.job.Path] {
			continue
		}
		m := s.knownModel(q.job.Path)
		if m == nil || m.facts == nil {
			continue
		}
		done[q.job.Path] = true
		var matching []string
		for i, label := range m.facts.Labels {
			if i%4096 == 0 && ctx.Err() != nil {
				return ""
			}
			if f.Steps()[0].Matches(label) {
				matching = append(matching, label)
			}
		}
		if len(matching) > 0 {
			writeMatches(&b, word, q.job.Model, matching)
		}
	}
	return strings.TrimSpace(b.String())
}

// writeMatches writes a list of the labels of a model that a step matches.
func writeMatches(b *strings.Builder, step, model string, labels []string) {
	slices.Sort(labels)
	fmt.Fprintf(b, "`%s` matches %s of %s\n\n", step, counted(len(labels), "label"), code(model))
	for _, label := range labels[:min(mostMatches, len(labels))] {
		fmt.Fprintf(b, "- %s\n", code(label))
	}
	if more := len(labels) - mostMatches; more > 0 {
		fmt.Fprintf(b, "- … (%d more)\n", more)
	}
	b.WriteString("\n")
}

func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprint(n, " ", noun)
}

// code returns any text as code in Markdown.
func code(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	text = strings.ReplaceAll(text, "\n", " ")
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// actionsIn returns a section with a formula in the mu-calculus of mCRL2, with the labels of the
// first known model that the formula is about. The section is "" if no model is known, or if the
// labels change nothing. answered are those notes about the formula without a model that the labels
// make superfluous.
func (s *Server) actionsIn(
	ctx context.Context,
	a *questionSet,
	from int,
	f property.Formula,
) (section string, answered []string) {
	pattern, isPattern := f.(*actl.Formula)
	if !isPattern || !pattern.IsChain() {
		return "", nil
	}
	general, notes, err := pattern.MuCalculus(ctx)
	if err != nil {
		return "", nil
	}
	model, chain := s.firstBound(ctx, a, from, f)
	if chain == nil {
		return "", nil
	}
	text, inModel, err := actl.Bound{Chain: chain}.MuCalculus(ctx)
	if err != nil || len(text) > longestInModel {
		return "", nil
	}
	answered = slices.DeleteFunc(notes, func(note string) bool {
		return slices.Contains(inModel, note)
	})
	if text == general {
		return "", answered
	}
	return fmt.Sprintf("\n### mu-calculus (mCRL2), with the labels of %s\n\n```\n%s\n```\n",
		code(model), text), answered
}

// firstBound returns the name of the first known model that the formula at a position is about, and the
// formula as a chain of steps over its labels; nil if there is no such model.
func (s *Server) firstBound(
	ctx context.Context,
	a *questionSet,
	from int,
	f property.Formula,
) (model string, chain *property.Chain) {
	for _, q := range a.questions {
		if q.start != from {
			continue
		}
		m := s.knownModel(q.job.Path)
		if m == nil || m.alphabet == nil {
			continue
		}
		p, _, err := f.Bind(ctx, m.alphabet)
		if err != nil {
			continue
		}
		chain, isChain := p.Chain()
		if isChain {
			return q.job.Model, chain
		}
	}
	return "", nil
}

// knownModel returns what is known about the model in a file; nil if it was not read yet.
func (s *Server) knownModel(path string) *model {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.models[path]
}

// longestInModel is the length of a formula in bytes up to which its labels are listed.
const longestInModel = 4000

// explainCommand shows the page of an explanation.
const explainCommand = "inev.explain"

// longestLens limits the characters of a sentence that are shown above a formula.
const longestLens = 140

// lenses are the verdicts above each formula.
func (s *Server) lenses(
	ctx context.Context,
	now snapshot,
	p documentParams,
) ([]codeLens, error) {
	d := now[p.TextDocument.URI]
	all := []codeLens{}
	if d == nil {
		return all, nil
	}
	a, err := s.questionsWhenRead(ctx, d, false)
	if err != nil {
		return nil, err
	}
	if first := a.firstWithoutModel(); first != nil {
		all = append(all, codeLens{Range: d.span(first.start, first.end), Command: command{Title: howToNameModel}})
	}
	if n := a.withoutGraph; n != nil {
		all = append(all, codeLens{Range: d.span(n.start, n.end), Command: command{Title: howToMakeGraph}})
	}
	for _, q := range a.questions {
		item := s.shownVerdictOf(a, q)
		explain := command{
			Title:   "Explain",
			Command: explainCommand,
			Arguments: []any{questionAt{
				URI:  d.uri,
				Line: q.line,
				Path: q.job.Path,
				Name: q.job.Name,
			}},
		}
		where := d.span(q.start, q.end)
		all = append(all, codeLens{Range: where, Command: verdictLens(item, explain)})
		if batch.Status(item.Status).Answered() {
			all = append(all, codeLens{Range: where, Command: explain})
		}
	}
	return all, nil
}

// howToNameModel is shown above the first formula of a file that is about no model.
const howToNameModel = "no model: write # model: FILE at the top, or give this file the name of a model beside it"

// howToMakeGraph is shown above the first property of a module of TLA+ without a graph, if the
// server may not run TLC.
const howToMakeGraph = "no state graph: write one beside this file by TLC's -dump dot,actionlabels"

// firstWithoutModel returns the first formula that can be read, if the file asks about no model; else nil.
func (a *questionSet) firstWithoutModel() *writtenFormula {
	if a.file == nil || len(a.questions) > 0 {
		return nil
	}
	for _, w := range a.file.formulas {
		if w.isRead() {
			return w
		}
	}
	return nil
}

// remedyInBrackets matches the advice at the end of an error on how to accept what is wrong. A lens
// has no room for the advice.
var remedyInBrackets = regexp.MustCompile(` \(allow_unmatched: .*\)$`)

// verdictLens returns the text of a verdict and, if there is a verdict, the command that explains it.
func verdictLens(item shownVerdict, explain command) command {
	sentence := []rune(remedyInBrackets.ReplaceAllString(item.Message, ""))
	if len(sentence) > longestLens {
		sentence = append(sentence[:longestLens-1], '…')
	}
	verdict := explain
	switch batch.Status(item.Status) {
	case batch.Satisfied:
		mark := "✓ "
		if !item.Passes {
			mark = "✗ "
		}
		verdict.Title = mark + item.Model + ": " + string(sentence)
		return verdict
	case batch.Violated:
		mark := "✗ "
		if item.Passes {
			mark = "✓ as expected, "
		}
		verdict.Title = mark + item.Model + ": " + string(sentence)
		return verdict
	case "pending":
		return command{Title: "… " + item.Model}
	case "unknown":
		return command{Title: "save to check " + item.Model}
	}
	return command{Title: "⚠ " + string(sentence)}
}

// actions are edits at a position that correct mistakes.
func (s *Server) actions(
	_ context.Context,
	now snapshot,
	p codeActionParams,
) ([]codeAction, error) {
	d := now[p.TextDocument.URI]
	all := []codeAction{}
	from := d.offset(p.Range.Start)
	to := d.offset(p.Range.End)
	for _, found := range s.shownIn(d, p.TextDocument.URI) {
		isElsewhere := d.offset(found.Range.Start) > to || d.offset(found.Range.End) < from
		if found.Data != nil && !isElsewhere {
			all = append(all, corrections(d, found)...)
		}
	}
	return all, nil
}

// shownIn returns the diagnostics that the client shows; none if the document has changed since.
func (s *Server) shownIn(d *document, uri string) []diagnostic {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.open[uri]
	if o == nil || o.doc != d {
		return nil
	}
	return o.shown
}

// corrections returns the edits that correct a mistake: one for each text that can replace the wrong one, and
// one that adds the assumption under which the property holds.
func corrections(d *document, found diagnostic) (all []codeAction) {
	correction := func(title string, e edit) codeAction {
		return codeAction{
			Title:       title,
			Kind:        "quickfix",
			Diagnostics: []diagnostic{found},
			Edit:        &workspaceEdit{map[string][]edit{d.uri: {e}}},
		}
	}
	for i, text := range found.Data.Replacements {
		replacement := correction("Change to "+text, edit{found.Range, text})
		replacement.IsPreferred = i == 0
		all = append(all, replacement)
	}
	assumption := found.Data.Assumption
	if assumption == "" {
		return all
	}
	line, _ := d.line(found.Range.Start.Line)
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	lineStart := position{found.Range.Start.Line, 0}
	return append(all, correction("Assume "+assumption+" (it holds under --fair "+assumption+")", edit{
		span{lineStart, lineStart},
		indent + "# " + fairDirective + " " + assumption + "\n",
	}))
}

// formatting writes patterns in inev's form, and removes blanks at the ends of lines.
func (s *Server) formatting(
	ctx context.Context,
	now snapshot,
	p documentParams,
) ([]edit, error) {
	d := now[p.TextDocument.URI]
	all := []edit{}
	if d == nil || !d.asksText() {
		return all, nil
	}
	a, err := s.questionsWhenRead(ctx, d, false)
	if err != nil {
		return nil, err
	}
	formatted := map[int]string{} // by line
	for _, w := range a.file.formulas {
		if text, ok := formattedFormula(ctx, w); ok && d.text[w.start:w.end] == w.text {
			formatted[w.line] = text
		}
	}
	for n := range d.lines {
		line, start := d.line(n)
		text := strings.TrimRight(line, " \t")
		if formula, is := formatted[n]; is {
			text = formula
		}
		if text != line {
			all = append(all, edit{d.span(start, start+len(line)), text})
		}
	}
	return all, nil
}

// formattedFormula returns a formula of one line in inev's form; false if it is no pattern, or that form
// would mean something else.
func formattedFormula(ctx context.Context, w *writtenFormula) (string, bool) {
	f, is := w.formula.(*actl.Formula)
	name, _, _ := strings.Cut(w.text, "(")
	if !is || patternOf(strings.TrimSpace(name)) == nil || strings.Contains(w.text, "\n") {
		return "", false
	}
	text := f.String()
	again, err := actl.Parse(ctx, text)
	return text, err == nil && again.Equal(f)
}

// symbols are the formulas of a file, or the jobs of a manifest.
func (s *Server) symbols(
	ctx context.Context,
	now snapshot,
	p documentParams,
) ([]documentSymbol, error) {
	d := now[p.TextDocument.URI]
	all := []documentSymbol{}
	if d == nil {
		return all, nil
	}
	a, err := s.questionsWhenRead(ctx, d, false)
	if err != nil {
		return nil, err
	}
	if d.isSpecification() {
		return all, nil // extensions for TLA+ know more
	}
	if a.file == nil {
		for _, q := range a.questions {
			where := d.span(q.start, q.end)
			all = append(all, documentSymbol{
				Name:           q.job.Name,
				Detail:         q.job.Property(),
				Kind:           symbolEvent,
				Range:          where,
				SelectionRange: where,
			})
		}
		return all, nil
	}
	for _, w := range a.file.formulas {
		detail := "cannot be read"
		if w.formula != nil {
			detail = w.formula.Kind()
		}
		if w.ofStates != nil {
			detail = "formula about states"
		}
		where := d.span(w.start, w.end)
		all = append(all, documentSymbol{
			Name:           w.text,
			Detail:         detail,
			Kind:           symbolEvent,
			Range:          where,
			SelectionRange: where,
		})
	}
	return all, nil
}

// signatureHelp shows the pattern around the cursor.
func (s *Server) signatureHelp(
	_ context.Context,
	now snapshot,
	p positionParams,
) (*signatureHelp, error) {
	d := now[p.TextDocument.URI]
	if d == nil {
		return nil, nil
	}
	text, from := d.line(p.Position.Line)
	at := placeIn(text, d.offset(p.Position)-from)
	found := patternOf(at.call)
	if found == nil {
		return nil, nil
	}
	shown := found.signature()
	return &signatureHelp{
		Signatures:      []signature{shown},
		ActiveParameter: min(at.argument, len(shown.Parameters)-1),
	}, nil
}

// completion offers the texts that could be inserted at a position.
func (s *Server) completion(
	ctx context.Context,
	now snapshot,
	p positionParams,
) (*completionList, error) {
	list := &completionList{Items: []completionItem{}}
	if d := now[p.TextDocument.URI]; d != nil {
		a, err := s.questionsWhenRead(ctx, d, false)
		if err != nil {
			return nil, err
		}
		line, start := d.line(p.Position.Line)
		o := &offers{
			doc:    d,
			line:   line,
			start:  start,
			offset: d.offset(p.Position),
			models: s.modelsOf(a),
			list:   list,
		}
		o.addAll(ctx)
	}
	return list, nil
}

// questionAt names a question of a document.
type questionAt struct {
	URI  string `json:"uri"`
	Line int    `json:"line"`
	Path string `json:"path"` // the path of the model
	Name string `json:"name"` // the name of the job
}

// explain answers a question with its page, for clients that show pages.
func (s *Server) explain(ctx context.Context, now snapshot, p questionAt) (*Answer, error) {
	d := now[p.URI]
	if d == nil {
		return nil, fmt.Errorf("%s is not open", p.URI)
	}
	a, err := s.questionsWhenRead(ctx, d, false)
	if err != nil {
		return nil, err
	}
	for _, q := range a.questions {
		if q.line == p.Line && q.job.Path == p.Path && (p.Name == "" || q.job.Name == p.Name) {
			asked := q.question(s.isTrusted())
			asked.Page = true
			return s.analyst.Answer(ctx, asked)
		}
	}
	return nil, fmt.Errorf("line %d asks nothing about %s any more", p.Line+1, p.Path)
}

// freeQuestion is a question that stands in no document.
type freeQuestion struct {
	Path    string   `json:"path"`
	Formula string   `json:"formula"`
	Fair    []string `json:"fair"`
	Page    bool     `json:"page"`
	Picture bool     `json:"picture"`
}

// ask answers a question that stands in no document. For a specification in TLA+, the formula is
// the name of a property, or an expression.
func (s *Server) ask(ctx context.Context, _ snapshot, p freeQuestion) (*Answer, error) {
	q := Question{Page: p.Page, Picture: p.Picture, Trusted: s.isTrusted()}
	name, _, _ := strings.Cut(p.Formula, "(")
	if isTLA := strings.EqualFold(filepath.Ext(p.Path), ".tla"); isTLA {
		path := p.Path
		p.Path = graphOf(path)
		f, err := formula.Parse(ctx, p.Formula)
		isPattern := err == nil && patternOf(strings.TrimSpace(name)) != nil
		isAboutGraph := isPattern && !liveness.IsAboutBehaviours(f)
		if !isAboutGraph {
			q.TLA = path
		}
	}
	q.Job = batch.Job{
		Name:    filepath.Base(p.Path),
		Model:   filepath.Base(p.Path),
		Path:    p.Path,
		Formula: p.Formula,
		Options: batch.Options{Fair: p.Fair},
	}
	return s.analyst.Answer(ctx, q)
}

// execute carries out a command for clients that cannot: it shows the page in a browser.
func (s *Server) execute(ctx context.Context, now snapshot, p executeParams) (any, error) {
	if p.Command != explainCommand || len(p.Arguments) != 1 {
		return nil, fmt.Errorf("there is no command %s with %d arguments", p.Command,
			len(p.Arguments))
	}
	var at questionAt
	if err := json.Unmarshal(p.Arguments[0], &at); err != nil {
		return nil, err
	}
	answer, err := s.explain(ctx, now, at)
	if err != nil {
		return nil, err
	}
	if answer.Page == "" {
		return nil, fmt.Errorf("%s", answer.Result.Error)
	}
	f, err := os.CreateTemp(s.options.Folder, "inev-*.html")
	if err != nil {
		return nil, err
	}
	_, err = f.WriteString(answer.Page)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, err
	}
	uri := uriOf(f.Name())
	s.mu.Lock()
	shows := s.client.Capabilities.Window.ShowDocument.Support
	s.mu.Unlock()
	if shows {
		s.call("window/showDocument", map[string]any{"uri": uri, "external": true})
	} else {
		s.notify("window/showMessage", map[string]any{
			"type":    severityInformation,
			"message": "The explanation is " + f.Name(),
		})
	}
	return uri, nil
}
