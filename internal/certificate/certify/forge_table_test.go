package certify

import (
	"bufio"
	"bytes"
	"context"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// ForgeTable returns the certificate of an explanation with wrong claims of what some places
// can, and the best evidence that there is for them; how many claims are wrong.
func ForgeTable(r *rand.Rand, e *explain.Explanation, text string) (forged string, wrong int) {
	f := e.Classification().Fates()
	v := must(newTableEvidence(context.Background(), f))
	m := v.u.LTS()
	for i := range v.sides {
		side := &v.sides[i]
		truth := slices.Clone(side.hasRun)
		nothing := r.IntN(3) == 0
		for s := range side.hasRun {
			if nothing {
				// Only states where a run may end have a run of the side.
				side.hasRun[s] = m.IsDeadlock(lts.State(s)) && side.hasRun[s]
			} else if r.IntN(4) == 0 {
				side.hasRun[s] = !side.hasRun[s]
			}
		}
		// What leads to a state with a run of the side has one, and each such state leads to another one.
		for range r.IntN(2) * m.NumStates() {
			for t := range m.Transitions() {
				side.hasRun[t.From] = side.hasRun[t.From] || side.hasRun[t.To]
			}
		}
		for s, is := range truth {
			if side.hasRun[s] != is {
				wrong++
			}
		}
		side.banned = nil
		assumed := v.fairness
		if r.IntN(3) == 0 && assumed != nil && !assumed.Full() {
			v.fairness = careless(r, e.LTS(), assumed)
		}
		_ = v.findHomes(side)
		if r.IntN(3) == 0 && len(side.banned) > 0 {
			// Homes that are none: all that can is at home.
			for s, hasRun := range side.hasRun {
				if _, targets := m.Out(lts.State(s)); hasRun && len(targets) > 0 && side.home[s] == 0 {
					side.home[s], side.from[s], side.to[s] = 1, 1, 1
				}
			}
		}
		_ = v.findSettled(side)
		_ = v.findRanks(side, &v.sides[1-i])
		v.fairness = assumed
		switch {
		case v.fairness != nil && !v.fairness.Full() && i == 0 && r.IntN(2) == 0:
			v.pretendMissing(r, side)
		case v.fairness != nil && !v.fairness.Full():
			v.guessSets(r, side)
		case v.fairness != nil:
		case r.IntN(2) == 0:
			v.guessRanks(r, side)
		}
		for _, values := range [][]uint32{side.settle, side.from, side.to, side.ranks} {
			for j, value := range values {
				if value == none {
					values[j] = uint32(r.IntN(3))
				}
			}
		}
	}
	var b bytes.Buffer
	x := &writer{out: bufio.NewWriter(&b), e: e}
	_ = x.writeProductStates(v)
	x.writeHomes(v)
	if v.fairness != nil && !v.fairness.Full() {
		x.writeSets(v.sets)
	}
	_ = x.out.Flush()
	from, to := strings.Index(text, `"places"`), strings.Index(text, `"states": [`)
	return text[:from] + b.String() + text[to:], wrong
}

// careless returns an assumption that asks for more, or for other steps, with the same tasks.
func careless(r *rand.Rand, m *lts.LTS, f *property.Fairness) *property.Fairness {
	tasks := slices.Clone(f.Tasks())
	for i := range tasks {
		tasks[i].Strong = tasks[i].Strong || r.IntN(2) == 0
		tasks[i].Nonstuttering = tasks[i].Nonstuttering != (r.IntN(4) == 0)
	}
	var rare []lts.Label
	for l := range lts.Label(m.Alphabet().Len()) {
		if f.Rare(l) || r.IntN(6) == 0 {
			rare = append(rare, l)
		}
	}
	other, err := property.NewFairness(m.Alphabet(), false, tasks, rare)
	if err != nil {
		panic(err)
	}
	return other
}

// guessSets says of what was not taken apart that it has some rank in some set.
func (x *tableEvidence) guessSets(r *rand.Rand, side *tableSide) {
	for at := 0; at < len(side.ranks); at += 2 {
		if side.ranks[at] == 0 && side.ranks[at+1] == 0 {
			side.ranks[at], side.ranks[at+1] = uint32(r.IntN(3)), uint32(r.IntN(len(x.sets)+1))
		}
	}
}

// pretendMissing says for each pair that one of its colours is on no transition at all.
func (x *tableEvidence) pretendMissing(r *rand.Rand, side *tableSide) {
	x.sets = nil
	for i, pair := range side.pairs {
		if pair.Inf == 0 {
			continue
		}
		colour := bits.TrailingZeros64(uint64(pair.Inf))
		if last := 63 - bits.LeadingZeros64(uint64(pair.Inf)); r.IntN(2) == 0 {
			colour = last
		}
		x.sets = append(x.sets, neglecting{rank: 1, missing: uint32(colour) + 1})
		for at := 2 * i; at < len(side.ranks); at += side.width {
			side.ranks[at], side.ranks[at+1] = 0, uint32(len(x.sets))
		}
	}
}

// guessRanks says of what cannot that some colour is missing, here one and there another, at
// ranks that may rise: one that is missing on the transitions to ranks that are no smaller.
func (x *tableEvidence) guessRanks(r *rand.Rand, side *tableSide) {
	n := len(side.pairs)
	for i, pair := range side.pairs {
		rank := func(s lts.State) []uint32 { return side.ranks[2*(int(s)*n+i):] }
		for s := range side.hasRun {
			rank(lts.State(s))[0] = uint32(r.IntN(2) * r.IntN(2))
		}
		for s, hasRun := range side.hasRun {
			missing := pair.Inf
			labels, targets := x.u.LTS().Out(lts.State(s))
			for k, t := range targets {
				if marks := x.u.Marks(lts.State(s), labels.At(k)); marks&pair.Fin == 0 && rank(t)[0] >= rank(lts.State(s))[0] {
					missing &^= marks
				}
			}
			if !hasRun && missing != 0 {
				rank(lts.State(s))[1] = uint32(bits.TrailingZeros64(uint64(missing)) + 1)
			}
		}
	}
}
