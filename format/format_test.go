package format_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/testing/collection"
	"github.com/inev-lts/inev/lts"
)

const (
	plain  = "des (0, 1, 2)\n(0, \"a\", 1)\n"
	valued = "n(2) Nat \"7\" \"8\"\n---\n0\n1\n---\n1 2 \"a\"\n"
	marked = "des (0, 1, 2)\n(0:N:G, \"a\":GREEN, 1)\n"
)

// describe tells of a small model.
func describe(m *lts.LTS) string {
	var b strings.Builder
	aut.Write(&b, m)
	return strings.ReplaceAll(strings.TrimSpace(b.String()), "\n", "; ")
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var data bytes.Buffer
	w, err := aut.Compress(&data, "m.aut.gz")
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return data.String()
}

// TestContentPicksTheReader: before the name does, compressed or not, in a file and in a
// pipe.
func TestContentPicksTheReader(t *testing.T) {
	data, err := os.ReadFile(collection.Own(t, "format/internal/mcrl2/testdata/step.lts"))
	if err != nil {
		t.Fatal(err)
	}
	binary := string(data)
	short := shortened(t)
	const want = `des (0, 1, 2); (0, "a", 1)`
	for _, c := range []struct{ name, text, format string }{
		{"m.aut", plain, ".aut"},
		{"m.aut", marked, "CLEAR's .autx"},
		{"m.AUTX", marked, "CLEAR's .autx"},
		{"m.autx", plain, "CLEAR's .autx"}, // the name tells, where the content may be either
		{"m", plain, ".aut"},
		{"m.aut", "\ufeff\r\n" + strings.ReplaceAll(marked, "\n", "\r\n"), "CLEAR's .autx"},
		{"m.aut.gz", packed(t, plain), ".aut"},
		{"m.aut.gz", packed(t, marked), "CLEAR's .autx"},
		{"m.autx.gz", packed(t, plain), "CLEAR's .autx"},
		{"m.aut", valued, "the .fsm format of mCRL2 and LTSmin"},
		{"m.aut.gz", packed(t, valued), "the .fsm format of mCRL2 and LTSmin"},
		{"m.fsm", "---\n---\n1 2 \"a\"\n", "the .fsm format of mCRL2 and LTSmin"},
		{"m.aut", binary, "mCRL2's .lts format"},
		{"m.lts.gz", packed(t, binary), "mCRL2's .lts format"},
		{"m.aut", "strict digraph DiskGraph {\n1 [label=\"x = 0\",style = filled]\n1 -> 2 [label=\"a\"];\n2 [label=\"x = 1\",tooltip=\"x = 1\"];\n}", "TLC's state graph"},
		{"m.clts", short, "inev's compressed form"},
		{"m.aut", short, "inev's compressed form"},
		{"m.clts.gz", packed(t, short), "inev's compressed form"},
		{"m.bcg", plain, ".aut"}, // what comes down a pipe is not converted
	} {
		for way, r := range map[string]io.Reader{
			"at any place": strings.NewReader(c.text), "in order": iotest.OneByteReader(strings.NewReader(c.text)),
		} {
			m, warnings, err := format.Read(context.Background(), r, format.Options{Name: c.name})
			if err != nil || len(warnings) > 0 || m.Format.Name != c.format || describe(m.LTS) != want {
				t.Errorf("%s %q, read %s: %+v, %v, %v", c.name, c.text, way, m, warnings, err)
			}
		}
	}
}

// shortened returns the model of plain in inev's own form.
func shortened(t *testing.T) string {
	t.Helper()
	m, _, err := format.Read(context.Background(), strings.NewReader(plain), format.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	if err := format.WriteCompressed(&file, m.LTS); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// TestDigestOfCompressedForm: it is the file's, however it is read.
func TestDigestOfCompressedForm(t *testing.T) {
	text := shortened(t)
	path := filepath.Join(t.TempDir(), "m.clts")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	admitted := false
	m, _, err := format.Open(context.Background(), path, format.Options{Digest: true, Admit: func(states, transitions int64) error {
		admitted = states == 2 && transitions == 1
		return nil
	}})
	if want := fmt.Sprintf("%x", sha256.Sum256([]byte(text))); err != nil || m.Digest != want || !admitted || !m.Format.SaysSize() {
		t.Errorf("%+v, %v, want the digest %s", m, err, want)
	}
}

func TestReadFromTheMiddle(t *testing.T) {
	r := strings.NewReader("first line\n" + marked)
	if _, err := r.Seek(int64(len("first line\n")), io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if m, _, err := format.Read(context.Background(), r, format.Options{}); err != nil || m.LTS.NumTransitions() != 1 {
		t.Error(m, err)
	}
}

func TestErrors(t *testing.T) {
	ctx := context.Background()
	broken := errors.New("the pipe broke")
	if _, _, err := format.Read(ctx, iotest.ErrReader(broken), format.Options{Name: "m"}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if _, _, err := format.Read(ctx, strings.NewReader(packed(t, plain)[:20]), format.Options{Name: "m.aut.gz"}); err == nil || !strings.Contains(err.Error(), "m.aut.gz: the gzip data ends too early") {
		t.Errorf("error %v", err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := format.Read(done, strings.NewReader(plain), format.Options{}); err != context.Canceled {
		t.Errorf("error %v", err)
	}
	// Even a directory with the name of a model is no model.
	named := filepath.Join(t.TempDir(), "m.bcg")
	if err := os.Mkdir(named, 0o700); err != nil {
		t.Fatal(err)
	}
	_, _, err := format.Open(ctx, named, format.Options{})
	if want := named + ": this is a directory: name an .aut file in it"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, _, err := format.Open(ctx, filepath.Join(named, "no.aut"), format.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// TestFormatsAreDistinct: no two formats have a suffix in common, and each has what
// reads it.
func TestFormatsAreDistinct(t *testing.T) {
	known := map[string]string{}
	for _, f := range format.Formats() {
		for _, suffix := range f.Suffixes {
			if known[suffix] != "" {
				t.Errorf("%s and %s both have %s", known[suffix], f.Name, suffix)
			}
			known[suffix] = f.Name
			if got := format.Of("M"+strings.ToUpper(suffix), nil); got.Name != f.Name {
				t.Errorf("%s files are taken for %s", suffix, got.Name)
			}
		}
	}
	if f := format.Of("", nil); !f.IsAut() {
		t.Errorf("a file without a name is taken for %s", f.Name)
	}
}

func write(t *testing.T, path, text string, mode fs.FileMode) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOpenRunsNoProgram: what another program has to convert is refused with the command, also if that is there.
func TestOpenRunsNoProgram(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "bcg_io"), "#!/bin/sh\necho called > \"$0.called\"\n", 0o700)
	t.Setenv("PATH", folder)
	path := write(t, filepath.Join(folder, "m.bcg"), "", 0o600)
	_, _, err := format.Open(context.Background(), path, format.Options{})
	if want := path + ": this is CADP's BCG format, which has to be converted first, by bcg_io of CADP: bcg_io " + path + " FILE.aut"; err == nil || err.Error() != want {
		t.Errorf("\n got %v\nwant %s", err, want)
	}
	if _, err := os.Stat(filepath.Join(folder, "bcg_io.called")); err == nil {
		t.Error("bcg_io was run")
	}
	if _, _, err := format.Open(context.Background(), filepath.Join(folder, "none.bcg"), format.Options{}); err == nil || !strings.Contains(err.Error(), "there is no such file") {
		t.Errorf("error %v", err)
	}
}

// TestErrorsNameTheModel: whatever is wrong with a file, the error begins with its name, is one line, and is an [aut.Error].
func TestErrorsNameTheModel(t *testing.T) {
	folder := t.TempDir()
	refused := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"m.aut", "m.autx", "m.fsm", "m.dot", "m.exp", "m.clts", "m.lts", "m.aut.gz"}).Draw(t, "name")
		text := []byte(rapid.SampledFrom([]string{
			plain, valued, marked, "", "des",
			"strict digraph DiskGraph {\n1 [label=\"x = 0\",style = filled]\n1 -> 2 [label=\"A\"];\n2 [label=\"x = 1\"];\n}\n",
			"hide A in \"m.aut\" ||| \"none.aut\" end hide\n",
		}).Draw(t, "text"))
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			inserted := rapid.SampledFrom([]string{"", "\n", "\x00", "\"", "(", "9999999999", "é", "\xff"}).Draw(t, "inserted")
			end := min(len(text), at+rapid.IntRange(0, 3).Draw(t, "removed"))
			text = slices.Concat(text[:at], []byte(inserted), text[end:])
		}
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		_, warnings, err := format.Open(context.Background(), path, format.Options{})
		for _, warning := range warnings {
			if strings.Contains(warning, "\n") {
				t.Fatalf("%q: a warning of several lines: %s", text, warning)
			}
		}
		if err == nil {
			return
		}
		refused[name]++
		var placed aut.Error
		if !errors.As(err, &placed) || !strings.HasPrefix(err.Error(), path+":") || strings.Contains(err.Error(), "\n") {
			t.Fatalf("%q in %s: %v", text, name, err)
		}
	})
	if len(refused) < 4 {
		t.Errorf("only these were refused: %v", refused)
	}
}

// TestImproperLabels: mCRL2 refuses or changes these labels, as its ltsconvert shows, and no others here.
func TestImproperLabels(t *testing.T) {
	for label, isImproper := range map[string]bool{
		"":          true,
		"|":         true,
		"a|":        true,
		"|a":        true,
		"a||b":      true,
		"a)1(":      true,
		"a(1)|":     true,
		"a":         false,
		"tau":       false,
		"a|b":       false,
		"a(b|c)":    false,
		"a(1)|b(2)": false,
		"(":         false,
		"a b":       false,
	} {
		var b lts.Builder
		b.Add(0, b.Label(label), 1)
		m, err := b.Build(0, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, suffix := range []string{".lts", ".fsm"} {
			warnings, err := format.WriteMCRL2(io.Discard, suffix, m, nil)
			if err != nil {
				t.Fatal(err)
			}
			const told = "is no multi-action: mCRL2 refuses the file or changes the label"
			isTold := strings.Contains(strings.Join(warnings, "\n"), strconv.Quote(label)+" "+told)
			if isTold != isImproper {
				t.Errorf("%q in %s: warnings %q", label, suffix, warnings)
			}
		}
	}
}
