package report

import (
	"bufio"
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
)

// markdownSheet is a document in Markdown. Texts of the model are set as code.
type markdownSheet struct {
	w *bufio.Writer
	o Options
}

func (m *markdownSheet) options() Options { return m.o }

func (m *markdownSheet) quote(text string) string {
	return printable.Code(cut(printable.Text(text), m.o))
}

func (m *markdownSheet) printf(format string, args ...any) { fmt.Fprintf(m.w, format, args...) }

func (m *markdownSheet) title(_, said string) { m.printf("## %s\n", said) }

func (m *markdownSheet) lead(_, said string) { m.printf("%s\n", said) }

func (m *markdownSheet) warnings(all []string) {
	for _, warning := range all {
		m.printf("\nWarning: %s\n", printable.Code(printable.Text(warning)))
	}
}

func (m *markdownSheet) heading(title string) { m.printf("\n### %s\n", title) }

func (m *markdownSheet) paragraphs(_ string, said ...string) {
	for _, sentence := range said {
		m.printf("\n%s\n", sentence)
	}
}

func (m *markdownSheet) items(_ string, said []string) {
	for i, sentence := range said {
		m.item(i, "- ", sentence)
	}
}

func (m *markdownSheet) numbered(said []string) {
	for i, sentence := range said {
		m.item(i, fmt.Sprintf("%d. ", i+1), sentence)
	}
}

// item writes item i of a list, counted from 0.
func (m *markdownSheet) item(i int, mark, said string) {
	if i == 0 {
		m.printf("\n")
	}
	m.printf("%s%s\n", mark, said)
}

func (m *markdownSheet) claims(s *Sentences, all []Claim) {
	for i, c := range all {
		said := s.Say(c)
		if what, command := m.o.onward(s, c); command != "" {
			said += " " + what + " " + printable.Code(command)
		}
		m.item(i, "- ", said)
	}
}

func (m *markdownSheet) closing(said string) { m.printf("\n%s\n", said) }

func (m *markdownSheet) table(write tableWriter) { write(m.w, markdownLayout(m.o)) }

func (m *markdownSheet) steps(action string, rows []row) {
	m.printf("\n")
	l := markdownLayout(m.o)
	m.table(tableOf("step: | state: | "+action+" | ", func(line func(cells ...any)) {
		for _, r := range rows {
			var all []string
			if r.gutter == "╭" || r.gutter == "↻" {
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
			switch {
			case r.number != "":
				line(r.number, r.state, formatted(folding(l.label(r.label), r.times)), remarks)
			case r.leftOut && remarks == "":
				line("…", nil, "*"+r.said+"*", nil)
			case r.leftOut:
				line("…", nil, "*"+r.said+"*", remarks)
			case r.state == "":
				line(nil, nil, "*at first*", formatted(r.inCell))
			default:
				line(nil, r.state, nil, formatted(cmp.Or(r.inCell, r.said)))
			}
		}
	}))
}

// picture writes the flowchart of the counterexample, the reason why there is none, or a link to a
// picture.
func (m *markdownSheet) picture(e *explain.Explanation) {
	switch o := m.o; {
	case o.Picture != "" || o.Flowchart.isNone() || len(e.Counterexample.Steps) == 0:
		m.link("The counterexample, its states, and what leads away from them")
	case o.Flowchart.Why != "":
		m.printf("\nThere is no picture here: %s\n", printable.Code(o.Flowchart.Why))
	default:
		m.printf("\n```mermaid\n%s```\n\n%s\n", o.Flowchart.Text, legend(e, o.Flowchart.Text))
	}
}

// sequence writes the sequence chart of the counterexample.
func (m *markdownSheet) sequence() {
	switch c := m.o.Sequence; {
	case c.isNone():
	case c.Why != "":
		m.printf("\nThere is no sequence chart here: %s\n", printable.Code(c.Why))
	default:
		m.printf("\n### Who does what\n\n```mermaid\n%s```\n", c.Text)
		for _, note := range c.Notes {
			m.printf("\nNote: %s.\n", printable.Code(note))
		}
	}
}

// link writes a link to the picture file of the report, if there is one.
func (m *markdownSheet) link(what string) {
	if m.o.Picture != "" {
		m.printf("\n![%s](%s)\n", what, address(m.o.Picture))
	}
}

// legend explains the lines and shapes that the picture has.
func legend(e *explain.Explanation, picture string) string {
	said := "Thick: the counterexample, its steps numbered."
	if e.Classes == nil {
		return said
	}
	drawn := func(sign, meaning string) string {
		if strings.Contains(picture, sign) {
			return meaning
		}
		return ""
	}
	said += drawn("{{", " Hexagons: decisions.")
	classes := slices.DeleteFunc([]string{
		drawn("(correct)", "blue: all runs through it satisfy the property (correct)"),
		drawn("(incorrect)", "dashed orange: none does (incorrect)"),
		drawn("(excluded)", "dotted grey: no run through it counts (excluded)"),
	}, func(s string) bool { return s == "" })
	if len(classes) > 0 {
		text := strings.Join(classes, "; ")
		said += " " + strings.ToUpper(text[:1]) + text[1:] + "; grey: some do."
	}
	return said + drawn(" more", " “n more”: transitions that are not shown.")
}

// address writes a path as the target of a link. It escapes the characters that could end the
// target, or make it anything but a path.
func address(path string) string {
	parts := strings.Split(filepath.ToSlash(path), "/")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(part), ":", "%3A")
	}
	return strings.Join(parts, "/")
}
