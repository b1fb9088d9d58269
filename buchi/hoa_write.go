package buchi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
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
		fmt.Fprintf(out, "name: %s\n", quoteHOA(d.Name))
	}
	fmt.Fprintf(out, "States: %d\nStart: %d\nAP: %d", d.Automaton.NumStates(), d.Automaton.Initial(), len(d.Propositions))
	for _, name := range d.Propositions {
		fmt.Fprintf(out, " %s", quoteHOA(name))
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
		out.WriteString(" " + quoteHOA(d.Names[s]))
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

// quoteHOA writes a string of the format: only quotes and backslashes are
// escaped.
func quoteHOA(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// check reports whether what is to be written can be read back.
func (d *Description) check() error {
	if d.Names != nil && len(d.Names) != d.Automaton.NumStates() {
		return fmt.Errorf("buchi: there are %d names for %d states", len(d.Names), d.Automaton.NumStates())
	}
	known := map[string]bool{}
	for _, name := range d.Propositions {
		if known[name] {
			return fmt.Errorf("buchi: the atomic proposition %s stands twice", quote(name))
		}
		known[name] = true
	}
	h := &header{propositions: d.Propositions, numbers: map[string]int{}}
	for i, alias := range d.Aliases {
		if err := h.checkAlias(alias.Name); err != nil {
			return err
		}
		if err := h.checkLabel(alias.Text); err != nil {
			return fmt.Errorf("buchi: the alias %s: %w", alias.Name, err)
		}
		h.numbers[alias.Name] = i
	}
	checked := map[string]bool{}
	for _, label := range d.Automaton.labels {
		if checked[label] {
			continue
		}
		checked[label] = true
		if err := h.checkLabel(label); err != nil {
			return fmt.Errorf("buchi: the label %s: %w", quote(label), err)
		}
	}
	return nil
}

// checkAlias checks the name of an alias.
func (h *header) checkAlias(name string) error {
	p := newParser(context.Background(), strings.NewReader(name), "")
	if err := p.advance(); err != nil || p.tok.kind != tokenAlias || p.tok.text != name {
		return fmt.Errorf(`buchi: %s is no name of an alias; it takes "@" and letters, digits, "-" or "_"`, quote(name))
	}
	if _, again := h.numbers[name]; again {
		return fmt.Errorf("buchi: the alias %s is defined twice", quote(name))
	}
	return nil
}

// checkLabel checks that text is a label expression and nothing more.
func (h *header) checkLabel(text string) error {
	p := newParser(context.Background(), strings.NewReader(text), "label")
	if err := p.advance(); err != nil {
		return err
	}
	if _, err := p.label(h); err != nil {
		return err
	}
	if p.tok.kind != tokenEnd {
		return p.unexpected(`"&", "|" or the end of the label`)
	}
	return h.checkMentioned(p)
}
