package editor_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/modules/editor"
)

// at is a position in a document, as requests have it.
func at(uri string, line, character int) object {
	return object{"textDocument": object{"uri": uri}, "position": object{"line": line, "character": character}}
}

// TestExpectedViolation: a formula that is expected to be violated, and is, has no mistake; one that is expected to be and
// holds has one.
func TestExpectedViolation(t *testing.T) {
	folder := copied(t, "travel/travel.aut")
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	u := c.open(filepath.Join(folder, "travel", "travel.inev"), "# expect: violated\nInev(BOOKING_REC, TICKET_REC)\n# expect: violated\nInev(REQUEST_EM)\n# expect: perhaps\nInev(REQUEST_EM)\n")
	got := c.settled(u, 1)
	want := []string{
		"3:0-3:16 2 unexpected: travel.aut: holds, and is expected to be violated",
		`4:10-4:17 1 syntax: expect: "perhaps" is not a verdict; write violated or satisfied`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q, want %q", got, want)
	}
	lens := c.call("textDocument/codeLens", object{"textDocument": object{"uri": u}})
	if !strings.Contains(lens, "✓ as expected, travel.aut: ") {
		t.Errorf("the lenses are %s", lens)
	}
}

// TestOneLineForSeveralModels: a formula that several models violate is marked once, with a line for each.
func TestOneLineForSeveralModels(t *testing.T) {
	folder := copied(t, "election/lossy.aut", "election/election.aut")
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	u := c.open(filepath.Join(folder, "election", "all.inev"), "# model: lossy.aut\n# model: election.aut\nNever(\"LEADER !2\")\n")
	got := c.settled(u, 1)
	marked := 0
	for _, one := range got {
		if strings.HasPrefix(one, "2:0-2:18 2 violated: ") {
			marked++
			if !strings.Contains(one, "lossy.aut: ") || !strings.Contains(one, "\nelection.aut: ") {
				t.Errorf("%q", one)
			}
		}
	}
	if marked != 1 {
		t.Errorf("marked %d times: %q", marked, got)
	}
	hover := c.call("textDocument/hover", at(u, 2, 1))
	if !strings.Contains(hover, `"value":"✗ violated `) {
		t.Errorf("the hover begins otherwise: %.300s", hover)
	}
	links := c.call("textDocument/documentLink", object{"textDocument": object{"uri": u}})
	if strings.Count(links, `"target"`) != 2 || !strings.Contains(links, "/election/lossy.aut") {
		t.Errorf("the links are %s", links)
	}
}

// TestLabelsAreRenamed: a step is found in all formulas that have it, as a whole word, and is renamed there.
func TestLabelsAreRenamed(t *testing.T) {
	c := connect(t, local(t), editor.Options{})
	folder := t.TempDir()
	c.begin(folder, object{"shows": true})
	u := c.open(filepath.Join(folder, "a.inev"), "Inev(REQ, ACK)\n# REQ\nG (REQ -> F REQUEST)\nNever({REQ, \"REQ\"})\n")
	other := c.open(filepath.Join(folder, "b.inev"), "Inev(REQ)\n")
	c.settled(u, 1)
	c.settled(other, 1)
	if said := c.call("textDocument/documentHighlight", at(u, 0, 6)); strings.Count(said, `"range"`) != 3 {
		t.Errorf("highlighted are %s", said)
	}
	where := at(u, 0, 6)
	where["context"] = object{"includeDeclaration": true}
	if said := c.call("textDocument/references", where); strings.Count(said, `"uri"`) != 4 || !strings.Contains(said, "b.inev") {
		t.Errorf("the references are %s", said)
	}
	if said := c.call("textDocument/prepareRename", at(u, 0, 6)); !strings.Contains(said, `"character":5`) {
		t.Errorf("what is renamed is %s", said)
	}
	if said := c.call("textDocument/prepareRename", at(u, 0, 1)); strings.Contains(said, "character") { // the name of a pattern
		t.Errorf("what is renamed is %s", said)
	}
	where["newName"] = "ASK"
	if said := c.call("textDocument/rename", where); strings.Count(said, `"newText":"ASK"`) != 3 {
		t.Errorf("the edits are %s", said)
	}
	for name, text := range map[string]string{
		"ASK !1": `\"ASK !1\"`, "A U B": `\"A U B\"`, "X": `\"X\"`, "r1(d1, true)": "r1(d1, true)", `\"ASK\"`: `\"ASK\"`, "/^A/": "/^A/", "A*": "A*",
	} { // a formula of linear temporal logic has the label, too
		where["newName"] = strings.ReplaceAll(name, `\"`, `"`)
		if said := c.call("textDocument/rename", where); strings.Count(said, `"newText":"`+text+`"`) != 3 {
			t.Errorf("%s: the edits are %s", name, said)
		}
	}
	where["newName"] = "ASK\nNEVER"
	if said, err := c.try("textDocument/rename", where); err == nil {
		t.Errorf("a name of two lines breaks the formula: %s", said)
	}
}

// TestFormulasAboutStates: formulas of computation tree logic and of the mu-calculus are answered in a file, in a file of MCL
// and in a manifest; what no reader takes is a mistake; and the page of such a question has the sentence that says why.
func TestFormulasAboutStates(t *testing.T) {
	folder := copied(t, "figure2/figure2.aut")
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	in := filepath.Join(folder, "figure2")
	const violated = "nu X . mu Y . (<A> X || <!A> Y)"
	for name, text := range map[string]string{
		"figure2.inev": violated + "\nEF deadlock\nG (REQ -> F)\n",
		"inev.yaml":    "jobs:\n  - model: figure2.aut\n    formula: " + violated + "\n  - model: figure2.aut\n    formula: EF deadlock\n",
	} {
		u := c.open(filepath.Join(in, name), text)
		got := strings.Join(c.settled(u, 1), "\n")
		if strings.Contains(got, "expected") != (name == "figure2.inev") || !strings.Contains(got, "takes A at most once") || strings.Contains(got, "EF deadlock") {
			t.Errorf("%s: %s", name, got)
		}
	}
	u := c.open(filepath.Join(in, "figure2.mcl"), "nu X . mu Y .\n (< \"A\" > X or < not \"A\" > Y)\n")
	got := c.settled(u, 1)
	if len(got) != 1 || !strings.Contains(got[0], "takes A at most once") {
		t.Errorf("%q", got)
	}
	answer := c.call("inev/ask", object{"path": filepath.Join(in, "figure2.aut"), "formula": violated, "page": true})
	if !strings.Contains(answer, "takes A at most once") || !strings.Contains(answer, `u003c/html`) || strings.Contains(answer, "State 0") {
		t.Errorf("the page is %s", answer)
	}
}

// TestHoverKnowsTheModel: the notes of a formula without a model are left out where a model answers them.
func TestHoverKnowsTheModel(t *testing.T) {
	folder := copied(t, "travel/travel.aut")
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	for name, others := range map[string]bool{"travel.inev": false, "alone.inev": true} {
		u := c.open(filepath.Join(folder, "travel", name), "Inev(BOOKING_REC)\n")
		c.settled(u, 1)
		hover := c.call("textDocument/hover", at(u, 0, 1))
		if !strings.Contains(hover, "mu X") || strings.Contains(hover, "others need a model") != others {
			t.Errorf("%s: %s", name, hover)
		}
	}
}

// TestModelsAskNothing: an editor that gives models to the server gets no mistakes of formulas, and no edits.
func TestModelsAskNothing(t *testing.T) {
	folder := copied(t, "travel/travel.aut")
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	for _, name := range []string{"m.aut", "m.aut.gz", "m.exp", "m.fsm", "m.mcrl2"} {
		u := c.open(filepath.Join(folder, name), "des (0, 1, 2) \n(0, A, 1)\n")
		if got := c.settled(u, 1); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
		if said := c.call("textDocument/formatting", object{"textDocument": object{"uri": u}, "options": object{}}); strings.Contains(said, "newText") {
			t.Errorf("%s: the edits are %s", name, said)
		}
	}
}

// TestMistakeInManifestKeepsOthers: the jobs without a mistake have their verdicts, and the mistake has its mend: the field that
// was meant.
func TestMistakeInManifestKeepsOthers(t *testing.T) {
	folder := copied(t, "travel/travel.aut")
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	u := c.open(filepath.Join(folder, "inev.yaml"), "jobs:\n  - model: travel/travel.aut\n    formula: Inev(BOOKING_REC)\n  - model: travel/travel.aut\n    formulla: Inev(TICKET_REC)\n  - model: travel/travel.aut\n    formula: Inev(REQUEST_EM)\n")
	got := strings.Join(c.settled(u, 1), "\n")
	if strings.Contains(got, "is missing") {
		t.Errorf("a field with a mistake is missing, too: %s", got)
	}
	if !strings.Contains(got, " manifest: ") || !strings.Contains(got, " violated: travel/travel.aut") && !strings.Contains(got, " violated: ") {
		t.Errorf("%s", got)
	}
	at := object{"start": object{"line": 4, "character": 6}, "end": object{"line": 4, "character": 6}}
	actions := c.call("textDocument/codeAction", object{"textDocument": object{"uri": u}, "range": at, "context": object{"diagnostics": []any{}}})
	if !strings.Contains(actions, `"newText":"formula"`) || !strings.Contains(actions, `"character":4},"end":{"line":4,"character":12}`) &&
		!strings.Contains(actions, `"end":{"character":12,"line":4},"start":{"character":4,"line":4}`) {
		t.Errorf("the actions are %s", actions)
	}
	lens := c.call("textDocument/codeLens", object{"textDocument": object{"uri": u}})
	if strings.Count(lens, `"Explain"`) != 2 {
		t.Errorf("the lenses are %s", lens)
	}
}

// TestSlipsInNamesAreMended: the name of a pattern that is meant replaces what is written; other mistakes have no such offer.
func TestSlipsInNamesAreMended(t *testing.T) {
	c := connect(t, local(t), editor.Options{})
	c.begin(t.TempDir(), object{"shows": true})
	u := c.open("/nowhere/slips.inev", "Responce(REQ; ACK)\nInev(REQ\n")
	c.settled(u, 1)
	offered := func(line int) string {
		where := object{"start": object{"line": line, "character": 0}, "end": object{"line": line, "character": 9}}
		return c.call("textDocument/codeAction", object{"textDocument": object{"uri": u}, "range": where, "context": object{}})
	}
	if said := offered(0); !strings.Contains(said, `"newText":"Response"`) || !strings.Contains(said, `"character":8`) {
		t.Errorf("offered is %s", said)
	}
	if said := offered(1); said != "[]" {
		t.Errorf("offered is %s", said)
	}
}

// TestHoverTellsRemediesAndExpectations: a hover says whether the verdict was expected, and what would make the property
// hold, as the page of the explanation does. A lens has no room for flags.
func TestHoverTellsRemediesAndExpectations(t *testing.T) {
	folder := copied(t, "travel/travel.aut")
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	u := c.open(filepath.Join(folder, "travel", "travel.inev"), "# expect: violated\nInev(BOOKING_REC)\nInev(BOOKING_REC)\nInev(REQUEST_REC)\nInev(BOOKNG_REC)\nAG EF <BOOKING_REC> true\n")
	c.settled(u, 1)
	const violated = " `travel.aut`: `After step 3 (REFUSAL_EM) BOOKING_REC can no longer happen.`\\n\\nWhat would make it hold:\\n\\n- `Forbid REFUSAL_EM"
	for line, begins := range map[int]string{1: "✓ violated, as expected," + violated, 2: "✗ violated" + violated, 3: "✓ satisfied `travel.aut`: `holds", 5: "✗ violated `travel.aut`: `"} {
		if hover := c.call("textDocument/hover", at(u, line, 1)); !strings.Contains(hover, `"value":"`+begins) {
			t.Errorf("line %d: the hover is %.300s", line, hover)
		}
	}
	if lens := c.call("textDocument/codeLens", object{"textDocument": object{"uri": u}}); !strings.Contains(lens, `did you mean BOOKING_REC, BOOKING_EM?"`) {
		t.Errorf("the lenses are %s", lens)
	}
}

// TestFileWithoutModel: a file that is about no model says how to name one, and what it says works.
func TestFileWithoutModel(t *testing.T) {
	folder := copied(t, "travel/travel.aut")
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	const formulas = "Inev(\nInev(BOOKING_REC)\nNever(REFUSAL_EM)\n"
	beside := filepath.Join(folder, "travel")
	lenses := func(name, text string) string {
		u := c.open(filepath.Join(beside, name), text)
		c.settled(u, 1)
		return c.call("textDocument/codeLens", object{"textDocument": object{"uri": u}})
	}
	lonely := lenses("lonely.inev", formulas)
	if strings.Count(lonely, `"title"`) != 1 || !strings.Contains(lonely, "# model: FILE") || !strings.Contains(lonely, `"line":1,`) {
		t.Errorf("the lenses are %s", lonely)
	}
	for name, text := range map[string]string{"named.inev": "# model: travel.aut\n" + formulas, "travel.inev": formulas} {
		if got := lenses(name, text); strings.Contains(got, "no model") || strings.Count(got, "✗ travel.aut") != 2 {
			t.Errorf("%s: the lenses are %s", name, got)
		}
	}
}

// TestModelsOfJobsAreLinks: each model that a manifest names by its own name is a link to the file, once, and the text of
// the link is the name of the file; a pattern of names is none.
func TestModelsOfJobsAreLinks(t *testing.T) {
	folder := copied(t, "travel/travel.aut", "abp/abp.aut")
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	text := "jobs:\n" +
		"  - {name: one, model: travel/travel.aut, formula: Inev(BOOKING_REC)}\n" +
		"  - name: two\n    formula: Inev(PUT)\n    model: \"abp/abp.aut\"\n" +
		"  - model: abp/*.aut\n    formula: Never(PUT)\n"
	u := c.open(filepath.Join(folder, "inev.yaml"), text)
	c.settled(u, 1)
	var links []struct {
		Range  struct{ Start, End struct{ Line, Character int } }
		Target string
	}
	if err := json.Unmarshal([]byte(c.call("textDocument/documentLink", object{"textDocument": object{"uri": u}})), &links); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text, "\n")
	var got []string
	for _, l := range links {
		name := lines[l.Range.Start.Line][l.Range.Start.Character:l.Range.End.Character]
		if l.Target != uri(filepath.Join(folder, filepath.FromSlash(name))) {
			t.Errorf("%s leads to %s", name, l.Target)
		}
		got = append(got, name)
	}
	if want := []string{"travel/travel.aut", "abp/abp.aut"}; !slices.Equal(got, want) {
		t.Errorf("links are %q, want %q", got, want)
	}
}

// TestMistypedAssumption: an assumption with a mistake is marked with the one that is meant, which may replace it; its tasks
// stay.
func TestMistypedAssumption(t *testing.T) {
	c := connect(t, local(t), editor.Options{})
	c.begin(t.TempDir(), object{"shows": true})
	for typed, meant := range map[string]string{"fulll": "full", "wek:A, B": "weak:A, B", "strnog!:A": "strong!:A", "nothing": ""} {
		u := c.open(filepath.Join(t.TempDir(), "a.inev"), "# fair: "+typed+"\nInev(A)\n")
		shown := c.settled(u, 1)
		if len(shown) != 1 || !strings.HasPrefix(shown[0], "0:8-") {
			t.Errorf("of %s is shown %q", typed, shown)
		}
		place := object{"line": 0, "character": 10}
		actions := c.call("textDocument/codeAction", object{"textDocument": object{"uri": u}, "range": object{"start": place, "end": place}, "context": object{"diagnostics": []any{}}})
		if offered := strings.Contains(actions, `"Change to `); offered != (meant != "") {
			t.Errorf("for %s is offered %s", typed, actions)
		}
		if meant != "" && !strings.Contains(actions, `"newText":"`+meant+`"`) {
			t.Errorf("for %s is offered %s, and not %s", typed, actions, meant)
		}
	}
}

// TestModelsAreOffered: for a model, folders and models are offered; for a table of values, all files.
func TestModelsAreOffered(t *testing.T) {
	folder := copied(t, "travel/travel.aut")
	for _, name := range []string{"notes.md", "m.clts", "graph.dot.gz", "composed.exp", "spec.mcrl2", "values.tsv", "a.inev.txt"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	models := []string{"composed.exp", "graph.dot.gz", "m.clts", "spec.mcrl2", "travel/"}
	all := []string{"a.inev", "a.inev.txt", "composed.exp", "graph.dot.gz", "inev.yaml", "m.clts", "notes.md", "spec.mcrl2", "travel/", "values.tsv"}
	for _, name := range []string{"a.inev", "inev.yaml"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		file, text string
		want       []string
	}{
		{"a.inev", "# model: ", models},
		{"inev.yaml", "jobs:\n  - model: ", models},
		{"inev.yaml", "jobs:\n  - states: ", all},
	} {
		u := c.open(filepath.Join(folder, test.file), test.text)
		lines := strings.Split(test.text, "\n")
		said := c.call("textDocument/completion", at(u, len(lines)-1, len(lines[len(lines)-1])))
		var offered struct{ Items []struct{ Label string } }
		if err := json.Unmarshal([]byte(said), &offered); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, item := range offered.Items {
			got = append(got, item.Label)
		}
		slices.Sort(got)
		if !slices.Equal(got, test.want) {
			t.Errorf("%q: %q is offered, and not %q", test.text, got, test.want)
		}
		c.notify("textDocument/didClose", object{"textDocument": object{"uri": u}})
	}
}
