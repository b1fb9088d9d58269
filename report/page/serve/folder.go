package serve

import (
	"context"
	"io/fs"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Folder shows a folder of files, such as the playground, on a port of this machine, under the
// same bounds as [Server]. The files are for anybody: there is no secret in the address.
type Folder struct {
	listener net.Listener
	host     string
	files    fs.FS
	seen     atomic.Int64
	now      func() time.Time
}

// NewFolder listens at a port of the loopback interface, 0 for any that is free. Who has it must
// call [Folder.Run] or [Folder.Close]. It fails if there is no such port.
func NewFolder(files fs.FS, port int) (*Folder, error) {
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	return &Folder{listener: l, host: l.Addr().String(), files: files, now: time.Now}, nil
}

// URL is where the folder is.
func (f *Folder) URL() string { return "http://" + f.host + "/" }

// Close ends what was not run.
func (f *Folder) Close() error { return f.listener.Close() }

// Run answers requests until ctx is done, and returns its error then, or until nothing
// was asked for as long as idle says: it returns nil then.
func (f *Folder) Run(ctx context.Context, idle time.Duration) error {
	server := &http.Server{
		Handler: f, ReadHeaderTimeout: patienceRead, ReadTimeout: patienceRead, WriteTimeout: patienceSend, IdleTimeout: patienceSend,
		MaxHeaderBytes: maxHeader, BaseContext: func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	var wait sync.WaitGroup
	wait.Add(1)
	go func() {
		defer wait.Done()
		ended <- server.Serve(f.listener)
	}()
	defer wait.Wait()
	defer server.Close()
	f.seen.Store(f.now().UnixNano())
	return untilIdle(ctx, ended, idle, func() time.Duration { return f.now().Sub(time.Unix(0, f.seen.Load())) })
}

// untilIdle waits until ctx is done, a server has ended, or nobody has asked for so long.
func untilIdle(ctx context.Context, ended <-chan error, idle time.Duration, quiet func() time.Duration) error {
	for {
		left := idle - quiet()
		if left <= 0 {
			return nil
		}
		timer := time.NewTimer(left)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case err := <-ended:
			timer.Stop()
			return err
		case <-timer.C:
		}
	}
}

// types has the type of each file; what is compressed is left so, and the page undoes it.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".json": "application/json", ".aut": "text/plain; charset=utf-8", ".gz": "application/octet-stream",
}

// ServeHTTP answers one request.
func (f *Folder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	guard(w.Header())
	if code := refuse(r, f.host); code != 0 {
		w.Header().Set("Connection", "close")
		http.Error(w, http.StatusText(code), code)
		return
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if name == "" {
		name = "index.html"
	}
	kind := types[path.Ext(name)]
	data, err := fs.ReadFile(f.files, name)
	if err != nil || kind == "" {
		http.Error(w, http.StatusText(http.StatusNotFound), http.StatusNotFound)
		return
	}
	f.seen.Store(f.now().UnixNano())
	w.Header().Set("Content-Type", kind)
	// The page has its policy in itself.
	w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'")
	w.Write(data)
}
