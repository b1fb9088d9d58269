package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// The flags that name files, by what is done with them. Operands are read.
var (
	writtenFlags = []string{"o", "json", "html", "svg", "dot", "png", "hoa-out", "steps-out", "product", "trace", "abstracted", "autx", "certificate", "evidence", "write-states", "keep-model"}
	readFlags    = []string{"formula", "hoa", "never", "counterexample", "model", "states", "source", "map", "cfg", "tla"}
	readOperands = []string{"MODEL", "OLD", "NEW", "FILE", "CERTIFICATE", "LOG"}
)

// namedFile is a file as the command line names it.
type namedFile struct {
	role string // the flag, with its dashes, or the operand
	path string
	// found is what is there, nil if nothing is; place is where that would be.
	found fs.FileInfo
	place string
}

// checkFiles refuses, before any work, to write over what is read, or twice over one
// file, whatever names it has.
func (j *job) checkFiles() error {
	written := j.flaggedFiles(writtenFlags)
	for i, out := range written {
		for _, in := range j.inputs() {
			if sameFile(in, out) {
				return j.refuse("%s would write over %s, %s; choose another name", out.role, in.role, in.path)
			}
		}
		for _, other := range written[:i] {
			if !sameFile(other, out) {
				continue
			}
			names := out.path
			if other.path != out.path {
				names = other.path + " and " + out.path
			}
			return j.refuse("%s and %s name the same file, %s", other.role, out.role, names)
		}
	}
	return nil
}

// inputs returns the files that the command reads.
func (j *job) inputs() []namedFile {
	inputs := j.flaggedFiles(readFlags)
	usage := j.usage()
	if j.flag("formula") != "" {
		usage = without(usage, "FORMULA")
	}
	for i, path := range j.operands {
		if i >= len(usage) || !slices.Contains(readOperands, usage[i]) {
			continue
		}
		if path != standardInput {
			inputs = append(inputs, newNamedFile("the "+strings.ToLower(usage[i]), path))
			continue
		}
		if f, is := j.stdin.(*os.File); is {
			if info, err := f.Stat(); err == nil {
				inputs = append(inputs, namedFile{role: "the " + strings.ToLower(usage[i]), path: "standard input", found: info})
			}
		}
	}
	return inputs
}

func (j *job) flaggedFiles(names []string) []namedFile {
	var files []namedFile
	for _, name := range names {
		if path := j.flag(name); path != "" {
			files = append(files, newNamedFile(dashed(name), path))
		}
	}
	return files
}

func newNamedFile(role, path string) namedFile {
	f := namedFile{role: role, path: path}
	if info, err := os.Stat(path); err == nil {
		f.found = info
		return f
	}
	// A link that leads nowhere is replaced itself.
	f.place = filepath.Clean(path)
	if absolute, err := filepath.Abs(path); err == nil {
		f.place = absolute
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(f.place)); err == nil {
		f.place = filepath.Join(folder, filepath.Base(f.place))
	}
	return f
}

// sameFile reports whether two names are of one file. What is no regular file, such as
// /dev/stdout, can be written to twice.
func sameFile(a, b namedFile) bool {
	switch {
	case a.found != nil && b.found != nil:
		return a.found.Mode().IsRegular() && os.SameFile(a.found, b.found)
	case a.found != nil || b.found != nil:
		return false
	case runtime.GOOS == "windows" || runtime.GOOS == "darwin":
		return strings.EqualFold(a.place, b.place)
	}
	return a.place == b.place
}
