package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/internal/batch/baseline"
	"github.com/inev-lts/inev/internal/batch/summary"
	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/modules/cluster"
)

// resultsFolder is the default folder of results, as for inev batch.
const resultsFolder = "inev-results"

// booleanFlag returns the Boolean flag of an option of package options.
func booleanFlag(name options.Name) cli.Flag {
	return &cli.BoolFlag{
		Category: runFlags,
		Name:     name.Flag(),
		Usage:    name.Option().Usage,
	}
}

// runCommand returns the command run.
func (p *program) runCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "run the jobs of a manifest on workers, and keep every result",
		ArgsUsage: "MANIFEST",
		Description: `MANIFEST and the folder of results are the same as for inev batch, whose help explains both.
Without --nats, a server and workers run within this process; workers on this machine can
join them. With --nats, the workers are the machines that run inev-cluster work.

The exit codes are the same as for inev batch.`,
		Flags: slices.Concat(
			serverFlagsOf("use the servers at `URL`, several with commas between, and their workers"),
			flagsOfResults(),
			flagsOfRuns(),
		),
		Action: p.runBatch,
	}
}

// flagsOfResults are the flags about what is written, and when a batch fails.
func flagsOfResults() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Category: resultFlags,
			Name:     "o",
			Value:    resultsFolder,
			Usage:    "keep results in the folder `DIR`",
		},
		&cli.BoolFlag{
			Category: resultFlags,
			Name:     "html",
			Usage:    "write a page for each job",
		},
		&cli.BoolFlag{
			Category: resultFlags,
			Name:     "svg",
			Usage:    "write a picture for each job",
		},
		&cli.BoolFlag{
			Category: resultFlags,
			Name:     "dot",
			Usage:    "write a picture for Graphviz for each job",
		},
		&cli.BoolFlag{
			Category: resultFlags,
			Name:     "trace",
			Usage:    "write counterexamples for CADP",
		},
		&cli.BoolFlag{
			Category: resultFlags,
			Name:     "no-json",
			Usage:    "write no JSON",
		},
		&cli.StringFlag{
			Category: resultFlags,
			Name:     "base-url",
			Usage:    "links in summaries begin with `URL`; none: no links",
		},
		&cli.StringFlag{
			Category: resultFlags,
			Name:     "baseline",
			Usage:    "compare with the results in `OLD`, a folder or its results.jsonl",
		},
		&cli.StringFlag{
			Category: resultFlags,
			Name:     "fail-on",
			Value:    batch.Gates()[0],
			Usage:    "exit with 1 if there are `WHICH` jobs: unexpected, any, new or none",
		},
	}
}

// flagsOfRuns are the flags about how the jobs are run.
func flagsOfRuns() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{
			Category: runFlags,
			Name:     "resume",
			Usage:    "continue with the results in the folder",
		},
		&cli.BoolFlag{
			Category: runFlags,
			Name:     "force",
			Usage:    "remove the results in the folder first",
		},
		booleanFlag(options.AllowUnmatched),
		booleanFlag(options.Parts),
		&cli.DurationFlag{
			Category:    runFlags,
			Name:        "timeout",
			DefaultText: "no limit",
			Usage:       "stop each job after `DURATION`, such as 90s or 5m",
		},
		&cli.IntFlag{
			Category:    runFlags,
			Name:        "workers",
			DefaultText: "the number of cores",
			Usage:       "without --nats: run `N` jobs at a time",
		},
		&cli.StringFlag{
			Category: runFlags,
			Name:     "memory",
			Usage:    "without --nats: all jobs together use at most `SIZE`; none: no limit",
		},
		&cli.StringFlag{
			Category: runFlags,
			Name:     "name",
			Usage:    "the `NAME` of this batch on the servers (default: machine and folder)",
		},
		&cli.BoolFlag{
			Category: runFlags,
			Name:     "wait",
			Usage:    "wait for another run of this name to end",
		},
		&cli.IntFlag{
			Category:    runFlags,
			Name:        "attempts",
			DefaultText: "3",
			Usage:       "a job fails when workers have said `N` times that they cannot do it",
		},
		&cli.DurationFlag{
			Category:    runFlags,
			Name:        "ack-wait",
			DefaultText: "30s",
			Usage:       "give jobs to others if a worker is silent for `DURATION`",
		},
		&cli.DurationFlag{
			Category: runFlags,
			Name:     "stall",
			Value:    time.Minute,
			Usage:    "say why when nothing has happened for `DURATION`",
		},
		&cli.StringFlag{
			Category: runFlags,
			Name:     "max-models",
			Usage:    "refuse batches with models of more than `SIZE` in total, such as 20GB",
		},
		&cli.StringFlag{
			Category: runFlags,
			Name:     "metrics",
			Usage:    "serve metrics for Prometheus at `ADDR`, such as 127.0.0.1:9464",
		},
		&cli.BoolFlag{
			Category: runFlags,
			Name:     "quiet",
			Usage:    "show no warnings or progress",
		},
	}
}

// runBatch is the command run: it has workers do the jobs of a manifest, and writes the results.
func (p *program) runBatch(c *cli.Context) error {
	path, err := operand(c, "a manifest")
	if err != nil {
		return err
	}
	s, err := p.runSettings(c)
	if err != nil {
		return err
	}
	gate, earlier, err := readGate(c)
	if err != nil {
		return err
	}
	m, err := batch.Open(c.Context, path)
	if err != nil {
		return err
	}
	if c.Bool(options.AllowUnmatched.Flag()) {
		m = m.AllowingUnmatched()
	}
	if c.Bool(options.Parts.Flag()) {
		m = m.CountingParts()
	}
	if c.String("metrics") != "" {
		m, err := p.serveMetrics(c)
		if err != nil {
			return err
		}
		defer m.close()
		s.Observe = m.observe
	}
	ctx, fail := context.WithCancelCause(c.Context)
	defer fail(nil)
	nc, leave, err := p.connectOrEmbed(c, fail)
	if err != nil {
		return err
	}
	defer leave()
	outcome, err := cluster.Run(ctx, nc, m, s)
	if err != nil {
		return withAdvice(err, outcome, s)
	}
	return p.conclude(c, outcome, gate, earlier)
}

// withAdvice returns the error of a run that ended early, with words that say how it ended, and
// what to do.
func withAdvice(err error, outcome *batch.Outcome, s cluster.Settings) error {
	var heldByOther *cluster.HeldError
	var lost *cluster.LostError
	switch {
	case errors.As(err, &heldByOther):
		return fmt.Errorf("%w; wait for it with --wait, give another --name, or end it: inev-cluster cancel %s", err, s.Name)
	case outcome == nil:
		return err
	case errors.As(err, &lost):
		return fmt.Errorf("%w; %d of %d jobs are finished and kept in %s", err,
			len(outcome.Results), len(outcome.Jobs), s.Batch.Folder)
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted: %d of %d jobs are finished and kept in %s; run the same command with --resume to continue", len(outcome.Results), len(outcome.Jobs), s.Batch.Folder)
	}
	return err
}

// runSettings reads the flags about how a batch is run.
func (p *program) runSettings(c *cli.Context) (s cluster.Settings, err error) {
	folder := c.String("o")
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return s, err
	}
	s = cluster.Settings{
		InPlace:  c.String("nats") == "",
		Name:     c.String("name"),
		Attempts: c.Int("attempts"),
		AckWait:  c.Duration("ack-wait"),
		Replicas: c.Int("replicas"),
		Wait:     c.Bool("wait"),
		Stall:    c.Duration("stall"),
	}
	if s.Name == "" {
		sum := sha256.Sum256([]byte(absolute))
		s.Name = nameHere(hex.EncodeToString(sum[:6]))
	}
	s.Batch, err = p.batchSettings(c)
	if err != nil {
		return s, err
	}
	if text := c.String("max-models"); text != "" {
		s.MostModels, err = resources.ParseSize(text)
		if err != nil {
			return s, fmt.Errorf("--max-models %w", err)
		}
	}
	if s.Stall <= 0 {
		return s, fmt.Errorf("--stall %v is not a duration above zero, such as 90s or 5m",
			s.Stall)
	}
	if s.Batch.Timeout < 0 || s.AckWait < 0 || s.Attempts < 0 || c.Int("workers") < 0 {
		return s, errors.New("--timeout, --ack-wait, --attempts and --workers are above zero")
	}
	return s, nil
}

// batchSettings reads the flags that inev batch has, too.
func (p *program) batchSettings(c *cli.Context) (s batch.Settings, err error) {
	s = batch.Settings{
		Folder:  c.String("o"),
		Version: version(),
		Timeout: c.Duration("timeout"),
		Text:    wording.Text,
		Command: wording.Command,
		Wanted:  wording.WantedFiles(c.Bool),
	}
	switch {
	case c.Bool("resume") && c.Bool("force"):
		return s, errors.New("--resume goes on with the results in the folder, --force removes them; give one of them")
	case c.Bool("resume"):
		s.Begin = batch.Resume
	case c.Bool("force"):
		s.Begin = batch.Replace
	}
	if !c.Bool("quiet") {
		s.Warn = func(text string) {
			fmt.Fprintf(p.stderr, "warning: %s\n", printable.Text(text))
		}
		s.Finished = p.reportFinished
	}
	return s, nil
}

func (p *program) reportFinished(done batch.Progress) {
	r := done.Result
	text := fmt.Sprintf("[%d/%d] %-9s  %s", done.Done, done.Total, r.Status, r.Job.Name)
	if r.Error != "" {
		text += ": " + r.Error
	}
	fmt.Fprintf(p.stderr, "%s  (%.2f s)\n", printable.Text(text), r.Milli/1000)
}

// garbagePercent is the amount of garbage, in percent of the live memory, that makes Go collect it.
const garbagePercent = 300

// connectOrEmbed connects to the named servers, or starts one in this process, with workers.
func (p *program) connectOrEmbed(
	c *cli.Context,
	fail context.CancelCauseFunc,
) (nc *nats.Conn, leave func(), err error) {
	if c.String("nats") == "" {
		return p.embed(c, fail)
	}
	if c.IsSet("workers") || c.IsSet("memory") {
		return nil, nil, errors.New("--workers and --memory cannot be used with --nats; give them to inev-cluster work")
	}
	if nc, err = p.connect(c); err != nil {
		return nil, nil, err
	}
	return nc, nc.Close, nil
}

// embed starts a server in this process, with workers.
func (p *program) embed(
	c *cli.Context,
	fail context.CancelCauseFunc,
) (nc *nats.Conn, leave func(), err error) {
	memory, err := resources.ParseAllowance(c.String("memory"))
	if err != nil {
		return nil, nil, err
	}
	if os.Getenv("GOGC") == "" {
		// The server allocates much and holds little; the limit of memory is kept nevertheless.
		debug.SetGCPercent(garbagePercent)
	}
	ctx, _ := memory.Keep(c.Context)
	embedded, err := cluster.Embed()
	if err != nil {
		return nil, nil, err
	}
	if !c.Bool("quiet") {
		fmt.Fprintf(p.stderr, "others on this machine can join: inev-cluster work --nats %s\n",
			embedded.URL())
	}
	stop, err := startWorker(ctx, fail, embedded, cluster.WorkerSettings{
		Name:      "here",
		Version:   version(),
		Jobs:      c.Int("workers"),
		EverySize: true,
		Text:      wording.Text,
		Command:   wording.Command,
		Results:   c.String("o"),
		Compiled:  wording.CompiledFolder(),
	})
	if err == nil {
		nc, err = embedded.Connect()
	}
	if err != nil {
		embedded.Close()
		return nil, nil, err
	}
	return nc, func() {
		stop()
		nc.Close()
		embedded.Close()
	}, nil
}

// startWorker makes this process a worker, until stop is called. If the worker ends by itself, nobody
// else does its jobs: then startWorker calls fail.
func startWorker(
	ctx context.Context,
	fail context.CancelCauseFunc,
	embedded *cluster.Embedded,
	s cluster.WorkerSettings,
) (stop func(), _ error) {
	if s.Jobs == 0 {
		s.Jobs = runtime.GOMAXPROCS(0)
	}
	var err error
	s.Folder, err = embedded.Folder("jobs")
	if err != nil {
		return nil, err
	}
	models, err := embedded.Folder("models")
	if err != nil {
		return nil, err
	}
	s.Cache, err = cluster.NewFolderStore(models, 0)
	if err != nil {
		return nil, err
	}
	nc, err := embedded.Connect()
	if err != nil {
		return nil, err
	}
	return inBackground(ctx, fail, nc, s), nil
}

// inBackground does the jobs of a worker in another goroutine, until stop is called. Then it closes the
// connection. If the worker ends by itself, inBackground calls fail.
func inBackground(
	ctx context.Context,
	fail context.CancelCauseFunc,
	nc *nats.Conn,
	s cluster.WorkerSettings,
) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := cluster.Work(ctx, nc, s)
		if ctx.Err() == nil { // otherwise it ends on request
			fail(fmt.Errorf("the worker of this process has ended: %w",
				cmp.Or(err, errors.New("it was told to"))))
		}
	}()
	return func() {
		cancel()
		<-ended
		nc.Close()
	}
}

// readGate reads the flags about the earlier run to compare with and about the results that make
// the batch fail.
func readGate(c *cli.Context) (gate batch.Gate, old []batch.Result, err error) {
	if err = gate.Set(c.String("fail-on")); err != nil {
		return "", nil, fmt.Errorf("--fail-on: %w", err)
	}
	if c.String("baseline") == "" {
		if gate.NeedsBaseline() {
			return "", nil, errors.New("--fail-on new needs an earlier run to compare with; name it by --baseline")
		}
		return gate, nil, nil
	}
	if old, err = batch.ReadResults(c.Context, c.String("baseline")); err != nil {
		return "", nil, fmt.Errorf("--baseline: %w", err)
	}
	return gate, old, nil
}

// conclude writes the summaries, prints the summary, and returns an error if the batch fails.
func (p *program) conclude(
	c *cli.Context,
	outcome *batch.Outcome,
	gate batch.Gate,
	earlier []batch.Result,
) error {
	folder := c.String("o")
	b := summary.Batch{
		Manifest: outcome.Plan.Manifest,
		Version:  version(),
		Results:  outcome.Results,
		Folder:   filepath.ToSlash(folder),
	}
	if base := c.String("base-url"); base == "none" {
		b.NoLinks = true
	} else {
		b.BaseURL = base
	}
	baselineName := c.String("baseline")
	if baselineName != "" {
		differences := baseline.Compare(earlier, outcome.Results)
		differences.Baseline = baselineName
		b.Differences = &differences
	}
	writeErr := b.Write(c.Context, folder)
	// If the folder is missing, report that alone: other errors are consequences.
	if lostErr := outcome.Check(c.Context, folder); lostErr != nil && c.Context.Err() == nil {
		return lostErr
	}
	if writeErr != nil {
		return writeErr
	}
	failing := gate.Failing(outcome.Results, earlier)
	if _, err := fmt.Fprint(p.stdout, wording.Summary(outcome, b, failing, gate, folder)); err != nil {
		return err
	}
	if gate.IsUndecided(outcome.Results) {
		return errUndecided
	}
	if len(failing) > 0 {
		return errFailing
	}
	return nil
}

// cancelCommand returns the command cancel.
func (p *program) cancelCommand() *cli.Command {
	return &cli.Command{
		Name:      "cancel",
		Usage:     "end a batch, wherever it is run",
		ArgsUsage: "NAME",
		Description: `NAME is that of the batch on the servers, as inev-cluster status lists it. Its runner ends,
workers stop, and results that were not fetched are removed. What is in the folder of results
stays, and run --resume continues with it.`,
		Flags:  serverFlagsOf("the servers are at `URL`, several with commas between"),
		Action: p.cancel,
	}
}

// cancel is the command cancel: it ends a batch on the servers.
func (p *program) cancel(c *cli.Context) error {
	name, err := operand(c, "the name of a batch")
	if err != nil {
		return err
	}
	if c.String("nats") == "" {
		return errors.New("--nats URL is missing: where are the servers?")
	}
	nc, err := p.connect(c)
	if err != nil {
		return err
	}
	defer nc.Close()
	if err := cluster.Cancel(c.Context, nc, name); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "canceled %s\n", printable.Text(name))
	return err
}

// statusPatience is the time for which status tries to connect.
const statusPatience = 5 * time.Second

// statusCommand returns the command status.
func (p *program) statusCommand() *cli.Command {
	return &cli.Command{
		Name:  "status",
		Usage: "list batches and workers",
		Flags: append(serverFlagsOf("ask the servers at `URL`, several with commas between"),
			&cli.StringFlag{
				Category: resultFlags,
				Name:     "format",
				Value:    "text",
				Usage:    "`FORMAT` is text or json",
			}),
		Action: p.status,
	}
}

// status lists batches and workers.
func (p *program) status(c *cli.Context) error {
	format := c.String("format")
	switch {
	case c.NArg() > 0:
		return fmt.Errorf("status takes no operands, found %q", c.Args().First())
	case format != "text" && format != "json":
		return fmt.Errorf("--format: there is no format %q; choose text or json", format)
	case c.String("nats") == "":
		return errors.New("--nats URL is missing: where are the servers?")
	}
	// A query of the status must not wait until servers are there.
	nc, err := p.connectWithin(c, statusPatience)
	if err != nil {
		return err
	}
	defer nc.Close()
	s, err := cluster.ReadStatus(c.Context, nc)
	if err != nil {
		return err
	}
	if format == "text" {
		return p.writeStatus(s)
	}
	encoder := json.NewEncoder(p.stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(s)
}

// writeStatus writes tables of batches and workers.
func (p *program) writeStatus(s *cluster.Status) error {
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "batch\tversion\tjobs\tfinished\trunning\twaiting\theld by")
	for _, b := range s.Batches {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%s\n", printable.Text(b.Name),
			printable.Text(b.Version), b.Jobs, b.Finished, b.Running, b.Waiting, describeHolder(b))
	}
	fmt.Fprintln(w, "\t\t\t\t\t\t\nworker\tversion\tjobs\tholds\tmemory\t\t")
	for _, worker := range s.Workers {
		memory := "any"
		if worker.Memory > 0 {
			memory = progress.Bytes.Format(worker.Memory)
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t\t\n", printable.Text(worker.Name),
			printable.Text(worker.Version), worker.Jobs, worker.Held, memory)
	}
	return w.Flush()
}

// describeHolder describes the runner of a batch, and its folder.
func describeHolder(b cluster.BatchStatus) string {
	text := fmt.Sprintf("%s for %s, since %s", printable.Text(b.Runner),
		printable.Text(b.Folder), printable.Text(b.Since))
	if b.Heard >= 0 {
		text += fmt.Sprintf(", heard of %.0f s ago", b.Heard)
	}
	return text
}
