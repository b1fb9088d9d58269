package swar_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/swar"
)

func TestLeadingDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 10_000 {
		text := fmt.Sprint(r.Uint64N(1 << r.IntN(40)))[:]
		behind := string([]byte{"/:,;-)a\x00\xff\xb0"[r.IntN(10)], byte(r.IntN(256))})
		n, digits := swar.LeadingDigits([]byte("x"+text+behind+strings.Repeat("\x00", 8)), 1)
		if len(text) >= 8 {
			text = text[:8]
		}
		if want, _ := strconv.ParseUint(text, 10, 64); digits != len(text) || n != want {
			t.Fatalf("%s and %q: %d, of %d digits", text, behind, n, digits)
		}
	}
	if _, digits := swar.LeadingDigits([]byte("a1234567"), 0); digits != 0 {
		t.Errorf("%d digits", digits)
	}
}

// TestCache: a cache gives the numbers that it was told, for texts of all lengths around
// its limit, most of which share slots with others.
func TestCache(t *testing.T) {
	var c swar.Cache
	told := map[string]uint32{}
	number := func(text []byte) uint32 {
		if _, known := told[string(text)]; !known {
			told[string(text)] = uint32(len(told))
		}
		return told[string(text)]
	}
	found := 0
	for i := range 20_000 {
		text := strings.Repeat("x", i%(swar.CachedBytes+10)) + string(rune('a'+i%7)) + strings.Repeat("y", i%400/100)
		b := []byte(`"` + text + `"` + strings.Repeat("\x00", 16))
		got, quote, ok := c.Quoted(b, 1, len(text)+2)
		if !ok || quote != len(text)+1 {
			t.Fatalf("%q ends at %d, %t", text, quote, ok)
		}
		if got == swar.Unknown {
			got = c.Of([]byte(text), number)
		} else {
			found++
		}
		if got != number([]byte(text)) {
			t.Fatalf("%q has the number %d", text, got)
		}
	}
	if found < 1_000 {
		t.Errorf("%d texts were in the cache", found)
	}
	if _, _, ok := c.Quoted([]byte(strings.Repeat("a", 40)), 0, 24); ok {
		t.Error("there is no quote")
	}
}
