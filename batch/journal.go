package batch

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/internal/wholefile"
)

// journal is the file of results, a line of JSON each, with a checksum of it and that of
// the line before. A line is there as a whole or is the last one; it is flushed to the disk,
// with the files of the job, before anybody is told of the result.
type journal struct {
	file   filesystem.File
	info   fs.FileInfo
	folder filesystem.Folder
	end    chainEnd
	// size is how many bytes the file has by what was written, and written their digest.
	size    int64
	written hash.Hash
	// rooted tells that the name of the folder of jobs was flushed.
	rooted bool
}

// openJournal opens the journal of a folder, which ends so, to append to it.
func openJournal(folder filesystem.Folder, end chainEnd) (*journal, error) {
	j := &journal{folder: folder, end: end, written: sha256.New()}
	var err error
	if j.file, err = folder.Append(journalName); err != nil {
		return nil, j.openError(err)
	}
	if j.info, err = j.file.Stat(); err == nil {
		j.size = j.info.Size()
		err = errors.Join(j.readFirst(), folder.Sync("."))
	}
	if err != nil {
		_ = j.file.Close()
		return nil, j.failed(err)
	}
	return j, nil
}

// readFirst reads what the file holds before this run adds to it.
func (j *journal) readFirst() error {
	f, err := j.folder.Open(journalName)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(j.written, f)
	return err
}

func (j *journal) path() string { return filepath.Join(j.folder.Path(), journalName) }

func (j *journal) openError(err error) error {
	var link *filesystem.LinkError
	if errors.As(err, &link) {
		return err
	}
	return inputfile.FileError(j.path(), err)
}

// close ends the journal with a record that says how many results it has, unless it has not
// got all of them. It fails with a *lostError where it does not hold them any more.
func (j *journal) close(complete bool) (err error) {
	defer func() {
		if closed := j.file.Close(); err == nil && closed != nil {
			err = j.failed(closed)
		}
	}()
	if !complete {
		return nil
	}
	if !j.end.closed {
		if err := j.write(j.end.commit(nil)); err != nil {
			return err
		}
	}
	if err := j.stillThere(); err != nil {
		return err
	}
	return j.readBack()
}

// append adds results, all of them by one write and one flush: so the cost of the
// disk is shared by those that are finished at about the same time.
func (j *journal) append(results []Result) error {
	var text []byte
	var err error
	for i := range results {
		if text, err = j.end.add(text, &results[i]); err != nil {
			return err
		}
	}
	err = j.syncFiles(results)
	if err == nil {
		err = j.write(text)
	}
	// Where the folder has gone, that is why its files cannot be flushed.
	if moved := j.stillThere(); moved != nil {
		return moved
	}
	return err
}

func (j *journal) write(text []byte) error {
	n, err := j.file.Write(text)
	j.size += int64(n)
	j.written.Write(text[:n])
	if err == nil && n < len(text) {
		err = io.ErrShortWrite
	}
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return j.failed(err)
	}
	return nil
}

func (j *journal) failed(err error) error { return j.failedAt(j.path(), err) }

func (j *journal) failedAt(path string, err error) error {
	err, _ = filesystem.Cause(err)
	return remedy.New(err, path, ": cannot be written: ", err, "; the results until now are kept: run the same ", remedy.Resume, " when that is mended")
}

// syncers is how many files are flushed at the same time: a file system does with
// many about what it does with one.
const syncers = 8

// syncFiles flushes the files of jobs to the disk, and the names on the way to them.
func (j *journal) syncFiles(results []Result) error {
	var names []string
	for _, r := range results {
		folder := ""
		for _, o := range append(Outputs(), logKind) {
			if name := r.Files[o]; name != "" {
				names = append(names, name)
				folder = path.Dir(name)
			}
		}
		if folder != "" {
			names = append(names, folder)
		}
	}
	if len(names) == 0 {
		return nil
	}
	names = append(names, jobsName)
	if !j.rooted {
		names = append(names, ".")
	}
	failed := make([]error, len(names))
	var done sync.WaitGroup
	var next atomic.Int64
	for range min(syncers, len(names)) {
		done.Add(1)
		go func() {
			defer done.Done()
			for i := next.Add(1) - 1; int(i) < len(names); i = next.Add(1) - 1 {
				if err := j.folder.Sync(names[i]); err != nil {
					failed[i] = j.failedAt(filepath.Join(j.folder.Path(), filepath.FromSlash(names[i])), err)
				}
			}
		}()
	}
	done.Wait()
	err := cmp.Or(failed...)
	j.rooted = err == nil
	return err
}

// rewriteJournal replaces the journal of a folder, and returns how it ends.
func rewriteJournal(folder filesystem.Folder, results []Result, closed bool) (end chainEnd, err error) {
	err = wholefile.In(folder, journalName, func(w io.Writer) error {
		end, err = writeResults(w, results, closed)
		return err
	})
	return end, err
}

// writeResults writes results as a journal has them.
func writeResults(w io.Writer, results []Result, closed bool) (end chainEnd, err error) {
	for i := range results {
		line, err := end.add(nil, &results[i])
		if err != nil {
			return end, err
		}
		if _, err := w.Write(line); err != nil {
			return end, err
		}
	}
	if closed {
		_, err = w.Write(end.commit(nil))
	}
	return end, err
}

// kept is what a journal holds.
type kept struct {
	results []Result
	// damaged are the lines that are not as they were written.
	damaged []Damage
	// whole reports whether nothing is damaged, and the last line has an end.
	whole bool
	// chained reports whether lines name those before them, as older versions did not.
	chained bool
	lines   int
	end     chainEnd
}

// readJournal reads results in the order of a journal. What follows the last line
// feed is the half of a line, as a run that was killed leaves it, and left out.
func readJournal(path string) (kept, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return kept{whole: true}, nil
	}
	if err != nil {
		return kept{}, inputfile.FileError(path, err)
	}
	k := kept{whole: true}
	var chain chain
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n') + 1
		if end == 0 {
			k.whole = false
			// All but the line feed may be there, or another character in its place.
			for _, end := range []int{len(text), len(text) - 1} {
				whole := append(slices.Clone(text[:end]), '\n')
				if isCommit(whole) {
					continue
				}
				if r, err := readLine(whole); err == nil && lineSeal.check(whole) == nil {
					k.results = append(k.results, r)
					break
				}
			}
			break
		}
		k.lines++
		if err := k.read(&chain, text[:end]); err != nil {
			var other *versionError
			if errors.As(err, &other) {
				return kept{}, fmt.Errorf("%s:%d: is of version %q, expected %s; use the version of inev that wrote it, or start afresh", path, k.lines, other.version, ResultSchema)
			}
			k.damaged = append(k.damaged, Damage{path, k.lines, err.Error(), isCommit(text[:end]) || errors.Is(err, errMissing)})
			k.whole = false
		}
		text = text[end:]
	}
	k.chained, k.end = chain.chained, chain.end
	return k, nil
}

// read reads a line. What is right in itself is taken, also where it is not in its place.
func (k *kept) read(c *chain, line []byte) error {
	if isCommit(line) {
		if err := lineSeal.check(line); err != nil {
			c.broken()
			return err
		}
		return c.close(line)
	}
	r, err := readLine(line)
	if err != nil {
		c.broken()
		return err
	}
	k.results = append(k.results, r)
	return c.follow(line)
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

// ReadResults reads the results of an earlier run: from a folder those of the jobs in
// its plan, in their order, or from a journal all in the order of its lines. It fails
// where a line is damaged or missing, and where the journal does not end with the record that
// closes it: it was cut off, or its run was killed, or goes on. Journals of older versions have
// no such record; of these, a half line at the end is left out. Cost O(size of the journal).
func ReadResults(path string) ([]Result, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, inputfile.FileError(path, err)
	}
	if err := checkResults(path, info); err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return undamaged(path, false)
	}
	plan, err := readPlan(path)
	if err != nil {
		return nil, err
	}
	results, err := undamaged(filepath.Join(path, journalName), plan.Journal != "")
	if err != nil {
		return nil, err
	}
	return inOrder(plan.Jobs, byName(results)), nil
}

// undamaged reads a journal of which every line must be right, and which must be closed where
// its version is said to be one that closes journals.
func undamaged(path string, closes bool) ([]Result, error) {
	k, err := readJournal(path)
	if err != nil {
		return nil, err
	}
	if len(k.damaged) > 0 {
		return nil, remedy.New(nil, k.damaged[0], "; run the batch again ", remedy.Resume, ", which does its job anew")
	}
	if (closes || k.chained || k.lines == 0 && len(k.results) == 0) && !(k.whole && k.end.closed) {
		return nil, remedy.New(nil, fmt.Sprintf("%s:%d: ends too early, after %s: its run was killed or goes on, or the file was cut off; run the batch again ",
			path, k.lines+1, printable.Quantity(len(k.results), "result")), remedy.Resume)
	}
	return k.results, nil
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
