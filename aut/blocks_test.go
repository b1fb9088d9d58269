package aut

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/lineblocks"
	"github.com/inev-lts/inev/internal/swar"
	"github.com/inev-lts/inev/lts"
)

func TestReadOfALongLine(t *testing.T) {
	d := newDecoder(Options{Name: "m.aut"}, -1)
	d.line = 6
	if got, want := d.readError(lineblocks.ErrLongLine).Error(), "m.aut:7: this line is longer than 256 MiB: this does not look like an .aut file"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestReadOfLongLabels(t *testing.T) {
	long := strings.Repeat("0123456789", inputfile.MaxLabel/10)
	text := "des (0, 3, 2)\n(0, \"" + long + "\", 1)\n(1, a, 0)\n(1, \"" + long + "\", 1)"
	m, _, err := readText(text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	labels, targets := m.Out(1)
	if m.Alphabet().Len() != 2 || m.Alphabet().Text(0) != long || labels.At(1) != lts.Label(0) || targets[1] != 1 {
		t.Errorf("%d labels, the first of %d bytes; labels %v, targets %v", m.Alphabet().Len(), len(m.Alphabet().Text(0)), labels, targets)
	}
	var again bytes.Buffer
	if _, err := Write(&again, m); err != nil {
		t.Fatal(err)
	}
	if want := strings.ReplaceAll(text, "(1, a, 0)", `(1, "a", 0)`) + "\n"; again.String() != want {
		t.Error("written otherwise")
	}
}

// TestReadOfPieces has readers that give a file in pieces, down to single
// bytes: results and errors are the same.
func TestReadOfPieces(t *testing.T) {
	for _, text := range []string{
		"des (0,3,3)\r\n(0,\"a\",1)\r\n\r\n( 1 , b , 2 )\n(2,\"c, \"d\"\",0)",
		"\ufeffdes (0,3,3)\n(0,a,1)\n",
		"des (0,3,3)\n(0,a,1)\n(1,b",
		"\x1f\x8b and nothing of gzip",
		"hello",
		"",
	} {
		want, _, wantErr := readText(text, Options{})
		for name, r := range map[string]io.Reader{
			"one byte":   iotest.OneByteReader(strings.NewReader(text)),
			"half":       iotest.HalfReader(strings.NewReader(text)),
			"data error": iotest.DataErrReader(strings.NewReader(text)),
		} {
			got, _, err := Read(context.Background(), r, Options{})
			switch {
			case (err == nil) != (wantErr == nil), err != nil && err.Error() != wantErr.Error():
				t.Errorf("%s of %q: error %v, want %v", name, text, err, wantErr)
			case err == nil && describe(got) != describe(want):
				t.Errorf("%s of %q: %s, want %s", name, text, describe(got), describe(want))
			}
		}
	}
}

func TestLabelsAreNumberedInTheirOrder(t *testing.T) {
	// Texts of all lengths around the cache's limit, most of which share slots
	// with others: there are more of them than slots.
	var texts []string
	for i := range 6 * (1 << 10) {
		texts = append(texts, strings.Repeat("x", i%(swar.CachedBytes+10))+string(rune('a'+i%7))+strings.Repeat("y", i/500))
	}
	for range 2 {
		texts = append(texts, "", "\x00", "\x00\x00", "12345678", "12345678\x00")
		texts = append(texts, texts...)
	}
	var (
		numbers labelNumbers
		want    = map[string]lts.Label{}
	)
	for i, text := range texts {
		var (
			l  = lts.Label(0)
			ok = true
		)
		if i%3 == 0 {
			l = numbers.numberOf([]byte(text))
		} else {
			padded := `(0,"` + text + `",1)` + strings.Repeat("\x00", lineblocks.Slack)
			number, quote, found := numbers.cache.Quoted([]byte(padded), 4, len(padded)-lineblocks.Slack)
			l, ok = lts.Label(number), found && quote == 4+len(text)
			if number == swar.Unknown {
				l = numbers.numberOf([]byte(text))
			}
		}
		if known, seen := want[text]; !ok || seen && known != l || !seen && int(l) != len(want) {
			t.Fatalf("%q is label %d, accepted %v", text, l, ok)
		}
		want[text] = l
	}
}

// TestLabelsEndInTheirLine has lines whose label goes on, if the line feed is
// overlooked, to a quote in another line.
func TestLabelsEndInTheirLine(t *testing.T) {
	for _, label := range []string{"a", "1234567", strings.Repeat("a", swar.CachedBytes), strings.Repeat("a", 100)} {
		text := "des (0,2,2)\n(0,\"" + label + ",0)\n(0,\",1)\n"
		want := `input:2: the closing quote of the label is missing: ` + inputfile.Quote([]byte(`"`+label))
		if _, _, err := readText(text, Options{}); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestReadAllocatesNothingForLines(t *testing.T) {
	const pairs = 5_000
	lines := "(0, \"a label\", 1)\n(1, \"" + strings.Repeat("long ", 20) + "\", 0)\n(0, unquoted, 1)\n"
	text := strings.Repeat(lines, pairs)
	s := &scanner{states: 2}
	s.Text = append([]byte(text), make([]byte, lineblocks.Slack)...)[:len(text)]
	s.scan()
	if n := testing.AllocsPerRun(10, s.scan); n > 0 || len(s.found) != 3*pairs {
		t.Errorf("%v allocations for %d lines", n, len(s.found))
	}
}
