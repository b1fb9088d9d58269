//go:build !js

// Package serve shows the page of an explanation on a port of this machine, and answers
// what the page asks about parts of the model that it does not carry: what leaves a state,
// a run to a state, and why an action does not happen. It is for models that are too large
// to travel with a page.
//
// The invariant that holds inside: only who knows the token is told anything, and only by a
// page that this server has sent. Requests are answered from the loopback interface, for
// the host name that the server has there, without a foreign origin, without a body, and
// within bounds of time and size; there are no files behind the addresses, and nothing can
// be changed.
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

// Bounds of requests. A page asks for little, and answers are quick.
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

// ErrUnfolded is the error of an explanation about the unfolded model. Its states
// have no numbers by which they could be asked for.
var errUnfolded = errors.New("the unfolded model is not served")

// New listens at a port of the loopback interface, 0 for any that is free, for a page about
// e, the result of [explain.Explain], as [page.Page.Write] has written it with
// [page.Options].Served. Who has it must call [Server.Run] or [Server.Close]. It fails
// where there is no such port. Cost O(S) memory.
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

// URL is where the page is: who has it can read the model.
func (s *Server) URL() string { return "http://" + s.host + "/" + s.token + "/" }

// Run answers requests until ctx is done (it returns the error of that), or until
// nothing was asked for so long as idle says: a page that is open asks every minute. It
// returns nil then, and other errors if it cannot go on.
func (s *Server) Run(ctx context.Context, idle time.Duration) error {
	// Searches take them: the first question need not wait for them.
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
	s.seen.Store(s.now().UnixNano())
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

// guard sets what every answer says to the browser.
func guard(header http.Header) {
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
}

// refuse returns why a request is not looked at, 0 if it is. Names of other hosts come
// from pages that have turned their name to this machine (DNS rebinding), foreign origins
// from pages that ask across sites.
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

// asked returns what stands behind the token in a path; false if the token is wrong.
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
