//go:build !js

package graphviz

import (
	"context"
	"errors"
	"sync"

	"github.com/tetratelabs/wazero"
)

// Engine is a Graphviz that lays out graphs for whoever holds it. It is safe for
// concurrent use. The one inside is compiled at most once, by the first layout that
// needs it, and kept until [Engine.Close]: some ten megabytes. That is at first the part of
// it that pictures need, and the whole only for what needs more. So are up to 16 MB of what
// was laid out last, for whoever asks for the same again.
//
// The invariant that holds inside: what is under way, a layout or the compilation, is
// counted in running, and nothing begins once closed is set.
type Engine struct {
	installed *installed // nil for the one inside
	cache     string     // see New
	running   sync.WaitGroup
	layouts   layouts // of the one inside

	mu       sync.Mutex
	closed   bool
	pictures int // still expected
	inside   [parts]*compilation
}

// compilation is a part of the Graphviz inside, while it is compiled and after.
type compilation struct {
	done  chan struct{} // closed when the following are set
	build *build
	err   error
	stop  context.CancelFunc
}

// New returns the Graphviz inside, for about so many pictures: where there is one, it
// is not compiled for a small graph but interpreted, which is sooner done. Where cache is
// not empty, it is a folder, made when it is needed, that keeps what was compiled for
// the next process; whoever can write there decides what that runs. A folder that cannot
// be used is no error: then nothing is kept. It must be closed. Cost O(1): nothing is made
// ready before a graph is laid out.
func New(pictures int, cache string) *Engine { return &Engine{pictures: pictures, cache: cache} }

// Installed returns the Graphviz on this computer whose dot has this path. The
// arguments are further ones for its command line, such as -Gdpi=144. Cost O(1).
func Installed(program string, arguments ...string) *Engine {
	return &Engine{installed: &installed{program, arguments}}
}

// Close waits for the layouts under way and gives the memory back. It stops a
// compilation that nobody waits for any more.
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

// begin counts a layout that begins, and reports whether it is to interpret a Graphviz of
// its own.
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

// compiled returns the Graphviz inside that has at least this part, which is compiled, or
// will be.
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

// compile compiles a part of the Graphviz inside on the side, for everybody who will wait
// for it: no single layout, which may be given up, owns it.
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

// close stops the compilation, and gives the memory back.
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

// interpreted lays out one graph without compiling anything.
func interpreted(ctx context.Context, p part, graph, format, layout string) ([]byte, error) {
	b, err := newBuild(ctx, p, wazero.NewRuntimeConfigInterpreter().WithCloseOnContextDone(true))
	if err != nil {
		return nil, err
	}
	b.interpreted = true
	defer b.close(ctx)
	return b.render(ctx, graph, format, layout)
}
