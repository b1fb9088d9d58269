package editor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/inev-lts/inev/modules/editor"
)

// patience is how long a test waits for an answer.
const patience = time.Minute

// client is an editor that speaks to a server over pipes.
type client struct {
	t    testing.TB
	conn *jsonrpc2.Conn
	done chan error

	mu       sync.Mutex
	changed  chan struct{} // closed, and made anew, with each notification
	shown    map[string]published
	asked    []string // methods that the server has called
	verdicts map[string]verdicts
}

type published struct {
	URI         string       `json:"uri"`
	Version     int          `json:"version"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type diagnostic struct {
	Range struct {
		Start, End struct{ Line, Character int }
	} `json:"range"`
	Severity int    `json:"severity"`
	Code     string `json:"code"`
	Message  string `json:"message"`
}

type verdicts struct {
	URI     string `json:"uri"`
	Version int    `json:"version"`
	Items   []struct {
		Formula, Model, Status, Message, Output string
		Line                                    int
		Passes                                  bool
	} `json:"items"`
}

// connect starts a server and a client, which end with the test.
func connect(t testing.TB, a editor.Analyst, o editor.Options) *client {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	c := &client{t: t, done: make(chan error, 1), changed: make(chan struct{}), shown: map[string]published{}, verdicts: map[string]verdicts{}}
	ctx, stop := context.WithCancel(context.Background())
	go func() { c.done <- editor.New(a, o).Run(ctx, toServer, fromServer) }()
	c.conn = jsonrpc2.NewConn(ctx, jsonrpc2.NewBufferedStream(pipe{toClient, fromClient}, jsonrpc2.VSCodeObjectCodec{}), c)
	t.Cleanup(func() {
		_ = c.conn.Close()
		select {
		case err := <-c.done:
			if err != nil && !errors.Is(err, editor.ErrNoShutdown) {
				t.Errorf("the server ends with %v", err)
			}
		case <-time.After(patience):
			t.Error("the server does not end")
		}
		stop()
	})
	return c
}

type pipe struct {
	io.Reader
	io.WriteCloser
}

// Handle takes what the server sends by itself.
func (c *client) Handle(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r.Method {
	case "textDocument/publishDiagnostics":
		var p published
		if json.Unmarshal(*r.Params, &p) == nil {
			c.shown[p.URI] = p
		}
	case "inev/verdicts":
		var p verdicts
		if json.Unmarshal(*r.Params, &p) == nil {
			c.verdicts[p.URI] = p
		}
	default:
		c.asked = append(c.asked, r.Method)
		if !r.Notif {
			_ = conn.Reply(ctx, r.ID, nil)
		}
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

// until waits until something holds of what the client has got.
func (c *client) until(what string, holds func() bool) {
	c.t.Helper()
	deadline := time.After(patience)
	for {
		c.mu.Lock()
		is, next := holds(), c.changed
		c.mu.Unlock()
		if is {
			return
		}
		select {
		case <-next:
		case <-deadline:
			c.mu.Lock()
			defer c.mu.Unlock()
			c.t.Fatalf("still waiting: %s; shown %+v, verdicts %+v", what, c.shown, c.verdicts)
		}
	}
}

// call asks the server, and returns its answer as JSON.
func (c *client) call(method string, params any) string {
	c.t.Helper()
	said, err := c.try(method, params)
	if err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
	return said
}

func (c *client) try(method string, params any) (string, error) {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	var said json.RawMessage
	err := c.conn.Call(ctx, method, params, &said)
	return string(said), err
}

func (c *client) notify(method string, params any) {
	c.t.Helper()
	if err := c.conn.Notify(context.Background(), method, params); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

type object = map[string]any

// begin initializes the server for a folder.
func (c *client) begin(root string, options object) {
	c.t.Helper()
	c.call("initialize", object{
		"rootUri": uri(root), "initializationOptions": options,
		"capabilities": object{"workspace": object{"codeLens": object{"refreshSupport": true}, "didChangeWatchedFiles": object{"dynamicRegistration": true}}},
	})
	c.notify("initialized", object{})
}

func (c *client) open(path, text string) string {
	u := uri(path)
	c.notify("textDocument/didOpen", object{"textDocument": object{"uri": u, "languageId": "inev", "version": 1, "text": text}})
	return u
}

func (c *client) save(u string) {
	c.notify("textDocument/didSave", object{"textDocument": object{"uri": u}})
}

// settled waits until all questions of a version of a document have been answered, and returns what is shown.
func (c *client) settled(u string, version int) []string {
	c.t.Helper()
	c.until(fmt.Sprint("version ", version, " of ", u, " has been checked"), func() bool {
		v, is := c.verdicts[u]
		if !is || v.Version != version {
			return false
		}
		for _, item := range v.Items {
			if item.Status == "pending" || item.Status == "unknown" {
				return false
			}
		}
		return c.shown[u].Version == version
	})
	return c.lines(u)
}

// lines returns what is shown about a document.
func (c *client) lines(u string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := []string{}
	for _, d := range c.shown[u].Diagnostics {
		lines = append(lines, fmt.Sprintf("%d:%d-%d:%d %d %s: %s", d.Range.Start.Line, d.Range.Start.Character, d.Range.End.Line, d.Range.End.Character, d.Severity, d.Code, d.Message))
	}
	return lines
}

func uri(path string) string { return "file://" + filepath.ToSlash(path) }

// copied copies examples into a folder of the test.
func copied(t testing.TB, names ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join("..", "..", "examples", name))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func local(t testing.TB) *editor.Local {
	a := editor.NewLocal(editor.Limits{Timeout: patience})
	t.Cleanup(a.Close)
	return a
}
