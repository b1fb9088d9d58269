package never

import (
	"bytes"
	"context"

	"github.com/inev-lts/inev/internal/formula/formulafile"
	"github.com/inev-lts/inev/internal/formula/hoa"
	"github.com/inev-lts/inev/property"
)

// Read returns the property that no run fulfils a claim: a never claim of
// SPIN or, if the text begins like one, a Büchi automaton in the HOA format,
// which may be nondeterministic. The name of the file is used in errors and as the name of
// the property. The error is an [*actl.SyntaxError], an error as [hoa.Read]
// returns it, or ctx.Err() once ctx is done.
func Read(ctx context.Context, name string, content []byte) (property.Formula, error) {
	if bytes.HasPrefix(bytes.TrimSpace(content), []byte("HOA:")) {
		f, err := hoa.Read(ctx, bytes.NewReader(content), name)
		if err != nil {
			return nil, err
		}
		return FromAutomaton(f)
	}
	return formulafile.Parse(name, content, func(string) (property.Formula, error) {
		f, err := Parse(ctx, string(content)) // of the file itself, which has directives
		if err != nil {
			return nil, err
		}
		return f.Named(name), nil
	})
}
