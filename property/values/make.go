package values

// Make returns a value: a leaf with a text, without quotes, or a value with
// items; keys are the keys of the items of a record or function. A function from
// 1 to n becomes a sequence, one from strings a record, and an empty one the
// empty sequence; keys must be different. It keeps the slices, and sorts them in
// sets and functions. Cost O(n log n).
func Make(kind Kind, text string, keys, items []Value) Value {
	switch {
	case kind < Sequence:
		return leaf(kind, text)
	case (kind == Function || kind == Record) && len(keys) == 0:
		return tree(Sequence, "", nil, nil)
	}
	return tree(kind, text, keys, items)
}

// OfInt returns a number. Cost O(1).
func OfInt(n int64) Value { return Value{kind: Int, number: n} }

// Keys returns the keys of a record or function, in the order of [Value.Items];
// nil for other values. The slice must not be changed.
func (v Value) Keys() []Value {
	if v.body == nil {
		return nil
	}
	return v.keys
}
