package relabel

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestExamplesOfTheManual checks the examples that CADP's manual pages of the files give.
func TestExamplesOfTheManual(t *testing.T) {
	for _, c := range []struct {
		kind        Kind
		how         Matching
		file        string
		label, want string
	}{
		{Hide, Total, "hide\nGET\n\"ACK !false .*\"\n", "GET", "i"},
		{Hide, Total, "hide\nGET\n\"ACK !false .*\"\n", "ACK !false !1", "i"},
		{Hide, Total, "hide\nGET\n\"ACK !false .*\"\n", "GET !1", "GET !1"},
		{Hide, Total, "\n  hide   all but\n\n\"PUT .*\"\n", "PUT !1", "PUT !1"},
		{Hide, Total, "hide all but\n\"PUT .*\"\n", "PUT", "i"},
		{Hide, Gate, "hide\nG\n", "G !1", "i"},
		{Hide, Gate, "hide\n.*G.*\n", "AGB(1)", "i"},
		{Hide, Gate, "hide\n.*G.*\n", "A !G", "A !G"},
		{Hide, Partial, "hide\nG\n", "A !G", "i"},
		{Rename, Total, "rename\nGET -> PUT\nPUT -> GET\n", "GET", "PUT"},
		{Rename, Total, "rename\nGET -> PUT\nPUT -> GET\n", "PUT", "GET"},
		{Rename, Total, "rename\n\"PUT !\\([A-Z]*\\) !\\([A-Z]*\\)\" -> \"PUT !\\2 !\\1\"\n", "PUT !ABC !XYZ", "PUT !XYZ !ABC"},
		{Rename, Gate, "rename\nG -> H\n", "G !1", "H !1"},
		{Rename, Gate, "rename\n.*G.* -> H\n", "AGA !1", "H !1"},
		{Rename, Single, "rename\nG -> H\n", "AGG !G", "AHG !G"},
		{Rename, Multiple, "rename\nG -> H\n", "AGG !G", "AHH !H"},
		{Rename, Total, "rename\n\"\\([a-zA-Z0-9]*\\) \\(!.*\\)\" -> \"\\1 !1 \\2\"\n", "G !7", "G !1 !7"},
		{Rename, Total, "rename\n.* -> X\n", "i", "i"},
		{Rename, Total, "rename\ni -> tau\n", "i", "tau"},
		{Rename, Total, "rename\n\"a$b\" -> \"$1\"\n", "a$b", "$1"},
		{Hide, Total, "hide\nB !1\n", "B !1; prob 0.5", "i"},
		{Hide, Total, "hide\nB\n", "B !1; prob 0.5", "B !1; prob 0.5"},
		{Rename, Total, "rename\n\"B !\\(.\\)\" -> \"C !\\1\"\n", "B !1; prob 0.5", "C !1; prob 0.5"},
		{Rename, Total, "rename\n\"B.*\" -> C\n", "B !1; prob 0.5", "C"},
		{Rename, Total, "rename\n\"B !1; prob 0.5\" -> C\n", "B !1; prob 0.5", "C"},
		{Rename, Multiple, "rename\nB -> C\n", "B !B; rate 2", "C !C; rate 2"},
		{Cut, Total, "cut all but\nB !1\n", "B !1; rate 2.0", "B !1; rate 2.0"},
		{Cut, Total, "cut all but\nA\n", "i", "i"},
		{Cut, Total, "cut all but\nA\n", "B", ""},
		{Cut, Total, "cut\ni\n", "i", ""},
	} {
		rules, err := ParseFile(c.kind, "rules", []byte(c.file), c.how)
		if err != nil {
			t.Errorf("%q: %v", c.file, err)
			continue
		}
		var changes Changes
		changes.Set(rules)
		if got := changes.fateOf(c.label, "i").Now; got != c.want {
			t.Errorf("%s %q makes %q of %q, want %q", c.how, c.file, got, c.label, c.want)
		}
	}
}

// TestErrorsNameThePlace checks what is said of broken files.
func TestErrorsNameThePlace(t *testing.T) {
	for file, want := range map[string]string{
		"":                      "f: the file is empty; its first line is rename",
		"GET\n":                 "f:1: expected rename, found GET (column 1)",
		"rename\n\nGET PUT\n":   "f:3: expected OLD -> NEW, found GET PUT (column 1)",
		"rename\nGET ->\n":      "f:2: expected OLD -> NEW, and one side of the arrow is empty (column 5)",
		"rename\nA[ -> B\n":     "f:2: A[: a class [ is never closed",
		"rename\nA -> \\1\n":    `f:2: \1: \1 stands for a group, but the left side has 0`,
		"rename\n\"A -> B\n":    "f:2: the quote at the beginning of the line is never closed",
		"rename\n\\(A -> B\n":   `f:2: \(A: a group \( is never closed`,
		"rename\nA\\{x\\}->B\n": `f:2: A\{x\}: \{x\} has no numbers`,
	} {
		_, err := ParseFile(Rename, "f", []byte(file), Total)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", file, err, want)
		}
	}
}

// node is a regular expression for an oracle that knows no automata.
type node struct {
	text  string
	match func(s string, at int, do func(end int))
}

// drawNode draws an expression of regexp(5) with its meaning: all ends of its matches.
func drawNode(r *rand.Rand, depth int) node {
	const letters = "ab !.("
	k := r.IntN(8)
	switch {
	case depth == 0 || k < 3:
		c := letters[r.IntN(len(letters))]
		text := string(c)
		if c == '.' {
			text = `\.`
		}
		return node{text, func(s string, at int, do func(int)) {
			if at < len(s) && s[at] == c {
				do(at + 1)
			}
		}}
	case k == 3:
		return node{".", func(s string, at int, do func(int)) {
			if at < len(s) {
				do(at + 1)
			}
		}}
	case k == 4:
		negated := r.IntN(2) == 0
		text := "[ab]"
		if negated {
			text = "[^ab]"
		}
		return node{text, func(s string, at int, do func(int)) {
			if at < len(s) && strings.IndexByte("ab", s[at]) >= 0 != negated {
				do(at + 1)
			}
		}}
	case k == 5:
		one := drawOne(r)
		return node{one.text + "*", func(s string, at int, do func(int)) { repeat(one, s, at, 0, len(s), do) }}
	case k == 6:
		one := drawOne(r)
		return node{one.text + `\{1,2\}`, func(s string, at int, do func(int)) { repeat(one, s, at, 1, 2, do) }}
	default:
		left := drawNode(r, depth-1)
		right := drawNode(r, depth-1)
		return node{`\(` + left.text + right.text + `\)`, func(s string, at int, do func(int)) {
			left.match(s, at, func(end int) { right.match(s, end, do) })
		}}
	}
}

// drawOne draws an expression that matches one character.
func drawOne(r *rand.Rand) node {
	for {
		if n := drawNode(r, 0); n.text != "*" {
			return n
		}
	}
}

func repeat(n node, s string, at, least, most int, do func(int)) {
	if least <= 0 {
		do(at)
	}
	if most > 0 {
		n.match(s, at, func(end int) { repeat(n, s, end, least-1, most-1, do) })
	}
}

// TestExpressionsAgainstAllMatches compares expressions with an oracle that tries all matches: whole ones, and the
// first and longest part.
func TestExpressionsAgainstAllMatches(t *testing.T) {
	for seed := range randomlts.Share(20_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := drawNode(r, 2)
		if r.IntN(2) == 0 {
			more := drawNode(r, 1)
			first := n
			n = node{first.text + more.text, func(s string, at int, do func(int)) {
				first.match(s, at, func(end int) { more.match(s, end, do) })
			}}
		}
		var b strings.Builder
		for range r.IntN(6) {
			b.WriteByte("ab !.("[r.IntN(6)])
		}
		s := b.String()
		whole, err := compile(n.text, true)
		if err != nil {
			t.Fatalf("%s: %v", n.text, err)
		}
		ends := func(at int) (all []int) {
			n.match(s, at, func(end int) { all = append(all, end) })
			return all
		}
		if want := slices.Contains(ends(0), len(s)); whole.MatchString(s) != want {
			t.Fatalf("%s matches %q: %v, want %v", n.text, s, !want, want)
		}
		part, err := compile(n.text, false)
		if err != nil {
			t.Fatal(err)
		}
		var want []int
		for at := 0; at <= len(s) && want == nil; at++ {
			if all := ends(at); all != nil {
				want = []int{at, slices.Max(all)}
			}
		}
		if got := part.FindStringIndex(s); !slices.Equal(got, want) {
			t.Fatalf("the first part of %q that %s matches: %v, want %v", s, n.text, got, want)
		}
	}
}

// TestModelsAgainstEachTransition compares a changed model with its transitions changed one by one.
func TestModelsAgainstEachTransition(t *testing.T) {
	ctx := context.Background()
	for seed := range randomlts.Share(5_000) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := randomlts.Seeded(seed, randomlts.Small()).Model
		var texts []string
		for _, text := range m.Alphabet().All() {
			texts = append(texts, text)
		}
		pick := func() string { return texts[r.IntN(len(texts))] }
		var c Changes
		cut, hide, from, to := "", "", "", ""
		if r.IntN(2) == 0 {
			cut = pick()
			c.Cut = mustParse(t, Cut, "cut\n\""+cut+"\"\n")
		}
		if r.IntN(2) == 0 {
			hide = pick()
			c.Hide = mustParse(t, Hide, "hide\n\""+hide+"\"\n")
		}
		if r.IntN(2) == 0 {
			from, to = pick(), pick()
			c.Rename = mustParse(t, Rename, "rename\n\""+from+"\" -> \""+to+"\"\n")
		}
		var want []string
		for x := range m.Transitions() {
			text := m.Alphabet().Text(x.Label)
			switch text {
			case cut:
				continue
			case hide:
				text = "i"
			case from:
				text = to
			}
			want = append(want, fmt.Sprint(x.From, text, x.To))
		}
		got, err := c.Apply(ctx, m, "i")
		if err != nil {
			t.Fatal(err)
		}
		var have []string
		for x := range got.LTS.Transitions() {
			have = append(have, fmt.Sprint(x.From, got.LTS.Alphabet().Text(x.Label), x.To))
		}
		if !slices.Equal(have, want) || got.LTS.Initial() != m.Initial() || got.LTS.NumStates() != m.NumStates() {
			t.Fatalf("seed %d: cut %q, hide %q, rename %q to %q:\n%v\nwant\n%v", seed, cut, hide, from, to, have, want)
		}
		if got.CutTransitions != m.NumTransitions()-len(want) {
			t.Fatalf("seed %d: %d transitions cut, want %d", seed, got.CutTransitions, m.NumTransitions()-len(want))
		}
		if n := newDeadlocks(m, got.LTS); n != got.NewDeadlocks {
			t.Fatalf("seed %d: %d new deadlocks, want %d", seed, got.NewDeadlocks, n)
		}
	}
}

func mustParse(t *testing.T, kind Kind, text string) *Rules {
	t.Helper()
	r, err := ParseFile(kind, "f", []byte(text), Total)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// newDeadlocks counts deadlocks of after that are none of before, by a search of its own.
func newDeadlocks(before, after *lts.LTS) (n int) {
	seen := map[lts.State]bool{after.Initial(): true}
	left := []lts.State{after.Initial()}
	for len(left) > 0 {
		s := left[0]
		left = left[1:]
		_, targets := after.Out(s)
		_, earlier := before.Out(s)
		if len(targets) == 0 && len(earlier) > 0 {
			n++
		}
		for _, to := range targets {
			if !seen[to] {
				seen[to] = true
				left = append(left, to)
			}
		}
	}
	return n
}

// TestTextsOfRules checks rules in the notation of formulas.
func TestTextsOfRules(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		kind              Kind
		text, label, want string
	}{
		{Hide, "GET, ACK !*", "ACK !1", "i"},
		{Hide, "GET", "GET !1", "i"},
		{Hide, "all but GET, PUT", "ACK", "i"},
		{Hide, "all but GET, PUT", "PUT", "PUT"},
		{Cut, "LOSS", "LOSS", ""},
		{Rename, "SEND -> PUT", "SEND !1", "PUT !1"},
		{Rename, `"SEND !1" -> "PUT, now", GET -> TAKE`, "SEND !1", "PUT, now"},
		{Rename, `"SEND !1" -> "PUT, now", GET -> TAKE`, "GET", "TAKE"},
		{Rename, `/^send\(([a-z0-9]+)\)$/ -> put($1)`, "send(d1)", "put(d1)"},
		{Rename, `{A, B} -> C`, "B", "C"},
	} {
		rules, err := ParseText(ctx, c.kind, c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var changes Changes
		changes.Set(rules)
		if got := changes.fateOf(c.label, "i").Now; got != c.want {
			t.Errorf("%s %s makes %q of %q, want %q", c.kind, c.text, got, c.label, c.want)
		}
	}
	for _, text := range []string{"A", "A ->", "-> B", "A, B -> C", "/(/ -> B"} {
		if _, err := ParseText(ctx, Rename, text); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

// TestMatchingOfAnotherKind: a way of matching that only goes with other rules is refused by its name.
func TestMatchingOfAnotherKind(t *testing.T) {
	for _, c := range []struct {
		kind     Kind
		matching Matching
		want     string
	}{
		{Hide, Single, "single cannot be used with hide; leave it out, or write total, gate or partial before a.x"},
		{Cut, Multiple, "multiple cannot be used with cut; leave it out, or write total, gate or partial before a.x"},
		{Rename, Partial, "partial cannot be used with rename; leave it out, or write total, gate, single or multiple before a.x"},
	} {
		_, err := ParseFile(c.kind, "a.x", []byte(c.kind.header()), c.matching)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s %s: %v, want %s", c.kind, c.matching, err, c.want)
		}
	}
}

func TestSplit(t *testing.T) {
	isFile := func(path string) bool { return path == "rules" || path == "file" || path == "single file" }
	for text, want := range map[string]Argument{
		"a.hid":        {How: Total, File: "a.hid"},
		"gate a.hid":   {How: Gate, File: "a.hid"},
		"partial a":    {Text: "partial a"},
		"rules":        {How: Total, File: "rules"},
		"gate rules":   {How: Gate, File: "rules"},
		"GET":          {Text: "GET"},
		"single a.hid": {How: Single, File: "a.hid"},
		"single file":  {How: Total, File: "single file"},
	} {
		if got := Hide.Split(text, isFile); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}
