package fsm

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/inev-lts/inev/format/states"
)

// parameter is an entry of the first list.
type parameter struct {
	states.Parameter
	// size is the number of values; 0 if states contain the values themselves.
	size   uint64
	texts  []string
	values []states.Value
}

// parameterName returns the name at the beginning of the line of a parameter, and
// the rest of the line; ok is false if the line is no line of a parameter.
func parameterName(line []byte) (name []byte, rest []byte, ok bool) {
	for at := 0; ; {
		open := bytes.IndexByte(line[at:], '(')
		if open < 0 {
			return nil, nil, false
		}
		at += open + 1
		digits := at
		for digits < len(line) && '0' <= line[digits] && line[digits] <= '9' {
			digits++
		}
		if digits > at && digits < len(line) && line[digits] == ')' && at > 1 {
			return line[:at-1], line[at:], true
		}
	}
}

// parseParameter reads the line of a parameter; refused explains what is wrong.
func parseParameter(line []byte) (p parameter, refused string) {
	name, rest, ok := parameterName(line)
	if !ok {
		return p, "a parameter is NAME(SIZE) SORT \"VALUE\" …, and a line of --- ends their list; found " + quote(line)
	}
	p.Name = string(bytes.TrimSpace(name))
	size, rest, ok := number(rest)
	if !ok {
		return p, fmt.Sprintf("the number of values of %s is too large", p.Name)
	}
	p.size = size
	rest = rest[1:]
	first := bytes.IndexByte(rest, '"')
	if first < 0 {
		first = len(rest)
	}
	p.Sort = string(bytes.TrimSpace(rest[:first]))
	for rest = rest[first:]; len(rest) > 0; rest = bytes.TrimLeft(rest, " \t") {
		end := bytes.IndexByte(rest[1:], '"')
		if rest[0] != '"' || end < 0 {
			return p, fmt.Sprintf("a value of %s is not in quotes: %s", p.Name, quote(rest))
		}
		p.texts = append(p.texts, string(rest[1:1+end]))
		rest = rest[end+2:]
	}
	if uint64(len(p.texts)) != p.size {
		return p, fmt.Sprintf("%s is to have %d values, and has %d", p.Name, p.size, len(p.texts))
	}
	return p, ""
}

// stateNumber reads a state number and the blanks after it; refused explains
// what is wrong.
func stateNumber(text []byte, what string) (n uint64, rest []byte, refused string) {
	if len(text) > 0 && text[0] == '[' {
		return 0, nil, "the " + what + " is a distribution over states: probabilistic models cannot be read; make one without probabilities, by ltspbisim of mCRL2 or by taking dist out of the specification"
	}
	n, rest, ok := number(text)
	switch {
	case !ok && len(text) == 0:
		return 0, nil, "the " + what + " is missing"
	case !ok, len(rest) > 0 && rest[0] != ' ' && rest[0] != '\t':
		return 0, nil, "the " + what + " is not a number: " + quote(text)
	case n == 0:
		return 0, nil, "the " + what + " is 0, and states are numbered from 1"
	}
	return n, bytes.TrimLeft(rest, " \t"), ""
}

// number reads the number at the beginning of a text.
func number(text []byte) (n uint64, rest []byte, ok bool) {
	i := 0
	for ; i < len(text) && '0' <= text[i] && text[i] <= '9'; i++ {
		if n > 1<<53 {
			return 0, nil, false
		}
		n = 10*n + uint64(text[i]-'0')
	}
	return n, text[i:], i > 0
}

// quote returns bytes of a file for a message: escaped and shortened.
func quote(text []byte) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(string(text[:most])) + "..."
	}
	return strconv.Quote(string(text))
}
