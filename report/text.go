package report

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/printable"
)

// textSheet is a document as text for a terminal.
type textSheet struct {
	w      *bufio.Writer
	o      Options
	headed bool // there is a heading above
}

func (t *textSheet) options() Options { return t.o }

func (t *textSheet) quote(text string) string {
	return glue(cut(printable.Text(text), t.o))
}

func (t *textSheet) title(style, said string) { t.styledParagraph("", style, said) }

func (t *textSheet) lead(style, said string) { t.styledParagraph("", style, said) }

// warnings writes nothing: the command shows warnings on standard error.
func (t *textSheet) warnings([]string) {}

func (t *textSheet) heading(title string) {
	t.headed = true
	t.line("")
	t.line(t.style(bold, title))
}

func (t *textSheet) paragraphs(indent string, said ...string) {
	if len(said) > 0 && (indent == "" || !t.headed) {
		t.line("")
	}
	for _, sentence := range said {
		t.paragraph(indent, sentence)
	}
}

func (t *textSheet) items(indent string, said []string) { t.paragraphs(indent, said...) }

func (t *textSheet) numbered(said []string) {
	for i, sentence := range said {
		t.paragraph(fmt.Sprintf("  %d. ", i+1), sentence)
	}
}

func (t *textSheet) claims(s *Sentences, all []Claim) {
	for _, c := range all {
		t.paragraph("  ", s.Say(c))
		if what, command := t.o.onward(s, c); command != "" {
			t.paragraph("  ", what)
			t.line("    " + command) // the command is not wrapped, so that it can be copied
		}
	}
}

func (t *textSheet) closing(said string) { t.paragraph("", said) }

func (t *textSheet) table(write tableWriter) { write(t.w, textLayout(t.o)) }

// paragraph writes text in lines: prefix begins the first, and as many blanks each other.
func (t *textSheet) paragraph(prefix, text string) { t.styledParagraph(prefix, "", text) }

// styledParagraph writes text like [textSheet.paragraph], in a style.
func (t *textSheet) styledParagraph(prefix, codes, text string) {
	indent := displayWidth(prefix)
	for _, line := range wrapped(text, max(LeastWidth/2, t.o.width()-indent)) {
		t.line(prefix + t.style(codes, line))
		prefix = strings.Repeat(" ", indent)
	}
}

// line writes a line. The buffered writer keeps the first error for flush.
func (t *textSheet) line(text string) {
	t.w.WriteString(text)
	t.w.WriteByte('\n')
}

// Codes of the control sequence "select graphic rendition".
const (
	bold  = "\x1b[1m"
	dim   = "\x1b[2m"
	red   = "\x1b[31m"
	green = "\x1b[32m"
	plain = "\x1b[0m"
)

// style styles text if colours are wanted.
func (t *textSheet) style(codes, text string) string {
	if !t.o.Color || codes == "" {
		return text
	}
	return codes + text + plain
}

// blanks is a string with more blanks than most tables need.
const blanks = "                                                                                "

// blank returns n blanks, none if n is negative.
func blank(cells int) string {
	if cells <= len(blanks) {
		return blanks[:max(0, cells)]
	}
	return strings.Repeat(" ", cells)
}

// pad fills text up to a width in cells; on the left if right is set.
func pad(text string, width int, right bool) string {
	blanks := blank(width - displayWidth(text))
	if right {
		return blanks + text
	}
	return text + blanks
}

// leastRemark is the width, in cells, reserved for remarks next to long labels; leastLabel is the
// least width of labels in a narrow table.
const (
	leastRemark = 28
	leastLabel  = 8
)

// steps writes rows with columns as wide as needed. Remarks that do not fit next to a label go
// below it.
func (t *textSheet) steps(action string, rows []row) {
	if !t.headed {
		t.line("")
	}
	rows = slices.Insert(rows, 0, row{number: "step", state: "state", label: action})
	labels := make([]string, len(rows))
	number, state, label, said := 0, 0, 0, 0
	for i, r := range rows {
		switch {
		case r.leftOut:
			labels[i] = "… " + r.said
		case r.number == "":
			labels[i] = "(" + r.said + ")"
		default:
			labels[i] = folding(shortened(printable.Text(r.label), t.o), r.times)
		}
		number, state = max(number, displayWidth(r.number)), max(state, displayWidth(r.state))
		if len(r.remarks) > 0 {
			label, said = max(label, displayWidth(labels[i])), max(said, displayWidth(textsOf(r.remarks)))
		}
	}
	width := t.o.width()
	before := len(" x ") + number + 2 + state + 2 // the text before a label
	if !t.o.Full {
		label = min(label, max(leastLabel, width-before-2-min(said, leastRemark)))
	}
	set := map[setRemark][]string{}
	for i, r := range rows {
		mark := " " // one cell, as all gutters have
		if r.gutter != "" {
			mark = r.gutter
		}
		line := " " + mark + " " + pad(r.number, number, true) + "  " + pad(r.state, state, true) + "  "
		if r.number == "" && !r.leftOut {
			for _, words := range wrapped(labels[i], max(leastLabel, width-before)) {
				t.line(line + words)
				line = strings.Repeat(" ", before)
			}
			continue
		}
		text := t.label(labels[i], before)
		line += text
		used := before + displayWidth(text)
		if i == 0 || r.leftOut {
			line = t.style(dim, strings.TrimRight(line, " "))
		}
		if len(r.remarks) == 0 {
			t.line(strings.TrimRight(line, " "))
			continue
		}
		column := before + label + 2
		if used > before+label {
			// Remarks below begin near the label, where more room is left than in their own column.
			column = before + 4
		}
		lines := t.linesOf(r.remarks, width-column, set)
		if used > before+label {
			t.line(line)
		} else {
			t.line(line + blank(column-used) + lines[0])
			lines = lines[1:]
		}
		for _, rest := range lines {
			t.line(fmt.Sprintf(" %s%s%s", pad(below(r.gutter), 1, false), strings.Repeat(" ", column-2), rest))
		}
	}
}

// setRemark is the key of the cache of remarks: a remark and the width of its lines, in cells.
type setRemark struct {
	remark
	cells int
}

// linesOf is [textSheet.remarkLines] with the cache set: the steps of a long run often have the
// same remark.
func (t *textSheet) linesOf(all []remark, cells int, set map[setRemark][]string) []string {
	if len(all) != 1 {
		return t.remarkLines(all, cells)
	}
	key := setRemark{all[0], cells}
	lines, known := set[key]
	if !known {
		lines = t.remarkLines(all, cells)
		if len(set) < mostSet {
			set[key] = lines
		}
	}
	return lines
}

// mostSet bounds the number of entries of the cache of remarks.
const mostSet = 1 << 10

// below returns the part of the loop's bracket next to the lines below a step.
func below(gutter string) string {
	if gutter == "╭" || gutter == "│" {
		return "│"
	}
	return ""
}

// remarkLines breaks remarks into lines of at most this many cells, if possible between two
// remarks.
func (t *textSheet) remarkLines(all []remark, cells int) []string {
	var lines []string
	line, used := "", 0
	for i, r := range all {
		comma := ""
		if i < len(all)-1 {
			comma = ";"
		}
		if used > 0 && used+1+displayWidth(r.text+comma) > cells {
			lines = append(lines, line)
			line, used = "", 0
		}
		if used > 0 {
			line, used = line+" ", used+1
		}
		parts := wrapped(r.text, max(1, cells-len(comma)))
		for _, part := range parts[:len(parts)-1] {
			lines = append(lines, line+t.style(r.style, part))
			line, used = "", 0
		}
		last := parts[len(parts)-1]
		line, used = line+t.style(r.style, last)+comma, used+displayWidth(last+comma)
	}
	return append(lines, line)
}

// label cuts a label to the width that is left on a line after this many cells.
func (t *textSheet) label(text string, before int) string {
	if t.o.Full {
		return text
	}
	return cutWidth(text, max(leastLabel, min(widestLabel, t.o.width()-before)))
}
