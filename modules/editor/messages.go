package editor

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// Bounds on messages. Editors send no file of this size.
const (
	longestMessage = 64 << 20
	longestHeader  = 8 << 10
)

// A framingError reports that no message can be found in the input any more.
type framingError struct{ message string }

func (e *framingError) Error() string { return e.message }

// framed is a stream of messages below headers, as LSP defines it. Content that is no message of
// JSON-RPC is refused, and the next message is read.
type framed struct {
	in     *bufio.Reader
	refuse func(*jsonrpc2.Error)

	mu  sync.Mutex
	out io.Writer

	closers []io.Closer
}

func newFramed(in io.ReadCloser, out io.WriteCloser, refuse func(*jsonrpc2.Error)) *framed {
	return &framed{
		in:      bufio.NewReader(in),
		refuse:  refuse,
		out:     out,
		closers: []io.Closer{in, out},
	}
}

// ReadObject implements jsonrpc2.ObjectStream.
func (f *framed) ReadObject(v any) error {
	for {
		content, err := f.content()
		if err != nil {
			return err
		}
		if !json.Valid(content) {
			f.refuse(&jsonrpc2.Error{
				Code:    jsonrpc2.CodeParseError,
				Message: "a message is not JSON",
			})
			continue
		}
		if err := json.Unmarshal(content, v); err != nil {
			f.refuse(&jsonrpc2.Error{
				Code:    jsonrpc2.CodeInvalidRequest,
				Message: "a message is not understood: " + err.Error(),
			})
			continue
		}
		return nil
	}
}

// content reads the content of the next message.
func (f *framed) content() ([]byte, error) {
	length, err := f.header()
	if err != nil {
		return nil, err
	}
	// The content is read in pieces, so that a length that is only claimed takes no memory.
	var content []byte
	for len(content) < length {
		piece := min(length-len(content), 1<<20)
		content = append(content, make([]byte, piece)...)
		if _, err := io.ReadFull(f.in, content[len(content)-piece:]); errors.Is(err, io.EOF) {
			return nil, io.ErrUnexpectedEOF
		} else if err != nil {
			return nil, err
		}
	}
	return content, nil
}

// header reads the header of a message, and returns the length of its content.
func (f *framed) header() (length int, err error) {
	length = -1
	for left := longestHeader; ; {
		line, err := f.line(left)
		switch {
		case errors.Is(err, io.EOF) && left < longestHeader:
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		}
		left -= len(line) + 2
		if line == "" {
			break
		}
		name, value, _ := strings.Cut(line, ":")
		if !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 31)
		if err != nil || length >= 0 {
			return 0, &framingError{fmt.Sprintf("the header of a message has %.60q", line)}
		}
		length = int(n)
	}
	switch {
	case length < 0:
		return 0, &framingError{"the header of a message has no Content-Length"}
	case length > longestMessage:
		return 0, &framingError{fmt.Sprintf("a message has %d bytes, and at most %d are taken",
			length, longestMessage)}
	}
	return length, nil
}

// line reads a line of at most this many bytes, without its end.
func (f *framed) line(longest int) (string, error) {
	var line []byte
	for {
		c, err := f.in.ReadByte()
		switch {
		case err != nil && len(line) > 0 && errors.Is(err, io.EOF):
			return "", io.ErrUnexpectedEOF
		case err != nil:
			return "", err
		case c == '\n':
			return strings.TrimSuffix(string(line), "\r"), nil
		case len(line) >= longest:
			return "", &framingError{fmt.Sprintf("the header of a message has more than %d bytes", longestHeader)}
		}
		line = append(line, c)
	}
}

// WriteObject implements jsonrpc2.ObjectStream.
func (f *framed) WriteObject(v any) error {
	content, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := fmt.Fprintf(f.out, "Content-Length: %d\r\n\r\n", len(content)); err != nil {
		return err
	}
	_, err = f.out.Write(content)
	return err
}

// Close implements jsonrpc2.ObjectStream.
func (f *framed) Close() error {
	var all []error
	for _, c := range f.closers {
		all = append(all, c.Close())
	}
	return errors.Join(all...)
}

// refusal is the answer to content that is no message, and so has no number.
type refusal struct {
	Version string          `json:"jsonrpc"`
	ID      *int            `json:"id"`
	Error   *jsonrpc2.Error `json:"error"`
}

func newRefusal(err *jsonrpc2.Error) refusal { return refusal{Version: "2.0", Error: err} }

// watched is a stream that remembers why it has ended.
type watched struct {
	jsonrpc2.ObjectStream
	mu    sync.Mutex
	cause error
}

func (w *watched) ReadObject(v any) error {
	err := w.ObjectStream.ReadObject(v)
	if err != nil {
		w.mu.Lock()
		w.cause = err
		w.mu.Unlock()
	}
	return err
}

// mistake returns why no message can be read any more, nil if the client has only left.
func (w *watched) mistake() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var framing *framingError
	if errors.As(w.cause, &framing) || errors.Is(w.cause, io.ErrUnexpectedEOF) {
		return w.cause
	}
	return nil
}
