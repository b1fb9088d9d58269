package main

import (
	"testing"
	"time"
)

// clocks are those of the processes of a history, which can be set.
type clocks struct{}

func newClocks(t *testing.T) *clocks { return nil }

// skewed starts a process with a clock of its own.
func (h *history) skewed(name string, args ...string) *process { return h.process(name, args...) }

// jump sets the clock of a server.
func (h *history) jump(server int, long time.Duration) string { return "" }
