// Package mutation changes texts token by token, for fuzz tests: a file with
// random bytes seldom gets past the parser of its first line, but a file with two
// tokens exchanged does.
//
// The invariant that holds inside: a mutant is a function of a text and a
// program, and each program gives one.
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
	if fuzzing := flag.Lookup("test.fuzz"); fuzzing == nil || fuzzing.Value.String() == "" {
		return func() bool { return true }
	}
	return time.AfterFunc(perInput, func() { panic(fmt.Sprintf("one input takes longer than %v", perInput)) }).Stop
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
var extremes = []string{"0", "1", "-1", "63", "64", "65535", "2147483648", "4294967294", "4294967295", "18446744073709551616", "00", "1e9", ""}

// change returns the tokens after one change; positions are taken modulo the
// number of tokens.
func change(tokens []string, kind, at, from int, words []string) []string {
	if len(tokens) == 0 {
		return append(tokens, pick(words, from))
	}
	i, j := at*len(tokens)/256, from*len(tokens)/256
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
		if of := class(text[0]); of != other {
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
