// Command throughput measures how fast inev-cluster is in comparison with inev batch on the same
// cores: on many small jobs, since then the queue matters, and on some longer jobs; once in one
// process, and once with the server and a worker in processes of their own. The programs run in
// turn. Usage:
//
//	go -C modules/cluster run ./throughput [-runs 3] [-small 10000] [-medium 100]
package main

import (
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
	what, folder string
	jobs         int
}

// program is one of the ways to do a batch that are compared.
type program struct {
	name string
	args []string
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
	programs, worker, err := build(ctx, folder, server.URL())
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
	const smallStates, mediumStates, formulas = 20, 60_000, 5
	batches := []batch{
		{fmt.Sprintf("%d jobs on models of %d states", small, smallStates), filepath.Join(folder, "small"), small},
		{fmt.Sprintf("%d jobs on models of %d states", medium, mediumStates), filepath.Join(folder, "medium"), medium},
	}
	for i, states := range []int{smallStates, mediumStates} {
		if err := batches[i].write(ctx, states, formulas); err != nil {
			return err
		}
	}
	fmt.Fprintf(w,
		"| batch | throughput beside `inev batch` | by the time of the processors | server and worker in processes of their own |\n| --- | --- | --- | --- |\n")
	for _, b := range batches {
		var times, processors, apart []float64
		for range runs {
			var took, worked [3]time.Duration
			for i, p := range programs {
				if took[i], worked[i], err = p.run(ctx, b.folder); err != nil {
					return err
				}
			}
			times = append(times, took[0].Seconds()/took[1].Seconds())
			processors = append(processors, worked[0].Seconds()/worked[1].Seconds())
			apart = append(apart, took[0].Seconds()/took[2].Seconds())
		}
		fmt.Fprintf(w, "| %s | %.0f %% | %.0f %% | %.0f %% |\n", b.what, 100*median(times),
			100*median(processors), 100*median(apart))
	}
	fmt.Fprintf(w, "\nMedians of %d rounds in which the programs took turns, on %d cores.\n",
		runs, runtime.NumCPU())
	return nil
}

// build builds both programs, and returns the ways to compare: inev batch, a cluster in one
// process, and a cluster with a separate server and worker.
func build(
	ctx context.Context,
	folder, url string,
) (programs []program, worker *exec.Cmd, err error) {
	inev, cluster := filepath.Join(folder, "inev"), filepath.Join(folder, "inev-cluster")
	for _, one := range [][]string{{"-C", filepath.Join("..", ".."), "build", "-o", inev, "./cmd/inev"}, {"build", "-o", cluster, "./cmd/inev-cluster"}} {
		if text, err := exec.CommandContext(ctx, "go", one...).CombinedOutput(); err != nil {
			return nil, nil, fmt.Errorf("go %s: %w: %s", strings.Join(one, " "), err, text)
		}
	}
	flags := []string{"m.yaml", "-o", "results", "--force", "--quiet", "--fail-on", "none"}
	worker = exec.CommandContext(ctx, cluster, "work", "--nats", url, "--jobs",
		strconv.Itoa(runtime.NumCPU()), "--cache", filepath.Join(folder, "cache"))
	return []program{
		{"inev batch", append([]string{inev, "batch"}, flags...)},
		{"inev-cluster run", append([]string{cluster, "run"}, flags...)},
		{"inev-cluster run --nats", append([]string{cluster, "run", "--nats", url}, flags...)},
	}, worker, nil
}

// write writes a manifest with its models, each of which has several jobs.
func (b *batch) write(ctx context.Context, states, formulas int) error {
	if err := os.MkdirAll(b.folder, 0o755); err != nil {
		return err
	}
	for i := range (b.jobs + formulas - 1) / formulas {
		f, err := os.Create(filepath.Join(b.folder, fmt.Sprintf("m%04d.aut", i)))
		if err != nil {
			return err
		}
		err = generate.Write(ctx, f, generate.Spec{
			Kind:     "scc",
			States:   states,
			Degree:   2,
			Labels:   5,
			Locality: 10,
			Seed:     uint64(i),
		})
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
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

// run returns the duration of a run, and its processor time.
func (p program) run(
	ctx context.Context,
	folder string,
) (took, worked time.Duration, err error) {
	cmd := exec.CommandContext(ctx, p.args[0], p.args[1:]...)
	cmd.Dir = folder
	start := time.Now()
	if text, err := cmd.CombinedOutput(); err != nil {
		return 0, 0, fmt.Errorf("%s: %w: %s", p.name, err, text)
	}
	return time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
