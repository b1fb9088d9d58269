package cluster

import (
	"context"
	"sync"
	"time"
)

// line keeps those in order who prepare something at the same time, so many at a time, and
// then do something one after the other. Who takes long to prepare is not waited for.
type line struct {
	room  chan struct{}
	long  time.Duration // how long a preparation may take until it is not waited for
	mu    sync.Mutex
	ahead <-chan struct{} // closed once the last one who has come is not to be waited for
}

func newLine(atATime int, long time.Duration) *line {
	return &line{room: make(chan struct{}, atATime), long: long}
}

// place is one in a line.
type place struct {
	line  *line
	ahead <-chan struct{} // closed once those before are not to be waited for
	gone  chan struct{}   // closed once this one is not
	once  sync.Once
	late  *time.Timer
}

// enter waits for room in the line. Who has entered leaves.
func (l *line) enter() *place {
	l.room <- struct{}{}
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &place{line: l, ahead: l.ahead, gone: make(chan struct{})}
	l.ahead = p.gone
	p.late = time.AfterFunc(l.long, p.pass)
	return p
}

// turn waits until all who entered before have left, or have taken long.
func (p *place) turn(ctx context.Context) {
	if p.ahead == nil {
		return
	}
	select {
	case <-p.ahead:
	case <-ctx.Done():
	}
}

// pass lets the next one have its turn.
func (p *place) pass() { p.once.Do(func() { close(p.gone) }) }

// leave makes room for another one.
func (p *place) leave() {
	p.late.Stop()
	p.pass()
	<-p.line.room
}
