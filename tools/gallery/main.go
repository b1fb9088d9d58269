// Command gallery makes docs/gallery.md and the pictures in docs/gallery: what inev draws for each
// of the examples.
//
//	go -C tools run ./gallery
//
// is run in the root of the main module. It takes screenshots of pages if there is a Chromium or
// Chrome on PATH; otherwise those of an earlier run stay.
//
// Screenshots aside, the files depend on nothing but the models of the examples folder, so that
// every run makes the same bytes. The commands that the document names make the same pictures.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("gallery: ")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := write(ctx, ".."); err != nil {
		log.Fatal(err)
	}
}

// write writes all files below root, the root of the main module.
func write(ctx context.Context, root string) error {
	files, err := makeFiles(ctx, root)
	if err != nil {
		return err
	}
	docs := filepath.Join(root, "docs")
	if err := os.MkdirAll(filepath.Join(docs, "gallery"), 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(docs, name), text, 0o644); err != nil {
			return err
		}
	}
	shots, err := screenshots(ctx, root)
	if errors.Is(err, errNoBrowser) {
		fmt.Fprintf(os.Stderr, "gallery: %v: the screenshots stay as they are\n", err)
		return nil
	}
	if err != nil {
		return err
	}
	for name, picture := range shots {
		if err := os.WriteFile(filepath.Join(docs, name), picture, 0o644); err != nil {
			return err
		}
	}
	return nil
}
