package editor

import (
	"context"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/property"
)

// meaningOf describes the meaning of a formula, and how it is written in other logics, as inev
// formula does.
func meaningOf(ctx context.Context, f property.Formula) (string, error) {
	w, err := render.New("markdown", render.Options{})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if sentence := sentenceOf(f); sentence != "" {
		b.WriteString(sentence + "\n\n")
	}
	err = w.Formula(ctx, &b, f)
	return b.String(), err
}

// sentenceOf returns what a pattern with these steps says about runs; "" if the formula is no pattern.
func sentenceOf(f property.Formula) string {
	pattern, isPattern := f.(*actl.Formula)
	if !isPattern {
		return ""
	}
	s := pattern.Specification()
	required := requirementOf(s)
	if required == "" {
		return ""
	}
	return scopeOf(s) + required
}

// requirementOf returns what a pattern requires within its scope.
func requirementOf(s property.Specification) string {
	var steps []string
	for _, step := range s.Steps {
		steps = append(steps, codeOf(step))
	}
	switch s.Kind {
	case property.KindInev:
		return "On every run " + steps[0] + " happens" + inOrder(steps[1:], "") +
			". A run goes on forever, or ends in a deadlock."
	case property.KindResponse:
		return "After every " + steps[0] + ", strictly later, " + steps[1] + " happens" + inOrder(steps[2:], "") + "."
	case property.KindNever:
		if len(steps) == 1 {
			return steps[0] + " does not happen."
		}
		return "No " + steps[0] + " is followed by " + steps[1] + inOrder(steps[2:], "by ") + "."
	case property.KindPrecedes:
		last := len(steps) - 1
		if last == 1 {
			return "No " + steps[1] + " happens before the first " + steps[0] + "."
		}
		return "No " + steps[last] + " happens before " + steps[0] + inOrder(steps[1:last], "") + " have happened."
	case property.KindAlways:
		return "Nothing but " + steps[0] + " happens."
	case property.KindAtMost:
		return fmt.Sprintf("%s happens at most %s.", steps[0], counted(s.Times, "time"))
	case property.KindDeadlockFree:
		return "No run ends."
	default:
		return ""
	}
}

// inOrder returns further steps, each of which happens later than the one before.
func inOrder(steps []string, preposition string) string {
	var b strings.Builder
	for _, step := range steps {
		b.WriteString(", and later " + preposition + step)
	}
	return b.String()
}

// scopeOf returns the part of a run in which a pattern must hold, as the beginning of a sentence.
func scopeOf(s property.Specification) string {
	from, to := codeOf(s.From), codeOf(s.To)
	switch s.Scope {
	case property.Before:
		return "Until the first " + to + ", where one comes: "
	case property.After:
		return "From the first " + from + " on: "
	case property.Between:
		return "From each " + from + " to the next " + to + ", where one comes: "
	case property.AfterUntil:
		return "From each " + from + " to the next " + to + ", or forever: "
	default:
		return ""
	}
}

func codeOf(step property.Step) string { return code(fmt.Sprint(step.Pattern)) }
