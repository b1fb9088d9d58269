package sequence

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/remedy"
)

// The comments with which package report names what SEQ cannot express: where a loop begins, and
// that the labels are those of an abstraction.
const (
	loopComment        = "The loop begins here"
	abstractionComment = "Abstraction, not a run"
)

// seqReader reads SEQ in its simple form (CADP's manual page seq, 2019).
type seqReader struct {
	name string
	text []byte
	pos  int
	line int
	// fresh reports whether only blanks and comments precede on the line.
	fresh bool

	runs    []run
	current run
	// loopLine is the number of the line with the comment that begins the loop of current.
	loopLine int
}

func (s *seqReader) read() {
	for s.pos < len(s.text) {
		s.token()
	}
	if !s.current.isEmpty() {
		s.end()
	}
	if len(s.runs) == 0 {
		abort.On(&inputfile.Error{File: s.name, Message: `there is no sequence in this file: a sequence has one "label" a line, in double quotes (a trace of mCRL2 is named .trc)`})
	}
}

// token reads the next token, a blank included.
func (s *seqReader) token() {
	switch c := s.text[s.pos]; {
	case c == '\n':
		s.pos++
		s.line++
		s.fresh = true
	case c == ' ' || c == '\t' || c == '\r':
		s.pos++
	case c == '\x01':
		s.comment()
	case !s.fresh:
		s.refuse("unexpected %s: a line holds one label, and only the simple form of SEQ is read", s.rest())
	case c == '"':
		s.label()
	case c == '<':
		s.keyword()
	case bytes.HasPrefix(s.text[s.pos:], []byte("[]")):
		s.pos += len("[]")
		s.fresh = false
		if s.current.isEmpty() {
			s.refuse("[] stands where no sequence precedes it: it separates one from the next")
		}
		s.end()
	case c == '[' || c == '(' || c == '~':
		s.refuseFull()
	default:
		s.skipLine()
	}
}

// comment reads a comment in control characters, perhaps over several lines.
func (s *seqReader) comment() {
	length := bytes.IndexByte(s.text[s.pos:], '\x02')
	if length < 0 {
		s.refuse(`the comment that begins here has no end: it is closed by the character \002 (control-B)`)
	}
	body := s.text[s.pos+1 : s.pos+length]
	switch text := strings.TrimSpace(string(body)); {
	case strings.HasPrefix(text, abstractionComment):
		abort.On(inputfile.NewError(s.name, s.line, remedy.New(nil, "this is an abstraction of a counterexample, which is no run: ", remedy.WholeRun)))
	case strings.HasPrefix(text, loopComment):
		s.current.loop = len(s.current.labels)
		s.loopLine = s.line
	}
	s.line += bytes.Count(body, []byte("\n"))
	s.pos += length + 1
}

func (s *seqReader) label() {
	if s.current.deadlock {
		s.refuse("a label after <deadlock>, from which nothing goes on: put [] between two sequences")
	}
	rest := s.text[s.pos+1:]
	length := bytes.IndexAny(rest, "\"\n")
	if length < 0 || rest[length] == '\n' {
		s.refuse("the closing quote of the label is missing: %s", s.rest())
	}
	s.current.labels = append(s.current.labels, string(rest[:length]))
	s.pos += length + 2
	s.fresh = false
}

// keyword reads a word in angle brackets. CADP's tools write <initial state> and <goal state>
// inside comments, whose ends get lost in a terminal.
func (s *seqReader) keyword() {
	word, _, _ := strings.Cut(s.restOfLine(), ">")
	switch word + ">" {
	case "<deadlock>":
		s.current.deadlock = true
	case "<initial state>", "<goal state>":
	case "<any>", "<while>", "<until>":
		s.refuseFull()
	default:
		s.refuse(`unexpected %s: expected a "label" or <deadlock>`, s.rest())
	}
	s.pos += len(word) + 1
	s.fresh = false
}

// end ends the current sequence.
func (s *seqReader) end() {
	if r := s.current; r.loop != noLoop && (r.deadlock || r.loop == len(r.labels)) {
		s.line = s.loopLine
		s.refuse("a loop is said to begin here, but no label follows, or a deadlock ends it: correct the sequence or leave the comment out")
	}
	s.runs = append(s.runs, s.current)
	s.current = run{loop: noLoop}
}

func (s *seqReader) skipLine() {
	s.pos += len(s.restOfLine())
}

func (s *seqReader) restOfLine() string {
	rest, _, _ := bytes.Cut(s.text[s.pos:], []byte("\n"))
	return string(rest)
}

// rest returns the rest of the line for an error message: escaped, and shortened.
func (s *seqReader) rest() string {
	const most = 40
	rest := strings.TrimRight(s.restOfLine(), " \t\r")
	if len(rest) > most {
		return strconv.Quote(rest[:most]) + "..."
	}
	return strconv.Quote(rest)
}

func (s *seqReader) refuseFull() {
	s.refuse("%s belongs to the full form of SEQ, a pattern of sequences: give a sequence in the simple form, such as exhibitor finds for the pattern", s.rest())
}

func (s *seqReader) refuse(format string, args ...any) {
	abort.On(&inputfile.Error{File: s.name, Line: s.line, Message: fmt.Sprintf(format, args...)})
}
