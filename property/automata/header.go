package automata

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

type header struct {
	// lines holds the line of each header item seen.
	lines map[string]int
	// states is -1 if States: is missing.
	states       int
	start        []token
	name         string
	propositions []string
	aliases      []Alias
	// codes are the expressions of the aliases in postfix order, numbers their
	// indexes by name.
	codes   [][]int
	numbers map[string]int
	// mentioned are the propositions that aliases mention. They may precede AP:,
	// which gives their number.
	mentioned  []token
	acceptance acceptance
	accName    []string
	// meanings are the values of inev-atoms:, see [Automaton].
	meanings []string
}

// acceptance is an acceptance condition. set is n for Inf(n), codeTrue for t, and
// another negative number for every other condition; sets is the number of sets
// declared.
type acceptance struct {
	sets, set int
	text      string
	// code is the whole condition in postfix order, its atoms encoded by
	// [conditionAtom].
	code []int
}

// repeatable are the header items that may occur more than once.
var repeatable = []string{"Start:", "Alias:", "properties:"}

// header reads the header up to --BODY--.
func (p *parser) header() *header {
	if p.tok.kind != tokenHeader || p.tok.text != "HOA:" {
		p.expect(`"HOA: v1"`)
	}
	version := p.version()
	if version != "v1" {
		p.failAt(p.tok, "HOA version %s cannot be read, only v1", quote(version))
	}
	h := &header{lines: map[string]int{"HOA:": p.tok.line}, states: -1, numbers: map[string]int{}}
	p.advance()
	for p.tok.kind == tokenHeader {
		item := p.tok
		if first, seen := h.lines[item.text]; seen && !slices.Contains(repeatable, item.text) {
			p.failAt(item, "the header item %s stands here for the second time; line %d has it already", quote(item.text), first)
		}
		h.lines[item.text] = item.line
		p.advance()
		p.headerItem(h, item)
	}
	if p.tok.kind != tokenBodyMark {
		p.expect("a header item or --BODY--")
	}
	h.check(p)
	return h
}

// headerItem reads the values of a header item.
func (p *parser) headerItem(h *header, item token) {
	switch item.text {
	case "States:":
		h.states = p.take(tokenInt, "the number of states").number
	case "Start:":
		h.start = append(h.start, p.destination("the number of an initial state"))
	case "AP:":
		p.propositionNames(h)
	case "Alias:":
		p.alias(h)
	case "Acceptance:":
		p.acceptanceCondition(h)
	case "acc-name:":
		if h.accName = p.plainTokens(); len(h.accName) == 0 {
			p.expect("the name of an acceptance condition")
		}
	case "name:":
		h.name = p.take(tokenString, "the name of the automaton, a string").text
	case AtomsItem:
		p.atomMeanings(h)
	default:
		if 'A' <= item.text[0] && item.text[0] <= 'Z' {
			p.failAt(item, "the header item %s is not known; as it begins with a capital letter it may change the meaning of the automaton", quote(item.text))
		}
		p.plainTokens()
	}
}

// AtomsItem is the header item that gives propositions their patterns, so that
// what inev writes reads back as the same property. Other tools skip it, because
// its name begins with a small letter.
const AtomsItem = "inev-atoms:"

// atomMeanings reads a pattern, as a string, or the word deadlock for each proposition.
func (p *parser) atomMeanings(h *header) {
	h.meanings = []string{}
	for {
		switch {
		case p.tok.kind == tokenString && p.tok.text != "":
			h.meanings = append(h.meanings, p.tok.text)
		case p.tok.kind == tokenIdentifier && p.tok.text == Deadlock:
			h.meanings = append(h.meanings, "")
		default:
			return
		}
		p.advance()
	}
}

// plainTokens reads (BOOLEAN|INT|STRING|IDENTIFIER)*.
func (p *parser) plainTokens() (texts []string) {
	for {
		switch p.tok.kind {
		case tokenBoolean, tokenInt, tokenString, tokenIdentifier:
			texts = append(texts, p.tok.text)
		default:
			return texts
		}
		p.advance()
	}
}

// destination reads a state-conj of one state.
func (p *parser) destination(expected string) token {
	t := p.take(tokenInt, expected)
	if p.tok.kind == '&' {
		p.failAt(p.tok, "universal branching (\"&\" between states) cannot be read; convert the automaton to one without alternation, as ltl2tgba -D and autfilt of Spot do")
	}
	return t
}

func (p *parser) propositionNames(h *header) {
	count := p.take(tokenInt, "the number of atomic propositions")
	known := map[string]bool{}
	for p.tok.kind == tokenString {
		if known[p.tok.text] {
			p.failAt(p.tok, "the atomic proposition %s stands twice in AP:", quote(p.tok.text))
		}
		known[p.tok.text] = true
		h.propositions = append(h.propositions, p.tok.text)
		p.advance()
	}
	if len(h.propositions) != count.number {
		p.failAt(count, "AP: declares %d atomic propositions and names %d", count.number, len(h.propositions))
	}
}

func (p *parser) alias(h *header) {
	name := p.take(tokenAlias, `the name of an alias, such as "@a"`)
	if _, known := h.numbers[name.text]; known {
		p.failAt(name, "the alias %s is defined twice", quote(name.text))
	}
	e := p.label(h)
	h.numbers[name.text] = len(h.aliases)
	h.aliases = append(h.aliases, Alias{Name: name.text, Text: e.text})
	h.codes = append(h.codes, e.code)
}

// label reads a label expression. It checks propositions against AP: if that has
// been read.
func (p *parser) label(h *header) expression {
	e := expressionParser{parser: p, negation: true}
	e.atom = func() (code int, text string) {
		t := p.tok
		switch t.kind {
		case tokenInt:
			h.mentioned = append(h.mentioned, t)
			code = t.number
		case tokenAlias:
			number, known := h.numbers[t.text]
			if !known {
				p.failAt(t, "the alias %s is not defined; Alias: has to come before its use", quote(t.text))
			}
			code = firstAlias - number
		default:
			p.expect("a proposition number, an alias, t, f, \"!\" or \"(\"")
		}
		p.advance()
		return code, t.text
	}
	return e.expression()
}

// checkMentioned checks the propositions that were mentioned since the last call.
func (h *header) checkMentioned(p *parser) {
	for _, t := range h.mentioned {
		if t.number >= len(h.propositions) {
			p.failAt(t, "a label mentions proposition %d, and AP: declares %d", t.number, len(h.propositions))
		}
	}
	h.mentioned = h.mentioned[:0]
}

func (p *parser) acceptanceCondition(h *header) {
	sets := p.take(tokenInt, "the number of acceptance sets")
	e := expressionParser{parser: p}
	e.atom = func() (int, string) { return p.acceptanceAtom(sets.number) }
	condition := e.expression()
	h.acceptance = acceptance{sets: sets.number, set: codeOther, text: strconv.Itoa(sets.number) + " " + condition.text}
	if h.acceptance.code = condition.code; !p.general && len(condition.code) == 1 {
		h.acceptance.set = condition.code[0]
	}
}

// acceptanceAtom reads IDENTIFIER "(" "!"? INT ")".
func (p *parser) acceptanceAtom(sets int) (code int, text string) {
	kind := p.tok
	if kind.kind != tokenIdentifier || kind.text != "Inf" && kind.text != "Fin" {
		p.expect(`Inf, Fin, t, f or "("`)
	}
	p.advance()
	p.take('(', `"("`)
	complement := ""
	if p.tok.kind == '!' {
		complement = "!"
		p.advance()
	}
	set := p.take(tokenInt, "the number of an acceptance set")
	if set.number >= sets {
		p.failAt(set, "Acceptance: mentions set %d and declares %d", set.number, sets)
	}
	code = set.number
	if p.general {
		code = conditionAtom(set.number, kind.text == "Fin", complement != "")
	} else if kind.text == "Fin" || complement != "" {
		code = codeOther
	}
	p.take(')', `")"`)
	return code, kind.text + "(" + complement + set.text + ")"
}

// check checks the conditions on the header as a whole.
func (h *header) check(p *parser) {
	line, ok := h.lines["Acceptance:"]
	if !ok {
		p.failAt(p.tok, "the header item \"Acceptance:\" is missing")
	}
	if p.general {
		if h.acceptance.sets > MaxSets {
			p.fail(line, "the acceptance condition has %d sets, and at most %d can be taken", h.acceptance.sets, MaxSets)
		}
	} else if err := h.acceptance.check(strings.Join(h.accName, " ")); err != nil {
		p.fail(line, "%v", err)
	}
	if h.states >= 0 {
		for _, t := range h.start {
			if t.number >= h.states {
				p.failAt(t, "initial state %d is not below the number of states %d", t.number, h.states)
			}
		}
	}
	h.checkMentioned(p)
}

// meanings says, for each name that the format defines, whether the condition can
// be Inf of one set, and whether it can be t.
var meanings = map[string]struct{ inf, t bool }{
	"Buchi":                {inf: true},
	"generalized-Buchi":    {inf: true, t: true},
	"co-Buchi":             {},
	"generalized-co-Buchi": {},
	"Streett":              {t: true},
	"Rabin":                {},
	"generalized-Rabin":    {},
	"parity":               {inf: true, t: true},
	"all":                  {t: true},
	"none":                 {},
}

// check refuses conditions other than Inf(n) and t, by the name that the file
// gives them, and conditions that contradict their name.
func (a *acceptance) check(name string) error {
	if a.set < 0 && a.set != codeTrue {
		if name == "" {
			name = a.text
		} else {
			name += " (" + a.text + ")"
		}
		return fmt.Errorf("the acceptance condition is %s; only Büchi automata can be read, with Inf of one set or t", name)
	}
	first, _, _ := strings.Cut(name, " ")
	meaning, known := meanings[first]
	if known && (a.set >= 0 && !meaning.inf || a.set < 0 && !meaning.t) {
		return fmt.Errorf("acc-name: says %s, and Acceptance: says %s; one of the two is wrong", name, a.text)
	}
	return nil
}
