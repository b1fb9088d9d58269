package aut

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/lts"
)

// outcome writes down all that a reading gives.
func outcome(m *lts.LTS, warnings []string, err error) string {
	if err != nil {
		return fmt.Sprint(m, warnings, err)
	}
	var b strings.Builder
	fmt.Fprintln(&b, describe(m), warnings)
	for l, text := range m.Alphabet().All() {
		found, ok := m.Alphabet().Lookup(text)
		fmt.Fprintf(&b, "%d %q %d %v\n", l, text, found, ok)
	}
	for s := range m.NumStates() {
		// Rows of states without transitions are many in some files.
		if labels, targets := m.Out(lts.State(s)); labels.Len() > 0 {
			fmt.Fprintln(&b, s, labels, targets)
		}
	}
	return b.String()
}

// anyFile draws files that are models, or nearly: all dialects, lines that are
// wrong, sources that ascend or not, counts that are true or not.
func anyFile() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		states := rapid.SampledFrom([]int{1, 3, 9, 1_000_000}).Draw(t, "states")
		ascending := rapid.Bool().Draw(t, "ascending")
		damage := rapid.SampledFrom([]int{0, 0, 0, 1, 5}).Draw(t, "damage")
		labels := rapid.SliceOfN(rapid.OneOf(anyLabel(), rapid.StringMatching(`[A-Z]{1,9}( ![0-9]{1,3}){0,3}`), rapid.StringMatching(`x{60,200}`)), 1, 12).Draw(t, "labels")
		lines := rapid.IntRange(0, 40).Draw(t, "lines")
		end := rapid.SampledFrom([]string{"\n", "\n", "\r\n", " \r\n", "\n\n", "\n \t\n"}).Draw(t, "end")
		var body strings.Builder
		from, count := 0, 0
		for range lines {
			if rapid.IntRange(0, 99).Draw(t, "wrong") < damage {
				body.WriteString(anyLine().Draw(t, "line") + end)
				continue
			}
			if ascending {
				from = min(from+rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "step"), states-1)
			} else {
				from = rapid.IntRange(0, states-1).Draw(t, "from")
			}
			label := `"` + rapid.SampledFrom(labels).Draw(t, "label") + `"`
			if rapid.IntRange(0, 9).Draw(t, "unquoted") == 0 {
				label = "a b"
			}
			to := strconv.Itoa(rapid.IntRange(0, states-1).Draw(t, "to"))
			if rapid.IntRange(0, 19).Draw(t, "beyond") < damage {
				to = rapid.SampledFrom([]string{"11", "12000", "00000000000000000001", "4294967294", "4294967295", "12345678901234567890123"}).Draw(t, "far")
			}
			fmt.Fprintf(&body, "(%d,%s%s, %s)%s", from, rapid.SampledFrom([]string{"", " "}).Draw(t, "blank"), label, to, end)
			count++
		}
		if rapid.IntRange(0, 9).Draw(t, "miscount") < damage {
			count += rapid.IntRange(-3, 3).Draw(t, "by")
		}
		text := fmt.Sprintf("des (0, %d, %d)%s%s", max(0, count), states, end, body.String())
		if rapid.Bool().Draw(t, "cut") {
			text = text[:len(text)-min(rapid.IntRange(0, 9).Draw(t, "end"), body.Len())]
		}
		return rapid.SampledFrom([]string{"", "", "\n \n", "\ufeff"}).Draw(t, "before") + text
	})
}

// readings returns the readers for a text by which it may come.
func readings(t interface{ Fatal(...any) }, text string) map[string]func() io.Reader {
	gz, zs := packedText(t, text, asGzip), packedText(t, text, asZstd)
	return map[string]func() io.Reader{
		"any place": func() io.Reader { return strings.NewReader(text) },
		"stream":    func() io.Reader { return iotest.DataErrReader(strings.NewReader(text)) },
		"gzip":      func() io.Reader { return bytes.NewReader(gz) },
		"zstd":      func() io.Reader { return bytes.NewReader(zs) },
	}
}

func packedText(t interface{ Fatal(...any) }, text string, c string) []byte {
	var data bytes.Buffer
	w, err := Compress(&data, c)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

// TestWorkersDoNotMatter reads files with many workers and in blocks down to
// single lines: the LTS, the warnings and the error are those of one worker that
// reads one block.
func TestWorkersDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyFile().Draw(t, "file")
		readers := readings(t, text)
		for _, lenient := range []bool{false, true} {
			m, warnings, err := readText(text, Options{Workers: 1, Lenient: lenient})
			want := outcome(m, warnings, err)
			for name, open := range readers {
				workers := rapid.SampledFrom([]int{1, 2, 3, 7}).Draw(t, "workers")
				size := rapid.SampledFrom([]int{1, 7, 30, 100, 1000}).Draw(t, "size")
				known := rapid.SampledFrom([]int{0, 3, knownLabels}).Draw(t, "known")
				m, warnings, err := read(context.Background(), open(), Options{Workers: workers, Lenient: lenient}, limits{size, known})
				if got := outcome(m, warnings, err); got != want {
					t.Fatalf("%s, %d workers, blocks of %d bytes, lenient %v:\n%s\nwant:\n%s", name, workers, size, lenient, got, want)
				}
			}
		}
	})
}
