package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/modules/cluster"
)

// defaultCache is the default size of the models that a worker keeps on disk, in total.
const defaultCache = "10GB"

// workCommand returns the command work.
func (p *program) workCommand() *cli.Command {
	return &cli.Command{
		Name:  "work",
		Usage: "run jobs of all batches of this version",
		Description: `A worker can join at any time. After the first interruption (SIGTERM, Ctrl-C) it ends when its
current jobs are done; after the second it ends at once, and others run these jobs.`,
		Flags: append(serverFlagsOf("the servers are at `URL`, several with commas between"), []cli.Flag{
			&cli.IntFlag{
				Category:    runFlags,
				Name:        "jobs",
				DefaultText: "the number of cores",
				Usage:       "run `N` jobs at a time",
			},
			&cli.StringFlag{
				Category: runFlags,
				Name:     "memory",
				Usage:    "use at most `SIZE`, such as 6GB, and leave larger jobs to others; none: no limit",
			},
			&cli.StringFlag{
				Category: runFlags,
				Name:     "cache",
				Usage:    "keep models in the folder `DIR` (default: in the user's cache folder)",
			},
			&cli.StringFlag{
				Category: runFlags,
				Name:     "cache-size",
				Value:    defaultCache,
				Usage:    "keep models up to `SIZE` in total",
			},
			&cli.StringFlag{
				Category: runFlags,
				Name:     "name",
				Usage:    "the `NAME` of this worker (default: machine and a number)",
			},
			&cli.BoolFlag{
				Category: runFlags,
				Name:     "quiet",
				Usage:    "report no jobs",
			},
		}...),
		Action: p.work,
	}
}

// work is the command work: it does jobs until signals end it. Its context is done at the second signal, not at
// the first.
func (p *program) work(c *cli.Context) error {
	if c.NArg() > 0 {
		return fmt.Errorf("work takes no operands, found %q", c.Args().First())
	}
	if c.String("nats") == "" {
		return errors.New("--nats URL is missing: where are the servers?")
	}
	s, err := readWorkerOptions(c)
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	c.Context = context.WithoutCancel(c.Context)
	memory, err := resources.ParseAllowance(c.String("memory"))
	if err != nil {
		return err
	}
	ctx, _ := memory.Keep(c.Context)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	leave := make(chan struct{})
	go leaveOrStop(ctx, signals, leave, stop)
	s.Leave = leave
	release, err := s.prepareFolders(c.String("cache"), c.String("cache-size"))
	if err != nil {
		return err
	}
	defer release()
	nc, err := p.connect(c)
	if err != nil {
		return err
	}
	defer nc.Close()
	if !c.Bool("quiet") {
		fmt.Fprintf(p.stderr, "worker %s of version %s at %s, %d jobs at a time\n", s.Name,
			s.Version, nc.ConnectedUrlRedacted(), s.Jobs)
		s.Done = p.reportDone
		s.Warn = func(text string) {
			fmt.Fprintln(p.stderr, printable.Text(text))
		}
	}
	return errorOfWorker(cluster.Work(ctx, nc, s.WorkerSettings), nc)
}

// leaveOrStop closes leave at the first signal, so that the worker finishes the jobs that it holds, and
// stops the worker at the second one.
func leaveOrStop(
	ctx context.Context,
	signals <-chan os.Signal,
	leave chan<- struct{},
	stop func(),
) {
	select {
	case <-signals:
		close(leave)
	case <-ctx.Done():
		return
	}
	select {
	case <-signals:
		stop()
	case <-ctx.Done():
	}
}

// errorOfWorker returns the error with which a worker ends: nil if it ends on request.
func errorOfWorker(err error, nc *nats.Conn) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	if err != nil && nc.IsClosed() && nc.LastError() != nil {
		return fmt.Errorf("%w (%v)", err, nc.LastError())
	}
	return err
}

// reportDone writes a line about a job that the worker has done.
func (p *program) reportDone(j batch.Job, status batch.Status, took time.Duration) {
	fmt.Fprintf(p.stderr, "%-9s  %s  (%.2f s)\n", status, printable.Text(j.Name),
		took.Seconds())
}

// workerOptions are the settings of a worker on this machine.
type workerOptions struct{ cluster.WorkerSettings }

// readWorkerOptions reads the flags of the command work, except those about memory and folders.
func readWorkerOptions(c *cli.Context) (*workerOptions, error) {
	s := &workerOptions{cluster.WorkerSettings{
		Name:     c.String("name"),
		Version:  version(),
		Jobs:     c.Int("jobs"),
		Text:     wording.Text,
		Command:  wording.Command,
		Compiled: wording.CompiledFolder(),
	}}
	if c.IsSet("jobs") && s.Jobs < 1 {
		return nil, fmt.Errorf("--jobs %d is not a number above zero", s.Jobs)
	}
	if s.Jobs == 0 {
		s.Jobs = runtime.GOMAXPROCS(0)
	}
	if s.Name == "" {
		s.Name = nameHere(strconv.Itoa(os.Getpid()))
	}
	return s, nil
}

// nameHere returns a name for this worker that begins with the machine's.
func nameHere(rest string) string {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "machine"
	}
	plain := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, host)
	return plain[:min(len(plain), 60)] + "-" + rest
}

// prepareFolders makes folders for the models and files of jobs; release unlocks them.
func (s *workerOptions) prepareFolders(cache, size string) (release func(), err error) {
	limit, err := resources.ParseSize(size)
	if err != nil {
		return nil, fmt.Errorf("--cache-size %w", err)
	}
	if cache == "" {
		if cache, err = os.UserCacheDir(); err != nil {
			cache = os.TempDir()
		}
		cache = filepath.Join(cache, "inev-cluster")
	}
	folder, unlock, err := lockFolderIn(cache)
	if err != nil {
		return nil, err
	}
	if s.Cache, err = cluster.NewFolderStore(filepath.Join(folder, "models"), limit); err != nil {
		unlock()
		return nil, err
	}
	s.Folder = filepath.Join(folder, "jobs")
	err = os.RemoveAll(s.Folder) // what a worker that was killed has left
	if err == nil {
		err = os.MkdirAll(s.Folder, 0o755)
	}
	if err != nil {
		unlock()
		return nil, err
	}
	return func() {
		_ = os.RemoveAll(s.Folder)
		unlock()
	}, nil
}

// mostWorkersHere is the largest number of workers with folders on one machine.
const mostWorkersHere = 4096

// lockFolderIn returns the first of the folders 1, 2, … that no other worker has locked, and locks
// it.
func lockFolderIn(root string) (folder string, unlock func(), err error) {
	for i := 1; i <= mostWorkersHere; i++ {
		folder = filepath.Join(root, strconv.Itoa(i))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return "", nil, fmt.Errorf("%w; choose another folder with --cache", err)
		}
		handle, err := os.Open(folder)
		if err != nil {
			return "", nil, err
		}
		if filesystem.Lock(handle) {
			return folder, func() { _ = handle.Close() }, nil
		}
		_ = handle.Close()
	}
	return "", nil, fmt.Errorf("%s: %d workers have their folders there; choose another one with --cache", root, mostWorkersHere)
}
