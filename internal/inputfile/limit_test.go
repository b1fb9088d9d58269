package inputfile_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/inputfile"
)

var ten = inputfile.Limit{Bytes: 10, Remedy: "split it"}

func written(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestReadUpToTheLimit: ten bytes are taken, eleven are not.
func TestReadUpToTheLimit(t *testing.T) {
	for _, content := range []string{"", "a", strings.Repeat("a", 10)} {
		if got, err := inputfile.Read(context.Background(), written(t, content), ten); err != nil || string(got) != content {
			t.Errorf("%q: %q, %v", content, got, err)
		}
	}
	for _, most := range []int64{1 << 40, math.MaxInt64} {
		got, err := inputfile.ReadRegular(context.Background(), written(t, "abc"), inputfile.Limit{Bytes: most})
		if err != nil || string(got) != "abc" {
			t.Errorf("at most %d bytes: %q, %v", most, got, err)
		}
	}
	_, err := inputfile.Read(context.Background(), written(t, strings.Repeat("a", 11)), ten)
	const want = "it is longer than 10 bytes, the limit here; split it"
	var larger *inputfile.SizeError
	if !errors.As(err, &larger) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// counted gives bytes forever, and counts them.
type counted struct{ given int }

func (c *counted) Read(data []byte) (int, error) {
	c.given += len(data)
	return len(data), nil
}

// TestEndless: of what has no end no more is read than the limit, whatever it is.
func TestEndless(t *testing.T) {
	c := &counted{}
	limit := inputfile.Limit{Bytes: 3<<20 + 5}
	if _, err := inputfile.ReadFrom(context.Background(), c, limit); err == nil || !strings.Contains(err.Error(), "longer than 3145733 bytes") {
		t.Error(err)
	}
	if c.given > 4<<20 {
		t.Errorf("%d bytes were read", c.given)
	}
	if _, err := os.Stat("/dev/zero"); err == nil {
		_, err := inputfile.Read(context.Background(), "/dev/zero", limit)
		if err == nil || !strings.HasPrefix(err.Error(), "it is a device with more than") {
			t.Error(err)
		}
	}
}

// silent never gives anything.
type silent struct{ asked chan struct{} }

func (s silent) Read([]byte) (int, error) {
	close(s.asked)
	select {}
}

// TestWaitingEnds: with the context.
func TestWaitingEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := silent{make(chan struct{})}
	go func() {
		<-s.asked
		cancel()
	}()
	if _, err := inputfile.ReadFrom(ctx, s, ten); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := inputfile.Read(ctx, written(t, "a"), ten); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestKinds: what is no file is said to be what it is.
func TestKinds(t *testing.T) {
	folder := t.TempDir()
	_, err := inputfile.Read(context.Background(), folder, ten)
	var kind *inputfile.KindError
	if !errors.As(err, &kind) || kind.Kind != "a folder" {
		t.Error(err)
	}
	if _, err := inputfile.OpenRegular(context.Background(), folder); !errors.As(err, &kind) {
		t.Error(err)
	}
	if _, err := inputfile.OpenRegular(context.Background(), filepath.Join(folder, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	var larger *inputfile.SizeError
	if _, err := inputfile.ReadRegular(context.Background(), written(t, strings.Repeat("a", 11)), ten); !errors.As(err, &larger) {
		t.Error(err)
	}
}

// TestErrorsOfReading are told as they are.
func TestErrorsOfReading(t *testing.T) {
	if _, err := inputfile.ReadFrom(context.Background(), io.MultiReader(strings.NewReader("a"), failing{}), ten); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestLimited: what is within the limit passes, and no byte more.
func TestLimited(t *testing.T) {
	for n := range 13 {
		got, err := io.ReadAll(inputfile.Limited(strings.NewReader(strings.Repeat("a", n)), ten))
		var larger *inputfile.SizeError
		if want := min(n, 10); len(got) != want || errors.As(err, &larger) != (n > 10) {
			t.Errorf("%d bytes: %d, %v", n, len(got), err)
		}
	}
}
