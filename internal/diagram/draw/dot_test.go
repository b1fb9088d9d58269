package draw

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
)

// TestCrowdedPicturesAreRefused: by the work of the layout, before it, whatever the clock
// says; as DOT they can be had.
func TestCrowdedPicturesAreRefused(t *testing.T) {
	e := explained(t, specimens.Model(t, 180, specimens.Tangle(t, 180, 9)...), "", "Inev(go3)")
	g := graphOf(t, e, view.Options{Kind: view.Whole})
	var b bytes.Buffer
	err := SVG(context.Background(), inside, &b, g, Options{})
	if !errors.Is(err, errCrowded) || !strings.Contains(err.Error(), "choose the excerpt") || b.Len() > 0 {
		t.Errorf("error is %v after %d bytes", err, b.Len())
	}
	if err := DOT(&b, g, Options{}); err != nil {
		t.Error(err)
	}
	if err := SVG(context.Background(), inside, &b, g, Options{Layout: "circo"}); !errors.Is(err, errCrowded) {
		t.Errorf("in circles: %v", err)
	}
}

// TestLoopsAreKeptFree: the arrow that closes a loop has a way of its own, and no state
// in it, unless the loop is entered in its middle, where the order of the run would be lost.
func TestLoopsAreKeptFree(t *testing.T) {
	e := explained(t, model(t, 5, edge{4, "x", 0}, edge{0, "a", 1}, edge{1, "b", 2}, edge{2, "c", 0}, edge{1, "DONE", 3}), "", "Inev(DONE)")
	p := graphOf(t, e, view.Options{Kind: view.Excerpt})
	closing := slices.IndexFunc(p.Arrows, func(a view.Arrow) bool { return a.Closing })
	if !reversesClosing(p, p.Arrows[closing]) || strings.Contains(draw(p, Options{}).String(), "constraint") {
		t.Errorf("no way is kept free in %v", p.Arrows)
	}
	middle := *p
	middle.Arrows = append(slices.Clone(p.Arrows), view.Arrow{From: 3, To: 2, Labels: []view.Label{{Text: "in", Times: 1}}})
	if reversesClosing(&middle, p.Arrows[closing]) || !strings.Contains(draw(&middle, Options{}).String(), `constraint="false"`) {
		t.Error("the loop is entered in its middle")
	}
}

// TestLoopsAtTheInitialStateLeadOn: the steps of a loop that begins at the initial state lead away from this
// state, downwards or to the right, also if the picture has the way to what the run waits for.
func TestLoopsAtTheInitialStateLeadOn(t *testing.T) {
	centre := regexp.MustCompile(`id="state-(\d+)"[\s\S]*?<(?:ellipse|polygon)[^>]*?(?:cx="([-\d.]+)" cy="([-\d.]+)"|points="([-\d.]+),([-\d.]+))`)
	for length := 2; length <= 4; length++ {
		for leaves := range length {
			edges := []edge{{leaves, "leave", length}, {length, "on", length + 1}, {length + 1, "DONE", length + 2}}
			for s := range length {
				edges = append(edges, edge{s, "step", (s + 1) % length})
			}
			e := explained(t, model(t, length+3, edges...), "", "Inev(DONE)")
			for _, direction := range []RankDir{topDown, leftRight} {
				svg := svgOf(t, e, view.Options{Kind: view.Excerpt}, Options{RankDir: direction})
				along := map[string]float64{}
				for _, at := range centre.FindAllStringSubmatch(svg, -1) {
					x, y := at[2]+at[4], at[3]+at[5]
					along[at[1]], _ = strconv.ParseFloat(y, 64)
					if direction == leftRight {
						along[at[1]], _ = strconv.ParseFloat(x, 64)
					}
				}
				for s := 1; s < length; s++ {
					from, to := along[strconv.Itoa(s-1)], along[strconv.Itoa(s)]
					if from >= to {
						t.Errorf("loop of %d states, left in state %d, %s: step %d leads from %v to %v", length, leaves, direction, s, from, to)
					}
				}
			}
		}
	}
}

// TestLongStretch: an arrow that stands for many steps names the first and the last of
// them only, so that its size does not grow with their number.
func TestLongStretch(t *testing.T) {
	const n = 20_000
	var edges []edge
	for i := range n {
		edges = append(edges, edge{i, "step", i + 1})
	}
	edges = append(edges, edge{n, "DONE", n + 1}, edge{n, "BAD", n + 2})
	e := explained(t, model(t, n+3, edges...), "", "Inev(DONE)")
	for _, v := range []view.Kind{view.Neighbourhoods, view.Quotient} {
		var b strings.Builder
		if err := DOT(&b, graphOf(t, e, view.Options{Kind: v}), Options{}); err != nil {
			t.Fatal(err)
		}
		if b.Len() > 20_000 || !strings.Contains(b.String(), " gap first-1 last-20000") && v == view.Neighbourhoods {
			t.Errorf("view %d: the picture has %d bytes", v, b.Len())
		}
	}
}

// TestWideRunsGoDownwards: an excerpt is read from left to right while it fits a screen,
// which depends on the length of the run and on that of its labels.
func TestWideRunsGoDownwards(t *testing.T) {
	run := func(steps int, label string) string {
		var edges []edge
		for i := range steps {
			edges = append(edges, edge{i, label, i + 1})
		}
		var b strings.Builder
		if err := DOT(&b, graphOf(t, explained(t, model(t, steps+1, edges...), "run.aut", "Inev(A)"), view.Options{Kind: view.Excerpt, Full: true}), Options{}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, c := range []struct {
		steps int
		label string
		want  string
	}{
		{4, "SHORT", "LR"}, {10, "SHORT", "LR"}, {20, "SHORT", "TB"}, {4, strings.Repeat("LONG", 8), "LR"}, {10, strings.Repeat("LONG", 8), "TB"},
	} {
		if got := run(c.steps, c.label); !strings.Contains(got, `rankdir="`+c.want+`"`) {
			t.Errorf("%d steps with %s are not drawn %s", c.steps, c.label, c.want)
		}
	}
}

// TestStubsSayWhat: what has no room is counted apart, in words, and so are better choices
// at steps that are not shown.
func TestStubsSayWhat(t *testing.T) {
	many := graphOf(t, explained(t, star(t, 1000), "", "Inev(DONE)"), view.Options{Kind: view.Excerpt})
	if text := stubText(many.Stubs[0]); text != "… 996 more that make it certain" {
		t.Errorf("the stub says %q", text)
	}
	var edges []edge
	for i := range 100 {
		edges = append(edges, edge{i, "wait", i + 1}, edge{i, "DONE", 101})
	}
	long := graphOf(t, explained(t, model(t, 102, edges...), "", "Inev(DONE)"), view.Options{Kind: view.Excerpt})
	if len(long.Gaps) == 0 || !strings.Contains(strings.Join(gapLines(long.Gaps[0], ""), "|"), "|better choices at ") {
		t.Errorf("the gaps are %v", long.Gaps)
	}
}

// TestUnfoldedStatesAreNamed: by state and progress, wherever they are named.
func TestUnfoldedStatesAreNamed(t *testing.T) {
	var b bytes.Buffer
	if err := DOT(&b, graphOf(t, unfolded(t), view.Options{Kind: view.Excerpt}), Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`label="0·0`, `tooltip="state 0·0, initial`, `tooltip="0·0 to 1·`, "that leave state ", "unfolded: states are state·progress"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the picture does not hold %q:\n%s", want, b.String())
		}
	}
}

// TestCaptionOfAUnion: it says how much of the counterexamples is shown.
func TestCaptionOfAUnion(t *testing.T) {
	e := explained(t, manyWays(t, 40, 30), "", "Inev(DONE)")
	g := graphOf(t, e, together(t, e, view.Excerpt))
	if want := fmt.Sprintf("%d of 1200 transitions on them shown", g.OnUnion); !slices.Contains(captionLines(g), want) {
		t.Errorf("caption %q does not say %q", captionLines(g), want)
	}
}
