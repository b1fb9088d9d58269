//go:build !js

package graphviz

import (
	"context"
	_ "embed"

	"github.com/klauspost/compress/zstd"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/inev-lts/inev/diagram/internal/typeface"
	"github.com/inev-lts/inev/internal/abort"
)

//go:embed graphviz.wasm.zst
var packed []byte

// unpacked returns the embedded Graphviz. Cost: some milliseconds.
func unpacked() ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(packed, nil)
}

const (
	// maxPages bounds the memory of the sandbox, in pages of 64 kB: 1 GB.
	maxPages = 1 << 14
	// smallGraph is the length of a graph in DOT, in bytes, up to which interpreting Graphviz is
	// faster than compiling it: the interpreter starts in 0.03 s and compilation takes 0.2 s, but
	// the interpreter is fifty times as slow. Compiled code also serves later pictures.
	smallGraph = 8 << 10
	// workers is the number of goroutines that compile Graphviz.
	workers = 4
)

// build is the embedded Graphviz, prepared to be started any number of times.
type build struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
	memory  *memories
	cache   wazero.CompilationCache // nil for none
	// interpreted reports whether the interpreter runs this build. Then the runtime stops a layout:
	// another goroutine that sets the stop variable would race with the interpreter.
	interpreted bool
}

// newBuild prepares a part of Graphviz. Its code checks in every loop whether it must stop.
func newBuild(ctx context.Context, p part, config wazero.RuntimeConfig) (*build, error) {
	module, err := unpacked()
	if err != nil {
		return nil, err
	}
	code, err := interruptible(module, p.functions())
	if err != nil {
		return nil, err
	}
	ctx = experimental.WithCompilationWorkers(ctx, workers)
	b := &build{memory: &memories{}, runtime: wazero.NewRuntimeWithConfig(ctx, config.WithMemoryLimitPages(maxPages))}
	if err := b.load(ctx, code, typeface.Load()); err != nil {
		b.close(ctx)
		return nil, err
	}
	return b, nil
}

// close releases the memory, even if ctx has ended.
func (b *build) close(ctx context.Context) {
	// Nothing can fail, since no files are written.
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
	return b.host(ctx, code, family)
}

// render starts a Graphviz and lays out one graph.
func (b *build) render(ctx context.Context, graph, format, layout string) ([]byte, error) {
	m := &machine{ctx: ctx, called: map[string]function{}}
	config := wazero.NewModuleConfig().WithName("").WithStderr(&m.stderr).WithStartFunctions("__wasm_call_ctors")
	started, err := b.runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, b.memory), b.module, config)
	if err != nil {
		return nil, err
	}
	// The sandbox must be closed even if ctx has stopped the layout.
	defer started.Close(context.WithoutCancel(ctx))
	if stop, is := started.ExportedGlobal(stopName).(api.MutableGlobal); is && !b.interpreted {
		defer context.AfterFunc(ctx, func() { stop.Set(1) })()
	}
	m.memory = started.Memory()
	m.exported = func(name string) function {
		if f := started.ExportedFunction(name); f != nil {
			return f
		}
		return nil
	}
	var out []byte
	err = abort.Try(func() { out = m.render(graph, format, layout) })
	if missing := started.ExportedGlobal(missingName); missing != nil && missing.Get() != 0 {
		return nil, errMissing
	}
	return out, err
}

// host provides the functions that Graphviz imports: hooks for the plug-ins in Go of the module it
// was built for. Only the hook that measures texts does anything.
func (b *build) host(ctx context.Context, code []byte, family *typeface.Family) error {
	functions, err := importedFunctions(code)
	if err != nil {
		return err
	}
	builder := b.runtime.NewHostModuleBuilder("env")
	for _, f := range functions {
		if f.module != "env" {
			continue
		}
		do := func(context.Context, api.Module, []uint64) {}
		if f.name == "wasm_bridge_TextLayoutEngine_TextLayout" {
			do = func(_ context.Context, module api.Module, stack []uint64) {
				stack[0] = measure(module.Memory(), uint32(stack[0]), family)
			}
		}
		builder.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(do), f.parameters, f.results).Export(f.name)
	}
	_, err = builder.Instantiate(ctx)
	return err
}
