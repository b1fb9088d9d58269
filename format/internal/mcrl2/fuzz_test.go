package mcrl2_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/format/internal/mcrl2"
)

// FuzzRead: whatever is read, there is a model, or an error of one line about the file.
func FuzzRead(f *testing.F) {
	f.Add(small())
	f.Add(one(0x8306, double("true", c1)))
	f.Add(one(0x8308, on("@bag", lambda(x, x), on("@fbag_cons", natural(3), concat(word(2), 1), emptyBag))))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, warnings, err := mcrl2.Read(context.Background(), bytes.NewReader(data), mcrl2.Options{Name: "m.lts", States: true})
		var located *aut.Error
		switch {
		case err == nil && (m == nil || m.LTS.NumStates() < 1):
			t.Error("neither a model nor an error")
		case err != nil && (!errors.As(err, &located) || !strings.HasPrefix(err.Error(), "m.lts: ") || strings.Contains(err.Error(), "\n")):
			t.Errorf("%q", err)
		}
		for _, w := range warnings {
			if strings.Contains(w, "\n") {
				t.Errorf("warning %q", w)
			}
		}
	})
}
