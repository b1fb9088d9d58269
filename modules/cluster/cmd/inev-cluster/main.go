// Command inev-cluster does batches of inev on many machines: inev-cluster --help says how it is
// used. The command turns flags into calls of package cluster, and the outcome of a run into the
// same files and words as inev batch does.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/internal/printable"
)

// Exit codes, as those of inev.
const (
	exitFailing     = 1
	exitFailed      = 2
	exitInterrupted = 130
)

// errFailing is the error of a batch that was done and has failing jobs.
var errFailing = errors.New("jobs of the batch fail")

// errUndecided is the error of a batch that was done and has failing jobs without a verdict.
var errUndecided = errors.New("jobs of the batch have no verdict")

// release is the version of a release: go build -ldflags '-X main.release=v1.2.3'. Runner and
// workers must have the same release, and so must a run of inev batch that is to be resumed.
var release string

func version() string {
	info, _ := debug.ReadBuildInfo()
	return wording.Version(release, info)
}

func main() { os.Exit(run(os.Args, os.Stdout, os.Stderr)) }

// program is one run of the command.
type program struct{ stdout, stderr io.Writer }

// run is the whole program: it returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := &program{stdout, stderr}
	app := p.app()
	err := app.RunContext(ctx, arranged(app, args))
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUndecided):
		return exitFailed // the summary names these jobs, and why
	case errors.Is(err, errFailing):
		return exitFailing
	}
	fmt.Fprintf(stderr, "inev-cluster: %s\n", printable.Text(wording.Text(err)))
	if ctx.Err() != nil {
		return exitInterrupted
	}
	return exitFailed
}

// app returns the command line of the program, with its commands.
func (p *program) app() *cli.App {
	return &cli.App{
		Name:            "inev-cluster",
		Version:         version(),
		HideHelpCommand: true,
		Usage:           "run batches of inev on many machines, with NATS JetStream",
		Writer:          p.stdout,
		ErrWriter:       p.stderr,
		ExitErrHandler:  func(*cli.Context, error) {},
		OnUsageError: func(_ *cli.Context, err error, _ bool) error {
			return err
		},
		Commands: []*cli.Command{
			p.runCommand(),
			p.workCommand(),
			p.statusCommand(),
			p.cancelCommand(),
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return fmt.Errorf("there is no command %q; choose run, work, status or cancel",
					c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
	}
}

// arranged puts flags before operands, which may stand in any order.
func arranged(app *cli.App, args []string) []string {
	if len(args) < 2 {
		return args
	}
	command := app.Command(args[1])
	if command == nil {
		return args
	}
	takesValue := flagsWithValues(command)
	var flags, operands []string
	for words := args[2:]; len(words) > 0; {
		word := words[0]
		words = words[1:]
		isFlag := len(word) > 1 && word[0] == '-'
		switch {
		case word == "--":
			operands = append(operands, words...)
			words = nil
		case isFlag:
			flags = append(flags, word)
			name := strings.TrimLeft(word, "-")
			if takesValue[name] && len(words) > 0 {
				flags = append(flags, words[0])
				words = words[1:]
			}
		default:
			operands = append(operands, word)
		}
	}
	return slices.Concat(args[:2], flags, []string{"--"}, operands)
}

// flagsWithValues returns the names of the flags of a command after which a value comes.
func flagsWithValues(command *cli.Command) map[string]bool {
	names := map[string]bool{}
	for _, f := range command.Flags {
		if _, isToggle := f.(*cli.BoolFlag); isToggle {
			continue
		}
		for _, name := range f.Names() {
			names[name] = true
		}
	}
	return names
}

// operand returns the only operand of a command. If there is not exactly one operand, the error
// names the expected operand.
func operand(c *cli.Context, what string) (string, error) {
	if c.NArg() != 1 {
		return "", fmt.Errorf("%s: expected %s, found %d operands; inev-cluster %s --help says how it is used", c.Command.Name, what, c.NArg(), c.Command.Name)
	}
	return c.Args().First(), nil
}
