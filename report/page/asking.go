package page

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"io/fs"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/contentpolicy"
	"github.com/inev-lts/inev/internal/printable"
)

// engine is inev for browsers, in the form in which a page contains it.
type engine struct {
	markup, style, script string
	// parts are the data for the script: a name and a text each.
	parts [][2]string
}

// engineFiles are the files that a page with the engine takes from a folder, as
// tools/playground writes it.
func engineFiles() []string {
	return []string{"asking.html", "asking.css", "playground.js", "worker.js", "engine.wasm.gz", "graphviz.wasm.gz"}
}

// readEngine reads the engine, and the model and formula that the reader can first ask it about.
// Cost O(size).
func readEngine(o Options, e *explain.Explanation) *engine {
	texts := map[string]string{}
	for _, name := range engineFiles() {
		data, err := fs.ReadFile(o.Engine, name)
		if err != nil {
			abort.On(fmt.Errorf("inev for browsers: %w", err))
		}
		texts[name] = string(data)
	}
	var model bytes.Buffer
	z := gzip.NewWriter(&model)
	abort.Must(z.Write(o.Model))
	abort.On(z.Close())
	facts := struct {
		Name    string `json:"name"`
		Formula string `json:"formula"`
		Fair    string `json:"fair"`
		Version string `json:"version"`
	}{o.ModelName, e.Property.AsWritten(), o.Fair, o.Version}
	text := abort.Must(json.Marshal(facts)) // this also escapes <, > and &
	return &engine{
		markup: texts["asking.html"], style: texts["asking.css"], script: texts["playground.js"],
		parts: [][2]string{
			{"carried-facts", string(printable.JSON(text))}, {"carried-model", base64Of(model.String())}, {"carried-worker", base64Of(texts["worker.js"])},
			{"carried-engine", base64Of(texts["engine.wasm.gz"])}, {"carried-graphviz", base64Of(texts["graphviz.wasm.gz"])},
		},
	}
}

func base64Of(data string) string { return base64.StdEncoding.EncodeToString([]byte(data)) }

// policy allows a page with the engine to run it in a worker, and to show the pages and pictures
// that it makes. The page still loads and sends nothing.
func (g *engine) policy() string {
	return "default-src 'none'; script-src 'wasm-unsafe-eval' " + contentpolicy.Hash(script) + " " + contentpolicy.Hash(g.script) + "; style-src " + contentpolicy.Hash(style) + " " + contentpolicy.Hash(g.style) +
		"; img-src data: blob:; worker-src blob:; frame-src blob:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types inev"
}

// write writes the data and the script.
func (g *engine) write(w io.Writer) {
	for _, p := range g.parts {
		fmt.Fprintf(w, "<script type=\"application/octet-stream\" id=\"%s\">%s</script>\n", p[0], p[1])
	}
	fmt.Fprintf(w, "<script>%s</script>\n", g.script)
}

// section returns the part of the page in which the reader can ask questions; "" without an engine.
func (g *engine) section() template.HTML {
	if g == nil {
		return ""
	}
	return template.HTML(g.markup)
}
