// Package linear rewrites formulas of computation tree logic as properties of runs, for hints. A user
// who writes AF p, where p is an action, means F p.
package linear

import (
	"context"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/printable"
)

// OfActions returns what to write instead of a formula of computation tree logic if its predicates are
// meant as actions; "" if that is unknown. Cost O(length of the text).
func OfActions(ctx context.Context, text string) string {
	f, err := syntax.Parse(ctx, text)
	if err != nil {
		return ""
	}
	linear, is := f.Linear()
	if !is {
		return ""
	}
	if _, err := formula.Parse(ctx, linear); err != nil {
		return ""
	}
	return printable.Echo(linear)
}
