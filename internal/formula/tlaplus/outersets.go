package tlaplus

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/property/values"
)

// mostOuterSets is the largest number of constant sets that are tried in place of a set that
// depends on the state.
const mostOuterSets = 4

// outerSets returns the sets over which a quantifier can range outside of a fairness condition. If
// the set of the quantifier is constant, outerSets returns only this set. If the set depends on the
// state, outerSets returns constant sets that may contain its members: S for {x \in S : p}, S \ T
// and S \cap T; the type of a variable; and other sets of the module. Such a set need not contain
// all members, because advice that rests on the set is checked.
func (c *subactions) outerSets(b bound, quantifier binder, here place) []outerSet {
	if c.isConstant(quantifier.set, here.binders) {
		return []outerSet{{set: quantifier.set}}
	}
	written, isWritten := c.setInText(b, quantifier, here)
	if isWritten {
		return []outerSet{written}
	}
	condition := b.membership(quantifier)
	var all []outerSet
	for _, set := range c.constantSets().around(b.set.inLine(here.texts)) {
		all = append(all, outerSet{set: set, condition: condition})
	}
	return all
}

// setInText returns the constant set in the text of a set that depends on the state: S in {x \in S : p},
// S \ T and S \cap T.
func (c *subactions) setInText(b bound, quantifier binder, here place) (outerSet, bool) {
	isFilter := b.set.kind == filtered && len(b.names) == 1 && !b.tuple && !b.set.bounds[0].tuple
	isPartOfOperand := b.set.kind == apply && len(b.set.args) == 2 &&
		(b.set.name == `\` || b.set.name == `\cap`)
	switch {
	case isFilter:
		filter := b.set.bounds[0]
		texts := maps.Clone(here.texts)
		texts[filter.names[0]] = b.names[0]
		condition := here.underLets(b.set.args[0].conjunctInLine(texts))
		return c.constantOuterSet(filter.set, here, condition)
	case isPartOfOperand:
		return c.constantOuterSet(b.set.args[0], here, b.membership(quantifier))
	}
	return outerSet{}, false
}

// constantOuterSet returns a set with a condition, if the set is constant.
func (c *subactions) constantOuterSet(x *expression, here place, condition string) (outerSet, bool) {
	set := here.underLets(x.inLine(here.texts))
	if !c.isConstant(set, here.binders) {
		return outerSet{}, false
	}
	return outerSet{set: set, condition: condition}, true
}

// membership returns the condition that the names of a quantifier are members of its set.
func (b bound) membership(quantifier binder) string {
	if b.tuple {
		return quantifier.names + ` \in ` + quantifier.set
	}
	condition := ""
	for _, name := range b.names {
		if condition != "" {
			condition += ` /\ `
		}
		condition += name + ` \in ` + quantifier.set
	}
	return condition
}

// isConstant reports whether an expression that the root module can contain below quantifiers is constant.
func (c *subactions) isConstant(text string, binders []binder) bool {
	level := Temporal
	err := abort.Try(func() {
		x := c.s.parse(text)
		in, _ := c.s.outsideScope()
		for _, b := range binders {
			for _, name := range strings.FieldsFunc(b.names, isNoName) {
				in = in.bind(name, 0, compiled{})
			}
		}
		level = in.compile(x).level
	})
	return err == nil && level == Constant
}

// constantSets are the constant sets that are written in the module. typed maps the text of a set
// to the constant set that contains it by a condition of the module, such as waiting \subseteq
// Procs.
type constantSets struct {
	all   []string
	typed map[string]string
}

// around returns the sets that may contain the members of a set with the given text.
func (s *constantSets) around(text string) []string {
	typed, isTyped := s.typed[text]
	if isTyped {
		return []string{typed}
	}
	return s.all[:min(len(s.all), mostOuterSets)]
}

// constantSets finds the constant sets that the configuration gives, and those in definitions of the root
// module and of the module with the next-state relation.
func (c *subactions) constantSets() *constantSets {
	if c.sets != nil {
		return c.sets
	}
	c.sets = &constantSets{typed: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(c.s.config.values)) {
		isSet := c.s.config.values[name].Kind() == values.Set
		if isSet && c.s.root.module.declares(name) {
			c.sets.all = append(c.sets.all, name)
		}
	}
	c.findSetsOf(c.s.rootView())
	if c.next.world != c.s.root {
		c.findSetsOf(c.next)
	}
	return c.sets
}

// findSetsOf finds constant sets in the definitions of a module.
func (c *subactions) findSetsOf(v *view) {
	for _, m := range v.world.module.visible {
		definitions := slices.SortedFunc(maps.Values(m.operators), func(a, b *Definition) int {
			return cmp.Compare(a.at.Line, b.at.Line)
		})
		for _, d := range definitions {
			if d.instance != nil {
				continue
			}
			_ = abort.Try(func() { c.findSets(d.read(), v.texts) }) // what cannot be read has no sets
		}
	}
}

// findSets finds constant sets in an expression.
func (c *subactions) findSets(x *expression, texts map[string]string) {
	for _, b := range x.bounds {
		if b.set != nil {
			c.addSet(b.set.inLine(texts))
		}
	}
	if x.kind == apply && len(x.args) == 2 {
		subset := x.args[1]
		isPart := x.name == `\subseteq`
		isMember := x.name == `\in` && subset.kind == apply && subset.name == "SUBSET" && len(subset.args) == 1
		if isMember {
			subset = subset.args[0]
		}
		if (isPart || isMember) && c.addSet(subset.inLine(texts)) {
			c.sets.typed[x.args[0].inLine(texts)] = subset.inLine(texts)
		}
	}
	x.eachPart(func(part *expression) { c.findSets(part, texts) })
}

// addSet adds a set, and reports whether it is constant.
func (c *subactions) addSet(text string) bool {
	if slices.Contains(c.sets.all, text) {
		return true
	}
	if !c.isConstant(text, nil) {
		return false
	}
	c.sets.all = append(c.sets.all, text)
	return true
}
