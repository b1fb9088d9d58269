package frontend_test

import (
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/format/frontend"
)

// TestOwnFiles: a network names files by words and by texts in quotes, with a suffix or without; what could lie outside
// of its folder is an error.
func TestOwnFiles(t *testing.T) {
	names, err := frontend.OwnFiles(`par A in left || "my part" || "sub/inner.exp" || medium.lts end par (* hide using "x.hid" *)`)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"left.aut", "my part.aut", "my part", "sub/inner.exp", "medium.lts", "x.hid"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among the %d names", want, len(names))
		}
	}
	for _, text := range []string{`"/etc/passwd"`, `"../x.aut"`, `"a/../../x.aut"`, `"..\x.aut"`, `"C:x.aut"`, `x || "/y"`} {
		if names, err := frontend.OwnFiles(text); err == nil {
			t.Errorf("%s names %q", text, names)
		}
	}
	for _, text := range []string{`"PUT !1/2"`, `"a..b"`, `"PUT \(.*\)"`, "a.aut"} {
		if _, err := frontend.OwnFiles(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
