package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/modules/agent"
)

// TestNetworks: a network is answered about with all its files, in folders below it, too; models lists it. One whose text
// could name a file elsewhere is refused, whatever escape sequences its names have, and nothing of such a file is shown.
func TestNetworks(t *testing.T) {
	outside, root := t.TempDir(), t.TempDir()
	secret := write(t, outside, "secret.aut", "des (0,1,2)\n(0,\"SECRET\",1)\n")
	sub := filepath.Join(root, "sub")
	if err := os.MkdirAll(filepath.Join(sub, "parts"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, sub, "left.aut", "des (0,2,2)\n(0,PUT,1)\n(1,SEND,0)\n")
	write(t, sub, "parts/right.aut", "des (0,2,2)\n(0,SEND,1)\n(1,GET,0)\n")
	write(t, sub, "parts/inner.exp", `rename using "names.ren" in right end rename`)
	write(t, sub, "parts/names.ren", "rename\nGET -> TAKE\n")
	write(t, sub, "sys.exp", `par SEND in left || "parts/inner.exp" end par`)
	if err := os.Symlink(secret, filepath.Join(sub, "link.aut")); err != nil {
		t.Fatal(err)
	}
	s := connect(t, agent.Options{Roots: []string{root}})
	if text := textOf(call(t, s, "models", map[string]any{"match": ".exp"})); !strings.Contains(text, "sub/sys.exp") {
		t.Errorf("models: %s", text)
	}
	for _, model := range []string{"sub/sys.exp", filepath.Join(sub, "sys.exp")} {
		result := call(t, s, "check", map[string]any{"model": model, "formula": "Response(PUT; TAKE)"})
		if text := textOf(result); result.IsError || !strings.Contains(text, "satisfies Response(PUT; TAKE)") {
			t.Errorf("%s: %s", model, text)
		}
	}
	up := filepath.Join("..", "..", filepath.Base(outside), "secret.aut")
	for _, name := range []string{
		`"` + secret + `"`, `"` + up + `"`, `"` + up[:len(up)-len(".aut")] + `"`, `"parts/../` + up + `"`, `"\` + secret + `"`, "link.aut", `"/etc/passwd"`,
		`"./` + up + `"`, "(* \" *) \"" + secret + `"`, "\"nothing.exp\" || \"" + secret + `"`,
	} {
		write(t, sub, "bad.exp", "par left || "+name+" end par")
		result := call(t, s, "labels", map[string]any{"model": "sub/bad.exp"})
		if text := textOf(result); !result.IsError || strings.Contains(text, "SECRET") || strings.Contains(text, "root:") {
			t.Errorf("%s is read: %s", name, text)
		}
		if err := os.Remove(filepath.Join(sub, "bad.exp")); err != nil {
			t.Fatal(err)
		}
	}
	write(t, sub, "broken.exp", "par left ||\n  broken.aut end par")
	write(t, sub, "broken.aut", "des (0,1,1)\n(0,A\n")
	if text := textOf(call(t, s, "labels", map[string]any{"model": "sub/broken.exp"})); !strings.Contains(text, "sub/broken.exp:2: sub/broken.aut:2: ") {
		t.Errorf("an error names neither file nor line: %s", text)
	}
}

// TestNamesAreThoseOfTheClient: an answer names a model by the path that the client gave, and two models of one name, or two networks
// with one component, do not meet.
func TestNamesAreThoseOfTheClient(t *testing.T) {
	root := t.TempDir()
	for _, folder := range []string{"v1", "v2"} {
		if err := os.Mkdir(filepath.Join(root, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(root, "v1"), "m.aut", "des (0,2,3)\n(0,REQ,1)\n(1,ACK,2)\n")
	write(t, filepath.Join(root, "v2"), "m.aut", "des (0,3,4)\n(0,REQ,1)\n(1,ACK,2)\n(1,DROP,3)\n")
	write(t, root, "both.exp", `"v2/m.aut" || "v1/m.aut"`)
	write(t, root, "same.exp", `"v2/m.aut" || "v2/m.aut"`)
	s := connect(t, agent.Options{Roots: []string{root}})
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"check", map[string]any{"model": "v2/m.aut", "formula": "Inev(REQ, ACK)"}, "v2/m.aut violates "},
		{"check", map[string]any{"model": filepath.Join(root, "v2", "m.aut"), "formula": "Inev(REQ, ACK)"}, "m.aut violates "},
		{"compare", map[string]any{"old": "v1/m.aut", "new": "v2/m.aut"}, "v2/m.aut"},
		{"compare", map[string]any{"old": filepath.Join(root, "v1/m.aut"), "new": filepath.Join(root, "v2/m.aut")}, "new/m.aut"},
		{"compare", map[string]any{"old": "both.exp", "new": "same.exp"}, "same.exp"},
		{"repair", map[string]any{"model": "v2/m.aut", "formula": "Response(REQ; ACK)", "may_forbid_triggers": true}, "v2/m.aut"},
		{"why", map[string]any{"model": "v2/m.aut", "formula": "Response(REQ; ACK)"}, "Why not ACK"},
	} {
		result := call(t, s, c.tool, c.arguments)
		if text := textOf(result); result.IsError || !strings.Contains(text, c.want) {
			t.Errorf("%s %v does not say %q: %s", c.tool, c.arguments, c.want, text)
		}
	}
	result := call(t, s, "compare", map[string]any{"old": "v1/m.aut", "new": "./v1/m.aut"})
	if text := textOf(result); !result.IsError || !strings.Contains(text, "both v1/m.aut") {
		t.Errorf("a model is compared with itself: %s", text)
	}
}
