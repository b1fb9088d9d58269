package network

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/testing/mutation"
	"github.com/inev-lts/inev/lts"
)

// openSmall opens components with three states that do a, b with an offer, c and i.
func openSmall(ctx context.Context, _ string) (*lts.LTS, error) {
	m, _, err := aut.Read(ctx, strings.NewReader("des (0, 5, 3)\n(0, a, 1)\n(1, \"b !1\", 2)\n(1, c, 0)\n(2, i, 0)\n(2, \"a !2\", 1)\n"), aut.Options{})
	return m, err
}

var errTooLarge = errors.New("too large")

// FuzzMutants: what is no network is refused in one line with a place, and what is one is composed alike by one
// worker and by several.
func FuzzMutants(f *testing.F) {
	texts := []string{
		`hide a, "b !1" in par a, b#2 -> "x.aut" || b, c -> y || label par c in x || z end par end par end hide`,
		`lotos behaviour gate rename a -> d, "b.*" -> "e" in (x |[a, b]| y ||| (x || z)) end rename`,
		`label prio a > c > all but a, c in par using a * _ * "b !1" -> d, _ * c * c -> "e !1" in x || y || z end par end prio`,
		`ccs total cut all but a in x [a/b] | ("y" \ {a, c}) end cut`,
		`csp x [| {a, b} |] y [[a <- b]] (* c *)`,
		`mcrl comm a | b = c, a | a = d end comm hide i in multiple rename "\(a\)" -> "\1x" in x || y end rename end hide`,
	}
	words := append([]string{"(", ")", "{", "}", "[", "]", "|[", "]|", "[|", "|]", "|||", "||", "|", "\\", "->", "<-", ">", "*", "_", ",", "#", "\"", "--", "(*", "*)",
		"\n", "a", "b !1", "i", "x", "n.exp", "r.ren", "1", "99999999999999999999"}, keywords...)
	for i := range texts {
		f.Add(byte(i), []byte{})
		f.Add(byte(i), []byte("\x03\x20\x01\x06\x80\x00"))
	}
	f.Fuzz(func(t *testing.T, which byte, program []byte) {
		defer mutation.Limited()()
		ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
		defer cancel()
		text := mutation.Of(texts[int(which)%len(texts)], program, words)
		options := Options{
			Name:    "n.exp",
			Workers: 1,
			Open:    openSmall,
			Read: func(context.Context, string) ([]byte, error) {
				return []byte("rename\na -> b\n"), nil
			},
			Admit: func(states, _ int64) error {
				if states > 2000 {
					return errTooLarge
				}
				return nil
			},
		}
		model, _, err := Compose(ctx, []byte(text), options)
		if err != nil {
			isPlaced := strings.Contains(err.Error(), ":") && strings.Contains(err.Error(), "(column ")
			if !isPlaced && !errors.Is(err, errTooLarge) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		options.Workers = 3
		again, _, err := Compose(ctx, []byte(text), options)
		if err != nil || again.LTS.String() != model.LTS.String() {
			t.Fatalf("%q: %v\n%v\n%v", text, err, model.LTS, again.LTS)
		}
	})
}
