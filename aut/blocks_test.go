package aut

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/lts"
)

// sourcesOf returns every source for a text, by its name.
func sourcesOf(text string, size, limit int) map[string]source {
	behind := "before\n" + text
	return map[string]source{
		"stream":     newStream(strings.NewReader(text), size, limit),
		"one byte":   newStream(iotest.OneByteReader(strings.NewReader(text)), size, limit),
		"half":       newStream(iotest.HalfReader(strings.NewReader(text)), size, limit),
		"data error": newStream(iotest.DataErrReader(strings.NewReader(text)), size, limit),
		"sections":   newSections(strings.NewReader(text), 0, int64(len(text)), size, limit, nil),
		"at a place": newSections(strings.NewReader(behind), 7, int64(len(behind)), size, limit, nil),
	}
}

func TestBlocksAreWholeLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(a{0,9}\n){0,9}a{0,9}`).Draw(t, "text")
		size := rapid.IntRange(1, 40).Draw(t, "size")
		for name, in := range sourcesOf(text, size, 1000) {
			got := ""
			var b block
			for number := 0; ; number++ {
				err := in.next(context.Background(), &b)
				if err == io.EOF {
					break
				}
				if err != nil || b.err != nil || b.number != number {
					t.Fatalf("%s: block %d is number %d, error %v, %v", name, number, b.number, err, b.err)
				}
				if in.blocks() == 0 && got+string(b.text) != text {
					t.Fatalf("%s: no more blocks behind %q", name, got)
				}
				got += string(b.text)
				if end := len(b.text); end > 0 && b.text[end-1] != '\n' && got != text {
					t.Fatalf("%s: block %q is not of whole lines", name, b.text)
				}
				if len(b.text) > 0 && string(b.text[:len(b.text)+slack][len(b.text):]) != strings.Repeat("\x00", slack) {
					t.Fatalf("%s: no zeros behind block %q", name, b.text)
				}
			}
			if got != text {
				t.Fatalf("%s: got %q, want %q", name, got, text)
			}
			if err := in.next(context.Background(), &b); err != io.EOF {
				t.Fatalf("%s: error %v after the end", name, err)
			}
		}
	})
}

// TestBlocksOfManyAtATime has several goroutines ask for blocks: together they
// are the text.
func TestBlocksOfManyAtATime(t *testing.T) {
	var text strings.Builder
	for i := range 3000 {
		text.WriteString(strings.Repeat("a", i*i%50) + "\n")
	}
	for name, in := range sourcesOf(text.String(), 64, 1000) {
		var (
			mu     sync.Mutex
			blocks = map[int]string{}
			all    sync.WaitGroup
		)
		for range 4 {
			all.Add(1)
			go func() {
				defer all.Done()
				var b block
				for in.next(context.Background(), &b) == nil {
					mu.Lock()
					blocks[b.number] = string(b.text)
					mu.Unlock()
				}
			}()
		}
		all.Wait()
		got := ""
		for number := range len(blocks) {
			got += blocks[number]
		}
		if got != text.String() {
			t.Errorf("%s: %d bytes in %d blocks, want %d bytes", name, len(got), len(blocks), text.Len())
		}
	}
}

func TestBlocksBoundTheLengthOfLines(t *testing.T) {
	for _, test := range []struct {
		text string
		want error
	}{
		{"12345678901234567\n", errLongLine},
		{"1\n12345678901234567\n", errLongLine},
		{"1234567890123456\n", errLongLine},
		{"1234567890123456", errLongLine},
		{"1\n1234567890123456", errLongLine},
		{"123456789012345\n123456789012345\n", nil},
		{"1\n123456789012345\n123456789012345", nil},
	} {
		for _, size := range []int{1, 2, 3, 5, 16, 40} {
			for name, in := range sourcesOf(test.text, size, 16) {
				var (
					b   block
					err error
				)
				for b.err == nil && err == nil {
					err = in.next(context.Background(), &b)
				}
				if b.err != test.want {
					t.Errorf("%s of %q, size %d: error %v, want %v", name, test.text, size, b.err, test.want)
				}
			}
		}
	}
	d := newDecoder(Options{Name: "m.aut"}, -1)
	d.line = 6
	if got, want := d.readError(errLongLine).Error(), "m.aut:7: this line is longer than 256 MiB: this looks like no .aut file"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestBlocksGiveUpOnAReaderThatGivesNothing(t *testing.T) {
	idle := readerFunc(func([]byte) (int, error) { return 0, nil })
	var b block
	if err := newStream(idle, 8, 8).next(context.Background(), &b); err != nil || !errors.Is(b.err, io.ErrNoProgress) {
		t.Errorf("error %v, %v", err, b.err)
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
	for i := range 6 * cacheSlots {
		texts = append(texts, strings.Repeat("x", i%(cachedBytes+10))+string(rune('a'+i%7))+strings.Repeat("y", i/500))
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
			l = numbers.label([]byte(text))
		} else {
			padded := `(0,"` + text + `",1)` + strings.Repeat("\x00", slack)
			var quote int
			l, quote, ok = numbers.quoted([]byte(padded), 4, len(padded)-slack)
			ok = ok && quote == 4+len(text)
			if l == unknown {
				l = numbers.label([]byte(text))
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
	for _, label := range []string{"a", "1234567", strings.Repeat("a", cachedBytes), strings.Repeat("a", 100)} {
		text := "des (0,2,2)\n(0,\"" + label + ",0)\n(0,\",1)\n"
		want := `input:2: the closing quote of the label is missing: ` + quote([]byte(`"`+label))
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
	s.buf = append([]byte(text), make([]byte, slack)...)
	s.set(0, len(text))
	s.scan()
	if n := testing.AllocsPerRun(10, s.scan); n > 0 || len(s.found) != 3*pairs {
		t.Errorf("%v allocations for %d lines", n, len(s.found))
	}
}
