package buchi

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/inev-lts/inev/internal/automata"
)

// WriteHOA writes an automaton as HOA v1 with state-based Büchi acceptance and a
// label on every edge: t where it has none. [ReadHOA] gives the same automaton
// and description back, origins aside.
//
// It fails, before anything is written, where a label or an alias is no
// expression over the propositions and the aliases before it, where a name
// stands twice, and where there are names for some states only; and where w
// fails. Cost O(size of the description).
func WriteHOA(w io.Writer, d *Description) error {
	if err := d.check(); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	d.writeHeader(out)
	for i := range d.Automaton.NumStates() {
		d.writeState(out, State(i))
	}
	out.WriteString("--END--\n")
	return out.Flush()
}

func (d *Description) writeHeader(out *bufio.Writer) {
	out.WriteString("HOA: v1\n")
	if d.Name != "" {
		fmt.Fprintf(out, "name: %s\n", automata.Quote(d.Name))
	}
	fmt.Fprintf(out, "States: %d\nStart: %d\nAP: %d", d.Automaton.NumStates(), d.Automaton.Initial(), len(d.Propositions))
	for _, name := range d.Propositions {
		fmt.Fprintf(out, " %s", automata.Quote(name))
	}
	out.WriteByte('\n')
	for _, alias := range d.Aliases {
		fmt.Fprintf(out, "Alias: %s %s\n", alias.Name, alias.Text)
	}
	out.WriteString("acc-name: Buchi\nAcceptance: 1 Inf(0)\n" +
		"properties: trans-labels explicit-labels state-acc no-univ-branch\n--BODY--\n")
}

func (d *Description) writeState(out *bufio.Writer, s State) {
	out.WriteString("State: " + strconv.Itoa(int(s)))
	if d.Names != nil && d.Names[s] != "" {
		out.WriteString(" " + automata.Quote(d.Names[s]))
	}
	if d.Automaton.Accepting(s) {
		out.WriteString(" {0}")
	}
	out.WriteByte('\n')
	targets, labels := d.Automaton.Out(s)
	for i, t := range targets {
		label := "t"
		if labels != nil {
			label = labels[i]
		}
		out.WriteString("[" + label + "] " + strconv.Itoa(int(t)) + "\n")
	}
}

// check reports whether what is to be written can be read back.
func (d *Description) check() error {
	if d.Names != nil && len(d.Names) != d.Automaton.NumStates() {
		return fmt.Errorf("buchi: there are %d names for %d states", len(d.Names), d.Automaton.NumStates())
	}
	labels, err := automata.NewLabels(d.Propositions, d.Aliases)
	if err != nil {
		return fmt.Errorf("buchi: %w", err)
	}
	for _, label := range d.Automaton.labels {
		if err := labels.Check(label); err != nil {
			return fmt.Errorf("buchi: %w", err)
		}
	}
	return nil
}
