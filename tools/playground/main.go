// Command playground builds the playground: inev in a browser, as a folder of static files that
// any host can serve, and that inev serve --playground serves on this machine.
//
//	go -C tools run ./playground -o FOLDER
//
// The engine, which is the command compiled for js/wasm, and Graphviz lie there compressed, and the
// page itself decompresses them, so that the host does not matter. The scripts are in src and Go's
// own wasm_exec.js.
//
// The folder needs no other file and no network, and the same sources and the same Go give the same
// bytes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	folder := flag.String("o", "", "write the playground to this folder")
	release := flag.String("release", "",
		"the engine is `VERSION`, such as v1.2.3; else what Go knows of it")
	plain := flag.Bool("plain", false,
		"leave WebAssembly uncompressed, for a host that compresses what it serves, as by brotli")
	extension := flag.Bool("extension", false,
		"write the extension for VS Code instead, of which vsce makes a .vsix")
	flag.Parse()
	if *folder == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "playground: name the folder by -o")
		os.Exit(2)
	}
	write := build
	if *extension {
		write = buildExtension
	}
	if err := write(ctx, *folder, settings{*release, *plain}); err != nil {
		fmt.Fprintf(os.Stderr, "playground: %v\n", err)
		os.Exit(1)
	}
}
