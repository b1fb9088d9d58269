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
	"slices"
	"sync"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/internal/wholefile"
)

// journal is the file of results, a line of JSON each, with a checksum. A line is
// there as a whole or is the last one; it is flushed to the disk, with the files of the job, before
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
	return remedy.New(err, j.file.Name(), ": cannot be written: ", err, "; the results until now are kept: run the same ", remedy.Resume, " when that is mended")
}

// writeLine writes a result with its checksum.
func writeLine(w io.Writer, r *Result) error {
	var object bytes.Buffer
	encoder := json.NewEncoder(&object) // ends with a line feed
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(r); err != nil {
		return err
	}
	_, err := w.Write(lineSeal.add(object.Bytes()))
	return err
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
		for _, o := range append(Outputs(), logKind) {
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

// kept is what a journal holds.
type kept struct {
	results []Result
	// damaged are the lines that are not as they were written.
	damaged []Damage
	// whole reports whether nothing is damaged, and the last line has an end.
	whole bool
}

// readJournal reads results in the order of a journal. What follows the last line
// feed is the half of a line, as a run that was killed leaves it, and left out.
func readJournal(path string) (kept, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return kept{whole: true}, nil
	}
	if err != nil {
		return kept{}, aut.FileError(path, err)
	}
	k := kept{whole: true}
	for line := 1; len(text) > 0; line++ {
		end := bytes.IndexByte(text, '\n') + 1
		if end == 0 {
			k.whole = false
			// All but the line feed may be there, or another character in its place.
			for _, end := range []int{len(text), len(text) - 1} {
				whole := append(slices.Clone(text[:end]), '\n')
				if r, err := readLine(whole); err == nil && lineSeal.check(whole) == nil {
					k.results = append(k.results, r)
					break
				}
			}
			break
		}
		r, err := readLine(text[:end])
		var other *versionError
		switch {
		case errors.As(err, &other):
			return kept{}, fmt.Errorf("%s:%d: is of version %q, expected %s; use the version of inev that wrote it, or start afresh", path, line, other.version, ResultSchema)
		case err != nil:
			k.damaged = append(k.damaged, Damage{path, line, err.Error()})
			k.whole = false
		default:
			k.results = append(k.results, r)
		}
		text = text[end:]
	}
	return k, nil
}

// versionError tells of a line that another version of inev has written.
type versionError struct{ version string }

func (e *versionError) Error() string { return "is of version " + e.version }

// readLine reads a line with its end. The lines of the first version have no
// checksum.
func readLine(line []byte) (r Result, err error) {
	sealed := lineSeal.check(line)
	if err := json.Unmarshal(line, &r); err != nil {
		return r, err
	}
	switch {
	case sealed != nil && (r.Schema != resultSchema1 || !errors.Is(sealed, errUnsealed)):
		return r, sealed
	case r.Schema != ResultSchema && r.Schema != resultSchema1:
		return r, &versionError{r.Schema}
	}
	return r, nil
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
// line at the end is left out. It fails where a line is damaged. Cost O(size of the
// journal).
func ReadResults(path string) ([]Result, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, aut.FileError(path, err)
	}
	if err := checkResults(path, info); err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return undamaged(path)
	}
	plan, err := ReadPlan(path)
	if err != nil {
		return nil, err
	}
	results, err := undamaged(filepath.Join(path, journalName))
	if err != nil {
		return nil, err
	}
	return inOrder(plan.Jobs, byName(results)), nil
}

// undamaged reads a journal of which every line must be right.
func undamaged(path string) ([]Result, error) {
	k, err := readJournal(path)
	if err == nil && len(k.damaged) > 0 {
		err = remedy.New(nil, k.damaged[0], "; run the batch again ", remedy.Resume, ", which does its job anew")
	}
	return k.results, err
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
