//go:build !js

package frontend

import (
	"bytes"
	"context"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inev-lts/inev/internal/contained"
)

// Installed is a program that a tool needs, found or not.
type Installed struct {
	// Files are the suffixes of the files of which the tool makes models.
	Files []string `json:"files"`
	Tool  string   `json:"tool"`
	// Optional reports that inev itself makes the models of these files unless the tool is asked for.
	Optional bool `json:"optional,omitempty"`
	// Program is the name of the program, and Path its path; Path is "" if the program was not
	// found.
	Program string `json:"program"`
	Path    string `json:"path,omitempty"`
	// Version is the line that the program prints as its version, "" for none.
	Version string `json:"version,omitempty"`
	// Get is the advice where to obtain the tool; "" if all its programs were found.
	Get string `json:"get,omitempty"`
}

// Tools searches for the programs of all tools, and runs each to get its
// version, for some seconds at most. The programs of a tool are adjacent, in the
// order of running them. It fails only if ctx is done.
func (m *Maker) Tools(ctx context.Context) ([]Installed, error) {
	var all []Installed
	versions := map[string]string{}
	for _, t := range tools() {
		programs := t.programs()
		missing := slices.ContainsFunc(programs, func(f Installed) bool {
			return f.Path == ""
		})
		for _, f := range programs {
			if _, asked := versions[f.Path]; !asked && f.Path != "" {
				versions[f.Path] = versionOf(ctx, f)
			}
			f.Files = t.suffixes
			f.Tool = t.suite
			f.Optional = Specification{Path: t.suffixes[0]}.IsComposed()
			f.Version = versions[f.Path]
			if missing {
				f.Get = t.howToGet()
			}
			all = append(all, f)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return all, nil
}

// howToGet returns where a tool can be obtained.
func (t *tool) howToGet() string {
	switch {
	case t.isTLC():
		return t.home + "; java, and " + jarVariable +
			"=/path/to/tla2tools.jar, or tlc on the PATH"
	case t.placesNamed != "":
		return t.home + "; on the PATH, or in " + t.placesNamed
	}
	return t.home + "; on the PATH"
}

// programs returns the programs of a tool, found or not.
func (t *tool) programs() (all []Installed) {
	if t.isTLC() {
		found, err := t.findTLC("", "")
		switch {
		case err == nil && found["tlc"] != "":
			return []Installed{{Program: "tlc", Path: found["tlc"]}}
		case err == nil:
			return []Installed{
				{Program: "java", Path: found["java"]},
				{Program: "tla2tools.jar", Path: found["jar 000"]},
			}
		}
		runtime, _ := java()
		return []Installed{{Program: "java", Path: runtime}, {Program: "tla2tools.jar"}}
	}
	for _, c := range t.commands {
		path, _ := find(c.program(), t.places)
		all = append(all, Installed{Program: c.program(), Path: path})
	}
	return all
}

var (
	aVersion = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\d+\.\d|version|revision`)
	})
	coloured = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("\x1b\\[[0-9;]*m")
	})
)

// versionOf runs a program to get its version: the first line that looks like
// one.
func versionOf(ctx context.Context, f Installed) string {
	path := f.Path
	arguments := []string{"--version"}
	switch f.Program {
	case "tla2tools.jar":
		runtime, err := java()
		if err != nil {
			return ""
		}
		path = runtime
		arguments = []string{"-cp", f.Path, "tlc2.TLC"}
	case "tlc":
		arguments = nil
	case "spins", "bcg_io", "caesar.open", "lnt.open", "exp.open":
		return "" // these programs have no option for their version, and might take one for a file
	}
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	printed := &output{states: func(string) {}}
	cmd := exec.CommandContext(ctx, path, arguments...)
	cmd.Stdout = contained.Writer(printed)
	cmd.Stderr = contained.Writer(printed)
	inOwnGroup(cmd)
	cmd.Cancel = func() error { return endGroup(cmd.Process) }
	cmd.WaitDelay = time.Second
	_ = runToEnd(ctx, cmd, func() {}, func() {}) // many programs end with an error after showing their version
	printed.endLine()
	lines := printed.first
	if i := slices.IndexFunc(lines, aVersion().MatchString); i >= 0 {
		return strings.TrimSpace(string(bytes.TrimSpace(coloured().ReplaceAll([]byte(lines[i]),
			nil))))
	}
	return ""
}
