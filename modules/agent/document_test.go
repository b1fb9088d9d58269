package agent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/modules/agent"
)

// aCall is a call in the document, and what it says.
var aCall = regexp.MustCompile("(?m)^```mcp\n([a-z]+) (\\{.*\\})\n((?:.*\n)*?)```$")

// TestDocument runs the calls of the document: tools alone find a fault.
func TestDocument(t *testing.T) {
	file := filepath.Join("..", "..", "modules", "agent", "README.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := connect(t, agent.Options{Roots: []string{filepath.Join("..", "..", "examples")}, Memory: "1GB"})
	calls := 0
	made := aCall.ReplaceAllStringFunc(string(text), func(block string) string {
		calls++
		parts := aCall.FindStringSubmatch(block)
		var arguments map[string]any
		if err := json.Unmarshal([]byte(parts[2]), &arguments); err != nil {
			t.Fatalf("%s: %v", parts[2], err)
		}
		result := call(t, s, parts[1], arguments)
		if result.IsError {
			t.Errorf("%s %s: %s", parts[1], parts[2], textOf(result))
		}
		return "```mcp\n" + parts[1] + " " + parts[2] + "\n" + textOf(result) + "```"
	})
	if calls == 0 {
		t.Error("the document has no calls")
	}
	golden.Check(t, file, []byte(made))
}

// TestFaultIsFound: each fault that is put into a correct model, a way into a dead end in place of an answer, is the
// decision that the tools name.
func TestFaultIsFound(t *testing.T) {
	root := t.TempDir()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "philosophers", "asymmetric.aut"))
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(string(text), "\n")
	var transitions, states int
	if found := regexp.MustCompile(`\d+`).FindAllString(head, -1); len(found) != 3 {
		t.Fatal(head)
	} else {
		transitions, _ = strconv.Atoi(found[1])
		states, _ = strconv.Atoi(found[2])
	}
	write(t, root, "old.aut", string(text))
	s := connect(t, agent.Options{Roots: []string{root}})
	for _, from := range []int{0, 1, 2, 3} {
		write(t, root, "new.aut", fmt.Sprintf("des (0,%d,%d)\n%s\n(%d,\"FALL ASLEEP\",%d)\n", transitions+1, states+1, strings.TrimSpace(body), from, states))
		if said := textOf(call(t, s, "check", map[string]any{"model": "new.aut", "formula": "Inev(EAT)"})); !strings.Contains(said, "violates") {
			t.Fatalf("%s", said)
		}
		fault := fmt.Sprintf("FALL ASLEEP from state %d to state %d", from, states)
		explained := call(t, s, "explain", map[string]any{"model": "new.aut", "formula": "Inev(EAT)"})
		remedy := fmt.Sprintf("Forbid FALL ASLEEP in state %d", from)
		if said := textOf(explained); !strings.Contains(strings.ReplaceAll(said, "\n> ", " "), remedy) {
			t.Errorf("explain does not say %q:\n%s", remedy, said)
		}
		if said := textOf(call(t, s, "compare", map[string]any{"old": "old.aut", "new": "new.aut", "formula": "Inev(EAT)"})); !strings.Contains(words(said), fault+" is new") {
			t.Errorf("compare does not name %s:\n%s", fault, said)
		}
	}
}
