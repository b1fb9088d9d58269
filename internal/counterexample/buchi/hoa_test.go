package buchi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/inev-lts/inev/internal/property/automata"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// readHOA reads the first automaton of text.
func readHOA(text string) (*Description, error) {
	return ReadHOA(context.Background(), strings.NewReader(text), "a.hoa")
}

// describe shows an automaton: its initial state, and each state with a star
// where it is accepting, its name and its edges.
func describe(d *Description) string {
	a := d.Automaton
	text := fmt.Sprintf("start %d", a.Initial())
	for s := range State(a.NumStates()) {
		text += fmt.Sprintf("; %d", s)
		if a.Accepting(s) {
			text += "*"
		}
		if d.Names != nil && d.Names[s] != "" {
			text += fmt.Sprintf(" %q", d.Names[s])
		}
		targets, labels := a.Out(s)
		for i, to := range targets {
			text += fmt.Sprintf(" [%s]%d", labels[i], to)
		}
	}
	return text
}

// header1 is a header with two atomic propositions and Büchi acceptance.
const header1 = "HOA: v1\nAP: 2 \"a\" \"b\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n"

func TestReadHOA(t *testing.T) {
	const buchi = "HOA: v1 Acceptance: 1 Inf(0) "
	for _, test := range []struct{ name, text, want string }{
		{"state acceptance", header1 + "States: 2 Start: 0 --BODY-- State: 0 [0&!1] 1 [!0] 0 State: 1 {0} [t] 1 --END--",
			"start 0; 0 [0&!1]1 [!0]0; 1* [t]1"},
		{"states in any order, edges in theirs", header1 + "Start: 1 --BODY-- State: 1 [1]0 [0]1 [1]1 State: 0 --END--",
			"start 1; 0; 1 [1]0 [0]1 [1]1"},
		{"all runs accepting", "HOA: v1 Start: 0 acc-name: all Acceptance: 0 t --BODY-- State: 0 [t] 1 State: 1 [t] 0 --END--",
			"start 0; 0* [t]1; 1* [t]0"},
		{"unused sets", "HOA: v1 Start: 0 Acceptance: 3 ((Inf(1))) --BODY-- State: 0 {0} [t] 1 State: 1 {2 1} [t] 0 --END--",
			"start 0; 0 [t]1; 1* [t]0"},
		{"generalized Büchi of one set", "HOA: v1 Start: 0 acc-name: generalized-Buchi 1 Acceptance: 1 Inf(0) --BODY-- State: 0 --END--",
			"start 0; 0"},
		{"no blanks", `HOA:v1 Start:0 AP:1"a"Acceptance:1Inf(0)--BODY--State:0{0}[0]0[!0]0--END--`,
			"start 0; 0* [0]0 [!0]0"},
		{"blanks", "\r\n HOA:\tv1\n\nStart:\r\n0 Acceptance: 1\nInf\n(\n0\n)\n--BODY--\nState:\n0\n{\n0\n}\n[\nt\n]\n0\n--END--\n",
			"start 0; 0* [t]0"},
		{"comments", "/**/HOA:/*v2*/v1/* /* a */ \" ***/Start:/*/**/*/0 Acceptance: 1 Inf(0) --BODY-- State: 0/* ] */[t/**/]0--END--",
			"start 0; 0 [t]0"},
		{"names", buchi + `Start: 0 --BODY-- State: 0 "a \"quoted\" \\ /*name*/` + "\n" + `" State: 1 "" --END--`,
			`start 0; 0 "a \"quoted\" \\ /*name*/\n"; 1`},
		{"headers", buchi + `Start: 0 name: "n" tool: "x" "1" properties: deterministic complete properties: x any-thing: t f 3 "s" id _x: 1 --BODY-- State: 0 --END--`,
			"start 0; 0"},
		{"propositions after their use", `HOA: v1 Alias: @a 1 Start: 0 Acceptance: 1 Inf(0) AP: 2 "x" "y" --BODY-- State: 0 [@a] 0 --END--`,
			"start 0; 0 [@a]0"},
		{"state labels", header1 + "Start: 0 --BODY-- State: [0 | 1] 0 {0} 0 1 State: [!0] 1 0 --END--",
			"start 0; 0* [0|1]0 [0|1]1; 1 [!0]0"},
		{"implicit labels", header1 + "Start: 0 --BODY-- State: 0 0 1 0 {0} 1 State: 1 {0} --END--",
			"start 3; 0 [!0&!1]0 [!0&!1]2 [0&!1]1 [0&1]1; 1*; 2* [!0&1]0 [!0&1]2; 3 [!0&!1]0 [!0&!1]2 [0&!1]1 [!0&1]0 [!0&1]2 [0&1]1"},
		{"implicit label without propositions", buchi + "Start: 0 --BODY-- State: 0 0 --END--",
			"start 0; 0 [t]0"},
		{"labels that nothing satisfies", header1 + "Start: 0 --BODY-- State: 0 [f] 0 [0&!0] 0 {0} [!(0|!0)] 0 [0&(!0|1)&!1] 0 [(0|1)&!(0&1)] 0 State: [!t] 1 {0} 0 1 --END--",
			"start 0; 0 [(0|1)&!(0&1)]0; 1*"},
		{"precedence", header1 + "Start: 0 --BODY-- State: 0 [f&0|1] 0 [f&(0|1)] 0 [!f|f&f] 0 [!(f|t)|f] 0 [!!0&!!!0] 0 [t|t&f] 0 --END--",
			"start 0; 0 [f&0|1]0 [!f|f&f]0 [t|t&f]0"},
		{"aliases", "HOA: v1 AP: 2 \"a\" \"b\" Alias: @0-x 0&1 Alias: @n !@0-x Acceptance: 1 Inf(0) Start: 0 --BODY-- State: 0 [@n] 0 [@n&@0-x] 0 [@n&!@0-x] 0 [@0-x&!@n&1] 0 [@0-x&!1] 0 --END--",
			"start 0; 0 [@n]0 [@n&!@0-x]0 [@0-x&!@n&1]0"},
		{"edges all in the set", header1 + "Start: 0 --BODY-- State: 0 [0] 0 {0} [1] 1 {0} State: 1 [t] 0 --END--",
			"start 0; 0* [0]0 [1]1; 1 [t]0"},
		{"edges partly in the set", header1 + "Start: 0 --BODY-- State: 0 \"zero\" [0] 1 [1] 2 State: 1 \"one\" [0] 0 {0} [1] 1 State: 2 {0} [0] 2 {0} [1] 2 --END--",
			`start 0; 0 "zero" [0]1 [0]3 [1]2; 1 "one" [1]1 [1]3; 2* [0]2 [1]2; 3* "one" [0]0`},
		{"edge in the set, and one that nothing satisfies", header1 + "Start: 0 --BODY-- State: 0 [0] 0 {0} [f] 0 --END--",
			"start 0; 0* [0]0"},
		{"no initial state", buchi + "--BODY-- State: 0 {0} [t] 0 --END--",
			"start 1; 0* [t]0; 1"},
		{"several initial states", buchi + "Start: 1 Start: 0 Start: 1 --BODY-- State: 0 {0} [t] 0 State: 1 [t] 0 --END--",
			"start 2; 0* [t]0; 1 [t]0; 2 [t]0 [t]0"},
		{"no states", buchi + "States: 0 --BODY-- --END--",
			"start 0; 0"},
	} {
		d, err := readHOA(test.text)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		} else if got := describe(d); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.name, got, test.want)
		}
	}
}

func TestReadHOADescription(t *testing.T) {
	d, err := readHOA(`HOA: v1 name: "GFa" Start: 0 Start: 1 AP: 2 "a" "b \"c\"" Alias: @x !0 & (1|!0) Acceptance: 1 Inf(0)
--BODY-- State: 0 "s" [0] 0 {0} [1] 1 State: 1 [t] 1 --END--`)
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "GFa" || !reflect.DeepEqual(d.Propositions, []string{"a", `b "c"`}) {
		t.Errorf("name %q, propositions %q", d.Name, d.Propositions)
	}
	if !reflect.DeepEqual(d.Aliases, []automata.Alias{{Name: "@x", Text: "!0&(1|!0)"}}) {
		t.Errorf("aliases %v", d.Aliases)
	}
	if !reflect.DeepEqual(d.Names, []string{"s", "", "s", ""}) || !reflect.DeepEqual(d.Origins, []State{0, 1, 0, NoState}) {
		t.Errorf("names %q, origins %v", d.Names, d.Origins)
	}
}

// readError is a text and the error that it is refused with.
type readError struct{ text, want string }

func checkReadErrors(t *testing.T, tests []readError) {
	t.Helper()
	for _, test := range tests {
		d, err := readHOA(test.text)
		if err == nil {
			t.Errorf("%q is read as %s, want error %s", test.text, describe(d), test.want)
		} else if err.Error() != test.want {
			t.Errorf("%q:\ngot  %v\nwant %s", test.text, err, test.want)
		}
	}
}

func TestReadHOAHeaderErrors(t *testing.T) {
	const buchi = "HOA: v1\nAcceptance: 1 Inf(0)\n"
	checkReadErrors(t, []readError{
		{"", `a.hoa:1: there is no automaton here; an HOA file begins with "HOA: v1"`},
		{"\n/* nothing */\n", `a.hoa:3: there is no automaton here; an HOA file begins with "HOA: v1"`},
		{"HOA: v1 --ABORT--\n", `a.hoa:2: the tool that wrote this gave up: every automaton ends in --ABORT--`},
		{"States: 1", `a.hoa:1: expected "HOA: v1", found the header item "States:"`},
		{"digraph {", `a.hoa:1: expected "HOA: v1", found "digraph"`},
		{"HOA: v2\n", `a.hoa:1: HOA version "v2" cannot be read, only v1`},
		{"HOA: v1.1\n", `a.hoa:1: HOA version "v1.1" cannot be read, only v1`},
		{"HOA:", `a.hoa:1: HOA version "" cannot be read, only v1`},
		{"HOA: v1\n", `a.hoa:2: expected a header item or --BODY--, found the end of the file`},
		{"HOA: v1\n--BODY--", `a.hoa:2: the header item "Acceptance:" is missing`},
		{buchi + "Acceptance: 0 t", `a.hoa:3: the header item "Acceptance:" stands here for the second time; line 2 has it already`},
		{buchi + "x: 1\nx: 2", `a.hoa:4: the header item "x:" stands here for the second time; line 3 has it already`},
		{buchi + "Fairness: strong\n", `a.hoa:3: the header item "Fairness:" is not known; as it begins with a capital letter it may change the meaning of the automaton`},
		{"HOA: v1 acc-name: Rabin 1 Acceptance: 2 Fin(0) & Inf(1) --BODY--", `a.hoa:1: the acceptance condition is Rabin 1 (2 Fin(0)&Inf(1)); only Büchi automata can be read, with Inf of one set or t`},
		{"HOA: v1 Acceptance: 2 Inf(0)|(Inf(1)) --BODY--", `a.hoa:1: the acceptance condition is 2 Inf(0)|(Inf(1)); only Büchi automata can be read, with Inf of one set or t`},
		{"HOA: v1 acc-name: co-Buchi Acceptance: 1 Fin(0) --BODY--", `a.hoa:1: the acceptance condition is co-Buchi (1 Fin(0)); only Büchi automata can be read, with Inf of one set or t`},
		{"HOA: v1 Acceptance: 1 Inf(!0) --BODY--", `a.hoa:1: the acceptance condition is 1 Inf(!0); only Büchi automata can be read, with Inf of one set or t`},
		{"HOA: v1 acc-name: none Acceptance: 0 f --BODY--", `a.hoa:1: the acceptance condition is none (0 f); only Büchi automata can be read, with Inf of one set or t`},
		{"HOA: v1\nAcceptance: 1 Inf(0)\nacc-name: co-Buchi --BODY--", `a.hoa:2: acc-name: gives co-Buchi, but Acceptance: gives 1 Inf(0); correct one of them`},
		{"HOA: v1 acc-name: Buchi Acceptance: 0 t --BODY--", `a.hoa:1: acc-name: gives Buchi, but Acceptance: gives 0 t; correct one of them`},
		{"HOA: v1 acc-name: --BODY--", `a.hoa:1: expected the name of an acceptance condition, found "--BODY--"`},
		{"HOA: v1 Acceptance: 1 Inf(1) --BODY--", `a.hoa:1: Acceptance: mentions set 1 and declares 1`},
		{"HOA: v1 Acceptance: 1 !Inf(0) --BODY--", `a.hoa:1: expected Inf, Fin, t, f or "(", found "!"`},
		{"HOA: v1 Acceptance: 1 (Inf(0) --BODY--", `a.hoa:1: expected "&", "|" or ")", found "--BODY--"`},
		{"HOA: v1 Acceptance: 1 Sometimes(0) --BODY--", `a.hoa:1: expected Inf, Fin, t, f or "(", found "Sometimes"`},
		{"HOA: v1 Acceptance: Inf(0)", `a.hoa:1: expected the number of acceptance sets, found "Inf"`},
		{"HOA: v1 Acceptance: 1 Inf 0", `a.hoa:1: expected "(", found "0"`},
		{"HOA: v1 Acceptance: 1 Inf(f)", `a.hoa:1: expected the number of an acceptance set, found "f"`},
		{"HOA: v1 Acceptance: 1 Inf(0|0)", `a.hoa:1: expected ")", found "|"`},
		{buchi + "States: many", `a.hoa:3: expected the number of states, found "many"`},
		{buchi + "States: 2147483648", `a.hoa:3: the number "2147483648" is not below 2147483648, the limit of HOA`},
		{buchi + "States: 01", `a.hoa:3: the number "01" begins with a useless 0`},
		{buchi + "name: GFa", `a.hoa:3: expected the name of the automaton, a string, found "GFa"`},
		{buchi + "Start: 0&1", `a.hoa:3: universal branching ("&" between states) cannot be read; convert the automaton to one without alternation, as ltl2tgba -D and autfilt of Spot do`},
		{buchi + "Start: t", `a.hoa:3: expected the number of an initial state, found "t"`},
		{buchi + "Start: 1\nStates: 1 --BODY--", `a.hoa:3: initial state 1 does not exist: the header has States: 1, and states are numbered from 0`},
		{buchi + `AP: 1 "a"` + "\n" + `"b" --BODY--`, `a.hoa:3: AP: declares 1 atomic propositions and names 2`},
		{buchi + `AP: 2 "a" --BODY--`, `a.hoa:3: AP: declares 2 atomic propositions and names 1`},
		{buchi + "AP: 2 \"a\"\n\"a\" --BODY--", `a.hoa:4: the atomic proposition "a" stands twice in AP:`},
		{buchi + "Alias: a 0", `a.hoa:3: expected the name of an alias, such as "@a", found "a"`},
		{buchi + "Alias: @ 0", `a.hoa:3: unexpected character '@'; outside strings and comments HOA is plain ASCII`},
		{buchi + "Alias: @a t\nAlias: @a f", `a.hoa:4: the alias "@a" is defined twice`},
		{buchi + "Alias: @a @a", `a.hoa:3: the alias "@a" is not defined; Alias: has to come before its use`},
		{buchi + "Alias: @a 0\n--BODY--", `a.hoa:3: a label uses proposition 0, but AP: declares only 0, numbered from 0`},
		{buchi + "Alias: @a &\n--BODY--", `a.hoa:3: expected a proposition number, an alias, t, f, "!" or "(", found "&"`},
	})
}

func TestReadHOABodyErrors(t *testing.T) {
	const buchi = "HOA: v1\nAcceptance: 1 Inf(0)\n"
	checkReadErrors(t, []readError{
		{buchi + "--BODY--", `a.hoa:3: expected "State:" or --END--, found the end of the file`},
		{buchi + "--BODY--\nStart: 0", `a.hoa:4: expected "State:" or --END--, found the header item "Start:"`},
		{buchi + "--BODIES--", `a.hoa:3: unexpected "--BODIES--"; expected --BODY--, --END-- or --ABORT--`},
		{buchi + "-", `a.hoa:3: unexpected "-"; expected --BODY--, --END-- or --ABORT--`},
		{buchi + "--BODY-- State: 0 [t] 0\n", `a.hoa:4: expected "State:" or --END--, found the end of the file`},
		{buchi + "--BODY-- State: a", `a.hoa:3: expected the number of a state, found "a"`},
		{buchi + "--BODY-- State: 0\nState: 0", `a.hoa:4: state 0 is listed a second time; line 3 lists it already`},
		{buchi + "States: 1 --BODY-- State: 1", `a.hoa:3: state 1 does not exist: the header has States: 1, and states are numbered from 0`},
		{buchi + "States: 1 --BODY-- State: 0\n[t] 1", `a.hoa:4: state 1 does not exist: the header has States: 1, and states are numbered from 0`},
		{buchi + "--BODY-- State: 0\n[t] 2147483647", `a.hoa:4: state number 2147483647 is too large: numbers must be below 2147483647`},
		{buchi + "States: 2147483647 --BODY-- State: 0\nState: 2 --END--", `a.hoa:4: state 1 is not listed; States: declares 2147483647`},
		{buchi + "--BODY-- State: 0 [t] 2 State: 1 --END--", `a.hoa:3: state 2 is not listed, although state 2 is mentioned`},
		{buchi + "Start: 7 --BODY-- State: 0 --END--", `a.hoa:3: state 1 is not listed, although state 7 is mentioned`},
		{buchi + "--BODY-- State: 0\n[t] 0&0", `a.hoa:4: universal branching ("&" between states) cannot be read; convert the automaton to one without alternation, as ltl2tgba -D and autfilt of Spot do`},
		{buchi + "--BODY-- State: 0\n[t] {0}", `a.hoa:4: expected the number of the state that the edge leads to, found "{"`},
		{buchi + "--BODY-- State: 0\n[t] 0 {1}", `a.hoa:4: acceptance set 1 is not below the number of sets 1`},
		{buchi + "--BODY-- State: 0\n[t] 0 {0", `a.hoa:4: expected the number of an acceptance set or "}", found the end of the file`},
		{buchi + "--BODY-- State: 0\n[t", `a.hoa:4: expected "&", "|" or "]", found the end of the file`},
		{buchi + "--BODY-- State: 0\n[(t]", `a.hoa:4: expected "&", "|" or ")", found "]"`},
		{buchi + "--BODY-- State: 0\n[t)]", `a.hoa:4: expected "&", "|" or "]", found ")"`},
		{buchi + "--BODY-- State: 0\n[]", `a.hoa:4: expected a proposition number, an alias, t, f, "!" or "(", found "]"`},
		{buchi + "--BODY-- State: 0\n[0] 0", `a.hoa:4: a label uses proposition 0, but AP: declares only 0, numbered from 0`},
		{buchi + "--BODY-- State: [t] 0\n[t] 0 --END--", `a.hoa:3: state 0 has a label, and so have edges of it; only one of the two is possible`},
		{buchi + "--BODY-- State: 0\n[t] 0 0 --END--", `a.hoa:3: state 0 has 2 edges, of which 1 have a label; either all have one or none`},
		{buchi + "--BODY-- State: 0\n0 0 --END--", `a.hoa:3: state 0 has 2 edges without labels; it takes one for each of the 2^0 letters, or labels`},
		{buchi + "/* a\n/* b */\n", `a.hoa:3: the comment that begins here does not end; comments nest, so every /* needs its own */`},
		{buchi + "name: \"a\nb\\\"", `a.hoa:3: the string that begins here does not end; close it with "`},
		{buchi + "name: \"a\\", `a.hoa:3: the string that begins here does not end; close it with "`},
		{buchi + "x: ä", `a.hoa:3: unexpected character 'Ã'; outside strings and comments HOA is plain ASCII`},
		{buchi + "x: #", `a.hoa:3: unexpected character '#'; outside strings and comments HOA is plain ASCII`},
	})
}

func TestReadHOANamesTheInputWithoutAName(t *testing.T) {
	_, err := ReadHOA(context.Background(), strings.NewReader("HOA: v3"), "")
	var e *automata.Error
	if !errors.As(err, &e) || e.File != "input" || e.Line != 1 {
		t.Errorf("error %v", err)
	}
}

// allHOA yields the automata of a stream one after the other, up to the first error.
func allHOA(ctx context.Context, r io.Reader, file string) iter.Seq2[*Description, error] {
	return func(yield func(*Description, error) bool) {
		file := automata.NewReader(ctx, r, file)
		for {
			var d *Description
			b, err := file.Next()
			if err == nil {
				d, err = description(ctx, b)
			}
			if errors.Is(err, io.EOF) || !yield(d, err) || err != nil {
				return
			}
		}
	}
}

func TestAllHOA(t *testing.T) {
	one := "HOA: v1 name: \"%s\" Start: 0 Acceptance: 1 Inf(0) --BODY-- State: 0 {0} [t] 0 --END--"
	stream := fmt.Sprintf(one, "1") + "HOA: v1 Acceptance: --ABORT--" + fmt.Sprintf(one, "2") +
		"\nHOA: v1 x: foo--ABORT-- Acceptance: 1 Inf(0) --BODY-- State: 0 --ABORT-- " + fmt.Sprintf(one, "3") + " "
	var names []string
	for d, err := range allHOA(context.Background(), strings.NewReader(stream), "a.hoa") {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, d.Name)
	}
	if !reflect.DeepEqual(names, []string{"1", "2", "3"}) {
		t.Errorf("names %q", names)
	}
	d, err := readHOA("HOA: v1 --ABORT-- " + stream)
	if err != nil || d.Name != "1" {
		t.Errorf("the first one: %v, error %v", d, err)
	}
	// An error ends the stream, and stopping early is possible.
	var results []string
	for d, err := range allHOA(context.Background(), strings.NewReader(fmt.Sprintf(one, "1")+"x "+stream), "a.hoa") {
		results = append(results, fmt.Sprint(d != nil, err))
	}
	if want := []string{"true <nil>", `false a.hoa:1: expected "HOA: v1", found "x"`}; !reflect.DeepEqual(results, want) {
		t.Errorf("results %q", results)
	}
	for range allHOA(context.Background(), strings.NewReader(stream), "") {
		break
	}
}

func TestReadHOATellsOfFailingReaders(t *testing.T) {
	text := header1 + "Start: 0 name: \"n\" --BODY-- State: 0 [@a&1] 0 {0} /* x */ --END--"
	text = strings.Replace(text, "Start:", "Alias: @a t Start:", 1)
	for cut := range len(text) - len("--END--") {
		r := io.MultiReader(strings.NewReader(text[:cut]), iotest.ErrReader(errors.New("broken wire")))
		_, err := ReadHOA(context.Background(), r, "a.hoa")
		var e *automata.Error
		if !errors.As(err, &e) || e.Message != "broken wire" || errors.Unwrap(e) == nil {
			t.Fatalf("cut after %q: error %v", text[:cut], err)
		}
	}
}

func TestReadHOAStopsWithItsContext(t *testing.T) {
	text := header1 + "Start: 0 --BODY-- State: 0 " + strings.Repeat("[0] 0 ", 10_000) + "--END--"
	for looks := range 5 {
		_, err := ReadHOA(&stopping{context.Background(), looks}, strings.NewReader(text), "")
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after %d looks at the context: error %v", looks, err)
		}
	}
}

// TestReadHOAOfDeepExpressions has expressions and comments nested deeply, and
// aliases that would be too long written out.
func TestReadHOAOfDeepExpressions(t *testing.T) {
	const depth = 200_000
	read := func(text string) *Description {
		d, err := readHOA("HOA: v1 AP: 1 \"a\" Acceptance: 1 " + strings.Repeat("(", depth) + "Inf(0)" + strings.Repeat(")", depth) +
			strings.Repeat("/*", depth) + strings.Repeat("*/", depth) + text + " --END--")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	deep := "[" + strings.Repeat("!(", depth) + "0" + strings.Repeat(")", depth) + "]0 "
	if d := read("Start: 0 --BODY-- State: 0 " + deep + "[" + strings.Repeat("0&", depth) + "!0]0"); d.Automaton.NumEdges() != 1 {
		t.Errorf("%d edges, want 1", d.Automaton.NumEdges())
	}
	// 100 aliases, each twice the one before it.
	text := "Alias: @0 0"
	for i := range 100 {
		text += fmt.Sprintf(" Alias: @%d @%d&@%d", i+1, i, i)
	}
	if d := read(text + " Start: 0 --BODY-- State: 0 [@100] 0 [@100&!0] 0"); d.Automaton.NumEdges() != 1 {
		t.Errorf("%d edges, want 1", d.Automaton.NumEdges())
	}
}

// TestReadHOARefusesIntricateLabels has a label by which 21 pigeons would have a
// hole each of 20: a hard one for a search.
func TestReadHOARefusesIntricateLabels(t *testing.T) {
	const holes = 20
	var names, clauses []string
	for p := range holes + 1 {
		var some []string
		for h := range holes {
			names = append(names, fmt.Sprintf("\"%d in %d\"", p, h))
			some = append(some, fmt.Sprint(p*holes+h))
			for q := range p {
				clauses = append(clauses, fmt.Sprintf("(!%d|!%d)", p*holes+h, q*holes+h))
			}
		}
		clauses = append(clauses, "("+strings.Join(some, "|")+")")
	}
	label := strings.Join(clauses, "&")
	_, err := readHOA(fmt.Sprintf("HOA: v1 AP: %d %s Acceptance: 1 Inf(0) --BODY-- State: 0 [%s] 0 --END--", len(names), strings.Join(names, " "), label))
	if err == nil || !strings.HasPrefix(err.Error(), `a.hoa:1: the label "(0|1|2|`) || !strings.HasSuffix(err.Error(), "is too intricate to tell whether a letter satisfies it; simplify it") {
		t.Errorf("error %v", err)
	}
}

// TestReadingAsksForMemory: an automaton that does not fit is not read, and the error says
// so.
func TestReadingAsksForMemory(t *testing.T) {
	states := 300_000
	if !randomlts.Whole() {
		states /= 4
	}
	var text strings.Builder
	fmt.Fprintf(&text, "HOA: v1\nStates: %d\nStart: 0\nAP: 0\nAcceptance: 1 Inf(0)\n--BODY--\n", states)
	for s := range states {
		fmt.Fprintf(&text, "State: %d\n[t] %d\n", s, (s+1)%states)
	}
	text.WriteString("--END--\n")
	budget := resources.NewBudget(resources.Limit{Bytes: 1, By: "allowed by a test"}, nil)
	ctx, leave := resources.Join(budget.With(context.Background()))
	defer leave()
	_, err := ReadHOA(ctx, strings.NewReader(text.String()), "large.hoa")
	var exceeded *resources.ExceededError
	if !errors.As(resources.Because(ctx, err), &exceeded) {
		t.Errorf("error %v", err)
	}
	// What is read is the same with memory enough.
	d, err := ReadHOA(context.Background(), strings.NewReader(text.String()), "large.hoa")
	if err != nil || d.Automaton.NumStates() != states {
		t.Errorf("error %v", err)
	}
}

// TestSectionsInAnyOrder: states may be listed in any order, each once.
func TestSectionsInAnyOrder(t *testing.T) {
	const head = "HOA: v1\nStates: 4\nStart: 1\nAP: 0\nAcceptance: 1 Inf(0)\n--BODY--\n"
	section := func(s int) string { return fmt.Sprintf("State: %d\n[t] %d\n", s, (s+1)%4) }
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}, {2, 3, 0, 1}} {
		text := head
		for _, s := range order {
			text += section(s)
		}
		d, err := ReadHOA(context.Background(), strings.NewReader(text+"--END--\n"), "x.hoa")
		if err != nil || d.Automaton.NumStates() != 4 {
			t.Errorf("%v: %v", order, err)
		}
		for i, again := range order {
			_, err := ReadHOA(context.Background(), strings.NewReader(text+section(again)+"--END--\n"), "x.hoa")
			want := fmt.Sprintf("x.hoa:15: state %d is listed a second time; line %d lists it already", again, 7+2*i)
			if err == nil || err.Error() != want {
				t.Errorf("%v: error %v, want %s", order, err, want)
			}
		}
	}
	if _, err := ReadHOA(context.Background(), strings.NewReader(head+section(3)+section(0)+section(2)+"--END--\n"), "x.hoa"); err == nil || !strings.Contains(err.Error(), "state 1 is not listed") {
		t.Errorf("error %v", err)
	}
}
