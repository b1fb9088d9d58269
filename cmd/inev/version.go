package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

func (p *program) version() *cli.Command {
	return page(&cli.Command{
		Name:        "version",
		Usage:       "show the version",
		ArgsUsage:   "",
		Description: `inev --version shows the same.`,
		Flags:       []cli.Flag{toggle(runFlags, "help", "show this help")},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return &usageError{"version", fmt.Sprintf("expected no arguments, found %d", c.NArg())}
			}
			return p.printVersion(c)
		},
	},
		`inev version`)
}

// printVersion shows the version, and what the program was built with and for.
func (p *program) printVersion(c *cli.Context) error {
	_, err := fmt.Fprintln(p.stdout, versionLine(c.App.Version))
	return err
}

// unreleased is the version of a program that was built from a working copy.
const unreleased = "devel"

// release is the version of a release, for builds that know it better than Go
// does: go build -ldflags '-X main.release=v1.2.3'. Nothing else sets it.
var release string

// version returns the version of the program.
func version() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(release, info)
}

// versionOf returns what the linker was told, else the version of the module that
// go install fetched, else the commit of the working copy, as far as the build
// knows it; info may be nil.
func versionOf(release string, info *debug.BuildInfo) string {
	switch {
	case release != "":
		return release
	case info == nil:
		return unreleased
	case info.Main.Version != "" && info.Main.Version != "(devel)":
		return info.Main.Version
	}
	commit := setting(info, "vcs.revision")
	if commit == "" {
		return unreleased
	}
	// As long as in the version of a module that has no release.
	text := unreleased + "-" + commit[:min(12, len(commit))]
	if setting(info, "vcs.modified") == "true" {
		text += "+dirty"
	}
	return text
}

// committed returns the day of the commit that the program was built from, as
// 2006-01-02, or "" where the build does not know it.
func committed(info *debug.BuildInfo) string {
	day := setting(info, "vcs.time")
	return day[:min(len("2006-01-02"), len(day))]
}

// setting returns what a build says about itself, "" if it does not say it.
func setting(info *debug.BuildInfo, key string) string {
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

func versionLine(version string) string {
	return "inev " + version + " (" + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + ")"
}
