package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
)

const preventionTitle = "Who could prevent it"

// preventionClaims returns the claims about who could have prevented a violation; none if v is nil.
func preventionClaims(v *explain.Prevention) []Claim {
	if v == nil {
		return nil
	}
	claims := []Claim{{kind: "prevention", say: func(p *prose) string { return p.prevention(v) }}}
	isOneOwner := len(v.Minimal) == 1 && len(v.Minimal[0]) == 1
	if isOneOwner && v.Supervisor != nil {
		claims = append(claims, Claim{kind: "supervised", say: func(p *prose) string {
			forbid := p.forbids(prohibitions(v.Supervisor), "forbid")
			return fmt.Sprintf("For that: %s.", p.withMustLeave(forbid, v.Supervisor))
		}})
	}
	if len(v.Shares) > 0 && len(v.Minimal) > 0 {
		claims = append(claims, Claim{kind: "shares", say: func(p *prose) string { return p.shares(v.Shares) }})
	}
	return claims
}

// shares lists the shares of owners in the prevention; only the share if it is the same for all owners.
func (p *prose) shares(shares []explain.Share) string {
	var parts []string
	for _, s := range shares {
		parts = append(parts, p.owner(s.Owner)+": "+s.Share)
	}
	first := shares[0].Share
	isOther := func(s explain.Share) bool { return s.Share != first }
	if len(shares) > 1 && !slices.ContainsFunc(shares, isOther) {
		parts = []string{first + " each"}
	}
	return "Shares in what all together can prevent (Shapley values): " + strings.Join(parts, ", ") + "."
}

// ownerClaim returns the claim about the owners of the decisions. There is none if there are fewer than two
// decisions, or if no decision has an owner.
func ownerClaim(e *explain.Explanation) []Claim {
	var owners []string
	counts := map[string]int{}
	for _, d := range e.Decisions {
		if d.Owner != "" {
			if counts[d.Owner] == 0 {
				owners = append(owners, d.Owner)
			}
			counts[d.Owner]++
		}
	}
	if len(e.Decisions) < 2 || len(owners) == 0 {
		return nil
	}
	slices.SortStableFunc(owners, func(a, b string) int {
		return counts[b] - counts[a]
	})
	return []Claim{{kind: "owned", say: func(p *prose) string {
		all := len(p.e.Decisions)
		most := counts[owners[0]]
		if most == all {
			return fmt.Sprintf("All %d decisions are made by %s.", all, p.owner(owners[0]))
		}
		text := fmt.Sprintf("%d of the %d decisions %s made by %s", most, all, be(most),
			p.owner(owners[0]))
		for i, owner := range owners[1:] {
			if i == p.numNamed(len(owners))-1 {
				return text + fmt.Sprintf(", the rest by %s.",
					printable.Quantity(len(owners)-i-1, "other"))
			}
			text += fmt.Sprintf(", %d by %s", counts[owner], p.owner(owner))
		}
		return text + "."
	}}}
}

// ownerClause names the owner of some decisions; "" if the owner is unknown, or if the decisions have
// different owners.
func (p *prose) ownerClause(all []*explain.Decision) string {
	owner := all[0].Owner
	if owner == "" || slices.ContainsFunc(all, func(d *explain.Decision) bool { return d.Owner != owner }) {
		return ""
	}
	if len(all) == 1 {
		return fmt.Sprintf(", where %s takes %s,", p.owner(owner), p.labelText(all[0].Chosen.Label))
	}
	return fmt.Sprintf(", where %s decides,", p.owner(owner))
}

// PreventionTable returns a table of the owners who could have prevented the violation. It has columns
// for owners who can prevent it alone, for owners who can prevent it only together and, if there are
// any, for owners who cannot help; the first row names the columns. The table is nil if the prevention
// is not completely known.
func (s *Sentences) PreventionTable() [][]string {
	v := s.p.e.Prevention
	if v == nil || !v.Complete || len(v.Owners) == 0 {
		return nil
	}
	alone := []string{"alone"}
	together := []string{"together"}
	cannot := []string{"cannot"}
	canHelp := map[string]bool{}
	for _, set := range v.Minimal {
		var quoted []string
		for _, name := range set {
			canHelp[name] = true
			quoted = append(quoted, s.p.owner(name))
		}
		switch len(set) {
		case 0:
			return nil
		case 1:
			alone = append(alone, quoted[0])
		default:
			together = append(together, printable.List(quoted, "and"))
		}
	}
	for _, name := range v.Owners {
		if !canHelp[name] {
			cannot = append(cannot, s.p.owner(name))
		}
	}
	hasOnlyHead := func(column []string) bool { return len(column) == 1 }
	return transposed(slices.DeleteFunc([][]string{alone, together, cannot}, hasOnlyHead))
}

// transposed returns the rows of some columns. Empty cells fill the shorter ones.
func transposed(columns [][]string) [][]string {
	longest := 0
	for _, column := range columns {
		longest = max(longest, len(column))
	}
	rows := make([][]string, longest)
	for i := range rows {
		rows[i] = make([]string, len(columns))
		for j, column := range columns {
			if i < len(column) {
				rows[i][j] = column[i]
			}
		}
	}
	return rows
}

// owner formats the name of an owner. It adds the word "lane" to a name that is only a number, so that
// nobody reads the name as a count.
func (p *prose) owner(name string) string {
	if isNumber(name) {
		return "lane " + p.quote(name)
	}
	return p.quote(name)
}

func isNumber(name string) bool { return name != "" && strings.Trim(name, "0123456789") == "" }

// Prevention says who could have prevented the violation; nil if no owners are known.
func (s *Sentences) Prevention() []string { return sayAll(&s.p, s.story.Prevention) }

// Owned reports how many decisions each owner makes; nil if no owners are known.
func (s *Sentences) Owned() []string { return sayAll(&s.p, s.story.Owned) }

// prevention says who could have prevented a violation; "" if nobody had to.
func (p *prose) prevention(v *explain.Prevention) string {
	isJoint := func(set []string) bool { return len(set) > 1 }
	canAlone := !slices.ContainsFunc(v.Minimal, isJoint)
	isOneSet := len(v.Minimal) == 1
	switch {
	case len(v.Minimal) == 0:
		return p.whyNobody(v)
	case isOneSet && len(v.Minimal[0]) == 0:
		return ""
	case !v.Complete:
		return fmt.Sprintf("%s can prevent it together. Not all sets of the %d owners were tried: others may be able to, too.", p.owners(v.Minimal[0], "and"), len(v.Owners))
	case isOneSet && !canAlone:
		text := fmt.Sprintf("Only %s together can prevent it", p.owners(v.Minimal[0], "and"))
		if v.Supervisor != nil {
			text += ": " + p.shareOfEach(v.Supervisor, v.Minimal[0])
		}
		return text + "."
	case canAlone:
		return p.whoCanAlone(v)
	}
	var sets []string
	for _, set := range v.Minimal[:p.numNamed(len(v.Minimal))] {
		sets = append(sets, p.owners(set, "and"))
	}
	text := fmt.Sprintf("Any of these can prevent it: %s", strings.Join(sets, "; "))
	more := len(v.Minimal) - len(sets)
	if more > 0 {
		text += fmt.Sprintf("; and %s", printable.Quantity(more, "other set"))
	}
	return text + "."
}

// whyNobody says that nobody could have prevented the violation, and why.
func (p *prose) whyNobody(v *explain.Prevention) string {
	obstacle := p.obstacleClause(v.Supervisor)
	switch len(v.Owners) {
	case 0:
		return fmt.Sprintf("Nobody can prevent it%s.", cmp.Or(obstacle, ": all that owners do triggers the property"))
	case 1:
		return fmt.Sprintf("%s cannot prevent it%s.", p.owner(v.Owners[0]), obstacle)
	}
	return fmt.Sprintf("Nobody can prevent it: not even %s together%s.", p.owners(v.Owners, "and"), obstacle)
}

// owners lists owners, and counts those beyond the limit.
func (p *prose) owners(set []string, last string) string {
	isName := func(name string) bool { return !isNumber(name) }
	if len(set) > 1 && !slices.ContainsFunc(set, isName) {
		return "lanes " + listed(p, set, p.quote, "other", last)
	}
	return listed(p, set, p.owner, "other", last)
}

// whoCanAlone names the owners who could prevent the violation alone, and says that the others could not.
func (p *prose) whoCanAlone(v *explain.Prevention) string {
	all := len(v.Owners)
	canAll := len(v.Minimal) == all
	switch {
	case canAll && all > 1 && p.numNamed(all) < all:
		return fmt.Sprintf("Each of the %d owners alone can prevent it.", all)
	case canAll && all > 1:
		return fmt.Sprintf("Each of %s alone can prevent it.", p.owners(v.Owners, "and"))
	}
	var able, others []string
	for _, set := range v.Minimal {
		able = append(able, set[0])
	}
	for _, name := range v.Owners {
		if !slices.Contains(able, name) {
			others = append(others, name)
		}
	}
	text := p.owners(able, "or") + " alone can prevent it"
	switch len(others) {
	case 0:
		return text + "."
	case 1:
		return fmt.Sprintf("%s; %s cannot.", text, p.owners(others, "and"))
	}
	return fmt.Sprintf("%s; %s cannot, not even together.", text, p.owners(others, "and"))
}
