package graphviz

import (
	"context"

	"github.com/tetratelabs/wazero"
)

type kept struct{}

// Keep returns a context with which the Graphviz inside is compiled once, by the
// first layout that needs it, instead of by each: for whoever draws many pictures.
// Each layout still starts from a fresh state. What is kept, some ten megabytes, is
// given back by forget, after which no layout with this context may go on. A context
// that keeps already is returned as it is. Cost O(1).
func Keep(ctx context.Context) (keeping context.Context, forget func()) {
	if keptBy(ctx) != nil {
		return ctx, func() {}
	}
	cache := wazero.NewCompilationCache()
	return context.WithValue(ctx, kept{}, cache), func() {
		// It has no file to be written: there is nothing that can fail.
		_ = cache.Close(context.WithoutCancel(ctx))
	}
}

// keptBy returns what a context keeps, nil where it does not.
func keptBy(ctx context.Context) wazero.CompilationCache {
	cache, _ := ctx.Value(kept{}).(wazero.CompilationCache)
	return cache
}
