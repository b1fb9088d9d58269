package serve

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"
	"time"
)

// TestFolder: files of the folder are shown, to this machine only, and nothing else.
func TestFolder(t *testing.T) {
	f, err := NewFolder(fstest.MapFS{
		"index.html": {Data: []byte("<p>here")}, "engine.wasm.gz": {Data: []byte("\x1f\x8b")}, "secret.key": {Data: []byte("no")}, "a/b.aut": {Data: []byte("des")},
	}, 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if err := f.Run(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
	for _, c := range []struct {
		name, path, method, host string
		header                   http.Header
		code                     int
		kind                     string
	}{
		{name: "the page", path: "/", code: 200, kind: "text/html; charset=utf-8"},
		{name: "a file", path: "/engine.wasm.gz", code: 200, kind: "application/octet-stream"},
		{name: "in a folder", path: "/a/b.aut", code: 200, kind: "text/plain; charset=utf-8"},
		{name: "nothing", path: "/none.html", code: 404},
		{name: "a folder", path: "/a", code: 404},
		{name: "above", path: "/../../etc/passwd", code: 404},
		{name: "no kind of ours", path: "/secret.key", code: 404},
		{name: "another host", path: "/", host: "example.org", code: 421},
		{name: "another site", path: "/", header: http.Header{"Sec-Fetch-Site": {"cross-site"}}, code: 403},
		{name: "another origin", path: "/", header: http.Header{"Origin": {"http://example.org"}}, code: 403},
		{name: "a change", path: "/", method: http.MethodPost, code: 405},
	} {
		r := httptest.NewRequest(http.MethodGet, "http://"+f.host+"/", nil)
		r.URL.Path, r.Host = c.path, f.host
		if c.method != "" {
			r.Method = c.method
		}
		if c.host != "" {
			r.Host = c.host
		}
		if c.header != nil {
			r.Header = c.header
		}
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		if w.Code != c.code || c.kind != "" && w.Header().Get("Content-Type") != c.kind {
			t.Errorf("%s: %d, %s", c.name, w.Code, w.Header().Get("Content-Type"))
		}
	}
}
