package editor

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// document is a text in the editor. It is immutable: an edit makes a new document.
type document struct {
	uri     string
	path    string
	version int
	text    string
	lines   []int // the offsets where lines begin
}

// newDocument returns a document with a text, whose lines it finds.
func newDocument(uri string, version int, text string) *document {
	d := &document{
		uri:     uri,
		path:    pathOf(uri),
		version: version,
		text:    text,
		lines:   []int{0},
	}
	for i := range len(text) {
		if text[i] == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	return d
}

// edited returns the document after some edits, in their order.
func (d *document) edited(version int, changes []change) *document {
	for _, c := range changes {
		text := c.Text
		if c.Range != nil {
			from, to := d.offset(c.Range.Start), d.offset(c.Range.End)
			text = d.text[:from] + c.Text + d.text[max(from, to):]
		}
		d = newDocument(d.uri, version, text)
	}
	return d
}

// line returns a line without its end, and the offset where it begins.
func (d *document) line(n int) (text string, start int) {
	if n < 0 || n >= len(d.lines) {
		return "", len(d.text)
	}
	start = d.lines[n]
	end := len(d.text)
	if n+1 < len(d.lines) {
		end = d.lines[n+1] - 1
	}
	return strings.TrimSuffix(d.text[start:end], "\r"), start
}

// offset returns the offset of a position in the text. A position beyond the end of a line means
// the end.
func (d *document) offset(p position) int {
	if p.Line < 0 {
		return 0
	}
	text, start := d.line(p.Line)
	units := 0
	for i, r := range text {
		if units >= p.Character {
			return start + i
		}
		units += units16(r)
	}
	return start + len(text)
}

// position returns the position of an offset in the text.
func (d *document) position(offset int) position {
	offset = min(max(offset, 0), len(d.text))
	line := sort.SearchInts(d.lines, offset+1) - 1
	return position{line, length16(d.text[d.lines[line]:offset])}
}

func (d *document) span(from, to int) span {
	return span{d.position(from), d.position(max(from, to))}
}

func units16(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}

// length16 returns how many UTF-16 code units a text takes.
func length16(text string) int {
	n := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		n, text = n+units16(r), text[size:]
	}
	return n
}
