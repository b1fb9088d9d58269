package resources

import (
	"sync"

	"github.com/inev-lts/inev/internal/progress"
)

// phases records the phases of a piece of work.
type phases struct {
	mu   sync.Mutex
	last *progress.Meter
}

func (p *phases) observe(m *progress.Meter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = m
}

// place describes the progress of the phase that began last.
func (p *phases) place() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		return ""
	}
	return p.last.String()
}
