package tlaplus

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/internal/resources"
)

// work counts the steps of reading, expanding and evaluating. A step costs the size of what it makes or
// reads, so that even a short text cannot cause unlimited work. Work also ends when the context is
// done.
type work struct {
	ctx context.Context
	// done is the number of steps so far. At step number ask, the context is checked again.
	done, ask int
	// most is the largest number of steps; 0 means no limit.
	most int
}

// betweenAsks is the number of steps between two checks of the context.
const betweenAsks = 1 << 12

// take counts steps. It fails if there are too many, or if the context is done.
func (w *work) take(steps int) {
	w.done += steps
	if w.done >= w.ask {
		w.askContext()
	}
}

//go:noinline
func (w *work) askContext() { // apart, so that take is inlined
	w.ask = w.done + betweenAsks
	abort.On(w.ctx.Err())
	if w.most > 0 && w.done > w.most {
		abort.On(fmt.Errorf("more than %d steps are needed", w.most))
	}
}

// room counts the steps for making n values, and fails if they would take too much memory.
func (w *work) room(n int) {
	w.take(n)
	abort.On(resources.AskFor[values.Value](w.ctx, n))
}

// mostDeep is the largest number of nested calls, and the largest depth of an expression that is
// compiled and of a value.
const mostDeep = 10_000

// mostWaiting is the largest number of nested operations. Each needs memory on the stack, and a process
// that exhausts its stack is killed.
const mostWaiting = 200_000

// enter enters a definition whose expression has this height. It fails if evaluations are nested too
// deeply.
func (m *machine) enter(x *expression, height int) {
	m.depth++
	if m.depth > mostDeep {
		fail(x.at, "%s goes on forever, or deeper than %d calls", x.text(), mostDeep)
	}
	m.wait(x, height)
	m.work()
}

// wait enters some nested operations.
func (m *machine) wait(x *expression, height int) {
	m.waiting += height
	if m.waiting > mostWaiting {
		fail(x.at, "%s goes on forever, or deeper than %d nested operations", x.text(),
			mostWaiting)
	}
}

// leave ends what enter has begun.
func (m *machine) leave(height int) {
	m.depth--
	m.waiting -= height
}

// work takes a step.
func (m *machine) work() { m.spent.take(1) }

// mostSize is the largest number of parts of a value, counting parts of parts. The largest set that TLC
// lists is smaller.
const mostSize = 2_000_000

// mostText is the largest length of a string.
const mostText = 10_000_000

// checked returns a value that an expression has made. It fails if the value is too large.
func (m *machine) checked(x *expression, v values.Value) values.Value {
	m.fits(x, v.Size())
	if v.Depth() > mostDeep {
		fail(x.at, "%s has a value whose parts are nested more than %d deep", x.text(),
			mostDeep)
	}
	return v
}

// fits fails if a value of this size, which an expression makes, is too large.
func (m *machine) fits(x *expression, size int) {
	if size > mostSize {
		fail(x.at, "%s has a value of more than %d parts, which are too many", x.text(),
			mostSize)
	}
}

// setOf returns the set of some members. It may sort members in place.
func (m *machine) setOf(x *expression, members []values.Value) values.Value {
	m.spent.take(len(members))
	if len(members) > betweenAsks && !slices.IsSortedFunc(members, m.counted) {
		slices.SortStableFunc(members, m.counted)
	}
	return m.checked(x, setOfAll(members))
}

func (m *machine) sequenceOf(x *expression, items []values.Value) values.Value {
	m.spent.take(len(items))
	return m.checked(x, sequenceOf(items))
}

// functionOf returns the function from keys, which must be different, to items. It may sort both in
// place.
func (m *machine) functionOf(x *expression, keys, items []values.Value) values.Value {
	m.spent.take(len(items))
	if len(keys) > betweenAsks && !slices.IsSortedFunc(keys, m.counted) {
		keys, items = m.sortedByKey(keys, items)
	}
	return m.checked(x, functionOf(keys, items))
}

// sortedByKey sorts the keys of a function, and moves the items along.
func (m *machine) sortedByKey(keys, items []values.Value) (sortedKeys, sortedItems []values.Value) {
	m.spent.room(3 * len(keys))
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, k int) int {
		return m.counted(keys[i], keys[k])
	})
	for _, i := range order {
		sortedKeys = append(sortedKeys, keys[i])
		sortedItems = append(sortedItems, items[i])
	}
	return sortedKeys, sortedItems
}

// counted compares two values. It counts as many steps as the smaller value has parts.
func (m *machine) counted(a, b values.Value) int {
	m.spent.take(1 + min(a.Size(), b.Size()))
	return a.Compare(b)
}

// same reports whether two values are equal. It counts as many steps as the smaller value has parts.
func (m *machine) same(a, b values.Value) bool { return m.counted(a, b) == 0 }

// textOf returns the value of an expression that joins strings. It fails if the result is too long.
func (m *machine) textOf(x *expression, parts ...string) values.Value {
	n := 0
	for _, part := range parts {
		n += len(part)
	}
	if m.spent.take(n / 16); n > mostText {
		fail(x.at, "%s is a text of more than %d bytes, which is too long", x.text(), mostText)
	}
	return quoted(strings.Join(parts, ""))
}

// mostCombined is the largest number of sets that an unlisted set or the domain of an unlisted function
// is built from.
const mostCombined = 10_000

// unlisted returns a set or a function whose members are not listed.
func (m *machine) unlisted(x *expression, l lazy) result {
	if m.work(); l.parts() > mostCombined {
		fail(x.at, "%s consists of more than %d sets, which are too many", x.text(),
			mostCombined)
	}
	return result{lazy: l}
}

// partsOf returns the number of sets in some results plus one, but at most mostCombined + 1.
func partsOf(all ...result) int {
	n := 1
	for _, r := range all {
		if r.lazy != nil {
			n = min(n+r.lazy.parts(), mostCombined+1)
		}
	}
	return n
}
