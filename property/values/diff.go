package values

import "strconv"

// Change is a difference between two values: a path, with the values there before
// and after.
type Change struct {
	// Path leads from the parameter to the value: "[1]", ".type"; "" stands for
	// the whole parameter.
	Path string
	// Before and After are the values; Before is empty if the value is new, After
	// if it is gone.
	Before, After string
}

// String returns the change of a parameter in the form of a step: pc[1]: "wait" →
// "cs", or queue: + <<2>> for an addition, and - for a removal.
func (c Change) String(parameter string) string {
	switch {
	case c.Before == "":
		return parameter + c.Path + ": + " + c.After
	case c.After == "":
		return parameter + c.Path + ": - " + c.Before
	}
	return parameter + c.Path + ": " + c.Before + " → " + c.After
}

// Diff returns the differences between two values, path by path; none if they are
// equal. Cost O(size).
func Diff(before, after Value) []Change {
	return diff(nil, "", before, after)
}

func diff(found []Change, path string, a, b Value) []Change {
	whole := Change{path, a.String(), b.String()}
	switch {
	case a.Equal(b):
		return found
	case a.kind != b.kind:
		return append(found, whole)
	}
	switch a.kind {
	case Record, Function:
		return diffKeys(found, path, a, b)
	case Sequence, List:
		return diffSequence(found, path, a, b)
	case Set:
		for _, v := range b.Items() {
			if !a.Has(v) {
				found = append(found, Change{Path: path, After: v.String()})
			}
		}
		for _, v := range a.Items() {
			if !b.Has(v) {
				found = append(found, Change{Path: path, Before: v.String()})
			}
		}
		return found
	}
	return append(found, whole)
}

// diffKeys compares records and functions key by key.
func diffKeys(found []Change, path string, a, b Value) []Change {
	at := func(v Value, i int) string {
		if key := v.keys[i]; v.kind == Record && isField(key.content()) {
			return path + "." + key.content()
		}
		return path + "[" + v.keys[i].String() + "]"
	}
	for i, item := range a.Items() {
		if other, both := b.At(a.keys[i]); both {
			found = diff(found, at(a, i), item, other)
		} else {
			found = append(found, Change{Path: at(a, i), Before: item.String()})
		}
	}
	for i, item := range b.Items() {
		if _, both := a.At(b.keys[i]); !both {
			found = append(found, Change{Path: at(b, i), After: item.String()})
		}
	}
	return found
}

// isField reports whether a key of a record can be written behind a dot.
func isField(key string) bool {
	for i := range len(key) {
		if !isWord(key[i]) || i == 0 && isDigit(key[i]) {
			return false
		}
	}
	return key != ""
}

// diffSequence compares sequences: additions and removals at an end, otherwise
// index by index.
func diffSequence(found []Change, path string, a, b Value) []Change {
	part := func(items []Value) string { return tree(a.kind, "", nil, items).String() }
	short, long := a.Items(), b.Items()
	if len(short) > len(long) {
		short, long = long, short
	}
	if extra := len(long) - len(short); extra > 0 {
		c := Change{Path: path}
		switch {
		case prefixed(long, short):
			c.After = part(long[len(short):])
		case prefixed(long[extra:], short):
			c.After = part(long[:extra])
		default:
			return append(found, Change{path, a.String(), b.String()})
		}
		if len(a.Items()) > len(b.Items()) {
			c.Before, c.After = c.After, ""
		}
		return append(found, c)
	}
	first := 1
	if a.kind == List {
		first = 0
	}
	for i := range a.Items() {
		found = diff(found, path+"["+strconv.Itoa(i+first)+"]", a.items[i], b.items[i])
	}
	return found
}

func prefixed(long, short []Value) bool {
	for i, v := range short {
		if !v.Equal(long[i]) {
			return false
		}
	}
	return true
}
