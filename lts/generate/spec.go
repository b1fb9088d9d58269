package generate

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/options"
)

// Spec says which model is wanted. The number 0 stands for the default of the
// kind; a number or switch that the kind does not use must be 0 or false.
type Spec struct {
	// Kind is the name of one of [Kinds].
	Kind        string
	States      int
	Transitions int
	Degree      int
	Labels      int
	Locality    int
	Width       int
	Height      int
	Processes   int
	// Wrap makes a torus of a grid, Asymmetric lets one philosopher begin with
	// the other fork.
	Wrap, Asymmetric bool
	// Seed chooses one of the models with these numbers. It has no effect on
	// kinds without random choices.
	Seed uint64
	// Shuffle delivers the states in a random order, each with its transitions in
	// their order: the model is the same, but the sources in the file do not
	// ascend.
	Shuffle bool
}

// Kind is a family of models.
type Kind struct {
	// Name is one word, Summary part of a sentence.
	Name, Summary string
	// States, Transitions and Labels describe the numbers of states and
	// transitions, and the labels, in words.
	States, Transitions, Labels string
	// Drawn reports whether the seed chooses among models; otherwise it only chooses the
	// order of Spec.Shuffle.
	Drawn bool
	// Parameters are what a Spec of this kind may set, besides Seed and Shuffle.
	Parameters []Parameter
	// Formula is a property that is worth explaining on the model with default
	// parameters (see [Spec.Formula] for others); Interest says why.
	Formula, Interest string
	// Unfolded says what the unfolded models show; "" if nothing is said.
	Unfolded string
}

// Parameter is a number or a switch of a [Spec].
type Parameter struct {
	// Name is the name of the field of Spec, in lower case.
	Name, Usage string
	// Switch reports whether the parameter is a switch, not a number.
	Switch bool
	// Default is the number that 0 stands for; it is 0 if 0 means that there is
	// no bound.
	Default int64
	// Min and Max bound what may be set.
	Min, Max int64
}

// Parameter returns the parameter of this name, if the kind has it. Cost
// O(number of parameters).
func (k Kind) Parameter(name string) (Parameter, bool) {
	for _, p := range k.Parameters {
		if p.Name == name {
			return p, true
		}
	}
	return Parameter{}, false
}

// Kinds returns all kinds, the most often used first. Cost O(number of kinds).
func Kinds() []Kind {
	var all []Kind
	for _, f := range families() {
		all = append(all, f.Kind)
	}
	return all
}

// KindOf returns the kind of this name, if there is one.
func KindOf(name string) (Kind, bool) {
	f, err := familyOf(name)
	return f.Kind, err == nil
}

// family is a kind with the function that makes its models.
type family struct {
	Kind
	// prepare returns the model of a Spec that is complete and in range.
	prepare preparation
	// formula is nil if Kind.Formula fits all parameters.
	formula func(Spec) string
}

func familyOf(name string) (family, error) {
	var names []string
	for _, f := range families() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return family{}, fmt.Errorf("generate: unknown kind %q; there are %s", name, strings.Join(names, ", "))
}

// Formula returns a property that is worth explaining on the model, in the syntax
// of package actl. It fails if the Spec is invalid. Cost O(length of the
// formula).
func (s Spec) Formula() (string, error) {
	s, f, err := s.complete()
	switch {
	case err != nil:
		return "", err
	case f.formula != nil:
		return f.formula(s), nil
	}
	return f.Formula, nil
}

// Set sets a parameter from text, as a user writes it: a count for a number (see
// [options.Count]), true or false for a switch. It fails if the kind, which must
// be set before, has no such parameter, and where the number is not in its range.
// "seed" and "shuffle" can be set for all kinds. Cost O(len(text)).
func (s *Spec) Set(name, text string) error {
	k, err := familyOf(s.Kind)
	if err != nil {
		return err
	}
	switch name {
	case "seed":
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not a number from 0 to %d", text, uint64(math.MaxUint64))
		}
		s.Seed = seed
		return nil
	case "shuffle":
		return setSwitch(&s.Shuffle, text)
	}
	p, has := k.Parameter(name)
	switch {
	case !has:
		return fmt.Errorf("a model of kind %s has no %s; it has %s", k.Name, name, k.parameterNames())
	case p.Switch:
		return setSwitch(s.option(name), text)
	}
	n, err := options.Count(text)
	if err == nil {
		err = p.check(n)
	}
	if err == nil {
		*s.number(name) = int(n)
	}
	return err
}

func setSwitch(value *bool, text string) error {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return fmt.Errorf("%q is neither true nor false", text)
	}
	*value = on
	return nil
}

func (k Kind) parameterNames() string {
	var names []string
	for _, p := range k.Parameters {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

func (p Parameter) check(n int64) error {
	if n < p.Min || n > p.Max {
		return fmt.Errorf("%d is not from %d to %d", n, p.Min, p.Max)
	}
	return nil
}

// numberNames and switchNames are the names of all parameters.
func numberNames() []string {
	return []string{"states", "transitions", "degree", "labels", "locality", "width", "height", "processes"}
}

func switchNames() []string { return []string{"wrap", "asymmetric"} }

// number returns a pointer to the field of this name.
func (s *Spec) number(name string) *int {
	switch name {
	case "states":
		return &s.States
	case "transitions":
		return &s.Transitions
	case "degree":
		return &s.Degree
	case "labels":
		return &s.Labels
	case "locality":
		return &s.Locality
	case "width":
		return &s.Width
	case "height":
		return &s.Height
	}
	return &s.Processes
}

// option returns a pointer to the switch of this name.
func (s *Spec) option(name string) *bool {
	if name == "wrap" {
		return &s.Wrap
	}
	return &s.Asymmetric
}

// complete returns the Spec with all numbers set, and its family. It fails if
// something is out of range or not for this kind.
func (s Spec) complete() (Spec, family, error) {
	f, err := familyOf(s.Kind)
	if err != nil {
		return s, f, err
	}
	refuse := func(err error) (Spec, family, error) {
		return s, f, fmt.Errorf("generate: %s: %w", s.Kind, err)
	}
	for _, name := range numberNames() {
		value := s.number(name)
		p, has := f.Parameter(name)
		switch {
		case *value == 0:
			*value = int(p.Default)
		case !has:
			return refuse(fmt.Errorf("has no %s; it has %s", name, f.parameterNames()))
		default:
			if err := p.check(int64(*value)); err != nil {
				return refuse(fmt.Errorf("%s: %w", name, err))
			}
		}
	}
	for _, name := range switchNames() {
		if p, has := f.Parameter(name); *s.option(name) && !(has && p.Switch) {
			return refuse(errors.New("has no " + name + "; it has " + f.parameterNames()))
		}
	}
	return s, f, nil
}
