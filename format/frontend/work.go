//go:build !js

package frontend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/internal/resources"
)

// work is the making of one model.
type work struct {
	tool *tool
	spec Specification
	// name is what people call the specification, folder where it is, and path how the tool is
	// given it: absolute, so that no name can be taken for an option.
	name, folder, path string
	configPath, config string
	programs           map[string]string
	inputs             inputs
	// key stands for all that the model depends on.
	key    string
	before fs.FileInfo
	memory int64
}

func newWork(ctx context.Context, t *tool, s Specification, name string) (*work, error) {
	w := &work{tool: t, spec: s, name: name}
	err := inputfile.CheckModel(s.Path, name)
	if err != nil {
		return nil, err
	}
	if w.before, err = os.Stat(s.Path); err != nil {
		return nil, inputfile.FileError(name, err)
	}
	if !w.before.Mode().IsRegular() {
		return nil, inputfile.NewError(name, 0, errors.New("is no regular file, which a specification has to be: "+t.suite+" reads it by its name"))
	}
	if w.path, err = filepath.Abs(s.Path); err != nil {
		return nil, inputfile.FileError(name, err)
	}
	w.folder = filepath.Dir(w.path)
	if t.isTLC() {
		if w.programs, err = t.findTLC(name, s.Path); err != nil {
			return nil, err
		}
		if w.configPath, w.config, err = configOf(s, name); err != nil {
			return nil, err
		}
	} else if w.programs, err = t.find(name, s.Path); err != nil {
		return nil, err
	}
	if w.inputs, err = t.inputsOf(ctx, s); err != nil {
		return nil, err
	}
	w.key, err = w.inputs.with(w.programs)
	return w, err
}

func (t *tool) isTLC() bool { return t.suite == "TLC" }

// make runs the programs, and returns the file that they wrote.
func (w *work) make(ctx context.Context, own string, limit resources.Limit) (path string, warnings []string, err error) {
	w.memory = limit.Bytes
	if w.tool.shells {
		if w.path, err = plainPath(w.path, own); err != nil {
			return "", nil, inputfile.NewError(w.name, 0, remedy.New(err, "its name has letters that programs of "+w.tool.suite+" cannot take, and no link to it can be made: "+err.Error()))
		}
	}
	steps, err := w.tool.steps(w, own)
	if err != nil {
		return "", nil, inputfile.NewError(w.name, 0, err)
	}
	for _, s := range steps {
		if err := w.run(ctx, s, own, limit); err != nil {
			return "", nil, err
		}
	}
	path = filepath.Join(own, "model"+w.tool.made)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		last := steps[len(steps)-1]
		return "", nil, inputfile.NewError(w.name, 0, fmt.Errorf("%s ended without an error, and wrote no model; run it by hand to see why: %s",
			last.program, w.tool.byHand(word(w.spec.Path), stemOf(w.spec.Path))))
	}
	return path, w.cautions(), nil
}

// cautions are what has to be known of a model that was made in this way.
func (w *work) cautions() (warnings []string) {
	if !w.tool.isTLC() {
		return nil
	}
	if statement := merges(w.config); statement != "" {
		warnings = append(warnings, fmt.Sprintf("%s: %s lets TLC take different states for one, so what is said of runs may be wrong; leave it out to be sure", w.configPath, statement))
	}
	return warnings
}

// plainPath returns a path to a file that scripts can take in spite of blanks and signs in its
// name: a link in the own folder, where it needs one. The link is to the folder, if that is
// enough, so that other files there are found.
func plainPath(path, own string) (string, error) {
	folder, base := filepath.Split(path)
	isPlain := func(name string) bool { return strings.Trim(name, plain) == "" }
	if isPlain(filepath.ToSlash(path)) && !strings.HasPrefix(base, "-") {
		return path, nil
	}
	if isPlain(base) && !strings.HasPrefix(base, "-") {
		link := filepath.Join(own, "specification")
		return filepath.Join(link, base), os.Symlink(folder, link)
	}
	link := filepath.Join(own, "specification"+strings.ToLower(filepath.Ext(base)))
	return link, os.Symlink(path, link)
}
