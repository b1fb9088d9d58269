package aut

import (
	"github.com/inev-lts/inev/internal/words"
	"github.com/inev-lts/inev/lts"
)

// knownLabels is the number of labels that one worker keeps in mind. Where
// there are many more, each of them is rare, and a second copy of all of
// them would only take memory.
const knownLabels = 1 << 18

// labelNumbers finds the numbers that one worker gave to labels. A cache stands
// before the table of all of them.
//
// No label in the cache has a line feed in it: what is equal to a text in the
// cache has none either.
type labelNumbers struct {
	cache words.Cache
	table lts.AlphabetBuilder
}

// label returns the number of the label with this text, in which there is no
// line feed. Cost O(len(text)).
func (c *labelNumbers) label(text []byte) lts.Label {
	return lts.Label(c.cache.Of(text, func(text []byte) uint32 { return uint32(c.table.LabelBytes(text)) }))
}
