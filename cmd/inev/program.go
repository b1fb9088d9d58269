package main

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/urfave/cli/v2"
)

// program is what all commands share: where they read and write.
type program struct {
	stdin  io.Reader
	stdout *results
	stderr io.Writer
	// line is the command line, its first word the name of the program.
	line []string
	// terminal reports whether the results are read by a person, columns the width
	// of the terminal in cells, 0 where it is not known.
	terminal bool
	columns  int
	// attended reports whether a person reads what is told meanwhile, on standard
	// error; patience is how long a run lasts before progress is shown.
	attended bool
	patience time.Duration
}

// completionFlag is the last argument of a call by which a shell asks how the
// arguments before it could go on.
const completionFlag = "--generate-bash-completion"

// run carries out a command line, the name of the program included.
func (p *program) run(ctx context.Context, args []string) error {
	app := p.app()
	words := args[min(1, len(args)):]
	p.line = append([]string{app.Name}, words...)
	if last := len(words) - 1; last >= 0 && words[last] == completionFlag {
		app.BashComplete = func(*cli.Context) { p.suggest(app, words[:last]) }
		return app.RunContext(ctx, []string{app.Name, completionFlag})
	}
	arranged, err := arrange(app, words)
	if err != nil {
		return err
	}
	if len(arranged) > 0 && arranged[0] != "help" {
		// What cli prepares of the other commands takes a good part of a short run.
		app.Commands = slices.DeleteFunc(app.Commands, func(c *cli.Command) bool { return c.Name != arranged[0] })
	}
	return app.RunContext(ctx, append([]string{app.Name}, arranged...))
}

func (p *program) app() *cli.App {
	app := &cli.App{
		Name:    "inev",
		Usage:   "explain why something that should be inevitable is not",
		Writer:  p.stdout,
		Version: version(),
		// Help and version are inev's own: the one has a page and an exit code like
		// any other command, the other names the platform, too.
		HideHelp:                  true,
		HideVersion:               true,
		EnableBashCompletion:      true,
		DisableSliceFlagSeparator: true, // labels hold commas
		Flags:                     rootFlags(),
		Action: func(c *cli.Context) error {
			if c.Bool("version") {
				return p.printVersion(c)
			}
			return p.showOverview(c)
		},
		// Errors are shown in one place, by exitCode.
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   func(_ *cli.Context, err error, _ bool) error { return err },
	}
	for _, purpose := range p.purposes() {
		app.Commands = append(app.Commands, purpose.commands...)
	}
	return app
}

// purpose is what people come to inev for, and the commands that serve it.
type purpose struct {
	title    string
	commands []*cli.Command
}

// purposes returns all commands, those first that most people need first.
func (p *program) purposes() []purpose {
	return []purpose{
		{"Understand a model, and why a property fails", []*cli.Command{
			p.explain(), p.why(), p.serve(), p.repair(), p.path(), p.info(), p.labels(), p.classify(), p.enrich(),
		}},
		{"Draw", []*cli.Command{p.diagram()}},
		{"Decide, as in continuous integration", []*cli.Command{p.check(), p.ctl(), p.watchLog(), p.batch(), p.merge(), p.verify()}},
		{"Exchange with other tools", []*cli.Command{p.formula(), p.convert(), p.lasso(), p.generate()}},
		{"inev itself", []*cli.Command{p.completion(), p.man(), p.version(), p.help()}},
	}
}
