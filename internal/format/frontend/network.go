//go:build !js

package frontend

import (
	"context"
	"io"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/internal/wholefile"
)

// compose reads the model of a network. Its digest covers all files of the network.
func (s Specification) compose(
	ctx context.Context,
	o format.Options,
) (*format.Model, []string, error) {
	digest := ""
	if o.Digest {
		var err error
		digest, _, err = s.Digest(ctx)
		if err != nil {
			return nil, nil, err
		}
	}
	o.Digest = false
	o.Network = s.Options
	model, warnings, err := format.Open(ctx, s.Path, o)
	if err != nil {
		return nil, nil, err
	}
	model.Digest = digest
	if s.Keep == "" {
		return model, warnings, nil
	}
	err = wholefile.WriteContext(ctx, s.Keep, func(out io.Writer) error {
		_, err := aut.Write(stoppable.EachWrite(ctx, out), model.LTS)
		return err
	})
	if err != nil {
		return nil, nil, inputfile.FileError(s.Keep, err)
	}
	return model, warnings, nil
}
