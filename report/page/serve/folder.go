//go:build !js

package serve

import (
	"context"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

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

// Run answers requests until ctx is done, and returns its error, or until there was no request
// for the duration idle, and returns nil.
func (f *Folder) Run(ctx context.Context, idle time.Duration) error { return f.run(ctx, f, idle) }

// types has the content type by file extension. Compressed files are sent as they are;
// the page decompresses them.
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
	f.seen.Store(int64(f.now()))
	w.Header().Set("Content-Type", kind)
	// The page itself contains the rest of its policy.
	w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'")
	w.Write(data)
}
