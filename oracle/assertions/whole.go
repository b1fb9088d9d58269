package assertions

import (
	"regexp"
	"sync"
)

// compiled holds the patterns of whole sentences: checkers of thousands of models share them.
var compiled sync.Map

// whole returns the expression that matches the sentences of a pattern, with their full stops.
func whole(pattern string) *regexp.Regexp {
	if is, known := compiled.Load(pattern); known {
		return is.(*regexp.Regexp)
	}
	is, _ := compiled.LoadOrStore(pattern, regexp.MustCompile(`^(?:`+pattern+`)\.$`))
	return is.(*regexp.Regexp)
}
