package batch

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/inputfile"
)

// Damage is a line of a journal that is not as it was written.
type Damage struct {
	File string
	Line int
	Why  string
	// right tells that the line itself is right, or no result.
	right bool
}

// Error returns "FILE:LINE: is damaged (…)".
func (d Damage) Error() string { return fmt.Sprintf("%s:%d: is damaged (%s)", d.File, d.Line, d.Why) }

// checkFiles returns an error where a file of a result is not as it was written, or
// not in the folder. A result of the first version, which says nothing of what is in
// files, is taken as it is, and made one of this version. Cost O(size of the files).
func checkFiles(ctx context.Context, folder string, r *Result) error {
	digests := map[string]string{}
	for _, kind := range slices.Sorted(maps.Keys(r.Files)) {
		path, err := inside(folder, r.Files[kind])
		if err == nil {
			digests[kind], err = Digest(ctx, path)
		}
		if err != nil {
			return err
		}
		if r.Schema != resultSchema1 && r.Digests[kind] != digests[kind] {
			return fmt.Errorf("%s: is not as it was written", path)
		}
	}
	if r.Schema == resultSchema1 {
		r.Schema, r.Digests = ResultSchema, digests
	}
	return nil
}

// inside returns where a file of a result is, which must be in the folder, whatever
// links there are in it.
func inside(folder, name string) (string, error) {
	local := filepath.FromSlash(name)
	if !filepath.IsLocal(local) {
		return "", fmt.Errorf("%s: the file %q of a result is outside of the folder; this was not written by inev", folder, name)
	}
	path := filepath.Join(folder, local)
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", fileError(folder, err)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fileError(path, err)
	}
	if real != filepath.Join(root, local) {
		return "", fmt.Errorf("%s: leads out of the folder by a link; this was not written by inev", path)
	}
	return path, nil
}

// fileError is [inputfile.FileError] for what the path of a link is part of.
func fileError(path string, err error) error {
	err, _ = filesystem.Cause(err)
	return inputfile.FileError(path, err)
}
