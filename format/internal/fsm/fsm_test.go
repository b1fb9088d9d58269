package fsm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/format/internal/fsm"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/testing/collection"
	"github.com/inev-lts/inev/internal/testing/mutation"
	"github.com/inev-lts/inev/lts"
)

const small = `n(3) Nat "0" "1" "two (2)"
b(0) Bool
---
0 1
2 0
---
1 2 "up(1)"
2 2 ""
2 1 "a, b"
---
2
`

const smallAut = `des (1, 3, 2)
(0, "up(1)", 1)
(1, "", 1)
(1, "a, b", 0)
`

func read(text string, o fsm.Options) (*fsm.Model, []string, error) {
	o.Name, o.States = "m.fsm", true
	return fsm.Read(context.Background(), strings.NewReader(text), o)
}

// written returns a model as .aut text.
func written(t testing.TB, m *lts.LTS) string {
	t.Helper()
	var b strings.Builder
	if _, err := aut.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	for name, text := range map[string]string{
		"LF": small, "CR LF": strings.ReplaceAll(small, "\n", "\r\n"), "mark": "\ufeff" + small, "blanks": strings.ReplaceAll(small, " ", "\t "),
	} {
		if name == "blanks" {
			text = strings.ReplaceAll(strings.ReplaceAll(text, "two\t ", "two "), "a,\t ", "a, ")
		}
		m, warnings, err := read(text, fsm.Options{})
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%s: %v, %q", name, err, warnings)
		}
		if got := written(t, m.LTS); got != smallAut {
			t.Errorf("%s: %s", name, got)
		}
		s := m.States
		got := fmt.Sprint(s.Parameter(0), s.Parameter(1), s.Text(0, s.Value(1, 0)), s.Text(1, s.Value(1, 1)), s.Text(1, s.Value(0, 1)))
		if want := "{n Nat} {b Bool}two (2)01"; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestWithoutStates: there are as many states as transitions mention, and no values.
func TestWithoutStates(t *testing.T) {
	for text, want := range map[string]string{
		"---\n---\n1 3 \"a\"\n":               "des (0, 1, 3)\n(0, \"a\", 2)\n",
		"n(1) N \"0\"\n---\n---\n":            "des (0, 0, 1)\n",
		"---\n---\n---\n4":                    "des (3, 0, 4)\n",
		"---\n\n\n---\n2 1 \"a\"\n---\n\n1\n": "des (0, 1, 2)\n(1, \"a\", 0)\n",
	} {
		m, _, err := read(text, fsm.Options{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := written(t, m.LTS); got != want || m.States != nil {
			t.Errorf("%q: %s, %v", text, got, m.States)
		}
	}
}

func TestLenient(t *testing.T) {
	const text = "n(1) N \"0\"\n---\n0\n---\n1 2 \"a\"\n"
	_, _, err := read(text, fsm.Options{})
	if want := "m.fsm:5: state 2 is not in the list of 1 states, numbered from 1: correct it, or read the file leniently"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	m, warnings, err := read(text, fsm.Options{Lenient: true})
	if err != nil || m.LTS.NumStates() != 2 || len(warnings) != 1 || m.States.Known(1) {
		t.Errorf("%v, %v, %q", m, err, warnings)
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "m.fsm: empty file: an .fsm file has parameters, states and transitions",
		"des (0, 0, 1)\n":                     `m.fsm:1: a parameter is NAME(SIZE) SORT "VALUE" …, and a line of --- ends their list; found "des (0, 0, 1)"`,
		"n(1) N \"0\"\n":                      "m.fsm:1: the file ends in the list of parameters: it is truncated",
		"n(1) N \"0\"\n---\n0\n":              "m.fsm:3: the file ends in the list of states: it is truncated",
		"n(2) N \"0\"\n---\n":                 "m.fsm:1: n should have 2 values, but has 1",
		"n(1) N \"0\n---\n":                   `m.fsm:1: a value of n is not in quotes: "\"0"`,
		"n(99999999999999999999) N\n":         "m.fsm:1: the number of values of n is too large",
		"n(1) N \"0\"\nn(1) N \"0\"\n---\n":   `m.fsm:3: two parameters of states have the name "n"`,
		"n(1) N \"0\"\n---\n1\n":              "m.fsm:3: there is no value 1 of n, which has 1 values, numbered from 0",
		"n(1) N \"0\"\n---\n0 0\n":            "m.fsm:3: the state has 2 values, but there are 1 parameters; correct one of the two",
		"n(1) N \"0\"\n---\nx\n":              `m.fsm:3: "x" is not a number of a value`,
		"---\n---\n1 [1 1/2 2 1/2] \"a\"\n":   "m.fsm:3: the target is a distribution over states: probabilistic models cannot be read",
		"---\n---\n---\n[1 1/2 2 1/2]\n":      "m.fsm:4: the initial state is a distribution over states",
		"---\n---\n0 1 \"a\"\n":               "m.fsm:3: the source is 0, but states are numbered from 1",
		"---\n---\n1\n":                       "m.fsm:3: the target is missing",
		"---\n---\n1 x \"a\"\n":               `m.fsm:3: the target is not a number: "x \"a\""`,
		"---\n---\n1 1 \"a\n":                 `m.fsm:3: a transition is SOURCE TARGET "LABEL", found "\"a" after the numbers`,
		"---\n---\n1 1\n":                     `m.fsm:3: a transition is SOURCE TARGET "LABEL", found "" after the numbers`,
		"---\n---\n1 4294967297 \"a\"\n":      "m.fsm:3: state 4294967297: at most",
		"---\n---\n1 900000000 \"a\"\n":       "m.fsm: state 900000000 is beyond the 1000064 that 1 transitions account for",
		"---\n---\n---\n900000000\n":          "m.fsm: state 900000000 is beyond the 1000000 that 0 transitions account for",
		"n(1) N \"0\"\n---\n0\n---\n---\n2\n": "m.fsm: the initial state 2 is not among the 1 states, numbered from 1",
		"---\n---\n---\n1\n1\n":               "m.fsm:5: a second initial state",
		"---\n---\n---\n1 2\n":                `m.fsm:4: unexpected "2" after the initial state`,
		"---\n---\n---\n1\n---\n":             "m.fsm:5: a fourth line of ---",
	} {
		_, _, err := read(text, fsm.Options{})
		var located *inputfile.Error
		if err == nil || !errors.As(err, &located) || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestBegins(t *testing.T) {
	for text, want := range map[string]bool{
		small: true, "---\n---\n": true, small[:40]: true, "n(3) Nat \"0\" \"1": true, "\ufeff---\r\n": true,
		"": false, "\n \n": false, "des (0, 1, 2)\n(0, \"a\", 1)\n": false, "(1) x": false, "---": false, "a(1) b(2)": false, "digraph {": false,
	} {
		if got := fsm.Begins([]byte(text)); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

func TestReadersErrors(t *testing.T) {
	broken := errors.New("the disk fails")
	if _, _, err := fsm.Read(context.Background(), io.MultiReader(strings.NewReader(small), iotest.ErrReader(broken)), fsm.Options{}); !errors.Is(err, broken) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := fsm.Read(ctx, strings.NewReader(small), fsm.Options{}); err != context.Canceled {
		t.Error(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	io.WriteString(w, small)
	w.Close()
	if _, _, err := fsm.Read(context.Background(), bytes.NewReader(packed.Bytes()[:packed.Len()-4]), fsm.Options{Name: "m.fsm.gz"}); err == nil || !strings.Contains(err.Error(), "m.fsm.gz: the gzip data ends too early") {
		t.Error(err)
	}
	m, _, err := fsm.Read(context.Background(), &packed, fsm.Options{})
	if err != nil || written(t, m.LTS) != smallAut {
		t.Error(err)
	}
}

// TestPairs: of models that mCRL2 wrote twice, both files have the same LTS.
func TestPairs(t *testing.T) {
	for _, name := range []string{"fsm_abp", "fsm_dates"} {
		path, there := collection.Foreign(t, filepath.Join("mcrl2", name+".fsm"))
		if !there {
			t.Skip("the models by others are not here")
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		m, _, err := fsm.Read(context.Background(), f, fsm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := aut.Open(context.Background(), strings.TrimSuffix(path, ".fsm")+".aut", aut.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := written(t, m.LTS), written(t, want); got != want {
			t.Errorf("%s: got\n%.300s\nwant\n%.300s", name, got, want)
		}
	}
}

// FuzzRead: whatever is read, there is a model, or an error of one line about the file.
func FuzzRead(f *testing.F) {
	f.Add(small)
	f.Add("---\n---\n1 3 \"a\"\n---\n2\n")
	f.Fuzz(func(t *testing.T, text string) {
		defer mutation.Limited()()
		m, _, err := read(text, fsm.Options{Lenient: len(text)%2 == 0})
		var located *inputfile.Error
		switch {
		case err == nil && m.LTS.NumStates() < 1:
			t.Error("a model without states")
		case err != nil && (!errors.As(err, &located) || !strings.HasPrefix(err.Error(), "m.fsm") || strings.Contains(err.Error(), "\n")):
			t.Errorf("%q", err)
		}
	})
}

func ExampleRead() {
	m, _, err := fsm.Read(context.Background(), strings.NewReader(small), fsm.Options{States: true})
	if err != nil {
		log.Fatal(err)
	}
	for t := range m.LTS.Transitions() {
		n := m.States.Text(0, m.States.Value(t.To, 0))
		fmt.Printf("%d %s %d, where %s = %s\n", t.From, m.LTS.Alphabet().Text(t.Label), t.To, m.States.Parameter(0).Name, n)
	}
	// Output:
	// 0 up(1) 1, where n = two (2)
	// 1  1, where n = two (2)
	// 1 a, b 0, where n = 0
}
