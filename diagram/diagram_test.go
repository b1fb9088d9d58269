package diagram_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/diagram"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// explained returns the explanation of a run that loses B at its first choice.
func explained(t *testing.T) *explain.Explanation {
	t.Helper()
	var b lts.Builder
	b.Add(0, b.Label("A"), 1)
	b.Add(0, b.Label("C"), 2)
	b.Add(1, b.Label("B"), 2)
	m, err := b.Build(0, 3)
	if err != nil {
		t.Fatal(err)
	}
	f, err := actl.Parse(context.Background(), "Inev(B)")
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(context.Background(), m, f, explain.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestPictures(t *testing.T) {
	ctx := context.Background()
	e := explained(t)
	views := []diagram.View{diagram.Auto, diagram.Whole, diagram.Excerpt, diagram.Neighbourhoods, diagram.Quotient, diagram.Diff}
	if !randomlts.Whole() { // each is laid out by Graphviz anew
		views = views[:1]
	}
	for _, v := range views {
		var dot, svg, pixels bytes.Buffer
		o := diagram.Options{View: v, Title: "C loses B."}
		if err := errors.Join(diagram.DOT(ctx, &dot, e, o), diagram.SVG(ctx, &svg, e, o), diagram.PNG(ctx, &pixels, e, o)); err != nil {
			t.Fatalf("%s: %v", v, err)
		}
		if !strings.Contains(dot.String(), "C loses B.") || !strings.Contains(svg.String(), `class="node state`) {
			t.Errorf("%s: %s\n%s", v, dot.String(), svg.String())
		}
		decoder := xml.NewDecoder(&svg)
		for {
			_, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", v, err)
			}
		}
		if _, err := png.Decode(&pixels); err != nil {
			t.Errorf("%s: %v", v, err)
		}
	}
}

func TestThereIsNoSuchView(t *testing.T) {
	var out bytes.Buffer
	err := diagram.SVG(context.Background(), &out, explained(t), diagram.Options{View: "bird"})
	if err == nil || !strings.Contains(err.Error(), `there is no view "bird"`) || out.Len() > 0 {
		t.Errorf("%v, %q", err, out.String())
	}
}
