// Package memoize keeps results that were computed about immutable values, for later callers that
// ask about the same values. Nothing is computed twice, nor by two goroutines at a time.
package memoize

import (
	"context"
	"sync"

	"github.com/inev-lts/inev/internal/contained"
)

// Memory holds results as long as the Memory is in use. The zero Memory is empty. Many goroutines
// may use a Memory.
type Memory struct {
	mu   sync.Mutex
	kept map[any]any // a func() V for each key
}

type key struct{}

// With returns a context with a memory, so that [Of] keeps results.
func (m *Memory) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, key{}, m)
}

// Of returns the result of compute. If ctx has a memory, only the first call with a key computes
// the result, and later calls with this key return it. The key is name; its type is defined by the
// calling package, so that keys of different packages differ.
func Of[V any](ctx context.Context, name any, compute func() V) V {
	m, _ := ctx.Value(key{}).(*Memory)
	if m == nil {
		return compute()
	}
	m.mu.Lock()
	get, known := m.kept[name].(func() V)
	if !known {
		if m.kept == nil {
			m.kept = map[any]any{}
		}
		get = once(compute)
		m.kept[name] = get
	}
	m.mu.Unlock()
	return get()
}

// once returns a function that returns the result of compute. The function calls compute only once. But if
// compute panics, so does that call of the function, and the next call computes again.
func once[V any](compute func() V) func() V {
	var first contained.Once
	var result V
	return func() V {
		first.Do(func() { result = compute() })
		return result
	}
}
