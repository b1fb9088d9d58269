//go:build !js

// Command inev-ls is a server of the Language Server Protocol for formulas and manifests of inev,
// on standard input and output. Standard output has messages of the protocol only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/modules/editor"
)

// release is set by the linker.
var release string

const usage = `inev-ls [flags]: a language server on standard input and output

Editors learn from it about formulas (.inev) and manifests (inev.yaml): what is wrong with them,
and whether their models satisfy them.

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the next signal ends the process whatever it does
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run serves a client, and returns the exit code: 0 if the client has requested to shut down, 1 if
// it has left without that or its messages were wrong, 2 if the flags are wrong.
func run(
	ctx context.Context,
	args []string,
	stdin io.ReadCloser,
	stdout io.WriteCloser,
	stderr io.Writer,
) int {
	limits, options, err := read(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errVersion):
		fmt.Fprintln(stderr, "inev-ls", limits.Version)
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "inev-ls: %v\n", err)
		return 2
	}
	debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1),
		limits.Memory.Bytes-limits.Memory.Bytes/16))
	options.Log, options.Memory = stderr, limits.Memory
	if limits.Timeout > 0 {
		options.Patience = limits.Timeout + limits.Timeout/10 + 5*time.Second // the analyst's own answer is better
	}
	// The analyst is not closed: its work may not end, and the process ends anyway.
	return serve(ctx, editor.NewLocal(limits), options, stdin, stdout)
}

// serve serves a client, and returns the exit code.
func serve(
	ctx context.Context,
	analyst editor.Analyst,
	options editor.Options,
	stdin io.ReadCloser,
	stdout io.WriteCloser,
) int {
	if err := editor.New(analyst, options).Run(ctx, stdin, stdout); err != nil {
		fmt.Fprintf(options.Log, "inev-ls: %s\n", printable.Text(err.Error()))
		return 1
	}
	return 0
}

var errVersion = errors.New("the version is asked for")

// read reads the flags.
func read(
	args []string,
	stderr io.Writer,
) (limits editor.Limits, options editor.Options, err error) {
	info, _ := debug.ReadBuildInfo()
	limits.Version = wording.Version(release, info)
	options.Version = limits.Version
	flags := flag.NewFlagSet("inev-ls", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	memory := flags.String("memory", "2GB", "a check uses at most this `size`")
	flags.DurationVar(&limits.Timeout, "timeout", time.Minute,
		"a check is stopped after this time")
	flags.DurationVar(&options.Look, "look", 2*time.Second,
		"look for changed models at this interval; 0 for never")
	flags.BoolVar(&options.Trusted, "front-ends", false,
		"let other programs make models of specifications (.tla, .mcrl2, .lnt, .pml)")
	version := flags.Bool("version", false, "say which version this is")
	flags.Bool("stdio", true, "use standard input and output, as without this flag")
	if err := flags.Parse(args); err != nil {
		return limits, options, err
	}
	if *version {
		return limits, options, errVersion
	}
	if flags.NArg() > 0 {
		return limits, options, fmt.Errorf("%q is not a flag; inev-ls -help lists them",
			flags.Arg(0))
	}
	limits.Memory.By = "allowed by -memory"
	limits.Memory.Bytes, err = resources.ParseSize(*memory)
	return limits, options, err
}
