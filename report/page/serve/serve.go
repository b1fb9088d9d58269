//go:build !js

// Package serve shows the page of an explanation on a port of this machine. It is for models that
// are too large for a page: the page asks it which transitions leave a state, for a run to a state,
// and why an action does not happen.
//
// The invariant that holds inside: only a request with the token is answered, and only to a
// page that this server has sent. Requests must come from the loopback interface, to the
// server's host name there, without a foreign origin or a body, and within bounds of time and
// size; no address leads to a file, and nothing can be changed.
package serve

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/report/page"
)

// Bounds of requests. Requests of a page are small, and quickly answered.
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

// errUnfolded is the error of New for an explanation about an unfolded model: a question cannot
// number its states.
var errUnfolded = errors.New("the unfolded model is not served")

// New listens at a port of the loopback interface, 0 for any that is free, for a page about e,
// the result of [explain.Explain], as [page.Page.Write] has written it with
// [page.Options].Served. The caller must call [Server.Run] or [Server.Close]. It fails if the
// port is not available. Cost O(S) memory.
func New(e *explain.Explanation, written []byte, port int) (*Server, error) {
	if e.IsUnfolded() {
		return nil, errUnfolded
	}
	secret := make([]byte, 16)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	s := &Server{token: hex.EncodeToString(secret), page: written, room: make(chan struct{}, maxAtOnce)}
	if err := s.listen(port); err != nil {
		return nil, err
	}
	s.answers = newAnswers(e)
	return s, nil
}

// URL is the address of the page: whoever has it can read the model.
func (s *Server) URL() string { return "http://" + s.host + "/" + s.token + "/" }

// Run answers requests until ctx is done, and returns its error, or until there was no request
// for the duration idle (an open page asks every minute), and returns nil. It returns other
// errors if it cannot continue.
func (s *Server) Run(ctx context.Context, idle time.Duration) error {
	// Prepare searches now, so that the first question is answered without delay.
	go s.answers.prepare(ctx)
	return s.run(ctx, s, idle)
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	guard(header)
	if code := refuse(r, s.host); code != 0 {
		header.Set("Connection", "close")
		http.Error(w, http.StatusText(code), code)
		return
	}
	what, ok := s.asked(r.URL.Path)
	if !ok {
		http.Error(w, http.StatusText(http.StatusNotFound), http.StatusNotFound)
		return
	}
	select {
	case s.room <- struct{}{}:
		defer func() { <-s.room }()
	default:
		http.Error(w, http.StatusText(http.StatusTooManyRequests), http.StatusTooManyRequests)
		return
	}
	s.seen.Store(int64(s.now()))
	switch what {
	case "":
		header.Set("Content-Security-Policy", page.ServedPolicy())
		header.Set("Content-Type", "text/html; charset=utf-8")
		w.Write(s.page)
	case "alive":
		w.WriteHeader(http.StatusNoContent)
	default:
		s.answer(w, r, what)
	}
}

// guard sets the security headers of every answer.
func guard(header http.Header) {
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
}

// refuse returns the status with which a request is refused, 0 if it is accepted. Other host
// names come from pages that have made their name resolve to this machine (DNS rebinding),
// foreign origins from requests across sites.
func refuse(r *http.Request, host string) int {
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	switch {
	case r.Host != host:
		return http.StatusMisdirectedRequest
	case origin != "" && origin != "http://"+host, site != "" && site != "same-origin" && site != "none":
		return http.StatusForbidden
	case r.Method != http.MethodGet:
		return http.StatusMethodNotAllowed
	case r.ContentLength != 0 || len(r.TransferEncoding) > 0:
		return http.StatusRequestEntityTooLarge
	}
	return 0
}

// asked returns the part of a path after the token; false if the token is wrong.
func (s *Server) asked(path string) (string, bool) {
	token, what, both := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if !both || subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1 {
		return "", false
	}
	return what, true
}

// answer answers a question of the page.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, what string) {
	query := r.URL.Query()
	text, err := s.answers.to(r.Context(), question{Of: what, State: query.Get("state"), Q: query.Get("q"), Label: query.Get("label")})
	code := http.StatusInternalServerError
	switch {
	case err == nil:
		w.Header().Set("Content-Type", "application/json")
		w.Write(text)
		return
	case r.Context().Err() != nil: // nobody waits for it
		return
	case errors.Is(err, errUnknown):
		code = http.StatusNotFound
	case errors.Is(err, errWrong):
		code = http.StatusBadRequest
	}
	http.Error(w, http.StatusText(code), code)
}
