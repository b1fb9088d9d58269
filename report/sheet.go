package report

import (
	"io"

	"github.com/inev-lts/inev/report/claim"
)

// sheet is a document for people, written from top to bottom. A result determines the order of
// its parts, text and Markdown how each part looks. The first error is kept and returned by
// flush.
type sheet interface {
	options() Options
	// quote formats a text of the model within a sentence.
	quote(text string) string
	// title writes the first sentence, which text styles; lead writes one that is no heading.
	title(style, said string)
	lead(style, said string)
	// warnings writes warnings, in formats that do not show them elsewhere.
	warnings(all []string)
	heading(title string)
	// paragraphs writes paragraphs, or items of a list. In text, each begins with indent; blank
	// lines separate paragraphs without indent or heading.
	paragraphs(indent string, said ...string)
	items(indent string, said []string)
	numbered(said []string)
	// claims writes a list of claims, each with the command that follows from it.
	claims(s *Sentences, all []claim.Claim)
	// closing writes a paragraph about the table above it.
	closing(said string)
	// table writes a table by calling write, and returns its error.
	table(write func(w io.Writer, l layout) error) error
	flush() error
}

// apart calls the function for the format of the sheet; nil does nothing.
func apart(s sheet, text func(t *textSheet), markdown func(m *markdownSheet)) {
	switch s := s.(type) {
	case *textSheet:
		if text != nil {
			text(s)
		}
	case *markdownSheet:
		if markdown != nil {
			markdown(s)
		}
	}
}
