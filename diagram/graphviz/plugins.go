package graphviz

import (
	"bytes"
	"math"

	"github.com/inev-lts/inev/diagram/internal/typeface"
)

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

// plugins returns the address of a list of plug-ins: the built-in ones (layouts and writers), and
// one that measures texts, since Graphviz' own tables have only ASCII.
func (m *machine) plugins() uint64 {
	slot := m.call("malloc", 4)
	m.call("wasm_bridge_SymList_default", slot)
	list := m.word(slot)
	count, data := m.word(list), m.word(list+4)
	var symbols []uint64
	for i := range count {
		symbol := m.word(data + 8*i) // an entry of the table has eight bytes
		symbols = append(symbols, m.word(symbol), m.word(symbol+4))
	}
	engine := m.call("wasm_bridge_new_TextLayoutEngine")
	m.call("wasm_bridge_set_TextLayoutEngine_textlayout", engine)
	types := m.words(0, m.text("textlayout"), 1, engine, 0, 0, 0, 0, 0, 0)
	apis := m.words(apiTextLayout, types, 0, 0)
	library := m.words(m.text("inev"), apis)
	symbols = append(symbols, m.text("gvplugin_inev_LTX_library"), library, 0, 0)
	return m.words(symbols...)
}

// lineHeight is the distance of base lines, and centre the depth of the base line below the middle
// of a line, as factors of the size: Graphviz' own values.
const lineHeight, centre = 1.2, 0.1

// measure fills in the size of a span of text and returns 1. If the memory is not as expected, it
// returns 0, so that Graphviz estimates the size.
func measure(memory linear, span uint32, family *typeface.Family) uint64 {
	text, ok := memory.ReadUint32Le(span + spanText)
	font, ok2 := memory.ReadUint32Le(span + spanFont)
	size, ok3 := memory.ReadFloat64Le(font + fontSize)
	flags, ok4 := memory.ReadUint32Le(font + fontFlags)
	if !ok || !ok2 || !ok3 || !ok4 || math.IsNaN(size) || size < 0 || text >= memory.Size() {
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

// textAt reads a text up to its zero byte; false if there is none. It reads in blocks,
// since a browser copies the memory that is read.
func textAt(memory linear, at uint32) (string, bool) {
	var text []byte
	for piece := uint32(64); ; piece *= 2 {
		piece = min(piece, memory.Size()-at)
		data, ok := memory.Read(at, piece)
		if !ok || piece == 0 {
			return "", false
		}
		if end := bytes.IndexByte(data, 0); end >= 0 {
			return string(append(text, data[:end]...)), true
		}
		text = append(text, data...)
		at += piece
	}
}
