package sequence_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/counterexample/sequence"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/lts"
)

// shown writes evidence as its labels: a full stop is a known deadlock, brackets
// enclose a loop, "graph" is anything else.
func shown(v *counterexample.Given) string {
	labels, loop, ok := v.Line()
	if !ok {
		return "graph"
	}
	var parts []string
	for i, label := range labels {
		if i == loop {
			parts = append(parts, "[")
		}
		parts = append(parts, label)
	}
	if loop >= 0 {
		parts = append(parts, "]")
	} else if v.IsDeadlock(lts.State(v.Graph().NumStates() - 1)) {
		parts = append(parts, ".")
	}
	return strings.Join(parts, " ")
}

func read(name, text string) (string, []string, error) {
	all, warnings, err := sequence.Read(context.Background(), strings.NewReader(text), name)
	var parts []string
	for _, v := range all {
		parts = append(parts, shown(v))
	}
	return strings.Join(parts, " | "), warnings, err
}

func TestRead(t *testing.T) {
	const loop = "\x01 The loop begins here, after 1 transition, and is repeated forever \x02\n"
	for _, c := range []struct{ name, file, text, want string }{
		{"labels", "x.seq", "\"A\"\n\"PUT !1 (x, y)\"\n", "A PUT !1 (x, y)"},
		{"no line feed at the end", "x.seq", "\"A\"\n\"B\"", "A B"},
		{"blanks and CR LF", "x.seq", "  \"A\" \r\n\r\n\t\"B\"\t\r\n", "A B"},
		{"a backslash is a character", "x.seq", `"A\"`, `A\`},
		{"an empty label", "x.seq", `""`, ""},
		{"deadlock", "x.seq", "\"A\"\n<deadlock>\n", "A ."},
		{"nothing but a deadlock", "x.seq", "<deadlock>\n", "."},
		{"what exhibitor writes", "x.seq", "*** sequence found at depth 2\n\n\x01<initial state>\x02\n\"A\"\n\"B\"\n\x01<goal state>\x02\n[]\n", "A B"},
		{"the same, copied from a terminal", "x.seq", "<initial state>\n\"A\"\n\"B\"\n<goal state>\n[]\n", "A B"},
		{"several sequences", "x.seq", "\"A\"\n[]\n\"B\"\n<deadlock>\n[]\n\"C\"\n[]\n", "A | B . | C"},
		{"comments", "x.seq", "# one\n\x01 two \"X\"\n \"Y\" \x02 \"A\" \x01 three\x02\n-- four \"Z\"\n\"B\"\n", "A B"},
		{"control characters in a label", "x.seq", "\"A\x01B\x02\"\n", "A\x01B\x02"},
		{"a loop", "x.seq", "\"A\"\n" + loop + "\"B\"\n\"C\"\n", "A [ B C ]"},
		{"a loop in the second sequence", "x.seq", "\"A\"\n[]\n\"A\"\n" + loop + "\"B\"\n", "A | A [ B ]"},
		{"a byte order mark", "x.seq", "\ufeff\"A\"\n", "A"},
		{"SEQ by its content", "x", "\"A\"\n", "A"},
		{"SEQ under another name", "x.trc", "\"A\"\n", "A"},
		{"SEQ named .aut", "x.aut", "\"A\"\n", "A"},

		{"a trace", "x.trc", "r1(d1)\nc(d1, [true, 0])\n", "r1(d1) c(d1, [true, 0])"},
		{"a trace with blank lines", "x.trc", "\r\n tau \r\n\r\na|b\r\n\r\n", "tau a|b"},
		{"a trace by its content", "x", "a\nb\n", "a b"},
		{"a name in capitals", "X.TRC", "a\n", "a"},

		{"a path", "x.aut", "des (0, 2, 3)\n(0, A, 1)\n(1, B, 2)\n", "A B"},
		{"a path with classes", "x", "des (0, 2, 3)\n(0, \"A\":BLACK, 1)\n(1, \"B\":RED, 2)\n", "A B"},
		{"a lasso", "x.aut", "des (2, 3, 3)\n(0, \"B\", 1)\n(1, \"C\", 0)\n(2, \"A\", 0)\n", "A [ B C ]"},
		{"a graph", "x.aut", "des (0, 2, 3)\n(0, A, 1)\n(0, B, 2)\n", "graph"},
		{"a graph by its content", "x.seq", "\n des(0,1,2)\n(0,A,1)\n", "A"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, warnings, err := read(c.file, c.text)
			if err != nil || got != c.want || len(warnings) > 0 {
				t.Errorf("read as %q, warnings %q, error %v, want %q", got, warnings, err, c.want)
			}
		})
	}
}

func TestReadKeepsDeadlocksOfGraphsOpen(t *testing.T) {
	all, _, err := sequence.Read(context.Background(), strings.NewReader("des (0,1,2)\n(0,A,1)\n"), "x.aut")
	if err != nil || all[0].IsDeadlock(1) {
		t.Errorf("error %v; where a graph ends, nothing is known of the model", err)
	}
}

// CLEAR writes the state numbers of the model into the header of the path.
func TestReadSparseGraph(t *testing.T) {
	got, warnings, err := read("cexp_dump.aut", "des (0, 3, 4)\n(0, \"WAIT\", 1)\n(1, \"LOSS\", 3)\n(3, \"REC\", 8)\n")
	if err != nil || got != "WAIT LOSS REC" || len(warnings) != 1 {
		t.Errorf("read as %q, warnings %q, error %v", got, warnings, err)
	}
}

func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ name, file, text, want string }{
		{"empty", "x.seq", "", "x.seq: empty file: give a sequence of CADP (.seq), a trace of mCRL2 (.trc), a graph (.aut) or what TLC printed"},
		{"blank", "x", " \r\n\t\n", "x: empty file: give a sequence of CADP (.seq), a trace of mCRL2 (.trc), a graph (.aut) or what TLC printed"},
		{"no sequence", "x.seq", "*** no sequence found\n", `x.seq: there is no sequence in this file: a sequence has one "label" a line, in double quotes (a trace of mCRL2 is named .trc)`},
		{"open quote", "x.seq", "\"A\"\n\"B\n", `x.seq:2: the closing quote of the label is missing: "\"B"`},
		{"open quote at the end", "x.seq", "\"A\"\n\n\"", `x.seq:3: the closing quote of the label is missing: "\""`},
		{"a quote in a label", "x.seq", "\"a\"b\"\n", `x.seq:1: unexpected "b\"": a line holds one label, and only the simple form of SEQ is read`},
		{"two labels", "x.seq", "\"A\" \"B\"\n", `x.seq:1: unexpected "\"B\"": a line holds one label, and only the simple form of SEQ is read`},
		{"repetition", "x.seq", "\"A\"*\n", `x.seq:1: unexpected "*": a line holds one label, and only the simple form of SEQ is read`},
		{"until", "x.seq", "\"A\"\n<until> \"B\"\n", `x.seq:2: "<until> \"B\"" belongs to the full form of SEQ, a pattern of sequences: give a sequence in the simple form, such as exhibitor finds for the pattern`},
		{"regular expression", "x.seq", "[PUT.*]\n\"A\"\n", `x.seq:1: "[PUT.*]" belongs to the full form of SEQ, a pattern of sequences: give a sequence in the simple form, such as exhibitor finds for the pattern`},
		{"unknown word", "x.seq", "<livelock>\n", `x.seq:1: unexpected "<livelock>": expected a "label" or <deadlock>`},
		{"a web page", "x.seq", "<html><head><title>404 is a very long title</title></head></html>\n", `x.seq:1: unexpected "<html><head><title>404 is a very long ti"...: expected a "label" or <deadlock>`},
		{"beyond a deadlock", "x.seq", "<deadlock>\n\"A\"\n", `x.seq:2: a label after <deadlock>, from which nothing goes on: put [] between two sequences`},
		{"an empty sequence", "x.seq", "\"A\"\n[]\n[]\n", `x.seq:3: [] stands where no sequence precedes it: it separates one from the next`},
		{"an open comment", "x.seq", "\"A\"\n\x01 x\n\"B\"\n", `x.seq:2: the comment that begins here has no end: it is closed by the character \002 (control-B)`},
		{"lines are counted in comments", "x.seq", "\x01\n\n\x02\n\"A", `x.seq:4: the closing quote of the label is missing: "\"A"`},
		{"a loop with a deadlock", "x.seq", "\"A\"\n\x01 The loop begins here \x02\n\"B\"\n<deadlock>\n", `x.seq:2: a comment marks the start of a loop here, but the sequence then has no label, or ends in a deadlock: correct the sequence or remove the comment`},
		{"a loop without a label", "x.seq", "\"A\"\n\x01 The loop begins here \x02\n[]\n\"A\"\n", `x.seq:2: a comment marks the start of a loop here, but the sequence then has no label, or ends in a deadlock: correct the sequence or remove the comment`},
		{"an abstraction", "x.seq", "\x01 Abstraction, not a run: 1 of the 2 transitions \x02\n\"A\"\n", `x.seq:1: this is an abstraction of a counterexample, which is no run: give the sequence of the whole run`},
		{"binary trace", "x.trc", "\x00\x8b\xaf\x00\x00\x00", "x.trc: this is mCRL2's binary form of a trace: write it as text with tracepp --format=plain FILE.trc TEXT.trc"},
		{"old binary trace", "x.trc", "mCRL2Trace\x01\x00abc", "x.trc: this is mCRL2's binary form of a trace: write it as text with tracepp --format=plain FILE.trc TEXT.trc"},
		{"binary data", "x.seq", "\x7fELF\x00\x00", "x.seq: this is binary data, no sequence: if it is a BCG file of CADP, name it .bcg, or convert it with bcg_io FILE.bcg FILE.aut"},
		{"damaged gzip", "x.seq.gz", "\x1f\x8bxx", "x.seq.gz: the gzip data ends too early: the file is truncated; fetch it again"},
		{"damaged zstd", "x.seq.zst", "\x28\xb5\x2f\xfdxx", "x.seq.zst: the zstd data is damaged (reserved bit set on frame header): fetch the file again"},
		{"no graph", "x.aut", "(0, A, 1)\n", "x.aut:1: the header is missing: an .aut file begins with des (initial, transitions, states)"},
		{"a damaged graph", "x.aut", "des (0,1,2)\n(0,A,x)\n", `x.aut:2: the target state is not a number: "x"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := read(c.file, c.text)
			var e *inputfile.Error
			if !errors.As(err, &e) || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestReadRefusesWhatIsTooLong(t *testing.T) {
	long := strings.Repeat("a line of a trace\n", 4<<20)
	if _, _, err := read("x.trc", long); err == nil || err.Error() != "x.trc: this is longer than 64 MiB: give a single sequence" {
		t.Errorf("error %v", err)
	}
}

func TestReadCompressed(t *testing.T) {
	for _, text := range []string{"\"A\"\n", "des (0,1,2)\n(0,A,1)\n"} {
		var gz, zst bytes.Buffer
		w := gzip.NewWriter(&gz)
		z, err := zstd.NewWriter(&zst)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{write(w, text), w.Close(), write(z, text), z.Close()} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for name, data := range map[string]string{"x.gz": gz.String(), "x.zst": zst.String()} {
			if got, _, err := read(name, data); got != "A" || err != nil {
				t.Errorf("%s of %q: read as %q, error %v", name, text, got, err)
			}
		}
	}
	// A name less its suffix of compression is a hint, too.
	if _, _, err := read("x.seq.gz", "a\n"); err == nil || !strings.Contains(err.Error(), "there is no sequence in this file") {
		t.Errorf("error %v", err)
	}
}

func write(w interface{ Write([]byte) (int, error) }, text string) error {
	_, err := w.Write([]byte(text))
	return err
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.trc")
	if err := os.WriteFile(path, []byte("a\nb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	all, _, err := sequence.Open(context.Background(), path)
	if err != nil || len(all) != 1 || shown(all[0]) != "a b" {
		t.Errorf("%v, error %v", all, err)
	}
	missing := filepath.Join(dir, "no.seq")
	if _, _, err := sequence.Open(context.Background(), missing); err == nil || err.Error() != missing+": there is no such file: check its name" {
		t.Errorf("error %v", err)
	}
	if _, _, err := sequence.Open(context.Background(), dir); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("error %v", err)
	}
	t.Setenv("PATH", dir)
	if _, _, err := sequence.Open(context.Background(), filepath.Join(dir, "x.bcg")); err == nil || !strings.Contains(err.Error(), "x.bcg: ") {
		t.Errorf("error %v", err)
	}
	if runtime.GOOS != "windows" {
		script := "#!/bin/sh\nprintf 'des (0, 2, 3)\\n(0, \"a\", 1)\\n(1, \"b\", 2)\\n' > \"$2\"\n"
		bcg := filepath.Join(dir, "x.bcg")
		if err := errors.Join(os.WriteFile(filepath.Join(dir, "bcg_io"), []byte(script), 0o700), os.WriteFile(bcg, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		if all, _, err := sequence.Open(context.Background(), bcg); err != nil || len(all) != 1 || shown(all[0]) != "a b" {
			t.Errorf("%v, error %v", all, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := sequence.Open(ctx, path); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}
