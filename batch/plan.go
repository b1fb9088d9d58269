package batch

import (
	"bytes"
	"cmp"
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

	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/internal/wholefile"
)

// planSchema names the version of the data that a Plan holds.
const planSchema = "inev.batch/2"

// Plan describes the content of a folder of results. It is the file manifest.json there.
type Plan struct {
	// Schema names the version of the data; [Plan.Write] writes it, whatever the field holds.
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

// summaryNames are the files that package internal/batch/summary makes of the results.
var summaryNames = [...]string{
	"summary.json",
	"summary.csv",
	"summary.md",
	"index.html",
	"junit.xml",
	"report.sarif",
}

// readPlan reads the plan of a folder of results.
func readPlan(ctx context.Context, folder string) (*Plan, error) {
	path := filepath.Join(folder, planName)
	text, err := inputfile.ReadRegular(ctx, path, resultsLimit)
	info, statErr := os.Stat(folder)
	isFile := statErr == nil && !info.IsDir()
	if errors.Is(err, fs.ErrNotExist) || isFile {
		return nil, fmt.Errorf("%s: is not a folder of results, because it has no %s; give one that inev batch has written", folder, planName)
	}
	if err != nil {
		return nil, inputfile.FileError(path, err)
	}
	var p Plan
	err = planSeal.unmarshal(text, &p, &p.Schema, planSchema)
	if errors.As(err, new(*versionError)) {
		return nil, fmt.Errorf("%s: %w; use the version of inev that wrote it", path, err)
	}
	if err != nil {
		return nil, hint.New(err, path, ": is damaged (", err, "); run the batch again ",
			hint.Resume, ", which writes it anew")
	}
	return &p, nil
}

// Write writes the plan as JSON, with a checksum.
func (p *Plan) Write(w io.Writer) error {
	written := *p
	written.Schema = planSchema
	var object bytes.Buffer
	encoder := json.NewEncoder(&object)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(&written); err != nil {
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
func spareInputs(folder string, m *Manifest) error {
	root, err := realPath(folder)
	if err != nil {
		return nil // the folder is empty
	}
	outputs := append([]string{journalName, planName, jobsName}, summaryNames[:]...)
	if slices.ContainsFunc(m.Jobs, func(j Job) bool { return j.KeepModel }) {
		outputs = append(outputs, modelsName)
	}
	seen := map[string]bool{"": true}
	for _, path := range m.inputs() {
		if seen[path] {
			continue
		}
		seen[path] = true
		real, err := realPath(path)
		if err != nil {
			continue // the reader of the file reports the error
		}
		local, err := filepath.Rel(root, real)
		if err != nil || !filepath.IsLocal(local) {
			continue
		}
		nameInFolder, _, _ := strings.Cut(filepath.ToSlash(local), "/")
		if slices.Contains(outputs, nameInFolder) || wholefile.IsLeftover(nameInFolder) {
			return fmt.Errorf("%s: would be overwritten by the results in %s; choose another folder with -o", path, folder)
		}
	}
	return nil
}

// inputs lists the paths of the files that a batch reads; paths may be empty, or listed again.
func (m *Manifest) inputs() []string {
	paths := []string{m.File}
	for _, j := range m.Jobs {
		paths = append(paths, j.Path, j.Where.File)
		for _, f := range []*File{j.States, j.Lanes, j.Config, j.TLA, j.Automaton} {
			if f != nil {
				paths = append(paths, f.Path)
			}
		}
		for _, f := range j.Rules {
			paths = append(paths, f.Path)
		}
		if j.Source != nil {
			paths = append(paths, j.Source.Paths...)
		}
	}
	return paths
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
		return nil, err
	}
	if !folder.Lock() {
		_ = folder.Close()
		return nil, fmt.Errorf("%s: another run is writing to this folder; wait for it, or choose another folder with -o", path)
	}
	if err := prepareFolder(folder, b); err != nil {
		_ = folder.Close()
		return nil, err
	}
	return folder, nil
}

// openFolder opens a folder. A missing one is made, with its parents, and flushed to the disk.
func openFolder(ctx context.Context, path string) (filesystem.Folder, error) {
	folder, err := makeAndOpen(filesystem.Of(ctx), path)
	if err != nil {
		return nil, folderError(path, err)
	}
	return folder, nil
}

// makeAndOpen makes the missing folders of a path, and flushes the parent of each one, so that none is
// lost in a crash.
func makeAndOpen(system filesystem.System, path string) (filesystem.Folder, error) {
	missing := missingFolders(path)
	if err := system.MkdirAll(path); err != nil {
		return nil, err
	}
	for _, made := range slices.Backward(missing) {
		above, err := system.Open(filepath.Dir(made))
		if err != nil {
			return nil, err
		}
		if err := errors.Join(above.Sync("."), above.Close()); err != nil {
			return nil, err
		}
	}
	return system.Open(path)
}

// missingFolders lists a path and its parents as far as they do not exist, the innermost first.
func missingFolders(path string) []string {
	var missing []string
	for p := filepath.Clean(path); ; p = filepath.Dir(p) {
		_, err := os.Stat(p)
		isRoot := filepath.Dir(p) == p
		if !errors.Is(err, fs.ErrNotExist) || isRoot {
			return missing
		}
		missing = append(missing, p)
	}
}

// prepareFolder makes a folder ready for a run, as b says.
func prepareFolder(folder filesystem.Folder, b Begin) error {
	entries, err := folder.ReadDir(".")
	if err != nil {
		return folderError(folder.Path(), err)
	}
	// A run that was killed early leaves only files with hidden names.
	named := slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return wholefile.IsLeftover(e.Name())
	})
	if len(named) > 0 {
		if err := prepareResults(folder, named, b); err != nil {
			return err
		}
	}
	if err := wholefile.RemoveLeftovers(folder); err != nil {
		return folderError(folder.Path(), err)
	}
	return refuseLinks(folder)
}

// prepareResults makes a folder that holds these files ready for a run. It fails if they are not
// the results of an earlier run.
func prepareResults(folder filesystem.Folder, files []fs.DirEntry, b Begin) error {
	isResult := func(e fs.DirEntry) bool {
		return e.Name() == planName || e.Name() == journalName
	}
	if !slices.ContainsFunc(files, isResult) {
		return hint.New(nil, folder.Path(),
			": holds other files than results of inev batch; choose another folder", hint.AnotherFolder)
	}
	switch b {
	case Afresh:
		return hint.New(nil, folder.Path(), ": holds results already; ", hint.Begin)
	case Replace:
		return folderError(folder.Path(), clearResults(folder))
	}
	if err := refuseLinks(folder); err != nil {
		return err
	}
	// A killed run has left incomplete folders of jobs.
	isIncomplete := func(name string) bool {
		return strings.HasPrefix(name, hiddenPrefix)
	}
	return folderError(folder.Path(), removeJobs(folder, isIncomplete))
}

// refuseLinks fails if a file or folder that runs write is a link. It is called at the start of a
// run, so that the run does not fail only when it writes its summaries.
func refuseLinks(folder filesystem.Folder) error {
	for _, name := range append([]string{journalName, planName, jobsName}, summaryNames[:]...) {
		if err := filesystem.RefuseLink(folder, name); err != nil {
			return err
		}
	}
	info, err := folder.Lstat(journalName)
	if err != nil {
		return nil // there is no journal yet
	}
	return filesystem.MoreNames(filepath.Join(folder.Path(), journalName), info)
}

// clearResults removes the files of runs except the plan, which marks the folder as one of results
// until the next plan replaces it.
func clearResults(folder filesystem.Folder) error {
	if err := folder.RemoveAll(journalName); err != nil {
		return err
	}
	// The target of a link does not belong to the batch.
	if jobs, err := folder.Lstat(jobsName); err == nil && jobs.IsDir() {
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

// removeJobs removes folders of jobs, many at the same time: it mostly waits for the disk, and no
// job begins before it ends.
func removeJobs(folder filesystem.Folder, isRemoved func(name string) bool) error {
	entries, err := folder.ReadDir(jobsName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !isRemoved(e.Name())
	})
	return inParallel(syncers, entries, func(e fs.DirEntry) error {
		return folder.RemoveAll(jobsName + "/" + e.Name())
	})
}

// folderError returns the error that a folder cannot be used; nil if there is none.
func folderError(folder string, err error) error {
	if err == nil {
		return nil
	}
	if folder == "" {
		return errors.New("the folder of results has no name; choose one with -o")
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: the folder cannot be used: %w; choose another one with -o", folder,
		err)
}

func writePlan(folder filesystem.Folder, p *Plan) error {
	return wholefile.In(folder, planName, p.Write)
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
	isPlain := strings.Trim(strings.ToLower(suffix), ".0123456789abcdefghijklmnopqrstuvwxyz") == ""
	if !isPlain {
		suffix = ""
	}
	return modelsName + "/" + r.ModelDigest + suffix
}

// keepModels copies the models of results into the folder of results, each content once, and
// removes the copies that no result uses. source returns the path of a model, "" to leave it out. A model that
// has changed since it was read is left out, with a warning.
func (s *Settings) keepModels(
	ctx context.Context,
	results []Result,
	source func(Result) (string, error),
) error {
	wanted := map[string]bool{}
	for _, r := range results {
		if name := r.KeptModel(); name != "" {
			wanted[name] = true
		}
	}
	if len(wanted) > 0 {
		if err := filesystem.RefuseLink(s.root, modelsName); err != nil {
			return err
		}
	}
	if err := s.removeModels(wanted); err != nil {
		return folderError(s.Folder, err)
	}
	if len(wanted) == 0 {
		return nil
	}
	if err := s.root.Mkdir(modelsName); err != nil && !errors.Is(err, fs.ErrExist) {
		return folderError(s.Folder, err)
	}
	for _, r := range results {
		name := r.KeptModel()
		if !wanted[name] {
			continue
		}
		file, err := source(r)
		if err != nil {
			return err
		}
		if file == "" {
			continue
		}
		delete(wanted, name)
		if err := s.keepModel(ctx, &r, file); err != nil {
			return err
		}
	}
	return s.root.Sync(modelsName)
}

// removeModels removes the kept models except the wanted ones.
func (s *Settings) removeModels(wanted map[string]bool) error {
	models, err := s.root.Lstat(modelsName)
	if err != nil || !models.IsDir() { // the target of a link does not belong to the batch
		return nil
	}
	entries, err := s.root.ReadDir(modelsName)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := modelsName + "/" + e.Name()
		isModel := len(strings.TrimPrefix(e.Name(), hiddenPrefix)) >= digestDigits
		if !isModel || wanted[name] {
			continue
		}
		if err := s.root.RemoveAll(name); err != nil {
			return err
		}
	}
	return nil
}

// keepModel copies the model of a result from a file, unless the folder has it; it warns if the file has
// changed.
func (s *Settings) keepModel(ctx context.Context, r *Result, file string) error {
	name := r.KeptModel()
	if _, err := s.root.Lstat(name); err == nil {
		return nil
	}
	err := copyModel(ctx, s.root, file, name, r.ModelDigest)
	if errors.Is(err, errChanged) {
		s.warn(fmt.Sprintf("%s: has changed since it was read, and is not kept", r.Job.Model))
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: the model cannot be kept in %s: %w", r.Job.Model, s.Folder, err)
	}
	return nil
}

var errChanged = errors.New("the file has changed")

// copyModel copies a file into the folder of results, where it appears under name as a whole or not at all. It
// fails with errChanged if the content of the file no longer has the digest, or the file is gone.
func copyModel(ctx context.Context, to filesystem.Folder, file, name, digest string) error {
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
	if err := copyVerified(ctx, to, in, hidden, digest); err != nil {
		_ = to.RemoveAll(hidden)
		return err
	}
	if err := to.Rename(hidden, name); err != nil {
		_ = to.RemoveAll(hidden)
		return err
	}
	return nil
}

// copyVerified copies a content into a new file, and flushes it to the disk. It fails with errChanged if
// the content has another digest.
func copyVerified(ctx context.Context, to filesystem.Folder, in io.Reader, name, digest string) error {
	found, err := createFile(to, name, func(w io.Writer) error {
		_, err := io.Copy(w, stoppable.EachRead(ctx, in))
		return err
	})
	if err != nil {
		return err
	}
	if err := to.Sync(name); err != nil {
		return err
	}
	if found != digest {
		return errChanged
	}
	return nil
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
	if e == nil {
		return "<nil>"
	}
	return fmt.Sprintf("is damaged: its SHA-256 is %s, expected %s", e.Found, e.Wanted)
}

// Verified copies the content with a digest from a store to w. The error is a *[DigestError] if
// the content does not have it; then what was written to w must be discarded. Cost O(size of
// the content).
func Verified(ctx context.Context, from Store, digest string, w io.Writer) error {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("from", from),
		required.Argument("w", w),
	); err != nil {
		return err
	}
	content, err := from.Open(ctx, digest)
	if err != nil {
		return err
	}
	found, err := writeHashed(w, func(w io.Writer) error {
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
func (r *Result) PutFiles(ctx context.Context, folder string, to Store) error {
	for _, kind := range slices.Sorted(maps.Keys(r.Files)) {
		path, err := pathInside(folder, r.Files[kind])
		if err != nil {
			return err
		}
		f, err := inputfile.OpenRegular(ctx, path)
		if err != nil {
			return fileError(path, err)
		}
		digest, err := to.Put(ctx, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		if digest != r.Digests[kind] {
			return fmt.Errorf("%s: %w", path, &DigestError{
				Found:  digest,
				Wanted: r.Digests[kind],
			})
		}
	}
	return nil
}

// FetchFiles writes the files of a result that was made elsewhere into a folder of results. Each
// file appears there as a whole or not at all. FetchFiles fails if a file has another name than
// this job gives its files, or damaged content. Cost O(size of the files).
func (r *Result) FetchFiles(ctx context.Context, from Store, folder string) error {
	if len(r.Files) == 0 {
		return nil
	}
	own := folderOf(r.Job.Name)
	for kind, name := range r.Files {
		file := fileOf(kind)
		if file == "" || name != own+"/"+file {
			return fmt.Errorf("a worker wrote %q as %q, which no job writes", name, kind)
		}
	}
	root, err := openFolder(ctx, folder)
	if err != nil {
		return err
	}
	defer root.Close()
	return r.writeFiles(root, func(kind string, w io.Writer) error {
		return Verified(ctx, from, r.Digests[kind], w)
	})
}

// writeFiles writes the files of a result, of which there is at least one, into a folder of
// results.
func (r *Result) writeFiles(
	root filesystem.Folder,
	write func(kind string, w io.Writer) error,
) error {
	return inFolder(root, folderOf(r.Job.Name), func(hidden string) (wroteAny bool, err error) {
		for _, kind := range slices.Sorted(maps.Keys(r.Files)) {
			name := hidden + "/" + path.Base(r.Files[kind])
			if _, err := createFile(root, name, func(w io.Writer) error {
				return write(kind, w)
			}); err != nil {
				return false, err
			}
		}
		return true, nil
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
func createFile(
	root filesystem.Folder,
	name string,
	write func(io.Writer) error,
) (digest string, err error) {
	f, err := root.Create(name, 0o644)
	if err != nil {
		return "", err
	}
	digest, err = writeHashed(f, write)
	return digest, errors.Join(err, f.Close())
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
// fails if a folder cannot be read or written to, or if ctx is done. It reads nothing outside of
// the folders: links that lead out of them are refused. Cost O(size of all folders): the files of
// the jobs are read and copied.
func Merge(ctx context.Context, folders []string, s Settings) (*Outcome, error) {
	if err := required.Argument("ctx", ctx); err != nil {
		return nil, err
	}
	if err := s.refuseFolderAmong(folders); err != nil {
		return nil, err
	}
	joined, err := join(ctx, folders)
	if err != nil {
		return nil, err
	}
	if err := joined.checkFiles(ctx); err != nil {
		return nil, err
	}
	joined.plan.Version = s.Version
	joined.plan.Journal = commitSchema
	root, err := claim(ctx, s.Folder, s.Begin)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	s.root = root
	return joined.write(ctx, &s)
}

// refuseFolderAmong fails if the folder of results is one of the folders that are joined, even by another
// path.
func (s *Settings) refuseFolderAmong(folders []string) error {
	to, err := os.Stat(s.Folder)
	if err != nil {
		return nil // there is no such folder yet
	}
	for _, folder := range folders {
		from, err := os.Stat(folder)
		if err == nil && os.SameFile(from, to) {
			return fmt.Errorf("%s: is one of the folders that are joined; choose another one with -o", s.Folder)
		}
	}
	return nil
}

// joined is what several folders of results hold together. The keys of its maps are the names of jobs.
type joined struct {
	plan *Plan
	// results has the result that is taken of each job, and folders has the folder that has this
	// result.
	results map[string]Result
	folders map[string]string
	// jobs has each job of the plan, and planned has the first folder whose plan has this
	// job.
	jobs    map[string]Job
	planned map[string]string
}

// join reads the plans and the results of folders.
func join(ctx context.Context, folders []string) (*joined, error) {
	all := &joined{
		plan:    &Plan{Schema: planSchema},
		results: map[string]Result{},
		folders: map[string]string{},
		jobs:    map[string]Job{},
		planned: map[string]string{},
	}
	var manifests []string
	for _, folder := range folders {
		if err := refuseLinksOut(folder); err != nil {
			return nil, err
		}
		part, err := readPlan(ctx, folder)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(manifests, part.Manifest) {
			manifests = append(manifests, part.Manifest)
		}
		if err := all.addJobs(folder, part.Jobs); err != nil {
			return nil, err
		}
		results, err := ReadResults(ctx, folder)
		if err != nil {
			return nil, err
		}
		if err := all.addResults(folder, results); err != nil {
			return nil, err
		}
	}
	all.plan.Manifest = strings.Join(manifests, ", ")
	return all, nil
}

// refuseLinksOut fails if the name of the plan or of the journal is a link that leads out of the folder.
func refuseLinksOut(folder string) error {
	for _, name := range []string{planName, journalName} {
		if _, err := os.Lstat(filepath.Join(folder, name)); err != nil {
			continue // readPlan reports what is missing
		}
		if _, err := pathInside(folder, name); err != nil {
			return err
		}
	}
	return nil
}

// addJobs adds the jobs of a folder. It fails if another folder has a different job of the same name.
func (all *joined) addJobs(folder string, jobs []Job) error {
	for _, j := range jobs {
		// Not every machine has the models of the other shards.
		j.Refused = ""
		known, isKnown := all.jobs[j.Name]
		if !isKnown {
			all.jobs[j.Name] = j
			all.planned[j.Name] = folder
			all.plan.Jobs = append(all.plan.Jobs, j)
			continue
		}
		if !bytes.Equal(known.stored(), j.stored()) {
			return fmt.Errorf("%s: the job %q differs from that in %s; run all shards with the same manifest", folder, j.Name, all.planned[j.Name])
		}
	}
	return nil
}

// addResults adds the results of a folder. It fails if another folder has an answer to the same job
// from different inputs.
func (all *joined) addResults(folder string, results []Result) error {
	for _, r := range results {
		name := r.Job.Name
		other, isKnown := all.results[name]
		hasAnswer := isKnown && other.Status.Answered()
		bringsAnswer := r.Status.Answered()
		if hasAnswer && bringsAnswer && other.Key != r.Key {
			return fmt.Errorf("%s: the job %q has another model or another version of inev in %s; run the older of the two again", folder, name, all.folders[name])
		}
		isFirstAnswer := !hasAnswer && bringsAnswer
		if !isKnown || isFirstAnswer {
			all.results[name] = r
			all.folders[name] = folder
		}
	}
	return nil
}

// checkFiles fails if a file of a result has changed since it was written.
func (all *joined) checkFiles(ctx context.Context) error {
	for _, j := range all.plan.Jobs {
		r, isKnown := all.results[j.Name]
		if !isKnown {
			continue
		}
		folder := all.folders[j.Name]
		err := checkFiles(ctx, folder, &r)
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return hint.New(err, err, "; run the batch again ", hint.Resume, " ", hint.InFolder,
				" ", folder, ", which does its job anew")
		}
	}
	return nil
}

// write writes the joined results into the open folder of results.
func (all *joined) write(ctx context.Context, s *Settings) (*Outcome, error) {
	// The plan comes first: it marks the folder as one of results.
	if err := writePlan(s.root, all.plan); err != nil {
		return nil, err
	}
	merged := inOrder(all.plan.Jobs, all.results)
	for _, r := range merged {
		if len(r.Files) == 0 {
			continue
		}
		if err := all.copyFiles(ctx, s.root, &r); err != nil {
			return nil, err
		}
	}
	if err := s.keepModels(ctx, merged, all.keptModel); err != nil {
		return nil, err
	}
	j := &journal{folder: s.root}
	if err := j.syncFiles(merged); err != nil {
		return nil, err
	}
	if _, err := rewriteJournal(s.root, merged, true); err != nil {
		return nil, err
	}
	out := &Outcome{Plan: *all.plan, Jobs: all.plan.Jobs, Results: merged}
	if err := out.recordIdentity(s.root); err != nil {
		return nil, err
	}
	return out, nil
}

// copyFiles copies the files of a result from its folder.
func (all *joined) copyFiles(ctx context.Context, to filesystem.Folder, r *Result) error {
	return r.writeFiles(to, func(kind string, w io.Writer) error {
		source, err := pathInside(all.folders[r.Job.Name], r.Files[kind])
		if err != nil {
			return err
		}
		in, err := inputfile.OpenRegular(ctx, source)
		if err != nil {
			return errors.New(inputfile.FileError(source, err).Error()) // an error of reading, not of writing
		}
		defer in.Close()
		_, err = io.Copy(w, stoppable.EachRead(ctx, in))
		return err
	})
}

// keptModel returns the path of the kept model of a result, "" if its folder has none.
func (all *joined) keptModel(r Result) (string, error) {
	folder := all.folders[r.Job.Name]
	name := r.KeptModel()
	if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name))); err != nil {
		return "", nil
	}
	return pathInside(folder, name)
}
