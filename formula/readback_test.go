package formula_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// TestModalFormulasReadBack: what a pattern in a scope prints in MCL and in the mu-calculus,
// with and without a model, is read as what it means; inevitability, response and what does not
// happen as those patterns.
func TestModalFormulasReadBack(t *testing.T) {
	a, err := lts.NewAlphabet([]string{"a", "b", "b(1)", "c", "x", "G", "other"})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for _, pattern := range []string{
		"Inev(a)", "Inev({a, c}, b)", "Inev(a, b, c)", "Response(a; b)", "Response(a; b, c)", "Never(a)", `Never(a, "b(1)")`, "Precedes(a; b)",
		"Precedes(a, c; b)", "Always({a, b, x})", "AtMost(2; a)", "DeadlockFree", "Inev(/[ab]/)", "Never(o*r)",
	} {
		for _, scope := range []string{"", "before x", "after x", "between x and G", "after x until G"} {
			text := strings.TrimSuffix(pattern, ")") + "; " + scope + ")"
			switch {
			case scope == "":
				text = pattern
			case pattern == "DeadlockFree":
				text = pattern + "(" + scope + ")"
			}
			f, err := actl.Parse(ctx, text)
			if err != nil {
				t.Fatal(err)
			}
			p, _, err := f.Bind(ctx, a)
			if err != nil {
				t.Fatal(err)
			}
			mcl, _, err := f.MCL(ctx)
			if err != nil {
				t.Fatal(err)
			}
			written := []string{mcl}
			mu, notes, err := f.MuCalculus(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if len(notes) == 0 {
				written = append(written, mu)
			}
			if chain, is := p.Chain(); is {
				for _, write := range []func(context.Context) (string, []string, error){actl.Bound{Chain: chain}.MCL, actl.Bound{Chain: chain}.MuCalculus} {
					text, _, err := write(ctx)
					if err != nil {
						t.Fatal(err)
					}
					written = append(written, text)
				}
			}
			for i, w := range written {
				read, err := formula.Parse(ctx, w)
				if err != nil {
					t.Fatalf("%s, that is %s: %v", text, w, err)
				}
				q, _, err := read.Bind(ctx, a)
				if err != nil {
					t.Fatalf("%s: %v", w, err)
				}
				_, is := read.(*actl.Formula)
				if known := scope == "" && !strings.HasPrefix(pattern, "Precedes") && !strings.HasPrefix(pattern, "Always"); known != is {
					t.Errorf("%s, that is %s, is read as %s", text, w, read)
				}
				if i == 0 && scope == "" && pattern == "Response(a; b)" && read.String() != "Response(a; b)" {
					t.Errorf("%s is read as %s", text, read)
				}
				sameWords(t, a, p, q, text+" and "+w)
			}
		}
	}
}

// sameWords compares two properties on random words.
func sameWords(t *testing.T, a *lts.Alphabet, p, q *property.Property, texts string) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, uint64(len(texts))))
	for range randomlts.Share(400) {
		word := make([]lts.Label, r.IntN(9))
		for i := range word {
			word[i] = lts.Label(r.IntN(a.Len()))
		}
		loop := -1
		if len(word) > 0 && r.IntN(4) > 0 {
			loop = r.IntN(len(word))
		}
		if accepts(p, word, loop) != accepts(q, word, loop) {
			t.Fatalf("%s: %v with its loop at %d: %t, and %t", texts, word, loop, accepts(p, word, loop), accepts(q, word, loop))
		}
	}
}

// TestModalFiles reads files as people write them, and says what they are.
func TestModalFiles(t *testing.T) {
	want := map[string]string{
		"agency.mcl":   `Inev("REQ_EM", "PROVT_REC")`,
		"response.mcl": `Response(/^REQ.*$/; {/^ACK.*$/, "NACK"})`,
		"mutex.mcl":    `[ true* . 'CS_ENTER !.' . (not 'CS_LEAVE !.')* . 'CS_ENTER !.' ] false`,
		"protocol.mcl": `[ true* . "SEND" . ("RETRY" | "TIMEOUT" . "RETRY")+ . "RETRY"? . (not ("ACK" or "RESET"))* . "SEND" ] false`,
		"live.mcf":     `[true*]<true>true && [true*.send(d1)](mu X . (<true>true && [!(receive(d1) || cut)]X))`,
	}
	files, err := filepath.Glob("../internal/formula/modal/testdata/*.mc?")
	if err != nil || len(files) != len(want) {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := formula.ParseFile(context.Background(), file, text)
		if err != nil || f.String() != want[filepath.Base(file)] {
			t.Errorf("%s is %v, %v", file, f, err)
		}
	}
	_, err = formula.ParseFile(context.Background(), "m.mcl", []byte("(* a *)\n[ true* ]\n   < \"a\" > true\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "m.mcl:3: ") || !strings.Contains(err.Error(), "column 4") {
		t.Errorf("the place of an operator is not named: %v", err)
	}
}
