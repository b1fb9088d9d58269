package actl

import "unicode/utf8"

// stopEvery is how many short steps, a few nanoseconds each, are done between two
// looks at whether to go on.
const stopEvery = 1 << 16

// globMatches reports whether pattern matches the whole of text; in pattern * is
// any text and ? any one character, everything else is itself. Going back to the
// last * only is enough, since what an earlier one takes does not matter once the
// part between the two has matched. Where stop, which may be nil, reports true, it
// gives up and returns false. Cost O(len(pattern) · len(text)).
func globMatches(pattern, text string, stop func() bool) bool {
	p, t := 0, 0
	steps := 0
	star, retry := -1, 0
	for t < len(text) {
		if steps++; steps%stopEvery == 0 && stop != nil && stop() {
			return false
		}
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, retry = p, t
			p++
		case p < len(pattern) && pattern[p] == '?':
			_, size := utf8.DecodeRuneInString(text[t:])
			p++
			t += size
		case p < len(pattern) && pattern[p] == text[t]:
			p++
			t++
		case star >= 0:
			_, size := utf8.DecodeRuneInString(text[retry:])
			retry += size
			p, t = star+1, retry
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
