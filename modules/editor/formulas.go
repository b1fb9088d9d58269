package editor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/ctl/branching"
	"github.com/inev-lts/inev/internal/formula/formulafile"
	"github.com/inev-lts/inev/property"
)

// Directives are comments for editors in a file with formulas: at the top of the file the models
// that it is about, and above a formula an assumption under which runs count, and the verdict that is expected.
const (
	modelDirective  = "model:"
	fairDirective   = "fair:"
	expectDirective = "expect:"
)

// A directive is a comment for editors.
type directive struct {
	text       string
	start, end int // the range of text in the document
}

// A written formula is a formula with its range in the text.
type writtenFormula struct {
	text       string
	start, end int // the range of the formula in the document
	line       int
	fair       []directive
	// expect is the verdict that is expected, and nil if none is named: then the formula is to hold.
	expect  *directive
	formula property.Formula // nil if the formula cannot be read as a property of runs
	// ofStates is the formula if it is no property of runs, but one about states, which inev ctl answers.
	ofStates *branching.Formula
	// mistake is a mistake, and its range.
	mistake                  string
	mistakeStart, mistakeEnd int
}

// formulaFile is the content of a file with formulas.
type formulaFile struct {
	models   []directive
	formulas []*writtenFormula
	// firstUnread is the first formula that is not read, since there are too many; nil if all are.
	firstUnread *writtenFormula
}

// readFormulas reads a file as commands do: a batch reads a formula from each line, and inev check
// reads one formula, which may have several lines; # begins comments.
func readFormulas(ctx context.Context, d *document) *formulaFile {
	f := scanFormulas(ctx, d)
	if ctx.Err() != nil {
		return f
	}
	ctx = formula.WithLibraries(ctx, filepath.Dir(d.path))
	isModal := formula.IsModal(d.path)
	if isModal || len(f.formulas) > 1 {
		whole, err := formula.ParseFile(ctx, d.path, []byte(d.text))
		if err == nil {
			f.joinFormulas(d, &writtenFormula{formula: whole, text: whole.String()}, nil)
			return f
		}
		if isModal {
			f.joinModal(ctx, d, err)
			return f
		}
	}
	for _, w := range f.formulas {
		if ctx.Err() != nil {
			return f
		}
		w.parse(ctx)
	}
	return f
}

// scanFormulas finds the formulas, one in each line, and the directives; it reads no formula.
func scanFormulas(ctx context.Context, d *document) *formulaFile {
	f := &formulaFile{}
	var next formulaDirectives
	for n := range d.lines {
		if n%256 == 0 && ctx.Err() != nil {
			return f
		}
		content, at := d.content(n)
		switch {
		case content == "":
			continue
		case content[0] == '#':
			f.readDirectives(content, at, &next)
			continue
		}
		w := &writtenFormula{
			text:   content,
			start:  at,
			end:    at + len(content),
			line:   n,
			fair:   next.fair,
			expect: next.expect,
		}
		next = formulaDirectives{}
		if len(f.formulas) == mostFormulas {
			f.firstUnread = w
			break
		}
		f.formulas = append(f.formulas, w)
	}
	return f
}

// formulaDirectives are the directives for the next formula.
type formulaDirectives struct {
	fair   []directive
	expect *directive
}

// readDirectives reads the directives of a comment, which begins at an offset.
func (f *formulaFile) readDirectives(content string, at int, next *formulaDirectives) {
	model, hasModel := directiveIn(content, at, modelDirective)
	if hasModel {
		f.models = append(f.models, model)
	}
	assumption, hasAssumption := directiveIn(content, at, fairDirective)
	if hasAssumption {
		next.fair = append(next.fair, assumption)
	}
	expected, hasExpected := directiveIn(content, at, expectDirective)
	if hasExpected {
		next.expect = &expected
	}
}

// content returns a line without blanks around it, and the offset where the rest begins.
func (d *document) content(n int) (text string, at int) {
	line, start := d.line(n)
	if n == 0 {
		withoutMark := strings.TrimPrefix(line, "\ufeff")
		start += len(line) - len(withoutMark)
		line = withoutMark
	}
	text = strings.TrimSpace(line)
	return text, start + strings.Index(line, text)
}

// joinModal reads the whole file as one formula of MCL or of the mu-calculus about states. err is
// the error of reading the file as a property of runs; it is reported if the file is no formula
// about states, either.
func (f *formulaFile) joinModal(ctx context.Context, d *document, err error) {
	parse := func(text string) (*branching.Formula, error) {
		ofStates, _, err := branching.Parse(ctx, text, true)
		return ofStates, err
	}
	ofStates, wrong := formulafile.Parse(d.path, []byte(d.text), parse)
	if wrong != nil {
		f.joinFormulas(d, &writtenFormula{}, err)
		return
	}
	f.joinFormulas(d, &writtenFormula{ofStates: ofStates, text: ofStates.String()}, nil)
}

// joinFormulas replaces the formulas of all lines by one formula, w. If err is not nil, w becomes a
// mistake.
func (f *formulaFile) joinFormulas(d *document, w *writtenFormula, err error) {
	if len(f.formulas) > 0 {
		first := f.formulas[0]
		w.start = first.start
		w.end = f.formulas[len(f.formulas)-1].end
		w.fair = first.fair
		w.expect = first.expect
	}
	if f.firstUnread != nil {
		w.end = f.firstUnread.end
	}
	if w.text == "" {
		w.text = strings.TrimSpace(d.text[w.start:w.end])
	}
	w.line = d.position(w.start).Line
	w.setMistake(err)
	w.checkExpected()
	f.formulas = []*writtenFormula{w}
	f.firstUnread = nil
}

// parse reads the formula, and the assumptions of fairness above it.
func (w *writtenFormula) parse(ctx context.Context) {
	parsed, err := formula.Parse(ctx, w.text)
	w.formula = parsed
	if err != nil {
		ofStates, _, wrong := branching.Parse(ctx, w.text, false)
		if wrong == nil {
			w.ofStates = ofStates
			err = nil
		}
	}
	w.setMistake(err)
	for _, a := range w.fair {
		_, err := actl.ParseAssumption(ctx, a.text)
		if err != nil && w.mistake == "" {
			w.mistake = "fair: " + err.Error()
			w.mistakeStart = a.start
			w.mistakeEnd = a.end
		}
	}
	w.checkExpected()
}

// isRead reports whether the formula can be read.
func (w *writtenFormula) isRead() bool { return w.formula != nil || w.ofStates != nil }

// checkExpected records a mistake if the expected verdict is no verdict, unless there is a
// mistake already.
func (w *writtenFormula) checkExpected() {
	if w.expect == nil || w.mistake != "" ||
		slices.Contains([]string{string(batch.Violated), string(batch.Satisfied)},
			w.expected()) {
		return
	}
	w.mistake = fmt.Sprintf("%s %q is not a verdict; write violated or satisfied", expectDirective,
		w.expected())
	w.mistakeStart = w.expect.start
	w.mistakeEnd = w.expect.end
}

// expected returns the expected verdict as manifests name it, the first word of the comment; "" if none is named.
func (w *writtenFormula) expected() string {
	if w.expect == nil {
		return ""
	}
	verdict, _, _ := strings.Cut(w.expect.text, " ")
	return verdict
}

// directiveIn returns the text of a comment after the given word; false if the comment does not
// begin with this word, or nothing follows the word.
func directiveIn(comment string, at int, word string) (directive, bool) {
	behind := strings.TrimLeft(comment, "# \t")
	rest, is := strings.CutPrefix(behind, word)
	text := strings.TrimSpace(rest)
	if !is || text == "" {
		return directive{}, false
	}
	start := at + len(comment) - len(strings.TrimLeft(rest, " \t"))
	return directive{text, start, start + len(text)}, true
}

// setMistake records why the formula cannot be read, and the range of the mistake.
func (w *writtenFormula) setMistake(err error) {
	if err == nil {
		return
	}
	w.formula = nil
	w.mistake, w.mistakeStart, w.mistakeEnd = err.Error(), w.start, w.end
	var syntax *actl.SyntaxError
	if !errors.As(err, &syntax) {
		return
	}
	w.mistake = syntax.Problem()
	at := 0
	if syntax.Text != w.text { // a line of several
		at = strings.Index(w.text, syntax.Text)
		if at < 0 {
			return
		}
	}
	w.mistakeStart = w.start + at + syntax.Offset
	w.mistakeEnd = w.mistakeStart + len(tokenAt(syntax.Text, syntax.Offset))
	if w.mistakeEnd == w.mistakeStart && w.mistakeStart > w.start {
		w.mistakeStart -= len(lastRune(w.text[:w.mistakeStart-w.start])) // the end has no width
	}
}

func lastRune(text string) string {
	_, size := utf8.DecodeLastRuneInString(text)
	return text[len(text)-size:]
}

// tokenAt returns the word, or else the character, that begins at an offset.
func tokenAt(text string, at int) string {
	rest := text[at:]
	if n := strings.IndexFunc(rest, func(r rune) bool {
		return strings.ContainsRune(" \t,;(){}[]\"", r)
	}); n > 0 {
		return rest[:n]
	} else if n < 0 {
		return rest
	}
	_, size := utf8.DecodeRuneInString(rest)
	return rest[:size]
}

// formulaAt returns the formula at a position, nil if there is none.
func (f *formulaFile) formulaAt(offset int) *writtenFormula {
	for _, w := range f.formulas {
		if w.start <= offset && offset <= w.end {
			return w
		}
	}
	return nil
}

// assumptions returns the texts of the assumptions above the formula.
func (w *writtenFormula) assumptions() []string {
	var all []string
	for _, a := range w.fair {
		all = append(all, a.text)
	}
	return all
}
