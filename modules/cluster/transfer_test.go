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
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

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

// models returns the store of models.
func (q *queue) modelStore() chunks {
	return chunks{queue: q, stream: modelsStream, prefix: modelsPrefix}
}

// Files of every size arrive as they were sent, whatever number of chunks they have, and are
// sent once.
func TestFilesInChunks(t *testing.T) {
	q := newFixture(t).queue()
	store := q.modelStore()
	for _, size := range []int{0, 1, chunkSize - 1, chunkSize, chunkSize + 1, 2*chunkSize + 5} {
		f, content, digest := file(t, size)
		if err := store.putModel(t.Context(), digest, int64(size), f); err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		var got bytes.Buffer
		if err := batch.Verified(t.Context(), store, digest, &got); err != nil || !bytes.Equal(got.Bytes(), content) {
			t.Errorf("%d bytes: %d arrive, %v", size, got.Len(), err)
		}
		first, err := q.models.GetLastMsgForSubject(t.Context(), store.subject(digest, 0))
		if err != nil {
			t.Fatal(err)
		}
		if err := store.putModel(t.Context(), digest, int64(size), f); err != nil {
			t.Fatalf("%d bytes, again: %v", size, err)
		}
		if second, err := q.models.GetLastMsgForSubject(t.Context(), store.subject(digest, 0)); err != nil || second.Sequence != first.Sequence {
			t.Errorf("%d bytes were sent again (%v)", size, err)
		}
	}
}

// A file of which a chunk is missing is missing, and is sent again whole.
func TestMissingChunk(t *testing.T) {
	q := newFixture(t).queue()
	store := q.modelStore()
	f, content, digest := file(t, 2*chunkSize)
	if _, err := store.Put(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	last, err := q.models.GetLastMsgForSubject(t.Context(), store.subject(digest, 1))
	if err == nil {
		err = q.models.DeleteMsg(t.Context(), last.Sequence)
	}
	if err != nil {
		t.Fatal(err)
	}
	err = batch.Verified(t.Context(), store, digest, io.Discard)
	var missing *missingError
	if !errors.As(err, &missing) || missing.digest != digest {
		t.Errorf("%v, want that it is missing", err)
	}
	if err := store.putModel(t.Context(), digest, 2*chunkSize, f); err != nil {
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
	store := q.modelStore()
	f, _, digest := file(t, 100)
	if err := os.WriteFile(f.Name(), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := store.putModel(t.Context(), digest, 100, f); err == nil {
		t.Error("it is taken")
	}
	if info, err := q.models.Info(t.Context()); err != nil || info.State.Msgs != 0 {
		t.Errorf("it is there: %v", err)
	}
}

// Of a file that is larger than allowed, or than its first chunk says, no more is read than allowed.
func TestFilesAreLimited(t *testing.T) {
	q := newFixture(t).queue()
	store := q.modelStore()
	f, _, digest := file(t, 2*chunkSize)
	if _, err := store.Put(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	var large *tooLargeError
	store.most = 2*chunkSize - 1
	if _, err := store.Open(t.Context(), digest); !errors.As(err, &large) {
		t.Errorf("%v, want that it is too large", err)
	}
	store.most = 2 * chunkSize
	if err := batch.Verified(t.Context(), store, digest, io.Discard); err != nil {
		t.Error(err)
	}
	for i := range 3 {
		if err := store.sendChunk(t.Context(), store.subject(sumOf("x"), i), 5, make([]byte, chunkSize)); err != nil {
			t.Fatal(err)
		}
	}
	var got bytes.Buffer
	if err := batch.Verified(t.Context(), store, sumOf("x"), &got); !errors.As(err, &large) || got.Len() > 5 {
		t.Errorf("%d bytes are read, %v", got.Len(), err)
	}
}

// Who no longer wants a file does not wait for servers that are silent.
func TestSilenceIsLeft(t *testing.T) {
	f := newFixture(t)
	store := f.queue().modelStore()
	content, _, digest := file(t, 2*chunkSize)
	if _, err := store.Put(t.Context(), content); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	reader, err := store.Open(ctx, digest)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, reader, chunkSize); err != nil {
		t.Fatal(err)
	}
	_ = f.server.DisableJetStream()
	time.AfterFunc(100*time.Millisecond, stop)
	if _, err := reader.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of a context", err)
	}
}

// Servers that are full end a run, and say what to do.
func TestNoRoom(t *testing.T) {
	s, err := server.NewServer(&server.Options{
		ServerName: "small", DontListen: true, JetStream: true, StoreDir: t.TempDir(), JetStreamMaxStore: 12 << 20, NoLog: true, NoSigs: true,
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
	f, _, _ := file(t, 16<<20)
	m := &batch.Manifest{File: "m.yaml", Jobs: []batch.Job{{Name: "large", Model: "large.aut", Path: f.Name(), Formula: "Inev(A)"}}}
	_, err = Run(t.Context(), nc, m, Settings{Name: "test", Batch: batch.Settings{Folder: t.TempDir(), Version: "v1"}})
	if err == nil || !strings.Contains(err.Error(), "the servers have no room left") || !strings.Contains(err.Error(), "max_file_store") {
		t.Errorf("%v, want that the servers have no room left", err)
	}
}
