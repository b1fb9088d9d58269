package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestScale puts the figures of small models into a page: what stands before and behind the
// section stays, and the plot is beside it.
func TestScale(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the command")
	}
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	o := settings{runs: 1, smallRuns: 1, peerLimit: time.Minute, log: io.Discard}
	if err := o.readSizes("1e3,1e4", "", ""); err != nil {
		t.Fatal(err)
	}
	l, err := newLaboratory(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(folder, "page.md")
	if err := os.WriteFile(page, []byte("# Page\n\n## Measured\n\nold\n\n### old\n\n## What the machine gives\n\n## More\n\nrest\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := errors.Join(l.measureScale(context.Background(), 1000, page), l.measureBandwidths(context.Background(), 8<<20, page)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	got := string(text)
	if !strings.HasPrefix(got, "# Page\n\n## Measured\n\nThis section") || !strings.HasSuffix(got, "\n\n## More\n\nrest\n") || strings.Contains(got, "### old") {
		t.Errorf("the page became:\n%s", got)
	}
	for _, want := range []string{
		"-sizes 1000,10000 -explained 1000 -scale", "(page.svg)",
		"| `inev check` | 999 | 333 | holds |", "| `inev check` | 9,999 | 3,333 | holds |", "| `inev explain --no-fairness --no-advice` | 999 |",
		"| arithmetic in registers |", "| memory, written for the first time |", "| disk, 4 KiB anywhere in it |",
	} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q is not there once:\n%s", want, got)
		}
	}
	if strings.Contains(got, "| `inev explain --no-fairness --no-advice` | 9,999 |") {
		t.Error("more is explained than was asked for")
	}
	plot, err := os.ReadFile(filepath.Join(folder, "page.svg"))
	if err != nil || !strings.Contains(string(plot), "</svg>") || strings.Contains(string(plot), "NaN") {
		t.Errorf("this is no plot: %.300s, error %v", plot, err)
	}
}

// TestLargestPiped: what scale writes is read back, the largest model.
func TestLargestPiped(t *testing.T) {
	page := filepath.Join(t.TempDir(), "scale.md")
	if _, is := largestPiped(page); is {
		t.Error("a page that is not there has a model")
	}
	rows := newTable("", "transitions", "states", "verdict", "elapsed", "processor", "a transition", "peak", "a transition")
	rows.add("`inev check`", "9,999", "333", "holds", seconds(1.5), seconds(1), "1 ns", size(7.94e9), "7.94 bytes")
	rows.add("`inev check`", "999", "33", "holds", seconds(0.5), seconds(1), "1 ns", size(1e6), "1 byte")
	rows.add("`inev explain`", "99,999", "33", "holds", seconds(9), seconds(1), "1 ns", size(1e6), "1 byte")
	rows.add("`inev check`", "99,999", "33", "holds", "no time", "", "", "", "")
	if err := os.WriteFile(page, []byte(rows.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if s, is := largestPiped(page); !is || s.Seconds != 1.5 || s.Peak != 7_940_000_000 || s.Transitions != 9_999 {
		t.Errorf("%t, %+v", is, s)
	}
}

// TestTogether: goroutines that share memory and disk do all of the work, whatever their
// number.
func TestTogether(t *testing.T) {
	const extent = 4 << 20
	at := task{Path: filepath.Join(t.TempDir(), "disk"), Bytes: extent}
	for _, c := range []struct {
		name string
		do   func(context.Context, task) (sample, error)
		each bool // whether each goroutine does as much
		want int64
	}{
		{"arithmetic", arithmetic, true, extent / 2},
		{"touch", touch, false, extent},
		{"sequential", sequential, false, 4 * extent},
		{"anywhere", anywhere, true, extent / 64},
		{"write disk", writeDisk, false, extent},
		{"read disk", readDisk, false, extent},
		{"blocks", readBlocks, true, extent >> 18},
	} {
		for _, at.Workers = range []int{1, 2} {
			want := c.want
			if c.each {
				want *= int64(at.Workers)
			}
			if s, err := c.do(context.Background(), at); err != nil || s.Bytes != want || s.Seconds <= 0 {
				t.Errorf("%s, %d goroutines: %d in %g s, want %d; error %v", c.name, at.Workers, s.Bytes, s.Seconds, want, err)
			}
		}
	}
	at.Path = filepath.Join(t.TempDir(), "nothing")
	if _, err := readDisk(context.Background(), at); err == nil {
		t.Error("a file that is not there was read")
	}
}
