//lint:file-ignore SA1019 clients of today name their roots, and will for a year at least

package agent

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/inev-lts/inev/internal/inputfile"
)

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
	if listed, isListed := answers[rootsAsked].(*mcp.ListRootsResult); isListed {
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
		path = filepath.FromSlash(path)
		if filepath.IsAbs(path) {
			folders = append(folders, filepath.Clean(path))
		}
	}
	return folders
}

// openModel opens a regular file below a root. It follows no link that leads out of the root.
func openModel(ctx context.Context, roots []string, name string) (*os.File, error) {
	if len(roots) == 0 {
		return nil, fmt.Errorf("%q cannot be read, for there are no roots: start inev-mcp with -root and the folder of the models", name)
	}
	if name == "" || strings.ContainsRune(name, 0) {
		return nil, fmt.Errorf("%q is not a name of a file: give a path below a root", name)
	}
	if local := filepath.FromSlash(name); !filepath.IsAbs(local) && !filepath.IsLocal(local) {
		return nil, fmt.Errorf("%q leads out of the roots: give a path below a root", name)
	}
	var firstErr error
	for _, root := range roots {
		for _, below := range namesBelow(root, name) {
			f, err := openBelow(ctx, root, below)
			if err == nil {
				return f, nil
			}
			if firstErr == nil || errors.Is(firstErr, os.ErrNotExist) {
				firstErr = err
			}
		}
	}
	if firstErr == nil {
		return nil, fmt.Errorf("%q lies below no root: give a path below a root", name)
	}
	var reason *os.PathError // without the path, which the client knows
	if errors.As(firstErr, &reason) {
		firstErr = reason.Err
	}
	return nil, fmt.Errorf("%q cannot be read below a root: %w", name, firstErr)
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
