package quotient

import (
	"context"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/lts"
)

// Options are the choices for the quotient of a property.
type Options struct {
	// MergeLabels makes one label of all labels that do exactly the same steps,
	// beside hiding those that do none. What a verdict and a class say does not
	// depend on which of them occurs. The text of such a label is that of the
	// pattern of the step that they do.
	MergeLabels bool
	// MaxBlocks is the number of blocks beyond which nobody wants the quotient: the
	// search for it ends with [ErrManyBlocks] as soon as there are more. 0 stands for
	// any number.
	MaxBlocks int
}

// ForProperty returns the quotient of m after hiding the labels that do no step
// of p, which must be bound to m. It keeps the verdict; a class in it stands for
// all histories of all merged states (see the package comment). It fails as [New]
// does. Cost as for New.
func ForProperty(ctx context.Context, m *lts.LTS, p *actl.Property, o Options) (*Quotient, error) {
	return forProperty(ctx, m, p, nil, o, nil)
}

// ForClasses returns the quotient of an enriched model after hiding the labels
// that do no step of its property, in which two states are merged only where they
// also have the same history: where both are certain to satisfy the property, or
// both are certain not to, or both have the same max and common prefix. Every
// transition of the model has the same class as the one of the quotient that
// stands for it. It fails as [New] does. Cost as for New.
func ForClasses(ctx context.Context, e *enrich.Enriched, o Options) (*Quotient, error) {
	apart := histories(e)
	return forProperty(ctx, e.LTS(), e.Property(), apart, o, func(names *renaming) error {
		return checkTail(ctx, e, names, apart, o.MaxBlocks)
	})
}

// forProperty divides m, unless check, where it is not nil and a number of blocks is
// set, fails.
func forProperty(ctx context.Context, m *lts.LTS, p *actl.Property, apart func(lts.State) uint32, o Options, check func(*renaming) error) (*Quotient, error) {
	patterns := distinctPatterns(p)
	names := hide(m.Alphabet(), func(l lts.Label) bool { return !p.Concerns(l) }, patterns)
	if o.MergeLabels {
		names.merge(m.Alphabet(), p)
	}
	if o.MaxBlocks > 0 && check != nil {
		if err := check(names); err != nil {
			return nil, err
		}
	}
	q, err := divide(ctx, m, names, apart, o.MaxBlocks)
	if err != nil {
		return nil, err
	}
	q.property, err = q.bind(ctx, p, patterns)
	return q, err
}

// histories numbers the histories that [ForClasses] keeps apart.
func histories(e *enrich.Enriched) func(lts.State) uint32 {
	n := e.Property().Len()
	return func(s lts.State) uint32 {
		switch cp, mp := e.CP(s), e.MP(s); {
		case cp+e.CS(s) >= n:
			return certain
		case mp+e.MS(s) < n:
			return fated
		default:
			// A prefix has at most actl.MaxSteps steps; cp = n is certain already.
			return uint32(cp)<<16 | uint32(mp)
		}
	}
}

// Numbers of histories that no prefixes have: the common prefix of a state is at
// most as long as its max prefix.
const (
	certain = 2 << 16
	fated   = 3 << 16
)

// distinctPatterns returns the patterns of the steps, each once.
func distinctPatterns(p *actl.Property) []actl.Pattern {
	seen := make(map[string]bool)
	var patterns []actl.Pattern
	for i := range p.Len() {
		pattern := p.Step(i + 1).Pattern
		if text := pattern.String(); !seen[text] {
			seen[text] = true
			patterns = append(patterns, pattern)
		}
	}
	return patterns
}

// bind binds the property to the labels of the quotient.
func (q *Quotient) bind(ctx context.Context, p *actl.Property, patterns []actl.Pattern) (*actl.Property, error) {
	a := q.system.Alphabet()
	tau, hides := q.Tau()
	if !q.names.merged && !(hides && matchesAny(patterns, a.Text(tau))) {
		bound, _, err := p.Formula().BindContext(ctx, a)
		return bound, err
	}
	var text strings.Builder
	text.WriteString("Inev(")
	lists := make(map[string]string)
	taken := make(map[string]bool)
	for _, label := range q.names.texts {
		taken[label] = true
	}
	for i := range p.Len() {
		if i > 0 {
			text.WriteString(", ")
		}
		step := p.Step(i + 1)
		key := step.Pattern.String()
		if _, known := lists[key]; !known {
			lists[key] = q.listed(step, taken)
		}
		text.WriteString(lists[key])
	}
	text.WriteByte(')')
	f, err := actl.ParseContext(ctx, text.String())
	if err != nil {
		return nil, fmt.Errorf("quotient: the property in the labels of the quotient: %w", err)
	}
	bound, _, err := f.BindContext(ctx, a)
	return bound, err
}

// listed writes a step as the set of the labels of the quotient that do it, and
// where there are none, as a label that is not among those taken.
func (q *Quotient) listed(step actl.Step, taken map[string]bool) string {
	seen := make(map[lts.Label]bool)
	var texts []string
	for _, l := range step.Labels {
		if to := q.names.to[l]; !seen[to] {
			seen[to] = true
			texts = append(texts, quoted.Replace(q.names.texts[to]))
		}
	}
	if len(texts) == 0 {
		texts = []string{quoted.Replace(untaken(step.Pattern.String(), taken))}
	}
	return `{"` + strings.Join(texts, `", "`) + `"}`
}

var quoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
