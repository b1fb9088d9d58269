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

	"github.com/inev-lts/inev/diagram/internal/typeface"
)

//go:embed graphviz.wasm
var module []byte

const (
	// maxPages bounds the memory of the sandbox, in pages of 64 kB: 1 GB.
	maxPages = 1 << 14
	// smallGraph is the length of a graph, in bytes, up to which it pays to
	// interpret Graphviz: getting ready takes 0.03 s then, where compiling takes
	// 0.2 s, and all that follows is fifty times as slow. They meet at about that
	// length; and what is compiled is kept for the next picture.
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
	// called are the functions that were called. Each has a stack, which it keeps.
	called map[string]api.Function
}

// build is the Graphviz inside, made ready to be started as often as it is needed.
type build struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
	memory  *memories
	cache   wazero.CompilationCache // nil for none
	// interpreted tells that the runtime stops it. It reads variables as Go does, so that
	// another goroutine must not set one.
	interpreted bool
}

// newBuild makes a part of Graphviz ready to run, which looks for itself whether it is to
// stop.
func newBuild(ctx context.Context, p part, config wazero.RuntimeConfig) (*build, error) {
	code, err := interruptible(module, p.functions())
	if err != nil {
		return nil, err
	}
	family, err := typeface.Load()
	if err != nil {
		return nil, err
	}
	ctx = experimental.WithCompilationWorkers(ctx, workers)
	b := &build{memory: &memories{}, runtime: wazero.NewRuntimeWithConfig(ctx, config.WithMemoryLimitPages(maxPages))}
	if err := b.load(ctx, code, family); err != nil {
		b.close(ctx)
		return nil, err
	}
	return b, nil
}

// close gives the memory back. It goes on where ctx has ended.
func (b *build) close(ctx context.Context) {
	// There are no files to be written: nothing can fail.
	ctx = context.WithoutCancel(ctx)
	_ = b.runtime.Close(ctx)
	if b.cache != nil {
		_ = b.cache.Close(ctx)
	}
}

func (b *build) load(ctx context.Context, code []byte, family *typeface.Family) (err error) {
	if _, err = wasi_snapshot_preview1.Instantiate(ctx, b.runtime); err != nil {
		return err
	}
	if b.module, err = b.runtime.CompileModule(ctx, code); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return b.host(ctx, family)
}

// render starts a Graphviz, and lays out one graph by it.
func (b *build) render(ctx context.Context, graph, format, layout string) ([]byte, error) {
	m := &machine{ctx: ctx, called: map[string]api.Function{}}
	config := wazero.NewModuleConfig().WithName("").WithStderr(&m.stderr).WithStartFunctions("__wasm_call_ctors")
	started, err := b.runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, b.memory), b.module, config)
	if err != nil {
		return nil, err
	}
	// Closing must go on where the context has ended the layout.
	defer started.Close(context.WithoutCancel(ctx))
	if stop, is := started.ExportedGlobal(stopName).(api.MutableGlobal); is && !b.interpreted {
		defer context.AfterFunc(ctx, func() { stop.Set(1) })()
	}
	m.module, m.memory = started, started.Memory()
	out := m.render(graph, format, layout)
	if missing := started.ExportedGlobal(missingName); missing != nil && missing.Get() != 0 {
		return nil, errMissing
	}
	if m.err != nil {
		return nil, m.err
	}
	return out, nil
}

// host gives Graphviz what it imports from the module that it was built for: places
// for plug-ins in Go, of which only the one for the width of texts is taken.
func (b *build) host(ctx context.Context, family *typeface.Family) error {
	builder := b.runtime.NewHostModuleBuilder("env")
	for _, f := range b.module.ImportedFunctions() {
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
	_, err := builder.Instantiate(ctx)
	return err
}

// render calls Graphviz as a program in C would.
func (m *machine) render(graph, format, layout string) []byte {
	plugins := m.plugins()
	context := m.call("gvContextPlugins", plugins, 0)
	parsed := m.call("agmemread", m.text(graph))
	if m.err == nil && parsed == 0 {
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
	f := m.called[name]
	if f == nil {
		if f = m.module.ExportedFunction(name); f == nil {
			m.err = fmt.Errorf("the Graphviz inside has no function %s", name)
			return 0
		}
		m.called[name] = f
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

// text is put for a text, with a zero behind it.
func (m *machine) text(s string) uint64 {
	at := m.call("malloc", uint64(len(s)+1))
	if m.err == nil && (at == 0 || !m.memory.WriteString(uint32(at), s) || !m.memory.WriteByte(uint32(at)+uint32(len(s)), 0)) {
		m.err = errMemory
	}
	return at
}

func (m *machine) words(values ...uint64) uint64 {
	var data []byte
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, uint32(v))
	}
	return m.put(data)
}
