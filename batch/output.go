package batch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/report/render"
)

// output is a kind of file that a job can write.
type output struct {
	kind, file string
	// optional reports that a file of this kind may be missing: if it cannot be made, the result
	// gets a warning instead of an error.
	optional bool
	write    func(ctx context.Context, t *task, w io.Writer) error
}

var outputs = [...]output{
	{kind: "explanation", file: "explanation.json", write: writeExplanation},
	{kind: "page", file: "page.html", write: writePage},
	{kind: "svg", file: "picture.svg", optional: true, write: writeSVG},
	{kind: "dot", file: "picture.dot", optional: true, write: writeDOT},
	{kind: "trace", file: "trace.seq", optional: true, write: writeTrace},
}

func writeExplanation(_ context.Context, t *task, w io.Writer) error {
	json, err := render.New("json", render.Options{})
	if err != nil {
		return err
	}
	return json.Explanation(w, t.e)
}

// writePage writes the page of a job about runs, which links to the other files of the job. It has a sequence
// chart if the job has lanes and the property is violated.
func writePage(ctx context.Context, t *task, w io.Writer) error {
	tour, err := view.NewTour(ctx, t.e, 0)
	if err != nil {
		return err
	}
	if t.lanes != nil {
		chart, err := view.NewChart(t.e, t.lanes, view.ChartOptions{})
		if err == nil { // a property that holds has no chart
			tour = tour.WithChart(chart)
		}
	}
	folder := filepath.Join(t.Folder, filepath.FromSlash(folderOf(t.job.Name)))
	o := page.Options{Version: t.Version, Workers: t.Workers, Folder: folder}
	if t.Command != nil {
		o.Command = t.Command(t.job)
	}
	p, err := page.New(ctx, t.Engine, t.e, tour, o)
	if err != nil {
		return err
	}
	return p.Write(ctx, w)
}

func writeSVG(ctx context.Context, t *task, w io.Writer) error {
	g, err := view.Of(ctx, t.e, view.Options{})
	if err != nil {
		return err
	}
	return draw.SVG(ctx, t.Engine, w, g.Diagnosed(t.sentences.Title()), draw.Options{})
}

func writeDOT(ctx context.Context, t *task, w io.Writer) error {
	g, err := view.Of(ctx, t.e, view.Options{})
	if err != nil {
		return err
	}
	return draw.DOT(w, g.Diagnosed(t.sentences.Title()), draw.Options{})
}

func writeTrace(_ context.Context, t *task, w io.Writer) error {
	return render.Sequence(w, t.e, false)
}

// outputKinds returns the kinds of files that a job can write on demand, in the order in which it
// writes them.
func outputKinds() []string {
	kinds := make([]string, len(outputs))
	for i, o := range outputs {
		kinds[i] = o.kind
	}
	return kinds
}

// writeFile writes one file and returns its digest. If an optional file cannot be made, the digest is "",
// and the result gets a warning. An optional file is made in memory first, so that a full disk, which is
// an error, is not taken for a picture that cannot be drawn.
func (t *task) writeFile(
	ctx context.Context,
	root filesystem.Folder,
	name string,
	o output,
) (digest string, err error) {
	if !o.optional {
		return createFile(root, name, func(w io.Writer) error {
			buffer := bufio.NewWriterSize(w, 32<<10)
			return cmp.Or(o.write(ctx, t, buffer), buffer.Flush())
		})
	}
	var content bytes.Buffer
	err = o.write(ctx, t, &content)
	if err != nil && ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		t.result.Warnings = append(t.result.Warnings,
			printable.Text(o.file+": not written: "+err.Error()))
		return "", nil
	}
	return createFile(root, name, func(w io.Writer) error {
		_, err := content.WriteTo(w)
		return err
	})
}

// inFolder fills the folder of the job, as the function [inFolder] does. The folder lies in the folder of
// results that the run holds open. A job that is done outside of a run opens that folder itself, and
// makes it if it is missing.
func (t *task) inFolder(
	ctx context.Context,
	fill func(ctx context.Context, root filesystem.Folder, hidden string) (wroteAny bool, err error),
) error {
	root := t.root
	if root == nil {
		opened, err := openFolder(ctx, t.Folder)
		if err != nil {
			return err
		}
		defer opened.Close()
		root = opened
	}
	return inFolder(root, folderOf(t.job.Name), func(hidden string) (wroteAny bool, err error) {
		return fill(ctx, root, hidden)
	})
}

// inFolder fills the folder of a job, which other programs see as a whole or not at all: the folder
// has a hidden name until it is complete, and is removed if fill reports that it has written
// nothing. Errors of the system name the folder by its final name.
func inFolder(
	root filesystem.Folder,
	folder string,
	fill func(hidden string) (wroteAny bool, err error),
) error {
	hidden := path.Join(path.Dir(folder), hiddenPrefix+path.Base(folder))
	err := replaceFolder(root, folder, hidden, fill)
	if err == nil {
		return nil
	}
	_ = root.RemoveAll(hidden)
	if cause, bySystem := filesystem.Cause(err); bySystem {
		return fmt.Errorf("%s: cannot be written: %w",
			filepath.Join(root.Path(), filepath.FromSlash(folder)), cause)
	}
	return err
}

// replaceFolder fills a hidden folder, which then takes the place of the folder of a job.
func replaceFolder(
	root filesystem.Folder,
	folder, hidden string,
	fill func(hidden string) (wroteAny bool, err error),
) error {
	if err := makeHidden(root, hidden); err != nil {
		return err
	}
	wroteAny, err := fill(hidden)
	if err != nil {
		return err
	}
	if !wroteAny {
		return errors.Join(root.Remove(hidden), root.RemoveAll(folder))
	}
	if root.Rename(hidden, folder) == nil {
		return nil
	}
	// A failed or killed run has left a folder of this name.
	if err := root.RemoveAll(folder); err != nil {
		return err
	}
	return root.Rename(hidden, folder)
}

// makeHidden makes an empty folder with a hidden name.
func makeHidden(root filesystem.Folder, hidden string) error {
	if root.Mkdir(hidden) == nil {
		return nil
	}
	// Mkdir fails if a killed run has left the folder, or if its parent is missing.
	if err := filesystem.RefuseLink(root, jobsName); err != nil {
		return err
	}
	if err := root.RemoveAll(hidden); err != nil {
		return err
	}
	if err := root.Mkdir(path.Dir(hidden)); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return root.Mkdir(hidden)
}

// hiddenPrefix begins the names of incomplete folders.
const hiddenPrefix = ".unfinished-"
