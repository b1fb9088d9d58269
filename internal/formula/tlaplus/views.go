package tlaplus

import (
	"maps"
	"slices"
	"strings"
)

// view is a module as the root module sees it: the root module itself, or an instance of a module.
type view struct {
	world *world
	// prefix is the text before the names of definitions: I! for an instance I.
	prefix string
	// texts has what the root module writes for a name of the module, if that is not the name itself.
	texts map[string]string
}

// unnameable is the text for what the root module cannot write: a LOCAL definition of another module,
// for example. No expression contains it.
const unnameable = "¿"

func (s *Specification) rootView() *view {
	return &view{world: s.root, texts: map[string]string{}}
}

// definition returns the definition of a name in the module, and the view of the module that contains
// it, which may be an unnamed instance; nil if there is none, or if the configuration replaces it in an
// instance.
func (v *view) definition(name string) (*Definition, *view) { return v.definitionIn(name, nil) }

// definitionIn is definition, without the instances whose modules are being searched.
func (v *view) definitionIn(name string, around []*instance) (*Definition, *view) {
	module := v.world.module
	w, d := v.world.resolve(module, name)
	switch {
	case d != nil && w == v.world:
		return d, v
	case d != nil || module.declares(name):
		return nil, nil
	}
	for _, m := range module.visible {
		for _, i := range m.instances {
			isOutside := len(around) > 0 // the name is in another module
			isHidden := i.isLocal && (isOutside || !module.seesLocal(m))
			if isHidden || slices.Contains(around, i) || v.world.s.isBuiltin(i.module) {
				continue
			}
			inner := v.instance(i, m, nil, v.texts)
			d, found := inner.definitionIn(name, append(slices.Clone(around), i))
			if d != nil && !d.isLocal {
				return d, found
			}
		}
	}
	return nil, nil
}

// isBuiltin reports whether a module is built in, and has no file.
func (s *Specification) isBuiltin(module string) bool {
	return standard()[module] && s.loader.load(module) == nil
}

// named returns the view of the instance that a definition of the module names. The arguments are those
// of the instance.
func (v *view) named(d *Definition, arguments []string) *view {
	texts := maps.Clone(v.texts)
	for i, p := range d.parameters {
		texts[p.name] = arguments[i]
	}
	call := d.name
	if len(arguments) > 0 {
		call += "(" + strings.Join(arguments, ", ") + ")"
	}
	inner := v.instance(d.instance, d.module, d.parameters, texts)
	inner.prefix = v.prefix + call + "!"
	inner.nameDefinitions()
	return inner
}

// instance returns the view of an INSTANCE in a module, for which texts has the texts of names. Its
// definitions have no prefix of their own.
func (v *view) instance(
	i *instance,
	in *Module,
	parameters []parameter,
	texts map[string]string,
) *view {
	outer := withOpenParameters(v.world.scope(in), parameters)
	inner := &view{
		world:  v.world.instanceOf(i, outer),
		prefix: v.prefix,
		texts:  map[string]string{},
	}
	for _, m := range inner.world.module.visible {
		for _, name := range slices.Concat(m.constants, m.variables) {
			substitution := i.with[name]
			text, isRenamed := texts[name]
			switch {
			case substitution != nil && substitution.isOperator():
				inner.texts[name] = unnameable // an operator cannot be written in place of its name
			case substitution != nil:
				inner.texts[name] = substitution.inLine(texts)
			case isRenamed:
				inner.texts[name] = text
			}
		}
	}
	inner.nameDefinitions()
	return inner
}

// isOperator reports whether an expression is an operator without operands, or a LAMBDA.
func (x *expression) isOperator() bool {
	_, isInfix := infix()[x.name]
	return x.kind == lambda || x.kind == apply && isInfix && len(x.args) == 0
}

// nameDefinitions records how the root module writes the names that definitions and INSTANCE statements
// without a name provide.
func (v *view) nameDefinitions() { v.nameDefinitionsOf(v.world.module, v.prefix, nil) }

// nameDefinitionsOf is nameDefinitions for the names that a module provides. The prefix is unnameable if the
// root module cannot write them.
func (v *view) nameDefinitionsOf(module *Module, prefix string, around []*instance) {
	isOutside := len(around) > 0
	for _, m := range module.visible {
		for name, d := range m.operators {
			isInfix := !isWord(name)
			switch {
			case d.isLocal && (isOutside || !module.seesLocal(m)):
			case d.isLocal, isInfix && prefix != "":
				v.texts[name] = unnameable
			default:
				v.texts[name] = prefix + name
			}
		}
		for _, i := range m.instances {
			inner := v.world.s.loader.load(i.module)
			isHidden := i.isLocal && (isOutside || !module.seesLocal(m))
			if isHidden || inner == nil || slices.Contains(around, i) {
				continue
			}
			innerPrefix := prefix
			if i.isLocal {
				innerPrefix = unnameable
			}
			v.nameDefinitionsOf(inner, innerPrefix, append(slices.Clone(around), i))
		}
	}
}

// application is a definition that an expression applies to values.
type application struct {
	definition *Definition
	view       *view
	args       []*expression
	// isLocal marks a definition of LET around the expression.
	isLocal bool
}

// application returns the definition that an expression applies; nil if it applies none that the root
// module can write, or if parameters of the definition are operators.
func (at place) application(x *expression) *application {
	a := &application{view: at.view, args: x.args}
	switch {
	case x.kind == selected:
		a.view, a.args = at.instanceOf(x)
		if a.view == nil {
			return nil
		}
		a.definition, a.view = a.view.definition(x.name)
	case x.kind != apply:
		return nil
	case at.isBound[x.name]:
		a.definition = at.localDefinition(x.name)
		a.isLocal = true
	default:
		a.definition, a.view = at.view.definition(x.name)
	}
	d := a.definition
	takesOperator := func(p parameter) bool { return p.arity > 0 }
	if d == nil || d.over != nil || d.instance != nil || len(d.parameters) != len(a.args) ||
		slices.ContainsFunc(d.parameters, takesOperator) {
		return nil
	}
	return a
}

// instanceOf returns the view of the instance that I!J!Op(args) names, and the arguments of Op itself; nil
// if an expression selects a part of a definition.
func (at place) instanceOf(x *expression) (v *view, args []*expression) {
	if len(x.selectors) > 0 {
		return nil, nil
	}
	v = at.view
	args = x.args
	for i, name := range x.path {
		d, outer := v.definition(name)
		numArguments := x.given[i]
		if d == nil || d.instance == nil || len(d.parameters) != numArguments ||
			at.isBound[name] || v.world.s.isBuiltin(d.instance.module) {
			return nil, nil
		}
		arguments := make([]string, numArguments)
		for k, arg := range args[:numArguments] {
			arguments[k] = arg.inLine(at.texts)
		}
		v = outer.named(d, arguments)
		args = args[numArguments:]
	}
	return v, args
}
