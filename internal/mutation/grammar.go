package mutation

import "strings"

// Grammar has the ways to write a thing, by its name. In a way, $NAME stands for a thing, NAME
// being letters. The first way of each must come to an end: from it, only things may be reached
// whose first ways do not lead back.
type Grammar map[string][]string

// Derive returns the text of a thing that a program stands for: each byte of it chooses a way,
// from left to right, and behind its end, and in what is deep or long, the first ways are taken.
// What a grammar derives is right as a whole, so that a fuzzer gets into what is behind the
// parser; [Of] breaks it. Cost O(length of the text).
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
