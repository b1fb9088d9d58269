package editor

import "strings"

// pattern is a pattern of properties, as the help shows it.
type pattern struct {
	name string
	// parameters are the texts between the pattern's parentheses; separators stand between the
	// parameters.
	parameters []string
	separators []string
	snippet    string
	means      string
}

// patterns are all patterns of package actl; inev formula --help shows the same sentences.
var patterns = []pattern{
	{"Inev", []string{"A, B, …"}, nil, "Inev(${1:A}, ${2:B})", "On every run `A` happens, and later `B`. A run goes on forever, or ends in a deadlock."},
	{"Response", []string{"A", "B, C, …"}, []string{"; "}, "Response(${1:REQ}; ${2:ACK})", "After every `A`, strictly later, `B` happens, and later `C`."},
	{"Never", []string{"A, B, …"}, nil, "Never(${1:A})", "`A` does not happen; of several, no `A` is followed by `B`."},
	{"Precedes", []string{"A", "B"}, []string{"; "}, "Precedes(${1:A}; ${2:B})", "No `B` happens before the first `A`."},
	{"Always", []string{"A"}, nil, "Always({${1:A}, ${2:B}})", "Nothing but `A` happens."},
	{"AtMost", []string{"N", "A"}, []string{"; "}, "AtMost(${1:2}; ${2:A})", "`A` happens `N` times at most."},
	{"DeadlockFree", nil, nil, "DeadlockFree", "No run ends."},
}

// scopes are the texts that may follow the last semicolon of a pattern.
var scopes = []struct{ name, snippet, means string }{
	{"before", "before ${1:X}", "until the first `X`"},
	{"after", "after ${1:X}", "from the first `X` on"},
	{"between", "between ${1:X} and ${2:Y}", "from each `X` to the next `Y`, where one comes"},
	{"after … until", "after ${1:X} until ${2:Y}", "from each `X` to the next `Y`, or forever"},
}

const scopeParameter = "scope"

// patternOf returns the pattern of a name, nil if there is none.
func patternOf(name string) *pattern {
	for i := range patterns {
		if patterns[i].name == name {
			return &patterns[i]
		}
	}
	return nil
}

// signature returns the pattern with its parameters, and the range of each parameter.
func (p *pattern) signature() signature {
	var b strings.Builder
	b.WriteString(p.name + "(")
	s := signature{Documentation: markdown(p.means), Parameters: []parameter{}}
	add := func(text string) {
		from := length16(b.String())
		b.WriteString(text)
		s.Parameters = append(s.Parameters, parameter{[2]int{from, from + length16(text)}})
	}
	for i, text := range p.parameters {
		if i > 0 {
			b.WriteString(p.separators[i-1])
		}
		add(text)
	}
	if len(p.parameters) > 0 {
		b.WriteString("; ")
	}
	add(scopeParameter)
	b.WriteString(")")
	s.Label = b.String()
	return s
}

func markdown(text string) markup { return markup{"markdown", text} }

// assumption is an assumption under which runs count.
type assumption struct{ text, snippet, means string }

// assumptions are the assumptions that may be written above a formula, in the syntax of inev
// explain --fair.
var assumptions = []assumption{
	{"weak", "weak:${1:A}", "`A` is eventually taken once it stays enabled; without labels: every action is"},
	{"strong", "strong:${1:A}", "`A` is eventually taken if it is enabled infinitely often"},
	{"finitely", "finitely:${1:LOSS}", "`LOSS` happens finitely often"},
	{"full", "full", "every transition that is possible again and again is taken again and again"},
}
