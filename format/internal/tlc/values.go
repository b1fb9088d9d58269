package tlc

import (
	"bytes"
)

// binding is a variable and its value, in the form that TLC prints.
type binding struct{ name, value string }

// bindings reads the text of a state: a line for each variable, which begins with
// /\ unless there is only one variable. TLC breaks a long value into several
// lines, which are joined by blanks.
func bindings(text []byte) []binding {
	var all []binding
	for len(text) > 0 {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		conjunct, begins := bytes.CutPrefix(line, []byte(`/\ `))
		name, value, equals := bytes.Cut(conjunct, []byte(" = "))
		if equals && (begins || len(all) == 0) {
			all = append(all, binding{string(bytes.TrimSpace(name)), string(bytes.TrimSpace(value))})
			continue
		}
		if line = bytes.TrimSpace(line); len(all) > 0 && len(line) > 0 {
			all[len(all)-1].value += " " + string(line)
		}
	}
	return all
}

// actionOf returns the action in the label of an edge. Under constraints, and
// only then, a further line of the label names the constraint that the step
// violates; it is removed. If TLC has broken an argument into lines, they are
// joined by blanks.
func actionOf(label []byte) []byte {
	if bytes.IndexByte(label, '\n') < 0 {
		return bytes.TrimSpace(label)
	}
	var action []byte
	for depth, inQuotes, escaped := 0, false, false; len(label) > 0; {
		line, rest, _ := bytes.Cut(label, []byte("\n"))
		label = rest
		if len(action) > 0 {
			action = append(action, ' ')
		}
		action = append(action, bytes.TrimSpace(line)...)
		for _, c := range line {
			switch {
			case escaped:
				escaped = false
			case inQuotes && c == '\\':
				escaped = true
			case c == '"':
				inQuotes = !inQuotes
			case !inQuotes && c == '(':
				depth++
			case !inQuotes && c == ')':
				depth--
			}
		}
		if depth <= 0 && !inQuotes {
			break
		}
	}
	return action
}
