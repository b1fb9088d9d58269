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
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/internal/wholefile"
)

// PlanSchema names the version of the data that a Plan holds.
const PlanSchema = "inev.batch/2"

// planSchema1 names the previous version, which has no checksum and can still be read.
const planSchema1 = "inev.batch/1"

// Plan describes the content of a folder of results. It is the file manifest.json there.
type Plan struct {
	Schema   string `json:"schema"`
	Manifest string `json:"manifest"`
	Version  string `json:"version"`
	// Shard is the share of the jobs that this folder is for, such as 2/3; "" for all.
	Shard string `json:"shard,omitempty"`
	// Journal is the version of the record that closes the journal next to the plan; "" for a plan
	// of an older version, whose journal had no such record, and for a plan outside a folder.
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
func readPlan(ctx context.Context, folder string) (*Plan, error) {
	path := filepath.Join(folder, planName)
	text, err := inputfile.ReadRegular(ctx, path, resultsLimit)
	if info, wrong := os.Stat(folder); errors.Is(err, fs.ErrNotExist) || wrong == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s: is not a folder of results, for it holds no %s; give one that inev batch has written", folder, planName)
	}
	if err != nil {
		return nil, inputfile.FileError(path, err)
	}
	var p Plan
	sealed := planSeal.check(text)
	if err = json.Unmarshal(text, &p); err == nil && sealed != nil && (p.Schema != planSchema1 || !errors.Is(sealed, errUnsealed)) {
		err = sealed
	}
	if err != nil {
		return nil, remedy.New(err, path, ": is damaged (", err, "); run the batch again ", remedy.Resume, ", which writes it anew")
	}
	if p.Schema != PlanSchema && p.Schema != planSchema1 {
		return nil, fmt.Errorf("%s: is of version %q, expected %s; use the version of inev that wrote it", path, p.Schema, PlanSchema)
	}
	return &p, nil
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

// sparesInputs returns an error if the batch would write or remove a file that it
// reads.
func sparesInputs(folder string, m *Manifest) error {
	root, err := realPath(folder)
	if err != nil {
		return nil // the folder is empty
	}
	seen := map[string]bool{}
	check := func(path string) error {
		if path == "" || seen[path] {
			return nil
		}
		seen[path] = true
		real, err := realPath(path)
		if err != nil {
			return nil // whoever reads the file reports the error
		}
		local, err := filepath.Rel(root, real)
		if err != nil || !filepath.IsLocal(local) {
			return nil
		}
		if first, _, _ := strings.Cut(filepath.ToSlash(local), "/"); isOwn(first) || first == modelsName && m.keepsModels() {
			return fmt.Errorf("%s: would be written over by the results in %s; choose another folder with -o", path, folder)
		}
		return nil
	}
	err = check(m.File)
	for i := 0; i < len(m.Jobs) && err == nil; i++ {
		paths := []string{m.Jobs[i].Path, m.Jobs[i].Where.File}
		for _, t := range []*File{m.Jobs[i].States, m.Jobs[i].Lanes, m.Jobs[i].Config, m.Jobs[i].TLA} {
			if t != nil {
				paths = append(paths, t.Path)
			}
		}
		for _, path := range paths {
			if err == nil {
				err = check(path)
			}
		}
	}
	return err
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
func claim(ctx context.Context, path string, b Begin) (filesystem.Folder, error) {
	folder, err := openFolder(ctx, path)
	if err != nil {
		return nil, folderError(path, err)
	}
	if !folder.Lock() {
		err = fmt.Errorf("%s: another run is writing to this folder; wait for it, or choose another folder with -o", path)
	} else {
		err = begin(folder, b)
	}
	if err != nil {
		_ = folder.Close()
		return nil, err
	}
	return folder, nil
}

// openFolder opens a folder. A missing one is made, with its parents, and flushed to the disk.
func openFolder(ctx context.Context, at string) (filesystem.Folder, error) {
	system := filesystem.Of(ctx)
	var missing []string
	for p := filepath.Clean(at); ; p = filepath.Dir(p) {
		if _, err := os.Stat(p); !errors.Is(err, fs.ErrNotExist) || filepath.Dir(p) == p {
			break
		}
		missing = append(missing, p)
	}
	if err := system.MkdirAll(at); err != nil {
		return nil, err
	}
	for _, p := range slices.Backward(missing) {
		above, err := system.Open(filepath.Dir(p))
		if err != nil {
			return nil, err
		}
		if err := errors.Join(above.Sync("."), above.Close()); err != nil {
			return nil, err
		}
	}
	return system.Open(at)
}

func begin(folder filesystem.Folder, b Begin) error {
	entries, err := folder.ReadDir(".")
	if err != nil {
		return folderError(folder.Path(), err)
	}
	// A run that was killed early leaves only files with hidden names.
	named := slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return wholefile.IsLeftover(e.Name()) })
	switch {
	case len(named) == 0:
	case !slices.ContainsFunc(named, func(e fs.DirEntry) bool { return e.Name() == planName || e.Name() == journalName }):
		return remedy.New(nil, folder.Path(), ": holds other files than results of inev batch; choose another folder", remedy.AnotherFolder)
	case b == Afresh:
		return remedy.New(nil, folder.Path(), ": holds results already; ", remedy.Begin)
	case b == Replace:
		err = clearResults(folder)
	default:
		if err = refuseLinks(folder); err != nil {
			return err
		}
		// A killed run has left incomplete folders of jobs.
		err = removeJobs(folder, func(name string) bool { return strings.HasPrefix(name, hiddenPrefix) })
	}
	if err == nil {
		err = wholefile.RemoveLeftovers(folder)
	}
	if err != nil {
		return folderError(folder.Path(), err)
	}
	return refuseLinks(folder)
}

// refuseLinks returns an error if a name that runs write is a link: at the start, and not only
// when the summaries are written.
func refuseLinks(folder filesystem.Folder) error {
	for _, name := range append([]string{journalName, planName, jobsName}, summaryNames[:]...) {
		if err := filesystem.RefuseLink(folder, name); err != nil {
			return err
		}
	}
	if info, err := folder.Lstat(journalName); err == nil {
		return filesystem.MoreNames(filepath.Join(folder.Path(), journalName), info)
	}
	return nil
}

// clearResults removes the files of runs except the plan, which marks the folder as one of results
// until the next plan replaces it.
func clearResults(folder filesystem.Folder) error {
	if err := folder.RemoveAll(journalName); err != nil {
		return err
	}
	// The target of a link does not belong to the batch.
	if at, err := folder.Lstat(jobsName); err == nil && at.IsDir() {
		if err := removeJobs(folder, func(string) bool { return true }); err != nil {
			return err
		}
	}
	for _, name := range append([]string{jobsName}, summaryNames[:]...) {
		if err := folder.RemoveAll(name); err != nil {
			return err
		}
	}
	return nil
}

// removeUnknown removes the folders of jobs without a result: of jobs that are to be done again,
// and of those whose results were lost.
func removeUnknown(folder filesystem.Folder, results []Result) error {
	known := map[string]bool{}
	for _, r := range results {
		known[folderOf(r.Job.Name)] = true
		for _, name := range r.Files {
			known[path.Dir(name)] = true // an older version named the folder otherwise
		}
	}
	return removeJobs(folder, func(name string) bool {
		return isJobFolder(name) && !known[jobsName+"/"+name]
	})
}

// removeJobs removes folders of jobs, many at the same time: it mostly waits for the disk, and no
// job begins before it ends.
func removeJobs(folder filesystem.Folder, which func(name string) bool) error {
	entries, err := folder.ReadDir(jobsName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !which(e.Name()) })
	return sideBySide(syncers, entries, func(e fs.DirEntry) error { return folder.RemoveAll(jobsName + "/" + e.Name()) })
}

func folderError(folder string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: the folder cannot be used: %w; choose another one with -o", folder, err)
}

func writePlan(folder filesystem.Folder, p *Plan) error {
	return wholefile.In(folder, planName, p.Write)
}
