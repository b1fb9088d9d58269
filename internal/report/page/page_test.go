package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/contentpolicy"
	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/compiledonce"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
)

type edge struct {
	from  lts.State
	label string
	to    lts.State
}

func modelOf(t testing.TB, states int, edges []edge) *lts.LTS {
	t.Helper()
	var b lts.Builder
	for _, e := range edges {
		b.Add(e.from, b.Label(e.label), e.to)
	}
	m, err := b.Build(0, states)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// inside is the Graphviz of all tests, which ends with them.
var inside = graphviz.New(100, compiledonce.Folder())

// written returns a page with the pictures of package diagram.
func written(t testing.TB, e *explain.Explanation, o Options) string {
	t.Helper()
	return textOf(t, pageOf(t, e, tourOf(t, e), o))
}

type fataler interface{ Fatal(...any) }

func tourOf(t fataler, e *explain.Explanation) *view.Tour {
	tour, err := view.NewTour(context.Background(), e, 0)
	if err != nil {
		t.Fatal(err)
	}
	return tour
}

func pageOf(t fataler, e *explain.Explanation, tour *view.Tour, o Options) *Page {
	p, err := New(context.Background(), inside, e, tour, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func textOf(t fataler, p *Page) string {
	var b strings.Builder
	if err := p.Write(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// withoutPictures returns a page without any, which is made in no time.
func withoutPictures(t fataler, e *explain.Explanation, o Options) string {
	tour := tourOf(t, e)
	tour.Stops = nil
	return textOf(t, pageOf(t, e, tour, o))
}

// failingWriter takes nothing.
type failingWriter struct{}

var errFull = errors.New("disk full")

func (failingWriter) Write([]byte) (int, error) { return 0, errFull }

// agency is a service that can refuse: what is decided is decided in state 1.
func agency(t testing.TB) *explain.Explanation {
	m := modelOf(t, 5, []edge{{0, "ASK", 1}, {1, "ACCEPT", 2}, {1, "REFUSE", 3}, {2, "PAY", 4}, {4, "REST", 4}})
	return specimens.Asked(t, m, "Inev(PAY, REST)", explain.Options{Source: explain.Source{File: "agency.aut"}})
}

var dataBlock = regexp.MustCompile(`(?s)<script type="application/json" id="explanation">(.*?)</script>`)

func dataOf(t interface{ Fatal(...any) }, page string) map[string]any {
	found := dataBlock.FindAllStringSubmatch(page, -1)
	if len(found) != 1 {
		t.Fatal("the page has", len(found), "explanations")
	}
	var data map[string]any
	if err := json.Unmarshal([]byte(found[0][1]), &data); err != nil {
		t.Fatal(err)
	}
	return data
}

func TestFirstScreenSaysWhy(t *testing.T) {
	page := written(t, agency(t), Options{Command: []string{"inev", "explain", "agency.aut", "Inev(PAY, REST)"}, Version: "v1.2.3"})
	for _, want := range []string{
		"<title>The run stops in state 3 before PAY – Inev(PAY, REST), agency.aut</title>",
		"<code>Inev(PAY, REST)</code>: the run stops in state 3 before <code>PAY</code>",
		"✗ violated",
		"In state 1 (step 2) <code>ACCEPT</code> would have made the property certain. Step 2 (<code>REFUSE</code> from state 1 to state 3) is the point of no return.",
		`<button type="button" class="link" data-go="2">step 2</button>`, `data-open="2">state 2</button>`,
		"Decisions only (1)",
		"inev explain agency.aut &#39;Inev(PAY, REST)&#39;",
		"Made by inev v1.2.3.",
		`id="state-1"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %s", want)
		}
	}
}

// TestRemediesAreNumbered: a page and Markdown number the remedies as [render.Sentences.Remedies] does.
func TestRemediesAreNumbered(t *testing.T) {
	m := modelOf(t, 3, []edge{{0, "LOSE", 1}, {1, "RETRY", 0}, {0, "ACK", 2}, {2, "ACK", 2}})
	e := specimens.Asked(t, m, "Inev(ACK)", explain.Options{})
	remedies := render.NewSentences(e, quote).Remedies()
	if len(remedies) < 2 {
		t.Fatalf("%d remedies", len(remedies))
	}
	page := written(t, e, Options{})
	shown := 0
	for i, r := range remedies {
		if strings.Contains(page, fmt.Sprintf("<p>%d. %s</p>", i+1, markup(r.Sentence))) {
			shown++
		}
	}
	if shown < 2 {
		t.Errorf("of %d remedies %d stand under their numbers", len(remedies), shown)
	}
}

// TestOtherForkHasItsReason: the page says why the nearest correct run leaves the run where nothing is blamed.
func TestOtherForkHasItsReason(t *testing.T) {
	m := modelOf(t, 6, []edge{
		{0, "OPEN", 1}, {1, "ASK", 2}, {2, "SKIP", 3}, {2, "ANSWER", 3}, {3, "NEXT", 4}, {4, "tau", 5}, {4, "AGAIN", 1},
	})
	e := specimens.Asked(t, m, "Response(ASK; ANSWER)", explain.Options{})
	reason := render.NewSentences(e, quote).DiffReason()
	if reason == "" || !strings.Contains(written(t, e, Options{}), "<p>"+string(markup(reason))+"</p>") {
		t.Errorf("the page does not say %q", reason)
	}
}

// TestLackOfNearestRunHasItsReason: where every run that triggers the property violates it, the page says so.
func TestLackOfNearestRunHasItsReason(t *testing.T) {
	m := modelOf(t, 3, []edge{{0, "ASK", 1}, {1, "WAIT", 1}, {0, "REST", 2}, {2, "ANSWER", 0}})
	e := specimens.Asked(t, m, "Response(ASK; ANSWER)", explain.Options{})
	page := written(t, e, Options{})
	for _, want := range []string{"The nearest correct run</h2>", "<p>There is none: each run that does <code>ASK</code> violates the property.</p>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %s", want)
		}
	}
}

func TestSatisfied(t *testing.T) {
	m := modelOf(t, 3, []edge{{0, "A", 1}, {1, "B", 0}, {2, "LOST", 0}})
	page := written(t, specimens.Asked(t, m, "Inev(A, B)", explain.Options{Source: explain.Source{File: "good.aut"}}), Options{})
	for _, want := range []string{"✓ satisfied", "Every run does <code>A</code>, later <code>B</code>", "1 state with 1 transition cannot be reached", `id="state-0"`, `aria-label="Steps of the slowest run"`, "Slow choices only (0)"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %s", want)
		}
	}
	for _, never := range []string{"Steps of the counterexample", `id="places"`, "counterexample has"} {
		if strings.Contains(page, never) {
			t.Errorf("the page has %s, though the property holds", never)
		}
	}
}

// TestSatisfiedIfFair: where only fair runs satisfy the property, a page does not say that all do.
func TestSatisfiedIfFair(t *testing.T) {
	const all = "Whatever the system does, no run violates"
	m := modelOf(t, 2, []edge{{0, "A", 1}, {0, "B", 0}})
	fair, err := actl.ParseAssumption(context.Background(), "weak:A")
	if err != nil {
		t.Fatal(err)
	}
	o := explain.Options{Source: explain.Source{File: "m.aut"}, Fair: []*actl.Assumption{fair}}
	page := written(t, specimens.Asked(t, m, "Inev(A)", o), Options{})
	if !strings.Contains(page, "weakly fair to <code>A</code>") || strings.Contains(page, all) {
		t.Error("a page about fair runs tells of all")
	}
	if page := written(t, specimens.Asked(t, m, "Inev({A, B})", explain.Options{}), Options{}); !strings.Contains(page, all) {
		t.Error("a page about all runs does not say that it is")
	}
}

func TestOnlyChecked(t *testing.T) {
	m := modelOf(t, 2, []edge{{0, "A", 1}, {0, "B", 1}})
	f, err := actl.Parse(context.Background(), "Inev(A)")
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Check(context.Background(), m, f, explain.Options{Source: explain.Source{File: "m.aut"}})
	if err != nil {
		t.Fatal(err)
	}
	page := written(t, e, Options{})
	if !strings.Contains(page, "Only the verdict was asked for") || strings.Contains(page, `id="why-head"`) {
		t.Error("a page about a check does not say that it is one")
	}
}

func TestLostFromTheStart(t *testing.T) {
	m := modelOf(t, 2, []edge{{0, "A", 1}})
	page := written(t, specimens.Asked(t, m, "Inev(B)", explain.Options{Source: explain.Source{File: "m.aut"}}), Options{})
	for _, want := range []string{"<code>Inev(B)</code>: no run satisfies it, since <code>B</code> happens nowhere", "matches no label of the model", "Decisions only (0)"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %s", want)
		}
	}
}

// TestWalkBeginsOfWhatHolds: a walk through a slowest run begins at its first slow choice.
func TestWalkBeginsOfWhatHolds(t *testing.T) {
	m := modelOf(t, 4, []edge{{0, "GO", 1}, {1, "LONG", 2}, {1, "OK", 3}, {2, "OK", 3}, {3, "OK", 3}})
	page := withoutPictures(t, specimens.Asked(t, m, "Inev(OK)", explain.Options{Source: explain.Source{File: "m.aut"}}), Options{})
	if !strings.Contains(page, `"decisions":[2],"begin":2`) {
		t.Error("the page does not begin at step 2")
	}
}

// TestWalkBegins: a walk begins at the decision of the first rank, else where the loop does.
func TestWalkBegins(t *testing.T) {
	loop := modelOf(t, 4, []edge{{0, "GO", 1}, {0, "OK", 3}, {1, "ROUND", 2}, {2, "BACK", 1}, {2, "OK", 3}, {3, "OK", 3}})
	far := modelOf(t, 4, []edge{{0, "GO", 1}, {1, "BACK", 1}, {1, "ON", 2}, {2, "OK", 3}, {2, "BACK", 1}, {3, "OK", 3}})
	for i, c := range []struct{ of, want string }{
		{withoutPictures(t, specimens.Asked(t, loop, "Inev(OK)", explain.Options{Source: explain.Source{File: "loop.aut"}}), Options{}), `"decisions":[1,3],"begin":3`},
		{withoutPictures(t, specimens.Asked(t, far, "Inev(OK)", explain.Options{Source: explain.Source{File: "loop.aut"}}), Options{}), `"decisions":[],"begin":2`},
	} {
		if !strings.Contains(c.of, c.want) {
			t.Errorf("page %d does not say %s", i, c.want)
		}
	}
}

// TestWithoutPicture: a layout that takes too long is said, and costs the page
// nothing else.
func TestWithoutPicture(t *testing.T) {
	e := agency(t)
	drawn := pageOf(t, e, tourOf(t, e), Options{Diagram: draw.Options{Limit: time.Nanosecond}})
	page, notes := textOf(t, drawn), drawn.Omitted()
	if len(notes) == 0 || !strings.Contains(notes[0], `the page has no picture "Counterexample": `) {
		t.Errorf("what is told is %q", notes)
	}
	if !strings.Contains(page, "There is no picture here: ") || !strings.Contains(page, "takes too long") {
		t.Error("the page does not say why it has no picture")
	}
	if dataOf(t, page)["verdict"] != "violated" {
		t.Error("the data are missing")
	}
}

// TestPageHoldsTheExplanation: the page has all that the JSON has, and the policy
// names what is in it.
func TestPageHoldsTheExplanation(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := randomlts.Generator(randomlts.Small()).Draw(rt, "case")
		f, err := actl.Parse(context.Background(), c.Formula)
		if err != nil {
			rt.Fatal(err)
		}
		o := explain.Options{Source: explain.Source{File: "m.aut"}, Unfold: rapid.Bool().Draw(rt, "unfold")}
		e, err := explain.Explain(context.Background(), c.Model, f, o)
		if err != nil {
			rt.Fatal(err)
		}
		page := withoutPictures(rt, e, Options{})
		if again := withoutPictures(rt, e, Options{}); again != page {
			rt.Fatal("the same explanation gives another page")
		}
		writer, err := render.New("json", render.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		var text bytes.Buffer
		if err := writer.Explanation(&text, e); err != nil {
			rt.Fatal(err)
		}
		var want map[string]any
		if err := json.Unmarshal(text.Bytes(), &want); err != nil {
			rt.Fatal(err)
		}
		if got := dataOf(rt, page); !reflect.DeepEqual(got, want) {
			rt.Fatalf("the page holds %v, want %v", got, want)
		}
	})
}

func TestPolicyNamesScriptAndStyle(t *testing.T) {
	page := withoutPictures(t, agency(t), Options{})
	policies := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(policies) != 1 {
		t.Fatalf("the page has %d policies", len(policies))
	}
	between := func(begin, end string) string {
		at := strings.LastIndex(page, begin) + len(begin)
		return page[at : at+strings.Index(page[at:], end)]
	}
	for directive, text := range map[string]string{"script-src": between("<script>", "</script>"), "style-src": between("<style>", "</style>")} {
		if want := directive + " " + contentpolicy.Hash(text) + ";"; !strings.Contains(policies[0][1], want) {
			t.Errorf("the policy %s lacks %s", policies[0][1], want)
		}
	}
	if strings.Contains(policies[0][1], "unsafe") || !strings.HasPrefix(policies[0][1], "default-src 'none'") {
		t.Error("the policy allows too much:", policies[0][1])
	}
	if found := regexp.MustCompile(`(?i)<[a-z][^>]*\s(on[a-z]+|style|src|srcdoc)=`).FindString(page[:strings.Index(page, `id="explanation"`)]); found != "" {
		t.Error("the policy forbids", found)
	}
}

// TestCut: what is too much is left out, said, and the rest is still JSON.
func TestCut(t *testing.T) {
	var edges []edge
	const n = 3000
	for i := range lts.State(n) {
		edges = append(edges, edge{i, "GOOD", n}, edge{i, "BAD", n + 1})
		if i+1 < n {
			edges = append(edges, edge{i, "ON", i + 1})
		}
	}
	edges = append(edges, edge{n, "A", n})
	e := specimens.Asked(t, modelOf(t, n+2, edges), "Inev(A)", explain.Options{Source: explain.Source{File: "many.aut"}})
	page := withoutPictures(t, e, Options{MaxData: 200_000})
	kept := len(dataOf(t, page)["neighbourhoods"].([]any))
	if kept == 0 || kept >= n || !strings.Contains(page, `"all_neighbourhoods":3000`) {
		t.Errorf("the page keeps %d of %d neighbourhoods", kept, n)
	}
	if full := withoutPictures(t, e, Options{}); strings.Contains(full, `"all_neighbourhoods"`) {
		t.Error("a page with everything says that something is left out")
	}
}

func TestMarkup(t *testing.T) {
	for sentence, want := range map[string]string{
		"a " + quote("<b>") + " c":      "a <code>&lt;b&gt;</code> c",
		quote("a\x02b\x03\u202e"):       `<code>a\x02b\x03\u202e</code>`,
		"\x03a\x02b\x02c":               "a<code>bc</code>",
		quote(strings.Repeat("x", 1e5)): "<code>" + strings.Repeat("x", widestText-1) + "…</code>",
		quote(strings.Repeat("y", 72)):  "<code>" + strings.Repeat("y", 72) + "</code>",
	} {
		if got := string(markup(sentence)); got != want {
			t.Errorf("%q gives %s, want %s", sentence, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	e := agency(t)
	tour := tourOf(t, e)
	if err := pageOf(t, e, tour, Options{}).Write(context.Background(), failingWriter{}); !errors.Is(err, errFull) {
		t.Error("the error of the writer is", err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := New(stopped, inside, e, tour, Options{}); !errors.Is(err, context.Canceled) {
		t.Error("the error of a stopped run is", err)
	}
	if err := pageOf(t, e, tour, Options{}).Write(stopped, &strings.Builder{}); !errors.Is(err, context.Canceled) {
		t.Error("the error of a stopped page is", err)
	}
	if _, err := view.NewTour(stopped, e, 0); !errors.Is(err, context.Canceled) {
		t.Error("the error of a stopped tour is", err)
	}
}

// TestWarningsAreWhole: a warning says at its end what to do.
func TestWarningsAreWhole(t *testing.T) {
	m := modelOf(t, 2, []edge{{0, "A", 1}})
	long := "step 2, \"" + strings.Repeat("x", 300) + "\", matches no label of the model, so it never happens; did you mean A?"
	endless := "label \"" + strings.Repeat("é", 1_000_000) + "<\" is never used; leave it out"
	page := withoutPictures(t, specimens.Asked(t, m, "Inev(A)", explain.Options{Source: explain.Source{File: "m.aut", Warnings: []string{long, endless}}}), Options{})
	for _, want := range []string{strings.Repeat("x", 300) + "&#34;, matches no label of the model, so it never happens; did you mean A?</p>", "characters left out", "&lt;&#34; is never used; leave it out</p>"} {
		if !strings.Contains(page[:strings.Index(page, `id="explanation"`)], want) {
			t.Errorf("the page does not say %s", want)
		}
	}
	if n := strings.Count(page[:strings.Index(page, `id="explanation"`)], "é"); n != keptHead+keptTail-len(`label "`)-len(`<" is never used; leave it out`) {
		t.Errorf("%d characters of an endless label are kept", n)
	}
}

// TestSurroundingsTravel: they are in the page as the tour has them.
func TestSurroundingsTravel(t *testing.T) {
	e := agency(t)
	tour := tourOf(t, e)
	want, err := json.Marshal(tour.Surroundings)
	if err != nil {
		t.Fatal(err)
	}
	block := `<script type="application/json" id="surroundings">` + string(want) + "</script>"
	if page := textOf(t, pageOf(t, e, tour, Options{})); strings.Count(page, block) != 1 {
		t.Errorf("the page does not hold %s once", block)
	}
}

// TestWorkers: a page is the same however many of its pictures are drawn at a time, also one
// that has some only, and none is drawn once nobody wants it.
func TestWorkers(t *testing.T) {
	e := agency(t)
	tour := tourOf(t, e)
	tour.Stops = append(tour.Stops, view.Stop{Kind: view.Whole, Err: errFull})
	one := textOf(t, pageOf(t, e, tour, Options{Workers: 1}))
	if strings.Count(one, "<svg") < 3 || !strings.Contains(one, errFull.Error()) {
		t.Errorf("the page has %d pictures", strings.Count(one, "<svg"))
	}
	for _, workers := range []int{0, 2, 3, 20} {
		if textOf(t, pageOf(t, e, tour, Options{Workers: workers})) != one {
			t.Errorf("by %d workers, the page is another one", workers)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := New(ctx, inside, e, tour, Options{Workers: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// TestNoEmptyNotation: a property that ACTL cannot express has no box for its text.
func TestNoEmptyNotation(t *testing.T) {
	m := modelOf(t, 2, []edge{{0, "A", 1}, {1, "B", 0}})
	for formula, has := range map[string]bool{"Inev(C)": true, "G F C": false} {
		page := written(t, specimens.Asked(t, m, formula, explain.Options{}), Options{})
		if strings.Contains(page, "The same in ACTL") != has {
			t.Errorf("%s: the page has ACTL: %v", formula, !has)
		}
		if strings.Contains(page, "></code>") {
			t.Errorf("%s: the page has an empty box", formula)
		}
	}
}
