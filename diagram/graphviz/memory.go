//go:build !js

package graphviz

import (
	"sync"

	"github.com/tetratelabs/wazero/experimental"
)

// memories gives sandboxes their memory, that of one which has ended to the next. Memory of
// its own for each would be rubbish by the megabyte: while Graphviz runs, which cannot be
// interrupted for it, the collection of rubbish waits at full speed.
type memories struct {
	mu   sync.Mutex
	free [][]byte // whose first bytes, as many as they are long, have been used
}

const (
	// keptMemories is how many are kept for the next sandboxes, keptBytes how large.
	keptMemories = 4
	keptBytes    = 32 << 20
)

// Allocate returns memory of no bytes.
func (a *memories) Allocate(most, _ uint64) experimental.LinearMemory {
	a.mu.Lock()
	defer a.mu.Unlock()
	if last := len(a.free) - 1; last >= 0 {
		used := a.free[last]
		a.free = a.free[:last]
		clear(used)
		return &memory{from: a, bytes: used[:0]}
	}
	return &memory{from: a, bytes: make([]byte, 0, most)}
}

// memory is the memory of one sandbox. What it has not had is zero.
type memory struct {
	from  *memories
	bytes []byte
}

// Reallocate makes the memory larger.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(cap(m.bytes)) {
		larger := make([]byte, len(m.bytes), max(size, 2*uint64(cap(m.bytes))))
		copy(larger, m.bytes)
		m.bytes = larger
	}
	m.bytes = m.bytes[:size]
	return m.bytes
}

// Free gives the memory back.
func (m *memory) Free() {
	m.from.mu.Lock()
	defer m.from.mu.Unlock()
	if len(m.from.free) < keptMemories && cap(m.bytes) <= keptBytes {
		m.from.free = append(m.from.free, m.bytes)
	}
	m.bytes = nil
}
