//go:build !js

package format

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/inev-lts/inev/format/internal/network"
	"github.com/inev-lts/inev/format/internal/plaintext"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/lts"
)

// networkLimit bounds the text of a network; its components may be larger.
var networkLimit = inputfile.Limit{Bytes: 64 << 20, Remedy: "compose parts of it first"}

// readNetwork reads a network, and composes it of its components, which are files beside it.
func readNetwork(
	ctx context.Context,
	r io.Reader,
	o plaintext.Options,
) (*plaintext.Model, []string, error) {
	isCompressed := !strings.EqualFold(filepath.Ext(o.Path), Suffix(o.Path))
	if isCompressed {
		return nil, nil, inputfile.NewError(o.Name, 0,
			errors.New("this is a compressed network, and only components may be compressed: decompress it"))
	}
	text, err := inputfile.ReadFrom(ctx, r, networkLimit)
	if err != nil {
		return nil, nil, inputfile.FileError(o.Name, err)
	}
	settings, err := network.ReadOptions(o.Network)
	if err != nil {
		return nil, nil, inputfile.NewError(o.Name, 0, err)
	}
	return network.Compose(ctx, text, network.Options{
		Name:     o.Name,
		Folder:   filepath.Dir(o.Path),
		Language: settings,
		States:   o.States,
		Workers:  o.Workers,
		Admit:    o.Admit,
		Open: func(ctx context.Context, path string) (*lts.LTS, error) {
			component, _, err := Open(ctx, path, Options{
				Lenient: o.Lenient,
				Workers: o.Workers,
			})
			if err != nil {
				return nil, err
			}
			return component.LTS, nil
		},
		Read: func(ctx context.Context, path string) ([]byte, error) {
			text, err := inputfile.ReadRegular(ctx, path, networkLimit)
			if err != nil {
				return nil, inputfile.FileError(path, err)
			}
			return text, nil
		},
	})
}
