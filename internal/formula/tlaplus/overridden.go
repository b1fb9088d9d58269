package tlaplus

import (
	"slices"
	"strconv"
	"sync"

	"github.com/inev-lts/inev/internal/property/values"
)

// override returns the value of an operator that TLC computes by Java code. args are the bindings of
// the parameters, and definition returns the value that the definition in TLA+ gives.
type override func(m *machine, x *expression, args []*env, definition func() result) result

// overridden are the operators of the community modules that TLC computes by Java code if their jar is
// on its class path. The Java code may give another value than the definition; for example, folds visit
// the members in reverse order.
var overridden = sync.OnceValue(func() map[string]override {
	const fold = "take an operator for which the order does not matter, or write FoldLeft over a sequence"
	const instead = "put a definition of yours in its place in the configuration (CONSTANT AllSubSeqs <- Mine)"
	const position = "write SelectInSeq or SelectLastInSeq of SubSeq, and add what its number is to be counted from"
	return map[string]override{
		"FiniteSetsExt!FoldSet":           compared(foldSetInJava, fold),
		"Functions!FoldFunction":          compared(foldFunctionInJava, fold),
		"Functions!FoldFunctionOnSet":     compared(foldFunctionInJava, fold),
		"BagsExt!FoldBag":                 compared(foldBagInJava, fold),
		"SequencesExt!AllSubSeqs":         compared(definedInJava, instead),
		"SequencesExt!SelectInSubSeq":     compared(selectInJava, position),
		"SequencesExt!SelectLastInSubSeq": compared(selectInJava, position),
		"IOUtils!atoi":                    numberOfText,
		"Graphs!AreConnectedIn":           connectedBy(sequenceOf),
		"Graphs!SimplePath":               simplePathsBy(sequenceOf),
		"UndirectedGraphs!AreConnectedIn": connectedBy(setOfAll),
		"UndirectedGraphs!SimplePath":     simplePathsBy(setOfAll),

		"UndirectedGraphs!ConnectedComponents": connectedComponents,
	}
})

// foldOrder says which values overridden operators have. TLC either uses the Java code of all of them,
// or of none.
type foldOrder uint8

const (
	bothOrders   foldOrder = iota // by the definitions; refused if the Java code gives another value
	byDefinition                  // by the definitions alone
	byJava                        // by the Java code alone
	foldOrders                    // the number of these
)

// foldEpochs has an epoch for each order of folds. They are valid during the epoch base of the machine.
type foldEpochs struct {
	base int
	of   [foldOrders]int
}

// inFoldOrder returns the result of evaluate with a single order of folds. Each order has an epoch of
// its own, so that evaluate uses no value of a name that was stored in another order. Only constants
// are stored regardless of epochs, and none of them depends on the order: an expression that applies an
// operator to names that it binds, as all folds do, is never stored as a constant.
func (m *machine) inFoldOrder(order foldOrder, evaluate func() result) result {
	present := m.epoch
	m.folds = order
	m.epoch = m.epochOf(order)
	r := evaluate()
	m.folds = bothOrders
	m.epoch = present
	return r
}

// epochOf returns the epoch of an order of folds. Within one epoch of the machine it is always the same,
// so that values which were stored in this order are used again.
func (m *machine) epochOf(order foldOrder) int {
	if m.foldEpochs.base != m.epoch {
		m.foldEpochs = foldEpochs{base: m.epoch}
	}
	epoch := &m.foldEpochs.of[order]
	if *epoch == 0 {
		*epoch = m.newEpoch()
	}
	return *epoch
}

// compared returns an override that fails if its two values differ, since the graph does not show
// which of them TLC has used. It does not compare the two values of folds nested in this one, so
// that each of them is evaluated only twice.
func compared(
	inJava func(m *machine, x *expression, args []*env, definition func() result) result,
	advice string,
) override {
	return func(m *machine, x *expression, args []*env, definition func() result) result {
		java := func() result { return inJava(m, x, args, definition) }
		switch m.folds {
		case byDefinition:
			return definition()
		case byJava:
			return java()
		}
		defined := m.inFoldOrder(byDefinition, func() result { return of(m.value(x, definition())) })
		other := m.inFoldOrder(byJava, func() result { return of(m.value(x, java())) })
		if !m.same(m.value(x, defined), m.value(x, other)) {
			fail(x.at,
				"%s is %s by its definition, but %s if TLC has the jar of the community modules on its class path; %s",
				x.text(), defined.shown(), other.shown(), advice)
		}
		return defined
	}
}

// definedInJava is the definition, whose folds have the order of the Java code.
func definedInJava(_ *machine, _ *expression, _ []*env, definition func() result) result {
	return definition()
}

// innermost returns the n innermost bindings. The last of them is the innermost one.
func (e *env) innermost(n int) []*env {
	all := make([]*env, n)
	for i := n - 1; i >= 0; i-- {
		all[i] = e
		e = e.up
	}
	return all
}

// apply applies an operator, which is an argument, to values.
func (e *env) apply(m *machine, args ...result) result {
	var bound []*env
	for _, a := range args {
		bound = append(bound, bind(nil, a))
	}
	return e.op(m, bound)
}

// foldSetInJava is FoldSet(op, base, set): op(last, … op(first, base)).
func foldSetInJava(m *machine, x *expression, args []*env, _ func() result) result {
	folded := args[1].evaluate(m)
	for _, v := range m.sorted(m.members(x, args[2].evaluate(m))) {
		folded = args[0].apply(m, of(v), folded)
	}
	return folded
}

// foldFunctionInJava is FoldFunctionOnSet(op, base, fun, set), and FoldFunction(op, base, fun), which
// folds over the whole domain.
func foldFunctionInJava(m *machine, x *expression, args []*env, _ func() result) result {
	folded := args[1].evaluate(m)
	f := args[2].evaluate(m)
	keys := domainOf(m, x, []result{f})
	if len(args) == 4 {
		keys = args[3].evaluate(m)
	}
	for _, key := range m.sorted(m.members(x, keys)) {
		folded = args[0].apply(m, m.applyFunction(x, f, of(key)), folded)
	}
	return folded
}

// foldBagInJava is FoldBag(op, base, bag): op(… op(base, first), …), where each member occurs as often
// as the bag has it.
func foldBagInJava(m *machine, x *expression, args []*env, _ func() result) result {
	folded := args[1].evaluate(m)
	bag := args[2].evaluate(m)
	for _, v := range m.sorted(domain(m.value(x, bag))) {
		for range copies(m, x, bag, v) {
			folded = args[0].apply(m, folded, of(v))
		}
	}
	return folded
}

// selectInJava is SelectInSubSeq. It counts from the beginning of the sequence, and the definition from
// the beginning of the subsequence.
func selectInJava(m *machine, x *expression, args []*env, definition func() result) result {
	n := m.int(x, definition())
	if n > 0 {
		n += m.int(x, args[1].evaluate(m)) - 1
	}
	return whole(n)
}

// numberOfText is atoi(str) of IOUtils. By its definition, it would be chosen among all numbers.
func numberOfText(m *machine, x *expression, args []*env, _ func() result) result {
	digits := args[0].evaluate(m)
	if !isString(digits) {
		fail(x.at, "%s: %s is no text, but %s: %s", x.text(), arg(x, 0).text(), digits.what(),
			digits.shown())
	}
	n, err := strconv.ParseInt(digits.Content(), 10, 32)
	if err != nil || strconv.FormatInt(n, 10) != digits.Content() {
		fail(x.at, "%s: %q is no number as ToString writes it", x.text(), digits.Content())
	}
	return whole(n)
}

// connectedBy is AreConnectedIn(m, n, G), whose definition asks for a path among the infinitely many sequences of nodes. edge makes an
// edge of the two nodes that it connects.
func connectedBy(edge func(ends []values.Value) values.Value) override {
	return func(m *machine, x *expression, args []*env, _ func() result) result {
		from := m.value(x, args[0].evaluate(m))
		to := m.value(x, args[1].evaluate(m))
		g := m.graph(x, args[2], edge)
		first, last := g.find(from), g.find(to)
		return truth(first >= 0 && last >= 0 && g.reached(first)[last])
	}
}

// mostOnPaths is the largest number of nodes on all simple paths of a graph together.
const mostOnPaths = 1 << 20

// simplePathsBy is SimplePath(G), the set of the paths of a graph that visit no node twice.
func simplePathsBy(edge func(ends []values.Value) values.Value) override {
	return func(m *machine, x *expression, args []*env, _ func() result) result {
		g := m.graph(x, args[0], edge)
		paths := &simplePaths{graph: g, isOnPath: make([]bool, len(g.nodes))}
		for node := range g.nodes {
			paths.addThrough(node)
		}
		return of(m.setOf(x, paths.all))
	}
}

// simplePaths enumerates the paths of a graph that visit no node twice.
type simplePaths struct {
	*graph
	all  []values.Value
	size int // the number of nodes on all of them together
	// path is the path that is being extended.
	path     []values.Value
	isOnPath []bool
}

// addThrough adds all paths that continue the present one at a node.
func (s *simplePaths) addThrough(node int) {
	s.isOnPath[node] = true
	s.path = append(s.path, s.nodes[node])
	s.size += len(s.path)
	if s.size > mostOnPaths {
		fail(s.x.at, "%s asks for all simple paths, which are too many", s.x.text())
	}
	s.all = append(s.all, s.m.sequenceOf(s.x, slices.Clone(s.path)))
	for next := range s.nodes {
		if !s.isOnPath[next] && s.isEdge(node, next) {
			s.addThrough(next)
		}
	}
	s.path = s.path[:len(s.path)-1]
	s.isOnPath[node] = false
}

// connectedComponents is ConnectedComponents(G) of an undirected graph.
func connectedComponents(m *machine, x *expression, args []*env, _ func() result) result {
	g := m.graph(x, args[0], setOfAll)
	var all []values.Value
	isTaken := make([]bool, len(g.nodes))
	for node := range g.nodes {
		if isTaken[node] {
			continue
		}
		var component []values.Value
		for other, isReached := range g.reached(node) {
			if isReached {
				isTaken[other] = true
				component = append(component, g.nodes[other])
			}
		}
		all = append(all, m.setOf(x, component))
	}
	return of(m.setOf(x, all))
}

// graph is a graph of the modules Graphs and UndirectedGraphs.
type graph struct {
	m     *machine
	x     *expression
	nodes []values.Value
	edges result
	edge  func(ends []values.Value) values.Value // makes an edge of the two nodes that it connects
}

// graph returns a graph that is given as a record.
func (m *machine) graph(x *expression, record *env, edge func([]values.Value) values.Value) *graph {
	given := record.evaluate(m)
	return &graph{
		m:     m,
		x:     x,
		nodes: m.members(x, m.applyFunction(x, given, of(quoted("node")))),
		edges: m.applyFunction(x, given, of(quoted("edge"))),
		edge:  edge,
	}
}

// find returns the number of a node; -1 if the graph does not have it.
func (g *graph) find(v values.Value) int {
	return slices.IndexFunc(g.nodes, func(node values.Value) bool { return g.m.same(node, v) })
}

// isEdge reports whether an edge leads from a node to another one.
func (g *graph) isEdge(from, to int) bool {
	ends := []values.Value{g.nodes[from], g.nodes[to]}
	return g.m.has(g.x, g.edges, of(g.edge(ends)))
}

// reached reports for each node whether a path leads to it from the given node.
func (g *graph) reached(from int) []bool {
	isReached := make([]bool, len(g.nodes))
	isReached[from] = true
	open := []int{from}
	for len(open) > 0 {
		node := open[0]
		open = open[1:]
		for next := range g.nodes {
			if !isReached[next] && g.isEdge(node, next) {
				isReached[next] = true
				open = append(open, next)
			}
		}
	}
	return isReached
}
