package format_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/inputfile"
)

// TestDigest: the digest is that of all bytes of the file, in every format and
// compression, whatever the reader has left unread, and the model is the same.
func TestDigest(t *testing.T) {
	folder := t.TempDir()
	long := "des (0,20000,1)\n" + strings.Repeat("(0,\"A\",0)\n", 20000)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(long)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"short.aut": "des (0,1,1)\n(0,\"A\",0)\n", "long.aut": long, "long.aut.gz": packed.String(), "no.aut": "des (0,1,1)\n(0,\"A\",0)",
	} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 3} {
			plain, _, err := format.Open(context.Background(), path, format.Options{Workers: workers})
			if err != nil || plain.Digest != "" {
				t.Fatal(plain, err)
			}
			m, _, err := format.Open(context.Background(), path, format.Options{Digest: true, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256([]byte(text))
			if m.Digest != hex.EncodeToString(sum[:]) || m.File == nil {
				t.Errorf("%s: digest %s", name, m.Digest)
			}
			if m.LTS.NumTransitions() != plain.LTS.NumTransitions() {
				t.Errorf("%s: %d transitions, want %d", name, m.LTS.NumTransitions(), plain.LTS.NumTransitions())
			}
		}
	}
}

// TestFileThatChanges: a file that is written to, or replaced, while it is read is an error,
// with and without a digest.
func TestFileThatChanges(t *testing.T) {
	const text = "des (0,1,1)\n(0,\"A\",0)\n"
	for what, change := range map[string]func(path string) error{
		"longer":   func(path string) error { return os.WriteFile(path, []byte(text+"\n"), 0o644) },
		"replaced": func(path string) error { return os.Rename(path+".new", path) },
	} {
		for _, digest := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "m.aut")
			for _, name := range []string{path, path + ".new"} {
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			_, _, err := format.Open(context.Background(), path, format.Options{
				Digest: digest, Admit: func(_, _ int64) error { return change(path) },
			})
			var wrong *inputfile.Error
			if !errors.As(err, &wrong) || !strings.Contains(wrong.Message, "changed while it was being read") {
				t.Errorf("%s, digest %v: %v", what, digest, err)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "m.aut")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, err := format.Open(context.Background(), path, format.Options{Digest: true, Admit: func(_, _ int64) error { return os.Remove(path) }})
	if err != nil {
		t.Errorf("a file without a name is what it was: %v", err)
	}
}
