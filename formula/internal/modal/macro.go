package modal

import (
	"slices"
	"strings"
)

// mostTokens bounds what macros make of a formula, mostWithin how deep their uses nest.
const (
	mostTokens = 1 << 16
	mostWithin = 64
)

// macro is what a word stands for: tokens whose parameters are replaced.
type macro struct {
	parameters []string
	body       []token
}

// tokens returns the tokens of the text, with macros replaced and their definitions left
// out, and an end.
func (l *lexer) tokens() ([]token, error) {
	l.macros = map[string]*macro{}
	var raw []token
	for {
		t, err := l.next()
		switch {
		case err != nil:
			return nil, err
		case t.is("library"):
			return nil, refuse(l.text, t, "a formula without libraries; copy the macros that it uses to where the library is named")
		case t.is("macro"):
			if err := l.define(); err != nil {
				return nil, err
			}
			continue
		}
		if raw = append(raw, t); t.kind == end {
			break
		}
	}
	return l.expand(raw, nil)
}

// define reads a macro behind its first word.
func (l *lexer) define() error {
	name, err := l.next()
	if err != nil {
		return err
	}
	m := &macro{}
	head := strings.TrimSuffix(name.text, ")")
	head, list, with := strings.Cut(head, "(")
	if name.kind != word && name.kind != call || nameEnd(head) == 0 {
		return l.fail(name.at, "the name of a macro")
	}
	for _, p := range strings.Split(list, ",") {
		if p = strings.TrimSpace(p); with && (nameEnd(p) == 0 || nameEnd(p) != len(p)) && strings.TrimSpace(list) != "" {
			return l.fail(name.at, "a macro with names in its parentheses")
		}
		if p != "" {
			m.parameters = append(m.parameters, p)
		}
	}
	if t, err := l.next(); err != nil || !t.is("=") {
		return cmpErr(err, l.fail(t.at, `"=" behind the name of a macro`))
	}
	// A use of a parameter has no arguments, whatever stands behind it.
	outer := l.macros
	l.macros = map[string]*macro{}
	for n, of := range outer {
		l.macros[n] = of
	}
	for _, p := range m.parameters {
		l.macros[p] = nil
	}
	for {
		t, err := l.next()
		if err != nil {
			return err
		}
		if t.kind == end || t.is("macro") {
			return l.fail(t.at, "end_macro")
		}
		if t.is("end_macro") {
			break
		}
		m.body = append(m.body, t)
	}
	l.macros = outer
	l.macros[strings.TrimSpace(head)] = m
	return nil
}

func cmpErr(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// expand replaces macros in a list of tokens; within are those that it comes from.
func (l *lexer) expand(raw []token, within []string) ([]token, error) {
	var all []token
	for i := 0; i < len(raw); i++ {
		t := raw[i]
		m := l.macros[t.text]
		if t.kind != word || m == nil {
			all = append(all, t)
			continue
		}
		if slices.Contains(within, t.text) || len(within) == mostWithin {
			return nil, refuse(l.text, t, "a macro that does not use itself")
		}
		arguments, after, err := l.arguments(raw, i, m)
		if err != nil {
			return nil, err
		}
		i = after - 1
		var body []token
		for _, b := range m.body {
			p := slices.Index(m.parameters, b.text)
			if b.kind != word || p < 0 {
				body = append(body, b)
			} else {
				body = append(body, arguments[p]...)
			}
			if len(body) > mostTokens {
				return nil, refuse(l.text, t, "a formula of at most %d words and signs", mostTokens)
			}
		}
		expanded, err := l.expand(body, append(slices.Clone(within), t.text))
		if err != nil {
			return nil, err
		}
		if len(expanded) > 0 {
			expanded = slices.Clone(expanded)
			expanded[0].spaced = t.spaced
		}
		if all = append(all, expanded...); len(all) > mostTokens {
			return nil, refuse(l.text, t, "a formula of at most %d words and signs", mostTokens)
		}
	}
	return all, nil
}

// arguments returns what the macro at index i is used with, and the index behind that.
func (l *lexer) arguments(raw []token, i int, m *macro) (all [][]token, after int, err error) {
	use := raw[i]
	if len(m.parameters) == 0 {
		if i+2 < len(raw) && raw[i+1].is("(") && raw[i+2].is(")") {
			return nil, i + 3, nil
		}
		return nil, i + 1, nil
	}
	if i+1 >= len(raw) || !raw[i+1].is("(") {
		return nil, 0, refuse(l.text, use, "%s with %d in parentheses", use.text, len(m.parameters))
	}
	depth := 0
	var present []token
	for j := i + 1; j < len(raw); j++ {
		t := raw[j]
		switch {
		case t.is("(", "["):
			depth++
		case t.is(")", "]"):
			depth--
		}
		switch {
		case depth == 0 || depth == 1 && t.is(","):
			all, present = append(all, present), nil
		case j > i+1:
			present = append(present, t)
		}
		if depth == 0 {
			if len(all) != len(m.parameters) {
				return nil, 0, refuse(l.text, use, "%s with %d in parentheses, and not %d", use.text, len(m.parameters), len(all))
			}
			return all, j + 1, nil
		}
	}
	return nil, 0, l.fail(len(l.text), `")" to close the parentheses of %s`, use.text)
}
