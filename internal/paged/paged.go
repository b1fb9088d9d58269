// Package paged holds lists that grow by pages: a long list is never copied to
// make room, and never takes up to twice the memory that it needs.
//
// The invariant that holds inside: every page but the last one in use is full.
package paged

import "iter"

// List is a list of values. The zero List is empty. It is for one goroutine.
type List[T any] struct {
	pages [][]T
	n     int
}

const (
	bits = 12
	size = 1 << bits
	mask = size - 1
)

// Len returns the number of values. Cost O(1).
func (l *List[T]) Len() int { return l.n }

// At returns value i, to be read or changed; the pointer is good for as long as
// the value is in the list. Cost O(1).
func (l *List[T]) At(i int) *T { return &l.pages[i>>bits][i&mask] }

// Append adds a value at the end. Cost O(1) amortised.
func (l *List[T]) Append(value T) {
	if l.n>>bits == len(l.pages) {
		l.grow()
	}
	l.pages[l.n>>bits][l.n&mask] = value
	l.n++
}

func (l *List[T]) grow() { l.pages = append(l.pages, make([]T, size)) }

// Truncate leaves the first n values. The pages stay, to be used again. Cost
// O(1).
func (l *List[T]) Truncate(n int) { l.n = n }

// All yields the values with their numbers.
func (l *List[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := range l.n {
			if !yield(i, *l.At(i)) {
				return
			}
		}
	}
}

// Backward yields the values with their numbers, from the last to the first.
func (l *List[T]) Backward() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := l.n - 1; i >= 0; i-- {
			if !yield(i, *l.At(i)) {
				return
			}
		}
	}
}
