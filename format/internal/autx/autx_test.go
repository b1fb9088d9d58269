package autx_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format/internal/autx"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/testing/collection"
	"github.com/inev-lts/inev/internal/testing/mutation"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

func read(t testing.TB, text string, o autx.Options) (*autx.Model, []string) {
	t.Helper()
	m, warnings, err := autx.Read(context.Background(), strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return m, warnings
}

func classified(t testing.TB, m *lts.LTS, formula string, reading neighbourhood.Reading) *neighbourhood.Classification {
	t.Helper()
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	a, err := explain.Analyse(context.Background(), m, f, explain.Options{Reading: reading})
	if err != nil {
		t.Fatal(err)
	}
	return a.Classification
}

// lines returns the transitions of a model as text, and the kinds of its states.
func lines(m *autx.Model) []string {
	var found []string
	i := 0
	for t := range m.LTS.Transitions() {
		found = append(found, fmt.Sprintf("%d%s %q %s %d", t.From, m.Kinds[t.From], m.LTS.Alphabet().Text(t.Label), m.Colours[i], t.To))
		i++
	}
	return found
}

func TestRead(t *testing.T) {
	m, warnings := read(t, "\ufeff\ndes (7, 6, 3)\r\n\n"+
		`(7:N:GRB, "PUT !1, (2)":BLACK, 30)`+"\r\n"+
		`(7:N:GRB, "a"b":GREEN":RED, 7)`+"\n"+
		`  ( 7 , "" :UNSET , -1 )`+"\n"+
		`(30:N:G,"i":GREEN,-1)`+"\n"+
		`(30, "plain", 0)`+"\n"+
		`(0:N:U, "":GREEN, 7)`, autx.Options{Name: "m.autx"})
	want := []string{
		`7GRB "PUT !1, (2)" BLACK 30`,
		`7GRB "a\"b\":GREEN" RED 7`,
		`7GRB "" UNSET 31`,
		`30G "i" GREEN 31`,
		`30G "plain" UNSET 0`,
		`0U "" GREEN 7`,
	}
	if got := lines(m); !slices.Equal(got, want) {
		t.Errorf("read\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if m.LTS.Initial() != 7 || m.LTS.NumStates() != 32 || !m.HasSink || m.Sink != 31 || !m.LTS.IsDeadlock(31) {
		t.Errorf("initial %d of %d states, sink %d (%v)", m.LTS.Initial(), m.LTS.NumStates(), m.Sink, m.HasSink)
	}
	if w := []string{"m.autx: the target -1, which stands for what was cut off as correct, is state 31"}; !slices.Equal(warnings, w) {
		t.Errorf("warnings %q, want %q", warnings, w)
	}
}

// TestDeclaredStates: more states than occur are states, as in an .aut file.
func TestDeclaredStates(t *testing.T) {
	m, warnings := read(t, "des (0, 0, 3)\n", autx.Options{})
	if m.LTS.NumStates() != 3 || m.HasSink || len(warnings) > 0 {
		t.Errorf("%d states, sink %v, warnings %q", m.LTS.NumStates(), m.HasSink, warnings)
	}
}

func TestRefused(t *testing.T) {
	const head = "des (0, 1, 2)\n"
	for _, c := range []struct{ text, want string }{
		{"", `x.autx: empty file: an .autx file begins with the header des (initial, transitions, states)`},
		{"(0, \"A\":RED, 1)\n", `x.autx:1: expected the header des (initial, transitions, states), found "(0, \"A\":RED, 1)"`},
		{"des (0, 1)\n", `x.autx:1: expected the header des (initial, transitions, states), found "des (0, 1)"`},
		{"des (0, x, 2)\n", `x.autx:1: expected the header des (initial, transitions, states), found "des (0, x, 2)"`},
		{"des (4294967295, 1, 2)\n", `x.autx:1: the initial state 4294967295 is too large`},
		{head + "\nnothing\n", `x.autx:3: expected a transition (from, "label":COLOUR, to) or (from:N:KIND, "label":COLOUR, to), found "nothing"`},
		{head + `(0, "A":RED)`, `x.autx:2: expected a transition (from, "label":COLOUR, to) or (from:N:KIND, "label":COLOUR, to), found "(0, \"A\":RED)"`},
		{head + `(-1, "A":RED, 0)`, `x.autx:2: the source state is not a number: "-1"`},
		{head + `(4294967295, "A":RED, 0)`, `x.autx:2: the source state is too large: "4294967295"`},
		{head + `(0, "A":RED, 4294967295)`, `x.autx:2: the target state is too large: "4294967295"`},
		{head + `(0, "A":RED, -2)`, `x.autx:2: the target state is not a number: "-2"`},
		{head + `(0:N:B, "A":RED, 1)`, `x.autx:2: expected N:G, N:R, N:GR, N:GRB or N:U behind the source state, found "N:B"`},
		{head + `(0:G, "A":RED, 1)`, `x.autx:2: expected N:G, N:R, N:GR, N:GRB or N:U behind the source state, found "G"`},
		{head + `(0, A:RED, 1)`, `x.autx:2: expected a label in quotes, found "A:RED"`},
		{head + `(0, "A:RED, 1)`, `x.autx:2: expected a label in quotes, found "\"A:RED"`},
		{head + `(0, "A":PINK, 1)`, `x.autx:2: expected :GREEN, :RED, :BLACK or :UNSET behind the label, found ":PINK"`},
		{head + `(0, "A"RED, 1)`, `x.autx:2: expected :GREEN, :RED, :BLACK or :UNSET behind the label, found "RED"`},
		{"des (0, 2, 2)\n" + `(0:N:G, "A":RED, 1)` + "\n" + `(0:N:R, "A":RED, 1)`, `x.autx:3: state 0 is marked as R here and as G above: a state has one kind`},
		{head, `x.autx:1: declared 1 transitions, found 0: the file looks truncated; fetch it again, or read it leniently`},
		{"des (0, 0, 2)\n" + `(0, "A":RED, 1)`, `x.autx:2: declared 0 transitions, found 1: correct the header, or read the file leniently`},
		{head + `(0, "A":RED, 4000000000)`, `x.autx: has states up to 4000000000, more than the 1000064 that 1 transitions account for (64 for each and 1000000 more): correct them`},
		{"des (0, 0, 18446744073709551615)\n", `x.autx: has states up to 18446744073709551614, more than the 1000000 that 0 transitions account for (64 for each and 1000000 more): correct them`},
	} {
		_, _, err := autx.Read(context.Background(), strings.NewReader(c.text), autx.Options{Name: "x.autx"})
		var located *inputfile.Error
		if !errors.As(err, &located) || err.Error() != c.want {
			t.Errorf("%q:\n%v\nwant\n%s", c.text, err, c.want)
		}
	}
}

func TestLenient(t *testing.T) {
	m, warnings := read(t, "des (0, 5, 2)\n(0, \"A\":RED, 1)\n", autx.Options{Name: "x.autx", Lenient: true})
	want := []string{"x.autx: declared 5 transitions, found 1: the file may be truncated"}
	if !slices.Equal(warnings, want) || m.LTS.NumTransitions() != 1 {
		t.Errorf("%d transitions, warnings %q, want %q", m.LTS.NumTransitions(), warnings, want)
	}
}

func TestStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := autx.Read(ctx, strings.NewReader("des (0, 0, 1)\n"), autx.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// model returns the LTS with these transitions, the first of which leaves the
// initial state.
func model(t *testing.T, initial lts.State, states int, transitions ...lts.Transition) *lts.LTS {
	t.Helper()
	var b lts.Builder
	for _, name := range []string{"A", "B", "C"} {
		b.Label(name)
	}
	for _, x := range transitions {
		b.Add(x.From, x.Label, x.To)
	}
	m, err := b.Build(initial, states)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestWrite: the layout to the byte, the order, every kind but U, and nothing of
// what is not reachable.
func TestWrite(t *testing.T) {
	const a, b, c = lts.Label(0), lts.Label(1), lts.Label(2)
	m := model(t, 5, 9,
		lts.Transition{From: 5, Label: b, To: 4}, lts.Transition{From: 5, Label: a, To: 7}, lts.Transition{From: 5, Label: c, To: 2},
		lts.Transition{From: 4, Label: a, To: 7}, lts.Transition{From: 4, Label: c, To: 7}, lts.Transition{From: 4, Label: b, To: 6},
		lts.Transition{From: 6, Label: a, To: 7}, lts.Transition{From: 6, Label: b, To: 2},
		lts.Transition{From: 8, Label: a, To: 5})
	var text strings.Builder
	warnings, err := autx.Write(&text, classified(t, m, "Inev(A)", neighbourhood.All))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	want := `des (5, 8, 5)
(4:N:GRB, "B":BLACK, 6)
(4:N:GRB, "A":GREEN, 7)
(4:N:GRB, "C":RED, 7)
(5:N:GRB, "C":RED, 2)
(5:N:GRB, "B":BLACK, 4)
(5:N:GRB, "A":GREEN, 7)
(6:N:GR, "B":RED, 2)
(6:N:GR, "A":GREEN, 7)
`
	if text.String() != want {
		t.Errorf("written\n%s\nwant\n%s", text.String(), want)
	}
}

func TestWriteLabels(t *testing.T) {
	write := func(label string) (string, []string, error) {
		var b lts.Builder
		b.Add(0, b.Label("A"), 0)
		b.Add(0, b.Label(label), 0)
		m, err := b.Build(0, 1)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		warnings, err := autx.Write(&text, classified(t, m, "Inev(A)", neighbourhood.All))
		return text.String(), warnings, err
	}
	for _, label := range []string{"x, y", "x:y"} {
		_, warnings, err := write(label)
		want := []string{fmt.Sprintf("label %q holds a comma or a colon: CLEAR's visualiser misreads it", label)}
		if err != nil || !slices.Equal(warnings, want) {
			t.Errorf("warnings %q (error %v), want %q", warnings, err, want)
		}
	}
	text, _, err := write("x\ny")
	if err == nil || text != "" || err.Error() != `label "x\ny" holds a line feed, which no .autx file can: rename it` {
		t.Errorf("written %q, error %v", text, err)
	}
}

// TestRoundTrip: what is written reads back with the classes and kinds of the
// reachable part, and is then written as the same bytes.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomlts.Generator(randomlts.Medium()).Draw(t, "case")
		reading := rapid.SampledFrom([]neighbourhood.Reading{neighbourhood.All, neighbourhood.Some}).Draw(t, "reading")
		var before, after map[string]int
		text, n := written(t, c.Model, c.Formula, reading)
		before = classesOf(n)
		back, _, err := autx.Read(context.Background(), strings.NewReader(text), autx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		after = map[string]int{}
		for _, line := range lines(back) {
			after[line]++
		}
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("read back %v, want %v", after, before)
		}
		if again, _ := written(t, back.LTS, c.Formula, reading); again != text {
			t.Fatalf("written again\n%s\nwant\n%s", again, text)
		}
	})
}

func written(t *rapid.T, m *lts.LTS, formula string, reading neighbourhood.Reading) (string, *neighbourhood.Classification) {
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	a, err := explain.Analyse(context.Background(), m, f, explain.Options{Reading: reading, Engine: "iterative"})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if _, err := autx.Write(&text, a.Classification); err != nil {
		t.Fatal(err)
	}
	return text.String(), a.Classification
}

// classesOf returns how often each transition of the reachable part occurs, in
// the words of [lines].
func classesOf(n *neighbourhood.Classification) map[string]int {
	m := n.Fates().LTS()
	found := map[string]int{}
	for x := range m.Transitions() {
		if !m.Reachable().Has(x.From) {
			continue
		}
		kind, mark := "", map[neighbourhood.Kind]string{
			neighbourhood.CorrectChoice: "G", neighbourhood.IncorrectChoice: "R",
			neighbourhood.Mixed: "GR", neighbourhood.MixedNeutral: "GRB",
		}
		if k, is := n.Kind(x.From); is {
			kind = mark[k]
		}
		colour := [...]string{fate.Correct: "GREEN", fate.Incorrect: "RED", fate.Neutral: "BLACK"}
		found[fmt.Sprintf("%d%s %q %s %d", x.From, kind, m.Alphabet().Text(x.Label), colour[n.Class(x.From, x.Label, x.To)], x.To)]++
	}
	return found
}

// FuzzRead: whatever the bytes are, they are read or refused in one line.
func FuzzRead(f *testing.F) {
	f.Add("des (0, 1, 2)\n(0:N:G, \"A\":GREEN, -1)\n")
	f.Add("des (7, 6, 3)\r\n(7, \"a\"b\":GREEN\":RED, 7)")
	f.Fuzz(func(t *testing.T, text string) {
		defer mutation.Limited()()
		m, _, err := autx.Read(context.Background(), strings.NewReader(text), autx.Options{Lenient: true})
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %v", err)
			}
			return
		}
		if len(m.Colours) != m.LTS.NumTransitions() {
			t.Errorf("%d colours for %d transitions", len(m.Colours), m.LTS.NumTransitions())
		}
	})
}

// likeCLEAR is laid out as CLEAR does, with the numbers of a larger model that it cut
// a part out of. The classes were found by hand.
const likeCLEAR = `des (0, 8, 6)
(0, "INIT":BLACK, 3)
(3:N:GRB, "BUY":GREEN, -1)
(3:N:GRB, "FALL":RED, 7)
(3:N:GRB, "WAIT":BLACK, 4)
(4:N:G, "BUY":GREEN, -1)
(4:N:G, "WAIT":BLACK, 3)
(7, "FALL":RED, 9)
(9, "FALL":RED, 7)
`

// TestClassesOfCLEAR compares classes and kinds, transition by transition, with the
// file that CLEAR wrote for a safety property of its example "isolated bug". For a
// safety property, green leads to what was cut off, which is told here by a label
// of its own: that it happens is the inevitability property with these classes.
func TestClassesOfCLEAR(t *testing.T) {
	sameClasses(t, likeCLEAR, 8)
	if path, there := collection.Foreign(t, "traces/isolated.autx"); there {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sameClasses(t, string(text), 66)
	}
}

func sameClasses(t *testing.T, text string, transitions int) {
	t.Helper()
	theirs, warnings := read(t, text, autx.Options{Name: "m.autx"})
	if len(warnings) != 1 || !theirs.HasSink || theirs.LTS.NumTransitions() != transitions {
		t.Fatalf("warnings %q, sink %v, %d transitions", warnings, theirs.HasSink, theirs.LTS.NumTransitions())
	}
	var b lts.Builder
	safe := b.Label("SAFE")
	for x := range theirs.LTS.Transitions() {
		label := safe
		if x.To != theirs.Sink {
			label = b.Label(theirs.LTS.Alphabet().Text(x.Label))
		}
		b.Add(x.From, label, x.To)
	}
	m, err := b.Build(theirs.LTS.Initial(), theirs.LTS.NumStates())
	if err != nil {
		t.Fatal(err)
	}
	ours := classified(t, m, "Inev(SAFE)", neighbourhood.Some)
	var differences []string
	i := 0
	for x := range m.Transitions() {
		if c := autx.ColourOf(ours.Class(x.From, x.Label, x.To)); c != theirs.Colours[i] {
			differences = append(differences, fmt.Sprintf("%d -> %d: %s, CLEAR says %s", x.From, x.To, c, theirs.Colours[i]))
		}
		i++
	}
	for s := range m.NumStates() {
		mark := autx.NoNeighbourhood
		if kind, is := ours.Kind(lts.State(s)); is {
			mark = autx.KindOf(kind)
		}
		if mark != theirs.Kinds[lts.State(s)] {
			differences = append(differences, fmt.Sprintf("state %d: %q, CLEAR says %q", s, mark, theirs.Kinds[lts.State(s)]))
		}
	}
	if len(differences) > 0 {
		t.Errorf("differences:\n%s", strings.Join(differences, "\n"))
	}
	// The layout is CLEAR's: but for the sink, the bytes are the same.
	var written strings.Builder
	if _, err := autx.Write(&written, ours); err != nil {
		t.Fatal(err)
	}
	sink := fmt.Sprintf(", %d)", theirs.Sink)
	got, want := strings.Split(written.String(), "\n"), strings.Split(text, "\n")
	slices.Sort(want)
	for i, line := range got {
		got[i] = strings.ReplaceAll(line, sink, ", -1)")
	}
	slices.Sort(got)
	for i, line := range want {
		if strings.HasSuffix(line, ", -1)") {
			source, _, _ := strings.Cut(line, ",")
			want[i] = source + `, "SAFE":GREEN, -1)`
		}
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("written\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
