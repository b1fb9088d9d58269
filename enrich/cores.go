package enrich

import (
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

const (
	// mostCores limits the memory, because each goroutine has its own.
	mostCores = 4
	// fewOnOneCore is the number of states of a component up to which passes
	// through it are not shared.
	fewOnOneCore = 1 << 17
)

// between returns the part of an ascending list of states that lies in [first,
// end).
func between(states []lts.State, first, end lts.State) []lts.State {
	from, _ := slices.BinarySearch(states, first)
	to, _ := slices.BinarySearch(states, end)
	return states[from:to]
}

// share is the part of a pass that one goroutine does: it changes states of its
// range. It sees its own changes at once, and those of the others after the pass.
type share struct {
	gone     bitset.Set[lts.State]
	of       passes
	from, to int // the words of gone that the goroutine changes
}

// dropOnCores is [loopSuffixes.drop] with each pass shared by several goroutines.
func (x *loopSuffixes) dropOnCores(states []lts.State, m int) bool {
	shares := make([]share, x.cores)
	for b := x.passesThrough(states); b.more(); {
		cores.InRanges(x.cores, x.m.NumStates(), func(core int, first, end lts.State) {
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
		if x.count(b.looked); b.changed == 0 {
			return true
		}
	}
	return false
}

func (x *loopSuffixes) dropShare(own *share, m int) {
	for i := range own.of.states {
		if i&(1<<14-1) == 0 {
			abort.On(x.ctx.Err())
		}
		s := own.of.inTurn(i)
		if own.gone.Has(s) {
			continue
		}
		ways, work := x.continuationsOf(s, m, 1, own.gone)
		if ways == 0 {
			own.gone.Add(s)
		}
		own.of.count(ways == 0, work)
	}
}
