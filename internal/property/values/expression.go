package values

import "fmt"

// Expression is an expression over the values of a state: a parameter, a part of one, the length of
// one, or an atom, whose value is TRUE or FALSE.
type Expression struct {
	atom *Bound
	part bound
}

// ReadExpression reads an expression about parameters of these names. It fails for any
// other name, and for other expressions. Cost O(len(text)).
func ReadExpression(text string, names []string) (*Expression, error) {
	r := &reader{text: text}
	reference, ok := r.reference()
	r.blanks()
	if ok && r.pos == len(text) {
		part, known := reference.bind(names)
		if !known {
			return nil, fmt.Errorf("no parameter of states is called %s; the closest are %s",
				reference.name, list(Closest(reference.name, names, 3)))
		}
		return &Expression{part: part}, nil
	}
	atom, end, isAtom, err := Read(text, 0)
	switch {
	case err != nil:
		return nil, err
	case !isAtom || end != len(text):
		return nil, &ReadError{Expected: "a parameter, a part of one such as queue[1], Len(queue), or a comparison"}
	}
	b, readError := atom.Bind(names)
	if readError != nil {
		return nil, readError
	}
	return &Expression{atom: b}, nil
}

// Parameters returns the indexes of the parameters that the expression reads.
func (x *Expression) Parameters() []int {
	if x.atom != nil {
		return x.atom.Parameters()
	}
	return []int{x.part.parameter}
}

// In returns the value for these values of its parameters, in the order of Parameters; false if there is none.
func (x *Expression) In(parameters ...Value) (Value, bool) {
	if x.atom == nil {
		return x.part.of(parameters[0])
	}
	j, err := x.atom.Judge(parameters...)
	switch {
	case err != nil || !j.Reads:
		return Value{}, false
	case j.Holds:
		return Parse("TRUE"), true
	}
	return Parse("FALSE"), true
}
