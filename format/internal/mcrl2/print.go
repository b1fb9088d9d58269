package mcrl2

import (
	"context"
	"errors"
	"strconv"
)

// printer prints terms as mCRL2 does. Instead of recursing it uses a stack of
// items that are still to be printed.
type printer struct {
	*terms
	ctx   context.Context
	out   []byte
	stack []item
	// unlike is the first operation for which it is unknown how mCRL2 prints it.
	unlike string
}

// item is a text, or a term with a manner of printing it.
type item struct {
	text string
	x    term
	as   manner
}

type manner uint8

const (
	asText manner = iota
	asData
	asSort
	asDomain // a sort before an arrow
	asConstructor
	asProjection
)

func text(s string) item { return item{text: s} }
func data(x term) item   { return item{x: x, as: asData} }
func sort(x term) item   { return item{x: x, as: asSort} }

// textMax is the largest length of a text in bytes. Subterms are shared, so that
// the text of a small file can exceed any memory; stepsMax limits how many terms
// are visited for each byte, because some print nothing.
const (
	textMax  = 1 << 20
	stepsMax = 64
)

var errLongText = errors.New("a label or value of more than 1 MiB, or too deeply nested")

// print returns the text of items, which is valid until the next call.
func (p *printer) print(items ...item) ([]byte, error) {
	p.out, p.stack = p.out[:0], p.stack[:0]
	p.push(items...)
	for steps := 1; len(p.stack) > 0; steps++ {
		if len(p.out) > textMax || len(p.stack) > 8*textMax || steps > 1<<16+stepsMax*len(p.out) {
			return nil, errLongText
		}
		if steps&(1<<16-1) == 0 && p.ctx.Err() != nil {
			return nil, p.ctx.Err()
		}
		top := p.stack[len(p.stack)-1]
		p.stack = p.stack[:len(p.stack)-1]
		switch top.as {
		case asText:
			p.out = append(p.out, top.text...)
		case asData:
			p.data(top.x)
		default:
			p.sort(top.x, top.as)
		}
	}
	return p.out, nil
}

// push makes items be printed next, the first one first.
func (p *printer) push(items ...item) {
	for i := len(items) - 1; i >= 0; i-- {
		p.stack = append(p.stack, items[i])
	}
}

// inParentheses returns a term, with parentheses around it if needed.
func inParentheses(x term, needed bool) []item {
	if needed {
		return []item{text("("), data(x), text(")")}
	}
	return []item{data(x)}
}

// separated returns terms with a text between them. If there are several, terms
// with a precedence below bound are in parentheses.
func (p *printer) separated(xs []term, between string, bound int) []item {
	var items []item
	for i, x := range xs {
		if i > 0 {
			items = append(items, text(between))
		}
		items = append(items, inParentheses(x, len(xs) > 1 && p.precedence(x) < bound)...)
	}
	return items
}

// list returns the elements of a list, which must end with the empty list.
func (p *printer) list(x term) []term {
	var elements []term
	for p.role(x) == cons && len(elements) <= textMax {
		elements = append(elements, p.argument(x, 0))
		x = p.argument(x, 1)
	}
	return elements
}

// data starts printing a term of data.
func (p *printer) data(x term) {
	switch p.role(x) {
	case operation:
		p.push(text(p.symbolOfData(x)))
	case variable:
		p.push(text(p.name(p.argument(x, 0))))
	case number:
		p.out = strconv.AppendUint(p.out, p.value(x), 10)
	case application:
		p.apply(x)
	case binder:
		p.bind(x)
	case where:
		items := []item{data(p.argument(x, 0)), text(" whr ")}
		for i, a := range p.list(p.argument(x, 1)) {
			if i > 0 {
				items = append(items, text(", "))
			}
			items = append(items, data(a))
		}
		p.push(append(items, text(" end"))...)
	case assignment:
		p.push(data(p.argument(x, 0)), text(" = "), data(p.argument(x, 1)))
	default:
		p.asTerm(x)
	}
}

func (p *printer) symbolOfData(x term) string {
	switch p.op(x) {
	case opZero:
		return "0"
	case opOne:
		return "1"
	}
	return p.name(p.argument(x, 0))
}

// asTerm prints a term that is no data known to this package.
func (p *printer) asTerm(x term) {
	p.warn(p.name(x))
	items := []item{text(p.name(x))}
	if all := p.all(x); len(all) > 0 {
		items = append(append(append(items, text("(")), p.separated(all, ",", 0)...), text(")"))
	}
	p.push(items...)
}

func (p *printer) warn(name string) {
	if p.unlike == "" {
		p.unlike = name
	}
}

// bind prints a quantifier, a lambda or a set or bag by comprehension.
func (p *printer) bind(x term) {
	begin, between, end := "", ". ", ""
	switch kind := p.name(p.argument(x, 0)); kind {
	case "Forall":
		begin = "forall "
	case "Exists":
		begin = "exists "
	case "Lambda":
		begin = "lambda "
	default:
		begin, between, end = "{ ", " | ", " }"
	}
	items := append([]item{text(begin)}, p.declarations(p.argument(x, 1))...)
	p.push(append(items, text(between), data(p.argument(x, 2)), text(end))...)
}

// declarations returns variables with their sorts; adjacent variables with the
// same sort share it.
func (p *printer) declarations(list term) []item {
	var items []item
	all := p.list(list)
	for i, v := range all {
		if p.role(v) != variable {
			items = append(items, data(v))
			continue
		}
		items = append(items, data(v))
		last := i+1 == len(all)
		if !last && p.role(all[i+1]) == variable && p.argument(all[i+1], 1) == p.argument(v, 1) {
			items = append(items, text(","))
			continue
		}
		items = append(items, text(": "), sort(p.argument(v, 1)))
		if !last {
			items = append(items, text(", "))
		}
	}
	return items
}

// sort prints a sort, or a part of one.
func (p *printer) sort(x term, as manner) {
	switch r := p.role(x); {
	case as == asConstructor && p.symbol(x).arity == 3:
		items := []item{text(p.name(p.argument(x, 0)))}
		if fields := p.list(p.argument(x, 1)); len(fields) > 0 {
			items = append(append(append(items, text("(")), each(fields, asProjection, ", ")...), text(")"))
		}
		if recogniser := p.name(p.argument(x, 2)); recogniser != "" {
			items = append(items, text("?"+recogniser))
		}
		p.push(items...)
	case as == asProjection && p.symbol(x).arity == 2:
		if name := p.name(p.argument(x, 0)); name != "" {
			p.push(text(name), text(": "), sort(p.argument(x, 1)))
			return
		}
		p.push(sort(p.argument(x, 1)))
	case as == asDomain && r == arrowSort:
		p.push(text("("), sort(x), text(")"))
	case r == basicSort:
		p.push(text(p.name(p.argument(x, 0))))
	case r == containerSort:
		p.push(text(container(p.name(p.argument(x, 0)))), text("("), sort(p.argument(x, 1)), text(")"))
	case r == arrowSort:
		items := each(p.list(p.argument(x, 0)), asDomain, " # ")
		p.push(append(items, text(" -> "), sort(p.argument(x, 1)))...)
	case r == structSort:
		p.push(append([]item{text("struct ")}, each(p.list(p.argument(x, 0)), asConstructor, " | ")...)...)
	default:
		p.asTerm(x)
	}
}

// each returns terms to be printed in one manner, with a text between them.
func each(xs []term, as manner, between string) []item {
	var items []item
	for i, x := range xs {
		if i > 0 {
			items = append(items, text(between))
		}
		items = append(items, item{x: x, as: as})
	}
	return items
}

// container returns the printed name of a container sort: List for SortList.
func container(name string) string {
	if len(name) > len("Sort") && name[:len("Sort")] == "Sort" {
		return name[len("Sort"):]
	}
	return name
}
