package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSegments: what is divided anew makes the same memory.
func TestSegments(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for range 300 {
		var memory []byte
		for range r.IntN(5) {
			memory = append(memory, make([]byte, r.IntN(3*hole))...)
			for range r.IntN(20) {
				memory = append(memory, byte(r.IntN(3)))
			}
		}
		memory = bytes.TrimRight(memory, "\x00")
		body := segments(memory)
		got, err := memoryOf(body)
		if err != nil || !bytes.Equal(got, memory) {
			t.Fatalf("%d bytes became %d (%v)", len(memory), len(got), err)
		}
		if len(memory) > 0 {
			if cut, err := memoryOf(body[:len(body)-1]); err == nil && len(cut) == len(memory) {
				t.Fatal("data that ends too early was read")
			}
		}
	}
}

// TestLeanRefuses: a program that is another than expected is refused, and not spoilt.
func TestLeanRefuses(t *testing.T) {
	program := append([]byte("\x00asm\x01\x00\x00\x00"), dataSection)
	body := segments([]byte("no tables of functions"))
	program = append(append(program, byte(len(body))), body...)
	for name, text := range map[string]string{
		"no program": "text", "no tables": string(program), "cut": string(program[:len(program)-3]),
		"two tables": string(program[:wasmHeader]) + withSection(segments(slicesOf(2))), "wrong order": string(program[:wasmHeader]) + withSection(segments(slicesOf(1))),
	} {
		if made, err := lean([]byte(text)); err == nil {
			t.Errorf("%s: made %d bytes", name, len(made))
		}
	}
}

func slicesOf(n int) []byte {
	return append(bytes.Repeat(append(bytes.Clone(tables), make([]byte, 80)...), n), 1)
}

func withSection(body []byte) string {
	return string([]byte{dataSection, byte(len(body)&0x7f | 0x80), byte(len(body) >> 7)}) + string(body)
}

// TestSortsAlike: this Go sorts slices as package sort does, and a difference is seen.
func TestSortsAlike(t *testing.T) {
	skipOtherGo(t)
	root, err := output(t.Context(), "go", "env", "GOROOT")
	if err != nil {
		t.Fatal(err)
	}
	read := func(name ...string) string {
		text, err := os.ReadFile(filepath.Join(append([]string{root, "src"}, name...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	shared, each := read("sort", "zsortfunc.go"), read("slices", "zsortanyfunc.go")
	if err := sortsAlike(shared, each); err != nil {
		t.Error(err)
	}
	if err := sortsAlike(strings.Replace(shared, "data.Less(j, j-1)", "data.Less(j-1, j)", 1), each); err == nil {
		t.Error("another comparison is not seen")
	}
	if err := sortsAlike(shared, strings.Replace(each, "maxInsertion = 12", "maxInsertion = 13", 1)); err == nil {
		t.Error("another constant is not seen")
	}
}

// TestSize: what the page loads, compressed, is at most 5.4 MB.
func TestSize(t *testing.T) {
	skipOtherGo(t)
	if _, err := exec.LookPath(packer); err != nil && os.Getenv("CI") == "" {
		t.Skipf("without %s the engine is larger", packer)
	}
	folder, err := playground()
	if err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Glob(filepath.Join(folder, "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, name := range all {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	const most = 5_400_000
	if total > most {
		t.Errorf("%d bytes are loaded, at most %d should be", total, most)
	}
	t.Logf("%d bytes", total)
}

func skipOtherGo(t *testing.T) {
	t.Helper()
	if known, err := isKnownGo(t.Context()); err != nil || !known {
		t.Skipf("with another Go than %s the engine is larger (error %v)", knownGo, err)
	}
}
