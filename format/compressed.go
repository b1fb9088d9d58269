package format

import (
	"io"

	"github.com/inev-lts/inev/format/internal/clts"
	"github.com/inev-lts/inev/lts"
)

// WriteCompressed writes a model in .clts, a compressed format of inev: 2 to 4
// bytes a transition, in blocks with checksums, read several times as fast as
// text. The file has the transitions by ascending source, those of a state in
// their order; labels with the same text become one label. It fails if w does,
// and if the model has 2³² transitions or more. Cost O(S + T) time, and memory
// for the labels.
func WriteCompressed(w io.Writer, m *lts.LTS) error { return clts.Write(w, m) }
