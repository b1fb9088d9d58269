//go:build !js

package graphviz

import (
	_ "embed"
	"errors"
	"strconv"
	"strings"
	"sync"
)

// part is the set of functions of Graphviz that are compiled. A picture needs a third of them,
// which compile in less than half the time. A layout that calls a missing function ends with
// [errMissing] and is repeated with the whole, so that the result does not depend on the part.
type part uint8

const (
	needed part = iota // functions that layouts by dot, written as SVG, were seen to call
	whole
	parts
)

// partOf returns the part to try first.
func partOf(format, layout string) part {
	if format == "svg" && layout == "dot" {
		return needed
	}
	return whole
}

var errMissing = errors.New("the layout needs a part of Graphviz that is not ready")

// neededText has the numbers of the needed functions, and ranges of these numbers; a test with
// -update writes it. It influences only the time of layouts.
//
//go:embed needed.txt
var neededText string

// functions reports of each function whether it is in the part; nil for all functions.
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
