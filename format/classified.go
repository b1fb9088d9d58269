package format

import (
	"io"

	"github.com/inev-lts/inev/format/internal/autx"
	"github.com/inev-lts/inev/neighbourhood"
)

// WriteAUTX writes the reachable part of a model in CLEAR's format: colours for
// the classes of its transitions, kinds of states for the kinds of its
// neighbourhoods, lines sorted by source and target. CLEAR uses the
// [neighbourhood.Some] reading. A warning names the first label that CLEAR's
// visualiser cuts off because of a comma or colon. It fails if w does, and before
// it has written anything if a label has a line feed. Cost O(T log T).
func WriteAUTX(w io.Writer, n *neighbourhood.Classification) (warnings []string, err error) {
	return autx.Write(w, n)
}
