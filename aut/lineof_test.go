package aut

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/abort"
)

// TestLineOf: models with blank lines and both kinds of line ends, each label being
// the number of its line.
func TestLineOf(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "transitions")
		blank := rapid.SampledFrom([]string{"\n", "\r\n", " \t\n", " \r\n"})
		end := rapid.SampledFrom([]string{"\n", "\r\n", "  \n"})
		blanks := rapid.SampledFrom([]int{0, 0, 0, 1, 3})
		var text strings.Builder
		line := 1
		pad := func(what string) {
			for range blanks.Draw(t, what) {
				text.WriteString(blank.Draw(t, "blank"))
				line++
			}
		}
		text.WriteString(rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "mark"))
		pad("before")
		fmt.Fprintf(&text, "des (0, %d, 3)%s", n, end.Draw(t, "end"))
		line++
		for i := range n {
			pad("between")
			// Sources that descend, too: the order of the file is not that of the rows.
			fmt.Fprintf(&text, "(%d, \"%d\", %d)", rapid.IntRange(0, 2).Draw(t, "from"), line, i%3)
			if i < n-1 || rapid.Bool().Draw(t, "ended") {
				text.WriteString(end.Draw(t, "end"))
			}
			line++
		}
		m, _, err := Read(ctx, strings.NewReader(text.String()), Options{})
		if err != nil {
			t.Fatal(err)
		}
		size := rapid.IntRange(1, 300).Draw(t, "block")
		indexes := rapid.Permutation(slices.Repeat(upTo(n), 2)).Draw(t, "order")
		lines := newLineSearch("m.aut", indexes).in(ctx, strings.NewReader(text.String()), size)
		want := make([]string, 0, n)
		for transition := range m.Transitions() {
			want = append(want, m.Alphabet().Text(transition.Label))
		}
		for i, index := range indexes {
			if fmt.Sprint(lines[i]) != want[index] {
				t.Fatalf("transition %d is on line %d, want %s", index, lines[i], want[index])
			}
		}
		err = abort.Try(func() {
			newLineSearch("m.aut", append(indexes, n)).in(ctx, strings.NewReader(text.String()), size)
		})
		if err == nil {
			t.Fatalf("transition %d of %d has a line", n, n)
		}
	})
}

func upTo(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

func TestLineOfFile(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	for _, c := range []string{asPlain, asGzip, asZstd} {
		var packed bytes.Buffer
		w, err := Compress(&packed, c)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, "des (0, 2, 2)\n\n(0, A, 1)\r\n\n(1, B, 0)")
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, fmt.Sprintf("%s.aut", c))
		if err := os.WriteFile(path, packed.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		for index, want := range []int{3, 5} {
			if got, err := lineOf(ctx, path, index); got != want || err != nil {
				t.Errorf("compression %s, transition %d: line %d (error %v), want %d", c, index, got, err, want)
			}
		}
		if lines, plain := linesOfFile(ctx, path, []int{1, 0, 1}, nil); !slices.Equal(lines, []int{5, 3, 5}) || plain != (c == asPlain) {
			t.Errorf("compression %s: lines %v, plain %v", c, lines, plain)
		}
		if _, err := lineOf(ctx, path, 2); err == nil || !strings.Contains(err.Error(), "has no transition 3 any more") {
			t.Errorf("error %v", err)
		}
	}
	if _, err := lineOf(ctx, filepath.Join(folder, "missing.aut"), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := lineOf(done, filepath.Join(folder, "0.aut"), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// lineOf returns the line of one transition.
func lineOf(ctx context.Context, path string, index int) (line int, err error) {
	defer abort.Caught(&err)
	lines, _ := linesOfFile(ctx, path, []int{index}, nil)
	return lines[0], nil
}

// TestLinesOfAnother: no line is named that does not have its transition, whatever a file says of itself.
func TestLinesOfAnother(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "m.aut")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const header = "des (0, 3, 2)\n"
	write(header + "(0, \"A \", 1)\r\n( 0 , B , 1 )\n(1, \"C\"D\", 0)\n")
	m, _, err := Open(ctx, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Collect(m.Transitions())
	if lines, _, err := LinesOf(ctx, path, m, all); err != nil || !slices.Equal(lines, []int{2, 3, 4}) {
		t.Errorf("lines %v, error %v", lines, err)
	}
	write(header + "(0, B, 1)\n(0, \"A \", 1)\n(1, \"C\"D\", 0)\n")
	if lines, _, err := LinesOf(ctx, path, m, all); err == nil || !strings.Contains(err.Error(), ":2: this is not transition 1 any more") {
		t.Errorf("lines %v, error %v", lines, err)
	}
}
