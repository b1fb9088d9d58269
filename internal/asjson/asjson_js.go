package asjson

import (
	"io"
	"reflect"
)

// Format is how values are written.
type Format struct{ names names }

// Plain returns the format with states as numbers.
func Plain() Format { return Format{} }

// Named returns the format in which values of the type of states are written as
// the texts that the function name returns.
func Named[State any](name func(State) string) Format { return Format{namesOf(name)} }

// Marshal returns a value as JSON on one line. Cost O(its size).
func (f Format) Marshal(value any) ([]byte, error) {
	e := encoder{names: f.names}
	err := e.value(reflect.ValueOf(value))
	return e.b, err
}

// Write writes a value as JSON, indented by two blanks a level. It continues a
// line that the caller has begun; all further lines begin with prefix, which
// consists of blanks. Cost O(its size).
func (f Format) Write(w io.Writer, value any, prefix string) error {
	e := encoder{w: w, names: f.names, line: "\n" + prefix}
	if err := e.value(reflect.ValueOf(value)); err != nil {
		return err
	}
	return e.flush()
}
