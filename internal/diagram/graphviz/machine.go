package graphviz

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/internal/diagram/typeface"
)

// machine is a Graphviz that was started in a sandbox of its own. It keeps the first error. After an
// error, its methods do nothing and return zero.
type machine struct {
	ctx context.Context
	// exported returns the function of Graphviz with this name; nil if there is none.
	exported func(name string) function
	memory   linear
	stderr   bytes.Buffer
	// called has the functions that were called before, since each can reuse its stack.
	called map[string]function
	err    error
}

// function is an exported function of the compiled Graphviz.
type function interface {
	Call(ctx context.Context, arguments ...uint64) ([]uint64, error)
}

// linear is the memory of a sandbox. Its methods report whether the access was within bounds.
type linear interface {
	Size() uint32
	Read(at, length uint32) ([]byte, bool)
	Write(at uint32, data []byte) bool
	ReadUint32Le(at uint32) (uint32, bool)
	WriteUint32Le(at, v uint32) bool
	ReadFloat64Le(at uint32) (float64, bool)
	WriteFloat64Le(at uint32, v float64) bool
}

// render calls the library of Graphviz as a program in C would.
func (m *machine) render(r request) ([]byte, error) {
	symbols := m.builtInPlugins()
	library := m.measuringPlugin()
	symbols = append(symbols, m.text("gvplugin_inev_LTX_library"), library)
	symbols = append(symbols, 0, 0) // the end of the table
	context := m.call("gvContextPlugins", m.words(symbols...), 0)
	parsed := m.call("agmemread", m.text(r.graph))
	if parsed == 0 {
		return nil, m.refused()
	}
	if m.call("gvLayout", context, parsed, m.text(r.layout)) != 0 {
		return nil, m.refused()
	}
	result := m.call("malloc", 8)
	if m.call("gvRenderData", context, parsed, m.text(r.format), result, result+4) != 0 {
		return nil, m.refused()
	}
	drawn := bytes.Clone(m.bytes(m.word(result), m.word(result+4)))
	return drawn, m.err
}

// builtInPlugins returns the table of the layouts and writers that are built in: for each, the address
// of its name and that of its library.
func (m *machine) builtInPlugins() []uint64 {
	slot := m.call("malloc", 4)
	m.call("wasm_bridge_SymList_default", slot)
	list := m.word(slot)
	count := m.word(list)
	entries := m.word(list + 4)
	var symbols []uint64
	for i := uint64(0); i < count && m.err == nil; i++ {
		symbol := m.word(entries + 8*i) // an entry has eight bytes
		symbols = append(symbols, m.word(symbol), m.word(symbol+4))
	}
	return symbols
}

// measuringPlugin returns the address of a library that measures texts by [measure]: Graphviz' own
// tables of widths have only ASCII.
func (m *machine) measuringPlugin() uint64 {
	engine := m.call("wasm_bridge_new_TextLayoutEngine")
	m.call("wasm_bridge_set_TextLayoutEngine_textlayout", engine)
	types := m.words(0, m.text("textlayout"), 1, engine, 0, 0, 0, 0, 0, 0)
	apis := m.words(apiTextLayout, types, 0, 0)
	return m.words(m.text("inev"), apis)
}

// refused returns the first error or, if there is none, the error that Graphviz has refused a call.
func (m *machine) refused() error {
	if m.err != nil {
		return m.err
	}
	return errors.New(complaint(m.stderr.String()))
}

// fail keeps the first error.
func (m *machine) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

// call calls a function of Graphviz. It returns the result, and 0 for a function without a result.
func (m *machine) call(name string, arguments ...uint64) uint64 {
	if m.err != nil {
		return 0
	}
	f := m.called[name]
	if f == nil {
		f = m.exported(name)
	}
	if f == nil {
		m.fail(fmt.Errorf("the Graphviz inside has no function %s", name))
		return 0
	}
	m.called[name] = f
	results, err := f.Call(m.ctx, arguments...)
	if err != nil {
		// The further lines give positions in the machine code.
		reason, _, _ := strings.Cut(err.Error(), "\n")
		if m.stderr.Len() > 0 {
			reason += ": " + complaint(m.stderr.String())
		}
		m.fail(fmt.Errorf("the Graphviz inside fails at this graph (%s); an installed one may draw it", reason))
		return 0
	}
	if len(results) == 0 {
		return 0
	}
	return results[0]
}

var errMemory = errors.New("the Graphviz inside is out of memory")

// bytes returns a part of the memory; nil after an error. The result is valid until the next call of a
// function.
func (m *machine) bytes(address, length uint64) []byte {
	if m.err != nil {
		return nil
	}
	data, ok := m.memory.Read(uint32(address), uint32(length))
	if !ok {
		m.fail(errMemory)
		return nil
	}
	return data
}

func (m *machine) word(address uint64) uint64 {
	data := m.bytes(address, 4)
	if data == nil {
		return 0
	}
	return uint64(binary.LittleEndian.Uint32(data))
}

// put copies data into the memory and returns its address there.
func (m *machine) put(data []byte) uint64 {
	address := m.call("malloc", uint64(len(data)))
	if m.err != nil {
		return 0
	}
	if address == 0 || !m.memory.Write(uint32(address), data) {
		m.fail(errMemory)
		return 0
	}
	return address
}

// text copies a text and a zero byte into the memory.
func (m *machine) text(s string) uint64 { return m.put(append([]byte(s), 0)) }

func (m *machine) words(values ...uint64) uint64 {
	var data []byte
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, uint32(v))
	}
	return m.put(data)
}

// Layouts of structures in memory, for 32-bit pointers, from the header files of
// Graphviz 12.1.2: lt_symlist_t, gvplugin_library_t, gvplugin_api_t and
// gvplugin_installed_t in lib/gvc/gvcext.h and gvplugin.h, textspan_t and textfont_t
// in lib/common/textspan.h.
const (
	apiTextLayout = 2 // API_textlayout

	spanText, spanFont                      = 0, 4
	spanLayout, spanFree                    = 8, 12
	spanBaseOffset, spanCentreOffset        = 16, 24
	spanWidth, spanHeight                   = 32, 40
	fontSize, fontFlags                     = 16, 24
	flagBold                         uint32 = 1 // HTML_BF
)

// lineHeight is the distance between base lines, and centre the distance from the middle of a line down
// to its base line, both as factors of the size. These are Graphviz' own values.
const lineHeight, centre = 1.2, 0.1

// measure stores the size of a span of text in it and returns 1. If the memory is not as expected, it
// returns 0, so that Graphviz estimates the size.
func measure(memory linear, span uint32, family *typeface.Family) uint64 {
	text, hasText := memory.ReadUint32Le(span + spanText)
	font, hasFont := memory.ReadUint32Le(span + spanFont)
	size, hasSize := memory.ReadFloat64Le(font + fontSize)
	flags, hasFlags := memory.ReadUint32Le(font + fontFlags)
	if !hasText || !hasFont || !hasSize || !hasFlags {
		return 0
	}
	isPlausible := size >= 0 && text < memory.Size() // false if the size is NaN
	if !isPlausible {
		return 0
	}
	shown, ok := textAt(memory, text)
	if !ok {
		return 0
	}
	width := family.Width(shown, typeface.Style{Size: size, Bold: flags&flagBold != 0})
	memory.WriteUint32Le(span+spanLayout, 0)
	memory.WriteUint32Le(span+spanFree, 0)
	memory.WriteFloat64Le(span+spanBaseOffset, 0)
	memory.WriteFloat64Le(span+spanCentreOffset, centre*size)
	memory.WriteFloat64Le(span+spanWidth, width)
	memory.WriteFloat64Le(span+spanHeight, lineHeight*size)
	return 1
}

// textAt reads a text up to its zero byte; false if there is none. It reads in blocks, since in a
// browser each read copies the memory.
func textAt(memory linear, address uint32) (string, bool) {
	var text []byte
	for piece := uint32(64); ; piece *= 2 {
		piece = min(piece, memory.Size()-address)
		data, ok := memory.Read(address, piece)
		if !ok || piece == 0 {
			return "", false
		}
		end := bytes.IndexByte(data, 0)
		if end >= 0 {
			return string(append(text, data[:end]...)), true
		}
		text = append(text, data...)
		address += piece
	}
}
