//go:build !js

package main

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

//go:embed completion
var scripts embed.FS

// shells are the shells for which there is a script.
var shells = [...]string{"bash", "zsh", "fish"}

func completionCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Name:      "completion",
		Usage:     "print a script that lets a shell complete flags and labels",
		ArgsUsage: "bash|zsh|fish",
		Description: `Put one of these lines where your shell reads it at start:

  ~/.bashrc                    source <(inev completion bash)
  ~/.zshrc, after compinit     source <(inev completion zsh)
  ~/.config/fish/config.fish   inev completion fish | source

After a model, labels are completed inside a formula: type inev explain m.aut and
press the tab key.`,
		Flags:  []cli.Flag{toggle(runFlags, "help", "show this help")},
		Action: func(c *cli.Context) error { return printScript(p, c) },
	},
		`inev completion bash`)
}

func printScript(p *program, c *cli.Context) error {
	if c.NArg() != 1 || !slices.Contains(shells[:], c.Args().First()) {
		return &usageError{"completion", fmt.Sprintf("expected one of %s, found %q",
			strings.Join(shells[:], ", "), strings.Join(c.Args().Slice(), " "))}
	}
	script, err := scripts.ReadFile("completion/inev." + c.Args().First())
	if err != nil {
		return err
	}
	_, err = p.stdout.Write(script)
	return err
}
