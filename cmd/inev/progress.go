package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/inev-lts/inev/internal/progress"
)

// patience is the delay after which a run shows its progress.
const patience = time.Second

// phases are the meters of the current phase: the last ones that began, which all have one name.
type phases struct {
	now func() time.Time
	// mu guards the fields below. It is held only briefly: the code that shows progress waits
	// for it while other goroutines wait for that code.
	mu     sync.Mutex
	meters []*progress.Meter
	began  time.Time
}

// observe records a phase that begins.
func (b *phases) observe(m *progress.Meter) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.meters) > 0 && b.meters[0].Phase != m.Phase {
		b.meters = nil
	}
	if b.meters == nil {
		b.began = b.now()
	}
	b.meters = append(b.meters, m)
}

// progressOfPhase is how far a phase is.
type progressOfPhase struct {
	phase       string
	unit        progress.Unit
	done, total int64 // total is 0 if it is unknown
	elapsed     time.Duration
}

// snapshot returns how far the current phase is; the zero value before the first phase. If several meters
// share the phase, it adds them up; the total is unknown if that of one meter is.
func (b *phases) snapshot() progressOfPhase {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.meters) == 0 {
		return progressOfPhase{}
	}
	first := b.meters[0]
	s := progressOfPhase{
		phase:   first.Phase,
		unit:    first.Unit,
		elapsed: b.now().Sub(b.began),
	}
	isTotalKnown := true
	for _, m := range b.meters {
		s.done += m.Done()
		s.total += m.Total
		isTotalKnown = isTotalKnown && m.Total > 0
	}
	if isTotalKnown {
		s.done = min(s.done, s.total)
	} else {
		s.total = 0
	}
	return s
}

// title returns the text before the bar: the phase, and its percentage.
func (s progressOfPhase) title() string {
	if s.total == 0 {
		return s.phase
	}
	return fmt.Sprintf("%-10s %3d%%", s.phase, int(100*float64(s.done)/float64(s.total)))
}

// detail returns the text after the bar: amounts, bytes per second, and the remaining time or,
// if that cannot be estimated, the elapsed time.
func (s progressOfPhase) detail() string {
	if s.phase == "" {
		return ""
	}
	if s.unit == progress.Nothing {
		return span(s.elapsed)
	}
	text := s.amount(s.done)
	if s.total > 0 {
		text += " of " + s.amount(s.total)
	}
	switch s.unit {
	case progress.Bytes:
		seconds := s.elapsed.Seconds()
		if seconds > 0 {
			text += ", " + progress.Bytes.Format(int64(float64(s.done)/seconds)) + "/s"
		}
	case progress.States, progress.Transitions, progress.Jobs, progress.Events:
		text += " " + s.unit.String()
	}
	if s.done > 0 && s.done < s.total {
		left := time.Duration(float64(s.elapsed) * float64(s.total-s.done) / float64(s.done))
		if left >= time.Second { // a phase that is nearly over may take long all the same
			return text + ", " + span(left) + " left"
		}
	}
	return text + ", " + span(s.elapsed)
}

func (s progressOfPhase) amount(n int64) string { return s.unit.Format(n) }

// span writes a time in seconds, minutes or hours.
func span(d time.Duration) string {
	switch {
	case d < 100*time.Second:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 100*time.Minute:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}
