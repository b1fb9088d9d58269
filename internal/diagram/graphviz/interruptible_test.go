package graphviz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// endless is a module with a function "f" that goes round forever, behind an instruction
// of each form, and a global variable of its own.
var endless = slices.Concat(
	[]byte("\x00asm\x01\x00\x00\x00"),
	[]byte{1, 4, 1, 0x60, 0, 0}, // a type of functions without parameters and results
	[]byte{3, 2, 1, 0},
	[]byte{5, 4, 1, 1, 1, 1}, // a page of memory, and no more
	[]byte{6, 6, 1, 0x7e, 1, 0x42, 5, 0x0b},
	[]byte{7, 5, 1, 1, 'f', 0, 0},
	[]byte{10, byte(len(forEver) + 2), 1, byte(len(forEver))}, forEver,
)

var forEver = []byte{
	1, 2, 0x7f, // two variables
	0x44, 0x03, 0x40, 0x03, 0x40, 0x03, 0x40, 0x03, 0x40, 0x1a, // a number that looks like loops
	0x42, 0x83, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f, 0x24, 0, // one of 64 bits, kept
	0x41, 0, 0x41, 0, 0x41, 3, 0xfc, 0x0b, 0, // memory is filled
	0x02, 0x40, 0x20, 0, 0x0e, 1, 0, 0, 0x0b, // a table of branches
	0x03, 0x40, 0x03, 0x40, 0x0c, 1, 0x0b, 0x0b, // a loop in a loop
	0x0b,
}

// TestInterruptible: what goes round forever ends once it is told to.
func TestInterruptible(t *testing.T) {
	ctx := context.Background()
	code, err := interruptible(endless, nil)
	if err != nil {
		t.Fatal(err)
	}
	if checks := bytes.Count(code, []byte{0x03, 0x40, 0x23, 1, 0x04, 0x40, 0x00, 0x0b}); checks != 2 {
		t.Errorf("%d loops have a check, want 2", checks)
	}
	for name, config := range map[string]wazero.RuntimeConfig{"compiled": wazero.NewRuntimeConfig(), "interpreted": wazero.NewRuntimeConfigInterpreter()} {
		runtime := wazero.NewRuntimeWithConfig(ctx, config)
		defer runtime.Close(ctx)
		started, err := runtime.Instantiate(ctx, code)
		if err != nil {
			t.Fatal(err)
		}
		stop, is := started.ExportedGlobal(stopName).(api.MutableGlobal)
		if !is || stop.Get() != 0 {
			t.Fatalf("the global variable %s is %v", stopName, started.ExportedGlobal(stopName))
		}
		stop.Set(1)
		if _, err := started.ExportedFunction("f").Call(ctx); err == nil || !strings.Contains(err.Error(), "unreachable") {
			t.Errorf("%s, the error is %v", name, err)
		}
	}
}

// TestNotInterruptible: what is no module, or not known, is refused.
func TestNotInterruptible(t *testing.T) {
	for end := range endless {
		if _, err := interruptible(endless[:end], nil); err == nil {
			t.Errorf("the first %d bytes of %d are taken", end, len(endless))
		}
	}
	unknown := bytes.Replace(endless, []byte{0xfc, 0x0b}, []byte{0xfc, 0x12}, 1)
	if _, err := interruptible(unknown, nil); err == nil || !strings.Contains(err.Error(), "0xfc 18") {
		t.Errorf("the error is %v", err)
	}
	unknown = bytes.Replace(endless, []byte{0x02, 0x40}, []byte{0xfd, 0x40}, 1)
	if _, err := interruptible(unknown, nil); err == nil || !strings.Contains(err.Error(), "0xfd") {
		t.Errorf("the error is %v", err)
	}
}

// TestCompiledIsInterrupted: a compiled layout ends with the deadline of its context and when that is cancelled,
// and the next one is that of a Graphviz that never was interrupted.
func TestCompiledIsInterrupted(t *testing.T) {
	e := engine(t, 4)
	before := renderBy(t, e, small, "svg", "")
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if _, err := e.Render(ctx, dense(200), "svg", ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v, want that of the context", err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	go cancel()
	if _, err := e.Render(ctx, dense(200), "svg", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want that of the context", err)
	}
	if e.inside[needed] == nil {
		t.Error("Graphviz was not compiled")
	}
	if after := renderBy(t, e, small+" ", "svg", ""); after != before {
		t.Errorf("drawn after that:\n%s\nbefore:\n%s", after, before)
	}
}

// TestImportsAreThoseOfTheRuntime: of the module, and of half of it none.
func TestImportsAreThoseOfTheRuntime(t *testing.T) {
	module, err := unpacked()
	if err == nil {
		module, err = interruptible(module, needed.functions())
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := importedFunctions(module)
	if err != nil {
		t.Fatal(err)
	}
	var want []imported
	for _, f := range everyImport(t, module) {
		from, name, _ := f.Import()
		want = append(want, imported{from, name, f.ParamTypes(), f.ResultTypes()})
	}
	if len(got) < 10 || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the module imports\n%v, want\n%v", got, want)
	}
	if got, err := importedFunctions(module[:len(module)/2]); err == nil {
		t.Errorf("half a module imports %v", got)
	}
}

// everyImport returns the functions that a module imports, as the runtime has them.
func everyImport(t *testing.T, module []byte) []api.FunctionDefinition {
	t.Helper()
	ctx := context.Background()
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer runtime.Close(ctx)
	compiled, err := runtime.CompileModule(ctx, module)
	if err != nil {
		t.Fatal(err)
	}
	return compiled.ImportedFunctions()
}
