package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/cmd/wording"
)

func versionCommand(p *program) *cli.Command {
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
			return printVersion(p.stdout, c.App)
		},
	},
		`inev version`)
}

// printVersion prints the version, and how and for which system the program was built.
func printVersion(w io.Writer, app *cli.App) error {
	_, err := fmt.Fprintln(w, versionLine(app.Version))
	return err
}

// release is the version of a release, for builds that know it better than Go does: go build
// -ldflags '-X main.release=v1.2.3'. Nothing else sets it.
var release string

// version returns the version of the program.
func version() string {
	info, _ := debug.ReadBuildInfo()
	return wording.Version(release, info)
}

// committed returns the day of the commit that the program was built from, as
// 2006-01-02, or "" if the build does not know it.
func committed(info *debug.BuildInfo) string {
	day := wording.Setting(info, "vcs.time")
	return day[:min(len("2006-01-02"), len(day))]
}

func versionLine(version string) string {
	return "inev " + version + " (" + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + ")"
}
