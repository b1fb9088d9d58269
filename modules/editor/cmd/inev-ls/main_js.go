package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"syscall/js"

	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/modules/editor"
)

// release is set by the linker.
var release string

// In an editor that cannot start programs, inev-ls is two workers of the extension: one speaks the
// Language Server Protocol and never works for long; the other answers its questions, and is ended
// when an answer must stop. Files come from the file system that the extension provides like Node's
// (fs). These names are the only other interface with the extension.
const (
	startedHook = "inevStarted" // called once the others are set
	receiveHook = "inevReceive" // receives a message of the client as JSON
	sendHook    = "inevSend"    // sends a message to the client as JSON
	askHook     = "inevAsk"     // sends the kind of a question and the question to the other worker; returns an object with a promise and a function stop
	answerHook  = "inevAnswer"  // answers a question of a kind; returns a promise
)

// most is the largest number of transitions of a model in an editor: more would take minutes, and
// memory that is not available.
const most = 2_000_000

func main() {
	info, _ := debug.ReadBuildInfo()
	version := wording.Version(release, info)
	limits := editor.Limits{Version: version, Transitions: most}
	local := editor.NewLocal(limits)
	in := &inbox{more: make(chan struct{}, 1)}
	js.Global().Set(receiveHook, js.FuncOf(func(_ js.Value, args []js.Value) any {
		in.put(args[0].String())
		return nil
	}))
	js.Global().Set(answerHook, js.FuncOf(func(_ js.Value, args []js.Value) any {
		kind, question := args[0].String(), args[1].String()
		return promise(func() (string, error) {
			return answered(local, kind, question)
		})
	}))
	js.Global().Call(startedHook)
	_ = editor.New(other{}, editor.Options{Version: version}).Serve(context.Background(), in)
}

// promise returns a promise of JavaScript that a goroutine fulfils.
func promise(do func() (string, error)) any {
	executor := js.FuncOf(func(_ js.Value, settle []js.Value) any {
		go func() {
			text, err := do()
			if err != nil {
				settle[1].Invoke(err.Error())
				return
			}
			settle[0].Invoke(text)
		}()
		return nil
	})
	defer executor.Release()
	return js.Global().Get("Promise").New(executor)
}

// The kinds of questions.
const (
	factsKind  = "facts"
	answerKind = "answer"
)

// answered answers a question of the other worker, both as JSON. A panic becomes an error.
func answered(a editor.Analyst, kind, question string) (said string, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v; this is a mistake in inev: report it", cause)
		}
	}()
	var q editor.Question
	if err := json.Unmarshal([]byte(question), &q); err != nil {
		return "", err
	}
	var answer any
	if kind == factsKind {
		answer, err = a.Facts(context.Background(), q)
	} else {
		answer, err = a.Answer(context.Background(), q)
	}
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(answer)
	return string(text), err
}

// other is the analyst in the other worker.
type other struct{}

func (other) Facts(ctx context.Context, q editor.Question) (*editor.Facts, error) {
	return asked[editor.Facts](ctx, factsKind, q)
}

func (other) Answer(ctx context.Context, q editor.Question) (*editor.Answer, error) {
	return asked[editor.Answer](ctx, answerKind, q)
}

// asked asks a question of the other worker, and ends that worker when ctx is done.
func asked[A any](ctx context.Context, kind string, q editor.Question) (*A, error) {
	question, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	type outcome struct {
		text string
		err  error
	}
	done := make(chan outcome, 2)
	kept := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- outcome{text: args[0].String()}
		return nil
	})
	broken := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- outcome{err: fmt.Errorf("%s",
			js.Global().Get("String").Invoke(args[0]).String())}
		return nil
	})
	under := js.Global().Call(askHook, kind, string(question))
	under.Get("promise").Call("then", kept, broken)
	var o outcome
	select {
	case o = <-done:
	case <-ctx.Done():
		under.Call("stop")
		<-done // the promise is settled then, too
		o.err = ctx.Err()
	}
	kept.Release()
	broken.Release()
	if o.err != nil {
		return nil, o.err
	}
	answer := new(A)
	return answer, json.Unmarshal([]byte(o.text), answer)
}

// inbox has the messages of the client, and sends the answers.
type inbox struct {
	mu    sync.Mutex
	queue []string
	more  chan struct{}
}

func (b *inbox) put(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue = append(b.queue, text)
	select {
	case b.more <- struct{}{}:
	default:
	}
}

// ReadObject implements jsonrpc2.ObjectStream.
func (b *inbox) ReadObject(v any) error {
	for {
		b.mu.Lock()
		if len(b.queue) > 0 {
			text := b.queue[0]
			b.queue = b.queue[1:]
			b.mu.Unlock()
			return json.Unmarshal([]byte(text), v)
		}
		b.mu.Unlock()
		if _, open := <-b.more; !open {
			return io.EOF
		}
	}
}

// WriteObject implements jsonrpc2.ObjectStream.
func (b *inbox) WriteObject(v any) error {
	text, err := json.Marshal(v)
	if err == nil {
		js.Global().Call(sendHook, string(text))
	}
	return err
}

// Close implements jsonrpc2.ObjectStream; it does nothing, since the extension ends workers.
func (b *inbox) Close() error { return nil }
