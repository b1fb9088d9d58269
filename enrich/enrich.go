package enrich

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// Enriched is an LTS with the max and common prefixes and suffixes of a
// property in all its reachable states (SEFM'18, Definition 9).
type Enriched struct {
	property   *property.Chain
	components *scc.Components
	fairness   *property.Fairness
	// admitted reports for each component whether some run from it counts; nil
	// if some run from every component counts.
	admitted []bool
	mp, cp   levels
	ms, cs   levels
}

// Options say how [Enrich] works, and which runs count. The zero value is the
// default.
type Options struct {
	// Queue orders states in the passes for common prefixes and suffixes. The
	// results do not depend on it.
	Queue Queue
	// Fairness says which infinite runs count; nil for all.
	Fairness *property.Fairness
	// ahead is the pass that [Options.Begin] has begun; nil if there is none.
	ahead *ahead
}

// Enrich computes the prefixes and suffixes of p in every reachable state of the
// LTS of c, component by component: prefixes by increasing depth, suffixes by
// decreasing depth (SEFM'18, section 3.2, Algorithms 1 and 2). The result does
// not depend on the queue. It fails if ctx is done.
//
// Fairness changes only the first values of common suffixes, because every finite
// path has a fair continuation: a state gets the least m such that it lies in a
// fair strongly connected set without labels of step n-m (see [FairSets]).
//
// Cost O(n (S + T)) time; the factor n arises only in components with labels of
// all steps. 4 bytes and a bit a state (8 bytes if n > 255), and 4 bytes for each
// state from which no run avoids the step that is examined. If passes through a
// component find too little, also the memory of [lts.LTS.Predecessors], a byte a
// state for counting (5 if more than 255 transitions leave a state), and 4 bytes
// for each state from which no run avoids the step.
func Enrich(ctx context.Context, c *scc.Components, p *property.Chain, o Options) (_ *Enriched, err error) {
	defer abort.Caught(&err)
	const tables = 4
	abort.On(resources.Ask(ctx, tables*levelBytes(p.Len())*int64(c.LTS().NumStates())))
	e := &Enriched{property: p, components: c, fairness: o.Fairness, admitted: admit(ctx, c, o.Fairness)}
	meter := progress.Start(ctx, "enrich", progress.Transitions, 0)
	both := [2]*pass{newPass(ctx, c, p), newPass(ctx, c, p)}
	for _, x := range both {
		x.meter, x.fairness, x.admitted = meter, o.Fairness, e.admitted
	}
	if o.ahead != nil {
		// The pass for common prefixes is running. It and the one for common
		// suffixes take most of the time, so that all others run beside it.
		cores.Share(2, func(core int) {
			if x := both[core]; core == 0 {
				e.cs = x.commonSuffixes()
			} else {
				e.ms, e.mp = x.maxSuffixes(), x.maxPrefixes()
			}
		})
		e.cp = o.ahead.wait()
		return e, nil
	}
	commonPrefixes, commonSuffixes := (*pass).commonPrefixes, (*pass).commonSuffixes
	if o.Queue == byHeap {
		commonPrefixes, commonSuffixes = (*pass).printedPrefixes, (*pass).printedSuffixes
	}
	// Prefixes and suffixes do not depend on each other, and are computed on two
	// cores.
	cores.Share(2, func(core int) {
		if x := both[core]; core == 0 {
			e.mp, e.cp = x.maxPrefixes(), commonPrefixes(x)
		} else {
			e.ms, e.cs = x.maxSuffixes(), commonSuffixes(x)
		}
	})
	return e, nil
}

// LTS returns the system that was enriched.
func (e *Enriched) LTS() *lts.LTS { return e.components.LTS() }

// Property returns the property whose prefixes and suffixes these are.
func (e *Enriched) Property() *property.Chain { return e.property }

// Components returns the components of the system.
func (e *Enriched) Components() *scc.Components { return e.components }

// Fairness returns the assumption under which runs count; nil if all do.
func (e *Enriched) Fairness() *property.Fairness { return e.fairness }

// Admits reports whether some run from s, which is reachable, counts: true unless
// the assumption has labels that occur finitely often. Cost O(1).
func (e *Enriched) Admits(s lts.State) bool {
	if e.admitted == nil {
		return true
	}
	c, _ := e.components.Of(s)
	return e.admitted[c]
}

// MP returns the length of the max prefix of s: the largest progress through
// the property over all trace prefixes that end in s (Definition 7). It means
// nothing where s is unreachable. Cost O(1).
func (e *Enriched) MP(s lts.State) int { return e.mp.at(s) }

// CP returns the length of the common prefix of s: the smallest progress over
// all trace prefixes that end in s (Definition 7). It means nothing where s is
// unreachable. Cost O(1).
func (e *Enriched) CP(s lts.State) int { return e.cp.at(s) }

// MS returns the length of the max suffix of s: the longest suffix of the
// property that some maximal trace from s contains (Definition 8). It means
// nothing where s is unreachable. Cost O(1).
func (e *Enriched) MS(s lts.State) int { return e.ms.at(s) }

// CS returns the length of the common suffix of s: the longest suffix of the
// property that every maximal trace from s contains (Definition 8). It means
// nothing where s is unreachable. Cost O(1).
func (e *Enriched) CS(s lts.State) int { return e.cs.at(s) }

// Holds reports whether every maximal trace from the initial state satisfies the
// property. Cost O(1).
func (e *Enriched) Holds() bool {
	return e.cs.at(e.components.LTS().Initial()) == e.property.Len()
}
