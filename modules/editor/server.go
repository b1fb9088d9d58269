package editor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// Options say how a server works.
type Options struct {
	Version string
	// Trusted allows other programs to make models of specifications, if the client does not report
	// whether the workspace is trusted.
	Trusted bool
	// Look is the time after which the server checks again whether models have changed, for clients
	// that do not report changes; 0 for no checks.
	Look time.Duration
	// Folder is where pages for a browser are written; "" for the system's folder of temporary
	// files.
	Folder string
}

// A Server serves one client.
type Server struct {
	options Options
	analyst Analyst
	conn    *jsonrpc2.Conn
	ctx     context.Context
	working work
	out     outbox

	mu      sync.Mutex
	client  initializeParams
	roots   []string
	closing bool
	open    map[string]*opened
	running map[string]context.CancelFunc // requests that are being answered
	known   map[string]*model             // by paths
	// verdicts are the answers, by the questions and the versions of the models.
	verdicts map[string]*verdict
	read     map[string]*readManifest
	// checks lets the server answer one question at a time, since the editor needs processors, too.
	checks chan struct{}
}

// opened is a document in the editor.
type opened struct {
	doc *document
	// kept are the questions of the text, nil if it has not been read yet.
	kept *asking
	// diagnosing and checking cancel the work on an older text.
	diagnosing, checking context.CancelFunc
	shown                []diagnostic
	targets              *targets
}

// New returns a server that asks an analyst.
func New(a Analyst, o Options) *Server {
	s := &Server{
		options: o, analyst: a, open: map[string]*opened{}, running: map[string]context.CancelFunc{},
		known: map[string]*model{}, verdicts: map[string]*verdict{}, read: map[string]*readManifest{}, checks: make(chan struct{}, 1),
	}
	s.out.more, s.out.done = sync.NewCond(&s.out.mu), make(chan struct{})
	return s
}

// Run serves a client until it leaves or ctx is done, and returns when all work has ended.
func (s *Server) Run(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	return s.Serve(ctx, jsonrpc2.NewBufferedStream(pipe{in, out}, jsonrpc2.VSCodeObjectCodec{}))
}

// Serve is [Server.Run] with a stream of messages in place of an input and an output.
func (s *Server) Serve(ctx context.Context, messages jsonrpc2.ObjectStream) error {
	ctx, end := context.WithCancel(ctx)
	s.ctx = ctx
	s.conn = jsonrpc2.NewConn(ctx, messages, handler{s}) // only the outbox uses it
	s.out.begin()
	if s.options.Look > 0 {
		s.working.Go(s.look)
	}
	select {
	case <-s.conn.DisconnectNotify():
	case <-ctx.Done():
	}
	end()
	err := s.conn.Close()
	s.working.Wait()
	s.out.end()
	if errors.Is(err, jsonrpc2.ErrClosed) {
		err = nil
	}
	return err
}

// work counts the goroutines of a server, so that the server can wait for their end.
type work struct {
	mu    sync.Mutex
	ended bool
	group sync.WaitGroup
}

// Go starts f, unless Wait has been called: messages may still arrive, and be sent, while the
// server ends. It reports whether it has started f, for those who wait for what f does.
func (w *work) Go(f func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended {
		w.group.Go(f)
	}
	return !w.ended
}

// Wait waits until all goroutines have ended; later ones are not started.
func (w *work) Wait() {
	w.mu.Lock()
	w.ended = true
	w.mu.Unlock()
	w.group.Wait()
}

// pipe is standard input and output.
type pipe struct {
	io.ReadCloser
	out io.WriteCloser
}

func (p pipe) Write(b []byte) (int, error) { return p.out.Write(b) }
func (p pipe) Close() error                { return errors.Join(p.ReadCloser.Close(), p.out.Close()) }

// outbox sends messages that need no answer, in their order, so that a sender need not wait for a
// client that does not read.
type outbox struct {
	mu    sync.Mutex
	more  *sync.Cond
	queue []func()
	ended bool
	done  chan struct{}
}

func (o *outbox) begin() {
	go func() {
		defer close(o.done)
		for {
			o.mu.Lock()
			for len(o.queue) == 0 && !o.ended {
				o.more.Wait()
			}
			if len(o.queue) == 0 {
				o.mu.Unlock()
				return
			}
			send := o.queue[0]
			o.queue = o.queue[1:]
			o.mu.Unlock()
			send()
		}
	}()
}

func (o *outbox) put(send func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue = append(o.queue, send)
	o.more.Signal()
}

func (o *outbox) end() {
	o.mu.Lock()
	o.ended = true
	o.more.Signal()
	o.mu.Unlock()
	<-o.done
}

// notify sends a notification.
func (s *Server) notify(method string, params any) {
	s.out.put(func() { _ = s.conn.Notify(s.ctx, method, params) })
}

// handler hands messages to the server, in their order.
type handler struct{ s *Server }

func (h handler) Handle(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) {
	if r.Notif {
		h.s.notified(r)
		return
	}
	h.s.requested(r)
}

// params decodes the parameters of a message.
func params[P any](r *jsonrpc2.Request) (p P, err error) {
	if r.Params == nil {
		return p, nil
	}
	if err = json.Unmarshal(*r.Params, &p); err != nil {
		err = &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}
	}
	return p, err
}

// about calls do with the parameters of a notification. It ignores a notification that it cannot
// decode, since nobody waits for an answer to it.
func about[P any](r *jsonrpc2.Request, do func(P)) {
	if p, err := params[P](r); err == nil {
		do(p)
	}
}

func (s *Server) notified(r *jsonrpc2.Request) {
	switch r.Method {
	case "initialized":
		s.watch()
	case "textDocument/didOpen":
		about(r, func(p openParams) {
			s.opens(newDocument(p.TextDocument.URI, p.TextDocument.Version, p.TextDocument.Text))
		})
	case "textDocument/didChange":
		about(r, s.changes)
	case "textDocument/didSave":
		about(r, func(p documentParams) { s.check(p.TextDocument.URI) })
	case "textDocument/didClose":
		about(r, func(p documentParams) { s.closes(p.TextDocument.URI) })
	case "workspace/didChangeWatchedFiles":
		s.lookAgain()
	case "inev/trusted":
		s.mu.Lock()
		s.client.Options.Trusted = true
		s.mu.Unlock()
		s.checkAll()
	case "$/cancelRequest":
		about(r, func(p cancelParams) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if stop := s.running[string(p.ID)]; stop != nil {
				stop()
			}
		})
	case "exit":
		s.out.put(func() { _ = s.conn.Close() })
	}
}

func (s *Server) requested(r *jsonrpc2.Request) {
	switch r.Method {
	case "initialize":
		p, err := params[initializeParams](r)
		s.mu.Lock()
		s.client = p
		s.client.Options.Trusted = p.Options.Trusted || s.options.Trusted
		for _, folder := range p.WorkspaceFolders {
			s.roots = append(s.roots, pathOf(folder.URI))
		}
		if len(s.roots) == 0 && p.RootURI != "" {
			s.roots = append(s.roots, pathOf(p.RootURI))
		}
		s.mu.Unlock()
		s.answer(r, s.capabilities(), err)
	case "shutdown":
		s.mu.Lock()
		s.closing = true
		s.mu.Unlock()
		s.answer(r, nil, nil)
	case "textDocument/hover":
		ask(s, r, s.hover)
	case "textDocument/completion":
		ask(s, r, s.completion)
	case "textDocument/signatureHelp":
		ask(s, r, s.signatureHelp)
	case "textDocument/codeLens":
		ask(s, r, s.lenses)
	case "textDocument/codeAction":
		ask(s, r, s.actions)
	case "textDocument/formatting":
		ask(s, r, s.formatting)
	case "textDocument/documentSymbol":
		ask(s, r, s.symbols)
	case "workspace/executeCommand":
		ask(s, r, s.execute)
	case "inev/explain":
		ask(s, r, s.explain)
	case "inev/ask":
		ask(s, r, s.ask)
	default:
		s.answer(r, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: r.Method + " is not understood"})
	}
}

// ask answers a request, about the texts as they are now, while later requests arrive. The client
// can cancel it.
func ask[P, R any](s *Server, r *jsonrpc2.Request, do func(context.Context, snapshot, P) (R, error)) {
	p, err := params[P](r)
	if err != nil {
		s.answer(r, nil, err)
		return
	}
	ctx, stop := context.WithCancel(s.ctx)
	id, _ := json.Marshal(r.ID)
	s.mu.Lock()
	s.running[string(id)] = stop
	now := s.snapshot()
	s.mu.Unlock()
	s.working.Go(func() {
		defer func() {
			s.mu.Lock()
			delete(s.running, string(id))
			s.mu.Unlock()
			stop()
		}()
		result, err := contained(func() (R, error) { return do(ctx, now, p) })
		if ctx.Err() != nil {
			err = &jsonrpc2.Error{Code: codeCanceled, Message: "the request was cancelled"}
		}
		s.answer(r, result, err)
	})
}

// contained turns a panic into an error, so that a mistake in inev does not end the editor's
// server.
func contained[R any](do func() (R, error)) (r R, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v; this is a mistake in inev: report it", cause)
		}
	}()
	return do()
}

func (s *Server) answer(r *jsonrpc2.Request, result any, err error) {
	s.out.put(func() {
		if err == nil {
			_ = s.conn.Reply(s.ctx, r.ID, result)
			return
		}
		var said *jsonrpc2.Error
		if !errors.As(err, &said) {
			said = &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: err.Error()}
		}
		_ = s.conn.ReplyWithError(s.ctx, r.ID, said)
	})
}

// snapshot is the state of the server when a request arrives.
type snapshot map[string]*document

func (s *Server) snapshot() snapshot {
	now := snapshot{}
	for uri, o := range s.open {
		now[uri] = o.doc
	}
	return now
}

func (s *Server) capabilities() any {
	commands := []string{explainCommand}
	if s.client.Options.Shows {
		commands = []string{}
	}
	return map[string]any{
		"capabilities": map[string]any{
			"textDocumentSync":           map[string]any{"openClose": true, "change": 2, "save": map[string]any{}},
			"hoverProvider":              true,
			"completionProvider":         map[string]any{"triggerCharacters": []string{"(", ",", ";", "{", "\"", " ", ":"}},
			"signatureHelpProvider":      map[string]any{"triggerCharacters": []string{"(", ",", ";"}},
			"codeLensProvider":           map[string]any{},
			"codeActionProvider":         map[string]any{"codeActionKinds": []string{"quickfix"}},
			"documentFormattingProvider": true,
			"documentSymbolProvider":     true,
			"executeCommandProvider":     map[string]any{"commands": commands},
		},
		"serverInfo": map[string]any{"name": "inev-ls", "version": s.options.Version},
	}
}

// watch asks the client to report changes of models and manifests.
func (s *Server) watch() {
	s.mu.Lock()
	can := s.client.Capabilities.Workspace.DidChangeWatchedFiles.DynamicRegistration
	s.mu.Unlock()
	if !can {
		return
	}
	s.call("client/registerCapability", map[string]any{"registrations": []any{map[string]any{
		"id": "models", "method": "workspace/didChangeWatchedFiles",
		"registerOptions": map[string]any{"watchers": []any{map[string]any{"globPattern": "**/*.{aut,gz,zst,bz2,lts,fsm,dump,clts,autx,tla,cfg,mcrl2,lps,lnt,lotos,exp,pml,yaml,yml}"}}},
	}}})
}

// call sends a request whose answer does not matter.
func (s *Server) call(method string, params any) {
	s.out.put(func() {
		waiter, err := s.conn.DispatchCall(s.ctx, method, params)
		if err != nil {
			return
		}
		s.working.Go(func() { _ = waiter.Wait(s.ctx, nil) })
	})
}

func (s *Server) opens(d *document) {
	s.mu.Lock()
	s.open[d.uri] = &opened{doc: d}
	s.mu.Unlock()
	s.check(d.uri)
}

func (s *Server) changes(p changeParams) {
	s.mu.Lock()
	o := s.open[p.TextDocument.URI]
	if o != nil {
		o.doc, o.kept = o.doc.edited(p.TextDocument.Version, p.ContentChanges), nil
	}
	s.mu.Unlock()
	if o != nil {
		s.diagnose(p.TextDocument.URI)
	}
}

func (s *Server) closes(uri string) {
	s.mu.Lock()
	o := s.open[uri]
	delete(s.open, uri)
	if o != nil {
		for _, stop := range []context.CancelFunc{o.diagnosing, o.checking} {
			if stop != nil {
				stop()
			}
		}
		s.notify("textDocument/publishDiagnostics", publishParams{URI: uri, Diagnostics: []diagnostic{}})
		if s.client.Options.Shows {
			s.notify("inev/verdicts", shownVerdicts{URI: uri, Items: []shownVerdict{}})
		}
	}
	s.mu.Unlock()
}

// checkAll begins the checks of all documents anew.
func (s *Server) checkAll() {
	s.mu.Lock()
	var all []string
	for uri := range s.open {
		all = append(all, uri)
	}
	s.mu.Unlock()
	slices.Sort(all)
	for _, uri := range all {
		s.check(uri)
	}
}

// look looks now and then whether models have changed.
func (s *Server) look() {
	for {
		select {
		case <-time.After(s.options.Look):
			s.lookAgain()
		case <-s.ctx.Done():
			return
		}
	}
}

// lookAgain checks the documents again if a file on which verdicts depend has changed.
func (s *Server) lookAgain() {
	s.mu.Lock()
	before := map[string]string{}
	for path, m := range s.known {
		before[path] = m.stamp
	}
	for path, m := range s.read {
		before[path] = m.stamp
	}
	s.mu.Unlock()
	for path, stamp := range before {
		if stampOf(path) != stamp {
			s.checkAll()
			return
		}
	}
}

// isManifest reports whether a document is a manifest of a batch.
func (d *document) isManifest() bool {
	suffix := strings.ToLower(filepath.Ext(d.path))
	return suffix == ".yaml" || suffix == ".yml"
}
