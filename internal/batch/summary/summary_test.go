package summary

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/testing/golden"
)

var formats = map[string]func(Batch, io.Writer) error{
	jsonFile: Batch.JSON, csvFile: writeCSV, markdownFile: Batch.Markdown, HTMLFile: Batch.HTML, junitFile: writeJUnit, sarifFile: writeSARIF,
}

func written(t testing.TB, format string, b Batch) string {
	t.Helper()
	var out bytes.Buffer
	if err := formats[format](b, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestSample compares with golden files; of the page only its data, for the rest of
// it is the bundle.
func TestSample(t *testing.T) {
	files := golden.All(t, "testdata/*")
	for format := range formats {
		text := written(t, format, sample())
		name := format
		if format == HTMLFile {
			name = "index-data.txt"
			_, text, _ = strings.Cut(text, "<body>")
			text, _, _ = strings.Cut(text, "<script>")
		}
		files.Check(t, filepath.Join("testdata", name), []byte(text))
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	if err := sample().Write(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(formats) {
		t.Errorf("there are %d files, want %d", len(entries), len(formats))
	}
	for format := range formats {
		got, err := os.ReadFile(filepath.Join(dir, format))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != written(t, format, sample()) {
			t.Errorf("%s is not what its function writes", format)
		}
	}
}

func TestWriteStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	dir := t.TempDir()
	if err := sample().Write(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("Write returns %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("there are %d files (%v)", len(entries), err)
	}
	if err := sample().Write(context.Background(), filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("Write into a folder that is not there returns %v", err)
	}
}

// failing is a writer that takes so many bytes and no more.
type failing struct{ left int }

var errFull = errors.New("full")

func (f *failing) Write(p []byte) (int, error) {
	if len(p) > f.left {
		return 0, errFull
	}
	f.left -= len(p)
	return len(p), nil
}

func TestFormatsFailWhereWritingDoes(t *testing.T) {
	for name, format := range formats {
		size := len(written(t, name, sample()))
		for _, left := range []int{0, size / 2, size - 1} {
			if err := format(sample(), &failing{left}); !errors.Is(err, errFull) {
				t.Errorf("%s with room for %d of %d bytes returns %v", name, left, size, err)
			}
		}
	}
}

// TestOnlyTimesDiffer: two runs with the same answers differ in the places that the
// package promises, and nowhere else.
func TestOnlyTimesDiffer(t *testing.T) {
	later := sample()
	for i := range later.Results {
		r := &later.Results[i]
		r.Started, r.Milli, r.TimingsMS, r.Reused = "2027-01-01T00:00:00Z", 5000*float64(i), nil, i%2 == 0
	}
	without := map[string]func(text string) string{
		jsonFile: func(text string) string { before, _, _ := strings.Cut(text, ",\n \"timings\": {"); return before },
		csvFile: func(text string) string {
			return eachLine(text, "\r\n", func(l string) string { return l[:strings.LastIndex(l, ",")] })
		},
		markdownFile: func(text string) string { return text[:strings.LastIndex(text, "\nMade from ")] },
		HTMLFile: func(text string) string {
			before, rest, _ := strings.Cut(text, `<script type="application/json" id="timings">`)
			_, after, _ := strings.Cut(rest, "</script>")
			return before + after
		},
		junitFile: func(text string) string { return attribute.ReplaceAllString(text, "") },
		sarifFile: func(text string) string { return text },
	}
	for format := range formats {
		first, second := written(t, format, sample()), written(t, format, later)
		if again := written(t, format, sample()); again != first {
			t.Errorf("%s differs from one time to the next", format)
		}
		if format != sarifFile && first == second {
			t.Errorf("%s has no times", format)
		}
		if a, b := without[format](first), without[format](second); a != b {
			t.Errorf("%s differs without its times", format)
		}
	}
}

func eachLine(text, end string, f func(string) string) string {
	lines := strings.Split(strings.TrimSuffix(text, end), end)
	for i, line := range lines {
		lines[i] = f(line)
	}
	return strings.Join(lines, end)
}

func TestHeadline(t *testing.T) {
	expected := func(r batch.Result) batch.Result { r.Job.Expect = "violated"; return r }
	warned := func(r batch.Result) batch.Result { r.Warnings = []string{"w"}; return r }
	s, v, e := batch.Result{Status: batch.Satisfied}, batch.Result{Status: batch.Violated}, batch.Result{Status: batch.Failed}
	for want, results := range map[string][]batch.Result{
		"There are no jobs":                                                     {},
		"The property is satisfied":                                             {s},
		"The property is violated, as expected":                                 {expected(v)},
		"All 2 properties are satisfied":                                        {s, s},
		"All 2 properties are satisfied; 1 job with a warning":                  {s, warned(s)},
		"All 3 verdicts are as expected: 1 satisfied, 2 violated":               {expected(v), s, expected(v)},
		"1 of 2 jobs needs a look: 1 violated unexpectedly":                     {v, s},
		"1 of 2 jobs needs a look: 1 satisfied unexpectedly":                    {expected(s), s},
		"3 of 3 jobs need a look: 2 violated unexpectedly, 1 without a verdict": {v, v, e},
		"1 of 1 job needs a look: 1 without a verdict":                          {expected(e)},
	} {
		for i := range results {
			results[i].Unexpected = results[i].Status.Answered() && results[i].Job.Expected() != results[i].Status
		}
		c := counted(results)
		if got := c.headline(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAddress(t *testing.T) {
	for path, want := range map[string]string{
		"jobs/a/page.html":    "jobs/a/page.html",
		"jobs/a b/ü%?#.html":  "jobs/a%20b/%C3%BC%25%3F%23.html",
		"javascript:alert(1)": "javascript%3Aalert%281%29",
		"//example.org/x":     "",
		"/etc/passwd":         "",
		"../secret":           "",
		"jobs/../../secret":   "",
		"":                    "",
		".":                   "",
		"jobs\\x":             "jobs%5Cx",
		"jobs/\xff":           "", // no path that JSON could hold
		"jobs/\"><script>.x":  "jobs/%22%3E%3Cscript%3E.x",
	} {
		if got := address(path); got != want {
			t.Errorf("%q gives %q, want %q", path, got, want)
		}
	}
}

func TestBrief(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"}, {"a\nb", 4, `a\nb`}, {"a\nb", 3, `a\…`}, {"ab", 0, "…"},
	} {
		if got := brief(c.text, c.n); got != c.want {
			t.Errorf("brief(%q, %d) is %q, want %q", c.text, c.n, got, c.want)
		}
	}
}
