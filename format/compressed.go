package format

import (
	"io"

	"github.com/inev-lts/inev/format/internal/clts"
	"github.com/inev-lts/inev/lts"
)

// WriteCompressed writes a model in a compressed form of inev's own, .clts: 2 to 4 bytes a
// transition, in checked blocks, read several times as fast as text. Its transitions are in the
// file by ascending source, those of one state in their order, and labels of the same text are
// one label. Errors are those of w, and that of a model with 2³² transitions or more. Cost
// O(S + T) time, and memory for the labels.
func WriteCompressed(w io.Writer, m *lts.LTS) error { return clts.Write(w, m) }
