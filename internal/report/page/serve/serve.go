//go:build !js

// Package serve shows the page of an explanation on a port of this machine. It is for models that
// are too large for a page: the page asks the server which transitions leave a state, for a run to
// a state, and why an action does not happen. Only a request with the token is answered, and only
// to a page that this server has sent. Requests must come from the loopback interface, to the
// server's host name there, without a foreign origin or a body, and within bounds of time and size;
// no address leads to a file, and nothing can be changed.
package serve

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"io/fs"
	"log"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/report/page"
)

// Bounds on requests. Requests of a page are small, and are answered quickly.
const (
	maxHeader    = 16 << 10
	patienceRead = 5 * time.Second
	patienceSend = time.Minute
	maxAtOnce    = 16
)

// Server shows one page.
type Server struct {
	loopback
	token   string
	page    []byte
	answers *answers
	room    chan struct{}
}

// errUnfolded is the error of New for an explanation about an unfolded model, since a question cannot
// refer to such states by number.
var errUnfolded = errors.New("the unfolded model is not served")

// New listens at a port of the loopback interface; port 0 means any free port. written is the page
// about e that [page.Page.Write] wrote with [page.Options].Served, and e is the result of
// [explain.Explain]. The caller must call [Server.Run] or [Server.Close]. New fails if e is about an
// unfolded model, or if the port is not available. Cost O(S) memory.
func New(e *explain.Explanation, written []byte, port int) (*Server, error) {
	if e.IsUnfolded() {
		return nil, errUnfolded
	}
	secret := make([]byte, 16)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	s := &Server{
		token: hex.EncodeToString(secret),
		page:  written,
		room:  make(chan struct{}, maxAtOnce),
	}
	if err := s.listen(port); err != nil {
		return nil, err
	}
	s.answers = newAnswers(e)
	return s, nil
}

// URL returns the address of the page. Everybody who has it can read the model.
func (s *Server) URL() string { return "http://" + s.host + "/" + s.token + "/" }

// Run answers requests. It ends with the error of ctx when ctx is done, and with nil when no request
// has come for the duration idle; an open page sends a request every minute. It returns any other error
// that keeps it from answering.
func (s *Server) Run(ctx context.Context, idle time.Duration) error {
	// Indexing the model now makes the first answer quick.
	contained.Go(func() { _ = s.answers.m.FindPredecessors(ctx) })
	return s.run(ctx, s, idle)
}

// ServeHTTP answers one request. A panic affects only the answer of this request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	containing(w, r, s.answer)
}

// containing answers a request with an error if the answer panics, and writes the stack to the log of
// the server.
func containing(w http.ResponseWriter, r *http.Request, answer http.HandlerFunc) {
	err := contained.Call(func() error {
		answer(w, r)
		return nil
	})
	var panicked *contained.Panic
	if errors.As(err, &panicked) {
		log.Printf("%v; this is a mistake in inev: report it\n%s", panicked, panicked.Stack)
		refuse(w, http.StatusInternalServerError)
	}
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	if !s.admits(w, r) {
		return
	}
	token, asked, hasSlash := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1 {
		refuse(w, http.StatusNotFound)
		return
	}
	if !hasSlash { // addresses in the page are relative to the final slash
		w.Header().Set("Location", "/"+s.token+"/")
		w.WriteHeader(http.StatusPermanentRedirect)
		return
	}
	select {
	case s.room <- struct{}{}:
		defer func() { <-s.room }()
	default:
		refuse(w, http.StatusTooManyRequests)
		return
	}
	header := w.Header()
	s.seen.Store(int64(s.now()))
	switch asked {
	case "":
		header.Set("Content-Security-Policy", page.ServedPolicy())
		header.Set("Content-Type", "text/html; charset=utf-8")
		w.Write(s.page)
	case "alive":
		w.WriteHeader(http.StatusNoContent)
	default:
		query := r.URL.Query()
		text, err := s.answers.to(r.Context(), question{
			Of:    asked,
			State: query.Get("state"),
			Q:     query.Get("q"),
			Label: query.Get("label"),
		})
		switch {
		case err == nil:
			header.Set("Content-Type", "application/json")
			w.Write(text)
		case r.Context().Err() != nil: // nobody waits for it
		case errors.Is(err, errUnknown):
			refuse(w, http.StatusNotFound)
		case errors.Is(err, errWrong):
			refuse(w, http.StatusBadRequest)
		default:
			refuse(w, http.StatusInternalServerError)
		}
	}
}

// refuse answers a request with a status and its text.
func refuse(w http.ResponseWriter, code int) { http.Error(w, http.StatusText(code), code) }

// admits sets the security headers of every answer, and reports whether the request may be answered. If
// it may not, admits has refused it. A request with another host name comes from a page that has made
// its own name resolve to this machine (DNS rebinding); one with a foreign origin comes from another
// site.
func (p *loopback) admits(w http.ResponseWriter, r *http.Request) bool {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	code := 0
	origin := r.Header.Get("Origin")
	site := r.Header.Get("Sec-Fetch-Site")
	switch {
	case r.Host != p.host:
		code = http.StatusMisdirectedRequest
	case origin != "" && origin != "http://"+p.host, site != "" && site != "same-origin" && site != "none":
		code = http.StatusForbidden
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		code = http.StatusMethodNotAllowed
		header.Set("Allow", "GET, HEAD")
	case r.ContentLength != 0 || len(r.TransferEncoding) > 0:
		code = http.StatusRequestEntityTooLarge
	default:
		return true
	}
	header.Set("Connection", "close")
	refuse(w, code)
	return false
}

// loopback is a port of this machine, and the time of its last request.
type loopback struct {
	listener net.Listener
	host     string
	// seen is the value of now at the last answered request.
	seen atomic.Int64
	// now returns how long the port has been open. It does not depend on the clock of the machine,
	// which may be set.
	now func() time.Duration
}

// listen opens a port of the loopback interface; 0 means any free port.
func (p *loopback) listen(port int) (err error) {
	if p.listener, err = net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err != nil {
		return err
	}
	begin := time.Now()
	p.host, p.now = p.listener.Addr().String(), func() time.Duration {
		return time.Since(begin)
	}
	return nil
}

// Close closes the port if [loopback.run] was not called.
func (p *loopback) Close() error { return p.listener.Close() }

// run answers requests with a handler until ctx is done, or until there was no request for the duration
// idle.
func (p *loopback) run(ctx context.Context, handler http.Handler, idle time.Duration) error {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: patienceRead, ReadTimeout: patienceRead, WriteTimeout: patienceSend, IdleTimeout: patienceSend,
		MaxHeaderBytes: maxHeader, BaseContext: func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	serving := contained.Go(func() {
		ended <- contained.Call(func() error {
			return server.Serve(p.listener)
		})
	})
	defer serving.Wait()
	defer server.Close()
	p.seen.Store(int64(p.now()))
	for {
		quiet := p.now() - time.Duration(p.seen.Load())
		if quiet >= idle {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-ended:
			return err
		case <-time.After(idle - quiet):
		}
	}
}

// Folder shows a folder of files, such as the playground, on a port of this machine, with the same
// limits as [Server]. Every program on this machine may read the files: the address has no secret.
type Folder struct {
	loopback
	files fs.FS
}

// NewFolder listens at a port of the loopback interface; 0 means any free one. The caller must
// call [Folder.Run] or [Folder.Close]. It fails if the port is not available.
func NewFolder(files fs.FS, port int) (*Folder, error) {
	f := &Folder{files: files}
	if err := f.listen(port); err != nil {
		return nil, err
	}
	return f, nil
}

// URL is the address of the folder.
func (f *Folder) URL() string { return "http://" + f.host + "/" }

// Run answers requests. It ends with the error of ctx when ctx is done, and with nil when no request
// has come for the duration idle.
func (f *Folder) Run(ctx context.Context, idle time.Duration) error {
	return f.run(ctx, f, idle)
}

// types has the content type by file extension. Compressed files are sent as they are;
// the page decompresses them.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".json": "application/json", ".aut": "text/plain; charset=utf-8", ".gz": "application/octet-stream",
}

// ServeHTTP answers one request. A panic affects only the answer of this request.
func (f *Folder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	containing(w, r, f.answer)
}

func (f *Folder) answer(w http.ResponseWriter, r *http.Request) {
	if !f.admits(w, r) {
		return
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if name == "" {
		name = "index.html"
	}
	kind := types[path.Ext(name)]
	data, err := fs.ReadFile(f.files, name)
	if err != nil || kind == "" {
		refuse(w, http.StatusNotFound)
		return
	}
	f.seen.Store(int64(f.now()))
	w.Header().Set("Content-Type", kind)
	// The page itself contains the rest of its policy.
	w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'")
	w.Write(data)
}
