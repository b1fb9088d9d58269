// Package inevtest checks properties of models in Go tests: a test that fails says why, in the
// words of inev explain, and leaves the page of the explanation.
//
// A model is a file in any format that package format reads ([Open]), or it is made from a Go
// program ([Explore]): from a first state and a function that returns the steps of a state.
//
//	func TestEveryRequestIsAnswered(t *testing.T) {
//		m := inevtest.Explore(t, client{}, client.next)
//		inevtest.Holds(t, m, "Response(send; {done, failed})")
//	}
//
// A test passes only if the property was decided, for all runs of the model, and holds.
package inevtest

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/ctl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/format/frontend"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/lts"
)

// Model is the model whose properties are checked. It does not change, and several tests may
// share it.
type Model struct {
	lts      *lts.LTS
	name     string
	values   *lts.Values // nil if states have none
	warnings []string
}

// String returns the name and the size of the model.
func (m *Model) String() string {
	switch {
	case m == nil:
		return "<nil>"
	case m.lts == nil:
		return "no model"
	}
	return m.name + ": " + m.lts.String()
}

// Open reads the model in a file. If the file is a specification, an installed tool makes the
// model. The test ends if it cannot be read.
func Open(t testing.TB, file string) *Model {
	t.Helper()
	maker := &frontend.Maker{}
	m, warnings, err := maker.Open(t.Context(), frontend.Specification{Path: file}, format.Options{
		Name:   file,
		States: true,
	})
	if err = errors.Join(err, maker.Close()); err != nil {
		t.Fatalf("inevtest: %v", err)
	}
	return &Model{
		lts:      m.LTS,
		name:     file,
		values:   m.States,
		warnings: warnings,
	}
}

// Of returns a model made by package lts; name is its name in explanations.
func Of(name string, m *lts.LTS) *Model { return &Model{lts: m, name: name} }

// Option is a setting of a check.
type Option func(*settings)

type settings struct {
	fair           []string
	allowUnmatched bool
}

// Fair restricts the check to the runs that satisfy an assumption, written as for inev:
// full, weak, strong, weak:A,B or finitely:LOSS.
func Fair(assumption string) Option {
	return func(s *settings) { s.fair = append(s.fair, assumption) }
}

// AllowUnmatched allows a step of the formula that matches no label of the model, and so never
// happens. Without it the test ends, since such a step is usually a typing error.
func AllowUnmatched() Option {
	return func(s *settings) {
		s.allowUnmatched = true
	}
}

// Holds checks that a model satisfies a formula in any of the syntaxes of inev, such as Inev(REQ,
// ACK). If it does not, the test fails and continues; if the formula cannot be read, the test ends.
// Cost: as [explain.Explain].
func Holds(t testing.TB, m *Model, text string, options ...Option) {
	t.Helper()
	e := explained(t, m, text, options)
	if e.Verdict == explain.Violated {
		fail(t, e)
	}
}

// Violates checks that a model violates a formula, for the test of a known fault: the test fails once
// somebody has mended the fault. [Golden] shows whether the fault has become another one. The test ends as in
// [Holds].
func Violates(t testing.TB, m *Model, text string, options ...Option) {
	t.Helper()
	e := explained(t, m, text, options)
	if e.Verdict != explain.Violated {
		t.Errorf("inevtest: this should be violated, but holds\n\n%s", written(t, e))
	}
}

// HoldsCTL checks that the first state of a model satisfies a formula of computation tree logic,
// such as AG EF <ACK> true: an ACK stays possible, whatever happens. If it does not, the test fails
// and continues; if the formula cannot be read, the test ends. Cost: as [ctl.Check].
func HoldsCTL(t testing.TB, m *Model, text string) {
	t.Helper()
	requireModel(t, m, text)
	f, err := ctl.Parse(t.Context(), text)
	requireFormula(t, err, "Holds", err != nil && isOfRuns(t.Context(), text))
	answer, err := ctl.Check(t.Context(), m.lts, f, ctl.Options{States: m.values})
	if err != nil {
		t.Fatalf("inevtest: %s: %v", text, err)
	}
	if answer.Holds {
		return
	}
	var why strings.Builder
	if err := answer.WriteArgument(&why); err != nil {
		t.Fatalf("inevtest: %s violates %s; there is no argument: %v", m.name, text, err)
	}
	t.Errorf("inevtest: %s violates %s\n\n%s", m.name, text, &why)
}

// Bound checks that a model satisfies a formula, and takes at most the given number of transitions to
// do so. Inevitability counts them from the start, other properties from where something becomes
// pending. The test fails as in [Holds], or if a run can take more transitions or if there is no bound.
func Bound(t testing.TB, m *Model, text string, most int, options ...Option) {
	t.Helper()
	e := explained(t, m, text, options)
	switch {
	case e.Verdict == explain.Violated:
		fail(t, e)
	case e.Reasons == nil || !e.Reasons.Complete:
		t.Errorf("inevtest: %s holds, but how long it takes is not known\n\n%s", text,
			written(t, e))
	default:
		excess := excessOver(most, e.Reasons.Bounds)
		if excess != "" {
			t.Errorf("inevtest: %s holds, but %s\n\n%s", text, excess, written(t, e))
		}
	}
}

// excessOver says how the first of the bounds that is too large exceeds a number of transitions; "" if none does.
func excessOver(most int, bounds []explain.Bound) string {
	for _, b := range bounds {
		if b.Most == nil {
			return "without a bound; it should take at most " + transitions(most)
		}
		if *b.Most > most {
			return fmt.Sprintf("it can take %s, more than %d", transitions(*b.Most), most)
		}
	}
	return ""
}

// transitions names a number of transitions.
func transitions(n int) string {
	if n == 1 {
		return "1 transition"
	}
	return fmt.Sprintf("%d transitions", n)
}

// update is the environment variable that, if it is not empty, makes [Golden] write the file
// instead of comparing with it.
const update = "INEVTEST_UPDATE"

// Golden compares the explanation with the text in a file, whatever the verdict, so that
// a review sees each change of it. INEVTEST_UPDATE=1 go test writes the file.
func Golden(t testing.TB, m *Model, text, file string, options ...Option) {
	t.Helper()
	got := written(t, explained(t, m, text, options))
	if os.Getenv(update) != "" {
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if err == nil {
			err = os.WriteFile(file, []byte(got), 0o644)
		}
		if err != nil {
			t.Fatalf("inevtest: %v", err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("inevtest: %v; %s=1 go test writes it", err, update)
	}
	if string(want) != got {
		t.Errorf("inevtest: the explanation is not that in %s (%s=1 go test writes it anew); - is there, + is new:\n%s", file, update, difference(string(want), got))
	}
}

// requireModel ends the test if there is no model.
func requireModel(t testing.TB, m *Model, text string) {
	t.Helper()
	switch {
	case m == nil:
		t.Fatalf("inevtest: %s is about a nil *Model; Open, Explore and Of return one", text)
	case m.lts == nil:
		t.Fatalf("inevtest: %s is about a *Model without an LTS; Open, Explore and Of return one", text)
	}
}

// requireFormula ends the test if err, the error of the reader of a formula, is not nil. If another function of this
// package reads the formula, the message names it.
func requireFormula(t testing.TB, err error, reader string, isReadThere bool) {
	t.Helper()
	switch {
	case err == nil:
	case isReadThere:
		t.Fatalf("inevtest: %v; %s reads this formula%s", err, reader, caretOf(err))
	default:
		t.Fatalf("inevtest: %v%s", err, caretOf(err))
	}
}

// isOfRuns reports whether [Holds] reads a formula.
func isOfRuns(ctx context.Context, text string) bool {
	_, err := formula.Parse(ctx, text)
	return err == nil
}

// isCTL reports whether [HoldsCTL] reads a formula.
func isCTL(ctx context.Context, text string) bool {
	_, err := ctl.Parse(ctx, text)
	return err == nil
}

// explained returns the explanation, or ends the test.
func explained(t testing.TB, m *Model, text string, options []Option) *explain.Explanation {
	t.Helper()
	requireModel(t, m, text)
	ctx := t.Context()
	s := settings{}
	for _, o := range options {
		o(&s)
	}
	f, err := formula.Parse(ctx, text)
	requireFormula(t, err, "HoldsCTL", err != nil && isCTL(ctx, text))
	if err := f.Unmatched(ctx, m.lts.Alphabet()); err != nil && !s.allowUnmatched {
		t.Fatalf("inevtest: %v (AllowUnmatched takes it as a step that never happens)", err)
	}
	o := explain.Options{
		Source: explain.Source{
			File:     m.name,
			Warnings: m.warnings,
			States:   m.values,
		},
		Fair: s.assumptions(t),
	}
	e, err := explain.Explain(ctx, m.lts, f, o)
	if err != nil {
		t.Fatalf("inevtest: %s: %v", text, err)
	}
	return e
}

// assumptions returns the assumptions under which runs count, or ends the test if one cannot be read.
func (s *settings) assumptions(t testing.TB) []*actl.Assumption {
	t.Helper()
	var all []*actl.Assumption
	for _, text := range s.fair {
		a, err := actl.ParseAssumption(t.Context(), text)
		if err != nil {
			t.Fatalf("inevtest: %v", err)
		}
		all = append(all, a)
	}
	return all
}

// caretOf returns the lines that point at the error in the formula; nil if the error has no
// position.
func caretOf(err error) string {
	var placed interface{ Caret() string }
	if errors.As(err, &placed) && placed.Caret() != "" {
		return "\n" + placed.Caret()
	}
	return ""
}

// written returns the explanation as text.
func written(t testing.TB, e *explain.Explanation) string {
	t.Helper()
	w, err := render.New("text", render.Options{})
	if err != nil {
		t.Fatalf("inevtest: %v", err)
	}
	var text strings.Builder
	if err := w.Explanation(&text, e); err != nil {
		t.Fatalf("inevtest: %v", err)
	}
	return text.String()
}

// fail reports why the property is violated, and writes the page.
func fail(t testing.TB, e *explain.Explanation) {
	t.Helper()
	text := written(t, e)
	file, err := writePage(t, e)
	if err != nil {
		t.Errorf("%s\n(there is no page: %v)", text, err)
		return
	}
	t.Errorf("%s\nThe page to walk through it: %s", text, file)
}

// writePage writes the page to the folder of test artefacts with go test -artifacts, and else to a new folder that is kept.
func writePage(t testing.TB, e *explain.Explanation) (file string, err error) {
	tour, err := view.NewTour(t.Context(), e, 0)
	if err != nil {
		return "", err
	}
	engine := graphviz.New(view.MaxStops, "")
	defer engine.Close()
	p, err := page.New(t.Context(), engine, e, tour, page.Options{})
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	if err := p.Write(t.Context(), &text); err != nil {
		return "", err
	}
	folder, err := artifactFolder(t)
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(folder, "explanation-*.html")
	if err != nil {
		return "", err
	}
	_, err = f.Write(text.Bytes())
	return f.Name(), errors.Join(err, f.Close())
}

// artifactFolder returns the folder of test artefacts, or a new folder that is kept: without -artifacts, Go removes the
// folder of artefacts when the test ends.
func artifactFolder(t testing.TB) (string, error) {
	keeper, canKeep := t.(interface{ ArtifactDir() string })
	setting := flag.Lookup("test.artifacts") // nil before Go 1.26
	isRequested := setting != nil && setting.Value.String() == "true"
	if canKeep && isRequested {
		return keeper.ArtifactDir(), nil
	}
	return os.MkdirTemp("", "inevtest-")
}

// Step is a transition from a state: its label, and the state after it.
type Step[S comparable] struct {
	Label string
	To    S
}

// To returns the step with a label to a state.
func To[S comparable](label string, state S) Step[S] { return Step[S]{Label: label, To: state} }

// mostStates is the number of states after which [Explore] ends the test, unless [MaxStates] sets
// another number.
const mostStates = 1_000_000

// ExploreOption is a setting of [Explore].
type ExploreOption func(*exploration)

type exploration struct{ mostStates int }

// MaxStates lets [Explore] end the test after n states, in place of a million.
func MaxStates(n int) ExploreOption {
	return func(e *exploration) {
		e.mostStates = n
	}
}

// Explore makes the model of a Go program: its states are the states reachable from initial by
// the steps that next returns. The steps must depend on the state alone. If states are structs,
// explanations show their fields. The test ends if there are more than a million states, or more than [MaxStates]
// allows. Cost: a call of next for each state.
func Explore[S comparable](
	t testing.TB,
	initial S,
	next func(S) []Step[S],
	options ...ExploreOption,
) *Model {
	t.Helper()
	e := exploration{mostStates: mostStates}
	for _, o := range options {
		o(&e)
	}
	switch {
	case next == nil:
		t.Fatalf("inevtest: next is nil; it returns the steps of a state")
	case e.mostStates < 1:
		t.Fatalf("inevtest: MaxStates(%d) allows no state; give at least 1", e.mostStates)
	}
	eachStep := func(s S, do func(label string, to S)) {
		for _, step := range next(s) {
			do(step.Label, step.To)
		}
	}
	m, states, err := lts.Explore(t.Context(), initial, eachStep, e.mostStates)
	switch {
	case len(states) > e.mostStates:
		t.Fatalf("inevtest: more than %d states can be reached; the last one is %+v: does something count without a limit?", e.mostStates, states[e.mostStates])
	case err != nil:
		t.Fatalf("inevtest: %v", err)
	}
	return &Model{lts: m, name: "the program", values: valuesOf(t, states)}
}

// valuesOf returns the fields of states that are structs; nil for states of other types.
func valuesOf[S comparable](t testing.TB, states []S) *lts.Values {
	kind := reflect.TypeFor[S]()
	if kind.Kind() != reflect.Struct || kind.NumField() == 0 {
		return nil
	}
	// The table has a line for each state, with tabs between the fields.
	withoutBreaks := strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")
	var text strings.Builder
	for number, state := range states {
		fmt.Fprint(&text, number)
		value := reflect.ValueOf(state)
		for i := range kind.NumField() {
			fmt.Fprintf(&text, "\t%s=%s", kind.Field(i).Name,
				withoutBreaks.Replace(fmt.Sprint(value.Field(i))))
		}
		text.WriteString("\n")
	}
	table, err := lts.ReadValues(t.Context(), strings.NewReader(text.String()), "the program",
		len(states))
	if err != nil {
		t.Fatalf("inevtest: the states: %v", err)
	}
	return table
}
