package batch

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/internal/inputfile"
)

// readFolder makes jobs of the models X.aut that have formulas in X.inev, X.mcl or X.mcf beside them. Names
// that begin with a dot are skipped.
func (r *reader) readFolder() {
	r.folder = true
	// The trailing separator makes WalkDir enter a folder that is itself a link; links inside
	// are not followed, for they may lead back.
	root := r.dir + string(filepath.Separator)
	err := inputfile.Walk(r.ctx, root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			r.addUnreadable(path, err)
		case path != root && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case !entry.IsDir() && slices.Contains(pairedSuffixes, filepath.Ext(path)):
			r.readPair(path)
		}
		return nil
	})
	if err != nil && r.ctx.Err() == nil {
		r.addUnreadable(r.dir, err)
	}
}

// pairedSuffixes are the suffixes of files with formulas about the model of the same name beside them.
// Only the first is inev's own: files with the others may be libraries, without a model.
var pairedSuffixes = []string{".inev", ".mcl", ".mcf"}

// readPair makes jobs of a file with formulas and the models of the same name beside it. X.inev without
// a model makes jobs about the missing X.aut, which fail.
func (r *reader) readPair(path string) {
	where := Position{File: path}
	formulaFile, err := filepath.Rel(r.dir, path)
	models := r.modelsBeside(path, ".aut", ".aut.gz", ".aut.zst", ".aut.bz2")
	if len(models) == 0 {
		models = r.modelsBeside(path, ".exp", ".lts", ".fsm")
	}
	for _, model := range models {
		r.addJobsOf(entry{
			where:  where,
			fields: map[string]field{"model": {text: model}, "formula_file": {text: formulaFile}},
		})
	}
	if len(models) > 0 || filepath.Ext(path) != pairedSuffixes[0] {
		return
	}
	if err != nil || !utf8.ValidString(formulaFile) {
		r.add(where, "its name is not UTF-8; rename it")
		return
	}
	missing := field{
		where: where,
		text:  strings.TrimSuffix(formulaFile, pairedSuffixes[0]) + ".aut",
	}
	r.addJobsOf(entry{
		where:  where,
		fields: map[string]field{"model": missing, "formula_file": {text: formulaFile}},
	})
}

// modelsBeside returns the names of the models beside a file that have its name and one of the suffixes. The
// names are relative to the folder that is the manifest.
func (r *reader) modelsBeside(path string, suffixes ...string) []string {
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	var models []string
	for _, suffix := range suffixes {
		model := stem + suffix
		name, err := filepath.Rel(r.dir, model)
		if err != nil || !isRegular(model) {
			continue
		}
		if !utf8.ValidString(name) {
			r.add(Position{File: path}, "model %q: its name is not UTF-8; rename it", name)
			continue
		}
		models = append(models, name)
	}
	return models
}
