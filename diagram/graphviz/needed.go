//go:build !js

package graphviz

import (
	_ "embed"
	"errors"
	"strconv"
	"strings"
	"sync"
)

// part is how much of Graphviz is compiled. A picture needs a third, which is compiled in less
// than half the time. A layout that calls a missing function ends with [errMissing] and is
// repeated by the whole; hence its result does not depend on the part.
type part uint8

const (
	needed part = iota // functions that layouts by dot, written as SVG, were seen to call
	whole
	parts
)

// of returns the part with which a layout is tried first.
func partOf(format, layout string) part {
	if format == "svg" && layout == "dot" {
		return needed
	}
	return whole
}

var errMissing = errors.New("the layout needs a part of Graphviz that is not ready")

// neededText has the numbers of the needed functions, and ranges of such numbers; a test with
// -update writes it. Another list would change only the time that layouts take.
//
//go:embed needed.txt
var neededText string

// functions returns the functions of a part, nil for all.
func (p part) functions() []bool {
	if p == whole {
		return nil
	}
	return neededFunctions()
}

var neededFunctions = sync.OnceValue(func() []bool {
	var is []bool
	for _, span := range strings.Fields(neededText) {
		first, last, _ := strings.Cut(span, "-")
		from, _ := strconv.Atoi(first)
		to, err := strconv.Atoi(last)
		if err != nil {
			to = from
		}
		for len(is) <= to {
			is = append(is, false)
		}
		for i := from; i <= to; i++ {
			is[i] = true
		}
	}
	return is
})
