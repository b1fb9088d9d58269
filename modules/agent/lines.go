package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/inev-lts/inev/internal/printable"
)

// mostLine bounds a message of the client, in bytes. Arguments are far smaller.
const mostLine = 1 << 20

// messageLines reads the messages of a client, each on a line of its own. The SDK ends the connection at the first line
// that is no message; here such a line is answered with an error, and the next one is read. The messages of a batch,
// which the versions of the protocol since 2025-06-18 do not have, are read, and answered, one by one.
type messageLines struct {
	in      io.ReadCloser
	lines   *bufio.Reader
	out     io.Writer // receives the answers to input that is no message
	ended   func()    // called when the input ends, since the SDK would wait for running calls, whose answers nobody reads
	pending []byte    // messages that have not been read yet
}

func newMessageLines(in io.ReadCloser, out io.Writer, end func()) *messageLines {
	return &messageLines{
		in:    in,
		lines: bufio.NewReaderSize(in, mostLine),
		out:   out,
		ended: end,
	}
}

// Close implements [io.Closer].
func (m *messageLines) Close() error { return m.in.Close() }

// Read implements [io.Reader].
func (m *messageLines) Read(p []byte) (int, error) {
	for len(m.pending) == 0 {
		if err := m.nextLine(); err != nil {
			m.ended()
			return 0, err
		}
	}
	n := copy(p, m.pending)
	m.pending = m.pending[n:]
	return n, nil
}

// nextLine reads a line, and makes its messages pending or answers it.
func (m *messageLines) nextLine() error {
	line, err := m.lines.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		for err == bufio.ErrBufferFull {
			_, err = m.lines.ReadSlice('\n')
		}
		return m.refuse(nil, jsonrpc.CodeInvalidRequest,
			fmt.Sprintf("a message has at most %d bytes", mostLine))
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return err
	}
	var invalid error
	if err := json.Unmarshal(line, new(json.RawMessage)); err != nil {
		invalid = m.refuse(nil, jsonrpc.CodeParseError,
			"a message is JSON on one line: "+err.Error())
	} else {
		invalid = m.accept(line)
	}
	if invalid != nil {
		return invalid
	}
	if len(m.pending) > 0 {
		return nil // the error comes again
	}
	return err
}

// accept makes the messages of a line of JSON pending, and answers all else in the line with
// errors.
func (m *messageLines) accept(line []byte) error {
	messages := []json.RawMessage{line}
	if line[0] == '[' {
		if err := json.Unmarshal(line, &messages); err != nil {
			return err // it is JSON
		}
		if len(messages) == 0 {
			return m.refuse(nil, jsonrpc.CodeInvalidRequest, "the batch is empty")
		}
	}
	m.pending = nil
	for _, message := range messages {
		if _, err := jsonrpc.DecodeMessage(message); err != nil {
			if err := m.refuse(idOf(message), jsonrpc.CodeInvalidRequest, "this is not a message of JSON-RPC 2.0: "+err.Error()); err != nil {
				return err
			}
			continue
		}
		if id, err := misshapen(message); err != nil {
			if err := m.refuse(id, jsonrpc.CodeInvalidParams, err.Error()); err != nil {
				return err
			}
			continue
		}
		m.pending = append(append(m.pending, message...), '\n')
	}
	return nil
}

// misshapen returns an error, and the identifier for the answer, if the parameters of a request have a type that no
// method takes. The SDK would name its own types in Go.
func misshapen(message json.RawMessage) (id any, err error) {
	var request struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	id = idOf(message)
	if err := json.Unmarshal(message, &request); err != nil || id == nil || len(request.Params) == 0 {
		return nil, nil
	}
	var params map[string]any
	if err := json.Unmarshal(request.Params, &params); err != nil {
		return id, fmt.Errorf("the params of %s are an object, and not %s", printable.Brief(request.Method), inJSON(request.Params))
	}
	name, isNamed := params["name"]
	if _, isString := name.(string); request.Method == "tools/call" && isNamed && !isString {
		return id, fmt.Errorf(`the name of a tool is a string, such as "models", and not %s`, inJSON(name))
	}
	return nil, nil
}

// idOf returns the identifier of a message if it is one that an answer can have, else nil.
func idOf(message json.RawMessage) any {
	var head struct {
		ID any `json:"id"`
	}
	if err := json.Unmarshal(message, &head); err != nil {
		return nil
	}
	switch head.ID.(type) {
	case string, float64:
		return head.ID
	default:
		return nil
	}
}

// refuse answers with an error.
func (m *messageLines) refuse(id any, code int, message string) error {
	type wireError struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	answer, err := json.Marshal(struct {
		Version string    `json:"jsonrpc"`
		ID      any       `json:"id"`
		Error   wireError `json:"error"`
	}{Version: "2.0", ID: id, Error: wireError{code, message}})
	if err != nil {
		return err
	}
	_, err = m.out.Write(append(answer, '\n'))
	return err
}

// lineWriter writes lines, each by one call of Write, from several goroutines.
type lineWriter struct {
	mu sync.Mutex
	io.WriteCloser
}

// Write implements [io.Writer].
func (w *lineWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.WriteCloser.Write(line)
}
