package graphviz

import (
	"testing"

	"pgregory.net/rapid"
)

// What a sandbox finds in memory that it has not written to is zero, whoever had it before,
// and what it has written stays.
func TestMemoryIsZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := &memories{}
		for range rapid.IntRange(1, 5).Draw(t, "sandboxes") {
			m := all.Allocate(rapid.Uint64Range(0, 100).Draw(t, "most"), 1<<20)
			size, written := uint64(0), []byte{}
			for range rapid.IntRange(1, 4).Draw(t, "growths") {
				size += rapid.Uint64Range(0, 300).Draw(t, "more")
				bytes := m.Reallocate(size)
				if uint64(len(bytes)) != size {
					t.Fatalf("%d bytes, want %d", len(bytes), size)
				}
				for i, b := range bytes {
					want := byte(0)
					if i < len(written) {
						want = written[i]
					}
					if b != want {
						t.Fatalf("byte %d is %d, want %d", i, b, want)
					}
					bytes[i] = byte(i)%250 + 1
				}
				written = append(written[:0], bytes...)
			}
			if rapid.Bool().Draw(t, "freed") {
				m.Free()
			}
		}
	})
}

// The memory of a sandbox that has ended is that of the next.
func TestMemoryIsUsedAgain(t *testing.T) {
	all := &memories{}
	first := all.Allocate(0, 0)
	first.Reallocate(1000)[999] = 7
	first.Free()
	second := all.Allocate(0, 0).(*memory)
	if len(all.free) != 0 || cap(second.bytes) < 1000 {
		t.Errorf("it has room for %d bytes", cap(second.bytes))
	}
}

// No more is kept than is said: of those that have ended few, and none that is large.
func TestMemoryIsNotHoarded(t *testing.T) {
	all := &memories{}
	large := all.Allocate(0, 0)
	large.Reallocate(keptBytes + 1)
	large.Free()
	if len(all.free) != 0 {
		t.Errorf("%d bytes are kept", cap(all.free[0]))
	}
	var many []*memory
	for range keptMemories + 3 {
		m := all.Allocate(0, 0).(*memory)
		m.Reallocate(100)
		many = append(many, m)
	}
	for _, m := range many {
		m.Free()
	}
	if len(all.free) != keptMemories {
		t.Errorf("%d are kept, want %d", len(all.free), keptMemories)
	}
}
