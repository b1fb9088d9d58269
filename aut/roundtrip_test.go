package aut

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/testing/mutation"
	"github.com/inev-lts/inev/lts"
)

// anyLabel draws labels of any bytes but line feeds, and likes those that look
// like the end of a line.
func anyLabel() *rapid.Generator[string] {
	pieces := rapid.SampledFrom([]string{
		`"`, `", 1)`, `,`, `(`, `)`, ` `, "\t", "\r", `\`, `\"`, `a`, `i`, `G !"x" !1`, "é", "\x00", "\xff\xfe", "", `(0, "a", 1)`,
	})
	return rapid.OneOf(
		rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(pieces, 0, 5).Draw(t, "pieces"), "")
		}),
		rapid.Custom(func(t *rapid.T) string {
			text := rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "bytes")
			return strings.ReplaceAll(string(text), "\n", "")
		}),
	)
}

// anyLTS draws an LTS with transitions in any order.
func anyLTS() *rapid.Generator[*lts.LTS] {
	return rapid.Custom(func(t *rapid.T) *lts.LTS {
		labels := rapid.SliceOfN(anyLabel(), 1, 5).Draw(t, "labels")
		states := rapid.IntRange(1, 6).Draw(t, "states")
		state := rapid.Uint32Range(0, uint32(states-1))
		var b lts.Builder
		for range rapid.IntRange(0, 12).Draw(t, "transitions") {
			b.Add(lts.State(state.Draw(t, "from")), b.Label(rapid.SampledFrom(labels).Draw(t, "label")), lts.State(state.Draw(t, "to")))
		}
		m, err := b.Build(lts.State(state.Draw(t, "initial")), states)
		if err != nil {
			t.Fatal(err)
		}
		return m
	})
}

func TestWrittenFilesReadBackEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyLTS().Draw(t, "lts")
		compression := rapid.SampledFrom([]string{asPlain, asGzip, asZstd}).Draw(t, "compression")
		data := packed(t, m, compression)
		again, warnings, err := Read(context.Background(), bytes.NewReader(data), Options{})
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%v, warnings %q", err, warnings)
		}
		if got, want := describe(again), describe(m); got != want {
			t.Fatalf("read back as\n%s, written was\n%s", got, want)
		}
	})
}

// packed returns m written with a compression.
func packed(t interface{ Fatal(...any) }, m *lts.LTS, c string) []byte {
	var data bytes.Buffer
	w, err := Compress(&data, c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Write(w, m); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

// FuzzRead reads any bytes. Many workers and small blocks give what one worker
// gives. What a strict reading accepts, a lenient one reads
// as the same LTS, without warnings; and what either accepts is written as a
// file that reads back equal.
func FuzzRead(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		defer mutation.Limited()()
		checkReading(t, data)
	})
}

// FuzzMutants is FuzzRead for files with tokens exchanged.
func FuzzMutants(f *testing.F) {
	const text = "des (0, 4, 3)\n(0, \"PUT !1\", 1)\n(1,i,2)\r\n\n(2, \"a, \"b\"\", 0)\n( 0 , tau , 0 )\n"
	words := []string{"des", "(", ")", ",", "\"", "\"a\"", "i", "\n", " ", "\r", ":GREEN", "1/2", "\x00", "\ufeff"}
	f.Add([]byte("\x05\x20\x01\x06\x80\x00"))
	f.Fuzz(func(t *testing.T, program []byte) {
		defer mutation.Limited()()
		checkReading(t, []byte(mutation.Of(text, program, words)))
	})
}

func checkReading(t *testing.T, data []byte) {
	strict, warnings, err := Read(context.Background(), bytes.NewReader(data), Options{Workers: 1})
	// What is no .aut file, or damaged, is told from whole blocks.
	headed := bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\ufeff")), " \t\r\n"), []byte("des"))
	if err == nil || headed {
		again, _, againErr := read(context.Background(), bytes.NewReader(data), Options{Workers: 3}, limits{20, 1})
		if got, want := outcome(again, nil, againErr), outcome(strict, nil, err); got != want {
			t.Errorf("three workers give\n%s, one gives\n%s", got, want)
		}
	}
	if len(warnings) > 0 {
		t.Errorf("a strict reading warns: %q", warnings)
	}
	lenient, warnings, lenientErr := Read(context.Background(), bytes.NewReader(data), Options{Lenient: true})
	if err == nil && (lenientErr != nil || len(warnings) > 0 || describe(lenient) != describe(strict)) {
		t.Errorf("a lenient reading differs: error %v, warnings %q", lenientErr, warnings)
	}
	if err != nil && lenientErr == nil && len(warnings) == 0 {
		t.Errorf("a lenient reading does not warn of %v", err)
	}
	if lenientErr != nil {
		return
	}
	again, _, err := Read(context.Background(), bytes.NewReader(packed(t, lenient, asPlain)), Options{})
	if err != nil {
		t.Fatalf("what was written is not accepted: %v", err)
	}
	if got, want := describe(again), describe(lenient); got != want {
		t.Errorf("read back as\n%s, written was\n%s", got, want)
	}
}
