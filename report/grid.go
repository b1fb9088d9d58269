package report

import (
	"fmt"
	"strings"
)

// row is a line of the table of steps. A row without a number stands for the
// steps left out before the next one.
type row struct {
	gutter, number, state, label string
	remarks                      []remark
	faint                        bool // of less interest than other rows
	words                        bool // label is no label, but words, to be broken into lines
}

// leastRemark is the room, in cells, that remarks get beside long labels, leastLabel
// what labels keep however narrow the table is.
const (
	leastRemark = 28
	leastLabel  = 8
)

// rowsOf writes a table, its columns as wide as they have to be. Remarks for which
// there is no room behind a label stand below it.
func (t *textWriter) rowsOf(rows []row) {
	number, state, label, said := 0, 0, 0, 0
	for _, r := range rows {
		number, state = max(number, displayWidth(r.number)), max(state, displayWidth(r.state))
		if len(r.remarks) > 0 {
			label, said = max(label, displayWidth(r.label)), max(said, displayWidth(textsOf(r.remarks)))
		}
	}
	width := t.o.width()
	before := len(" x ") + number + 2 + state + 2 // what stands before a label
	if !t.o.Full {
		label = min(label, max(leastLabel, width-before-2-min(said, leastRemark)))
	}
	set := map[setRemark][]string{}
	for _, r := range rows {
		mark := " " // one cell, as all gutters have
		if r.gutter != "" {
			mark = r.gutter
		}
		line := " " + mark + " " + pad(r.number, number, true) + "  " + pad(r.state, state, true) + "  "
		if r.words {
			for _, words := range wrapped(r.label, max(leastLabel, width-before)) {
				t.line(line + words)
				line = strings.Repeat(" ", before)
			}
			continue
		}
		text := t.label(r.label, before)
		line += text
		used := before + displayWidth(text)
		if r.faint {
			line = t.style(dim, strings.TrimRight(line, " "))
		}
		if len(r.remarks) == 0 {
			t.line(strings.TrimRight(line, " "))
			continue
		}
		column := before + label + 2
		if used > before+label {
			// Near the label, and with more room than in the column.
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

// setRemark is a remark that stands alone, in so many cells.
type setRemark struct {
	remark
	cells int
}

// linesOf is [textWriter.remarkLines]. Many steps of long runs have the same remark: set has the lines
// of those before.
func (t *textWriter) linesOf(all []remark, cells int, set map[setRemark][]string) []string {
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

// mostSet is how many remarks are kept with their lines.
const mostSet = 1 << 10

// below is the gutter of what stands below a step.
func below(gutter string) string {
	if gutter == "╭" || gutter == "│" {
		return "│"
	}
	return ""
}

// remarkLines sets remarks in lines of so many cells, broken between them rather
// than in them.
func (t *textWriter) remarkLines(all []remark, cells int) []string {
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

// label cuts a label to what is left of a line behind so many cells.
func (t *textWriter) label(text string, before int) string {
	if t.o.Full {
		return text
	}
	return cutWidth(text, max(leastLabel, min(widestLabel, t.o.width()-before)))
}
