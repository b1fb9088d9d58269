package aut

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

const (
	twoStepsText = "des (0, 2, 3)\n(0, \"a\", 1)\n(1, \"b\", 2)\n"
	twoSteps     = `0 of 3; 0 -"a"-> 1; 1 -"b"-> 2`
)

func shrunk(t *testing.T, text string, c string) []byte {
	t.Helper()
	var data bytes.Buffer
	w, err := Compress(&data, c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

func bzip2Sample(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/two_steps.aut.bz2")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func readBytes(data []byte) (string, error) {
	m, _, err := Read(context.Background(), bytes.NewReader(data), Options{Name: "m.aut"})
	if err != nil {
		return "", err
	}
	return describe(m), nil
}

func TestReadCompressed(t *testing.T) {
	half := len(twoStepsText) / 2
	join := bytes.Join
	for name, data := range map[string][]byte{
		"plain":         shrunk(t, twoStepsText, asPlain),
		"gzip":          shrunk(t, twoStepsText, asGzip),
		"zstd":          shrunk(t, twoStepsText, asZstd),
		"bzip2":         bzip2Sample(t),
		"gzip in parts": join([][]byte{shrunk(t, twoStepsText[:half], asGzip), shrunk(t, twoStepsText[half:], asGzip)}, nil),
		"zstd in parts": join([][]byte{shrunk(t, twoStepsText[:half], asZstd), shrunk(t, twoStepsText[half:], asZstd)}, nil),
		"pzstd":         append([]byte("\x50\x2a\x4d\x18\x04\x00\x00\x00size"), shrunk(t, twoStepsText, asZstd)...),
	} {
		if got, err := readBytes(data); err != nil || got != twoSteps {
			t.Errorf("%s: %s, error %v", name, got, err)
		}
	}
}

var inBrackets = regexp.MustCompile(` \(.*\)`)

func TestReadDamagedCompression(t *testing.T) {
	flipped := func(data []byte, fromEnd int) []byte {
		data = bytes.Clone(data)
		data[len(data)-fromEnd] ^= 0x55
		return data
	}
	cut := func(data []byte, n int) []byte { return data[:len(data)-n] }
	gz, zs, bz := shrunk(t, twoStepsText, asGzip), shrunk(t, twoStepsText, asZstd), bzip2Sample(t)
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"gzip cut at its end", cut(gz, 3), "the gzip data ends too early: the file is truncated; fetch it again"},
		{"gzip cut in its data", cut(gz, 20), "the gzip data ends too early: the file is truncated; fetch it again"},
		{"gzip cut in its header", gz[:5], "the gzip data ends too early: the file is truncated; fetch it again"},
		{"zstd cut at its end", cut(zs, 3), "the zstd data ends too early: the file is truncated; fetch it again"},
		{"zstd cut in its header", zs[:5], "the zstd data ends too early: the file is truncated; fetch it again"},
		{"bzip2 cut at its end", cut(bz, 3), "the bzip2 data ends too early: the file is truncated; fetch it again"},
		{"bzip2 cut in its header", bz[:4], "the bzip2 data ends too early: the file is truncated; fetch it again"},
		{"gzip checksum", flipped(gz, 8), "the gzip data is damaged (...): fetch the file again"},
		{"zstd checksum", flipped(zs, 1), "the zstd data is damaged (...): fetch the file again"},
		{"bzip2 checksum", flipped(bz, 3), "the bzip2 data is damaged (...): fetch the file again"},
		{"gzip of nothing", []byte("\x1f\x8b and more of it"), "the gzip data is damaged (...): fetch the file again"},
		{"garbage after gzip", append(bytes.Clone(gz), "some more bytes"...), "the gzip data is damaged (...): fetch the file again"},
		{"garbage after zstd", append(bytes.Clone(zs), "some more bytes"...), "the zstd data is damaged (...): fetch the file again"},
		// A frame with a window of 256 MiB, and one raw block.
		{"zstd window", []byte("\x28\xb5\x2f\xfd\x00\x90\x09\x00\x00x"), "the zstd data needs a window of more than 128 MiB: decompress it first, with zstd -d --long=31"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := readBytes(test.data)
			// What the decompressor says about damage is its own affair.
			got := inBrackets.ReplaceAllString(fmt.Sprint(err), " (...)")
			if want := "m.aut: " + test.want; got != want {
				t.Errorf("\n got %v\nwant %s", err, want)
			}
		})
	}
}

// What files are called that are written in each way.
const (
	asPlain = "m.aut"
	asGzip  = "m.aut.gz"
	asZstd  = "m.aut.zst"
)

func TestCompressionOf(t *testing.T) {
	for path, want := range map[string]string{
		"m.aut": asPlain, "m": asPlain, "gz": asPlain, "m.gz.aut": asPlain,
		"m.aut.gz": asGzip, "M.AUT.GZ": asGzip, "dir.zst/m.aut.gz": asGzip,
		"m.aut.zst": asZstd, ".zst": asZstd,
	} {
		if got := shrunk(t, twoStepsText, path); !bytes.Equal(got, shrunk(t, twoStepsText, want)) {
			t.Errorf("%s is not compressed as %s", path, want)
		}
	}
	_, err := Compress(io.Discard, "m.aut.bz2")
	if want := "m.aut.bz2: bzip2 can be read but not written: choose .gz or .zst"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestCompressIsDeterministicAndSmall(t *testing.T) {
	text := "des (0, 300000, 1)\n" + strings.Repeat("(0, \"a\", 0)\n", 300_000)
	for _, c := range []string{asGzip, asZstd} {
		first := shrunk(t, text, c)
		processors := runtime.GOMAXPROCS(1)
		second := shrunk(t, text, c)
		runtime.GOMAXPROCS(processors)
		if !bytes.Equal(first, second) {
			t.Errorf("compression %v: another number of processors gives different bytes", c)
		}
		if len(first) > len(text)/50 {
			t.Errorf("compression %v: %d bytes of %d", c, len(first), len(text))
		}
	}
	// Bytes 4 to 7 of a gzip file are the time of modification.
	if gz := shrunk(t, text, asGzip); !bytes.Equal(gz[4:8], make([]byte, 4)) {
		t.Errorf("the gzip header holds a time: %x", gz[:10])
	}
}
