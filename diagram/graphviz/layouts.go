package graphviz

import (
	"crypto/sha256"
	"sync"
)

// layouts is a cache of the most recent layouts, bounded in bytes, since jobs of a batch often draw
// the same graph. Results do not depend on it: the same graph gives the same bytes.
type layouts struct {
	mu     sync.Mutex
	drawn  map[[sha256.Size]byte]string
	oldest [][sha256.Size]byte // the keys of drawn, the oldest first
	size   int                 // bytes in drawn
}

// keptLayouts bounds the cache in bytes: some 80 layouts of 200 transitions each.
const keptLayouts = 16 << 20

// layoutOf returns the key of a layout.
func layoutOf(graph, format, layout string) [sha256.Size]byte {
	return sha256.Sum256([]byte(format + "\x00" + layout + "\x00" + graph))
}

// get returns a copy of a layout; false if it is not in the cache.
func (l *layouts) get(key [sha256.Size]byte) ([]byte, bool) {
	l.mu.Lock()
	drawn, is := l.drawn[key]
	l.mu.Unlock()
	return []byte(drawn), is
}

// put adds a copy of a layout.
func (l *layouts) put(key [sha256.Size]byte, drawn []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, is := l.drawn[key]; is || len(drawn) > keptLayouts {
		return
	}
	if l.drawn == nil {
		l.drawn = map[[sha256.Size]byte]string{}
	}
	l.drawn[key] = string(drawn)
	l.oldest = append(l.oldest, key)
	for l.size += len(drawn); l.size > keptLayouts; l.oldest = l.oldest[1:] {
		l.size -= len(l.drawn[l.oldest[0]])
		delete(l.drawn, l.oldest[0])
	}
}
