// Package stochastic reads labels of CADP's stochastic and probabilistic models, in which a rate or
// a probability may follow an action: "PUT !1; rate 2.0", "PUT !1; prob 0.5". The action of a label
// is a prefix of the label.
package stochastic

import "strings"

// Action returns the label without its rate or probability; the label itself if it has none. A rate alone,
// "rate 2.0", follows no action and is a label like any other. Cost O(len(label)).
func Action(label string) string {
	i := strings.LastIndexByte(label, ';')
	if i <= 0 {
		return label
	}
	suffix := strings.TrimLeft(label[i+1:], " \t")
	if !strings.HasPrefix(suffix, "rate ") && !strings.HasPrefix(suffix, "prob ") {
		return label
	}
	if strings.Contains(suffix, `"`) {
		return label // the semicolon stands in a string
	}
	action := strings.TrimRight(label[:i], " \t")
	if action == "" {
		return label
	}
	return action
}
