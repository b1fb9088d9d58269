package draw

import (
	"errors"
	"io"

	"github.com/inev-lts/inev/internal/diagram/view"
)

// writePNG returns an error: the code for it would be a tenth of the download of a page, and a
// browser draws SVG itself.
func writePNG(io.Writer, view.Drawing, []byte, Options) error {
	return errors.New("diagram: there are no images of pixels in a browser: write .svg")
}
