package batch_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/batch/summary"
	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/testing/anomaly"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

var (
	everyFault = flag.Bool("anomalies", false, "every operation fails in every way, not in one of them")
	losses     = flag.Int("losses", 1, "so many times the power is lost after each operation, with other remains")
)

// faults are the ways in which an operation fails. What a write has not done when it fails is
// the short write.
var faults = []error{syscall.ENOSPC, syscall.EIO, syscall.EINTR}

// attempt is a run with its summaries, and what it has told.
type attempt struct {
	results []batch.Result
	told    []string // the jobs, in order
	at      []int    // how many operations there were when each was told of
	done    int      // how many there were when all was done
	err     error
}

// try runs the batch with a file system.
func (l *laboratory) try(system *anomaly.System, folder string, begin batch.Begin) attempt {
	var a attempt
	ctx := filesystem.With(context.Background(), system)
	out, err := batch.Run(ctx, l.manifest, batch.Settings{
		Folder: folder, Begin: begin, Parallel: 1, Wanted: l.wanted, Version: "v1",
		Finished: func(p batch.Progress) {
			if p.Result.Status.Answered() {
				a.told = append(a.told, p.Result.Job.Name)
				a.at = append(a.at, system.Count())
			}
		},
	})
	if a.err = err; err != nil {
		return a
	}
	a.results = out.Results
	b := summary.Batch{Manifest: l.manifest.File, Version: "v1", Results: out.Results, Folder: "results"}
	if a.err = b.Write(ctx, folder); a.err == nil {
		a.err = out.Check(ctx, folder)
	}
	a.done = system.Count()
	return a
}

// recovered looks whether a run that goes on in a folder gives the reference's results, keeps
// what was told, and leaves nothing behind.
func (l *laboratory) recovered(t *testing.T, folder string, told []string) {
	t.Helper()
	other := *l
	other.folder = folder
	results, _ := other.run(t)
	if !alike(results, l.results) {
		t.Errorf("afterwards there are %+v", results)
	}
	for _, r := range results {
		if slices.Contains(told, r.Job.Name) && !r.Reused {
			t.Errorf("%s was told, and is done again", r.Job.Name)
		}
	}
	if now := other.summaries(t); !reflect.DeepEqual(now, l.sums) {
		t.Errorf("other summaries: %v", now)
	}
	var want, got []string
	for name := range l.files {
		want = append(want, name)
	}
	for name := range contentsOf(t, folder) {
		got = append(got, name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("there are %q, want %q", got, want)
	}
	if read, err := batch.ReadResults(context.Background(), folder); err != nil || !alike(read, l.results) {
		t.Errorf("there are %+v (error %v)", read, err)
	}
}

// names reports whether an error is one line that names the folder, or a file of it.
func names(text, folder string) bool {
	return strings.Contains(text, folder) && !strings.Contains(text, "\n")
}

// skipped reports whether a short run, or one under the race detector, does without a fault at operation n: it takes one of
// eleven, a number that meets all kinds of faults in turn.
func skipped(n int) bool { return (!randomlts.Whole() || raceDetected) && n%11 != 0 }

// TestEveryFaultInTurn: whatever operation fails, the run gives the results that it should, or
// an error that names the file, and a run that goes on gives them.
func TestEveryFaultInTurn(t *testing.T) {
	l := newLaboratory(t, "explanation", "trace")
	calm := anomaly.New(anomaly.Fault{})
	if a := l.try(calm, filepath.Join(t.TempDir(), "results"), batch.Afresh); a.err != nil {
		t.Fatal(a.err)
	}
	failing, tries := 0, 0
	for at := range calm.Count() {
		for way := range 2 * len(faults) {
			if !*everyFault && way != at%(2*len(faults)) || skipped(at) {
				continue
			}
			tries++
			system := anomaly.New(anomaly.Fault{At: at, Err: faults[way/2], Stays: way%2 == 1})
			folder := filepath.Join(t.TempDir(), "results")
			a := l.try(system, folder, batch.Afresh)
			quiet := a.err == nil
			for i, r := range a.results {
				if r.Status == batch.Failed {
					quiet = false
					if !names(r.Error, folder) {
						t.Errorf("the error %q does not name the file", r.Error)
					}
				} else if !alike([]batch.Result{r}, l.results[i:i+1]) {
					t.Errorf("another result: %+v", r)
				}
			}
			if what, _, _ := strings.Cut(system.Failed(), " "); quiet && (what == "fsync" || what == "write" || what == "close" || what == "create") {
				t.Error("nothing was said of it")
			}
			if a.err != nil {
				failing++
				if !names(a.err.Error(), folder) || !errors.Is(a.err, faults[way/2]) && !strings.Contains(a.err.Error(), faults[way/2].Error()) {
					t.Errorf("the error %q does not name the file, or the cause", a.err)
				}
			}
			if read, err := batch.ReadResults(context.Background(), folder); err == nil && a.err == nil && !alike(read, a.results) {
				t.Errorf("other results were read: %+v", read)
			}
			l.recovered(t, folder, a.told)
			if t.Failed() {
				t.Fatalf("operation %d of %d, %s, fails with %v (stays: %v): %v", at, calm.Count(), system.Failed(), faults[way/2], way%2 == 1, a.err)
			}
		}
	}
	t.Logf("%d operations, %d faults, %d runs ended with an error", calm.Count(), tries, failing)
	if failing < tries/3 {
		t.Errorf("only %d of %d faults were told", failing, tries)
	}
}

// TestPowerLoss: after whatever operation the power is lost, what was told until then is there,
// what is read is right or refused, and a run that goes on gives the reference's results.
func TestPowerLoss(t *testing.T) {
	t.Run("with files", func(t *testing.T) { losePower(t, newLaboratory(t, "explanation", "trace")) })
	t.Run("without", func(t *testing.T) { losePower(t, newLaboratory(t)) })
}

func losePower(t *testing.T, l *laboratory) {
	t.Helper()
	system := anomaly.New(anomaly.Fault{})
	base := t.TempDir()
	a := l.try(system, filepath.Join(base, "results"), batch.Afresh)
	if a.err != nil {
		t.Fatal(a.err)
	}
	refused, lost := 0, 0
	for n := range system.Count() + 1 {
		for i := range *losses {
			if skipped(n) {
				continue
			}
			left := t.TempDir()
			r := rand.New(rand.NewPCG(*seed, uint64(n)<<16+uint64(i)))
			if err := system.Lose(base, n, left, r); err != nil {
				t.Fatal(err)
			}
			folder := filepath.Join(left, "results")
			read, err := batch.ReadResults(context.Background(), folder)
			switch {
			case err == nil && !alike(read, l.results):
				t.Errorf("other results were read: %+v", read)
			case err != nil && n >= a.done:
				t.Errorf("all was done, and there is %v", err)
			case err != nil:
				refused++
			}
			told := 0
			for told < len(a.at) && a.at[told] <= n {
				told++
			}
			if _, err := os.Stat(folder); err != nil {
				lost++
			}
			l.recovered(t, folder, a.told[:told])
			if t.Failed() {
				t.Fatalf("the power was lost after operation %d of %d (seed %d, time %d)", n, system.Count(), *seed, i)
			}
		}
	}
	t.Logf("%d operations; %d times results were refused, %d times there was no folder", system.Count(), refused, lost)
}

// TestMergeFaults: whatever operation fails, what is joined is right, or refused with an error
// that names the file, and to begin afresh mends it.
func TestMergeFaults(t *testing.T) {
	l := newLaboratory(t, "explanation", "trace")
	merge := func(system *anomaly.System, to string, begin batch.Begin) (*batch.Outcome, error) {
		return batch.Merge(filesystem.With(context.Background(), system), []string{l.folder}, batch.Settings{Folder: to, Begin: begin, Version: "v1"})
	}
	calm := anomaly.New(anomaly.Fault{})
	base := t.TempDir()
	if _, err := merge(calm, filepath.Join(base, "merged"), batch.Afresh); err != nil {
		t.Fatal(err)
	}
	check := func(what string, to string) {
		if read, err := batch.ReadResults(context.Background(), to); err == nil && !alike(read, l.results) {
			t.Errorf("other results were read: %+v", read)
		}
		if out, err := merge(anomaly.New(anomaly.Fault{}), to, batch.Replace); err != nil || !alike(out.Results, l.results) {
			t.Errorf("afterwards there are %+v (error %v)", out, err)
		}
		if read, err := batch.ReadResults(context.Background(), to); err != nil || !alike(read, l.results) {
			t.Errorf("afterwards %+v are read (error %v)", read, err)
		}
		if t.Failed() {
			t.Fatal(what)
		}
	}
	for at := range calm.Count() {
		if skipped(at) {
			continue
		}
		fault := faults[at%len(faults)]
		system := anomaly.New(anomaly.Fault{At: at, Err: fault, Stays: at%2 == 1})
		to := filepath.Join(t.TempDir(), "merged")
		if out, err := merge(system, to, batch.Afresh); err == nil && !alike(out.Results, l.results) || err != nil && !names(err.Error(), to) {
			t.Errorf("%+v (error %v)", out, err)
		}
		check("after "+system.Failed(), to)
		left := t.TempDir()
		if err := calm.Lose(base, at, left, rand.New(rand.NewPCG(*seed, uint64(at)))); err != nil {
			t.Fatal(err)
		}
		check("after a loss of power", filepath.Join(left, "merged"))
	}
}
