package graphviz

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/inev-lts/inev/diagram/typeface"
)

//go:embed graphviz.wasm
var module []byte

const (
	// maxPages bounds the memory of the sandbox, in pages of 64 kB: 1 GB.
	maxPages = 1 << 14
	// smallGraph is the length of a graph, in bytes, up to which it pays to
	// interpret Graphviz: getting ready takes 0.07 s then, where compiling takes
	// 0.4 s, and all that follows is eight times as slow. They meet at about
	// twenty nodes.
	smallGraph = 8 << 10
	// workers is the number of goroutines that compile.
	workers = 4
)

// machine is a Graphviz that has started, in a sandbox of its own. Its methods keep
// the first error, after which they do nothing.
type machine struct {
	ctx    context.Context
	module api.Module
	memory api.Memory
	stderr bytes.Buffer
	err    error
}

func embedded(ctx context.Context, graph, format string, o Options) ([]byte, error) {
	family, err := typeface.Load()
	if err != nil {
		return nil, err
	}
	config := wazero.NewRuntimeConfig()
	if cache := keptBy(ctx); cache != nil {
		config = config.WithCompilationCache(cache)
	} else if len(graph) <= smallGraph {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	ctx = experimental.WithCompilationWorkers(ctx, workers)
	runtime := wazero.NewRuntimeWithConfig(ctx, config.WithCloseOnContextDone(true).WithMemoryLimitPages(maxPages))
	// Closing must go on where the context has ended the layout.
	defer runtime.Close(context.WithoutCancel(ctx))
	m := &machine{ctx: ctx}
	if err := m.start(runtime, family); err != nil {
		return nil, err
	}
	out := m.render(graph, format, o.Engine)
	if m.err != nil {
		return nil, m.err
	}
	return out, nil
}

// start compiles and initialises Graphviz.
func (m *machine) start(runtime wazero.Runtime, family *typeface.Family) error {
	if _, err := wasi_snapshot_preview1.Instantiate(m.ctx, runtime); err != nil {
		return err
	}
	compiled, err := runtime.CompileModule(m.ctx, module)
	if err != nil {
		return err
	}
	if err := m.ctx.Err(); err != nil {
		return err
	}
	if err := m.host(runtime, compiled, family); err != nil {
		return err
	}
	config := wazero.NewModuleConfig().WithStderr(&m.stderr).WithStartFunctions("__wasm_call_ctors")
	m.module, err = runtime.InstantiateModule(m.ctx, compiled, config)
	if err != nil {
		return err
	}
	m.memory = m.module.Memory()
	return nil
}

// host gives Graphviz what it imports from the module that it was built for: places
// for plug-ins in Go, of which only the one for the width of texts is taken.
func (m *machine) host(runtime wazero.Runtime, compiled wazero.CompiledModule, family *typeface.Family) error {
	builder := runtime.NewHostModuleBuilder("env")
	for _, f := range compiled.ImportedFunctions() {
		from, name, _ := f.Import()
		if from != "env" {
			continue
		}
		do := func(context.Context, api.Module, []uint64) {}
		if name == "wasm_bridge_TextLayoutEngine_TextLayout" {
			do = func(_ context.Context, module api.Module, stack []uint64) {
				stack[0] = measure(module.Memory(), uint32(stack[0]), family)
			}
		}
		builder.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(do), f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	_, err := builder.Instantiate(m.ctx)
	return err
}

// render calls Graphviz as a program in C would.
func (m *machine) render(graph, format, engine string) []byte {
	plugins := m.plugins()
	context := m.call("gvContextPlugins", plugins, 0)
	parsed := m.call("agmemread", m.text(graph))
	if m.err == nil && parsed == 0 {
		m.fail()
	}
	if m.call("gvLayout", context, parsed, m.text(engine)) != 0 {
		m.fail()
	}
	result := m.call("malloc", 8)
	if m.call("gvRenderData", context, parsed, m.text(format), result, result+4) != 0 {
		m.fail()
	}
	return bytes.Clone(m.bytes(m.word(result), m.word(result+4)))
}

// fail notes that Graphviz has refused what it was asked for.
func (m *machine) fail() {
	if m.err == nil {
		m.err = errors.New(complaint(m.stderr.String()))
	}
}

// call calls a function of Graphviz and returns its result, 0 for one without.
func (m *machine) call(name string, arguments ...uint64) uint64 {
	if m.err != nil {
		return 0
	}
	f := m.module.ExportedFunction(name)
	if f == nil {
		m.err = fmt.Errorf("the Graphviz inside has no function %s", name)
		return 0
	}
	results, err := f.Call(m.ctx, arguments...)
	if err != nil {
		// What follows is where in the machine code it happened.
		what, _, _ := strings.Cut(err.Error(), "\n")
		if said := m.stderr.String(); said != "" {
			what += ": " + complaint(said)
		}
		m.err = fmt.Errorf("the Graphviz inside fails at this graph (%s); an installed one may draw it", what)
		return 0
	}
	if len(results) == 0 {
		return 0
	}
	return results[0]
}

var errMemory = errors.New("the Graphviz inside is out of memory")

// bytes returns a part of the memory, which the next call may change.
func (m *machine) bytes(at, length uint64) []byte {
	if m.err != nil {
		return nil
	}
	data, ok := m.memory.Read(uint32(at), uint32(length))
	if !ok {
		m.err = errMemory
	}
	return data
}

func (m *machine) word(at uint64) uint64 {
	if data := m.bytes(at, 4); m.err == nil {
		return uint64(binary.LittleEndian.Uint32(data))
	}
	return 0
}

// put copies data into the memory and returns where it is.
func (m *machine) put(data []byte) uint64 {
	at := m.call("malloc", uint64(len(data)))
	if m.err == nil && (at == 0 || !m.memory.Write(uint32(at), data)) {
		m.err = errMemory
	}
	return at
}

func (m *machine) text(s string) uint64 { return m.put(append([]byte(s), 0)) }

func (m *machine) words(values ...uint64) uint64 {
	var data []byte
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, uint32(v))
	}
	return m.put(data)
}
