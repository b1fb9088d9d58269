//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/inev-lts/inev/modules/editor"
)

// asServer is the variable of a process that is the server instead of the tests: "1" with the analyst
// of users, "stuck" with one that takes no notice of its context.
const asServer = "INEV_LS_TEST"

func TestMain(m *testing.M) {
	switch os.Getenv(asServer) {
	case "1":
		main()
	case "stuck":
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		os.Exit(serve(ctx, stuck{}, editor.Options{Log: os.Stderr, Patience: time.Second}, os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// stuck is an analyst whose work never ends.
type stuck struct{}

func (stuck) Facts(context.Context, editor.Question) (*editor.Facts, error) {
	return &editor.Facts{Labels: []string{"A"}, States: 1}, nil
}

func (stuck) Answer(context.Context, editor.Question) (*editor.Answer, error) {
	for {
		time.Sleep(time.Hour)
	}
}

// deadline is how long an answer, or the end, may take on a machine with other work, under the race detector: there the
// large texts take fifteen times as long.
const deadline = 90 * time.Second

// process is a server, with the messages that it has sent.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	log *logged

	mu       sync.Mutex
	changed  chan struct{}
	messages []message
	next     int
	ended    chan struct{}
	err      error
}

// logged is what the server says on standard error.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

type message struct {
	ID     any             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// start starts a server, which the test ends.
func start(t *testing.T, kind string, flags ...string) *process {
	t.Helper()
	p := begun(t, kind, flags...)
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.run()
	go p.listen(out)
	return p
}

func begun(t *testing.T, kind string, flags ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(os.Args[0], flags...), log: &logged{}, changed: make(chan struct{}), ended: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), asServer+"="+kind)
	p.cmd.Stderr = p.log
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill(); <-p.ended })
	return p
}

func (p *process) run() {
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() {
		state, err := p.cmd.Process.Wait()
		p.err = err
		if err == nil {
			p.cmd.ProcessState = state
		}
		close(p.ended)
	}()
}

func (p *process) listen(out io.Reader) {
	in := bufio.NewReader(out)
	for {
		length := 0
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			if line = strings.TrimSpace(line); line == "" {
				break
			}
			length, _ = strconv.Atoi(strings.TrimPrefix(line, "Content-Length: "))
		}
		content := make([]byte, length)
		if _, err := io.ReadFull(in, content); err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(content, &m); err != nil {
			p.t.Errorf("the server says %q", content)
		}
		p.mu.Lock()
		p.messages = append(p.messages, m)
		close(p.changed)
		p.changed = make(chan struct{})
		p.mu.Unlock()
	}
}

// write sends bytes.
func (p *process) write(text string) {
	_, _ = io.WriteString(p.in, text) // a server that has ended takes nothing
}

// send sends a message.
func (p *process) send(content string) {
	p.write(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(content), content))
}

type object = map[string]any

func encoded(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func (p *process) notify(method string, params any) {
	p.send(encoded(object{"jsonrpc": "2.0", "method": method, "params": params}))
}

// ask sends a request, and waits for the answer.
func (p *process) ask(method string, params any) message {
	p.t.Helper()
	p.next++
	id := float64(p.next)
	p.send(encoded(object{"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
	return p.until(method+" is answered", func(m message) bool { return m.ID == id && m.Method == "" })
}

// until waits for a message.
func (p *process) until(what string, is func(message) bool) message {
	p.t.Helper()
	late := time.After(deadline)
	for {
		p.mu.Lock()
		for _, m := range p.messages {
			if is(m) {
				p.mu.Unlock()
				return m
			}
		}
		next := p.changed
		p.mu.Unlock()
		select {
		case <-next:
		case <-late:
			p.t.Fatalf("still waiting: %s; it says %q", what, p.log.String())
		}
	}
}

// begin initializes the server.
func (p *process) begin(folder string) {
	p.t.Helper()
	p.ask("initialize", object{"rootUri": "file://" + folder, "initializationOptions": object{"shows": true}, "capabilities": object{}})
	p.notify("initialized", object{})
}

// open opens a document.
func (p *process) open(path, text string) (uri string) {
	uri = "file://" + path
	p.notify("textDocument/didOpen", object{"textDocument": object{"uri": uri, "languageId": "inev", "version": 1, "text": text}})
	return uri
}

func (p *process) change(uri string, version int, text string) {
	p.notify("textDocument/didChange", object{"textDocument": object{"uri": uri, "version": version}, "contentChanges": []object{{"text": text}}})
}

// exits waits for the end of the process, and returns its exit code.
func (p *process) exits() int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(deadline):
		p.t.Fatal("the process does not end")
	}
	return p.cmd.ProcessState.ExitCode()
}

// leave ends the server as editors do.
func (p *process) leave() int {
	p.t.Helper()
	p.ask("shutdown", nil)
	p.notify("exit", nil)
	return p.exits()
}

// peak returns the largest resident memory of the process so far, in bytes; 0 if it is not known.
func (p *process) peak() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kilobytes, _ := strconv.ParseInt(fields[0], 10, 64)
	return kilobytes << 10
}

// TestExit: when the client leaves, the process ends, with 0 only after shutdown, whatever work goes on.
func TestExit(t *testing.T) {
	for _, kind := range []string{"1", "stuck"} {
		for _, c := range []struct {
			name string
			does func(*process)
			code int
		}{
			{"shutdown and exit", func(p *process) { p.ask("shutdown", nil); p.notify("exit", nil) }, 0},
			{"shutdown and exit at once", func(p *process) {
				p.send(`{"jsonrpc":"2.0","id":900,"method":"shutdown"}`)
				p.notify("exit", nil)
			}, 0},
			{"exit", func(p *process) { p.notify("exit", nil) }, 1},
			{"end of input", func(p *process) { p.in.Close() }, 1},
			{"shutdown and end of input", func(p *process) { p.ask("shutdown", nil); p.in.Close() }, 0},
			{"SIGTERM", func(p *process) { _ = p.cmd.Process.Signal(syscall.SIGTERM) }, 1},
			{"SIGINT", func(p *process) { _ = p.cmd.Process.Signal(os.Interrupt) }, 1},
			{"shutdown and SIGTERM", func(p *process) { p.ask("shutdown", nil); _ = p.cmd.Process.Signal(syscall.SIGTERM) }, 0},
			{"no header", func(p *process) { p.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n") }, 1},
			{"a negative length", func(p *process) { p.write("Content-Length: -5\r\n\r\n{}") }, 1},
			{"a huge length", func(p *process) { p.write("Content-Length: 99999999999999999999\r\n\r\n{}") }, 1},
			{"a large length", func(p *process) { p.write("Content-Length: 2000000000\r\n\r\n{}") }, 1},
			{"two lengths", func(p *process) { p.write("Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}") }, 1},
			{"an endless header", func(p *process) { p.write(strings.Repeat("x", 1<<20)) }, 1},
			{"the end within a message", func(p *process) { p.write("Content-Length: 50\r\n\r\n{}"); p.in.Close() }, 1},
			{"no JSON, shutdown and exit", func(p *process) { p.send("{nothing"); p.ask("shutdown", nil); p.notify("exit", nil) }, 1},
			{"a protocol error after shutdown", func(p *process) { p.ask("shutdown", nil); p.write("Content-Length: x\r\n\r\n") }, 1},
		} {
			t.Run(kind+" "+c.name, func(t *testing.T) {
				t.Parallel()
				folder := t.TempDir()
				if err := os.WriteFile(filepath.Join(folder, "m.aut"), []byte("des (0, 1, 2)\n(0, A, 1)\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				p := start(t, kind)
				p.begin(folder)
				p.open(filepath.Join(folder, "m.inev"), "Inev(A)\n")
				if kind == "stuck" {
					p.until("the check has begun", func(m message) bool { return strings.Contains(string(m.Params), `"pending"`) })
				}
				c.does(p)
				if code := p.exits(); code != c.code {
					t.Errorf("the exit code is %d, want %d; it says %q", code, c.code, p.log.String())
				}
			})
		}
	}
}

// TestUnreadAnswers: a client that reads nothing cannot keep the process from ending.
func TestUnreadAnswers(t *testing.T) {
	p := begun(t, "1")
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	p.cmd.Stdout = writer
	p.run()
	writer.Close()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
	for i := range 2000 {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"unknown/%s"}`, i+2, strings.Repeat("x", 90)))
	}
	p.notify("exit", nil)
	if code := p.exits(); code != 1 {
		t.Errorf("the exit code is %d; it says %q", code, p.log.String())
	}
}

// TestStrangeMessages: what is no request is refused, and the next one is answered.
func TestStrangeMessages(t *testing.T) {
	p := start(t, "1")
	refused := func(what string, id any, code int) {
		t.Helper()
		p.until(what+" is refused", func(m message) bool { return m.ID == id && m.Error != nil && m.Error.Code == code })
		p.mu.Lock()
		p.messages = nil
		p.mu.Unlock()
	}
	p.send(`{"jsonrpc":"2.0","id":"early","method":"textDocument/hover","params":{}}`)
	refused("a request before initialize", "early", -32002)
	p.notify("textDocument/didOpen", object{"textDocument": object{"uri": "file:///early.inev", "text": "Inev("}})
	p.begin(t.TempDir())
	p.send(`{"jsonrpc":"2.0","id":"again","method":"initialize","params":{}}`)
	refused("a second initialize", "again", -32600)
	for what, content := range map[string]string{
		"nothing": "", "no JSON": "{nothing", "half a message": `{"jsonrpc":"2.0"`, "two messages": `{"jsonrpc":"2.0","method":"a"}{"jsonrpc":"2.0","method":"b"}`,
		"deep JSON": `{"jsonrpc":"2.0","id":7,"method":"x","params":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}",
		"binary":    "\x00\xff\xfe",
	} {
		p.send(content)
		refused(what, nil, -32700)
	}
	for what, content := range map[string]string{
		"a batch": `[{"jsonrpc":"2.0","id":1,"method":"shutdown"},{"jsonrpc":"2.0","id":2,"method":"exit"}]`, "an empty batch": "[]", "null": "null", "a number": "1",
		"no method": `{"jsonrpc":"2.0","id":1}`, "a strange number": `{"jsonrpc":"2.0","id":{"a":1},"method":"shutdown"}`, "a fraction": `{"jsonrpc":"2.0","id":1.5,"method":"shutdown"}`,
		"a number as method": `{"jsonrpc":"2.0","id":1,"method":7}`, "an answer and a request": `{"jsonrpc":"2.0","id":1,"method":"shutdown","result":1}`,
	} {
		p.send(content)
		refused(what, nil, -32600)
	}
	p.send(`{"jsonrpc":"2.0","id":77,"method":"\u001b[2Jnothing"}`)
	refused("an unknown method", 77.0, -32601)
	p.send(`{"jsonrpc":"2.0","id":78,"method":"textDocument/hover","params":[1]}`)
	refused("parameters of another kind", 78.0, -32602)
	p.send(`{"jsonrpc":"2.0","id":4711,"result":{"\u001b]0;x\u0007":1}}`) // answers nothing
	p.notify("$/cancelRequest", object{"id": 12345})
	p.notify("$/cancelRequest", object{"id": object{}})
	p.notify("textDocument/didChange", object{"textDocument": object{"uri": "file:///never-opened.inev", "version": -1}, "contentChanges": []object{{"text": "x"}}})
	p.notify("textDocument/didClose", object{"textDocument": object{"uri": "file:///never-opened.inev"}})
	p.notify("textDocument/didSave", "nothing")
	p.notify("textDocument/didOpen", object{"textDocument": object{"uri": "%zz\n\x1b[2J", "text": "Inev(A"}})
	p.until("a notification that is not understood is logged", func(m message) bool {
		return m.Method == "window/logMessage" && strings.Contains(string(m.Params), "didSave is not understood")
	})
	if m := p.ask("textDocument/documentSymbol", object{"textDocument": object{"uri": "file:///none.inev"}}); m.Error != nil {
		t.Errorf("after all that a request is answered by %+v", m.Error)
	}
	if m := p.ask("shutdown", nil); m.Error != nil {
		t.Errorf("shutdown: %+v", m.Error)
	}
	p.send(`{"jsonrpc":"2.0","id":"late","method":"textDocument/hover","params":{}}`)
	refused("a request after shutdown", "late", -32600)
	p.notify("exit", nil)
	if code := p.exits(); code != 1 {
		t.Errorf("after messages that are none the exit code is %d", code)
	}
	if strings.ContainsAny(p.log.String(), "\x1b\x07") {
		t.Errorf("the terminal gets %q", p.log.String())
	}
}
