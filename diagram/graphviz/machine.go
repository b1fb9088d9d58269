package graphviz

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
)

// machine is a Graphviz that was started in a sandbox of its own. The first error ends its work.
type machine struct {
	ctx context.Context
	// exported returns a function of Graphviz, nil if there is none of this name.
	exported func(name string) function
	memory   linear
	stderr   bytes.Buffer
	// called has the functions that were called so far: each reuses its stack.
	called map[string]function
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
func (m *machine) render(graph, format, layout string) []byte {
	plugins := m.plugins()
	context := m.call("gvContextPlugins", plugins, 0)
	parsed := m.call("agmemread", m.text(graph))
	if parsed == 0 {
		m.fail()
	}
	if m.call("gvLayout", context, parsed, m.text(layout)) != 0 {
		m.fail()
	}
	result := m.call("malloc", 8)
	if m.call("gvRenderData", context, parsed, m.text(format), result, result+4) != 0 {
		m.fail()
	}
	return bytes.Clone(m.bytes(m.word(result), m.word(result+4)))
}

// fail ends the work since Graphviz has refused a call.
func (m *machine) fail() { abort.On(errors.New(complaint(m.stderr.String()))) }

// call calls a function of Graphviz and returns its result, 0 if it has none.
func (m *machine) call(name string, arguments ...uint64) uint64 {
	f := m.called[name]
	if f == nil {
		if f = m.exported(name); f == nil {
			abort.On(fmt.Errorf("the Graphviz inside has no function %s", name))
		}
		m.called[name] = f
	}
	results, err := f.Call(m.ctx, arguments...)
	if err != nil {
		// The further lines give positions in the machine code.
		what, _, _ := strings.Cut(err.Error(), "\n")
		if said := m.stderr.String(); said != "" {
			what += ": " + complaint(said)
		}
		abort.On(fmt.Errorf("the Graphviz inside fails at this graph (%s); an installed one may draw it", what))
	}
	if len(results) == 0 {
		return 0
	}
	return results[0]
}

var errMemory = errors.New("the Graphviz inside is out of memory")

// bytes returns a part of the memory, valid until the next call of a function.
func (m *machine) bytes(at, length uint64) []byte {
	data, ok := m.memory.Read(uint32(at), uint32(length))
	if !ok {
		abort.On(errMemory)
	}
	return data
}

func (m *machine) word(at uint64) uint64 { return uint64(binary.LittleEndian.Uint32(m.bytes(at, 4))) }

// put copies data into the memory and returns its address there.
func (m *machine) put(data []byte) uint64 {
	at := m.call("malloc", uint64(len(data)))
	if at == 0 || !m.memory.Write(uint32(at), data) {
		abort.On(errMemory)
	}
	return at
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
