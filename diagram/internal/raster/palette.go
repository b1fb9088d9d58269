package raster

import (
	"cmp"
	"encoding/binary"
	"image"
	"image/color"
	"runtime"
	"slices"
	"sync"
)

// maxColours is the largest number of colours in the palette of a PNG.
const maxColours = 256

// shade is a colour in 15 bits, 5 for each component.
type shade uint16

const shades = 1 << 15

func shadeOf(c color.RGBA) shade { return shade(c.R>>3)<<10 | shade(c.G>>3)<<5 | shade(c.B>>3) }

// colour returns a colour of this shade; the darkest shade is black, the lightest white.
func (s shade) colour() color.RGBA {
	part := func(bits shade) uint8 { return uint8(bits&31<<3 | bits&31>>2) }
	return color.RGBA{part(s >> 10), part(s >> 5), part(s), 0xff}
}

// palettize returns an image with at most 256 colours: the inks, and the most frequent shades
// between them, each for all mixtures that differ from it by less than 8 of 255. Rarer mixtures,
// for example where three inks meet, become the nearest colour of the palette.
//
// A picture has few inks; hence it looks the same, and its PNG takes a third of the space and a
// quarter of the time to compress. Cost O(pixels), on all processors.
func palettize(img *image.RGBA, inks []color.RGBA) *image.Paletted {
	counts := count(img)
	palette, index := choose(counts, inks)
	out := image.NewPaletted(img.Rect, palette)
	inBands(img, func(_, from, to int) {
		recolour(out.Pix[from:to], img.Pix[4*from:4*to], index)
	})
	return out
}

// inBands splits an image into horizontal bands and calls a function for them in parallel, each
// with the range of its pixels.
func inBands(img *image.RGBA, do func(band, from, to int)) {
	var done sync.WaitGroup
	pixels, bands := len(img.Pix)/4, runtime.GOMAXPROCS(0)
	for i := range bands {
		done.Add(1)
		go func() {
			defer done.Done()
			do(i, pixels*i/bands, pixels*(i+1)/bands)
		}()
	}
	done.Wait()
}

// pixel returns the first pixel as a number, and its shade.
func pixel(pixels []byte) (uint32, shade) {
	p := binary.LittleEndian.Uint32(pixels)
	return p, shade(p>>3&31<<10 | p>>11&31<<5 | p>>19&31)
}

// count returns the number of pixels of each shade.
func count(img *image.RGBA) []int {
	var mu sync.Mutex
	all := make([]int, shades)
	inBands(img, func(_, from, to int) {
		pixels, counts := img.Pix[4*from:4*to], make([]int, shades)
		for len(pixels) > 0 {
			p, s := pixel(pixels)
			run := runOf(p, pixels)
			counts[s] += run
			pixels = pixels[4*run:]
		}
		mu.Lock()
		defer mu.Unlock()
		for s, n := range counts {
			all[s] += n
		}
	})
	return all
}

// runOf returns the number of leading pixels that equal p, at least one.
func runOf(p uint32, pixels []byte) int {
	pair := uint64(p)<<32 | uint64(p)
	at := 4
	for at+8 <= len(pixels) && binary.LittleEndian.Uint64(pixels[at:]) == pair {
		at += 8
	}
	for at+4 <= len(pixels) && binary.LittleEndian.Uint32(pixels[at:]) == p {
		at += 4
	}
	return at / 4
}

// recolour writes the index of each pixel in the palette.
func recolour(to []uint8, pixels []byte, index []uint8) {
	for len(pixels) > 0 {
		p, s := pixel(pixels)
		run, i := runOf(p, pixels), index[s]
		for k := range to[:run] {
			to[k] = i
		}
		to, pixels = to[run:], pixels[4*run:]
	}
}

// choose returns a palette and, for each shade of the image, its index in the palette.
func choose(counts []int, inks []color.RGBA) (color.Palette, []uint8) {
	exact := map[shade]color.RGBA{}
	for _, ink := range slices.Backward(inks) {
		exact[shadeOf(ink)] = ink
	}
	var present []shade
	for s, n := range counts {
		if n > 0 {
			present = append(present, shade(s))
		}
	}
	isInk := func(s shade) int {
		if _, is := exact[s]; is {
			return 0
		}
		return 1
	}
	slices.SortFunc(present, func(a, b shade) int {
		return cmp.Or(isInk(a)-isInk(b), counts[b]-counts[a], int(a)-int(b))
	})
	var palette color.Palette
	index := make([]uint8, shades)
	for i, s := range present {
		if i >= maxColours {
			index[s] = uint8(palette.Index(s.colour()))
			continue
		}
		index[s] = uint8(i)
		if ink, is := exact[s]; is {
			palette = append(palette, ink)
		} else {
			palette = append(palette, s.colour())
		}
	}
	return palette, index
}
