package main

import (
	"io"
	"syscall/js"
	"time"

	"github.com/inev-lts/inev/internal/progress"
)

// bars shows on the page how far the work is: as on a terminal, what is done and how much of it.
// Nothing else runs in a browser while the program does, so that the work itself reports, when it
// counts.
type bars struct {
	phases
	io.Writer
	shown time.Time
}

// pulse is how often that is.
const pulse = 100 * time.Millisecond

func newBars(terminal io.Writer, now func() time.Time) *bars {
	return &bars{phases: phases{now: now}, Writer: terminal}
}

// observe takes note of a phase that starts, and shows it.
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
