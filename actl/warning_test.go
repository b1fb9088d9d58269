package actl

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/memoize"
	"github.com/inev-lts/inev/lts"
)

func TestWarnings(t *testing.T) {
	cadp := []string{"i", "PUT", "GET", "GET !1", "ACK !0", "ACK !1", "c3(d2, true)", "r1(d1)", "r1(d2)"}
	tests := []struct {
		labels  []string
		formula string
		want    []string
	}{
		{cadp, `Inev(PUT, GTE)`, []string{
			`step 2, "GTE", matches no label of the model, so it never happens; did you mean GET, "GET !1"?`}},
		{cadp, `Inev(PUT, {})`, []string{
			`step 2, {}, matches no label of the model, so it never happens; it is the empty set`}},
		{cadp, `Inev(get)`, []string{
			`step 1, "get", matches no label of the model, so it never happens; did you mean GET?`}},
		{cadp, `Inev("GET!1")`, []string{
			`step 1, "GET!1", matches no label of the model, so it never happens; did you mean "GET !1"?`}},
		{cadp, `Inev("\"PUT\"")`, []string{
			`step 1, "\"PUT\"", matches no label of the model, so it never happens; did you mean PUT?`}},
		{cadp, `Inev("c3(d2,true)")`, []string{
			`step 1, "c3(d2,true)", matches no label of the model, so it never happens; did you mean c3(d2, true)?`}},
		{cadp, `Inev("ACK")`, []string{ // a gate, but no label
			`step 1, "ACK", matches no label of the model, so it never happens; did you mean "ACK !0", "ACK !1", ACK?`}},
		{cadp, `Inev(ACK !2)`, []string{
			`step 1, "ACK !2", matches no label of the model, so it never happens; did you mean "ACK !0", "ACK !1", ACK?`}},
		{cadp, `Inev(AKC)`, []string{
			`step 1, "AKC", matches no label of the model, so it never happens; did you mean ACK, "ACK !0", "ACK !1"?`}},
		{cadp, `Inev(r1(d3))`, []string{
			`step 1, "r1(d3)", matches no label of the model, so it never happens; did you mean r1(d1), r1(d2), r1?`}},
		{cadp, `Inev(/^PTU$/)`, []string{
			`step 1, /^PTU$/, matches no label of the model, so it never happens; did you mean PUT?`}},
		{cadp, `Inev(GTE*)`, []string{
			`step 1, "GTE*", matches no label of the model, so it never happens; did you mean GET, "GET !1"?`}},
		{cadp, `Inev({GTE, PTU})`, []string{
			`step 1, {GTE, PTU}, matches no label of the model, so it never happens; did you mean GET, PUT, "GET !1"?`}},
		{cadp, `Inev({PUT, GTE}, {PUT, "AKC !0", x})`, []string{
			`step 1, {PUT, GTE}: "GTE" matches no label of the model; did you mean GET, "GET !1"?`,
			`step 2, {PUT, "AKC !0", x}: "AKC !0" matches no label of the model; did you mean "ACK !0", "ACK !1"?`,
			`step 2, {PUT, "AKC !0", x}: "x" matches no label of the model; none is similar: the model has i, c3, r1, …`}},
		{cadp, `Inev(GTE, PUT, GTE)`, []string{
			`step 1, "GTE", matches no label of the model, so it never happens; did you mean GET, "GET !1"?`}},
		{cadp, `Inev(PUT; ACK)`, []string{
			`step 1, "PUT; ACK", matches no label of the model, so it never happens; commas separate steps: PUT, ACK`}},
		{cadp, `Inev(PUT|r1(d1))`, []string{
			`step 1, "PUT|r1(d1)", matches no label of the model, so it never happens; it is one multi-action, of PUT and r1(d1); any of them is {PUT, r1(d1)} or, in a formula, PUT || r1(d1)`}},
		{cadp, `Inev(PUT|x)`, []string{
			`step 1, "PUT|x", matches no label of the model, so it never happens; none is similar: the model has PUT, GET, "GET !1", …`}},
		{cadp, `Inev("ACK*")`, []string{
			`step 1, "ACK*", matches no label of the model, so it never happens; in quotes, * and ? are no wildcards: write ACK* without quotes`}},
		{cadp, `Inev({GTE, "r1(d?)"})`, []string{
			`step 1, {GTE, "r1(d?)"}, matches no label of the model, so it never happens; in quotes, * and ? are no wildcards: write r1(d?) without quotes`}},
		{cadp, `Inev("AKC*")`, []string{
			`step 1, "AKC*", matches no label of the model, so it never happens; none is similar: the model has "ACK !0", "ACK !1", c3(d2, true), …`}},
		{cadp, `Inev(PUT; rate 2)`, []string{
			`step 1, "PUT; rate 2", matches no label of the model, so it never happens; did you mean PUT?`}},
		{[]string{"WAIT", "exit"}, `Inev(enter)`, []string{ // three edits of five are no slip
			`step 1, "enter", matches no label of the model, so it never happens; none is similar: the model has exit, WAIT`}},
		{[]string{"IN !LISTEN", "OUT !SYN+ACK", "LISTENS"}, `Inev(LISTEN)`, []string{
			`step 1, "LISTEN", matches no label of the model, so it never happens; did you mean "IN !LISTEN"?`}},
		{[]string{"OUT !Empty", "OUT !Hello+Certificate+Done", "IN !Hello"}, `Inev("OUT !Done")`, []string{
			`step 1, "OUT !Done", matches no label of the model, so it never happens; did you mean "OUT !Hello+Certificate+Done"?`}},
		{[]string{"tau"}, `Inev(x)`, []string{
			`step 1, "x", matches no label of the model, so it never happens; none is similar: the model has tau`}},
		{nil, `Inev(x)`, []string{
			`step 1, "x", matches no label of the model, so it never happens; the model has no labels`}},
		{cadp, `Inev(PUT, {GET, ACK}, r1, "GET !1", c3(d2,true))`, nil},
	}
	for _, test := range tests {
		_, warnings, _ := mustParse(t, test.formula).Bind(context.Background(), mustAlphabet(t, test.labels...))
		if !slices.Equal(warnings, test.want) {
			t.Errorf("%s:\n%s\nwant\n%s", test.formula, strings.Join(warnings, "\n"), strings.Join(test.want, "\n"))
		}
	}
}

// TestOnlySlipsAreProposed compares what is proposed for a name with the names of which it can be a slip, by the
// definition: one edit, at most a third of the characters edited, or two neighbours are exchanged.
func TestOnlySlipsAreProposed(t *testing.T) {
	name := rapid.StringMatching(`[a-d]{1,7}`)
	rapid.Check(t, func(t *rapid.T) {
		typed := name.Draw(t, "typed")
		labels := rapid.SliceOfNDistinct(name.Filter(func(l string) bool { return l != typed }), 1, 3, rapid.ID).Draw(t, "labels")
		a, err := lts.NewAlphabet(labels)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Parse(context.Background(), "Inev("+typed+")")
		if err != nil {
			t.Fatal(err)
		}
		var slips []string
		for _, label := range labels {
			if canBeSlip(typed, label) {
				slips = append(slips, label)
			}
		}
		_, warnings, _ := f.Bind(context.Background(), a)
		_, list, areProposed := strings.Cut(strings.Join(warnings, "\n"), "did you mean ")
		var proposed []string
		if areProposed {
			proposed = strings.Split(strings.TrimSuffix(list, "?"), ", ")
		}
		for _, label := range proposed {
			if !slices.Contains(slips, label) {
				t.Errorf("%s is proposed for %s, of %q", label, typed, labels)
			}
		}
		if len(slips) > 0 && len(proposed) == 0 {
			t.Errorf("nothing is proposed for %s, and it can be a slip of %q", typed, slips)
		}
	})
}

func canBeSlip(typed, label string) bool {
	for i := 1; i < len(typed); i++ {
		exchanged := []byte(typed)
		exchanged[i-1], exchanged[i] = exchanged[i], exchanged[i-1]
		if string(exchanged) == label && len(typed) > 2 {
			return true
		}
	}
	edits := editsBetween(typed, label)
	return edits < len(typed) && (edits == 1 || 3*edits <= max(len(typed), len(label)))
}

// editsBetween is the distance by its definition, without a table.
func editsBetween(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	if a[0] == b[0] {
		return editsBetween(a[1:], b[1:])
	}
	return 1 + min(editsBetween(a[1:], b[1:]), editsBetween(a[1:], b), editsBetween(a, b[1:]))
}

func TestManyWarnings(t *testing.T) {
	steps := make([]string, 50)
	for i := range steps {
		steps[i] = fmt.Sprint("x", i)
	}
	_, warnings, _ := mustParse(t, "Inev("+strings.Join(steps, ", ")+")").Bind(context.Background(), mustAlphabet(t, "x"))
	if len(warnings) != maxWarnings+1 || warnings[maxWarnings] != "30 more patterns match no label of the model" {
		t.Errorf("%d warnings, the last is %s", len(warnings), warnings[len(warnings)-1])
	}
}

// TestNearestIsBounded has labels that are too long and too many to be compared in
// full; the suggestion must come from those that are looked at.
func TestNearestIsBounded(t *testing.T) {
	labels := make([]string, nearestLabels+1)
	for i := range labels {
		labels[i] = fmt.Sprintf("%06d", i) + strings.Repeat("x", 100)
	}
	labels[7] = "start" + strings.Repeat("y", 100_000)
	labels[nearestLabels-1] = "LAST"
	labels[nearestLabels] = "end"
	a := mustAlphabet(t, labels...)
	near := newNearest(a)
	patterns, similar := near.closest(context.Background(), []element{newBare("start" + strings.Repeat("y", 200_000))})
	if !similar || patterns[0] != labels[7] {
		t.Errorf("similar: %t, %d patterns", similar, len(patterns))
	}
	// The work is used up by then, but case is compared all the same.
	if patterns, _ := near.closest(context.Background(), []element{newBare("last")}); !slices.Equal(patterns, []string{"LAST"}) {
		t.Errorf("patterns %v", patterns)
	}
	if patterns, similar := near.closest(context.Background(), []element{newBare("edn")}); similar || len(patterns) != nearestShown {
		t.Errorf("similar: %t, %d patterns", similar, len(patterns))
	}
}

// TestWarningsAreShort: a label of megabytes is not written into a warning, neither that
// of the pattern nor that of the model.
func TestWarningsAreShort(t *testing.T) {
	long := strings.Repeat("x", 1_000_000)
	var b lts.Builder
	for _, label := range []string{"A", long + "y"} {
		b.Add(0, b.Label(label), 0)
	}
	m, err := b.Build(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, formula := range []string{`Inev("` + long + `")`, `Inev({A, "` + long + `"})`} {
		_, warnings, _ := mustParse(t, formula).Bind(context.Background(), m.Alphabet())
		if len(warnings) != 1 || len(warnings[0]) > 1000 {
			t.Errorf("%d warnings, of %d bytes", len(warnings), len(strings.Join(warnings, "")))
		}
	}
}

// TestCandidatesAreCollectedOnce: whoever remembers does not pay for the labels of a model with each mistake.
func TestCandidatesAreCollectedOnce(t *testing.T) {
	a := mustAlphabet(t, "A", "B !1")
	var m memoize.Memory
	ctx := m.With(context.Background())
	first := newWarner(ctx, a, stepNoun).candidates()
	if newWarner(ctx, a, stepNoun).candidates() != first {
		t.Error("the candidates of one alphabet are collected twice")
	}
	if other := mustAlphabet(t, "C"); newWarner(ctx, other, stepNoun).candidates() == first {
		t.Error("two alphabets have the same candidates")
	}
}
