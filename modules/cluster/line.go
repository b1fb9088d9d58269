package cluster

import (
	"context"
	"sync"
	"time"
)

// line orders goroutines that each prepare something, at most so many at the same time, and
// then act one after the other in the order in which they entered. One that prepares for too
// long is overtaken.
type line struct {
	room  chan struct{}
	long  time.Duration // how long a preparation may take until it is not waited for
	mu    sync.Mutex
	ahead <-chan struct{} // closed once the last one who has come is not to be waited for
}

func newLine(atATime int, long time.Duration) *line {
	return &line{room: make(chan struct{}, atATime), long: long}
}

// place is the place of one goroutine in a line.
type place struct {
	line  *line
	ahead <-chan struct{} // closed once those before are not to be waited for
	gone  chan struct{}   // closed once this one is not
	once  sync.Once
	late  *time.Timer
}

// enter waits until the line has room for one more preparation. Each that enters must leave.
func (l *line) enter() *place {
	l.room <- struct{}{}
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &place{line: l, ahead: l.ahead, gone: make(chan struct{})}
	l.ahead = p.gone
	p.late = time.AfterFunc(l.long, p.pass)
	return p
}

// turn waits until all that entered before have acted or are late, or ctx is done.
func (p *place) turn(ctx context.Context) {
	if p.ahead == nil {
		return
	}
	select {
	case <-p.ahead:
	case <-ctx.Done():
	}
}

// pass gives the turn to the next one.
func (p *place) pass() { p.once.Do(func() { close(p.gone) }) }

// leave makes room for another preparation.
func (p *place) leave() {
	p.late.Stop()
	p.pass()
	<-p.line.room
}
