package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
)

// lean returns a program of Go for WebAssembly without the tables of its lines and names, which
// only the trace of a crash shows, and with its data in few pieces: Go's linker writes a hundred
// thousand pieces, which take longer to load than the zeros between them. The program does the
// same. lean fails if the version of Go writes these tables in another way. Cost O(size).
func lean(program []byte) ([]byte, error) {
	sections, err := sectionsOf(program)
	if err != nil {
		return nil, err
	}
	made := bytes.Clone(program[:wasmHeader])
	for _, s := range sections {
		switch s.id {
		case customSection: // of names and producers
			continue
		case dataSection:
			memory, err := memoryOf(s.body)
			if err != nil {
				return nil, err
			}
			if err := withoutLines(memory); err != nil {
				return nil, err
			}
			s.body = segments(memory)
		}
		made = append(made, s.id)
		made = binary.AppendUvarint(made, uint64(len(s.body)))
		made = append(made, s.body...)
	}
	return made, nil
}

const (
	wasmHeader    = 8
	customSection = 0
	dataSection   = 11
	// constant begins the address of a piece of data, end ends the address.
	constant, end = 0x41, 0x0b
)

// section is a part of a program of WebAssembly.
type section struct {
	id   byte
	body []byte
}

var errShort = errors.New("the program ends too early")

// sectionsOf returns the sections of a program, in their order. It fails if the program ends within one.
func sectionsOf(program []byte) (all []section, err error) {
	if !bytes.HasPrefix(program, []byte("\x00asm")) || len(program) < wasmHeader {
		return nil, errors.New("this is no WebAssembly")
	}
	for rest := program[wasmHeader:]; len(rest) > 0; {
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return nil, errShort
		}
		from := 1 + n
		all = append(all, section{rest[0], rest[from : from+int(size)]})
		rest = rest[from+int(size):]
	}
	return all, nil
}

// memoryOf returns the content of the memory after the pieces of data are written into an empty
// memory.
func memoryOf(body []byte) ([]byte, error) {
	var memory []byte
	count, n := binary.Uvarint(body)
	if n <= 0 {
		return nil, errShort
	}
	body = body[n:]
	for range count {
		if len(body) < 2 || body[0] != 0 || body[1] != constant {
			return nil, errors.New("a piece of data is placed in another way than by a number")
		}
		at, n := signed(body[2:])
		body = body[2+n:]
		if n == 0 || at < 0 || len(body) == 0 || body[0] != end {
			return nil, errShort
		}
		size, n := binary.Uvarint(body[1:])
		if n <= 0 || size > uint64(len(body)-1-n) {
			return nil, errShort
		}
		body = body[1+n:]
		if most := at + int(size); most > len(memory) {
			memory = append(memory, make([]byte, most-len(memory))...)
		}
		copy(memory[at:], body[:size])
		body = body[size:]
	}
	return memory, nil
}

// signed reads a number in WebAssembly's encoding, and returns it with its number of bytes, 0 if
// there is none.
func signed(text []byte) (value, size int) {
	shift := 0
	for i, b := range text {
		value |= int(b&0x7f) << shift
		shift += 7
		if b < 0x80 {
			if b&0x40 != 0 {
				value |= -1 << shift
			}
			return value, i + 1
		}
	}
	return 0, 0
}

func appendSigned(text []byte, value int) []byte {
	for {
		b := byte(value & 0x7f)
		value >>= 7
		if value == 0 && b&0x40 == 0 || value == -1 && b&0x40 != 0 {
			return append(text, b)
		}
		text = append(text, b|0x80)
	}
}

// hole is the least number of zeros between two pieces of data.
const hole = 256

// segments returns the pieces of data that make up a memory.
func segments(memory []byte) []byte {
	var body []byte
	count := uint64(0)
	for at := 0; at < len(memory); {
		size := bytes.Index(memory[at:], make([]byte, hole))
		if size < 0 {
			size = len(memory) - at
		}
		if size > 0 {
			body = append(appendSigned(append(body, 0, constant), at), end)
			body = binary.AppendUvarint(body, uint64(size))
			body = append(body, memory[at:at+size]...)
			count++
		}
		for at += size; at < len(memory) && memory[at] == 0; {
			at++
		}
	}
	return append(binary.AppendUvarint(nil, count), body...)
}

// tables is the beginning of the tables of functions of Go's runtime (runtime.pcHeader,
// src/runtime/symtab.go), on WebAssembly.
var tables = []byte("\xf1\xff\xff\xff\x00\x00\x01\x08")

// The fields of a function in these tables (runtime._func, src/runtime/runtime2.go), in bytes.
const (
	ofName   = 4
	ofFrame  = 16
	ofFile   = 20
	ofLine   = 24
	ofPCData = 28
	ofUnit   = 32
	ofStart  = 36
	ofTables = 44
)

// withoutLines removes from the memory of a program what only traces of crashes need: files, lines
// and names of functions, except those of the runtime, which the runtime itself reads.
func withoutLines(memory []byte) error {
	at, err := findFunctionTables(memory)
	if err != nil {
		return err
	}
	names := newKept(memory[at.names:at.units])
	values := newKept(memory[at.values:at.entries])
	for i := range at.functions {
		entry := memory[at.entries+8*i:]
		function := memory[at.entries+int(binary.LittleEndian.Uint32(entry[4:])):]
		field := func(offset int) int {
			return int(binary.LittleEndian.Uint32(function[offset:]))
		}
		name := names.text(field(ofName))
		if strings.HasPrefix(name, "runtime.") {
			names.keep(field(ofName), len(name)+1)
		} else {
			clear(function[ofName : ofName+4])
		}
		values.keepTable(field(ofFrame))
		for k := range field(ofPCData) {
			values.keepTable(field(ofTables + 4*k))
		}
		for _, offset := range []int{ofFile, ofLine, ofUnit, ofStart} {
			clear(function[offset : offset+4])
		}
	}
	names.clear()
	values.clear()
	clear(memory[at.units:at.values])
	return nil
}

// functionTables are the number of functions, and the offsets in the memory of a program where the
// tables about them begin.
type functionTables struct {
	functions                     int
	names, units, values, entries int
}

// findFunctionTables finds the tables of functions by the bytes that they begin with (runtime.pcHeader,
// src/runtime/symtab.go). It fails if this release of Go has them in another form.
func findFunctionTables(memory []byte) (functionTables, error) {
	base := bytes.Index(memory, tables)
	if base < 0 || bytes.LastIndex(memory, tables) != base {
		return functionTables{}, errors.New("this Go has its tables of functions in another way")
	}
	number := func(i int) int {
		return int(binary.LittleEndian.Uint64(memory[base+8+8*i:]))
	}
	t := functionTables{
		functions: number(0),
		names:     base + number(3),
		units:     base + number(4),
		values:    base + number(6),
		entries:   base + number(7),
	}
	files := base + number(5)
	ascend := slices.IsSorted([]int{base + 1, t.names, t.units, files, t.values, t.entries})
	if t.functions <= 0 || !ascend || t.entries+8*t.functions > len(memory) {
		return functionTables{}, errors.New("this Go has its tables of functions in another order")
	}
	return t, nil
}

// kept says for each byte of a table whether it is kept.
type kept struct {
	table []byte
	stays []bool
}

func newKept(table []byte) kept { return kept{table, make([]bool, len(table))} }

// text returns the text in the table that begins at an offset and ends before a zero.
func (k kept) text(at int) string {
	text, _, _ := bytes.Cut(k.table[at:], []byte{0})
	return string(text)
}

func (k kept) keep(at, size int) {
	for i := at; i < at+size; i++ {
		k.stays[i] = true
	}
}

// keepTable keeps a list of pairs of numbers: by how much a value changes, and after how many bytes
// of code; a change of 0 ends the list, unless it is the first. The offset 0 means that there is no
// list.
func (k kept) keepTable(at int) {
	if at == 0 || k.stays[at] {
		return
	}
	to := at
	for first := true; ; first = false {
		change, n := binary.Uvarint(k.table[to:])
		to += n
		if change == 0 && !first || n <= 0 {
			break
		}
		_, n = binary.Uvarint(k.table[to:])
		to += n
	}
	k.keep(at, to-at)
}

func (k kept) clear() {
	for i, stays := range k.stays {
		if !stays {
			k.table[i] = 0
		}
	}
}
