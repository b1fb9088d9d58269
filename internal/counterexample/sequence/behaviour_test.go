package sequence_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/counterexample/sequence"
	"github.com/inev-lts/inev/internal/testing/collection"
	"github.com/inev-lts/inev/internal/testing/mutation"
)

// two is a graph of TLC in which one state has a value of each kind.
const two = `strict digraph DiskGraph {
1 [label="/\\ n = 0\n/\\ v = <<>>",style = filled]
1 -> 2 [label="Set({1, 2}, \"a\")"];
2 [label="x",tooltip="/\\ n = -1\n/\\ v = << {m1, \"a\\nb\"}, [k |-> TRUE, l |-> 1..2],\n (m1 :> 0 @@ m2 :> <<7>>) >>"];
2 -> 1 [label="Unset"];
2 -> 2 [label="Stay"];
}`

func behaviour(t *testing.T, text string) *sequence.Behaviour {
	t.Helper()
	_, _, err := sequence.Read(context.Background(), strings.NewReader(text), "b.json")
	var valued *sequence.ValuesError
	if !errors.As(err, &valued) {
		t.Fatal(err)
	}
	return valued.Behaviour
}

func opened(t *testing.T, text string) *format.Model {
	t.Helper()
	m, _, err := format.Read(context.Background(), strings.NewReader(text), format.Options{States: true})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestBehaviours: of TLC and of Apalache, found by values of every kind, or not found.
func TestBehaviours(t *testing.T) {
	const (
		tlc1 = `[1,{"n":0,"v":[]}]`
		tlc2 = `[2,{"n":-1,"v":[["a\nb","m1"],{"l":[2,1],"k":true},{"m1":0,"m2":[7]}]}]`
		itf1 = `{"n":0,"v":{"#tup":[]},"#meta":{"index":0}}`
		itf2 = `{"n":{"#bigint":"-1"},"v":{"#tup":[{"#set":["m1","a\nb"]},{"k":true,"l":{"#set":[1,2]}},{"#map":[["m2",{"#tup":[7]}],["m1",0]]}]}}`
	)
	tlc := func(actions string) string {
		return `{"counterexample":{"action":[` + actions + `],"state":[` + tlc1 + `,` + tlc2 + `]},"vars":["n","v"]}`
	}
	act := func(from, name, to string) string { return `[` + from + `,{"name":"` + name + `"},` + to + `]` }
	for name, c := range map[string]struct {
		text string
		want []string // nil if it is refused
		loop int
		why  string
	}{
		"back to the start":  {tlc(act(tlc1, "Set", tlc2) + "," + act(tlc2, "Unset", tlc1)), []string{`Set({1, 2}, "a")`, "Unset"}, 0, ""},
		"a loop of one":      {tlc(act(tlc1, "Set", tlc2) + "," + act(tlc2, "Stay", tlc2)), []string{`Set({1, 2}, "a")`, "Stay"}, 1, ""},
		"no end":             {tlc(act(tlc1, "Set", tlc2)), []string{`Set({1, 2}, "a")`}, -1, ""},
		"stuttering":         {tlc(act(tlc1, "Set", tlc2) + "," + act(tlc2, "UnnamedAction", tlc2)), nil, 0, "this behaviour stutters forever in state 2, where the model can go on"},
		"another action":     {tlc(act(tlc1, "Unset", tlc2)), nil, 0, "the model does not step by Unset from state 1 of the behaviour to state 2"},
		"Apalache":           {`{"vars":["n","v"],"states":[` + itf1 + `,` + itf2 + `],"loop":0}`, []string{`Set({1, 2}, "a")`, "Unset"}, 0, ""},
		"Apalache's open":    {`{"vars":["n","v"],"states":[` + itf1 + `,` + itf2 + `]}`, []string{`Set({1, 2}, "a")`}, -1, ""},
		"other values":       {`{"states":[` + itf1 + `,{"n":-1,"v":{"#tup":[{"#set":["m1"]}]}}]}`, nil, 0, "the model does not step from state 1 of the behaviour to state 2"},
		"another beginning":  {`{"states":[` + itf2 + `]}`, nil, 0, "the initial state of the model does not have the values of state 1"},
		"what says nothing":  {`{"states":[{"n":0,"v":{"#unserializable":"Nat"}},{"n":-1}],"loop":1}`, []string{`Set({1, 2}, "a")`, "Stay"}, 1, ""},
		"a set is no tuple":  {`{"states":[{"n":0,"v":{"#set":[]}}]}`, nil, 0, "the initial state of the model does not have the values"},
		"another name":       {`{"states":[{"n":0,"w":1,"#meta":{}}]}`, nil, 0, "state 1 of the behaviour has a value of w, which is no variable of the model, and none of v"},
		"a part of it":       {`{"states":[{"n":0,"#meta":{}}]}`, []string{}, -1, ""},
		"one too many there": {`{"states":[` + itf1 + `,{"v":[["m1","a\nb","c"],{"l":[2,1],"k":true},{"m1":0,"m2":[7]}]}]}`, nil, 0, "the model does not step"},
	} {
		m := opened(t, two)
		given, err := behaviour(t, c.text).In(m.LTS, m.States, "")
		if c.want == nil {
			if err == nil || !strings.HasPrefix(err.Error(), "b.json: "+c.why) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if labels, loop, ok := given.Line(); !ok || !slices.Equal(labels, c.want) || loop != c.loop {
			t.Errorf("%s: %q, loop %d, want %q, loop %d", name, labels, loop, c.want, c.loop)
		}
	}
	plain := opened(t, "des (0, 0, 1)\n")
	if _, err := behaviour(t, `{"states":[{}]}`).In(plain.LTS, plain.States, ""); err == nil || !strings.Contains(err.Error(), "this model has none") {
		t.Error(err)
	}
}

func TestBehavioursRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                                    "b.json:1: this is not a behaviour in JSON, as TLC writes it with -dumpTrace json and Apalache as .itf.json: unexpected EOF",
		"{\"states\":[\n{},\n":                 "b.json:2: this is not a behaviour in JSON",
		"{\"states\":\n\n7}":                   "b.json:3: this is not a behaviour in JSON",
		"{\"states\":[\n{\"n\":0}\n{}]}":       "b.json:3: this is not a behaviour in JSON",
		`{}`:                                   "b.json: this JSON has neither a counterexample",
		`{"states":[{}],"loop":1}`:             "b.json: the loop begins with state 1 of 1, counted from 0",
		`{"counterexample":{}}`:                "b.json: the counterexample has no state",
		`{"counterexample":{"state":[[1,2]]}}`: "b.json: state 1 of the counterexample has no values",
		`{"counterexample":{"state":[[1,{}]],"action":[[[1,{}],{"name":"A"},[3,{}]]]}}`: "b.json: action 1 of the counterexample does not lead from one of its states to another",
	} {
		if _, _, err := sequence.Read(context.Background(), strings.NewReader(text), "b.json"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// TestBehavioursOfTLC: each that TLC found under fairness of Next is found in the graph
// that it wrote, and one that stutters is refused.
func TestBehavioursOfTLC(t *testing.T) {
	folder, there := collection.Foreign(t, "tlc")
	if !there {
		t.Skip("the models by others are not here")
	}
	paths, err := filepath.Glob(filepath.Join(folder, "traces", "*.json"))
	if err != nil || len(paths) < 20 {
		t.Fatal(paths, err)
	}
	stutters := map[string]bool{}
	table, err := os.ReadFile(filepath.Join(folder, "LIVENESS.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(table), "\n") {
		if strings.Contains(line, "\tstuttering at state") {
			stutters[filepath.Base(line[strings.LastIndexByte(line, '\t')+1:])] = true
		}
	}
	for _, path := range paths {
		name := filepath.Base(path)
		model, _, _ := strings.Cut(name, "_P")
		if model == "diehard" {
			model = "diehard_color"
		}
		text, err := os.ReadFile(filepath.Join(folder, model+".dot"))
		if err != nil {
			t.Fatal(err)
		}
		trace, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m := opened(t, string(text))
		given, err := behaviour(t, string(trace)).In(m.LTS, m.States, "")
		if stutters[name] {
			// Where the action before leads from the state to itself, that is a step.
			if err == nil {
				if labels, loop, _ := given.Line(); loop != len(labels)-1 {
					t.Errorf("%s: %q, loop %d", name, labels, loop)
				}
			} else if !strings.Contains(err.Error(), "stutters forever") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, loop, _ := given.Line(); loop < 0 && strings.HasSuffix(name, "_WF.json") {
			t.Errorf("%s: no loop", name)
		}
	}
}

// FuzzBehaviour: whatever is read, there is an error of one line, or a counterexample.
func FuzzBehaviour(f *testing.F) {
	f.Add(`{"states":[{"n":0,"v":{"#tup":[]}},{"n":-1}],"loop":1}`, two)
	f.Fuzz(func(t *testing.T, text, graph string) {
		defer mutation.Limited()()
		b, err := sequence.ParseBehaviour([]byte(text))
		if err != nil {
			return
		}
		m, _, err := format.Read(context.Background(), strings.NewReader(graph), format.Options{States: true, Name: "m.dot"})
		if err != nil || m.Format.Suffixes[0] != ".dot" {
			return
		}
		if _, err := b.In(m.LTS, m.States, ""); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q", err)
		}
	})
}
