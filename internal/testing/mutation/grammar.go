package mutation

import "strings"

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
