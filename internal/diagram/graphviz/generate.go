//go:build ignore

// Generate fetches graphviz.wasm from the Go module that contains it, and checks that it is the known
// build. The checksum database of Go checks the module. The file is kept compressed: that makes the
// program smaller by a megabyte, and costs 5 ms before it draws.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

const (
	carrier  = "github.com/goccy/go-graphviz@v0.2.9"
	inside   = "internal/wasm/graphviz.wasm"
	checksum = "7cc5b0a5f176aeaa69760ed5dc3282ceda2b1b04229b22de77bb0a5eab45578e"
)

func main() {
	log.SetFlags(0)
	out, err := exec.Command("go", "mod", "download", "-json", carrier).Output()
	if err != nil {
		log.Fatalf("%s cannot be fetched: %v", carrier, err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		log.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(module.Dir, filepath.FromSlash(inside)))
	if err != nil {
		log.Fatal(err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != checksum {
		log.Fatalf("%s in %s is not the build that is known", inside, carrier)
	}
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression),
		zstd.WithEncoderConcurrency(1))
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("graphviz.wasm.zst", packer.EncodeAll(data, nil), 0o644); err != nil {
		log.Fatal(err)
	}
}
