package formula_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/property/sample"
	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// rows are the patterns of the document, each with its meaning.
var rows = []struct{ pattern, meaning string }{
	{"Inev(A, B)", "A happens, and later B"},
	{"Response(A; B)", "every A is followed by B, strictly later"},
	{"Never(A)", "A does not happen"},
	{"Never(A, B)", "no A is followed by B, strictly later"},
	{"Precedes(A; B)", "no B happens before the first A"},
	{"Always(A)", "every action is A; a run may end"},
	{"AtMost(2; A)", "A happens twice at most"},
	{"DeadlockFree", "no run ends"},
}

var scopes = []struct{ scope, meaning string }{
	{"", "the whole run"},
	{"before X", "the part of the run before the first X. If X never happens, the property holds"},
	{"after X", "the part of the run after the first X"},
	{"between X and Y", "each part of the run from an X up to the next Y. An X without a later Y begins no such part"},
	{"after X until Y", "each part of the run from an X up to the next Y or, if there is none, to the end of the run"},
}

// runs writes the two shortest runs that a property accepts or rejects.
func runs(t *testing.T, a *lts.Alphabet, p *property.Property, accepted bool) string {
	t.Helper()
	found, err := sample.Of(context.Background(), p, accepted, 2)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, r := range found {
		var b strings.Builder
		for i, l := range r.Labels {
			if i == r.Loop {
				b.WriteString("(")
			}
			b.WriteString(a.Text(l))
			if i+1 < len(r.Labels) {
				b.WriteString(" ")
			}
		}
		if r.Loop >= 0 {
			b.WriteString(")…")
		} else if len(r.Labels) == 0 {
			b.WriteString("the empty run")
		} else {
			b.WriteString(" ■")
		}
		texts = append(texts, b.String())
	}
	if len(texts) == 0 {
		return "none"
	}
	return strings.Join(texts, "; ")
}

// TestDocument makes docs/properties.md.
func TestDocument(t *testing.T) {
	a, err := lts.NewAlphabet([]string{"A", "B", "X", "Y", "C"})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString(`# Properties: patterns, what they mean, and how other tools write them

A test of package ` + "`formula`" + ` writes this page. Steps are patterns of labels; ` + "`inev formula --help`" + `
describes them. A scope is written after the last semicolon, as in ` + "`Never(A; after X until Y)`" + `, or in
the parentheses of ` + "`DeadlockFree(after X)`" + `; it does not contain its delimiters. Runs end in ■, or
repeat the part in parentheses forever. The columns MCL and LTL are for actions without offers;
` + "`inev formula`" + ` prints exact formulas for all others, and the MCL of scopes. If runs may
[stop](fairness.md#justness), ` + "`!deadlock`" + ` is false where they stop, but ` + "`DeadlockFree`" + ` is not violated.
`)
	for _, s := range scopes {
		title := s.scope
		if title == "" {
			title = "without a scope"
		}
		const columns = "| pattern |%s LTL |%s runs that satisfy it | runs that do not |\n| --- |%s --- |%s --- | --- |\n"
		fmt.Fprintf(&b, "\n## %s\n\nAbout %s.\n\n", strings.ToUpper(title[:1])+title[1:], s.meaning)
		if s.scope == "" {
			fmt.Fprintf(&b, columns, " meaning |", " MCL |", " --- |", " --- |")
		} else {
			fmt.Fprintf(&b, columns, "", "", "", "")
		}
		for _, row := range rows {
			text := row.pattern
			switch {
			case s.scope == "":
			case row.pattern == "DeadlockFree":
				text += "(" + s.scope + ")"
			default:
				text = strings.TrimSuffix(text, ")") + "; " + s.scope + ")"
			}
			f, err := actl.Parse(context.Background(), text)
			if err != nil {
				t.Fatal(err)
			}
			p, _, err := f.Bind(context.Background(), a)
			if err != nil {
				t.Fatal(err)
			}
			quoted, err := actl.Parse(context.Background(), exact.Replace(text))
			if err != nil {
				t.Fatal(err)
			}
			mcl, _, _ := quoted.MCL(context.Background())
			cell := func(text string) string { return " `" + strings.ReplaceAll(text, "|", `\|`) + "` |" }
			meaning := " " + row.meaning + " |"
			if mcl = cell(mcl); s.scope != "" {
				meaning, mcl = "", "" // the same again, and in more words
			}
			fmt.Fprintf(&b, "|%s%s%s%s %s | %s |\n", cell(text), meaning, cell(ltl.Of(f).String()), mcl, runs(t, a, p, true), runs(t, a, p, false))
		}
	}
	golden.Check(t, "../docs/properties.md", b.Bytes())
}

// exact quotes the actions, which stand in front of what no name goes on with.
var exact = strings.NewReplacer("(A", `("A"`, "(B", `("B"`, ", B", `, "B"`, "; A", `; "A"`, "; B", `; "B"`, " X", ` "X"`, " Y", ` "Y"`)
