package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/internal/wholefile"
)

// PlanSchema names the version of the data that a Plan holds.
const PlanSchema = "inev.batch/2"

// Plan describes the content of a folder of results. It is the file manifest.json there.
type Plan struct {
	Schema   string `json:"schema"`
	Manifest string `json:"manifest"`
	Version  string `json:"version"`
	// Shard is the share of the jobs that this folder is for, such as 2/3; "" for all.
	Shard string `json:"shard,omitempty"`
	// Journal is the version of the record that closes the journal next to the plan; "" for a plan
	// outside a folder.
	Journal string `json:"journal,omitempty"`
	// Jobs are all jobs of the manifest, in its order, also those of other shards.
	Jobs []Job `json:"jobs"`
}

// Names of files in a folder of results.
const (
	journalName = "results.jsonl"
	planName    = "manifest.json"
	jobsName    = "jobs"
)

// summaryNames are the files that package batch/summary makes of the results.
var summaryNames = [...]string{"summary.json", "summary.csv", "summary.md", "index.html", "junit.xml", "report.sarif"}

// readPlan reads the plan of a folder of results.
func readPlan(ctx context.Context, folder string) *Plan {
	path := filepath.Join(folder, planName)
	text, err := inputfile.ReadRegular(ctx, path, resultsLimit)
	if info, wrong := os.Stat(folder); errors.Is(err, fs.ErrNotExist) || wrong == nil && !info.IsDir() {
		abort.On(fmt.Errorf("%s: is not a folder of results, for it holds no %s; give one that inev batch has written", folder, planName))
	}
	if err != nil {
		abort.On(inputfile.FileError(path, err))
	}
	var p Plan
	switch err := planSeal.unmarshal(text, &p, &p.Schema, PlanSchema); {
	case errors.As(err, new(*versionError)):
		abort.On(fmt.Errorf("%s: %w; use the version of inev that wrote it", path, err))
	case err != nil:
		abort.On(remedy.New(err, path, ": is damaged (", err, "); run the batch again ", remedy.Resume, ", which writes it anew"))
	}
	return &p
}

// Write writes the plan as JSON, with a checksum.
func (p *Plan) Write(w io.Writer) error {
	var object bytes.Buffer
	encoder := json.NewEncoder(&object)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(p); err != nil {
		return err
	}
	_, err := w.Write(planSeal.add(object.Bytes()))
	return err
}

// Begin says what a run does if the folder already holds results.
type Begin int

// The choices for [Begin].
const (
	// Afresh refuses a folder that is not empty.
	Afresh Begin = iota
	// Resume continues an earlier run, or begins a new one if there is none.
	Resume
	// Replace removes the files of an earlier run, and no other files.
	Replace
)

// isOwn reports whether a file or folder of this name, in a folder of results, is written by
// runs.
func isOwn(name string) bool {
	return name == journalName || name == planName || name == jobsName || slices.Contains(summaryNames[:], name) || wholefile.IsLeftover(name)
}

// spareInputs fails if the batch would write or remove a file that it reads.
func spareInputs(folder string, m *Manifest) {
	root, err := realPath(folder)
	if err != nil {
		return // the folder is empty
	}
	paths := []string{m.File}
	for _, j := range m.Jobs {
		paths = append(paths, j.Path, j.Where.File)
		for _, t := range []*File{j.States, j.Lanes, j.Config, j.TLA} {
			if t != nil {
				paths = append(paths, t.Path)
			}
		}
	}
	seen := map[string]bool{"": true}
	for _, path := range paths {
		if seen[path] {
			continue
		}
		seen[path] = true
		real, err := realPath(path)
		if err != nil {
			continue // whoever reads the file reports the error
		}
		local, err := filepath.Rel(root, real)
		if err != nil || !filepath.IsLocal(local) {
			continue
		}
		if first, _, _ := strings.Cut(filepath.ToSlash(local), "/"); isOwn(first) || first == modelsName && m.keepsModels() {
			abort.On(fmt.Errorf("%s: would be written over by the results in %s; choose another folder with -o", path, folder))
		}
	}
}

// realPath returns the path of a file with all links resolved.
func realPath(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}

// claim prepares a folder for results and locks it against other runs until it is closed.
func claim(ctx context.Context, path string, b Begin) filesystem.Folder {
	folder := openFolder(ctx, path)
	err := abort.Try(func() {
		if !folder.Lock() {
			abort.On(fmt.Errorf("%s: another run is writing to this folder; wait for it, or choose another folder with -o", path))
		}
		begin(folder, b)
	})
	if err != nil {
		_ = folder.Close()
		abort.On(err)
	}
	return folder
}

// openFolder opens a folder. A missing one is made, with its parents, and flushed to the disk.
func openFolder(ctx context.Context, at string) (folder filesystem.Folder) {
	system := filesystem.Of(ctx)
	var missing []string
	for p := filepath.Clean(at); ; p = filepath.Dir(p) {
		if _, err := os.Stat(p); !errors.Is(err, fs.ErrNotExist) || filepath.Dir(p) == p {
			break
		}
		missing = append(missing, p)
	}
	abort.On(folderError(at, abort.Try(func() {
		abort.On(system.MkdirAll(at))
		for _, p := range slices.Backward(missing) {
			above := abort.Must(system.Open(filepath.Dir(p)))
			abort.On(errors.Join(above.Sync("."), above.Close()))
		}
		folder = abort.Must(system.Open(at))
	})))
	return folder
}

func begin(folder filesystem.Folder, b Begin) {
	entries, err := folder.ReadDir(".")
	abort.On(folderError(folder.Path(), err))
	// A run that was killed early leaves only files with hidden names.
	named := slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return wholefile.IsLeftover(e.Name()) })
	switch {
	case len(named) == 0:
	case !slices.ContainsFunc(named, func(e fs.DirEntry) bool { return e.Name() == planName || e.Name() == journalName }):
		abort.On(remedy.New(nil, folder.Path(), ": holds other files than results of inev batch; choose another folder", remedy.AnotherFolder))
	case b == Afresh:
		abort.On(remedy.New(nil, folder.Path(), ": holds results already; ", remedy.Begin))
	case b == Replace:
		err = abort.Try(func() { clearResults(folder) })
	default:
		refuseLinks(folder)
		// A killed run has left incomplete folders of jobs.
		err = abort.Try(func() {
			removeJobs(folder, func(name string) bool { return strings.HasPrefix(name, hiddenPrefix) })
		})
	}
	if err == nil {
		err = wholefile.RemoveLeftovers(folder)
	}
	abort.On(folderError(folder.Path(), err))
	refuseLinks(folder)
}

// refuseLinks fails if a name that runs write is a link: at the start, and not only when the
// summaries are written.
func refuseLinks(folder filesystem.Folder) {
	for _, name := range append([]string{journalName, planName, jobsName}, summaryNames[:]...) {
		abort.On(filesystem.RefuseLink(folder, name))
	}
	if info, err := folder.Lstat(journalName); err == nil {
		abort.On(filesystem.MoreNames(filepath.Join(folder.Path(), journalName), info))
	}
}

// clearResults removes the files of runs except the plan, which marks the folder as one of results
// until the next plan replaces it.
func clearResults(folder filesystem.Folder) {
	abort.On(folder.RemoveAll(journalName))
	// The target of a link does not belong to the batch.
	if at, err := folder.Lstat(jobsName); err == nil && at.IsDir() {
		removeJobs(folder, func(string) bool { return true })
	}
	for _, name := range append([]string{jobsName}, summaryNames[:]...) {
		abort.On(folder.RemoveAll(name))
	}
}

// removeUnknown removes the folders of jobs without a result: of jobs that are to be done again,
// and of those whose results were lost.
func removeUnknown(folder filesystem.Folder, results []Result) {
	known := map[string]bool{}
	for _, r := range results {
		known[folderOf(r.Job.Name)] = true
	}
	removeJobs(folder, func(name string) bool {
		return isJobFolder(name) && !known[jobsName+"/"+name]
	})
}

// removeJobs removes folders of jobs, many at the same time: it mostly waits for the disk, and no
// job begins before it ends.
func removeJobs(folder filesystem.Folder, which func(name string) bool) {
	entries, err := folder.ReadDir(jobsName)
	if !errors.Is(err, fs.ErrNotExist) {
		abort.On(err)
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !which(e.Name()) })
	sideBySide(syncers, entries, func(e fs.DirEntry) { abort.On(folder.RemoveAll(jobsName + "/" + e.Name())) })
}

// folderError returns the error that a folder cannot be used; nil if there is none.
func folderError(folder string, err error) error {
	if err == nil {
		return nil
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: the folder cannot be used: %w; choose another one with -o", folder, err)
}

func writePlan(folder filesystem.Folder, p *Plan) {
	abort.On(wholefile.In(folder, planName, p.Write))
}
