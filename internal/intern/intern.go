// Package intern numbers values by key, in the order in which the keys are first used.
package intern

// List is a list of values with keys. The zero List is empty. It is for one goroutine.
type List[K comparable, V any] struct {
	// All are the values. They may be changed, but not moved.
	All []V
	at  map[K]int
}

// Index returns the index of the value with a key. If no value has it, v is added at the end. Cost
// O(1) amortised.
func (l *List[K, V]) Index(key K, v V) int {
	i, known := l.at[key]
	if !known {
		if l.at == nil {
			l.at = map[K]int{}
		}
		i = len(l.All)
		l.at[key] = i
		l.All = append(l.All, v)
	}
	return i
}
