// Package required refuses arguments that a caller has forgotten. An argument is refused if and
// only if it is nil.
package required

import (
	"fmt"
	"reflect"
)

// Argument returns an error if the argument with the given name is nil, or is an interface that holds a
// nil pointer.
func Argument(name string, value any) error {
	if value == nil {
		return fmt.Errorf("the argument %s is nil", name)
	}
	v := reflect.ValueOf(value)
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return fmt.Errorf("the argument %s is a nil %T", name, value)
	}
	return nil
}
