//go:build !js

package draw

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"html"
	"image/png"
	"io"
	"math"
	"strings"

	"github.com/inev-lts/inev/internal/diagram/raster"
	"github.com/inev-lts/inev/internal/diagram/view"
)

// writePNG writes a drawn picture as an image, with its title, formula, program and physical size.
func writePNG(w io.Writer, d view.Drawing, drawn []byte, o Options) error {
	o = o.WithDefaults()
	image, err := raster.Draw(bytes.NewReader(drawn), o.Scale)
	if err != nil {
		return fmt.Errorf("diagram: %w", err)
	}
	var pixels bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&pixels, image); err != nil {
		return err
	}
	// These chunks come after the signature and the size of the image, and before the pixels.
	const head = 8 + 4 + 4 + 13 + 4
	text := bytes.Clone(pixels.Next(head))
	text = append(text, physicalSize(o.Scale)...)
	text = append(text, textChunk("Title", titleOf(drawn))...)
	text = append(text, textChunk("Formula", formulaOf(d))...)
	text = append(text, textChunk("Software", cmp.Or(o.Software, "inev"))...)
	if _, err := w.Write(text); err != nil {
		return err
	}
	_, err = pixels.WriteTo(w)
	return err
}

// chunk returns a chunk of a PNG: its length, kind and content, and their checksum.
func chunk(kind string, content []byte) []byte {
	c := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	c = append(c, kind...)
	c = append(c, content...)
	return binary.BigEndian.AppendUint32(c, crc32.ChecksumIEEE(c[4:]))
}

// physicalSize returns the chunk with the number of pixels per metre. The scale is the number of pixels
// per point.
func physicalSize(scale float64) []byte {
	const pointsPerMetre = 72 / 0.0254
	perMetre := uint32(math.Round(scale * pointsPerMetre))
	content := binary.BigEndian.AppendUint32(nil, perMetre)
	content = binary.BigEndian.AppendUint32(content, perMetre)
	return chunk("pHYs", append(content, 1)) // 1 means metres
}

// textChunk returns a chunk with a text, in Latin-1 if possible and otherwise in UTF-8. It returns nil
// for "".
func textChunk(keyword, text string) []byte {
	if text == "" {
		return nil
	}
	var latin []byte
	for _, r := range text {
		if r > 0xff {
			return chunk("iTXt", []byte(keyword+"\x00\x00\x00\x00\x00"+text)) // not compressed, of no language
		}
		latin = append(latin, byte(r))
	}
	return chunk("tEXt", append([]byte(keyword+"\x00"), latin...))
}

// titleOf returns the title of an SVG of this package.
func titleOf(drawn []byte) string {
	_, rest, _ := strings.Cut(string(drawn), "<title>")
	title, _, _ := strings.Cut(rest, "</title>")
	return html.UnescapeString(title)
}

// formulaOf returns the formula of a picture; "" if the picture has none.
func formulaOf(d view.Drawing) string {
	switch d := d.(type) {
	case *view.Graph:
		return d.Caption.Formula
	case *view.Chart:
		return d.Caption.Formula
	case *view.Argument:
		return d.Caption.Formula
	}
	return ""
}
