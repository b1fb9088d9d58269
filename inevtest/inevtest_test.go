package inevtest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// recorder is a test that is to fail.
type recorder struct {
	testing.TB
	folder string
	said   []string
	ended  bool
}

func (r *recorder) Helper()             {}
func (r *recorder) ArtifactDir() string { return r.folder }
func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	r.ended = true
	runtime.Goexit()
}

// record runs what is to fail.
func record(t *testing.T, do func(t testing.TB)) *recorder {
	t.Helper()
	r := &recorder{TB: t, folder: t.TempDir()}
	t.Setenv("TMPDIR", r.folder)
	done := make(chan struct{})
	go func() {
		defer close(done)
		do(r)
	}()
	<-done
	return r
}

// counter goes around three states, and may stop.
func counter(n int) []Step[int] {
	if n == 2 {
		return []Step[int]{{"round", 0}, {"stop", 3}}
	}
	if n > 2 {
		return nil
	}
	return []Step[int]{{"up", n + 1}}
}

func TestFailures(t *testing.T) {
	m := Explore(t, 0, counter)
	for _, c := range []struct {
		name  string
		do    func(t testing.TB)
		want  string // a regular expression
		ended bool
		page  bool
	}{
		{name: "violated", do: func(t testing.TB) { Holds(t, m, "Inev(stop)") }, want: `(?s)^the program violates Inev\(stop\): .*stop.*The page to walk through it: `, page: true},
		{name: "mended", do: func(t testing.TB) { Violates(t, m, "Inev(up)") }, want: "^inevtest: this should be violated, but holds"},
		{name: "violated CTL", do: func(t testing.TB) { HoldsCTL(t, m, "AG EF <up> true") }, want: `(?s)^inevtest: the program violates AG EF <up> true\n\n.*EF <up> true`},
		{name: "CTL that is none", do: func(t testing.TB) { HoldsCTL(t, m, "AG EF") }, want: "^inevtest: formula: expected a formula", ended: true},
		{name: "too many states", do: func(t testing.TB) { Explore(t, 0, counter, MaxStates(2)) }, want: "more than 2 states", ended: true},
		{name: "violated before a bound", do: func(t testing.TB) { Bound(t, m, "Inev(stop)", 9) }, want: "^the program violates", page: true},
		{name: "too slow", do: func(t testing.TB) { Bound(t, m, "Inev(up, up)", 1) }, want: `^inevtest: Inev\(up, up\) holds, but it can take 2 transitions, more than 1\n`},
		{name: "one too slow", do: func(t testing.TB) { Bound(t, m, "Inev(up)", 0) }, want: `^inevtest: Inev\(up\) holds, but it can take 1 transition, more than 0\n`},
		{name: "syntax", do: func(t testing.TB) { Holds(t, m, "Inev(") }, want: `(?s)^inevtest: .*\^`, ended: true},
		{name: "nil model", do: func(t testing.TB) { Holds(t, nil, "Inev(up)") }, want: `^inevtest: Inev\(up\) is about a nil`, ended: true},
		{name: "nil model and CTL", do: func(t testing.TB) { HoldsCTL(t, nil, "AF <up> true") }, want: `^inevtest: AF <up> true is about a nil`, ended: true},
		{name: "no model", do: func(t testing.TB) { Holds(t, Of("m", nil), "Inev(up)") }, want: `^inevtest: Inev\(up\) is about a \*Model without an LTS; Open, Explore and Of return one$`, ended: true},
		{name: "zero model and CTL", do: func(t testing.TB) { HoldsCTL(t, &Model{}, "AF <up> true") }, want: `^inevtest: AF <up> true is about a \*Model without`, ended: true},
		{name: "no steps", do: func(t testing.TB) { Explore[int](t, 0, nil) }, want: "^inevtest: next is nil; it returns the steps of a state$", ended: true},
		{name: "no states", do: func(t testing.TB) { Explore(t, 0, counter, MaxStates(0)) }, want: `^inevtest: MaxStates\(0\) allows no state; give at least 1$`, ended: true},
		{name: "fewer than no states", do: func(t testing.TB) { Explore(t, 0, counter, MaxStates(-1)) }, want: `^inevtest: MaxStates\(-1\) allows no state`, ended: true},
		{name: "CTL without CTL", do: func(t testing.TB) { Holds(t, m, "AG EF <up> true") }, want: `(?s)^inevtest: formula: .*; HoldsCTL reads this formula\n`, ended: true},
		{name: "CTL of runs", do: func(t testing.TB) { HoldsCTL(t, m, "Inev(up)") }, want: `(?s)^inevtest: formula: .*; Holds reads this formula\n`, ended: true},
		{name: "no such label", do: func(t testing.TB) { Holds(t, m, "Inev(ups)") }, want: `ups.*AllowUnmatched`, ended: true},
		{name: "fairness", do: func(t testing.TB) { Holds(t, m, "Inev(up)", Fair("just")) }, want: `^inevtest: .*just`, ended: true},
		{name: "no file", do: func(t testing.TB) { Open(t, "none.aut") }, want: `^inevtest: .*none.aut`, ended: true},
		{name: "no golden file", do: func(t testing.TB) { Golden(t, m, "Inev(up)", "testdata/none.txt") }, want: update, ended: true},
		{name: "another golden file", do: func(t testing.TB) { Golden(t, m, "Inev(up)", "testdata/answer.txt") }, want: `^inevtest: the explanation is not that in testdata/answer.txt .*; - is there, \+ is new:\nline 1:\n- `},
		{name: "no end of states", do: func(t testing.TB) {
			Explore(t, 0, func(n int) []Step[int] { return []Step[int]{{"up", n + 1}} })
		}, want: "^inevtest: more than 1000000 states", ended: true},
	} {
		if !randomlts.Whole() && c.name == "violated before a bound" {
			continue // a second page, for which Graphviz is compiled again
		}
		if !randomlts.Whole() && c.name == "no end of states" {
			continue // a million of them
		}
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(update, "")
			r := record(t, c.do)
			if len(r.said) != 1 || !regexp.MustCompile(c.want).MatchString(r.said[0]) || r.ended != c.ended {
				t.Fatalf("it says %q, ended: %v", r.said, r.ended)
			}
			pages, _ := filepath.Glob(filepath.Join(r.folder, "inevtest-*", "*.html"))
			if got := len(pages) == 1 && strings.Contains(r.said[0], pages[0]); got != c.page {
				t.Errorf("pages: %v", pages)
			}
			for _, p := range pages {
				if text, err := os.ReadFile(p); err != nil || !strings.HasPrefix(string(text), "<!DOCTYPE html>") {
					t.Errorf("%s: %v", p, err)
				}
			}
		})
	}
}

// TestPageAmongArtifacts: with -artifacts the page is among what the test leaves; without it, that folder would be removed
// with the page.
func TestPageAmongArtifacts(t *testing.T) {
	asked := flag.Lookup("test.artifacts")
	if asked == nil {
		t.Skip("this version of Go has no -artifacts")
	}
	before := asked.Value.String()
	defer flag.Set(asked.Name, before)
	if err := flag.Set(asked.Name, "true"); err != nil {
		t.Fatal(err)
	}
	m := Explore(t, 0, counter)
	r := record(t, func(t testing.TB) { Holds(t, m, "Inev(stop)") })
	if pages, _ := filepath.Glob(filepath.Join(r.folder, "*.html")); len(pages) != 1 || !strings.Contains(r.said[0], pages[0]) {
		t.Errorf("pages: %v, and it says %q", pages, r.said)
	}
}

func TestPasses(t *testing.T) {
	m := Explore(t, 0, counter)
	Holds(t, m, "Inev(up, up)")
	Bound(t, m, "Inev(up, up)", 2)
	Violates(t, m, "Inev(stop)")
	HoldsCTL(t, m, "EF <stop> true")
	Explore(t, 0, counter, MaxStates(4))
	Holds(t, m, "Inev(stop)", Fair("weak:stop"), Fair("strong:stop"))
	Holds(t, m, "Never(gone)", AllowUnmatched())
	Holds(t, Open(t, "../examples/travel/travel.aut"), "Inev({REFUSAL_EM, BOOKING_REC})")
	var b lts.Builder
	b.Add(0, b.Label("A"), 0)
	one, err := b.Build(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	Holds(t, Of("one", one), "Inev(A)")
}

// TestModelPrintsItsSize: what a failed assertion prints of a model is its name and size, not its fields.
func TestModelPrintsItsSize(t *testing.T) {
	m := Of("counter", Explore(t, 0, counter).lts)
	const want = "counter: 4 states, 4 transitions, 3 labels, initial state 0"
	if got := fmt.Sprint(m); got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
