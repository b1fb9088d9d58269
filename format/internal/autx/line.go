package autx

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// sink is the target of a transition into the part that CLEAR cut off, until
// the LTS has a state for it. It is lts.MaxStates, which is no state number.
const sink = math.MaxUint32

const (
	headerShape = "des (initial, transitions, states)"
	shape       = `(from, "label":COLOUR, to) or (from:N:KIND, "label":COLOUR, to)`
)

// header is the first line of a file.
type header struct{ initial, transitions, states uint64 }

// parseHeader reads a header; refused explains what is wrong with it, "" if
// nothing is.
func parseHeader(line []byte) (h header, refused string) {
	inside, ok := bytes.CutPrefix(line, []byte("des"))
	inside = bytes.TrimSpace(inside)
	refused = "expected the header " + headerShape + ", found " + quote(line)
	if !ok || len(inside) < 2 || inside[0] != '(' || inside[len(inside)-1] != ')' {
		return h, refused
	}
	fields := bytes.Split(inside[1:len(inside)-1], []byte(","))
	if len(fields) != 3 {
		return h, refused
	}
	for i, n := range []*uint64{&h.initial, &h.transitions, &h.states} {
		if *n, ok = number(fields[i]); !ok {
			return h, refused
		}
	}
	if h.initial >= sink {
		return h, fmt.Sprintf("the initial state %d is too large", h.initial)
	}
	return h, ""
}

// Begins reports whether a text begins as .autx does and .aut does not: with a
// header, and a transition that has a colour or leaves a state with a kind. The
// first lines of the text are enough. Cost O(length of its first two lines).
func Begins(start []byte) bool {
	rest := bytes.TrimPrefix(start, []byte("\ufeff"))
	for headed := false; ; headed = true {
		var line []byte
		line, rest, _ = bytes.Cut(bytes.TrimLeft(rest, " \t\r\n"), []byte("\n"))
		line = bytes.TrimSpace(line)
		if headed {
			t, refused := parseLine(line)
			behind := line[bytes.LastIndexByte(line, '"')+1:]
			return refused == "" && (t.kind != NoNeighbourhood || bytes.IndexByte(behind, ':') >= 0)
		}
		if _, refused := parseHeader(line); refused != "" {
			return false
		}
	}
}

// marked is a transition with its colour and kind.
type marked struct {
	from   uint32
	kind   Kind
	label  []byte
	colour Colour
	to     uint32 // or sink
}

// parseLine reads the line of a transition, without the blanks around it; refused
// explains what is wrong with it, "" if nothing is. The label is a slice of line.
func parseLine(line []byte) (t marked, refused string) {
	first, last := bytes.IndexByte(line, ','), bytes.LastIndexByte(line, ',')
	if len(line) < 2 || line[0] != '(' || line[len(line)-1] != ')' || first == last {
		return t, "expected a transition " + shape + ", found " + quote(line)
	}
	if refused := t.parseSource(line[1:first]); refused != "" {
		return t, refused
	}
	if refused := t.parseTarget(bytes.TrimSpace(line[last+1 : len(line)-1])); refused != "" {
		return t, refused
	}
	return t, t.parseLabel(bytes.TrimSpace(line[first+1 : last]))
}

// parseSource reads a state with or without the kind of its neighbourhood.
func (t *marked) parseSource(field []byte) string {
	name, mark, marked := bytes.Cut(bytes.TrimSpace(field), []byte(":"))
	from, ok := number(name)
	switch {
	case !ok:
		return "the source state is not a number: " + quote(name)
	case from >= sink:
		return "the source state is too large: " + quote(name)
	}
	t.from = uint32(from)
	if !marked {
		return ""
	}
	letters, ok := bytes.CutPrefix(mark, []byte("N:"))
	if t.kind, marked = kindOf(letters); !ok || !marked {
		return "expected N:G, N:R, N:GR, N:GRB or N:U behind the source state, found " + quote(mark)
	}
	return ""
}

func (t *marked) parseTarget(field []byte) string {
	if string(field) == "-1" {
		t.to = sink
		return ""
	}
	to, ok := number(field)
	switch {
	case !ok:
		return "the target state is not a number: " + quote(field)
	case to >= sink:
		return "the target state is too large: " + quote(field)
	}
	t.to = uint32(to)
	return ""
}

// parseLabel reads a label with its colour. A label without a colour is Unset.
func (t *marked) parseLabel(field []byte) string {
	end := bytes.LastIndexByte(field, '"')
	if end < 1 || field[0] != '"' {
		return "expected a label in quotes, found " + quote(field)
	}
	t.label = field[1:end]
	mark := bytes.TrimSpace(field[end+1:])
	if len(mark) == 0 {
		return ""
	}
	name, marked := bytes.CutPrefix(mark, []byte(":"))
	colour, known := colourOf(name)
	if !marked || !known {
		return "expected :GREEN, :RED, :BLACK or :UNSET behind the label, found " + quote(mark)
	}
	t.colour = colour
	return ""
}

// number reads a natural number with blanks around it.
func number(field []byte) (uint64, bool) {
	n, err := strconv.ParseUint(string(bytes.TrimSpace(field)), 10, 64)
	return n, err == nil
}

// quote returns bytes of a file for a message: escaped and shortened.
func quote(text []byte) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(string(text[:most])) + "..."
	}
	return strconv.Quote(string(text))
}
