package values_test

import (
	"math"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/property/values"
)

// TestSizes: all parts of a value count, wherever they occur, and neither the size nor the depth overflows.
func TestSizes(t *testing.T) {
	for text, want := range map[string][2]int{
		"1":                          {0, 0},
		"<<>>":                       {0, 1},
		"<<1, <<2, 3>>>>":            {4, 2},
		"{1, {1}, 1}":                {3, 2},
		`[a |-> 1, b |-> <<2>>]`:     {5, 2},
		`(<<1>> :> 2 @@ <<2>> :> 3)`: {6, 2},
	} {
		if v := values.Parse(text); v.Size() != want[0] || v.Depth() != want[1] {
			t.Errorf("%s: size %d, depth %d, want %v", text, v.Size(), v.Depth(), want)
		}
	}
	v := values.OfInt(1)
	for range math.MaxUint16 + 10 {
		v = values.Make(values.Sequence, "", nil, []values.Value{v, v})
	}
	if v.Size() != math.MaxUint32 || v.Depth() != math.MaxUint16 {
		t.Errorf("size %d, depth %d", v.Size(), v.Depth())
	}
}

// TestStart: the beginning of a text of any length costs no more than it is long.
func TestStart(t *testing.T) {
	v := values.OfInt(1)
	for range 60 {
		v = values.Make(values.Sequence, "", nil, []values.Value{v, v})
	}
	if text := v.Start(100); len(text) <= 100 || len(text) > 200 || !strings.HasPrefix(text, strings.Repeat("<<", 60)+"1") {
		t.Error(text)
	}
	whole := values.Parse(`(<<1>> :> [a |-> {"x"}] @@ <<2>> :> f(1, [2]))`)
	if text := whole.Start(1000); text != whole.String() || text != `(<<1>> :> [a |-> {"x"}] @@ <<2>> :> f(1, [2]))` {
		t.Error(text)
	}
}

// TestLongNumbers: numbers of more than 64 bits are compared by their size.
func TestLongNumbers(t *testing.T) {
	ordered := []string{"-123456789012345678901", "-99999999999999999999", "-1", "0", "7", "99999999999999999999", "99999999999999999999999"}
	for i, a := range ordered {
		for k, b := range ordered {
			got := values.Parse(a).Compare(values.Parse("0" + b))
			if strings.HasPrefix(b, "-") {
				got = values.Parse(a).Compare(values.Parse("-00" + b[1:]))
			}
			if got < 0 != (i < k) || got > 0 != (i > k) {
				t.Errorf("%s and %s: %d", a, b, got)
			}
		}
	}
}
