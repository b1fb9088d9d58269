package batch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
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
		if journal := journalAt(t, path); len(journal.results) != 3 || !journal.whole {
			t.Fatalf("cut at %d: %d lines", cut, len(journal.results))
		}
	}
	lines := strings.SplitAfter(string(text), "\n")
	other := strings.Replace(lines[0], ResultSchema, "inev.result/9", 1)
	other = string(lineSeal.add([]byte(other[:strings.Index(other, lineSeal.before)] + lineSeal.end)))
	unsealed := strings.Replace(lines[0], ResultSchema, "inev.result/1", 1)
	unsealed = unsealed[:strings.Index(unsealed, chainSeal.before)] + chainSeal.end
	for _, c := range []struct {
		text, want string
		reused     int
	}{
		{lines[0] + "\x00\x00\n", path + ":2: is damaged (invalid character '\\x00' looking for beginning of value)", 1},
		{lines[0] + "{}}\n" + lines[1], path + ":2: is damaged (invalid character '}' after top-level value)", 2},
		{lines[0] + strings.Replace(lines[1], `"formula":"Inev`, `"formula":"Inew`, 1) + lines[2],
			path + ":2: is damaged (its checksum does not fit its content)", 2},
		{strings.Replace(lines[0], "checksum", "checksun", 1) + lines[1], path + ":1: is damaged (it has no checksum)", 1},
		{unsealed + lines[1], path + `:1: is of version "inev.result/1", expected inev.result/2; use the version of inev that wrote it, or start afresh`, -1},
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

// TestPlanOfAnotherVersion: a plan of a version that is not known is refused, also without a checksum.
func TestPlanOfAnotherVersion(t *testing.T) {
	m := someJobs(t)
	folder := t.TempDir()
	run(t, m, Settings{Folder: folder})
	path := filepath.Join(folder, planName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content, _, _ := strings.Cut(string(text), planSeal.before)
	for version, sealed := range map[string]bool{"inev.batch/1": false, "inev.batch/9": true} {
		text := []byte(strings.Replace(content, planSchema, version, 1) + planSeal.end)
		if sealed {
			text = planSeal.add(text)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("%s: is of version %q, expected inev.batch/2; use the version of inev that wrote it", path, version)
		if _, err := ReadResults(context.Background(), folder); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
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
