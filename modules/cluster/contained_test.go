package cluster

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/internal/testing/faults"
)

// TestPanicIsOneAttempt: a panic while a worker does a job, or hands its result over, is a failed attempt
// of this job; the worker goes on, and does the job again.
func TestPanicIsOneAttempt(t *testing.T) {
	for _, at := range []string{"cluster.(*worker).finish", "cluster.(*worker).finishContained", "cluster.(*worker).handOver"} {
		t.Run(at, func(t *testing.T) {
			f := newFixture(t)
			struck := faults.Once(t, at)
			f.work("w", nil)
			m := ring(t, 5)
			out, err := Run(context.Background(), f.connect(), m, f.settings(filepath.Join(t.TempDir(), "r")))
			allSatisfied(t, m, out, err)
			if !struck() {
				t.Error("nothing has panicked")
			}
		})
	}
}

// TestPanicEndsTheWorker: a panic beside the jobs of a worker ends this worker with an error, and another
// worker does what is left.
func TestPanicEndsTheWorker(t *testing.T) {
	f := newFixture(t)
	struck := faults.Once(t, "cluster.callContained")
	_, ended := f.work("first", nil)
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), faults.Message) || !struck() {
			t.Fatalf("the worker ends with %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the worker goes on")
	}
	f.work("second", nil)
	m := ring(t, 3)
	out, err := Run(context.Background(), f.connect(), m, f.settings(filepath.Join(t.TempDir(), "r")))
	allSatisfied(t, m, out, err)
}

// TestPanicEndsTheRun: a panic in a callback of the runner ends the run with an error, not the process.
func TestPanicEndsTheRun(t *testing.T) {
	f := newFixture(t)
	f.work("w", nil)
	struck := faults.Once(t, "cluster.(*runner).start.func")
	_, err := Run(context.Background(), f.connect(), ring(t, 3), f.settings(filepath.Join(t.TempDir(), "r")))
	if err == nil || !strings.Contains(err.Error(), faults.Message) || !struck() {
		t.Errorf("error %v, struck %t", err, struck())
	}
}
