package graphviz

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

const small = `digraph { a [id="first" class="red"]; a -> b [label="go & <on>"] }`

// engine returns a Graphviz for so many pictures, which ends with the test.
func engine(t *testing.T, pictures int) *Engine {
	cache := ""
	if pictures > 1 {
		cache = compiled
	}
	e := New(pictures, cache)
	t.Cleanup(e.Close)
	return e
}

func render(t *testing.T, graph, format string, layout string) string {
	t.Helper()
	return renderBy(t, engine(t, 1), graph, format, layout)
}

func renderBy(t *testing.T, e *Engine, graph, format string, layout string) string {
	t.Helper()
	out, err := e.Render(context.Background(), graph, format, layout)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestRender(t *testing.T) {
	svg := render(t, small, "svg", "")
	for _, want := range []string{`<g id="first" class="node red">`, `>go &amp; &lt;on&gt;</text>`} {
		if !strings.Contains(svg, want) {
			t.Errorf("there is no %s in\n%s", want, svg)
		}
	}
	if json := render(t, small, "json", ""); !strings.Contains(json, `"_ldraw_"`) {
		t.Errorf("what is drawn is not in\n%s", json)
	}
}

// TestSameBytes: whether Graphviz is interpreted, as for small graphs, or compiled
// changes nothing, and nothing stays from one layout to the next.
func TestSameBytes(t *testing.T) {
	interpreted := render(t, small, "svg", "")
	if again := render(t, small, "svg", ""); again != interpreted {
		t.Error("the second picture differs from the first one")
	}
	long := small + " //" + strings.Repeat("x", smallGraph)
	if drawn := renderBy(t, engine(t, 2), long, "svg", ""); drawn != interpreted {
		t.Errorf("compiled, Graphviz draws\n%s\ninterpreted\n%s", drawn, interpreted)
	}
}

// TestManyPictures: a Graphviz that is compiled once draws the same, also side by side.
func TestManyPictures(t *testing.T) {
	want := render(t, small, "svg", "")
	many := engine(t, 8)
	var done sync.WaitGroup
	for i := range 4 {
		done.Add(1)
		go func() {
			defer done.Done()
			for j := range 2 {
				graph := small + strings.Repeat(" ", 2*i+j) // none is kept
				if got, err := many.Render(context.Background(), graph, "svg", ""); err != nil || string(got) != want {
					t.Errorf("error %v, drawn\n%s", err, got)
				}
			}
		}()
	}
	done.Wait()
}

// TestOneMorePicture: whoever expects one picture may draw more, the same ones.
func TestOneMorePicture(t *testing.T) {
	one := engine(t, 1)
	first := renderBy(t, one, small, "svg", "")
	if one.inside[needed] != nil {
		t.Error("Graphviz is compiled for one small picture")
	}
	one.cache = compiled
	for _, graph := range []string{small, small + " ", small + "  "} {
		if again := renderBy(t, one, graph, "svg", ""); again != first {
			t.Errorf("drawn again:\n%s\nfirst:\n%s", again, first)
		}
	}
	if one.inside[needed] == nil {
		t.Error("Graphviz is not kept for further pictures")
	}
}

// givenUp is a context that ends when somebody waits for its end.
type givenUp struct {
	context.Context
	cancel context.CancelFunc
}

func (g givenUp) Done() <-chan struct{} {
	g.cancel()
	return g.Context.Done()
}

// TestGivenUpWhileItCompiles: a layout ends with its context while Graphviz is
// compiled, which goes on for whoever else waits, until the engine is closed.
func TestGivenUpWhileItCompiles(t *testing.T) {
	e := New(2, "")
	ended := make(chan struct{})
	defer close(ended)
	e.inside[needed] = &compilation{compiling: contained.Go(func() { <-ended }), stop: func() {}}
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := e.Render(givenUp{ctx, cancel}, small, "svg", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want that of the context", err)
	}
	e.inside[needed] = compile(needed, compiled)
	inside := e.inside[needed]
	if svg := renderBy(t, e, small, "svg", ""); !strings.Contains(svg, `id="first"`) {
		t.Errorf("the other layout gives\n%s", svg)
	}
	e.Close()
	e.Close()
	if _, err := e.Render(context.Background(), small, "svg", ""); !errors.Is(err, ErrClosed) {
		t.Errorf("error is %v, want %v", err, ErrClosed)
	}
	select {
	case <-inside.compiling.Done():
	default:
		t.Error("the compilation goes on")
	}
}

// TestCloseWaits: nothing goes on after Close, also what nobody waits for.
func TestCloseWaits(t *testing.T) {
	e := New(2, "")
	inside := compile(needed, "")
	e.inside[needed] = inside
	e.Close()
	select {
	case <-inside.compiling.Done():
	default:
		t.Error("Close does not wait for the compilation")
	}
}

func TestEveryLayout(t *testing.T) {
	if !randomlts.Whole() {
		t.Skip("makes all of Graphviz ready")
	}
	all := engine(t, len(Layouts()))
	for _, layout := range Layouts() {
		if svg := renderBy(t, all, small, "svg", layout); !strings.Contains(svg, `id="first"`) {
			t.Errorf("%s draws\n%s", layout, svg)
		}
	}
}

// widths returns the width of a box around each text.
func widths(t *testing.T, attributes string, texts ...string) []float64 {
	t.Helper()
	var b strings.Builder
	b.WriteString("digraph { node [shape=box margin=0 width=0 height=0 fontsize=100 " + attributes + "]\n")
	for i, text := range texts {
		b.WriteString("n" + strconv.Itoa(i) + ` [label=` + text + "]\n")
	}
	b.WriteString("}")
	d := xml.NewDecoder(strings.NewReader(render(t, b.String(), "svg", "")))
	var all []float64
	inNode := false
	for {
		token, _ := d.Token()
		if token == nil {
			return all
		}
		start, is := token.(xml.StartElement)
		if !is {
			continue
		}
		for _, a := range start.Attr {
			inNode = inNode || a.Value == "node"
			if a.Name.Local == "points" && inNode {
				points := strings.FieldsFunc(a.Value, func(r rune) bool { return r == ',' || r == ' ' })
				right, _ := strconv.ParseFloat(points[0], 64)
				left, _ := strconv.ParseFloat(points[2], 64)
				all = append(all, right-left)
			}
		}
	}
}

// TestTextsAreMeasured: Graphviz asks for the width of each text, also of one that is
// not ASCII. Digits are 0.556 em wide, a Chinese character is one.
func TestTextsAreMeasured(t *testing.T) {
	got := widths(t, "", `"0000000000"`, `"éééééééééé"`, `"日本"`, `<<B>iiiiiiiiii</B>>`, `"iiiiiiiiii"`)
	for i, want := range []float64{556, 556, 200, 278, 222} {
		if i >= len(got) || got[i] < want-1 || got[i] > want+17 {
			t.Fatalf("widths %v; number %d should be %v or little more", got, i, want)
		}
	}
}

func TestBadGraph(t *testing.T) {
	_, err := engine(t, 1).Render(context.Background(), "digraph { a -> ", "svg", "")
	if err == nil || !strings.Contains(err.Error(), "syntax error") {
		t.Errorf("error is %v", err)
	}
	if _, err := engine(t, 1).Render(context.Background(), small, "gif", ""); err == nil {
		t.Error("the Graphviz inside writes GIF")
	}
	if _, err := engine(t, 1).Render(context.Background(), small, "svg", "dof"); err == nil || !strings.Contains(err.Error(), "choose one of dot, neato") {
		t.Errorf("error is %v", err)
	}
}

// dense returns a graph that takes long: all pairs of n nodes.
func dense(n int) string {
	var all strings.Builder
	for i := range n {
		all.WriteString(strconv.Itoa(i) + " ")
	}
	return "digraph { {" + all.String() + "} -> {" + all.String() + "} }"
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 150*time.Millisecond)
	defer cancel()
	if _, err := engine(t, 2).Render(ctx, dense(100), "svg", ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v, want that of the context", err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := engine(t, 1).Render(done, small, "svg", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want that of the context", err)
	}
}

func TestInstalled(t *testing.T) {
	program, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("Graphviz is not installed")
	}
	if svg := renderBy(t, Installed(program), small, "svg", ""); !strings.Contains(svg, `id="first"`) {
		t.Errorf("%s draws\n%s", program, svg)
	}
	png := renderBy(t, Installed(program, "-Gdpi=144"), small, "png", "neato")
	if !bytes.HasPrefix([]byte(png), []byte("\x89PNG")) {
		t.Error("that is no PNG")
	}
	if _, err := Installed(program).Render(context.Background(), "digraph { a ->", "svg", ""); err == nil || !strings.Contains(err.Error(), "syntax error") {
		t.Errorf("error is %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := Installed(program).Render(ctx, dense(200), "svg", ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v, want that of the context", err)
	}
}

func TestMissingProgram(t *testing.T) {
	_, err := Installed("no-such-dot").Render(context.Background(), small, "svg", "")
	if err == nil || !strings.Contains(err.Error(), "there is no program no-such-dot") {
		t.Errorf("error is %v", err)
	}
	_, err = Installed("/no/such/dot").Render(context.Background(), small, "svg", "")
	if err == nil || !strings.Contains(err.Error(), "there is no program /no/such/dot") {
		t.Errorf("error is %v", err)
	}
}

// TestModule: the WebAssembly is that of the module named in the comment on the
// package, as generate.go fetches it.
func TestModule(t *testing.T) {
	const want = "7cc5b0a5f176aeaa69760ed5dc3282ceda2b1b04229b22de77bb0a5eab45578e"
	module, err := unpacked()
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(module); hex.EncodeToString(sum[:]) != want || !strings.HasPrefix(want, version) {
		t.Errorf("graphviz.wasm has the checksum %x", sum)
	}
}

// TestCompiledIsKept: what one engine has compiled the next one takes, also for a small
// graph; what was damaged there is made again, and a folder that cannot be used is left
// alone.
func TestCompiledIsKept(t *testing.T) {
	cache := t.TempDir()
	draw := func(pictures int) {
		t.Helper()
		e := New(pictures, cache)
		defer e.Close()
		if svg := renderBy(t, e, small, "svg", ""); !strings.Contains(svg, `id="first"`) {
			t.Errorf("the layout gives\n%s", svg)
		}
	}
	if draw(1); hasCompiledCode(cache) {
		t.Error("a single small graph was compiled")
	}
	if draw(2); !hasCompiledCode(cache) {
		t.Fatal("nothing is kept")
	}
	files, err := filepath.Glob(filepath.Join(cache, "graphviz-"+version, "wazero-*", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("kept are %v (%v)", files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	e := New(1, cache)
	if alone, _ := e.begin(small); alone {
		t.Error("what is kept is not used for a small graph")
	}
	e.running.Done()
	e.Close()
	ways := [][]byte{append(bytes.Clone(whole[:len(whole)/2]), bytes.Repeat([]byte{0}, len(whole)-len(whole)/2)...), nil, whole[:100], whole[:len(whole)/2]}
	if !randomlts.Whole() { // each is compiled
		ways = ways[:1]
	}
	for _, damaged := range ways {
		if err := os.WriteFile(files[0], damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		draw(1)
	}
	cache = filepath.Join(files[0], "no folder")
	if !randomlts.Whole() { // interpreted
		draw(1)
	} else {
		draw(2)
	}
}

func BenchmarkRender(b *testing.B) {
	for name, graph := range map[string]string{"small": small, "compiled": small + " //" + strings.Repeat("x", smallGraph)} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				e := New(1, "")
				if _, err := e.Render(context.Background(), graph, "svg", ""); err != nil {
					b.Fatal(err)
				}
				e.Close()
			}
		})
	}
}
