// Package memo keeps what was computed about immutable values, for whoever asks about the same values again.
//
// The invariant that holds inside: nothing is computed twice, nor by two goroutines at a time.
package memo

import (
	"context"
	"sync"
)

// Memory is what was computed; it is kept as long as the Memory is. The zero Memory is empty, and for many goroutines.
type Memory struct {
	mu   sync.Mutex
	kept map[any]any // a func() V for each key
}

type key struct{}

// With returns a context that makes [Of] remember.
func (m *Memory) With(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, m) }

// Of returns what compute returns. With a memory in ctx only the first who asks with a key computes it. Keys have types that
// the asking package defines, so that packages do not meet.
func Of[V any](ctx context.Context, what any, compute func() V) V {
	m, _ := ctx.Value(key{}).(*Memory)
	if m == nil {
		return compute()
	}
	m.mu.Lock()
	get, known := m.kept[what].(func() V)
	if !known {
		if m.kept == nil {
			m.kept = map[any]any{}
		}
		get = sync.OnceValue(compute)
		m.kept[what] = get
	}
	m.mu.Unlock()
	return get()
}
