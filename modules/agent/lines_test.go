package agent_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/modules/agent"
)

// A rawClient writes lines to a server, and reads lines from it.
type rawClient struct {
	t   *testing.T
	out io.Writer
	in  chan string
}

// rawAnswer is what a server answers, as far as tests look at it.
type rawAnswer struct {
	Version string
	ID      any
	Result  map[string]any
	Error   *struct {
		Code    int
		Message string
	}
}

func newRawClient(t *testing.T) *rawClient {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- agent.New(agent.Options{Command: inev, Roots: []string{t.TempDir()}, Folder: t.TempDir()}).Run(context.Background(), fromClient, toClient)
		toClient.Close()
	}()
	c := &rawClient{t: t, out: toServer, in: make(chan string, 100)}
	go func() {
		lines := bufio.NewScanner(fromServer)
		for lines.Scan() {
			c.in <- lines.Text()
		}
		close(c.in)
	}()
	t.Cleanup(func() {
		toServer.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	c.write(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
	c.answer()
	c.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *rawClient) write(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.out, line+"\n"); err != nil {
		c.t.Fatalf("%.60s: %v", line, err)
	}
}

// answer returns the next line of the server, which must be an object.
func (c *rawClient) answer() (a rawAnswer) {
	c.t.Helper()
	select {
	case line, is := <-c.in:
		if !is {
			c.t.Fatal("the server has ended")
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			c.t.Fatalf("%s: %v", line, err)
		}
	case <-time.After(20 * time.Second):
		c.t.Fatal("the server is silent")
	}
	return a
}

// ping asks whether the server still answers.
func (c *rawClient) ping(id string) {
	c.t.Helper()
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"ping"}`, id))
	if a := c.answer(); a.ID != id || a.Error != nil {
		c.t.Fatalf("a ping is answered by %+v", a)
	}
}

// TestLinesThatAreNoMessages: a line that is no message of the protocol is answered with one error that has the
// identifier of the message if there is one, and the next line is read.
func TestLinesThatAreNoMessages(t *testing.T) {
	c := newRawClient(t)
	const parse, request, method, params = -32700, -32600, -32601, -32602
	for i, test := range []struct {
		line string
		id   any
		code int
	}{
		{line: `{not json`, code: parse},
		{line: `{"jsonrpc":"2.0","id":1,"method":"ping"`, code: parse},
		{line: `{"jsonrpc":"2.0","id":1,"method":"ping"}}`, code: parse},
		{line: `{"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":2,"method":"ping"}`, code: parse},
		{line: "\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, code: parse},
		{line: "\x00\x00", code: parse},
		{line: "Content-Length: 40", code: parse},
		{line: strings.Repeat("[", 100_000), code: parse},
		{line: strings.Repeat("x", 3<<20), code: request},
		{line: `5`, code: request},
		{line: `null`, code: request},
		{line: `{}`, code: request},
		{line: `[]`, code: request},
		{line: `[1]`, code: request},
		{line: `{"jsonrpc":"1.0","id":7,"method":"ping"}`, id: 7.0, code: request},
		{line: `{"id":"seven","method":"ping"}`, id: "seven", code: request},
		{line: `{"jsonrpc":"2.0","id":{},"method":"ping"}`, code: request},
		{line: `{"jsonrpc":"2.0","id":8,"method":9}`, id: 8.0, code: request},
		{line: `{"jsonrpc":"2.0","id":10,"method":"nothing"}`, id: 10.0, code: method},
		{line: `{"jsonrpc":"2.0","id":11,"method":"tools/call","params":[]}`, id: 11.0, code: params},
		{line: `{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"nothing"}}`, id: 12.0, code: params},
		{line: `{"jsonrpc":"2.0","id":13,"method":""}`, id: 13.0, code: method},
	} {
		c.write(test.line)
		if a := c.answer(); a.Error == nil || a.Error.Code != test.code || a.ID != test.id || a.Version != "" && a.Version != "2.0" {
			t.Errorf("%.60q is answered by %+v %+v, not by the code %d for %v", test.line, a, a.Error, test.code, test.id)
		}
		c.ping(fmt.Sprint("ping ", i))
	}
}

// TestLinesWithoutAnswers: what asks for nothing gets no answer, and ends nothing.
func TestLinesWithoutAnswers(t *testing.T) {
	c := newRawClient(t)
	for i, line := range []string{
		"", "   ", "\r", `{"jsonrpc":"2.0","method":"nothing"}`, `{"jsonrpc":"2.0","id":99,"result":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4711}}`,
	} {
		c.write(line)
		c.ping(fmt.Sprint("ping ", i))
	}
}

// TestBatch: the messages of a batch are answered one by one, and one that is none is refused alone.
func TestBatch(t *testing.T) {
	c := newRawClient(t)
	c.write(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2},3,{"jsonrpc":"2.0","id":4,"method":"ping"}]`)
	pinged := map[any]bool{}
	refused := 0
	for range 3 {
		if a := c.answer(); a.Error != nil {
			refused++
		} else {
			pinged[a.ID] = true
		}
	}
	if !pinged[1.0] || !pinged[4.0] || refused != 1 {
		t.Errorf("pings %v, %d refused", pinged, refused)
	}
	c.ping("last")
}
