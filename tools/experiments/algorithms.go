package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/counterexample/buchi"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// subject is a mutual exclusion algorithm: a row of Table 1.
type subject struct {
	name string
	// model is the name of the .aut file in the folder of examples, promela the name of SPIN's
	// model.
	model, promela string
	// made is the command that made the model.
	made string
	// wants is the action after which process 0 waits for its critical section.
	wants string
}

func subjects() []subject {
	return []subject{
		{"Peterson", "peterson/peterson.aut", "peterson.pml", "go run ./examples/peterson", "WRITE_FLAG !0 !TRUE"},
		{"Dekker", "dekker/dekker.aut", "dekker.pml", "go run ./examples/dekker", "WRITE_FLAG !0 !TRUE"},
		{"Dijkstra", "dijkstra/dijkstra.aut", "dijkstra.pml", "go run ./examples/dijkstra -n 3", "WRITE_B !0 !FALSE"},
		{"Hyman", "hyman/hyman.aut", "hyman.pml", "go run ./examples/hyman", "WRITE_FLAG !0 !TRUE"},
	}
}

// entering is the property of all subjects: process 0 enters. All of them violate it, since a
// scheduler need not let process 0 run.
const entering = `Inev("ENTER !0")`

// search is one of the searches that the tables compare.
type search struct {
	name string
	run  func(ctx context.Context, g buchi.Graph) (*buchi.Lasso, buchi.Stats, error)
}

// The names of searches that tables look for.
const (
	spinLeastName       = "SPIN's minimising search, as described"
	contrexAfterColours = "Contrex after colour-DFS"
)

// searches returns the searches that are compared.
func searches() []search {
	by := func(o buchi.FindOptions) func(context.Context, buchi.Graph) (*buchi.Lasso, buchi.Stats, error) {
		return func(ctx context.Context, g buchi.Graph) (*buchi.Lasso, buchi.Stats, error) {
			return buchi.Find(ctx, g, o, nil)
		}
	}
	return []search{
		{"nested DFS of SPIN, first one found", spinFirst},
		{"colour-DFS, first one found", by(buchi.FindOptions{Algorithm: buchi.ByColour})},
		{spinLeastName, spinLeast},
		{"Contrex (DFS_MIN)", by(buchi.FindOptions{Algorithm: buchi.ByContrex})},
		{contrexAfterColours, by(buchi.FindOptions{Algorithm: buchi.ByContrex, ColourFirst: true})},
		{"priority search", by(buchi.FindOptions{Algorithm: buchi.ByPriority})},
	}
}

// comparison has the measurements for one subject.
type comparison struct {
	m    *lts.LTS
	rows []figures
}

// compare lets all searches look for runs of a subject that violate a formula. It reads the
// subject, whose model lies below root.
func compare(
	ctx context.Context,
	root string,
	s subject,
	text string,
	searches []search,
) (*comparison, error) {
	m, _, err := aut.Open(ctx, filepath.Join(root, "examples", filepath.FromSlash(s.model)),
		aut.Options{})
	if err != nil {
		return nil, err
	}
	f, err := formula.Parse(ctx, text)
	if err != nil {
		return nil, err
	}
	p, _, err := f.Bind(ctx, m.Alphabet())
	if err != nil {
		return nil, err
	}
	product, err := buchi.NewProduct(ctx, m, p)
	if err != nil {
		return nil, err
	}
	c := &comparison{m: m}
	for _, search := range searches {
		lasso, stats, err := search.run(ctx, product)
		if err != nil {
			return nil, err
		}
		if lasso == nil {
			return nil, fmt.Errorf("%s: %s finds no counterexample", s.name, search.name)
		}
		trace, err := product.Trace(*lasso)
		if err != nil {
			return nil, err
		}
		c.rows = append(c.rows, row(search.name, trace, stats))
	}
	components, err := scc.Find(ctx, m, "")
	if err != nil {
		return nil, err
	}
	found, err := counterexample.Shortest(ctx, m, p, counterexample.Options{Components: components})
	if err != nil {
		return nil, err
	}
	c.rows = append(c.rows,
		row("inev, on the model itself", found.Trace, buchi.Stats{Stats: found.Stats}))
	return c, nil
}

const responding = `
### The same with a response

In the papers, the first counterexamples are long and are shortened many times. The same happens here with a
response property, ` + "`G (W -> F \"ENTER !0\")`" + `, where W is the step by which process 0 announces that it wants to
enter (%s). The searches then find up to %d counterexamples, each shorter than the one before; for ` + "`%s`" + ` they find 1 to 5.
Two rows are left out: Contrex follows every path that is short enough, and does not end within two minutes on
Dijkstra's model. That is too long for a page that a test makes again.

| model | search | length | transitions | stored | matched | found |
| --- | --- | ---: | ---: | ---: | ---: | ---: |
`

// writeResponding writes the results of the searches for a response property. On Dijkstra's model,
// the searches that are careful would take too long for a document that a test makes: their rows
// say that they are left out.
func writeResponding(ctx context.Context, w io.Writer, root string) error {
	var rows strings.Builder
	var wants []string
	most := 0
	for _, s := range subjects() {
		var run, leftOut []search
		for _, x := range searches() {
			if s.name == "Dijkstra" && isCareful(x.name) {
				leftOut = append(leftOut, x)
			} else {
				run = append(run, x)
			}
		}
		c, err := compare(ctx, root, s, fmt.Sprintf(`G ("%s" -> F "ENTER !0")`, s.wants), run)
		if err != nil {
			return err
		}
		for _, row := range c.rows {
			fmt.Fprintf(&rows, "| %s %s", s.name, row)
			if found, err := strconv.Atoi(row.found); err == nil {
				most = max(most, found)
			}
		}
		for _, x := range leftOut {
			fmt.Fprintf(&rows, "| %s %s", s.name, figures{search: x.name, length: "left out"})
		}
		if text := "`" + s.wants + "`"; !slices.Contains(wants, text) {
			wants = append(wants, text)
		}
	}
	fmt.Fprintf(w, responding, strings.Join(wants, " or "), most, entering)
	_, err := io.WriteString(w, rows.String())
	return err
}

// isCareful reports whether a search follows every path that is short enough.
func isCareful(name string) bool { return strings.Contains(name, "Contrex") }

func row(name string, t *counterexample.Trace, s buchi.Stats) figures {
	return figures{
		search:      name,
		length:      fmt.Sprint(s.Length),
		transitions: fmt.Sprint(t.Len()),
		stored:      fmt.Sprint(s.Stored),
		matched:     fmt.Sprint(s.Matched),
		found:       fmt.Sprint(s.Found),
	}
}
