package blocks

import (
	"context"
	"io"
	"sync"
)

// Worker processes blocks, one after the other. Several workers run at a time.
type Worker interface {
	// Room returns the block that is filled next.
	Room() *Block
	// Scan examines the block in Room, and does not depend on other blocks.
	Scan()
	// Take takes over the results of Scan, or the error of the block. The calls come in the order
	// of the text, never two at a time. An error of Take ends the reading.
	Take(ctx context.Context) error
	// Put finishes the work on the block that Take has taken over. Several
	// workers may be in Put at a time.
	Put()
}

// Each processes the remaining blocks of a source by at most this many workers, and no more workers
// than blocks: by first, whose room already holds the previous block, and by workers that another
// returns. It returns the error that comes first in the text, or the error of ctx. The cost is that
// of the workers.
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

// turns makes workers take turns in the order of the blocks.
type turns struct {
	mu sync.Mutex
	// next is the number of the block that is taken over next; changed wakes the workers that wait
	// for it to change.
	next    int
	changed *sync.Cond
	// err is the error that ended the reading.
	err error
}

// work processes blocks until none is left, beginning with the one in the
// worker's room.
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

// stop ends the reading for a reason that is not in the text.
func (t *turns) stop(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
	}
	t.changed.Broadcast()
}

// handOver waits for the turn of a worker and calls Take. It returns false if the
// reading has ended.
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
