package format

import (
	"context"
	"errors"
	"io"

	"github.com/inev-lts/inev/format/internal/plaintext"
	"github.com/inev-lts/inev/internal/inputfile"
)

// readNetwork refuses a network: a page has one file, and a network names others.
func readNetwork(
	_ context.Context,
	_ io.Reader,
	o plaintext.Options,
) (*plaintext.Model, []string, error) {
	return nil, nil, inputfile.NewError(o.Name, 0,
		errors.New("a page does not compose a network of other files: inev convert NETWORK.exp MODEL.aut of an installed inev does, and the page reads MODEL.aut"))
}
