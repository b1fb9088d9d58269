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
		files := ""
		for _, i := range all {
			if now := strings.Join(i.Files, " "); now != files {
				files = now
				state := "ready"
				if i.Get != "" {
					state = "not ready; get it from " + i.Get
				}
				tool := i.Tool
				if i.Optional {
					tool = fmt.Sprintf("inev, ready; with --%s %s", frontEndFlag, i.Tool)
				}
				if _, err := fmt.Fprintf(w, "%s: %s, %s\n", files, tool, state); err != nil {
					return err
				}
			}
			line := i.Program + ": not found"
			if i.Path != "" {
				line = i.Program + ": " + i.Path
			}
			if i.Version != "" {
				line += " (" + i.Version + ")"
			}
			if _, err := fmt.Fprintf(w, "  %s\n", printable.Text(line)); err != nil {
				return err
			}
		}
		return nil
	})
}
