package plaintext_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/inev-lts/inev/format/internal/plaintext"
	"github.com/inev-lts/inev/internal/inputfile"
)

func TestOpen(t *testing.T) {
	text, name, err := plaintext.Open(context.Background(), strings.NewReader("a text"), "")
	if err != nil || name != "input" {
		t.Fatalf("%q, %v", name, err)
	}
	defer text.Close()
	if all, err := io.ReadAll(text); string(all) != "a text" || err != nil {
		t.Errorf("%q, %v", all, err)
	}
	var wrong *inputfile.Error
	if _, _, err := plaintext.Open(context.Background(), strings.NewReader("\x1f\x8b cut off"), "m.fsm.gz"); !errors.As(err, &wrong) || wrong.File != "m.fsm.gz" {
		t.Errorf("%v", err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := plaintext.Open(done, strings.NewReader("a text"), "m"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
