//go:build !js

package frontend

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// output is the output of a program. Writing to it never fails.
type output struct {
	states      func(line string)
	line        []byte
	lineIsCut   bool // the rest of the line is left out
	first, last []string
	total       int
}

// Write takes what a program prints, in pieces of any length. A carriage return ends a line, too, since programs
// show their progress by it.
func (o *output) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		end := bytes.IndexAny(p, "\n\r")
		if end < 0 {
			o.appendToLine(p)
			break
		}
		o.appendToLine(p[:end])
		o.endLine()
		p = p[end+1:]
	}
	return n, nil
}

func (o *output) appendToLine(p []byte) {
	room := keptBytes - len(o.line)
	if len(p) > room {
		p = p[:max(room, 0)]
		o.lineIsCut = true
	}
	o.line = append(o.line, p...)
}

// endLine ends a line of the output. Unless it is blank, it is kept among the first or the last lines.
func (o *output) endLine() {
	text := strings.TrimRight(strings.ToValidUTF8(string(o.line), string(utf8.RuneError)),
		" \t")
	if o.lineIsCut {
		text += " …"
	}
	o.line = o.line[:0]
	o.lineIsCut = false
	if strings.TrimSpace(text) == "" {
		return
	}
	o.states(text)
	o.total++
	switch {
	case len(o.first) < keptLines:
		o.first = append(o.first, text)
	case len(o.last) == keptLines:
		copy(o.last, o.last[1:])
		o.last[keptLines-1] = text
	default:
		o.last = append(o.last, text)
	}
}
