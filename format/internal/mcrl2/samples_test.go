package mcrl2_test

import (
	"path/filepath"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
)

// TestSamples keeps two files that other packages read: what the encoder of these tests
// makes, in the place of mCRL2.
func TestSamples(t *testing.T) {
	e := newEncoder(0x8308)
	e.begin()
	e.transition(0, multi(notime, action("a")), 1)
	for name, data := range map[string][]byte{"step.lts": e.end(0), "values.lts": small()} {
		golden.Check(t, filepath.Join("testdata", name), data)
	}
}
