package diagram

import (
	"errors"
	"io"
)

// writePNG refuses: what draws pixels, and its letters, would be a tenth of what a page has to
// load, and a browser draws SVG itself.
func writePNG(io.Writer, []byte, Options) error {
	return errors.New("diagram: there are no images of pixels in a browser: write .svg")
}
