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

// Folder shows a folder of files, such as the playground, on a port of this machine, under the
// same bounds as [Server]. The files are for anybody: there is no secret in the address.
type Folder struct {
	loopback
	files fs.FS
}

// NewFolder listens at a port of the loopback interface, 0 for any that is free. Who has it must
// call [Folder.Run] or [Folder.Close]. It fails if there is no such port.
func NewFolder(files fs.FS, port int) (*Folder, error) {
	f := &Folder{files: files}
	if err := f.listen(port); err != nil {
		return nil, err
	}
	return f, nil
}

// URL is where the folder is.
func (f *Folder) URL() string { return "http://" + f.host + "/" }

// Run answers requests until ctx is done, and returns its error then, or until nothing
// was asked for as long as idle says: it returns nil then.
func (f *Folder) Run(ctx context.Context, idle time.Duration) error { return f.run(ctx, f, idle) }

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
