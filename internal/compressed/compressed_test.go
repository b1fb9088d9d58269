package compressed_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/inev-lts/inev/internal/compressed"
)

const text = "des (0, 0, 1)\n"

func zipped(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReader(t *testing.T) {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	frame := z.EncodeAll([]byte(text), nil)
	for name, c := range map[string]struct {
		data   []byte
		format string
	}{
		"plain":     {[]byte(text), ""},
		"gzip":      {zipped(t), "gzip"},
		"zstd":      {frame, "zstd"},
		"skippable": {append([]byte("\x5a\x2a\x4d\x18\x01\x00\x00\x00x"), frame...), "zstd"},
	} {
		r, err := compressed.NewReader(iotest.OneByteReader(bytes.NewReader(c.data)), 1)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != text || r.Format() != c.format {
			t.Errorf("%s: %q, %v, %s", name, got, err, r.Format())
		}
		r.Close()
	}
}

// TestErrorsSayWhose: damage is told from a disk that fails.
func TestErrorsSayWhose(t *testing.T) {
	data := zipped(t)
	read := func(r io.Reader) error {
		z, err := compressed.NewReader(r, 1)
		if err != nil {
			return err
		}
		defer z.Close()
		_, err = io.ReadAll(z)
		return err
	}
	var damaged *compressed.DamagedError
	if err := read(bytes.NewReader(data[:len(data)-3])); !errors.As(err, &damaged) || !strings.Contains(err.Error(), "gzip data ends too early") {
		t.Errorf("cut off: %v", err)
	}
	if err := read(strings.NewReader("\x28\xb5\x2f\xfdxx")); !errors.As(err, &damaged) || !strings.Contains(err.Error(), "zstd data is damaged") {
		t.Errorf("damaged: %v", err)
	}
	broken := errors.New("the disk fails")
	for n := range data {
		if err := read(io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(broken))); err != broken {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}
