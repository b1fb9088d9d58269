package tlaplus

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/property/values"
)

// Level says what an expression depends on: constants alone, a state, a step or a run.
type Level uint8

// The levels in ascending order. An expression may contain expressions of lower levels.
const (
	Constant Level = iota // without variables
	State                 // a state
	Action                // a step: a state and the next one
	Temporal              // a run
)

// machine evaluates expressions in a state. Actions are evaluated in a state and the next state.
type machine struct {
	intervals map[interval]values.Value // sets of numbers that were written out
	spent     *work
	order     map[string]int
	moment
	// steps yields the values in the successors of the present state. ENABLED needs them.
	steps func(yield func([]values.Value) bool)
	// distance is the value of TLCGet("level").
	distance int
	// epochs counts the epochs of all machines.
	epochs *int
	// depth is the number of nested calls, and waiting is the number of nested operations in these
	// calls.
	depth, waiting int
	// stack has the arguments of the built-in operators that are being
	// evaluated.
	stack []result
}

// moment is the present state and step of a machine.
type moment struct {
	// now and next are the values of the variables in the state and the next
	// state; next is nil if there is no next state.
	now, next []values.Value
	// chosen reports for each variable whether the search for a next state has chosen its next value;
	// nil if all variables have one.
	chosen []bool
	// mode is 1 within a primed expression.
	mode int
	// folds is the order in which folds visit members, and foldEpochs has the epoch of each order.
	folds      foldOrder
	foldEpochs foldEpochs
	// epoch numbers the assignments of values to variables. Values that were stored in another epoch
	// are invalid.
	epoch int
}

// beginEpoch starts a new epoch, since the values of variables have changed.
func (m *machine) beginEpoch() { m.epoch = m.newEpoch() }

// newEpoch returns the number of an epoch that no machine has used.
func (m *machine) newEpoch() int {
	*m.epochs++
	return *m.epochs
}

// code evaluates an expression in an environment that binds its names.
type code func(m *machine, e *env) result

// env binds one name: to a value, to an expression that is evaluated on demand, or to an operator. up
// binds the outer names.
type env struct {
	up          *env
	run         code // nil if the name is bound to a value
	environment *env
	// known has, for each mode, the epoch in which the value was computed.
	known [2]int
	value [2]result
	op    operator
}

// bind returns an environment that binds a name to a value.
func bind(up *env, r result) *env { return &env{up: up, value: [2]result{r, r}} }

// evaluate returns the value of the innermost name. It evaluates an expression once in each epoch and mode.
func (e *env) evaluate(m *machine) result {
	if e.run != nil && e.known[m.mode] != m.epoch {
		e.value[m.mode] = e.run(m, e.environment)
		e.known[m.mode] = m.epoch
	}
	return e.value[m.mode]
}

// above returns the environment without its n innermost names.
func (e *env) above(n int) *env {
	for ; n > 0; n-- {
		e = e.up
	}
	return e
}

// operator is an operator that is an argument of another one.
type operator func(m *machine, args []*env) result

// compiled is a compiled expression, with what it depends on.
type compiled struct {
	run   code
	level Level
	// reads has a bit for each variable that the expression reads. All variables from number
	// mostVariables on share the last bit.
	reads uint64
	// open marks an expression that contains parameters, whose arguments may have a higher level. bound
	// marks an expression that depends on bound names, or binds names itself.
	open, bound bool
	// byDistance is set if the value depends on the distance of the state from the initial states, by
	// TLCGet("level").
	byDistance bool
	// height is the largest number of nested operations in an evaluation, apart from those in
	// definitions that the expression calls.
	height int
}

const mostVariables = 63

func variable(n int) uint64 { return 1 << min(n, mostVariables) }

const allVariables = ^uint64(0)

// addDependencies adds what other expressions depend on.
func (c *compiled) addDependencies(others ...*compiled) {
	for _, o := range others {
		c.level = max(c.level, o.level)
		c.reads |= o.reads
		c.open = c.open || o.open
		c.bound = c.bound || o.bound
		c.byDistance = c.byDistance || o.byDistance
		c.height = max(c.height, o.height)
	}
}

// scope has the names that are bound around an expression, beginning with the innermost name. The name
// of a definition has no env.
type scope struct {
	up         *scope
	name       string
	arity      int
	value      compiled    // what the name is bound to, without its code; it is open for a parameter
	definition *Definition // a definition of LET
	code       *body
	depth      int // number of envs
	world      *world
	// formula is the formula about runs to which a parameter is bound; nil for other parameters.
	formula *unfolding
	// local is the instance that a definition of LET denotes, once the instance is made.
	local *world
	// from is the module in which names are looked up.
	from *Module
}

// bind returns a scope that has a further name, which is bound to a value.
func (s *scope) bind(name string, arity int, value compiled) *scope {
	return &scope{
		up:    s,
		name:  name,
		arity: arity,
		value: value,
		depth: s.depth + 1,
		world: s.world,
		from:  s.from,
	}
}

// world gives the names of a module their meanings. It is the module itself, or an instance of the
// module in which expressions replace some names.
type world struct {
	s      *Specification
	module *Module
	// root marks the module to which the configuration belongs.
	root bool
	// substitutions has the expressions that replace names. The names in these expressions belong to the scope
	// outer.
	substitutions map[string]*expression
	outer         *scope
	// depth is the number of names that are bound where the instance is made, including the
	// parameters of the instance. The module cannot refer to them. The scope hidden stands for them: it
	// has their number, but not the names.
	depth  int
	hidden *scope
	// called is the definition of the instance, if it has parameters whose arguments are known; otherwise
	// nil.
	called *Definition
	// lambdas has the body of each LAMBDA that the instance substitutes for an operator.
	lambdas map[*expression]*body
	bodies  map[*Definition]*body
	// worlds has the instance that each INSTANCE statement makes.
	worlds map[*instance]*world
}

// body is a compiled definition.
type body struct {
	compiled
	// isBusy marks a definition that is being compiled. isProvisional marks a compiled definition
	// that uses a busy one, so that it is not known yet what the definition depends on. index is
	// the number of bodies that were busy before this one, and lowestUsed is the smallest index of
	// a busy body that this one uses.
	isBusy, isProvisional bool
	index, lowestUsed     int
	depth                 int // the number of names bound around the definition
	scope                 *scope
	definition            *Definition
	nextStates            nextStates // nil until it is needed
	// known has the epoch in which value was computed, by the order of folds and by mode. It is used
	// for definitions that depend on no bound names.
	known [foldOrders][2]int
	value [foldOrders][2]result
}

// scope returns the outermost scope of a module of the world.
func (w *world) scope(from *Module) *scope {
	return &scope{
		up:    w.hidden,
		world: w,
		from:  from,
		depth: w.depth,
	}
}

// boundBetween returns the number of names that are bound between the definitions of a world and an expression
// in a scope.
func (w *world) boundBetween(s *scope) int {
	if w.depth == 0 {
		return 0 // the definitions are in no expression, and need none of the names around this one
	}
	return s.depth - w.depth
}

// hidden returns a scope of the same depth as s whose names no expression can refer to; nil if s has no
// names.
func (s *scope) hidden() *scope {
	if s == nil || s.depth == 0 {
		return nil
	}
	return &scope{
		up:    s.up.hidden(),
		value: compiled{open: s.value.open},
		depth: s.depth,
		world: s.world,
		from:  s.from,
	}
}

// stepsOfWorld is the number of steps that a world costs, since it takes as much memory as this many
// values.
const stepsOfWorld = 50

// mostWorlds is the largest number of instances of modules, nested ones included.
const mostWorlds = 10_000

func (w *world) instanceOf(i *instance, outer *scope) *world {
	if made := w.worlds[i]; made != nil {
		return made
	}
	made := w.newInstance(i, outer)
	w.worlds[i] = made
	return made
}

// newInstance makes a world for an INSTANCE statement in a scope.
func (w *world) newInstance(i *instance, outer *scope) *world {
	module := w.s.loader.load(i.module)
	if module == nil {
		fail(i.at,
			"module %s is not there: put %s.tla next to the specification, name its folder, or name by TLA2TOOLS the jar that has it", i.module, i.module)
	}
	w.s.worlds++
	if w.s.worlds > mostWorlds {
		fail(i.at, "there are more than %d instances of modules, counting nested ones",
			mostWorlds)
	}
	w.s.loader.spent.take(stepsOfWorld)
	return &world{
		s: w.s, module: module, substitutions: i.with, outer: outer, depth: outer.depth, hidden: outer.hidden(),
		lambdas: map[*expression]*body{}, bodies: map[*Definition]*body{}, worlds: map[*instance]*world{},
	}
}

// compile returns the code of an expression in a scope. The code of a constant evaluates it only once.
func (s *scope) compile(x *expression) *compiled {
	spec := s.world.s
	spec.loader.spent.take(1)
	spec.nested++
	if spec.nested > mostDeep {
		fail(x.at, "more than %d nested operators", mostDeep)
	}
	c := s.translate(x)
	spec.nested--
	c.height++
	if c.level > Constant || c.open || c.bound || x.kind == literal {
		return c
	}
	run := c.run
	known := false
	value := result{}
	c.run = func(m *machine, e *env) result {
		if !known {
			value = run(m, e)
			known = true
		}
		return value
	}
	return c
}

// translate returns the code of an expression.
func (s *scope) translate(x *expression) *compiled {
	c := &compiled{}
	switch x.kind {
	case literal:
		return literalCode(x)
	case apply, selected:
		if s.isOfLanguage(x) && logical()[x.name] {
			return s.logicalOperator(x)
		}
		return s.applied(x)
	case forAll, exists, choose, filtered, mapped:
		s.quantified(x, c)
		return c
	case function:
		return s.function(x, "", x.bounds, x.args[0])
	case except:
		s.except(x, c)
		return c
	case let:
		// A definition without arguments is evaluated at most once for each evaluation of the LET.
		inner, locals := s.compileLet(x)
		p := inner.compilePart(x.args[0], c)
		c.run = func(m *machine, e *env) result { return p.run(m, locals(e)) }
		return c
	case hiding:
		inner := s
		for _, name := range x.fields {
			inner = inner.bind(name, 0, compiled{level: State})
		}
		inner.compilePart(x.args[0], c)
		return temporalCode(x)
	case lambda:
		fail(x.at,
			"LAMBDA stands where a value is needed: it can only be the argument of an operator")
	}
	return s.compound(x)
}

// failDecimal fails since a number is no integer.
func failDecimal(at Position, digits string) {
	fail(at, "%s is no integer, and TLC evaluates no other numbers", digits)
}

// compound compiles an expression whose value depends only on the values of its parts.
func (s *scope) compound(x *expression) *compiled {
	c := &compiled{}
	parts := s.compileParts(x.args, c)
	switch x.kind {
	case square, angle, fair:
		return s.actionWithSubscript(x, c, parts)
	}
	c.run = compoundCode(x, parts)
	return c
}

// compoundCode returns the code of an expression other than an action with a subscript, given its parts.
func compoundCode(x *expression, parts []*compiled) code {
	switch x.kind {
	case junction:
		return junctionCode(x, parts)
	case setOf:
		return constructionCode(x, values.Set, nil, parts)
	case tuple:
		return constructionCode(x, values.Sequence, nil, parts)
	case record:
		return constructionCode(x, values.Function, fieldKeys(x), parts)
	case records:
		return recordsCode(x, parts, fieldKeys(x))
	case product:
		return recordsCode(x, parts, domain(sequenceOf(make([]values.Value, len(parts)))))
	case functions:
		return functionsCode(x, parts)
	case at:
		return func(m *machine, e *env) result {
			return m.applyFunction(x, parts[0].run(m, e), key(m, x, parts[1:], e))
		}
	case field:
		name := of(quoted(x.name))
		return func(m *machine, e *env) result {
			return m.applyFunction(x, parts[0].run(m, e), name)
		}
	case ifThen:
		return conditionalCode(x, parts)
	case cases:
		return casesCode(x, parts)
	}
	return nil
}

// conditionalCode returns the code of IF … THEN … ELSE, which evaluates only one of the branches.
func conditionalCode(x *expression, parts []*compiled) code {
	condition, then, otherwise := parts[0], parts[1], parts[2]
	return func(m *machine, e *env) result {
		if m.bool(x.args[0], condition.run(m, e)) {
			return then.run(m, e)
		}
		return otherwise.run(m, e)
	}
}

// constructionCode returns the code that makes a set, a sequence or, with keys, a record of the values of its parts.
func constructionCode(x *expression, kind values.Kind, keys []values.Value, parts []*compiled) code {
	return func(m *machine, e *env) result {
		return m.construct(x, kind, slices.Clone(keys), parts, e)
	}
}

// literalCode returns the code of a string, a number, or a value that the configuration gives.
func literalCode(x *expression) *compiled {
	if x.number && strings.Contains(x.name, ".") {
		return &compiled{run: func(*machine, *env) result {
			failDecimal(x.at, x.name)
			return result{}
		}}
	}
	v := of(quoted(x.name))
	switch {
	case x.value != nil:
		v = of(*x.value)
	case x.number:
		v = of(madeNumber(x.name))
	}
	return &compiled{run: func(*machine, *env) result { return v }}
}

// functionsCode returns the code of [S -> T].
func functionsCode(x *expression, parts []*compiled) code {
	return func(m *machine, e *env) result {
		f := &functionSet{x: x, keys: m.members(x.args[0], parts[0].run(m, e))}
		to := m.requireSet(x.args[1], parts[1].run(m, e))
		m.spent.room(2 * len(f.keys))
		f.sets = slices.Repeat([]result{to}, len(f.keys))
		f.n = partsOf(to)
		return m.unlisted(x, f)
	}
}

// recordsCode returns the code of a set of records or of tuples. Each key has a set of values.
func recordsCode(x *expression, parts []*compiled, keys []values.Value) code {
	return func(m *machine, e *env) result {
		f := &functionSet{x: x, keys: keys}
		for i, p := range parts {
			f.sets = append(f.sets, m.requireSet(x.args[i], p.run(m, e)))
		}
		f.n = partsOf(f.sets...)
		return m.unlisted(x, f)
	}
}

// casesCode returns the code of CASE. Its parts are conditions, each with its value behind it; the condition
// of OTHER is nil.
func casesCode(x *expression, parts []*compiled) code {
	return func(m *machine, e *env) result {
		for i := 0; i < len(parts); i += 2 {
			condition := parts[i]
			if condition == nil || m.bool(x.args[i], condition.run(m, e)) {
				return parts[i+1].run(m, e)
			}
		}
		fail(x.at, "no condition of this CASE holds")
		return result{}
	}
}

// actionWithSubscript compiles [A]_v, <<A>>_v, and WF_v(A) and SF_v(A). The parts are compiled, and c
// has what they depend on.
func (s *scope) actionWithSubscript(x *expression, c *compiled, parts []*compiled) *compiled {
	if c.level == Temporal {
		fail(x.at, "%s is about an action, but %s is a formula about runs", x.text(),
			x.args[0].text())
	}
	if x.kind == fair {
		return temporalCode(x)
	}
	c.level = Action
	stays := s.unchanged(x.args[1])
	c.run = func(m *machine, e *env) result {
		if stays(m, e) {
			return truth(x.kind == square)
		}
		return truth(m.bool(x.args[0], parts[0].run(m, e)))
	}
	return c
}

// quantified compiles an expression whose bound names range over sets.
func (s *scope) quantified(x *expression, c *compiled) {
	if x.bounds[0].set == nil {
		s.unbounded(x, c)
		return
	}
	if x.kind == filtered && len(x.bounds) == 1 {
		s.filteredSet(x, c)
		return
	}
	// CHOOSE needs the members in the order of TLC, since it takes the first one.
	inner, ranges := s.bounds(x.bounds, c, x.kind == choose)
	p := inner.compilePart(x.args[0], c)
	switch x.kind {
	case forAll, exists:
		c.run = quantifierCode(x, ranges, p)
	case choose:
		c.run = choiceCode(x, ranges, p)
	case mapped:
		c.run = func(m *machine, e *env) result {
			all := composer{kind: values.Set}
			ranges(m, e, func(e *env) bool {
				all.add(m, x, p.run(m, e))
				return true
			})
			return all.made(m, x, nil)
		}
	}
}

// quantifierCode returns the code of \A, which looks for a value for which p is false, or of \E, which
// looks for one for which p is true.
func quantifierCode(x *expression, ranges ranges, p *compiled) code {
	isForAll := x.kind == forAll
	return func(m *machine, e *env) result {
		found := false
		ranges(m, e, func(e *env) bool {
			found = m.bool(x.args[0], p.run(m, e)) != isForAll
			return !found
		})
		return truth(found != isForAll)
	}
}

// choiceCode returns the code of CHOOSE.
func choiceCode(x *expression, ranges ranges, p *compiled) code {
	return func(m *machine, e *env) result {
		var chosen *env
		ranges(m, e, func(e *env) bool {
			if m.bool(x.args[0], p.run(m, e)) {
				chosen = e
			}
			return chosen == nil
		})
		if chosen == nil {
			fail(x.at, "%s: no member of the set satisfies the condition", x.text())
		}
		return of(keyOf(chosen, x.bounds))
	}
}

// filteredSet compiles {x \in S : p(x)}. The members of the result are listed only if those of S are.
func (s *scope) filteredSet(x *expression, c *compiled) {
	b := &x.bounds[0]
	over := s.compilePart(b.set, c)
	condition := x.args[0]
	p := s.withBounds(x.bounds).compilePart(condition, c)
	c.run = func(m *machine, e *env) result {
		set := m.requireSet(b.set, over.run(m, e))
		if set.isUnlisted() {
			madeIn := m.moment
			holds := func(m *machine, use *expression, v values.Value) bool {
				inner := b.bind(b.set, e, v)
				return m.bool(condition, m.inMoment(madeIn, use, p, inner))
			}
			return m.unlisted(x, &filteredSet{x: x, over: set, holds: holds})
		}
		var satisfying []values.Value
		for _, v := range m.members(b.set, set) {
			m.work()
			inner := b.bind(b.set, e, v)
			if m.bool(condition, p.run(m, inner)) {
				satisfying = append(satisfying, v)
			}
		}
		return of(m.setOf(x, satisfying))
	}
}

// inMoment evaluates an expression in the state and step of an earlier moment.
func (m *machine) inMoment(then moment, use *expression, p *compiled, e *env) result {
	m.enter(use, p.height)
	defer m.leave(p.height)
	before := m.moment
	m.moment = then
	r := p.run(m, e)
	m.moment = before
	return r
}

// unbounded compiles an expression whose bound names have no sets. As in TLC, evaluating the expression
// fails.
func (s *scope) unbounded(x *expression, c *compiled) {
	s.withBounds(x.bounds).compilePart(x.args[0], c)
	problem := "%s ranges over everything, and TLC evaluates quantifiers over sets alone; give its names sets"
	if x.kind == choose {
		problem = "%s chooses among everything, which has no value; replace the definition in the configuration, as TLC needs it, too"
	}
	c.run = func(*machine, *env) result {
		fail(x.at, problem, x.text())
		return result{}
	}
}

// temporalCode returns the code of a formula about runs. It fails when it is
// run, because such a formula has no value in a state.
func temporalCode(x *expression) *compiled {
	return &compiled{level: Temporal, reads: allVariables, run: func(*machine, *env) result {
		fail(x.at, "%s is about runs, and stands where a value is needed", x.text())
		return result{}
	}}
}

// fieldKeys returns the names of the fields of an expression as the keys of a record.
func fieldKeys(x *expression) []values.Value {
	var keys []values.Value
	for _, f := range x.fields {
		keys = append(keys, quoted(f))
	}
	return keys
}

// compilePart compiles a part of an expression, and adds to c what the part depends on.
func (s *scope) compilePart(x *expression, c *compiled) *compiled {
	p := s.compile(x)
	c.addDependencies(p)
	return p
}

// compileParts compiles parts of an expression, and adds to c what they depend on. The result has nil for a
// part that is nil.
func (s *scope) compileParts(all []*expression, c *compiled) []*compiled {
	parts := make([]*compiled, len(all))
	for i, x := range all {
		if x != nil {
			parts[i] = s.compilePart(x, c)
		}
	}
	return parts
}

// valuesOf returns the values of parts of an expression.
func (m *machine) valuesOf(x *expression, parts []*compiled, e *env) []values.Value {
	all := make([]values.Value, len(parts))
	for i, p := range parts {
		all[i] = m.value(x, p.run(m, e))
	}
	return all
}

// junctionCode returns the code of a conjunction or a disjunction. It evaluates parts until one of them
// decides: false for a conjunction, and true for a disjunction.
func junctionCode(x *expression, parts []*compiled) code {
	decisive := x.name == `\/`
	return func(m *machine, e *env) result {
		for i, p := range parts {
			if m.bool(x.args[i], p.run(m, e)) == decisive {
				return truth(decisive)
			}
		}
		return truth(!decisive)
	}
}

// unchanged returns a function that reports whether an expression has the same value in the next state.
// The function compares tuples item by item, including tuples that are given by their names.
func (s *scope) unchanged(x *expression) func(m *machine, e *env) bool {
	v := s.compile(x)
	items := s.unchangedItems(x)
	return func(m *machine, e *env) bool {
		if items == nil || m.chosen != nil { // during a search, some item may still lack a next value
			before := v.run(m, e)
			return m.equal(x, before, m.primed(x, v, e))
		}
		for _, stays := range items {
			if !stays(m, e) {
				return false
			}
		}
		return true
	}
}

// unchangedItems returns the functions of [scope.unchanged] for the items of a tuple, or of a name that is
// defined as a tuple; nil for other expressions.
func (s *scope) unchangedItems(x *expression) (items []func(m *machine, e *env) bool) {
	in := s
	defining := x
	for defining.kind == apply && len(defining.args) == 0 && in.bound(defining.name) == nil {
		b := in.definedUse(defining).body
		if b == nil || b.isBusy || b.depth > 0 || b.definition.over != nil {
			break
		}
		in = b.scope
		defining = b.definition.read()
	}
	if defining.kind != tuple {
		return nil
	}
	for _, item := range defining.args {
		items = append(items, in.unchanged(item))
	}
	return items
}

// primed evaluates an expression in the next state.
func (m *machine) primed(x *expression, c *compiled, e *env) result {
	if m.next == nil {
		fail(x.at, "%s is about the next state, and stands where there is only one", x.text())
	}
	if m.mode == 1 {
		fail(x.at, "%s is primed twice", x.text())
	}
	m.mode = 1
	r := c.run(m, e)
	m.mode = 0
	return r
}

// ranges calls yield for each combination of values of some bound names, with an environment that binds
// the names to these values, until yield returns false.
type ranges func(m *machine, e *env, yield func(*env) bool)

var logical = words(`/\ \/ => <=> ~ ' UNCHANGED ENABLED [] <> ~> -+-> \cdot`)

// logicalOperator compiles an operator that does not evaluate all of its arguments, or evaluates them in another
// state.
func (s *scope) logicalOperator(x *expression) *compiled {
	c := &compiled{}
	operands := s.compileParts(x.args, c)
	firstArg := x.args[0]
	first := operands[0]
	switch x.name {
	case `/\`, `\/`:
		c.run = junctionCode(x, operands)
	case "=>", "<=>":
		c.run = func(m *machine, e *env) result {
			isFirstTrue := m.bool(firstArg, first.run(m, e))
			if !isFirstTrue && x.name == "=>" {
				return truth(true)
			}
			isSecondTrue := m.bool(x.args[1], operands[1].run(m, e))
			return truth(isFirstTrue == isSecondTrue)
		}
	case "~":
		c.run = func(m *machine, e *env) result {
			return truth(!m.bool(firstArg, first.run(m, e)))
		}
	case "'":
		checkPrimed(x, first)
		if first.level == State || first.open {
			c.level = Action
		}
		c.run = func(m *machine, e *env) result { return m.primed(x, first, e) }
	case "UNCHANGED":
		c.level = Action
		isUnchanged := s.unchanged(firstArg)
		c.run = func(m *machine, e *env) result { return truth(isUnchanged(m, e)) }
	case "ENABLED":
		if first.level == Temporal {
			fail(x.at, "%s is about runs, and ENABLED takes an action", firstArg.text())
		}
		c.level = State
		c.reads = allVariables
		next := s.nextStates(firstArg)
		c.run = func(m *machine, e *env) result {
			return truth(m.enabled(x, first, next, e))
		}
	case `\cdot`:
		c.level = Action
		c.run = func(*machine, *env) result {
			fail(x.at, "%s is about the state between two steps, and cannot be evaluated",
				x.text())
			return result{}
		}
	default:
		return temporalCode(x)
	}
	return c
}

// checkPrimed fails if the argument of a prime is an action or about runs.
func checkPrimed(x *expression, arg *compiled) {
	switch arg.level {
	case Temporal:
		fail(x.at, "%s is about runs, and cannot be primed", x.args[0].text())
	case Action:
		fail(x.at, "%s is primed twice", x.text())
	}
}

// builtin compiles the application of a built-in operator.
func (s *scope) builtin(x *expression) *compiled {
	b, isBuiltin := builtins()[x.name]
	takesOperator := x.name == "SelectSeq" || x.name == "SortSeq"
	switch {
	case takesOperator && len(x.args) == 2:
		return s.withOperator(x)
	case x.name == "BagOfAll" && len(x.args) == 2:
		return s.bagOfAll(x)
	case x.name == "TLCGet" && len(x.args) == 1 && isLevel(x.args[0]):
		distance := func(m *machine, _ *env) result { return whole(int64(m.distance)) }
		return &compiled{level: State, byDistance: true, run: distance}
	case !isBuiltin:
		s.failBuiltin(x)
	case len(x.args) != b.arity:
		fail(x.at, "%s takes %s, found %d", x.name, countedArguments(b.arity), len(x.args))
	}
	c := &compiled{}
	parts := s.compileParts(x.args, c)
	for i, p := range parts {
		if p.level == Temporal {
			fail(x.args[i].at, "%s is about runs, and stands where a value is needed",
				x.args[i].text())
		}
	}
	calculate := numeric()[x.name]
	if calculate != nil {
		c.run = numericCode(x, calculate, parts)
	} else {
		c.run = builtinCode(x, b, parts)
	}
	return c
}

// numericCode returns the code of an operator that calculates with the numbers that are its two arguments.
func numericCode(x *expression, calculate calculation, parts []*compiled) code {
	first := parts[0].run
	second := parts[1].run
	return func(m *machine, e *env) result {
		a := first(m, e)
		b := second(m, e)
		return calculate(x, m.int(x.args[0], a), m.int(x.args[1], b))
	}
}

// builtinCode returns the code of a built-in operator. Its arguments are on the stack of the machine while
// it is applied.
func builtinCode(x *expression, b builtin, parts []*compiled) code {
	return func(m *machine, e *env) result {
		base := len(m.stack)
		for _, p := range parts {
			value := p.run(m, e)
			m.stack = append(m.stack, value)
		}
		result := b.run(m, x, m.stack[base:])
		m.stack = m.stack[:base]
		return result
	}
}

// failBuiltin fails, and explains why an undefined name has no value.
func (s *scope) failBuiltin(x *expression) {
	switch {
	case x.name == "TLCGet":
		fail(x.at,
			"TLCGet depends on how TLC runs, and has no value in a graph, but for TLCGet(\"level\") in a CONSTRAINT; bound a variable instead, such as Len(queue) < 5")
	case notHere()[x.name]:
		fail(x.at,
			"%s depends on how TLC runs, and has no value in a graph; put a definition of yours in its place in the configuration (CONSTANT %[1]s <- Mine)", x.name)
	case x.name == "/" && len(x.args) == 2:
		fail(x.at,
			"a / b is a real number, with which TLC does not compute, and has no value in a graph; \\div divides integers")
	case ofJSON()[x.name]:
		fail(x.at,
			"%s is evaluated by TLC's own code, and has no value here; put a definition of yours in its place in the configuration (CONSTANT %[1]s <- Mine)", x.name)
	}
	absent := map[string]Position{}
	for _, m := range s.from.visible {
		maps.Copy(absent, m.missing)
	}
	if len(absent) > 0 {
		name := slices.Sorted(maps.Keys(absent))[0]
		fail(x.at,
			"%s is not defined: module %s is not there, which line %d extends; put %s.tla next to it, name its folder, or name by TLA2TOOLS the jar that has it", x.name, name, absent[name].Line, name)
	}
	for _, m := range s.from.visible {
		if m.operators[x.name] != nil {
			fail(x.at, "%s is not defined here: it is LOCAL to module %s, which keeps it inside", x.name, m.name)
		}
	}
	fail(x.at, "%s is not defined%s", x.name,
		cmp.Or(inOtherWords(x.name), s.world.s.loader.root.whyUndefined(x.name), closest(x.name, s.allNames())))
}

// isLevel reports whether an expression is "level". TLCGet("level") is the number of states on a
// shortest path to the present state.
func isLevel(x *expression) bool {
	return x.kind == literal && !x.number && x.name == "level"
}

// withOperator compiles a built-in operator that takes a sequence and an operator.
func (s *scope) withOperator(x *expression) *compiled {
	c := &compiled{}
	seq := s.compilePart(x.args[0], c)
	arity := 2
	change := sorted
	if x.name == "SelectSeq" {
		arity = 1
		change = filteredItems
	}
	op := s.operator(x.args[1], arity, c)
	c.run = func(m *machine, e *env) result {
		items := m.sequence(x.args[0], seq.run(m, e))
		m.spent.room(len(items))
		o := op(e)
		holds := func(args ...values.Value) bool {
			var envs []*env
			for _, v := range args {
				envs = append(envs, bind(nil, of(v)))
			}
			return m.bool(x.args[1], o(m, envs))
		}
		return of(m.sequenceOf(x, change(slices.Clone(items), holds)))
	}
	return c
}

// filteredItems keeps the items for which an operator holds.
func filteredItems(items []values.Value, holds func(...values.Value) bool) []values.Value {
	return slices.DeleteFunc(items, func(v values.Value) bool { return !holds(v) })
}

// sorted sorts items: a comes before b if an operator holds for them in this order.
func sorted(items []values.Value, holds func(...values.Value) bool) []values.Value {
	slices.SortStableFunc(items, func(a, b values.Value) int {
		switch {
		case holds(a, b):
			return -1
		case holds(b, a):
			return 1
		}
		return 0
	})
	return items
}
