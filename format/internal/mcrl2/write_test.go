package mcrl2_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/format/internal/mcrl2"
	"github.com/inev-lts/inev/internal/testing/collection"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// steps returns the transitions of a model by their labels' texts, in the order in which they were added.
func steps(m *lts.LTS) []string {
	var all []string
	for t := range m.Transitions() {
		all = append(all, fmt.Sprintf("%d %s %d", t.From, m.Alphabet().Text(t.Label), t.To))
	}
	return all
}

// randomLabels are labels of several tools, and some that are like them.
var randomLabels = []string{
	"a", "tau", "i", "", "GET !1 !TRUE", "b(1, 2)|c", "a|a", "a(-5)", "a(5)", "a(true, none)", "book(date(1, jan, -44), false)", "lst([1, 2])",
	"f({1: 2}, x)", "a()", "a(1,2)", "a(b)c(d)", "a)", "(a", "ü \\ '", `say "hi"`, "a @ 3", "x(18446744073709551615)", "x(18446744073709551616)",
	"x(007)", "x(@c1)", "a, b", "@1", "a(b | c)", "t(node(leaf(1), nil))", "line\nfeed", "a'b(1)", "1(2)",
}

// randomTable returns values of states, of which some may be missing.
func randomTable(t *testing.T, r *rand.Rand, states int) *lts.Values {
	t.Helper()
	parameters := []lts.Parameter{{Name: "n"}, {Name: "queue of x", Sort: "List(Nat)"}, {Name: "b"}, {Name: "pc"}, {Name: "m"}}[:1+r.IntN(5)]
	texts := [][]string{{"0", "1", "300"}, {"[0, 1]", "[]", "x"}, {"true", "false"}, {"3", "true", "-1"}, {"-3", "4", "0"}}
	b, err := lts.NewValuesBuilder(context.Background(), parameters)
	if err != nil {
		t.Fatal(err)
	}
	misses := r.IntN(2) == 0
	for s := range lts.State(states) {
		for p := range parameters {
			if misses && r.IntN(4) == 0 {
				continue
			}
			if err := b.Set(s, p, b.Value(p, []byte(texts[p][r.IntN(len(texts[p]))]))); err != nil {
				t.Fatal(err)
			}
		}
	}
	values, err := b.Build(states)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// TestWrittenIsRead: random models with labels of several tools, another initial state and values are read as they were written.
func TestWrittenIsRead(t *testing.T) {
	for seed := range randomlts.Share(3_000) {
		r := rand.New(rand.NewPCG(seed, 7))
		var b lts.Builder
		states := 1 + r.IntN(7)
		for range r.IntN(12) {
			b.Add(lts.State(r.IntN(states)), b.Label(randomLabels[r.IntN(len(randomLabels))]), lts.State(r.IntN(states)))
		}
		last := lts.State(states - 1)
		b.Add(last, b.Label("last"), lts.State(r.IntN(states)))
		m, err := b.Build(lts.State(r.IntN(states)), states)
		if err != nil {
			t.Fatal(err)
		}
		var values *lts.Values
		if r.IntN(2) == 0 {
			values = randomTable(t, r, states)
		}
		var file bytes.Buffer
		if warnings, err := mcrl2.Write(&file, m, values); err != nil || len(warnings) > 0 {
			t.Fatalf("seed %d: %v %q", seed, err, warnings)
		}
		got, warnings, err := read(file.Bytes())
		if err != nil || len(warnings) > 0 {
			t.Fatalf("seed %d: %v %q", seed, err, warnings)
		}
		if got.LTS.NumStates() != states || got.LTS.Initial() != m.Initial() || !slices.Equal(steps(got.LTS), steps(m)) {
			t.Fatalf("seed %d: %q became %q", seed, steps(m), steps(got.LTS))
		}
		if values == nil {
			continue
		}
		for s := range lts.State(states) {
			for p := range values.NumParameters() {
				want, is := "", got.States.Text(p, got.States.Value(s, p))
				if v := values.Value(s, p); v != lts.NoValue {
					want = values.Text(p, v)
				}
				if want != is || got.States.Parameter(p).Name != values.Parameter(p).Name {
					t.Fatalf("seed %d: state %d has %q, and had %q", seed, s, is, want)
				}
			}
		}
	}
}

// TestForeignIsWritten: what mCRL2 wrote is the same after it was written again.
func TestForeignIsWritten(t *testing.T) {
	folder, there := collection.Foreign(t, "mcrl2")
	if !there {
		t.Skip("the models by others are not here")
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*.lts"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || info.Size() > 1<<20 {
			continue
		}
		m, _, err := open(path)
		if err != nil {
			continue // the probabilistic one
		}
		var file bytes.Buffer
		if _, err := mcrl2.Write(&file, m.LTS, m.States); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		again, warnings, err := read(file.Bytes())
		if err != nil || len(warnings) > 0 {
			t.Errorf("%s: %v %q", path, err, warnings)
			continue
		}
		expectSame(t, filepath.Base(path), written(t, again.LTS), written(t, m.LTS))
	}
}

// TestWrittenTypes: actions are declared with the sorts of their arguments, and numbers are of sort Int where one is negative.
func TestWrittenTypes(t *testing.T) {
	var b lts.Builder
	for i, label := range []string{"a(-5, x)", "a(5, y)", "b(1, true)"} {
		b.Add(lts.State(i), b.Label(label), lts.State(i))
	}
	m, err := b.Build(0, 3)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if _, err := mcrl2.Write(&got, m, nil); err != nil {
		t.Fatal(err)
	}
	data := at("SortId", at("Data"))
	integer := at("SortId", at("Int"))
	constant := func(text string) aterm { return op(text, data) }
	word := at("SortId", at("@word"))
	positive := apply(op("@cNeg", arrow(integer, pos)), apply(op("@most_significant_digit", arrow(pos, word)), number(5)))
	five := apply(op("@cInt", arrow(integer, nat)), apply(op("@most_significant_digitNat", arrow(nat, word)), number(5)))
	one := apply(op("@most_significant_digitNat", arrow(nat, word)), number(1))
	act := func(name string, sorts, arguments []aterm) aterm {
		return multi(notime, at("Action", at("ActId", at(name), list(sorts...)), list(arguments...)))
	}
	for _, label := range []aterm{
		act("a", []aterm{integer, data}, []aterm{positive, constant("x")}),
		act("a", []aterm{integer, data}, []aterm{five, constant("y")}),
		act("b", []aterm{nat, boole}, []aterm{one, op("true", boole)}),
	} {
		if !slices.Contains(labelsIn(t, got.Bytes()), label.key()) {
			t.Errorf("no label is %s, of\n%s", label.key(), strings.Join(labelsIn(t, got.Bytes()), "\n"))
		}
	}
}

// labelsIn returns the terms of the labels in a file, decoded without the reader.
func labelsIn(t *testing.T, file []byte) (labels []string) {
	t.Helper()
	at := 0
	take := func(count int) (v uint64) {
		for range count {
			v = v<<1 | uint64(file[at/8]>>(7-at%8)&1)
			at++
		}
		return v
	}
	integer := func() (v uint64) {
		for shift := 0; ; shift += 7 {
			group := take(8)
			v |= group & 0x7f << shift
			if group < 0x80 {
				return v
			}
		}
	}
	width := func(n int) (bits int) {
		for ; n > 0; n /= 2 {
			bits++
		}
		return bits
	}
	type symbol struct {
		name  string
		arity int
	}
	symbols := []symbol{{}}
	var terms []string
	if take(40) != 0x8baf8308 {
		t.Fatalf("the file begins with % x", file[:5])
	}
	for {
		switch kind := take(2); kind {
		case 0:
			name := make([]byte, integer())
			for i := range name {
				name[i] = byte(take(8))
			}
			symbols = append(symbols, symbol{string(name), int(integer())})
		case 3:
			integer()
		default:
			number := take(width(len(symbols)))
			if number == 0 {
				return labels
			}
			s := symbols[number]
			if s.name == "<aterm_int>" {
				terms = append(terms, fmt.Sprint(integer()))
				continue
			}
			text := fmt.Sprintf("%q(", s.name)
			places := width(len(terms))
			for range s.arity {
				text += terms[take(places)] + ","
			}
			if kind == 1 {
				terms = append(terms, text+")")
			} else if s.name == "TimedMultAct" {
				labels = append(labels, text+")")
			}
		}
	}
}

// TestNotInLTS: what cannot be the same in the file is told, or refused before anything is written.
func TestNotInLTS(t *testing.T) {
	model := func(states int, labels ...string) *lts.LTS {
		var b lts.Builder
		for _, label := range labels {
			b.Add(0, b.Label(label), 0)
		}
		m, err := b.Build(0, states)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for want, m := range map[string]*lts.LTS{
		"the parts of multi-actions are in mCRL2's order: b|a is a|b in the file": model(1, "b|a"),
		"the states from 1 on, which no transition mentions, are not in the file": model(3, "a"),
	} {
		var file bytes.Buffer
		warnings, err := mcrl2.Write(&file, m, nil)
		if err != nil || len(warnings) != 1 || !strings.HasPrefix(warnings[0], want) {
			t.Errorf("%v %q, want %s", err, warnings, want)
		}
	}
	var file bytes.Buffer
	if _, err := mcrl2.Write(&file, model(1, strings.Repeat("a", 1<<20+1)), nil); err == nil || file.Len() > 0 {
		t.Errorf("a label of more than 1 MiB: %v, %d bytes", err, file.Len())
	}
	if _, err := mcrl2.Write(failing{}, model(1, "a"), nil); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
}

var errFull = errors.New("full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }
