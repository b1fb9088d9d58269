package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/wholefile"
)

// journal is the file of results, a line of JSON each. A line is there as a whole or
// is the last one; it is flushed to the disk, with the files of the job, before
// anybody is told of the result.
type journal struct {
	file   *os.File
	folder string
}

// openJournal opens the journal of a folder to append to it.
func openJournal(folder string) (*journal, error) {
	path := filepath.Join(folder, journalName)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return nil, aut.FileError(path, err)
	}
	syncFolder(folder)
	return &journal{f, folder}, nil
}

func (j *journal) close() error { return j.file.Close() }

// append adds results, all of them by one write and one flush: so the cost of the
// disk is shared by those that are finished at about the same time.
func (j *journal) append(results []Result) error {
	var text bytes.Buffer
	for i := range results {
		if err := writeLine(&text, &results[i]); err != nil {
			return err
		}
	}
	j.syncFiles(results)
	if _, err := j.file.Write(text.Bytes()); err != nil {
		return j.failed(err)
	}
	if err := j.file.Sync(); err != nil {
		return j.failed(err)
	}
	return nil
}

func (j *journal) failed(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: cannot be written: %w; the results until now are kept: run the same with --resume when that is mended", j.file.Name(), err)
}

func writeLine(w io.Writer, r *Result) error {
	encoder := json.NewEncoder(w) // ends with a line feed
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}

// syncers is how many files are flushed at the same time: a file system does with
// many about what it does with one.
const syncers = 8

// syncFiles flushes the files of jobs to the disk. That the file system cannot is no
// reason to lose a result.
func (j *journal) syncFiles(results []Result) {
	paths := make(chan string)
	var done sync.WaitGroup
	for range min(syncers, len(results)) {
		done.Add(1)
		go func() {
			defer done.Done()
			for path := range paths {
				syncPath(path)
			}
		}()
	}
	some := false
	for _, r := range results {
		for _, o := range append(Outputs(), "log") {
			if name := r.Files[o]; name != "" {
				some = true
				paths <- filepath.Join(j.folder, filepath.FromSlash(name))
			}
		}
	}
	close(paths)
	done.Wait()
	if some {
		syncFolder(filepath.Join(j.folder, jobsName))
	}
}

func syncPath(path string) {
	if f, err := os.Open(path); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// syncFolder flushes the names in a folder, where the system knows such a thing.
func syncFolder(folder string) { syncPath(folder) }

// readJournal reads results in the order of a journal. What follows the last line
// feed is the half of a line, and left out; whole is false then.
func readJournal(path string) (results []Result, whole bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, aut.FileError(path, err)
	}
	for line := 1; len(text) > 0; line++ {
		content, rest, ended := bytes.Cut(text, []byte{'\n'})
		if !ended {
			return results, false, nil
		}
		var r Result
		if err := json.Unmarshal(content, &r); err != nil {
			if len(rest) == 0 {
				// A disk that lost its power may have kept the length of the line only.
				return results, false, nil
			}
			return nil, false, fmt.Errorf("%s:%d: is damaged (%v); take the line out, and its job is run again with --resume", path, line, err)
		}
		if r.Schema != ResultSchema {
			return nil, false, fmt.Errorf("%s:%d: is of version %q, expected %s; use the version of inev that wrote it, or start afresh", path, line, r.Schema, ResultSchema)
		}
		results = append(results, r)
		text = rest
	}
	return results, true, nil
}

// rewriteJournal replaces the journal of a folder.
func rewriteJournal(folder string, results []Result) error {
	return wholefile.Write(filepath.Join(folder, journalName), func(w io.Writer) error {
		for i := range results {
			if err := writeLine(w, &results[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// ReadResults reads the results of an earlier run: from a folder those of the jobs in
// its plan, in their order, or from a journal all in the order of its lines. A half
// line at the end is left out. Cost O(size of the journal).
func ReadResults(path string) ([]Result, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, aut.FileError(path, err)
	}
	if !info.IsDir() {
		results, _, err := readJournal(path)
		return results, err
	}
	plan, err := ReadPlan(path)
	if err != nil {
		return nil, err
	}
	results, _, err := readJournal(filepath.Join(path, journalName))
	if err != nil {
		return nil, err
	}
	return inOrder(plan.Jobs, byName(results)), nil
}

// byName returns results by the names of their jobs.
func byName(results []Result) map[string]Result {
	named := make(map[string]Result, len(results))
	for _, r := range results {
		named[r.Job.Name] = r
	}
	return named
}

// inOrder returns the results that there are for jobs, in the order of the jobs.
func inOrder(jobs []Job, results map[string]Result) []Result {
	ordered := make([]Result, 0, len(jobs))
	for _, j := range jobs {
		if r, is := results[j.Name]; is {
			ordered = append(ordered, r)
		}
	}
	return ordered
}
