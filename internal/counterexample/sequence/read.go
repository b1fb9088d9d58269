package sequence

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/format/frontend"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/lts"
)

// maxText is the largest size of a sequence, in bytes. A longer one, of some million steps, would
// help nobody.
const maxText = 64 << 20

// startSize is the number of bytes at the beginning of a file that determine its format.
const startSize = 64 << 10

// Open reads the counterexamples in a file as [Read] does. A file named .bcg is converted first, as
// in [frontend.Maker.Open].
func Open(ctx context.Context, path string) (all []*counterexample.Given, warnings []string, err error) {
	if format.Of(path, nil).IsConverted() {
		maker := &frontend.Maker{}
		defer func() { err = errors.Join(err, maker.Close()) }()
		return asGraph(maker.Open(ctx, frontend.Specification{Path: path}, format.Options{Lenient: true}))
	}
	f, err := inputfile.Open(ctx, path)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil {
		return nil, nil, inputfile.FileError(path, err)
	}
	defer f.Close()
	return Read(ctx, f, path)
}

// Read reads counterexamples: all sequences of a SEQ file in order, or one from a file of another
// format; at least one unless it fails. name is the file name, which errors have, and whose suffix
// is a hint at the format. Read also returns warnings, each of one line.
//
// Errors are of type aut.Error, or the error of a context that is done, or a [*ValuesError] for
// a behaviour in JSON, which needs a model to become a sequence. Cost O(length of the file); a
// sequence may have 64 MiB of text, and a graph in .aut any size.
func Read(ctx context.Context, r io.Reader, name string) (all []*counterexample.Given, warnings []string, err error) {
	defer abort.Caught(&err)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	plain, err := compressed.NewReader(r, 1)
	if err != nil {
		return nil, nil, inputfile.FileError(name, err)
	}
	defer plain.Close()
	text := bufio.NewReaderSize(plain, startSize)
	start, err := text.Peek(startSize)
	if err != nil && err != io.EOF {
		return nil, nil, inputfile.FileError(name, err)
	}
	start = bytes.TrimPrefix(start, []byte("\ufeff"))
	// A trace of mCRL2 begins like its .lts files, so only its name distinguishes it.
	isBinary := bytes.HasPrefix(start, []byte("\x00\x8b\xaf")) && format.Suffix(name) != ".lts"
	if isBinary || bytes.HasPrefix(start, []byte("mCRL2Trace")) {
		return nil, nil, &inputfile.Error{File: name, Message: "this is mCRL2's binary form of a trace: write it as text with tracepp --format=plain FILE.trc TEXT.trc"}
	}
	rest, isGraph := bytes.CutPrefix(bytes.TrimLeft(start, " \t\r\n"), []byte("des"))
	isGraph = isGraph && bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), []byte("("))
	if _, sure := format.ByContent(start); sure || isGraph || format.Suffix(name) == ".aut" && !isSequence(start) {
		return asGraph(format.Read(ctx, text, format.Options{Name: name, Lenient: true}))
	}
	// A label may have any bytes, also zeros, so whatever follows the beginning of a sequence is accepted.
	zero := bytes.IndexByte(start, 0)
	if zero >= 0 && !isSequence(start[:zero]) {
		return nil, nil, &inputfile.Error{File: name, Message: "this is binary data, no sequence: if it is a BCG file of CADP, name it .bcg, or convert it with bcg_io FILE.bcg FILE.aut"}
	}
	whole, err := io.ReadAll(io.LimitReader(text, maxText+1))
	switch {
	case err != nil:
		return nil, nil, inputfile.FileError(name, err)
	case len(whole) > maxText:
		return nil, nil, &inputfile.Error{File: name, Message: fmt.Sprintf("this is longer than %d MiB: give a single sequence", maxText>>20)}
	}
	whole = bytes.TrimPrefix(whole, []byte("\ufeff"))
	if bytes.HasPrefix(bytes.TrimLeft(whole, " \t\r\n"), []byte("{")) {
		b, err := parseBehaviour(whole)
		if err != nil {
			return nil, nil, inputfile.NewError(name, 0, err)
		}
		b.name = name
		return nil, nil, &ValuesError{b}
	}
	if len(bytes.TrimSpace(whole)) == 0 {
		return nil, nil, &inputfile.Error{File: name, Message: "empty file: give a sequence of CADP (.seq), a trace of mCRL2 (.trc) or a graph (.aut)"}
	}
	var runs []run
	if isSequence(whole) || format.Suffix(name) == ".seq" {
		s := seqReader{name: name, text: whole, line: 1, fresh: true, current: run{loop: noLoop}}
		s.read()
		runs = s.runs
	} else {
		// mCRL2's plain form of a trace has one action a line. Empty lines, and blanks at the end of a line,
		// are ignored, as mCRL2 does.
		r := run{loop: noLoop}
		for _, line := range strings.Split(string(whole), "\n") {
			line = strings.Trim(line, " \t\r")
			if line != "" {
				r.labels = append(r.labels, line)
			}
		}
		runs = []run{r}
	}
	all = make([]*counterexample.Given, len(runs))
	for i, r := range runs {
		e, err := r.given()
		if err != nil {
			return nil, nil, &inputfile.Error{File: name, Message: err.Error()}
		}
		all[i] = e
	}
	return all, nil, nil
}

// asGraph makes a given trace of a model that was read.
func asGraph(m *format.Model, warnings []string, err error) ([]*counterexample.Given, []string, error) {
	if err != nil {
		return nil, nil, err
	}
	e, err := counterexample.NewGiven(m.LTS)
	return []*counterexample.Given{e}, warnings, err
}

// isSequence reports whether a line begins like a line of SEQ and like no line of the other
// formats.
func isSequence(text []byte) bool {
	for more := true; more; {
		var line []byte
		line, text, more = bytes.Cut(text, []byte("\n"))
		line = bytes.TrimLeft(line, " \t")
		if len(line) > 0 && strings.IndexByte("\"<\x01", line[0]) >= 0 {
			return true
		}
	}
	return false
}

// noLoop is the loop of a run without one.
const noLoop = -1

// run is a sequence as in its file.
type run struct {
	labels   []string
	deadlock bool
	// loop is the index of the label that begins the loop.
	loop int
}

func (r *run) isEmpty() bool { return len(r.labels) == 0 && !r.deadlock }

// given returns the run as a graph: node i is the state before label i.
func (r *run) given() (*counterexample.Given, error) {
	var b lts.Builder
	nodes := len(r.labels) + 1
	if r.loop != noLoop {
		nodes--
	}
	for i, text := range r.labels {
		next := i + 1
		if next == nodes {
			next = r.loop
		}
		b.Add(lts.State(i), b.Label(text), lts.State(next))
	}
	graph, err := b.Build(0, nodes)
	if err != nil {
		return nil, err
	}
	if r.deadlock {
		return counterexample.NewGiven(graph, lts.State(len(r.labels)))
	}
	return counterexample.NewGiven(graph)
}

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
		c := s.text[s.pos]
		switch {
		case c == '\n':
			s.pos++
			s.line++
			s.fresh = true
		case c == ' ' || c == '\t' || c == '\r':
			s.pos++
		case c == '\x01':
			// A comment in control characters may have several lines.
			length := bytes.IndexByte(s.text[s.pos:], '\x02')
			if length < 0 {
				s.refuse(`the comment that begins here has no end: it is closed by the character \002 (control-B)`)
			}
			body := s.text[s.pos+1 : s.pos+length]
			text := strings.TrimSpace(string(body))
			switch {
			case strings.HasPrefix(text, abstractionComment):
				abort.On(inputfile.NewError(s.name, s.line, remedy.New(nil, "this is an abstraction of a counterexample, which is no run: ", remedy.WholeRun)))
			case strings.HasPrefix(text, loopComment):
				s.current.loop = len(s.current.labels)
				s.loopLine = s.line
			}
			s.line += bytes.Count(body, []byte("\n"))
			s.pos += length + 1
		case !s.fresh:
			s.refuse("unexpected %s: a line holds one label, and only the simple form of SEQ is read", s.rest())
		case c == '"':
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
		case c == '<':
			// CADP's tools write <initial state> and <goal state> inside comments, whose ends get lost in a
			// terminal.
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
			s.pos += len(s.restOfLine())
		}
	}
	if !s.current.isEmpty() {
		s.end()
	}
	if len(s.runs) == 0 {
		abort.On(&inputfile.Error{File: s.name, Message: `there is no sequence in this file: a sequence has one "label" a line, in double quotes (a trace of mCRL2 is named .trc)`})
	}
}

// end ends the current sequence.
func (s *seqReader) end() {
	r := s.current
	if r.loop != noLoop && (r.deadlock || r.loop == len(r.labels)) {
		s.line = s.loopLine
		s.refuse("a loop is said to begin here, but no label follows, or a deadlock ends it: correct the sequence or leave the comment out")
	}
	s.runs = append(s.runs, s.current)
	s.current = run{loop: noLoop}
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
