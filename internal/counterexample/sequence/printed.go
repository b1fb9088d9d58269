package sequence

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/inev-lts/inev/internal/property/values"
)

// This file reads behaviours that TLC prints, in forms other than JSON: its console, also as the
// Toolbox keeps it in MC.out and as -tool writes it; modules that -simulate writes, with a
// definition STATE_1 and so on; and the modules _TTrace_ with which TLC lets users explore a trace.

// printedState is the beginning of a state: on the console, in a message of -tool, or in a module of -simulate.
var printedState = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:State ([0-9]+): *<(.*)>|([0-9]+): *<(.*)>|STATE_([0-9]+) ==)[ \t]*$`)
})

// printedEnd is the line after the last state of an infinite behaviour.
var printedEnd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:Back to state:? ([0-9]+)(?:: *<(.*)>)?\.?|([0-9]+): Back to state(?:: *<(.*)>)?|(?:State )?[0-9]+: (Stuttering))[ \t]*$`)
})

// traceModule is the beginning of a module with a definition trace, which lists the states of a
// behaviour.
var traceModule = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^-{4,} *MODULE +\w*TETrace *-{4,}[ \t\r]*$`)
})

// outputOfTLC is a line that only the output of TLC has, with or without a behaviour.
var outputOfTLC = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:@!@!@STARTMSG |TLC2 Version |State 1: *<|1: *<Initial predicate>|STATE_1 ==|.*violated by the initial state:[ \t\r]*$)`)
})

// initialState is the end of the line before an initial state that violates an invariant.
const initialState = "violated by the initial state:"

// isPrinted reports whether a text is output of TLC.
func isPrinted(text []byte) bool {
	return outputOfTLC().Match(text) || traceModule().Match(text)
}

// parsePrinted reads the first behaviour of a text that TLC printed. isLast reports whether no
// other behaviour follows it. Cost O(len(text)).
func parsePrinted(text []byte) (b *Behaviour, isLast bool, err error) {
	if traceModule().Match(text) {
		b, err = parseTraceModule(strings.ReplaceAll(string(text), "\r\n", "\n"))
		return b, true, err
	}
	p := printedReader{b: &Behaviour{loop: noLoop}}
	isLast = p.read(string(text))
	switch {
	case p.err != nil:
		return nil, false, p.err
	case len(p.b.states) == 0:
		return nil, false, fmt.Errorf("this is output of TLC without a behaviour: TLC found no error, or stopped before it reported one")
	}
	return p.b, isLast, nil
}

// printedReader reads the console of TLC line by line.
type printedReader struct {
	b *Behaviour
	// number is the number that TLC gives to the last state whose text has begun.
	number int
	// body is the text of the state that is being read; isOpen reports whether there is one.
	body   []string
	isOpen bool
	// comment is the action of the next state, which a module of -simulate names in the line before
	// the state.
	comment string
	err     error
}

// read reads the first behaviour, and reports whether no other follows it.
func (p *printedReader) read(text string) (isLast bool) {
	isEnded := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		number, action, isState := parseStateLine(line)
		isFirst := number == "1" || strings.HasSuffix(line, initialState)
		hasBegun := isEnded || len(p.b.states) > 0 || p.isOpen
		if isFirst && hasBegun {
			p.close()
			return false
		}
		end := printedEnd().FindStringSubmatch(line)
		switch {
		case isEnded:
		case isState:
			p.begin(number, action+p.comment)
		case isFirst:
			p.begin("1", "")
		case end != nil && len(p.b.states)+len(p.body) > 0:
			p.end(end)
			isEnded = true
		case line == "" || strings.HasPrefix(line, "@!@!@"):
			p.close()
		case p.isOpen:
			p.body = append(p.body, line)
		}
		p.comment, _ = strings.CutPrefix(line, `\* <`)
	}
	p.close()
	return true
}

// parseStateLine returns the number and the action in the line that begins a state, if the line does.
// The line has several forms, of which each has its own number and action in the expression.
func parseStateLine(line string) (number, action string, isState bool) {
	parts := printedState().FindStringSubmatch(line)
	if parts == nil {
		return "", "", false
	}
	return parts[1] + parts[3] + parts[5], parts[2] + parts[4], true
}

// begin begins a state with the given number. The action leads to this state.
func (p *printedReader) begin(number, action string) {
	p.close()
	if n := len(p.b.actions); n > 0 {
		p.b.actions[n-1] = printedAction(action)
	}
	p.number, p.err = strconv.Atoi(number)
	p.isOpen = true
}

// end handles the line after the last state, given as the parts that printedEnd finds: the behaviour
// returns to an earlier state, or stutters.
func (p *printedReader) end(parts []string) {
	p.close()
	last := len(p.b.states) - 1
	if p.err != nil || last < 0 {
		return
	}
	// Each form of the line has its own number and action in the expression.
	target := parts[1] + parts[3]
	action := parts[2] + parts[4]
	stutters := parts[5] != ""
	if stutters {
		p.b.stutters = true
		return
	}
	number, err := strconv.Atoi(target)
	loop := last - (p.number - number)
	if err != nil || loop < 0 || loop > last {
		p.err = fmt.Errorf("TLC's behaviour of %d states leads back to state %s, which is none of them", last+1, target)
		return
	}
	p.b.loop = loop
	p.b.actions[last] = printedAction(action)
}

// close ends the state that is being read, if there is one. Variables without a value keep the
// value of the previous state: with -difftrace TLC prints only changes.
func (p *printedReader) close() {
	if !p.isOpen || p.err != nil {
		return
	}
	p.isOpen = false
	state := map[string]any{}
	if n := len(p.b.states); n > 0 {
		for name, v := range p.b.states[n-1] {
			state[name] = v
		}
	}
	for _, assignment := range assignments(p.body) {
		name, value, isAssignment := strings.Cut(assignment, "=")
		if isAssignment {
			state[strings.TrimSpace(name)] = printedValue(value)
		}
	}
	p.body = nil
	p.b.states = append(p.b.states, state)
	p.b.actions = append(p.b.actions, "")
}

// assignments returns the texts "name = value" of a state. If there are several, each begins with
// /\.
func assignments(lines []string) []string {
	var all []string
	for _, line := range lines {
		rest, isNext := strings.CutPrefix(line, `/\ `)
		if isNext || len(all) == 0 {
			all = append(all, rest)
			continue
		}
		all[len(all)-1] += "\n" + line
	}
	return all
}

// printedAction returns the action of a state as TLC prints it: a name, perhaps with arguments. It
// leaves out the place of the definition. It returns "" if the action has no name.
func printedAction(text string) string {
	name, _, _ := strings.Cut(text, " line ")
	if name == "Initial predicate" || name == unnamedAction || name == "Action" {
		return ""
	}
	return name
}

// printedValue returns the value of a text of TLC.
func printedValue(text string) values.Value {
	return values.Parse(stringOrInterval().ReplaceAllStringFunc(text, listed))
}

// parseTraceModule reads the behaviour of a module that TLC writes for users who explore a trace.
func parseTraceModule(text string) (*Behaviour, error) {
	rest := text[traceModule().FindStringIndex(text)[1]:]
	_, rest, isDefined := strings.Cut(rest, "\ntrace ==")
	definition := moduleLine().Split(rest, 2)[0]
	states := printedValue(definition)
	if !isDefined || states.Kind() != values.Sequence || len(states.Items()) == 0 {
		return nil, fmt.Errorf("the definition trace of this module has no states: give the module as TLC wrote it")
	}
	b := &Behaviour{loop: noLoop, stutters: strings.Contains(text, "\n_prop ==\n    ~<>[](")}
	for i, s := range states.Items() {
		if s.Kind() != values.Record {
			return nil, fmt.Errorf("state %d of the definition trace is no record of values",
				i+1)
		}
		state := map[string]any{}
		for k, key := range s.Keys() {
			state[nameOf(key)] = s.Items()[k]
		}
		b.states = append(b.states, state)
	}
	b.actions = make([]string, len(b.states))
	lasso := lassoStart().FindStringSubmatch(text)
	if lasso == nil {
		return b, nil
	}
	start, err := strconv.Atoi(lasso[1])
	if err != nil || start < 1 || start > len(b.states) {
		return nil, fmt.Errorf("_TTraceLassoStart is %s, and the definition trace has %d states", lasso[1], len(b.states))
	}
	b.loop = start - 1
	return b, nil
}

// moduleLine is a line between the definitions of a module, or at its end.
var moduleLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:-{4,}|={4,})`)
})

// lassoStart is the number of the state to which a behaviour returns from its last state.
var lassoStart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^_TTraceLassoStart = ([0-9]+)`)
})
