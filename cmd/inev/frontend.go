package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/format/frontend"
	"github.com/inev-lts/inev/format/specification"
	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/internal/printable"
)

// The flags for models that are made of specifications.
const (
	keepModelFlag = "keep-model"
	noCacheFlag   = "no-cache"
)

// madeModels are the flags of commands that make models of specifications.
func madeModels() []cli.Flag {
	return []cli.Flag{
		option(inputFlags, options.Config),
		value(inputFlags, keepModelFlag, "write the model that is made of a specification to `FILE`"),
		toggle(inputFlags, noCacheFlag, "make the model of a specification again, and keep none for the next run"),
	}
}

// checkMade refuses flags that do not fit the model.
func (j *job) checkMade() error {
	if len(j.operands) == 0 {
		return nil
	}
	model := j.operands[0]
	if j.c.Command.Name == "formula" {
		model = j.flag("model")
	}
	suffix := frontend.Specification{Path: model}.Made()
	if keep := j.flag(keepModelFlag); keep != "" {
		switch {
		case j.c.Command.Name == "compare":
			return j.refuse("--%s keeps one model, and compare reads two; keep each by inev convert", keepModelFlag)
		case suffix == "":
			return j.refuse("--%s: %s is a model already; inev convert writes it in other formats", keepModelFlag, model)
		case filepath.Ext(keep) != suffix:
			return j.refuse("--%s %s: the model that is made of %s is kept as it is, in a file that ends with %s; inev convert writes other formats", keepModelFlag, keep, model, suffix)
		}
		if err := checkPlace(keep); err != nil {
			return err
		}
	}
	if j.flag(configFlag) != "" && j.flag(tlaFlag) == "" && !strings.EqualFold(filepath.Ext(model), ".tla") {
		return j.refuse("--%s is for specifications in TLA+, and %s is none", configFlag, model)
	}
	return nil
}

// models returns what makes models of specifications. It is closed when the job ends.
func (j *job) models() *frontend.Maker {
	if j.maker == nil {
		j.maker = &frontend.Maker{Memory: j.memory}
		if folder := wording.CompiledFolder(); folder != "" && !j.c.Bool(noCacheFlag) {
			j.maker.Cache = filepath.Join(folder, "models")
		}
	}
	return j.maker
}

// closeModels removes the models that were made and are not kept.
func (j *job) closeModels() {
	if err := j.maker.Close(); err != nil {
		j.warn([]string{"temporary files are left: " + err.Error()})
	}
}

// specificationOf returns what a model is read from or made of.
func (j *job) specificationOf(path string) frontend.Specification {
	return frontend.Specification{Path: path, Config: j.flag(configFlag), Keep: j.flag(keepModelFlag)}
}

// isMade reports whether a model has to be made of a file.
func isMade(path string) bool { return frontend.Specification{Path: path}.Made() != "" }

// ownSource returns the files of the specification that the model is made of, as far as actions
// can be looked up in them.
func (j *job) ownSource() (paths []string, err error) {
	if len(j.operands) == 0 || !isMade(j.operands[0]) {
		return nil, nil
	}
	all, err := j.specificationOf(j.operands[0]).Inputs(j.ctx)
	for _, path := range all {
		if specification.Reads(path) {
			paths = append(paths, path)
		}
	}
	return paths, err
}

// tellFailure shows what a tool said that failed, below the error, the last line first.
func tellFailure(w io.Writer, err error) {
	var failed interface{ Said() ([]string, int) }
	if !errors.As(err, &failed) {
		return
	}
	lines, total := failed.Said()
	if total == 0 {
		return
	}
	what := "all that it said"
	if len(lines) < total {
		what = fmt.Sprintf("%d of %d lines that it said", len(lines), total)
	}
	fmt.Fprintf(w, "inev: %s, the last one first:\n", what)
	for _, line := range lines {
		fmt.Fprintf(w, "  %s\n", printable.Text(line))
	}
}
