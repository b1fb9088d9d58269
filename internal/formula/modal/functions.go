package modal

import (
	"context"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
)

// readEquations reads the equations of a function. If one of them cannot be read, it records why.
func (p *parser) readEquations(f *function) {
	if f.isBeingRead {
		f.isRecursive = true
		return
	}
	if f.isRead || f.reason != "" {
		return
	}
	f.isBeingRead = true
	for _, e := range f.equations {
		err := abort.Try(func() { p.readEquation(f, e) })
		abort.On(p.ctx.Err())
		if err != nil {
			f.reason = "one of its equations is not read: " + err.Error()
			break
		}
	}
	f.isBeingRead = false
	f.isRead = true
}

// readEquation reads an equation of a function.
func (p *parser) readEquation(f *function, e *equation) {
	condition, left, right, leftAt := splitEquation(e.text)
	head := p.inEquation(f, e, left, leftAt)
	t := head.take()
	if head.isCallOfWord(t) {
		t = head.callOfWord(t)
	}
	if t.kind == call {
		_, arguments := head.inner(t)
		e.patterns = arguments.expressions()
	}
	head.finished(`"="`)
	isPattern := !slices.ContainsFunc(e.patterns, func(pattern *expression) bool {
		return !pattern.isPattern()
	})
	if len(e.patterns) != len(f.parameters) || !isPattern {
		refuse(t, "a left-hand side with constants, constructors and variables")
	}
	if condition != "" {
		read := p.inEquation(f, e, condition, 0)
		e.condition = read.expression()
		read.finished(`"->"`)
	}
	read := p.inEquation(f, e, right, leftAt+len(left)+len("="))
	e.result = read.expression()
	read.finished(`";"`)
}

// inEquation returns a parser for a part of an equation, at an offset within it.
func (p *parser) inEquation(f *function, e *equation, part string, at int) *parser {
	inside := &parser{
		ctx:       p.ctx,
		depth:     p.depth,
		tokens:    tokensAt(p.ctx, f.in.source, part, e.at+at),
		atoms:     p.atoms,
		gates:     map[string]bool{},
		withData:  new([]*action),
		mentioned: p.mentioned,
		constants: map[string]bool{},
		lookup:    p.lookup,
	}
	for _, declared := range e.variables {
		for _, name := range declared.names {
			v := &variable{name: name, sort: p.sortOf(declared.sort)}
			inside.visible = append(inside.visible, v)
		}
	}
	return inside
}

// isPattern reports whether an expression may be an argument on the left-hand side of an equation.
func (e *expression) isPattern() bool {
	switch e.op {
	case "", constructOp, listOp, prependOp, appendOp:
		return !slices.ContainsFunc(e.parts, func(part *expression) bool {
			return !part.isPattern()
		})
	}
	return false
}

// application returns a use of a function that is defined by equations.
func (p *parser) application(t token, f *function, arguments []*expression) *expression {
	f.in.use(f.name)
	p.readEquations(f)
	if f.reason != "" {
		abort.On(t.refused(ofData, "what "+f.name+" computes is not read: "+f.reason))
	}
	if len(arguments) != len(f.parameters) {
		refuse(t, "%s with %d arguments", f.name, len(f.parameters))
	}
	if f.isInlined() {
		return p.inlined(t, f, arguments)
	}
	e := p.newOperation(applyOp, t, arguments...)
	e.function = f
	return e
}

// isInlined reports whether uses of a function are replaced by its equations. Then the conditions
// of the equations show which values a quantifier has to range over.
func (f *function) isInlined() bool {
	if f.isBeingRead || f.isRecursive {
		return false
	}
	for _, e := range f.equations {
		for _, pattern := range e.patterns {
			if pattern.op != "" {
				return false
			}
		}
	}
	return true
}

// inlined returns the equations of a function for given arguments: if(condition 1, result 1, if(…)).
func (p *parser) inlined(t token, f *function, arguments []*expression) *expression {
	value := &expression{op: applyOp, at: t, parts: arguments, function: f} // if no equation applies
	for _, e := range slices.Backward(f.equations) {
		condition, values := p.matchedBy(t, e, arguments)
		result := p.substituted(e.result, values)
		if e.condition != nil {
			condition = append(condition, p.substituted(e.condition, values))
		}
		if len(condition) == 0 {
			value = result
			continue
		}
		both := condition[0]
		for _, more := range condition[1:] {
			both = p.newOperation("and", t, both, more)
		}
		value = p.newOperation("if", t, both, result, value)
	}
	return value
}

// matchedBy returns the conditions under which arguments match the patterns of an equation, and the
// values of its variables.
func (p *parser) matchedBy(
	t token,
	e *equation,
	arguments []*expression,
) (conditions []*expression, values map[string]*expression) {
	values = map[string]*expression{}
	for i, pattern := range e.patterns {
		argument := arguments[i]
		if pattern.variable == nil {
			conditions = append(conditions, p.newOperation("==", t, argument, pattern))
			continue
		}
		name := pattern.variable.name
		if values[name] != nil { // the variable occurs more than once, so its arguments have to be equal
			conditions = append(conditions, p.newOperation("==", t, argument, values[name]))
			continue
		}
		values[name] = argument
	}
	return conditions, values
}

// substituted returns a copy of an expression of an equation, with values for the variables of the
// equation. Variables that the expression binds get new names, since those in the values may have the
// same names.
func (p *parser) substituted(e *expression, values map[string]*expression) *expression {
	p.copied++
	if p.copied > mostCopied {
		refuse(e.at, "functions whose equations are used at most %d times in all", mostCopied)
	}
	if e.variable != nil {
		value := values[e.variable.name]
		if value == nil {
			return e
		}
		p.copied += value.size(mostCopied)
		return value
	}
	if e.op == "" {
		return e
	}
	inside := values
	declared := slices.Clone(e.declared)
	for i, d := range declared {
		renamed := *d.variable
		p.declarations++
		renamed.number = p.declarations
		renamed.written = d.variable.shownName()
		renamed.name += "'" + number(int64(p.declarations)).String()
		declared[i].variable = &renamed
		if i == 0 {
			inside = map[string]*expression{}
			for name, value := range values {
				inside[name] = value
			}
		}
		inside[d.variable.name] = &expression{at: e.at, variable: &renamed}
	}
	var parts []*expression
	for _, part := range e.parts {
		parts = append(parts, p.substituted(part, inside))
	}
	copied := p.newOperation(e.op, e.at, parts...)
	copied.function = e.function
	copied.constructor = e.constructor
	copied.fields = e.fields
	copied.types = e.types
	copied.declared = declared
	return copied
}

// size returns the number of subexpressions of an expression. It stops counting above the limit.
func (e *expression) size(limit int) int {
	n := 1
	for _, part := range e.parts {
		if n <= limit {
			n += part.size(limit - n)
		}
	}
	return n
}

// evaluation limits the work of evaluating functions, quantifiers, lists and sets. The outermost
// environment has it.
type evaluation struct {
	ctx   context.Context
	steps int
	depth int
	// results are those of functions. An equation may use an argument several times, so that the work would
	// double with each recursion.
	results map[application]value
}

// application is a function with the texts of its arguments.
type application struct {
	function  *function
	arguments string
}

// Limits on the evaluation of data while a formula is expanded.
const (
	mostEvaluations = 1 << 22
	mostRecursions  = 1 << 12
	mostResults     = 1 << 14 // of functions that are kept
	longestValue    = 1 << 14 // of the text of a list, a set or a constructor with arguments
)

// spend counts steps of the evaluation. It fails when the limit is reached, or when the context is done.
func (e *evaluation) spend(at token, steps int) {
	before := e.steps
	e.steps += steps
	if before>>12 != e.steps>>12 {
		abort.On(e.ctx.Err())
	}
	if e.steps > mostEvaluations {
		refuse(at, "data that is evaluated in at most %d steps", mostEvaluations)
	}
}

// evaluation returns the limits that hold in an environment.
func (e *environment) evaluation() *evaluation {
	for ; e != nil; e = e.outer {
		if e.limits != nil {
			return e.limits
		}
	}
	return &evaluation{ctx: context.Background()}
}

// apply returns the value of a function.
func (e *expression) apply(env *environment) value {
	limits := env.evaluation()
	limits.spend(e.at, 1)
	limits.depth++
	defer func() { limits.depth-- }()
	if limits.depth > mostRecursions {
		refuse(e.at, "a function that uses itself at most %d deep", mostRecursions)
	}
	arguments := e.values(env)
	asked := application{function: e.function, arguments: joinedTexts(arguments)}
	result, isKnown := limits.results[asked]
	if isKnown {
		return result
	}
	result = e.firstResult(arguments, limits)
	if limits.results == nil || len(limits.results) == mostResults {
		limits.results = map[application]value{}
	}
	limits.results[asked] = result
	return result
}

// firstResult returns the result of the first equation of a function that applies to arguments.
func (e *expression) firstResult(arguments []value, limits *evaluation) value {
	for _, equation := range e.function.equations {
		inside := &environment{limits: limits}
		isMatched := true
		for i, pattern := range equation.patterns {
			inside, isMatched = pattern.match(arguments[i], inside)
			if !isMatched {
				break
			}
		}
		if isMatched && (equation.condition == nil || equation.condition.condition(inside)) {
			return equation.result.eval(inside)
		}
	}
	var texts []string
	for _, argument := range arguments {
		texts = append(texts, argument.String())
	}
	abort.On(e.at.refused("a function with a value",
		"no equation tells "+e.function.name+"("+strings.Join(texts, ",")+")"))
	return value{}
}

// match returns the environment with the values that the variables of a pattern get from a value; false
// if the pattern does not match the value.
func (e *expression) match(v value, env *environment) (*environment, bool) {
	if e.op == "" {
		if e.variable == nil {
			return env, e.constant.same(v)
		}
		known, isKnown := env.find(e.variable.name)
		if isKnown {
			return env, known.same(v)
		}
		return env.with(e.variable.name, v), true
	}
	parts, isMade := e.partsOf(v)
	if !isMade || len(parts) != len(e.parts) {
		return env, false
	}
	for i, part := range e.parts {
		var isMatched bool
		env, isMatched = part.match(parts[i], env)
		if !isMatched {
			return env, false
		}
	}
	return env, true
}

// partsOf returns the values of which the operator of a pattern makes a value; false if it does not make this one.
func (e *expression) partsOf(v value) (parts []value, isMade bool) {
	switch e.op {
	case constructOp:
		name, arguments := v.constructed()
		return arguments, name == e.constructor.name
	case listOp:
		return v.elements('[')
	case prependOp, appendOp:
		elements, isList := v.elements('[')
		if !isList || len(elements) == 0 {
			return nil, false
		}
		if e.op == appendOp {
			last := len(elements) - 1
			return []value{collected('[', elements[:last]), elements[last]}, true
		}
		return []value{elements[0], collected('[', elements[1:])}, true
	}
	return nil, true
}
