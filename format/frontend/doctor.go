package frontend

import (
	"bytes"
	"context"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Installed is a tool that was looked for.
type Installed struct {
	// Files are the suffixes of the files that it makes models of.
	Files []string `json:"files"`
	Tool  string   `json:"tool"`
	// Programs are those that it needs, as they are run one after the other.
	Programs []Found `json:"programs"`
	// Ready reports whether all of them are there; else Get says where to get them.
	Ready bool   `json:"ready"`
	Get   string `json:"get,omitempty"`
}

// Found is a program that was looked for.
type Found struct {
	Name string `json:"name"`
	// Path is where it is, "" if it was not found; Version is what it says of itself, "" if it
	// says nothing.
	Path    string `json:"path,omitempty"`
	Version string `json:"version,omitempty"`
}

// Tools looks for all tools, and asks each program that it finds for its version, for some
// seconds at most. It fails only if ctx is done.
func (m *Maker) Tools(ctx context.Context) ([]Installed, error) {
	var all []Installed
	versions := map[string]string{}
	for _, t := range tools() {
		i := Installed{Files: t.suffixes, Tool: t.suite, Ready: true}
		for _, f := range t.look() {
			if f.Path == "" {
				i.Ready = false
			} else if _, asked := versions[f.Path]; !asked {
				versions[f.Path] = versionOf(ctx, f)
			}
			f.Version = versions[f.Path]
			i.Programs = append(i.Programs, f)
		}
		if !i.Ready {
			i.Get = t.get()
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		all = append(all, i)
	}
	return all, nil
}

// get returns where to get the tool.
func (t *tool) get() string {
	how := t.home
	switch {
	case t.isTLC():
		how += "; java, and " + jarVariable + "=/path/to/tla2tools.jar, or tlc on the PATH"
	case t.programs[0].said != "":
		how += "; on the PATH, or in " + t.programs[0].said
	default:
		how += "; on the PATH"
	}
	return how
}

// look returns the programs of a tool, found or not.
func (t *tool) look() (all []Found) {
	if t.isTLC() {
		found, err := t.findTLC("", "")
		switch {
		case err == nil && found["tlc"] != "":
			return []Found{{Name: "tlc", Path: found["tlc"]}}
		case err == nil:
			return []Found{{Name: "java", Path: found["java"]}, {Name: "tla2tools.jar", Path: found["jar 000"]}}
		}
		at, _ := java()
		return []Found{{Name: "java", Path: at}, {Name: "tla2tools.jar"}}
	}
	for _, p := range t.programs {
		at, _ := p.find()
		all = append(all, Found{Name: p.name, Path: at})
	}
	return all
}

var (
	aVersion = regexp.MustCompile(`(?i)\d+\.\d|version|revision`)
	coloured = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

// versionOf asks a program for its version: the first line that looks like one.
func versionOf(ctx context.Context, f Found) string {
	path, arguments := f.Path, []string{"--version"}
	switch f.Name {
	case "tla2tools.jar":
		at, err := java()
		if err != nil {
			return ""
		}
		path, arguments = at, []string{"-cp", f.Path, "tlc2.TLC"}
	case "tlc":
		arguments = nil
	case "spins", "bcg_io", "caesar.open", "lnt.open", "exp.open":
		return "" // these have no such option, and might take it for a file
	}
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	said := &output{states: func(string) {}}
	cmd := exec.CommandContext(ctx, path, arguments...)
	cmd.Stdout, cmd.Stderr = said, said
	together(cmd)
	cmd.Cancel = func() error { return endAll(cmd.Process) }
	cmd.WaitDelay = time.Second
	_ = started(cmd, func() {}, func() {}) // many end with an error when they show a version
	said.endLine()
	lines := said.first
	if i := slices.IndexFunc(lines, aVersion.MatchString); i >= 0 {
		return strings.TrimSpace(string(bytes.TrimSpace(coloured.ReplaceAll([]byte(lines[i]), nil))))
	}
	return ""
}
