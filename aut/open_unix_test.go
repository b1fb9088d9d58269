//go:build unix

package aut

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func namedPipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.aut")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	return path
}

func TestOpenOfANamedPipe(t *testing.T) {
	path := namedPipe(t)
	go func() { _ = os.WriteFile(path, []byte(twoStepsText), 0) }()
	m, _, err := Open(context.Background(), path, Options{})
	if err != nil || describe(m) != twoSteps {
		t.Errorf("%v, error %v", m, err)
	}
}

func TestOpenStopsWaitingWithItsContext(t *testing.T) {
	t.Run("for a writer", func(t *testing.T) {
		path := namedPipe(t)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error)
		go func() {
			_, _, err := Open(ctx, path, Options{})
			ended <- err
		}()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		// Whoever waits still finds a writer, and is gone.
		if f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			f.Close()
		}
	})
	t.Run("for text", func(t *testing.T) {
		path := namedPipe(t)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error)
		go func() {
			_, _, err := Open(ctx, path, Options{})
			ended <- err
		}()
		// This returns when the pipe is open at both ends.
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString("des (0, 2, 3)\n(0, "); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}
