// Package pagedlist holds lists that grow by pages: a list longer than a page is never copied to
// make room, and never takes twice the memory that it needs. Only the first page is copied as it
// grows. Every page but the last one in use is full.
package pagedlist

import "iter"

// List is a list of values. The zero List is empty. It is for one goroutine.
type List[T any] struct {
	pages [][]T
	n     int
	room  int // the number of values in all pages
}

const (
	bits = 12
	size = 1 << bits
	mask = size - 1
	// least is the initial length of the first page.
	least = 16
)

// Len returns the number of values. Cost O(1).
func (l *List[T]) Len() int { return l.n }

// At returns a pointer to value i, valid until the next call of Append. Cost
// O(1).
func (l *List[T]) At(i int) *T { return &l.pages[i>>bits][i&mask] }

// Append adds a value at the end. Cost O(1) amortised.
func (l *List[T]) Append(value T) {
	if l.n == l.room {
		l.grow()
	}
	l.pages[l.n>>bits][l.n&mask] = value
	l.n++
}

// grow makes room: it copies the first page to a page four times as long until that is as long as
// all others, and then adds pages.
func (l *List[T]) grow() {
	switch {
	case l.room >= size:
		l.pages = append(l.pages, make([]T, size))
		l.room += size
	case l.room == 0:
		l.pages = [][]T{make([]T, least)}
		l.room = least
	default:
		larger := make([]T, min(size, 4*l.room))
		copy(larger, l.pages[0])
		l.pages[0] = larger
		l.room = len(larger)
	}
}

// Truncate removes all but the first n values. The pages stay for reuse. Cost
// O(1).
func (l *List[T]) Truncate(n int) { l.n = n }

// All yields the values with their indexes.
func (l *List[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := range l.n {
			if !yield(i, *l.At(i)) {
				return
			}
		}
	}
}
