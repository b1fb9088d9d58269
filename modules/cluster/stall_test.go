package cluster

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/inev-lts/inev/batch"
)

// stalled runs a batch that cannot move until the runner has said why, and returns what it
// says; help then lets it move.
func (f *fixture) stalled(m *batch.Manifest, want string, help func()) {
	f.t.Helper()
	s := f.settings(f.t.TempDir())
	s.Stall = 100 * time.Millisecond
	said := make(chan string, 1000)
	s.Batch.Warn = func(text string) { said <- text }
	done := make(chan struct{})
	go func() {
		defer close(done)
		out, err := Run(f.t.Context(), f.connect(), m, s)
		allSatisfied(f.t, m, out, err)
	}()
	for {
		select {
		case text := <-said:
			if strings.HasPrefix(text, "nothing has happened for ") && strings.Contains(text, want) {
				help()
				<-done
				return
			}
		case <-done:
			f.t.Errorf("it has not said %q", want)
			return
		}
	}
}

// TestStallSaysWhy: a run in which nothing happens says why.
func TestStallSaysWhy(t *testing.T) {
	t.Run("no worker", func(t *testing.T) {
		f := newFixture(t)
		f.stalled(ring(t, 1), "there is no worker; start one with inev-cluster work", func() { f.work("w", nil) })
	})
	t.Run("a long job", func(t *testing.T) {
		f := newFixture(t)
		free := make(chan struct{})
		f.work("w", func(s *WorkerSettings) {
			s.do = func(ctx context.Context, j batch.Job, w batch.Work) batch.Result {
				<-free
				return batch.Do(ctx, j, w)
			}
		})
		f.stalled(ring(t, 1), `1 job in the hands of workers, "job 0" for the longest time: on w since `, func() { close(free) })
	})
	t.Run("another version", func(t *testing.T) {
		f := newFixture(t)
		f.otherVersion("old")
		f.stalled(ring(t, 1), "no worker has the version v1 of this runner, but 1 other version", func() { f.work("w", nil) })
	})
}

// TestSwitchedOff: a server that keeps nothing any more, as where its disk is full, is told
// at once by the runner.
func TestSwitchedOff(t *testing.T) {
	f := newFixture(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s := f.settings(t.TempDir())
	s.Stall, s.term = time.Hour, term
	said := make(chan string, 1000)
	s.Batch.Warn = func(text string) { said <- text }
	ended := make(chan struct{})
	s.Batch.Finished = func(p batch.Progress) {
		if p.Done == 1 {
			_ = f.server.DisableJetStream()
		}
	}
	f.work("w", nil)
	go func() {
		defer close(ended)
		_, _ = Run(ctx, f.connect(), ring(t, 300), s)
	}()
	for text := range said {
		if strings.Contains(text, "has switched JetStream off, as servers do when their disk is full") {
			break
		}
	}
	stop()
	<-ended
}

// TestStatusOfServersThatStart: a server of three that waits for the others answers, and
// status says what it waits for.
func TestStatusOfServersThatStart(t *testing.T) {
	url := guarded(t, server.Options{
		ServerName: "first", Cluster: server.ClusterOpts{Name: "inev", Host: "127.0.0.1", Port: server.RANDOM_PORT},
		Routes: server.RoutesFromStr("nats://127.0.0.1:1,nats://127.0.0.1:2"),
	})
	nc, err := Connect(t.Context(), Server{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	_, err = ReadStatus(t.Context(), nc)
	if err == nil || !strings.Contains(err.Error(), "starting") || !strings.Contains(err.Error(), "first") {
		t.Errorf("error %v, want one that says that the servers are starting", err)
	}
}

// TestModelsAreLimited: models that are too large together are refused before anything is
// sent; those with the same content count once.
func TestModelsAreLimited(t *testing.T) {
	f := newFixture(t)
	m := ring(t, 2)
	text, err := os.ReadFile(m.Jobs[0].Path)
	if err == nil {
		err = os.WriteFile(m.Jobs[1].Path, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	size := int64(len(text))
	s := f.settings(t.TempDir())
	s.MostModels = size - 1
	var quota *QuotaError
	if _, err := Run(t.Context(), f.connect(), m, s); !errors.As(err, &quota) || *quota != (QuotaError{size, size - 1}) {
		t.Errorf("error %v, want that of %d bytes", err, size)
	}
	if info, err := f.queue().models.Info(t.Context()); err != nil || info.State.Msgs != 0 {
		t.Errorf("%d chunks were sent (error %v)", info.State.Msgs, err)
	}
	f.work("w", nil)
	s.MostModels = size
	out, err := Run(t.Context(), f.connect(), m, s)
	allSatisfied(t, m, out, err)
}
