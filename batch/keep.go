package batch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/stoppable"
)

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
	for _, c := range suffix {
		if c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			suffix = ""
		}
	}
	return modelsName + "/" + r.ModelDigest + suffix
}

func (m *Manifest) keepsModels() bool {
	return slices.ContainsFunc(m.Jobs, func(j Job) bool { return j.KeepModel })
}

// keepModels copies the models of results into the folder of results, each content once, and
// removes the copies that no result uses. A model that has changed since it was read is left out,
// with a warning.
func (s *Settings) keepModels(ctx context.Context, results []Result) {
	wanted := map[string]Result{}
	for _, r := range results {
		if name := r.KeptModel(); name != "" {
			wanted[name] = r
		}
	}
	s.removeModels(wanted)
	if len(wanted) == 0 {
		return
	}
	makeMissing(s.root, modelsName)
	for _, r := range results {
		name := r.KeptModel()
		if _, is := wanted[name]; !is {
			continue
		}
		delete(wanted, name)
		if _, err := s.root.Lstat(name); err == nil {
			continue
		}
		err := keepModel(ctx, s.root, r.Job.Path, name, r.ModelDigest)
		switch {
		case errors.Is(err, errChanged):
			s.warn(fmt.Sprintf("%s: has changed since it was read, and is not kept", r.Job.Model))
		case err != nil:
			abort.On(fmt.Errorf("%s: the model cannot be kept in %s: %w", r.Job.Model, s.Folder, err))
		}
	}
	abort.On(s.root.Sync(modelsName))
}

// makeMissing makes a folder in a folder of results, if it is missing.
func makeMissing(root filesystem.Folder, name string) {
	if err := root.Mkdir(name); !errors.Is(err, fs.ErrExist) {
		abort.On(folderError(root.Path(), err))
	}
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
		h := sha256.New()
		createFile(to, hidden, func(w io.Writer) error {
			_, err := io.Copy(io.MultiWriter(w, h), stoppable.EachRead(ctx, in))
			return err
		})
		abort.On(to.Sync(hidden))
		if hex.EncodeToString(h.Sum(nil)) != digest {
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

// removeModels removes the models that are not wanted.
func (s *Settings) removeModels(wanted map[string]Result) {
	if len(wanted) > 0 {
		abort.On(filesystem.RefuseLink(s.root, modelsName))
	}
	if at, err := s.root.Lstat(modelsName); err != nil || !at.IsDir() {
		return // the target of a link is not the batch's
	}
	entries, err := s.root.ReadDir(modelsName)
	abort.On(folderError(s.Folder, err))
	for _, e := range entries {
		name := modelsName + "/" + e.Name()
		if _, is := wanted[name]; is || len(strings.TrimPrefix(e.Name(), hiddenPrefix)) < digestDigits {
			continue
		}
		abort.On(folderError(s.Folder, s.root.RemoveAll(name)))
	}
}

// mergeModels copies the kept models of results from their folders; copies that are missing are
// left out.
func mergeModels(ctx context.Context, results []Result, from map[string]string, to filesystem.Folder) {
	for i := range results {
		name := results[i].KeptModel()
		if name == "" {
			continue
		}
		folder := from[results[i].Job.Name]
		if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name))); err != nil {
			continue
		}
		if _, err := to.Lstat(name); err == nil {
			continue
		}
		source := inside(folder, name)
		makeMissing(to, modelsName)
		if err := keepModel(ctx, to, source, name, results[i].ModelDigest); !errors.Is(err, errChanged) {
			abort.On(folderError(to.Path(), err))
		}
	}
}
