package main

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// program is the surroundings of all commands: their input and outputs, and who reads these.
type program struct {
	stdin  io.Reader
	stdout *results
	stderr io.Writer
	// line is the command line; its first word is the name of the program.
	line []string
	// terminal reports whether a terminal shows the results; columns is its width in cells, 0
	// if that is not known.
	terminal bool
	columns  int
	// attended reports whether standard error is a terminal; patience is the delay before progress
	// is shown there.
	attended bool
	patience time.Duration
	walked   *walked
}

// completionFlag is the last argument of a call by which a shell asks for completions of the
// argument before it.
const completionFlag = "--generate-bash-completion"

// run carries out a command line, the name of the program included.
func (p *program) run(ctx context.Context, args []string) error {
	words := args[min(1, len(args)):]
	p.line = append([]string{programName}, words...)
	if last := len(words) - 1; last >= 0 && words[last] == completionFlag {
		app := p.app()
		app.BashComplete = func(*cli.Context) { suggest(p.stdout, app, words[:last]) }
		return app.RunContext(ctx, []string{programName, completionFlag})
	}
	app, arranged, err := p.arranged(words)
	if err != nil {
		return err
	}
	return app.RunContext(ctx, append([]string{programName}, arranged...))
}

// arranged returns the words of a command line in the order that cli reads, and the app for them.
// Making all commands takes much of a short run, so if the first word is a command, the others are
// made only for errors that mention them.
func (p *program) arranged(words []string) (*cli.App, []string, error) {
	app := p.app(words[:min(1, len(words))]...)
	if arranged, err := arrange(app, words); err == nil && !slices.Contains(arranged[:min(1, len(arranged))], "help") {
		return app, arranged, nil
	}
	app = p.app()
	arranged, err := arrange(app, words)
	return app, arranged, err
}

// programName is the name of the program.
const programName = "inev"

// app returns inev with the commands of these names, with all its commands if there are none.
func (p *program) app(names ...string) *cli.App {
	var commands []*cli.Command
	for _, purpose := range purposes() {
		for _, offer := range purpose.offers {
			if len(names) == 0 || slices.Contains(names, offer.name) {
				commands = append(commands, offer.command(p))
			}
		}
	}
	return &cli.App{
		Name:    programName,
		Usage:   "explain why a property fails on a model (.aut, .bcg, .lts, .fsm, TLC)",
		Writer:  p.stdout,
		Version: version(),
		// Help and version are inev's own: help has a text and an exit code like any command,
		// and version names the platform.
		HideHelp:                  true,
		HideVersion:               true,
		EnableBashCompletion:      true,
		DisableSliceFlagSeparator: true, // labels hold commas
		Flags:                     rootFlags(),
		Action: func(c *cli.Context) error {
			if c.Bool("version") {
				return printVersion(p.stdout, c.App)
			}
			return showOverview(p, c)
		},
		// Errors are shown in one place, by exitCode.
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   func(_ *cli.Context, err error, _ bool) error { return err },
		Commands:       commands,
	}
}

// purpose is a reason to use inev, and the commands for it.
type purpose struct {
	title  string
	offers []offer
}

// offer is a command by its name, made on demand.
type offer struct {
	name    string
	command func(*program) *cli.Command
}

// page gives a command the examples of its help, as its UsageText. Each is a command line
// that runs on the model of the quick start.
func page(command *cli.Command, examples ...string) *cli.Command {
	command.UsageText = strings.Join(examples, "\n")
	// A model may have the name of a command.
	command.HideHelp = true
	return command
}
