package graphviz

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"syscall/js"

	"github.com/inev-lts/inev/internal/diagram/typeface"
)

// hook is the function of JavaScript that provides Graphviz to a program in a browser: it
// returns a promise of the compiled graphviz.wasm.
const hook = "inevGraphviz"

// Engine lays out graphs by the same build of Graphviz as on other systems, which the browser
// itself runs: WebAssembly inside WebAssembly would take forty seconds for a page. A layout cannot
// be stopped without stopping the program.
type Engine struct {
	mu      sync.Mutex
	closed  bool
	layouts layouts
}

// New returns an engine. A browser needs neither the number of pictures nor a cache.
func New(int, string) *Engine { return &Engine{} }

// Installed returns an engine that refuses each layout, since a browser has no installed programs.
func Installed(string, ...string) *Engine { return &Engine{closed: true} }

// Close ends the use of the engine.
func (e *Engine) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
}

// render draws a graph in the page's Graphviz, unless it has drawn the same one before. A closed engine returns
// [ErrClosed].
func (e *Engine) render(ctx context.Context, r request) ([]byte, error) {
	e.mu.Lock()
	closed := e.closed
	e.mu.Unlock()
	if closed {
		return nil, ErrClosed
	}
	key := r.key()
	if drawn, isCached := e.layouts.get(key); isCached {
		return drawn, nil
	}
	module, err := compiled(ctx)
	if err != nil {
		return nil, err
	}
	out, err := run(ctx, module, r)
	if err == nil {
		e.layouts.put(key, out)
	}
	return out, err
}

// compiled asks the page for the compiled build.
func compiled(ctx context.Context) (js.Value, error) {
	load := js.Global().Get(hook)
	if load.Type() != js.TypeFunction {
		return js.Value{}, errors.New("there is no Graphviz here: the function " + hook + " of JavaScript gives it")
	}
	type outcome struct {
		module js.Value
		err    error
	}
	done := make(chan outcome, 1)
	fulfilled := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- outcome{module: args[0]}
		return nil
	})
	defer fulfilled.Release()
	rejected := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- outcome{err: fmt.Errorf("Graphviz cannot be loaded: %s",
			js.Global().Get("String").Invoke(args[0]).String())}
		return nil
	})
	defer rejected.Release()
	load.Invoke().Call("then", fulfilled, rejected)
	select {
	case o := <-done:
		return o.module, o.err
	case <-ctx.Done():
		return js.Value{}, ctx.Err()
	}
}

// run starts a Graphviz, and lays out one graph by it.
func run(
	ctx context.Context,
	module js.Value,
	r request,
) (out []byte, err error) {
	m := &machine{ctx: ctx, called: map[string]function{}}
	inside := &sandbox{}
	m.memory = inside
	imports, release := host(m, module, typeface.Load())
	defer release()
	// An exception of JavaScript is a panic here.
	defer func() {
		thrown := recover()
		if thrown != nil {
			out, err = nil, fmt.Errorf("the Graphviz inside fails (%v)", thrown)
		}
	}()
	instance := js.Global().Get("WebAssembly").Get("Instance").New(module, imports)
	exports := instance.Get("exports")
	inside.memory = exports.Get("memory")
	m.exported = func(name string) function {
		f := exports.Get(name)
		if f.Type() == js.TypeFunction {
			return foreign{f}
		}
		return nil
	}
	m.call("__wasm_call_ctors")
	return m.render(r)
}

// emptyLists are functions of WASI that list the environment and the arguments: both are empty.
var emptyLists = []string{"environ_sizes_get", "environ_get", "args_sizes_get", "args_get"}

// host returns the functions that Graphviz imports. As on other systems, they measure texts and
// write standard error; there are no files, clock or network.
func host(
	m *machine,
	module js.Value,
	family *typeface.Family,
) (imports js.Value, release func()) {
	nothing := js.FuncOf(func(js.Value, []js.Value) any { return 0 })
	const notSupported = 52 // ENOSYS of WASI
	absent := js.FuncOf(func(js.Value, []js.Value) any { return notSupported })
	width := js.FuncOf(func(_ js.Value, args []js.Value) any {
		return float64(measure(m.memory, uint32(args[0].Int()), family))
	})
	write := js.FuncOf(func(_ js.Value, args []js.Value) any {
		return m.writeMessages(args)
	})
	all := js.Global().Get("Object").New()
	wanted := js.Global().Get("WebAssembly").Get("Module").Call("imports", module)
	for i := range wanted.Length() {
		from, name := wanted.Index(i).Get("module").String(), wanted.Index(i).Get("name").String()
		if all.Get(from).IsUndefined() {
			all.Set(from, js.Global().Get("Object").New())
		}
		function := nothing
		switch {
		case name == "wasm_bridge_TextLayoutEngine_TextLayout":
			function = width
		case name == "fd_write":
			function = write
		case from != "env" && !slices.Contains(emptyLists, name):
			function = absent
		}
		all.Get(from).Set(name, function)
	}
	return all, func() {
		for _, f := range []js.Func{nothing, absent, width, write} {
			f.Release()
		}
	}
}

// writeMessages implements fd_write of WASI: it collects the messages of Graphviz.
func (m *machine) writeMessages(args []js.Value) int {
	const invalid = 28
	list := uint32(args[1].Int()) // pairs of the address and the length of a text
	count := args[2].Int()
	result := uint32(args[3].Int()) // the address for the number of bytes written
	total := uint32(0)
	for i := range uint32(count) {
		address, hasAddress := m.memory.ReadUint32Le(list + 8*i)
		length, hasLength := m.memory.ReadUint32Le(list + 8*i + 4)
		data, hasData := m.memory.Read(address, length)
		if !hasAddress || !hasLength || !hasData {
			return invalid
		}
		m.stderr.Write(data)
		total += length
	}
	m.memory.WriteUint32Le(result, total)
	return 0
}

// foreign is a function of another WebAssembly module in the browser.
type foreign struct{ f js.Value }

// Call calls the function, and returns an exception of JavaScript as an error.
func (f foreign) Call(_ context.Context, arguments ...uint64) (results []uint64, err error) {
	defer func() {
		thrown := recover()
		if thrown != nil {
			results, err = nil, fmt.Errorf("%v", thrown)
		}
	}()
	given := make([]any, len(arguments))
	for i, a := range arguments {
		given[i] = int(int32(a))
	}
	result := f.f.Invoke(given...)
	if result.Type() == js.TypeNumber {
		return []uint64{uint64(uint32(int64(result.Float())))}, nil
	}
	return nil, nil
}

// sandbox is the memory of another WebAssembly module in the browser; it is read and written by
// copying.
type sandbox struct {
	memory js.Value
	seen   js.Value // the bytes, until the memory grows
	size   uint32
}

func (s *sandbox) bytes() js.Value {
	buffer := s.memory.Get("buffer")
	size := uint32(buffer.Get("byteLength").Int())
	if size != s.size {
		s.seen, s.size = js.Global().Get("Uint8Array").New(buffer), size
	}
	return s.seen
}

func (s *sandbox) Size() uint32 {
	s.bytes()
	return s.size
}

func (s *sandbox) Read(at, length uint32) ([]byte, bool) {
	all := s.bytes()
	if uint64(at)+uint64(length) > uint64(s.size) {
		return nil, false
	}
	data := make([]byte, length)
	js.CopyBytesToGo(data, all.Call("subarray", at, at+length))
	return data, true
}

func (s *sandbox) Write(at uint32, data []byte) bool {
	all := s.bytes()
	if uint64(at)+uint64(len(data)) > uint64(s.size) {
		return false
	}
	js.CopyBytesToJS(all.Call("subarray", at, int(at)+len(data)), data)
	return true
}

func (s *sandbox) ReadUint32Le(at uint32) (uint32, bool) {
	data, ok := s.Read(at, 4)
	if !ok {
		return 0, false
	}
	return binary.LittleEndian.Uint32(data), true
}

func (s *sandbox) WriteUint32Le(at, v uint32) bool {
	return s.Write(at, binary.LittleEndian.AppendUint32(nil, v))
}

func (s *sandbox) ReadFloat64Le(at uint32) (float64, bool) {
	data, ok := s.Read(at, 8)
	if !ok {
		return 0, false
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(data)), true
}

func (s *sandbox) WriteFloat64Le(at uint32, v float64) bool {
	return s.Write(at, binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
}
