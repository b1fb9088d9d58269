package lineblocks_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/lineblocks"
)

// sourcesOf returns every source for a text, by its name.
func sourcesOf(text string, size, limit int) map[string]lineblocks.Source {
	behind := "before\n" + text
	return map[string]lineblocks.Source{
		"stream":     lineblocks.NewStream(strings.NewReader(text), size, limit),
		"one byte":   lineblocks.NewStream(iotest.OneByteReader(strings.NewReader(text)), size, limit),
		"half":       lineblocks.NewStream(iotest.HalfReader(strings.NewReader(text)), size, limit),
		"data error": lineblocks.NewStream(iotest.DataErrReader(strings.NewReader(text)), size, limit),
		"sections":   lineblocks.NewSections(strings.NewReader(text), 0, int64(len(text)), size, limit, nil),
		"at a place": lineblocks.NewSections(strings.NewReader(behind), 7, int64(len(behind)), size, limit, nil),
	}
}

func TestBlocksAreWholeLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(a{0,9}\n){0,9}a{0,9}`).Draw(t, "text")
		size := rapid.IntRange(1, 40).Draw(t, "size")
		for name, in := range sourcesOf(text, size, 1000) {
			got := ""
			var b lineblocks.Block
			for number := 0; ; number++ {
				err := in.Next(context.Background(), &b)
				if err == io.EOF {
					break
				}
				if err != nil || b.Err != nil || b.Number != number {
					t.Fatalf("%s: block %d is number %d, error %v, %v", name, number, b.Number, err, b.Err)
				}
				if in.Blocks() == 0 && got+string(b.Text) != text {
					t.Fatalf("%s: no more blocks behind %q", name, got)
				}
				got += string(b.Text)
				if end := len(b.Text); end > 0 && b.Text[end-1] != '\n' && got != text {
					t.Fatalf("%s: block %q is not of whole lines", name, b.Text)
				}
				if len(b.Text) > 0 && string(b.Text[:len(b.Text)+lineblocks.Slack][len(b.Text):]) != strings.Repeat("\x00", lineblocks.Slack) {
					t.Fatalf("%s: no zeros behind block %q", name, b.Text)
				}
			}
			if got != text {
				t.Fatalf("%s: got %q, want %q", name, got, text)
			}
			if err := in.Next(context.Background(), &b); err != io.EOF {
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
			mu    sync.Mutex
			texts = map[int]string{}
			all   sync.WaitGroup
		)
		for range 4 {
			all.Add(1)
			go func() {
				defer all.Done()
				var b lineblocks.Block
				for in.Next(context.Background(), &b) == nil {
					mu.Lock()
					texts[b.Number] = string(b.Text)
					mu.Unlock()
				}
			}()
		}
		all.Wait()
		got := ""
		for number := range len(texts) {
			got += texts[number]
		}
		if got != text.String() {
			t.Errorf("%s: %d bytes in %d blocks, want %d bytes", name, len(got), len(texts), text.Len())
		}
	}
}

func TestBlocksBoundTheLengthOfLines(t *testing.T) {
	for _, test := range []struct {
		text string
		want error
	}{
		{"12345678901234567\n", lineblocks.ErrLongLine},
		{"1\n12345678901234567\n", lineblocks.ErrLongLine},
		{"1234567890123456\n", lineblocks.ErrLongLine},
		{"1234567890123456", lineblocks.ErrLongLine},
		{"1\n1234567890123456", lineblocks.ErrLongLine},
		{"123456789012345\n123456789012345\n", nil},
		{"1\n123456789012345\n123456789012345", nil},
	} {
		for _, size := range []int{1, 2, 3, 5, 16, 40} {
			for name, in := range sourcesOf(test.text, size, 16) {
				var (
					b   lineblocks.Block
					err error
				)
				for b.Err == nil && err == nil {
					err = in.Next(context.Background(), &b)
				}
				if before := strings.LastIndexByte(test.text[:max(0, strings.Index(test.text, "12"))], '\n') + 1; b.Err != nil && b.Number == 0 && string(b.Text) != test.text[:before] {
					t.Errorf("%s of %q, size %d: the lines before are %q", name, test.text, size, b.Text)
				}
				if b.Err != test.want {
					t.Errorf("%s of %q, size %d: error %v, want %v", name, test.text, size, b.Err, test.want)
				}
			}
		}
	}
}

func TestBlocksGiveUpOnAReaderThatGivesNothing(t *testing.T) {
	idle := readerFunc(func([]byte) (int, error) { return 0, nil })
	var b lineblocks.Block
	if err := lineblocks.NewStream(idle, 8, 8).Next(context.Background(), &b); err != nil || !errors.Is(b.Err, io.ErrNoProgress) {
		t.Errorf("error %v, %v", err, b.Err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
