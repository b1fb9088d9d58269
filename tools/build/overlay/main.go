// Command overlay writes to a folder what releases are built with by -overlay, as overlay.json:
// Go's templates without calls of methods, see package build.
//
//	go -C tools run ./build/overlay ../release
//
// The invariant that holds inside: what is built with it does the same as without.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/inev-lts/inev/tools/build"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "overlay: name the folder")
		os.Exit(2)
	}
	folder, err := filepath.Abs(os.Args[1])
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err == nil {
		_, err = build.Templates(context.Background(), folder)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "overlay: %v\n", err)
		os.Exit(1)
	}
}
