package tlc

import (
	"bytes"
	"context"

	"github.com/inev-lts/inev/internal/blocks"
)

// worker is a scanner with its decoder.
type worker struct {
	scanner
	d *decoder
}

func (d *decoder) worker() *worker {
	return &worker{scanner{known: d.known}, d}
}

func (w *worker) Room() *blocks.Block { return &w.Block }

func (w *worker) Scan() { w.scan(0) }

func (w *worker) Put() {}

// Take completes a statement that is open from the blocks before, and then takes
// over the results of the scan.
func (w *worker) Take(context.Context) error {
	d := w.d
	if d.open != nil {
		behind, err := d.goOn(w.Text)
		if err != nil {
			return err
		}
		// The results of the first scan began at a wrong offset.
		w.scan(behind)
	}
	for i := range w.found {
		if err := w.take(&w.found[i]); err != nil {
			return err
		}
	}
	d.passed += w.lines
	if w.rest < len(w.Text) {
		d.open, d.escaped = bytes.Clone(w.Text[w.rest:]), w.escaped
	}
	if w.Err != nil {
		d.line = d.passed + 1
		return d.readError(w.Err)
	}
	return nil
}

func (w *worker) take(st *statement) error {
	d := w.d
	d.line = d.passed + 1 + int(st.line)
	switch {
	case st.kind == someText || d.depth == 0 || d.inLegend:
		if int(st.end-st.begin) > d.limits.statement {
			return d.refuse("%v", errLongStatement)
		}
		return d.statement(bytes.TrimSpace(w.Text[st.begin:st.end]))
	case st.kind == aStep:
		from, to, err := d.ends(st.from, st.to)
		if err != nil {
			return err
		}
		label, text := &w.labels[st.action], w.table.Text(st.action)
		if *label == unnumbered {
			*label = d.builder.Label(text)
		}
		d.step(from, *label, text == "", to)
		return nil
	}
	s, err := d.declare(st.from)
	if err != nil || !d.States {
		return err
	}
	return d.tooltip(s, w.Text[st.text:][:st.size])
}

// goOn adds text to the open statement, and processes the statement if it ends.
// It returns the offset after the statement.
func (d *decoder) goOn(text []byte) (behind int, err error) {
	d.line = d.passed + 1
	inQuotes := true
	for inQuotes && behind < len(text) {
		next := lineEnd(text, behind)
		inQuotes, d.escaped = quotesAfter(text[behind:next], inQuotes, d.escaped)
		behind = next
	}
	if d.open = append(d.open, text[:behind]...); len(d.open) > d.limits.statement {
		return 0, d.refuse("%v", errLongStatement)
	}
	if inQuotes {
		return behind, nil
	}
	whole := d.open
	d.open = nil
	d.passed += bytes.Count(bytes.TrimSuffix(whole, []byte("\n")), []byte("\n")) + 1
	return behind, d.statement(bytes.TrimSpace(whole))
}
