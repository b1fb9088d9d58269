//go:build !js

package graphviz

import (
	"context"
	"errors"
	"sync"

	"github.com/tetratelabs/wazero"
)

// Engine lays out graphs by Graphviz. It is safe for concurrent use. The embedded Graphviz is
// compiled at most once, by the first layout that needs it, and kept until [Engine.Close]: some ten
// megabytes. At first it compiles only the functions that most pictures need, and all functions
// once a layout needs another one. The most recent layouts, up to 16 MB, are kept, too.
//
// The invariant that holds inside: running counts the layouts and compilations under way, and
// none begins once closed is set.
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
	done  chan struct{} // closed when build and err are set
	build *build
	err   error
	stop  context.CancelFunc
}

// New returns an engine with the embedded Graphviz. pictures is the expected number of pictures: a
// single small graph is laid out by the interpreter, which is faster than compiling Graphviz. If
// cache is not empty, it is a folder, made when it is needed, that keeps compiled code for the next
// process; anyone who can write there decides what that process runs. A folder that cannot be used
// is no error; then nothing is kept. The engine must be closed. Cost O(1): nothing is prepared
// before the first layout.
func New(pictures int, cache string) *Engine { return &Engine{pictures: pictures, cache: cache} }

// Installed returns an engine that runs an installed Graphviz: the program dot at this path. Its
// command line gets the arguments, such as -Gdpi=144. Cost O(1).
func Installed(program string, arguments ...string) *Engine {
	return &Engine{installed: &installed{program, arguments}}
}

// Close waits for the layouts under way and releases the memory. It stops a compilation that no
// layout waits for.
func (e *Engine) Close() {
	e.mu.Lock()
	inside := e.inside
	e.closed, e.inside = true, [parts]*compilation{}
	e.mu.Unlock()
	e.running.Wait()
	for _, c := range inside {
		c.close()
	}
}

// begin counts a layout as running, and reports whether Graphviz is to be interpreted for it
// instead of compiled.
func (e *Engine) begin(graph string) (alone bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false, ErrClosed
	}
	e.running.Add(1)
	e.pictures--
	return e.inside == [parts]*compilation{} && e.pictures == 0 && len(graph) <= smallGraph && !kept(e.cache), nil
}

// compiled returns a compilation of at least this part, perhaps still under way.
func (e *Engine) compiled(p part) *compilation {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.inside[whole] != nil {
		p = whole
	}
	if e.inside[p] == nil {
		e.inside[p] = compile(p, e.cache)
	}
	return e.inside[p]
}

// compile compiles a part of the embedded Graphviz in a goroutine of its own. All layouts share it,
// so that it goes on even if the layout that began it is stopped.
func compile(p part, cache string) *compilation {
	ctx, stop := context.WithCancel(context.Background())
	c := &compilation{done: make(chan struct{}), stop: stop}
	go func() {
		defer close(c.done)
		if c.build, c.err = newCachedBuild(ctx, p, cache); c.build == nil && c.err == nil {
			c.build, c.err = newBuild(ctx, p, wazero.NewRuntimeConfig())
		}
	}()
	return c
}

// close stops the compilation and releases the memory.
func (c *compilation) close() {
	if c == nil {
		return
	}
	c.stop()
	<-c.done
	if c.build != nil {
		c.build.close(context.Background())
	}
}

// render waits until Graphviz is compiled, and lays out one graph.
func (c *compilation) render(ctx context.Context, graph, format, layout string) ([]byte, error) {
	select {
	case <-c.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c.err != nil {
		return nil, c.err
	}
	return c.build.render(ctx, graph, format, layout)
}

func (e *Engine) render(ctx context.Context, graph, format, layout string) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	alone, err := e.begin(graph)
	if err != nil {
		return nil, err
	}
	defer e.running.Done()
	if e.installed != nil {
		return e.installed.render(ctx, graph, format, layout)
	}
	by := func(p part) ([]byte, error) {
		if alone {
			return interpreted(ctx, p, graph, format, layout)
		}
		return e.compiled(p).render(ctx, graph, format, layout)
	}
	key := layoutOf(graph, format, layout)
	if drawn, is := e.layouts.get(key); is {
		return drawn, nil
	}
	out, err := by(partOf(format, layout))
	if errors.Is(err, errMissing) {
		out, err = by(whole)
	}
	if err == nil {
		e.layouts.put(key, out)
	}
	return out, err
}

// interpreted lays out one graph by the interpreter.
func interpreted(ctx context.Context, p part, graph, format, layout string) ([]byte, error) {
	b, err := newBuild(ctx, p, wazero.NewRuntimeConfigInterpreter().WithCloseOnContextDone(true))
	if err != nil {
		return nil, err
	}
	b.interpreted = true
	defer b.close(ctx)
	return b.render(ctx, graph, format, layout)
}
