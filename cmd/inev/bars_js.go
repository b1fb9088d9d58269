package main

import (
	"io"
	"syscall/js"
	"time"

	"github.com/inev-lts/inev/internal/progress"
)

// bars reports progress to the page. While the program runs, nothing else does in a browser;
// hence the work itself reports, when it counts.
type bars struct {
	phases
	io.Writer
	shown time.Time
}

// pulse is the time between two reports.
const pulse = 100 * time.Millisecond

func newBars(terminal io.Writer, now func() time.Time) *bars {
	return &bars{phases: phases{now: now}, Writer: terminal}
}

// observe records and shows a phase that begins.
func (b *bars) observe(m *progress.Meter) {
	b.phases.observe(m)
	m.Each(b.show)
	b.show()
}

func (b *bars) show() {
	if now := b.now(); now.Sub(b.shown) >= pulse {
		b.shown = now
		at := b.snapshot()
		js.Global().Call(progressHook, at.title(), at.detail())
	}
}

func (b *bars) showAfter(time.Duration) {}

func (b *bars) stop() {}
