//go:build !js

package graphviz

import (
	"sync"

	"github.com/tetratelabs/wazero/experimental"
)

// memories reuses the memory of ended sandboxes. Otherwise each sandbox would leave megabytes to
// the garbage collector, which has to wait, busily, for a running Graphviz, since it cannot
// interrupt it.
type memories struct {
	mu   sync.Mutex
	free [][]byte // memories for reuse: only the bytes within the length of each have been used
}

const (
	// keptMemories bounds the number of memories kept for reuse, and keptBytes the size of each.
	keptMemories = 4
	keptBytes    = 32 << 20
)

// Allocate returns a memory of length 0, which grows on demand.
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

// memory is the memory of one sandbox. Bytes that the sandbox has not used yet are zero.
type memory struct {
	from  *memories
	bytes []byte
}

// Reallocate enlarges the memory.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(cap(m.bytes)) {
		larger := make([]byte, len(m.bytes), max(size, 2*uint64(cap(m.bytes))))
		copy(larger, m.bytes)
		m.bytes = larger
	}
	m.bytes = m.bytes[:size]
	return m.bytes
}

// Free releases the memory.
func (m *memory) Free() {
	m.from.mu.Lock()
	defer m.from.mu.Unlock()
	if len(m.from.free) < keptMemories && cap(m.bytes) <= keptBytes {
		m.from.free = append(m.from.free, m.bytes)
	}
	m.bytes = nil
}
