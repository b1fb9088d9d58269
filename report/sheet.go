package report

// sheet is a document for people. A result determines the order of its parts; text and Markdown
// determine the looks of each part. The writer of the sheet
// keeps the first error.
type sheet interface {
	options() Options
	// quote formats a text of the model within a sentence.
	quote(text string) string
	// title writes the first sentence, in this style in text; lead writes a first sentence that is
	// no heading.
	title(style, said string)
	lead(style, said string)
	// warnings writes warnings, unless the format shows them elsewhere.
	warnings(all []string)
	heading(title string)
	// paragraphs writes each sentence as a paragraph. In text, indent begins each; without indent,
	// and without a heading above, blank lines separate them.
	paragraphs(indent string, said ...string)
	items(indent string, said []string)
	numbered(said []string)
	// claims writes a list of claims, each with the command that answers the next question.
	claims(s *Sentences, all []Claim)
	// steps writes the table of a run; action names the column of labels.
	steps(action string, rows []row)
	// closing writes a paragraph about the table above it.
	closing(said string)
	// table writes a table by calling write.
	table(write tableWriter)
}

// apart calls one of two functions, the one for the format of the sheet. A function that is nil is
// not called.
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
