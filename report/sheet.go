package report

import (
	"io"

	"github.com/inev-lts/inev/report/claim"
)

// sheet is a document for people, written from its top to its end. A result says in which order
// its parts stand, text and Markdown how each looks. The first error of the io.Writer below stays,
// for flush.
type sheet interface {
	options() Options
	// quote sets a text of the model in a sentence.
	quote(text string) string
	// title is the first sentence, which text shows in a style; lead is one that is no heading.
	title(style, said string)
	lead(style, said string)
	// warnings are shown where nobody else shows them.
	warnings(all []string)
	heading(title string)
	// paragraphs stand one by one, items in a list. In text, indent stands before each; what has none, or no
	// heading above it, is set apart.
	paragraphs(indent string, said ...string)
	items(indent string, said []string)
	numbered(said []string)
	// claims are a list with the commands that lead on from there.
	claims(s *Sentences, all []claim.Claim)
	// closing is a paragraph about the table above it.
	closing(said string)
	// table is what write writes, and returns the error of that.
	table(write func(w io.Writer, l layout) error) error
	flush() error
}

// apart writes what text and Markdown do not have in common; nil if one has nothing.
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
