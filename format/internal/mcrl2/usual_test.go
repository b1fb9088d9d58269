package mcrl2_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/inev-lts/inev/format/internal/mcrl2"
)

// TestPacketsOneByOne: files, damaged ones included, are read the same as where their bytes come
// one by one, so that no transition is there as a whole.
func TestPacketsOneByOne(t *testing.T) {
	told := func(r io.Reader) string {
		m, warnings, err := mcrl2.Read(context.Background(), r, mcrl2.Options{Name: "m.lts", States: true})
		if err != nil {
			return err.Error()
		}
		return written(t, m.LTS) + strings.Join(warnings, "\n")
	}
	files := [][]byte{large(300, false), large(150, true)}
	models, refused := 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 7))
		data := bytes.Clone(files[r.IntN(len(files))])
		for range r.IntN(4) {
			data[200+r.IntN(len(data)-200)] ^= 1 << r.IntN(8)
		}
		got, want := told(bytes.NewReader(data)), told(iotest.OneByteReader(bytes.NewReader(data)))
		if got != want {
			t.Fatalf("seed %d:\n%s\nbyte by byte:\n%s", seed, got, want)
		}
		if strings.HasPrefix(got, "des") {
			models++
		} else {
			refused++
		}
	}
	if models < 100 || refused < 30 {
		t.Errorf("%d models were read, and %d files refused", models, refused)
	}
}
