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
type written struct {
	text       string
	start, end int // the range of the formula in the document
	line       int
	fair       []directive
	// expect is the verdict that is expected, and nil if none is named: then the formula is to hold.
	expect  *directive
	formula property.Formula // nil if the formula cannot be read
	// wrong is a mistake, and its range.
	wrong    string
	from, to int
}

// formulaFile is the content of a file with formulas.
type formulaFile struct {
	models   []directive
	formulas []*written
	// more is the first formula that is not read, since there are too many; nil if all are.
	more *written
}

// readFormulas reads a file as commands do: a batch reads a formula from each line, and inev check
// reads one formula, which may have several lines; # begins comments.
func readFormulas(ctx context.Context, d *document) *formulaFile {
	f := &formulaFile{}
	var fair []directive
	var expect *directive
	first, last := -1, 0
	for n := range d.lines {
		if n&0xff == 0 && ctx.Err() != nil {
			return f
		}
		line, start := d.line(n)
		if n == 0 {
			trimmed := strings.TrimPrefix(line, "\ufeff")
			start += len(line) - len(trimmed)
			line = trimmed
		}
		content := strings.TrimSpace(line)
		at := start + strings.Index(line, content)
		switch {
		case content == "":
			continue
		case content[0] == '#':
			if found, is := directiveIn(content, at, modelDirective); is {
				f.models = append(f.models, found)
			}
			if found, is := directiveIn(content, at, fairDirective); is {
				fair = append(fair, found)
			}
			if found, is := directiveIn(content, at, expectDirective); is {
				expect = &found
			}
			continue
		}
		w := &written{text: content, start: at, end: at + len(content), line: n, fair: fair, expect: expect}
		fair = nil
		expect = nil
		if first < 0 {
			first = at
		}
		last = w.end
		if len(f.formulas) == mostFormulas {
			f.more = w
			break
		}
		f.formulas = append(f.formulas, w)
	}
	ctx = formula.WithLibraries(ctx, filepath.Dir(d.path))
	if formula.IsModal(d.path) || len(f.formulas) > 1 {
		if whole, err := formula.ParseFile(ctx, d.path, []byte(d.text)); err == nil || formula.IsModal(d.path) {
			w := &written{text: strings.TrimSpace(d.text[max(first, 0):last]), start: max(first, 0), end: last, line: d.position(max(first, 0)).Line, formula: whole}
			if len(f.formulas) > 0 {
				w.fair = f.formulas[0].fair
				w.expect = f.formulas[0].expect
			}
			if whole != nil {
				w.text = whole.String()
			}
			w.refuse(err)
			w.checkExpected()
			f.formulas, f.more = []*written{w}, nil
			return f
		}
	}
	for _, w := range f.formulas {
		if ctx.Err() != nil {
			return f
		}
		parsed, err := formula.Parse(ctx, w.text)
		w.formula = parsed
		w.refuse(err)
		for _, a := range w.fair {
			if _, err := actl.ParseAssumption(ctx, a.text); err != nil && w.wrong == "" {
				w.wrong, w.from, w.to = "fair: "+err.Error(), a.start, a.end
			}
		}
		w.checkExpected()
	}
	return f
}

// checkExpected records that the expected verdict is none, unless there is a mistake already.
func (w *written) checkExpected() {
	if w.expect == nil || w.wrong != "" || slices.Contains([]string{string(batch.Violated), string(batch.Satisfied)}, w.expected()) {
		return
	}
	w.wrong = fmt.Sprintf("%s is violated or satisfied, found %q", expectDirective, w.expect.text)
	w.from = w.expect.start
	w.to = w.expect.end
}

// expected returns the expected verdict as manifests name it, the first word of the comment; "" if none is named.
func (w *written) expected() string {
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

// refuse records why the formula cannot be read, and the range of the mistake.
func (w *written) refuse(err error) {
	if err == nil {
		return
	}
	w.formula = nil
	w.wrong, w.from, w.to = err.Error(), w.start, w.end
	var syntax *actl.SyntaxError
	if !errors.As(err, &syntax) {
		return
	}
	w.wrong = syntax.Problem()
	at := 0
	if syntax.Text != w.text { // a line of several
		if at = strings.Index(w.text, syntax.Text); at < 0 {
			return
		}
	}
	w.from = w.start + at + syntax.Offset
	w.to = w.from + len(tokenAt(syntax.Text, syntax.Offset))
	if w.to == w.from && w.from > w.start {
		w.from -= len(lastRune(w.text[:w.from-w.start])) // the end has no width
	}
}

func lastRune(text string) string {
	_, size := utf8.DecodeLastRuneInString(text)
	return text[len(text)-size:]
}

// tokenAt returns the word, or else the character, that begins at an offset.
func tokenAt(text string, at int) string {
	rest := text[at:]
	if n := strings.IndexFunc(rest, func(r rune) bool { return strings.ContainsRune(" \t,;(){}[]\"", r) }); n > 0 {
		return rest[:n]
	} else if n < 0 {
		return rest
	}
	_, size := utf8.DecodeRuneInString(rest)
	return rest[:size]
}

// at returns the formula at a position, nil if there is none.
func (f *formulaFile) at(offset int) *written {
	for _, w := range f.formulas {
		if w.start <= offset && offset <= w.end {
			return w
		}
	}
	return nil
}

// assumptions returns the texts of the assumptions above the formula.
func (w *written) assumptions() []string {
	var all []string
	for _, a := range w.fair {
		all = append(all, a.text)
	}
	return all
}
