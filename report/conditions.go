package report

import (
	"fmt"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/report/claim"
)

// conditions lists the conditions that a run violates, and what is wrong with each.
func (p *prose) conditions(c claim.Conditions) string {
	said := map[explain.Verdict][]string{}
	for _, part := range c.All {
		text := p.quote(part.Text)
		if part.Verdict == explain.Violated {
			text += p.broken(part)
		}
		said[part.Verdict] = append(said[part.Verdict], text)
	}
	text := fmt.Sprintf("Of the %d conditions, this run violates %s", len(c.All), p.joined(said[explain.Violated]))
	if holds := said[explain.Satisfied]; len(holds) > 0 {
		text += ", and satisfies " + p.joined(holds)
	}
	if open := said[0]; len(open) > 0 {
		text += ", and leaves open " + p.joined(open)
	}
	return text + "."
}

// broken gives the reason of a violated condition, in parentheses; "" if nothing is to be said.
func (p *prose) broken(c explain.Conjunct) string {
	switch {
	case c.FromStart:
		return " (from the start)"
	case c.Step != nil:
		return fmt.Sprintf(" (in step %d, %s)", *c.Step+1, p.quote(p.e.Counterexample.Steps[*c.Step].Label))
	case len(c.Pending) > 0:
		return " (" + p.phrase(property.Phrase(c.Pending)) + ")"
	}
	return ""
}

// joined lists texts that are set already, up to three and a count.
func (p *prose) joined(texts []string) string {
	n := p.most(len(texts))
	if n < len(texts) {
		return fmt.Sprintf("%s and %d more", strings.Join(texts[:n], ", "), len(texts)-n)
	}
	return join(texts, "and")
}
