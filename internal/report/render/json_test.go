package render_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/collection"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/report"
)

func compiledSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	return compiled(t, report.Schemas()["inev.explanation/3"])
}

func compiled(t testing.TB, schema []byte) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft4) // the document itself has to ask for 2020-12
	if err := c.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if s.DraftVersion != 2020 {
		t.Fatalf("the schema is of draft %d, want 2020-12", s.DraftVersion)
	}
	return s
}

// asJSON returns an explanation as JSON, which has to satisfy the schema, with the
// pictures beside it.
func asJSON(t testing.TB, s *jsonschema.Schema, e *explain.Explanation, beside ...render.Picture) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := newWriter(t, "json", render.Options{Pictures: beside}).Explanation(&b, e); err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatalf("no JSON: %v\n%s", err, b.Bytes())
	}
	if err := s.Validate(document); err != nil {
		t.Errorf("%s does not satisfy the schema: %v", e.Model.File, err)
	}
	return b.Bytes()
}

func TestExplanationsSatisfyTheSchema(t *testing.T) {
	s := compiledSchema(t)
	for _, m := range models() {
		t.Run(m.name, func(t *testing.T) {
			asJSON(t, s, m.explained(t))
			asJSON(t, s, m.checked(t))
		})
	}
}

// TestPicturesInJSON: what pictures leave out stands in the JSON where there are any.
func TestPicturesInJSON(t *testing.T) {
	s := compiledSchema(t)
	e := models()[0].explained(t)
	if bytes.Contains(asJSON(t, s, e), []byte(`"pictures"`)) {
		t.Error("pictures that nobody wrote")
	}
	pictures := []render.Picture{{File: "a\xff.svg"}, {File: "b.html", Omitted: []string{"the picture shows 1 of 2 reachable states"}}}
	var got struct {
		Pictures []struct {
			File    string
			Omitted []string
		}
	}
	if err := json.Unmarshal(asJSON(t, s, e, pictures...), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Pictures) != 2 || got.Pictures[0].Omitted == nil || got.Pictures[1].Omitted[0] != pictures[1].Omitted[0] {
		t.Errorf("pictures are %+v", got.Pictures)
	}
}

func TestRealModelsSatisfyTheSchema(t *testing.T) {
	s := compiledSchema(t)
	for file, formula := range map[string]string{
		"examples/abp/abp.aut":           "Inev(PUT, GET)",
		"examples/travel/travel.aut":     "Inev(BOOKING_REC, TICKET_REC)",
		"examples/election/election.aut": "Inev(LEADER)",

		"abp.aut":       `Inev("r1(d1)")`,
		"iteration.aut": "Inev(LOSS, REC)",
		"commproc.aut":  `Inev("DEPLOY !1", "START !1")`,
	} {
		m, f := realModel(t, file, formula)
		if m == nil {
			continue
		}
		for _, run := range []func(context.Context, *lts.LTS, property.Formula, explain.Options) (*explain.Explanation, error){
			explain.Explain, specimens.Checked,
		} {
			e, err := run(context.Background(), m, f, explain.Options{Source: explain.Source{File: file}})
			if err != nil {
				t.Fatal(err)
			}
			asJSON(t, s, e)
		}
	}
}

// realModel returns a model and a formula for it, nil if it is not there.
func realModel(t *testing.T, file, formula string) (*lts.LTS, *actl.Formula) {
	t.Helper()
	path, there := collection.Find(t, file)
	if !there {
		return nil, nil
	}
	m, _, err := aut.Open(context.Background(), path, aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	return m, f
}

// TestPapers compares with what is known of the models in the paper of SEFM'18.
func TestPapers(t *testing.T) {
	for _, c := range []struct{ file, formula, want string }{
		{"examples/figure2/figure2.aut", "Inev(A, B, C)",
			"6 states, 6 reachable, 6 transitions, 5 labels, 2 deadlocks, 4 components; violated by a deadlock of 3, abstracted to 2; " +
				"classes {Correct:3 Incorrect:0 Neutral:3}, neighbourhoods [{State:2 Kind:correct}]; no return by step 3, {From:2 To:4 Label:Y}"},
		{"sanitary_agency.aut", "Inev(REQ_EM, PROVT_REC)",
			"91 states, 91 reachable, 172 transitions, 30 labels, 1 deadlocks, 91 components; violated by a deadlock of 8, abstracted to 2; " +
				"classes {Correct:73 Incorrect:75 Neutral:24}, neighbourhoods [{State:67 Kind:mixed} {State:74 Kind:mixed-neutral} {State:75 Kind:mixed-neutral} " +
				"{State:77 Kind:mixed-neutral} {State:85 Kind:incorrect}]; no return by step 7, {From:85 To:83 Label:REFUSAL_EM}"},
	} {
		if m, f := realModel(t, c.file, c.formula); m != nil {
			e, err := explain.Explain(context.Background(), m, f, explain.Options{Source: explain.Source{File: c.file}})
			if err != nil {
				t.Fatal(err)
			}
			if got := known(t, asJSON(t, compiledSchema(t), e)); got != c.want {
				t.Errorf("%s:\n got %s\nwant %s", c.file, got, c.want)
			}
		}
	}
}

// known returns what papers tell of an explanation.
func known(t *testing.T, text []byte) string {
	t.Helper()
	var got struct {
		Model struct {
			States, Transitions, Labels, Deadlocks, SCCs int

			Reachable int `json:"reachable_states"`
		}
		Verdict        string
		Counterexample struct {
			Kind      string
			Length    int
			LoopStart *int `json:"loop_start"`
			Steps     []struct {
				From, To int
				Label    string
			}
		}
		Abstracted     struct{ Length int }
		Classes        struct{ Correct, Incorrect, Neutral int }
		Neighbourhoods []struct {
			State int
			Kind  string
		}
		Point struct {
			Step, State int
			Label       string
		} `json:"point_of_no_return"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	m, c := got.Model, got.Counterexample
	if c.LoopStart != nil || len(c.Steps) != c.Length || c.Steps[got.Point.Step-1].Label != got.Point.Label || c.Steps[got.Point.Step-1].From != got.Point.State {
		t.Errorf("the counterexample %+v does not have the point of no return %+v", c, got.Point)
	}
	return fmt.Sprintf("%d states, %d reachable, %d transitions, %d labels, %d deadlocks, %d components; %s by a %s of %d, abstracted to %d; classes %+v, neighbourhoods %+v; no return by step %d, %+v",
		m.States, m.Reachable, m.Transitions, m.Labels, m.Deadlocks, m.SCCs, got.Verdict, c.Kind, c.Length, got.Abstracted.Length,
		got.Classes, got.Neighbourhoods, got.Point.Step, c.Steps[got.Point.Step-1])
}

// fields returns the names of the fields of an object in their order.
func fields(t *testing.T, document []byte) []string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(document))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name.(string))
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

func TestFieldsStandInTheOrderOfTheContract(t *testing.T) {
	s := compiledSchema(t)
	complete := []string{"schema", "model", "property", "verdict", "warnings", "diagnosis", "counterexample", "abstracted", "neighbourhood_reading",
		"classes", "neighbourhoods", "point_of_no_return", "decisions", "deciding", "exits", "way", "loss", "fairness", "repair", "necessity", "nearest_correct", "claims", "remedies", "timings_ms"}
	advice := []string{"diagnosis", "deciding", "fairness", "repair", "necessity", "nearest_correct", "remedies"}
	checked := []string{"schema", "model", "property", "verdict", "warnings", "diagnosis", "counterexample", "deciding", "claims", "timings_ms"}
	for _, m := range models() {
		explained := asJSON(t, s, m.explained(t))
		want := complete
		if m.explained(t).Verdict == explain.Satisfied {
			want = slices.DeleteFunc(slices.Clone(complete), func(name string) bool { return slices.Contains(advice, name) })
		}
		if m.explained(t).Reasons != nil {
			want = slices.Insert(want, slices.Index(want, "claims"), "holds")
		}
		canApply := len(render.NewSentences(m.explained(t), printable.Text).InFull().Remedies()) > 0
		for name, has := range map[string]bool{"remedies": canApply, "repair": m.explained(t).Repair != nil, "necessity": m.explained(t).Necessity != nil, "nearest_correct": m.explained(t).Nearest != nil} {
			if !has {
				want = slices.DeleteFunc(slices.Clone(want), func(field string) bool { return field == name })
			}
		}
		if got := fields(t, explained); !slices.Equal(got, want) {
			t.Errorf("explain of %s has the fields %q", m.name, got)
		}
		want = checked
		if m.explained(t).Verdict == explain.Satisfied {
			want = slices.DeleteFunc(slices.Clone(checked), func(name string) bool { return name == "diagnosis" || name == "deciding" })
		}
		if len(m.fair) > 0 {
			want = slices.Insert(slices.Clone(checked), slices.Index(checked, "claims"), "fairness")
		}
		if got := fields(t, asJSON(t, s, m.checked(t))); !slices.Equal(got, want) {
			t.Errorf("check of %s has the fields %q", m.name, got)
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, explained, "", "  "); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(indented.Bytes(), explained) || !bytes.HasSuffix(explained, []byte("}\n")) || bytes.HasSuffix(explained, []byte("\n\n")) {
			t.Errorf("%s is not indented by two blanks with a line feed at its end", m.name)
		}
	}
}

// TestSchemaRefuses damages a document in ways that the schema has to notice.
func TestSchemaRefuses(t *testing.T) {
	s := compiledSchema(t)
	for name, damage := range map[string]func(d map[string]any){
		"unknown field":               func(d map[string]any) { d["extra"] = 1 },
		"missing verdict":             func(d map[string]any) { delete(d, "verdict") },
		"unknown verdict":             func(d map[string]any) { d["verdict"] = "maybe" },
		"other schema":                func(d map[string]any) { d["schema"] = "inev.explanation/1" },
		"satisfied, counterexample":   func(d map[string]any) { d["verdict"] = "satisfied" },
		"violated, none":              func(d map[string]any) { d["counterexample"] = nil },
		"half of an explanation":      func(d map[string]any) { delete(d, "neighbourhoods") },
		"list missing":                func(d map[string]any) { d["exits"] = nil },
		"state as text":               func(d map[string]any) { first(d, "neighbourhoods")["state"] = "2" },
		"unknown kind":                func(d map[string]any) { first(d, "neighbourhoods")["kind"] = "U" },
		"unknown field in an exit":    func(d map[string]any) { first(d, "exits")["extra"] = 1 },
		"unknown field in a choice":   func(d map[string]any) { first(d, "decisions")["chosen"].(map[string]any)["extra"] = 1 },
		"no class of a step":          func(d map[string]any) { delete(first(d["counterexample"], "steps"), "class") },
		"lasso without a loop":        func(d map[string]any) { d["counterexample"].(map[string]any)["loop_start"] = nil },
		"deadlock with a loop":        func(d map[string]any) { d["counterexample"].(map[string]any)["kind"] = "deadlock" },
		"shortest, and not minimal":   func(d map[string]any) { d["counterexample"].(map[string]any)["minimal"] = "unknown" },
		"minimal in nothing":          func(d map[string]any) { d["counterexample"].(map[string]any)["minimal"] = "" },
		"no kind of property":         func(d map[string]any) { delete(d["property"].(map[string]any), "kind") },
		"no depth":                    func(d map[string]any) { delete(d["model"].(map[string]any), "depth") },
		"a time that is not a number": func(d map[string]any) { d["timings_ms"].(map[string]any)["read"] = "1 ms" },
		"a label that is no text":     func(d map[string]any) { first(d["counterexample"], "steps")["label"] = 1 },
		"index that is no index":      func(d map[string]any) { d["abstracted"].(map[string]any)["steps"] = []any{-1} },
		"warnings in one text":        func(d map[string]any) { d["warnings"] = "a warning" },
		"property without its steps":  func(d map[string]any) { d["property"].(map[string]any)["steps"] = []any{} },
	} {
		t.Run(name, func(t *testing.T) {
			var d map[string]any
			if err := json.Unmarshal(asJSON(t, s, models()[1].explained(t)), &d); err != nil {
				t.Fatal(err)
			}
			damage(d)
			if err := s.Validate(d); err == nil {
				t.Error("the schema takes it")
			}
		})
	}
}

// first returns the first object of a list in an object.
func first(object any, list string) map[string]any {
	return object.(map[string]any)[list].([]any)[0].(map[string]any)
}

func TestHostileLabelsInJSON(t *testing.T) {
	m := models()[5]
	document := asJSON(t, compiledSchema(t), m.explained(t))
	var got struct {
		Counterexample struct{ Steps []struct{ Label string } }
	}
	if err := json.Unmarshal(document, &got); err != nil {
		t.Fatal(err)
	}
	for i, step := range got.Counterexample.Steps {
		want := strings.NewReplacer("\xff", `\xff`, "\xc3", `\xc3`).Replace(hostile[i])
		if strings.Contains(hostile[i], "é") {
			want = hostile[i] // the replacer knows nothing of characters
		}
		if step.Label != want {
			t.Errorf("label %q became %q, want %q", hostile[i], step.Label, want)
		}
	}
	if !bytes.Contains(document, []byte("<b>&amp;</b>")) {
		t.Error("characters of HTML are escaped")
	}
	if strings.Contains(string(document), "\ufffd") {
		t.Error("bytes were replaced")
	}
}

// TestNeighbourhoodsAgree compares what Explain and Analyse lead to.
func TestNeighbourhoodsAgree(t *testing.T) {
	for _, m := range models() {
		var explained, analysed struct{ Neighbourhoods []map[string]any }
		if err := json.Unmarshal(asJSON(t, compiledSchema(t), m.explained(t)), &explained); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := newWriter(t, "json", render.Options{}).Neighbourhoods(&b, m.analysed(t), m.found(t)); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b.Bytes(), &analysed); err != nil {
			t.Fatal(err)
		}
		for _, n := range explained.Neighbourhoods {
			delete(n, "on_counterexample")
		}
		if !reflect.DeepEqual(explained, analysed) {
			t.Errorf("%s: %v differs from %v", m.name, explained, analysed)
		}
	}
}

func TestOtherDocumentsAreJSON(t *testing.T) {
	for _, m := range models() {
		for result, write := range m.results(t, newWriter(t, "json", render.Options{})) {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			var d struct{ Schema string }
			if err := json.Unmarshal(b.Bytes(), &d); err != nil {
				t.Errorf("%s of %s: %v", result, m.name, err)
			}
			want := "inev." + result + "/1"
			switch result {
			case "check", "explanation":
				want = "inev.explanation/3"
			case "gates":
				want = "inev.labels/1"
			case "why-state":
				want = "inev.why/1"
			}
			if d.Schema != want {
				t.Errorf("%s of %s has the schema %q, want %q", result, m.name, d.Schema, want)
			}
		}
	}
}

// TestMarshalledAsReported: what a program gets by json.Marshal is what the JSON format
// shows, but for what a report adds.
func TestMarshalledAsReported(t *testing.T) {
	s := compiledSchema(t)
	ctx := context.Background()
	for _, m := range models() {
		o := m.options()
		results := map[string]*explain.Explanation{"explain": m.explained(t), "check": m.checked(t)}
		var err error
		o.Unfold, o.Measure = true, true
		if results["unfold"], err = explain.Explain(ctx, m.lts(t), m.parsed(t), o); err != nil {
			t.Fatal(err)
		}
		listing := o
		listing.List, listing.Fair = 3, nil
		if results["list"], err = explain.Check(ctx, m.lts(t), m.parsed(t), listing); err != nil {
			t.Fatal(err)
		}
		for name, e := range results {
			text, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			var marshalled, reported map[string]any
			if err := json.Unmarshal(text, &marshalled); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(asJSON(t, s, e), &reported); err != nil {
				t.Fatal(err)
			}
			delete(reported, "claims")
			delete(reported, "remedies")
			if !reflect.DeepEqual(marshalled, reported) {
				t.Errorf("%s of %s is marshalled as\n%v, and reported as\n%v", name, m.name, marshalled, reported)
			}
		}
	}
}

// TestPartialJSONStandsInAScript: it is the JSON without blanks, as the standard library makes it fit
// for a script element.
func TestPartialJSONStandsInAScript(t *testing.T) {
	for _, m := range models() {
		e := m.explained(t)
		var whole, compact, want, got bytes.Buffer
		if err := newWriter(t, "json", render.Options{}).Explanation(&whole, e); err != nil {
			t.Fatal(err)
		}
		if err := json.Compact(&compact, whole.Bytes()); err != nil {
			t.Fatal(err)
		}
		json.HTMLEscape(&want, compact.Bytes())
		if err := render.PartialJSON(&got, e, func() bool { return true }); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("%s: %s, and not %s", m.name, got.String(), want.String())
		}
	}
}
