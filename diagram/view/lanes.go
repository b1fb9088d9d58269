package view

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/printable"
)

// Lanes say which participant (lane) does a step of a run, and for which other lane, by the label
// of the step. A model does not say so: the lanes come from a regular expression with captures, or
// from a table. Lanes are immutable.
type Lanes struct {
	pattern *regexp.Regexp // nil if there is a table
	source  string         // the file or pattern that gives the lanes, for notes
	routes  []laneLine
	labels  map[string]int // lines of the table, by whole labels
	gates   map[string]int // lines of the table, by the gates of labels
}

// laneLine is a line of a table of lanes.
type laneLine struct {
	number int
	label  string
	Route
}

// Route is the lanes of a step in a sequence chart.
type Route struct {
	From string
	To   string // the same as From for a step of one lane
	// Receipt is the label (or gate) of the step with which To receives the message of From; "" if
	// one step does both.
	Receipt string
}

// ParseLanes reads a regular expression between slashes (Go RE2), with one capture, the lane
// that acts, or two: the sender and the receiver of a message. If the second capture matches
// nothing, the first lane acts alone. Cost O(len(text)).
func ParseLanes(text string) (*Lanes, error) {
	inside, slashed := strings.CutPrefix(text, "/")
	inside, closed := strings.CutSuffix(inside, "/")
	if !slashed || !closed || inside == "" {
		return nil, fmt.Errorf("%s is not a /regular expression/", text)
	}
	pattern, err := regexp.Compile(inside)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	switch n := pattern.NumSubexp(); {
	case n == 0:
		return nil, fmt.Errorf("%s has no capture; put the part of labels that says who acts in parentheses, as in /^(CLIENT|SERVER)/", text)
	case n > 2:
		return nil, fmt.Errorf("%s has %d captures; one is the lane that acts, two are from and to; write (?:…) for the others", text, n)
	}
	return &Lanes{pattern: pattern, source: text}, nil
}

// IsLanesPattern reports whether a text is a pattern for [ParseLanes], in slashes, and not the
// name of a file. Cost O(1).
func IsLanesPattern(text string) bool {
	return len(text) > 1 && strings.HasPrefix(text, "/") && strings.HasSuffix(text, "/")
}

// Of returns the route of the steps with a label; false if no line matches. A line for the whole
// label precedes one for its gate. Cost O(len(label)).
func (l *Lanes) Of(label string) (Route, bool) {
	if l.pattern == nil {
		line, named := l.labels[label]
		if gate, has := actl.GateOf(label); !named && has {
			line, named = l.gates[gate]
		}
		if !named {
			return Route{}, false
		}
		return l.routes[line].Route, true
	}
	match := l.pattern.FindStringSubmatch(label)
	if match == nil {
		return Route{}, false
	}
	r := Route{From: match[1], To: match[len(match)-1]}
	if r.From == "" {
		r.From = r.To
	}
	if r.To == "" {
		r.To = r.From
	}
	return r, r.From != ""
}

// Owner returns the lane that can refuse the steps with a label: the lane that acts or, if the
// label is the receipt of a message, the receiver; false if no line matches. The first of several
// lines counts. Cost O(len(label) + lines).
func (l *Lanes) Owner(label string) (string, bool) {
	if r, is := l.Of(label); is {
		return r.From, true
	}
	gate, has := actl.GateOf(label)
	for _, line := range l.routes {
		if line.Receipt != "" && (line.Receipt == label || has && line.Receipt == gate) {
			return line.To, true
		}
	}
	return "", false
}

// Owners returns the owners of these labels, each once: in the order of the table or, for a
// pattern, of the labels. Cost O(labels · lines).
func (l *Lanes) Owners(labels []string) []string {
	var names []string
	for _, label := range labels {
		if name, is := l.Owner(label); is && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if l.pattern == nil {
		places := l.order()
		slices.SortStableFunc(names, func(a, b string) int { return places[a] - places[b] })
	}
	return names
}

// Components returns the lanes that take part in a step with a label, each once: both lanes of a
// message if one step sends and receives it; else the sender for the sending, and the receiver for
// the receipt. It returns none if no line matches. Cost O(len(label) + lines).
func (l *Lanes) Components(label string) []string {
	r, is := l.Of(label)
	switch {
	case !is:
		if owner, is := l.Owner(label); is {
			return []string{owner}
		}
		return nil
	case r.Receipt != "" || r.To == r.From:
		return []string{r.From}
	}
	return []string{r.From, r.To}
}

// Unmatched returns a sentence about the lines of a table whose names are no label
// or gate of an alphabet; "" if there are none. Cost O(labels and lines).
func (l *Lanes) Unmatched(labels []string) string {
	used := make([]bool, len(l.routes))
	receipts := map[string]bool{}
	for _, label := range labels {
		gate, has := actl.GateOf(label)
		receipts[label] = true
		if line, is := l.labels[label]; is {
			used[line] = true
		}
		if has {
			receipts[gate] = true
			if line, is := l.gates[gate]; is {
				used[line] = true
			}
		}
	}
	for i, line := range l.routes {
		if used[i] && line.Receipt != "" && !receipts[line.Receipt] {
			return fmt.Sprintf("%s:%d: no label of the model is %q, by which the message is received", l.source, line.number, line.Receipt)
		}
	}
	first, n := slices.Index(used, false), 0
	for _, is := range used {
		if !is {
			n++
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s:%d: no label of the model is %q", l.source, l.routes[first].number, l.routes[first].label)
	}
	return fmt.Sprintf("%s:%d: no label of the model is %q, nor any of %s of this file", l.source, l.routes[first].number, l.routes[first].label, printable.Quantity(n-1, "further line"))
}

// order maps the lanes of a table to their positions, in the order of their first lines.
func (l *Lanes) order() map[string]int {
	places := map[string]int{}
	for _, line := range l.routes {
		for _, name := range []string{line.From, line.To} {
			if _, known := places[name]; !known {
				places[name] = len(places)
			}
		}
	}
	return places
}
