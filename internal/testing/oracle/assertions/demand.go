package assertions

import (
	"maps"

	"github.com/inev-lts/inev/lts"
)

// sparing returns the game that advice is about, given the game g of a supervisor that may forbid demanded
// labels. It is g if g forbids none of them; then a cut must not forbid any either. Otherwise, it is the game
// of a supervisor that cannot forbid them, if that one wins, asks runs to leave parts of the model only if g
// does, leaves at least half of the states that g leaves, and some demanded label if g leaves one. areFew is
// false if the opponent has too many choices.
func (g *game) sparing(
	demanded map[lts.Label]bool,
	playWith func(fixed map[lts.Label]bool) (*game, bool),
) (advised *game, areFew bool) {
	if len(demanded) == 0 || !g.wins[g.initial()] {
		return g, true
	}
	fixed := maps.Clone(demanded)
	maps.Copy(fixed, g.triggers)
	forbidsDemanded := false
	for x := range g.forbidden() {
		forbidsDemanded = forbidsDemanded || demanded[x.Label]
	}
	if !forbidsDemanded {
		g.triggers = fixed
		return g, true
	}
	other, areFew := playWith(fixed)
	if !areFew {
		return nil, false
	}
	if !other.wins[other.initial()] {
		return g, true
	}
	left := other.remainderWithout(other.forbidden())
	byOwn := g.remainderWithout(g.forbidden())
	isLittle := 2*len(left.states) < len(byOwn.states)
	losesAll := g.hasSome(byOwn, demanded) && !g.hasSome(left, demanded)
	needsMore := len(g.partsToLeave()) == 0 && len(other.partsToLeave()) > 0
	if isLittle || losesAll || needsMore {
		return g, true
	}
	other.satisfied = g.satisfied
	return other, true
}

// hasSome reports whether one of the labels is left.
func (g *game) hasSome(left remainder, labels map[lts.Label]bool) bool {
	for l := range labels {
		if left.labels[g.labelText(l)] {
			return true
		}
	}
	return false
}

// advised returns the game that advice about a chain is about.
func (c *Checker) advised() *game {
	demanded := map[lts.Label]bool{}
	for _, step := range c.Steps {
		for l, does := range step {
			if does {
				demanded[l] = true
			}
		}
	}
	playWith := func(fixed map[lts.Label]bool) (*game, bool) { return c.playWith(fixed), true }
	g, _ := c.play().sparing(demanded, playWith)
	return g
}
