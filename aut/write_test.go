package aut

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/inev-lts/inev/lts"
)

// built returns the LTS with these transitions, between states 0 to 9.
func built(t *testing.T, initial lts.State, labels ...string) *lts.LTS {
	t.Helper()
	var b lts.Builder
	for i, label := range labels {
		b.Add(lts.State(9-i), b.Label(label), lts.State(i))
	}
	m, err := b.Build(initial, 10)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestWrite(t *testing.T) {
	var out bytes.Buffer
	warnings, err := Write(&out, built(t, 4, "a", "b !1", "", " a ", "(é, \xff)"))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	want := "des (4, 5, 10)\n" +
		"(9, \"a\", 0)\n(8, \"b !1\", 1)\n(7, \"\", 2)\n(6, \" a \", 3)\n(5, \"(é, \xff)\", 4)\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestWriteWarnings(t *testing.T) {
	const (
		mCRL2  = ` holds a double quote: mCRL2 takes the label to end there`
		ltsmin = ` holds a double quote or a backslash: LTSmin reads it right only as \" or \\`
	)
	for _, test := range []struct {
		labels []string
		want   []string
	}{
		{[]string{"a", "b'c"}, nil},
		{[]string{"a", `b"`, `c"`}, []string{`label "b\""` + mCRL2, `label "b\""` + ltsmin}},
		{[]string{`a\b`, `b"`}, []string{`label "a\\b"` + ltsmin, `label "b\""` + mCRL2}},
		{[]string{`\`}, []string{`label "\\"` + ltsmin}},
		{[]string{strings.Repeat("x", 100) + `"`}, []string{
			`label "` + strings.Repeat("x", 40) + `"...` + mCRL2, `label "` + strings.Repeat("x", 40) + `"...` + ltsmin,
		}},
	} {
		got, err := Write(io.Discard, built(t, 0, test.labels...))
		if err != nil || strings.Join(got, "\n") != strings.Join(test.want, "\n") {
			t.Errorf("%q: error %v, warnings\n%s\nwant\n%s", test.labels, err, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
		}
	}
}

func TestWriteRefusesLineFeeds(t *testing.T) {
	var out bytes.Buffer
	_, err := Write(&out, built(t, 0, "a", "b\nc"))
	if want := `label "b\nc" holds a line feed, which no .aut file can: rename it`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if out.Len() > 0 {
		t.Errorf("%d bytes are written before the error", out.Len())
	}
}

func TestWriteLooksAtLabelsOfTransitionsOnly(t *testing.T) {
	var b lts.Builder
	b.Label("of no\ntransition \"")
	b.Add(0, b.Label("a"), 0)
	m, err := b.Build(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if warnings, err := Write(io.Discard, m); err != nil || len(warnings) > 0 {
		t.Error(err, warnings)
	}
}

func TestWritePassesOnErrors(t *testing.T) {
	full := errors.New("no space left")
	// The output is longer than what is held back, so that both the first
	// write and the last one can fail.
	m := built(t, 0, strings.Repeat("x", 70_000), "a")
	for allowed := range 2 {
		left := allowed
		w := writerFunc(func(p []byte) (int, error) {
			if left--; left < 0 {
				return 0, full
			}
			return len(p), nil
		})
		if _, err := Write(w, m); !errors.Is(err, full) {
			t.Errorf("after %d writes: error %v", allowed, err)
		}
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
