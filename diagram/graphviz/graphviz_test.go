package graphviz

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const small = `digraph { a [id="first" class="red"]; a -> b [label="go & <on>"] }`

func render(t *testing.T, graph, format string, o Options) string {
	t.Helper()
	out, err := Render(context.Background(), graph, format, o)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestRender(t *testing.T) {
	svg := render(t, small, "svg", Options{})
	for _, want := range []string{`<g id="first" class="node red">`, `>go &amp; &lt;on&gt;</text>`} {
		if !strings.Contains(svg, want) {
			t.Errorf("there is no %s in\n%s", want, svg)
		}
	}
	if json := render(t, small, "json", Options{}); !strings.Contains(json, `"_ldraw_"`) {
		t.Errorf("what is drawn is not in\n%s", json)
	}
}

// TestSameBytes: whether Graphviz is interpreted, as for small graphs, or compiled
// changes nothing, and nothing stays from one layout to the next.
func TestSameBytes(t *testing.T) {
	interpreted := render(t, small, "svg", Options{})
	if again := render(t, small, "svg", Options{}); again != interpreted {
		t.Error("the second picture differs from the first one")
	}
	long := small + " //" + strings.Repeat("x", smallGraph)
	if compiled := render(t, long, "svg", Options{}); compiled != interpreted {
		t.Errorf("compiled, Graphviz draws\n%s\ninterpreted\n%s", compiled, interpreted)
	}
}

// TestKeep: a Graphviz that is compiled once draws the same, also side by side.
func TestKeep(t *testing.T) {
	want := render(t, small, "svg", Options{})
	ctx, forget := Keep(context.Background())
	defer forget()
	if again, none := Keep(ctx); again != ctx {
		t.Error("what keeps already is kept again")
	} else {
		none()
	}
	var done sync.WaitGroup
	for range 4 {
		done.Add(1)
		go func() {
			defer done.Done()
			for range 2 {
				if got, err := Render(ctx, small, "svg", Options{}); err != nil || string(got) != want {
					t.Errorf("error %v, drawn\n%s", err, got)
				}
			}
		}()
	}
	done.Wait()
}

func TestEveryEngineLaysOut(t *testing.T) {
	for _, engine := range Engines() {
		if svg := render(t, small, "svg", Options{Engine: engine}); !strings.Contains(svg, `id="first"`) {
			t.Errorf("%s draws\n%s", engine, svg)
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
	d := xml.NewDecoder(strings.NewReader(render(t, b.String(), "svg", Options{})))
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
	_, err := Render(context.Background(), "digraph { a -> ", "svg", Options{})
	if err == nil || !strings.Contains(err.Error(), "syntax error") {
		t.Errorf("error is %v", err)
	}
	if _, err := Render(context.Background(), small, "gif", Options{}); err == nil {
		t.Error("the Graphviz inside writes GIF")
	}
	if _, err := Render(context.Background(), small, "svg", Options{Engine: "dof"}); err == nil || !strings.Contains(err.Error(), "choose one of dot, neato") {
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

func TestLimit(t *testing.T) {
	_, err := Render(context.Background(), dense(100), "svg", Options{Limit: 300 * time.Millisecond})
	if !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), "300ms") {
		t.Errorf("error is %v, want one that tells of the limit", err)
	}
	_, err = Render(context.Background(), small, "svg", Options{Limit: time.Nanosecond})
	if !errors.Is(err, ErrLimit) {
		t.Errorf("error is %v, want %v", err, ErrLimit)
	}
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if _, err := Render(ctx, dense(100), "svg", Options{}); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrLimit) {
		t.Errorf("error is %v, want that of the context", err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Render(done, small, "svg", Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want that of the context", err)
	}
}

func TestInstalled(t *testing.T) {
	program, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("Graphviz is not installed")
	}
	if svg := render(t, small, "svg", Options{Program: program}); !strings.Contains(svg, `id="first"`) {
		t.Errorf("%s draws\n%s", program, svg)
	}
	png := render(t, small, "png", Options{Program: program, Engine: "neato", Arguments: []string{"-Gdpi=144"}})
	if !bytes.HasPrefix([]byte(png), []byte("\x89PNG")) {
		t.Error("that is no PNG")
	}
	if _, err := Render(context.Background(), "digraph { a ->", "svg", Options{Program: program}); err == nil || !strings.Contains(err.Error(), "syntax error") {
		t.Errorf("error is %v", err)
	}
	if _, err := Render(context.Background(), dense(200), "svg", Options{Program: program, Limit: 100 * time.Millisecond}); !errors.Is(err, ErrLimit) {
		t.Errorf("error is %v, want %v", err, ErrLimit)
	}
}

func TestMissingProgram(t *testing.T) {
	_, err := Render(context.Background(), small, "svg", Options{Program: "no-such-dot"})
	if err == nil || !strings.Contains(err.Error(), "there is no program no-such-dot") {
		t.Errorf("error is %v", err)
	}
	_, err = Render(context.Background(), small, "svg", Options{Program: "/no/such/dot"})
	if err == nil || !strings.Contains(err.Error(), "there is no program /no/such/dot") {
		t.Errorf("error is %v", err)
	}
}

// TestModule: the WebAssembly is that of the module named in the comment on the
// package, as generate.go fetches it.
func TestModule(t *testing.T) {
	const want = "7cc5b0a5f176aeaa69760ed5dc3282ceda2b1b04229b22de77bb0a5eab45578e"
	if sum := sha256.Sum256(module); hex.EncodeToString(sum[:]) != want {
		t.Errorf("graphviz.wasm has the checksum %x", sum)
	}
}

func BenchmarkRender(b *testing.B) {
	for name, graph := range map[string]string{"small": small, "compiled": small + " //" + strings.Repeat("x", smallGraph)} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				if _, err := Render(context.Background(), graph, "svg", Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
