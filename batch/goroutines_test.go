package batch

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/internal/resources"
)

// atWork returns the goroutines of the module beside the one that asks.
func atWork() []string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var all []string
	for _, g := range strings.Split(string(stacks), "\n\n")[1:] {
		if strings.Contains(g, "github.com/inev-lts/inev/") && !strings.Contains(g, "testing.tRunner") {
			all = append(all, g)
		}
	}
	return all
}

// endsQuietly fails if goroutines of the module go on for minutes.
func endsQuietly(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; runtime.Gosched() {
		left := atWork()
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d goroutines are left:\n%s", len(left), strings.Join(left, "\n\n"))
		}
	}
}

// TestNoGoroutineIsLeft: when a batch has returned, whether it came to its end, was
// stopped, met its limits or could not write, all that it started has ended.
func TestNoGoroutineIsLeft(t *testing.T) {
	m := someJobs(t)
	folder := t.TempDir()
	run(t, m, Settings{Folder: filepath.Join(folder, "whole"), Parallel: 4})
	endsQuietly(t)
	ctx := resources.NewBudget(resources.Limit{Bytes: 1 << 20}, nil).With(context.Background())
	if _, err := Run(ctx, m, Settings{Folder: filepath.Join(folder, "limited"), Parallel: 4, Timeout: time.Nanosecond}); err != nil {
		t.Error(err)
	}
	endsQuietly(t)
	for i := range 20 {
		ctx, stop := context.WithCancel(context.Background())
		told := 0
		s := Settings{Folder: filepath.Join(folder, "stopped"), Begin: Replace, Parallel: 3, Finished: func(Progress) {
			if told++; told > i%7 {
				stop()
			}
		}}
		_, _ = Run(ctx, m, s)
		stop()
		endsQuietly(t)
	}
	if _, err := Run(context.Background(), m, Settings{Folder: filepath.Join(m.File, "no folder"), Parallel: 2}); err == nil {
		t.Error("a folder in a file is taken")
	}
	endsQuietly(t)
}
