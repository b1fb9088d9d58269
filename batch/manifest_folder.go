package batch

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// readFolder makes jobs of the models X.aut that have formulas in X.inev beside.
// What begins with a dot is passed over.
func (r *reader) readFolder() {
	r.folder = true
	// With the separator, a folder that is a link is followed; those inside are not, for
	// they may lead back.
	root := r.dir + string(filepath.Separator)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			r.unreadable(Place{}, path, err)
		case r.ctx.Err() != nil:
			return fs.SkipAll
		case path != root && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case !entry.IsDir() && filepath.Ext(path) == ".inev":
			r.readPair(path)
		}
		return nil
	})
	if err != nil {
		r.unreadable(Place{}, r.dir, err)
	}
}

// readPair makes jobs of a file with formulas and the models beside it.
func (r *reader) readPair(path string) {
	formulas := r.formulasIn(Place{}, path, path)
	base := strings.TrimSuffix(path, ".inev")
	found := false
	for _, suffix := range []string{".aut", ".aut.gz", ".aut.zst", ".aut.bz2"} {
		name, err := filepath.Rel(r.dir, base+suffix)
		if err != nil || !isRegular(base+suffix) {
			continue
		}
		found = true
		if !utf8.ValidString(name) {
			r.add(Place{File: path}, "model %q: its name is not UTF-8; rename it", name)
			continue
		}
		name = filepath.ToSlash(name)
		for _, f := range formulas {
			job := Job{Name: name + ": " + shownFormula(f.text), Model: name, Path: base + suffix, Formula: f.text, Where: f.where}
			r.drafts = append(r.drafts, draft{Job: job})
		}
	}
	if !found {
		r.add(Place{File: path}, "there is no model %s.aut beside it; add it, or take this file away", filepath.Base(base))
	}
}

func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
