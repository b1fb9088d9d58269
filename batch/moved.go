package batch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/printable"
)

// lostError reports that the journal does not hold the results any more: it is not the file of that name in the
// folder of results, the folder is another one, or somebody else has changed what is in it.
type lostError struct {
	path string
	// changed is what is wrong with the text of the file; "" if it is another file.
	changed string
}

func (e *lostError) Error() string {
	if e.changed != "" {
		return e.path + ": was changed by others while the run went on: " + e.changed
	}
	return e.path + ": is not the file any more that this run writes to: it, or its folder, was renamed, replaced, removed or linked while the run went on"
}

// sizeError returns a *lostError if a journal has not the size that was written.
func sizeError(path string, size, written int64) error {
	if size == written {
		return nil
	}
	return &lostError{path, fmt.Sprintf("it has %s, and %d were written", printable.Quantity(int(size), "byte"), written)}
}

func isLost(err error) bool {
	var lost *lostError
	return errors.As(err, &lost)
}

// stillThere returns a *lostError where the journal is not what is found by its name, or has another size than
// what was written.
func (j *journal) stillThere() error {
	if !filesystem.StillThere(j.folder) || !filesystem.IsAt(j.folder, journalName, j.info) {
		return &lostError{path: j.path()}
	}
	now, err := j.file.Stat()
	if err != nil {
		return j.failed(err)
	}
	return sizeError(j.path(), now.Size(), j.size)
}

// readBack returns a *lostError where the journal does not hold what was written.
func (j *journal) readBack() error {
	f, err := j.folder.Open(journalName)
	if err != nil {
		return j.failed(err)
	}
	defer f.Close()
	now := sha256.New()
	if _, err := io.Copy(now, f); err != nil {
		return j.failed(err)
	}
	if !bytes.Equal(now.Sum(nil), j.written.Sum(nil)) {
		return &lostError{j.path(), "it does not hold what was written"}
	}
	return nil
}

// remember notes which folder and which journal hold the outcome.
func (o *Outcome) remember(root filesystem.Folder) (err error) {
	if o.folder, err = root.Lstat("."); err != nil {
		return folderError(root.Path(), err)
	}
	if o.journal, err = root.Lstat(journalName); err != nil {
		return &lostError{path: filepath.Join(root.Path(), journalName)}
	}
	return nil
}

// Check looks whether the folder still holds the journal with the outcome, as it has to when
// all that is made of that is written, too. Where it does not, the results are written to a
// file beside the folder, and the error names both.
func (o *Outcome) Check(ctx context.Context, folder string) error {
	path := filepath.Join(folder, journalName)
	lost := error(&lostError{path: path})
	if there, err := os.Stat(folder); err == nil && os.SameFile(o.folder, there) {
		if now, err := os.Lstat(path); err == nil && os.SameFile(o.journal, now) {
			lost = sizeError(path, now.Size(), o.journal.Size())
		}
	}
	if lost == nil {
		return nil
	}
	return o.rescue(ctx, folder, lost)
}

// rescue writes the results to a file beside the folder, where they were lost, and returns an
// error that says so.
func (o *Outcome) rescue(ctx context.Context, folder string, lost error) error {
	name, err := rescueIn(context.WithoutCancel(ctx), folder, o.Results)
	if err != nil {
		return fmt.Errorf("%w; and the %s cannot be written beside it: %w", lost, printable.Quantity(len(o.Results), "answer"), err)
	}
	return fmt.Errorf("%w; the answers until now, %d, are in %s, which can be put in its place or be a baseline", lost, len(o.Results), name)
}

// rescueIn writes results as a journal of its own, beside the folder, and returns its path.
func rescueIn(ctx context.Context, folder string, results []Result) (string, error) {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	beside, err := filesystem.Of(ctx).Open(filepath.Dir(absolute))
	if err != nil {
		return "", err
	}
	defer beside.Close()
	for i := 1; ; i++ {
		name := filepath.Base(absolute) + "-answers-until-now"
		if i > 1 {
			name += fmt.Sprintf("-%d", i)
		}
		name += ".jsonl"
		f, err := beside.Create(name, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		err = errors.Join(writeAll(f, results), f.Close(), beside.Sync("."))
		return filepath.Join(filepath.Dir(folder), name), err
	}
}

func writeAll(f filesystem.File, results []Result) error {
	if _, err := writeResults(io.Writer(f), results, true); err != nil {
		return err
	}
	return f.Sync()
}
