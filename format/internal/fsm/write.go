package fsm

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// standIn is the text that is written for a value that a state lacks. If states without values must
// be listed, it is also the only value of the one parameter that is written for them.
const standIn = ""

// Write writes a model, with the values of its states unless they are nil, so that [Read] gives
// both again. The format has no quotes in texts: a label with a quote is an error before anything
// is written, and quotes in values become apostrophes, with a warning. A state without a value of a
// parameter gets an empty value. It fails if w does. Cost O(S parameters + T).
func Write(w io.Writer, m *lts.LTS, values *lts.Values) (warnings []string, err error) {
	for _, text := range m.Alphabet().All() {
		if strings.ContainsAny(text, "\"\n") {
			return nil, fmt.Errorf("the label %s has a quote or a line feed, for which the format .fsm has no place: write the model as .aut", printable.Echo(text))
		}
	}
	if values != nil && values.NumParameters() == 0 {
		values = nil
	}
	if values != nil {
		for p := range values.NumParameters() {
			name := values.Parameter(p).Name
			if name == "" || strings.ContainsAny(name, "(\"\n") {
				return nil, fmt.Errorf("the parameter %s has no name, or one with a parenthesis or a quote, for which the format .fsm has no place", printable.Echo(name))
			}
		}
	}
	b := &writer{to: bufio.NewWriterSize(w, 64<<10), m: m, values: values}
	b.writeParameters()
	b.separate()
	b.writeStates()
	b.separate()
	b.writeTransitions()
	if m.Initial() != 0 { // without an entry the first state is initial; LTSmin does not know the entry
		b.separate()
		b.number(uint64(m.Initial())+1, '\n')
	}
	if b.replaced != "" {
		warnings = []string{"quotes in values of " + printable.Echo(b.replaced) +
			" are written as apostrophes, for the format .fsm has no place for them"}
	}
	return warnings, b.to.Flush()
}

type writer struct {
	to     *bufio.Writer // its first error is that of Flush
	m      *lts.LTS
	values *lts.Values
	// replaced is the name of the first parameter with a value in which quotes were replaced; "" if
	// there is none.
	replaced string
	digits   []byte
}

func (w *writer) separate() { _, _ = w.to.WriteString(separator + "\n") }

// number writes a number and what follows it.
func (w *writer) number(n uint64, end byte) {
	w.digits = append(strconv.AppendUint(w.digits[:0], n, 10), end)
	_, _ = w.to.Write(w.digits)
}

// listsStates reports whether states have to be listed though they have no values: without a list,
// a reader infers the number of states from the largest one that a transition mentions.
func (w *writer) listsStates() bool {
	last := lts.State(w.m.NumStates() - 1)
	for t := range w.m.Transitions() {
		if t.From == last || t.To == last {
			return false
		}
	}
	return true
}

// writeParameters writes each parameter with its sort and values. If some state has no value of the
// parameter, there is one more value for such states.
func (w *writer) writeParameters() {
	if w.values == nil {
		if w.listsStates() {
			fmt.Fprintf(w.to, "state(1) State %q\n", standIn)
		}
		return
	}
	for p := range w.values.NumParameters() {
		parameter := w.values.Parameter(p)
		n := w.values.NumValues(p)
		sort := parameter.Sort
		isMissing := w.lacksValue(p)
		if isMissing {
			n++
		} else if sort == "" {
			sort = w.sortOf(p)
		}
		fmt.Fprintf(w.to, "%s(%d) %s", w.text(p, parameter.Name), n, w.text(p, sort))
		for v := range lts.Value(w.values.NumValues(p)) {
			fmt.Fprintf(w.to, " \"%s\"", w.text(p, w.values.Text(p, v)))
		}
		if isMissing {
			fmt.Fprintf(w.to, " %q", standIn)
		}
		_ = w.to.WriteByte('\n')
	}
}

// lacksValue reports whether some state has no value of a parameter.
func (w *writer) lacksValue(p int) bool {
	for s := range lts.State(w.m.NumStates()) {
		if w.values.Value(s, p) == lts.NoValue {
			return true
		}
	}
	return false
}

// sortOf returns the sort that all values of a parameter have, "" if it is none of Bool, Nat and Int.
func (w *writer) sortOf(p int) string {
	isSort := map[string]bool{"Bool": true, "Nat": true, "Int": true}
	for v := range lts.Value(w.values.NumValues(p)) {
		text := w.values.Text(p, v)
		number, err := strconv.ParseInt(text, 10, 64)
		isNumber := err == nil && strconv.FormatInt(number, 10) == text
		isSort["Bool"] = isSort["Bool"] && (text == "true" || text == "false")
		isSort["Nat"] = isSort["Nat"] && isNumber && number >= 0
		isSort["Int"] = isSort["Int"] && isNumber
	}
	for _, sort := range []string{"Bool", "Nat", "Int"} {
		if isSort[sort] && w.values.NumValues(p) > 0 {
			return sort
		}
	}
	return ""
}

// text returns a text about a parameter without quotes and line feeds.
func (w *writer) text(p int, text string) string {
	if !strings.ContainsAny(text, "\"\n") {
		return text
	}
	if w.replaced == "" {
		w.replaced = w.values.Parameter(p).Name
	}
	return strings.NewReplacer(`"`, "'", "\n", " ").Replace(text)
}

// writeStates writes the number of each value of each state.
func (w *writer) writeStates() {
	if w.values == nil {
		if w.listsStates() {
			for range w.m.NumStates() {
				_, _ = w.to.WriteString("0\n")
			}
		}
		return
	}
	for s := range lts.State(w.m.NumStates()) {
		for p := range w.values.NumParameters() {
			end := byte(' ')
			if p == w.values.NumParameters()-1 {
				end = '\n'
			}
			v := w.values.Value(s, p)
			if v == lts.NoValue {
				v = lts.Value(w.values.NumValues(p))
			}
			w.number(uint64(v), end)
		}
	}
}

// writeTransitions writes the transitions in the order in which they were added.
func (w *writer) writeTransitions() {
	alphabet := w.m.Alphabet()
	for t := range w.m.Transitions() {
		w.number(uint64(t.From)+1, ' ')
		w.number(uint64(t.To)+1, ' ')
		_, _ = w.to.WriteString("\"" + alphabet.Text(t.Label) + "\"\n")
	}
}
