//lint:file-ignore SA1019 clients of today name their roots, and will for a year at least

package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/inev-lts/inev/internal/format/frontend"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/stoppable"
)

// mostModel is the largest size of a model's file, in bytes.
const mostModel = 1 << 30

// rootsAsked identifies the request to the client for its roots.
const rootsAsked = "roots"

// roots returns the folders below which files may be read: the folders in the options or, if there
// are none, the roots of the client; ask is the request to the client for its roots, if one must be
// sent.
func (s *Server) roots(
	client *mcp.ClientCapabilities,
	answers mcp.InputResponseMap,
) (folders []string, ask mcp.InputRequestMap, err error) {
	if len(s.options.Roots) > 0 {
		return s.options.Roots, nil, nil
	}
	if listed, is := answers[rootsAsked].(*mcp.ListRootsResult); is {
		return foldersOf(listed.Roots), nil, nil
	}
	if client == nil || client.RootsV2 == nil {
		return nil, nil, nil // no model can be read; formulas can
	}
	return nil, mcp.InputRequestMap{rootsAsked: &mcp.ListRootsParams{}}, nil
}

// foldersOf returns the client's roots that are folders.
func foldersOf(roots []*mcp.Root) []string {
	var folders []string
	for _, root := range roots {
		u, err := url.Parse(root.URI)
		if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
			continue
		}
		path := u.Path
		if runtime.GOOS == "windows" {
			path = strings.TrimPrefix(path, "/") // file:///C:/models
		}
		if path = filepath.FromSlash(path); filepath.IsAbs(path) {
			folders = append(folders, filepath.Clean(path))
		}
	}
	return folders
}

// copyModel copies the model that a client names into a folder, and returns its name there. Nobody
// can replace the copy between the check and the time when inev reads it.
func copyModel(
	ctx context.Context,
	roots []string,
	name, folder string,
) (copied string, err error) {
	specification := frontend.Specification{Path: name}
	switch {
	case specification.IsComposed():
		return copyNetwork(ctx, roots, name, folder)
	case specification.Made() != "":
		return "", fmt.Errorf("%q is a specification, and another program would have to make its model: have inev convert write a model first", name)
	}
	copied = filepath.Base(filepath.FromSlash(name))
	return copied, copyFile(ctx, roots, name, filepath.Join(folder, copied))
}

// mostFiles is the largest number of files of a network, and mostNetwork the largest size, in bytes, of those that name others.
const (
	mostFiles   = 1000
	mostNetwork = 256 << 10
)

// copyNetwork copies a network and the files that it names, all of which are in its folder or below that.
func copyNetwork(
	ctx context.Context,
	roots []string,
	name, folder string,
) (copied string, err error) {
	name = filepath.ToSlash(name)
	dir, copied := path.Split(name)
	files := []string{copied}
	tried := map[string]bool{copied: true}
	for i := 0; i < len(files); i++ {
		at := filepath.Join(folder, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return "", err
		}
		err := copyFile(ctx, roots, dir+files[i], at)
		if err != nil {
			return "", err
		}
		if !frontend.NamesFiles(files[i]) {
			continue
		}
		named, err := filesOfNetwork(at)
		if err != nil {
			return "", fmt.Errorf("%q: %w", dir+files[i], err)
		}
		for _, other := range named {
			other = path.Join(path.Dir(files[i]), other)
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			if tried[other] || !isThere(ctx, roots, dir+other) {
				continue
			}
			tried[other] = true
			if files = append(files, other); len(files) > mostFiles {
				return "", fmt.Errorf("%q has more than %d files: ask the command inev about it", name, mostFiles)
			}
		}
	}
	return copied, nil
}

// filesOfNetwork returns the names of files that the text of a copied network, or of a copied
// file of one, may name; few of them exist. It fails if the text can name a file outside of its
// folder.
func filesOfNetwork(at string) ([]string, error) {
	text, err := os.ReadFile(at)
	if err != nil {
		return nil, err
	}
	if len(text) > mostNetwork {
		return nil, errors.New("it has more than 256 kB: ask the command inev about it")
	}
	return frontend.OwnFiles(string(text))
}

// isThere reports whether a file below a root can be opened.
func isThere(ctx context.Context, roots []string, name string) bool {
	f, err := openModel(ctx, roots, name)
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// copyFile copies a file below a root to a new file.
func copyFile(ctx context.Context, roots []string, name, to string) error {
	from, err := openModel(ctx, roots, name)
	if err != nil {
		return err
	}
	defer from.Close()
	if filepath.Base(to) == "-" {
		return fmt.Errorf("%q stands for standard input: give the model another name", name)
	}
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("%q cannot be copied: %w", name, err)
	}
	size, err := io.Copy(file, stoppable.EachRead(ctx, io.LimitReader(from, mostModel+1)))
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("%q cannot be copied: %w", name, err)
	}
	if size > mostModel {
		return fmt.Errorf("%q has more than 1 GB: ask the command inev about it", name)
	}
	return nil
}

// openModel opens a regular file below a root. It follows no link that leads out of the root.
func openModel(ctx context.Context, roots []string, name string) (*os.File, error) {
	if len(roots) == 0 {
		return nil, fmt.Errorf("%q cannot be read, for there are no roots: start inev-mcp with -root and the folder of the models", name)
	}
	if name == "" || strings.ContainsRune(name, 0) {
		return nil, fmt.Errorf("%q is not a name of a file", name)
	}
	var first error
	for _, root := range roots {
		for _, below := range namesBelow(root, name) {
			f, err := openBelow(ctx, root, below)
			if err == nil {
				return f, nil
			}
			if first == nil || errors.Is(first, os.ErrNotExist) {
				first = err
			}
		}
	}
	if first == nil {
		return nil, fmt.Errorf("%q lies below no root", name)
	}
	var reason *os.PathError // without the path, which the client knows
	if errors.As(first, &reason) {
		first = reason.Err
	}
	return nil, fmt.Errorf("%q cannot be read below a root: %w", name, first)
}

// namesBelow returns name relative to root, and to the folder that root leads to if it is a link:
// none if name lies below neither. A relative name is returned as it is.
func namesBelow(root, name string) []string {
	if !filepath.IsAbs(name) {
		return []string{name}
	}
	var names []string
	real, err := filepath.EvalSymlinks(root)
	for _, root := range []string{root, real} {
		if below, wrong := filepath.Rel(root, name); wrong == nil && filepath.IsLocal(below) {
			names = append(names, below)
		}
		if err != nil || real == root {
			break
		}
	}
	return names
}

func openBelow(ctx context.Context, root, name string) (*os.File, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return inputfile.OpenRegularIn(ctx, r, name)
}
