package aut

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/lts"
)

// describe writes down an LTS so that two of them can be compared: the initial
// state and the number of states, then the transitions in their order.
func describe(m *lts.LTS) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d", m.Initial(), m.NumStates())
	for t := range m.Transitions() {
		fmt.Fprintf(&b, "; %d -%q-> %d", t.From, m.Alphabet().Text(t.Label), t.To)
	}
	return b.String()
}

func readText(text string, o Options) (*lts.LTS, []string, error) {
	return Read(context.Background(), strings.NewReader(text), o)
}

func TestReadDialects(t *testing.T) {
	const twoSteps = `0 of 3; 0 -"a"-> 1; 1 -"b"-> 2`
	for _, test := range []struct{ name, text, want string }{
		{"canonical", "des (0, 2, 3)\n(0, \"a\", 1)\n(1, \"b\", 2)\n", twoSteps},
		{"no blanks", "des(0,2,3)\n(0,\"a\",1)\n(1,\"b\",2)\n", twoSteps},
		{"blank before the parenthesis only", "des (0,2,3)\n(0,\"a\",1)\n(1,\"b\",2)\n", twoSteps},
		{"blanks after commas only", "des(0, 2, 3)\n(0, \"a\", 1)\n(1, \"b\", 2)\n", twoSteps},
		{"unquoted", "des (0, 2, 3)\n(0, a, 1)\n(1, b, 2)\n", twoSteps},
		{"unquoted, no blanks", "des (0,2,3)\n(0,a,1)\n(1,b,2)\n", twoSteps},
		{"header padded by mCRL2", "des (0,2,3)                                        \n(0,\"a\",1)\n(1,\"b\",2)\n", twoSteps},
		{"lines padded", "des (0,2,3)   \n(0,\"a\",1)     \n(1,\"b\",2)\t\n", twoSteps},
		{"blanks and tabs everywhere", " \tdes\t (\t0 , 2\t,\t3 ) \n\t( 0 ,\t\"a\" \t, 1 )\t\n  (\t1\t,\tb\t,\t2\t)", twoSteps},
		{"CR LF", "des (0,2,3)\r\n(0,\"a\",1)\r\n(1,b,2)\r\n", twoSteps},
		{"CR LF after padding", "des (0,2,3)     \r\n(0,\"a\",1) \r\n(1,b,2)\t\r\n", twoSteps},
		{"last line ends with the file", "des (0,2,3)\n(0,a,1)\n(1,b,2)", twoSteps},
		{"last line ends in CR", "des (0,2,3)\r\n(0,a,1)\r\n(1,b,2)\r", twoSteps},
		{"blank lines", "\n \n\r\ndes (0,2,3)\n\n(0,a,1)\n \t \n\r\n(1,b,2)\n\n\n", twoSteps},
		{"last line is blank and ends with the file", "des (0,2,3)\n(0,a,1)\n(1,b,2)\n  ", twoSteps},
		{"byte order mark", "\ufeffdes (0,2,3)\n(0,a,1)\n(1,b,2)\n", twoSteps},
		{"leading zeros", "des (00,02,0000000000000000000000000000003)\n(000000000000,a,00000000000000000000000000001)\n(01,b,02)\n", twoSteps},
		{"another initial state", "des (2,1,3)\n(2,a,0)\n", `2 of 3; 2 -"a"-> 0`},
		{"no transitions", "des (0,0,1)\n", `0 of 1`},
		{"no transitions, and the header ends with the file", "des (3,0,5)", `3 of 5`},
		{"transitions in any order, doubled, self-loops", "des (1,4,3)\n(2,a,2)\n(0,b,1)\n(2,a,2)\n(1,a,0)\n",
			`1 of 3; 2 -"a"-> 2; 0 -"b"-> 1; 2 -"a"-> 2; 1 -"a"-> 0`},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, lenient := range []bool{false, true} {
				m, warnings, err := readText(test.text, Options{Lenient: lenient})
				if err != nil || len(warnings) > 0 {
					t.Fatalf("lenient %v: error %v, warnings %q", lenient, err, warnings)
				}
				if got := describe(m); got != test.want {
					t.Errorf("lenient %v:\n got %s\nwant %s", lenient, got, test.want)
				}
			}
		})
	}
}

func TestReadLabels(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{`(0,"",0)`, ``},
		{`(0," ",0)`, ` `},
		{`(0," a ",0)`, ` a `},
		{"(0,\"\ta\r\",0)", "\ta\r"},
		{`(0,"RA !ADD (0, EMPTYSET) !+1",0)`, `RA !ADD (0, EMPTYSET) !+1`},
		{`(0,RA !ADD (0, EMPTYSET) !+1,0)`, `RA !ADD (0, EMPTYSET) !+1`},
		{`(0, "SEND !"hello" !"world"", 0 )`, `SEND !"hello" !"world"`},
		{`(0, "DUMP ... " ... \" ..." , 0)`, `DUMP ... " ... \" ...`},
		{`(0,"PUT_\6",0)`, `PUT_\6`},
		{`(0,PUT_\6,0)`, `PUT_\6`},
		{`(0,"a\",0)`, `a\`},
		{`(0,"""",0)`, `""`},
		{`(0,""",0)`, `"`},
		{`(0,"a", 1)",0)`, `a", 1)`},
		{`(0,"a",1)(0,"b",0)`, `a",1)(0,"b`},
		{`(0,(1,a,2),0)`, `(1,a,2)`},
		{`(0,G !"x",0)`, `G !"x"`},
		{`(0,a"b",0)`, `a"b"`},
		{`(0,  a  b  ,0)`, `a  b`},
		{"(0,\ta\tb\t,0)", "a\tb"},
		{`(0,,,0)`, `,`},
		{`(0,*,0)`, `*`},
		{`(0,i,0)`, `i`},
		{`(0,)(,0)`, `)(`},
		{"(0,\"\x00\xff\xfe\",0)", "\x00\xff\xfe"},
		{"(0,\x80,0)", "\x80"},
		{`(0,"é → ü",0)`, `é → ü`},
		{`(0,"a":GREEN",0)`, `a":GREEN`},
	} {
		m, _, err := readText("des (0,1,1)\n"+test.line+"\n", Options{})
		if err != nil {
			t.Errorf("%s: %v", test.line, err)
			continue
		}
		if got := m.Alphabet().Text(0); got != test.want {
			t.Errorf("%s: label %q, want %q", test.line, got, test.want)
		}
	}
}

func TestReadLenient(t *testing.T) {
	for _, test := range []struct {
		name, text, want string
		warnings         []string
	}{
		{
			"fewer transitions", "des (0,5,3)\n(0,a,1)\n(1,b,2)\n", `0 of 3; 0 -"a"-> 1; 1 -"b"-> 2`,
			[]string{"m.aut:3: declared 5 transitions, found 2: the file may be truncated"},
		},
		{
			"more transitions", "des (0,1,3)\n(0,a,1)\n\n(1,b,2)\n(2,c,0)\n", `0 of 3; 0 -"a"-> 1; 1 -"b"-> 2; 2 -"c"-> 0`,
			[]string{"m.aut:4: declared 1 transitions, found 3, the first beyond the declared number here"},
		},
		{
			"state numbers beyond", "des (0,3,2)\n(0,a,1)\n(1,b,7)\n(9,c,7)\n", `0 of 10; 0 -"a"-> 1; 1 -"b"-> 7; 9 -"c"-> 7`,
			[]string{"m.aut:3: state 7 is not below 2, the declared number of states; the largest state found is 9, so the number of states is taken to be 10"},
		},
		{
			"initial state beyond", "des (4,1,2)\n(0,a,1)\n", `4 of 5; 0 -"a"-> 1`,
			[]string{"m.aut:1: state 4 is not below 2, the declared number of states; the largest state found is 4, so the number of states is taken to be 5"},
		},
		{
			"no states declared", "des (0,0,0)\n", `0 of 1`,
			[]string{"m.aut:1: state 0 is not below 0, the declared number of states; the largest state found is 0, so the number of states is taken to be 1"},
		},
		{
			"both", "des (0,1,1)\n(0,a,3)\n(3,a,0)\n", `0 of 4; 0 -"a"-> 3; 3 -"a"-> 0`,
			[]string{
				"m.aut:3: declared 1 transitions, found 2, the first beyond the declared number here",
				"m.aut:2: state 3 is not below 1, the declared number of states; the largest state found is 3, so the number of states is taken to be 4",
			},
		},
		{
			"cut off inside a line", "des (0,4,3)\n(0,a,1)\n(1,\"f(x)", `0 of 3; 0 -"a"-> 1`,
			[]string{
				"m.aut:3: the file ends inside this transition, which is left out",
				"m.aut:3: declared 4 transitions, found 1: the file may be truncated",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, warnings, err := readText(test.text, Options{Name: "m.aut", Lenient: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(m); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if got, want := strings.Join(warnings, "\n"), strings.Join(test.warnings, "\n"); got != want {
				t.Errorf("warnings:\n%s\nwant:\n%s", got, want)
			}
			if _, _, err := readText(test.text, Options{}); err == nil {
				t.Error("a strict reading accepts it")
			}
		})
	}
}
