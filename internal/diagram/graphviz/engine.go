//go:build !js

package graphviz

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/diagram/typeface"
)

// Engine lays out graphs by Graphviz. It is safe for concurrent use. The embedded Graphviz is compiled
// by the first layout that needs compiled code, and kept until [Engine.Close]; it takes some ten
// megabytes. At first only the functions that most pictures need are compiled; all functions are
// compiled once a layout needs another one. The most recent layouts, up to 16 MB, are kept, too.
//
// The field running counts the layouts and compilations under way, and none begins once closed is
// set.
type Engine struct {
	installed *installed // nil for the embedded one
	cache     string     // see New
	running   sync.WaitGroup
	layouts   layouts // layouts by the embedded Graphviz

	mu       sync.Mutex
	closed   bool
	pictures int // still expected
	inside   [parts]*compilation
}

// compilation is a part of the embedded Graphviz that is compiled, or is being compiled.
type compilation struct {
	// compiling sets build and err.
	compiling *contained.Goroutine
	build     *build
	err       error
	stop      context.CancelFunc
}

// New returns an engine with the embedded Graphviz. The expected number of pictures matters, since a
// single small graph is laid out by the interpreter, which is faster than compiling Graphviz. If cache
// is not "", it is a folder that keeps compiled code for later processes; it is made when needed.
// Anyone who can write to the folder decides what these processes run. If the folder cannot be used,
// nothing is kept, and that is no error. The engine must be closed. Cost O(1): nothing is prepared
// before the first layout.
func New(pictures int, cache string) *Engine {
	return &Engine{pictures: pictures, cache: cache}
}

// Installed returns an engine that runs an installed Graphviz: the program dot at this path, with
// additional arguments such as -Gdpi=144. Cost O(1).
func Installed(program string, arguments ...string) *Engine {
	return &Engine{installed: &installed{program, arguments}}
}

// Close waits for the layouts under way and releases the memory. It stops a compilation that no
// layout waits for.
func (e *Engine) Close() {
	e.mu.Lock()
	inside := e.inside
	e.closed = true
	e.inside = [parts]*compilation{}
	e.mu.Unlock()
	e.running.Wait()
	for _, c := range inside {
		c.close()
	}
}

// begin counts a layout as running. It reports whether the interpreter should run Graphviz for this
// layout: that is faster for the last expected picture, if the graph is small and nothing is
// compiled yet.
func (e *Engine) begin(graph string) (isInterpreted bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false, ErrClosed
	}
	e.running.Add(1)
	e.pictures--
	isFirst := e.inside == [parts]*compilation{}
	isLast := e.pictures == 0
	isSingleSmall := isFirst && isLast && len(graph) <= smallGraph
	return isSingleSmall && !hasCompiledCode(e.cache), nil
}

// compiled returns a compilation of at least this part. The compilation may still be under way.
func (e *Engine) compiled(p part) *compilation {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.inside[whole] != nil {
		p = whole
	}
	if e.inside[p] == nil || e.inside[p].hasPanicked() { // the panic has ended another layout only
		e.inside[p] = compile(p, e.cache)
	}
	return e.inside[p]
}

// compile compiles a part of the embedded Graphviz in a goroutine of its own. All layouts share the
// result, so compilation continues even if the layout that began it is stopped.
func compile(p part, cache string) *compilation {
	ctx, stop := context.WithCancel(context.Background())
	c := &compilation{stop: stop}
	c.compiling = contained.Go(func() {
		c.build, c.err = newCachedBuild(ctx, p, cache)
		if c.build == nil && c.err == nil {
			c.build, c.err = newBuild(ctx, p, wazero.NewRuntimeConfig())
		}
	})
	return c
}

// hasPanicked reports whether a panic has ended the compilation.
func (c *compilation) hasPanicked() bool {
	if c == nil {
		return false
	}
	select {
	case <-c.compiling.Done():
		return c.wait() != nil
	default:
		return false
	}
}

// wait waits until the compilation ends. It returns the panic that has ended it; nil if there was none.
func (c *compilation) wait() error {
	return contained.Call(func() error {
		c.compiling.Wait()
		return nil
	})
}

// close stops the compilation and releases the memory.
func (c *compilation) close() {
	if c == nil {
		return
	}
	c.stop()
	<-c.compiling.Done()
	if c.build != nil {
		c.build.close(context.Background())
	}
}

// render answers a request by the installed Graphviz, from the cache, or by the embedded Graphviz.
func (e *Engine) render(ctx context.Context, r request) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	isInterpreted, err := e.begin(r.graph)
	if err != nil {
		return nil, err
	}
	defer e.running.Done()
	if e.installed != nil {
		return e.installed.render(ctx, r)
	}
	key := r.key()
	if drawn, isCached := e.layouts.get(key); isCached {
		return drawn, nil
	}
	renderBy := e.renderCompiled
	if isInterpreted {
		renderBy = renderInterpreted
	}
	enough := whole // the part of Graphviz that is enough for most requests of this kind
	if r.format == "svg" && r.layout == "dot" {
		enough = needed
	}
	out, err := renderBy(ctx, enough, r)
	if errors.Is(err, errMissing) {
		out, err = renderBy(ctx, whole, r)
	}
	if err == nil {
		e.layouts.put(key, out)
	}
	return out, err
}

// renderCompiled lays out one graph by compiled code, for which it waits.
func (e *Engine) renderCompiled(ctx context.Context, p part, r request) ([]byte, error) {
	c := e.compiled(p)
	select {
	case <-c.compiling.Done():
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c.compiling.Wait() // a panic of the compilation ends this layout, too
	if c.err != nil {
		return nil, c.err
	}
	return c.build.render(ctx, r)
}

// renderInterpreted lays out one graph by the interpreter.
func renderInterpreted(ctx context.Context, p part, r request) ([]byte, error) {
	b, err := newBuild(ctx, p,
		wazero.NewRuntimeConfigInterpreter().WithCloseOnContextDone(true))
	if err != nil {
		return nil, err
	}
	b.interpreted = true
	defer b.close(ctx)
	return b.render(ctx, r)
}

// version names the build of Graphviz in a cache. It is a part of the checksum of the build, and a test
// compares both.
const version = "7cc5b0a5f176aeaa"

// newCachedBuild prepares a part of Graphviz from the compiled code in a folder, or compiles it
// into that folder. It removes damaged content and compiles again. It returns nil if the folder
// cannot be used.
func newCachedBuild(ctx context.Context, p part, folder string) (*build, error) {
	if folder == "" {
		return nil, nil
	}
	folder = filepath.Join(folder, "graphviz-"+version)
	for range 2 { // the second time after damaged content was removed
		if os.MkdirAll(folder, 0o700) != nil {
			return nil, nil
		}
		cache, err := wazero.NewCompilationCacheWithDir(folder)
		if err != nil {
			return nil, nil
		}
		b, err := newBuild(ctx, p, wazero.NewRuntimeConfig().WithCompilationCache(cache))
		if err == nil {
			b.cache = cache
			return b, nil
		}
		_ = cache.Close(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		_ = os.RemoveAll(folder)
	}
	return nil, nil
}

// hasCompiledCode reports whether a cache folder contains compiled code.
func hasCompiledCode(cache string) bool {
	if cache == "" {
		return false
	}
	files, _ := filepath.Glob(filepath.Join(cache, "graphviz-"+version, "wazero-*", "*"))
	for _, f := range files {
		if !strings.HasSuffix(f, ".tmp") {
			return true
		}
	}
	return false
}

// part is the set of functions of Graphviz that are compiled. A picture needs a third of them,
// which compile in less than half the time. A layout that calls a missing function ends with
// [errMissing] and is repeated with the whole, so that the result does not depend on the part.
type part uint8

const (
	needed part = iota // functions that layouts by dot, written as SVG, were seen to call
	whole
	parts
)

var errMissing = errors.New("the layout needs a part of Graphviz that is not ready")

// neededText has the numbers of the needed functions, and ranges of these numbers. A test writes it
// when it runs with -update. It influences only the time of layouts.
//
//go:embed needed.txt
var neededText string

// functions reports for each function whether it is in the part; nil means that all functions are.
func (p part) functions() []bool {
	if p == whole {
		return nil
	}
	return neededFunctions()
}

var neededFunctions = sync.OnceValue(func() []bool {
	var isNeeded []bool // by the number of the function
	for _, span := range strings.Fields(neededText) {
		first, last, _ := strings.Cut(span, "-")
		from, _ := strconv.Atoi(first)
		to, err := strconv.Atoi(last)
		if err != nil { // the span is a single number
			to = from
		}
		for len(isNeeded) <= to {
			isNeeded = append(isNeeded, false)
		}
		for i := from; i <= to; i++ {
			isNeeded[i] = true
		}
	}
	return isNeeded
})

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
	// interpreted reports whether the interpreter runs this build. In that case the runtime stops
	// layouts: setting the stop variable in another goroutine would race with the interpreter.
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
	b := &build{
		memory:  &memories{},
		runtime: wazero.NewRuntimeWithConfig(ctx, config.WithMemoryLimitPages(maxPages)),
	}
	if err := b.compile(ctx, code); err != nil {
		b.close(ctx)
		return nil, err
	}
	return b, nil
}

// compile compiles the module, and provides the functions that it imports.
func (b *build) compile(ctx context.Context, code []byte) error {
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, b.runtime); err != nil {
		return err
	}
	module, err := b.runtime.CompileModule(ctx, code)
	if err != nil {
		return err
	}
	b.module = module
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return b.host(ctx, code, typeface.Load())
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

// render starts a Graphviz and lays out one graph. It fails with [errMissing] if the layout calls a
// function that this build lacks.
func (b *build) render(ctx context.Context, r request) ([]byte, error) {
	m := &machine{ctx: ctx, called: map[string]function{}}
	config := wazero.NewModuleConfig().WithName("").WithStderr(&m.stderr).WithStartFunctions("__wasm_call_ctors")
	started, err := b.runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, b.memory),
		b.module, config)
	if err != nil {
		return nil, err
	}
	// The sandbox must be closed even if ctx has stopped the layout.
	defer started.Close(context.WithoutCancel(ctx))
	// Compiled code stops by itself once its stop variable is set. The runtime stops the interpreter.
	stop, canStop := started.ExportedGlobal(stopName).(api.MutableGlobal)
	if canStop && !b.interpreted {
		defer context.AfterFunc(ctx, func() { stop.Set(1) })()
	}
	m.memory = started.Memory()
	m.exported = func(name string) function { return started.ExportedFunction(name) }
	out, err := m.render(r)
	missing := started.ExportedGlobal(missingName)
	calledMissing := missing != nil && missing.Get() != 0
	if calledMissing {
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
		hook := func(context.Context, api.Module, []uint64) {}
		if f.name == "wasm_bridge_TextLayoutEngine_TextLayout" {
			hook = func(_ context.Context, module api.Module, stack []uint64) {
				stack[0] = measure(module.Memory(), uint32(stack[0]), family)
			}
		}
		function := builder.NewFunctionBuilder()
		function.WithGoModuleFunction(api.GoModuleFunc(hook), f.parameters, f.results).Export(f.name)
	}
	_, err = builder.Instantiate(ctx)
	return err
}

// memories reuses the memory of ended sandboxes. Otherwise each sandbox would leave megabytes to the
// garbage collector. The collector would wait busily for a running Graphviz, since it cannot interrupt
// it.
type memories struct {
	mu   sync.Mutex
	free [][]byte // only the bytes within the length of each memory have been used
}

const (
	// keptMemories is the largest number of memories kept for reuse, and keptBytes is the largest size
	// of each.
	keptMemories = 4
	keptBytes    = 32 << 20
)

// Allocate returns a memory of length 0, which grows on demand. It reuses the memory of an ended
// sandbox if one is kept.
func (a *memories) Allocate(capacity, _ uint64) experimental.LinearMemory {
	a.mu.Lock()
	defer a.mu.Unlock()
	last := len(a.free) - 1
	if last >= 0 {
		used := a.free[last]
		a.free = a.free[:last]
		clear(used)
		return &memory{from: a, bytes: used[:0]}
	}
	return &memory{from: a, bytes: make([]byte, 0, capacity)}
}

// memory is the memory of one sandbox. Bytes that the sandbox has not used yet are zero.
type memory struct {
	from  *memories
	bytes []byte
}

// Reallocate enlarges the memory.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(cap(m.bytes)) {
		larger := make([]byte, len(m.bytes), max(size, 2*uint64(cap(m.bytes))))
		copy(larger, m.bytes)
		m.bytes = larger
	}
	m.bytes = m.bytes[:size]
	return m.bytes
}

// Free releases the memory.
func (m *memory) Free() {
	m.from.mu.Lock()
	defer m.from.mu.Unlock()
	if len(m.from.free) < keptMemories && cap(m.bytes) <= keptBytes {
		m.from.free = append(m.from.free, m.bytes)
	}
	m.bytes = nil
}

// installed is the program dot of an installed Graphviz.
type installed struct {
	program   string
	arguments []string
}

// render runs the installed Graphviz. It fails with what Graphviz says if that gives no picture.
func (i *installed) render(ctx context.Context, r request) ([]byte, error) {
	arguments := append([]string{"-K" + r.layout, "-T" + r.format}, i.arguments...)
	command := exec.CommandContext(ctx, i.program, arguments...)
	// A killed dot may have left a child process that holds the pipes open.
	command.WaitDelay = time.Second
	command.Stdin = strings.NewReader(r.graph)
	var stdout, stderr bytes.Buffer
	command.Stdout = &stdout
	command.Stderr = &stderr
	err := command.Run()
	var exit *exec.ExitError
	hasRun := err == nil || errors.As(err, &exit)
	switch {
	case err == nil && stdout.Len() > 0:
		return stdout.Bytes(), nil
	case hasRun:
		return nil, fmt.Errorf("%s gives no picture: %s", i.program, complaint(stderr.String()))
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no program %s; give the path of Graphviz' dot, or use the Graphviz inside", i.program)
	}
	return nil, fmt.Errorf("%s cannot be run: %w", i.program, err)
}
