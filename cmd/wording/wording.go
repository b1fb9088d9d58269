// Package wording has the texts that inev and inev-cluster share, so that the results of both
// are the same bytes: the flags that remedy an error, the command that makes the page of a job,
// the summary of a batch for a terminal, the kinds of files that its flags ask for, the version,
// and the folder of compiled files.
package wording

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/inev-lts/inev/internal/hint"
)

// Text returns the text of an error, with its remedy in terms of flags.
func Text(err error) string {
	return hint.Say(err, func(r hint.Remedy) string {
		return cmp.Or(flags[r], r.String())
	})
}

// Warning returns a warning, with the flag for the remedy that it ends with, if it names one.
func Warning(text string) string {
	remedy := "; " + hint.Parts.String() + " "
	i := strings.LastIndex(text, remedy)
	if i < 0 {
		return text
	}
	return text[:i] + "; --parts " + text[i+len(remedy):]
}

// flags are the remedies of errors in terms of flags.
var flags = map[hint.Remedy]string{
	hint.Lenient:       "with --lenient",
	hint.SkipInternal:  "use --skip-internal",
	hint.NotUnfolded:   "leave --unfold out",
	hint.WholeRun:      "give the sequence that --trace writes, not --abstracted",
	hint.MoreMemory:    "raise --memory (none: try all the same)",
	hint.MoreTime:      "by timeout in the manifest or by --timeout",
	hint.Unmatched:     "allow_unmatched: true, or --allow-unmatched,",
	hint.Config:        "name another one by --cfg FILE",
	hint.Parts:         "parts: true, or --parts,",
	hint.Excerpt:       "choose --view excerpt",
	hint.Resume:        "with --resume",
	hint.Begin:         "go on with them by --resume, start afresh by --force, or choose another folder with -o",
	hint.InFolder:      "-o",
	hint.Automaton:     "give one that another tool made, with --hoa",
	hint.AnotherFolder: " with -o",
}

// CacheVariable is the environment variable with the folder for files that take long to make.
const CacheVariable = "INEV_CACHE"

// CompiledFolder returns the folder for the compiled Graphviz: the value of [CacheVariable] or,
// without it, a folder in the cache folder of the system; "" if nothing must be kept.
func CompiledFolder() string {
	switch folder := os.Getenv(CacheVariable); folder {
	case "off":
		return ""
	case "":
	default:
		return folder
	}
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "inev")
}

// unreleased is the version of a program that was built from a working copy.
const unreleased = "devel"

// Version returns the version set by the linker, else the version of the module that go
// install fetched, else the commit of the working copy, if the build knows it; info may
// be nil.
func Version(release string, info *debug.BuildInfo) string {
	switch {
	case release != "":
		return release
	case info == nil:
		return unreleased
	case info.Main.Version != "" && info.Main.Version != "(devel)":
		return info.Main.Version
	}
	commit := Setting(info, "vcs.revision")
	if commit == "" {
		return unreleased
	}
	// The same length as in the version of a module without a release.
	text := unreleased + "-" + commit[:min(12, len(commit))]
	if Setting(info, "vcs.modified") == "true" {
		text += "+dirty"
	}
	return text
}

// Setting returns the value of a setting of a build, such as vcs.revision; "" if the build has no such
// setting, or info is nil.
func Setting(info *debug.BuildInfo, key string) string {
	if info == nil {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
