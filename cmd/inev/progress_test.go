package main

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/vbauerster/mpb/v8"

	"github.com/inev-lts/inev/internal/progress"
)

// shownAfter returns what is on a line of 90 columns, the last one that is shown,
// where work is done and a time has gone by since its phase began.
func shownAfter(t *testing.T, elapsed time.Duration, work func(ctx context.Context)) string {
	t.Helper()
	now := time.Unix(0, 0)
	var out strings.Builder
	// Without a tick in between, only what stop shows before it takes the line away.
	b := newBars(&out, func() time.Time { return now }, mpb.WithWidth(90), mpb.WithAutoRefresh(), mpb.WithRefreshRate(time.Hour))
	work(progress.With(context.Background(), b.observe))
	now = now.Add(elapsed)
	b.show()
	b.stop()
	const erase = "\x1b[1A\x1b[J"
	frames := strings.Split(out.String(), erase)
	if last := len(frames) - 1; last < 1 || frames[last] != "" {
		t.Fatalf("the line is not taken away: %q", out.String())
	}
	return strings.TrimSpace(frames[len(frames)-2])
}

func TestBars(t *testing.T) {
	for _, c := range []struct {
		name    string
		elapsed time.Duration
		work    func(ctx context.Context)
		want    string
	}{
		{"bytes", 2 * time.Second, func(ctx context.Context) {
			progress.Start(ctx, "read", progress.Bytes, 4_000_000_000).Add(1_000_000_000)
		}, "read        25% [=========--------------------------] 1.0 GB of 4.0 GB, 500 MB/s, 6 s left"},
		{"bytes of a pipe", 2 * time.Second, func(ctx context.Context) {
			progress.Start(ctx, "read", progress.Bytes, 0).Add(1_234_567)
		}, "read / 1.2 MB, 617 kB/s, 2 s"},
		{"states", 500 * time.Second, func(ctx context.Context) {
			progress.Start(ctx, "components", progress.States, 4_000_000).Add(1_000_000)
		}, "components  25% [=======----------------------] 1,000,000 of 4,000,000 states, 25 min left"},
		{"nothing yet", 3 * time.Second, func(ctx context.Context) {
			progress.Start(ctx, "components", progress.States, 4_000_000)
		}, "components   0% [---------------------------------------------] 0 of 4,000,000 states, 3 s"},
		{"all", 200 * time.Minute, func(ctx context.Context) {
			progress.Start(ctx, "enrich", progress.Transitions, 70).Add(71)
		}, "enrich     100% [==============================================] 70 of 70 transitions, 3 h"},
		{"nearly over", 99 * time.Second, func(ctx context.Context) {
			progress.Start(ctx, "enrich", progress.Transitions, 1000).Add(999)
		}, "enrich      99% [=========================================] 999 of 1,000 transitions, 99 s"},
		{"unknown", 12 * time.Second, func(ctx context.Context) {
			progress.Start(ctx, "search", progress.States, 0).Add(999)
		}, "search / 999 states, 12 s"},
		{"the last phase", 4 * time.Second, func(ctx context.Context) {
			progress.Start(ctx, "read", progress.Bytes, 10).Add(10)
			progress.Start(ctx, "enrich", progress.States, 10)
			progress.Start(ctx, "search", progress.States, 0).Add(5)
		}, "search / 5 states, 4 s"},
		{"two meters of a phase", 4 * time.Second, func(ctx context.Context) {
			progress.Start(ctx, "enrich", progress.States, 1000).Add(1000)
			progress.Start(ctx, "enrich", progress.States, 3000).Add(1000)
		}, "enrich      50% [====================--------------------] 2,000 of 4,000 states, 4 s left"},
		{"nothing", 2 * time.Second, func(context.Context) {}, "/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := shownAfter(t, c.elapsed, c.work); got != c.want {
				t.Errorf("shown\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestBarsOfShortRuns: nothing is there and nothing is written before it is time,
// and nothing afterwards either.
func TestBarsOfShortRuns(t *testing.T) {
	var out strings.Builder
	b := newBars(&out, time.Now)
	b.showAfter(time.Hour)
	progress.Start(progress.With(context.Background(), b.observe), "read", progress.Bytes, 4).Add(3)
	if b.shown != nil {
		t.Error("it is shown too early")
	}
	if _, err := io.WriteString(b, "warning\n"); err != nil {
		t.Fatal(err)
	}
	b.stop()
	b.show() // the timer had fired already
	b.stop()
	if _, err := io.WriteString(b, "error\n"); err != nil {
		t.Fatal(err)
	}
	if b.shown != nil || out.String() != "warning\nerror\n" {
		t.Errorf("written %q", out.String())
	}
}

// TestWritingAboveTheBar: what is written meanwhile stays, whole and in order.
func TestWritingAboveTheBar(t *testing.T) {
	var out strings.Builder
	b := newBars(&out, time.Now, mpb.WithAutoRefresh(), mpb.WithRefreshRate(time.Hour))
	b.show()
	for _, line := range []string{"first\n", "second\n"} {
		if n, err := io.WriteString(b, line); n != len(line) || err != nil {
			t.Fatal(n, err)
		}
	}
	b.stop()
	if !strings.HasPrefix(out.String(), "first\nsecond\n") {
		t.Errorf("written %q", out.String())
	}
}
