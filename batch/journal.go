package batch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/internal/wholefile"
)

// journal is the open file of results: one line of JSON for each, with its checksum and the
// checksum of the line before. Only the last line can be incomplete. A line is flushed to the
// disk, after the files of its job, before anybody learns of the result.
type journal struct {
	file   filesystem.File
	info   fs.FileInfo
	folder filesystem.Folder
	end    chainEnd
	// size is the number of bytes that the file must have; written has computed their digest so
	// far.
	size    int64
	written hash.Hash
	// isFolderSynced reports whether the name of the folder of jobs was flushed to the disk, so that it
	// survives a crash.
	isFolderSynced bool
}

// openJournal opens the journal of a folder to append to it; end is the state of the journal after
// its last line.
func openJournal(folder filesystem.Folder, end chainEnd) (*journal, error) {
	j := &journal{folder: folder, end: end, written: sha256.New()}
	file, err := folder.Append(journalName)
	if errors.As(err, new(*filesystem.LinkError)) {
		return nil, err // it names the path already
	}
	if err != nil {
		return nil, inputfile.FileError(j.path(), err)
	}
	j.file = file
	if err := j.recordContent(); err != nil {
		_ = file.Close()
		return nil, j.writeError(err)
	}
	return j, nil
}

// recordContent records the identity, the size and the digest of the file as it is now, so that a later
// check finds what others changed. It also flushes the folder to the disk, so that the name of the file survives a crash.
func (j *journal) recordContent() error {
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	j.info = info
	j.size = info.Size()
	return errors.Join(j.copyTo(j.written), j.folder.Sync("."))
}

// copyTo copies the content of the file, as it is now, to a writer.
func (j *journal) copyTo(to io.Writer) error {
	f, err := j.folder.Open(journalName)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(to, f)
	return err
}

func (j *journal) path() string { return filepath.Join(j.folder.Path(), journalName) }

// close closes the file; a complete journal first gets a record with the number of its results. It
// fails with a *lostError if the file no longer holds the bytes that this run wrote.
func (j *journal) close(complete bool) error {
	var err error
	if complete {
		err = j.finish()
	}
	return cmp.Or(err, j.writeError(j.file.Close()))
}

// finish writes the closing record, and checks that the file holds what was written.
func (j *journal) finish() error {
	if !j.end.closed {
		if err := j.write(j.end.closingLine()); err != nil {
			return err
		}
	}
	if err := j.checkInPlace(); err != nil {
		return err
	}
	found := sha256.New()
	if err := j.copyTo(found); err != nil {
		return j.writeError(err)
	}
	if !bytes.Equal(found.Sum(nil), j.written.Sum(nil)) {
		return &lostError{path: j.path(), changed: "it does not hold what was written"}
	}
	return nil
}

// append adds results by one write and one flush, so that results which are finished at about
// the same time share the cost of the flush.
func (j *journal) append(results []Result) error {
	var text []byte
	for i := range results {
		text = append(text, j.end.line(&results[i])...)
	}
	err := j.syncFiles(results)
	if err == nil {
		err = j.write(text)
	}
	// If the folder is gone, report that rather than the failed flush, which is a consequence.
	return cmp.Or(j.checkInPlace(), err)
}

// write appends a text to the file and flushes it to the disk.
func (j *journal) write(text []byte) error {
	n, err := j.file.Write(text)
	j.size += int64(n)
	j.written.Write(text[:n])
	if err == nil {
		err = j.file.Sync()
	}
	return j.writeError(err)
}

// writeError returns the error that the journal cannot be written, with advice on how to continue;
// nil if err is nil.
func (j *journal) writeError(err error) error { return j.writeErrorAt(j.path(), err) }

// writeErrorAt is writeError about the file or folder with this path.
func (j *journal) writeErrorAt(path string, err error) error {
	if err == nil {
		return nil
	}
	err, _ = filesystem.Cause(err)
	return hint.New(err, path, ": cannot be written: ", err,
		"; the results until now are kept: run the same ", hint.Resume, " when that is mended")
}

// syncers is how many files are flushed at the same time: a file system flushes many in about
// the time of one.
const syncers = 8

// inParallel calls do with each item, with up to most calls at the same time, and returns the error of
// the first item that has one.
func inParallel[T any](most int, items []T, do func(T) error) error {
	errs := make([]error, len(items))
	var next atomic.Int64
	cores.Share(max(1, min(most, len(items))), func(int) {
		for {
			i := int(next.Add(1) - 1)
			if i >= len(items) {
				return
			}
			errs[i] = do(items[i])
		}
	})
	return cmp.Or(errs...)
}

// syncFiles flushes the files of jobs, and the folders that hold their names, to the disk.
func (j *journal) syncFiles(results []Result) error {
	var names []string
	for _, r := range results {
		folder := ""
		for _, o := range append(outputKinds(), logKind) {
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
	if !j.isFolderSynced {
		names = append(names, ".")
	}
	err := inParallel(syncers, names, func(name string) error {
		path := filepath.Join(j.folder.Path(), filepath.FromSlash(name))
		return j.writeErrorAt(path, j.folder.Sync(name))
	})
	if err != nil {
		return err
	}
	j.isFolderSynced = true
	return nil
}

// rewriteJournal replaces the journal of a folder and returns the end of the new
// journal.
func rewriteJournal(
	folder filesystem.Folder,
	results []Result,
	closed bool,
) (end chainEnd, err error) {
	err = wholefile.In(folder, journalName, func(w io.Writer) (err error) {
		end, err = writeResults(w, results, closed)
		return err
	})
	return end, err
}

// writeResults writes a journal of results.
func writeResults(w io.Writer, results []Result, closed bool) (end chainEnd, err error) {
	for i := range results {
		if _, err := w.Write(end.line(&results[i])); err != nil {
			return end, err
		}
	}
	if closed {
		_, err = w.Write(end.closingLine())
	}
	return end, err
}

// journalContent is the content of a journal.
type journalContent struct {
	results []Result
	// damaged are the lines that differ from those that a run wrote.
	damaged []damage
	// whole reports that no line is damaged and the last one ends in a line feed.
	whole bool
	lines int
	end   chainEnd
	// isUnknownBefore reports whether the previous line is damaged, so that its checksum is not known.
	isUnknownBefore bool
}

// readJournal reads the results of a journal in its order. A killed run leaves an incomplete line
// after the last line feed: it is left out, unless it lacks only the line feed, or has another
// byte instead.
func readJournal(ctx context.Context, path string) (*journalContent, error) {
	text, err := inputfile.ReadRegular(ctx, path, resultsLimit)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, inputfile.FileError(path, err)
	}
	k := &journalContent{whole: true}
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n') + 1
		if end == 0 {
			k.whole = false
			k.readUnended(text)
			break
		}
		line := text[:end]
		text = text[end:]
		k.lines++
		err := k.read(line)
		if errors.As(err, new(*versionError)) {
			return nil, fmt.Errorf("%s:%d: %w; use the version of inev that wrote it, or start afresh", path, k.lines, err)
		}
		if err != nil {
			losesNothing := isCommit(line) || errors.Is(err, errMissing)
			k.damaged = append(k.damaged, damage{
				File:         path,
				Line:         k.lines,
				Why:          err.Error(),
				losesNothing: losesNothing,
			})
			k.whole = false
		}
	}
	return k, nil
}

// readUnended reads the result after the last line feed, if only the line feed is missing, or is
// another byte.
func (k *journalContent) readUnended(text []byte) {
	for _, end := range []int{len(text), len(text) - 1} {
		line := append(slices.Clone(text[:end]), '\n')
		if isCommit(line) {
			continue
		}
		if r, err := readLine(line); err == nil {
			k.results = append(k.results, r)
			return
		}
	}
}

// read reads a line, of a result or the closing record.
func (k *journalContent) read(line []byte) error {
	if isCommit(line) {
		return k.readClosing(line)
	}
	return k.readResult(line)
}

// readClosing reads the line that closes a journal. If the line is intact, its number of results is
// taken as the number of lines before it, even if some of these are damaged.
func (k *journalContent) readClosing(line []byte) error {
	if err := lineSeal.check(line); err != nil {
		k.countUnreadable()
		return err
	}
	var record commit
	if err := json.Unmarshal(line, &record); err != nil {
		return err
	}
	if err := k.checkOrder(line); err != nil {
		return err
	}
	if record.Count != k.end.count && len(k.damaged) == 0 {
		return fmt.Errorf("it closes a journal of %s, but the journal has %d",
			printable.Quantity(record.Count, "result"), k.end.count)
	}
	k.end.count = record.Count
	k.end.closed = true
	return nil
}

// readResult reads the line of a result. The result of an intact line is kept even if the line before it
// is missing.
func (k *journalContent) readResult(line []byte) error {
	r, err := readLine(line)
	if err != nil {
		k.countUnreadable()
		return err
	}
	k.results = append(k.results, r)
	k.end.count++
	k.end.closed = false
	return k.checkOrder(line)
}

// countUnreadable records a line that cannot be read. It counts as a result.
func (k *journalContent) countUnreadable() {
	k.isUnknownBefore = true
	k.end.closed = false
	k.end.count++
}

// checkOrder fails if a line does not have the checksum of the line before it, as far as that is known.
func (k *journalContent) checkOrder(line []byte) error {
	expectedEnding := chainSeal.before + cmp.Or(k.end.sum, firstLine) + `"` + lineSeal.before + sumOf(line) + lineSeal.after
	isUnknown := k.isUnknownBefore
	k.end.sum = sumOf(line)
	k.isUnknownBefore = false
	if !isUnknown && !bytes.HasSuffix(line, []byte(expectedEnding)) {
		return errMissing
	}
	return nil
}

// readLine reads a line that ends in a line feed.
func readLine(line []byte) (r Result, err error) {
	err = lineSeal.unmarshal(line, &r, &r.Schema, ResultSchema)
	return r, err
}

// ReadResults reads the results of an earlier run: from a folder the results of the jobs in its
// plan, in their order, or from a journal all results in the order of its lines. It fails if a line
// is damaged or missing, or if the journal does not end with the record that closes it: the
// journal was cut off, or its run was killed, or still runs. Cost O(size of the journal).
func ReadResults(ctx context.Context, path string) ([]Result, error) {
	if err := required.Argument("ctx", ctx); err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, inputfile.FileError(path, err)
	}
	if !info.IsDir() {
		return undamaged(ctx, path)
	}
	plan, err := readPlan(ctx, path)
	if err != nil {
		return nil, err
	}
	results, err := undamaged(ctx, filepath.Join(path, journalName))
	if err != nil {
		return nil, err
	}
	return inOrder(plan.Jobs, byName(results)), nil
}

// undamaged reads a journal, of which every line must be intact and the last one its closing record.
func undamaged(ctx context.Context, path string) ([]Result, error) {
	k, err := readJournal(ctx, path)
	if err != nil {
		return nil, err
	}
	if len(k.damaged) > 0 {
		return nil, hint.New(nil, k.damaged[0], "; run the batch again ", hint.Resume,
			", which does its job anew")
	}
	if !k.whole || !k.end.closed {
		text := fmt.Sprintf("%s:%d: ends too early, after %s: its run was killed or goes on, or the file was cut off; run the batch again ",
			path, k.lines+1, printable.Quantity(len(k.results), "result"))
		return nil, hint.New(nil, text, hint.Resume)
	}
	return k.results, nil
}

// byName maps the name of each job to its result.
func byName(results []Result) map[string]Result {
	named := make(map[string]Result, len(results))
	for _, r := range results {
		named[r.Job.Name] = r
	}
	return named
}

// inOrder returns the results of the jobs that have a result, in the order of the
// jobs.
func inOrder(jobs []Job, results map[string]Result) []Result {
	ordered := make([]Result, 0, len(jobs))
	for _, j := range jobs {
		if r, isKnown := results[j.Name]; isKnown {
			ordered = append(ordered, r)
		}
	}
	return ordered
}

// Each line of a journal has the checksum of the line before it, so that a removed or moved
// line is noticed; and a complete run ends it with a record of the number of results, so that a
// missing end is noticed.

// commitSchema names the version of the record that closes a journal.
const commitSchema = "inev.commit/1"

// commit is the record that closes a journal.
type commit struct {
	Schema string `json:"schema"`
	// Count is the number of results before the record.
	Count int `json:"count"`
}

// chainSeal puts the checksum of the previous line into a line, before the line's own.
var chainSeal = seal{end: "}\n", before: `,"after":"`, after: "\"}\n"}

// firstLine takes the place of the previous line's checksum in the first line.
var firstLine = strings.Repeat("0", checksumDigits)

// chainEnd is the state of a journal after its last line. The zero value is the state of an
// empty journal.
type chainEnd struct {
	sum    string // of the last line
	count  int    // of results
	closed bool
}

// line returns the line of a result, which becomes the last line of the journal.
func (e *chainEnd) line(r *Result) []byte {
	var object bytes.Buffer
	encoder := json.NewEncoder(&object) // ends with a line feed
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(r); err != nil {
		panic(err) // texts, numbers and truth values can be written always
	}
	e.count++
	e.closed = false
	return e.chain(object.Bytes())
}

// closingLine returns the line of the record that closes a journal.
func (e *chainEnd) closingLine() []byte {
	e.closed = true
	return e.chain(fmt.Appendf(nil, "{\"schema\":%q,\"count\":%d}\n", commitSchema, e.count))
}

// chain returns the line of a JSON object, with the checksum of the line before it and its own.
func (e *chainEnd) chain(object []byte) (line []byte) {
	content := bytes.TrimSuffix(object, []byte(chainSeal.end))
	line = lineSeal.add(fmt.Appendf(content, "%s%s%s", chainSeal.before, cmp.Or(e.sum, firstLine),
		chainSeal.after))
	e.sum = sumOf(line)
	return line
}

// sumOf returns the checksum at the end of a line.
func sumOf(line []byte) string {
	content := bytes.TrimSuffix(line, []byte(lineSeal.after))
	return string(content[max(0, len(content)-checksumDigits):])
}

// isCommit reports whether a line is the closing record of a journal.
func isCommit(line []byte) bool {
	return bytes.HasPrefix(line, []byte(`{"schema":"`+commitSchema+`"`))
}

var errMissing = errors.New("another line was written before it")

// Stored JSON is sealed: its last field is a checksum of all bytes before that field, so that a
// changed bit of a name, a verdict or a number is noticed.

// seal says how a text gets its checksum: the bytes end, with which the text ends, are replaced by
// the bytes before, the checksum, and the bytes after.
type seal struct{ end, before, after string }

var (
	lineSeal = seal{end: "}\n", before: `,"checksum":"`, after: "\"}\n"}
	planSeal = seal{end: "\n}\n", before: ",\n  \"checksum\": \"", after: "\"\n}\n"}
)

// checksumDigits is how many hexadecimal digits of a SHA-256 are kept: enough
// against accidents, and short in every line.
const checksumDigits = 16

var (
	errUnsealed = errors.New("it has no checksum")
	errSum      = errors.New("its checksum does not fit its content")
)

// add returns a JSON object with its checksum as its last field.
func (s seal) add(object []byte) []byte {
	content := bytes.TrimSuffix(object, []byte(s.end))
	return slices.Concat(content, []byte(s.before), []byte(sum(content)[:checksumDigits]),
		[]byte(s.after))
}

// check returns an error if a text does not have the checksum of its content.
func (s seal) check(text []byte) error {
	withChecksum, hasEnd := bytes.CutSuffix(text, []byte(s.after))
	beginOfChecksum := len(withChecksum) - checksumDigits
	if !hasEnd || beginOfChecksum < 0 {
		return errUnsealed
	}
	checksum := string(withChecksum[beginOfChecksum:])
	content, isSealed := bytes.CutSuffix(withChecksum[:beginOfChecksum], []byte(s.before))
	if !isSealed {
		return errUnsealed
	}
	if sum(content)[:checksumDigits] != checksum {
		return errSum
	}
	return nil
}

// versionError is the error of a text that another version of inev has written.
type versionError struct{ version, expected string }

func (e *versionError) Error() string {
	return fmt.Sprintf("is of version %q, expected %s", e.version, e.expected)
}

// unmarshal reads the JSON of a text with its checksum. schema is the field of into for the name of the
// schema; if that is not the expected one, unmarshal fails with a *versionError.
func (s seal) unmarshal(text []byte, into any, schema *string, expected string) error {
	sealErr := s.check(text)
	if err := json.Unmarshal(text, into); err != nil {
		return err
	}
	// Journals of the first schema have no checksum.
	isOfFirstSchema := *schema != "" && errors.Is(sealErr, errUnsealed)
	isIntact := sealErr == nil || isOfFirstSchema
	if *schema != expected && isIntact {
		return &versionError{*schema, expected}
	}
	return sealErr
}

// damage is a line of a journal that differs from what was written.
type damage struct {
	File string
	Line int
	Why  string
	// losesNothing reports that no result is lost: the line is intact and only out of sequence, or is
	// a closing record.
	losesNothing bool
}

// Error returns "FILE:LINE: is damaged (…)".
func (d damage) Error() string {
	return fmt.Sprintf("%s:%d: is damaged (%s)", d.File, d.Line, d.Why)
}

// checkFiles returns an error if a file of a result has changed, or lies outside the folder. Cost
// O(size of the files).
func checkFiles(ctx context.Context, folder string, r *Result) error {
	for _, kind := range slices.Sorted(maps.Keys(r.Files)) {
		path, err := pathInside(folder, r.Files[kind])
		if err != nil {
			return err
		}
		digest, err := Digest(ctx, path)
		if err != nil {
			return err
		}
		if r.Digests[kind] != digest {
			return fmt.Errorf("%s: has changed since it was written", path)
		}
	}
	return nil
}

// pathInside returns the path of a file of a result, which must lie in the folder even after links
// are followed.
func pathInside(folder, name string) (string, error) {
	local := filepath.FromSlash(name)
	if !filepath.IsLocal(local) {
		return "", fmt.Errorf("%s: the file %q of a result is outside of the folder; this was not written by inev", folder, name)
	}
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", fileError(folder, err)
	}
	path := filepath.Join(folder, local)
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fileError(path, err)
	}
	if target != filepath.Join(root, local) {
		return "", fmt.Errorf("%s: leads out of the folder by a link; this was not written by inev", path)
	}
	return path, nil
}

// fileError is [inputfile.FileError] of the cause alone: the error of the system may name a
// link on the way to path.
func fileError(path string, err error) error {
	err, _ = filesystem.Cause(err)
	return inputfile.FileError(path, err)
}

// lostError reports that the journal in the folder of results no longer holds the results: the file
// or the folder was replaced, or another program has changed the content.
type lostError struct {
	path string
	// changed says how the content differs from what was written; "" if the file or folder was
	// replaced.
	changed string
}

func (e *lostError) Error() string {
	if e.changed != "" {
		return e.path + ": was changed by others while the run went on: " + e.changed
	}
	return e.path + ": is no longer the file that this run writes to: the file or its folder was renamed, replaced, removed or linked during the run"
}

// sizeError returns a *lostError if a journal has another size than was written.
func sizeError(path string, size, written int64) error {
	if size == written {
		return nil
	}
	return &lostError{
		path: path,
		changed: fmt.Sprintf("it has %s, but %d were written",
			printable.Quantity(int(size), "byte"), written),
	}
}

// checkInPlace fails with a *lostError if the path no longer leads to this journal, or if the size of
// the file is not the number of bytes that were written.
func (j *journal) checkInPlace() error {
	if !filesystem.StillThere(j.folder) || !filesystem.IsAt(j.folder, journalName, j.info) {
		return &lostError{path: j.path()}
	}
	now, err := j.file.Stat()
	if err != nil {
		return j.writeError(err)
	}
	return sizeError(j.path(), now.Size(), j.size)
}

// recordIdentity records the identity of the folder and of the journal of the outcome, for
// [Outcome.Check].
func (o *Outcome) recordIdentity(root filesystem.Folder) error {
	folder, err := root.Lstat(".")
	if err != nil {
		return folderError(root.Path(), err)
	}
	journal, err := root.Lstat(journalName)
	if err != nil {
		return &lostError{path: filepath.Join(root.Path(), journalName)}
	}
	o.folder = folder
	o.journal = journal
	return nil
}

// Check tests whether the folder still holds the journal of this outcome, as it must until the
// summaries are written. If not, it saves the results in a file next to the folder, and returns an
// error that names both.
func (o *Outcome) Check(ctx context.Context, folder string) error {
	lost := o.checkJournal(folder)
	if lost == nil {
		return nil
	}
	return o.rescue(ctx, folder, lost)
}

// checkJournal fails with a *lostError if the folder or the journal is another one than that of this
// outcome, or if the journal has another size.
func (o *Outcome) checkJournal(folder string) error {
	path := filepath.Join(folder, journalName)
	now, err := os.Stat(folder)
	if err != nil || !os.SameFile(o.folder, now) {
		return &lostError{path: path}
	}
	journal, err := os.Lstat(path)
	if err != nil || !os.SameFile(o.journal, journal) {
		return &lostError{path: path}
	}
	return sizeError(path, journal.Size(), o.journal.Size())
}

// rescue writes lost results to a file beside the folder, and returns an error that names it.
func (o *Outcome) rescue(ctx context.Context, folder string, lost error) error {
	name, err := rescueIn(context.WithoutCancel(ctx), folder, o.Results)
	if err != nil {
		return fmt.Errorf("%w; and the %s cannot be written beside it: %w", lost,
			printable.Quantity(len(o.Results), "answer"), err)
	}
	return fmt.Errorf("%w; the answers until now, %d, are in %s, which can be put in its place or be a baseline", lost, len(o.Results), name)
}

// rescueIn writes results to a new journal beside the folder, under the first name that is free, and
// returns the path of this journal.
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
	stem := filepath.Base(absolute) + "-answers-until-now"
	name := stem + ".jsonl"
	f, err := beside.Create(name, 0o644)
	for i := 2; errors.Is(err, fs.ErrExist); i++ {
		name = fmt.Sprintf("%s-%d.jsonl", stem, i)
		f, err = beside.Create(name, 0o644)
	}
	if err != nil {
		return "", err
	}
	_, err = writeResults(f, results, true)
	if err == nil {
		err = f.Sync()
	}
	return filepath.Join(filepath.Dir(folder), name), errors.Join(err, f.Close(), beside.Sync("."))
}

// resultsLimit is the largest size of a plan or a journal: some million jobs.
var resultsLimit = inputfile.Limit{Bytes: 2 << 30, Remedy: "do the batch in parts"}
