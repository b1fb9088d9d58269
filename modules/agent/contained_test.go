package agent_test

import (
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/faults"
	"github.com/inev-lts/inev/modules/agent"
)

// TestPanicEndsOneCall: a panic while a call is answered is the answer of this call; the next ones are
// answered as before.
func TestPanicEndsOneCall(t *testing.T) {
	root := t.TempDir()
	write(t, root, "m.aut", small)
	s := connect(t, agent.Options{Roots: []string{root}})
	arguments := map[string]any{"model": "m.aut", "formula": "Inev(REQ, ACK)"}
	struck := faults.Once(t, "modules/agent.add")
	if text := textOf(call(t, s, "check", arguments)); !struck() || !strings.Contains(text, faults.Message) {
		t.Errorf("the call with a panic: %q", text)
	}
	if text := textOf(call(t, s, "check", arguments)); !strings.Contains(text, "m.aut violates") {
		t.Errorf("the next call: %q", text)
	}
}
