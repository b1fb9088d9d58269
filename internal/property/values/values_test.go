package values_test

import (
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/property/values"
)

// TestNotationsOfAValueAreEqual: however a value is written, it is the same; and others are not.
func TestNotationsOfAValueAreEqual(t *testing.T) {
	classes := [][]string{
		{"1", "01", " 1 ", "(1)"}, {"-1"}, {`"1"`}, {"TRUE", "true"}, {"p1"}, {`"p1"`}, {"{}", "{ }"},
		{"{1, 2}", "{2,1}", "{2, 1, 1}"}, {"<<1, 2>>", "(1 :> 1 @@ 2 :> 2)", "(2:>2@@1:>1)", "<< 1,2 >>"}, {"[1, 2]"}, {"<<2, 1>>"}, {"<<>>", "<< >>"},
		{`[a |-> 1, b |-> <<2>>]`, `[b |-> << 2 >>,a|->1]`, `("a" :> 1 @@ "b" :> <<2>>)`}, {"(p1 :> 1 @@ p2 :> 2)", "(p2 :> 2 @@ p1 :> 1)"},
		{"f(1, g(x))", "f(1,g(x))"}, {"f(1, g(y))"}, {"a ? b", "a  ? b"}, {`"two\nlines"`}, {"{<<1, 2>>, <<1, 3>>}", "{<<1,3>>,<<1,2>>}"},
		{"[type |-> \"a]b\"]"}, {"99999999999999999999", "099999999999999999999"}, {"-99999999999999999999"}, {"FALSE"}, {"<<1, 2, 3>>"}, {"[a |-> 2]"},
		{"(0 :> 1 @@ 10 :> 2 @@ 9 :> 3)", "(9 :> 3 @@ 10 :> 2 @@ 0 :> 1)"}, {"{10, 9, 2}", "{2, 10, 9}"}, {strings.Repeat("<<", 300) + strings.Repeat(">>", 300)},
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

// TestCompareIsAnOrder: of all triples of values, and numbers are compared by size.
func TestCompareIsAnOrder(t *testing.T) {
	var all []values.Value
	for _, text := range []string{"1", "2", "10", "-99999999999999999999", "99999999999999999999", "TRUE", "FALSE", "a", `"a"`, `"b"`, "<<>>", "<<1>>", "<<1, 2>>", "<<2>>",
		"{}", "{1}", "{1, 2}", "{10, 9}", "[a |-> 1]", "[a |-> 1, b |-> 1]", "[b |-> 0]", "(0 :> 1)", "(0 :> 2 @@ 3 :> 1)", "f(1)", "g(1)", "[1, 2]"} {
		all = append(all, values.Parse(text))
	}
	for _, a := range all {
		for _, b := range all {
			if a.Compare(b) > 0 != (b.Compare(a) < 0) || a.Compare(b) == 0 != (a.String() == b.String()) {
				t.Errorf("%s and %s: %d, %d", a, b, a.Compare(b), b.Compare(a))
			}
			for _, c := range all {
				if a.Compare(b) < 0 && b.Compare(c) < 0 && a.Compare(c) >= 0 {
					t.Errorf("%s, %s, %s are in no order", a, b, c)
				}
			}
		}
	}
	if got := values.Parse("{10, 99999999999999999999, 9, -1}").String(); got != "{-1, 9, 10, 99999999999999999999}" {
		t.Error(got)
	}
}

// TestAtomsReadBack: the text of an atom is read back to it, up to what stands behind.
func TestAtomsReadBack(t *testing.T) {
	for text, want := range map[string]string{
		"big=4": "big = 4", "big = 4)": "big = 4", `pc[1] # "cs" /\ x`: `pc[1] != "cs"`, "x=<3": "x <= 3", "x>=-3": "x >= -3",
		`x \in {2,1} => y`: `x \in {1, 2}`, `x \notin s`: `x \notin s`, "Len(q)>n": "Len(q) > n", `msg.to[2].x = /a\/b/`: `msg.to[2].x = /a\/b/`,
		"a = b*": "a = b*", "a=b": "a = b", "a = f(1,2) && x": "a = f(1, 2)", "q = << >>": "q = <<>>", "x /= [a |-> 1]": "x != [a |-> 1]",
		"a -> b": "", "a <-> b": "", "a <=> b": "", "a => b": "", "a ~> b": "", "4 = x": "x = 4", "-1 <= x && y": "x >= -1", `"a" # x`: `x != "a"`, "TRUE = x": "x = TRUE", "4 = 5": "", "TRUE = FALSE": "",
		`x \in -1..2`: `x \in -1..2`, `x \notin 0 .. -3`: `x \notin 0..-3`, "x.'1Z": "", "L#x.'1Z": "L != x", "4 -> x": "", `4 \in s`: "", "a": "", "a(1) = 2": "", `a /\ b`: "", "a <> b": "",
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
	for _, text := range []string{"x = ", `x = "a`, "x = /a", "x < /a/", `x \in 4`, `x \in 1..`, "x = <<1", "x = )"} {
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
		"5 > x": true, `x \in 1..4`: true, `x \notin -4..3`: true, `y \in 1..4`: false, `x \in 4..1`: false,
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
		{`("a b" :> 1 @@ "c" :> 2)`, `("a b" :> 3 @@ "c" :> 4)`, `x["a b"]: 1 → 3; x.c: 2 → 4`},
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

// FuzzAtoms: an atom that is read is written so that it is read again, and says the same of values;
// its opposite says the contrary where all that they compare is there.
func FuzzAtoms(f *testing.F) {
	for _, seed := range [][2]string{
		{`pc[1] # "cs" /\ x`, `<<"cs", "wait">>`}, {`x \in -1..2`, "2"}, {"0 = x", "00"}, {"L#x.'1Z", `[x |-> "'1Z"]`}, {"Len(q) > n", "<<1, 2>>"}, {"m.to[2].x = /a\\/b/", "[to |-> <<1, [x |-> a]>>]"},
		{"a = b*", `"bc"`}, {`x \notin {2, "a"}`, "{2}"}, {`x = f(1, [2])`, "f(1,[2])"}, {"x < -3", "-4"}, {"FALSE # x", "true"}, {"a#a[", "0"}, {"L> (q) > n", "<<1, 2>>"}, {"x = (\"a\")", "a"}, {"x = ()", "a"}, {"L > (q'''')", "<<1, 21>>"}, {`x[p, "a b"] = 1`, "(<<p, \"a b\">> :> 1)"}, {"x = -", "1"}, {"Cardinality(s[1]) >= 2", "<<{1, 2}>>"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		a, after, is, wrong := values.Read(text, 0)
		if after < 0 || after > len(text) || wrong != nil && (wrong.Offset < 0 || wrong.Offset > len(text)) {
			t.Fatalf("%q: read to %d, %v", text, after, wrong)
		}
		if !is || wrong != nil {
			return
		}
		written := a.String()
		back, end, is, wrong := values.Read(written, 0)
		if !is || wrong != nil || end != len(written) || back.String() != written {
			t.Fatalf("%q is written %q, which is read to %d as %v, %v", text, written, end, back, wrong)
		}
		names := []string{"x", "L", "pc", "q", "m", "a", "s", "m.to", "n"}
		b, err := a.Bind(names)
		if err != nil {
			return
		}
		again, err := back.Bind(names)
		if err != nil {
			t.Fatalf("%q is written %q: %v", text, written, err)
		}
		opposite, err := a.Opposite().Bind(names)
		if err != nil {
			t.Fatal(err)
		}
		var of []values.Value
		for range b.Parameters() {
			of = append(of, values.Parse(value))
		}
		j, err := b.Judge(of...)
		k, wrongAgain := again.Judge(of...)
		if j != k || (err == nil) != (wrongAgain == nil) {
			t.Fatalf("%q says %v, %v of %q, and written %q %v, %v", text, j, err, value, written, k, wrongAgain)
		}
		if o, wrong := opposite.Judge(of...); err == nil && (wrong != nil || o.Reads != j.Reads || o.Compares != j.Compares || j.Reads && o.Holds == j.Holds || !j.Reads && (o.Holds || j.Holds)) {
			t.Fatalf("%q says %v of %q, and its opposite %v, %v", text, j, value, o, wrong)
		}
	})
}

// TestNamesInPlaceOfStrings: if a part of a function over names is asked for as that of a record, what to write is told, and it has values.
func TestNamesInPlaceOfStrings(t *testing.T) {
	for text, want := range map[string]string{
		`st.j1 = "run"`: "st[j1]", `st["j1"] = "run"`: "st[j1]", `st.j1.at # 3`: "", `st.j3 = "run"`: "", `big.st.j2.at = 3`: `big["st"][j2]["at"]`,
	} {
		names := []string{"st", "big"}
		of := []values.Value{values.Parse(`(j1 :> "idle" @@ j2 :> "run")`), values.Parse(`[st |-> (j2 :> [at |-> 3])]`)}
		said := func(text string) string {
			a, _, _, wrong := values.Read(text, 0)
			if wrong != nil {
				t.Fatal(wrong)
			}
			b, err := a.Bind(names)
			if err != nil {
				t.Fatal(err)
			}
			left := of[0]
			if strings.HasPrefix(text, "big") {
				left = of[1]
			}
			j, err := b.Judge(left)
			if err != nil {
				t.Fatal(err)
			}
			seen := b.Seen()
			seen.Add(j, left)
			if err := seen.Err(); err != nil {
				return err.Error()
			}
			return ""
		}
		_, told, _ := strings.Cut(said(text), "there are values of ")
		told, _, _ = strings.Cut(told, ": write")
		if told != want {
			t.Errorf("%s: %q, want %q", text, said(text), want)
		}
		if told != "" && strings.Contains(said(told+` = "other"`), "no state has a value") {
			t.Errorf("%s: %s", told, said(told+` = "other"`))
		}
	}
}

// TestNoState: what no state has is an error, whatever the operator; what some state has is none.
func TestNoState(t *testing.T) {
	have := []string{"1", "2", `"a"`}
	for text, want := range map[string]string{
		"x = 1": "", "x # 1": "", "x # 7": "", `x # "a"`: "", `x \notin {"b"}`: "", "x = 7": "the closest values of x are 1, 2", `x # TRUE`: `x != TRUE compares values of different kinds, so it always holds; x has values such as "a", 1, 2`,
		`x \notin {TRUE}`: "different kinds", "x[3] # 0": "x[3] != 0 holds in no state: no state has a value of x[3]", "x.a > 0": "no state has a value of x.a", "x # y[1]": "no state has a value of y[1]",
		"x = y": "", "x # y": "", "x # z": "different kinds", "x = z": "x = z holds in no state", `x \in z`: "", `x \in 5..9`: "the closest values of x are 1, 2", `x # p`: "different kinds", "x # a*": "",
	} {
		a, _, _, wrong := values.Read(text, 0)
		if wrong != nil {
			t.Fatal(wrong)
		}
		b, err := a.Bind([]string{"x", "y", "z"})
		if err != nil {
			t.Fatal(err)
		}
		seen := b.Seen()
		for _, text := range have {
			of := []values.Value{values.Parse(text), values.Parse("7"), values.Parse("{1}")}
			var read []values.Value
			for _, p := range b.Parameters() {
				read = append(read, of[p])
			}
			j, err := b.Judge(read...)
			if err != nil {
				t.Fatal(err)
			}
			seen.Add(j, of[0])
		}
		if got := seen.Err(); (got == nil) != (want == "") || got != nil && !strings.Contains(got.Error(), want) {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
}
