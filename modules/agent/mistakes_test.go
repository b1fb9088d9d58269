package agent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/modules/agent"
)

// TestMistakesHaveTheirRemedy: what cannot be answered gets one line, which says what to send instead.
func TestMistakesHaveTheirRemedy(t *testing.T) {
	root := t.TempDir()
	write(t, root, "m.aut", small)
	if err := os.Mkdir(filepath.Join(root, "ring"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "ring"), "ring.aut.gz", small)
	s := connect(t, agent.Options{Roots: []string{root}})
	for _, test := range []struct {
		tool string
		with map[string]any
		says string
	}{
		{"repair", map[string]any{"formula": "Inev(ACK)", "apply": 99}, "there is no such remedy; choose 1 (Forbid DROP in state 1"},
		{"path", map[string]any{"formula": "Inev(ACK)", "to": "somewhere"}, "choose nearest, each, correct, incorrect, mixed-neutral, mixed, lost or the number of a state"},
		{"replay", map[string]any{"log": "none.log"}, "put the log below a root, and give its path there"},
		{"check", map[string]any{"formula": "Inev(ACK)", "model": "none.aut"}, "the tool models lists the files there"},
		{"check", map[string]any{"formula": "Inev(ACK)", "model": "Ring.aut"}, "did you mean ring/ring.aut.gz?"},
		{"check", map[string]any{"formula": "Inev(ACK)", "model": "models/m"}, "did you mean m.aut?"},
		{"check", map[string]any{"formula": "Inev(ACK)", "model": "ring"}, "it is a folder; give a regular file, such as ring/ring.aut.gz"},
		{"check", map[string]any{"formula": "Inev(ACK)", "model": "../../m.aut"}, `"../../m.aut" leads out of the roots: give a path below a root`},
		{"check", map[string]any{"formula": "Inev(ACK)", "model": "/m.aut"}, `"/m.aut" lies below no root: give a path below a root`},
		{"check", map[string]any{"formula": "Inev(ACK)", "model": ""}, `"" is not a name of a file: give a path below a root`},
	} {
		arguments := map[string]any{"model": "m.aut"}
		for name, value := range test.with {
			arguments[name] = value
		}
		result := call(t, s, test.tool, arguments)
		said := textOf(result)
		if !result.IsError || strings.Count(said, "\n") != 1 || !strings.Contains(said, test.says) {
			t.Errorf("%s %v: %s", test.tool, arguments, said)
		}
	}
}

// TestListsOfLabels: labels may be a list of strings, each of which may have several of them, and mean the same as one string.
func TestListsOfLabels(t *testing.T) {
	root := t.TempDir()
	write(t, root, "m.aut", small)
	s := connect(t, agent.Options{Roots: []string{root}})
	for _, test := range []struct {
		tool, argument string
	}{{"explain", "faults"}, {"why", "not"}, {"repair", "uncontrollable"}} {
		var said []string
		for _, value := range []any{"DROP, REQ, ACK", []string{"DROP", "REQ", "ACK"}, []string{"DROP, REQ", "ACK"}} {
			result := call(t, s, test.tool, map[string]any{"model": "m.aut", "formula": "Inev(ACK)", test.argument: value})
			if result.IsError {
				t.Errorf("%s with %s %v: %s", test.tool, test.argument, value, textOf(result))
			}
			said = append(said, textOf(result))
		}
		without := textOf(call(t, s, test.tool, map[string]any{"model": "m.aut", "formula": "Inev(ACK)"}))
		if said[1] != said[0] || said[2] != said[0] || said[0] == without {
			t.Errorf("%s: %q; without %s %q", test.tool, said, test.argument, without)
		}
	}
}

// TestSyntaxByATool: a client that has tools alone finds the syntax when its formula cannot be read.
func TestSyntaxByATool(t *testing.T) {
	root := t.TempDir()
	write(t, root, "m.aut", small)
	s := connect(t, agent.Options{Roots: []string{root}})
	for _, tool := range []string{"check", "explain", "ctl", "formula"} {
		refused := call(t, s, tool, map[string]any{"model": "m.aut", "formula": "every request is answered"})
		if !refused.IsError || !strings.Contains(textOf(refused), "The tool formula without arguments says how properties are written.") {
			t.Errorf("%s: %s", tool, textOf(refused))
		}
	}
	if said := textOf(call(t, s, "formula", map[string]any{})); !strings.Contains(said, "Response(A; B, C)    after every A") {
		t.Error(said)
	}
}

// TestParametersOfAnotherType: parameters that are no object, and a name that is no string, are answered by a sentence without
// types of Go.
func TestParametersOfAnotherType(t *testing.T) {
	c := newRawClient(t)
	for i, test := range []struct{ request, says string }{
		{`"method":"tools/call","params":[]`, `the params of tools/call are an object, and not []`},
		{`"method":"tools/list","params":"all"`, `the params of tools/list are an object, and not "all"`},
		{`"method":"tools/call","params":{"name":5}`, `the name of a tool is a string, such as "models", and not 5`},
		{`"method":"tools/call","params":{"name":null}`, `the name of a tool is a string, such as "models", and not null`},
	} {
		c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i, test.request))
		a := c.answer()
		if a.Error == nil || a.Error.Code != -32602 || a.Error.Message != test.says || a.ID != float64(i) {
			t.Errorf("%s is answered by %+v %+v", test.request, a, a.Error)
		}
	}
}

// TestLabelsAreNotReplaced: characters of labels that do not print are escaped in texts and in structured content, in one and
// the same way, so that a client can name the label.
func TestLabelsAreNotReplaced(t *testing.T) {
	for label, shown := range map[string]string{
		"A\u00a0B": `A\u00a0B`, "A\u2028B": `A\u2028B`, "A\u3000B": `A\u3000B`, "A\u202eB": `A\u202eB`, "A\xffB": `A\xffB`, "Aé𝔸B": "Aé𝔸B",
	} {
		root := t.TempDir()
		write(t, root, "m.aut", "des (0,2,3)\n(0,\""+label+"\",1)\n(1,ACK,2)\n")
		s := connect(t, agent.Options{Roots: []string{root}})
		result := call(t, s, "explain", map[string]any{"model": "m.aut", "formula": "Never(ACK)"})
		content, err := json.Marshal(result.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		var found struct{ Steps []struct{ Label string } }
		if err := json.Unmarshal(content, &found); err != nil || len(found.Steps) != 2 || found.Steps[0].Label != shown {
			t.Errorf("%q is %s (%v)", label, content, err)
		}
		for _, said := range []string{textOf(result), textOf(call(t, s, "labels", map[string]any{"model": "m.aut"}))} {
			if !strings.Contains(said, shown) || strings.Contains(said, "\ufffd") {
				t.Errorf("of %q is said\n%s", label, said)
			}
		}
	}
}
