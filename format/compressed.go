package format

import (
	"io"

	"github.com/inev-lts/inev/format/internal/clts"
	"github.com/inev-lts/inev/lts"
)

// WriteCompressed writes a model in a compressed form of inev's own, .clts: 2 to 4 bytes a
// transition, in checked blocks, read several times as fast as text. Its transitions are in the
// file by ascending source, a state's in their order, and labels of the same text are one label.
// It fails if w does, and if the model has 2³² transitions or more. Cost
// O(S + T) time, and memory for the labels.
func WriteCompressed(w io.Writer, m *lts.LTS) error { return clts.Write(w, m) }
