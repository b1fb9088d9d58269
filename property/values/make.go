package values

// Make returns a value: of a leaf its text, without quotes, and of others their parts, which records and functions map keys to.
// A function from 1 to n is a sequence, one of strings a record, and an empty one the empty sequence; keys are different. It takes
// over the slices. Cost O(n log n).
func Make(kind Kind, text string, keys, items []Value) Value {
	switch {
	case kind < Sequence:
		return leaf(kind, text)
	case (kind == Function || kind == Record) && len(keys) == 0:
		return tree(Sequence, "", nil, nil)
	}
	return tree(kind, text, keys, items)
}

// Keys returns what a record or function maps, in the order of [Value.Items]; nil of others. The slice must not be changed.
func (v Value) Keys() []Value { return v.keys }
