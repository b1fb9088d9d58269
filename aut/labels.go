package aut

import (
	"github.com/inev-lts/inev/internal/words"
	"github.com/inev-lts/inev/lts"
)

// knownLabels is the number of labels that one worker keeps. If there are many
// more labels, each of them is rare, and a second copy of all would only take
// memory.
const knownLabels = 1 << 18

// labelNumbers maps labels to the numbers of one worker, by a cache in front of a
// table of all labels.
//
// No label in the cache has a line feed in it, so that a text found in the cache
// has no line feed.
type labelNumbers struct {
	cache words.Cache
	table lts.AlphabetBuilder
}

// label returns the number of the label with this text, which has no line feed.
// Cost O(len(text)).
func (c *labelNumbers) label(text []byte) lts.Label {
	return lts.Label(c.cache.Of(text, func(text []byte) uint32 { return uint32(c.table.LabelBytes(text)) }))
}
