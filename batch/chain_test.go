package batch

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLinesTakenAway: a journal without its end, or without a line, or with two that have
// changed places, is refused by who reads results, and the error names the line; a run that
// goes on mends it.
func TestLinesTakenAway(t *testing.T) {
	m := someJobs(t)
	m.Jobs = m.Jobs[:3]
	folder := t.TempDir()
	first := run(t, m, Settings{Folder: folder, Version: "v1", Parallel: 1})
	path := filepath.Join(folder, journalName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l := strings.SplitAfter(string(text), "\n")
	if len(l) != 5 || !isCommit([]byte(l[3])) {
		t.Fatalf("%q", l)
	}
	const early = ": its run was killed or goes on, or the file was cut off; run the batch again to go on"
	const missing = " is damaged (another line was written before it); run the batch again to go on, which does its job anew"
	for _, c := range []struct {
		text, want string
		reused     int
	}{
		{"", path + ":1: ends too early, after 0 results" + early, 0},
		{l[0], path + ":2: ends too early, after 1 result" + early, 1},
		{l[0] + l[1] + l[2], path + ":4: ends too early, after 3 results" + early, 3},
		{l[0] + l[1] + l[2] + l[3][:20], path + ":4: ends too early, after 3 results" + early, 3},
		{l[0] + l[2] + l[3], path + ":2:" + missing, 2},
		{l[1] + l[2] + l[3], path + ":1:" + missing, 2},
		{l[0] + l[1] + l[3], path + ":3:" + missing, 2},
		{l[3], path + ":1:" + missing, 0},
		{l[1] + l[0] + l[2] + l[3], path + ":1:" + missing, 3},
		{l[0] + l[1] + l[2] + l[3] + l[1], path + ":5:" + missing, 3},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, what := range []string{folder, path} {
			if _, err := ReadResults(context.Background(), what); err == nil || err.Error() != c.want {
				t.Errorf("error %v, want %s", err, c.want)
			}
		}
		if _, err := Merge(context.Background(), []string{folder}, Settings{Folder: filepath.Join(t.TempDir(), "merged")}); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
		out := run(t, m, Settings{Folder: folder, Begin: Resume, Version: "v1"})
		if out.Reused != c.reused {
			t.Errorf("%s: %d taken over, want %d", c.want, out.Reused, c.reused)
		}
		sameResults(t, out.Results, first.Results)
		if read, err := ReadResults(context.Background(), folder); err != nil || len(read) != 3 {
			t.Errorf("afterwards %d are read (error %v)", len(read), err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadResults(context.Background(), folder); err == nil || !strings.Contains(err.Error(), path+":1: ends too early") {
		t.Errorf("without a journal: %v", err)
	}
}

// TestJournalIsLeftAlone: a run that finds nothing to do does not write the journal, also if jobs
// name their specification.
func TestJournalIsLeftAlone(t *testing.T) {
	plain := someJobs(t)
	plain.Jobs = plain.Jobs[:3]
	specified := tree(t, map[string]string{
		"a.aut": model, "a.tla": "---- MODULE a ----\nREQ == TRUE\n====\n",
		"m.yaml": "jobs:\n  - {model: a.aut, formula: 'Inev(REQ, ACK)', source: a.tla}\n",
	})
	for _, m := range []*Manifest{plain, opened(t, specified, "m.yaml")} {
		folder := t.TempDir()
		path := filepath.Join(folder, journalName)
		var before []byte
		var file os.FileInfo
		for i, begin := range []Begin{Afresh, Resume, Resume} {
			run(t, m, Settings{Folder: folder, Begin: begin, Version: "v1"})
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			now, err := os.Stat(path)
			if err != nil || i > 0 && (string(text) != string(before) || !os.SameFile(file, now)) {
				t.Errorf("%s: run %d has written it (error %v)", m.File, i, err)
			}
			before, file = text, now
		}
	}
}
