package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test do the tasks that it starts itself for.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == taskArgument {
		if err := runTask(context.Background(), os.Stdout, os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestDocument makes the document with small models.
func TestDocument(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the command some hundred times")
	}
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	o := settings{runs: 2, smallRuns: 3, peerLimit: time.Minute, log: io.Discard, mcrl2: os.Getenv("INEV_MCRL2"), examples: os.Getenv("INEV_MCRL2_EXAMPLES")}
	if err := o.readSizes("1e3,1e4", "2e4", "3e4"); err != nil {
		t.Fatal(err)
	}
	output := filepath.Join(folder, "measured.md")
	if err := write(context.Background(), o, output); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	checkDocument(t, string(text))
	plot, err := os.ReadFile(filepath.Join(folder, "measured.svg"))
	if err != nil {
		t.Fatal(err)
	}
	if drawn := string(plot); !strings.Contains(drawn, "</svg>") || !strings.Contains(drawn, "time a transition") || strings.Contains(drawn, "NaN") {
		t.Errorf("this is no plot: %.300s", drawn)
	}
	if left, err := filepath.Glob(filepath.Join(folder, "inev-performance-*")); err != nil || left != nil {
		t.Errorf("%v is left, %v", left, err)
	}
	if strings.Contains(string(text), folder) {
		t.Error("the document tells where it was made")
	}
}

// rowsOf are the least numbers of rows that the tables have, without those of
// other tools, by the headings above them.
func rowsOf() map[string]int {
	return map[string]int{
		"Targets": 40, "Reading .aut": 6, "Whole runs": 10, "Where the time goes": 10, "One core and all of them": 3,
		"Strongly connected components": 7, "Prefixes and suffixes": 4, "The search for a counterexample": 1,
		"Generating models": 7, "Shapes without short loops": 20, "Beside each other": 6, "Larger models": 6,
		"Pictures and pages": 6, "Batches": 5, "The page of a server": 2, "From a pipe": 1, "A small model": 5, "Growth": 8,
	}
}

// checkDocument looks for all tables, and for numbers above zero in them.
func checkDocument(t *testing.T, text string) {
	t.Helper()
	sections := map[string]string{}
	for _, section := range regexp.MustCompile(`(?m)^##+ `).Split(text, -1) {
		title, body, _ := strings.Cut(section, "\n")
		sections[title] = body
	}
	number := regexp.MustCompile(`^(?:over |1/|violated, |[≤≥].*)?([0-9][0-9,.]*)( .*)?$`)
	for title, least := range rowsOf() {
		rows, width := 0, 0
		for _, line := range strings.Split(sections[title], "\n") {
			if !strings.HasPrefix(line, "|") {
				continue
			}
			rows++
			cells := strings.Split(strings.Trim(line, "|"), "|")
			if width == 0 {
				width = len(cells)
			}
			if len(cells) != width {
				t.Errorf("%s: a row of %d cells, of %d: %s", title, len(cells), width, line)
			}
			if rows <= 2 || title == "Targets" {
				continue
			}
			figures := 0
			for _, cell := range cells {
				found := number.FindStringSubmatch(strings.TrimSpace(cell))
				if found == nil {
					continue
				}
				figures++
				if x, err := strconv.ParseFloat(strings.ReplaceAll(found[1], ",", ""), 64); (err != nil || x <= 0) && !strings.Contains(cell, "µs") {
					t.Errorf("%s: %q in %s", title, cell, line)
				}
			}
			if figures == 0 {
				t.Errorf("%s: no figure in %s", title, line)
			}
		}
		if rows-2 < least {
			t.Errorf("%s: %d rows, want at least %d", title, rows-2, least)
		}
	}
	if strings.Contains(text, "%!") || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Errorf("a figure is none:\n%s", text)
	}
	for _, want := range []string{"go -C tools run ./performance -sizes 1000,10000 -largest 20000 -pipe 30000 -runs 2\n", "](measured.svg)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the document has no %q", want)
		}
	}
}

func TestDigits(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want string
	}{{0, "0"}, {0.01234, "0.0123"}, {1.234, "1.23"}, {12.34, "12.3"}, {123.4, "123"}, {123456, "123456"}, {0.00001, "0.0000"}} {
		if got := digits(c.x); got != c.want {
			t.Errorf("%g is written %s, want %s", c.x, got, c.want)
		}
	}
	for n, want := range map[int64]string{1: "1", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("%d is written %s, want %s", n, got, want)
		}
	}
}

// TestMedian: the median is a run as a whole, not a mixture.
func TestMedian(t *testing.T) {
	w := work{samples: []sample{{Seconds: 3, Peak: 30}, {Seconds: 1, Peak: 10}, {Seconds: 2, Peak: 20}}}
	if m := w.median(); m.Seconds != 2 || m.Peak != 20 || w.best() != 1 {
		t.Errorf("median %v, best %g", m, w.best())
	}
}

// TestJudgeBoth: a limit in seconds and the same one as a ratio are two answers where they
// differ.
func TestJudgeBoth(t *testing.T) {
	for _, c := range []struct {
		inSeconds, byRatio bool
		want               string
	}{{true, true, "yes"}, {false, false, "**no**"}, {true, false, "yes in seconds, **no** by the ratio"}, {false, true, "yes by the ratio, **no** in seconds"}} {
		l := new(laboratory)
		l.judgeBoth(outcomes{inSeconds: c.inSeconds, byRatio: c.byRatio}, target{
			work:     "work",
			wanted:   "wanted",
			measured: "measured",
		})
		if got := l.targets[0].met; got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestReadCost(t *testing.T) {
	s, err := readCost("inev: warning: time flies\ntime of read: 12.5 ms\ntime of search: 0.5 ms\ntime of all phases: 13 ms\n" +
		"peak memory: 2048 bytes\npeak memory per transition: 5.5 bytes\nlength in states: 8\nlength in transitions: 7\n")
	if err != nil || len(s.Phases) != 2 || s.Phases[0] != (phase{"read", 0.0125}) || s.Peak != 2048 || s.Length != 7 {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := readCost("length in transitions: 7\n"); err == nil {
		t.Error("a text without times and peak is accepted")
	}
}

// TestLimit: what reaches the limit is no failure, and what fails is one.
func TestLimit(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if p, err := runProgram(context.Background(), 1, nil, self, taskArgument, "{}"); err != nil || !p.stopped {
		t.Errorf("stopped: %v, %v", p.stopped, err)
	}
	l := laboratory{settings: settings{peerLimit: time.Minute, log: io.Discard}, peers: peers{tools: map[string]string{"ltsinfo": self}}}
	var s sample
	if _, err := l.runTool(context.Background(), &s, "ltsinfo", taskArgument, "{}"); err != nil || !s.Failed || s.Stopped {
		t.Errorf("%+v, %v", s, err)
	}
	w := work{samples: []sample{s}}
	if s.answered() || !strings.HasPrefix(w.timeCells()[0], "failed, ") {
		t.Errorf("a failure is shown as %q", w.timeCells())
	}
}

func TestSizes(t *testing.T) {
	for _, wrong := range []string{"", "1e3,x", "1e4,1e3", "10"} {
		if err := new(settings).readSizes(wrong, "", ""); err == nil {
			t.Errorf("-sizes %q is accepted", wrong)
		}
	}
	if err := new(settings).readSizes("1e3", "1e", ""); err == nil {
		t.Error("-largest 1e is accepted")
	}
	if err := new(settings).readSizes("1e3", "", "1e"); err == nil {
		t.Error("-pipe 1e is accepted")
	}
}

// TestLabels: the labels of a model become names, and nothing else changes.
func TestLabels(t *testing.T) {
	const text = "des (0, 1, 2)\n(0, \"TAKE !1 !2\", 1)\n"
	var b strings.Builder
	w := &labels{w: &b}
	n, err := w.Write([]byte(text))
	if want := "des (0, 1, 2)\n(0, \"TAKE_NO_1_NO_2\", 1)\n"; err != nil || n != len(text) || b.String() != want || w.bytes != int64(len(want)) {
		t.Errorf("%d, %v, %d bytes: %q", n, err, w.bytes, b.String())
	}
}

// TestLimitsStay: the section that another program writes is kept.
func TestLimitsStay(t *testing.T) {
	const section = "\n## Limits of memory\n\ntext\n"
	page := filepath.Join(t.TempDir(), "p.md")
	for text, want := range map[string]string{
		"# P\n\n## A\n": "", "# P\n" + section: section, "# P\n" + section + "\n## B\n\nother\n": section,
	} {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := sectionOf(page, "Limits of memory"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := sectionOf(page+".none", "Limits of memory"); got != "" {
		t.Errorf("no page: %q", got)
	}
}
