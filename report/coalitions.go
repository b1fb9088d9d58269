package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/report/claim"
)

// preventions says who could have prevented a violation, and how; nothing if that is not known.
func (p *prose) preventions(v *explain.Prevention) (said []string) {
	for _, c := range claim.Preventions(v) {
		if text := p.preventable(c); text != "" {
			said = append(said, text)
		}
	}
	return said
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

// owners lists owners, and counts those that are too many.
func (p *prose) owners(set []string, last string) string {
	var quoted []string
	for _, name := range set {
		quoted = append(quoted, p.owner(name))
	}
	if n := p.most(len(set)); n < len(set) {
		quoted = append(quoted[:n], printable.Quantity(len(set)-n, "other"))
	}
	return join(quoted, last)
}

// alone says that some owners can prevent it, each alone, and the others cannot.
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

// standing names what stands in the way of all owners together.
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

// supervised lists what the one owner who alone can prevent it does for that.
func (p *prose) supervised(r *explain.Repair) string {
	said := p.nevers(claim.Nevers(r))
	if leave := p.leave(r.NotForEver); leave != "" && said != "" {
		said += "; and " + leave
	} else if leave != "" {
		said = leave
	}
	return fmt.Sprintf("For that: %s.", said)
}

// supervision lists what each of some owners forbids, and what they have to leave.
func (p *prose) supervision(r *explain.Repair, set []string) string {
	nevers := map[string][]claim.Never{}
	for _, n := range claim.Nevers(r) {
		nevers[n.Owner] = append(nevers[n.Owner], n)
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
	said := strings.Join(parts, ", ")
	if leave := p.leave(r.NotForEver); leave != "" && said != "" {
		said += "; and " + leave
	} else if leave != "" {
		said = leave
	}
	return said
}

// nevers lists the transitions that are never to be taken. If the list is long, it counts them.
func (p *prose) nevers(list []claim.Never) string {
	if len(list) > shownAdvice && !p.full {
		transitions := 0
		for _, n := range list {
			transitions += n.Transitions
		}
		return fmt.Sprintf("forbidding %d transitions", transitions)
	}
	var parts []string
	for _, n := range list {
		parts = append(parts, "never "+p.never(n))
	}
	return join(parts, "and")
}

// shares reports how much of what all owners together can prevent is due to each.
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
