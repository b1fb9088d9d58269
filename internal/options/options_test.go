package options

import (
	"slices"
	"strings"
	"testing"
)

// TestEachOptionIsSpelledOnce: each option has one row, a usage and, if it takes one of a few
// words, at least two of them.
func TestEachOptionIsSpelledOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range All() {
		if seen[o.Name.Flag()] {
			t.Errorf("%s has two rows", o.Name)
		}
		seen[o.Name.Flag()] = true
		if got := o.Name.Option(); got.Usage != o.Usage || !slices.Equal(got.Words, o.Words) {
			t.Errorf("the option %s is %+v", o.Name, got)
		}
		value := strings.Count(o.Usage, "`")
		switch {
		case o.Usage == "" || o.Switch && value != 0 || !o.Switch && value != 2:
			t.Errorf("usage of %s: %s", o.Name, o.Usage)
		case !o.Switch && (o.Words != nil) != strings.HasSuffix(o.Usage, ": ") || len(o.Words) == 1:
			t.Errorf("words of %s: %q", o.Name, o.Words)
		}
	}
	if got := SearchLimit.Flag(); got != "search-limit" {
		t.Error(got)
	}
}
