package sequence

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/inev-lts/inev/internal/printable"
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

// moduleOfTLA is the first line of a module, up to its name.
var moduleOfTLA = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*-{4,} *MODULE\b`)
})

// outputOfTLC is a line that only the output of TLC has, with or without a behaviour.
var outputOfTLC = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:@!@!@STARTMSG |TLC2 Version |State [0-9]+: *<|1: *<Initial predicate>|STATE_1 ==|.*violated by the initial state:[ \t\r]*$)`)
})

// quoting is the beginning of the first line of a behaviour as users quote it in mail and on pages: blanks, or signs
// such as > of a citation.
var quoting = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^([ \t>|]+)(?:@!@!@STARTMSG |TLC2 Version |State [0-9]+: *<|1: *<Initial predicate>)`)
})

// stamp is what services that run jobs or containers put before each line of a log: the time, in some exports after the
// names of job and step, or the name of a container.
var stamp = sync.OnceValue(func() *regexp.Regexp {
	const (
		jobAndStep = `(?:[^\t\r\n]+\t[^\t\r\n]+\t)?`
		date       = `\d{4}-\d\d-\d\d[T ]`
		clock      = `\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?`
		container  = `[\w.-]+ +\| ?`
	)
	return regexp.MustCompile(`(?m)^(?:` + jobAndStep + `\[?(?:` + date + `)?` + clock + `\]? ?|` + container + `)`)
})

// colour is a sequence of characters that changes the colour of a terminal.
var colour = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)
})

// withoutQuoting returns the output of TLC in a text without colours and without what a user or a service has put before
// each line. It returns any other text as it is.
func withoutQuoting(text []byte) []byte {
	if plain := colour().ReplaceAll(text, nil); len(plain) < len(text) && isPrinted(withoutQuoting(plain)) {
		return withoutQuoting(plain)
	}
	if isPrinted(text) {
		return text
	}
	if plain := stamp().ReplaceAll(text, nil); isPrinted(plain) {
		return plain
	}
	found := quoting().FindSubmatch(text)
	if found == nil {
		return text
	}
	prefix := found[1]
	ofEmptyLine := bytes.TrimRight(prefix, " \t") // since programs remove blanks at the end of a line
	var plain []byte
	for line := range bytes.Lines(text) {
		rest, isQuoted := bytes.CutPrefix(line, prefix)
		if !isQuoted {
			rest = bytes.TrimPrefix(line, ofEmptyLine)
		}
		plain = append(plain, rest...)
	}
	return plain
}

// initialState is the end of the line before an initial state that violates an invariant.
const initialState = "violated by the initial state:"

// isPrinted reports whether a text is output of TLC, or a module of TLA+. A module is looked for first, because only
// the beginning of the text decides that.
func isPrinted(text []byte) bool {
	return moduleOfTLA().Match(text) || outputOfTLC().Match(text) || traceModule().Match(text)
}

// parsePrinted reads the first behaviour of a text that TLC printed to the named file. isLast reports
// whether no other behaviour follows it. Cost O(len(text)).
func parsePrinted(text []byte, name string) (b *Behaviour, isLast bool, err error) {
	if traceModule().Match(text) {
		m := traceReader{name: name, text: strings.ReplaceAll(string(text), "\r\n", "\n")}
		b, err = m.read()
		return b, true, err
	}
	p := printedReader{b: &Behaviour{name: name, loop: noLoop}}
	isLast = p.read(string(text))
	switch {
	case p.err != nil:
		return nil, false, p.err
	case len(p.b.states) > 0:
		return p.b, isLast, nil
	case !moduleOfTLA().Match(text):
		return nil, false, p.b.refuse("this is output of TLC without a behaviour: TLC found no error, or stopped before it reported one")
	case bytes.Contains(text, []byte("_TTrace_")):
		return nil, false, p.b.refuseAt(p.line, "this module ends before its definition trace: it is cut off; give it as TLC wrote it")
	}
	return nil, false, p.b.refuse("this is a module of TLA+ without the states of a behaviour: give a module _TTrace_ as TLC wrote it, or what TLC printed")
}

// printedReader reads the console of TLC line by line.
type printedReader struct {
	b *Behaviour
	// line is the number of the line that was read last.
	line int
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
		p.line++
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
	isCut := p.isOpen && len(p.body) == 0
	if isCut && p.err == nil {
		p.err = p.b.refuseAt(p.line, "state %d of the behaviour has no values: the text is cut off here; give what TLC printed as a whole",
			len(p.b.states)+1)
		return true
	}
	p.close()
	return true
}

// parseStateLine returns the number and the action in the line that begins a state, if the line
// does. The line has several forms, and the expression has a number and an action for each form.
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
	if p.err != nil {
		return
	}
	numBefore := len(p.b.states)
	if number != strconv.Itoa(numBefore+1) {
		p.err = p.b.refuseAt(p.line, "here is state %s of the behaviour, and state %d is missing: give what TLC printed as a whole",
			number, numBefore+1)
		return
	}
	if numBefore > 0 {
		p.b.actions[numBefore-1] = printedAction(action)
	}
	p.b.lines = append(p.b.lines, p.line)
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
	if err != nil || number < 1 || number > last+1 {
		p.err = p.b.refuseAt(p.line, "TLC's behaviour of %s leads back to state %s, which is not one of them",
			printable.Quantity(last+1, "state"), target)
		return
	}
	p.b.loop = number - 1
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
	n := len(p.b.states)
	if n > 0 {
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

// traceReader reads a module that TLC writes for users who explore a trace.
type traceReader struct{ name, text string }

// read returns the behaviour of the module.
func (r traceReader) read() (*Behaviour, error) {
	b := &Behaviour{
		name:     r.name,
		loop:     noLoop,
		stutters: strings.Contains(r.text, "\n_prop ==\n    ~<>[]("),
	}
	begin := traceModule().FindStringIndex(r.text)[1]
	const head = "\ntrace =="
	offset := strings.Index(r.text[begin:], head)
	if offset < 0 {
		return nil, b.refuse("the definition trace of this module has no states: give the module as TLC wrote it")
	}
	begin += offset + len(head)
	definition := moduleLine().Split(r.text[begin:], 2)[0]
	states := printedValue(definition)
	line := r.lineOf(begin)
	isCut := strings.HasPrefix(strings.TrimSpace(definition), "<<") && !strings.HasSuffix(strings.TrimSpace(definition), ">>")
	switch {
	case isCut:
		return nil, b.refuseAt(line, "the definition trace has no >> at its end: the module is cut off; give it as TLC wrote it")
	case states.Kind() != values.Sequence || len(states.Items()) == 0:
		return nil, b.refuseAt(line, "the definition trace of this module has no states: give the module as TLC wrote it")
	}
	b.lines = r.linesOfStates(begin, definition, len(states.Items()))
	for i, s := range states.Items() {
		if s.Kind() != values.Record {
			return nil, b.refuseAt(b.lines[i], "state %d of the definition trace is no record of values", i+1)
		}
		state := map[string]any{}
		for k, key := range s.Keys() {
			state[nameOf(key)] = s.Items()[k]
		}
		b.states = append(b.states, state)
	}
	b.actions = make([]string, len(b.states))
	var err error
	b.loop, err = r.loop(b)
	return b, err
}

// lineOf returns the number of the line at an offset.
func (r traceReader) lineOf(offset int) int { return 1 + strings.Count(r.text[:offset], "\n") }

// linesOfStates returns the line of each state in the definition trace, which begins at an offset. TLC writes a
// line for each. If the definition has more or fewer lines, all states have the line of the definition.
func (r traceReader) linesOfStates(offset int, definition string, numStates int) []int {
	first := r.lineOf(offset)
	var lines []int
	for i, line := range strings.Split(definition, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "(") {
			lines = append(lines, first+i)
		}
	}
	if len(lines) != numStates {
		return slices.Repeat([]int{first}, numStates)
	}
	return lines
}

// loop returns the index of the state to which the last state leads back, or noLoop. If the module has a loop,
// its configuration has the numbers of the loop's first and last states.
func (r traceReader) loop(b *Behaviour) (int, error) {
	if !strings.Contains(r.text, "_TTraceLasso") {
		return noLoop, nil
	}
	numStates := len(b.states)
	first, firstLine := r.setting("_TTraceLassoStart")
	last, lastLine := r.setting("_TTraceLassoEnd")
	number, err := strconv.Atoi(first)
	switch {
	case first != "" && (err != nil || number < 1 || number > numStates):
		return noLoop, b.refuseAt(firstLine, "_TTraceLassoStart is %s, but the definition trace has %s", first,
			printable.Quantity(numStates, "state"))
	case first == "" || last == "":
		return noLoop, b.refuse("the end of this module is missing, where _TTraceLassoStart and _TTraceLassoEnd are the first and the last state of the loop: give the module as TLC wrote it")
	case last != strconv.Itoa(numStates):
		return noLoop, b.refuseAt(lastLine, "_TTraceLassoEnd is %s, but the definition trace has %s", last,
			printable.Quantity(numStates, "state"))
	}
	return number - 1, nil
}

// setting returns the number that the configuration gives to a constant, as text, and the line; "" if there is
// none.
func (r traceReader) setting(constant string) (number string, line int) {
	equation := regexp.MustCompile(`(?m)^` + constant + ` = ([0-9]+)[ \t]*$`)
	found := equation.FindStringSubmatchIndex(r.text)
	if found == nil {
		return "", 0
	}
	return r.text[found[2]:found[3]], r.lineOf(found[2])
}

// moduleLine is a line between the definitions of a module, or at its end.
var moduleLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:-{4,}|={4,})`)
})
