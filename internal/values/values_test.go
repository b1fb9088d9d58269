package values_test

import (
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/values"
)

// TestEqualValuesHaveOneKey: however a value is written, it is the same; and others are not.
func TestEqualValuesHaveOneKey(t *testing.T) {
	classes := [][]string{
		{"1", "01", " 1 ", "(1)"}, {"-1"}, {`"1"`}, {"TRUE", "true"}, {"p1"}, {`"p1"`}, {"{}", "{ }"},
		{"{1, 2}", "{2,1}", "{2, 1, 1}"}, {"<<1, 2>>", "(1 :> 1 @@ 2 :> 2)", "(2:>2@@1:>1)", "<< 1,2 >>"}, {"[1, 2]"}, {"<<2, 1>>"}, {"<<>>", "<< >>"},
		{`[a |-> 1, b |-> <<2>>]`, `[b |-> << 2 >>,a|->1]`, `("a" :> 1 @@ "b" :> <<2>>)`}, {"(p1 :> 1 @@ p2 :> 2)", "(p2 :> 2 @@ p1 :> 1)"},
		{"f(1, g(x))", "f(1,g(x))"}, {"f(1, g(y))"}, {"a ? b", "a  ? b"}, {`"two\nlines"`}, {"{<<1, 2>>, <<1, 3>>}", "{<<1,3>>,<<1,2>>}"},
		{"[type |-> \"a]b\"]"}, {strings.Repeat("<<", 300) + strings.Repeat(">>", 300)},
	}
	for i, class := range classes {
		for _, text := range class {
			v := values.Parse(text)
			if back := values.Parse(v.String()); !back.Equal(v) {
				t.Errorf("%s is written as %s, which is another value", text, v)
			}
			for j, other := range classes {
				for _, of := range other {
					if values.Parse(of).Equal(v) != (i == j) {
						t.Errorf("%s and %s: equal is not %t", text, of, i == j)
					}
				}
			}
		}
	}
}

// TestAtomsReadBack: the text of an atom is read back to it, up to what stands behind.
func TestAtomsReadBack(t *testing.T) {
	for text, want := range map[string]string{
		"big=4": "big = 4", "big = 4)": "big = 4", `pc[1] # "cs" /\ x`: `pc[1] != "cs"`, "x=<3": "x <= 3", "x>=-3": "x >= -3",
		`x \in {2,1} => y`: `x \in {1, 2}`, `x \notin s`: `x \notin s`, "Len(q)>n": "Len(q) > n", `msg.to[2].x = /a\/b/`: `msg.to[2].x = /a\/b/`,
		"a = b*": "a = b*", "a=b": "a = b", "a = f(1,2) && x": "a = f(1, 2)", "q = << >>": "q = <<>>", "x /= [a |-> 1]": "x != [a |-> 1]",
		"a -> b": "", "a <-> b": "", "a <=> b": "", "a => b": "", "a ~> b": "", "4 = x": "", "a": "", "a(1) = 2": "", `a /\ b`: "", "a <> b": "",
	} {
		a, _, is, err := values.Read(text, 0)
		switch {
		case err != nil:
			t.Errorf("%s: %v", text, err)
		case is != (want != ""):
			t.Errorf("%s: an atom is not %t", text, want != "")
		case !is:
		case a.String() != want:
			t.Errorf("%s is %s, want %s", text, a, want)
		default:
			if back, end, is, err := values.Read(a.String(), 0); err != nil || !is || end != len(want) || back.String() != want {
				t.Errorf("%s is not read back", want)
			}
		}
	}
	for _, text := range []string{"x = ", `x = "a`, "x = /a", "x < /a/", `x \in 4`, "x = <<1", "x = )"} {
		if _, _, is, err := values.Read(text, 0); !is || err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

// TestHolds compares atoms with what they are known to mean.
func TestHolds(t *testing.T) {
	names := []string{"x", "y", "a.b", "f"}
	of := map[string]string{"x": "4", "y": `"4"`, "a.b": "[to |-> <<p1, 2>>, n |-> 5]", "f": `(p1 :> "idle" @@ p2 :> "cs")`}
	for text, want := range map[string]bool{
		"x = 4": true, "x = 04": true, `x = "4"`: false, `y = "4"`: true, "y = 4": false, "x != y": true, "x = x": true, "x < 5": true, "x >= 5": false,
		"a.b.n > x": true, "a.b.to[1] = p1": true, "a.b.to[3] = p1": false, "a.b.to[3] != p1": false, "Len(a.b.to) = 2": true,
		`f[p2] = "cs"`: true, `f[p1] \in {"idle", "cs"}`: true, "f[p1] = /^id/": true, "f[p2] = c*": true, `f[p2] \notin {"cs"}`: false, "x = nothing": false,
	} {
		a, _, is, wrong := values.Read(text, 0)
		if !is || wrong != nil {
			t.Fatalf("%s: %v", text, wrong)
		}
		b, err := a.Bind(names)
		if err != nil {
			t.Fatal(err)
		}
		var read []values.Value
		for _, p := range b.Parameters() {
			read = append(read, values.Parse(of[names[p]]))
		}
		if got, err := b.Holds(read...); err != nil || got != want {
			t.Errorf("%s: %t, %v", text, got, err)
		}
	}
}

// TestDiff: changes are told at their place.
func TestDiff(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"1", "2", "x: 1 → 2"},
		{`<<"a", "wait">>`, `<<"a", "cs">>`, `x[2]: "wait" → "cs"`},
		{"<<1>>", "<<1, 2>>", "x: + <<2>>"}, {"<<1, 2>>", "<<2>>", "x: - <<1>>"}, {"<<1, 2>>", "<<3>>", "x: <<1, 2>> → <<3>>"},
		{"{1}", "{1, 2}", "x: + 2"}, {"{1, 3}", "{2, 3}", "x: + 2; x: - 1"},
		{"[a |-> [b |-> 1, c |-> 2]]", "[a |-> [b |-> 1, c |-> 3]]", "x.a.c: 2 → 3"},
		{"(p1 :> 1 @@ p2 :> 2)", "(p1 :> 1 @@ p2 :> <<>>)", "x[p2]: 2 → <<>>"},
		{"<<1, 2>>", "(2 :> 2 @@ 1 :> 1)", ""},
	} {
		var all []string
		for _, change := range values.Diff(values.Parse(c.before), values.Parse(c.after)) {
			all = append(all, change.String("x"))
		}
		if got := strings.Join(all, "; "); got != c.want {
			t.Errorf("%s, %s: %s, want %s", c.before, c.after, got, c.want)
		}
	}
}
