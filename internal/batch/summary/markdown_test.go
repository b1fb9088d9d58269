package summary

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/batch/baseline"
	"github.com/inev-lts/inev/internal/testing/samplebatch"
)

func TestMarkdownShowsFirstWhatMatters(t *testing.T) {
	text := written(t, markdownFile, sample())
	at := -1
	for _, what := range []string{
		"## inev: 10 of 13 jobs need a look: ", "| jobs | ✓ satisfied |", "Against `results/yesterday`: 1 newly violated, 1 newly failed",
		"### New (4)", "`fixed at last`", "It holds now: remove the expectation.", "`broken again`", "`too slow`", "### Unexpected (3)", "### Without a verdict (3)",
		"### With a warning (1)", "### Other differences (1)", "`given up`", "<details><summary>Violated, as expected (1)</summary>", "`courier`",
		"<details><summary>Satisfied (1)</summary>", "Made from `ci/nightly.yaml` by inev `1.4.0`",
	} {
		next := strings.Index(text, what)
		if next < at {
			t.Errorf("%q comes too early or not at all (%d after %d)", what, next, at)
		}
		at = next
	}
	if !strings.Contains(text, "[page](jobs/job-") {
		t.Error("there is no link to a page")
	}
}

// TestMarkdownFits: hosts refuse comments that are too long.
func TestMarkdownFits(t *testing.T) {
	for _, n := range []int{1, 100, 300, 10_000} {
		b := many(n)
		text := written(t, markdownFile, b)
		if len(text) > largestMarkdown {
			t.Errorf("%d jobs give %d bytes", n, len(text))
		}
		if cut := strings.Contains(text, "do not fit in here"); cut != (n > 300) {
			t.Errorf("%d jobs in %d bytes are cut: %v", n, len(text), cut)
		}
		if strings.Count(text, "<details>") != strings.Count(text, "</details>") {
			t.Errorf("%d jobs: a fold is not closed", n)
		}
		if !strings.HasSuffix(text, " in all.\n") {
			t.Errorf("%d jobs: the end is missing", n)
		}
	}
	long := strings.Repeat("x|`", 100_000)
	b := Batch{Manifest: long, Version: long}
	for range 200 {
		b.Results = append(b.Results, samplebatch.Result(long, long, long, samplebatch.Failed(batch.Failed, long), samplebatch.Tagged(long)))
	}
	if n := len(written(t, markdownFile, b)); n > largestMarkdown {
		t.Errorf("long names give %d bytes", n)
	}
}

// TestMarkdownEscapes: in prose, no text of a model is markup or calls anybody.
func TestMarkdownEscapes(t *testing.T) {
	for text, want := range map[string]string{
		"In state 3, the run does A.": "In state 3, the run does A.",
		"a*b_c":                       `a\*b\_c`,
		"@team":                       "@<!-- -->team",
		"#12":                         `\#<!-- -->12`,
		"<b>&amp;|`":                  "\\<b\\>\\&amp;\\|\\`",
		"http://x www.x":              "http:<!-- -->//x www<!-- -->.x",
		"[x](y)":                      `\[x\]\(y\)`,
		"a\n# b":                      `a\\n\#<!-- --> b`,
	} {
		if got := escaped(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// TestMarkdownRowsStayRows: no name breaks a table.
func TestMarkdownRowsStayRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("|\\`\n<>&*_[]()@# ab")))).Draw(t, "name")
		b := Batch{Manifest: name, Results: []batch.Result{
			samplebatch.Result(name, name, name, samplebatch.Violated(&batch.Counterexample{Kind: counterexample.Deadlock, LoopStart: -1, Sentence: name})),
			samplebatch.Result("e", name, name, samplebatch.Failed(batch.Failed, name)),
		}, Differences: &baseline.Differences{Baseline: name, List: []baseline.Difference{{Name: name, Change: baseline.Removed, Old: name}}}}
		var out strings.Builder
		if err := b.Markdown(&out); err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, line := range strings.Split(out.String(), "\n") {
			if !strings.HasPrefix(line, "|") {
				want = 0
				continue
			}
			if n := bars(line); want == 0 {
				want = n
			} else if n != want {
				t.Fatalf("a row has %d bars, its head %d: %s", n, want, line)
			}
		}
	})
}

// bars counts the vertical bars that part cells: those without a backslash before
// them, which is how GitHub's Markdown looks at a row (GFM, 4.10).
func bars(line string) int {
	n := 0
	for i := range len(line) {
		if line[i] == '|' && (i == 0 || line[i-1] != '\\') {
			n++
		}
	}
	return n
}
