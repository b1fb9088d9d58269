package cluster

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/inev-lts/inev/batch"
)

// file writes a file of so many bytes, and returns its content and its digest.
func file(t *testing.T, size int) (f *os.File, content []byte, digest string) {
	t.Helper()
	content = make([]byte, size)
	random := rand.NewChaCha8([32]byte{byte(size)})
	_, _ = random.Read(content)
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	digest, err := batch.Digest(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if f, err = os.Open(path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f, content, digest
}

// Files of every size arrive as they were sent, whatever number of parts they have, and are
// sent once.
func TestFilesInParts(t *testing.T) {
	q := newFixture(t).queue()
	store := objects{bucket: q.models}
	for _, size := range []int{0, 1, partSize - 1, partSize, partSize + 1, 2*partSize + 5} {
		f, content, digest := file(t, size)
		if found, err := store.Put(t.Context(), f); err != nil || found != digest {
			t.Fatalf("%d bytes: %s %v, want %s", size, found, err, digest)
		}
		var got bytes.Buffer
		if err := batch.Verified(t.Context(), store, digest, &got); err != nil || !bytes.Equal(got.Bytes(), content) {
			t.Errorf("%d bytes: %d arrive, %v", size, got.Len(), err)
		}
		first, err := q.models.GetInfo(t.Context(), digest)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if again, err := store.Put(t.Context(), f); err != nil || again != digest {
			t.Fatalf("%d bytes, again: %s %v, want %s", size, again, err, digest)
		}
		if second, err := q.models.GetInfo(t.Context(), digest); err != nil || second.NUID != first.NUID {
			t.Errorf("%d bytes were sent again (%v)", size, err)
		}
	}
}

// A file of which a part is missing is missing, and is sent again whole.
func TestMissingPart(t *testing.T) {
	q := newFixture(t).queue()
	store := objects{bucket: q.models}
	f, content, digest := file(t, 2*partSize)
	if _, err := store.Put(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	if err := q.models.Delete(t.Context(), store.part(digest, 0)); err != nil {
		t.Fatal(err)
	}
	err := batch.Verified(t.Context(), store, digest, io.Discard)
	var missing *missingError
	if !errors.As(err, &missing) || missing.digest != digest {
		t.Errorf("%v, want that it is missing", err)
	}
	if err := store.replace(t.Context(), digest, f); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := batch.Verified(t.Context(), store, digest, &got); err != nil || !bytes.Equal(got.Bytes(), content) {
		t.Errorf("%d bytes arrive, %v", got.Len(), err)
	}
}

// A file that changes while it is sent is not there under the name of what it was.
func TestChangedWhileSent(t *testing.T) {
	q := newFixture(t).queue()
	store := objects{bucket: q.models}
	f, _, digest := file(t, 100)
	if err := os.WriteFile(f.Name(), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := store.put(t.Context(), digest, 100, f); err == nil {
		t.Error("it is taken")
	}
	if _, err := q.models.GetInfo(t.Context(), digest); !errors.Is(err, jetstream.ErrObjectNotFound) {
		t.Errorf("it is there: %v", err)
	}
}

// silent is a bucket that falls silent in the middle of objects, or does not answer at all.
type silent struct {
	jetstream.ObjectStore
	asked atomic.Int32
	after []int64 // after how many bytes, of each time it is asked; -1 stands for no answer
}

func (s *silent) Get(ctx context.Context, name string, options ...jetstream.GetObjectOpt) (jetstream.ObjectResult, error) {
	n := int(s.asked.Add(1)) - 1
	if n < len(s.after) && s.after[n] < 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	r, err := s.ObjectStore.Get(ctx, name, options...)
	if err != nil || n >= len(s.after) {
		return r, err
	}
	return &silentResult{r, ctx, s.after[n]}, nil
}

type silentResult struct {
	jetstream.ObjectResult
	ctx  context.Context
	left int64
}

// Read reads as that of the library does where nothing comes: it returns at the deadline
// that its context had, without an error where the context goes on.
func (r *silentResult) Read(p []byte) (int, error) {
	if r.left == 0 {
		deadline, _ := r.ctx.Deadline()
		<-time.After(time.Until(deadline))
		return 0, r.ctx.Err()
	}
	n, err := r.ObjectResult.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	return n, err
}

// What arrives is whole, wherever servers fall silent and however often.
func TestSilence(t *testing.T) {
	q := newFixture(t).queue()
	store := objects{bucket: q.models}
	f, content, digest := file(t, partSize+300_000)
	if _, err := store.Put(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	for _, after := range [][]int64{{0}, {-1}, {1, 1, 1}, {-1, 0, 200_000, 1_000_000}, {3_000_000, 3_000_000}, {partSize - 1, 0, -1, 299_999, 7}} {
		bucket := &silent{ObjectStore: q.models, after: after}
		var got bytes.Buffer
		err := batch.Verified(t.Context(), objects{bucket: bucket, still: 200 * time.Millisecond}, digest, &got)
		if err != nil || !bytes.Equal(got.Bytes(), content) {
			t.Errorf("silent after %d: %d bytes arrive, %v", after, got.Len(), err)
		}
		if asked := int(bucket.asked.Load()); asked < len(after) {
			t.Errorf("silent after %d: asked %d times", after, asked)
		}
	}
}

// failing is a bucket that fails at the moment at which an attempt is given up.
type failing struct {
	jetstream.ObjectStore
	still time.Duration
}

func (f failing) Get(context.Context, string, ...jetstream.GetObjectOpt) (jetstream.ObjectResult, error) {
	<-time.After(f.still)
	return nil, nats.ErrTimeout
}

// An alarm that rings while its attempt ends has nothing to do with the next attempt.
func TestAlarmOfItsOwn(t *testing.T) {
	const still = 20 * time.Microsecond
	d := &download{bucket: failing{still: still}, ctx: t.Context(), still: still}
	for range 5_000 {
		if err := d.askOnce(); !errors.Is(err, nats.ErrTimeout) {
			t.Fatal(err)
		}
		d.giveUp()
	}
}

// Who no longer wants a file does not wait for servers that are silent.
func TestSilenceIsLeft(t *testing.T) {
	q := newFixture(t).queue()
	f, _, digest := file(t, 1000)
	if _, err := (objects{bucket: q.models}).Put(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	content, err := objects{bucket: &silent{ObjectStore: q.models, after: []int64{10}}, still: time.Hour}.Open(ctx, digest)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, content, 10); err != nil {
		t.Fatal(err)
	}
	stop()
	if _, err := content.Read(make([]byte, 1)); err == nil {
		t.Error("it is read on")
	}
	_ = content.Close()
}

// Servers that are full end a run, and say what to do.
func TestNoRoom(t *testing.T) {
	s, err := server.NewServer(&server.Options{
		ServerName: "small", DontListen: true, JetStream: true, StoreDir: t.TempDir(), JetStreamMaxStore: 3 * partSize, NoLog: true, NoSigs: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(becomingReady) {
		t.Fatal("the server does not become ready")
	}
	nc, err := nats.Connect("", nats.InProcessServer(s))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	f, _, _ := file(t, 4*partSize)
	m := &batch.Manifest{File: "m.yaml", Jobs: []batch.Job{{Name: "large", Model: "large.aut", Path: f.Name(), Formula: "Inev(A)"}}}
	_, err = Run(t.Context(), nc, m, Settings{Name: "test", Batch: batch.Settings{Folder: t.TempDir(), Version: "v1"}})
	if err == nil || !strings.Contains(err.Error(), "the servers have no room left") || !strings.Contains(err.Error(), "max_file_store") {
		t.Errorf("%v, want that the servers have no room left", err)
	}
}
