package asjson

import (
	"bytes"
	"encoding"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/printable"
)

// encoder writes those Go values that occur in results of inev. It writes the same bytes as the
// library on other platforms, and adds a twentieth of that library's size to the download.
type encoder struct {
	w    io.Writer // nil if everything stays in b
	b    []byte
	line string // the beginning of a line; "" for a single line
	held int    // the number of open fields that may still be dropped
	names
	structs map[reflect.Type][]field
}

// names maps states to their names; the zero value maps none.
type names struct {
	state reflect.Type
	name  func(reflect.Value) string
}

func namesOf[State any](name func(State) string) names {
	return names{reflect.TypeFor[State](), func(v reflect.Value) string { return name(v.Interface().(State)) }}
}

// field is a field of a struct.
type field struct {
	name                string
	index               []int
	omitEmpty, omitZero bool
}

type marshaler interface{ MarshalJSON() ([]byte, error) }

var (
	asText      = reflect.TypeFor[string]()
	byMarshaler = reflect.TypeFor[marshaler]()
	byText      = reflect.TypeFor[encoding.TextMarshaler]()
)

// enough is the number of bytes that are gathered before they are written.
const enough = 32 << 10

func (e *encoder) flush() error {
	_, err := e.w.Write(e.b)
	e.b = e.b[:0]
	return err
}

// value adds a value.
func (e *encoder) value(v reflect.Value) error {
	switch {
	case !v.IsValid():
		e.b = append(e.b, "null"...)
		return nil
	case v.Type() == asText:
		e.text(printable.UTF8(v.String()))
		return nil
	case e.state != nil && v.Type() == e.state:
		e.text(e.name(v))
		return nil
	}
	if v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			e.b = append(e.b, "null"...)
			return nil
		}
	}
	if method := withMethod(v, byMarshaler); method.IsValid() {
		text, err := method.Interface().(marshaler).MarshalJSON()
		if err == nil {
			e.made(text)
		}
		return err
	}
	if method := withMethod(v, byText); method.IsValid() {
		text, err := method.Interface().(encoding.TextMarshaler).MarshalText()
		e.text(string(text))
		return err
	}
	return e.kind(v)
}

// withMethod returns whichever of the value and a pointer to it has the methods, an invalid value
// if neither has.
func withMethod(v reflect.Value, of reflect.Type) reflect.Value {
	switch {
	case v.Kind() == reflect.Interface:
	case v.Type().Implements(of):
		return v
	case reflect.PointerTo(v.Type()).Implements(of):
		if v.CanAddr() {
			return v.Addr()
		}
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		return p
	}
	return reflect.Value{}
}

func (e *encoder) kind(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Bool:
		e.b = strconv.AppendBool(e.b, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.b = strconv.AppendInt(e.b, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		e.b = strconv.AppendUint(e.b, v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		e.float(v.Float(), v.Type().Bits())
	case reflect.String:
		e.text(v.String())
	case reflect.Pointer, reflect.Interface:
		return e.value(v.Elem())
	case reflect.Slice, reflect.Array:
		return e.list(v)
	case reflect.Struct:
		return e.object(v)
	case reflect.Map:
		return e.table(v)
	default:
		return fmt.Errorf("JSON has nothing for %v", v.Type())
	}
	return nil
}

// float adds a number in the notation of JavaScript.
func (e *encoder) float(f float64, bits int) {
	format, size := byte('f'), max(f, -f)
	if size != 0 && (bits == 64 && (size < 1e-6 || size >= 1e21) || bits == 32 && (float32(size) < 1e-6 || float32(size) >= 1e21)) {
		format = 'e'
	}
	from := len(e.b)
	e.b = strconv.AppendFloat(e.b, f, format, -1, bits)
	if n := len(e.b); format == 'e' && n-from >= 4 && e.b[n-4] == 'e' && e.b[n-3] == '-' && e.b[n-2] == '0' {
		e.b = append(e.b[:n-2], e.b[n-1]) // e-09
	}
}

// text adds a text in quotes.
func (e *encoder) text(s string) {
	const digits = "0123456789abcdef"
	e.b = append(e.b, '"')
	from := 0
	for i, r := range s {
		var escaped string
		switch {
		case r == '"' || r == '\\':
			escaped = `\` + string(r)
		case r < ' ':
			if at := strings.IndexRune("\b\f\n\r\t", r); at >= 0 {
				escaped = `\` + "bfnrt"[at:at+1]
			} else {
				escaped = `\u00` + digits[r>>4:r>>4+1] + digits[r&15:r&15+1]
			}
		case r == '\u2028' || r == '\u2029':
			escaped = `\u202` + digits[r&15:r&15+1]
		default:
			continue
		}
		e.b = append(append(e.b, s[from:i]...), escaped...)
		from = i + len(string(r))
	}
	e.b = append(append(e.b, s[from:]...), '"')
}

// bracket adds an opening bracket, elements, and a closing bracket. items calls
// its argument for each element, with the function that adds it.
func (e *encoder) bracket(open, end byte, items func(item func(add func() (bool, error)) error) error) error {
	outside, empty := e.line, true
	e.b = append(e.b, open)
	if e.line != "" {
		e.line += "  "
	}
	err := items(func(add func() (bool, error)) error {
		before := len(e.b)
		if !empty {
			e.b = append(e.b, ',')
		}
		e.b = append(e.b, e.line...)
		is, err := add()
		if !is {
			e.b = e.b[:before]
		}
		empty = empty && !is
		if err == nil && e.w != nil && e.held == 0 && len(e.b) > enough {
			err = e.flush()
		}
		return err
	})
	if e.line = outside; !empty {
		e.b = append(e.b, e.line...)
	}
	e.b = append(e.b, end)
	return err
}

func (e *encoder) list(v reflect.Value) error {
	return e.bracket('[', ']', func(item func(func() (bool, error)) error) error {
		for i := range v.Len() {
			if err := item(func() (bool, error) { return true, e.value(v.Index(i)) }); err != nil {
				return err
			}
		}
		return nil
	})
}

func (e *encoder) key(name string) {
	e.text(name)
	e.b = append(e.b, ':')
	if e.line != "" {
		e.b = append(e.b, ' ')
	}
}

func (e *encoder) object(v reflect.Value) error {
	return e.bracket('{', '}', func(item func(func() (bool, error)) error) error {
		for _, f := range e.fields(v.Type()) {
			of, err := v.FieldByIndexErr(f.index)
			if err != nil || f.omitZero && isZero(of) {
				continue // an embedded pointer is nil
			}
			err = item(func() (bool, error) {
				e.key(f.name)
				from := len(e.b)
				if f.omitEmpty {
					e.held++
					defer func() { e.held-- }()
				}
				err := e.value(of)
				return !f.omitEmpty || !slices.Contains([]string{"null", `""`, "{}", "[]"}, string(e.b[from:])), err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func isZero(v reflect.Value) bool {
	if method, is := v.Interface().(interface{ IsZero() bool }); is && (v.Kind() != reflect.Pointer || !v.IsNil()) {
		return method.IsZero()
	}
	return v.IsZero()
}

// fields returns the fields of a struct that are written, cached by type.
func (e *encoder) fields(t reflect.Type) []field {
	if found, is := e.structs[t]; is {
		return found
	}
	found := []field{}
	for _, f := range reflect.VisibleFields(t) {
		tag, tagged := f.Tag.Lookup("json")
		words := strings.Split(tag, ",")
		if !f.IsExported() || tag == "-" || f.Anonymous && words[0] == "" {
			continue
		}
		one := field{name: f.Name, index: f.Index, omitEmpty: slices.Contains(words[1:], "omitempty"), omitZero: slices.Contains(words[1:], "omitzero")}
		if tagged && words[0] != "" {
			one.name = words[0]
		}
		found = append(found, one)
	}
	if e.structs == nil {
		e.structs = map[reflect.Type][]field{}
	}
	e.structs[t] = found
	return found
}

// table adds a map with text keys, in the order of the keys.
func (e *encoder) table(v reflect.Value) error {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	return e.bracket('{', '}', func(item func(func() (bool, error)) error) error {
		for _, key := range keys {
			err := item(func() (bool, error) {
				e.key(printable.UTF8(key.String()))
				return true, e.value(v.MapIndex(key))
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// made adds JSON that a method has returned, with this encoder's indentation.
func (e *encoder) made(text []byte) {
	outside := e.line
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t', '\n', '\r':
		case '"':
			end := i + 1
			for end < len(text) && text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(text))
			e.b = append(e.b, text[i:end]...)
			i = end - 1
		case '{', '[':
			e.b = append(e.b, c)
			if e.line != "" {
				e.line += "  "
				if next := bytes.TrimLeft(text[i+1:], " \t\r\n"); len(next) > 0 && next[0] != c+2 {
					e.b = append(e.b, e.line...)
				}
			}
		case '}', ']':
			if e.line != "" {
				e.line = e.line[:len(e.line)-2]
				if last := e.b[len(e.b)-1]; last != '{' && last != '[' {
					e.b = append(e.b, e.line...)
				}
			}
			e.b = append(e.b, c)
		case ',':
			e.b = append(append(e.b, c), e.line...)
		case ':':
			if e.b = append(e.b, c); e.line != "" {
				e.b = append(e.b, ' ')
			}
		default:
			e.b = append(e.b, c)
		}
	}
	e.line = outside
}
