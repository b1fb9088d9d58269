package mcrl2

import "strconv"

// mCRL2 represents a set as @set(f, s): its elements are those that are in s or
// satisfy f, but not both. It represents a bag as @bag(f, b), where f gives the
// number of each element that is not in b.

// finite prints a set or bag made of a finite one.
func (p *printer) finite(o op, a term) {
	name, none := "@setfset", "{}"
	if o == opBagOf {
		name, none = "@bagfbag", "{:}"
	}
	switch end := p.op(a); {
	case end == opEmptySet && o == opSetOf, end == opEmptyBag && o == opBagOf:
		p.push(text(none))
	case p.role(a) == variable:
		p.push(text(name+"("), data(a), text(")"))
	default:
		p.push(data(a))
	}
}

// set prints @set(f, s).
func (p *printer) set(f, s term) {
	isEmpty := p.op(s) == opEmptySet
	switch {
	case p.op(f) == opAll:
		p.push(text("!"), data(s))
	case p.op(f) == opNothing:
		p.push(data(s))
	case isEmpty && p.isLambda(f):
		p.comprehension(f, nil)
	case isEmpty:
		p.comprehension(f, func(x string) []item { return p.applied(f, x) })
	default:
		p.comprehension(f, func(x string) []item {
			items := append(p.applied(f, x), text(" != "+x+" in "))
			return append(items, p.finitely(opSetOf, s)...)
		}, s)
	}
}

// bag prints @bag(f, b).
func (p *printer) bag(f, b term) {
	switch {
	case p.op(f) == opNever && p.role(b) == variable:
		p.push(text("@bagfbag("), data(b), text(")"))
		return
	case p.op(f) == opNever:
		p.push(data(b))
		return
	}
	body := func(x string) []item {
		switch {
		case p.op(f) == opOnce:
			return []item{text("1")}
		case p.isLambda(f):
			return []item{data(p.argument(f, 2))}
		}
		return p.applied(f, x)
	}
	if p.op(b) == opEmptyBag {
		if p.isLambda(f) {
			body = nil
		}
		p.comprehension(f, body)
		return
	}
	p.comprehension(f, func(x string) []item {
		p.warn("@bag")
		items := append([]item{text("@swap_zero(")}, body(x)...)
		items = append(items, text(", count("+x+", "))
		return append(append(items, p.finitely(opBagOf, b)...), text("))"))
	}, b)
}

// finitely returns a set or bag made of a finite one.
func (p *printer) finitely(o op, a term) []item {
	if p.role(a) != variable {
		return []item{data(a)}
	}
	if o == opSetOf {
		return []item{text("@setfset("), data(a), text(")")}
	}
	return []item{text("@bagfbag("), data(a), text(")")}
}

// setOperation prints the union or intersection of two sets, each of a function and a
// finite set.
func (p *printer) setOperation(o op, x term, a []term) {
	between := " + "
	if o == opIntersect {
		between = " * "
	}
	// mCRL2 prints the first finite set with the second function, and the second
	// set with the first function.
	p.push(append(append(p.part(a[1], a[2], x), text(between)), p.part(a[0], a[3], x)...)...)
}

// part returns the elements of the finite set s, or those outside of it, as f
// decides.
func (p *printer) part(f, s, whole term) []item {
	switch p.op(f) {
	case opNothing:
		return []item{data(s)}
	case opAll:
		return []item{text("!"), data(s)}
	}
	name := p.fresh(whole)
	items := append([]item{text("{ " + name + ": ")}, p.domain(f)...)
	items = append(append(items, text(" | !")), p.applied(f, name)...)
	items = append(items, text(" && "+name+" in "), data(s))
	return append(items, text(" }"))
}

// comprehension prints { x: S | … } for a function from S. A nil body prints the
// lambda f itself; otherwise it takes a new variable and returns the body. The
// name of the variable must not occur in others.
func (p *printer) comprehension(f term, body func(x string) []item, others ...term) {
	if body == nil {
		items := append([]item{text("{ ")}, p.declarations(p.argument(f, 1))...)
		p.push(append(items, text(" | "), data(p.argument(f, 2)), text(" }"))...)
		return
	}
	name := p.fresh(append(others, f)...)
	items := append([]item{text("{ " + name + ": ")}, p.domain(f)...)
	p.push(append(append(append(items, text(" | ")), body(name)...), text(" }"))...)
}

// applied returns the application of a function to a variable.
func (p *printer) applied(f term, x string) []item {
	return append(inParentheses(f, p.role(f) == binder), text("("+x+")"))
}

func (p *printer) isLambda(f term) bool {
	return p.role(f) == binder && p.name(p.argument(f, 0)) == "Lambda"
}

// domain returns the first argument sort of a function.
func (p *printer) domain(f term) []item {
	if p.isLambda(f) {
		if variables := p.list(p.argument(f, 1)); len(variables) > 0 && p.role(variables[0]) == variable {
			return []item{sort(p.argument(variables[0], 1))}
		}
	}
	applied := 0
	for p.role(f) == application && applied < castsMax {
		f = p.argument(f, 0)
		applied++
	}
	if r := p.role(f); r == operation || r == variable {
		s := p.argument(f, 1)
		for ; applied > 0 && p.role(s) == arrowSort; applied-- {
			s = p.argument(s, 1)
		}
		if p.role(s) == arrowSort {
			if from := p.list(p.argument(s, 0)); len(from) > 0 {
				return []item{sort(from[0])}
			}
		}
	}
	p.warn("@set")
	return []item{text("?")}
}

// fresh returns the name of a variable that does not occur in the terms: x, x1, x2, …
func (p *printer) fresh(within ...term) string {
	names, seen := map[string]bool{}, map[term]bool{}
	for len(within) > 0 && len(seen) <= textMax {
		x := within[len(within)-1]
		within = within[:len(within)-1]
		if seen[x] || p.role(x) == number {
			continue
		}
		seen[x] = true
		if p.role(x) == variable {
			names[p.name(p.argument(x, 0))] = true
			continue
		}
		within = append(within, p.all(x)...)
	}
	name := "x"
	for i := 1; names[name]; i++ {
		name = "x" + strconv.Itoa(i)
	}
	return name
}
