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
	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/format/frontend"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/lts"
)

// maxText is the largest size of a sequence, in bytes. A longer sequence, of some million steps,
// would help nobody.
const maxText = 64 << 20

// startSize is the number of bytes at the beginning of a file that determine its format.
const startSize = 64 << 10

// Open reads the counterexamples in a file as [Read] does. A file named .bcg is converted first, as
// in [frontend.Maker.Open].
func Open(
	ctx context.Context,
	path string,
) (all []*counterexample.Given, warnings []string, err error) {
	if format.Of(path, nil).IsConverted() {
		maker := &frontend.Maker{}
		defer func() { err = errors.Join(err, maker.Close()) }()
		m, warnings, err := maker.Open(ctx, frontend.Specification{Path: path}, format.Options{Lenient: true})
		return asGraph(path, m, warnings, err)
	}
	f, err := inputfile.Open(ctx, path)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil:
		return nil, nil, inputfile.FileError(path, err)
	}
	defer f.Close()
	return Read(ctx, f, path)
}

// Read reads counterexamples: all sequences of a SEQ file in order, or one counterexample from a
// file of another format. It returns at least one unless it fails. name is the file name, which
// appears in errors, and whose suffix is a hint at the format. Read also returns warnings, each of
// one line.
//
// Errors are of type aut.Error, or the error of a context that is done, or a [*ValuesError] for a
// behaviour of TLA+, which needs a model to become a sequence. Cost O(length of the file); a
// sequence may have 64 MiB of text, and a graph in .aut any size.
func Read(
	ctx context.Context,
	r io.Reader,
	name string,
) (all []*counterexample.Given, warnings []string, err error) {
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
	if isGraph(start, name) && !isBinaryTrace(start, name) {
		m, warnings, err := format.Read(ctx, text, format.Options{Name: name, Lenient: true})
		return asGraph(name, m, warnings, err)
	}
	if err := checkText(start, name); err != nil {
		return nil, nil, err
	}
	whole, err := readWhole(text, name)
	if err != nil {
		return nil, nil, err
	}
	printed := withoutQuoting(whole)
	if isPrinted(printed) {
		return readPrinted(printed, name)
	}
	runs, err := parse(whole, name)
	if err != nil {
		return nil, nil, err
	}
	all, err = givenOf(runs, name)
	return all, nil, err
}

// checkText fails if a file begins with bytes that mark the binary format of another program.
func checkText(start []byte, name string) error {
	if isBinaryTrace(start, name) {
		return &inputfile.Error{
			File:    name,
			Message: "this is mCRL2's binary form of a trace: write it as text with tracepp --format=plain FILE.trc TEXT.trc",
		}
	}
	// Labels may contain any bytes, also zeros. So a zero byte is allowed after the beginning of a
	// sequence.
	zero := bytes.IndexByte(start, 0)
	if zero >= 0 && !isSequence(start[:zero]) {
		return &inputfile.Error{
			File:    name,
			Message: "this is binary data, no sequence: if it is a BCG file of CADP, name it .bcg, or convert it with bcg_io FILE.bcg FILE.aut",
		}
	}
	return nil
}

// givenOf returns the counterexamples of the sequences of a file.
func givenOf(runs []run, name string) ([]*counterexample.Given, error) {
	all := make([]*counterexample.Given, len(runs))
	for i, r := range runs {
		for _, label := range r.labels {
			if err := refuseDifference(name, label); err != nil {
				return nil, err
			}
		}
		given, err := r.graph()
		if err != nil {
			return nil, &inputfile.Error{File: name, Message: err.Error()}
		}
		all[i] = given
	}
	return all, nil
}

// readPrinted reads the first behaviour of a text that TLC printed, and returns it as a
// [*ValuesError].
func readPrinted(
	text []byte,
	name string,
) (none []*counterexample.Given, warnings []string, err error) {
	b, isLast, err := parsePrinted(text, name)
	if err != nil {
		return nil, nil, err
	}
	if !isLast {
		warnings = append(warnings,
			name+": holds several behaviours; the first one is explained")
	}
	return nil, warnings, &ValuesError{b}
}

// isBinaryTrace reports whether a file is a trace of mCRL2 in a binary form. One such form begins
// like mCRL2's .lts files, so only its name distinguishes it.
func isBinaryTrace(start []byte, name string) bool {
	if bytes.HasPrefix(start, []byte("mCRL2Trace")) {
		return true
	}
	return bytes.HasPrefix(start, []byte("\x00\x8b\xaf")) && format.Suffix(name) != ".lts"
}

// isGraph reports whether a file is a graph, by its beginning or its name.
func isGraph(start []byte, name string) bool {
	rest, isAut := bytes.CutPrefix(bytes.TrimLeft(start, " \t\r\n"), []byte("des"))
	if isAut && bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), []byte("(")) {
		return true
	}
	_, known := format.ByContent(start)
	return known || format.Suffix(name) == ".aut" && !isSequence(start)
}

// readWhole reads the text of sequences.
func readWhole(r io.Reader, name string) ([]byte, error) {
	whole, err := io.ReadAll(io.LimitReader(r, maxText+1))
	switch {
	case err != nil:
		return nil, inputfile.FileError(name, err)
	case len(whole) > maxText:
		return nil, &inputfile.Error{
			File: name,
			Message: fmt.Sprintf("this is longer than %d MiB: give a single sequence",
				maxText>>20),
		}
	}
	return bytes.TrimPrefix(whole, []byte("\ufeff")), nil
}

// parse returns the sequences of a text.
func parse(text []byte, name string) ([]run, error) {
	switch {
	case bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")):
		b, err := parseBehaviour(text)
		if err != nil {
			return nil, inputfile.NewError(name, lineOfJSON(text, err), err)
		}
		b.name = name
		return nil, &ValuesError{b}
	case len(bytes.TrimSpace(text)) == 0:
		return nil, &inputfile.Error{
			File:    name,
			Message: "empty file: give a sequence of CADP (.seq), a trace of mCRL2 (.trc), a graph (.aut) or what TLC printed",
		}
	case isSequence(text) || format.Suffix(name) == ".seq":
		s := seqReader{
			name:    name,
			text:    text,
			line:    1,
			fresh:   true,
			current: run{loop: noLoop},
		}
		err := s.read()
		return s.runs, err
	}
	return []run{parseTrace(text)}, nil
}

// parseTrace reads mCRL2's plain form of a trace, which has one action a line. Like mCRL2, it
// ignores empty lines, and blanks at the end of a line.
func parseTrace(text []byte) run {
	r := run{loop: noLoop}
	for _, line := range strings.Split(string(text), "\n") {
		line = strings.Trim(line, " \t\r")
		if line != "" {
			r.labels = append(r.labels, line)
		}
	}
	return r
}

// asGraph returns the given trace of a graph that was read.
func asGraph(
	name string,
	m *format.Model,
	warnings []string,
	err error,
) ([]*counterexample.Given, []string, error) {
	if err != nil {
		return nil, nil, err
	}
	if err := refuseDifference(name, Difference(m.LTS.Alphabet())); err != nil {
		return nil, nil, err
	}
	e, err := counterexample.NewGiven(m.LTS, nil)
	return []*counterexample.Given{e}, warnings, err
}

// isSequence reports whether a line begins like a line of SEQ, and not like a line of another
// format.
func isSequence(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimLeft(line, " \t")
		if len(line) > 0 && strings.IndexByte("\"<\x01", line[0]) >= 0 {
			return true
		}
	}
	return false
}

// noLoop is the value of loop for a run without a loop.
const noLoop = -1

// run is a sequence as in its file.
type run struct {
	labels []string
	// states are the states of a model before each label, and the one after the last label unless that
	// leads back to the loop; nil if they are unknown.
	states   []lts.State
	deadlock bool
	// loop is the index of the label that begins the loop.
	loop int
}

func (r *run) isEmpty() bool { return len(r.labels) == 0 && !r.deadlock }

// graph returns the run as a graph: node i is the state before label i.
func (r *run) graph() (*counterexample.Given, error) {
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
		return counterexample.NewGiven(graph, r.states, lts.State(len(r.labels)))
	}
	return counterexample.NewGiven(graph, r.states)
}

// These are the comments by which package report expresses what SEQ cannot: where a loop begins,
// and that the labels are those of an abstraction.
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
	// fresh reports whether there are only blanks and comments before the current position of the
	// line.
	fresh bool

	runs    []run
	current run
	// loopLine is the line of the comment that begins the loop of current.
	loopLine int
}

// read reads all sequences of the text.
func (s *seqReader) read() error {
	for s.pos < len(s.text) {
		if err := s.readNext(); err != nil {
			return err
		}
	}
	if !s.current.isEmpty() {
		if err := s.end(); err != nil {
			return err
		}
	}
	if len(s.runs) == 0 {
		return &inputfile.Error{
			File:    s.name,
			Message: `there is no sequence in this file: a sequence has one "label" a line, in double quotes (a trace of mCRL2 is named .trc)`,
		}
	}
	return nil
}

// readNext reads the next element: blanks, a comment, a label, <deadlock>, or [] between sequences.
// It skips other lines.
func (s *seqReader) readNext() error {
	c := s.text[s.pos]
	switch {
	case c == '\n':
		s.pos++
		s.line++
		s.fresh = true
	case c == ' ' || c == '\t' || c == '\r':
		s.pos++
	case c == '\x01':
		return s.readComment()
	case !s.fresh:
		return s.refuse("unexpected %s: a line holds one label, and only the simple form of SEQ is read", s.rest())
	case c == '"':
		return s.readLabel()
	case c == '<':
		return s.readTag()
	case bytes.HasPrefix(s.text[s.pos:], []byte("[]")):
		return s.readSeparator()
	case c == '[' || c == '(' || c == '~':
		return s.refuseFull()
	default:
		s.pos += len(s.restOfLine())
	}
	return nil
}

// readComment reads a comment between control characters, which may have several lines.
func (s *seqReader) readComment() error {
	length := bytes.IndexByte(s.text[s.pos:], '\x02')
	if length < 0 {
		return s.refuse(`the comment that begins here has no end: it is closed by the character \002 (control-B)`)
	}
	body := s.text[s.pos+1 : s.pos+length]
	text := strings.TrimSpace(string(body))
	switch {
	case strings.HasPrefix(text, abstractionComment):
		return inputfile.NewError(s.name, s.line,
			hint.New(nil, "this is an abstraction of a counterexample, which is no run: ",
				hint.WholeRun))
	case strings.HasPrefix(text, loopComment):
		s.current.loop = len(s.current.labels)
		s.loopLine = s.line
	}
	s.line += bytes.Count(body, []byte("\n"))
	s.pos += length + 1
	return nil
}

// readLabel reads a label in quotes.
func (s *seqReader) readLabel() error {
	if s.current.deadlock {
		return s.refuse("a label after <deadlock>, from which nothing goes on: put [] between two sequences")
	}
	rest := s.text[s.pos+1:]
	length := bytes.IndexAny(rest, "\"\n")
	if length < 0 || rest[length] == '\n' {
		return s.refuse("the closing quote of the label is missing: %s", s.rest())
	}
	s.current.labels = append(s.current.labels, string(rest[:length]))
	s.pos += length + 2
	s.fresh = false
	return nil
}

// readTag reads <deadlock>, or ignores a tag without a meaning. CADP's tools write <initial state>
// and <goal state> inside comments, whose control characters get lost in a terminal.
func (s *seqReader) readTag() error {
	word, _, _ := strings.Cut(s.restOfLine(), ">")
	switch word + ">" {
	case "<deadlock>":
		s.current.deadlock = true
	case "<initial state>", "<goal state>":
	case "<any>", "<while>", "<until>":
		return s.refuseFull()
	default:
		return s.refuse(`unexpected %s: expected a "label" or <deadlock>`, s.rest())
	}
	s.pos += len(word) + 1
	s.fresh = false
	return nil
}

// readSeparator reads the [] between two sequences.
func (s *seqReader) readSeparator() error {
	s.pos += len("[]")
	s.fresh = false
	if s.current.isEmpty() {
		return s.refuse("[] stands where no sequence precedes it: it separates one from the next")
	}
	return s.end()
}

// end ends the current sequence.
func (s *seqReader) end() error {
	r := s.current
	if r.loop != noLoop && (r.deadlock || r.loop == len(r.labels)) {
		s.line = s.loopLine
		return s.refuse("a comment marks the start of a loop here, but the sequence then has no label, or ends in a deadlock: correct the sequence or remove the comment")
	}
	s.runs = append(s.runs, s.current)
	s.current = run{loop: noLoop}
	return nil
}

// restOfLine returns the text up to the end of the line.
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

// refuseFull returns the error about the full form of SEQ.
func (s *seqReader) refuseFull() error {
	return s.refuse("%s belongs to the full form of SEQ, a pattern of sequences: give a sequence in the simple form, such as exhibitor finds for the pattern", s.rest())
}

// refuse returns an error about the current line.
func (s *seqReader) refuse(format string, args ...any) error {
	return &inputfile.Error{
		File:    s.name,
		Line:    s.line,
		Message: fmt.Sprintf(format, args...),
	}
}
