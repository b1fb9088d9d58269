package network

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestTable compares tables of all kinds with a map, as they grow.
func TestTable(t *testing.T) {
	ctx := context.Background()
	for _, width := range []uint{0, 1, 12, 16, 31, 32, 33, 64, 70, 128} {
		r := rand.New(rand.NewPCG(uint64(width), 1))
		words := int(max(1, (width+63)/64))
		table := newTable(words, width)
		want := map[string]uint32{}
		for range 40_000 {
			key := make([]uint64, words)
			left := width
			for i := range key {
				bits := min(left, 64)
				left -= bits
				if bits > 0 {
					key[i] = r.Uint64() >> (64 - bits)
				}
				if r.IntN(2) == 0 {
					key[i] &= 0xfff // many are drawn twice
				}
			}
			h := hash(key)
			number, known := want[fmt.Sprint(key)]
			if !known {
				number = unknown
			}
			if have := table.find(h, key); have != number {
				t.Fatalf("%d bits: %v has number %d, want %d", width, key, have, number)
			}
			have, err := table.findOrInsert(ctx, h, key)
			if err != nil {
				t.Fatal(err)
			}
			if !known {
				number = uint32(len(want))
				want[fmt.Sprint(key)] = number
			}
			if have != number || fmt.Sprint(table.key(int(number))) != fmt.Sprint(key) {
				t.Fatalf("%d bits: %v became number %d, want %d", width, key, have, number)
			}
		}
		if dense := width >= 12 && width <= 16; dense != (table.direct != nil) {
			t.Errorf("%d bits: direct: %t", width, table.direct != nil)
		}
	}
}
