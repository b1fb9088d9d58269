// Package inev is the root of a toolkit that explains why a property of runs, such
// as "A happens and later B", fails on a labelled transition system. It has no code.
// The command is in cmd/inev.
//
// A program needs four packages first, and a Go test only inevtest:
//
//	format    opens a model, whatever tool wrote it: format.Open
//	formula   reads a property, in any syntax: formula.Parse
//	explain   explains why it fails, or why it holds: explain.Explain
//	report    writes the explanation as text, Markdown or JSON: report.New
//
// All packages, folder by folder, in the order in which data flows through them:
//
//   - [github.com/inev-lts/inev/lts]: a labelled transition system in compressed rows;
//     Explore builds one from a Go program
//   - [github.com/inev-lts/inev/lts/scc]: strongly connected components
//   - [github.com/inev-lts/inev/aut]: .aut in and out, in every dialect, plain or
//     compressed
//   - [github.com/inev-lts/inev/property]: what a model is checked against: a
//     deterministic automaton over its labels, as a chain (progress through steps) or a
//     table (an Emerson–Lei condition, a verdict for runs that end)
//   - [github.com/inev-lts/inev/property/product]: the pairs of state and property state
//     that can be reached, as an LTS of their own; which of its cycles a condition
//     accepts
//   - [github.com/inev-lts/inev/actl]: formulas: parse, print as ACTL, MCL and
//     mu-calculus, bind to an alphabet
//   - [github.com/inev-lts/inev/enrich]: max and common prefixes and suffixes
//   - [github.com/inev-lts/inev/neighbourhood/fate]: sure, lost or open: what can become
//     of a run, and by that the class of each transition; for a chain from enrich, for
//     other properties from product
//   - [github.com/inev-lts/inev/neighbourhood]: the states where classes part
//   - [github.com/inev-lts/inev/format]: opens models in all formats; the one place that
//     picks the reader, by content first
//   - [github.com/inev-lts/inev/formula]: properties in all syntaxes; the one place that
//     picks the reader
//   - [github.com/inev-lts/inev/counterexample]: violating runs: a shortest one, all of
//     them, one with a pattern, one that was given
//   - [github.com/inev-lts/inev/ctl]: formulas of computation tree logic, checked in the
//     initial state of a model
//   - [github.com/inev-lts/inev/simplify]: the abstraction of a counterexample to its
//     decisions, its fates, its point of no return
//   - [github.com/inev-lts/inev/explain]: the main job as one call: Explanation, plain
//     data
//   - [github.com/inev-lts/inev/compare]: how the behaviour of two models differs, where
//     a counterexample leaves the other version
//   - [github.com/inev-lts/inev/diagram]: pictures of an explanation, as DOT, SVG and PNG
//   - [github.com/inev-lts/inev/report]: results as text, Markdown, JSON and TSV
//   - [github.com/inev-lts/inev/batch]: many models and properties in one go
//   - [github.com/inev-lts/inev/inevtest]: properties of models, and of Go programs,
//     checked in Go tests
//
// A page for a browser is what the command writes (inev explain --html), and what a test of inevtest
// leaves when it fails; diagram draws pictures.
//
// The example of this page, in example_test.go, is a program that prints where a run is decided. From a
// formula to enriched states without explain: Formula.Bind and Property.Chain of package property,
// scc.Find, then enrich.
package inev
