package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSetShard(t *testing.T) {
	for text, want := range map[string]Shard{"1/1": {1, 1}, "2/3": {2, 3}} {
		var got Shard
		if err := got.Set(text); got != want || err != nil || got.String() != text {
			t.Errorf("%s: %v (error %v)", text, got, err)
		}
	}
	for _, text := range []string{"", "1", "0/3", "4/3", "a/b", "1/3/5", "-1/3", "1/0"} {
		var s Shard
		if err := s.Set(text); err == nil {
			t.Errorf("%s: %v", text, s)
		}
	}
}

// TestDeal: each job is in one shard, none has more to do than an even share and the
// largest piece that cannot be divided, and small models are not torn apart.
func TestDeal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "jobs")
		count := rapid.IntRange(1, 8).Draw(t, "shards")
		jobs, costs := make([]Job, n), make([]int64, n)
		var total, largest int64
		ofModel := map[string]int64{}
		for i := range jobs {
			jobs[i].Path = fmt.Sprint(rapid.IntRange(0, 20).Draw(t, "model"))
			costs[i] = rapid.Int64Range(1, 1000).Draw(t, "cost")
			total += costs[i]
			largest = max(largest, costs[i])
			ofModel[jobs[i].Path] += costs[i]
		}
		shards := assignShards(jobs, costs, count)
		loads := make([]int64, count)
		shardsOf := map[string]map[int]bool{}
		piece := largest
		for i, s := range shards {
			loads[s] += costs[i]
			if shardsOf[jobs[i].Path] == nil {
				shardsOf[jobs[i].Path] = map[int]bool{}
			}
			shardsOf[jobs[i].Path][s] = true
		}
		for model, cost := range ofModel {
			if cost > total/int64(2*count) {
				continue
			}
			piece = max(piece, cost)
			if len(shardsOf[model]) > 1 {
				t.Fatalf("model %s, cost %d of %d, is in %d of %d shards", model, cost, total, len(shardsOf[model]), count)
			}
		}
		for s, load := range loads {
			if load > total/int64(count)+piece {
				t.Fatalf("shard %d has %d of %d in %d shards; the largest piece is %d", s, load, total, count, piece)
			}
		}
	})
}

// TestMergeOfShards: from any number of shards comes what one run gives.
func TestMergeOfShards(t *testing.T) {
	m := someJobs(t)
	top := t.TempDir()
	s := Settings{Folder: filepath.Join(top, "whole"), Wanted: []string{"explanation"}, Version: "v1"}
	whole := run(t, m, s)
	for count := 2; count <= 4; count++ {
		var folders []string
		done := 0
		for i := 1; i <= count; i++ {
			s.Folder, s.Shard = filepath.Join(top, fmt.Sprintf("%d-%d", i, count)), Shard{i, count}
			out := run(t, m, s)
			done += len(out.Results)
			if len(out.Results) == 9 || len(out.Results) != len(out.Jobs) {
				t.Errorf("%d of %d: %d results", i, count, len(out.Results))
			}
			folders = append(folders, s.Folder)
		}
		if done != 9 {
			t.Errorf("%d shards: %d results", count, done)
		}
		to := Settings{Folder: filepath.Join(top, fmt.Sprint(count)), Version: "v1"}
		merged, err := Merge(context.Background(), folders, to)
		if err != nil {
			t.Fatal(err)
		}
		sameResults(t, merged.Results, whole.Results)
		if !reflect.DeepEqual(merged.Plan, whole.Plan) {
			t.Errorf("plan %+v", merged.Plan)
		}
		read, err := ReadResults(context.Background(), to.Folder)
		if err != nil {
			t.Fatal(err)
		}
		sameResults(t, read, whole.Results)
		for _, r := range read {
			for _, name := range r.Files {
				if text, err := os.ReadFile(filepath.Join(to.Folder, name)); err != nil || len(text) == 0 {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

func TestMergeOfOthers(t *testing.T) {
	folder := tree(t, map[string]string{
		"a.aut": model, "b.aut": model,
		"1.yaml": "jobs:\n- {name: one, model: a.aut, formula: Inev(REQ)}\n", "2.yaml": "jobs:\n- {name: two, model: b.aut, formula: Inev(REQ)}\n",
		"3.yaml": "jobs:\n- {name: one, model: b.aut, formula: Inev(REQ)}\n",
	})
	at := func(name string) string { return filepath.Join(folder, name) }
	for _, n := range []string{"1", "2", "3"} {
		run(t, opened(t, folder, n+".yaml"), Settings{Folder: at(n)})
	}
	merge := func(to string, from ...string) (*Outcome, error) {
		for i := range from {
			from[i] = at(from[i])
		}
		return Merge(context.Background(), from, Settings{Folder: at(to)})
	}
	out, err := merge("12", "1", "2", "1")
	if err != nil || len(out.Results) != 2 || out.Plan.Manifest != at("1.yaml")+", "+at("2.yaml") {
		t.Errorf("%+v (error %v)", out, err)
	}
	if _, err := merge("13", "1", "3"); err == nil || err.Error() != at("3")+`: the job "one" differs from that in `+at("1")+"; run all shards with the same manifest" {
		t.Error(err)
	}
	if _, err := merge("12", "1", "2"); err == nil || !strings.Contains(err.Error(), "holds results already") {
		t.Error(err)
	}
	if _, err := merge("nowhere", "a.aut"); err == nil {
		t.Error("a model is a folder of results")
	}
	if _, err := merge("none", "."); err == nil || !strings.Contains(err.Error(), "is not a folder of results, because it has no manifest.json") {
		t.Error(err)
	}

	// The model has changed between two runs of the same job.
	run(t, opened(t, folder, "1.yaml"), Settings{Folder: at("1b"), Version: "other"})
	if _, err := merge("1bb", "1", "1b"); err == nil || !strings.Contains(err.Error(), "the job \"one\" has another model or another version of inev in ") {
		t.Error(err)
	}
	if _, err := os.Stat(at("13")); err == nil {
		t.Error("a folder was made for nothing")
	}
}

// TestMergeStaysInside: a folder may come from anywhere.
func TestMergeStaysInside(t *testing.T) {
	m := someJobs(t)
	m.Jobs = m.Jobs[:1]
	for name, c := range map[string]struct {
		change func(folder, outside string, r *Result) error
		want   string
	}{
		"name": {func(folder, _ string, r *Result) error {
			r.Files["explanation"] = "../x.json"
			_, err := rewriteJournal(folderAt(t, folder), []Result{*r}, true)
			return err
		}, "is outside of the folder"},
		"linked file": {func(folder, outside string, r *Result) error {
			file := filepath.Join(folder, r.Files["explanation"])
			return errors.Join(os.Rename(file, filepath.Join(outside, "x")), os.Symlink(filepath.Join(outside, "x"), file))
		}, "leads out of the folder by a link"},
		"linked folder": {func(folder, outside string, r *Result) error {
			jobs := filepath.Join(folder, jobsName)
			return errors.Join(os.Rename(jobs, filepath.Join(outside, "x")), os.Symlink(filepath.Join(outside, "x"), jobs))
		}, "leads out of the folder by a link"},
		"linked journal": {func(folder, outside string, r *Result) error {
			journal := filepath.Join(folder, journalName)
			return errors.Join(os.Rename(journal, filepath.Join(outside, "x")), os.Symlink(filepath.Join(outside, "x"), journal))
		}, "leads out of the folder by a link"},
		"written over": {func(folder, _ string, r *Result) error {
			return os.WriteFile(filepath.Join(folder, r.Files["explanation"]), []byte("{}"), 0o644)
		}, "has changed since it was written; run the batch again to go on"},
	} {
		t.Run(name, func(t *testing.T) {
			folder, outside, to := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "x")
			out := run(t, m, Settings{Folder: folder, Wanted: []string{"explanation"}})
			if err := c.change(folder, outside, &out.Results[0]); err != nil {
				t.Skip(err)
			}
			if _, err := Merge(context.Background(), []string{folder}, Settings{Folder: to}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
			if _, err := os.Stat(to); err == nil {
				t.Error("something was written")
			}
		})
	}
}

// TestMergeIntoItself: what is read is not removed first.
func TestMergeIntoItself(t *testing.T) {
	folder, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	first := run(t, someJobs(t), Settings{Folder: folder, Wanted: []string{"explanation"}})
	if err := os.Symlink(folder, link); err != nil {
		t.Skip(err)
	}
	for _, to := range []string{folder, folder + "/.", link} {
		if _, err := Merge(context.Background(), []string{folder}, Settings{Folder: to, Begin: Replace}); err == nil || !strings.Contains(err.Error(), "is one of the folders that are joined") {
			t.Error(err)
		}
	}
	read, err := ReadResults(context.Background(), folder)
	if err != nil {
		t.Fatal(err)
	}
	sameResults(t, read, first.Results)
}
