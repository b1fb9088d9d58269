package automata

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
)

// Reader reads the Büchi automata of a stream one after the other.
type Reader struct{ p *parser }

// NewReader returns a reader of a stream; file is its name in errors.
func NewReader(ctx context.Context, r io.Reader, file string) *Reader {
	return &Reader{newParser(ctx, r, file)}
}

// Next returns the next automaton that does not end in --ABORT--, without the edges
// whose label no letter satisfies, and io.EOF
// after the last one. The condition is Inf of one set, or t, by which everything is in the
// set: it has no other marks. Other errors are of
// type *[Error], except that of a context that is done. Cost O(length of the
// automaton) time and memory, and the time for deciding which labels can be
// satisfied, which is linear for usual labels; a label that would take too long
// is refused.
func (r *Reader) Next() (*Automaton, error) {
	b, err := r.p.nextBody()
	if err != nil {
		return nil, err
	}
	a := b.Automaton // without what only its reading needs
	return &a, nil
}

// Quote returns a string as it is written in files: quotes and backslashes are
// escaped.
func Quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// Labels checks labels before they are written to a file.
type Labels struct {
	h       *header
	checked map[string]bool
}

// NewLabels returns a check of labels over these propositions and aliases. It
// fails if a proposition occurs twice, and if an alias is no expression over the
// propositions and the aliases before it.
func NewLabels(propositions []string, aliases []Alias) (*Labels, error) {
	known := map[string]bool{}
	for _, name := range propositions {
		if known[name] {
			return nil, fmt.Errorf("the atomic proposition %s stands twice", quote(name))
		}
		known[name] = true
	}
	l := &Labels{&header{propositions: propositions, numbers: map[string]int{}}, map[string]bool{}}
	for i, alias := range aliases {
		if err := l.h.checkAlias(alias.Name); err != nil {
			return nil, err
		}
		if err := l.h.checkLabel(alias.Text); err != nil {
			return nil, fmt.Errorf("the alias %s: %w", alias.Name, err)
		}
		l.h.numbers[alias.Name] = i
	}
	return l, nil
}

// Check fails if label is no expression. Cost O(length of the label) the first
// time, and O(1) after that.
func (l *Labels) Check(label string) error {
	if l.checked[label] {
		return nil
	}
	l.checked[label] = true
	if err := l.h.checkLabel(label); err != nil {
		return fmt.Errorf("the label %s: %w", quote(label), err)
	}
	return nil
}

// checkAlias checks the name of an alias.
func (h *header) checkAlias(name string) error {
	p := newParser(context.Background(), strings.NewReader(name), "")
	if err := abort.Try(p.advance); err != nil || p.tok.kind != tokenAlias || p.tok.text != name {
		return fmt.Errorf(`%s is no name of an alias; it takes "@" and letters, digits, "-" or "_"`, quote(name))
	}
	if _, again := h.numbers[name]; again {
		return fmt.Errorf("the alias %s is defined twice", quote(name))
	}
	return nil
}

// checkLabel checks that text is a label expression and nothing more.
func (h *header) checkLabel(text string) (err error) {
	defer abort.Caught(&err)
	p := newParser(context.Background(), strings.NewReader(text), "label")
	p.advance()
	p.label(h)
	if p.tok.kind != tokenEnd {
		p.expect(`"&", "|" or the end of the label`)
	}
	h.checkMentioned(p)
	return nil
}
