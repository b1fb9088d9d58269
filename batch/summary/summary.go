// Package summary writes the results of a batch for teams and CI servers: JSON and CSV for programs
// and spreadsheets, Markdown for a pull request, one HTML page to sort and filter, JUnit XML for CI
// servers, and SARIF for hosts of code.
//
// The invariant that holds inside: a summary says nothing that the results do not say, in the order
// of the manifest, and the same results give the same bytes. Times, and whether a result was
// reused, differ from run to run although the answers are the same; each format separates them: the
// last member of the JSON, the last column of the CSV, the last line of the Markdown, a data block
// of its own in the page, the attributes time and timestamp in JUnit. SARIF has none of it.
//
// Texts of models and users may contain anything. Each format escapes them in its own way, and
// its file says how.
package summary

//go:generate go -C ../../tools test ./bundle -update

import (
	"cmp"
	"context"
	"io"
	"sync"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/internal/wholefile"
)

// Batch is the data of a summary.
type Batch struct {
	// Manifest is the manifest as the user named it.
	Manifest string
	// Version is the version of the tool, "" if it is not known.
	Version string
	// Results are in the order of the manifest.
	Results []batch.Result
	// Differences are the differences from an earlier run, nil without one.
	Differences *batch.Differences
	// Folder is the folder of results as a CI server finds it, with slashes: most take the
	// paths of attachments in JUnit XML as relative to the working copy. If it is "", they are
	// relative to the folder of results itself.
	Folder string
	// BaseURL is the address at which the folder of results is served, without a slash at its
	// end: links in Markdown and SARIF lead there. If it is "", links in Markdown are relative
	// to the folder.
	BaseURL string
	// NoLinks omits links from the Markdown, for readers who do not have the folder.
	NoLinks bool
}

// link returns the address of a file in the folder of results, for a text that is read
// elsewhere; "" if there is none.
func (b *Batch) link(path string) string {
	to := address(path)
	if to == "" || b.NoLinks {
		return ""
	}
	if b.BaseURL != "" {
		return b.BaseURL + "/" + to
	}
	return to
}

// The names of the files that Write writes.
const (
	jsonFile     = "summary.json"
	csvFile      = "summary.csv"
	markdownFile = "summary.md"
	HTMLFile     = "index.html"
	junitFile    = "junit.xml"
	sarifFile    = "report.sarif"
)

// Write writes the summaries of a batch into the folder of its results, side by side, each file
// as a whole or not at all, and never through a link. It fails if a file cannot be written or
// if ctx is done; then other files may have been written. Cost: that of all formats.
func (b Batch) Write(ctx context.Context, dir string) error {
	files := []struct {
		name  string
		write func(Batch, io.Writer) error
	}{
		{jsonFile, Batch.JSON}, {csvFile, Batch.writeCSV}, {markdownFile, Batch.Markdown}, {HTMLFile, Batch.HTML}, {junitFile, Batch.writeJUnit}, {sarifFile, Batch.writeSARIF},
	}
	folder, err := filesystem.Of(ctx).Open(dir)
	if err != nil {
		return inputfile.FileError(dir, err)
	}
	defer folder.Close()
	failures := make([]error, len(files))
	var written sync.WaitGroup
	for i, file := range files {
		written.Go(func() {
			failures[i] = wholefile.In(folder, file.name, func(w io.Writer) error { return file.write(b, stoppable.EachWrite(ctx, w)) })
		})
	}
	written.Wait()
	err = cmp.Or(failures...) // by the order of the files, whichever came first
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
