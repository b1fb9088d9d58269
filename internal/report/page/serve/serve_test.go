package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/faults"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

func served(t testing.TB, e *explain.Explanation) *Server {
	t.Helper()
	s, err := New(e, []byte("<!DOCTYPE html>the page"), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func example(t testing.TB) *Server {
	c := randomlts.Seeded(3, randomlts.Small())
	return served(t, specimens.Asked(t, c.Model, c.Formula, explain.Options{}))
}

// do sends a request to the handler, changed as the test wants it.
func do(s *Server, path string, change func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.URL = &url.URL{Path: path}
	if at, query, both := strings.Cut(path, "?"); both {
		r.URL = &url.URL{Path: at, RawQuery: query}
	}
	r.Host = s.host
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// TestHostileRequests: who does not know the token, or comes from elsewhere, is told
// nothing.
func TestHostileRequests(t *testing.T) {
	s := example(t)
	root := "/" + s.token + "/"
	if w := do(s, root, nil); w.Code != http.StatusOK || w.Body.String() != "<!DOCTYPE html>the page" || !strings.Contains(w.Header().Get("Content-Security-Policy"), "connect-src 'self'") {
		t.Fatalf("the page itself: %d %s", w.Code, w.Body)
	}
	if w := do(s, "/"+s.token, nil); w.Header().Get("Location") != root || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("without the final slash: %d %v", w.Code, w.Header())
	}
	port := s.host[strings.LastIndex(s.host, ":"):]
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	for name, c := range map[string]struct {
		path   string
		change func(*http.Request)
		code   int
	}{
		"no token":              {"/", nil, 404},
		"empty token":           {"//", nil, 404},
		"wrong token":           {"/" + strings.Repeat("0", 32) + "/", nil, 404},
		"part of the token":     {"/" + s.token[:31] + "/", nil, 404},
		"token and more":        {"/" + s.token + "0/", nil, 404},
		"token without slash":   {"/" + s.token, nil, 308},
		"elsewhere, no slash":   {"/" + s.token, host("evil.example"), 421},
		"wrong token, a state":  {"/x/near?state=0", nil, 404},
		"up":                    {root + "../../etc/passwd", nil, 404},
		"up, then down":         {"/x/../" + s.token + "/", nil, 404},
		"a file":                {root + "etc/passwd", nil, 404},
		"an absolute file":      {root + "/etc/passwd", nil, 404},
		"backslashes":           {root + `..\..\windows`, nil, 404},
		"a zero byte":           {root + "near\x00", nil, 404},
		"another name":          {root, host("evil.example"), 421},
		"another name and port": {root, host("evil.example" + port), 421},
		"localhost":             {root, host("localhost" + port), 421},
		"another port":          {root, host("127.0.0.1:1"), 421},
		"no name":               {root, host(""), 421},
		"foreign origin":        {root + "near?state=0", set("Origin", "http://evil.example"), 403},
		"null origin":           {root + "near?state=0", set("Origin", "null"), 403},
		"https origin":          {root + "near?state=0", set("Origin", "https://"+s.host), 403},
		"origin of a neighbour": {root + "near?state=0", set("Origin", "http://127.0.0.1:1"), 403},
		"another site":          {root + "near?state=0", set("Sec-Fetch-Site", "cross-site"), 403},
		"the same site only":    {root + "near?state=0", set("Sec-Fetch-Site", "same-site"), 403},
		"post":                  {root, func(r *http.Request) { r.Method = http.MethodPost }, 405},
		"options":               {root, func(r *http.Request) { r.Method = http.MethodOptions }, 405},
		"connect":               {root, func(r *http.Request) { r.Method = http.MethodConnect }, 405},
		"a huge body":           {root, func(r *http.Request) { r.ContentLength, r.Body = 1<<40, io.NopCloser(unread{t}) }, 413},
		"a body without end": {root, func(r *http.Request) {
			r.ContentLength, r.TransferEncoding, r.Body = -1, []string{"chunked"}, io.NopCloser(unread{t})
		}, 413},
		"no state":         {root + "near", nil, 200},
		"a negative state": {root + "near?state=-1", nil, 200},
		"a huge state":     {root + "near?state=99999999999999999999", nil, 200},
		"no such state":    {root + "near?state=4294967295", nil, 200},
		"no number":        {root + "past?state=0x0", nil, 200},
		"no such history":  {root + "why?state=0&q=65535&label=A", nil, 400},
		"no such label":    {root + "why?state=0&q=0&label=" + strings.Repeat("x", 10_000), nil, 400},
		"no such question": {root + "how?state=0", nil, 404},
	} {
		w := do(s, c.path, c.change)
		if w.Code != c.code {
			t.Errorf("%s: %d, want %d", name, w.Code, c.code)
		}
		if allowed := w.Header().Get("Allow"); w.Code == http.StatusMethodNotAllowed && allowed != "GET, HEAD" {
			t.Errorf("%s: the methods %q are allowed", name, allowed)
		}
		if strings.Contains(w.Body.String(), "the page") || strings.Contains(w.Body.String(), s.token) || len(w.Body.String()) > 60 {
			t.Errorf("%s: %s", name, w.Body)
		}
		if w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: headers %v", name, w.Header())
		}
	}
	for _, right := range []func(*http.Request){set("Origin", "http://"+s.host), set("Sec-Fetch-Site", "same-origin"), set("Sec-Fetch-Site", "none")} {
		if w := do(s, root, right); w.Code != http.StatusOK {
			t.Errorf("a right request: %d", w.Code)
		}
	}
	// Beyond what is answered at once.
	for range maxAtOnce {
		s.room <- struct{}{}
	}
	if w := do(s, root, nil); w.Code != http.StatusTooManyRequests {
		t.Errorf("too many at once: %d", w.Code)
	}
}

// unread is a body that must not be read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, io.EOF
}

// TestOnTheWire: the server answers on the loopback interface only, refuses what is no
// request, and ends when it is told to.
func TestOnTheWire(t *testing.T) {
	s := example(t)
	if address := s.listener.Addr().(*net.TCPAddr); !address.IP.IsLoopback() {
		t.Errorf("listens at %v", address)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, time.Hour) }()
	for _, c := range []struct{ request, want string }{
		{"GET /" + s.token + "/ HTTP/1.1\r\nHost: " + s.host + "\r\n\r\n", "HTTP/1.1 200 OK"},
		{"HEAD /" + s.token + "/ HTTP/1.1\r\nHost: " + s.host + "\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 OK"},
		{"GET /" + s.token + "/../../../etc/passwd HTTP/1.1\r\nHost: " + s.host + "\r\n\r\n", "HTTP/1.1 404 Not Found"},
		{"GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: " + s.host + "\r\n\r\n", "HTTP/1.1 404 Not Found"},
		{"GET http://evil.example/" + s.token + "/ HTTP/1.1\r\nHost: " + s.host + "\r\n\r\n", "HTTP/1.1 421 Misdirected Request"},
		{"GET /" + s.token + "/ HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request"},
		{"GET /" + s.token + "/ HTTP/1.1\r\nHost: " + s.host + "\r\nX: " + strings.Repeat("x", 3*maxHeader) + "\r\n\r\n", "HTTP/1.1 431 Request Header Fields Too Large"},
		{"POST /" + s.token + "/ HTTP/1.1\r\nHost: " + s.host + "\r\nContent-Length: 99999999999\r\n\r\n", "HTTP/1.1 405 Method Not Allowed"},
		{"\x16\x03\x01 no request\r\n\r\n", "HTTP/1.1 400 Bad Request"},
	} {
		conn, err := net.Dial("tcp", s.host)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, c.request)
		line := make([]byte, len(c.want))
		if _, err := io.ReadFull(conn, line); err != nil || string(line) != c.want {
			t.Errorf("%.60q: %q (%v), want %q", c.request, line, err, c.want)
		}
		conn.Close()
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	if conn, err := net.Dial("tcp", s.host); err == nil {
		conn.Close()
		t.Error("it still listens")
	}
}

// TestClosedPages: a page that is closed for long ends the server, one that is open does
// not.
func TestClosedPages(t *testing.T) {
	s := example(t)
	at := time.Duration(0)
	s.now = func() time.Duration { at += time.Second; return at }
	if err := s.Run(context.Background(), time.Nanosecond); err != nil {
		t.Errorf("ended with %v", err)
	}
	s = example(t)
	before := s.seen.Load()
	s.now = func() time.Duration { return time.Duration(before) + time.Minute }
	if do(s, "/wrong/alive", nil); s.seen.Load() != before {
		t.Error("a wrong token keeps the server alive")
	}
	if w := do(s, "/"+s.token+"/alive", nil); w.Code != http.StatusNoContent || s.seen.Load() == before {
		t.Errorf("%d: the page does not keep the server alive", w.Code)
	}
}

func TestTokensDiffer(t *testing.T) {
	if a, b := example(t), example(t); a.token == b.token || len(a.token) != 32 {
		t.Errorf("tokens %s and %s", a.token, b.token)
	}
	c := randomlts.Seeded(3, randomlts.Small())
	if _, err := New(specimens.Asked(t, c.Model, c.Formula, explain.Options{Unfold: true}), nil, 0); !errors.Is(err, errUnfolded) {
		t.Errorf("unfolded: %v", err)
	}
}

// TestAnswers: runs are runs, actions as far as they are, and what moves mean is what
// brute force says.
func TestAnswers(t *testing.T) {
	questions := 0
	for seed := range uint64(150) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 7, Transitions: 14, Labels: 4, Steps: 3})
		o, err := oracle.New(c.Model, c.Steps)
		if err != nil {
			t.Fatal(err)
		}
		s := served(t, specimens.Asked(t, c.Model, c.Formula, explain.Options{}))
		for state := range lts.State(c.Model.NumStates()) {
			var p past
			ask(t, s, fmt.Sprintf("past?state=%d", state), &p)
			if p.Labels == nil {
				if o.Reachable(state) {
					t.Fatalf("seed %d: there is no state %d\n%s", seed, state, c)
				}
				continue
			}
			if !slices.Contains(ends(c.Model, o, p.Labels), p.Place) || p.Place.State != state {
				t.Fatalf("seed %d: %+v\n%s", seed, p, c)
			}
			for l, text := range c.Model.Alphabet().All() {
				for q := range len(c.Steps) + 1 {
					if !o.Arrives(state, q) {
						continue
					}
					questions++
					var y whyNot
					ask(t, s, fmt.Sprintf("why?state=%d&q=%d&label=%s", state, q, url.QueryEscape(text)), &y)
					if err := check(y, c.Model, o, state, q, l); err != nil {
						t.Fatalf("seed %d, state %d with %d, not %s: %v\n%s", seed, state, q, text, err, c)
					}
				}
			}
		}
	}
	if questions < 1000 {
		t.Errorf("only %d questions", questions)
	}
}

func ask(t *testing.T, s *Server, what string, answer any) {
	t.Helper()
	w := do(s, "/"+s.token+"/"+what, nil)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d", what, w.Code)
	}
	if err := json.Unmarshal(w.Body.Bytes(), answer); err != nil {
		t.Fatal(err)
	}
}

// ends returns where a sequence of labels can lead.
func ends(m *lts.LTS, o *oracle.Oracle, labels []string) []productState {
	at := []productState{{State: m.Initial()}}
	for _, text := range labels {
		l, _ := m.Alphabet().Lookup(text)
		var next []productState
		for _, p := range at {
			out, targets := m.Out(p.State)
			for i, to := range targets {
				if out.At(i) == l {
					next = append(next, productState{State: to, Q: p.Q})
				}
			}
		}
		for i := range next {
			next[i].Q = property.Q(o.Advance(int(next[i].Q), l))
		}
		at = next
	}
	return at
}

func check(y whyNot, m *lts.LTS, o *oracle.Oracle, from lts.State, q int, l lts.Label) error {
	distance := -1
	level := map[lts.State]bool{from: true}
	for d := 0; d < m.NumStates() && distance < 0; d++ {
		next := map[lts.State]bool{}
		for s := range level {
			labels, targets := m.Out(s)
			for i, to := range targets {
				if labels.At(i) == l {
					distance = d
				}
				next[to] = true
			}
		}
		level = next
	}
	if !y.Certain || (distance < 0) != (len(y.Moves) == 0) || distance >= 0 && len(y.Path) != distance {
		return fmt.Errorf("%+v, want distance %d", y, distance)
	}
	for _, step := range append(slices.Clone(y.Path), y.Moves...) {
		label, _ := m.Alphabet().Lookup(step.Label)
		t := lts.Transition{From: from, Label: label, To: step.To.State}
		fate := map[oracle.Class]string{oracle.Correct: "sure", oracle.Neutral: "open", oracle.Incorrect: "lost"}[o.ClassAfter(q, t)]
		if !slices.Contains(slices.Collect(m.Transitions()), t) || fate != step.Fate || int(step.To.Q) != o.Advance(q, label) {
			return fmt.Errorf("move %+v, want %v, %s", step, t, fate)
		}
		if label != l { // those of the path; the others leave the same place
			from, q = step.To.State, int(step.To.Q)
		}
	}
	return nil
}

// TestPanicEndsOneRequest: a panic in a request, or in a goroutine that it waits for, is answered by an error, and its stack is in
// the log; the next request is answered as ever.
func TestPanicEndsOneRequest(t *testing.T) {
	var logged strings.Builder
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	s := example(t)
	why := "/" + s.token + "/past?state=" + fmt.Sprint(s.answers.m.Initial()) + "&q=0"
	usual := do(s, why, nil)
	for _, at := range []string{"serve.containing", "lts.within"} {
		s = example(t)
		why := strings.Replace(why, strings.Split(why, "/")[1], s.token, 1)
		struck := faults.Once(t, at)
		if w := do(s, why, nil); w.Code != http.StatusInternalServerError || !struck() || !strings.Contains(logged.String(), "faults.Once") {
			t.Errorf("%s: %d %s; the log is %q", at, w.Code, w.Body, logged.String())
		}
		if w := do(s, why, nil); w.Code != usual.Code || w.Body.String() != usual.Body.String() {
			t.Errorf("%s: afterwards %d %s, before %d %s", at, w.Code, w.Body, usual.Code, usual.Body)
		}
	}
}

// TestLabelsOfOneText: a property about values of states distinguishes transitions of one label. A question about
// the label is about all of them, and the label is offered once.
func TestLabelsOfOneText(t *testing.T) {
	ctx := context.Background()
	m := specimens.Model(t, 3, specimens.Edge{From: 0, Label: "STEP", To: 1}, specimens.Edge{From: 1, Label: "STEP", To: 2}, specimens.Edge{From: 0, Label: "STOP", To: 0})
	table, err := lts.ReadValues(ctx, strings.NewReader("0\tdone=no\n1\tdone=no\n2\tdone=yes\n"), "m.tsv", 3)
	if err != nil {
		t.Fatal(err)
	}
	e := specimens.Asked(t, m, "F (done = yes)", explain.Options{Source: explain.Source{File: "m.aut", States: table}})
	a := newAnswers(e)
	if offered := a.labels(); !slices.Equal(offered, []string{"STEP", "STOP"}) {
		t.Errorf("offered: %q", offered)
	}
	for state := range 3 {
		found, err := a.answer(ctx, question{Of: "why", State: fmt.Sprint(state), Q: "0", Label: "STEP"})
		if err != nil {
			t.Fatal(err)
		}
		why := found.(whyNot)
		if isPossible := len(why.Moves) > 0; isPossible != (state < 2) || len(why.Path) > 0 {
			t.Errorf("state %d: %+v", state, why)
		}
	}
}
