package graphviz

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/inev-lts/inev/internal/testing/compiledonce"
	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// pictures returns the pictures that package diagram is tested with, and those of the
// examples, by their names.
func pictures(t *testing.T) map[string]string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"../draw/testdata/*.dot", "../draw/testdata/*.gv", "../../../examples/*/*.dot"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) < 2 {
			t.Fatalf("%s are %d files (%v)", pattern, len(found), err)
		}
		files = append(files, found...)
	}
	all := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = string(text)
	}
	return all
}

// compiled is the folder in which tests keep what they have compiled.
var compiled = compiledonce.Folder()

// ready returns a part of Graphviz, which ends with the test.
func ready(t *testing.T, p part) *build {
	t.Helper()
	b, err := newCachedBuild(context.Background(), p, compiled)
	if b == nil && err == nil {
		b, err = newBuild(context.Background(), p, wazero.NewRuntimeConfig())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.close(context.Background()) })
	return b
}

// seen notes which functions are called.
type seen map[uint32]bool

func (s seen) NewFunctionListener(f api.FunctionDefinition) experimental.FunctionListener {
	return experimental.FunctionListenerFunc(func(context.Context, api.Module, api.FunctionDefinition, []uint64, experimental.StackIterator) {
		s[f.Index()] = true
	})
}

// TestNeeded: the part of Graphviz that is made ready first is enough for the pictures that
// package diagram is tested with, and draws them as the whole does. With -update it becomes
// what these need.
func TestNeeded(t *testing.T) {
	if !randomlts.Whole() && !golden.Updating() {
		t.Skip("makes all of Graphviz ready")
	}
	ctx := context.Background()
	drawings := pictures(t)
	if golden.Updating() {
		golden.Check(t, "needed.txt", neededBy(t, drawings))
		return
	}
	all, some := ready(t, whole), ready(t, needed)
	for name, drawing := range drawings {
		want, err := all.render(ctx, request{graph: drawing, format: "svg", layout: "dot"})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := some.render(ctx, request{graph: drawing, format: "svg", layout: "dot"}); err != nil || string(got) != string(want) {
			t.Errorf("%s, by a part: %v; run the test with -update where functions are missing", name, err)
		}
	}
}

// neededBy returns the functions that pictures need, as a file has them.
func neededBy(t *testing.T, drawings map[string]string) []byte {
	called := seen{}
	ctx := experimental.WithFunctionListenerFactory(context.Background(), called)
	b, err := newBuild(ctx, whole, wazero.NewRuntimeConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer b.close(ctx)
	imported := uint32(len(b.module.ImportedFunctions()))
	for name, drawing := range drawings {
		if _, err := b.render(ctx, request{graph: drawing, format: "svg", layout: "dot"}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	var spans []string
	for i := imported; len(called) > 0; i++ {
		from := i
		for ; called[i]; i++ {
			delete(called, i)
		}
		switch {
		case i == from+1:
			spans = append(spans, fmt.Sprint(from-imported))
		case i > from:
			spans = append(spans, fmt.Sprintf("%d-%d", from-imported, i-1-imported))
		}
		for j := range imported {
			delete(called, j)
		}
	}
	return []byte(strings.Join(spans, "\n") + "\n")
}

// TestMissing: what needs more than the part that is ready is done by the whole, and what
// cannot be done says the same.
func TestMissing(t *testing.T) {
	ctx := context.Background()
	all, some, inside := ready(t, whole), ready(t, needed), engine(t, 100)
	for _, graph := range []string{
		`digraph { splines=ortho; a -> b -> c -> a; c -> c [label="x"] }`,
		"digraph { a -> ", `digraph { a [label=<<X>>] }`,
	} {
		want, wantErr := all.render(ctx, request{graph: graph, format: "svg", layout: "dot"})
		if _, err := some.render(ctx, request{graph: graph, format: "svg", layout: "dot"}); !errors.Is(err, errMissing) {
			t.Errorf("%s: by a part, the error is %v", graph, err)
		}
		got, err := inside.render(ctx, request{graph: graph, format: "svg", layout: "dot"})
		if string(got) != string(want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s: %v, want %v; drawn\n%s", graph, err, wantErr, got)
		}
	}
	const syntax = "digraph { a -> "
	_, wantErr := all.render(ctx, request{graph: syntax, format: "svg", layout: "dot"})
	if _, err := engine(t, 1).render(ctx, request{graph: syntax, format: "svg", layout: "dot"}); err == nil || err.Error() != wantErr.Error() {
		t.Errorf("interpreted: %v, want %v", err, wantErr)
	}
}
