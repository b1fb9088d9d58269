//go:build !js

package frontend

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/resources"
)

// work is the making of one model.
type work struct {
	tool *tool
	spec Specification
	// name is the name of the specification for people, folder its folder, and
	// path the path of its copy for the tool, which cannot be mistaken for an
	// option.
	name, folder, path string
	programs           map[string]string
	inputs             inputs
	// key is the digest of everything on which the model depends.
	key    string
	memory int64
	// shown has pairs: the path of each copy, and the name of the file for
	// people.
	shown []string
}

func newWork(ctx context.Context, t *tool, s Specification, name string) (*work, error) {
	w := &work{tool: t, spec: s, name: name}
	err := inputfile.CheckModel(s.Path, name)
	if err != nil {
		return nil, err
	}
	if !isFile(s.Path) {
		return nil, inputfile.NewError(name, 0, errors.New("is not a regular file, which a specification has to be: "+t.suite+" reads it by its name"))
	}
	if w.folder, err = filepath.Abs(filepath.Dir(s.Path)); err != nil {
		return nil, inputfile.FileError(name, err)
	}
	if t.isTLC() {
		if w.programs, err = t.findTLC(name, s.Path); err != nil {
			return nil, err
		}
	} else if w.programs, err = t.find(name, s.Path); err != nil {
		return nil, err
	}
	if w.inputs, err = t.inputsOf(ctx, s, name); err != nil {
		return nil, err
	}
	w.key, err = w.inputs.with(w.programs)
	return w, err
}

func (t *tool) isTLC() bool { return t.suite == "TLC" }

// make runs the programs, and returns the path of the file that they wrote.
func (w *work) make(ctx context.Context, own string) (path string, warnings []string, err error) {
	w.memory = resources.LimitOf(ctx).Bytes
	if w.path, err = w.copyInputs(ctx, own); err != nil {
		return "", nil, err
	}
	at := own
	if w.tool.shells {
		at = "" // programs run in that folder, whose name scripts need not take
	}
	steps, err := w.tool.steps(w, at)
	if err != nil {
		return "", nil, inputfile.NewError(w.name, 0, err)
	}
	for _, s := range steps {
		if err := w.run(ctx, s, own); err != nil {
			return "", nil, err
		}
	}
	if err := w.unchanged(); err != nil {
		return "", nil, err
	}
	path = filepath.Join(own, "model"+w.tool.made)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		last := steps[len(steps)-1]
		return "", nil, inputfile.NewError(w.name, 0, fmt.Errorf("%s ended without an error, and wrote no model; run it by hand to see why: %s",
			last.program, w.tool.byHand(word(w.spec.Path), stemOf(w.spec.Path))))
	}
	return path, w.cautions(), nil
}

// cautions are warnings about a model that was made in this way.
func (w *work) cautions() (warnings []string) {
	if !w.tool.isTLC() {
		return nil
	}
	if statement := merges(w.inputs.configText); statement != "" {
		warnings = append(warnings, fmt.Sprintf("%s: %s lets TLC take different states for one, so what is said of runs may be wrong; leave it out to be sure", w.inputs.config.path, statement))
	}
	return warnings
}
