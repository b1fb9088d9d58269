package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/inev-lts/inev/modules/agent"
)

// TestModels: models below the roots are listed with their sizes, other files and hidden folders are not, and long lists
// go on where they were cut.
func TestModels(t *testing.T) {
	root := t.TempDir()
	write(t, root, "m.aut", small)
	for _, other := range []string{"notes.txt", "m.bcg", "m.aut.xz"} {
		write(t, root, other, "x")
	}
	write(t, root, "picture.dot", "digraph {\n  0 -> 1\n}\n")
	graph := "strict digraph DiskGraph {\n}\n"
	write(t, root, "tlc.dot", graph)
	for _, folder := range []string{"deep/er", ".hidden"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(root, folder), "n.aut.gz", "xyz")
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(root, "link.aut")); err != nil {
		t.Fatal(err)
	}
	s := connect(t, agent.Options{Roots: []string{root}})
	want := fmt.Sprintf("> 3 models\n> deep/er/n.aut.gz  3 bytes\n> m.aut  %d bytes\n> tlc.dot  %d bytes\n", len(small), len(graph))
	if got := textOf(call(t, s, "models", nil)); got != want {
		t.Errorf("listed\n%s\nwant\n%s", got, want)
	}
	for match, found := range map[string]int{"deep": 1, "^m[.]aut$": 1, "deep|^m": 2, "none": 0} {
		got := textOf(call(t, s, "models", map[string]any{"match": match}))
		if strings.Count(got, "\n") != 1+found {
			t.Errorf("%s: listed\n%s", match, got)
		}
	}
	if result := call(t, s, "models", map[string]any{"match": "("}); !result.IsError {
		t.Errorf("a broken expression is taken: %s", textOf(result))
	}
	if got := textOf(call(t, s, "models", map[string]any{"offset": 3})); got != "> 3 models\nThere are 3: none comes after offset 3.\n" {
		t.Errorf("behind the last\n%s", got)
	}
	for i := range 200 {
		write(t, root, fmt.Sprintf("a%03d.aut", i), small)
	}
	seen := map[string]bool{}
	for offset, more := 0, true; more; {
		text := textOf(call(t, s, "models", map[string]any{"offset": offset}))
		if len(text) > agent.MostText {
			t.Fatalf("%d bytes", len(text))
		}
		for _, line := range strings.Split(text, "\n") {
			if name, _, is := strings.Cut(strings.TrimPrefix(line, "> "), "  "); is {
				if seen[name] {
					t.Fatalf("%s is listed twice", name)
				}
				seen[name] = true
			}
		}
		_, next, isCut := strings.Cut(text, "continue with offset ")
		more = isCut
		if isCut {
			if _, err := fmt.Sscanf(next, "%d", &offset); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(seen) != 203 {
		t.Errorf("%d models are listed on all pages", len(seen))
	}
}

// TestModelsOfTwoRoots: each path that is listed is taken by the other tools, and for the file that was listed.
func TestModelsOfTwoRoots(t *testing.T) {
	roots := []string{t.TempDir(), t.TempDir()}
	write(t, roots[0], "m.aut", small)
	write(t, roots[1], "m.aut", "des (0, 1, 2)\n(0, OTHER, 1)\n")
	write(t, roots[1], "n.aut", small)
	s := connect(t, agent.Options{Roots: roots})
	lines := strings.Split(textOf(call(t, s, "models", nil)), "\n")
	others := 0
	for _, line := range lines[1 : len(lines)-1] {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "> "), "  ")
		if strings.Contains(textOf(call(t, s, "labels", map[string]any{"model": name})), "OTHER") {
			others++
		}
	}
	if len(lines) != 5 || others != 1 {
		t.Errorf("of %q %d are the model of OTHER", lines, others)
	}
}

// TestNullsAreLeftOut: an argument that is null is as one that is not there.
func TestNullsAreLeftOut(t *testing.T) {
	root := t.TempDir()
	write(t, root, "m.aut", small)
	s := connect(t, agent.Options{Roots: []string{root}})
	given := map[string]any{"model": "m.aut", "formula": "Inev(ACK)", "fair": nil, "allow_unmatched": nil, "step": nil}
	if result := call(t, s, "explain", given); result.IsError {
		t.Errorf("refused: %s", textOf(result))
	}
	if result := call(t, s, "explain", map[string]any{"model": nil, "formula": "Inev(ACK)"}); !strings.Contains(textOf(result), `"model"`) {
		t.Errorf("without a model: %s", textOf(result))
	}
}

// TestSomeLabels: those that match, from an offset on.
func TestSomeLabels(t *testing.T) {
	root := t.TempDir()
	write(t, root, "m.aut", small)
	s := connect(t, agent.Options{Roots: []string{root}})
	text := textOf(call(t, s, "labels", map[string]any{"model": "m.aut", "match": "^(ACK|REQ)"}))
	if !strings.Contains(text, "ACK") || !strings.Contains(text, "REQ") || strings.Contains(text, "DROP") || !strings.Contains(text, "(2 match)") {
		t.Errorf("listed\n%s", text)
	}
	for _, match := range []string{"K$", "^ACK$"} { // of the label, not of the line
		text = textOf(call(t, s, "labels", map[string]any{"model": "m.aut", "match": match}))
		if !strings.Contains(text, "ACK") || !strings.Contains(text, "(1 match)") {
			t.Errorf("%s: listed\n%s", match, text)
		}
	}
	if text = textOf(call(t, s, "labels", map[string]any{"model": "m.aut", "match": "[0-9]"})); !strings.Contains(text, "(0 match)") {
		t.Errorf("numbers of transitions match\n%s", text)
	}
	text = textOf(call(t, s, "labels", map[string]any{"model": "m.aut", "offset": 2}))
	if strings.Count(text, "\n") != 2 {
		t.Errorf("behind two of three labels\n%s", text)
	}
	if result := call(t, s, "labels", map[string]any{"model": "m.aut", "match": "("}); !result.IsError {
		t.Errorf("a broken expression is taken: %s", textOf(result))
	}
}

// TestSchemasHaveOneType: clients refuse a server with a schema that allows an argument several types.
func TestSchemasHaveOneType(t *testing.T) {
	s := connect(t, agent.Options{Roots: []string{t.TempDir()}})
	listed, err := s.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	fair := map[string]int{}
	for _, tool := range listed.Tools {
		for _, schema := range []any{tool.InputSchema, tool.OutputSchema} {
			text, err := json.Marshal(schema)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), `"type":[`) {
				t.Errorf("%s: %s", tool.Name, text)
			}
			var input struct{ Properties map[string]json.RawMessage }
			if err := json.Unmarshal(text, &input); err != nil {
				t.Fatal(err)
			}
			if shape := input.Properties["fair"]; shape != nil {
				fair[string(shape)]++
			}
		}
	}
	if len(fair) != 1 {
		t.Errorf("fair has %d shapes", len(fair))
	}
}

// TestFindings: a program gets the verdict, the run with its decisions and the remedies, in at most some 2 kB.
func TestFindings(t *testing.T) {
	root := t.TempDir()
	write(t, root, "m.aut", small)
	long := "des (0,40,40)\n"
	for i := range 39 {
		long += fmt.Sprintf("(%d,\"%s\",%d)\n", i, strings.Repeat("step ", 100), i+1)
	}
	write(t, root, "long.aut", long+"(39,b,39)\n")
	s := connect(t, agent.Options{Roots: []string{root}})
	type finding struct {
		Verdict, Headline string
		Steps             []struct {
			State    int
			Label    string
			Decision bool
		}
		Loop, LeftOut int `json:"-"`
		NoReturn      int `json:"point_of_no_return"`
		Remedies      []struct {
			Number int
			Text   string
		}
	}
	asked := func(model, formula, tool string, fair any) (f finding, result *mcp.CallToolResult, size int) {
		arguments := map[string]any{"model": model, "formula": formula}
		if fair != nil {
			arguments["fair"] = fair
		}
		result = call(t, s, tool, arguments)
		text, err := json.Marshal(result.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &f); err != nil {
			t.Fatal(err)
		}
		return f, result, len(text)
	}
	f, result, _ := asked("m.aut", "Inev(REQ, ACK)", "explain", nil)
	if f.Verdict != "violated" || len(f.Steps) != 2 || f.Steps[1].Label != "DROP" || !f.Steps[1].Decision || f.Steps[0].Decision || len(f.Remedies) == 0 || f.NoReturn != 2 {
		t.Errorf("%+v", f)
	}
	for i, r := range f.Remedies {
		applied := call(t, s, "repair", map[string]any{"model": "m.aut", "formula": "Inev(REQ, ACK)", "apply": r.Number})
		if r.Number != i+1 || applied.IsError {
			t.Errorf("%+v: %s", r, textOf(applied))
		}
	}
	if words(textOf(result))[:len(f.Headline)] != f.Headline {
		t.Errorf("the headline is %q", f.Headline)
	}
	write(t, root, "choices.aut", "des (0,5,4)\n(0,A,1)\n(0,A,2)\n(1,B,0)\n(2,A,3)\n(3,C,0)\n")
	if f, _, _ := asked("choices.aut", "Inev(C)", "explain", nil); len(f.Remedies) != 3 || !strings.Contains(f.Remedies[1].Text, "with probability 1") {
		t.Errorf("the remedies are %+v", f.Remedies)
	}
	for _, fair := range []any{"full", []string{"full"}} {
		if f, result, _ := asked("m.aut", "Response(REQ; {ACK, DROP})", "check", fair); f.Verdict != "satisfied" || result.IsError {
			t.Errorf("fair %v: %+v %s", fair, f, textOf(result))
		}
	}
	if f, _, _ := asked("m.aut", "AG EF <ACK> true", "ctl", nil); f.Verdict != "violated" || !strings.Contains(f.Headline, "does not hold") {
		t.Errorf("%+v", f)
	}
	if f, _, size := asked("long.aut", "Never(b)", "explain", nil); len(f.Steps) != 16 || size > 3*agent.MostText {
		t.Errorf("%d steps, %d bytes", len(f.Steps), size)
	}
}

// TestFindingsOfVersions: versions are alike or different; with a formula the new one is worse or not, also if both violate it.
func TestFindingsOfVersions(t *testing.T) {
	root := t.TempDir()
	write(t, root, "m.aut", small)
	write(t, root, "same.aut", small)
	write(t, root, "other.aut", "des (0,2,2)\n(0,REQ,1)\n(1,ACK,0)\n")
	s := connect(t, agent.Options{Roots: []string{root}})
	for _, c := range []struct{ before, after, formula, verdict string }{
		{"m.aut", "same.aut", "", "alike"},
		{"m.aut", "other.aut", "", "different"},
		{"m.aut", "other.aut", "Inev(REQ, ACK)", "not worse"},
		{"m.aut", "same.aut", "Inev(REQ, ACK)", "not worse"},
		{"other.aut", "m.aut", "Inev(REQ, ACK)", "worse"},
	} {
		arguments := map[string]any{"old": c.before, "new": c.after}
		if c.formula != "" {
			arguments["formula"] = c.formula
		}
		result := call(t, s, "compare", arguments)
		found, _ := result.StructuredContent.(map[string]any)
		if found["verdict"] != c.verdict || !strings.HasPrefix(words(textOf(result)), fmt.Sprint(found["headline"])) {
			t.Errorf("%+v: %v\n%s", c, found, textOf(result))
		}
	}
}

// aFlag is a flag in a text, not an arrow or a dash.
var aFlag = regexp.MustCompile(`(?:^|[ (])--([a-z][a-z-]*)`)

// TestAdviceCanBeFollowed: what texts advise, an agent can do: each flag in them is an argument of the tool, and each
// command a tool.
func TestAdviceCanBeFollowed(t *testing.T) {
	root := t.TempDir()
	write(t, root, "m.aut", small)
	write(t, root, "other.aut", "des (0,2,2)\n(0,REQ,1)\n(1,ACK,0)\n")
	write(t, root, "loops.aut", "des (0,4,2)\n(0,REQ,1)\n(1,i,1)\n(1,RETRY,1)\n(1,ACK,0)\n")
	write(t, root, "events.csv", "case,event\n1,REQ\n2,REQ\n2,NAK\n")
	write(t, root, "multi.aut", "des (0,2,2)\n(0,\"REQ|ACK\",1)\n(1,\"ACK\",0)\n")
	write(t, root, "cut.aut", "des (0,3,3)\n(0,REQ,1)\n(1,ACK,2)\n")
	s := connect(t, agent.Options{Roots: []string{root}})
	listed, err := s.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]string{}
	for _, tool := range listed.Tools {
		text, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		has[tool.Name] = string(text)
	}
	flags := 0
	for _, c := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"check", map[string]any{"model": "m.aut", "formula": "Inev(AKC)"}},
		{"explain", map[string]any{"model": "m.aut", "formula": "Inev(AKC)"}},
		{"ctl", map[string]any{"model": "m.aut", "formula": "AF <AKC> true"}},
		{"compare", map[string]any{"old": "m.aut", "new": "other.aut", "formula": "Inev(AKC)"}},
		{"formula", map[string]any{"model": "m.aut", "formula": "Inev(AKC)"}},
		{"replay", map[string]any{"model": "m.aut", "log": "events.csv", "formula": "Inev(AKC)"}},
		{"explain", map[string]any{"model": "m.aut", "formula": "Inev(REQ, ACK)"}},
		{"explain", map[string]any{"model": "loops.aut", "formula": "Inev(REQ, ACK)"}},
		{"explain", map[string]any{"model": "loops.aut", "formula": "Inev(REQ, ACK)", "full": true}},
		{"repair", map[string]any{"model": "loops.aut", "formula": "Inev(REQ, ACK)"}},
		{"repair", map[string]any{"model": "loops.aut", "formula": "Inev(REQ, ACK)", "apply": 1}},
		{"why", map[string]any{"model": "loops.aut", "formula": "Inev(REQ, ACK)", "not": "ACK"}},
		{"check", map[string]any{"model": "multi.aut", "formula": "Inev(ACK, ACK)"}},
		{"info", map[string]any{"model": "cut.aut"}},
		{"labels", map[string]any{"model": "cut.aut"}},
		{"explain", map[string]any{"model": "cut.aut", "formula": "Inev(REQ, ACK)"}},
		{"formula", map[string]any{"model": "cut.aut", "formula": "Inev(REQ, ACK)"}},
		{"compare", map[string]any{"old": "cut.aut", "new": "m.aut"}},
	} {
		text := textOf(call(t, s, c.tool, c.arguments))
		for _, flag := range aFlag.FindAllStringSubmatch(text, -1) {
			flags++
			if name := strings.ReplaceAll(flag[1], "-", "_"); !strings.Contains(has[c.tool], `"`+name+`":`) {
				t.Errorf("%s has no argument %s:\n%s", c.tool, name, text)
			}
		}
		for _, command := range regexp.MustCompile(`\binev ([a-z]+)\b`).FindAllStringSubmatch(text, -1) {
			if has[command[1]] == "" {
				t.Errorf("there is no tool %s:\n%s", command[1], text)
			}
		}
	}
	if flags < 12 {
		t.Errorf("only %d flags were found", flags)
	}
	arguments := map[string]any{"model": "m.aut", "formula": "Inev(AKC)", "allow_unmatched": true}
	if result := call(t, s, "check", arguments); result.IsError || !strings.Contains(textOf(result), "violates") {
		t.Errorf("with allow_unmatched: %s", textOf(result))
	}
	for tool, arguments := range map[string]map[string]any{
		"info":    {"model": "cut.aut", "lenient": true},
		"compare": {"old": "cut.aut", "new": "m.aut", "lenient": true},
		"formula": {"model": "cut.aut", "formula": "Inev(ACK)", "lenient": true},
		"ctl":     {"model": "multi.aut", "formula": "AX <REQ> true || <REQ> true", "parts": true},
	} {
		if result := call(t, s, tool, arguments); result.IsError {
			t.Errorf("%s %v: %s", tool, arguments, textOf(result))
		}
	}
	arguments = map[string]any{"model": "multi.aut", "formula": "Inev(REQ)", "parts": true}
	if result := call(t, s, "check", arguments); !strings.Contains(textOf(result), "satisfies") {
		t.Errorf("with parts: %s", textOf(result))
	}
}

// TestStep: what is known about a step alone.
func TestStep(t *testing.T) {
	root := t.TempDir()
	write(t, root, "m.aut", small)
	s := connect(t, agent.Options{Roots: []string{root}})
	about := func(step int) string {
		return textOf(call(t, s, "explain", map[string]any{"model": "m.aut", "formula": "Inev(REQ, ACK)", "step": step}))
	}
	if text := about(2); !strings.HasPrefix(text, "> Step 2 of 2: DROP from state 1 to state 2 (incorrect over all runs).") || !strings.Contains(text, "ACK would have") {
		t.Errorf("%s", text)
	}
	if text := about(3); !strings.Contains(text, "steps 1 to 2") {
		t.Errorf("%s", text)
	}
}

// TestViolatedWithEachArgument: an explanation of a violation has its structured content whichever arguments a client gives,
// and numbers outside their bounds are refused.
func TestViolatedWithEachArgument(t *testing.T) {
	root := t.TempDir()
	write(t, root, "m.aut", small)
	s := connect(t, agent.Options{Roots: []string{root}})
	for name, value := range map[string]any{
		"unfold": true, "full": true, "step": 1, "another": 2, "faults": "DROP", "fair": "full", "allow_unmatched": true,
	} {
		arguments := map[string]any{"model": "m.aut", "formula": "Inev(REQ, ACK)", name: value}
		result := call(t, s, "explain", arguments)
		var found struct {
			Verdict string
			Steps   []struct{ State int }
		}
		text, err := json.Marshal(result.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &found); err != nil || result.IsError {
			t.Errorf("%s: %v, %s", name, err, textOf(result))
			continue
		}
		if found.Verdict != "violated" || len(found.Steps) == 0 || found.Steps[0].State != 0 {
			t.Errorf("%s: %s", name, text)
		}
	}
	for name, value := range map[string]any{"step": -1, "another": 101} {
		arguments := map[string]any{"model": "m.aut", "formula": "Inev(REQ, ACK)", name: value}
		if result := call(t, s, "explain", arguments); !result.IsError {
			t.Errorf("%s %v is taken: %s", name, value, textOf(result))
		}
	}
}

// TestStructuredContentFits: the structured content of each answer fits the schema that the server gave for it, and each
// tool with such a schema has structured content.
func TestStructuredContentFits(t *testing.T) {
	root := t.TempDir()
	write(t, root, "m.aut", small)
	write(t, root, "n.aut", changed)
	write(t, root, "loop.aut", "des (0,4,2)\n(0,REQ,1)\n(1,i,1)\n(1,RETRY,1)\n(1,ACK,0)\n")
	write(t, root, "long.aut", longRun(60))
	write(t, root, "run.log", "REQ\nDROP\n")
	s := connect(t, agent.Options{Roots: []string{root}})
	listed, err := s.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	answered := map[string]int{}
	for _, tool := range listed.Tools {
		for _, asked := range []map[string]any{
			{"model": "m.aut", "formula": "Inev(REQ, ACK)"},
			{"model": "n.aut", "formula": "Inev(REQ, ACK)"},
			{"model": "loop.aut", "formula": "Inev(REQ, ACK)"},
			{"model": "loop.aut", "formula": "G (REQ -> F ACK)", "fair": "full"},
			{"model": "loop.aut", "formula": "Inev(REQ, ACK)", "unfold": true},
			{"model": "long.aut", "formula": "Never(END)"},
			{"model": "m.aut", "formula": "AF <ACK> true"},
			{"old": "n.aut", "new": "m.aut", "formula": "Inev(REQ, ACK)"},
			{"old": "n.aut", "new": "n.aut"},
			{"model": "m.aut", "log": "run.log"},
			{"model": "m.aut"},
			{},
		} {
			result := call(t, s, tool.Name, asked)
			if result.IsError {
				continue
			}
			if (tool.OutputSchema != nil) != (result.StructuredContent != nil) {
				t.Errorf("%s %v: schema %v, content %v", tool.Name, asked, tool.OutputSchema != nil, result.StructuredContent)
			}
			answered[tool.Name]++
			if tool.OutputSchema == nil {
				continue
			}
			if err := schemaOf(t, tool.OutputSchema).Validate(result.StructuredContent); err != nil {
				t.Errorf("%s %v: %v", tool.Name, asked, err)
			}
		}
	}
	for _, tool := range listed.Tools {
		if answered[tool.Name] == 0 {
			t.Errorf("%s has not answered", tool.Name)
		}
	}
}

// TestLongRunIsExplained: a counterexample whose JSON is too large to be sent has an explanation with its first steps, and one
// whose JSON is too large to be read has the text, the verdict and the headline.
func TestLongRunIsExplained(t *testing.T) {
	root := t.TempDir()
	write(t, root, "long.aut", longRun(20_000))
	write(t, root, "longer.aut", longRun(130_000))
	s := connect(t, agent.Options{Roots: []string{root}})
	for model, want := range map[string]int{"long.aut": 16, "longer.aut": 0} {
		result := call(t, s, "explain", map[string]any{"model": model, "formula": "Never(END)"})
		if text := textOf(result); result.IsError || !strings.Contains(text, "violates Never(END)") {
			t.Fatalf("%s: %s", model, text)
		}
		found := result.StructuredContent.(map[string]any)
		steps, _ := found["steps"].([]any)
		if found["verdict"] != "violated" || len(steps) != want {
			t.Errorf("%s: %v with %d steps, want %d", model, found["verdict"], len(steps), want)
		}
	}
}

// longRun returns a model with one run, of that many steps and then END.
func longRun(steps int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "des (0,%d,%d)\n", steps+1, steps+2)
	for i := range steps {
		fmt.Fprintf(&b, "(%d,STEP,%d)\n", i, i+1)
	}
	fmt.Fprintf(&b, "(%d,END,%d)\n", steps, steps+1)
	return b.String()
}

// schemaOf returns a schema that a client got, ready to validate with.
func schemaOf(t *testing.T, received any) *jsonschema.Resolved {
	t.Helper()
	text, err := json.Marshal(received)
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}
