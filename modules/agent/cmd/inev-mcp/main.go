// Command inev-mcp offers inev to agents by the Model Context Protocol, on standard input and
// output. Standard output has messages of the protocol only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/modules/agent"
)

// release is set by the linker.
var release string

const usage = `inev-mcp [flags]: a server of the Model Context Protocol on standard input and output

It answers questions about models (labelled transition systems) by the command inev.

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the next signal ends the process whatever it does
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run serves a client, and returns the exit code.
func run(
	ctx context.Context,
	args []string,
	stdin io.ReadCloser,
	stdout io.WriteCloser,
	stderr io.Writer,
) int {
	options, err := optionsOf(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errVersion):
		fmt.Fprintln(stderr, "inev-mcp", options.Version) // standard output is the protocol's
		return 0
	case err == nil:
		err = agent.New(options).Run(ctx, stdin, stdout)
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(stderr, "inev-mcp: %v\n", err)
		return 2
	}
	return 0
}

var errVersion = errors.New("the version is asked for")

// optionsOf reads the flags.
func optionsOf(args []string, stderr io.Writer) (agent.Options, error) {
	info, _ := debug.ReadBuildInfo()
	o := agent.Options{Version: wording.Version(release, info)}
	flags := flag.NewFlagSet("inev-mcp", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	flags.Func("root",
		"read models below this `folder` only; repeatable (default: the roots of the client)", func(folder string) error {
			folder, err := folderAt(folder)
			o.Roots = append(o.Roots, folder)
			return err
		})
	flags.StringVar(&o.Command, "inev", "",
		"the command inev is this `file` (default: next to inev-mcp, else in PATH)")
	flags.StringVar(&o.Memory, "memory", "1GB", "a call uses at most this `size`")
	flags.DurationVar(&o.Timeout, "timeout", time.Minute, "a call is stopped after this time")
	flags.IntVar(&o.Parallel, "parallel", min(4, runtime.GOMAXPROCS(0)),
		"work on so many calls at once")
	version := flags.Bool("version", false, "say which version this is")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if *version {
		return o, errVersion
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("%q is not a flag; inev-mcp -help lists them", flags.Arg(0))
	}
	if err := checkBounds(o); err != nil {
		return o, err
	}
	var err error
	o.Command, err = findInev(o.Command)
	return o, err
}

// checkBounds refuses bounds with which each call would fail, or none would be answered.
func checkBounds(o agent.Options) error {
	if _, err := resources.ParseAllowance(o.Memory); err != nil {
		return err
	}
	if o.Timeout <= 0 {
		return fmt.Errorf("-timeout %s: write a time above 0, such as 30s", o.Timeout)
	}
	if o.Parallel < 1 {
		return fmt.Errorf("-parallel %d: write a number from 1", o.Parallel)
	}
	return nil
}

// folderAt returns the absolute path of a folder.
func folderAt(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a folder", path)
	}
	return path, err
}

// findInev returns the path of the command inev.
func findInev(named string) (string, error) {
	if named == "" {
		named = "inev"
		if self, err := os.Executable(); err == nil {
			near := filepath.Join(filepath.Dir(self), "inev"+filepath.Ext(self))
			if _, err := os.Stat(near); err == nil {
				named = near
			}
		}
	}
	path, err := exec.LookPath(named)
	if err != nil {
		return "", fmt.Errorf("there is no inev: %w; install it, or name it with -inev", err)
	}
	return filepath.Abs(path)
}
