package verify

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/inev-lts/inev/internal/abort"
)

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		text string
		want uint32
		err  string
	}{
		{"0", 0, ""},
		{" \n7,", 7, ""},
		{"4294967294", longest, ""},
		{"4294967295", 0, "line 1: found a number above 4294967294, the largest that can stand here"},
		{"99999999999999999999999999", 0, "line 1: found a number above 4294967294, the largest that can stand here"},
		{"01", 0, "line 1: a number begins with 0"},
		{"\n-1", 0, "line 2: a number from 0 to 4294967294 was expected"},
		{"1.5", 0, "line 1: a number from 0 to 4294967294 was expected"},
		{"1e3", 0, "line 1: a number from 0 to 4294967294 was expected"},
		{"", 0, "line 1: a number from 0 to 4294967294 was expected"},
		{`"1"`, 0, "line 1: a number from 0 to 4294967294 was expected"},
	} {
		x := newScanner(strings.NewReader(c.text))
		var got uint32
		if err := abort.Try(func() { got = x.number(longest) }); got != c.want || message(err) != c.err {
			t.Errorf("%q: %d, %v; want %d, %s", c.text, got, err, c.want, c.err)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestText(t *testing.T) {
	for _, c := range []struct{ text, want, err string }{
		{`"ab"`, "ab", ""},
		{` "a\"\\\u00e9"`, `a"\é`, ""},
		{`"a`, "", "line 1: the file ends in a string"},
		{`"\x"`, "", "line 1: a string is malformed"},
		{"\"a\nb\"", "", "line 2: a string is malformed"},
		{`"` + strings.Repeat("a", 100) + `"`, "", "line 1: found a string of more than 6 bytes, the longest that can stand here"},
		{`1`, "", `line 1: found '1' where '"' was expected`},
		{"\"a\x00b\"", "", "line 1: found a byte 0, which cannot stand here"},
	} {
		x := newScanner(strings.NewReader(c.text))
		var got string
		if err := abort.Try(func() { got = x.text(6) }); got != c.want || message(err) != c.err {
			t.Errorf("%q: %q, %v; want %q, %s", c.text, got, err, c.want, c.err)
		}
	}
}

func TestElements(t *testing.T) {
	sum := func(text string) (total int, err error) {
		defer abort.Caught(&err)
		x := newScanner(strings.NewReader(text))
		x.open('{')
		x.member("a")
		x.open('[')
		for x.more() {
			x.open('[')
			for x.more() {
				total += int(x.number(longest))
			}
		}
		x.member("b")
		if x.truth() {
			total += 100
		}
		x.end('}')
		x.finish()
		return total, nil
	}
	for text, want := range map[string]int{
		`{"a": [[1, 2], [], [3]], "b": true}`: 106,
		`{"a":[],"b":false} `:                 0,
	} {
		if got, err := sum(text); got != want || err != nil {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{
		`{"a": [[1 2]], "b": true}`, `{"a": [[1,]], "b": true}`, `{"a": [[,1]], "b": true}`, `{"a": [[1]] "b": true}`,
		`{"a": [], "b": true,}`, `{"a": [], "b": tru}`, `{"a": [], "b": 1}`, `{"b": true, "a": []}`, `{"a": [], "b": true} {}`,
		"{\"a\": [], \"b\": true}\x00", "{\"a\": [], \"b\": true}\n\x00{\"a\": 1}", "{\"a\": [], \x00\"b\": true}", "\x00",
		`{"a": [], "b": true, "c": 1}`, `{"a": [}`, `{"a": [[`, `{,"a": [], "b": true}`, ``,
	} {
		if _, err := sum(text); err == nil {
			t.Errorf("accepted: %s", text)
		}
	}
}

// TestReadError: the reader's own error is what comes back.
func TestReadError(t *testing.T) {
	broken := errors.New("broken")
	x := newScanner(iotest.ErrReader(broken))
	if err := abort.Try(func() { x.open('{') }); !errors.Is(err, broken) {
		t.Error(err)
	}
}
