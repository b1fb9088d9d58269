package claim

import (
	"slices"

	"github.com/inev-lts/inev/explain"
)

// Prevention says who could have prevented the violation.
type Prevention struct{ *explain.Prevention }

// Supervised is the repair by the only owner who can prevent the violation alone.
type Supervised struct{ *explain.Repair }

// Shares is the contribution of each owner to what all owners together can prevent.
type Shares struct{ *explain.Prevention }

// Owned counts the decisions of the run by owner.
type Owned struct {
	// Owners are the owners with a decision, in descending order of Counts, the numbers of their
	// decisions. All is the number of all decisions of the run, also of those without an owner.
	Owners []string
	Counts []int
	All    int
}

func (Prevention) Kind() string { return "prevention" }
func (Supervised) Kind() string { return "supervised" }
func (Shares) Kind() string     { return "shares" }
func (Owned) Kind() string      { return "owned" }

// Preventions returns the claims about who could have prevented a violation; none if p is nil or
// has no owners.
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

// owned returns the claim about the owners of the decisions; none if there are fewer than two
// decisions, or if no decision has an owner.
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
