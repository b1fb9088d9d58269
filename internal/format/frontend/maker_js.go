package frontend

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/inputfile"
)

// Maker makes no models.
type Maker struct{ Cache string }

// made are the suffixes of files of which tools make models.
var made = []string{
	".mcrl2",
	".lps",
	".tla",
	".lnt",
	".lotos",
	".lot",
	".bcg",
	".pml",
	".prom",
	".promela",
}

// Made returns "", because no model is made here.
func (s Specification) Made() string { return "" }

// Inputs returns the file.
func (s Specification) Inputs(context.Context) ([]string, error) {
	return []string{s.Path}, nil
}

// Digest returns made = false, because no model is made here.
func (s Specification) Digest(context.Context) (digest string, made bool, err error) {
	return "", false, nil
}

// Close does nothing.
func (m *Maker) Close() error { return nil }

// Open reads a model as [format.Open] does. It refuses a file of which a tool
// would have to make a model.
func (m *Maker) Open(
	ctx context.Context,
	s Specification,
	o format.Options,
) (*format.Model, []string, error) {
	o.Network = s.Options
	model, warnings, err := format.Open(ctx, s.Path, o)
	if err != nil && ctx.Err() == nil &&
		slices.Contains(made, strings.ToLower(filepath.Ext(s.Path))) {
		err = inputfile.NewError(s.Path, 0,
			errors.New("a tool must make a model of this, and a browser does not run tools: use an installed inev, or make the model first"))
	}
	return model, warnings, err
}
