package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/progress"
	webpage "github.com/inev-lts/inev/report/page"
)

const (
	// engineFlag puts inev for browsers into a page.
	engineFlag = "engine"
	// engineFolderFlag names the folder that holds inev for browsers.
	engineFolderFlag = "engine-dir"
)

func engineFolder(group string) cli.Flag {
	return value(group, engineFolderFlag, "take inev for browsers from the folder `DIR`; releases carry it")
}

// most is how many transitions a model in a browser may have: more take minutes, and
// memory that a page does not get.
const most = 2_000_000

// checkEngine finds out, before a long run, whether a page can carry inev.
func (j *job) checkEngine() error {
	asked := j.c.Bool(engineFlag)
	switch {
	case !asked && j.flag(engineFolderFlag) != "":
		return j.refuse("--%s is for --%s", engineFolderFlag, engineFlag)
	case !asked:
		return nil
	case j.flag("html") == "":
		return j.refuse("--%s puts inev into a page: name the page by --html FILE.html", engineFlag)
	case len(j.c.StringSlice("fair")) > 1:
		return j.refuse("--%s: a page asks under one assumption; leave all but one --fair out", engineFlag)
	}
	_, err := j.engineFiles()
	return err
}

// putEngine puts what --engine asks for into a page.
func (j *job) putEngine(o *webpage.Options, e *explain.Explanation) (err error) {
	if !j.c.Bool(engineFlag) {
		return nil
	}
	if n := e.LTS().NumTransitions(); n > most {
		return fmt.Errorf("%s: %s transitions are more than the %s that a browser takes; leave --%s out, and see inev serve",
			j.options.File, progress.Transitions.Format(int64(n)), progress.Transitions.Format(most), engineFlag)
	}
	if o.Engine, err = j.engineFiles(); err != nil {
		return err
	}
	if all := j.c.StringSlice("fair"); len(all) == 1 {
		o.Fair = all[0]
	}
	o.Model, o.ModelName, err = j.modelBytes(e)
	return err
}

// modelBytes returns the model as a page carries it: its file, or .aut where that is none that
// a browser can read.
func (j *job) modelBytes(e *explain.Explanation) (data []byte, name string, err error) {
	path := j.operands[0]
	info, err := os.Stat(path)
	if err == nil && info.Mode().IsRegular() && j.source != nil && !j.source.IsConverted() {
		data, err = inputfile.ReadRegular(j.ctx, path, inputfile.Limit{Bytes: math.MaxInt64})
		return data, filepath.Base(path), err
	}
	name = "model.aut"
	if path != standardInput {
		name = filepath.Base(path) + ".aut"
	}
	var written bytes.Buffer
	_, err = aut.Write(stoppableWriter{j.ctx, &written}, e.LTS())
	return written.Bytes(), name, err
}
