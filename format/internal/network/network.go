// Package network reads networks of communicating automata in the language EXP 2.0
// of CADP, and composes them: the model of a network is the reachable part of the
// product of its components.
//
// A network is compiled to moves. A move says which components take part, with which of their
// labels, and which label the network then does. The product is explored breadth first by whole
// levels, so that states are numbered in the same order on any number of cores.
//
// A move has each component at most once, and the components of a move are ascending.
package network

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/format/internal/plaintext"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/lts"
)

// Options say how a network is read.
type Options struct {
	// Name is the name of the network in messages, and Folder is the folder to which the
	// names of files in it are relative.
	Name, Folder string
	// Language has the parameters of the reference language that options of CADP's tools set.
	Language Settings
	// States requests the states of the components as values of states.
	States bool
	// Workers is the number of goroutines that compose; 0 means as many as there are processors.
	// Results do not depend on it.
	Workers int
	// Admit, if not nil, is called with the numbers of states and transitions so far; its error ends the work.
	Admit func(states, transitions int64) error
	// Open reads a component, and Read reads a file with rules or another network.
	Open func(ctx context.Context, path string) (*lts.LTS, error)
	Read func(ctx context.Context, path string) ([]byte, error)
}

// Compose reads a network and composes it; values of states are the states of the
// components. Warnings name what never happens in it. Errors name the file, the line and the
// column. It fails if ctx is done, or if its budget does not have the memory. Cost
// O(states · components + transitions · components), and a hash look-up a transition.
func Compose(ctx context.Context, text []byte, o Options) (*plaintext.Model, []string, error) {
	p := newParser(ctx, text, o)
	root, err := p.network()
	if err != nil {
		return nil, nil, err
	}
	c := &compiler{
		ctx:        ctx,
		name:       o.Name,
		language:   p.language,
		comm:       p.comm,
		components: p.components,
	}
	moves, err := c.compile(root)
	if err != nil {
		return nil, nil, err
	}
	c.writeInternal(moves)
	x, err := newExplorer(ctx, p.components, moves, c.priorities, o)
	if err != nil {
		return nil, nil, inputfile.NewError(o.Name, 0, err)
	}
	m, err := x.explore()
	if err != nil {
		return nil, nil, err
	}
	model := &plaintext.Model{LTS: m}
	if o.States && len(p.components) > 1 {
		model.States, err = x.states()
		if err != nil {
			return nil, nil, err
		}
	}
	return model, c.warnings, nil
}

// component is an automaton of a network.
type component struct {
	name  string
	model *lts.LTS
}

// position is a place in a file.
type position struct {
	file         string
	line, column int
}

// errorf returns an error about a place.
func (p position) errorf(format string, args ...any) error {
	return inputfile.NewError(p.file, p.line,
		fmt.Errorf(format+" (column %d)", append(args, p.column)...))
}
