package explain

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/explain/internal/repair"
)

// preventing is a search for the sets of owners who can prevent a violation. A set is a word,
// bit i stands for names[i].
type preventing struct {
	ctx   context.Context
	games *repair.Coalitions
	names []string
	// verdict has the ability of each set, of up to mostCoalitions owners: more owners can prevent what
	// fewer can.
	verdict []ability
}

// ability is whether a set of owners can prevent a violation.
type ability uint8

const (
	undecided ability = iota
	able
	failing
)

func (x *preventing) named(set uint64) []string {
	names := []string{}
	for i, name := range x.names {
		if set>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return names
}

// everybody returns the set of all owners.
func (x *preventing) everybody() uint64 { return ^uint64(0) >> (64 - len(x.names)) }

// minimal returns the minimal sets who can, smallest first: as many as there are up to
// mostCoalitions owners, else one.
func (x *preventing) minimal() ([]uint64, error) {
	if len(x.names) > mostCoalitions {
		return x.shrunk()
	}
	x.verdict = make([]ability, 1<<len(x.names))
	for sets := x.first(); len(sets) > 0; sets = x.next() {
		can, err := x.games.CanPrevent(x.ctx, sets)
		if err != nil {
			return nil, err
		}
		for k, set := range sets {
			x.decide(set, can>>k&1 != 0)
		}
	}
	var minimal []uint64
	for set := range uint64(len(x.verdict)) {
		if x.isMinimal(set) {
			minimal = append(minimal, set)
		}
	}
	slices.SortFunc(minimal, func(a, b uint64) int {
		return cmp.Or(bits.OnesCount64(a)-bits.OnesCount64(b), cmp.Compare(bits.Reverse64(b), bits.Reverse64(a)))
	})
	return minimal, nil
}

// isMinimal reports whether a set can, and nobody can be left out.
func (x *preventing) isMinimal(set uint64) bool {
	is := x.verdict[set] == able
	for rest := set; is && rest != 0; rest &= rest - 1 {
		is = x.verdict[set&^(rest&-rest)] == failing
	}
	return is
}

// first returns all sets if they can be tried at once, else the smallest and the largest.
func (x *preventing) first() (sets []uint64) {
	for set := range uint64(len(x.verdict)) {
		n := bits.OnesCount64(set)
		if len(x.verdict) <= repair.MostSets || n <= 1 || n >= len(x.names)-1 {
			sets = append(sets, set)
		}
	}
	return sets
}

// next returns sets to be tried next; none if all are decided. Half of them are borders: of all undecided sets
// below or above, nothing is left to be tried if they can or cannot, as where a search for one minimal set ends
// (Liffiton, Previti, Malik, Marques-Silva: Fast, Flexible MUS Enumeration, Constraints 21, 2016). The others
// have about half of the owners: they decide most, whatever they can.
func (x *preventing) next() []uint64 {
	var borders, others []uint64
	for set := range uint64(len(x.verdict)) {
		switch {
		case x.verdict[set] != undecided:
		case len(borders) < repair.MostSets/2 && x.isBorder(set):
			borders = append(borders, set)
		default:
			others = append(others, set)
		}
	}
	half := len(x.names)
	far := func(set uint64) int { return max(2*bits.OnesCount64(set)-half, half-2*bits.OnesCount64(set)) }
	slices.SortStableFunc(others, func(a, b uint64) int { return far(a) - far(b) })
	return slices.Concat(borders, others[:min(len(others), repair.MostSets-len(borders))])
}

// isBorder reports whether all sets with one owner less cannot, or all with one more can.
func (x *preventing) isBorder(set uint64) bool {
	least, most := true, true
	for i := range x.names {
		if other := set ^ 1<<i; other < set {
			least = least && x.verdict[other] == failing
		} else {
			most = most && x.verdict[other] == able
		}
	}
	return least || most
}

// decide notes whether a set can, and what follows of others.
func (x *preventing) decide(set uint64, can bool) {
	if x.verdict[set] != undecided {
		return
	}
	// All that a set has more, or less, is counted down.
	if rest := x.everybody() &^ set; can {
		for more := rest; ; more = (more - 1) & rest {
			x.verdict[set|more] = able
			if more == 0 {
				return
			}
		}
	}
	for less := set; ; less = (less - 1) & set {
		x.verdict[less] = failing
		if less == 0 {
			return
		}
	}
}

// shrunk returns one minimal set who can, if there is one: all owners but those that are not needed, the
// last ones first.
func (x *preventing) shrunk() ([]uint64, error) {
	can := func(set uint64) (bool, error) {
		can, err := x.games.CanPrevent(x.ctx, []uint64{set})
		return can != 0, err
	}
	set := x.everybody()
	if able, err := can(set); err != nil || !able {
		return nil, err
	}
	for i := len(x.names) - 1; i >= 0; i-- {
		able, err := can(set &^ (1 << i))
		if err != nil {
			return nil, err
		}
		if able {
			set &^= 1 << i
		}
	}
	return []uint64{set}, nil
}
