package batch

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/inev-lts/inev/oracle/randomlts"
)

// TestHalfLine: a line without an end, or with nothing but an end, is dropped; what is
// wrong elsewhere is told.
func TestHalfLine(t *testing.T) {
	m := someJobs(t)
	m.Jobs = m.Jobs[:3]
	folder := t.TempDir()
	first := run(t, m, Settings{Folder: folder})
	path := filepath.Join(folder, journalName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	step := 7
	if !randomlts.Whole() {
		step = 101
	}
	for cut := 0; cut <= len(text); cut += step {
		if err := os.WriteFile(path, text[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		whole := strings.Count(string(text[:cut]), "\n")
		if cut < len(text) && text[cut] == '\n' {
			whole++ // only the line feed lacks
		}
		out := run(t, m, Settings{Folder: folder, Begin: Resume})
		whole = min(whole, len(first.Results)) // the last line closes the journal
		if out.Reused != whole {
			t.Fatalf("cut at %d: %d taken over, want %d", cut, out.Reused, whole)
		}
		sameResults(t, out.Results, first.Results)
		if journal, err := readJournal(context.Background(), path); len(journal.results) != 3 || !journal.whole || err != nil {
			t.Fatalf("cut at %d: %d lines (error %v)", cut, len(journal.results), err)
		}
	}
	lines := strings.SplitAfter(string(text), "\n")
	other := strings.Replace(lines[0], ResultSchema, "inev.result/9", 1)
	other = string(lineSeal.add([]byte(other[:strings.Index(other, lineSeal.before)] + lineSeal.end)))
	for _, c := range []struct {
		text, want string
		reused     int
	}{
		{lines[0] + "\x00\x00\n", path + ":2: is damaged (invalid character '\\x00' looking for beginning of value)", 1},
		{lines[0] + "{}}\n" + lines[1], path + ":2: is damaged (invalid character '}' after top-level value)", 2},
		{lines[0] + strings.Replace(lines[1], `"formula":"Inev`, `"formula":"Inew`, 1) + lines[2],
			path + ":2: is damaged (its checksum does not fit its content)", 2},
		{strings.Replace(lines[0], "checksum", "checksun", 1) + lines[1], path + ":1: is damaged (it has no checksum)", 1},
		{other + lines[1], path + `:1: is of version "inev.result/9", expected inev.result/2; use the version of inev that wrote it, or start afresh`, -1},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		remedy := "; run the batch again to go on, which does its job anew"
		if c.reused < 0 {
			remedy = ""
		}
		if _, err := ReadResults(context.Background(), folder); err == nil || err.Error() != c.want+remedy {
			t.Errorf("read: error %v, want %s%s", err, c.want, remedy)
		}
		var warnings []string
		out, err := Run(context.Background(), m, Settings{Folder: folder, Begin: Resume, Warn: func(text string) { warnings = append(warnings, text) }})
		if c.reused < 0 {
			if err == nil || err.Error() != c.want {
				t.Errorf("error %v, want %s", err, c.want)
			}
			continue
		}
		if err != nil || out.Reused != c.reused || len(warnings) != 1 || warnings[0] != c.want+"; its job is done again" {
			t.Errorf("%+v, warnings %q, error %v", out, warnings, err)
		}
	}
}

// TestFirstVersion: results without checksums are read, and done again by a run that
// is resumed, since another version has found them.
func TestFirstVersion(t *testing.T) {
	m := someJobs(t)
	folder, joined := t.TempDir(), t.TempDir()
	first := run(t, m, Settings{Folder: folder, Wanted: []string{"explanation"}})
	for _, c := range []struct {
		name, schema, old string
		unsealed          *regexp.Regexp
		end               string
	}{
		{journalName, ResultSchema, resultSchema1, regexp.MustCompile(`(,"digests":\{[^}]*\})|(,"(after|checksum)":"[^"]*")|(?m)^\{"schema":"inev.commit/1".*\n`), ""},
		{planName, PlanSchema, planSchema1, regexp.MustCompile(`\s*"journal": "[^"]*",|,\s*"checksum": "[^"]*"`), ""},
	} {
		path := filepath.Join(folder, c.name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text = c.unsealed.ReplaceAll(bytes.ReplaceAll(text, []byte(c.schema), []byte(c.old)), nil)
		if bytes.Contains(text, []byte("checksum")) || bytes.Contains(text, []byte("digests")) {
			t.Fatalf("%s", text)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old, err := ReadResults(context.Background(), folder)
	if err != nil || old[0].Schema != resultSchema1 {
		t.Fatal(err)
	}
	for i := range old {
		old[i].Schema = ResultSchema
	}
	sameResults(t, old, first.Results)
	if _, err := Merge(context.Background(), []string{folder}, Settings{Folder: joined}); err != nil {
		t.Error(err)
	}
	if merged, err := ReadResults(context.Background(), joined); err != nil || len(merged) != len(old) {
		t.Errorf("%d results (error %v)", len(merged), err)
	}
	if out := run(t, m, Settings{Folder: folder, Begin: Resume, Wanted: []string{"explanation"}}); out.Reused != 0 {
		t.Errorf("%d results were taken over", out.Reused)
	}
}

// checkFolders looks whether the folders of jobs are those of the results.
func checkFolders(t testing.TB, folder string, results []Result) {
	t.Helper()
	want := map[string]bool{}
	for _, r := range results {
		if r.Files != nil {
			want[filepath.Base(folderOf(r.Job.Name))] = true
		}
	}
	entries, err := os.ReadDir(filepath.Join(folder, jobsName))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !want[e.Name()] {
			t.Errorf("%s is of no result", e.Name())
		}
		delete(want, e.Name())
	}
	if len(want) > 0 {
		t.Errorf("folders are missing: %v", want)
	}
}
