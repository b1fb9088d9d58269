package editor_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/modules/editor"
)

// standing opens a document as it is in its file.
func (c *client) standing(path string) string {
	c.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		c.t.Fatal(err)
	}
	return c.open(path, string(text))
}

// titles returns what stands above the lines of a document, the verdicts alone, with the text below.
func (c *client) titles(u, text string) []string {
	c.t.Helper()
	var lenses []struct {
		Range   struct{ Start, End struct{ Line, Character int } }
		Command struct{ Title string }
	}
	if err := json.Unmarshal([]byte(c.call("textDocument/codeLens", object{"textDocument": object{"uri": u}})), &lenses); err != nil {
		c.t.Fatal(err)
	}
	lines := strings.Split(text, "\n")
	var all []string
	for _, lens := range lenses {
		if lens.Command.Title == "Explain" {
			continue
		}
		line := lines[lens.Range.Start.Line]
		mark, _, _ := strings.Cut(lens.Command.Title, ":")
		all = append(all, line[lens.Range.Start.Character:lens.Range.End.Character]+" "+mark)
	}
	return all
}

// TestTLAVerdicts shows verdicts where properties of TLA+ are written.
func TestTLAVerdicts(t *testing.T) {
	folder := copied(t, "tla/Lock.tla", "tla/Lock.cfg", "tla/Lock.dot")
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	module, config := filepath.Join(folder, "tla", "Lock.tla"), filepath.Join(folder, "tla", "Lock.cfg")
	texts := map[string]string{}
	for _, path := range []string{module, config} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[path] = string(text)
	}
	u := c.standing(config)
	c.settled(u, 1)
	want := []string{"Exclusion ✓ Lock.dot", "Free ✓ Lock.dot", "Served ✗ Lock.dot"}
	if got := c.titles(u, texts[config]); !slices.Equal(got, want) {
		t.Errorf("above the configuration stands %q, want %q", got, want)
	}
	if shown := c.lines(u); len(shown) != 1 || !strings.HasPrefix(shown[0], "3:16-3:22 2 violated: Lock.dot: ") {
		t.Errorf("in the configuration is shown %q", shown)
	}
	if text := c.call("textDocument/hover", object{"textDocument": object{"uri": u}, "position": object{"line": 3, "character": 18}}); !strings.Contains(text, "✗ violated") {
		t.Errorf("the hover of Served is %s", text)
	} else if !strings.Contains(text, `Add \\A c \\in Clients : SF_vars(Acquire(c)) to Spec.`) {
		t.Errorf("the hover of Served lacks the fairness that Spec lacks: %s", text)
	}
	page := c.call("inev/explain", object{"uri": u, "line": 3, "path": filepath.Join(folder, "tla", "Lock.dot"), "name": "Lock.dot: Served"})
	if !strings.Contains(page, "WF_vars(Acquire(c1))") {
		t.Errorf("the page of Served is %.300s", page)
	}
	v := c.settled(c.standing(module), 1)
	if len(v) != 1 || !strings.Contains(v[0], "39:0-39:6") {
		t.Errorf("in the module is shown %q", v)
	}
	if got := c.titles(uri(module), texts[module]); !slices.Equal(got, []string{want[0], want[2], want[1]}) {
		t.Errorf("above the module stands %q", got)
	}
	// The module changes: it is read again, and the graph may be older.
	changed := strings.Replace(texts[module], "Waits(c) ~> Holds(c)", "Waits(c) ~> (Waits(c) \\/ Holds(c))", 1)
	if err := os.WriteFile(module, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(module, later, later); err != nil {
		t.Fatal(err)
	}
	c.notify("workspace/didChangeWatchedFiles", object{"changes": []object{{"uri": uri(module), "type": 2}}})
	c.until("Served holds", func() bool {
		for _, item := range c.verdicts[u].Items {
			if item.Formula == "Served" {
				shown := c.shown[u].Diagnostics
				return item.Status == "satisfied" && len(shown) > 0 && strings.Contains(shown[0].Message, "older")
			}
		}
		return false
	})
	if shown := c.lines(u); len(shown) != 1 || !strings.Contains(shown[0], "the graph is older than Lock.tla") {
		t.Errorf("of an older graph is shown %q", shown)
	}
}

// TestAdvisedFairnessIsEnough: what a hover advises for a property of TLA+ makes the property hold, once Spec has it.
func TestAdvisedFairnessIsEnough(t *testing.T) {
	folder := copied(t, "tla/Lock.tla", "tla/Lock.cfg", "tla/Lock.dot")
	module, config := filepath.Join(folder, "tla", "Lock.tla"), filepath.Join(folder, "tla", "Lock.cfg")
	text, err := os.ReadFile(module)
	if err != nil {
		t.Fatal(err)
	}
	served := object{"line": 3, "character": 18}
	hover := func() string {
		c := connect(t, local(t), editor.Options{})
		c.begin(folder, object{"shows": true})
		u := c.standing(config)
		c.settled(u, 1)
		return c.call("textDocument/hover", object{"textDocument": object{"uri": u}, "position": served})
	}
	var shown struct{ Contents struct{ Value string } }
	if err := json.Unmarshal([]byte(hover()), &shown); err != nil {
		t.Fatal(err)
	}
	_, advice, isAdvised := strings.Cut(shown.Contents.Value, "`Add ")
	advice, _, isWhole := strings.Cut(advice, " to Spec.")
	if !isAdvised || !isWhole {
		t.Fatalf("the hover is %s", shown.Contents.Value)
	}
	fair := regexp.MustCompile(`(?m)^(Spec *== .*)$`).ReplaceAll(text, []byte("$1 /\\ ("+advice+")"))
	if len(fair) == len(text) {
		t.Fatalf("Spec is not found in %s", text)
	}
	if err := os.WriteFile(module, fair, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := hover(); !strings.Contains(got, "✓ satisfied") {
		t.Errorf("with %s the hover is %s", advice, got)
	}
}

// TestTLAUntrusted: without a graph nothing is asked unless programs may be run, and then not before somebody saves; a lens says so. A configuration
// of another program is left alone.
func TestTLAUntrusted(t *testing.T) {
	folder := copied(t, "tla/Lock.tla", "tla/Lock.cfg")
	for _, trusted := range []bool{false, true} {
		c := connect(t, local(t), editor.Options{})
		c.begin(folder, object{"shows": true, "trusted": trusted})
		path := filepath.Join(folder, "tla", "Lock.cfg")
		u := c.standing(path)
		other := c.open(filepath.Join(folder, "tla", "other.cfg"), "PROPERTY Free\nkey = value\n")
		c.until("both have been looked at", func() bool {
			_, first := c.verdicts[u]
			_, second := c.verdicts[other]
			return first && second
		})
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"Exclusion no state graph"}
		if trusted {
			want = []string{"Exclusion save to check Lock.tla", "Free save to check Lock.tla", "Served save to check Lock.tla"}
		}
		if got := c.titles(u, string(text)); !slices.Equal(got, want) {
			t.Errorf("trusted %t: above the configuration stands %q, want %q", trusted, got, want)
		}
		hover := c.call("textDocument/hover", object{"textDocument": object{"uri": u}, "position": object{"line": 3, "character": 18}})
		if strings.Contains(hover, "`-dump dot,actionlabels Lock.dot`") == trusted {
			t.Errorf("trusted %t: the hover is %s", trusted, hover)
		}
		if n := len(c.verdicts[other].Items); n != 0 || len(c.lines(other)) != 0 {
			t.Errorf("a configuration without a module has %d questions, and is shown %q", n, c.lines(other))
		}
	}
}

// TestPulled: a client that asks for mistakes gets those that others are sent, and is told when there are others.
func TestPulled(t *testing.T) {
	folder := copied(t, "travel/travel.aut")
	a := local(t)
	text := "Inev(TICKET_REC)\nInev(TICKT_REC)\nInev(\n"
	path := filepath.Join(folder, "travel", "travel.inev")
	pushed := connect(t, a, editor.Options{})
	pushed.begin(folder, object{"shows": true})
	want := pushed.settled(pushed.open(path, text), 1)

	c := connect(t, a, editor.Options{})
	answer := c.call("initialize", object{"rootUri": uri(folder), "capabilities": object{
		"textDocument": object{"diagnostic": object{}}, "workspace": object{"diagnostics": object{"refreshSupport": true}},
	}})
	if !strings.Contains(answer, `"diagnosticProvider"`) {
		t.Errorf("the server offers %s", answer)
	}
	c.notify("initialized", object{})
	u := c.open(path, text)
	pull := func() []diagnostic {
		var report struct{ Items []diagnostic }
		if err := json.Unmarshal([]byte(c.call("textDocument/diagnostic", object{"textDocument": object{"uri": u}})), &report); err != nil {
			t.Fatal(err)
		}
		return report.Items
	}
	got := pull()
	// Each time that others would be sent more, the client is told to pull again.
	for told := 0; len(got) < len(want); got = pull() {
		c.until("the client is told to pull again", func() bool {
			refreshes := 0
			for _, method := range c.asked {
				if method == "workspace/diagnostic/refresh" {
					refreshes++
				}
			}
			more := refreshes > told
			told = refreshes
			return more
		})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(got) != len(want) || len(want) != 3 || got[0].Code != "violated" {
		t.Errorf("pulled are %+v, and published %q", got, want)
	}
	if len(c.shown) != 0 {
		t.Errorf("published are %v", c.shown)
	}
}

// TestDrawing: a drawing is of the model, and of no property of it.
func TestDrawing(t *testing.T) {
	folder := copied(t, "travel/travel.aut")
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	var got editor.Answer
	said := c.call("inev/ask", object{"path": filepath.Join(folder, "travel", "travel.aut"), "formula": "", "picture": true})
	if err := json.Unmarshal([]byte(said), &got); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got.Picture, "REFUSAL_EM") || strings.Contains(got.Picture, "DeadlockFree") || got.NotDrawn != "" {
		t.Errorf("the drawing is %.400s, not made since %q", got.Picture, got.NotDrawn)
	}
	said = c.call("inev/ask", object{"path": filepath.Join(folder, "travel", "none.aut"), "formula": "", "picture": true})
	if !strings.Contains(said, `"not_drawn"`) {
		t.Errorf("of no file the answer is %.300s", said)
	}
}

// TestOutput: the run of a violated formula is the output of its test.
func TestOutput(t *testing.T) {
	folder := copied(t, "travel/travel.aut")
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	u := c.open(filepath.Join(folder, "travel", "travel.inev"), "Inev(TICKET_REC)\nInev(REQUEST_EM)\n")
	c.settled(u, 1)
	items := c.verdicts[u].Items
	if !strings.Contains(items[0].Output, "  1  REQUEST_EM\n") || items[1].Output != "" {
		t.Errorf("the outputs are %+v", items)
	}
}

// TestNear: what is offered in place of a step is at most a third away; the message names the closest labels all the same.
func TestNear(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "m.aut"), []byte("des (0, 4, 1)\n(0, REQ, 0)\n(0, \"PUT !1\", 0)\n(0, ACKNOWLEDGE, 0)\n(0, ACKNOWLEDGED, 0)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	for typed, want := range map[string][]string{
		"RQE": {"REQ"}, "REQQ": {"REQ"}, "PTU": {"PUT", `"PUT !1"`}, "DROP": nil, "X": nil, "ACKNWLEDGE": {"ACKNOWLEDGE", "ACKNOWLEDGED"},
	} {
		u := c.open(filepath.Join(folder, "m.inev"), "Inev("+typed+")\n")
		c.settled(u, 1)
		var fixes []struct{ Title string }
		place := object{"line": 0, "character": 6}
		said := c.call("textDocument/codeAction", object{"textDocument": object{"uri": u}, "range": object{"start": place, "end": place}, "context": object{"diagnostics": []any{}}})
		if err := json.Unmarshal([]byte(said), &fixes); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, fix := range fixes {
			got = append(got, strings.TrimPrefix(fix.Title, "Change to "))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q is offered, want %q", typed, got, want)
		}
		c.notify("textDocument/didClose", object{"textDocument": object{"uri": u}})
		c.until("it is closed", func() bool { return len(c.shown[u].Diagnostics) == 0 })
		c.mu.Lock()
		delete(c.verdicts, u)
		c.mu.Unlock()
	}
}

// TestHoverNamesActions: which actions of mCRL2 a step means is told once a model is known.
func TestHoverNamesActions(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "m.aut"), []byte("des (0, 2, 1)\n(0, \"send(d1)\", 0)\n(0, \"send(d2)\", 0)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	u := c.open(filepath.Join(folder, "m.inev"), "Inev(/send/)\n")
	c.settled(u, 1)
	text := c.call("textDocument/hover", object{"textDocument": object{"uri": u}, "position": object{"line": 0, "character": 2}})
	if !strings.Contains(text, "send(d1) || send(d2)") {
		t.Errorf("the hover is %s", text)
	}
}

// TestLensWithoutGraph: a module whose graph nobody has written says how to write it.
func TestLensWithoutGraph(t *testing.T) {
	folder := t.TempDir()
	const module = "---- MODULE M ----\nVARIABLE x\nSpec == x = 0 /\\ [][x' = x]_x\nServed == <>(x = 1)\n====\n"
	path := filepath.Join(folder, "M.tla")
	for name, text := range map[string]string{"M.tla": module, "M.cfg": "SPECIFICATION Spec\nPROPERTY Served\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{})
	u := c.open(path, module)
	if said := c.call("textDocument/codeLens", object{"textDocument": object{"uri": u}}); !strings.Contains(said, "no state graph") {
		t.Errorf("the lenses are %s", said)
	}
}
