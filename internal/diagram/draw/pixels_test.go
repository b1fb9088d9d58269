package draw

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image/png"
	"testing"

	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/lts"
)

// TestPNGSaysWhatItShows: the title, the formula and the program as texts of Latin-1 or else UTF-8, and a size, in chunks
// whose checksums are right, before the pixels.
func TestPNGSaysWhatItShows(t *testing.T) {
	var b lts.Builder
	b.Add(0, b.Label("REQ"), 0)
	m, err := b.Build(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for formula, kind := range map[string]string{"Inev(é)": "tEXt", "Inev(→)": "iTXt"} {
		g, err := view.OfModel(m, "model.aut", view.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g.Caption.Formula = formula
		var file bytes.Buffer
		if err := PNG(context.Background(), inside, &file, g, Options{Scale: 1, Software: "inev v1.2.3"}); err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(bytes.NewReader(file.Bytes())); err != nil {
			t.Fatal(err)
		}
		said := map[string]string{}
		for rest := file.Bytes()[8:]; len(rest) > 0; {
			n := binary.BigEndian.Uint32(rest)
			name, content := string(rest[4:8]), rest[8:8+n]
			if binary.BigEndian.Uint32(rest[8+n:]) != crc32.ChecksumIEEE(rest[4:8+n]) {
				t.Fatalf("%s has another checksum", name)
			}
			if name == "IDAT" {
				break
			}
			keyword, text, _ := bytes.Cut(content, []byte{0})
			said[name+" "+string(keyword)] = string(bytes.TrimLeft(text, "\x00"))
			if name == "pHYs" {
				if perMetre := binary.BigEndian.Uint32(content); perMetre != 2835 || content[8] != 1 { // 72 in an inch
					t.Errorf("%d pixels in a metre", perMetre)
				}
			}
			rest = rest[12+n:]
		}
		want := formula
		if kind == "tEXt" {
			want = "Inev(\xe9)"
		}
		if said[kind+" Formula"] != want || said["tEXt Software"] != "inev v1.2.3" || said[kind+" Title"] == "" {
			t.Errorf("the file says %q", said)
		}
	}
}
