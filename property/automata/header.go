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
func (p *parser) header() (*header, error) {
	if p.tok.kind != tokenHeader || p.tok.text != "HOA:" {
		return nil, p.unexpected(`"HOA: v1"`)
	}
	version, err := p.version()
	if err != nil {
		return nil, err
	}
	if version != "v1" {
		return nil, p.errorHere(p.tok, "HOA version %s cannot be read, only v1", quote(version))
	}
	h := &header{lines: map[string]int{"HOA:": p.tok.line}, states: -1, numbers: map[string]int{}}
	if err := p.advance(); err != nil {
		return nil, err
	}
	for p.tok.kind == tokenHeader {
		item := p.tok
		if first, seen := h.lines[item.text]; seen && !slices.Contains(repeatable, item.text) {
			return nil, p.errorHere(item, "the header item %s stands here for the second time; line %d has it already", quote(item.text), first)
		}
		h.lines[item.text] = item.line
		if err := p.advance(); err != nil {
			return nil, err
		}
		if err := p.headerItem(h, item); err != nil {
			return nil, err
		}
	}
	if p.tok.kind != tokenBodyMark {
		return nil, p.unexpected("a header item or --BODY--")
	}
	return h, h.check(p)
}

// headerItem reads the values of a header item.
func (p *parser) headerItem(h *header, item token) (err error) {
	switch item.text {
	case "States:":
		var t token
		t, err = p.take(tokenInt, "the number of states")
		h.states = t.number
	case "Start:":
		var t token
		if t, err = p.destination("the number of an initial state"); err == nil {
			h.start = append(h.start, t)
		}
	case "AP:":
		return p.propositionNames(h)
	case "Alias:":
		return p.alias(h)
	case "Acceptance:":
		return p.acceptanceCondition(h)
	case "acc-name:":
		h.accName, err = p.plainTokens()
		if err == nil && len(h.accName) == 0 {
			err = p.unexpected("the name of an acceptance condition")
		}
	case "name:":
		var t token
		t, err = p.take(tokenString, "the name of the automaton, a string")
		h.name = t.text
	case AtomsItem:
		return p.atomMeanings(h)
	default:
		if 'A' <= item.text[0] && item.text[0] <= 'Z' {
			return p.errorHere(item, "the header item %s is not known; as it begins with a capital letter it may change the meaning of the automaton", quote(item.text))
		}
		_, err = p.plainTokens()
	}
	return err
}

// AtomsItem is the header item that gives propositions their patterns, so that
// what inev writes reads back as the same property. Other tools skip it, because
// its name begins with a small letter.
const AtomsItem = "inev-atoms:"

// atomMeanings reads a pattern, as a string, or the word deadlock for each proposition.
func (p *parser) atomMeanings(h *header) error {
	h.meanings = []string{}
	for {
		switch {
		case p.tok.kind == tokenString && p.tok.text != "":
			h.meanings = append(h.meanings, p.tok.text)
		case p.tok.kind == tokenIdentifier && p.tok.text == Deadlock:
			h.meanings = append(h.meanings, "")
		default:
			return nil
		}
		if err := p.advance(); err != nil {
			return err
		}
	}
}

// plainTokens reads (BOOLEAN|INT|STRING|IDENTIFIER)*.
func (p *parser) plainTokens() ([]string, error) {
	var texts []string
	for {
		switch p.tok.kind {
		case tokenBoolean, tokenInt, tokenString, tokenIdentifier:
			texts = append(texts, p.tok.text)
		default:
			return texts, nil
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
}

// destination reads a state-conj of one state.
func (p *parser) destination(expected string) (token, error) {
	t, err := p.take(tokenInt, expected)
	if err == nil && p.tok.kind == '&' {
		err = p.errorHere(p.tok, "universal branching (\"&\" between states) cannot be read; convert the automaton to one without alternation, as ltl2tgba -D and autfilt of Spot do")
	}
	return t, err
}

func (p *parser) propositionNames(h *header) error {
	count, err := p.take(tokenInt, "the number of atomic propositions")
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for p.tok.kind == tokenString {
		if known[p.tok.text] {
			return p.errorHere(p.tok, "the atomic proposition %s stands twice in AP:", quote(p.tok.text))
		}
		known[p.tok.text] = true
		h.propositions = append(h.propositions, p.tok.text)
		if err := p.advance(); err != nil {
			return err
		}
	}
	if len(h.propositions) != count.number {
		return p.errorHere(count, "AP: declares %d atomic propositions and names %d", count.number, len(h.propositions))
	}
	return nil
}

func (p *parser) alias(h *header) error {
	name, err := p.take(tokenAlias, `the name of an alias, such as "@a"`)
	if err != nil {
		return err
	}
	if _, known := h.numbers[name.text]; known {
		return p.errorHere(name, "the alias %s is defined twice", quote(name.text))
	}
	e, err := p.label(h)
	if err != nil {
		return err
	}
	h.numbers[name.text] = len(h.aliases)
	h.aliases = append(h.aliases, Alias{Name: name.text, Text: e.text})
	h.codes = append(h.codes, e.code)
	return nil
}

// label reads a label expression. It checks propositions against AP: if that has
// been read.
func (p *parser) label(h *header) (expression, error) {
	e := expressionParser{parser: p, negation: true}
	e.atom = func() (int, string, error) {
		t := p.tok
		switch t.kind {
		case tokenInt:
			h.mentioned = append(h.mentioned, t)
			return t.number, t.text, p.advance()
		case tokenAlias:
			number, known := h.numbers[t.text]
			if !known {
				return 0, "", p.errorHere(t, "the alias %s is not defined; Alias: has to come before its use", quote(t.text))
			}
			return firstAlias - number, t.text, p.advance()
		}
		return 0, "", p.unexpected("a proposition number, an alias, t, f, \"!\" or \"(\"")
	}
	return e.expression()
}

// checkMentioned checks the propositions that were mentioned since the last call.
func (h *header) checkMentioned(p *parser) error {
	for _, t := range h.mentioned {
		if t.number >= len(h.propositions) {
			return p.errorHere(t, "a label mentions proposition %d, and AP: declares %d", t.number, len(h.propositions))
		}
	}
	h.mentioned = h.mentioned[:0]
	return nil
}

func (p *parser) acceptanceCondition(h *header) error {
	sets, err := p.take(tokenInt, "the number of acceptance sets")
	if err != nil {
		return err
	}
	e := expressionParser{parser: p}
	e.atom = func() (int, string, error) { return p.acceptanceAtom(sets.number) }
	condition, err := e.expression()
	if err != nil {
		return err
	}
	h.acceptance = acceptance{sets: sets.number, set: codeOther, text: strconv.Itoa(sets.number) + " " + condition.text}
	if h.acceptance.code = condition.code; p.general {
		return nil
	}
	if len(condition.code) == 1 {
		h.acceptance.set = condition.code[0]
	}
	return nil
}

// acceptanceAtom reads IDENTIFIER "(" "!"? INT ")".
func (p *parser) acceptanceAtom(sets int) (int, string, error) {
	kind := p.tok
	if kind.kind != tokenIdentifier || kind.text != "Inf" && kind.text != "Fin" {
		return 0, "", p.unexpected(`Inf, Fin, t, f or "("`)
	}
	if err := p.advance(); err != nil {
		return 0, "", err
	}
	if _, err := p.take('(', `"("`); err != nil {
		return 0, "", err
	}
	complement := ""
	if p.tok.kind == '!' {
		complement = "!"
		if err := p.advance(); err != nil {
			return 0, "", err
		}
	}
	set, err := p.take(tokenInt, "the number of an acceptance set")
	if err != nil {
		return 0, "", err
	}
	if set.number >= sets {
		return 0, "", p.errorHere(set, "Acceptance: mentions set %d and declares %d", set.number, sets)
	}
	code := set.number
	if p.general {
		code = conditionAtom(set.number, kind.text == "Fin", complement != "")
	} else if kind.text == "Fin" || complement != "" {
		code = codeOther
	}
	_, err = p.take(')', `")"`)
	return code, kind.text + "(" + complement + set.text + ")", err
}

// check checks the conditions on the header as a whole.
func (h *header) check(p *parser) error {
	line, ok := h.lines["Acceptance:"]
	if !ok {
		return p.errorHere(p.tok, "the header item \"Acceptance:\" is missing")
	}
	if p.general {
		if h.acceptance.sets > MaxSets {
			return p.errorAt(line, "the acceptance condition has %d sets, and at most %d can be taken", h.acceptance.sets, MaxSets)
		}
	} else if err := h.acceptance.check(strings.Join(h.accName, " ")); err != nil {
		return p.errorAt(line, "%v", err)
	}
	if h.states >= 0 {
		for _, t := range h.start {
			if t.number >= h.states {
				return p.errorHere(t, "initial state %d is not below the number of states %d", t.number, h.states)
			}
		}
	}
	return h.checkMentioned(p)
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
