package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/printable"
)

// movedError tells that the journal that is written to is not the file of that name in the
// folder of results any more, or that the folder is another one.
type movedError struct{ path string }

func (e *movedError) Error() string {
	return e.path + ": is not the file any more that this run writes to: it, or its folder, was renamed, replaced, removed or linked while the run went on"
}

func isMoved(err error) bool {
	var moved *movedError
	return errors.As(err, &moved)
}

// stillThere returns a *movedError where the journal is not what is found by its name.
func (j *journal) stillThere() error {
	if filesystem.StillThere(j.folder) && filesystem.IsAt(j.folder, journalName, j.info) {
		return nil
	}
	return &movedError{j.path()}
}

// remember notes which folder and which journal hold the outcome.
func (o *Outcome) remember(root filesystem.Folder) (err error) {
	if o.folder, err = root.Lstat("."); err != nil {
		return folderError(root.Path(), err)
	}
	if o.journal, err = root.Lstat(journalName); err != nil {
		return &movedError{filepath.Join(root.Path(), journalName)}
	}
	return nil
}

// Check looks whether the folder still holds the journal with the outcome, as it has to when
// all that is made of that is written, too. Where it does not, the results are written to a
// file beside the folder, and the error names both.
func (o *Outcome) Check(ctx context.Context, folder string) error {
	there, err := os.Stat(folder)
	if err == nil && os.SameFile(o.folder, there) {
		if now, err := os.Lstat(filepath.Join(folder, journalName)); err == nil && os.SameFile(o.journal, now) {
			return nil
		}
	}
	return o.rescue(ctx, folder, &movedError{filepath.Join(folder, journalName)})
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
