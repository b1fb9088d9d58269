package tlaplus

import (
	"slices"

	"github.com/inev-lts/inev/internal/property/values"
)

// kind is the kind of an expression.
type kind uint8

const (
	apply     kind = iota // an operator, also an infix or postfix one, with its arguments: name, args
	literal               // a number or a string: token kind in number, name
	forAll                // \A and \E: bounds, args[0]
	exists                //
	choose                // CHOOSE x \in S : p
	setOf                 // {a, b}
	filtered              // {x \in S : p}
	mapped                // {e : x \in S}
	tuple                 // <<a, b>>
	function              // [x \in S |-> e]
	at                    // f[a, b]: args[0] is f
	except                // [f EXCEPT ![a].b = e]: args[0] is f; changes
	record                // [a |-> e]: fields, args
	records               // [a : S]
	functions             // [S -> T]
	field                 // r.name
	ifThen                // IF p THEN a ELSE b
	cases                 // CASE p -> a [] q -> b [] OTHER -> c: args in pairs, with nil for OTHER
	let                   // LET defs IN args[0]
	lambda                // LAMBDA x : e
	hiding                // \AA and \EE x, y : F: name, fields, args[0]
	square                // [A]_v
	angle                 // <<A>>_v
	fair                  // WF_v(A), SF_v(A): name is WF or SF, args are A and v
	junction              // a list of /\ or \/: name, args
	product               // S \X T: args
	selected              // I!Op(args): path, name; Op!2!1: selectors
)

// expression is an expression of a module.
type expression struct {
	kind   kind
	at     Position
	name   string
	args   []*expression
	bounds []bound
	// fields are the field names of a record. path are the names of instances before a name, as in
	// I!J!Op.
	fields  []string
	path    []string
	changes []change
	defs    []*Definition
	// selectors select a part of the definition of a name. label is the label of the expression itself.
	selectors []string
	label     string
	// labelled are the names in parentheses after the label: the names that are bound around the
	// expression, in any order.
	labelled []string
	// given is the number of arguments after each name of the path, after the name, and after each
	// selector.
	given []int
	// named is the definition made of a LAMBDA that replaces an operator.
	named *Definition
	// number marks a number, not a string.
	number bool
	// value is the value of a literal that comes from the configuration instead of a text.
	value *values.Value
	// parenthesised marks an expression in parentheses of its own. S \X T \X U has triples, but (S \X
	// T) \X U has pairs.
	parenthesised bool
	// source is the text of the expression in its file, and from is the offset of its beginning.
	source string
	from   int
}

// bound is x, y \in S or <<x, y>> \in S; set is nil in CHOOSE x : p and \A x, y : p.
type bound struct {
	names []string
	tuple bool
	set   *expression
}

// change is ![a].b = e in EXCEPT: a path and the new value there.
type change struct {
	path [][]*expression // the arguments of one application, or a field as a string
	to   *expression
}

// text returns the text of the expression on one line, without comments and without parentheses around
// the whole.
func (x *expression) text() string {
	text := inOneLine(x.source, func(tokens []token, i int) string {
		return x.source[tokens[i].from:tokens[i].behind]
	})
	for bare := withoutParentheses(text); bare != text; bare = withoutParentheses(text) {
		text = bare
	}
	return text
}

// names returns all names of a [selected] expression: the path, the name, and the selectors.
func (x *expression) names() []string {
	return slices.Concat(x.path, []string{x.name}, x.selectors)
}

// checkGiven fails unless the wanted number of arguments follows the name at an index of
// [expression.names].
func (x *expression) checkGiven(place, want int) {
	if x.given[place] == want {
		return
	}
	name := x.names()[place]
	if name == boundValuesFollow {
		name = "!()"
	}
	fail(x.at, "%s in %s takes %s, found %d", name, x.text(), countedArguments(want),
		x.given[place])
}
