package aut

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/progress"
)

func TestAdmitIsAskedBeforeTransitionsAreRead(t *testing.T) {
	full := errors.New("no room for it")
	for _, test := range []struct {
		text string
		want string
	}{
		{"des (0,2,3)\n(0,a,1)\n(1,b,2)\n", "3 states, 2 transitions"},
		// What follows the header is not looked at.
		{"\n des (2,1,3)\nnonsense", "3 states, 1 transitions"},
		// Nobody has to be afraid of what cannot be true.
		{"des (0,4294967295000,4294967295)\n(0,a,1)\n", "1000320 states, 5 transitions"},
	} {
		for _, refusal := range []error{nil, full} {
			asked := ""
			_, _, err := readText(test.text, Options{Name: "m.aut", Admit: func(states, transitions int64) error {
				asked += fmt.Sprintf("%d states, %d transitions", states, transitions)
				return refusal
			}})
			if asked != test.want {
				t.Errorf("%q: asked for %s, want %s", test.text, asked, test.want)
			}
			var e *inputfile.Error
			if refusal != nil && (!errors.As(err, &e) || err.Error() != "m.aut: no room for it" || !errors.Is(err, full)) {
				t.Errorf("%q: error %v", test.text, err)
			}
			if refusal == nil && errors.Is(err, full) {
				t.Errorf("%q: refused: %v", test.text, err)
			}
		}
	}
	_, _, err := Read(context.Background(), iotest.OneByteReader(strings.NewReader("des (0,4294967295000,7)\n")), Options{Admit: func(states, transitions int64) error {
		return fmt.Errorf("%d and %d", states, transitions)
	}})
	if want := "input: 7 and 4294967295000"; err == nil || err.Error() != want {
		t.Errorf("of unknown length: error %v, want %s", err, want)
	}
}

// TestReadTellsHowFarItIs observes files as they lie on the disk.
func TestReadTellsHowFarItIs(t *testing.T) {
	var text strings.Builder
	text.WriteString("des (0, 100000, 100000)\n")
	for s := range 100_000 {
		fmt.Fprintf(&text, "(%d, \"a label of some length\", 0)\n", s)
	}
	for name, data := range map[string][]byte{
		"m.aut":     []byte(text.String()),
		"m.aut.gz":  packedText(t, text.String(), asGzip),
		"m.aut.zst": packedText(t, text.String(), asZstd),
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		var meters []*progress.Meter
		ctx := progress.With(context.Background(), func(m *progress.Meter) { meters = append(meters, m) })
		if _, _, err := Open(ctx, path, Options{}); err != nil {
			t.Fatal(err)
		}
		size := int64(len(data))
		if len(meters) != 1 || meters[0].Phase != "read" || meters[0].Unit != progress.Bytes || meters[0].Total != size || meters[0].Done() != size {
			t.Errorf("%s: %d meters, the first %+v with %d done; want one, \"read\", %d bytes", name, len(meters), meters[0], meters[0].Done(), size)
		}
	}
}

func TestMemory(t *testing.T) {
	for _, test := range []struct {
		states, transitions int64
		ascending           bool
		workers             int
		reading, held       int64
	}{
		{100, 1000, true, 8, 5400, 5400},
		{100, 1000, false, 1, 14_800, 9_400},
		{100, 1000, false, 3, 15_600, 9_400},
		{100, tooLarge - 1, false, 1, math.MaxInt64, math.MaxInt64},
		{math.MaxInt64, 1, true, 1, math.MaxInt64, math.MaxInt64},
	} {
		if reading, held := memory(test.states, test.transitions, test.ascending, test.workers); reading != test.reading || held != test.held {
			t.Errorf("%+v: %d, then %d", test, reading, held)
		}
	}
}

// memory estimates how many bytes an LTS of this size takes: reading is the number while this
// many workers read the LTS, held the number afterwards. Labels and the buffers of [Read] come in
// addition, and up to 4 bytes a transition during reading if the length of the text is not known
// beforehand.
//
// If sources ascend, a transition takes 5 bytes and a state 4, all the time. If
// they do not, which only reading can show, a transition takes 9 and a state 4;
// while they are sorted, 14, and a state 4 more for each worker. These numbers
// are for up to 256 labels; with more labels, a label takes 2 bytes, and beyond
// 65,536 labels 4: each byte above 1 adds to each transition, twice during
// sorting. Cost O(1).
func memory(states, transitions int64, ascending bool, workers int) (reading, held int64) {
	held = sum(5, transitions, 4, states)
	if ascending {
		return held, held
	}
	return sum(14, transitions, int64(4+4*max(1, workers)), states), sum(9, transitions, 4, states)
}

// sum returns a*x + b*y, or the largest number if that overflows.
func sum(a, x, b, y int64) int64 {
	if x > math.MaxInt64/2/a || y > math.MaxInt64/2/b {
		return math.MaxInt64
	}
	return a*x + b*y
}
