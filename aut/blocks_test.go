package aut

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/inev-lts/inev/lts"
	"pgregory.net/rapid"
)

func TestBlocksAreWholeLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(a{0,9}\n){0,9}a{0,9}`).Draw(t, "text")
		size := rapid.IntRange(1, 40).Draw(t, "size")
		var r io.Reader = strings.NewReader(text)
		switch rapid.IntRange(0, 3).Draw(t, "reader") {
		case 1:
			r = iotest.OneByteReader(r)
		case 2:
			r = iotest.HalfReader(r)
		case 3:
			r = iotest.DataErrReader(r)
		}
		in := newBlocks(r, size, 1000)
		got := ""
		for {
			block, err := in.next(context.Background())
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got += string(block)
			if len(block) == 0 || block[len(block)-1] != '\n' && got != text {
				t.Fatalf("block %q is not of whole lines", block)
			}
		}
		if got != text {
			t.Fatalf("got %q, want %q", got, text)
		}
		if _, err := in.next(context.Background()); err != io.EOF {
			t.Fatalf("error %v after the end", err)
		}
	})
}

func TestBlocksBoundTheLengthOfLines(t *testing.T) {
	for _, test := range []struct {
		text string
		want error
	}{
		{"12345678901234567\n", errLongLine},
		{"1\n12345678901234567\n", errLongLine},
		{"123456789012345\n123456789012345\n", nil},
	} {
		in := newBlocks(strings.NewReader(test.text), 3, 16)
		var err error
		for err == nil {
			_, err = in.next(context.Background())
		}
		if err == io.EOF {
			err = nil
		}
		if err != test.want {
			t.Errorf("%q: error %v, want %v", test.text, err, test.want)
		}
	}
	d := &decoder{Options: Options{Name: "m.aut"}, line: 6}
	if got, want := d.readError(errLongLine).Error(), "m.aut:7: this line is longer than 256 MiB: this looks like no .aut file"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestBlocksGiveUpOnAReaderThatGivesNothing(t *testing.T) {
	idle := readerFunc(func([]byte) (int, error) { return 0, nil })
	if _, err := newBlocks(idle, 8, 8).next(context.Background()); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("error %v", err)
	}
}

func TestReadOfLongLabels(t *testing.T) {
	long := strings.Repeat("0123456789", 1<<20)
	text := "des (0, 3, 2)\n(0, \"" + long + "\", 1)\n(1, a, 0)\n(1, \"" + long + "\", 1)"
	m, _, err := readText(text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	labels, targets := m.Out(1)
	if m.Alphabet().Len() != 2 || m.Alphabet().Text(0) != long || labels[1] != lts.Label(0) || targets[1] != 1 {
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

func TestLabelCacheGivesTheBuildersLabels(t *testing.T) {
	// Texts of all lengths around the cache's limit, most of which share slots
	// with others: there are more of them than slots.
	var texts []string
	for i := range 3 * cacheSlots {
		texts = append(texts, strings.Repeat("x", i%(cachedBytes+4))+string(rune('a'+i%7))+strings.Repeat("y", i/500))
	}
	var (
		b     lts.Builder
		cache labelCache
		want  = map[string]lts.Label{}
	)
	for range 3 {
		for _, text := range append(texts, "") {
			l := cache.label(&b, []byte(text))
			if known, ok := want[text]; ok && known != l || !ok && int(l) != len(want) {
				t.Fatalf("%q is label %d", text, l)
			}
			want[text] = l
		}
	}
}

func TestReadAllocatesNothingForLines(t *testing.T) {
	const pairs, runs = 5_000, 10
	lines := "(0, \"a label\", 1)\n(1, \"" + strings.Repeat("long ", 20) + "\", 0)\n"
	block := bytes.Repeat([]byte(lines), pairs)
	d := &decoder{Options: Options{Name: "m.aut"}, header: header{transitions: 1 << 40, states: 2}, sources: 2}
	// Room for transitions is not what is counted. AllocsPerRun runs once more
	// than it is told.
	d.builder.Grow(2 * pairs * (runs + 2))
	read := func() {
		if err := d.transitions(block); err != nil {
			t.Fatal(err)
		}
	}
	read()
	if n := testing.AllocsPerRun(runs, read); n > 0 {
		t.Errorf("%v allocations for %d lines", n, 2*pairs)
	}
}
