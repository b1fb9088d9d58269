// Command throughput measures how fast inev-cluster is in comparison with inev batch on the same
// cores: on many small jobs, since then the queue matters, and on some longer jobs; once in one
// process, and once with the server and a worker in processes of their own. The programs run in
// turn. Usage:
//
//	go -C modules/cluster run ./throughput [-runs 3] [-small 10000] [-medium 100]
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/modules/cluster"
)

// batch is a manifest whose run is measured.
type batch struct {
	description, folder string
	jobs                int
	states              int // of each model
}

// formulas is the number of jobs on each model.
const formulas = 5

// program is one of the ways to do a batch that are compared.
type program struct {
	name string
	args []string
}

// programs are the ways to do a batch.
type programs struct {
	batch  program // inev batch
	inside program // a cluster in one process
	apart  program // a cluster with a separate server and worker
}

func main() {
	runs := flag.Int("runs", 3, "how often each is run")
	small := flag.Int("small", 10000, "how many small jobs")
	medium := flag.Int("medium", 100, "how many medium jobs")
	flag.Parse()
	if err := measure(context.Background(), os.Stdout, *runs, *small, *medium); err != nil {
		fmt.Fprintln(os.Stderr, "throughput:", err)
		os.Exit(1)
	}
}

// measure runs everything and writes a table.
func measure(ctx context.Context, w io.Writer, runs, small, medium int) error {
	folder, err := os.MkdirTemp("", "throughput-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	server, err := cluster.Embed()
	if err != nil {
		return err
	}
	defer server.Close()
	compared, worker, err := build(ctx, folder, server.URL())
	if err != nil {
		return err
	}
	if err := worker.Start(); err != nil {
		return err
	}
	defer func() {
		_ = worker.Process.Kill()
		_ = worker.Wait()
	}()
	fmt.Fprintf(w,
		"| batch | throughput beside `inev batch` | by the time of the processors | server and worker in processes of their own |\n| --- | --- | --- | --- |\n")
	for _, b := range []batch{
		newBatch(folder, "small", small, 20),
		newBatch(folder, "medium", medium, 60_000),
	} {
		if err := b.write(ctx); err != nil {
			return err
		}
		if err := compared.measure(ctx, w, b, runs); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "\nMedians of %d rounds in which the programs took turns, on %d cores.\n",
		runs, runtime.NumCPU())
	return nil
}

// newBatch returns a batch with this number of jobs, in a folder of its own.
func newBatch(parent, name string, jobs, states int) batch {
	return batch{
		description: fmt.Sprintf("%d jobs on models of %d states", jobs, states),
		folder:      filepath.Join(parent, name),
		jobs:        jobs,
		states:      states,
	}
}

// measure runs a batch with each program in turn, and writes a row of the table.
func (p programs) measure(ctx context.Context, w io.Writer, b batch, runs int) error {
	var elapsed, processorTime, elapsedApart []float64 // the ratios of the runs
	for range runs {
		alone, err := p.batch.run(ctx, b.folder)
		if err != nil {
			return err
		}
		inside, err := p.inside.run(ctx, b.folder)
		if err != nil {
			return err
		}
		apart, err := p.apart.run(ctx, b.folder)
		if err != nil {
			return err
		}
		elapsed = append(elapsed, ratio(alone.elapsed, inside.elapsed))
		processorTime = append(processorTime, ratio(alone.processor, inside.processor))
		elapsedApart = append(elapsedApart, ratio(alone.elapsed, apart.elapsed))
	}
	_, err := fmt.Fprintf(w, "| %s | %.0f %% | %.0f %% | %.0f %% |\n", b.description,
		100*median(elapsed), 100*median(processorTime), 100*median(elapsedApart))
	return err
}

// ratio returns how much longer the first duration is than the second.
func ratio(a, b time.Duration) float64 { return a.Seconds() / b.Seconds() }

// build builds both programs, and returns the ways to compare, and the worker of the separate server.
func build(
	ctx context.Context,
	folder, url string,
) (compared programs, worker *exec.Cmd, err error) {
	inev := filepath.Join(folder, "inev")
	cluster := filepath.Join(folder, "inev-cluster")
	for _, arguments := range [][]string{
		{"-C", filepath.Join("..", ".."), "build", "-o", inev, "./cmd/inev"},
		{"build", "-o", cluster, "./cmd/inev-cluster"},
	} {
		text, err := exec.CommandContext(ctx, "go", arguments...).CombinedOutput()
		if err != nil {
			return programs{}, nil, fmt.Errorf("go %s: %w: %s", strings.Join(arguments, " "), err, text)
		}
	}
	flags := []string{"m.yaml", "-o", "results", "--force", "--quiet", "--fail-on", "none"}
	worker = exec.CommandContext(ctx, cluster, "work", "--nats", url, "--jobs",
		strconv.Itoa(runtime.NumCPU()), "--cache", filepath.Join(folder, "cache"))
	return programs{
		batch:  program{"inev batch", append([]string{inev, "batch"}, flags...)},
		inside: program{"inev-cluster run", append([]string{cluster, "run"}, flags...)},
		apart:  program{"inev-cluster run --nats", append([]string{cluster, "run", "--nats", url}, flags...)},
	}, worker, nil
}

// write writes a manifest with its models, each of which has several jobs.
func (b *batch) write(ctx context.Context) error {
	if err := os.MkdirAll(b.folder, 0o755); err != nil {
		return err
	}
	for i := range (b.jobs + formulas - 1) / formulas {
		if err := b.writeModel(ctx, i); err != nil {
			return err
		}
	}
	var lines strings.Builder
	for i := range formulas {
		fmt.Fprintf(&lines, "Inev(\"ACTION !%d\", \"ACTION !%d\")\n", i, (i+1)%formulas)
	}
	err := os.WriteFile(filepath.Join(b.folder, "f.inev"), []byte(lines.String()), 0o644)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.folder, "m.yaml"),
		[]byte("jobs:\n  - model: 'm*.aut'\n    formula_file: f.inev\n"), 0o644)
}

// writeModel writes the model of this number.
func (b *batch) writeModel(ctx context.Context, number int) error {
	f, err := os.Create(filepath.Join(b.folder, fmt.Sprintf("m%04d.aut", number)))
	if err != nil {
		return err
	}
	err = generate.Write(ctx, f, generate.Spec{
		Kind:     "scc",
		States:   b.states,
		Degree:   2,
		Labels:   5,
		Locality: 10,
		Seed:     uint64(number),
	})
	return cmp.Or(err, f.Close())
}

// duration is how long a run takes.
type duration struct{ elapsed, processor time.Duration }

// run runs a batch, and returns how long that takes.
func (p program) run(ctx context.Context, folder string) (duration, error) {
	cmd := exec.CommandContext(ctx, p.args[0], p.args[1:]...)
	cmd.Dir = folder
	start := time.Now()
	text, err := cmd.CombinedOutput()
	elapsed := time.Since(start)
	if err != nil {
		return duration{}, fmt.Errorf("%s: %w: %s", p.name, err, text)
	}
	processor := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return duration{elapsed, processor}, nil
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
