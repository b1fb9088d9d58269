package main

import "github.com/urfave/cli/v2"

// What the engine of a page has no command for.

func (p *program) showOverview(*cli.Context) error {
	return &usageError{message: "a page has no help: inev --help shows it where inev is installed"}
}

func (p *program) suggest(*cli.App, []string) {}

func (p *program) tellManifest(error) bool { return false }

func failingWords() []string { return nil }
