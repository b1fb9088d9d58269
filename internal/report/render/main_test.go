package render_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain collects garbage less often: tens of thousands of small explanations are a quarter
// faster so, and take little memory each.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
