package editor_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/modules/editor"
)

func TestTypoIsShownAndMended(t *testing.T) {
	folder := copied(t, "travel/travel.aut")
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	u := c.open(filepath.Join(folder, "travel", "travel.inev"), "Inev(BOOKNG_REC, TICKET_REC)\n")
	got := c.settled(u, 1)
	want := `0:5-0:15 1 unmatched: travel.aut: step 1, "BOOKNG_REC", matches no label of the model; did you mean BOOKING_REC, BOOKING_EM?`
	if len(got) != 1 || got[0] != want {
		t.Fatalf("%q, want %q", got, want)
	}
	said := c.call("textDocument/codeAction", object{"textDocument": object{"uri": u}, "range": object{"start": object{"line": 0, "character": 6}, "end": object{"line": 0, "character": 6}}, "context": object{}})
	if !strings.Contains(said, `"newText":"BOOKING_REC"`) {
		t.Fatalf("the action is %s", said)
	}
	c.notify("textDocument/didChange", object{"textDocument": object{"uri": u, "version": 2}, "contentChanges": []object{{
		"range": object{"start": object{"line": 0, "character": 5}, "end": object{"line": 0, "character": 15}}, "text": "BOOKING_REC",
	}}})
	c.save(u)
	got = c.settled(u, 2)
	want = `0:0-0:29 2 violated: travel.aut: After step 3 (REFUSAL_EM) BOOKING_REC can no longer happen.`
	if len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
	lens := c.call("textDocument/codeLens", object{"textDocument": object{"uri": u}})
	if !strings.Contains(lens, "✗ travel.aut: After step 3 (REFUSAL_EM) BOOKING_REC can no longer happen.") || !strings.Contains(lens, "inev.explain") {
		t.Errorf("the lenses are %s", lens)
	}
	page := c.call("inev/explain", object{"uri": u, "line": 0, "path": filepath.Join(folder, "travel", "travel.aut")})
	if !strings.Contains(page, "Content-Security-Policy") || !strings.Contains(page, "REFUSAL_EM") {
		t.Errorf("the page is %.300s", page)
	}
	// Editors show the line of the model for each step.
	if !strings.Contains(page, `"lines":[2,3,4,`) {
		t.Errorf("there are no lines: %s", page[:strings.Index(page, `"page"`)])
	}
}

// TestTLA asks about a specification, next to which TLC has left its graph.
func TestTLA(t *testing.T) {
	folder := copied(t, "tla/Lock.tla", "tla/Lock.cfg", "tla/Lock.dot")
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	path := filepath.Join(folder, "tla", "Lock.tla")
	ask := func(formula string) (answer editor.Answer) {
		t.Helper()
		said := c.call("inev/ask", object{"path": path, "formula": formula, "page": true})
		if err := json.Unmarshal([]byte(said), &answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	// All properties of the configuration.
	got := ask("")
	if r := got.Result; r.Status != batch.Violated || r.Job.Formula != "Served (c = c1)" || !strings.Contains(r.Counterexample.Sentence, "a state with Holds(c1)") {
		t.Errorf("the answer is %+v", r)
	}
	if want := []string{"2 of 4 properties are violated, also Served (c = c2)"}; !slices.Equal(got.Notes, want) {
		t.Errorf("the notes are %q, want %q", got.Notes, want)
	}
	// Which runs there are, the specification says.
	if !strings.Contains(got.Page, "WF_vars(Acquire(c1))") || strings.Contains(got.Page, "runs are taken to go on") {
		t.Errorf("the page is %.300s", got.Page)
	}
	// The actions of the run are found where they are defined.
	if p := got.Places[0]; p == nil || p.File != path || p.Line != 17 || !p.Definition {
		t.Errorf("Ask is at %+v", p)
	}
	for formula, want := range map[string]string{
		"Free":                               "satisfied",
		"Inev(Release(c1))":                  "violated",  // a pattern is about actions
		"Response(Acquire(c1); Release(c1))": "satisfied", // under the fairness of Spec, as inev check says
		"G (Acquire(c1) -> F Release(c1))":   "satisfied",
		"Response(Holds(c1); Release(c1))":   "satisfied",
		"DeadlockFree":                       "satisfied", // of the graph itself
		`\A c \in Clients : []<>(~Holds(c))`: "satisfied",
		"Nothing":                            "error formula, column 1: Nothing is not defined",
		"[](":                                "error formula, column 4: expected an expression",
	} {
		got := ask(formula)
		if text := strings.TrimSpace(string(got.Result.Status) + " " + got.Result.Error); !strings.HasPrefix(text, want) {
			t.Errorf("%s: %s, want %s", formula, text, want)
		}
	}
	// Without the graph other programs have to make it.
	if err := os.Remove(filepath.Join(folder, "tla", "Lock.dot")); err != nil {
		t.Fatal(err)
	}
	if got := ask("Free"); got.Result.Status != batch.Failed || !strings.Contains(got.Result.Error, "trust the workspace") {
		t.Errorf("without the graph the answer is %+v", got.Result)
	}
}
