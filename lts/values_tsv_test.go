package lts_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// TestValuesTSVReadsBack: what is written is read back the same, whatever the texts are.
func TestValuesTSVReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const most = 5
		b, err := lts.NewValuesBuilder(context.Background(), []lts.Parameter{{Name: "a"}, {Name: "tab\tand\\"}})
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 12).Draw(t, "times") {
			s, p := rapid.IntRange(0, most-1).Draw(t, "state"), rapid.IntRange(0, 1).Draw(t, "parameter")
			text := rapid.StringOfN(rapid.RuneFrom([]rune("a=\t\n\r\\\"n ")), 0, 5, -1).Draw(t, "text")
			if err := b.Set(lts.State(s), p, b.Value(p, []byte(text))); err != nil {
				t.Fatal(err)
			}
		}
		table, err := b.Build(most)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := table.WriteTSV(&text); err != nil {
			t.Fatal(err)
		}
		again, err := lts.ReadValues(context.Background(), &text, "m.tsv", most)
		if err != nil {
			t.Fatal(err)
		}
		for s := range lts.State(most) {
			for p := range 2 {
				want := table.Value(s, p)
				q, there := again.Find(table.Parameter(p).Name)
				if !there {
					if want != lts.NoValue {
						t.Fatalf("parameter %d is missing", p)
					}
					continue
				}
				got := again.Value(s, q)
				if (got == lts.NoValue) != (want == lts.NoValue) || again.Text(q, got) != table.Text(p, want) {
					t.Fatalf("state %d, parameter %d: %q, want %q", s, p, again.Text(q, got), table.Text(p, want))
				}
			}
		}
	})
}

func TestValuesTSVRefused(t *testing.T) {
	for text, want := range map[string]string{
		"x\ta=1\n":          `m.tsv:1: a line is STATE, a tab, and NAME=VALUE after a tab each; "x" is not a state`,
		"\n3\ta=1\n":        "m.tsv:2: state 3, where the model has 3, numbered from 0",
		"0\ta\n":            `m.tsv:1: a value is NAME=VALUE, found "a"`,
		"0\t=1\n":           `m.tsv:1: a value is NAME=VALUE, found "=1"`,
		"0\ta=1\n0\ta=1\n":  `m.tsv:2: state 0 has a second value of "a"`,
		"-1\ta=1\n":         `m.tsv:1: a line is STATE`,
		"0\ta=1\ta=2\tb=\n": `m.tsv:1: state 0 has a second value of "a"`,
	} {
		_, err := lts.ReadValues(context.Background(), strings.NewReader(text), "m.tsv", 3)
		var located *inputfile.Error
		if err == nil || !errors.As(err, &located) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	b, _ := lts.NewValuesBuilder(context.Background(), []lts.Parameter{{Name: "a=b"}})
	table, _ := b.Build(1)
	if err := table.WriteTSV(&bytes.Buffer{}); err == nil {
		t.Error("a name with an equals sign was written")
	}
}

// TestValuesTSVOfManyParameters: a line of many values is read in time linear in it, and reading heeds its
// context within the line. With a search through all names for each it took minutes.
func TestValuesTSVOfManyParameters(t *testing.T) {
	const many = 300_000
	var b strings.Builder
	b.WriteString("0")
	for p := range many {
		fmt.Fprintf(&b, "\tv%d=1", p)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	read, err := lts.ReadValues(ctx, strings.NewReader(b.String()+"\n"), "wide.tsv", 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := read.NumParameters(); got != many {
		t.Errorf("%d parameters, want %d", got, many)
	}
}

// TestValuesTSVOfManyNames: a name for each state takes memory for the states that have it, and not for all before.
func TestValuesTSVOfManyNames(t *testing.T) {
	const many = 20_000
	var b strings.Builder
	for s := range many {
		fmt.Fprintf(&b, "%d\tv%d=1\n", s, s)
	}
	budget := resources.NewBudget(resources.Limit{Bytes: 64 << 20, By: "allowed by a test"}, nil)
	read, err := lts.ReadValues(budget.With(t.Context()), strings.NewReader(b.String()), "m.tsv", many)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []lts.State{0, 1, many - 1} {
		if v := read.Value(s, int(s)); read.Text(int(s), v) != "1" {
			t.Errorf("state %d has no value", s)
		}
		if v := read.Value(s, (int(s)+1)%many); v != lts.NoValue {
			t.Errorf("state %d has the value of another one", s)
		}
	}
}

// FuzzValues: whatever a table of states says, it is refused by its line, or read, and written so that it is read
// back the same.
func FuzzValues(f *testing.F) {
	const most = 5
	for _, text := range []string{"", "0\ta=1\n", "3\ta=1\tb=x y\n1\tb=\n", "\n2\tt\\tab=\\n\n", "4\ta==\n0\ta=\xff\n", "5\ta=1\n", "0\ta=1\n0\ta=1\n", "00\ta=1\r\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		read, err := lts.ReadValues(t.Context(), bytes.NewReader(text), "m.tsv", most)
		if err != nil {
			var located *inputfile.Error
			if !errors.As(err, &located) || located.Line < 1 || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %v", err)
			}
			return
		}
		var written, again bytes.Buffer
		if err := read.WriteTSV(&written); err != nil {
			t.Fatal(err)
		}
		back, err := lts.ReadValues(t.Context(), bytes.NewReader(written.Bytes()), "m.tsv", most)
		if err != nil {
			t.Fatal(err)
		}
		for s := range lts.State(most) {
			for p := range read.NumParameters() {
				other, known := back.Find(read.Parameter(p).Name)
				if got := read.Value(s, p); got != lts.NoValue && (!known || read.Text(p, got) != back.Text(other, back.Value(s, other))) {
					t.Fatalf("state %d, %s: %q is lost", s, read.Parameter(p).Name, read.Text(p, got))
				}
			}
		}
		if err := back.WriteTSV(&again); err != nil || back.NumParameters() != read.NumParameters() {
			t.Fatalf("%d parameters, %d read back (error %v)", read.NumParameters(), back.NumParameters(), err)
		}
	})
}
