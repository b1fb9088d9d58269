package fsm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/format/internal/fsm"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// transitions returns the transitions of a model by their labels' texts, in the order in which they were added.
func transitions(m *lts.LTS) []string {
	var all []string
	for t := range m.Transitions() {
		all = append(all, fmt.Sprintf("%d %s %d", t.From, m.Alphabet().Text(t.Label), t.To))
	}
	return all
}

// randomValues returns a table of values of which some are missing.
func randomValues(t *testing.T, r *rand.Rand, states int) *lts.Values {
	t.Helper()
	parameters := []lts.Parameter{{Name: "queue", Sort: "List(Nat)"}, {Name: "pc"}}[:1+r.IntN(2)]
	b, err := lts.NewValuesBuilder(context.Background(), parameters)
	if err != nil {
		t.Fatal(err)
	}
	for s := range lts.State(states) {
		for p := range parameters {
			if r.IntN(4) > 0 {
				if err := b.Set(s, p, b.Value(p, []byte([]string{"[0, 1]", "3", "a b"}[r.IntN(3)]))); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	values, err := b.Build(states)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// TestWrittenIsRead: random models, of which some have states that no transition mentions, another initial state, and
// values, are read as they were written.
func TestWrittenIsRead(t *testing.T) {
	for seed := range randomlts.Share(2_000) {
		r := rand.New(rand.NewPCG(seed, 3))
		var b lts.Builder
		states := 1 + r.IntN(6)
		for range r.IntN(9) {
			label := []string{"a", "b(1, 2)|c", "", "tau", "GET !1", "ü \\ '"}[r.IntN(6)]
			b.Add(lts.State(r.IntN(states)), b.Label(label), lts.State(r.IntN(states)))
		}
		m, err := b.Build(lts.State(r.IntN(states)), states)
		if err != nil {
			t.Fatal(err)
		}
		var values *lts.Values
		if r.IntN(2) == 0 {
			values = randomValues(t, r, states)
		}
		var text bytes.Buffer
		if warnings, err := fsm.Write(&text, m, values); err != nil || len(warnings) > 0 {
			t.Fatalf("seed %d: %v %q", seed, err, warnings)
		}
		got, warnings, err := fsm.Read(context.Background(), bytes.NewReader(text.Bytes()), fsm.Options{States: true})
		if err != nil || len(warnings) > 0 {
			t.Fatalf("seed %d: %v %q\n%s", seed, err, warnings, text.String())
		}
		if got.LTS.NumStates() != states || got.LTS.Initial() != m.Initial() || !slices.Equal(transitions(got.LTS), transitions(m)) {
			t.Fatalf("seed %d: %v became %v\n%s", seed, m, got.LTS, text.String())
		}
		if values == nil {
			continue
		}
		for s := range lts.State(states) {
			for p := range values.NumParameters() {
				want, is := values.Text(p, values.Value(s, p)), got.States.Text(p, got.States.Value(s, p))
				if want != is {
					t.Fatalf("seed %d: state %d has %q, and had %q\n%s", seed, s, is, want, text.String())
				}
			}
		}
	}
}

// TestSortsInFSM: a parameter is written with its own sort, or else that of all its values, and with no value that no
// state has.
func TestSortsInFSM(t *testing.T) {
	var b lts.Builder
	b.Add(0, b.Label("a"), 1)
	b.Add(1, b.Label("a"), 2)
	m, err := b.Build(0, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		sort   string
		values []string // "-" for none
		want   string
	}{
		{"List(Nat)", []string{"[]", "[1]", "[]"}, `p(2) List(Nat) "[]" "[1]"`},
		{"Nat", []string{"0", "-", "1"}, `p(3) Nat "0" "1" ""`},
		{"", []string{"0", "12", "0"}, `p(2) Nat "0" "12"`},
		{"", []string{"0", "-1", "0"}, `p(2) Int "0" "-1"`},
		{"", []string{"true", "true", "false"}, `p(2) Bool "true" "false"`},
		{"", []string{"true", "0", "false"}, `p(3)  "true" "0" "false"`},
		{"", []string{"007", "1", "1"}, `p(2)  "007" "1"`},
		{"", []string{"0", "-", "1"}, `p(3)  "0" "1" ""`},
		{"", []string{"-", "-", "-"}, `p(1)  ""`},
	} {
		vb, err := lts.NewValuesBuilder(context.Background(), []lts.Parameter{{Name: "p", Sort: test.sort}})
		if err != nil {
			t.Fatal(err)
		}
		for s, text := range test.values {
			if text == "-" {
				continue
			}
			if err := vb.Set(lts.State(s), 0, vb.Value(0, []byte(text))); err != nil {
				t.Fatal(err)
			}
		}
		values, err := vb.Build(3)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if _, err := fsm.Write(&text, m, values); err != nil {
			t.Fatal(err)
		}
		if line, _, _ := strings.Cut(text.String(), "\n"); line != test.want {
			t.Errorf("%q %s: %s, want %s", test.values, test.sort, line, test.want)
		}
	}
}

// TestNoPlaceInFSM: what the format cannot have is refused before anything is written, or told.
func TestNoPlaceInFSM(t *testing.T) {
	model := func(label string) *lts.LTS {
		var b lts.Builder
		b.Add(0, b.Label(label), 0)
		m, err := b.Build(0, 1)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	table := func(name, value string) *lts.Values {
		b, err := lts.NewValuesBuilder(context.Background(), []lts.Parameter{{Name: name}})
		if err == nil {
			err = b.Set(0, 0, b.Value(0, []byte(value)))
		}
		if err != nil {
			t.Fatal(err)
		}
		values, err := b.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		return values
	}
	for _, c := range []struct {
		m      *lts.LTS
		values *lts.Values
	}{
		{m: model(`say "hi"`)},
		{m: model("a"), values: table("x(2)", "1")},
		{m: model("a"), values: table("", "1")},
	} {
		var text bytes.Buffer
		if _, err := fsm.Write(&text, c.m, c.values); err == nil || text.Len() > 0 {
			t.Errorf("%v: %q", err, text.String())
		}
	}
	var text bytes.Buffer
	warnings, err := fsm.Write(&text, model("a"), table("name", `"bob"`))
	if err != nil || len(warnings) != 1 || !strings.Contains(text.String(), `"'bob'"`) {
		t.Errorf("%v %q\n%s", err, warnings, text.String())
	}
	if _, err := fsm.Write(failing{}, model("a"), nil); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
}

var errFull = errors.New("full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }
