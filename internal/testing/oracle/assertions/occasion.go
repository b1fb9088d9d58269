package assertions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// occasion is what a sentence says about the past of a run: when something is forbidden. It is read from
// the labels of the run alone.
type occasion struct {
	// from and to are the labels that open and close the part of the run that is meant; nil for the
	// whole run.
	from, to map[string]bool
	// steps must have happened there, one after the other; with times, the first one so often.
	steps []map[string]bool
	times int
	// isNot is set if that must not have happened.
	isNot bool
	// isLast is set if only what has happened since the last label of from counts.
	isLast bool
}

const (
	namesForm = `(?:one of )?` + label + `(?:(?:, | or )` + label + `)*`
	sinceText = `(?: (after|since the last) (` + namesForm + `))?(?:, until (` + namesForm + `))?$`
)

var (
	countedIs = regexp.MustCompile(`^(after|before) the (first|second|third) (` + namesForm + `)` + sinceText)
	onceIs    = regexp.MustCompile(`^(once|before) (` + namesForm + `(?: and then ` + namesForm + `)*)(?: (?:has|have) happened)?` + sinceText)
	partIs    = regexp.MustCompile(`^(?:after|between) (` + namesForm + `)(?: (?:until|and) (` + namesForm + `))?$`)
	awaitedIs = regexp.MustCompile(`^while (.+) is awaited$`)
	oneLabel  = regexp.MustCompile(label)
)

// readOccasion reads an occasion; false if the text has another form.
func readOccasion(said string) (occasion, bool) {
	if m := countedIs.FindStringSubmatch(said); m != nil {
		return occasion{
			from:  labelsNamed(m[5]),
			to:    labelsNamed(m[6]),
			steps: []map[string]bool{labelsNamed(m[3])},
			times: slices.Index([]string{"first", "second", "third"}, m[2]) + 1,
			isNot: m[1] == "before",
		}, true
	}
	if m := onceIs.FindStringSubmatch(said); m != nil {
		o := occasion{
			from:   labelsNamed(m[4]),
			to:     labelsNamed(m[5]),
			isNot:  m[1] == "before",
			isLast: m[3] == "since the last",
		}
		for _, names := range strings.Split(m[2], " and then ") {
			o.steps = append(o.steps, labelsNamed(names))
		}
		return o, true
	}
	if m := partIs.FindStringSubmatch(said); m != nil {
		return occasion{from: labelsNamed(m[1]), to: labelsNamed(m[2])}, true
	}
	return occasion{}, false
}

// labelsNamed returns the labels in a text; nil for none.
func labelsNamed(said string) map[string]bool {
	var labels map[string]bool
	for _, name := range oneLabel.FindAllString(said, -1) {
		if labels == nil {
			labels = map[string]bool{}
		}
		labels[text(name)] = true
	}
	return labels
}

// past is what an occasion knows of a run so far.
type past struct {
	open, over bool
	done       int // the steps, or how often the only one, in the part that is open
}

// after returns the past after one more label.
func (o occasion) after(p past, label string) past {
	switch {
	case p.over:
		return p
	case p.open && o.to[label]:
		p = past{over: o.from == nil}
		p.open = o.from[label]
		return p
	case !p.open:
		return past{open: o.from[label]}
	case o.isLast && o.from[label]:
		p.done = 0
	case o.times > 0 && o.steps[0][label]:
		p.done = min(p.done+1, o.times)
	case o.times == 0 && p.done < len(o.steps) && o.steps[p.done][label]:
		p.done++
	}
	return p
}

// isNow reports whether the occasion is given.
func (o occasion) isNow(p past) bool {
	hasHappened := p.done >= max(o.times, len(o.steps))
	return p.open && hasHappened != o.isNot
}

// statesOn returns the property states that runs are in when an occasion is given. It fails if a property state
// is met both when it is given and when it is not.
func (g *game) statesOn(o occasion) (map[int]bool, error) {
	type visit struct {
		position
		past
	}
	first := visit{g.initial(), past{open: o.from == nil}}
	visited := map[visit]bool{first: true}
	given := map[int]bool{}
	for todo := []visit{first}; len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		isNow, isKnown := given[at.position.done]
		if isKnown && isNow != o.isNow(at.past) {
			return nil, fmt.Errorf("property state %d does not tell whether it is so", at.position.done)
		}
		given[at.position.done] = o.isNow(at.past)
		for _, t := range g.judge.Out(at.state) {
			next := visit{g.next(at.position, t), o.after(at.past, g.labelText(t.Label))}
			if g.reached[next.position] && !visited[next] {
				visited[next] = true
				todo = append(todo, next)
			}
		}
	}
	return given, nil
}

// isOn returns a function that reports whether a property state is one of those that a text names by what has
// happened, or by what is awaited; nil if the text has another form.
func (g *game) isOn(said string) func(q int) bool {
	if m := awaitedIs.FindStringSubmatch(said); m != nil {
		return func(q int) bool {
			awaited, waits := strings.CutPrefix(g.phrase(q), "waiting for ")
			awaited, _, _ = strings.Cut(awaited, " since ")
			awaited, _, _ = strings.Cut(awaited, ", ")
			return waits && (awaited == m[1] || slices.Contains(strings.Split(m[1], " or "), awaited))
		}
	}
	o, isOccasion := readOccasion(said)
	if !isOccasion {
		return nil
	}
	given, err := g.statesOn(o)
	if err != nil {
		return nil
	}
	g.Understood["occasion"]++
	return func(q int) bool { return given[q] }
}
