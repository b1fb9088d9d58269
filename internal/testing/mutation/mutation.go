// Package mutation changes texts token by token, for fuzz tests: a file with random bytes seldom
// gets past the parser of its first line, but a file with two tokens exchanged does. A mutant is a
// function of a text and a program, and each program gives one.
package mutation

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"
)

// perInput is how long one input of a fuzz test may take.
const perInput = 20 * time.Second

// Limited panics if an input of a fuzz run takes too long, so that the fuzzer keeps the input. Call
// done when the input is finished. In a run without fuzzing there is no limit, because a busy
// machine is no fault.
func Limited() (done func() bool) {
	fuzzing := flag.Lookup("test.fuzz")
	if fuzzing == nil || fuzzing.Value.String() == "" {
		return func() bool { return true }
	}
	return time.AfterFunc(perInput, func() {
		panic(fmt.Sprintf("one input takes longer than %v", perInput))
	}).Stop
}

// Of returns the mutant of a text that a program encodes. Every three bytes of the program encode a
// kind of change and the positions of two tokens. A change can insert one of words. Cost
// O(len(program) · len(text)).
func Of(text string, program []byte, words []string) string {
	const mostChanges, mostTokens = 32, 4096
	tokens := tokensOf(text)
	for n := 0; n < mostChanges && len(program) >= 3 && len(tokens) < mostTokens; n++ {
		tokens = change(tokens, int(program[0]), int(program[1]), int(program[2]), words)
		program = program[3:]
	}
	return strings.Join(tokens, "")
}

// extremes are numbers that may make readers fail.
var extremes = []string{
	"0",
	"1",
	"-1",
	"63",
	"64",
	"65535",
	"2147483648",
	"4294967294",
	"4294967295",
	"18446744073709551616",
	"00",
	"1e9",
	"",
}

// change returns the tokens after one change, of the given kind, at the position at. Some kinds
// also use the token at the position from. Both positions are bytes, in proportion to the number of
// tokens: 128 is the middle.
func change(tokens []string, kind, at, from int, words []string) []string {
	if len(tokens) == 0 {
		return append(tokens, pick(words, from))
	}
	i := at * len(tokens) / 256
	j := from * len(tokens) / 256
	switch kind % 9 {
	case 0:
		return slices.Delete(tokens, i, i+1)
	case 1:
		return slices.Insert(tokens, i, tokens[j])
	case 2:
		tokens[i], tokens[j] = tokens[j], tokens[i]
	case 3:
		tokens[i] = pick(words, from)
	case 4:
		return slices.Insert(tokens, i, pick(words, from))
	case 5:
		tokens[i] = pick(extremes, from)
	case 6: // a line once more
		begin, end := line(tokens, i)
		return slices.Insert(tokens, end, slices.Clone(tokens[begin:end])...)
	case 7:
		begin, end := line(tokens, i)
		return slices.Delete(tokens, begin, end)
	case 8: // nothing from token i on
		return tokens[:i]
	}
	return tokens
}

func pick(words []string, n int) string {
	if len(words) == 0 {
		return ""
	}
	return words[n%len(words)]
}

// line returns the range of the tokens of the line with token i, including its
// line feed.
func line(tokens []string, i int) (begin, end int) {
	for begin = i; begin > 0 && tokens[begin-1] != "\n"; begin-- {
	}
	for end = i; end < len(tokens) && tokens[end] != "\n"; end++ {
	}
	return begin, min(end+1, len(tokens))
}

// tokensOf cuts a text into words and numbers, blanks, and single other bytes.
func tokensOf(text string) []string {
	var tokens []string
	for text != "" {
		n := 1
		of := class(text[0])
		if of != other {
			for n < len(text) && class(text[n]) == of {
				n++
			}
		}
		tokens = append(tokens, text[:n])
		text = text[n:]
	}
	return tokens
}

type byteClass int

const (
	other byteClass = iota
	blank
	letter
	digit
)

func class(c byte) byteClass {
	switch {
	case c == ' ' || c == '\t':
		return blank
	case '0' <= c && c <= '9':
		return digit
	case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80:
		return letter
	}
	return other
}

// Grammar maps the name of a nonterminal to its productions. In a production,
// $NAME is a nonterminal, NAME being letters. The first productions must
// terminate: repeatedly replacing nonterminals by their first productions must
// come to an end.
type Grammar map[string][]string

// Derive returns a text of a nonterminal; thing is the name of the nonterminal. Each byte of
// program chooses a production, from left to right; after the end of program, and once the text
// is deep or long, the first productions are chosen. Derived texts are valid, so that a fuzzer
// tests the code behind the parser; [Of] makes them invalid. Cost O(length of the text).
func (g Grammar) Derive(thing string, program []byte) string {
	d := derivation{g, program, strings.Builder{}}
	d.write(thing, 0)
	return d.text.String()
}

type derivation struct {
	grammar Grammar
	program []byte
	text    strings.Builder
}

// write writes a text for a nonterminal of the grammar. The program chooses among its productions,
// until the program is used up or the text is large; then the first production is taken.
func (d *derivation) write(thing string, depth int) {
	const mostDepth, mostText = 60, 1000
	ways := d.grammar[thing]
	way := ways[0]
	if len(ways) > 1 && len(d.program) > 0 && depth < mostDepth && d.text.Len() < mostText {
		way = ways[int(d.program[0])%len(ways)]
		d.program = d.program[1:]
	}
	for {
		before, rest, found := strings.Cut(way, "$")
		d.text.WriteString(before)
		if !found {
			return
		}
		end := 0
		for end < len(rest) && class(rest[end]) == letter && rest[end] != '_' {
			end++
		}
		d.write(rest[:end], depth+1)
		way = rest[end:]
	}
}
