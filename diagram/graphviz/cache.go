//go:build !js

package graphviz

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/tetratelabs/wazero"
)

// version names the build of Graphviz in a cache: a part of its checksum. A test
// compares it with the build.
const version = "7cc5b0a5f176aeaa"

// newCachedBuild prepares a part of Graphviz from the compiled code in a folder, or compiles it
// into that folder. It removes damaged content and compiles again. It returns nil if the folder
// cannot be used.
func newCachedBuild(ctx context.Context, p part, folder string) (*build, error) {
	if folder == "" {
		return nil, nil
	}
	folder = filepath.Join(folder, "graphviz-"+version)
	for range 2 {
		if os.MkdirAll(folder, 0o700) != nil {
			return nil, nil
		}
		cache, err := wazero.NewCompilationCacheWithDir(folder)
		if err != nil {
			return nil, nil
		}
		b, err := newBuild(ctx, p, wazero.NewRuntimeConfig().WithCompilationCache(cache))
		if err == nil {
			b.cache = cache
			return b, nil
		}
		_ = cache.Close(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		_ = os.RemoveAll(folder)
	}
	return nil, nil
}

// kept reports whether a cache folder has compiled code.
func kept(cache string) bool {
	if cache == "" {
		return false
	}
	files, _ := filepath.Glob(filepath.Join(cache, "graphviz-"+version, "wazero-*", "*"))
	for _, f := range files {
		if !strings.HasSuffix(f, ".tmp") {
			return true
		}
	}
	return false
}
