// Package bitset has sets of small numbers, a bit each. A set never grows; a number beyond its size
// is a mistake of the caller, and panics as an index of a slice does. No published package takes
// its place, because sets that grow check the size at every access, and cannot be part of a larger
// slice.
package bitset

import "math/bits"

// Set is a set of numbers from 0 on. Sets that are used together have the same size.
// Its words may be a part of a larger slice, where many sets lie one after the other.
type Set[N ~uint32 | ~int] []uint64

// Words returns the number of words that a set of numbers below size has.
func Words(size int) int { return (size + 63) / 64 }

// New returns the empty set, for numbers below size. Cost O(size/64).
func New[N ~uint32 | ~int](size int) Set[N] { return make(Set[N], Words(size)) }

// Of returns the set of the given numbers, which must be below size.
func Of[N ~uint32 | ~int](size int, numbers []N) Set[N] {
	s := New[N](size)
	for _, n := range numbers {
		s.Add(n)
	}
	return s
}

// Add adds a number. Cost O(1).
func (s Set[N]) Add(n N) { s[uint(n)/64] |= 1 << (uint(n) % 64) }

// Remove removes a number. Cost O(1).
func (s Set[N]) Remove(n N) { s[uint(n)/64] &^= 1 << (uint(n) % 64) }

// Has reports whether a number is in the set. Cost O(1).
func (s Set[N]) Has(n N) bool { return s[uint(n)/64]>>(uint(n)%64)&1 != 0 }

// Empty reports whether the set has no numbers. Cost O(size/64).
func (s Set[N]) Empty() bool {
	for _, word := range s {
		if word != 0 {
			return false
		}
	}
	return true
}

// Len returns how many numbers are in the set. Cost O(size/64).
func (s Set[N]) Len() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// Meets reports whether some number is in both sets. Cost O(size/64).
func (s Set[N]) Meets(t Set[N]) bool {
	for i, word := range s {
		if word&t[i] != 0 {
			return true
		}
	}
	return false
}

// And returns the numbers that are in both sets. Cost O(size/64).
func (s Set[N]) And(t Set[N]) Set[N] {
	both := make(Set[N], len(s))
	for i, word := range s {
		both[i] = word & t[i]
	}
	return both
}

// AddAll adds the numbers of another set, and reports whether there were new ones.
// Cost O(size/64).
func (s Set[N]) AddAll(t Set[N]) bool {
	grown := false
	for i, word := range t {
		grown = grown || word&^s[i] != 0
		s[i] |= word
	}
	return grown
}

// Sort sorts different numbers in ascending order. It uses s as memory, which must be empty or have
// these numbers, and is empty afterwards. Cost O(numbers + (largest number - smallest one)/64).
func (s Set[N]) Sort(numbers []N) {
	if len(numbers) == 0 {
		return
	}
	smallest := numbers[0]
	largest := numbers[0]
	for _, n := range numbers {
		s.Add(n)
		smallest = min(smallest, n)
		largest = max(largest, n)
	}
	at := 0
	for i := int(smallest / 64); i <= int(largest/64); i++ {
		for word := s[i]; word != 0; word &= word - 1 {
			numbers[at] = N(i*64 + bits.TrailingZeros64(word))
			at++
		}
		s[i] = 0
	}
}

// Largest returns the largest number of a set that is not empty. Cost O(size/64).
func (s Set[N]) Largest() N {
	last := len(s) - 1
	for s[last] == 0 {
		last--
	}
	return N(last*64 + bits.Len64(s[last]) - 1)
}

// All calls yield for each number, in ascending order, until it returns false. It can
// stand in a range clause. Cost O(size/64 + numbers).
func (s Set[N]) All(yield func(N) bool) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			if !yield(N(i*64 + bits.TrailingZeros64(word))) {
				return
			}
		}
	}
}

// From returns an iterator over the numbers from first on, in ascending order.
// Cost O(size/64 + numbers).
func (s Set[N]) From(first N) func(yield func(N) bool) {
	return func(yield func(N) bool) {
		firstWord := int(first) / 64
		fromFirstOn := ^uint64(0) << (uint(first) % 64) // in the first word
		for i := firstWord; i < len(s); i++ {
			word := s[i]
			if i == firstWord {
				word &= fromFirstOn
			}
			for ; word != 0; word &= word - 1 {
				if !yield(N(i*64 + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}
