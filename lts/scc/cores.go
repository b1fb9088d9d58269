package scc

import (
	"runtime"
	"sync"

	"github.com/inev-lts/inev/lts"
)

const (
	// In models of up to fewTransitions no other goroutine is worth its start.
	fewTransitions = 1 << 17
	mostCores      = 8
)

// coresFor returns how many goroutines are worth their start in passes through a model.
func coresFor(m *lts.LTS) int {
	if m.NumTransitions() <= fewTransitions {
		return 1
	}
	return min(runtime.GOMAXPROCS(0), mostCores)
}

// inRanges calls do for ranges that make up the numbers below n, each on a goroutine of its own.
// They begin at multiples of 64, so that sets of these numbers can be written.
func inRanges(cores, n int, do func(core int, first, end lts.State)) {
	words := (n + 63) / 64
	at := func(core int) lts.State { return lts.State(min(n, 64*(words*core/cores))) }
	var others sync.WaitGroup
	for core := 1; core < cores; core++ {
		others.Go(func() { do(core, at(core), at(core+1)) })
	}
	do(0, 0, at(1))
	others.Wait()
}
