package blocks

import (
	"context"
	"io"
	"sync"
)

// Worker reads one block after the other. Several of them do at a time.
type Worker interface {
	// Room is where the next block is put.
	Room() *Block
	// Scan looks at the block in that room, and at none before.
	Scan()
	// Take takes over what was found in it, or the error of the block: in the order of the
	// text, and never while another worker does. An error ends the reading.
	Take(ctx context.Context) error
	// Put does what is left to be done, at the same time as others.
	Put()
}

// Each has the blocks that are left of a source read by so many workers at most, and no more
// than there are blocks: by first, whose room holds the block before them already, and by
// workers that another returns. It returns the error that comes first in the text, or the error of ctx.
// Cost: of the workers.
func Each(ctx context.Context, in Source, workers int, first Worker, another func() Worker) error {
	t := &turns{next: first.Room().Number}
	t.changed = sync.NewCond(&t.mu)
	var others sync.WaitGroup
	for range min(workers-1, in.Blocks()) {
		others.Add(1)
		go func() {
			defer others.Done()
			if w := another(); t.fetch(ctx, in, w) {
				t.work(ctx, in, w)
			}
		}()
	}
	t.work(ctx, in, first)
	others.Wait()
	return t.err
}

// turns lets workers hand over one after the other.
type turns struct {
	mu sync.Mutex
	// next is the number of the block that is taken over next; changed tells those who wait
	// for their turn.
	next    int
	changed *sync.Cond
	// err ends the reading.
	err error
}

// work goes through blocks until none is left, and begins with the block in the room.
func (t *turns) work(ctx context.Context, in Source, w Worker) {
	for {
		if w.Scan(); !t.handOver(ctx, w) || !t.fetch(ctx, in, w) {
			return
		}
	}
}

// fetch gets the next block. It returns false if there is none.
func (t *turns) fetch(ctx context.Context, in Source, w Worker) bool {
	err := in.Next(ctx, w.Room())
	if err != nil && err != io.EOF {
		t.stop(err)
	}
	return err == nil
}

// stop ends the reading, for a reason that is not in the text.
func (t *turns) stop(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
	}
	t.changed.Broadcast()
}

// handOver waits for the turn of a worker. It returns false if the reading is at its end.
func (t *turns) handOver(ctx context.Context, w Worker) bool {
	t.mu.Lock()
	for t.next != w.Room().Number && t.err == nil {
		t.changed.Wait()
	}
	if t.err == nil {
		t.err = w.Take(ctx)
	}
	t.next++
	stopped := t.err != nil
	t.changed.Broadcast()
	t.mu.Unlock()
	if !stopped {
		w.Put()
	}
	return !stopped
}
