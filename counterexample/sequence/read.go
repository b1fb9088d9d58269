package sequence

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/format/frontend"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/inputfile"
)

// maxText is the largest size of a sequence, in bytes. A longer one, of some million steps, would
// help nobody.
const maxText = 64 << 20

// startSize is the number of bytes at the beginning of a file that determine its format.
const startSize = 64 << 10

// Open reads the counterexamples in a file as [Read] does. A file named .bcg is converted first, as
// in [frontend.Maker.Open].
func Open(ctx context.Context, path string) ([]*counterexample.Given, []string, error) {
	if format.Of(path, nil).IsConverted() {
		return converted(ctx, path)
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

// converted reads a counterexample that another program converts.
func converted(ctx context.Context, path string) (all []*counterexample.Given, warnings []string, err error) {
	maker := &frontend.Maker{}
	defer func() { err = errors.Join(err, maker.Close()) }()
	return asGraph(maker.Open(ctx, frontend.Specification{Path: path}, format.Options{Lenient: true}))
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
	if message := refuseTrace(start, name); message != "" {
		return nil, nil, &inputfile.Error{File: name, Message: message}
	}
	if _, sure := format.ByContent(start); sure || isGraph(start) || format.Suffix(name) == ".aut" && !isSequence(start) {
		return asGraph(format.Read(ctx, text, format.Options{Name: name, Lenient: true}))
	}
	if message := refuseBinary(start); message != "" {
		return nil, nil, &inputfile.Error{File: name, Message: message}
	}
	whole, err := io.ReadAll(io.LimitReader(text, maxText+1))
	switch {
	case err != nil:
		return nil, nil, inputfile.FileError(name, err)
	case len(whole) > maxText:
		return nil, nil, &inputfile.Error{File: name, Message: fmt.Sprintf("this is longer than %d MiB: give a single sequence", maxText>>20)}
	}
	if isBehaviour(whole) {
		b, err := parseBehaviour(whole)
		if err != nil {
			return nil, nil, inputfile.NewError(name, 0, err)
		}
		b.name = name
		return nil, nil, &ValuesError{b}
	}
	return readText(name, bytes.TrimPrefix(whole, []byte("\ufeff"))), nil, nil
}

// readText reads a file that is no graph.
func readText(name string, text []byte) []*counterexample.Given {
	if len(bytes.TrimSpace(text)) == 0 {
		abort.On(&inputfile.Error{File: name, Message: "empty file: give a sequence of CADP (.seq), a trace of mCRL2 (.trc) or a graph (.aut)"})
	}
	var runs []run
	if isSequence(text) || format.Suffix(name) == ".seq" {
		s := seqReader{name: name, text: text, line: 1, fresh: true, current: run{loop: noLoop}}
		s.read()
		runs = s.runs
	} else {
		runs = []run{plainTrace(text)}
	}
	all := make([]*counterexample.Given, len(runs))
	for i, r := range runs {
		e, err := r.given()
		if err != nil {
			abort.On(&inputfile.Error{File: name, Message: err.Error()})
		}
		all[i] = e
	}
	return all
}

// asGraph makes a given trace of a model that was read.
func asGraph(m *format.Model, warnings []string, err error) ([]*counterexample.Given, []string, error) {
	if err != nil {
		return nil, nil, err
	}
	e, err := counterexample.NewGiven(m.LTS)
	return []*counterexample.Given{e}, warnings, err
}

// isGraph reports whether text begins like an .aut file.
func isGraph(text []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("des"))
	return ok && bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), []byte("("))
}

// isSequence reports whether a line begins like a line of SEQ and like no line of the other
// formats.
func isSequence(text []byte) bool {
	for more := true; more; {
		var line []byte
		line, text, more = bytes.Cut(text, []byte("\n"))
		if line = bytes.TrimLeft(line, " \t"); len(line) > 0 && strings.IndexByte("\"<\x01", line[0]) >= 0 {
			return true
		}
	}
	return false
}

// refuseBinary returns why a file that begins with these bytes is no text; "" for text. A label may
// have any bytes, also zeros, so it accepts whatever follows the beginning of a sequence.
func refuseBinary(start []byte) string {
	if zero := bytes.IndexByte(start, 0); zero >= 0 && !isSequence(start[:zero]) {
		return "this is binary data, no sequence: if it is a BCG file of CADP, name it .bcg, or convert it with bcg_io FILE.bcg FILE.aut"
	}
	return ""
}

// refuseTrace returns why a trace of mCRL2 that is no text cannot be read; "" for other files. It
// begins like mCRL2's .lts files, so only its name distinguishes it.
func refuseTrace(start []byte, name string) string {
	isBinary := bytes.HasPrefix(start, []byte("\x00\x8b\xaf")) && format.Suffix(name) != ".lts"
	if isBinary || bytes.HasPrefix(start, []byte("mCRL2Trace")) {
		return "this is mCRL2's binary form of a trace: write it as text with tracepp --format=plain FILE.trc TEXT.trc"
	}
	return ""
}
