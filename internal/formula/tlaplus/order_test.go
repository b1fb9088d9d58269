package tlaplus

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/property/values"
)

// TestOrderOfStrings: strings are in the order in which TLC 2026 printed sets of them: names of the module first, then those of
// the standard modules, and then the strings that are no names, as they stand.
func TestOrderOfStrings(t *testing.T) {
	for _, c := range []struct {
		extends string
		want    []string
	}{
		{"Naturals", []string{"qvar", "Nat", "a", "b", "n", "val", "verbose", "state", "trace", "vars", "i", "level", "e", "dump", "v", "out", "x", "f", "S", "s", "err", "key", "t", "m", "seq", "zz", "idle", "c"}},
		{"TLC, Sequences, FiniteSets, Integers", []string{"qvar", "out", "val", "v", "n", "i", "d", "e", "x", "f", "S", "s", "p", "a", "b", "t", "m", "seq", "state", "vars", "level", "dump", "err", "key", "zz", "idle", "c"}},
		{"Sequences", []string{"qvar", "S", "n", "s", "t", "i", "e", "m", "F", "val", "state", "v", "a", "b", "out", "x", "zz", "idle", "c"}},
		{"Bags", []string{"B", "n", "S", "e", "d", "f", "y", "i", "r", "s", "val", "state", "v", "out", "a", "b", "t", "m", "zz", "idle", "c"}},
	} {
		path := filepath.Join(t.TempDir(), "Any.tla")
		module := "---- MODULE Any ----\nEXTENDS " + c.extends + "\nVARIABLE qvar\nQInit == qvar = {\"zz\", \"idle\", \"c\"}\n====\n"
		if err := os.WriteFile(path, []byte(module), 0o600); err != nil {
			t.Fatal(err)
		}
		spec, err := Load(context.Background(), path, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		var all []values.Value
		for _, text := range slices.Sorted(slices.Values(c.want)) {
			all = append(all, quoted(text))
		}
		var got []string
		for _, v := range spec.machine().sorted(all) {
			got = append(got, v.Content())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("EXTENDS %s: %q, want %q", c.extends, got, c.want)
		}
	}
}
