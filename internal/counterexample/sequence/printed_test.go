package sequence_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/counterexample/sequence"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestPrintedBehaviours: what TLC prints and writes of a behaviour is found in the graph, stuttering included.
func TestPrintedBehaviours(t *testing.T) {
	ctx := context.Background()
	for file, c := range map[string]struct {
		labels string
		loop   int
	}{
		"Lock.out":         {"Ask(c1) Ask(c2) Acquire(c2) Release(c2) Ask(c2) Acquire(c2)", 3},
		"MC.out":           {"Ask(c1) Ask(c2) Acquire(c2) Release(c2) Ask(c2)", 2},
		"Lock_TTrace.tla":  {"Ask(c1) Ask(c2) Acquire(c2) Release(c2) Ask(c2) Acquire(c2)", 3},
		"Lock_0_0":         {"Ask(c2) Ask(c1) Acquire(c2) Release(c2) Acquire(c1)", -1},
		"Queue.out":        {"Get(c1) Get(c2) Put(p1) Put(p1) Get(c2) Get(c1) Get(c2) stuttering", 7},
		"Queue_TTrace.tla": {"Get(c1) Get(c2) Put(p1) Put(p1) Get(c2) Get(c1) Get(c2) stuttering", 7},
	} {
		graph := "Lock.dot"
		if strings.HasPrefix(file, "Queue") {
			graph = "Queue.dot"
		}
		m, _, err := format.Open(ctx, filepath.Join("..", "..", "..", "examples", "tla", graph), format.Options{States: true})
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join("testdata", "tlc", file))
		if err != nil {
			t.Fatal(err)
		}
		forms := []string{string(text), strings.ReplaceAll(string(text), "\n", "\r\n")}
		if strings.HasSuffix(file, ".out") {
			forms = append(forms, quoted(string(text), "    "), quoted(string(text), "> "), "On Monday TLC said:\n"+quoted(string(text), "> > "),
				quoted(string(text), "2026-11-30T01:17:47.1234567Z "), quoted(string(text), "check\tRun TLC\t2026-11-30T01:17:47Z "),
				quoted(string(text), "[01:17:47] "), quoted(string(text), "tlc-1  | "), quoted(string(text), "\x1b[1;31m"),
				strings.ReplaceAll(string(text), "\nState ", "\n\x1b[31mState\x1b[m "))
		}
		for _, form := range forms {
			given, err := behaviour(t, form).In(m.LTS, m.States, "stuttering")
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			labels, loop, _ := given.Line()
			if got := strings.Join(labels, " "); got != c.labels || loop != c.loop {
				t.Errorf("%s: %s, loop %d", file, got, loop)
			}
		}
	}
}

// quoted returns a text with a prefix before each line, without blanks at the ends of lines.
func quoted(text, prefix string) string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		lines = append(lines, strings.TrimRight(prefix+line, " "))
	}
	return strings.Join(lines, "\n")
}

// TestPrintedForms: each form of the console's lines, around the same two states.
func TestPrintedForms(t *testing.T) {
	const (
		first  = "/\\ n = 0\n/\\ v = <<>>\n\n"
		second = "/\\ n = -1\n/\\ v = << {\"a\\nb\",\n         m1},\n   [l |-> {2, 1}, k |-> TRUE],\n   (m2 :> <<7>> @@ m1 :> 0) >>\n\n"
	)
	for name, c := range map[string]struct {
		text string
		want []string // nil if it is refused
		loop int
		why  string
	}{
		"console":           {"State 1: <Initial predicate>\n" + first + "State 2: <Set line 1, col 2 to line 3, col 4 of module M>\n" + second + "Back to state 1: <Unset line 5, col 1 to line 5, col 9 of module M>\n", []string{`Set({1, 2}, "a")`, "Unset"}, 0, ""},
		"old console":       {"Error: Temporal properties were violated.\nState 1: <Initial predicate>\n" + first + "State 2: <Action line 1, col 2 to line 3, col 4 of module M>\n" + second + "Back to state: 2\nState 3: Stuttering\n", []string{`Set({1, 2}, "a")`, "Stay"}, 1, ""},
		"tool":              {"@!@!@STARTMSG 2217:4 @!@!@\n1: <Initial predicate>\n" + first + "@!@!@ENDMSG 2217 @!@!@\n@!@!@STARTMSG 2217:4 @!@!@\n2: <Set({1, 2}, \"a\") line 1, col 2 to line 3, col 4 of module M>\n" + second + "@!@!@ENDMSG 2217 @!@!@\n@!@!@STARTMSG 2122:4 @!@!@\n1: Back to state: <Unset line 5, col 1 to line 5, col 9 of module M>\n", []string{`Set({1, 2}, "a")`, "Unset"}, 0, ""},
		"only differences":  {"State 1: <Initial predicate>\n/\\ v = <<>>\n/\\ n = 0\n\nState 2: <Set line 1>\n/\\ n = -1\n" + second[len("/\\ n = -1\n"):] + "State 3: <Unset line 1>\n/\\ n = 0\n/\\ v = <<>>\n\nState 4: Stuttering\n", []string{`Set({1, 2}, "a")`, "Unset", "stuttering"}, 2, ""},
		"what stays":        {"State 1: <Initial predicate>\n" + first + "State 2: <Set line 1>\n" + second + "State 3: <Stay line 1>\n\nState 4: Stuttering\n", []string{`Set({1, 2}, "a")`, "Stay", "stuttering"}, 2, ""},
		"the initial state": {"Error: Invariant Inv is violated by the initial state:\n" + first, []string{}, -1, ""},
		"cut short":         {"State 1: <Initial predicate>\n/\\ n = 0\n/\\ v = <<>>", []string{}, -1, ""},
		"-simulate":         {"------ MODULE sim_0_0 -----\n\\* <Init line 4>\nSTATE_1 == \n" + first + "\n\\* <Set line 4>\nSTATE_2 == \n" + second + "======\n", []string{`Set({1, 2}, "a")`}, -1, ""},
		"module":            {"---- MODULE M_TTrace_1 ----\n---- MODULE M_TETrace ----\ntrace == \n    <<\n    ([v |-> <<>>,n |-> 0]),\n    ([n |-> -1,v |-> << {m1, \"a\\nb\"}, [k |-> TRUE, l |-> 1..2], (m1 :> 0 @@ m2 :> <<7>>) >>])\n    >>\n----\n====\n_TTraceLassoStart = 2\n_TTraceLassoEnd = 2\n", []string{`Set({1, 2}, "a")`, "Stay"}, 1, ""},

		"another model":    {"State 1: <Initial predicate>\n/\\ z = 0\n", nil, 0, "1: state 1 of the behaviour has no value of n"},
		"another value":    {"State 1: <Initial predicate>\n" + first + "State 2: <Set line 1>\n/\\ n = 1\n", nil, 0, "5: the model does not step by Set from state 1"},
		"another order":    {"State 1: <Initial predicate>\n" + first + "State 2: <Set line 1>\n" + strings.Replace(second, "<<7>>", "<<8>>", 1), nil, 0, "5: the model does not step by Set from state 1"},
		"another start":    {"TLC2 Version 2.19\nState 1: <Initial predicate>\n/\\ n = 1\n/\\ v = <<>>\n", nil, 0, "2: the initial state of the model does not have the values of state 1"},
		"another name":     {"State 1: <Initial predicate>\n" + strings.ReplaceAll(first, "v =", "w =") + "State 2: <Set line 1>\n" + strings.ReplaceAll(second, "v =", "w ="), nil, 0, "1: state 1 of the behaviour has a value of w, which is no variable of the model, and none of v: it is one of another model, or ALIAS has changed what TLC wrote"},
		"a new name":       {"State 1: <Initial predicate>\n" + first + "State 2: <Set line 1>\n" + strings.ReplaceAll(second, "v =", "w ="), nil, 0, "5: state 2 of the behaviour has a value of w, of which state 1 has none"},
		"what ALIAS adds":  {"State 1: <Initial predicate>\n" + first[:len(first)-1] + "/\\ w = 7\n\n" + "State 2: <Set line 1>\n" + second, []string{`Set({1, 2}, "a")`}, -1, ""},
		"a renamed module": {"---- MODULE M_TETrace ----\ntrace == \n    <<\n    ([w |-> <<>>,n |-> 0])\n    >>\n----\n====\n", nil, 0, "4: state 1 of the behaviour has a value of w, which is no variable of the model, and none of v"},
	} {
		m := opened(t, two)
		given, err := behaviour(t, c.text).In(m.LTS, m.States, "stuttering")
		if c.want == nil {
			if err == nil || !strings.HasPrefix(err.Error(), "b.json:"+c.why) || strings.Contains(err.Error(), "\n") {
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
}

// TestPrintedRefused: output without a behaviour, and behaviours that cannot be, have errors of one line.
func TestPrintedRefused(t *testing.T) {
	for text, want := range map[string]string{
		"TLC2 Version 2.19\nModel checking completed. No error has been found.\n":                                                                      "b.out: this is output of TLC without a behaviour",
		"@!@!@STARTMSG 2193:0 @!@!@\nModel checking completed.\n":                                                                                      "b.out: this is output of TLC without a behaviour",
		"State 1: <Initial predicate>\nx = 1\n\nBack to state 7: <A line 1>\n":                                                                         "b.out:4: TLC's behaviour of 1 state leads back to state 7",
		"State 1: <Initial predicate>\nx = 1\n\nBack to state 99999999999999999999: <A line 1>\n":                                                      "b.out:4: TLC's behaviour of 1 state leads back to state 99999999999999999999",
		"State 1: <Initial predicate>\nx = 1\n\nState 3: <A line 1>\nx = 2\n\nState 4: <A line 1>\nx = 3\n":                                            "b.out:4: here is state 3 of the behaviour, and state 2 is missing: give what TLC printed as a whole",
		"State 1: <Initial predicate>\nx = 1\n\nState 2: <A line 1>\n":                                                                                 "b.out:4: state 2 of the behaviour has no values: the text is cut off here",
		"State 2: <A line 1>\nx = 1\n\nState 3: <A line 1>\nx = 2\n":                                                                                   "b.out:1: here is state 2 of the behaviour, and state 1 is missing: give what TLC printed as a whole",
		"> State 2: <A line 1>\n> x = 1\n":                                                                                                             "b.out:1: here is state 2 of the behaviour, and state 1 is missing",
		"TLC2 Version 2.19\nState 99999999999999999999: <A line 1>\nx = 2\n":                                                                           "b.out:2: here is state 99999999999999999999 of the behaviour, and state 1 is missing",
		"---- MODULE M_TETrace ----\n\\*trace == IODeserialize(\"M.bin\", TRUE)\n====\n":                                                               "b.out: the definition trace of this module has no states",
		"---- MODULE M_TETrace ----\ntrace == \n    <<>>\n----\n====\n":                                                                                "b.out:2: the definition trace of this module has no states",
		"---- MODULE M_TETrace ----\ntrace == \n    <<\n    7\n    >>\n----\n====\n":                                                                   "b.out:2: state 1 of the definition trace is no record",
		"---- MODULE M_TETrace ----\ntrace == \n    <<\n    ([x |-> 1]),\n    ([x |-> 2":                                                               "b.out:2: the definition trace has no >> at its end: the module is cut off; give it as TLC wrote it",
		"---- MODULE M_TETrace ----\ntrace == \n    <<\n    ([x |-> 1])\n    >>\n----\n====\nCONSTANTS\n_TTraceLassoStart = 2\n":                       "b.out:9: _TTraceLassoStart is 2, but the definition trace has 1 state",
		"---- MODULE M_TETrace ----\ntrace == \n    <<\n    ([x |-> 1])\n    >>\n----\n====\nCONSTANTS\n_TTraceLassoStart = 1\n":                       "b.out: the end of this module is missing, where _TTraceLassoStart and _TTraceLassoEnd are",
		"---- MODULE M_TETrace ----\ntrace == \n    <<\n    ([x |-> 1])\n    >>\n----\n====\nCONSTANTS\n_TTraceLassoStart = 1\n_TTraceLassoEnd = 12\n": "b.out:10: _TTraceLassoEnd is 12, but the definition trace has 1 state",
		"---- MODULE M_TTrace_17 ----\nEXTENDS M\n\n_expression ==\n    \"a\"":                                                                         "b.out:5: this module ends before its definition trace: it is cut off; give it as TLC wrote it",
		"\n---- MODULE M ----\nVARIABLE x\nInit == x = \"a\"\n====\n":                                                                                  "b.out: this is a module of TLA+ without the states of a behaviour: give a module _TTrace_ as TLC wrote it, or what TLC printed",
	} {
		_, _, err := sequence.Read(context.Background(), strings.NewReader(text), "b.out")
		var valued *sequence.ValuesError
		if err == nil || errors.As(err, &valued) || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", text, err)
		}
	}
	_, warnings, err := sequence.Read(context.Background(), strings.NewReader("State 1: <Initial predicate>\nx = 1\n\nState 1: <Initial predicate>\nx = 2\n"), "b.out")
	var valued *sequence.ValuesError
	if !errors.As(err, &valued) || len(warnings) != 1 {
		t.Error(err, warnings)
	}
}

// TestCutModules: a beginning of a module of TLC is the behaviour of the whole module, or refused as a module. Without CI,
// one in seven of the lengths is tried.
func TestCutModules(t *testing.T) {
	step := 7
	if randomlts.Whole() {
		step = 1
	}
	for _, file := range []string{"Lock_TTrace.tla", "Queue_TTrace.tla"} {
		text, err := os.ReadFile(filepath.Join("testdata", "tlc", file))
		if err != nil {
			t.Fatal(err)
		}
		graph := strings.TrimSuffix(file, "_TTrace.tla") + ".dot"
		m, _, err := format.Open(t.Context(), filepath.Join("..", "..", "..", "examples", "tla", graph), format.Options{States: true})
		if err != nil {
			t.Fatal(err)
		}
		whole, err := behaviour(t, string(text)).In(m.LTS, m.States, "stuttering")
		if err != nil {
			t.Fatal(err)
		}
		want, wantLoop, _ := whole.Line()
		accepted := 0
		for length := len("---- MODULE"); length < len(text); length += step {
			_, _, err := sequence.Read(t.Context(), strings.NewReader(string(text[:length])), "b.seq")
			var valued *sequence.ValuesError
			if !errors.As(err, &valued) {
				isAboutModule := err != nil && strings.HasPrefix(err.Error(), "b.seq:") && strings.Contains(err.Error(), "module")
				isOneNumber := err != nil && strings.Contains(err.Error(), "_TTraceLasso")
				if !isAboutModule && !isOneNumber {
					t.Fatalf("%s, %d bytes: %v", file, length, err)
				}
				continue
			}
			accepted++
			given, err := valued.Behaviour.In(m.LTS, m.States, "stuttering")
			if err != nil {
				t.Fatalf("%s, %d bytes: %v", file, length, err)
			}
			labels, loop, _ := given.Line()
			if !slices.Equal(labels, want) || loop != wantLoop {
				t.Fatalf("%s, %d bytes: %q, loop %d", file, length, labels, loop)
			}
		}
		if accepted < 10 {
			t.Errorf("%s: %d beginnings are accepted", file, accepted)
		}
	}
}

// TestPrintedRuns: random lassos of random graphs, printed in each form, are found as they were walked.
func TestPrintedRuns(t *testing.T) {
	for seed := range randomlts.Share(4000) {
		r := rand.New(rand.NewPCG(seed, 71))
		w := walkOf(r)
		m := opened(t, w.graph)
		for form, text := range w.printed() {
			given, err := behaviour(t, text).In(m.LTS, m.States, "stuttering")
			if err != nil {
				t.Fatalf("seed %d, %s: %v\n%s\n%s", seed, form, err, w.graph, text)
			}
			labels, loop, _ := given.Line()
			if !slices.Equal(labels, w.labels) || loop != w.loop {
				t.Fatalf("seed %d, %s: %q, loop %d, want %q, loop %d\n%s", seed, form, labels, loop, w.labels, w.loop, text)
			}
		}
	}
}

// walk is a walk in a graph of TLC.
type walk struct {
	graph  string
	states []string // the texts of the states
	labels []string
	loop   int
}

// walkOf returns a random graph with a walk that ends in a loop, in stuttering or nowhere. Between two states there is one
// action at most.
func walkOf(r *rand.Rand) walk {
	n := 2 + r.IntN(4)
	texts := make([]string, n)
	for s := range n {
		texts[s] = fmt.Sprintf("/\\ n = %d\n/\\ f = (a :> <<%d, {b}>> @@ b :> \"x = /\\\\ %d\")", s, r.IntN(2), r.IntN(3))
	}
	var b strings.Builder
	b.WriteString("strict digraph DiskGraph {\n")
	next := make([][]int, n)
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	label := func(from, to int) string { return fmt.Sprintf("A(%d,%d)", from, to) }
	for s := range n {
		fmt.Fprintf(&b, "%d [label=\"%s\"%s]\n", s+10, quoted.Replace(texts[s]), map[bool]string{true: ",style = filled"}[s == 0])
	}
	for s := range n {
		for to := range n {
			if r.IntN(3) > 0 || s+1 == to {
				next[s] = append(next[s], to)
				fmt.Fprintf(&b, "%d -> %d [label=\"%s\"];\n", s+10, to+10, label(s, to))
			}
		}
	}
	b.WriteString("}\n")
	w := walk{graph: b.String(), states: []string{texts[0]}, loop: -1}
	visited := []int{0}
	for len(w.labels) < 6 {
		at := visited[len(visited)-1]
		if len(next[at]) == 0 || r.IntN(6) == 0 {
			break
		}
		to := next[at][r.IntN(len(next[at]))]
		w.labels = append(w.labels, label(at, to))
		if back := slices.Index(visited, to); back >= 0 && r.IntN(2) == 0 {
			w.loop = back
			return w
		}
		visited = append(visited, to)
		w.states = append(w.states, texts[to])
	}
	if r.IntN(2) == 0 {
		w.loop = len(w.labels)
		w.labels = append(w.labels, "stuttering")
	}
	return w
}

// printed returns the walk in the forms that TLC has.
func (w walk) printed() map[string]string {
	var console, tool, module strings.Builder
	tool.WriteString("@!@!@STARTMSG 2264:1 @!@!@\nThe following behavior constitutes a counter-example:\n\n@!@!@ENDMSG 2264 @!@!@\n")
	module.WriteString("---- MODULE M_TTrace_1 ----\n")
	stutters := w.loop >= 0 && w.labels[w.loop] == "stuttering"
	if stutters {
		module.WriteString("\n_prop ==\n    ~<>[](\n        n = (0)\n    )\n----\n")
	}
	module.WriteString("---- MODULE M_TETrace ----\ntrace == \n    <<\n")
	for i, text := range w.states {
		action := "Initial predicate"
		if i > 0 {
			action = w.labels[i-1] + " line 1, col 1 to line 2, col 2 of module M"
		}
		fmt.Fprintf(&console, "State %d: <%s>\n%s\n\n", i+1, action, text)
		fmt.Fprintf(&tool, "@!@!@STARTMSG 2217:4 @!@!@\n%d: <%s>\n%s\n\n@!@!@ENDMSG 2217 @!@!@\n", i+1, action, text)
		n, f, _ := strings.Cut(strings.TrimPrefix(text, "/\\ n = "), "\n/\\ f = ")
		comma := ","
		if i == len(w.states)-1 {
			comma = ""
		}
		fmt.Fprintf(&module, "    ([f |-> %s,n |-> %s])%s\n", f, n, comma)
	}
	module.WriteString("    >>\n----\n====\n")
	switch {
	case stutters:
		fmt.Fprintf(&console, "State %d: Stuttering\n", len(w.states)+1)
		fmt.Fprintf(&tool, "@!@!@STARTMSG 2218:4 @!@!@\n%d: Stuttering\n@!@!@ENDMSG 2218 @!@!@\n", len(w.states)+1)
	case w.loop >= 0:
		action := w.labels[len(w.labels)-1] + " line 1, col 1 to line 2, col 2 of module M"
		fmt.Fprintf(&console, "Back to state %d: <%s>\n", w.loop+1, action)
		fmt.Fprintf(&tool, "@!@!@STARTMSG 2122:4 @!@!@\n%d: Back to state: <%s>\n@!@!@ENDMSG 2122 @!@!@\n", w.loop+1, action)
		fmt.Fprintf(&module, "CONSTANTS\n_TTraceLassoStart = %d\n_TTraceLassoEnd = %d\n", w.loop+1, len(w.states))
	}
	return map[string]string{"console": console.String(), "tool": tool.String(), "module": module.String()}
}
