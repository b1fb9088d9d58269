package graphviz

import (
	"context"
	"sync"

	"github.com/tetratelabs/wazero"
)

// Engine is a Graphviz that lays out graphs for whoever holds it. It is safe for
// concurrent use. The one inside is compiled at most once, by the first layout that
// needs it, and kept until [Engine.Close]: some ten megabytes.
//
// The invariant that holds inside: what is under way, a layout or the compilation, is
// counted in running, and nothing begins once closed is set.
type Engine struct {
	installed *installed // nil for the one inside
	cache     string     // see New
	running   sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	pictures int // still expected
	inside   *compilation
}

// compilation is the Graphviz inside, while it is compiled and after.
type compilation struct {
	done  chan struct{} // closed when the following are set
	build *build
	err   error
	stop  context.CancelFunc
}

// New returns the Graphviz inside, for about so many pictures: where there is one, it
// is not compiled for a small graph but interpreted, which is sooner done. Where cache is
// not empty, it is a folder, made when it is needed, in which what was compiled is kept for
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
	e.closed, e.inside = true, nil
	e.mu.Unlock()
	e.running.Wait()
	if inside == nil {
		return
	}
	inside.stop()
	<-inside.done
	if inside.build != nil {
		inside.build.close(context.Background())
	}
}

// begin counts a layout that begins, and returns the Graphviz inside that it is to
// wait for, nil where it is to interpret one of its own.
func (e *Engine) begin(graph string) (*compilation, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, ErrClosed
	}
	e.running.Add(1)
	e.pictures--
	switch {
	case e.installed != nil, e.inside == nil && e.pictures == 0 && len(graph) <= smallGraph && !kept(e.cache):
		return nil, nil
	case e.inside == nil:
		e.inside = compile(e.cache)
	}
	return e.inside, nil
}

// compile compiles the Graphviz inside on the side, for everybody who will wait for it:
// no single layout, which may be given up, owns it.
func compile(cache string) *compilation {
	ctx, stop := context.WithCancel(context.Background())
	c := &compilation{done: make(chan struct{}), stop: stop}
	go func() {
		defer close(c.done)
		if c.build, c.err = newCachedBuild(ctx, cache); c.build == nil && c.err == nil {
			c.build, c.err = newCompiled(ctx, wazero.NewRuntimeConfig())
		}
	}()
	return c
}

func (e *Engine) render(ctx context.Context, graph, format, layout string) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	inside, err := e.begin(graph)
	if err != nil {
		return nil, err
	}
	defer e.running.Done()
	switch {
	case e.installed != nil:
		return e.installed.render(ctx, graph, format, layout)
	case inside == nil:
		return interpreted(ctx, graph, format, layout)
	}
	select {
	case <-inside.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if inside.err != nil {
		return nil, inside.err
	}
	return inside.build.render(ctx, graph, format, layout)
}

// interpreted lays out one graph without compiling anything.
func interpreted(ctx context.Context, graph, format, layout string) ([]byte, error) {
	b, err := newInterpreted(ctx)
	if err != nil {
		return nil, err
	}
	defer b.close(ctx)
	return b.render(ctx, graph, format, layout)
}
