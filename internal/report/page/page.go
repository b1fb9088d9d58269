// Package page writes an explanation as one HTML file that needs nothing else: no network, no server,
// no other file. It begins with the verdict and its reason, the run, its decisions and better choices.
// Below, the reader steps through the counterexample in the list of steps and in the diagram, and can
// look up every neighbourhood.
//
// This package writes the verdict, the sentences, the diagram and the statistics by html/template, so
// that they are readable without a script. Everything interactive is done by the script in src, which
// [go generate] bundles into bundle. The script works on the explanation's JSON, which is in the page
// and can be saved from it, and on a part of the model around the counterexample, of bounded size.
//
// The fragment of a page's address selects what the page shows: #step=N a step of the counterexample (0
// is the start), #view=NAME a picture (excerpt, diff, lanes, decisions, quotient, whole), #state=NAME a
// state and its facts, #walk=N.I.J a walk that leaves the run after step N (or begins in a state,
// sNAME) and takes the moves I and J, counted from 0. & joins several of these.
//
// Texts of models, users and tools never become markup or code. They reach the page escaped by
// html/template; as JSON in which no character can end a script element; as SVG by package diagram,
// which has only drawing elements; and from the script by textContent. In addition, a
// Content-Security-Policy allows the page only its own script and style, named by their hashes: the
// page cannot fetch, send or run anything else.
//
// [go generate]: https://go.dev/blog/generate
package page

//go:generate go -C ../../tools test ./bundle -update

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	_ "embed" // the bundle
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/contentpolicy"
	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
)

// Options are the settings of a page. The zero value is the default.
type Options struct {
	// Command is the command line that makes the page again, beginning with the name of the program. If
	// it is empty, the page shows none.
	Command []string
	// Version is the version of the tool; "" if it is unknown.
	Version string
	// Folder is the folder of the page. Links to the specification are relative to it; "" for no links.
	Folder string
	// Diagram has the settings of the pictures.
	Diagram draw.Options
	// MaxData bounds the bytes of JSON in the page; 0 means 128 MiB. Neighbourhoods beyond this bound
	// are left out, and the page says so.
	MaxData int64
	// Workers is the number of pictures laid out at the same time; 0 means one for each
	// processor. The page does not depend on it.
	Workers int
	// Served reports that package serve shows the page. Its script may then ask the server for parts of
	// the model that the page does not contain.
	Served bool
	// Engine is a folder with inev for browsers, as tools/playground writes it. The page contains the
	// engine, which answers further questions about Model, the bytes of a file named ModelName; the
	// first question is under the assumptions Fair. If Engine is nil, the page has no engine.
	Engine          fs.FS
	Model           []byte
	ModelName, Fair string
}

// defaultMaxData is 128 MiB. Browsers hold texts of up to about 512 MiB, and need several times the
// memory for the data in them.
const defaultMaxData = 128 << 20

//go:embed bundle/page.js
var script string

//go:embed bundle/served.js
var servedScript string

//go:embed bundle/page.css
var style string

//go:embed index.html
var source string

// index is the template. It is parsed when the first page is written, since most runs of a program
// write none. Templates of releases call functions, but no methods, so that the linker can leave
// methods out.
var index = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"markup":    markup,
		"elsewhere": (*render.Sentences).Elsewhere, "holding": (*render.Sentences).Holding,
		"through": (*render.Sentences).Through, "hold": (*render.Sentences).HoldList,
		"lacking":    (*render.Sentences).Lacking,
		"prevention": (*render.Sentences).Prevention, "owned": (*render.Sentences).Owned,
		"preventionTable": (*render.Sentences).PreventionTable, "diffTitle": (*render.Sentences).DiffTitle, "diffReason": (*render.Sentences).DiffReason, "noDiffReason": (*render.Sentences).NoDiffReason, "others": (*render.Sentences).Others,
	}).Parse(source))
})

// Page is a page about an explanation, its pictures already drawn.
type Page struct {
	e        *explain.Explanation
	tour     *view.Tour
	pictures []picture
	o        Options
}

// New draws a page about e, the result of [explain.Explain] or [explain.Check], with the views of
// its tour. The engine lays out the views. If a picture cannot be drawn (the model is too large, or
// its layout takes too long), the page says why. New fails if ctx is done. Cost: drawing the
// pictures.
func New(
	ctx context.Context,
	engine draw.Engine,
	e *explain.Explanation,
	tour *view.Tour,
	o Options,
) (*Page, error) {
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	tour = tour.Diagnosed(render.NewSentences(e, printable.Text).Title())
	pictures, err := svgOf(ctx, engine, tour, e.Counterexample == nil, o.Diagram, o.Workers)
	if err != nil {
		return nil, err
	}
	return &Page{
		e:        e,
		tour:     tour,
		pictures: pictures,
		o:        o,
	}, nil
}

// Omitted returns a sentence about each thing that the page omits for lack of room. Cost O(number of
// sentences).
func (p *Page) Omitted() []string {
	var notes []string
	for _, drawn := range p.pictures {
		if drawn.Why != "" {
			notes = append(notes,
				"the page has no picture "+strconv.Quote(drawn.Title)+": "+drawn.Why)
		}
		for _, note := range drawn.Omitted {
			notes = append(notes, drawn.Title+": "+note)
		}
	}
	return append(notes, p.tour.Undrawn...)
}

// Write writes the page. It fails if w does or if ctx is done. The JSON is never in memory as a whole.
// Two pages about the same explanation have the same bytes. Cost O(size of the JSON).
func (p *Page) Write(ctx context.Context, w io.Writer) error {
	b := bufio.NewWriterSize(w, 64<<10)
	code := script
	policy := contentpolicy.Of(script, style)
	if p.o.Served {
		code = servedScript
		policy = ServedPolicy()
	}
	looks := style
	c := contentOf(p)
	var engine engineFiles
	if p.o.Engine != nil {
		var err error
		engine, err = readEngine(p.o.Engine)
		if err != nil {
			return err
		}
		policy = engine.policy()
		looks += "</style>\n<style>" + engine["asking.css"]
		c.Asking = template.HTML(engine["asking.html"])
	}
	contentpolicy.Page{Title: titleOf(p.e), Style: looks, Policy: policy}.WriteHead(b)
	if err := index().Execute(b, c); err != nil {
		return err
	}
	if err := p.writeData(ctx, b); err != nil {
		return err
	}
	fmt.Fprintf(b, "<script>%s</script>\n", code)
	if p.o.Engine != nil {
		if err := p.writeEngine(b, engine); err != nil {
			return err
		}
	}
	fmt.Fprint(b, "</body>\n</html>\n")
	return b.Flush()
}

// writeData writes the data of the script.
func (p *Page) writeData(ctx context.Context, w io.Writer) error {
	cut, err := p.writeExplanation(ctx, w)
	if err != nil {
		return err
	}
	if err := writeExtra(w, p.e, cut); err != nil {
		return err
	}
	surroundings, err := json.Marshal(p.tour.Surroundings) // this also escapes <, > and &
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w,
		"<script type=\"application/json\" id=\"surroundings\">%s</script>\n", printable.JSON(surroundings))
	return err
}

// engineFiles maps the names of the files of inev for browsers to their contents.
type engineFiles map[string]string

func readEngine(folder fs.FS) (engineFiles, error) {
	files := engineFiles{}
	for _, name := range []string{
		"asking.html",
		"asking.css",
		"playground.js",
		"worker.js",
		"engine.wasm.gz",
		"graphviz.wasm.gz",
	} {
		data, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, fmt.Errorf("inev for browsers: %w", err)
		}
		files[name] = string(data)
	}
	return files, nil
}

// policy returns the policy of a page with the engine. The engine may run in a worker, and the pages
// and pictures that it makes may be shown. The page still loads and sends nothing.
func (f engineFiles) policy() string {
	return "default-src 'none'; script-src 'wasm-unsafe-eval' " + contentpolicy.Hash(script) +
		" " +
		contentpolicy.Hash(f["playground.js"]) + "; style-src " + contentpolicy.Hash(style) +
		" " +
		contentpolicy.Hash(f["asking.css"]) +
		"; img-src data: blob:; worker-src blob:; frame-src blob:; " +
		"base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types inev"
}

// engineFacts are the first things that the reader can ask about: the model and the formula of the
// page.
type engineFacts struct {
	Name    string `json:"name"`
	Formula string `json:"formula"`
	Fair    string `json:"fair"`
	Version string `json:"version"`
}

// writeEngine writes the engine, and the model.
func (p *Page) writeEngine(w io.Writer, engine engineFiles) error {
	var model bytes.Buffer
	z := gzip.NewWriter(&model)
	if _, err := z.Write(p.o.Model); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	facts, err := json.Marshal(engineFacts{ // this also escapes <, > and &
		Name:    p.o.ModelName,
		Formula: p.e.Property.AsWritten(),
		Fair:    p.o.Fair,
		Version: p.o.Version,
	})
	if err != nil {
		return err
	}
	carry := func(name, data string) {
		fmt.Fprintf(w,
			"<script type=\"application/octet-stream\" id=\"carried-%s\">%s</script>\n", name, data)
	}
	in64 := func(data string) string {
		return base64.StdEncoding.EncodeToString([]byte(data))
	}
	carry("facts", string(printable.JSON(facts)))
	carry("model", in64(model.String()))
	carry("worker", in64(engine["worker.js"]))
	carry("engine", in64(engine["engine.wasm.gz"]))
	carry("graphviz", in64(engine["graphviz.wasm.gz"]))
	_, err = fmt.Fprintf(w, "<script>%s</script>\n", engine["playground.js"])
	return err
}

// ServedPolicy returns the policy of a served page: it may also send requests to the
// server that it came from.
func ServedPolicy() string {
	return contentpolicy.Of(servedScript, style) + "; connect-src 'self'"
}

// writeExplanation writes the JSON of the explanation as a data block. If it leaves out neighbourhoods,
// it returns the number of all neighbourhoods; otherwise 0.
func (p *Page) writeExplanation(ctx context.Context, w io.Writer) (cut int, err error) {
	most := p.o.MaxData
	if most == 0 {
		most = defaultMaxData
	}
	fmt.Fprint(w, "<script type=\"application/json\" id=\"explanation\">")
	c := &counted{w: w}
	more := func() bool {
		if c.written >= most {
			cut = p.tour.Neighbourhoods
		}
		return cut == 0 && ctx.Err() == nil
	}
	if err := render.PartialJSON(c, p.e, more); err != nil {
		return 0, err
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	_, err = fmt.Fprint(w, "</script>\n")
	return cut, err
}

// counted counts the bytes that are written.
type counted struct {
	w       io.Writer
	written int64
}

func (c *counted) Write(data []byte) (int, error) {
	n, err := c.w.Write(data)
	c.written += int64(n)
	return n, err
}

// picture is a drawn view of the model, or the reason why it could not be drawn.
type picture struct {
	Name  string // for the script
	Title string
	About string // what the view shows
	SVG   template.HTML
	Why   string // why the picture is not drawn; "" if it is
	// Omitted are notes on what the view omits.
	Omitted []string
}

// svgOf draws the views of a tour, with at most workers goroutines. holds reports whether
// the property holds. It fails if ctx is done.
func svgOf(
	ctx context.Context,
	engine draw.Engine,
	tour *view.Tour,
	holds bool,
	o draw.Options,
	workers int,
) ([]picture, error) {
	// The run goes downwards, like the list of steps next to it.
	if o.RankDir == "" {
		o.RankDir = "TB"
	}
	o.NoCaption = true // the page has captions of its own
	pictures := make([]picture, len(tour.Stops))
	var left atomic.Int64
	left.Store(int64(len(pictures)))
	work := func() {
		// The last picture, of the whole model, takes longest, so it is drawn first.
		for i := left.Add(-1); i >= 0 && ctx.Err() == nil; i = left.Add(-1) {
			pictures[i] = drawn(ctx, engine, tour.Stops[i], holds, o)
		}
	}
	var done contained.Group
	for range min(workers, len(pictures)) - 1 {
		done.Go(work)
	}
	work()
	done.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	last := len(pictures) - 1
	if last >= 0 && pictures[last].Name == view.Whole.String() && pictures[last].Why == "" {
		for i := range len(pictures) - 1 {
			// A picture of the whole model shows everything that others omit. The notes of a sequence
			// chart are kept, since they are not about size.
			if pictures[i].Name != view.Sequence.String() {
				pictures[i].Omitted = nil
			}
		}
	}
	return pictures, nil
}

// drawn draws a view, or says why the view cannot be drawn.
func drawn(
	ctx context.Context,
	engine draw.Engine,
	stop view.Stop,
	holds bool,
	o draw.Options,
) picture {
	p := picture{Name: stop.Kind.String()}
	kind := stop.Kind
	switch {
	case kind == view.Whole:
		p.Title = "Whole model"
		p.About = "Every state and every transition"
	case kind == view.Neighbourhoods:
		p.Title = "Deciding states"
		p.About = "The states that decide for all runs, and how they follow each other"
	case kind == view.Sequence:
		p.Title = "Sequence chart"
		p.About = "The run in lanes: who does what, below each other"
	case kind == view.Diff:
		p.Title = "Correct run"
		p.About = "A run that satisfies the property, beside the counterexample"
	case kind == view.Quotient:
		p.Title = "Merged"
		p.About = "States that mean the same for the property are one"
	case holds:
		p.Title = "Around the initial state"
		p.About = "The states nearest to the initial one"
	default:
		p.Title = "Counterexample"
		p.About = "The run, its decisions, and what leads away from them"
	}
	if stop.Graph != nil && stop.Graph.Caption.Slowest && stop.Kind != view.Whole {
		p.Title = "The slowest run"
		p.About = "What the slowest run does, and what would have been faster"
	}
	err := stop.Err
	var svg strings.Builder
	var notes []string
	switch {
	case err != nil:
	case stop.Chart != nil:
		notes = stop.Chart.Notes
		err = draw.SVG(ctx, nil, &svg, stop.Chart, o)
	default:
		notes = stop.Graph.Notes
		err = draw.SVG(ctx, engine, &svg, stop.Graph, o)
	}
	if err != nil {
		p.Why = printable.Text(strings.TrimPrefix(err.Error(), "diagram: "))
		return p
	}
	// Package diagram writes only drawing elements into an SVG, and escapes every text, so the SVG can
	// be put into a page as it is.
	p.SVG = template.HTML(svg.String())
	for _, note := range notes {
		p.Omitted = append(p.Omitted, printable.Text(note))
	}
	return p
}
