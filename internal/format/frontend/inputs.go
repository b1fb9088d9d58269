//go:build !js

package frontend

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/stoppable"
)

// inputs are the files that a model depends on, each read once.
type inputs struct {
	files []input // the specification first
	// config is the configuration file of TLC, and forGraph is what TLC gets of this file.
	config   input
	forGraph configuration
	// digestOfAll is the checksum of all files, and madeFrom the checksum of what the tool gets of them.
	digestOfAll, madeFrom string
}

// input is the state of a file when it was read.
type input struct {
	path string
	info fs.FileInfo
	sum  [sha256.Size]byte
	// isOutside reports that the specification names the file by an absolute path, so
	// that tools read the original and no copy.
	isOutside bool
	// isInLibrary reports that the file is in a library, and that the tool is to find its copy next to
	// the specification.
	isInLibrary bool
	// namesEnvironment reports that the text of the file contains the name of the operator whose
	// value is the environment of TLC. It is false if read did not keep the text.
	namesEnvironment bool
}

// environmentOperator is the operator of the community module IOUtils whose value is the environment of TLC.
const environmentOperator = "IOEnv"

const (
	mostIncludes = 2_000
	mostBytes    = 64 << 20
)

// Inputs returns the files on which the model depends: the specification, then
// the existing files that it names, directly or through another of the files.
// It parses nothing: a word that is the name of a file counts as naming it.
// Cost O(size of the files).
func (s Specification) Inputs(ctx context.Context) (paths []string, err error) {
	t := toolFor(s.Path)
	if t == nil {
		return []string{s.Path}, nil
	}
	in, err := t.inputsOf(ctx, s, s.Path)
	if err != nil {
		return nil, err
	}
	for _, f := range in.files {
		paths = append(paths, f.path)
	}
	return paths, nil
}

// Digest returns the SHA-256 of the names and contents of all files of which the
// model is made, in hexadecimal digits; made is false if the file is a model
// already. Cost O(size of the files).
func (s Specification) Digest(ctx context.Context) (digest string, made bool, err error) {
	t := toolFor(s.Path)
	if t == nil {
		return "", false, nil
	}
	in, err := t.inputsOf(ctx, s, s.Path)
	if err != nil {
		return "", true, err
	}
	return in.digestOfAll, true, nil
}

// inputsOf reads the files that a specification depends on, and computes their checksums. In
// errors, name is the name of the specification.
func (t *tool) inputsOf(ctx context.Context, s Specification, name string) (inputs, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s\n", t.suite, t.suffixes[0])
	if s.FrontEnd != "" || len(s.Options) > 0 {
		fmt.Fprintf(sum, "%q %q\n", s.FrontEnd, s.Options)
	}
	files, err := t.readNamed(ctx, s, name, sum)
	if err != nil {
		return inputs{}, err
	}
	if t.isTLC() && slices.ContainsFunc(files, func(f input) bool { return f.namesEnvironment }) {
		fmt.Fprintf(sum, "environment\n%q\n", slices.Sorted(slices.Values(os.Environ())))
	}
	in := inputs{
		files:    files,
		madeFrom: hex.EncodeToString(sum.Sum(nil)),
	}
	if t.isTLC() {
		config, text, err := configOf(ctx, s, name)
		if err != nil {
			return inputs{}, err
		}
		in.config = config
		in.forGraph = forGraph(text)
		ofConfig := sha256.Sum256([]byte(in.forGraph.text))
		in.madeFrom += " " + hex.EncodeToString(ofConfig[:])
		fmt.Fprintf(sum, "configuration\n%s\n", text)
	}
	in.digestOfAll = hex.EncodeToString(sum.Sum(nil))
	return in, nil
}

// readNamed reads the specification, then the files that it names, directly or through another of them, and
// adds their names and contents to a checksum.
func (t *tool) readNamed(
	ctx context.Context,
	s Specification,
	name string,
	sum io.Writer,
) ([]input, error) {
	folder := filepath.Dir(s.Path)
	files := []input{{path: s.Path}}
	for i := 0; i < len(files); i++ {
		f := &files[i]
		text, err := f.read(ctx, func(size int64) io.Writer {
			relative, err := filepath.Rel(folder, f.path)
			if err != nil {
				relative = f.path
			}
			fmt.Fprintf(sum, "%s\n%d\n", filepath.ToSlash(relative), size)
			return sum
		}, len(t.includes) > 0 && !isModel(f.path))
		if err != nil {
			return nil, err
		}
		fmt.Fprintln(sum)
		stays := f.isOutside
		for _, other := range t.filesIn(f, folder, text, s.Libraries) {
			if slices.ContainsFunc(files, func(f input) bool { return f.path == other.path }) {
				continue
			}
			if len(files) == mostIncludes {
				return nil, inputfile.NewError(name, 0,
					fmt.Errorf("names more than %d files, which is more than can be copied for %s", mostIncludes, t.suite))
			}
			other.isOutside = other.isOutside || stays
			files = append(files, other)
		}
	}
	return files, nil
}

// read reads the file and records its digest. It copies the content to the
// writer that writerFor returns for the size of the content. If keepText is true, it also returns the content,
// unless that is too long; otherwise text is "".
func (f *input) read(
	ctx context.Context,
	writerFor func(size int64) io.Writer,
	keepText bool,
) (text string, err error) {
	file, err := inputfile.OpenRegular(ctx, f.path)
	if errors.As(err, new(*inputfile.KindError)) {
		return "", inputfile.NewError(f.path, 0, errNoRegular)
	}
	if err != nil {
		return "", f.unreadable(ctx, err)
	}
	defer file.Close()
	f.info, err = file.Stat()
	if err != nil {
		return "", f.unreadable(ctx, err)
	}
	sum := sha256.New()
	writers := []io.Writer{sum, writerFor(f.info.Size())}
	var kept strings.Builder
	if keepText && f.info.Size() <= mostBytes {
		writers = append(writers, &kept)
	}
	oneByteMore := f.info.Size() + 1 // so that growth is seen
	n, err := io.Copy(io.MultiWriter(writers...),
		io.LimitReader(stoppable.EachRead(ctx, file), oneByteMore))
	if err != nil {
		return "", f.unreadable(ctx, err)
	}
	f.namesEnvironment = strings.Contains(kept.String(), environmentOperator)
	if n != f.info.Size() {
		return "", inputfile.NewError(f.path, 0,
			errors.New("changed while it was being read: run this again"))
	}
	sum.Sum(f.sum[:0])
	return kept.String(), nil
}

var errNoRegular = errors.New("is not a regular file, which the files of a specification have to be")

func (f *input) unreadable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return inputfile.FileError(f.path, err)
}

// filesIn returns the files that a text may name; naming is the file of the text. The named files are
// next to naming, or in the folder of the specification, or in the first library of TLC that has them.
func (t *tool) filesIn(naming *input, main, text string, libraries []string) (files []input) {
	if len(t.includes) == 0 {
		return nil
	}
	folders := []string{main}
	if !naming.isInLibrary {
		folders = slices.Compact([]string{filepath.Dir(naming.path), main})
	}
	seen := map[string]bool{}
	mentions := append(mentioned().FindAllString(text, -1), stemOf(filepath.Base(naming.path)))
	for _, mention := range mentions {
		for _, name := range namesMeantBy(mention, t.includes) {
			if name == "" || seen[name] {
				continue
			}
			seen[name] = true
			files = append(files, t.filesNamed(name, folders, libraries)...)
		}
	}
	slices.SortFunc(files, func(a, b input) int {
		return strings.Compare(a.path, b.path)
	})
	return files
}

// filesNamed returns the files that a name denotes: in the folders or, if no folder has one, in a library of
// TLC.
func (t *tool) filesNamed(name string, folders, libraries []string) (files []input) {
	if filepath.IsAbs(name) {
		isIncluded := slices.Contains(t.includes, strings.ToLower(filepath.Ext(name)))
		if !isIncluded || !isFile(name) {
			return nil
		}
		return []input{{path: name, isOutside: true}}
	}
	for _, folder := range folders {
		path := filepath.Join(folder, name)
		if isFile(path) {
			files = append(files, input{path: path})
		}
	}
	if len(files) == 0 && t.isTLC() && name == filepath.Base(name) {
		return inLibrary(name, libraries)
	}
	return files
}

// inLibrary returns the file of this name in the first library that has one.
func inLibrary(name string, libraries []string) []input {
	for _, folder := range libraries {
		at := filepath.Join(folder, name)
		if isFile(at) {
			return []input{{path: at, isInLibrary: true}}
		}
	}
	return nil
}

// cacheKey returns the cache key of the model that these programs make from the inputs.
func (in inputs) cacheKey(programs map[string]string) (string, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "2\n%s\n", in.madeFrom)
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		path := programs[name]
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		info, err := os.Stat(path)
		if err != nil {
			return "", inputfile.FileError(path, err)
		}
		fmt.Fprintf(sum, "%s\n%s\n%d\n%d\n", name, path, info.Size(), info.ModTime().UnixNano())
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// checkUnchanged returns an error if any of the files or programs has changed, as far as
// the system knows.
func (w *work) checkUnchanged() error {
	for _, f := range append(w.inputs.files, w.inputs.config) {
		if f.path == "" {
			continue // there is no configuration
		}
		now, err := os.Stat(f.path)
		if err != nil || !inputfile.Unchanged(f.info, now) {
			return w.changedError(f.path)
		}
	}
	key, err := w.inputs.cacheKey(w.programs)
	if err != nil || key != w.key {
		return w.changedError("a program of " + w.tool.suite)
	}
	return nil
}

// changedError is the error of a model whose files or programs changed while it was made.
func (w *work) changedError(name string) error {
	if name == w.spec.Path {
		name = ""
	} else {
		name += " "
	}
	return inputfile.NewError(w.name, 0,
		errors.New(name+"changed while its model was made: run this again"))
}

// copiesFolder is the name of the folder with the copies, in the folder of a run.
const copiesFolder = "specification"

// copyInputs copies the files to the folder of a run, with the same relative
// paths, and returns the path of the specification for the tool.
func (w *work) copyInputs(ctx context.Context, ownFolder string) (path string, err error) {
	root, err := w.folderOfAll()
	if err != nil {
		return "", err
	}
	w.copiesToOriginals = nil
	for i := range w.inputs.files {
		f := &w.inputs.files[i]
		if f.isOutside {
			continue
		}
		original := f.path
		if f.isInLibrary {
			original = filepath.Join(w.folder, filepath.Base(f.path))
		}
		relative, err := relativeTo(root, original)
		if err != nil {
			return "", err
		}
		at := filepath.Join(ownFolder, copiesFolder, relative)
		if err := w.copyTo(ctx, f, at); err != nil {
			return "", err
		}
		w.copiesToOriginals = append(w.copiesToOriginals, at, f.path)
		if w.tool.usesShell {
			w.copiesToOriginals = append(w.copiesToOriginals, filepath.Join(copiesFolder, relative), f.path)
		}
		if i == 0 {
			path = at
		}
	}
	if !w.tool.usesShell {
		return path, nil
	}
	path, err = plainPath(path, ownFolder, w.inputs.files)
	if err != nil {
		return "", inputfile.NewError(w.name, 0,
			hint.New(err,
				"its name has letters that programs of "+w.tool.suite+
					" cannot take, and no link to it can be made: "+err.Error()))
	}
	path, err = filepath.Rel(ownFolder, path)
	if err != nil {
		return "", err
	}
	w.copiesToOriginals = append(w.copiesToOriginals, path, w.spec.Path)
	return path, nil
}

// folderOfAll returns the folder that contains all files to be copied.
func (w *work) folderOfAll() (string, error) {
	root := w.folder
	for _, f := range w.inputs.files {
		for !f.isOutside && !f.isInLibrary {
			relative, err := relativeTo(root, f.path)
			if err != nil {
				return "", err
			}
			if filepath.IsLocal(relative) {
				break
			}
			root = filepath.Dir(root)
		}
	}
	return root, nil
}

// relativeTo returns the path of a file relative to a folder, which is absolute.
func relativeTo(folder, path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.Rel(folder, path)
}

// copyTo copies a file, and checks that it has not changed.
func (w *work) copyTo(ctx context.Context, f *input, at string) error {
	notWritten := func(err error) error {
		return inputfile.NewError(w.name, 0, noRoom(err))
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return notWritten(err)
	}
	out, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return notWritten(err)
	}
	now := input{path: f.path}
	into := &errorKeepingWriter{w: out}
	_, errOfRead := now.read(ctx, func(int64) io.Writer { return into }, false)
	errOfClose := out.Close()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case into.err != nil:
		return notWritten(into.err)
	case errOfRead != nil:
		return errOfRead
	case errOfClose != nil:
		return notWritten(errOfClose)
	case now.sum != f.sum:
		return w.changedError(f.path)
	}
	return nil
}

// errorKeepingWriter is a writer that keeps its error, so that copying can tell an error of writing from an
// error of reading.
type errorKeepingWriter struct {
	w   io.Writer
	err error
}

func (n *errorKeepingWriter) Write(p []byte) (written int, err error) {
	written, n.err = n.w.Write(p)
	return written, n.err
}

// noRoom is the error of a copy that cannot be written to the temporary folder.
func noRoom(err error) error {
	return hint.New(err,
		"cannot be copied to a temporary folder: "+err.Error()+
			"; make room there, or name another folder by TMPDIR")
}

// plainPath returns a path to a copy that scripts accept although its name has
// blanks or other special characters: through links in the folder of the run, if
// it needs them. Files with the same stem, such as C files that belong to the
// specification, get links with the same stem.
func plainPath(path, runFolder string, files []input) (string, error) {
	folder, base := filepath.Split(path)
	isPlain := func(name string) bool {
		return strings.Trim(name, plain) == "" && !strings.HasPrefix(name, "-")
	}
	within, err := filepath.Rel(runFolder, folder)
	if err != nil || !isPlain(filepath.ToSlash(within)) {
		link := filepath.Join(runFolder, "at")
		if err := os.Symlink(folder, link); err != nil {
			return "", err
		}
		folder = link
	}
	if isPlain(base) {
		return filepath.Join(folder, base), nil
	}
	stem := freeStem(files)
	withStem := func(name string) string {
		return filepath.Join(folder, stem+strings.ToLower(filepath.Ext(name)))
	}
	for _, f := range files {
		name := filepath.Base(f.path)
		isBesideMain := !f.isOutside && filepath.Dir(f.path) == filepath.Dir(files[0].path)
		if !isBesideMain || stemOf(name) != stemOf(base) {
			continue
		}
		if err := os.Symlink(name, withStem(name)); err != nil {
			return "", err
		}
	}
	return withStem(base), nil
}

// freeStem returns the stem of a name that no file has.
func freeStem(files []input) string {
	stem := "specification"
	isTaken := func(f input) bool { return stemOf(filepath.Base(f.path)) == stem }
	for slices.ContainsFunc(files, isTaken) {
		stem += "-"
	}
	return stem
}
