package argument

import (
	"bytes"
	"strings"
	"testing"

	"github.com/inev-lts/inev/lts"
)

// TestTextsStayTexts: labels become no elements, no entities and no orders to a terminal.
func TestTextsStayTexts(t *testing.T) {
	var b lts.Builder
	hostile := "</summary><script>alert(1)</script>\x1b[2J &lt;\\N\""
	b.Add(0, b.Label(hostile), 1)
	b.Add(1, b.Label("b"), 2)
	m, err := b.Build(0, 3)
	if err != nil {
		t.Fatal(err)
	}
	a, err := newCase(t, m, "EF deadlock && AF deadlock").Argue(0)
	if err != nil {
		t.Fatal(err)
	}
	var text, page bytes.Buffer
	if err := a.WriteText(&text, m); err != nil {
		t.Fatal(err)
	}
	shown := Page{Model: hostile, Formula: hostile, Verdict: "holds", Holds: true}
	if err := shown.WriteHTML(&page, m, []*Argument{a}); err != nil {
		t.Fatal(err)
	}
	for name, out := range map[string]string{"text": text.String(), "page": page.String()} {
		if strings.Contains(out, "\x1b") || name != "text" && strings.Contains(out, "<script>") {
			t.Errorf("%s: %s", name, out)
		}
		if !strings.Contains(out, "alert(1)") {
			t.Errorf("the label is not in the %s: %s", name, out)
		}
	}
}
