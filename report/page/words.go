package page

import (
	"html/template"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/report"
)

// Within sentences, these two control characters enclose texts of the model until markup sets them
// as code. No printable text contains them. All text is escaped, within the marks and outside, so
// that a misplaced mark could only spoil the looks of a page.
const (
	codeBegins = '\x02'
	codeEnds   = '\x03'
)

// widestText bounds the characters of a label in a sentence; the step list and the JSON have
// the whole label.
const widestText = 72

func quote(text string) string {
	return string(codeBegins) + brief(text) + string(codeEnds)
}

// brief returns a text in printable form, cut after widestText characters.
func brief(text string) string {
	// A printable text is at least as long as its original.
	shown := printable.Text(printable.First(text, widestText))
	if utf8.RuneCountInString(shown) > widestText || len(printable.First(text, widestText)) < len(text) {
		return printable.First(shown, widestText-1) + "…"
	}
	return shown
}

// Sentences of at most longestSentence characters are shown in full. A longer one quotes a label
// that nobody reads to its end: only its first keptHead and last keptTail characters are shown.
const (
	longestSentence = 2000
	keptHead        = 1200
	keptTail        = 400
)

// inFull returns a sentence in printable form. It keeps the beginning of a long one, which names
// the error, and the end, which is the advice. Cost O(kept text), and O(n) to count the omitted
// part.
func inFull(text string) string {
	n := utf8.RuneCountInString(text)
	if n <= longestSentence {
		return printable.Text(text)
	}
	tail := text
	for range n - keptTail {
		_, size := utf8.DecodeRuneInString(tail)
		tail = tail[size:]
	}
	return printable.Text(printable.First(text, keptHead)) + " … (" + grouped(n-keptHead-keptTail) + " characters left out) … " + printable.Text(tail)
}

// placeOf splits the path of a model into its folder, with the last slash, and its name: if there
// is no room for both, the name is shown.
func placeOf(file string) (folder, name string) {
	at := strings.LastIndexAny(file, `/\`) + 1
	return brief(file[:at]), brief(file[at:])
}

// markup returns a sentence as HTML, with its marked parts as code.
func markup(sentence string) template.HTML {
	var b strings.Builder
	code := false
	for sentence != "" {
		end := strings.IndexAny(sentence, string([]rune{codeBegins, codeEnds}))
		part := sentence
		if end >= 0 {
			part = sentence[:end]
		}
		b.WriteString(template.HTMLEscapeString(part))
		if end < 0 {
			break
		}
		if begins := sentence[end] == codeBegins; begins != code {
			code = begins
			b.WriteString(map[bool]string{true: "<code>", false: "</code>"}[code])
		}
		sentence = sentence[end+1:]
	}
	if code {
		b.WriteString("</code>")
	}
	return template.HTML(b.String())
}

func markups(sentences []string) []template.HTML {
	var all []template.HTML
	for _, s := range sentences {
		all = append(all, markup(s))
	}
	return all
}

// diffLine is a line of the diff between the counterexample and a correct run.
type diffLine struct {
	Sign, Class, Means string
	Text               template.HTML
}

func diffOf(s *report.Sentences) []diffLine {
	var lines []diffLine
	for _, l := range s.Diff() {
		line := diffLine{Sign: l.Sign, Class: "keep", Text: markup(l.Text)}
		switch l.Sign {
		case explain.Insert:
			line.Class, line.Means = "insert", "the correct run:"
		case explain.Remove:
			line.Class, line.Means, line.Sign = "remove", "this run:", "−"
		}
		lines = append(lines, line)
	}
	return lines
}

// under returns the verdict if only the runs that satisfy assumptions count; else "".
func under(e *explain.Explanation, s *report.Sentences) template.HTML {
	if e.Fairness == nil || len(e.Fairness.Asked) == 0 {
		return ""
	}
	return markup(s.Verdict())
}

// headline returns the result in one plain sentence, with the reason why the property fails if that
// is known.
func headline(e *explain.Explanation, s *report.Sentences) string {
	if d := s.Diagnosis(); d != "" {
		return quote(e.Property.AsWritten()) + ": " + d
	}
	if within := s.Within(); within != "" {
		return answer(e, s) + ": " + within
	}
	return answer(e, s)
}

// answer says in one plain sentence what happens on all runs, or what does not on some run.
func answer(e *explain.Explanation, s *report.Sentences) string {
	c := e.Counterexample
	step := func(i int) string { return quote(e.Property.Steps[i-1].Pattern) }
	text := quote(e.Property.AsWritten())
	switch {
	case len(e.Property.Steps) == 0 && c == nil:
		return text + " holds"
	case len(e.Property.Steps) == 0 && c.InitialFate == explain.Fated:
		return text + " holds on no run"
	case len(e.Property.Steps) == 0:
		return text + " does not hold"
	case c == nil && len(e.Property.Steps) == 1:
		return step(1) + " is inevitable"
	case c == nil:
		return "Every run does " + s.Requirement()
	case c.InitialFate == explain.Fated:
		return "No run does " + s.Requirement()
	case c.Done == 0:
		return step(1) + " is not inevitable"
	}
	return "After " + step(c.Done) + ", " + s.Missing() + " is not inevitable"
}

// titleOf is the title for tabs of browsers and lists of files.
func titleOf(e *explain.Explanation) string {
	_, name := placeOf(e.Model.File)
	if d := report.NewSentences(e, brief).Diagnosis(); d != "" {
		return d + " – " + brief(e.Property.AsWritten()) + ", " + name
	}
	return brief(e.Property.AsWritten()) + ": " + e.Verdict.String() + " – " + name
}
