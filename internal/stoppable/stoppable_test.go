package stoppable_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/inev-lts/inev/internal/stoppable"
)

// slow begins to write, and goes on when it is let.
type slow struct {
	began, goOn chan struct{}
	wrote       chan string
}

func (w *slow) Write(data []byte) (int, error) {
	close(w.began)
	<-w.goOn
	w.wrote <- string(data)
	return len(data), nil
}

// TestWriterGivesUp: a write that does not end is given up with the context, and what is
// written in the end is what was given.
func TestWriterGivesUp(t *testing.T) {
	w := &slow{make(chan struct{}), make(chan struct{}), make(chan string)}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-w.began
		cancel()
	}()
	out := &stoppable.Writer{Ctx: ctx, W: w}
	data := []byte("given")
	if n, err := out.Write(data); n != 0 || !errors.Is(err, context.Canceled) {
		t.Fatalf("%d, %v", n, err)
	}
	copy(data, "other")
	if _, err := out.Write(data); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	close(w.goOn)
	if got := <-w.wrote; got != "given" {
		t.Errorf("wrote %q", got)
	}
}

func TestWriter(t *testing.T) {
	r, w := io.Pipe()
	out := &stoppable.Writer{Ctx: context.Background(), W: w}
	go func() {
		for _, text := range []string{"one", "three", "two"} {
			if _, err := io.WriteString(out, text); err != nil {
				t.Error(err)
			}
		}
		w.Close()
	}()
	if all, err := io.ReadAll(r); err != nil || string(all) != "onethreetwo" {
		t.Errorf("%q, %v", all, err)
	}
}
