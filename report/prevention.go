package report

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/report/claim"
)

// preventionTitle is the heading of who could have prevented a violation.
const preventionTitle = "Who could prevent it"

// preventable says who could have prevented the violation.
func (p *prose) preventable(c claim.Claim) string {
	switch c := c.(type) {
	case claim.Prevention:
		return p.prevention(c.Prevention)
	case claim.Supervised:
		return p.supervised(c.Repair)
	case claim.Shares:
		return p.shares(c.Prevention)
	case claim.Owned:
		return p.owned(c)
	}
	return ""
}

// owned says whose the decisions are.
func (p *prose) owned(c claim.Owned) string {
	if c.Counts[0] == c.All {
		return fmt.Sprintf("All %d decisions are made by %s.", c.All, p.owner(c.Owners[0]))
	}
	are := "is"
	if c.Counts[0] > 1 {
		are = "are"
	}
	text := fmt.Sprintf("%d of the %d decisions %s made by %s", c.Counts[0], c.All, are, p.owner(c.Owners[0]))
	for i, owner := range c.Owners[1:] {
		if i == p.most(len(c.Owners))-1 {
			return text + fmt.Sprintf(", others by %s.", printable.Quantity(len(c.Owners)-i-1, "other"))
		}
		text += fmt.Sprintf(", %d by %s", c.Counts[i+1], p.owner(owner))
	}
	return text + "."
}

// byWhom returns who decides at decisions; "" if that is not known, or not the same.
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

// PreventionTable returns a table of who could have prevented the violation: who alone, who together, and
// who is of no help, each a column if there is somebody; nil if that is not known, or not completely.
func (s *Sentences) PreventionTable() (head []string, rows [][]string) {
	v := s.p.e.Prevention
	if v == nil || !v.Complete || len(v.Owners) == 0 {
		return nil, nil
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
			return nil, nil
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
	for _, column := range []struct {
		head  string
		cells []string
	}{{"alone", alone}, {"together", together}, {"cannot", cannot}} {
		if len(column.cells) == 0 {
			continue
		}
		for len(rows) < len(column.cells) {
			rows = append(rows, make([]string, len(head)))
		}
		head = append(head, column.head)
		for i := range rows {
			cell := ""
			if i < len(column.cells) {
				cell = column.cells[i]
			}
			rows[i] = append(rows[i], cell)
		}
	}
	return head, rows
}

// owner sets the name of an owner; one that is a mere number is not to be read as a count.
func (p *prose) owner(name string) string {
	if name != "" && strings.Trim(name, "0123456789") == "" {
		return "lane " + p.quote(name)
	}
	return p.quote(name)
}

// Prevention says who could have prevented the violation; nil if it is not known who acts.
func (s *Sentences) Prevention() []string { return sayAll(&s.p, s.story.Prevention) }

// Owned says whose the decisions are; nil if it is not known who acts.
func (s *Sentences) Owned() []string { return sayAll(&s.p, s.story.Owned) }

// markdownPrevention writes who could have prevented the violation, as a table, too.
func markdownPrevention(b *bufio.Writer, s *Sentences) {
	said := s.Prevention()
	if len(said) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### %s\n", preventionTitle)
	for _, sentence := range said {
		fmt.Fprintf(b, "\n%s\n", sentence)
	}
	head, rows := s.PreventionTable()
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat(" --- |", len(head)))
	for _, r := range rows {
		fmt.Fprintf(b, "| %s |\n", strings.Join(r, " | "))
	}
}
