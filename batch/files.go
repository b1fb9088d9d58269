package batch

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"github.com/inev-lts/inev/diagram"
	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/report"
	"github.com/inev-lts/inev/report/page"
)

// output is a kind of file that a job can write.
type output struct {
	kind, file string
	// optional kinds may be missing: if such a file cannot be made, the result gets a warning
	// instead of an error.
	optional bool
	write    func(ctx context.Context, t *task, w io.Writer) error
}

var outputs = [...]output{
	{"explanation", "explanation.json", false, func(_ context.Context, t *task, w io.Writer) error {
		json, err := report.New("json", report.Options{})
		if err != nil {
			return err
		}
		return json.Explanation(w, t.e)
	}},
	{"page", "page.html", false, func(ctx context.Context, t *task, w io.Writer) error {
		tour, err := view.NewTour(ctx, t.e, 0)
		if err != nil {
			return err
		}
		if t.lanes != nil { // a property that holds has no chart
			if c, err := view.NewChart(t.e, t.lanes, view.ChartOptions{}); err == nil {
				tour = tour.WithChart(c)
			}
		}
		o := page.Options{Version: t.Version, Workers: t.Workers, Folder: filepath.Join(t.Folder, filepath.FromSlash(folderOf(t.job.Name)))}
		if t.Command != nil {
			o.Command = t.Command(t.job)
		}
		p, err := page.New(ctx, t.Engine, t.e, tour, o)
		if err != nil {
			return err
		}
		return p.Write(ctx, w)
	}},
	{"svg", "picture.svg", true, func(ctx context.Context, t *task, w io.Writer) error {
		g, err := view.Of(ctx, t.e, view.Options{})
		if err != nil {
			return err
		}
		return diagram.SVG(ctx, t.Engine, w, g.Diagnosed(t.said.Diagnosis()), diagram.Options{})
	}},
	{"dot", "picture.dot", true, func(ctx context.Context, t *task, w io.Writer) error {
		g, err := view.Of(ctx, t.e, view.Options{})
		if err != nil {
			return err
		}
		return diagram.DOT(w, g.Diagnosed(t.said.Diagnosis()), diagram.Options{})
	}},
	{"trace", "trace.seq", true, func(_ context.Context, t *task, w io.Writer) error {
		return report.Sequence(w, t.e, false)
	}},
}

// Outputs returns the kinds of files that a job can write on demand: explanation (JSON), page
// (HTML), svg, dot and trace (CADP's .seq). The log of a crash is written without demand.
func Outputs() []string {
	kinds := make([]string, len(outputs))
	for i, o := range outputs {
		kinds[i] = o.kind
	}
	return kinds
}

// writeFiles writes the wanted files and records their paths and digests in the result.
func (t *task) writeFiles(ctx context.Context) {
	if t.Folder == "" || len(t.Wanted) == 0 {
		return
	}
	folder := folderOf(t.job.Name)
	written, digests := map[string]string{}, map[string]string{}
	t.inFolder(ctx, func(root filesystem.Folder, hidden string) (some bool) {
		for _, o := range outputs {
			if !slices.Contains(t.Wanted, o.kind) || o.kind == "trace" && t.e.Counterexample == nil {
				continue
			}
			if digest := t.writeFile(ctx, root, hidden+"/"+o.file, o); digest != "" {
				written[o.kind], digests[o.kind] = folder+"/"+o.file, digest
			}
		}
		return len(written) > 0
	})
	t.result.Files, t.result.Digests = written, digests
}

// writeFile writes one file and returns its digest; "" if an optional file cannot be made. An
// optional file is made in memory first, to tell a picture that cannot be drawn from a full
// disk.
func (t *task) writeFile(ctx context.Context, root filesystem.Folder, name string, o output) (digest string) {
	write := func(w io.Writer) error { return o.write(ctx, t, w) }
	if o.optional {
		var text bytes.Buffer
		if err := write(&text); err != nil {
			abort.On(ctx.Err())
			t.result.Warnings = append(t.result.Warnings, printable.Text(o.file+": not written: "+err.Error()))
			return ""
		}
		write = func(w io.Writer) error {
			_, err := text.WriteTo(w)
			return err
		}
	}
	h := sha256.New()
	createFile(root, name, func(w io.Writer) error {
		buffer := bufio.NewWriterSize(io.MultiWriter(w, h), 32<<10)
		if err := write(buffer); err != nil {
			return err
		}
		return buffer.Flush()
	})
	return hex.EncodeToString(h.Sum(nil))
}

// inFolder is the function [inFolder] for the folder of the job, in the folder of results that the run
// holds open or, if there is none, in a newly opened one, which is made if it is missing.
func (t *task) inFolder(ctx context.Context, fill func(root filesystem.Folder, hidden string) (some bool)) {
	root := t.root
	if root == nil {
		root = openFolder(ctx, t.Folder)
		defer root.Close()
	}
	inFolder(root, folderOf(t.job.Name), func(hidden string) bool { return fill(root, hidden) })
}

// inFolder fills the folder of a job, which other programs see as a whole or not at all: the folder
// has a hidden name until it is complete, and is removed if fill reports that it has written
// nothing. Errors of the system name the folder by its final name.
func inFolder(root filesystem.Folder, folder string, fill func(hidden string) (some bool)) {
	hidden := path.Join(path.Dir(folder), hiddenPrefix+path.Base(folder))
	err := abort.Try(func() {
		makeFolder(root, hidden)
		if fill(hidden) {
			takePlace(root, hidden, folder)
		} else {
			abort.On(errors.Join(root.Remove(hidden), root.RemoveAll(folder)))
		}
	})
	if err == nil {
		return
	}
	_ = root.RemoveAll(hidden)
	if cause, bySystem := filesystem.Cause(err); bySystem {
		err = fmt.Errorf("%s: cannot be written: %w", filepath.Join(root.Path(), filepath.FromSlash(folder)), cause)
	}
	abort.On(err)
}

// makeFolder makes an empty folder. Only if making it fails, it removes the folder that a killed
// run has left, or makes the missing parent folder.
func makeFolder(root filesystem.Folder, name string) {
	if root.Mkdir(name) == nil {
		return
	}
	abort.On(filesystem.RefuseLink(root, jobsName))
	abort.On(root.RemoveAll(name))
	if err := root.Mkdir(path.Dir(name)); !errors.Is(err, fs.ErrExist) {
		abort.On(err)
	}
	abort.On(root.Mkdir(name))
}

// takePlace renames hidden to target. A folder with the name target, left by a failed or killed
// run, is removed first.
func takePlace(root filesystem.Folder, hidden, target string) {
	if root.Rename(hidden, target) == nil {
		return
	}
	abort.On(root.RemoveAll(target))
	abort.On(root.Rename(hidden, target))
}

// hiddenPrefix begins the names of incomplete folders.
const hiddenPrefix = ".unfinished-"
