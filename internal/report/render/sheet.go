package render

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/rivo/uniseg"
)

// sheet is a document for people: text for a terminal or, with markdown set, Markdown, in which texts
// of the model are marked as code. A result determines the order of the parts, and the sheet their
// appearance. The buffered writer of the sheet keeps the first error.
type sheet struct {
	w        *bufio.Writer
	o        Options
	markdown bool
	headed   bool // there is a heading above
	// isDraft reports that the sheet is written only to measure its length, without the table of steps.
	isDraft bool
}

// mostLines is the largest number of lines, without the table of steps, of a text that is not in brief.
const mostLines = 25

// lineCounter counts the lines that are written to it.
type lineCounter struct{ lines int }

func (c *lineCounter) Write(text []byte) (int, error) {
	c.lines += bytes.Count(text, []byte("\n"))
	return len(text), nil
}

// longestCommand is the largest length, in bytes, of a command that a report shows, since nobody copies
// a longer one.
const longestCommand = 400

// onward returns the command that answers the next question after a claim, and the purpose of the
// command; "" if there is no such command, or if a text in the command is not printable. Cost
// O(length).
func (o Options) onward(s *Sentences, c Claim) (purpose, command string) {
	if o.Onward == nil {
		return "", ""
	}
	var words []string
	switch {
	case c.kind == "elsewhere" && s.story.others > 0:
		purpose = "How to get to each decision:"
		words, _ = o.Onward(s.p.e)
	case c.kind == "by_history":
		purpose = "What tells such runs apart:"
		_, words = o.Onward(s.p.e)
	default:
		return "", ""
	}
	for i, word := range words {
		if printable.Text(word) != word {
			return "", ""
		}
		words[i] = printable.ShellWord(word)
	}
	line := strings.Join(words, " ")
	if len(line) > longestCommand {
		return "", ""
	}
	return purpose, line
}

// quote formats a text of the model within a sentence.
func (s *sheet) quote(text string) string {
	text = cut(printable.Text(text), s.o)
	if s.markdown {
		return printable.Code(text)
	}
	return glue(text)
}

// title writes the first sentence. In text it has the given style; in Markdown it is a heading.
func (s *sheet) title(style, sentence string) {
	if s.markdown {
		sentence = "## " + sentence
	}
	s.paragraph("", style, sentence)
}

// warnings writes warnings, but not in text, since the command shows them on standard error.
func (s *sheet) warnings(all []string) {
	for _, warning := range all {
		if s.markdown {
			s.printf("\nWarning: %s\n", printable.Code(printable.Text(warning)))
		}
	}
}

func (s *sheet) heading(title string) {
	s.headed = true
	s.line("")
	if s.markdown {
		title = "### " + title
	}
	s.line(s.style(bold, title))
}

// separate separates what follows from the text above it in Markdown.
func (s *sheet) separate() {
	if s.markdown {
		s.line("")
	}
}

// paragraphs writes each sentence as a paragraph. In text, each begins with indent. Without indent, and
// without a heading above, a blank line comes first.
func (s *sheet) paragraphs(indent string, sentences ...string) {
	for i, sentence := range sentences {
		isSeparate := i == 0 && (indent == "" || !s.headed)
		if s.markdown || isSeparate {
			s.line("")
		}
		s.paragraph(indent, "", sentence)
	}
}

// closing writes a paragraph about the table above it; nothing if there is no sentence.
func (s *sheet) closing(sentence string) {
	if sentence == "" {
		return
	}
	s.separate()
	s.paragraph("", "", sentence)
}

// items writes a list. In text, each item begins with indent.
func (s *sheet) items(indent string, sentences []string) {
	if !s.markdown {
		s.paragraphs(indent, sentences...)
		return
	}
	for i, sentence := range sentences {
		s.item(i, sentence)
	}
}

// item writes item i of a list in Markdown, counted from 0.
func (s *sheet) item(i int, sentence string) {
	s.beginList(i)
	s.line("- " + sentence)
}

// beginList writes an empty line if item i is the first of a list.
func (s *sheet) beginList(i int) {
	if i == 0 {
		s.line("")
	}
}

func (s *sheet) numbered(sentences []string) {
	for i, sentence := range sentences {
		if i == 0 {
			s.separate()
		}
		s.paragraph(fmt.Sprintf("  %d. ", i+1), "", sentence)
	}
}

// claims writes a list of claims, each with the command that answers the next question.
func (s *sheet) claims(from *Sentences, all []Claim) { s.claimsAt("  ", from, all) }

// claimsAt is claims with another indent of the text.
func (s *sheet) claimsAt(margin string, from *Sentences, all []Claim) {
	number := numbersOf(all)
	for i, c := range all {
		sentence := from.Say(c)
		purpose, command := s.o.onward(from, c)
		if s.markdown {
			if command != "" {
				sentence += " " + purpose + " " + printable.Code(command)
			}
			s.numberedItem(i, number[i], sentence)
			continue
		}
		indent := margin
		if number[i] > 0 {
			indent = fmt.Sprintf("%s%d. ", margin, number[i])
		}
		s.paragraph(indent, "", sentence)
		if command != "" {
			s.paragraph(margin, "", purpose)
			s.line(margin + "  " + command) // the command is not wrapped, so that it can be copied
		}
	}
}

// numberedItem writes item i of a list in Markdown with a number, unless the number is 0.
func (s *sheet) numberedItem(i, number int, sentence string) {
	if number == 0 {
		s.item(i, sentence)
		return
	}
	s.beginList(i)
	s.line(fmt.Sprintf("%d. %s", number, sentence))
}

func (s *sheet) table(write tableWriter) {
	_ = write(s.w, s.layout()) // the buffered writer keeps the error
}

// paragraph writes text in a style, broken into lines. The first line begins with prefix, and each
// other line with as many blanks. In Markdown the paragraph is a single line, which begins with prefix
// without its blanks.
func (s *sheet) paragraph(prefix, style, text string) {
	if s.markdown {
		s.line(strings.TrimLeft(prefix, " ") + text)
		return
	}
	indent := displayWidth(prefix)
	for _, line := range wrapped(text, max(LeastWidth/2, s.o.width()-indent)) {
		s.line(prefix + s.style(style, line))
		prefix = strings.Repeat(" ", indent)
	}
}

func (s *sheet) printf(format string, args ...any) { fmt.Fprintf(s.w, format, args...) }

// line writes a line.
func (s *sheet) line(text string) {
	s.w.WriteString(text)
	s.w.WriteByte('\n')
}

// Codes of the control sequence "select graphic rendition".
const (
	bold  = "\x1b[1m"
	dim   = "\x1b[2m"
	red   = "\x1b[31m"
	green = "\x1b[32m"
	plain = "\x1b[0m"
)

// style styles text for a terminal if colours are requested.
func (s *sheet) style(codes, text string) string {
	if s.markdown || !s.o.Color || codes == "" {
		return text
	}
	return codes + text + plain
}

// padRight adds blanks after a text, up to a width in cells.
func padRight(text string, width int) string { return text + blanksFor(text, width) }

// padLeft adds blanks before a text, up to a width in cells.
func padLeft(text string, width int) string { return blanksFor(text, width) + text }

// blanksFor returns the blanks that a text lacks to a width in cells.
func blanksFor(text string, width int) string {
	return strings.Repeat(" ", max(0, width-displayWidth(text)))
}

// leastRemark is the width, in cells, that is reserved for remarks next to long labels. leastLabel is
// the smallest width of labels in a narrow table.
const (
	leastRemark = 28
	leastLabel  = 8
)

// steps writes the table of a run. action is the heading of the column of labels; shown are the
// headings of the columns that the reader requested.
func (s *sheet) steps(action string, rows []row, shown ...string) {
	if s.markdown {
		s.separate()
		s.table(s.runMarkdown(action, rows, shown))
		return
	}
	if !s.headed {
		s.line("")
	}
	header := row{
		number: "step",
		state:  "state",
		label:  action,
		shown:  shown,
	}
	t := s.runText(slices.Insert(rows, 0, header))
	for i := range t.rows {
		t.write(i)
	}
}

// runMarkdown returns the table of a run in Markdown.
func (s *sheet) runMarkdown(action string, rows []row, shown []string) tableWriter {
	columns := ""
	for _, name := range shown {
		columns += strings.ReplaceAll(name, "|", "/") + " | "
	}
	return tableOf("step: | state: | "+columns+action+" | ", func(t *table) error {
		for _, r := range rows {
			cells := r.cells(s.layout())
			for i := range shown {
				cells = slices.Insert(cells, 2+i, any(r.shownCell(i, s.layout())))
			}
			if err := t.row(cells...); err != nil {
				return err
			}
		}
		return nil
	})
}

// shownCell returns a cell that the row shows in Markdown; nil for none.
func (r *row) shownCell(i int, l layout) any {
	if i >= len(r.shown) || r.shown[i] == "" || r.kind == omittedRow {
		return nil
	}
	return formatted(l.label(r.shown[i]))
}

// cells returns the number, the state, the label and the remarks of a row in Markdown.
func (r *row) cells(l layout) []any {
	var all []string
	if r.bracket.beginsLoop() {
		all = append(all, "↻ the loop begins")
	}
	for _, remark := range r.remarks {
		if remark.values {
			all = append(all, l.whole(remark.text))
		} else {
			all = append(all, l.cell(remark.text))
		}
	}
	remarks := formatted(strings.Join(all, "; "))
	switch r.kind {
	case omittedRow:
		if remarks == "" {
			return []any{"…", nil, "*" + r.words + "*", nil}
		}
		return []any{"…", nil, "*" + r.words + "*", remarks}
	case beginningRow:
		return []any{nil, nil, "*at first*", formatted(r.inCell)}
	case endRow:
		return []any{nil, r.state, nil, formatted(cmp.Or(r.inCell, r.words))}
	}
	return []any{r.number, r.state, formatted(repeatedly(l.label(r.label), r.times)), remarks}
}

// runText is the table of a run in text. Columns are as wide as necessary. Remarks that do not fit next
// to a label go below it, and so do the rest of values that do not fit next to each other.
type runText struct {
	*sheet
	rows   []row
	labels []string // of each row, as it is shown
	// The widths of columns, in cells. start is the width of the text before the columns that the reader
	// requested, and before is that of the text before a label.
	numberWidth, stateWidth, labelWidth int
	start, before                       int
	shownWidths                         []int
	remarksBelow                        bool // whether no remark has room next to a label
	// broken is a cache, see [sheet.remarkLines].
	broken map[setRemark][]string
}

func (s *sheet) runText(rows []row) *runText {
	t := &runText{
		sheet:  s,
		rows:   rows,
		labels: make([]string, len(rows)),
		broken: map[setRemark][]string{},
	}
	remarkWidth := 0
	widest := 0 // label
	for i := range rows {
		r := &rows[i]
		t.labels[i] = s.shownLabel(r)
		t.numberWidth = max(t.numberWidth, displayWidth(r.number))
		t.stateWidth = max(t.stateWidth, displayWidth(r.state))
		if r.kind == stepsRow {
			widest = max(widest, displayWidth(t.labels[i]))
		}
		if len(r.remarks) > 0 {
			t.labelWidth = max(t.labelWidth, displayWidth(t.labels[i]))
			remarkWidth = max(remarkWidth, displayWidth(textsOf(r.remarks)))
		}
	}
	t.start = len(" x ") + t.numberWidth + 2 + t.stateWidth + 2
	t.before = t.start
	t.setShownWidths(min(widest, mostLabelBesideValues))
	for _, width := range t.shownWidths {
		t.before += width + 2
	}
	if s.o.Full {
		return t
	}
	room := s.o.width() - t.before - 2
	if len(t.shownWidths) > 0 && room-t.labelWidth < min(remarkWidth, leastRemark) {
		t.remarksBelow = true
		return t
	}
	t.labelWidth = min(t.labelWidth, max(leastLabel, room-min(remarkWidth, leastRemark)))
	return t
}

// Bounds, in cells and lines, on the columns that the reader requested, unless a full report is requested:
// how wide a column is at least if its values need this width, how many lines a value takes, and how wide a
// label can be next to such columns without taking their room.
const (
	leastShown            = 12
	mostShownLines        = 4
	mostLabelBesideValues = 24
)

// setShownWidths finds how wide the columns are that the reader requested: as wide as their values, or, if
// the line has no room for that next to a label of the given width, an equal share of the line for each
// column that needs it.
func (t *runText) setShownWidths(label int) {
	t.shownWidths = make([]int, len(t.rows[0].shown))
	room := t.o.width() - t.start - label
	for column := range t.shownWidths {
		for i := range t.rows {
			t.shownWidths[column] = max(t.shownWidths[column],
				displayWidth(t.shownText(&t.rows[i], column)))
		}
		room -= 2 // after each column
	}
	if t.o.Full {
		return
	}
	narrowFirst := slices.Clone(t.shownWidths)
	slices.Sort(narrowFirst)
	share := math.MaxInt
	for i, width := range narrowFirst {
		equal := room / (len(narrowFirst) - i)
		if width > equal {
			share = max(equal, leastShown)
			break
		}
		room -= width
	}
	for column, width := range t.shownWidths {
		t.shownWidths[column] = min(width, share)
	}
}

// shownText returns what a row shows in a column.
func (t *runText) shownText(r *row, column int) string {
	if column >= len(r.shown) || r.kind == omittedRow {
		return ""
	}
	return printable.Text(r.shown[column])
}

// shownLines returns what a row shows in a column, in lines as wide as the column.
func (t *runText) shownLines(r *row, column int) []string {
	text := t.shownText(r, column)
	width := t.shownWidths[column]
	var lines []string
	for displayWidth(text) > width {
		if len(lines) == mostShownLines-1 {
			text = cutWidth(text, width)
			break
		}
		end := lineEnd(text, width)
		lines = append(lines, strings.TrimRight(text[:end], " "))
		text = strings.TrimLeft(text[end:], " ")
	}
	return append(lines, text)
}

// lineEnd returns how many bytes of a value fit on a line of the given number of cells: up to the last blank
// or comma, unless this is near the beginning of the line.
func lineEnd(text string, cells int) int {
	end := 0
	used := 0
	afterSeparator := 0
	for i, r := range text {
		used += displayWidth(string(r))
		if used > cells && i > 0 {
			break
		}
		end = i + utf8.RuneLen(r)
		if r == ' ' || r == ',' {
			afterSeparator = end
		}
	}
	if 4*afterSeparator > end {
		return afterSeparator
	}
	return end
}

// shownLabel returns the label of a row, or its words.
func (s *sheet) shownLabel(r *row) string {
	switch r.kind {
	case omittedRow:
		return "… " + r.words
	case beginningRow, endRow:
		return "(" + r.words + ")"
	}
	return repeatedly(shortened(printable.Text(r.label), s.o), r.times)
}

// write writes row i; row 0 has the names of the columns.
func (t *runText) write(i int) {
	r := &t.rows[i]
	left := t.leftLines(r)
	right := t.rightLines(i)
	for k := range max(len(left), len(right)) {
		line := t.below(r, t.before)
		if k < len(left) {
			line = left[k]
		}
		if k < len(right) {
			line += right[k]
		}
		line = strings.TrimRight(line, " ")
		if i == 0 || r.kind == omittedRow && k == 0 {
			line = t.style(dim, line)
		}
		t.line(line)
	}
	if t.remarksBelow && len(r.remarks) > 0 {
		underState := len(" x ") + t.numberWidth + 2
		for _, rest := range t.remarkLines(r.remarks, t.o.width()-underState, t.broken) {
			t.line(t.below(r, underState) + rest)
		}
	}
}

// leftLines returns the lines of a row up to its label: the number, the state, and what the reader requested.
func (t *runText) leftLines(r *row) []string {
	mark := " " // as wide as a part of the bracket of the loop
	if r.bracket != outsideLoop {
		mark = r.bracket.String()
	}
	lines := []string{" " + mark + " " + padLeft(r.number, t.numberWidth) + "  " +
		padLeft(r.state, t.stateWidth) + "  "}
	leftWidth := t.start // the width of the columns to the left
	for column, width := range t.shownWidths {
		shown := t.shownLines(r, column)
		for len(lines) < len(shown) {
			lines = append(lines, t.below(r, leftWidth))
		}
		for k := range lines {
			text := ""
			if k < len(shown) {
				text = shown[k]
			}
			lines[k] += padRight(text, width) + "  "
		}
		leftWidth += width + 2
	}
	return lines
}

// below returns the beginning of a line below the first one of a row, in a given number of cells: a part of
// the bracket of the loop, if it goes on.
func (t *runText) below(r *row, cells int) string {
	bracket := " "
	if r.bracket.goesOn() {
		bracket = middleOfLoop.String()
	}
	return " " + bracket + strings.Repeat(" ", cells-2)
}

// rightLines returns the label of a row and its remarks. The remarks are next to the label, or below if the
// label is too wide.
func (t *runText) rightLines(i int) []string {
	r := &t.rows[i]
	if r.kind == beginningRow || r.kind == endRow {
		return wrapped(t.labels[i], max(leastLabel, t.o.width()-t.before))
	}
	label := t.label(t.labels[i], t.before)
	if len(r.remarks) == 0 || t.remarksBelow {
		return []string{label}
	}
	labelWidth := displayWidth(label)
	fits := labelWidth <= t.labelWidth
	column := t.labelWidth + 2
	if !fits {
		// Remarks below a label begin near the label, since their own column has less room.
		column = 4
	}
	remarks := t.remarkLines(r.remarks, t.o.width()-t.before-column, t.broken)
	lines := []string{label}
	if fits {
		lines[0] += strings.Repeat(" ", max(0, column-labelWidth)) + remarks[0]
		remarks = remarks[1:]
	}
	for _, rest := range remarks {
		lines = append(lines, strings.Repeat(" ", column)+rest)
	}
	return lines
}

// setRemark is the key of the cache of remarks: a remark and the width of its lines, in cells.
type setRemark struct {
	remark
	cells int
}

// mostBroken bounds the number of entries of the cache of remarks.
const mostBroken = 1 << 10

// remarkLines breaks remarks into lines of at most the given number of cells, if possible between two
// remarks. broken is a cache, since the steps of a long run often have the same remark.
func (s *sheet) remarkLines(all []remark, cells int, broken map[setRemark][]string) []string {
	key := setRemark{all[0], cells}
	known, isKnown := broken[key]
	if isKnown && len(all) == 1 {
		return known
	}
	var lines []string
	line := ""
	used := 0 // cells of line
	for i, r := range all {
		separator := ""
		if i < len(all)-1 {
			separator = ";"
		}
		withRemark := used + 1 + displayWidth(r.text+separator)
		if used > 0 && withRemark > cells {
			lines = append(lines, line)
			line = ""
			used = 0
		}
		if used > 0 {
			line += " "
			used++
		}
		parts := wrapped(r.text, max(1, cells-len(separator)))
		for _, part := range parts[:len(parts)-1] {
			lines = append(lines, line+s.style(r.style, part))
			line = ""
			used = 0
		}
		last := parts[len(parts)-1]
		line += s.style(r.style, last) + separator
		used += displayWidth(last + separator)
	}
	lines = append(lines, line)
	if len(all) == 1 && len(broken) < mostBroken {
		broken[key] = lines
	}
	return lines
}

// label cuts a label to the width that is left on a line after the given number of cells.
func (s *sheet) label(text string, before int) string {
	if s.o.Full {
		return text
	}
	return cutWidth(text, max(leastLabel, min(widestLabel, s.o.width()-before)))
}

// DefaultWidth is the default width of text in cells: the width of the narrowest terminals in use.
// [LeastWidth] is the smallest possible width.
const (
	DefaultWidth = 80
	LeastWidth   = 20
)

// width returns the width at which text is wrapped.
func (o Options) width() int {
	if o.Width == 0 {
		return DefaultWidth
	}
	return max(o.Width, LeastWidth)
}

// displayWidth returns the number of cells that a text takes on a terminal: wide
// characters take two, combining ones none. It does not depend on the locale.
func displayWidth(text string) int {
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return uniseg.StringWidth(text)
		}
	}
	return len(text)
}

// cutWidth cuts a text to the given number of cells, between grapheme clusters, and replaces the rest
// by an ellipsis.
func cutWidth(text string, cells int) string {
	if displayWidth(text) <= cells {
		return text
	}
	kept := 0 // bytes
	used := 0 // cells
	state := -1
	for rest := text; rest != ""; {
		var cluster string
		var width int
		cluster, rest, width, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used+width > cells-1 {
			break
		}
		used += width
		kept += len(cluster)
	}
	return text[:kept] + "…"
}

// glued replaces a blank within a text of the model. A line is broken there only if no ordinary blank
// is near enough. [printable.Text] returns no such character.
const glued = "\x00"

func glue(text string) string { return strings.ReplaceAll(text, " ", glued) }

// wrapped breaks text into lines of at most the given number of cells. It breaks at blanks, and at
// glued blanks only within a piece that is wider than a line. A word that is wider than a line is not
// broken, so that users can copy it.
func wrapped(text string, cells int) []string {
	if len(text) <= cells && !strings.Contains(text, glued) {
		return []string{text}
	}
	w := &wrapping{cells: cells}
	for _, piece := range strings.Split(text, " ") {
		whole := strings.ReplaceAll(piece, glued, " ")
		if displayWidth(whole) <= cells {
			w.add(whole)
			continue
		}
		for _, word := range strings.Split(piece, glued) {
			w.add(word)
		}
	}
	return append(w.lines, w.line)
}

// wrapping is a text that is broken into lines.
type wrapping struct {
	cells   int      // the width of a line
	lines   []string // those that are full
	line    string   // the last one
	used    int      // the cells of line
	isBegun bool     // whether line has a word, perhaps an empty one
}

// add adds a word to the last line if it fits, otherwise to a new one.
func (w *wrapping) add(word string) {
	width := displayWidth(word)
	switch {
	case w.isBegun && w.used+1+width <= w.cells:
		w.line += " " + word
		w.used += 1 + width
		return
	case w.isBegun:
		w.lines = append(w.lines, w.line)
	}
	w.line = word
	w.used = width
	w.isBegun = true
}

// link writes a link to the picture file of the report in Markdown, if there is such a file.
func (s *sheet) link(what string) {
	if s.markdown && s.o.Picture != "" {
		// Characters that could end the target of the link, or make it anything but a path, are
		// escaped.
		parts := strings.Split(filepath.ToSlash(s.o.Picture), "/")
		for i, part := range parts {
			parts[i] = strings.ReplaceAll(url.PathEscape(part), ":", "%3A")
		}
		s.printf("\n![%s](%s)\n", what, strings.Join(parts, "/"))
	}
}

// legend explains the lines and shapes that the picture has.
func legend(e *explain.Explanation, picture string) string {
	text := "Thick: the counterexample, its steps numbered."
	if e.Classes == nil {
		return text
	}
	drawn := func(sign, meaning string) string {
		if strings.Contains(picture, sign) {
			return meaning
		}
		return ""
	}
	text += drawn("{{", " Hexagons: decisions.")
	classes := slices.DeleteFunc([]string{
		drawn("(correct)", "blue: all runs through it satisfy the property (correct)"),
		drawn("(incorrect)", "dashed orange: none does (incorrect)"),
		drawn("(excluded)", "dotted grey: no run through it counts (excluded)"),
	}, func(s string) bool { return s == "" })
	if len(classes) > 0 {
		text += " " + capital(strings.Join(classes, "; ")) + "; grey: some do."
	}
	return text + drawn(" more", " “n more”: transitions that are not shown.")
}
