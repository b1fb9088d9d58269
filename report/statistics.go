package report

import (
	"strconv"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
)

// fact is one of the statistics of a model.
type fact struct {
	name   string // for programs
	title  string // for people; of a detail of the fact above it, indented
	values []string
	texts  bool   // values are names, not a number
	note   string // the meaning of the fact
}

const parameterFact = "parameter"

func number(name, title string, n int, note string) fact {
	return fact{name, title, []string{strconv.Itoa(n)}, false, note}
}

// factsOf returns the statistics in the order of the report: the size of the model, obvious faults,
// its structure.
func factsOf(s *explain.Statistics) []fact {
	m := s.Model
	facts := []fact{
		{"file", "model", []string{m.File}, true, ""},
		initialOf(m),
		number("states", "states", m.States, ""),
		number("reachable_states", "  reachable", m.ReachableStates, "from the initial state"),
		number("unreachable_states", "  unreachable", m.States-m.ReachableStates, "no part of any run"),
		number("transitions", "transitions", m.Transitions, ""),
		number("reachable_transitions", "  reachable", m.ReachableTransitions, "leave a reachable state"),
		number("max_out_degree", "  most from one state", s.MaxOutDegree, ""),
		number("labels", "labels", m.Labels, "different actions"),
		number("deadlocks", "deadlocks", m.Deadlocks, "reachable states in which nothing can happen any more"),
		number("nondeterministic_states", "non-deterministic states", s.Nondeterministic, "one action leads to different states"),
		{"internal_label", "internal actions", s.Internal, true, "not visible from outside"},
		number("internal_transitions", "  transitions", s.InternalTransitions, ""),
		number("divergent_states", "  divergent states", s.Divergent, "on a cycle of internal actions: the system may stay silent for ever"),
		number("sccs", "strongly connected components", m.SCCs, "sets of states that all reach each other"),
		number("cyclic_sccs", "  with a cycle", s.CyclicSCCs, "a run can stay in them for ever"),
		number("largest_scc", "  states of the largest", s.LargestSCC, ""),
		number("depth", "  depth", m.Depth, "how often a run can move on from one to another, at most"),
	}
	if len(s.Parameters) > 0 {
		var names []string
		for _, p := range s.Parameters {
			name := p.Name
			if p.Sort != "" {
				name += ": " + p.Sort
			}
			names = append(names, name)
		}
		facts = append(facts, fact{parameterFact, "parameters", names, true, "what states have values of"})
	}
	return facts
}

// initialOf returns the row about where runs begin: the number of initial states if there are
// several, and the initial state otherwise.
func initialOf(m explain.Model) fact {
	if m.InitialStates > 0 {
		return number("initial_states", "initial states", m.InitialStates, "runs begin in each of them")
	}
	return number("initial", "initial state", int(m.Initial), "")
}

// shown returns the values in the form for people.
func (f fact) shown(quote func(string) string) string {
	if len(f.values) == 0 {
		return "none"
	}
	quoted := make([]string, len(f.values))
	for i, value := range f.values {
		quoted[i] = quote(value)
	}
	return strings.Join(quoted, ", ")
}

// statisticsResult is the result of explain.Describe. Text has three columns: a long note takes
// several lines, and a note that does not fit next to a long name begins below it.
func statisticsResult(s *explain.Statistics) result {
	return result{
		people: func(to sheet) {
			apart(to, func(t *textSheet) { factsText(t, factsOf(s)) }, func(m *markdownSheet) { factsMarkdown(m, factsOf(s)) })
		},
		table: tableOf("name | value", func(row func(cells ...any)) {
			for _, f := range factsOf(s) {
				for _, value := range f.values {
					row(f.name, modelText(value))
				}
			}
		}),
		object: struct {
			Schema string `json:"schema"`
			*explain.Statistics
		}{"inev.statistics/1", s},
	}
}

func factsText(t *textSheet, facts []fact) {
	title, value := 0, 0
	for _, f := range facts {
		title = max(title, len(f.title))
		if !f.texts {
			value = max(value, len(f.values[0]))
		}
	}
	for _, f := range facts {
		if f.name == parameterFact {
			// There can be many parameters, so their lines are wrapped.
			f.note, f.values = "what states have values of: "+f.shown(printable.Text), []string{strconv.Itoa(len(f.values))}
		}
		line := pad(f.title, title, false) + "  " + pad(f.shown(printable.Text), value, false) + "  "
		indent := displayWidth(line)
		for _, note := range wrapped(f.note, max(LeastWidth, t.o.width()-indent)) {
			t.line(strings.TrimRight(line+note, " "))
			line = strings.Repeat(" ", indent)
		}
	}
}

func factsMarkdown(m *markdownSheet, facts []fact) {
	m.table(tableOf(" | value: | meaning", func(row func(cells ...any)) {
		for _, f := range facts {
			quote := printable.Text
			if f.texts {
				quote = printable.CodeCell
			}
			detail, isDetail := strings.CutPrefix(f.title, "  ")
			if isDetail {
				detail = "– " + detail
			}
			row(detail, formatted(f.shown(quote)), f.note)
		}
	}))
}
