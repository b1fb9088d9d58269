//go:build !js

package graphviz

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero/api"
)

// stopName and missingName are the global variables that [interruptible] adds to a module.
const stopName, missingName = "inev_stop", "inev_missing"

// interruptible adds a global variable, [stopName], to a module of WebAssembly. The variable is zero at
// first. Once it is not zero, the module traps at the beginning of the next round of any loop. The
// runtime could also stop a module, but it would call Go in each round, and layouts would take 3.5
// times as long.
//
// If needed is not nil, it reports for each function whether the function stays. Each other function is
// replaced by one that sets a second variable, [missingName], to 1 and traps.
//
// interruptible fails if the module has no global variables or exports, or has unknown instructions.
// Cost O(size of the module).
//
// The format is that of https://www.w3.org/TR/wasm-core-2/, chapter 5.
func interruptible(module []byte, needed []bool) ([]byte, error) {
	out := bytes.Clone(module[:min(prefix, len(module))])
	// stop is the number of the stop variable, which is the number of variables before it. It is known
	// after the sections of imports and globals.
	var stop uint64
	changedSections := 0
	err := eachSection(module, func(id byte, content *reader) {
		section := content.rest
		switch id {
		case sectionImport:
			content.imports(func(string, string, uint64) {}, func() { stop++ })
		case sectionGlobal:
			stop += content.number()
			const i32, mutable = 0x7f, 1
			variable := []byte{i32, mutable, opInt32, 0, opEnd}
			section = content.oneMore(content.oneMore(section, variable), variable)
			changedSections++
		case sectionExport:
			for i, name := range []string{stopName, missingName} {
				export := append(append([]byte{byte(len(name))}, name...), kindGlobal)
				section = content.oneMore(section, binary.AppendUvarint(export, stop+uint64(i)))
			}
			changedSections++
		case sectionCode:
			section = content.bodies(stop, needed)
			changedSections++
		}
		out = append(out, id)
		out = binary.AppendUvarint(out, uint64(len(section)))
		out = append(out, section...)
	})
	if err == nil && changedSections != 3 {
		err = errors.New("it has no global variables, exports or code")
	}
	if err != nil {
		return nil, fmt.Errorf("graphviz: the module cannot be made interruptible: %w", err)
	}
	return out, nil
}

// prefix is the length of the magic number and the version.
const prefix = 8

// eachSection calls do with the number and the content of each section of a module, and returns the first
// error.
func eachSection(module []byte, do func(id byte, content *reader)) error {
	var err error
	r := &reader{rest: module, err: &err}
	r.take(prefix)
	for len(r.rest) > 0 {
		id := r.byte()
		content := r.part()
		if err != nil {
			break
		}
		do(id, content)
	}
	return err
}

// Numbers of sections, and of kinds of imports and exports.
const (
	sectionType, sectionImport, sectionGlobal, sectionExport, sectionCode = 1, 2, 6, 7, 10
	kindTable, kindMemory, kindGlobal                                     = 1, 2, 3
)

// Instructions that this file writes, or that have operands of a special form.
const (
	opUnreachable, opLoop, opIf, opEnd = 0x00, 0x03, 0x04, 0x0b
	opTableBranch, opSelectTyped       = 0x0e, 0x1c
	opGlobalGet, opGlobalSet           = 0x23, 0x24
	opInt32, opNumeric                 = 0x41, 0xfc
	opFloat32, opFloat64               = 0x43, 0x44
	blockEmpty                         = 0x40
)

// imports reads the imports of a module. It calls function for each imported function, with its
// module, its name and the number of its type, and global for each imported global variable.
func (r *reader) imports(function func(module, name string, number uint64), global func()) {
	r.each(func() {
		module := r.take(r.number())
		name := r.take(r.number())
		switch r.byte() {
		case kindTable:
			r.byte()
			r.limits()
		case kindMemory:
			r.limits()
		case kindGlobal:
			r.take(2)
			global()
		default:
			function(string(module), string(name), r.number())
		}
	})
}

// oneMore returns a list with one more element at its end.
func (r *reader) oneMore(list, element []byte) []byte {
	all := reader{rest: list, err: r.err}
	out := binary.AppendUvarint(nil, all.number()+1)
	return append(append(out, all.rest...), element...)
}

// reader reads a module, or a part of one. All parts share err, which has the first error. After an
// error, nothing is left to read, and each read returns zero.
type reader struct {
	rest []byte
	err  *error
}

// fail records the first error, after which nothing more is read.
func (r *reader) fail(format string, arguments ...any) {
	if *r.err == nil {
		*r.err = fmt.Errorf(format, arguments...)
	}
	r.rest = nil
}

// part returns a reader of the next part, which begins with its own length.
func (r *reader) part() *reader { return &reader{rest: r.take(r.number()), err: r.err} }

// each reads a list by calling read for each element, and returns the length of the list.
func (r *reader) each(read func()) (count uint64) {
	count = r.number()
	for i := uint64(0); i < count && *r.err == nil; i++ {
		read()
	}
	return count
}

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.fail("it ends too early")
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) byte() byte {
	if len(r.rest) == 0 {
		r.fail("it ends too early")
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

// skipNumber skips a number.
func (r *reader) skipNumber() {
	for i, b := range r.rest {
		if b < 0x80 {
			r.rest = r.rest[i+1:]
			return
		}
	}
	r.fail("it ends too early")
}

// number reads an unsigned number. It can also skip a signed number, but then the result is
// meaningless.
func (r *reader) number() (n uint64) {
	for shift := 0; ; shift += 7 {
		b := r.byte()
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
}

func (r *reader) limits() {
	hasMaximum := r.byte()&1 != 0
	r.number()
	if hasMaximum {
		r.number()
	}
}

// bodies returns the code of all functions. A needed function gets a check at the beginning of each
// loop. Any other function only sets the global variable stop+1, to report that a missing function was
// called, and traps. If needed is nil, all functions are needed.
func (r *reader) bodies(stop uint64, needed []bool) []byte {
	check := binary.AppendUvarint([]byte{opGlobalGet}, stop)
	check = append(check, opIf, blockEmpty, opUnreachable, opEnd)
	const noVariables = 0 // a body begins with its groups of local variables
	missing := binary.AppendUvarint([]byte{noVariables, opInt32, 1, opGlobalSet}, stop+1)
	missing = append(missing, opUnreachable, opEnd)
	out := make([]byte, 0, len(r.rest)+len(r.rest)/16)
	var body []byte
	number := 0 // of the function
	count := r.each(func() {
		function := r.part()
		isNeeded := needed == nil || number < len(needed) && needed[number]
		number++
		if isNeeded {
			body = function.checked(body[:0], check)
		} else {
			body = append(body[:0], missing...)
		}
		out = binary.AppendUvarint(out, uint64(len(body)))
		out = append(out, body...)
	})
	return append(binary.AppendUvarint(nil, count), out...)
}

// checked appends a function to out, with a check at the beginning of each loop.
func (r *reader) checked(out, check []byte) []byte {
	all := r.rest
	r.each(func() { // groups of variables
		r.number()
		r.byte()
	})
	copied := 0
	for len(r.rest) > 0 {
		op := r.rest[0]
		r.rest = r.rest[1:]
		// Nearly all instructions of a module have at most two numbers as operands.
		switch form[op] {
		case 2:
			r.skipNumber()
			r.skipNumber()
		case 1:
			r.skipNumber()
		case special:
			r.operands(op)
		}
		if op == opLoop {
			here := len(all) - len(r.rest)
			out = append(append(out, all[copied:here]...), check...)
			copied = here
		}
	}
	return append(out, all[copied:]...)
}

// operands skips the operands of an instruction with a special form.
func (r *reader) operands(op byte) {
	switch op {
	case opNumeric:
		// This prefix begins conversions and operations on whole memories and tables.
		operation := r.number()
		switch {
		case operation <= 7:
		case operation == 9, operation == 11, operation == 13, 15 <= operation && operation <= 17:
			r.number()
		case operation <= 14:
			r.number()
			r.number()
		default:
			r.fail("an instruction 0xfc %d is not known", operation)
		}
	case opTableBranch:
		r.each(r.skipNumber)
		r.skipNumber()
	case opSelectTyped:
		r.take(r.number())
	case opFloat32:
		r.take(4)
	case opFloat64:
		r.take(8)
	default:
		r.fail("an instruction %#x is not known", op)
	}
}

// special marks instructions that are unknown, or whose operands only [operands] can read.
const special = 3

// form has the number of numeric operands of each instruction, or special. The type of a block and
// the value of a constant count as operands. The comments name the instructions of a case in its
// order.
var form = func() (form [256]uint8) {
	for op := range form {
		switch {
		case op <= 0x01, op == 0x05, op == opEnd, op == 0x0f, op == 0x1a, op == 0x1b, 0x45 <= op && op <= 0xc4, op == 0xd1:
			// unreachable and nop, else, end, return, drop, select, all operations on numbers, ref.is_null
			form[op] = 0
		case 0x02 <= op && op <= opIf, op == 0x0c, op == 0x0d, op == 0x10, 0x20 <= op && op <= 0x26, 0x3f <= op && op <= 0x42, op == 0xd0, op == 0xd2:
			// block, loop and if, br, br_if, call, variables and tables, memory.size to i64.const,
			// ref.null, ref.func
			form[op] = 1
		case op == 0x11, 0x28 <= op && op <= 0x3e:
			// call_indirect, loads and stores
			form[op] = 2
		default:
			form[op] = special
		}
	}
	return form
}()

// imported is a function that a module of WebAssembly imports.
type imported struct {
	module, name        string
	parameters, results []api.ValueType
}

// importedFunctions returns the functions that a module imports. The runtime can list them, too, but
// only after it has described all functions of the module; that takes a fifth of the time of starting.
// Cost O(number of sections, types and imports).
func importedFunctions(module []byte) ([]imported, error) {
	var signatures, functions []imported // signatures lack the names
	err := eachSection(module, func(id byte, content *reader) {
		switch id {
		case sectionType:
			content.each(func() {
				content.byte()
				parameters := content.take(content.number())
				results := content.take(content.number())
				signatures = append(signatures, imported{parameters: parameters, results: results})
			})
		case sectionImport:
			content.imports(func(module, name string, number uint64) {
				if number >= uint64(len(signatures)) {
					content.fail("a function has no type")
					return
				}
				f := signatures[number]
				f.module = module
				f.name = name
				functions = append(functions, f)
			}, func() {})
		}
	})
	if err != nil {
		return nil, fmt.Errorf("graphviz: the imports of the module cannot be read: %w", err)
	}
	return functions, nil
}
