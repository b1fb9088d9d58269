package frontend

import (
	"path/filepath"
	"strings"
)

// Specification is the input from which a tool makes a model.
type Specification struct {
	// Path is the file of the specification, and Config the configuration of TLC;
	// "" means the file with the same name that ends in .cfg.
	Path, Config string
	// Libraries are folders where modules of TLA+ are looked for that are not next to the specification.
	Libraries []string
	// Keep is a path for a copy of the model as the tool wrote it; "" for none.
	Keep string
	// FrontEnd is who makes the model of a network of CADP: [CADP], else inev itself. Options are given to the tool
	// besides its own, before the name of the specification; of a network that inev composes, they are those of
	// exp.open.
	FrontEnd string
	Options  []string
}

// CADP is the front end that makes models of networks in place of inev.
const CADP = "cadp"

// IsComposed reports whether the file is a network of CADP, and no tool but inev itself makes its model.
func (s Specification) IsComposed() bool {
	return s.FrontEnd != CADP && strings.EqualFold(filepath.Ext(s.Path), ".exp")
}
