package mcrl2

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/inev-lts/inev/internal/resources"
)

// role is the meaning of a function symbol in mCRL2's terms.
type role uint8

const (
	other role = iota
	endOfStream
	number           // <aterm_int>, whose value follows
	cons             // the first element of a list, and the other elements
	empty            // the empty list
	operation        // OpId: a name, a sort
	variable         // DataVarId: a name, a sort
	application      // DataAppl: a function and arguments, any number of them
	binder           // Binder: its kind, variables, a body
	where            // Whr: a body, assignments
	assignment       // DataVarIdInit: a variable, a value
	basicSort        // SortId: a name
	containerSort    // SortCons: a container, a sort
	arrowSort        // SortArrow: a list of sorts, a sort
	structSort       // SortStruct: a list of constructors
	action           // Action: an ActId, a list of arguments
	actionName       // ActId: a name, a list of sorts
	multiAction      // TimedMultAct: a list of actions, a time
	node             // @node@: two trees of values
	singleNode       // @single_node@: a tree of one value
	emptyTree        // @empty@
	modelMark        // labelled_transition_system
	transitionMark   // transition
	probabilityMark  // probabilistic_transition
	initialStateMark // initial_state
)

// anyArity means any number of arguments greater than 0.
const anyArity = math.MaxUint64

// roles maps the names of symbols to their roles and numbers of arguments.
var roles = map[string]struct {
	role  role
	arity uint64
}{
	"<aterm_int>": {number, 0}, "<list_constructor>": {cons, 2}, "<empty_list>": {empty, 0},
	"OpIdNoIndex": {operation, 2}, "DataVarId": {variable, 2}, "DataVarIdNoIndex": {variable, 2},
	"DataAppl": {application, anyArity}, "Binder": {binder, 3}, "Whr": {where, 2}, "DataVarIdInit": {assignment, 2},
	"SortId": {basicSort, 1}, "SortCons": {containerSort, 2}, "SortArrow": {arrowSort, 2}, "SortStruct": {structSort, 1},
	"Action": {action, 2}, "ActId": {actionName, 2}, "TimedMultAct": {multiAction, 2},
	"@node@": {node, 2}, "@single_node@": {singleNode, 1}, "@empty@": {emptyTree, 0},
	"labelled_transition_system": {modelMark, 0}, "transition": {transitionMark, 0},
	"probabilistic_transition": {probabilityMark, 0}, "initial_state": {initialStateMark, 0},
}

// term is the index of a term in table A.
type term uint32

// symbol is an element of table F.
type symbol struct {
	name  string
	arity uint64
	role  role
	op    op
}

// terms are the tables of a file as far as it has been read.
type terms struct {
	symbols []symbol
	// symbolOf has the symbol of each term, and first the index of its first argument. A
	// number has its two halves as arguments.
	symbolOf  []uint32
	first     []uint32
	arguments []term
	// shapes has the shape of each operation, and of each application as a whole,
	// such as that it is a list.
	shapes []shape
	// symbolWidth and termWidth are the numbers of bits of an index of a symbol
	// and of a term.
	symbolWidth, termWidth uint
	// machine reports whether numbers are represented by words, as in mCRL2 since
	// 2024 unless it was built otherwise.
	machine bool
}

func newTerms() *terms {
	t := &terms{}
	t.addSymbol("", 0)
	t.symbols[0].role = endOfStream
	return t
}

func (t *terms) addSymbol(name string, arity uint64) {
	s := symbol{name: name, arity: arity}
	if r, known := roles[name]; known && (r.arity == arity || r.arity == anyArity && arity > 0) {
		s.role = r.role
	} else if arity == 0 {
		s.op = operations[name].op
	}
	if name == "@word" || name == "@most_significant_digit" || name == "@most_significant_digitNat" {
		t.machine = true
	}
	t.symbols = append(t.symbols, s)
	t.symbolWidth = uint(bits.Len(uint(len(t.symbols))))
}

// reserve makes room for a term with n arguments.
func (t *terms) reserve(ctx context.Context, n int) (err error) {
	if len(t.symbolOf) == math.MaxUint32 || len(t.arguments)+n > math.MaxUint32 {
		return fmt.Errorf("more than %d terms or arguments", uint32(math.MaxUint32))
	}
	if t.arguments, err = resources.Grow(ctx, t.arguments, n); err != nil {
		return err
	}
	if t.symbolOf, err = resources.Grow(ctx, t.symbolOf, 1); err != nil {
		return err
	}
	if t.first, err = resources.Grow(ctx, t.first, 1); err != nil {
		return err
	}
	t.shapes, err = resources.Grow(ctx, t.shapes, 1)
	return err
}

// add adds a term, or a number with its two halves, to table A; call reserve before.
func (t *terms) add(symbol uint32, arguments ...term) {
	t.symbolOf = append(t.symbolOf, symbol)
	t.first = append(t.first, uint32(len(t.arguments)))
	t.arguments = append(t.arguments, arguments...)
	t.shapes = append(t.shapes, noShape)
	t.termWidth = uint(bits.Len(uint(len(t.symbolOf))))
	switch t.symbols[symbol].role {
	case operation:
		t.shapes[len(t.shapes)-1] = shape(t.symbols[t.symbolOf[arguments[0]]].op)
	case application:
		t.shapes[len(t.shapes)-1] = t.shapeOf(arguments)
	}
}

func (t *terms) symbol(x term) *symbol       { return &t.symbols[t.symbolOf[x]] }
func (t *terms) role(x term) role            { return t.symbol(x).role }
func (t *terms) name(x term) string          { return t.symbol(x).name }
func (t *terms) argument(x term, i int) term { return t.arguments[int(t.first[x])+i] }

// all returns the arguments of a term that is no number.
func (t *terms) all(x term) []term {
	first := int(t.first[x])
	return t.arguments[first : first+int(t.symbol(x).arity)]
}

// value returns a number.
func (t *terms) value(x term) uint64 {
	return uint64(t.argument(x, 0))<<32 | uint64(t.argument(x, 1))
}

// op returns which operation a term is, if it is one.
func (t *terms) op(x term) op {
	if t.role(x) != operation {
		return noOp
	}
	return op(t.shapes[x])
}

// opOf returns the operation that an application applies to this many arguments; noOp if x is none,
// or has another number of arguments.
func (t *terms) opOf(x term, arguments uint64) op {
	if s := t.symbol(x); s.role != application || s.arity != arguments+1 {
		return noOp
	}
	return t.op(t.argument(x, 0))
}
