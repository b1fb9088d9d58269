package sequence_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/counterexample/sequence"
	"github.com/inev-lts/inev/internal/testing/mutation"
)

// FuzzRead reads any bytes under any name. Errors are of one line and name the
// file; a sequence that was read and can be written as SEQ reads back equal.
func FuzzRead(f *testing.F) {
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		defer mutation.Limited()()
		if strings.ContainsAny(name, "\n:") || name == "" {
			t.Skip("no name of a file")
		}
		all, _, err := sequence.Read(context.Background(), bytes.NewReader(data), name)
		if err != nil {
			if text := err.Error(); strings.Contains(text, "\n") || !strings.HasPrefix(text, name+":") {
				t.Errorf("error %q", text)
			}
			return
		}
		if len(all) == 0 {
			t.Fatal("no evidence and no error")
		}
		for _, v := range all {
			labels, loop, ok := v.Line()
			if !ok || loop >= 0 || len(labels) == 0 || slices.ContainsFunc(labels, hasQuote) {
				continue
			}
			text := "\"" + strings.Join(labels, "\"\n\"") + "\"\n"
			again, _, err := sequence.Read(context.Background(), strings.NewReader(text), "x.seq")
			if err != nil {
				t.Fatalf("what was read is not accepted: %v", err)
			}
			if got, _, _ := again[0].Line(); !slices.Equal(got, labels) {
				t.Errorf("read back as %q, want %q", got, labels)
			}
		}
	})
}

func hasQuote(label string) bool { return strings.ContainsAny(label, "\"\n") }
