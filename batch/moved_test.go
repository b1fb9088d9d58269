package batch

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/internal/filesystem"
)

// TestFolderMovedDuringTheRun: a run whose folder or journal is renamed, removed, replaced or
// linked while it goes on, or whose journal is written to by others, fails, and leaves its answers
// beside the folder.
func TestFolderMovedDuringTheRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what is open cannot be renamed there")
	}
	for name, change := range map[string]func(folder string) error{
		"journal renamed": func(f string) error { return os.Rename(filepath.Join(f, journalName), filepath.Join(f, "other")) },
		"journal removed": func(f string) error { return os.Remove(filepath.Join(f, journalName)) },
		"journal linked":  func(f string) error { return os.Link(filepath.Join(f, journalName), filepath.Join(f, "other")) },
		"journal replaced": func(f string) error {
			text, err := os.ReadFile(filepath.Join(f, journalName))
			return errors.Join(err, os.WriteFile(filepath.Join(f, "new"), text, 0o644), os.Rename(filepath.Join(f, "new"), filepath.Join(f, journalName)))
		},
		"journal truncated": func(f string) error { return os.Truncate(filepath.Join(f, journalName), 10) },
		"journal emptied":   func(f string) error { return os.Truncate(filepath.Join(f, journalName), 0) },
		"foreign line":      func(f string) error { return writeAt(filepath.Join(f, journalName), -1, "foreign\n") },
		"overwritten":       func(f string) error { return writeAt(filepath.Join(f, journalName), 20, "#") },
		"folder renamed":    func(f string) error { return os.Rename(f, f+"-old") },
		"folder removed":    os.RemoveAll,
		"folder replaced":   func(f string) error { return errors.Join(os.Rename(f, f+"-old"), os.Mkdir(f, 0o755)) },
	} {
		for _, last := range []bool{false, true} {
			m := someJobs(t)
			folder := filepath.Join(t.TempDir(), "results")
			told := 0
			out, err := Run(context.Background(), m, Settings{
				Folder: folder, Parallel: 1, Finished: func(p Progress) {
					if told++; told == 1 && !last || p.Done == p.Total && last {
						if err := change(folder); err != nil {
							t.Error(err)
						}
					}
				},
			})
			kept := folder + "-answers-until-now.jsonl"
			if err == nil || !strings.Contains(err.Error(), filepath.Join(folder, journalName)+": ") || !strings.Contains(err.Error(), kept) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%s: error %v", name, err)
			}
			read, err := ReadResults(context.Background(), kept)
			if err != nil || len(read) < told || len(read) != len(out.Results) || last && len(read) != len(m.Jobs) {
				t.Errorf("%s: told of %d, %d are kept (error %v)", name, told, len(read), err)
			}
			sameResults(t, inOrder(m.Jobs, byName(read)), out.Results)
		}
	}
}

// writeAt writes over what is in a file, or, with -1, behind it.
func writeAt(path string, at int64, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if at < 0 {
		at, err = f.Seek(0, io.SeekEnd)
	}
	_, wrong := f.WriteAt([]byte(text), at)
	return errors.Join(err, wrong, f.Close())
}

// TestOutcomeIsChecked: what happens to the folder between the run and its summaries is told,
// too; a second file of answers gets another name.
func TestOutcomeIsChecked(t *testing.T) {
	m := someJobs(t)
	folder := filepath.Join(t.TempDir(), "results")
	out := run(t, m, Settings{Folder: folder})
	if err := out.Check(context.Background(), folder); err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(folder, journalName)
	info, err := os.Stat(journal)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chtimes(journal, time.Time{}, info.ModTime().Add(time.Hour)), out.Check(context.Background(), folder)); err != nil {
		t.Errorf("a journal that was only touched: %v", err)
	}
	for i, kept := range []string{folder + "-answers-until-now.jsonl", folder + "-answers-until-now-2.jsonl"} {
		if err := [...]func() error{
			func() error { return os.Truncate(journal, info.Size()-1) },
			func() error { return os.Remove(journal) },
		}[i](); err != nil {
			t.Fatal(err)
		}
		if err := out.Check(context.Background(), folder); err == nil || !strings.Contains(err.Error(), kept) {
			t.Errorf("error %v, want one that names %s", err, kept)
		}
		if read, err := ReadResults(context.Background(), kept); err != nil || len(read) != len(m.Jobs) {
			t.Errorf("%d are kept (error %v)", len(read), err)
		}
	}
}

// TestLinksAreRefused: no link in a folder of results is written through; it is named before
// any job is done, and what it leads to stays as it is.
func TestLinksAreRefused(t *testing.T) {
	m := someJobs(t)
	for _, name := range append([]string{journalName, planName, jobsName}, summaryNames[:]...) {
		for _, hard := range []bool{false, true} {
			if hard && name != journalName {
				continue // others are not written to, but replaced
			}
			top := t.TempDir()
			folder, mine := filepath.Join(top, "results"), filepath.Join(top, "mine")
			run(t, m, Settings{Folder: folder, Wanted: []string{"explanation"}, Version: "v1"})
			link := filepath.Join(folder, name)
			err := os.RemoveAll(link)
			if name == jobsName {
				err = errors.Join(err, os.Mkdir(mine, 0o755))
			} else {
				err = errors.Join(err, os.WriteFile(mine, []byte("mine"), 0o644))
			}
			if hard {
				err = errors.Join(err, os.Link(mine, link))
			} else {
				err = errors.Join(err, os.Symlink(mine, link))
			}
			if err != nil {
				t.Skip(err)
			}
			var wrong *filesystem.LinkError
			_, err = Run(context.Background(), m, Settings{Folder: folder, Begin: Resume, Wanted: []string{"explanation"}, Version: "v1", Finished: func(Progress) { t.Error("a job was done") }})
			if !errors.As(err, &wrong) || wrong.Path != link || hard != (wrong.Names > 0) {
				t.Errorf("%s: error %v", name, err)
			}
			if name == jobsName {
				if entries, err := os.ReadDir(mine); err != nil || len(entries) > 0 {
					t.Errorf("%v was written (error %v)", entries, err)
				}
			} else if text, err := os.ReadFile(mine); err != nil || string(text) != "mine" {
				t.Errorf("%s: %q was written (error %v)", name, text, err)
			}
		}
	}
}

// TestLinksThatComeLater: a link that appears while jobs are done is refused when its name is
// written.
func TestLinksThatComeLater(t *testing.T) {
	m := someJobs(t)
	top := t.TempDir()
	folder, mine := filepath.Join(top, "results"), filepath.Join(top, "mine")
	if err := os.Mkdir(mine, 0o755); err != nil {
		t.Fatal(err)
	}
	var failed error
	last := m.Jobs[len(m.Jobs)-1].Name
	models := before{files{}, func(j Job) {
		if j.Name != last {
			return
		}
		if failed = os.Rename(filepath.Join(folder, jobsName), filepath.Join(folder, "x")); failed == nil {
			failed = os.Symlink(mine, filepath.Join(folder, jobsName))
		}
	}}
	out, err := Run(context.Background(), m, Settings{Folder: folder, Parallel: 1, Wanted: []string{"explanation"}, models: models})
	if failed != nil {
		t.Skip(failed)
	}
	if entries, err := os.ReadDir(mine); err != nil || len(entries) > 0 {
		t.Errorf("%v was written behind a link (error %v)", entries, err)
	}
	if err != nil { // a file of a job was to be flushed
		if !strings.Contains(err.Error(), filepath.Join(folder, jobsName)) {
			t.Errorf("error %v", err)
		}
	} else if last := out.Results[len(out.Results)-1]; last.Status != Failed || !strings.Contains(last.Error, "jobs") {
		t.Errorf("%+v", last)
	}
}

// before does something before a model is read.
type before struct {
	files
	do func(Job)
}

func (b before) Model(ctx context.Context, j Job) (*Model, error) {
	b.do(j)
	return b.files.Model(ctx, j)
}
