package aut

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/collection"
)

// TestModels reads every model, compares it with its header, and with itself
// after it has been written.
func TestModels(t *testing.T) {
	paths, err := filepath.Glob("../examples/*/*.aut")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	if folder, there := collection.Foreign(t, "."); there {
		foreign, err := filepath.Glob(filepath.Join(folder, "*.aut"))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, foreign...)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, warnings, err := Open(context.Background(), path, Options{})
		if err != nil || len(warnings) > 0 {
			t.Errorf("%v, warnings %q", err, warnings)
			continue
		}
		header, body, _ := strings.Cut(string(text), "\n")
		got := fmt.Sprintf("des(%d,%d,%d)", m.Initial(), m.NumTransitions(), m.NumStates())
		if want := strings.Join(strings.Fields(header), ""); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		lines := strings.Split(strings.TrimSpace(body), "\n")
		for tr := range m.Transitions() {
			from, label, to, ok := parseByGrammar(lines[0])
			got := fmt.Sprint(tr.From, m.Alphabet().Text(tr.Label), tr.To)
			if want := fmt.Sprint(from, label, to); !ok || got != want {
				t.Fatalf("%s: %s, want %s", path, got, want)
			}
			lines = lines[1:]
		}
		again, _, err := Read(context.Background(), bytes.NewReader(packed(t, m, asPlain)), Options{})
		if err != nil || describe(again) != describe(m) {
			t.Errorf("%s: reads back otherwise, error %v", path, err)
		}
	}
}

// standInTable is about models of the project, as the table of the VLTS benchmark is
// about others: name, states, transitions, internal ones, labels. All was counted by
// other means: by grep, sort and uniq in the file.
const standInTable = `examples/figure2/figure2	6	6	0	5
examples/abp/abp	150	469	0	14
examples/hyman/once	82	130	0	20
explain/testdata/models/clock	5	7	3	4
`

// TestPublishedCounts compares with counted figures, and models of the VLTS benchmark
// with the table that its authors published.
func TestPublishedCounts(t *testing.T) {
	tables := standInTable
	if path, there := collection.Foreign(t, "VLTS_TABLE.tsv"); there {
		published, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, rows, _ := strings.Cut(string(published), "\n")
		tables += rows
	}
	for _, row := range strings.Split(strings.TrimSpace(tables), "\n") {
		columns := strings.Split(row, "\t")
		path, there := collection.Find(t, columns[0]+".aut")
		if !there {
			continue
		}
		m, _, err := Open(context.Background(), path, Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		i, ok := m.Alphabet().Lookup("i")
		count := 0
		for tr := range m.Transitions() {
			if ok && tr.Label == i {
				count++
			}
		}
		got := fmt.Sprint(m.NumStates(), m.NumTransitions(), count, m.Alphabet().Len())
		if want := strings.Join(columns[1:5], " "); got != want {
			t.Errorf("%s: states, transitions, internal ones, labels: %s, want %s", path, got, want)
		}
	}
}

func TestForeignEdgeFiles(t *testing.T) {
	for name, want := range map[string]string{
		"aut/testdata/models/no_header.aut":        `NAME:1: this is not an .aut file: it begins with "0 1 1", not with the header des (initial, transitions, states)`,
		"aut/testdata/models/negative_initial.aut": `NAME:1: the initial state is negative: -3`,
		"aut/testdata/models/truncated.aut":        `NAME:2: declared 6 transitions, found 1: the file looks truncated; fetch it again, or read it leniently`,
		"aut/testdata/models/no_states.aut":        `NAME:1: initial state 2 is not below 0, the declared number of states: correct it or the header, or read the file leniently`,
		"aut/testdata/models/negative_target.aut":  `NAME:2: the target state is negative: -4`,
		"aut/testdata/models/probability.aut":      `NAME:1: this is mCRL2's probabilistic LTS format, which inev does not read: replace the distributions over states by ordinary transitions`,
		"aut/testdata/models/marked.autx":          `NAME:2: this looks like CLEAR's .autx format, an LTS with classes already marked: name it .autx, or give the .aut model it was made from`,
		"aut/testdata/models/steps.trc":            `NAME:1: this is not an .aut file: it begins with "occur(ring)", not with the header des (initial, transitions, states)`,
		"aut/testdata/models/counterexample.aut":   `NAME:2: target state 5 is not below 3, the declared number of states: correct it or the header, or read the file leniently`,
		"aut/testdata/models/nondeterministic.aut": `1 of 3; 1 -"x"-> 1; 1 -"x"-> 0; 0 -"y"-> 2`,
		"aut/testdata/models/quotes.aut":           `NAME:5: declared 3 transitions, found more, the first of them here: correct the header, or read the file leniently`,

		"edge/automatalib_error1.aut":        "NAME:1: the header is missing: an .aut file begins with des (initial, transitions, states)",
		"edge/automatalib_error2.aut":        "NAME:1: the initial state is negative: -1",
		"edge/automatalib_error3.aut":        "NAME:2: declared 5 transitions, found 1: the file looks truncated; fetch it again, or read it leniently",
		"edge/automatalib_error4.aut":        "NAME:1: initial state 0 is not below 0, the declared number of states: correct it or the header, or read the file leniently",
		"edge/automatalib_error5.aut":        "NAME:2: the target state is negative: -2",
		"edge/probability1.aut":              "NAME:1: this is mCRL2's probabilistic LTS format, which inev does not read: replace the distributions over states by ordinary transitions",
		"traces/isolated.autx":               "NAME:2: this looks like CLEAR's .autx format, an LTS with classes already marked: name it .autx, or give the .aut model it was made from",
		"traces/lift-error.trc":              `NAME:1: this is not an .aut file: it begins with "occur(add_car)", not with the header des (initial, transitions, states)`,
		"traces/isolated_counterexample.aut": "NAME:4: target state 10 is not below 9, the declared number of states: correct it or the header, or read the file leniently",
		"edge/automatalib_nfa.aut":           `0 of 3; 0 -"a"-> 1; 0 -"a"-> 0; 1 -"b"-> 2`,
		"edge/automatalib_sinkStateTest.aut": `0 of 3; 0 -"input"-> 1; 0 -"output"-> 2; 1 -"input"-> 2; 1 -"output"-> 0`,
		"edge/automatalib_quotationTest.aut": "NAME:7: declared 5 transitions, found more, the first of them here: correct the header, or read the file leniently",
	} {
		path, there := collection.Find(t, name)
		if !there {
			continue
		}
		m, _, err := Open(context.Background(), path, Options{Name: "NAME"})
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = describe(m)
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}

func TestForeignFilesReadLeniently(t *testing.T) {
	for name, want := range map[string]string{
		"aut/testdata/models/quotes.aut": `0 of 3; 0 -"PUT_\\\\4"-> 1; 1 -"SAY !\\\"hi\\\" !CONS (A, NIL)"-> 2; 2 -"*"-> 0; 1 -"i"-> 0` +
			"\nNAME:5: declared 3 transitions, found 4, the first beyond the declared number here",
		"aut/testdata/models/counterexample.aut": `0 of 10; 0 -"a"-> 5; 5 -"b"-> 9` +
			"\nNAME:2: state 5 is not below 3, the declared number of states; the largest state found is 9, so the number of states is taken to be 10",

		"edge/automatalib_quotationTest.aut": `0 of 4; 0 -"PUT_\\6"-> 1; 0 -"PUT_6"-> 3; 0 -"GET !true !7 !CONS (A, CONS (B, NIL))"-> 2; 1 -"i"-> 3; ` +
			`2 -"SEND !\"hello\" !\"world\""-> 3; 3 -"DUMP ... \" ... \\\" ..."-> 0; 3 -"*"-> 1` +
			"\nNAME:7: declared 5 transitions, found 7, the first beyond the declared number here",
		"traces/isolated_counterexample.aut": `0 of 48; 0 -"WAIT"-> 3; 3 -"INIT"-> 6; 6 -"INIT"-> 10; 10 -"CONNECT"-> 12; 12 -"INIT"-> 14; 14 -"WAIT"-> 22; 22 -"SEND"-> 34; 34 -"EXEC"-> 47` +
			"\nNAME:4: state 10 is not below 9, the declared number of states; the largest state found is 47, so the number of states is taken to be 48",
		"traces/iteration_counterexample.aut": `0 of 9; 0 -"WAIT"-> 1; 1 -"LOSS"-> 3; 3 -"REC"-> 8` +
			"\nNAME:4: state 8 is not below 4, the declared number of states; the largest state found is 8, so the number of states is taken to be 9",
		"traces/allbad_counterexample.aut": `0 of 17; 0 -"INIT"-> 1; 1 -"EXEC1"-> 2; 2 -"WAIT"-> 6; 6 -"STORE"-> 11; 11 -"WAIT"-> 14; 14 -"WAIT"-> 15; 15 -"EXEC2"-> 16` +
			"\nNAME:5: state 11 is not below 8, the declared number of states; the largest state found is 16, so the number of states is taken to be 17",
	} {
		path, there := collection.Find(t, name)
		if !there {
			continue
		}
		m, warnings, err := Open(context.Background(), path, Options{Name: "NAME", Lenient: true})
		if err != nil {
			t.Error(err)
			continue
		}
		if got := describe(m) + "\n" + strings.Join(warnings, "\n"); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}
