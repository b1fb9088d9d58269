//go:build !js

package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
)

type nothing struct{ io.Writer }

func (nothing) Close() error { return nil }

func TestFlags(t *testing.T) {
	for _, c := range []struct {
		words string
		code  int
		said  string
	}{
		{"-version", 0, "inev-ls "},
		{"-help", 0, "a language server on standard input and output"},
		{"-memory much", 2, "inev-ls: "},
		{"m.aut", 2, `"m.aut" is not a flag`},
		{"-look 0", 1, "without a request to shut down"}, // the client leaves at once
	} {
		var said bytes.Buffer
		code := run(context.Background(), strings.Fields(c.words), io.NopCloser(strings.NewReader("")), nothing{io.Discard}, &said)
		if code != c.code || !strings.Contains(said.String(), c.said) {
			t.Errorf("%s: %d, %q", c.words, code, said.String())
		}
	}
}
