package wording

import "runtime/debug"

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

// Setting returns what a build says about itself, "" if it does not say it.
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
