// Package inev is the root of a toolkit that explains why an inevitability
// property fails on a labelled transition system: on every run A happens, and
// later B. It holds no code; the packages do, here in the order in which data
// flows through them.
//
//   - [github.com/inev-lts/inev/lts]: labelled transition systems, immutable and
//     in compressed rows
//   - [github.com/inev-lts/inev/aut]: .aut files in and out
//   - [github.com/inev-lts/inev/lts/generate]: synthetic models, and those of
//     algorithms for n processes
//   - [github.com/inev-lts/inev/property]: what models are checked against: a
//     deterministic automaton over their labels
//   - [github.com/inev-lts/inev/property/sample]: short runs that show what a property
//     means
//   - [github.com/inev-lts/inev/counterexample/run]: runs of models, and whether they satisfy a
//     property
//   - [github.com/inev-lts/inev/lts/bfs]: breadth-first searches: distances and
//     shortest paths
//   - [github.com/inev-lts/inev/lts/scc]: strongly connected components
//   - [github.com/inev-lts/inev/property/fairset]: what fairness means for a set of
//     transitions that a run takes for ever
//   - [github.com/inev-lts/inev/property/product]: models in which each state knows the
//     state of a property
//   - [github.com/inev-lts/inev/formula/temporal]: linear temporal logic, and its
//     translation to deterministic automata
//   - [github.com/inev-lts/inev/actl]: formulas, and their binding to the labels
//     of a model
//   - [github.com/inev-lts/inev/formula/ltl]: formulas of linear temporal logic, and
//     their binding to the labels of a model
//   - [github.com/inev-lts/inev/formula]: properties in all syntaxes: picks the
//     reader
//   - [github.com/inev-lts/inev/certificate/verify]: evidence for results,
//     checked without what computed them
//   - [github.com/inev-lts/inev/formula/hoa]: deterministic automata of HOA files as
//     properties
//   - [github.com/inev-lts/inev/buchi]: Büchi automata, in and out, and short
//     counterexamples in them
//   - [github.com/inev-lts/inev/enrich]: how much of a chain lies before and
//     behind each state
//   - [github.com/inev-lts/inev/explain/internal/assume]: which assumptions about infinite runs
//     would make a property true
//   - [github.com/inev-lts/inev/neighbourhood/fate]: what can still become of a run, and the
//     class of each transition
//   - [github.com/inev-lts/inev/neighbourhood/monitor]: runs judged as they happen, action by
//     action
//   - [github.com/inev-lts/inev/simplify/quotient]: small models of large ones: labels
//     hidden, states merged
//   - [github.com/inev-lts/inev/neighbourhood]: the class of each transition, and
//     the states at which classes part
//   - [github.com/inev-lts/inev/format/autx]: CLEAR's .autx files, models with classes,
//     in and out
//   - [github.com/inev-lts/inev/format/states]: the values of states, beside a model
//   - [github.com/inev-lts/inev/ctl]: formulas of computation tree logic, over
//     states and actions
//   - [github.com/inev-lts/inev/ctl/wmc/verify]: evidence for formulas of that logic,
//     checked without what computed it
//   - [github.com/inev-lts/inev/ctl/wmc]: that logic, checked locally, with witnesses
//     and counterexamples over sets of states
//   - [github.com/inev-lts/inev/ctl/argument]: why a formula of computation tree logic
//     holds, or does not, as a tree of claims
//   - [github.com/inev-lts/inev/format/internal/mcrl2]: mCRL2's .lts files
//   - [github.com/inev-lts/inev/format/internal/fsm]: .fsm files of mCRL2 and LTSmin
//   - [github.com/inev-lts/inev/format/internal/tlc]: state graphs of TLA+'s TLC
//   - [github.com/inev-lts/inev/format]: models in all formats: picks the reader
//   - [github.com/inev-lts/inev/counterexample]: shortest runs that violate a
//     property
//   - [github.com/inev-lts/inev/counterexample/sequence]: counterexamples that other tools wrote,
//     read as given traces
//   - [github.com/inev-lts/inev/simplify]: the part of a run that is worth
//     reading
//   - [github.com/inev-lts/inev/explain/repair]: what to forbid so that a property holds,
//     and the nearest correct run
//   - [github.com/inev-lts/inev/explain]: all of this as one call
//   - [github.com/inev-lts/inev/report/internal/claim]: what people are told of it, claim by claim
//   - [github.com/inev-lts/inev/diagram/view]: what a picture of it shows, as plain data
//   - [github.com/inev-lts/inev/certificate]: evidence for all that is claimed
//   - [github.com/inev-lts/inev/report]: results as text, JSON, tables and
//     Markdown
//   - [github.com/inev-lts/inev/diagram/internal/typeface]: the letters of pictures
//   - [github.com/inev-lts/inev/diagram/graphviz]: layouts by Graphviz, which is
//     inside
//   - [github.com/inev-lts/inev/diagram/internal/raster]: pictures as pixels
//   - [github.com/inev-lts/inev/diagram]: views drawn as DOT, SVG, PNG and Mermaid
//   - [github.com/inev-lts/inev/report/page]: results as a page to walk through in
//     a browser
//   - [github.com/inev-lts/inev/report/page/serve]: the same page over a model
//     that is too large for it, on a port of this machine
//   - [github.com/inev-lts/inev/batch]: many models and properties in one go, and
//     no result lost
//   - [github.com/inev-lts/inev/batch/summary]: the results of a batch, summed up
//     for teams and CI servers
//   - [github.com/inev-lts/inev/cmd/inev]: the command
//
// A program that wants an explanation reads a model with format.Open, a formula
// with formula.Parse, and calls explain.Explain.
package inev
