package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
)

const preventionTitle = "Who could prevent it"

// preventions returns the claims about who could have prevented a violation; none if v is nil or has
// no owners.
func preventions(v *explain.Prevention) []Claim {
	if v == nil || len(v.Owners) == 0 {
		return nil
	}
	claims := []Claim{{kind: "prevention", say: func(p *prose) string { return p.prevention(v) }}}
	if len(v.Minimal) == 1 && len(v.Minimal[0]) == 1 && v.Supervisor != nil {
		claims = append(claims, Claim{kind: "supervised", say: func(p *prose) string { return p.supervised(v.Supervisor) }})
	}
	if len(v.Shares) > 0 && len(v.Minimal) > 0 {
		claims = append(claims, Claim{kind: "shares", say: func(p *prose) string { return p.shares(v) }})
	}
	return claims
}

// owned returns the claim about the owners of the decisions; none if there are fewer than two
// decisions, or if no decision has an owner.
func owned(e *explain.Explanation) []Claim {
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
	slices.SortStableFunc(owners, func(a, b string) int { return counts[b] - counts[a] })
	return []Claim{{kind: "owned", say: func(p *prose) string { return p.owned(owners, counts) }}}
}

// owned reports how many of the decisions each owner makes; those with the most come first.
func (p *prose) owned(owners []string, counts map[string]int) string {
	all, most := len(p.e.Decisions), counts[owners[0]]
	if most == all {
		return fmt.Sprintf("All %d decisions are made by %s.", all, p.owner(owners[0]))
	}
	text := fmt.Sprintf("%d of the %d decisions %s made by %s", most, all, be(most), p.owner(owners[0]))
	for i, owner := range owners[1:] {
		if i == p.most(len(owners))-1 {
			return text + fmt.Sprintf(", others by %s.", printable.Quantity(len(owners)-i-1, "other"))
		}
		text += fmt.Sprintf(", %d by %s", counts[owner], p.owner(owner))
	}
	return text + "."
}

// byWhom names the owner of some decisions; "" if the owner is not known, or if the decisions have
// different owners.
func (p *prose) byWhom(all []*explain.Decision) string {
	owner := all[0].Owner
	if owner == "" || slices.ContainsFunc(all, func(d *explain.Decision) bool { return d.Owner != owner }) {
		return ""
	}
	if len(all) == 1 {
		return fmt.Sprintf(", where %s takes %s,", p.owner(owner), p.quote(all[0].Chosen.Label))
	}
	return fmt.Sprintf(", where %s decides,", p.owner(owner))
}

// PreventionTable returns a table of the owners who could have prevented the violation: a column
// for owners who can prevent it alone, one for owners who can only together, and one for owners who
// cannot help, if there are any; the first row names them. The table is nil if the prevention is not
// completely known.
func (s *Sentences) PreventionTable() [][]string {
	v := s.p.e.Prevention
	if v == nil || !v.Complete || len(v.Owners) == 0 {
		return nil
	}
	var alone, together, cannot []string
	part := map[string]bool{}
	for _, set := range v.Minimal {
		var quoted []string
		for _, name := range set {
			part[name] = true
			quoted = append(quoted, s.p.owner(name))
		}
		switch len(set) {
		case 0:
			return nil
		case 1:
			alone = append(alone, quoted[0])
		default:
			together = append(together, join(quoted, "and"))
		}
	}
	for _, name := range v.Owners {
		if !part[name] {
			cannot = append(cannot, s.p.owner(name))
		}
	}
	var rows [][]string
	width := 0
	for _, column := range []struct {
		head  string
		cells []string
	}{{"alone", alone}, {"together", together}, {"cannot", cannot}} {
		if len(column.cells) == 0 {
			continue
		}
		cells := append([]string{column.head}, column.cells...)
		for len(rows) < len(cells) {
			rows = append(rows, make([]string, width))
		}
		for i := range rows {
			rows[i] = append(rows[i], "")
			if i < len(cells) {
				rows[i][width] = cells[i]
			}
		}
		width++
	}
	return rows
}

// owner formats the name of an owner. The word "lane" stands before a name that is only a number,
// so that nobody reads it as a count.
func (p *prose) owner(name string) string {
	if name != "" && strings.Trim(name, "0123456789") == "" {
		return "lane " + p.quote(name)
	}
	return p.quote(name)
}

// Prevention says who could have prevented the violation; nil if no owners are known.
func (s *Sentences) Prevention() []string { return sayAll(&s.p, s.story.Prevention) }

// Owned reports how many decisions each owner makes; nil if no owners are known.
func (s *Sentences) Owned() []string { return sayAll(&s.p, s.story.Owned) }

// ownersMarkdown writes the table of the owners who could have prevented the violation.
func ownersMarkdown(m *markdownSheet, said *Sentences) {
	rows := said.PreventionTable()
	if rows == nil {
		return
	}
	m.printf("\n")
	m.table(tableOf(strings.Join(rows[0], " | "), func(row func(cells ...any)) {
		for _, r := range rows[1:] {
			cells := make([]any, len(r))
			for i, cell := range r {
				cells[i] = cell
			}
			row(cells...)
		}
	}))
}

// prevention says who could have prevented a violation; "" if nobody had to.
func (p *prose) prevention(v *explain.Prevention) string {
	single := !slices.ContainsFunc(v.Minimal, func(set []string) bool { return len(set) > 1 })
	switch {
	case len(v.Minimal) == 0 && len(v.Owners) == 1:
		return fmt.Sprintf("%s cannot prevent it%s.", p.owner(v.Owners[0]), p.standing(v.Supervisor))
	case len(v.Minimal) == 0:
		return fmt.Sprintf("Nobody can prevent it: not even %s together%s.", p.owners(v.Owners, "and"), p.standing(v.Supervisor))
	case len(v.Minimal) == 1 && len(v.Minimal[0]) == 0:
		return ""
	case !v.Complete:
		return fmt.Sprintf("%s can prevent it together. Not all sets of the %d owners were tried: others may be able to, too.", p.owners(v.Minimal[0], "and"), len(v.Owners))
	case len(v.Minimal) == 1 && !single:
		said := fmt.Sprintf("Only %s together can prevent it", p.owners(v.Minimal[0], "and"))
		if v.Supervisor != nil {
			said += ": " + p.supervision(v.Supervisor, v.Minimal[0])
		}
		return said + "."
	case single && len(v.Minimal) == len(v.Owners) && len(v.Owners) > 1:
		if n := len(v.Owners); p.most(n) < n {
			return fmt.Sprintf("Each of the %d owners alone can prevent it.", n)
		}
		return fmt.Sprintf("Each of %s alone can prevent it.", p.owners(v.Owners, "and"))
	case single:
		return p.alone(v)
	}
	var sets []string
	for _, set := range v.Minimal[:p.most(len(v.Minimal))] {
		sets = append(sets, p.owners(set, "and"))
	}
	said := fmt.Sprintf("Any of these can prevent it: %s", strings.Join(sets, "; "))
	if more := len(v.Minimal) - len(sets); more > 0 {
		said += fmt.Sprintf("; and %s", printable.Quantity(more, "other set"))
	}
	return said + "."
}

// owners lists owners, and counts those beyond the limit.
func (p *prose) owners(set []string, last string) string {
	return listed(p, set, p.owner, "other", last)
}

// alone names the owners who could prevent the violation alone, and says that the others could not.
func (p *prose) alone(v *explain.Prevention) string {
	var able, others []string
	for _, set := range v.Minimal {
		able = append(able, set[0])
	}
	for _, name := range v.Owners {
		if !slices.Contains(able, name) {
			others = append(others, name)
		}
	}
	said := p.owners(able, "or") + " alone can prevent it"
	switch len(others) {
	case 0:
		return said + "."
	case 1:
		return fmt.Sprintf("%s; %s cannot.", said, p.owners(others, "and"))
	}
	return fmt.Sprintf("%s; %s cannot, not even together.", said, p.owners(others, "and"))
}

// standing says why all owners together cannot prevent the violation.
func (p *prose) standing(r *explain.Repair) string {
	switch {
	case r == nil || r.Obstacle == nil || r.Obstacle.Kind == explain.Nondeterminism:
		return ""
	case r.Obstacle.Kind == explain.NoCorrectRun:
		return ", for no run satisfies it"
	}
	t := r.Obstacle.Transition
	why := "is nobody's to forbid"
	if all := p.e.Repair; all != nil && slices.Contains(all.Triggers, t.Label) {
		why = "triggers the property"
	}
	return fmt.Sprintf(", for %s leaves state %d, and %s", p.quote(t.Label), t.From, why)
}

// supervised describes what the only owner who can prevent the violation alone has to forbid.
func (p *prose) supervised(r *explain.Repair) string {
	return fmt.Sprintf("For that: %s.", p.andLeave(p.nevers(prohibitions(r)), r))
}

// andLeave adds which components runs have to leave to what has to be forbidden.
func (p *prose) andLeave(said string, r *explain.Repair) string {
	leave := p.leave(r.NotForEver)
	if said != "" && leave != "" {
		return said + "; and " + leave
	}
	return said + leave
}

// supervision describes what each owner in a set has to forbid, and which components runs have to
// leave.
func (p *prose) supervision(r *explain.Repair, set []string) string {
	nevers := map[string][]prohibition{}
	for _, n := range prohibitions(r) {
		nevers[n.owner] = append(nevers[n.owner], n)
	}
	var parts []string
	for _, owner := range set {
		if said := p.nevers(nevers[owner]); said != "" {
			parts = append(parts, fmt.Sprintf("%s by %s", p.owner(owner), said))
		}
	}
	if n := p.most(len(parts)); n < len(parts) {
		more := len(parts) - n
		parts = append(parts[:n], printable.Quantity(more, "other")+" likewise")
	}
	return p.andLeave(strings.Join(parts, ", "), r)
}

// nevers lists the transitions that must never be taken, or counts them if there are many.
func (p *prose) nevers(list []prohibition) string {
	if len(list) > shownAdvice && !p.full {
		transitions := 0
		for _, n := range list {
			transitions += n.transitions
		}
		return fmt.Sprintf("forbidding %d transitions", transitions)
	}
	var parts []string
	for _, n := range list {
		parts = append(parts, "never "+p.never(n))
	}
	return join(parts, "and")
}

// shares reports how much each owner contributes to what all owners together can prevent.
func (p *prose) shares(v *explain.Prevention) string {
	var parts []string
	for _, s := range v.Shares {
		parts = append(parts, p.owner(s.Owner)+": "+s.Share)
	}
	first := v.Shares[0].Share
	if len(v.Shares) > 1 && !slices.ContainsFunc(v.Shares, func(s explain.Share) bool { return s.Share != first }) {
		parts = []string{first + " each"}
	}
	return "Shares in what all together can prevent (Shapley values): " + strings.Join(parts, ", ") + "."
}
