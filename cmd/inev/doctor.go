//go:build !js

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/internal/format/frontend"
	"github.com/inev-lts/inev/internal/printable"
)

// doctorCommand returns inev doctor, which shows what is installed of the tools that make models.
func doctorCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage: "show which tools that make models are installed",
		Description: `inev makes a model of a specification by the tools that are installed: inev explain
jugs.tla 'Inev(Pour)'. This command lists the tools, the files that each of them
reads, the path and version of each installed program, and where to get the others.
Networks of CADP (.exp) need none: inev composes them.`,
		Flags: append([]cli.Flag{value(resultFlags, "format", "`FORMAT` is text or json")},
			runControl()...),
		Action: action(p, lookForTools),
	},
		`inev doctor`,
		`inev doctor --format json`)
}

// lookForTools carries out inev doctor. A tool that is missing is no error.
func lookForTools(j *job) error {
	format := j.flag("format")
	if format != "" && format != "text" && format != "json" {
		return j.refuse("--format %s: inev doctor writes text or json", format)
	}
	all, err := j.models().Tools(j.ctx)
	if err != nil {
		return err
	}
	return j.print(func(w io.Writer) error {
		if format == "json" {
			e := json.NewEncoder(w)
			e.SetIndent("", "  ")
			return e.Encode(struct {
				Schema string               `json:"schema"`
				Tools  []frontend.Installed `json:"front_ends"`
			}{"inev.doctor/1", all})
		}
		return writeTools(w, all)
	})
}

// writeTools writes the tools as text, grouped by the files that they read.
func writeTools(w io.Writer, tools []frontend.Installed) error {
	files := "" // of the group
	for _, tool := range tools {
		read := strings.Join(tool.Files, " ")
		if read != files {
			files = read
			if _, err := fmt.Fprintf(w, "%s: %s\n", files, readiness(tool)); err != nil {
				return err
			}
		}
		line := tool.Program + ": not found"
		if tool.Path != "" {
			line = tool.Program + ": " + tool.Path
		}
		if tool.Version != "" {
			line += " (" + tool.Version + ")"
		}
		if _, err := fmt.Fprintf(w, "  %s\n", printable.Text(line)); err != nil {
			return err
		}
	}
	return nil
}

// readiness says what reads the files of a group, and whether it is installed.
func readiness(tool frontend.Installed) string {
	name := tool.Tool
	if tool.Optional {
		name = fmt.Sprintf("inev, ready; with --%s %s", frontEndFlag, tool.Tool)
	}
	if tool.Get != "" {
		return name + ", not ready; get it from " + tool.Get
	}
	return name + ", ready"
}
