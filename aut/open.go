package aut

import (
	"context"

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/lts"
)

// Open reads an LTS from a file of .aut text, as [Read] does. An empty
// Options.Name becomes path. Package format opens files of other formats, too.
//
// Waiting for a named pipe or a terminal also ends when ctx is done.
func Open(ctx context.Context, path string, o Options) (*lts.LTS, []string, error) {
	if o.Name == "" {
		o.Name = path
	}
	f, err := inputfile.OpenModel(ctx, path, o.Name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return Read(ctx, f, o)
}
