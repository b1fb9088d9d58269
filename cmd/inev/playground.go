//go:build !js

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/inev-lts/inev/internal/abort"
)

// engineFiles returns the folder with inev for browsers: the folder of --engine-dir or, without
// that flag, the built-in one.
func engineFiles(j *job) fs.FS {
	const build = "go -C tools run ./playground -o FOLDER in the source of inev builds it"
	folder := j.flag(engineFolderFlag)
	if folder == "" {
		if carried == nil {
			abort.On(errors.New("this inev does not carry the engine for browsers: name its folder by --engine-dir; " + build))
		}
		return carried
	}
	files := os.DirFS(folder)
	for _, name := range []string{"index.html", "engine.wasm.gz", "graphviz.wasm.gz", "worker.js", "playground.js", "asking.html", "asking.css"} {
		if _, err := fs.Stat(files, name); err != nil {
			abort.On(fmt.Errorf("--engine-dir %s: there is no %s in it; %s", folder, name, build))
		}
	}
	return files
}
