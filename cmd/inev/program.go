package main

import (
	"context"
	"fmt"
	"io"
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
	// terminal tells whether the results are read by a person.
	terminal bool
	// attended tells whether a person reads what is told meanwhile, on standard
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
		Commands: []*cli.Command{
			p.explain(), p.check(), p.verify(), p.info(), p.enrich(), p.classify(), p.path(), p.diagram(),
			p.batch(), p.merge(), p.lasso(), p.formula(), p.convert(), p.generate(), p.completion(), p.man(), p.help(),
		},
		Action: func(c *cli.Context) error {
			if c.Bool("version") {
				_, err := fmt.Fprintln(c.App.Writer, versionLine(c.App.Version))
				return err
			}
			return cli.ShowAppHelp(c)
		},
		// Errors are shown in one place, by exitCode.
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   func(_ *cli.Context, err error, _ bool) error { return err },
	}
	app.CustomAppHelpTemplate = overview(app)
	return app
}
