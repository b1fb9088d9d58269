package values_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/property/values"
)

// The trees of this test: a number, a record, a sequence or a set of numbers.
type (
	record map[string]any
	list   []any
	set    map[int]bool
)

// draw returns a tree of some depth.
func draw(r *rand.Rand, depth int) any {
	n := r.IntN(4)
	switch {
	case n == 0 || depth == 0:
		return r.IntN(3)
	case n == 1:
		all := record{}
		for _, key := range []string{"a", "b", "c"} {
			if r.IntN(3) > 0 {
				all[key] = draw(r, depth-1)
			}
		}
		if len(all) > 0 {
			return all
		}
		return 7
	case n == 2:
		all := list{}
		for range r.IntN(4) {
			all = append(all, draw(r, depth-1))
		}
		return all
	}
	all := set{}
	for range r.IntN(4) {
		all[r.IntN(4)] = true
	}
	return all
}

// vary returns a tree that differs in some places.
func vary(r *rand.Rand, of any, depth int) any {
	if r.IntN(6) == 0 {
		return draw(r, depth)
	}
	switch v := of.(type) {
	case record:
		all := maps.Clone(v)
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if r.IntN(2) == 0 {
				all[key] = vary(r, v[key], depth-1)
			}
		}
		return all
	case list:
		all := slices.Clone(v)
		for i := range all {
			if r.IntN(2) == 0 {
				all[i] = vary(r, all[i], depth-1)
			}
		}
		if r.IntN(4) == 0 {
			all = append(all, draw(r, depth-1))
		}
		return all
	}
	return of
}

// written returns a tree as TLA+ writes it.
func written(of any) string {
	var parts []string
	switch v := of.(type) {
	case record:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, key+" |-> "+written(v[key]))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case list:
		for _, item := range v {
			parts = append(parts, written(item))
		}
		return "<<" + strings.Join(parts, ", ") + ">>"
	case set:
		for _, n := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, strconv.Itoa(n))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(of)
}

// applied returns the text of a tree after a change at a path. It fails if the tree does not have
// the path.
func applied(of any, path string, c values.Change, after any) (any, error) {
	switch v := of.(type) {
	case record:
		for key, item := range v {
			if rest, is := strings.CutPrefix(path, "."+key); is {
				all := maps.Clone(v)
				if rest == "" && c.After == "" {
					if _, still := after.(record)[key]; !still {
						delete(all, key)
						return all, nil
					}
				}
				next, err := applied(item, rest, c, after.(record)[key])
				all[key] = next
				return all, err
			}
		}
		if key := strings.TrimPrefix(path, "."); len(key) == 1 && c.Before == "" {
			all := maps.Clone(v)
			all[key] = after.(record)[key]
			return all, nil
		}
	case list:
		for i, item := range v {
			if rest, is := strings.CutPrefix(path, fmt.Sprintf("[%d]", i+1)); is {
				all := slices.Clone(v)
				next, err := applied(item, rest, c, after.(list)[i])
				all[i] = next
				return all, err
			}
		}
		to, is := after.(list)
		part := func(l list) string { return written(l) }
		n := len(to) - len(v)
		switch {
		case path != "" || !is:
		case c.Before == "" && part(to[len(v):]) == c.After && part(to[:len(v)]) == written(v),
			c.Before == "" && part(to[:n]) == c.After && part(to[n:]) == written(v),
			c.After == "" && part(v[len(to):]) == c.Before && part(v[:len(to)]) == written(to),
			c.After == "" && part(v[:-n]) == c.Before && part(v[-n:]) == written(to):
			return to, nil
		}
	case set:
		all := maps.Clone(v)
		if n, err := strconv.Atoi(c.After + c.Before); err == nil && path == "" && (c.After == "" || c.Before == "") {
			if all[n] = c.Before == ""; !all[n] {
				delete(all, n)
			}
			return all, nil
		}
	}
	if path != "" || written(of) != c.Before || written(after) != c.After {
		return nil, fmt.Errorf("%q stands nowhere in %s", c.String("x"), written(of))
	}
	return after, nil
}

// TestDiffLeadsOn: the changes, applied one after the other by other means, make the later value
// of the earlier one, and none is without effect.
func TestDiffLeadsOn(t *testing.T) {
	checkLeadsOn(t, 400, values.Diff)
}

// TestReplacementsLeadOn: so do replacements, each of which has both values of its part.
func TestReplacementsLeadOn(t *testing.T) {
	checkLeadsOn(t, 100, func(before, after values.Value) []values.Change {
		changes := values.Replacements(before, after)
		for _, c := range changes {
			if c.Before == "" || c.After == "" {
				t.Errorf("%v, %v: %v", before, after, c)
			}
		}
		return changes
	})
}

func checkLeadsOn(t *testing.T, least int, diff func(before, after values.Value) []values.Change) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	several := 0
	for range 20_000 {
		before := draw(r, 3)
		after := vary(r, before, 3)
		changes := diff(values.Parse(written(before)), values.Parse(written(after)))
		if len(changes) > 1 {
			several++
		}
		at := before
		for _, c := range changes {
			next, err := applied(at, c.Path, c, after)
			if err != nil {
				t.Fatalf("%s, %s: %v", written(before), written(after), err)
			}
			if written(next) == written(at) {
				t.Fatalf("%s, %s: %v changes nothing", written(before), written(after), c)
			}
			at = next
		}
		if written(at) != written(after) {
			t.Fatalf("%s, %s: %v lead to %s", written(before), written(after), changes, written(at))
		}
	}
	if several < least {
		t.Errorf("%d had several changes", several)
	}
}
