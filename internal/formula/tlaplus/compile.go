package tlaplus

import (
	"cmp"
	"fmt"
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
		return 0 // such definitions need none of the names
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
			"module %s is not there: put %s.tla next to the specification, or name its folder", i.module, i.module)
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
	case junction:
		c.run = junctionCode(x, parts)
	case setOf:
		c.run = constructionCode(x, values.Set, nil, parts)
	case tuple:
		c.run = constructionCode(x, values.Sequence, nil, parts)
	case record:
		c.run = constructionCode(x, values.Function, fieldKeys(x), parts)
	case at:
		c.run = func(m *machine, e *env) result {
			return m.applyFunction(x, parts[0].run(m, e), key(m, x, parts[1:], e))
		}
	case field:
		name := of(quoted(x.name))
		c.run = func(m *machine, e *env) result {
			return m.applyFunction(x, parts[0].run(m, e), name)
		}
	case functions:
		c.run = functionsCode(x, parts)
	case records:
		c.run = recordsCode(x, parts, fieldKeys(x))
	case product:
		c.run = recordsCode(x, parts, domain(sequenceOf(make([]values.Value, len(parts)))))
	case ifThen:
		c.run = func(m *machine, e *env) result {
			if m.bool(x.args[0], parts[0].run(m, e)) {
				return parts[1].run(m, e)
			}
			return parts[2].run(m, e)
		}
	case cases:
		c.run = casesCode(x, parts)
	case square, angle, fair:
		return s.actionWithSubscript(x, c, parts)
	}
	return c
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
		to := m.set(x.args[1], parts[1].run(m, e))
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
			f.sets = append(f.sets, m.set(x.args[i], p.run(m, e)))
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
		fail(x.at, "%s is about an action, and %s is a formula about runs", x.text(),
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
		set := m.set(b.set, over.run(m, e))
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

// bounds returns the scope in which the names of some bounds are bound, and the function that
// enumerates their values.
func (s *scope) bounds(bounds []bound, c *compiled, sorted bool) (*scope, ranges) {
	return s.withBounds(bounds), s.enumeration(bounds, c, sorted)
}

// withBounds returns the scope in which the names of some bounds are bound.
func (s *scope) withBounds(bounds []bound) *scope {
	inner := s
	for _, b := range bounds {
		for _, name := range b.names {
			inner = inner.bind(name, 0, compiled{})
		}
	}
	return inner
}

// enumeration returns the function that enumerates the values of the names of some bounds. The sets
// cannot use these names.
func (s *scope) enumeration(bounds []bound, c *compiled, sorted bool) ranges {
	r := &boundRanges{bounds: bounds, sorted: sorted, sets: make([]*compiled, len(bounds))}
	for i, b := range bounds {
		if r.sharesSet(i) {
			r.sets[i] = r.sets[i-1]
		} else {
			r.sets[i] = s.compilePart(b.set, c)
		}
	}
	if len(bounds) == 1 {
		return r.eachMember
	}
	return r.eachCombination
}

// boundRanges enumerates the values of the names of some bounds.
type boundRanges struct {
	bounds []bound
	sets   []*compiled
	sorted bool // whether members are enumerated in the order of TLC
}

// sharesSet reports whether a bound has the same set expression as the bound before it, like y in x, y
// \in S.
func (r *boundRanges) sharesSet(i int) bool {
	return i > 0 && r.bounds[i].set == r.bounds[i-1].set
}

// members returns the members of the set of bound i.
func (r *boundRanges) members(m *machine, e *env, i int) []values.Value {
	all := m.members(r.bounds[i].set, r.sets[i].run(m, e))
	if r.sorted {
		return m.sorted(all)
	}
	return all
}

// eachMember enumerates the values of a single bound.
func (r *boundRanges) eachMember(m *machine, e *env, yield func(*env) bool) {
	b := &r.bounds[0]
	for _, v := range r.members(m, e, 0) {
		m.work()
		if !yield(b.bind(b.set, e, v)) {
			return
		}
	}
}

// eachCombination enumerates the values of several bounds.
func (r *boundRanges) eachCombination(m *machine, e *env, yield func(*env) bool) {
	members := make([][]values.Value, len(r.bounds))
	for i := range r.bounds {
		if r.sharesSet(i) {
			members[i] = members[i-1]
		} else {
			members[i] = r.members(m, e, i)
		}
	}
	r.combine(m, e, members, yield)
}

// combine binds the last bounds to each combination of members; members has the set of each of these
// bounds. combine returns false as soon as yield does.
func (r *boundRanges) combine(m *machine, e *env, members [][]values.Value, yield func(*env) bool) bool {
	if len(members) == 0 {
		m.work()
		return yield(e)
	}
	b := &r.bounds[len(r.bounds)-len(members)]
	for _, v := range members[0] {
		if !r.combine(m, b.bind(b.set, e, v), members[1:], yield) {
			return false
		}
	}
	return true
}

// bind binds a name to a value, or the names of a tuple to the items of the value.
func (b *bound) bind(x *expression, e *env, v values.Value) *env {
	if !b.tuple {
		return bind(e, of(v))
	}
	if v.Kind() != values.Sequence || len(v.Items()) != len(b.names) {
		fail(x.at, "%s is no tuple of %d", of(v).shown(), len(b.names))
	}
	for _, item := range v.Items() {
		e = bind(e, of(item))
	}
	return e
}

// key returns the key at which a function is applied: its argument or, if there are several, the
// sequence of its arguments.
func key(m *machine, x *expression, args []*compiled, e *env) result {
	if len(args) == 1 {
		return args[0].run(m, e)
	}
	return of(m.sequenceOf(x, m.valuesOf(x, args, e)))
}

// applyFunction returns the value of a function at a key.
func (m *machine) applyFunction(x *expression, f, k result) result {
	switch lazy := f.lazy.(type) {
	case *lazyFunction:
		return lazy.at(m, x, k)
	case *unlistedParts:
		if lazy.kind == values.Set {
			break
		}
		v, found := lazy.at(m, m.value(x, k))
		if !found {
			fail(x.at, "%s: %s is not in the domain of %s, which is %s", x.text(), k.shown(),
				x.args[0].text(), f.shown())
		}
		return v
	}
	if f.lazy != nil || !isFunction(f.Value) {
		fail(x.at, "%s: %s is no function, but %s: %s", x.text(), x.args[0].text(), f.what(),
			f.shown())
	}
	v, found := f.At(m.value(x, k))
	if !found {
		fail(x.at, "%s: %s is not in the domain of %s, which is %s%s", x.text(), k.shown(),
			x.args[0].text(), f.shown(), unquoted(f, k))
	}
	return of(v)
}

// unquoted returns a clause about a key that is a string, if the domain of a function has the model
// value of this name; "" otherwise.
func unquoted(f, k result) string {
	if !isString(k) {
		return ""
	}
	modelValue := values.Make(values.Text, k.Content(), nil, nil)
	_, isInDomain := f.At(modelValue)
	if !isInDomain {
		return ""
	}
	return fmt.Sprintf("; the model value %s, without quotes, is in it", k.Content())
}

// function returns the code of [x \in S |-> e], or of a definition f[x \in S] == e. The expression e of
// a definition may use f.
func (s *scope) function(
	x *expression,
	name string,
	bounds []bound,
	item *expression,
) *compiled {
	c := &compiled{}
	outer := s
	if name != "" {
		outer = s.bind(name, 0, compiled{level: Constant})
	}
	// The sets cannot use the name of the function.
	ranges := s.enumeration(bounds, c, false)
	itemCode := outer.withBounds(bounds).compilePart(item, c)
	domain := bounds[0].set
	if len(bounds) > 1 {
		domain = &expression{kind: product, at: x.at, source: x.source}
		for _, b := range bounds {
			domain.args = append(domain.args, b.set)
		}
	}
	domainCode := s.compile(domain)
	c.run = func(m *machine, e *env) result {
		domainValue := m.set(x, domainCode.run(m, e))
		if name != "" || !domainValue.isSurelyFinite() {
			lazy := &lazyFunctionCode{
				x:      x,
				name:   name,
				bounds: bounds,
				item:   itemCode,
			}
			return lazy.run(m, e, domainValue)
		}
		var keys []values.Value
		items := composer{kind: values.Function}
		ranges(m, e, func(inner *env) bool {
			keys = append(keys, keyOf(inner, bounds))
			items.add(m, item, itemCode.run(m, inner))
			return true
		})
		return items.made(m, x, keys)
	}
	return c
}

// lazyFunctionCode makes functions whose items are evaluated when they are needed, in the moment in which
// the function was made.
type lazyFunctionCode struct {
	x      *expression
	name   string // "" for a function that its items cannot name
	bounds []bound
	item   *compiled
}

// run returns the function with a domain.
func (c *lazyFunctionCode) run(m *machine, e *env, domain result) result {
	f := &lazyFunction{name: c.name, over: domain, known: map[string]result{}}
	outer := e
	if c.name == "" {
		f.name = c.x.text()
	} else {
		outer = bind(e, result{lazy: f})
	}
	madeIn := m.moment
	f.item = func(m *machine, use *expression, key result) result {
		inner := outer
		for i := range c.bounds {
			v := key.Value
			if len(c.bounds) > 1 {
				v = v.Items()[i]
			}
			inner = c.bounds[i].bind(use, inner, v)
		}
		return m.inMoment(madeIn, use, c.item, inner)
	}
	return m.unlisted(c.x, f)
}

// keyOf returns the values of bound names in an environment as a single value: the key of a function,
// or the member of a set.
func keyOf(e *env, bounds []bound) values.Value {
	if len(bounds) == 1 && !bounds[0].tuple {
		return e.value[0].Value
	}
	all := boundValues(e, bounds)
	if len(all) == 1 {
		return all[0]
	}
	return sequenceOf(all)
}

// boundValues returns the value of each bound in an environment: the value of its name, or the tuple of
// the values of its names.
func boundValues(e *env, bounds []bound) []values.Value {
	all := make([]values.Value, len(bounds))
	for i, b := range slices.Backward(bounds) {
		if !b.tuple {
			all[i] = e.value[0].Value
			e = e.up
			continue
		}
		items := make([]values.Value, len(b.names))
		for k := range slices.Backward(items) {
			items[k] = e.value[0].Value
			e = e.up
		}
		all[i] = sequenceOf(items)
	}
	return all
}

// except compiles [f EXCEPT ![a].b = e].
func (s *scope) except(x *expression, c *compiled) {
	f := s.compilePart(x.args[0], c)
	type made struct {
		path [][]*compiled
		to   *compiled
	}
	var changes []made
	inner := s.bind("@", 0, *f)
	for _, ch := range x.changes {
		var one made
		for _, args := range ch.path {
			one.path = append(one.path, s.compileParts(args, c))
		}
		one.to = inner.compilePart(ch.to, c)
		changes = append(changes, one)
	}
	c.run = func(m *machine, e *env) result {
		v := m.value(x, f.run(m, e))
		for _, ch := range changes {
			v = m.changed(x, v, ch.path, ch.to, e)
		}
		return of(v)
	}
}

// changed returns a function with another value at a path. As in TLC, a path outside the domain has no
// effect.
func (m *machine) changed(
	x *expression,
	f values.Value,
	path [][]*compiled,
	to *compiled,
	e *env,
) values.Value {
	if len(path) == 0 {
		return m.value(x, to.run(m, bind(e, of(f))))
	}
	if !isFunction(f) {
		fail(x.at, "%s: what is changed is no function, but %s: %s", x.text(), of(f).what(),
			of(f).shown())
	}
	k := m.value(x, key(m, x, path[0], e))
	keys := domain(f)
	items := f.Items()
	for i := range keys {
		if m.same(keys[i], k) {
			m.spent.room(2 * len(items))
			changed := slices.Clone(items)
			changed[i] = m.changed(x, items[i], path[1:], to, e)
			if f.Kind() == values.Sequence {
				return m.sequenceOf(x, changed)
			}
			return m.functionOf(x, slices.Clone(keys), changed)
		}
	}
	return f
}

// compileLet returns the scope of the expression after IN, and the function that binds the names of LET.
func (s *scope) compileLet(x *expression) (inner *scope, bind func(*env) *env) {
	var values []code
	inner = s
	for _, d := range x.defs {
		if d.instance != nil {
			inner = &scope{
				up:         inner,
				name:       d.name,
				definition: d,
				depth:      inner.depth,
				world:      s.world,
				from:       s.from,
			}
			continue
		}
		outer := inner
		if len(d.parameters) > 0 {
			inner = outer.withDefinition(d)
			inner.compileBody(d, inner.code)
			continue
		}
		c := inner.definedValue(d)
		if c.level == Temporal { // it has no value; formulas about runs expand it
			inner = outer.withDefinition(d)
			inner.code.compiled = *c
			inner.code.scope = outer
			inner.code.definition = d
			continue
		}
		values = append(values, c.run)
		inner = inner.bind(d.name, 0, *c)
	}
	return inner, func(e *env) *env {
		for _, run := range values {
			e = &env{up: e, run: run, environment: e}
		}
		return e
	}
}

// withDefinition returns the scope in which a definition of LET is known, although it is not compiled yet.
func (s *scope) withDefinition(d *Definition) *scope {
	return &scope{
		up:         s,
		name:       d.name,
		definition: d,
		code:       &body{depth: s.depth},
		depth:      s.depth,
		world:      s.world,
		from:       s.from,
	}
}

// definedValue compiles a definition without parameters.
func (s *scope) definedValue(d *Definition) *compiled {
	x := d.read()
	if d.over != nil {
		return s.function(x, d.name, d.over, x)
	}
	return s.compile(x)
}

// compileBody compiles a definition in its surrounding scope into b. Definitions that use each other
// are provisional until the first of them is compiled; then they depend on everything that this first
// one depends on.
func (s *scope) compileBody(d *Definition, b *body) {
	for _, p := range d.parameters {
		s = s.bind(p.name, p.arity, compiled{open: true})
	}
	spec := s.world.s
	index := len(spec.busy)
	first := len(spec.provisional)
	spec.busy = append(spec.busy, b)
	b.scope = s
	b.definition = d
	b.isBusy = true
	b.index = index
	b.lowestUsed = index
	defer func() {
		spec.busy = spec.busy[:index]
		if b.isBusy { // compilation has failed: forget the definitions that use this one
			for _, other := range spec.provisional[first:] {
				delete(other.scope.world.bodies, other.definition)
			}
			spec.provisional = spec.provisional[:first]
		}
	}()
	b.compiled = *s.definedValue(d)
	b.isBusy = false
	if b.lowestUsed < index {
		b.isProvisional = true
		spec.provisional = append(spec.provisional, b)
		user := spec.busy[index-1]
		user.lowestUsed = min(user.lowestUsed, b.lowestUsed)
		return
	}
	for _, other := range spec.provisional[first:] {
		height := other.height
		other.addDependencies(&b.compiled)
		other.height = height
		other.isProvisional = false
	}
	spec.provisional = spec.provisional[:first]
}

// isUnfinished reports whether it is still unknown what a definition depends on. The definition that is
// being compiled uses this one, so it is marked as unfinished, too.
func (b *body) isUnfinished(spec *Specification) bool {
	if !b.isBusy && !b.isProvisional {
		return false
	}
	n := len(spec.busy)
	if n > 0 {
		around := spec.busy[n-1]
		around.lowestUsed = min(around.lowestUsed, b.lowestUsed)
	}
	return true
}

// hasParameters reports whether a scope has parameters, whose arguments may have any level.
func (s *scope) hasParameters() bool {
	for ; s != nil; s = s.up {
		if s.value.open {
			return true
		}
	}
	return false
}

// definition returns a compiled definition of a module. A world compiles each
// definition once.
func (w *world) definition(d *Definition, use *expression) *body {
	b := w.bodies[d]
	if b == nil {
		evaluated := d
		if d.isOutside() {
			evaluated = w.s.fromOutside(d, use)
		}
		b = &body{depth: w.depth}
		w.bodies[d] = b
		defer func() {
			if b.isBusy { // compilation has failed; the next use of the definition finds the error again
				delete(w.bodies, d)
			}
		}()
		w.scope(d.module).compileBody(evaluated, b)
		return b
	}
	declaresRecursive := func(m *Module) bool { return slices.Contains(m.recursive, d.name) }
	if b.isBusy && !slices.ContainsFunc(d.module.visible, declaresRecursive) {
		fail(use.at, "%s is defined by itself; declare RECURSIVE %s if that is meant", d.name,
			d.name)
	}
	return b
}

// isOfLanguage reports whether an expression applies an operator of the language, and not a definition
// that replaces such an operator.
func (s *scope) isOfLanguage(x *expression) bool {
	if x.kind != apply || len(x.args) == 0 || s.bound(x.name) != nil {
		return false
	}
	_, d := s.named(x)
	return d == nil
}

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

// bound returns the binding of a name within the expression; nil if the name belongs to the module.
func (s *scope) bound(name string) *scope {
	for binding := s; binding != nil; binding = binding.up {
		if binding.name == name {
			return binding
		}
	}
	s.world.s.loader.spent.take(s.depth / 16)
	return nil
}

// resolve returns the definition of a name after the replacements of the configuration, and the world
// in which this definition is evaluated; nil if there is no definition.
func (w *world) resolve(from *Module, name string) (*world, *Definition) {
	d := from.definition(name)
	other, isReplaced := w.replacement(from, name, d)
	if !isReplaced || other.name == name {
		return w, d
	}
	root := w.s.root
	d = root.module.definition(other.name)
	if d == nil {
		_, isBuiltin := builtins()[other.name]
		_, isValue := w.s.config.values[other.name]
		if isBuiltin || isValue {
			return w, nil
		}
		fail(other.at, "%s is to stand for %s, and is not defined", other.name, name)
	}
	return root, d
}

// replacement returns the setting by which the configuration replaces a name, and whether there is
// one. d is the definition of the name. NAME <- OTHER replaces a name of the root module, also in
// modules that the root extends, and in modules with the same definition. NAME <- [M] OTHER
// replaces a definition that module M contains or extends, wherever it is used.
func (w *world) replacement(from *Module, name string, d *Definition) (other setting, isReplaced bool) {
	if len(w.s.config.replaced) == 0 {
		return setting{}, false
	}
	other, isReplaced = w.s.config.replaced[name]
	if isReplaced && w.isOfRoot(from, name, d) {
		return other, true
	}
	if d == nil {
		return w.builtinReplacement(from, name)
	}
	for _, m := range slices.Sorted(maps.Keys(w.s.loader.modules)) {
		other, isReplaced = w.s.config.replaced[m+"!"+name]
		if isReplaced && w.s.loader.modules[m].definition(name) == d {
			return other, true
		}
	}
	return setting{}, false
}

// builtinReplacement returns what NAME <- [M] OTHER replaces an operator of a standard module by. M is
// either this module, which is built in and never read, or a module that extends it and does not define
// the name.
func (w *world) builtinReplacement(from *Module, name string) (other setting, isReplaced bool) {
	_, isBuiltin := builtins()[name]
	if !isBuiltin || from.declares(name) {
		return setting{}, false
	}
	for _, key := range slices.Sorted(maps.Keys(w.s.config.replaced)) {
		moduleName, replacedName, inModule := strings.Cut(key, "!")
		replacement := w.s.config.replaced[key]
		isValue := replacement.name == key // TLC ignores NAME = [M] value for such an operator
		if !inModule || replacedName != name || isValue {
			continue
		}
		module := w.s.loader.modules[moduleName]
		if module == nil || module.definition(name) == nil && !module.declares(name) {
			return replacement, true
		}
	}
	return setting{}, false
}

// isOfRoot reports whether a name with definition d means the same in the root module. In an
// instance, it does if both modules see the definition d, and declare no such name; d is nil for a
// built-in operator.
func (w *world) isOfRoot(from *Module, name string, d *Definition) bool {
	if w.root {
		return true
	}
	if from.declares(name) {
		return false
	}
	root := w.s.root.module
	return d == root.definition(name) && !root.declares(name)
}

// applied compiles a name with its arguments. The name is defined, bound, declared or built in.
func (s *scope) applied(x *expression) *compiled {
	if s.isOfStandard(x) {
		renamed := *x
		renamed.kind = apply
		return s.builtin(&renamed)
	}
	used := s.definedUse(x)
	if used.body != nil {
		return s.calledDefinition(x, used)
	}
	name := s.bound(x.name)
	if name != nil {
		return s.boundName(x, name)
	}
	w := s.world
	if e, ok := w.substitutions[x.name]; ok {
		return w.compileSubstituted(x, e, s)
	}
	if v, ok := w.constantValue(s.from, x.name); ok && len(x.args) == 0 {
		r := of(v)
		return &compiled{run: func(*machine, *env) result { return r }}
	}
	switch {
	case !s.from.declares(x.name):
		return s.builtin(x)
	case !w.root:
		// A name that the module of the instance declares and that WITH does not replace has its
		// meaning around the instance.
		return w.compileSubstituted(x, applied(x.name, x.at), s)
	case !s.from.isVariable(x.name):
		fail(x.at,
			"the constant %s has no value: give it one in the configuration (CONSTANT %s = …)", x.name, x.name)
	case len(x.args) > 0:
		fail(x.at, "the variable %s takes no arguments; a function is applied by brackets, as in %[1]s[%s]",
			x.name, x.args[0].text())
	}
	return w.s.variableOf(x)
}

// boundName compiles the application of a bound name.
func (s *scope) boundName(x *expression, name *scope) *compiled {
	c := name.value
	c.bound = true
	ups := s.depth - name.depth
	if name.arity == 0 {
		if len(x.args) > 0 {
			fail(x.at, "%s takes no arguments, found %d", x.name, len(x.args))
		}
		c.run = func(m *machine, e *env) result { return e.above(ups).evaluate(m) }
		return &c
	}
	if len(x.args) != name.arity {
		fail(x.at, "%s takes %s, found %d", x.name, countedArguments(name.arity), len(x.args))
	}
	c.open = true
	parts := s.compileParts(x.args, &c)
	c.run = func(m *machine, e *env) result {
		args := make([]*env, len(parts))
		for i, p := range parts {
			args[i] = &env{run: p.run, environment: e}
		}
		return e.above(ups).op(m, args)
	}
	return &c
}

// variableOf compiles a variable. Its value is that in the present state or, under a prime, in the next
// one.
func (s *Specification) variableOf(x *expression) *compiled {
	n := slices.Index(s.variables, x.name)
	return &compiled{level: State, reads: variable(n), run: func(m *machine, _ *env) result {
		state := m.now
		if m.mode == 1 {
			state = m.next
			if m.chosen != nil && !m.chosen[n] {
				panic(unchosen{})
			}
		}
		if state == nil {
			fail(x.at, "%s is a variable, and stands where a constant is needed", x.name)
		}
		return of(state[n])
	}}
}

// applied returns the application of a name without arguments.
func applied(name string, at Position) *expression {
	return &expression{
		kind:   apply,
		name:   name,
		at:     at,
		source: name,
	}
}

// use is the application of a definition.
type use struct {
	body *body
	// ups is the number of names that are bound between the definition and the expression, without the
	// parameters of instances. leading are these parameters: they are bound around the definition, to
	// the first arguments of the expression.
	ups     int
	leading []parameter
}

// definedUse returns the definition of a name. The definition has no body if the name is declared, bound
// to a value or built in.
func (s *scope) definedUse(x *expression) use {
	w := s.world
	if s.isOfStandard(x) {
		return use{}
	}
	if x.kind == selected {
		f := s.findSelected(x, nil)
		return use{
			body:    f.world.definition(f.definition, x),
			ups:     s.depth - f.depth,
			leading: f.leading,
		}
	}
	if b := s.bound(x.name); b != nil {
		if b.definition != nil && b.definition.instance != nil {
			failInstance(x, b.definition)
		}
		return use{body: b.code, ups: s.depth - b.depth}
	}
	if _, isSubstituted := w.substitutions[x.name]; isSubstituted {
		return use{}
	}
	if _, hasValue := w.constantValue(s.from, x.name); hasValue && len(x.args) == 0 {
		return use{}
	}
	w, d := w.resolve(s.from, x.name)
	switch {
	case d == nil && !s.from.declares(x.name):
		w, d = s.fromUnnamedInstance(x)
	case d != nil && d.instance != nil:
		failInstance(x, d)
	}
	if d == nil {
		return use{}
	}
	return use{body: w.definition(d, x), ups: w.boundBetween(s)}
}

// isOfStandard reports whether an expression names an operator of a built-in module through an
// instance, as in B!SetToBag(S) or I!B!SetToBag(S).
func (s *scope) isOfStandard(x *expression) bool {
	_, isBuiltin := builtins()[x.name]
	if x.kind != selected || !isBuiltin {
		return false
	}
	d := s.lastInstance(x)
	return d != nil && d.instance != nil && s.world.s.isBuiltin(d.instance.module)
}

// lastInstance returns the definition of the last instance on the path of I!J!Op; nil if there is none.
func (s *scope) lastInstance(x *expression) *Definition {
	last := len(x.path) - 1
	if last > 0 {
		path := *x
		path.path = x.path[:last]
		path.name = x.path[last]
		path.selectors = nil
		return s.findSelected(&path, nil).definition
	}
	if local := s.bound(x.path[0]); local != nil {
		return local.definition
	}
	_, d := s.world.provided(s.from, x.path[0])
	return d
}

// failInstance fails since the name of an instance is used by itself.
func failInstance(x *expression, d *Definition) {
	fail(x.at, "%s is an instance of %s: name something of it, as in %s!Spec", d.name,
		d.instance.module, d.name)
}

// named returns the definition that x applies, and its world; nil if x applies a bound name or a
// built-in operator, or is no application.
func (s *scope) named(x *expression) (*world, *Definition) {
	if x.kind != apply || s.bound(x.name) != nil {
		return nil, nil
	}
	return s.world.resolve(s.from, x.name)
}

// constantValue returns the value that the configuration assigns to a name; false if it assigns none.
func (w *world) constantValue(from *Module, name string) (values.Value, bool) {
	if len(w.s.config.values) == 0 {
		return values.Value{}, false
	}
	d := from.definition(name)
	// As in TLC, NAME <- OTHER has precedence over NAME = value, and OTHER may have a value of its own.
	other, replaced := w.replacement(from, name, d)
	if replaced && other.name != name {
		v, hasValue := w.s.config.values[other.name]
		return v, hasValue
	}
	if !w.isOfRoot(from, name, d) {
		return values.Value{}, false
	}
	v, hasValue := w.s.config.values[name]
	return v, hasValue
}

// constantDefinition returns a definition that gives a name of a module the value from the configuration. It returns
// the same definition in each call.
func (s *Specification) constantDefinition(in *Module, name string, v values.Value) *Definition {
	key := in.name + "!" + name + "=" + v.String()
	if s.givenByConfig[key] == nil {
		s.givenByConfig[key] = &Definition{
			name:   name,
			module: in,
			source: v.String(),
			body:   &expression{kind: literal, name: v.String(), value: &v, source: v.String()},
		}
	}
	return s.givenByConfig[key]
}

// compileSubstituted compiles the expression that an instance substitutes for a name, in the scope around the
// instance.
func (w *world) compileSubstituted(x, substitution *expression, s *scope) *compiled {
	if len(x.args) > 0 {
		return w.applySubstituted(x, substitution, s)
	}
	p := w.outer.compile(substitution)
	c := *p
	ups := s.depth - w.depth
	c.run = func(m *machine, substitution *env) result {
		if w.depth == 0 {
			return p.run(m, nil) // no names are bound around the instance
		}
		return p.run(m, substitution.above(ups))
	}
	return &c
}

// applySubstituted compiles the application of an operator for which an instance substitutes another
// one: a definition, a LAMBDA, a parameter of the instance, or an operator of the language or of a
// standard module.
func (w *world) applySubstituted(x, substitution *expression, s *scope) *compiled {
	if substitution.kind == lambda {
		return s.calledDefinition(x, use{body: w.lambda(substitution), ups: w.boundBetween(s)})
	}
	isName := substitution.kind == apply && len(substitution.args) == 0
	bound := w.outer.bound(substitution.name)
	if isName && bound != nil {
		return s.boundName(x, bound)
	}
	owner, d := w.outer.named(substitution)
	if d != nil && len(substitution.args) == 0 {
		return s.calledDefinition(x, use{body: owner.definition(d, x), ups: owner.boundBetween(s)})
	}
	_, isBuiltin := builtins()[substitution.name]
	if isName && isBuiltin {
		renamed := *x
		renamed.name = substitution.name
		return s.builtin(&renamed)
	}
	fail(x.at,
		"%s is applied to arguments, but the instance substitutes something for it that takes none", x.name)
	return nil
}

// lambda returns the body of a LAMBDA that an instance substitutes for an operator.
func (w *world) lambda(e *expression) *body {
	b := w.lambdas[e]
	if b == nil {
		b = &body{depth: w.depth}
		w.lambdas[e] = b
		defer func() {
			if b.isBusy { // compilation has failed; the next use of the LAMBDA finds the error again
				delete(w.lambdas, e)
			}
		}()
		w.outer.compileBody(e.asDefinition(w.outer.from), b)
	}
	return b
}

// asDefinition returns a LAMBDA of a module as a definition.
func (x *expression) asDefinition(m *Module) *Definition {
	if x.named == nil {
		x.named = &Definition{
			name:   x.text(),
			at:     x.at,
			module: m,
			source: x.source,
			body:   x.args[0],
		}
		for _, name := range x.fields {
			x.named.parameters = append(x.named.parameters, parameter{name: name})
		}
	}
	return x.named
}

// fromUnnamedInstance returns the definition that an INSTANCE without a name provides, and its world; nil if there
// is none.
func (s *scope) fromUnnamedInstance(x *expression) (w *world, d *Definition) {
	return s.world.unnamedDefinition(s.from, x.name, nil)
}

// unnamedDefinition returns the definition of a name that an INSTANCE without a name provides to a module,
// and its world; nil if there is none. The instances around are those whose modules are being searched: an
// inner module sees the instances of the module around it, which may include itself.
func (w *world) unnamedDefinition(
	from *Module,
	name string,
	around []*instance,
) (of *world, d *Definition) {
	for _, m := range from.visible {
		for _, i := range m.instances {
			isOutside := len(around) > 0 // the name is in another module
			isHidden := i.isLocal && (isOutside || !from.seesLocal(m))
			isMissing := isOutside && w.s.loader.load(i.module) == nil
			if isHidden || isMissing || slices.Contains(around, i) || w.s.isBuiltin(i.module) {
				continue
			}
			inner := w.instanceOf(i, w.scope(m))
			if inner.module.definition(name) != nil {
				return inner.resolve(inner.module, name)
			}
			of, d = inner.unnamedDefinition(inner.module, name, append(slices.Clone(around), i))
			if d != nil {
				return of, d
			}
		}
	}
	return nil, nil
}

// provided returns the definition of a name that a module or an INSTANCE without a name provides, and its
// world; nil if there is none.
func (w *world) provided(from *Module, name string) (owner *world, d *Definition) {
	owner, d = w.resolve(from, name)
	if from.definition(name) != nil {
		return owner, d
	}
	of, d := w.unnamedDefinition(from, name, nil)
	if d != nil {
		return of, d
	}
	return owner, nil
}

// found is the definition that I!Op(args) denotes, its world, and the parameters of the instances
// through which it is reached. depth is the number of names that are bound around the first of these
// instances.
type found struct {
	world      *world
	definition *Definition
	leading    []parameter
	depth      int
}

// binding binds the parameters of an instance in the scope outside of it.
type binding func(outer *scope, all []parameter) *scope

// findSelected returns what I!Op(args) denotes. The function bind binds the parameters of instances; if
// bind is nil, they stay open.
func (s *scope) findSelected(x *expression, bind binding) found {
	f := found{world: s.world}
	from := s.from
	for place, name := range x.path {
		if place == 0 {
			if local := s.bound(name); local != nil {
				f = s.localInstance(x, local, bind)
				from = f.world.module
				continue
			}
		}
		owner, def := f.world.provided(from, name)
		if place == 0 {
			f.depth = owner.depth
		}
		if def == nil {
			failNoInstance(x, name)
		}
		if def.instance == nil {
			f.world = owner
			f.definition = def.part(x, place)
			return f
		}
		x.checkGiven(place, len(def.parameters))
		f.enterInstance(owner, def, bind)
		from = f.world.module
	}
	owner, def := f.world.provided(from, x.name)
	configured, isGiven := f.world.constantValue(from, x.name)
	if isGiven {
		owner = f.world
		def = f.world.s.constantDefinition(from, x.name, configured)
	}
	if def == nil {
		fail(x.at, "%s has no definition of %s", f.world.module.name, x.name)
	}
	isReplaced := owner != f.world // by a definition of the root module
	if isReplaced {
		f.leading = nil
	}
	if isReplaced || len(x.path) == 0 {
		f.depth = owner.depth
	}
	f.world = owner
	f.definition = def
	if len(x.selectors) > 0 {
		f.definition = def.part(x, len(x.path))
	}
	return f
}

// enterInstance goes into the instance that a definition of a world names, and adds the parameters of the
// definition to the leading ones.
func (f *found) enterInstance(owner *world, def *Definition, bind binding) {
	f.leading = append(f.leading, def.parameters...)
	outer := owner.scope(def.module)
	if bind != nil && len(f.leading) > 0 {
		f.world = owner.newInstance(def.instance, bind(outer, def.parameters))
		f.world.called = def
	} else {
		f.world = owner.instanceOf(def.instance, withOpenParameters(outer, def.parameters))
	}
}

// localInstance returns the world of the instance in I!Op(args), if LET defines I; the result has no
// definition.
func (s *scope) localInstance(x *expression, local *scope, bind binding) found {
	d := local.definition
	if d == nil || d.instance == nil {
		failNoInstance(x, local.name)
	}
	x.checkGiven(0, len(d.parameters))
	outer := local.up
	if outer == nil {
		outer = s.world.scope(s.from)
	}
	f := found{leading: slices.Clone(d.parameters), depth: outer.depth}
	switch {
	case bind != nil:
		f.world = s.world.newInstance(d.instance, bind(outer, d.parameters))
		f.world.called = d
	case local.local == nil:
		local.local = s.world.newInstance(d.instance, withOpenParameters(outer, d.parameters))
		f.world = local.local
	default:
		f.world = local.local
	}
	return f
}

func failNoInstance(x *expression, name string) {
	fail(x.at, "%s in %s is no instance of a module", name, x.text())
}

// withOpenParameters binds parameters whose arguments are unknown.
func withOpenParameters(outer *scope, all []parameter) *scope {
	for _, p := range all {
		outer = outer.bind(p.name, p.arity, compiled{open: true})
	}
	return outer
}

// calledDefinition compiles the application of a definition.
func (s *scope) calledDefinition(x *expression, used use) *compiled {
	b := used.body
	c, frame := s.argumentBinder(x, used)
	if len(x.args) == 0 && used.ups == 0 && b.depth == 0 {
		c.bound = false
		c.run = func(m *machine, _ *env) result { return b.evaluateOnce(m, x) }
		return c
	}
	c.run = func(m *machine, e *env) result {
		m.enter(x, b.height)
		r := b.run(m, frame(e))
		m.leave(b.height)
		return r
	}
	if override := overridden()[b.definition.longName()]; override != nil {
		c.run = func(m *machine, e *env) result {
			m.enter(x, b.height)
			inner := frame(e)
			definition := func() result { return b.run(m, inner) }
			r := override(m, x, inner.innermost(len(b.definition.parameters)), definition)
			m.leave(b.height)
			return r
		}
	}
	return c
}

// evaluateOnce returns the value of a definition that depends on no bound names. It evaluates the definition
// once for each state or step.
func (b *body) evaluateOnce(m *machine, x *expression) result {
	known := &b.known[m.folds][m.mode]
	value := &b.value[m.folds][m.mode]
	if *known != m.epoch {
		m.enter(x, b.height)
		*value = b.run(m, nil)
		m.leave(b.height)
		*known = m.epoch
	}
	return *value
}

// argumentBinder returns the function that binds the parameters of a definition to the arguments of an
// application.
func (s *scope) argumentBinder(x *expression, used use) (*compiled, func(*env) *env) {
	b := used.body
	ups := used.ups
	parameters := slices.Concat(used.leading, b.definition.parameters)
	if len(x.args) != len(parameters) {
		fail(x.at, "%s takes %s, found %d%s", b.definition.name, countedArguments(len(b.definition.parameters)),
			len(x.args)-len(used.leading), b.definition.howApplied(len(x.args)-len(used.leading)))
	}
	c := &compiled{}
	c.addDependencies(&b.compiled)
	c.height = 0 // the definition counts its own nested operations when it is entered
	// The arguments replace the definition's own parameters, so that these leave nothing open. The
	// names around a definition of LET may leave something open.
	local := ups > 0 || b.depth > len(used.leading)
	c.open = b.isUnfinished(s.world.s) || local && b.outerScope(len(used.leading)).hasParameters()
	args := make([]func(e *env) *env, len(x.args))
	for i, a := range x.args {
		args[i] = s.argument(a, parameters[i], c)
	}
	return c, func(e *env) *env {
		var base *env
		if local {
			base = e.above(ups)
		}
		for _, arg := range args {
			a := arg(e)
			a.up = base
			base = a
		}
		return base
	}
}

// outerScope returns the scope around a definition: without its own parameters, and without the given
// number of parameters of instances.
func (b *body) outerScope(leading int) *scope {
	s := b.scope
	for range b.definition.parameters {
		s = s.up
	}
	if leading == 0 {
		return s
	}
	s = s.up // the scope of a module has no name
	for range leading {
		s = s.up
	}
	return s
}

// countedArguments returns "1 argument", "2 arguments" and so on.
func countedArguments(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

// argument compiles the argument for a parameter of an operator: either a value, which is evaluated
// on demand, or an operator. It adds to c what the argument depends on. The result is a function
// that binds the argument in the environment of a call. It leaves the field up unset.
func (s *scope) argument(a *expression, p parameter, c *compiled) func(e *env) *env {
	if p.arity == 0 {
		if a.kind == lambda {
			fail(a.at, "%s is a value, and LAMBDA stands for an operator", p.name)
		}
		v := s.compilePart(a, c)
		return func(e *env) *env { return &env{run: v.run, environment: e} }
	}
	op := s.operator(a, p.arity, c)
	return func(e *env) *env { return &env{op: op(e)} }
}

// operator compiles an argument that is an operator: a name or a LAMBDA.
func (s *scope) operator(a *expression, arity int, c *compiled) func(e *env) operator {
	if a.kind != lambda {
		if !a.isOperatorName() {
			fail(a.at, "%s stands where an operator of %s is needed", a.text(),
				countedArguments(arity))
		}
		a = a.asLambda(arity)
	}
	if len(a.fields) != arity {
		fail(a.at, "%s takes %s, and an operator of %d is needed", a.text(),
			countedArguments(len(a.fields)), arity)
	}
	inner := s
	for _, name := range a.fields {
		inner = inner.bind(name, 0, compiled{open: true})
	}
	p := inner.compile(a.args[0])
	c.addDependencies(&compiled{
		level:      p.level,
		reads:      p.reads,
		bound:      p.bound,
		byDistance: p.byDistance,
		open:       p.open && s.hasParameters(),
	})
	return func(e *env) operator {
		return func(m *machine, args []*env) result {
			innermost := e
			for _, arg := range args {
				bound := *arg
				bound.up = innermost
				innermost = &bound
			}
			m.enter(a, p.height)
			r := p.run(m, innermost)
			m.leave(p.height)
			return r
		}
	}
}

// isOperatorName reports whether an expression is the name of an operator without arguments: Op, or
// I(e)!Op.
func (x *expression) isOperatorName() bool {
	return x.kind == apply && len(x.args) == 0 ||
		x.kind == selected && x.given[len(x.given)-1] == 0
}

// asLambda returns LAMBDA x : Op(x) for the name of an operator Op.
func (x *expression) asLambda(arity int) *expression {
	op := *x
	op.args = slices.Clone(x.args)
	operator := &expression{
		kind:   lambda,
		args:   []*expression{&op},
		at:     x.at,
		source: x.source,
	}
	for i := range arity {
		name := "\x00" + strings.Repeat("'", i)
		operator.fields = append(operator.fields, name)
		op.args = append(op.args, &expression{
			kind:   apply,
			name:   name,
			at:     x.at,
			source: x.source,
		})
	}
	if x.kind == selected {
		op.given = slices.Clone(x.given)
		last := len(op.given) - 1
		if op.names()[last] == ":" { // Op!: is Op
			last--
		}
		op.given[last] = arity
	}
	return operator
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
	op := numeric()[x.name]
	if op != nil {
		first := parts[0].run
		second := parts[1].run
		c.run = func(m *machine, e *env) result {
			a := first(m, e)
			b := second(m, e)
			return op(x, m.int(x.args[0], a), m.int(x.args[1], b))
		}
		return c
	}
	c.run = func(m *machine, e *env) result {
		base := len(m.stack)
		for _, p := range parts {
			value := p.run(m, e)
			m.stack = append(m.stack, value)
		}
		result := b.run(m, x, m.stack[base:])
		m.stack = m.stack[:base]
		return result
	}
	return c
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
			"%s is not defined: module %s is not there, which line %d extends; put %s.tla next to it, or name its folder", x.name, name, absent[name].Line, name)
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

// hasName reports whether a name has a meaning in the scope, without listing all of them.
func (s *scope) hasName(name string) bool {
	_, isBuiltin := builtins()[name]
	return isBuiltin || s.bound(name) != nil || s.from.definition(name) != nil ||
		s.from.declares(name)
}

// allNames returns all names that have a meaning in the scope.
func (s *scope) allNames() []string {
	var all []string
	for binding := s; binding != nil; binding = binding.up {
		if binding.name != "" {
			all = append(all, binding.name)
		}
	}
	for _, m := range s.from.visible {
		all = slices.Concat(slices.AppendSeq(all, maps.Keys(m.operators)), m.constants,
			m.variables)
	}
	return slices.AppendSeq(all, maps.Keys(builtins()))
}
