package diagram

import (
	"context"
	"io"

	"github.com/inev-lts/inev/diagram/view"
)

// defaultScale is the scale if Scale is 0: 144 pixels an inch, sharp on most screens.
const defaultScale = 2

// graphPNG writes the picture of [SVG] as an image, with the built-in typeface and at most 256
// colours. It shows characters that the typeface lacks, such as Chinese ones, as empty boxes; SVG
// shows them.
//
// Errors as for [SVG], and if the image would have more than [raster.MaxPixels]. Cost: that of SVG,
// and of [raster.Draw].
func graphPNG(ctx context.Context, engine Engine, w io.Writer, g *view.Graph, o Options) error {
	drawn, err := laidOut(ctx, engine, g, o)
	if err != nil {
		return err
	}
	return writePNG(w, drawn, o)
}
