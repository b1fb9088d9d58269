// Command overlay writes to a folder the file overlay.json with which releases are built, and Go's
// templates without calls of methods, see package build.
//
//	go -C tools run ./build/overlay ../release
//
// A program that is built with the overlay does the same as one that is built without.
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
