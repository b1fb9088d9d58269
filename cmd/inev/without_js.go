package main

import (
	"context"
	"errors"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Functions that the engine of a page never needs.

func showOverview(*program, *cli.Context) error {
	return &usageError{message: "a page has no help: inev --help shows it where inev is installed"}
}

func suggest(io.Writer, *cli.App, []string) {}

func tellManifest(io.Writer, error) bool { return false }

func failingWords() []string { return nil }

var errNoFile = errors.New("a page reads no file but the model")

func readHOA(*reading, string) (f property.Formula) { abort.On(errNoFile); return f }

func readClaim(*reading, string) (f property.Formula) { abort.On(errNoFile); return f }

type behaviour struct{}

func (*behaviour) In(*lts.LTS, *states.Table, string) (*counterexample.Given, error) {
	return nil, errNoFile
}

func (*call) specificationFile() string { return "" }

type specified struct{}

func (*specified) files() []string { return nil }

func (*specified) values(_ context.Context, _ *lts.LTS, t *states.Table) (*states.Table, error) {
	return t, nil
}

func (*reading) loadTLA() *specified { return nil }

func (*reading) readTLA() (m *lts.LTS, f property.Formula) { abort.On(errNoFile); return m, f }

func readRun(*reading, string) { abort.On(errNoFile) }

// formulaCommand returns the command that checks the syntax of a property while it is written,
// and nothing else.
func formulaCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Name: "formula", ArgsUsage: "FORMULA",
		Flags:  append(reporting(), runControl()...),
		Action: action(p, func(j *job) { j.readFormula() }),
	})
}
