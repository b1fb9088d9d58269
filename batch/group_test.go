package batch

import (
	"fmt"
	"testing"
)

// TestGroups: results that are there share a flush, none is lost or moved, and one that nothing
// follows is not held back.
func TestGroups(t *testing.T) {
	results := make(chan Result, 2*pending)
	send := func(from, to int) {
		for i := from; i < to; i++ {
			results <- Result{Job: Job{Name: fmt.Sprint(i)}}
		}
	}
	next := 0
	expect := func(n int) {
		t.Helper()
		gathered := gather(results)
		if len(gathered) != n {
			t.Fatalf("%d results in a group, want %d", len(gathered), n)
		}
		for _, r := range gathered {
			if r.Job.Name != fmt.Sprint(next) {
				t.Fatalf("result %s, want %d", r.Job.Name, next)
			}
			next++
		}
	}
	send(0, 1)
	expect(1) // the channel is open: the job that comes next may take hours
	send(1, 1+gatheredResults)
	expect(gatheredResults)
	send(next, next+pending+5)
	expect(pending)
	close(results)
	expect(5)
	expect(0)
}

// TestGroupWaits: a result that comes while a group is not full belongs to it.
func TestGroupWaits(t *testing.T) {
	results := make(chan Result)
	go func() {
		defer close(results)
		for i := range 3 {
			results <- Result{Job: Job{Name: fmt.Sprint(i)}}
		}
	}()
	total := 0
	for gathered := gather(results); len(gathered) > 0; gathered = gather(results) {
		total += len(gathered)
	}
	if total != 3 {
		t.Errorf("%d results, want 3", total)
	}
}
