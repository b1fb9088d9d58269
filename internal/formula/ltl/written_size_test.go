package ltl_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/internal/textlimit"
)

// numbered returns n names with commas between them.
func numbered(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("NAME%d", i)
	}
	return strings.Join(names, ", ")
}

// patience is a context that ends after it was asked a number of times.
type patience struct {
	context.Context
	left, asked int
}

func (p *patience) Err() error {
	if p.asked++; p.asked > p.left {
		return context.Canceled
	}
	return nil
}

// TestLargeFormulasAreNotWritten: what would take gigabytes is refused in one line, before much is written.
// A set of many names is not too large, since it is written once.
func TestLargeFormulasAreNotWritten(t *testing.T) {
	many := 30_000
	if !randomlts.Whole() {
		many /= 3
	}
	for text, fits := range map[string]bool{
		"Inev(" + numbered(many) + "; before X)":                  true,
		"Precedes(" + numbered(30_000) + "; X)":                   true,
		"AtMost(1000; {" + numbered(4000) + "}; between X and Y)": false,
		"Never(" + numbered(5_000) + "; after {" + strings.ReplaceAll(numbered(2000), "N", "M") + "} until {" + strings.ReplaceAll(numbered(5_000), "N", "O") + "})": false,
	} {
		if !randomlts.Whole() && !strings.HasPrefix(text, "Inev") && !strings.HasPrefix(text, "AtMost") {
			continue
		}
		got, err := pattern(t, text).Text(context.Background())
		var larger *textlimit.Error
		switch {
		case fits && (err != nil || len(got) > textlimit.Max):
			t.Errorf("%.30s: %d bytes, %v", text, len(got), err)
		case fits:
		case !errors.As(err, &larger) || got != "" || strings.Contains(err.Error(), "\n"):
			t.Errorf("%.30s: %d bytes, %v", text, len(got), err)
		}
	}
}

// TestWritingIsStopped: soon after its context is done.
func TestWritingIsStopped(t *testing.T) {
	many := 20_000
	if !randomlts.Whole() {
		many /= 4
	}
	for _, text := range []string{
		"Inev(" + numbered(many) + ")", "Inev(A, {" + numbered(many) + "})", "Inev(" + numbered(200) + "; before X)",
		"Precedes(" + numbered(200) + "; X)", "AtMost(90; {" + numbered(90) + "}; between X and Y)",
	} {
		formula := pattern(t, text)
		whole := &patience{Context: context.Background(), left: 1 << 40}
		if _, err := formula.Text(whole); err != nil {
			t.Fatal(err)
		}
		for _, share := range []int{0, 2, 1} {
			p := &patience{Context: context.Background(), left: whole.asked * share / 3}
			if got, err := formula.Text(p); !errors.Is(err, context.Canceled) || got != "" {
				t.Errorf("%.20s: %d bytes, %v", text, len(got), err)
			}
			if p.asked > p.left+1 {
				t.Errorf("%.20s: asked %d times after the end", text, p.asked-p.left)
			}
		}
	}
}

// pattern returns the linear temporal logic of a pattern.
func pattern(t *testing.T, text string) *ltl.Formula {
	t.Helper()
	f, err := actl.Parse(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	return ltl.Of(f)
}
