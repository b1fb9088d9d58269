package batch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/internal/stoppable"
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

// spareInputs fails if the batch would write or remove a file that it reads.
func spareInputs(folder string, m *Manifest) {
	root, err := realPath(folder)
	if err != nil {
		return // the folder is empty
	}
	own := append([]string{journalName, planName, jobsName}, summaryNames[:]...)
	if slices.ContainsFunc(m.Jobs, func(j Job) bool { return j.KeepModel }) {
		own = append(own, modelsName)
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
		if first, _, _ := strings.Cut(filepath.ToSlash(local), "/"); slices.Contains(own, first) || wholefile.IsLeftover(first) {
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

// modelsName is the folder of the models that are kept.
const modelsName = "models"

// KeptModel returns the path of the kept model of a result, relative to the folder of the results
// and with slashes: its name is the SHA-256 of the model, so that jobs with the same model share
// it. It is "" if the model was not to be kept.
func (r *Result) KeptModel() string {
	if !r.Job.KeepModel || r.ModelDigest == "" {
		return ""
	}
	suffix := path.Ext(r.Job.Model)
	if slices.Contains([]string{".gz", ".zst", ".bz2"}, suffix) {
		suffix = path.Ext(strings.TrimSuffix(r.Job.Model, suffix)) + suffix
	}
	if strings.Trim(strings.ToLower(suffix), ".0123456789abcdefghijklmnopqrstuvwxyz") != "" {
		suffix = ""
	}
	return modelsName + "/" + r.ModelDigest + suffix
}

// keepModels copies the models of results into the folder of results, each content once, and
// removes the copies that no result uses. source returns the path of a model, "" to leave it out. A model that
// has changed since it was read is left out, with a warning.
func (s *Settings) keepModels(ctx context.Context, results []Result, source func(Result) string) {
	wanted := map[string]Result{}
	for _, r := range results {
		if name := r.KeptModel(); name != "" {
			wanted[name] = r
		}
	}
	if len(wanted) > 0 {
		abort.On(filesystem.RefuseLink(s.root, modelsName))
	}
	if at, err := s.root.Lstat(modelsName); err == nil && at.IsDir() { // the target of a link is not the batch's
		entries, err := s.root.ReadDir(modelsName)
		abort.On(folderError(s.Folder, err))
		for _, e := range entries {
			name := modelsName + "/" + e.Name()
			if _, is := wanted[name]; !is && len(strings.TrimPrefix(e.Name(), hiddenPrefix)) >= digestDigits {
				abort.On(folderError(s.Folder, s.root.RemoveAll(name)))
			}
		}
	}
	if len(wanted) == 0 {
		return
	}
	if err := s.root.Mkdir(modelsName); !errors.Is(err, fs.ErrExist) {
		abort.On(folderError(s.Folder, err))
	}
	for _, r := range results {
		name := r.KeptModel()
		if _, is := wanted[name]; !is {
			continue
		}
		file := source(r)
		if file == "" {
			continue
		}
		delete(wanted, name)
		if _, err := s.root.Lstat(name); err == nil {
			continue
		}
		switch err := keepModel(ctx, s.root, file, name, r.ModelDigest); {
		case errors.Is(err, errChanged):
			s.warn(fmt.Sprintf("%s: has changed since it was read, and is not kept", r.Job.Model))
		case err != nil:
			abort.On(fmt.Errorf("%s: the model cannot be kept in %s: %w", r.Job.Model, s.Folder, err))
		}
	}
	abort.On(s.root.Sync(modelsName))
}

var errChanged = errors.New("the file has changed")

// keepModel copies a file if its content still has this digest.
func keepModel(ctx context.Context, to filesystem.Folder, file, name, digest string) error {
	in, err := inputfile.OpenRegular(ctx, file)
	if errors.Is(err, fs.ErrNotExist) {
		return errChanged
	}
	if err != nil {
		return err
	}
	defer in.Close()
	hidden := modelsName + "/" + hiddenPrefix + digest
	if err := to.RemoveAll(hidden); err != nil {
		return err
	}
	err = abort.Try(func() {
		found := createFile(to, hidden, func(w io.Writer) error {
			_, err := io.Copy(w, stoppable.EachRead(ctx, in))
			return err
		})
		abort.On(to.Sync(hidden))
		if found != digest {
			abort.On(errChanged)
		}
		abort.On(to.Rename(hidden, name))
	})
	if err != nil {
		_ = to.RemoveAll(hidden)
	}
	return err
}

// digestDigits is the length of a digest in hexadecimal digits.
const digestDigits = 2 * sha256.Size

// Store keeps files by the SHA-256 of their content: models, and the files of jobs, on their
// way between machines. Methods are called by many goroutines.
type Store interface {
	// Open returns the content with this digest. It fails if the store has no such content. The
	// content may be damaged; [Verified] checks it.
	Open(ctx context.Context, digest string) (io.ReadCloser, error)
	// Put stores the content of a reader, once, and returns its digest.
	Put(ctx context.Context, content io.Reader) (digest string, err error)
}

// DigestError reports that a file does not have the digest under which it is stored.
type DigestError struct{ Found, Wanted string }

func (e *DigestError) Error() string {
	return fmt.Sprintf("is damaged: its SHA-256 is %s, expected %s", e.Found, e.Wanted)
}

// Verified copies the content with a digest from a store to w. The error is a *[DigestError] if
// the content does not have it; then what was written to w must be discarded. Cost O(size of
// the content).
func Verified(ctx context.Context, from Store, digest string, w io.Writer) error {
	content, err := from.Open(ctx, digest)
	if err != nil {
		return err
	}
	found, err := hashing(w, func(w io.Writer) error {
		_, err := io.Copy(w, content)
		return err
	})
	if err = errors.Join(err, content.Close()); err != nil {
		return err
	}
	if found != digest {
		return &DigestError{found, digest}
	}
	return nil
}

// PutFiles puts the files of a result, which lie in a folder of this machine, into a store.
// Cost O(size of the files).
func (r *Result) PutFiles(ctx context.Context, folder string, to Store) (err error) {
	defer abort.Caught(&err)
	for _, kind := range slices.Sorted(maps.Keys(r.Files)) {
		path := inside(folder, r.Files[kind])
		f, err := inputfile.OpenRegular(ctx, path)
		if err != nil {
			return fileError(path, err)
		}
		digest, err := to.Put(ctx, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		if digest != r.Digests[kind] {
			return fmt.Errorf("%s: %w", path, &DigestError{digest, r.Digests[kind]})
		}
	}
	return nil
}

// FetchFiles writes the files of a result that was made elsewhere into a folder of results, where
// they appear as a whole or not at all. It fails if a file does not have the name that this job
// would give it, or if its content is damaged. Cost O(size of the files).
func (r *Result) FetchFiles(ctx context.Context, from Store, folder string) (err error) {
	defer abort.Caught(&err)
	if len(r.Files) == 0 {
		return nil
	}
	own := folderOf(r.Job.Name)
	for kind, name := range r.Files {
		if file := fileOf(kind); file == "" || name != own+"/"+file {
			return fmt.Errorf("a worker has written %q as %q, which no job does", name, kind)
		}
	}
	root := openFolder(ctx, folder)
	defer root.Close()
	r.writeFiles(root, func(kind string, w io.Writer) error { return Verified(ctx, from, r.Digests[kind], w) })
	return nil
}

// writeFiles writes the files of a result, which has some, into a folder of results.
func (r *Result) writeFiles(root filesystem.Folder, write func(kind string, w io.Writer) error) {
	inFolder(root, folderOf(r.Job.Name), func(hidden string) (some bool) {
		for _, kind := range slices.Sorted(maps.Keys(r.Files)) {
			createFile(root, hidden+"/"+path.Base(r.Files[kind]), func(w io.Writer) error { return write(kind, w) })
		}
		return true
	})
}

// RemoveFiles removes the files of a result from a folder, once a store has them.
func (r *Result) RemoveFiles(folder string) error {
	if len(r.Files) == 0 {
		return nil
	}
	return os.RemoveAll(filepath.Join(folder, filepath.FromSlash(folderOf(r.Job.Name))))
}

// createFile creates a file, writes it, and returns the digest of its content; the name must be free.
func createFile(root filesystem.Folder, name string, write func(io.Writer) error) (digest string) {
	f := abort.Must(root.Create(name, 0o644))
	digest, err := hashing(f, write)
	abort.On(errors.Join(err, f.Close()))
	return digest
}

// fileOf returns the name of the file of this kind, "" if jobs write no such kind.
func fileOf(kind string) string {
	if kind == logKind {
		return logFile
	}
	for _, o := range outputs {
		if o.kind == kind {
			return o.file
		}
	}
	return ""
}

// logKind is the kind of the file with the stack of a crash.
const (
	logKind = "log"
	logFile = "log.txt"
)

// Merge joins folders of results, of the shards of a manifest or of different manifests, into the
// folder that s names; of s, only Folder, Begin (Afresh or Replace) and Version count. The jobs of
// the outcome are those of all plans, each once, in the order of their first occurrences; those
// without a result in any of the folders are missing from its results. If several folders have a
// result of a job, a result with a verdict is preferred.
//
// It fails before it writes anything if two folders have different jobs of one name, or answers to
// a job from different inputs, or if a line or a file has changed since it was written. It also
// fails if a folder cannot be read or written to, and if ctx is done. It reads nothing outside of
// the folders: links that lead out of them are refused. Cost O(size of all folders): the files of
// the jobs are read and copied.
func Merge(ctx context.Context, folders []string, s Settings) (out *Outcome, err error) {
	defer abort.Caught(&err)
	if to, err := os.Stat(s.Folder); err == nil {
		for _, folder := range folders { // even by another path
			if from, err := os.Stat(folder); err == nil && os.SameFile(from, to) {
				abort.On(fmt.Errorf("%s: is one of the folders that are joined; choose another one with -o", s.Folder))
			}
		}
	}
	plan, results, from := join(ctx, folders)
	for _, j := range plan.Jobs {
		if r, is := results[j.Name]; is {
			if err := checkFiles(ctx, from[j.Name], &r); err != nil {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				return nil, remedy.New(err, err, "; run the batch again ", remedy.Resume, " ", remedy.InFolder, " ", from[j.Name], ", which does its job anew")
			}
		}
	}
	plan.Version, plan.Journal = s.Version, commitSchema
	root := claim(ctx, s.Folder, s.Begin)
	defer root.Close()
	// The plan comes first: it marks the folder as one of results.
	writePlan(root, plan)
	merged := inOrder(plan.Jobs, results)
	for _, r := range merged {
		if len(r.Files) == 0 {
			continue
		}
		r.writeFiles(root, func(kind string, w io.Writer) error {
			source := inside(from[r.Job.Name], r.Files[kind])
			in, err := inputfile.OpenRegular(ctx, source)
			if err != nil {
				return errors.New(inputfile.FileError(source, err).Error()) // which is not one of writing
			}
			defer in.Close()
			_, err = io.Copy(w, stoppable.EachRead(ctx, in))
			return err
		})
	}
	s.root = root
	s.keepModels(ctx, merged, func(r Result) string {
		folder, name := from[r.Job.Name], r.KeptModel()
		if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name))); err != nil {
			return ""
		}
		return inside(folder, name)
	})
	j := &journal{folder: root}
	j.syncFiles(merged)
	rewriteJournal(root, merged, true)
	out = &Outcome{Plan: *plan, Jobs: plan.Jobs, Results: merged}
	out.remember(root)
	return out, nil
}

// join reads folders, and returns their jobs and results, with the folder that each result comes
// from.
func join(ctx context.Context, folders []string) (plan *Plan, results map[string]Result, from map[string]string) {
	plan, results, from = &Plan{Schema: PlanSchema}, map[string]Result{}, map[string]string{}
	var manifests []string
	jobs, planned := map[string]Job{}, map[string]string{}
	for _, folder := range folders {
		for _, name := range []string{planName, journalName} {
			if _, err := os.Lstat(filepath.Join(folder, name)); err != nil {
				continue // readPlan reports what is missing
			}
			inside(folder, name)
		}
		part := readPlan(ctx, folder)
		if !slices.Contains(manifests, part.Manifest) {
			manifests = append(manifests, part.Manifest)
		}
		for _, j := range part.Jobs {
			known, is := jobs[j.Name]
			// Not every machine has the models of the other shards.
			known.Refused, j.Refused = "", ""
			if is && !bytes.Equal(known.stored(), j.stored()) {
				abort.On(fmt.Errorf("%s: the job %q is another one than in %s; run the shards with one and the same manifest", folder, j.Name, planned[j.Name]))
			}
			if !is {
				jobs[j.Name], planned[j.Name] = j, folder
				plan.Jobs = append(plan.Jobs, j)
			}
		}
		for _, r := range abort.Must(ReadResults(ctx, folder)) {
			other, is := results[r.Job.Name]
			if is && other.Status.Answered() && r.Status.Answered() && other.Key != r.Key {
				abort.On(fmt.Errorf("%s: the model or the version of inev for the job %q is another one than in %s; run the older of them again", folder, r.Job.Name, from[r.Job.Name]))
			}
			if !is || !other.Status.Answered() && r.Status.Answered() {
				results[r.Job.Name], from[r.Job.Name] = r, folder
			}
		}
	}
	plan.Manifest = strings.Join(manifests, ", ")
	return plan, results, from
}
