package actl_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/internal/textlimit"
	"github.com/inev-lts/inev/lts"
)

// numbered returns n names with commas between them.
func numbered(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("NAME%d", i)
	}
	return strings.Join(names, ", ")
}

// logics are those in which this package writes a pattern; package ltl has the third.
func logics(f *actl.Formula) map[string]func(context.Context) (string, error) {
	return map[string]func(context.Context) (string, error){
		"MCL": func(ctx context.Context) (string, error) {
			text, _, err := f.MCL(ctx)
			return text, err
		},
		"mu-calculus": func(ctx context.Context) (string, error) {
			text, _, err := f.MuCalculus(ctx)
			return text, err
		},
	}
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

// TestLargeFormulasAreNotWritten: what would take gigabytes in another logic is refused in
// one line, before much is written.
func TestLargeFormulasAreNotWritten(t *testing.T) {
	many := 30_000
	if !randomlts.Whole() {
		many /= 3
	}
	for _, text := range []string{
		"Inev(" + numbered(many) + "; before X)",
		"Precedes(" + numbered(30_000) + "; X)",
		"AtMost(1000; {" + numbered(4000) + "}; between X and Y)",
		"Never(" + numbered(5_000) + "; after {" + strings.ReplaceAll(numbered(2000), "N", "M") + "} until {" + strings.ReplaceAll(numbered(5_000), "N", "O") + "})",
	} {
		if !randomlts.Whole() && !strings.HasPrefix(text, "Inev") && !strings.HasPrefix(text, "AtMost") {
			continue
		}
		for logic, write := range logics(parsed(t, text)) {
			got, err := write(context.Background())
			var larger *textlimit.Error
			if !errors.As(err, &larger) || got != "" || strings.Contains(err.Error(), "\n") {
				t.Errorf("%.30s in %s: %d bytes, %v", text, logic, len(got), err)
			}
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
		for logic, write := range logics(parsed(t, text)) {
			whole := &patience{Context: context.Background(), left: 1 << 40}
			if _, err := write(whole); err != nil {
				t.Fatal(err)
			}
			for _, share := range []int{0, 2, 1} {
				p := &patience{Context: context.Background(), left: whole.asked * share / 3}
				if got, err := write(p); !errors.Is(err, context.Canceled) || got != "" {
					t.Errorf("%.20s in %s: %d bytes, %v", text, logic, len(got), err)
				}
				if p.asked > p.left+1 {
					t.Errorf("%.20s in %s: asked %d times after the end", text, logic, p.asked-p.left)
				}
			}
			if whole.asked < 150 {
				t.Errorf("%.20s in %s: asked %d times only", text, logic, whole.asked)
			}
		}
	}
}

// TestBoundFormulasAreStopped, too, in which the labels of a model stand.
func TestBoundFormulasAreStopped(t *testing.T) {
	labels := strings.Split(numbered(5000), ", ")
	a, err := lts.NewAlphabet(labels)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := parsed(t, "Inev(NAME*)").Bind(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	chain, _ := p.Chain()
	bound := actl.Bound{Chain: chain}
	for _, write := range []func(context.Context) (string, []string, error){bound.MCL, bound.MuCalculus, bound.FullyFair().MCL, bound.FullyFair().MuCalculus} {
		p := &patience{Context: context.Background(), left: 1000}
		if _, _, err := write(p); !errors.Is(err, context.Canceled) || p.asked != 1001 {
			t.Errorf("asked %d times, %v", p.asked, err)
		}
	}
}
