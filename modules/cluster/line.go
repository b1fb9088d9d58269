package cluster

import (
	"context"
	"sync"
	"time"
)

// line lets goroutines prepare something, a limited number of them at a time, and then act one
// after the other, in the order of entering. A goroutine that prepares for too long is overtaken.
type line struct {
	room  chan struct{}
	long  time.Duration // the longest time for which the next goroutine waits
	mu    sync.Mutex
	ahead <-chan struct{} // closed when the next goroutine need not wait for the last one that entered
}

func newLine(atATime int, long time.Duration) *line {
	return &line{room: make(chan struct{}, atATime), long: long}
}

// place is the position of one goroutine in a line.
type place struct {
	line  *line
	ahead <-chan struct{} // closed when this goroutine need not wait for those before
	gone  chan struct{}   // closed when the next goroutine need not wait for this one
	once  sync.Once
	late  *time.Timer
}

// enter waits until the line has room for one more preparation. Each goroutine that enters must
// leave.
func (l *line) enter() *place {
	l.room <- struct{}{}
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &place{line: l, ahead: l.ahead, gone: make(chan struct{})}
	l.ahead = p.gone
	p.late = time.AfterFunc(l.long, p.pass)
	return p
}

// turn waits until all goroutines that entered earlier have acted or are late, or until ctx is
// done.
func (p *place) turn(ctx context.Context) {
	if p.ahead == nil {
		return
	}
	select {
	case <-p.ahead:
	case <-ctx.Done():
	}
}

// pass lets the next goroutine act.
func (p *place) pass() { p.once.Do(func() { close(p.gone) }) }

// leave makes room for another preparation.
func (p *place) leave() {
	p.late.Stop()
	p.pass()
	<-p.line.room
}
