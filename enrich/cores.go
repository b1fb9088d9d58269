package enrich

import (
	"runtime"
	"slices"
	"sync"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

const (
	// In models of up to fewShared transitions no other goroutine is worth its start.
	fewShared = 1 << 17
	// mostCores bounds the memory that each goroutine has for itself.
	mostCores = 4
)

// coresFor returns how many goroutines are worth their start in passes through a model.
func coresFor(m *lts.LTS) int {
	if m.NumTransitions() <= fewShared {
		return 1
	}
	return min(runtime.GOMAXPROCS(0), mostCores)
}

// inRanges calls do for ranges that make up the states below n, each on a goroutine of its own.
// They begin at multiples of 64, so that sets of states can be written.
func inRanges(cores, n int, do func(core int, first, end lts.State)) {
	words := bitset.Words(n)
	at := func(core int) lts.State { return lts.State(min(n, 64*(words*core/cores))) }
	var others sync.WaitGroup
	for core := 1; core < cores; core++ {
		others.Go(func() { do(core, at(core), at(core+1)) })
	}
	do(0, 0, at(1))
	others.Wait()
}

// between returns what a range has of some states, which ascend.
func between(states []lts.State, first, end lts.State) []lts.State {
	from, _ := slices.BinarySearch(states, first)
	to, _ := slices.BinarySearch(states, end)
	return states[from:to]
}

// share is what one goroutine does of a pass: it changes states of its range, sees these changes at
// once, and the others after the pass.
type share struct {
	gone     bitset.Set[lts.State]
	of       passes
	from, to int // of the words of gone that it changes
}

// dropOnCores is [loopSuffixes.drop], each pass shared by several goroutines.
func (x *loopSuffixes) dropOnCores(states []lts.State, m int) bool {
	shares := make([]share, x.cores)
	for b := x.passesThrough(states); b.more(); {
		inRanges(x.cores, x.m.NumStates(), func(core int, first, end lts.State) {
			own := &shares[core]
			if own.gone == nil {
				own.gone = bitset.New[lts.State](x.m.NumStates())
				own.from, own.to = int(first)/64, bitset.Words(int(end))
			}
			copy(own.gone, x.gone)
			own.of = passes{states: between(states, first, end), up: b.up}
			x.dropShare(own, m)
		})
		for i := range shares {
			own := &shares[i]
			copy(x.gone[own.from:own.to], own.gone[own.from:own.to])
			b.changed, b.looked = b.changed+own.of.changed, b.looked+own.of.looked
		}
		if x.stopped(b.looked) || b.changed == 0 {
			return true
		}
	}
	return false
}

func (x *loopSuffixes) dropShare(own *share, m int) {
	for i := range own.of.states {
		if i&(1<<14-1) == 0 && x.ctx.Err() != nil {
			return
		}
		s := own.of.inTurn(i)
		if own.gone.Has(s) {
			continue
		}
		ways, work := x.waysOn(s, m, 1, own.gone)
		if ways == 0 {
			own.gone.Add(s)
		}
		own.of.count(ways == 0, work)
	}
}
