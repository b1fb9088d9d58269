package resources

import (
	"sync"

	"github.com/inev-lts/inev/internal/progress"
)

// phases remembers what a piece of work does.
type phases struct {
	mu   sync.Mutex
	last *progress.Meter
}

func (p *phases) observe(m *progress.Meter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = m
}

// place says how far the phase is that began last.
func (p *phases) place() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		return ""
	}
	return p.last.String()
}
