package hoa_test

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/formula/hoa"
	"github.com/inev-lts/inev/property"
)

// fataler is a test, or what package rapid makes of one.
type fataler interface {
	Helper()
	Fatal(...any)
}

// exported writes a property, and returns its number of states.
func exported(t fataler, f property.Formula) (text string, states int) {
	t.Helper()
	p, letters, err := f.(interface {
		BindLetters(context.Context) (*property.Property, *actl.Letters, error)
	}).BindLetters(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := hoa.Write(&b, p, letters.Steps()); err != nil {
		t.Fatal(err)
	}
	return b.String(), p.States()
}

// TestWrittenReadsBack: what is written of patterns and of linear temporal logic means
// the same on labels, also where runs end; and what is read and written again does.
func TestWrittenReadsBack(t *testing.T) {
	a := alphabet(t, append(labels, "d !1", "G")...)
	for _, text := range []string{
		"Inev(a)", "Inev(a, b, a)", "Inev({a, b}, {b, x})", "Response(a; b)", "Response(a; b, c)", "Never(a, b; between x and y)",
		"Precedes(a; b; after x until y)", "Inev(a, b; after x until y)", "Always({a, b, x}; before x)", "AtMost(2; a)", "DeadlockFree",
		`Never("d !1", /^[ab]/)`, "Never(d)", "Never(deadlock)", "G (a -> F b)", "GF a -> GF b", "FG !a || F deadlock", "(a U b) W c && GF x", "true", "false",
		`G ({G, a} -> X "deadlock")`, "Always({})",
	} {
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		file, states := exported(t, f)
		q := bound(t, a, file)
		same(t, text, a, p, q)
		want := states + 1
		if _, is := q.Chain(); is {
			want = states
		}
		if q.States() != want {
			t.Errorf("%s has %d states, and %d after it was written, with the one that completes it unless it is a chain:\n%s", text, states, q.States(), file)
		}
		again, err := hoa.Read(context.Background(), bytes.NewReader([]byte(file)), "p.hoa")
		if err != nil {
			t.Fatal(err)
		}
		twice, _ := exported(t, again)
		same(t, text+", written again", a, p, bound(t, a, twice))
	}
}

// TestWrittenPropositions: labels have no quotes of their own in a file, as other tools write
// them, where they mean the same without.
func TestWrittenPropositions(t *testing.T) {
	for text, want := range map[string]string{
		`Never("PUT !1", GET, r1(d1), "r1(d2)", "a|b")`: `AP: 5 "PUT !1" "GET" "r1(d1)" "r1(d2)" "a|b"`,
		`Never("GET", "x*", "a,b", "{a}", "/a/")`:       `AP: 5 "\"GET\"" "\"x*\"" "\"a,b\"" "\"{a}\"" "\"/a/\""`,
		`Never("a)", {A, "B"}, "deadlock")`:             `AP: 3 "\"a)\"" "{A, \"B\"}" "\"deadlock\""`,
		`Never("PUT !1", PUT !1)`:                       `AP: 2 "\"PUT !1\"" "PUT !1"`,
	} {
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		file, _ := exported(t, f)
		if !strings.Contains(file, want+"\n") {
			t.Errorf("%s: no line %s:\n%s", text, want, file)
		}
	}
}

// grammar is that of automata in HOA v1 as its authors give it
// (https://adl.github.io/hoaf/), as far as Write uses it: names and propositions are strings
// in double quotes with backslashes before quotes and backslashes.
var grammar = func() *regexp.Regexp {
	const (
		name   = `"(?:\\.|[^\\"])*"`
		atom   = `(?:t|!?\d+)`
		label  = `\[` + atom + `(?: ?[&|] ?` + atom + `)*\]`
		accept = `[tf]|(?:\(*(?:Inf|Fin)\(\d+\)\)*(?:[&|]\(*(?:Inf|Fin)\(\d+\)\)*)*)`
		edge   = label + ` \d+(?: \{\d+(?: \d+)*\})?\n`
	)
	return regexp.MustCompile(`^HOA: v1\nname: ` + name + `\nStates: \d+\nStart: \d+\nAP: \d+(?: ` + name + `)*\ninev-atoms:(?: ` + name + `| deadlock)*\n(?:inev-exclusive:(?: \d+)+\n)?` +
		`(?:acc-name: [-A-Za-z]+(?: \d+)?\n)?Acceptance: \d+ (?:` + accept + `)\nproperties:(?: [-a-z]+)+\n--BODY--\n` +
		`(?:State: \d+(?: ` + name + `)?\n(?:` + edge + `)*)*--END--\n$`)
}()

// TestWrittenIsHOA: what is written is in the language of the format, with each proposition
// once.
func TestWrittenIsHOA(t *testing.T) {
	for _, text := range []string{
		`Inev("q\"t", "back\slash", a)`, `Response("PUT !1"; GET, {A, "B"})`, "Always({})", "true", "false", "DeadlockFree", "Never(deadlock)",
		`G ("PUT !1" -> F deadlock)`, "GF a -> GF b", "FG !a || F deadlock", "(a U b) W c && GF x", "AtMost(2; a; between x and y)", "Never(a, a; after a)",
	} {
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		file, _ := exported(t, f)
		if !grammar.MatchString(file) {
			t.Errorf("%s is written as what is no automaton of HOA:\n%s", text, file)
		}
		_, line, _ := strings.Cut(file, "\nAP: ")
		line, _, _ = strings.Cut(line, "\n")
		count, names, _ := strings.Cut(line, " ")
		all := regexp.MustCompile(`"(?:\\.|[^\\"])*"`).FindAllString(names, -1)
		slices.Sort(all)
		if n, err := strconv.Atoi(count); err != nil || n != len(slices.Compact(all)) {
			t.Errorf("%s has the propositions %s", text, line)
		}
	}
}
