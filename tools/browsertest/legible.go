package browsertest

import (
	_ "embed"
	"strings"
)

//go:embed legible.js
var faint string

// Legible fails the test for each text, field and line of the page, as it is now, that has too little
// contrast with what is behind it. Unlike axe-core, it also looks at the pictures.
func (b *Tab) Legible(what string) {
	b.t.Helper()
	found := b.Value(faint)
	if found == "" {
		return
	}
	for _, each := range strings.Split(found, "\n") {
		b.t.Errorf("%s: %s", what, each)
	}
}
