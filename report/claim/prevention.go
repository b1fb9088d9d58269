package claim

import (
	"slices"

	"github.com/inev-lts/inev/explain"
)

// Prevention says who could have prevented the violation.
type Prevention struct{ *explain.Prevention }

// Supervised is what the only owner who can prevent the violation alone has to forbid.
type Supervised struct{ *explain.Repair }

// Shares reports how much each owner contributes to what all owners together can prevent.
type Shares struct{ *explain.Prevention }

// Owned says who makes the decisions of the run, if there are several.
type Owned struct {
	// Owners are the owners that make some decision, in descending order of Counts, the numbers of
	// their decisions; All is the number of all decisions of the run.
	Owners []string
	Counts []int
	All    int
}

func (Prevention) Kind() string { return "prevention" }
func (Supervised) Kind() string { return "supervised" }
func (Shares) Kind() string     { return "shares" }
func (Owned) Kind() string      { return "owned" }

// prevention says who could have prevented the violation, if it is known who acts.
func prevention(e *explain.Explanation) []Claim {
	return Preventions(e.Prevention)
}

// Preventions says who could have prevented a violation, if p is known.
func Preventions(p *explain.Prevention) []Claim {
	if p == nil || len(p.Owners) == 0 {
		return nil
	}
	claims := []Claim{Prevention{p}}
	if len(p.Minimal) == 1 && len(p.Minimal[0]) == 1 && p.Supervisor != nil {
		claims = append(claims, Supervised{p.Supervisor})
	}
	if len(p.Shares) > 0 && len(p.Minimal) > 0 {
		claims = append(claims, Shares{p})
	}
	return claims
}

// owned returns the claim about who makes the decisions; nothing if there are fewer than two
// decisions, or no owner makes any.
func owned(e *explain.Explanation) []Claim {
	c := Owned{All: len(e.Decisions)}
	counts := map[string]int{}
	for _, d := range e.Decisions {
		if d.Owner != "" {
			if counts[d.Owner] == 0 {
				c.Owners = append(c.Owners, d.Owner)
			}
			counts[d.Owner]++
		}
	}
	if c.All < 2 || len(c.Owners) == 0 {
		return nil
	}
	slices.SortStableFunc(c.Owners, func(a, b string) int { return counts[b] - counts[a] })
	for _, owner := range c.Owners {
		c.Counts = append(c.Counts, counts[owner])
	}
	return []Claim{c}
}
