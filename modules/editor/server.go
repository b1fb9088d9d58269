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

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/resources"
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
	// Patience is how long the server waits for an answer of the analyst, whose own limit should be
	// shorter; 0 for no limit.
	Patience time.Duration
	// Memory bounds the memory of the process while a document is read; no limit if its Bytes are 0.
	Memory resources.Limit
	// Folder is where pages for a browser are written; "" for the system's folder of temporary
	// files.
	Folder string
	// Log is where mistakes are reported besides in messages to the client; nil for nowhere.
	Log io.Writer
}

// A Server serves one client.
type Server struct {
	options    Options
	analyst    Analyst
	conn       *jsonrpc2.Conn
	messages   *watched
	ctx        context.Context
	goroutines work
	out        outbox
	// clientLeft is closed when the client leaves by exit, or when the server gives it up.
	clientLeft chan struct{}
	leaveOnce  sync.Once
	globs      inputfile.Globs

	mu     sync.Mutex
	client initializeParams
	roots  []string
	state  lifetime
	// clientMistake is why the server gave the client up, nil if it has not.
	clientMistake error
	open          map[string]*opened
	cancelers     map[string]context.CancelFunc // requests that are being answered
	models        map[string]*model             // by paths
	// verdicts are the answers, by the questions and the versions of the models.
	verdicts  map[string]*verdict
	manifests map[string]*manifestJobs
	// checkGate lets the server answer one question of a document at a time, since the editor needs
	// processors, too. askGate is for questions that somebody waits for, factsGate for models,
	// textGate for texts of documents that are read, and quickGate for all other requests.
	checkGate, askGate, factsGate, textGate, quickGate *gate
}

// lifetime is a phase of the connection with a client.
type lifetime int

const (
	uninitialized lifetime = iota
	initialized
	closing // shutdown has been requested
)

// opened is a document in the editor.
type opened struct {
	doc *document
	// questions are the questions of the text, nil if it has not been read yet.
	questions *questionSet
	// stopDiagnosing and stopChecking cancel the work on an older text.
	stopDiagnosing, stopChecking context.CancelFunc
	shown                        []diagnostic
	// isSaved is set once the document has been saved: then TLC may make a graph.
	isSaved bool
	reading *reading
}

// stop ends the work on the document.
func (o *opened) stop() {
	for _, stop := range []context.CancelFunc{o.stopDiagnosing, o.stopChecking} {
		if stop != nil {
			stop()
		}
	}
	if o.reading != nil {
		o.reading.stop()
	}
}

// New returns a server that asks an analyst.
func New(a Analyst, o Options) *Server {
	s := &Server{
		options:    o,
		analyst:    a,
		open:       map[string]*opened{},
		cancelers:  map[string]context.CancelFunc{},
		models:     map[string]*model{},
		verdicts:   map[string]*verdict{},
		manifests:  map[string]*manifestJobs{},
		clientLeft: make(chan struct{}),
	}
	s.goroutines.logPanic = s.logPanic
	s.checkGate = newGate("checks", 1, o.Patience, s.logPanic)
	s.askGate = newGate("questions", 2, o.Patience, s.logPanic)
	s.factsGate = newGate("models", 2, o.Patience, s.logPanic)
	s.textGate = newGate("texts", 32, longestReading, s.logPanic)
	s.quickGate = newGate("requests", 16, quickPatience, s.logPanic)
	s.out.changed = sync.NewCond(&s.out.mu)
	s.out.allSent = make(chan struct{})
	s.out.onFull = func() { s.giveUp(errUnread) }
	return s
}

// ErrNoShutdown is the error of a server whose client has left without a request to shut down.
var ErrNoShutdown = errors.New("the client has left without a request to shut down")

var errUnread = errors.New("the client does not read its messages")

// Run serves a client until it leaves or ctx is done, and returns then, even if work does not end.
// It returns nil if the client has requested to shut down, otherwise [ErrNoShutdown] or what was
// wrong with the messages.
func (s *Server) Run(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	return s.Serve(ctx, newFramed(in, out, s.refuse))
}

// Bounds on the time that the end of a server takes.
const (
	endOfWork     = 500 * time.Millisecond
	endOfMessages = 250 * time.Millisecond
)

// Serve is [Server.Run] with a stream of messages in place of an input and an output.
func (s *Server) Serve(ctx context.Context, messages jsonrpc2.ObjectStream) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	s.ctx, s.messages = ctx, &watched{ObjectStream: messages}
	s.conn = jsonrpc2.NewConn(context.WithoutCancel(ctx), s.messages, handler{s}, jsonrpc2.SetLogger(libraryLog{s})) // only the outbox uses it
	s.out.begin(s.logPanic)
	if s.options.Look > 0 {
		s.goroutines.Go(s.watchModels)
	}
	select {
	case <-s.conn.DisconnectNotify():
	case <-s.clientLeft:
	case <-ctx.Done():
	}
	end()
	s.goroutines.Wait(endOfWork)
	s.out.end(endOfMessages)
	_ = s.conn.Close() // it may be closed already
	return s.endError()
}

// endError returns the error of [Server.Serve].
func (s *Server) endError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	mistake := s.messages.mistake()
	switch {
	case mistake != nil:
		return fmt.Errorf("the messages of the client cannot be read: %w", mistake)
	case s.clientMistake != nil:
		return s.clientMistake
	case s.state != closing:
		return ErrNoShutdown
	}
	return nil
}

// giveUp ends the server because of its client.
func (s *Server) giveUp(why error) {
	s.recordMistake(why)
	s.leaveOnce.Do(func() { close(s.clientLeft) })
}

// recordMistake records a mistake of the client, which the server reports when it ends.
func (s *Server) recordMistake(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clientMistake == nil {
		s.clientMistake = why
	}
}

// refuse answers something that is no message.
func (s *Server) refuse(why *jsonrpc2.Error) {
	s.recordMistake(fmt.Errorf("the client has sent a malformed message: %s", why.Message))
	s.out.put(func() { _ = s.messages.WriteObject(newRefusal(why)) })
}

// log reports a mistake to the people who look after the server, in one line.
func (s *Server) log(text string) {
	text = printable.Text(text)
	if s.options.Log != nil {
		fmt.Fprintf(s.options.Log, "inev-ls: %s\n", text)
	}
	s.notify("window/logMessage", map[string]any{"type": severityError, "message": text})
}

// logPanic reports a panic that was contained.
func (s *Server) logPanic(p *panicError) {
	s.log(p.Error())
	for line := range strings.Lines(string(p.stack)) {
		s.log(strings.TrimSpace(line))
	}
}

// libraryLog takes the messages of jsonrpc2.
type libraryLog struct{ s *Server }

func (l libraryLog) Printf(format string, values ...any) {
	l.s.log(strings.TrimSpace(fmt.Sprintf(format, values...)))
}

// work counts the goroutines of a server, so that the server can wait for their end.
type work struct {
	logPanic func(*panicError)
	mu       sync.Mutex
	hasEnded bool
	group    sync.WaitGroup
}

// Go starts f, unless Wait has been called: messages may still arrive, and be sent, while the
// server ends. It reports whether it has started f, for those who wait for what f does.
func (w *work) Go(f func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.hasEnded {
		w.group.Go(func() {
			_, _ = containing(w.logPanic, func() (any, error) {
				f()
				return nil, nil
			})
		})
	}
	return !w.hasEnded
}

// Wait waits until all goroutines have ended, but not for long; later ones are not started.
func (w *work) Wait(atMost time.Duration) {
	w.mu.Lock()
	w.hasEnded = true
	w.mu.Unlock()
	done := make(chan struct{})
	go func() {
		w.group.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(atMost):
	}
}

// outbox sends messages that need no answer, in their order, so that a sender need not wait for a
// client that does not read.
type outbox struct {
	mu       sync.Mutex
	changed  *sync.Cond
	queue    []func()
	isEnding bool
	allSent  chan struct{}
	onFull   func()
}

// mostUnread is the largest number of messages that wait for a client that does not read.
const mostUnread = 50_000

// begin starts the sending of messages. A panic is handed to logs, and the next message is sent.
func (o *outbox) begin(logs func(*panicError)) {
	go func() {
		defer close(o.allSent)
		for send := o.next(); send != nil; send = o.next() {
			_, _ = containing(logs, func() (any, error) {
				send()
				return nil, nil
			})
		}
	}()
}

// next waits for a message to send; nil if there will be none.
func (o *outbox) next() (send func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) == 0 && !o.isEnding {
		o.changed.Wait()
	}
	if len(o.queue) == 0 {
		return nil
	}
	send, o.queue = o.queue[0], o.queue[1:]
	return send
}

// put adds a message behind those that wait. If too many wait, it drops the message and calls onFull.
func (o *outbox) put(send func()) {
	o.mu.Lock()
	full := len(o.queue) >= mostUnread
	if !full {
		o.queue = append(o.queue, send)
		o.changed.Signal()
	}
	o.mu.Unlock()
	if full {
		go o.onFull() // whoever sends may hold a lock
	}
}

// end waits until everything is sent, but not for long.
func (o *outbox) end(atMost time.Duration) {
	o.mu.Lock()
	o.isEnding = true
	o.changed.Signal()
	o.mu.Unlock()
	select {
	case <-o.allSent:
	case <-time.After(atMost):
	}
}

// notify sends a notification.
func (s *Server) notify(method string, params any) {
	s.out.put(func() {
		_ = s.conn.Notify(context.Background(), method, params)
	})
}

// handler hands messages to the server, in their order.
type handler struct{ s *Server }

// Handle handles a message. A request that panics gets an answer, too.
func (h handler) Handle(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) {
	_, err := containing(h.s.logPanic, func() (any, error) {
		if r.Notif {
			h.s.handleNotification(r)
		} else {
			h.s.handleRequest(r)
		}
		return nil, nil
	})
	if err != nil && !r.Notif {
		h.s.answer(r, nil, err)
	}
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

// withParams calls do with the parameters of a notification. It only logs that it cannot decode them,
// since nobody waits for an answer.
func withParams[P any](s *Server, r *jsonrpc2.Request, do func(P)) {
	p, err := params[P](r)
	if err != nil {
		s.log(fmt.Sprintf("%.100s is not understood: %v", r.Method, err))
		return
	}
	do(p)
}

// lifetime returns the current phase of the connection.
func (s *Server) lifetime() lifetime {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// handleNotification does what a notification asks for, and ignores unknown ones.
func (s *Server) handleNotification(r *jsonrpc2.Request) {
	if r.Method == "exit" {
		s.leaveOnce.Do(func() { close(s.clientLeft) })
		return
	}
	if s.lifetime() != initialized {
		return // as LSP demands
	}
	switch r.Method {
	case "initialized":
		s.requestWatching()
	case "textDocument/didOpen":
		withParams(s, r, func(p openParams) {
			s.openDocument(newDocument(p.TextDocument.URI, int(p.TextDocument.Version),
				p.TextDocument.Text))
		})
	case "textDocument/didChange":
		withParams(s, r, s.changeDocument)
	case "textDocument/didSave":
		withParams(s, r, func(p documentParams) {
			s.markSaved(p.TextDocument.URI)
			s.check(p.TextDocument.URI)
		})
	case "textDocument/didClose":
		withParams(s, r, func(p documentParams) { s.closeDocument(p.TextDocument.URI) })
	case "workspace/didChangeWatchedFiles":
		s.globs.Forget()
		s.goroutines.Go(s.checkChangedModels) // a file system may not answer
	case "inev/trusted":
		s.mu.Lock()
		s.client.Options.Trusted = true
		s.mu.Unlock()
		s.checkAll()
	case "$/cancelRequest":
		withParams(s, r, func(p cancelParams) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if stop := s.cancelers[p.ID.String()]; stop != nil {
				stop()
			}
		})
	}
}

// handleRequest has a request answered, or refuses it.
func (s *Server) handleRequest(r *jsonrpc2.Request) {
	refusal := refusalIn(s.lifetime(), r.Method)
	switch {
	case refusal != nil:
		s.answer(r, nil, refusal)
	case r.Method == "initialize":
		s.initialize(r)
	case r.Method == "shutdown":
		s.shutdown(r)
	case s.answersFromText(r), s.answersFromModel(r):
	default:
		s.answer(r, nil, &jsonrpc2.Error{
			Code:    jsonrpc2.CodeMethodNotFound,
			Message: printable.Text(fmt.Sprintf("%.100s is not understood", r.Method)),
		})
	}
}

// refusalIn returns why a request cannot be answered in a state of the server, nil if it can.
func refusalIn(state lifetime, method string) *jsonrpc2.Error {
	isInitialize := method == "initialize"
	switch {
	case state == uninitialized && !isInitialize:
		return &jsonrpc2.Error{
			Code:    codeNotInitialized,
			Message: "the first request has to be initialize",
		}
	case state == closing:
		return &jsonrpc2.Error{
			Code:    jsonrpc2.CodeInvalidRequest,
			Message: "only exit may follow shutdown",
		}
	case state != uninitialized && isInitialize:
		return &jsonrpc2.Error{
			Code:    jsonrpc2.CodeInvalidRequest,
			Message: "the server is initialized already",
		}
	}
	return nil
}

// shutdown stops what runs; the server then only waits for exit.
func (s *Server) shutdown(r *jsonrpc2.Request) {
	s.mu.Lock()
	s.state = closing
	for _, stop := range s.cancelers {
		stop()
	}
	s.mu.Unlock()
	s.answer(r, nil, nil)
}

// answersFromText has a request answered if its method is about the texts of documents alone, and reports whether
// it is.
func (s *Server) answersFromText(r *jsonrpc2.Request) bool {
	switch r.Method {
	case "textDocument/hover":
		answerRequest(s, r, s.quickGate, s.hover)
	case "textDocument/completion":
		answerRequest(s, r, s.quickGate, s.completion)
	case "textDocument/signatureHelp":
		answerRequest(s, r, s.quickGate, s.signatureHelp)
	case "textDocument/codeLens":
		answerRequest(s, r, s.quickGate, s.lenses)
	case "textDocument/diagnostic":
		answerRequest(s, r, s.quickGate, s.documentDiagnostics)
	case "textDocument/codeAction":
		answerRequest(s, r, s.quickGate, s.actions)
	case "textDocument/formatting":
		answerRequest(s, r, s.quickGate, s.formatting)
	case "textDocument/documentSymbol":
		answerRequest(s, r, s.quickGate, s.symbols)
	case "textDocument/documentLink":
		answerRequest(s, r, s.quickGate, s.links)
	case "textDocument/documentHighlight":
		answerRequest(s, r, s.quickGate, s.highlights)
	case "textDocument/references":
		answerRequest(s, r, s.quickGate, s.references)
	case "textDocument/prepareRename":
		answerRequest(s, r, s.quickGate, s.prepareRename)
	case "textDocument/rename":
		answerRequest(s, r, s.quickGate, s.rename)
	default:
		return false
	}
	return true
}

// answersFromModel has a request answered if its method may analyse a model, and reports whether it may.
func (s *Server) answersFromModel(r *jsonrpc2.Request) bool {
	switch r.Method {
	case "workspace/executeCommand":
		answerRequest(s, r, s.askGate, s.execute)
	case "inev/explain":
		answerRequest(s, r, s.askGate, s.explain)
	case "inev/ask":
		answerRequest(s, r, s.askGate, s.ask)
	default:
		return false
	}
	return true
}

// initialize records what the client says about itself, and answers with what the server can do.
func (s *Server) initialize(r *jsonrpc2.Request) {
	p, err := params[initializeParams](r)
	if err != nil {
		s.answer(r, nil, err)
		return
	}
	s.mu.Lock()
	s.state = initialized
	s.client = p
	s.client.Options.Trusted = p.Options.Trusted || s.options.Trusted
	for _, folder := range p.WorkspaceFolders {
		s.roots = append(s.roots, pathOf(folder.URI))
	}
	if len(s.roots) == 0 && p.RootURI != "" {
		s.roots = append(s.roots, pathOf(p.RootURI))
	}
	s.mu.Unlock()
	s.answer(r, s.capabilities(), nil)
}

const (
	// mostRunning is the largest number of requests that are answered or wait at a time.
	mostRunning = 1000
	// quickPatience is how long a request may take that asks nothing about models.
	quickPatience = 10 * time.Second
)

// answerRequest answers a request, about the texts as they are now, while later requests arrive. The client
// can cancel the request.
func answerRequest[P, R any](
	s *Server,
	r *jsonrpc2.Request,
	g *gate,
	do func(context.Context, snapshot, P) (R, error),
) {
	p, err := params[P](r)
	if err != nil {
		s.answer(r, nil, err)
		return
	}
	ctx, stop := context.WithCancel(inputfile.Untrusted(s.ctx, &s.globs))
	now, err := s.beginRequest(r.ID.String(), stop)
	if err != nil {
		stop()
		s.answer(r, nil, err)
		return
	}
	s.goroutines.Go(func() {
		result, err := through(ctx, g, func(ctx context.Context) (R, error) {
			return do(ctx, now, p)
		})
		var late *patienceError
		switch {
		case ctx.Err() != nil:
			err = &jsonrpc2.Error{Code: codeCanceled, Message: "the request was cancelled"}
		case errors.As(err, &late) || errors.Is(err, errEndless):
			err = &jsonrpc2.Error{Code: codeFailed, Message: err.Error()}
		}
		s.mu.Lock()
		delete(s.cancelers, r.ID.String())
		s.mu.Unlock()
		stop()
		s.answer(r, result, err)
	})
}

// beginRequest records that a request is being answered, and returns the texts that it is about.
func (s *Server) beginRequest(id string, stop context.CancelFunc) (snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.cancelers[id] != nil:
		return nil, &jsonrpc2.Error{
			Code:    jsonrpc2.CodeInvalidRequest,
			Message: "a request with this number is being answered",
		}
	case len(s.cancelers) >= mostRunning:
		return nil, &jsonrpc2.Error{
			Code:    codeFailed,
			Message: fmt.Sprintf("%d requests have no answer yet", mostRunning),
		}
	}
	s.cancelers[id] = stop
	return s.snapshot(), nil
}

// answer sends the result of a request, or its error if err is not nil.
func (s *Server) answer(r *jsonrpc2.Request, result any, err error) {
	s.out.put(func() {
		if err == nil {
			_ = s.conn.Reply(context.Background(), r.ID, result)
			return
		}
		var said *jsonrpc2.Error
		if !errors.As(err, &said) {
			said = &jsonrpc2.Error{
				Code:    jsonrpc2.CodeInternalError,
				Message: printable.Text(err.Error()),
			}
		}
		_ = s.conn.ReplyWithError(context.Background(), r.ID, said)
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

// beginsArgument and beginsCompletion have the characters after which a client asks by itself.
// Those of the first begin a step, or the next one; the others begin a label, a set, or the text of
// a directive.
var (
	beginsArgument   = []string{"(", ",", ";"}
	beginsCompletion = append(slices.Clone(beginsArgument), "{", "\"", " ", ":")
)

// syncsChanges is the kind of synchronisation in which a client sends what has changed, and not the whole text.
const syncsChanges = 2

// capabilities is what the server can do for its client.
func (s *Server) capabilities() any {
	commands := []string{explainCommand}
	if s.client.Options.Shows {
		commands = []string{} // the client itself carries out the command
	}
	provided := map[string]any{
		"textDocumentSync": map[string]any{
			"openClose": true,
			"change":    syncsChanges,
			"save":      map[string]any{},
		},
		"hoverProvider":              true,
		"completionProvider":         map[string]any{"triggerCharacters": beginsCompletion},
		"signatureHelpProvider":      map[string]any{"triggerCharacters": beginsArgument},
		"codeLensProvider":           map[string]any{},
		"codeActionProvider":         map[string]any{"codeActionKinds": []string{"quickfix"}},
		"documentFormattingProvider": true,
		"documentSymbolProvider":     true,
		"documentLinkProvider":       map[string]any{},
		"documentHighlightProvider":  true,
		"referencesProvider":         true,
		"renameProvider":             map[string]any{"prepareProvider": true},
		"executeCommandProvider":     map[string]any{"commands": commands},
	}
	if s.clientPulls() {
		provided["diagnosticProvider"] = map[string]any{
			"identifier":            "inev",
			"interFileDependencies": true,
			"workspaceDiagnostics":  false,
		}
	}
	return map[string]any{
		"capabilities": provided,
		"serverInfo":   map[string]any{"name": "inev-ls", "version": s.options.Version},
	}
}

// clientPulls reports whether the client itself asks for the mistakes of a text, and asks again when the server
// tells it to. Then the server does not publish mistakes, since the client would show each twice. The
// extension for VS Code takes published mistakes.
func (s *Server) clientPulls() bool {
	c := &s.client.Capabilities
	return c.TextDocument.Diagnostic != nil && c.Workspace.Diagnostics.RefreshSupport &&
		!s.client.Options.Shows
}

// requestWatching asks the client to report changes of models and manifests.
func (s *Server) requestWatching() {
	s.mu.Lock()
	canRegister := s.client.Capabilities.Workspace.DidChangeWatchedFiles.DynamicRegistration
	s.mu.Unlock()
	if !canRegister {
		return
	}
	s.call("client/registerCapability", map[string]any{"registrations": []any{map[string]any{
		"id":              "models",
		"method":          "workspace/didChangeWatchedFiles",
		"registerOptions": map[string]any{"watchers": []any{map[string]any{"globPattern": "**/*.{aut,gz,zst,bz2,lts,fsm,dump,clts,autx,tla,cfg,mcrl2,lps,lnt,lotos,exp,pml,yaml,yml}"}}},
	}}})
}

// call sends a request whose answer does not matter.
func (s *Server) call(method string, params any) {
	s.out.put(func() {
		_, _ = s.conn.DispatchCall(context.Background(), method, params)
	})
}

func (s *Server) openDocument(d *document) {
	s.mu.Lock()
	if before := s.open[d.uri]; before != nil {
		before.stop()
	}
	s.open[d.uri] = &opened{doc: d}
	s.mu.Unlock()
	s.check(d.uri)
}

func (s *Server) changeDocument(p changeParams) {
	if s.applyChanges(p) {
		s.diagnose(p.TextDocument.URI)
	}
}

// markSaved records that a document was saved.
func (s *Server) markSaved(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.open[uri]; o != nil {
		o.isSaved = true
	}
}

// applyChanges edits a document, and reports whether it is open.
func (s *Server) applyChanges(p changeParams) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.open[p.TextDocument.URI]
	if o != nil {
		o.doc, o.questions = o.doc.edited(int(p.TextDocument.Version), p.ContentChanges), nil
	}
	return o != nil
}

// closeDocument forgets a document, ends its checks, and clears what the client shows about it.
func (s *Server) closeDocument(uri string) {
	s.mu.Lock()
	o := s.open[uri]
	delete(s.open, uri)
	if o != nil {
		o.stop()
		if !s.clientPulls() {
			s.notify("textDocument/publishDiagnostics", publishParams{
				URI:         uri,
				Diagnostics: []diagnostic{},
			})
		}
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

// watchModels looks now and then whether models have changed.
func (s *Server) watchModels() {
	for {
		select {
		case <-time.After(s.options.Look):
			s.checkChangedModels()
		case <-s.ctx.Done():
			return
		}
	}
}

// checkChangedModels checks the documents again if a file on which verdicts depend has changed.
func (s *Server) checkChangedModels() {
	s.mu.Lock()
	before := map[string]string{}
	for path, m := range s.models {
		before[path] = m.stamp
	}
	for path, m := range s.manifests {
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
