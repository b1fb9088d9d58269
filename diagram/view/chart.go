package view

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
)

// Chart is a sequence chart of a counterexample, as plain data: lanes side by side, and events from
// top to bottom (ITU-T Z.120, Message Sequence Chart; UML's sequence diagrams). Texts are the
// model's own.
type Chart struct {
	Caption Caption
	Lanes   []Lane
	Events  []Event
	// Loop is the part of the chart that repeats for ever; nil if there is none.
	Loop *Frame
	// End describes the end of the run after the last event: a deadlock, or the loss of the
	// property.
	End   []string
	Steps int // of the counterexample
	// Notes are sentences about what the chart omits for lack of room, or shows in another way than
	// requested.
	Notes []string
}

// Lane is a participant: a column of the chart.
type Lane struct {
	Name string
	// Elsewhere marks the lane of the steps without a lane of their own: none is known, or there is
	// no room for it.
	Elsewhere bool
}

// Frame is the range of events, First to Last, that repeats.
type Frame struct{ First, Last int }

// EventKind is the kind of an event.
type EventKind uint8

// The kinds of events.
const (
	Action  EventKind = iota // one lane does a label alone
	Message                  // two lanes do a label together
	Sending                  // a lane sends a message that another lane receives by a step of its own
	Receipt                  // the receipt of a message
	Unshown                  // steps that are not shown one by one
)

// Event is a step of the run, or several consecutive steps.
type Event struct {
	Kind        EventKind
	First, Last int    // the numbers of the steps of the event, from 1
	Label       string // "" if steps are not shown one by one
	From, To    int    // indices of lanes; for a receipt, From is the lane of the sender
	// Peer is the index of the event at the other end of a message, -1 if the chart
	// does not show it. Other is the number of the step there, 0 if there is none.
	Peer, Other int
	// Again marks a message that is received only in a later round of the loop than the chart
	// shows.
	Again    bool
	NoReturn bool
	// Decision are lines about the decision in the state that the step leaves, Remarks lines about
	// the effect of the step.
	Decision, Remarks []string
	// Hidden marks steps that [ChartOptions.Hide] hides; Decisions counts those of them that leave
	// a decision.
	Hidden    bool
	Decisions int
	// Leaves and Enters are the states before and after the steps.
	Leaves, Enters string
}

// ChartOptions select what a chart shows. The zero value is the default.
type ChartOptions struct {
	// Full shows everything, whether or not there is room.
	Full bool
	// Hide are patterns of labels: their steps are hidden unless they are decisions or make
	// progress.
	Hide []actl.Pattern
}

// Bounds of a chart, so that it stays readable.
const (
	maxChartRows  = 120
	maxChartLanes = 16
)

// Errors of charts.
var (
	errNoRun   = errors.New("diagram: the property holds: there is no counterexample to be drawn as a sequence chart; choose another view")
	errNoChart = errors.New("diagram: a sequence chart needs lanes, and is not a graph")
)

// NewChart returns the sequence chart of the counterexample of e in lanes. Labels without a lane
// share an additional one. It fails if the property holds. Cost O(steps of the counterexample, and
// alternatives of its decisions).
func NewChart(e *explain.Explanation, lanes *Lanes, o ChartOptions) (*Chart, error) {
	if e.Counterexample == nil {
		return nil, errNoRun
	}
	p := plot{e: e, lanes: lanes, o: o, remarks: remarksOf(e, lanes, o.Full)}
	p.chart = &Chart{Caption: captionOf(e, Options{}), Steps: len(e.Counterexample.Steps)}
	p.chart.End = p.ending()
	p.match()
	p.place()
	p.events()
	p.frame()
	p.notes()
	return p.chart, nil
}

// plot is the state of building a chart.
type plot struct {
	e       *explain.Explanation
	lanes   *Lanes
	o       ChartOptions
	chart   *Chart
	remarks map[int]*remark // by the index of a step

	routes []Route // of each step
	peers  []int   // the index of the step with the other end of a message, -1 if there is none
	number map[string]int
	// stray are the labels of steps without a known lane; crowded are the lanes for which there is
	// no room.
	stray, crowded []string
}

// ending describes the end of the run after the last step.
func (p *plot) ending() []string {
	last := "state " + p.e.Name(p.e.Trace().Last())
	switch p.e.Counterexample.Kind {
	case counterexample.Deadlock:
		return []string{"deadlock in " + last + ":", "nothing can happen any more"}
	case counterexample.Stop:
		return []string{"stops in " + last + ":", "all that is possible may be blocked"}
	case counterexample.Trap:
		return []string{"from " + last + " on the property is lost"}
	case counterexample.Prefix:
		return []string{"violated in " + last + ", whatever follows"}
	}
	return nil
}

// noLane is the name of the lane for labels without a lane.
const noLane = "elsewhere"

// place finds the lanes of the run and sorts them: in the order of their table, by number, or by
// their first use in the run.
func (p *plot) place() {
	var names []string
	uses := map[string]int{}
	add := func(name string) {
		if uses[name]++; name != "" && uses[name] == 1 {
			names = append(names, name)
		}
	}
	for _, r := range p.routes {
		add(r.From)
		add(r.To)
	}
	p.sort(names)
	if most := maxChartLanes; !p.o.Full && len(names) > most {
		busiest := slices.Clone(names)
		slices.SortStableFunc(busiest, func(a, b string) int { return uses[b] - uses[a] })
		p.crowded = busiest[most-1:]
		names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(p.crowded, name) })
	}
	p.number = map[string]int{}
	for i, name := range names {
		p.number[name] = i
		p.chart.Lanes = append(p.chart.Lanes, Lane{Name: name})
	}
	if len(p.crowded) > 0 || uses[""] > 0 || len(names) == 0 {
		name := noLane
		for slices.Contains(names, name) {
			name += " "
		}
		p.chart.Lanes = append(p.chart.Lanes, Lane{Name: name, Elsewhere: true})
	}
}

func (p *plot) sort(names []string) {
	if p.lanes.pattern == nil {
		places := p.lanes.order()
		slices.SortFunc(names, func(a, b string) int { return places[a] - places[b] })
		return
	}
	numbers := make(map[string]int, len(names))
	for _, name := range names {
		n, err := strconv.Atoi(name)
		if err != nil {
			return
		}
		numbers[name] = n
	}
	slices.SortStableFunc(names, func(a, b string) int { return numbers[a] - numbers[b] })
}

// lane returns the index of a lane. A lane that is not drawn is part of the last one.
func (p *plot) lane(name string) int {
	if n, drawn := p.number[name]; drawn {
		return n
	}
	return len(p.chart.Lanes) - 1
}

// notes adds the notes about what the chart omits, or shows in another way than requested.
func (p *plot) notes() {
	c := p.chart
	note := func(format string, args ...any) { c.Notes = append(c.Notes, fmt.Sprintf(format, args...)) }
	if n := len(p.stray); n > 0 {
		note("%s in no lane of %s: %s; what they do stands in the lane %q", isOrAre(n, "label"), printable.Cut(p.lanes.source, LabelLength), listed(p.stray), noLane)
	}
	if n := len(p.crowded); n > 0 {
		note("the chart has room for %d lanes: %s stand in the lane %q", maxChartLanes, listed(p.crowded), noLane)
	}
	shown := 0
	for i := range c.Events {
		if v := &c.Events[i]; v.Kind != Unshown {
			shown += v.Last - v.First + 1
		}
	}
	if shown < c.Steps {
		note("the chart does not show %s of the counterexample one by one", printable.Quantity(c.Steps-shown, "step"))
	}
	var idle []string
	for name := range p.lanes.order() {
		if _, takesPart := p.number[name]; !takesPart && !slices.Contains(p.crowded, name) {
			idle = append(idle, name)
		}
	}
	if slices.Sort(idle); len(idle) > 0 {
		note("%s without a step on this run, and not drawn: %s", isOrAre(len(idle), "lane"), listed(idle))
	}
}

func isOrAre(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return fmt.Sprintf("%d %ss are", n, noun)
}

// maxListed is the largest number of texts that a sentence lists.
const maxListed = 5

// listed lists shortened texts, and counts those beyond maxListed.
func listed(texts []string) string {
	var shown []string
	for i, text := range texts {
		if i == maxListed {
			shown = append(shown, fmt.Sprintf("… %d more", len(texts)-i))
			break
		}
		shown = append(shown, strconv.Quote(printable.Cut(text, LabelLength)))
	}
	return strings.Join(shown, ", ")
}
