package inputfile_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/inev-lts/inev/internal/inputfile"
)

func TestEach(t *testing.T) {
	failure := errors.New("failure")
	for _, c := range []struct {
		text string
		want string // the lines with their numbers
		at   int
		err  error
	}{
		{"", "", 0, nil},
		{"a\nb", "1 a;2 b;", 2, nil},
		{"\ufeffa\r\n\n\ufeffb\n", "1 a;2 ;3 \ufeffb;", 3, nil},
		{"a\nstop\nb", "1 a;2 stop;", 2, failure},
		{"a\n" + strings.Repeat("x", 100) + "\nb", "1 a;", 2, inputfile.ErrLongLine},
	} {
		var got strings.Builder
		at, err := inputfile.EachLine(context.Background(), strings.NewReader(c.text), 50, func(number int, text []byte) error {
			fmt.Fprintf(&got, "%d %s;", number, text)
			if string(text) == "stop" {
				return failure
			}
			return nil
		})
		if got.String() != c.want || at != c.at || !errors.Is(err, c.err) {
			t.Errorf("%q gives %q, %d, %v, want %q, %d, %v", c.text, got.String(), at, err, c.want, c.at, c.err)
		}
	}
}

func TestEachEnds(t *testing.T) {
	done, stop := context.WithCancel(context.Background())
	stop()
	never := func(int, []byte) error { t.Error("a line is read"); return nil }
	if _, err := inputfile.EachLine(done, strings.NewReader("a\n"), 50, never); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want that of the context", err)
	}
	broken := errors.New("broken")
	if _, err := inputfile.EachLine(context.Background(), iotest.ErrReader(broken), 50, never); !errors.Is(err, broken) {
		t.Errorf("error is %v, want that of the reader", err)
	}
}
