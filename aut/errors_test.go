package aut

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/inev-lts/inev/internal/inputfile"
)

func TestReadErrors(t *testing.T) {
	const (
		looksTruncated = ": the file looks truncated; fetch it again, or read it leniently"
		lenientHelps   = ", the declared number of states: correct it or the header, or read the file leniently"
		shapeOfHeader  = "des (initial, transitions, states)"
		probabilities  = "this is mCRL2's probabilistic LTS format, which inev does not read: replace the distributions over states by ordinary transitions"
		coloured       = "this looks like CLEAR's .autx format, an LTS with classes already marked: name it .autx, or give the .aut model it was made from"
	)
	for _, test := range []struct{ name, text, want string }{
		// What is no .aut file.
		{"empty", "", "m.aut: empty file: an .aut file begins with the header " + shapeOfHeader},
		{"blank", " \n\r\n\n", "m.aut: empty file: an .aut file begins with the header " + shapeOfHeader},
		{"binary", "\x01\x02BCG\x00\x00\n\n", "m.aut:1: this is binary data, not an .aut file: if it is a BCG file of CADP, name it .bcg, or convert it with bcg_io FILE.bcg FILE.aut"},
		{"mCRL2 .lts", "\x00\x8b\xaf\x83\x09...", "m.aut:1: this is mCRL2's binary .lts format, not an .aut file: name it .lts"},
		{"mCRL2 .fsm", "b(2) Bool \"F\" \"T\"\n---\n0\n---\n1 1 \"a\"\n", "m.aut:1: this looks like mCRL2's .fsm format, not .aut: name it .fsm"},
		{"mCRL2 .fsm without parameters", "---\n---\n1 1 \"a\"\n", "m.aut:1: this looks like mCRL2's .fsm format, not .aut: name it .fsm"},
		{"xz", "\xfd7zXZ\x00\x00", "m.aut:1: this is xz-compressed data, not an .aut file: decompress it with xz -d first"},
		{"zip", "PK\x03\x04", "m.aut:1: this is a zip archive, not an .aut file: unpack it first"},
		{"UTF-16", "\xff\xfed\x00e\x00s\x00", "m.aut:1: this is UTF-16 text, not an .aut file: store it as UTF-8"},
		{"UTF-16, the other way", "\xfe\xff\x00d\x00e\x00s", "m.aut:1: this is UTF-16 text, not an .aut file: store it as UTF-8"},
		{"LFS pointer", "version https://git-lfs.github.com/spec/v1\n", "m.aut:1: this is a Git LFS pointer, not an .aut file: fetch the file behind it with git lfs pull"},
		{"HTML", "<!DOCTYPE html>\n", "m.aut:1: this is an HTML or XML page, not an .aut file: fetch the file again, and look at what the server answers"},
		{"DOT", "digraph G {\n", "m.aut:1: this is a DOT graph, not an .aut file: give the model it was drawn from"},
		{"states of TLC", "State 1:\nx = 0\n\n", "m.aut:1: this is TLC's list of states, which has no steps, not an .aut file: have TLC write the graph with -dump dot,actionlabels FILE.dot"},
		{"console of TLC", "TLC2 Version 2.19 of 08 August 2024\n", "m.aut:1: this is what TLC printed, not an .aut file: give the specification (.tla) or its graph (.dot) as the model, and this file as the counterexample"},
		{"other text", "\nhello\tworld, this is a rather long line of text\n", `m.aut:2: this is not an .aut file: it begins with "hello\tworld, this is a rather long line "..., not with the header ` + shapeOfHeader},
		{"no header", "(0,a,1)\n", "m.aut:1: the header is missing: an .aut file begins with " + shapeOfHeader},

		// Headers.
		{"no numbers", "des\n", `m.aut:1: expected the header des (initial, transitions, states), found "des"`},
		{"another word", "description (0,0,1)\n", `m.aut:1: expected the header des (initial, transitions, states), found "description (0,0,1)"`},
		{"two numbers", "des (0,1)\n", `m.aut:1: expected the header des (initial, transitions, states), found "des (0,1)"`},
		{"four numbers", "des (0,1,2,3)\n", `m.aut:1: expected the header des (initial, transitions, states), found "des (0,1,2,3)"`},
		{"header not closed", "des (0,1,2\n(0,a,1)\n", "m.aut:1: the closing parenthesis of the header is missing: it is " + shapeOfHeader},
		{"text behind the header", "des (0,1,2) (0,a,1)\n", `m.aut:1: unexpected "(0,a,1)" after the header: transitions begin on a line of their own`},
		{"negative initial state", "des(-1,1,1)\n", "m.aut:1: the initial state is negative: -1"},
		{"negative transitions", "des(0,-7,1)\n", "m.aut:1: the number of transitions is negative: -7"},
		{"negative states", "des(0,1,-1)\n", "m.aut:1: the number of states is negative: -1"},
		{"a word in the header", "des(0,many,1)\n", `m.aut:1: the number of transitions is not a number: "many"`},
		{"nothing in the header", "des(0,,1)\n", "m.aut:1: the number of transitions is missing"},
		{"too many states", "des (0,1,4294967296)\n", "m.aut:1: the header declares 4294967296 states: inev holds at most 4294967295 states"},
		{"far too many states", "des (0,1,99999999999999999999999999999999999999999999999999)\n", "m.aut:1: the header declares 9999999999999999999999999999999999999999... states: inev holds at most 4294967295 states"},
		{"too large an initial state", "des (4294967295,1,1)\n", "m.aut:1: initial state 4294967295 is too large: inev holds at most 4294967295 states"},
		{"far too large an initial state", "des (99999999999999999999,1,1)\n", "m.aut:1: the initial state is too large: inev holds at most 4294967295 states"},
		{"too many transitions", "des (0,99999999999999999999,1)\n", "m.aut:1: the header declares 99999999999999999999 transitions: inev counts to 1152921504606846975"},
		{"initial state not declared", "des (3,0,3)\n", "m.aut:1: initial state 3 is not below 3" + lenientHelps},
		{"probabilistic header", "des (0 1/3 1,2,2)\n", "m.aut:1: " + probabilities},
		{"probabilistic header, with more states", "des (0 1/7 1 3/7 2 2/7 3,4,5)\n", "m.aut:1: " + probabilities},

		// Counts and states.
		{"truncated", "des (0,172,91)\n(0,a,1)\n(1,b,2)\n", "m.aut:3: declared 172 transitions, found 2" + looksTruncated},
		{"truncated after the header", "des (0,172,91)", "m.aut:1: declared 172 transitions, found 0" + looksTruncated},
		{"truncated inside a line", "des (0,172,91)\n(0,a,1)\n(1,b", "m.aut:3: declared 172 transitions, found 1 and part of another" + looksTruncated},
		{"truncated inside a quoted label", "des (0,172,91)\n(0,a,1)\n(1,\"f(x)", "m.aut:3: declared 172 transitions, found 1 and part of another" + looksTruncated},
		{"truncated inside a source", "des (0,172,91)\n(0,a,1)\n(1", "m.aut:3: declared 172 transitions, found 1 and part of another" + looksTruncated},
		{"more transitions", "des (0,1,3)\n(0,a,1)\n\n(1,b,2)\n(2,b,2)\n", "m.aut:4: declared 1 transitions, found more, the first of them here: correct the header, or read the file leniently"},
		{"source not declared", "des (0,1,3)\n(3,a,1)\n", "m.aut:2: source state 3 is not below 3" + lenientHelps},
		{"target not declared", "des (0,1,3)\n(1,a,77)\n", "m.aut:2: target state 77 is not below 3" + lenientHelps},
		{"too large a source", "des (0,1,3)\n(4294967295,a,1)\n", "m.aut:2: source state 4294967295 is too large: inev holds at most 4294967295 states"},
		{"too large a target", "des (0,1,3)\n(1,a,18446744073709551617)\n", "m.aut:2: the target state is too large: inev holds at most 4294967295 states"},
		{"a number of many digits", "des (0,1,3)\n(" + strings.Repeat("9", 100) + ",a,1)\n", "m.aut:2: the source state is too large: inev holds at most 4294967295 states"},
		{"more states than transitions account for", "des (0,1,4294967295)\n(4294967294,a,1)\n", "m.aut: the header declares 4294967295 states, more than the 1000064 that 1 transitions account for (64 for each and 1000000 more): correct the header"},

		// Lines.
		{"no parenthesis", "des (0,1,2)\n0,a,1)\n", `m.aut:2: expected a transition (from, label, to), found "0,a,1)"`},
		{"a second header", "des (0,1,2)\n(0,a,1)\ndes (0,1,2)\n(0,a,1)\n", "m.aut:3: a second header: one file holds one LTS, these look like two files joined"},
		{"no commas", "des (0,1,2)\n(0 a 1)\n", `m.aut:2: expected a transition (from, label, to), found "(0 a 1)"`},
		{"one comma", "des (0,1,2)\n(0,1)\n", `m.aut:2: expected a transition (from, label, to), found "(0,1)"`},
		{"no label", "des (0,1,2)\n(0, ,1)\n", `m.aut:2: the label is missing: an empty label is written ""`},
		{"label not closed", "des (0,1,2)\n(0,\"a,1)\n", `m.aut:2: the closing quote of the label is missing: "\"a"`},
		{"text behind the label", "des (0,1,2)\n(0,\"a\" b,1)\n", `m.aut:2: unexpected "b" between the closing quote of the label and the comma`},
		{"line not closed", "des (0,1,2)\n(0,a,1\n", "m.aut:2: the closing parenthesis is missing: a transition is (from, label, to)"},
		{"text behind the line", "des (0,1,2)\n(0,a,1) foo\n", `m.aut:2: unexpected "foo" after the closing parenthesis: a line holds one transition`},
		{"two parentheses", "des (0,1,2)\n(0,a,1))\n", `m.aut:2: unexpected ")" after the closing parenthesis: a line holds one transition`},
		{"no source", "des (0,1,2)\n(,a,1)\n", "m.aut:2: the source state is missing"},
		{"no target", "des (0,1,2)\n(0,a,)\n", "m.aut:2: the target state is missing"},
		{"negative source", "des (0,1,2)\n(-5,a,1)\n", "m.aut:2: the source state is negative: -5"},
		{"negative target", "des (0,1,2)\n(1, z , -2)\n", "m.aut:2: the target state is negative: -2"},
		{"a word for a source", "des (0,1,2)\n(s0,a,1)\n", `m.aut:2: the source state is not a number: "s0"`},
		{"a word for a target", "des (0,1,2)\n(0,a,s1)\n", `m.aut:2: the target state is not a number: "s1"`},
		{"a fraction", "des (0,1,2)\n(0,a,1.5)\n", `m.aut:2: the target state is not a number: "1.5"`},
		{"probabilistic target", "des (0,1,4)\n(3,\"c\",0 1/7 1 3/7 2 2/7 3)\n", "m.aut:2: " + probabilities},
		{".autx by its colour", "des (0,1,2)\n(0, \"INIT\":BLACK, 1)\n", "m.aut:2: " + coloured},
		{".autx by its kind", "des (0,1,2)\n(14:N:G, \"EXEC\":GREEN, -1)\n", "m.aut:2: " + coloured},
		{"bytes are escaped and few", "des (0,1,2)\n\x00\x1b[2J" + strings.Repeat("\xff", 100) + "\n",
			`m.aut:2: expected a transition (from, label, to), found "\x00\x1b[2J` + strings.Repeat(`\xff`, 35) + `"...`},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, warnings, err := readText(test.text, Options{Name: "m.aut"})
			if m != nil || warnings != nil {
				t.Errorf("an LTS or warnings beside the error: %v, %q", m, warnings)
			}
			var e *inputfile.Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v is no *Error", err)
			}
			if err.Error() != test.want {
				t.Errorf("\n got %s\nwant %s", err, test.want)
			}
		})
	}
}

func TestReadNamesTheInputWithoutAName(t *testing.T) {
	_, _, err := readText("des (0,1,1)\n", Options{})
	if want := "input:1: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v does not begin with %s", err, want)
	}
}

func TestReadLenientErrors(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"source far beyond", "des (0,2,3)\n(0,a,1)\n(4294967294,a,1)\n", "m.aut:3: state 4294967294 is far beyond the 3 states that the header declares and the 1000128 that 2 transitions account for (64 for each and 1000000 more): correct it"},
		{"target far beyond", "des (0,2,3)\n(0,a,4000000000)\n(0,a,1)\n", "m.aut:2: state 4000000000 is far beyond the 3 states that the header declares and the 1000128 that 2 transitions account for (64 for each and 1000000 more): correct it"},
		{"initial state far beyond", "des (4000000000,0,3)\n", "m.aut:1: state 4000000000 is far beyond the 3 states that the header declares and the 1000000 that 0 transitions account for (64 for each and 1000000 more): correct it"},
		{"beyond any LTS", "des (0,1,3)\n(0,a,4294967295)\n", "m.aut:2: target state 4294967295 is too large: inev holds at most 4294967295 states"},
		{"wrong lines stay wrong", "des (0,9,3)\n(0,a,1)\n(0,a\n", "m.aut:3: the closing parenthesis is missing: a transition is (from, label, to)"},
		{"a last line that is no beginning of one", "des (0,9,3)\n(0,a,1)\nend", `m.aut:3: expected a transition (from, label, to), found "end"`},
		{"an unquoted empty label", "des (0,1,3)\n(0,,1)\n", `m.aut:2: the label is missing: an empty label is written ""`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := readText(test.text, Options{Name: "m.aut", Lenient: true})
			if err == nil || err.Error() != test.want {
				t.Errorf("\n got %v\nwant %s", err, test.want)
			}
		})
	}
}

// TestReadTakesNoMemoryOnPromise reads small files that promise much.
func TestReadTakesNoMemoryOnPromise(t *testing.T) {
	const limit = 64 << 20
	for name, text := range map[string]string{
		"transitions":        "des (0, 4294967295000, 5)\n(0,a,1)\n",
		"states":             "des (0, 1, 4294967295)\n(0,a,1)\n",
		"states and a state": "des (0, 2, 4294967295)\n(4294967294,a,1)\n(0,a,1)\n",
		"a source":           "des (0, 1, 2)\n(4294967294,a,1)\n",
		"a target":           "des (0, 1, 2)\n(0,a,4294967294)\n",
		"the initial state":  "des (4294967294, 1, 2)\n(0,a,1)\n",
	} {
		for _, o := range []Options{{}, {Lenient: true}} {
			// The size of what follows must not be known, either.
			for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, _, err := Read(context.Background(), r, o)
				runtime.ReadMemStats(&after)
				if err == nil && name != "transitions" {
					t.Errorf("%s: accepted", name)
				}
				if took := after.TotalAlloc - before.TotalAlloc; took > limit {
					t.Errorf("%s, lenient %v: %d bytes allocated", name, o.Lenient, took)
				}
			}
		}
	}
}

// TestReadFromTheLargestSource reads a file whose first transitions leave
// states far beyond what they account for: they have to wait for the others.
func TestReadFromTheLargestSource(t *testing.T) {
	const states = 1_200_000
	var text []byte
	text = append(text, "des (0, 1200000, 1200000)\n"...)
	for s := states - 1; s >= 0; s-- {
		text = append(text, '(')
		text = strconv.AppendInt(text, int64(s), 10)
		text = append(text, ",a,0)\n"...)
	}
	for _, o := range []Options{{}, {Lenient: true}} {
		m, warnings, err := Read(context.Background(), strings.NewReader(string(text)), o)
		if err != nil || len(warnings) > 0 {
			t.Fatal(err, warnings)
		}
		next := states
		for tr := range m.Transitions() {
			if next--; int(tr.From) != next {
				t.Fatalf("transition from %d, want %d", tr.From, next)
			}
		}
		if next != 0 || m.NumStates() != states {
			t.Errorf("%d transitions are missing, %d states", next, m.NumStates())
		}
	}
}

func TestReadStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	// The input never ends: only the context can.
	endless := readerFunc(func(p []byte) (int, error) {
		for i := range p {
			p[i] = '\n'
		}
		cancel()
		return len(p), nil
	})
	// This one ends no sooner, but after many workers have begun.
	begun := io.MultiReader(strings.NewReader(fmt.Sprintf("des (0,%d,2)\n", 1<<17)+strings.Repeat("(0,a,1)\n", 1<<16)), endless)
	// A reader may stop by itself, too, inside the header of compressed data.
	stopped := io.MultiReader(strings.NewReader("\x1f\x8b\x08\x00"), iotest.ErrReader(errors.New("stopped")))
	for _, r := range []io.Reader{begun, endless, stopped} {
		if _, _, err := Read(ctx, r, Options{Workers: 4}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	}
}

// TestSurplusIsRefusedAtOnce: more transitions than declared may be followed by many
// more.
func TestSurplusIsRefusedAtOnce(t *testing.T) {
	line := []byte("(0,a,1)\n")
	given := 0
	endless := readerFunc(func(p []byte) (int, error) {
		if given += len(p); given > 256<<20 {
			return 0, errors.New("nobody wants to know more")
		}
		n := 0
		for n+len(line) <= len(p) {
			n += copy(p[n:], line)
		}
		return n, nil
	})
	for _, workers := range []int{1, 4} {
		given = 0
		_, _, err := Read(context.Background(), io.MultiReader(strings.NewReader("des (0,5,2)\n"), endless), Options{Name: "m.aut", Workers: workers})
		if want := "m.aut:7: declared 5 transitions, found more, the first of them here: correct the header, or read the file leniently"; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestReadTellsOfFailingReaders(t *testing.T) {
	broken := errors.New("the disk is on fire")
	for _, start := range []string{"", "des (0,1,1)\n", "\x1f\x8b\x08\x00", "BZh9", "\x28\xb5\x2f\xfd"} {
		r := io.MultiReader(strings.NewReader(start), iotest.ErrReader(broken))
		_, _, err := Read(context.Background(), r, Options{Name: "m.aut"})
		if want := "m.aut: cannot be read: the disk is on fire"; err == nil || err.Error() != want || !errors.Is(err, broken) {
			t.Errorf("after %q: error %v, want %s", start, err, want)
		}
	}
}

func TestReadOfADirectory(t *testing.T) {
	f, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, _, err = Read(context.Background(), f, Options{Name: "dir"})
	if want := "dir: cannot be read: "; err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), f.Name()) {
		t.Errorf("error %v does not begin with %s, or names the directory twice", err, want)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
