//go:build !js

package draw

import (
	"bytes"
	"fmt"
	"image/png"
	"io"

	"github.com/inev-lts/inev/internal/diagram/raster"
)

// writePNG writes a picture of ours as an image.
func writePNG(w io.Writer, drawn []byte, o Options) error {
	image, err := raster.Draw(bytes.NewReader(drawn), o.WithDefaults().Scale)
	if err != nil {
		return fmt.Errorf("diagram: %w", err)
	}
	return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, image)
}
