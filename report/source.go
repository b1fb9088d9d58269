package report

import (
	"fmt"

	"github.com/inev-lts/inev/format/specification"
)

// placeOf names a place in a specification, the file and the line set by quote.
func placeOf(p *specification.Place, quote func(string) string) string {
	text := quote(fmt.Sprintf("%s:%d", p.File, p.Line))
	switch p.Others {
	case 0:
		return text
	case 1:
		return text + " and 1 other place"
	}
	return fmt.Sprintf("%s and %d other places", text, p.Others)
}

// sourced says where the action stands in the specification, as the last of the answers.
func (p whyProse) sourced(said []string) []string {
	if at := p.w.Source; at != nil {
		said = append(said, fmt.Sprintf("The action is at %s.", placeOf(at, p.quote)))
	}
	return said
}
