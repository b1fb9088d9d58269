package automata

import (
	"fmt"
	"strconv"
	"strings"
)

// mostSets is the largest number of sets for which a condition is compared with
// its name.
const mostSets = 12

// named returns the condition that this name has in acc-name:, as a function of
// the sets that a run visits infinitely often, and its number of sets; known is
// false for unknown names, and for names with unexpected parameters.
func named(name string) (holds func(met uint64) bool, sets int, known bool) {
	kind, number, _ := strings.Cut(name, " ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > mostSets {
		n = -1
	}
	all := func(wants func(met uint64, i int) bool) func(uint64) bool {
		return func(met uint64) bool {
			for i := range n {
				if !wants(met, i) {
					return false
				}
			}
			return true
		}
	}
	not := func(holds func(uint64) bool) func(uint64) bool { return func(met uint64) bool { return !holds(met) } }
	has := func(met uint64, i int) bool { return met>>i&1 != 0 }
	switch kind {
	case "Buchi":
		return func(met uint64) bool { return has(met, 0) }, 1, true
	case "co-Buchi":
		return func(met uint64) bool { return !has(met, 0) }, 1, true
	case "all":
		return func(uint64) bool { return true }, 0, true
	case "none":
		return func(uint64) bool { return false }, 0, true
	case "generalized-Buchi":
		return all(has), n, n >= 0
	case "generalized-co-Buchi":
		return not(all(has)), n, n >= 0
	case "Streett":
		return all(func(met uint64, i int) bool { return !has(met, 2*i) || has(met, 2*i+1) }), 2 * n, n >= 0
	case "Rabin":
		return not(all(func(met uint64, i int) bool { return has(met, 2*i) || !has(met, 2*i+1) })), 2 * n, n >= 0
	}
	return nil, 0, false
}

// holds reports whether a run is accepted that visits exactly these sets
// infinitely often, and the complements of the other sets.
func (c Condition) holds(met uint64) bool {
	switch c.Op {
	case ConditionTrue:
		return true
	case ConditionFalse:
		return false
	case ConditionAnd:
		return c.Parts[0].holds(met) && c.Parts[1].holds(met)
	case ConditionOr:
		return c.Parts[0].holds(met) || c.Parts[1].holds(met)
	}
	return (met>>c.Set&1 != 0) != (c.Op == ConditionFin)
}

// plain reports whether the condition mentions no complements, and only sets
// below n.
func (c Condition) plain(n int) bool {
	for _, part := range c.Parts {
		if !part.plain(n) {
			return false
		}
	}
	return c.Op != ConditionInf && c.Op != ConditionFin || !c.Complement && c.Set < n
}

// Contradiction returns a warning if acc-name: and Acceptance: mean different
// conditions; "" if they do not, or if this is unknown.
func (g *Automaton) Contradiction(file string) string {
	holds, sets, known := named(g.AccName)
	if !known || sets > mostSets {
		return ""
	}
	same := g.Acceptance.plain(sets)
	for met := uint64(0); met < 1<<sets && same; met++ {
		same = holds(met) == g.Acceptance.holds(met)
	}
	if same {
		return ""
	}
	return fmt.Sprintf("%s:%d: acc-name: says %s, and Acceptance: says %s, which is what counts", file, g.AcceptanceLine, g.AccName, g.condition)
}
