package editor

import (
	"context"
	"testing"
	"time"
)

// TestNothingIsAwaitedAtTheEnd: work that is still going on when the server ends asks for diagnostics
// that nobody finds any more.
func TestNothingIsAwaitedAtTheEnd(t *testing.T) {
	s := New(nil, Options{})
	s.ctx = context.Background()
	s.open["file:///m.inev"] = &opened{doc: newDocument("file:///m.inev", 1, "Inev(A)\n")}
	s.goroutines.Wait(time.Minute)
	select {
	case <-s.diagnose("file:///m.inev"):
	case <-time.After(time.Minute):
		t.Error("the diagnostics are still awaited")
	}
}
