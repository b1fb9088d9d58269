package frontend

import (
	"path/filepath"
	"strings"
)

// Specification is the input from which a tool makes a model.
type Specification struct {
	// Path is the file of the specification, and Config is the configuration of TLC; ""
	// means the file with the same name that ends in .cfg.
	Path, Config string
	// Libraries are folders with further modules of TLA+, besides those next to the specification.
	Libraries []string
	// Keep is a path for a copy of the model as the tool wrote it; "" for none.
	Keep string
	// FrontEnd names the program that makes the model of a network of CADP: [CADP], or else inev
	// itself. Options are given to the tool besides its own options, before the name of the
	// specification; for a network that inev composes, they are options of exp.open.
	FrontEnd string
	Options  []string
}

// CADP is the front end that makes models of networks in place of inev.
const CADP = "cadp"

// IsComposed reports whether the file is a network of CADP of which inev itself makes the model.
func (s Specification) IsComposed() bool {
	return s.FrontEnd != CADP && strings.EqualFold(filepath.Ext(s.Path), ".exp")
}
