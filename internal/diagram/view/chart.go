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
	"github.com/inev-lts/inev/internal/simplify/steprows"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// Chart is a sequence chart of a counterexample, as plain data: lanes side by side, and events from
// top to bottom (ITU-T Z.120, Message Sequence Chart; UML's sequence diagrams). Texts are the
// model's own.
type Chart struct {
	Caption Caption
	Lanes   []Lane
	Events  []Event
	// Loop is the part of the chart that repeats forever; nil if there is none.
	Loop *Frame
	// Missing are the actions that the run waits for at its end and never takes, in their lanes.
	Missing []Missing
	// End describes the end of the run after the last event: a deadlock, or the loss of the
	// property.
	End   []string
	Steps int // of the counterexample
	// Notes are sentences about what the chart omits for lack of room, and about what it shows
	// differently than requested.
	Notes []string
}

// Lane is a participant: a column of the chart.
type Lane struct {
	Name string
	// Elsewhere marks the lane for steps without a lane of their own, because none is known or there is
	// no room for it.
	Elsewhere bool
}

// Frame is the range of events, First to Last, that repeats.
type Frame struct{ First, Last int }

// Missing is an action that never happens although the run waits for it.
type Missing struct {
	Lane  int // index of the lane that would take the action
	Label string
}

// EventKind is the kind of an event.
type EventKind uint8

// The kinds of events.
const (
	Action  EventKind = iota // one lane does a label alone
	Message                  // two lanes do a label together
	Sending                  // a lane sends a message that another lane receives in a step of its own
	Receipt                  // the receipt of a message
	Unshown                  // steps that are not shown one by one
)

// Event is a step of the run, or several consecutive steps.
type Event struct {
	Kind        EventKind
	First, Last int    // the numbers of the steps of the event, from 1
	Label       string // "" if steps are not shown one by one
	From, To    int    // indices of lanes; for a receipt, From is the lane of the sender
	// Peer is the index of the event at the other end of a message; -1 if the chart does not show this
	// event. Other is the number of the step there; 0 if there is none.
	Peer, Other int
	// Again marks a message that is received only in a later round of the loop than the round shown.
	Again    bool
	NoReturn bool
	// Decision are lines about the decision in the state before the step. Remarks are lines about the
	// effect of the step.
	Decision, Remarks []string
	// Deciders are the lanes that could have decided otherwise. If none of the deciders has a lane,
	// they are From and To. There are none without a Decision.
	Deciders []int
	// Hidden marks steps that [ChartOptions.Hide] hides. Decisions is the number of these steps that
	// leave a decision.
	Hidden    bool
	Decisions int
	// Leaves and Enters are the states before and after the steps.
	Leaves, Enters string
}

// ChartOptions control what a chart shows. The zero value is the default.
type ChartOptions struct {
	// Full shows everything, whether or not there is room.
	Full bool
	// Hide are patterns of labels. Steps with these labels are hidden unless they are decisions or make
	// progress.
	Hide []actl.Pattern
}

// Bounds of a chart, so that it stays readable.
const (
	maxChartRows  = 120
	maxChartLanes = 16
)

var errNoChart = errors.New("diagram: a sequence chart needs lanes, and is not a graph")

// NewChart returns the sequence chart of the counterexample of e in lanes. Labels without a lane share
// an additional one. NewChart fails if the property holds. Cost O(steps of the counterexample, and
// alternatives of its decisions).
func NewChart(e *explain.Explanation, lanes *Lanes, o ChartOptions) (*Chart, error) {
	if e.Counterexample == nil {
		return nil, errors.New("diagram: the property holds: there is no counterexample to be drawn as a sequence chart; choose another view")
	}
	p := plot{
		e:       e,
		lanes:   lanes,
		o:       o,
		remarks: remarksOf(e, lanes, o),
	}
	p.chart = &Chart{Caption: captionOf(e, Options{}), Steps: len(e.Counterexample.Steps)}
	last := "state " + e.Name(e.Trace().Last())
	switch e.Counterexample.Kind {
	case counterexample.Deadlock:
		p.chart.End = []string{"deadlock in " + last + ":", "nothing can happen any more"}
	case counterexample.Stop:
		p.chart.End = []string{"stops in " + last + ":", "all that is possible may be blocked"}
	case counterexample.Trap:
		p.chart.End = []string{"from " + last + " on the property is lost"}
	case counterexample.Prefix:
		p.chart.End = []string{"violated in " + last + ", whatever follows"}
	}
	p.matchMessages()
	missing := p.missingActions()
	p.placeLanes(missing)
	for _, m := range missing {
		p.chart.Missing = append(p.chart.Missing, Missing{
			Lane:  p.lane(m.owner),
			Label: m.label,
		})
	}
	p.addEvents()
	p.addNotes()
	return p.chart, nil
}

// plot is the state of building a chart.
type plot struct {
	e       *explain.Explanation
	lanes   *Lanes
	o       ChartOptions
	chart   *Chart
	remarks map[int]*remark // by the index of a step

	routes    []Route        // of each step
	peers     []int          // the index of the step at the other end of a message; -1 if there is none
	laneIndex map[string]int // the index of each lane that is drawn, by its name
	// stray are the labels of steps without a known lane; crowded are the lanes that there is no room
	// for.
	stray, crowded []string
}

// noLane is the name of the lane for labels without a lane.
const noLane = "elsewhere"

// missingAction is an action that the run waits for, and its owner.
type missingAction struct {
	label string
	owner string // "" if it has none
}

// missingActions returns the actions that the run waits for at its end. It returns them only if they are few,
// and no step of the loop has their label. An action without an owner is missing elsewhere.
func (p *plot) missingActions() (all []missingAction) {
	pending := p.pendingActions()
	if len(pending) > maxAlternatives {
		return nil
	}
	for _, label := range pending {
		if p.hasInLoop(label) {
			return nil
		}
		owner, _ := p.lanes.Owner(label)
		all = append(all, missingAction{label: label, owner: owner})
	}
	return all
}

// pendingActions returns the actions that the run waits for at its end. If the run waits for a state with certain values,
// other actions may lead from one such state to another one, so that only the nearest actions from the loop count, if
// they are known.
func (p *plot) pendingActions() []string {
	d := p.e.Diagnosis
	if d == nil {
		return nil
	}
	if d.Awaited == "" {
		return d.Pending
	}
	isNearest := map[string]bool{}
	if p.e.Way != nil {
		way := p.e.Way.Transitions
		isNearest[way[len(way)-1].Label] = true
	}
	for _, exit := range p.e.Exits {
		isNearest[exit.Label] = isNearest[exit.Label] || exit.Shortest && d.Distance == 0
	}
	var nearest []string
	for _, label := range d.Pending {
		if isNearest[label] {
			nearest = append(nearest, label)
		}
	}
	if len(nearest) == 0 {
		return d.Pending
	}
	return nearest
}

// hasInLoop reports whether the run has a loop, and a step of it has this label.
func (p *plot) hasInLoop(label string) bool {
	c := p.e.Counterexample
	hasLabel := func(s explain.Step) bool { return s.Label == label }
	return c.LoopStart >= 0 && slices.ContainsFunc(c.Steps[c.LoopStart:], hasLabel)
}

// usedLanes returns the names of the lanes that the run and the missing actions use, in the order of their
// first uses, and how often each is used; the name "" is for steps without a lane.
func (p *plot) usedLanes(missing []missingAction) (names []string, uses map[string]int) {
	uses = map[string]int{}
	count := func(name string) {
		uses[name]++
		if name != "" && uses[name] == 1 {
			names = append(names, name)
		}
	}
	for _, r := range p.routes {
		count(r.From)
		count(r.To)
	}
	for _, m := range missing {
		count(m.owner)
	}
	return names, uses
}

// laneOrder returns the places of lanes: those of their table or, without a table, the numbers by which lanes
// are called. It has no lane if the order is that of first uses.
func (p *plot) laneOrder(names []string) map[string]int {
	order := p.lanes.order()
	hasTable := p.lanes.pattern == nil && p.lanes.process == nil
	if hasTable {
		return order
	}
	for _, name := range names {
		n, err := strconv.Atoi(name)
		if err != nil {
			return nil
		}
		order[name] = n
	}
	return order
}

// placeLanes finds the lanes of the run and of the missing actions, and sorts them: in the order of their
// table, by number, or by their first use in the run. If there are too many, the least used lanes
// become part of the last one, "elsewhere", which also has the steps without a lane.
func (p *plot) placeLanes(missing []missingAction) {
	names, uses := p.usedLanes(missing)
	order := p.laneOrder(names)
	slices.SortStableFunc(names, func(a, b string) int {
		return order[a] - order[b]
	})
	if !p.o.Full {
		names = p.dropCrowded(names, uses)
	}
	p.laneIndex = map[string]int{}
	for i, name := range names {
		p.laneIndex[name] = i
		p.chart.Lanes = append(p.chart.Lanes, Lane{Name: name})
	}
	if len(p.crowded) > 0 || uses[""] > 0 || len(names) == 0 {
		// The name of the shared lane must differ from all other names.
		name := noLane
		for slices.Contains(names, name) {
			name += " "
		}
		p.chart.Lanes = append(p.chart.Lanes, Lane{Name: name, Elsewhere: true})
	}
}

// dropCrowded returns the lanes that get a place of their own. If there are more than maxChartLanes,
// these are the most used ones, and p.crowded are the others. The shared lane takes one of the places.
func (p *plot) dropCrowded(names []string, uses map[string]int) []string {
	if len(names) <= maxChartLanes {
		return names
	}
	busiest := slices.Clone(names)
	slices.SortStableFunc(busiest, func(a, b string) int {
		return uses[b] - uses[a]
	})
	p.crowded = busiest[maxChartLanes-1:]
	return slices.DeleteFunc(names, func(name string) bool {
		return slices.Contains(p.crowded, name)
	})
}

// lane returns the index of a lane. A lane that is not drawn is part of the last lane.
func (p *plot) lane(name string) int {
	if n, drawn := p.laneIndex[name]; drawn {
		return n
	}
	return len(p.chart.Lanes) - 1
}

// addNotes adds the notes about what the chart omits or shows differently than requested.
func (p *plot) addNotes() {
	c := p.chart
	note := func(format string, args ...any) {
		c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
	}
	if n := len(p.stray); n > 0 {
		note("%s in no lane of %s: %s; such steps stand in the lane %q", isOrAre(n, "label"),
			printable.Cut(p.lanes.source, LabelLength), listed(p.stray), noLane)
	}
	if n := len(p.crowded); n > 0 {
		note("the chart has room for %d lanes: %s stand in the lane %q", maxChartLanes,
			listed(p.crowded), noLane)
	}
	shown := 0
	for i := range c.Events {
		v := &c.Events[i]
		if v.Kind != Unshown {
			shown += v.Last - v.First + 1
		}
	}
	if shown < c.Steps {
		note("the chart does not show %s of the counterexample one by one",
			printable.Quantity(c.Steps-shown, "step"))
	}
	var idle []string
	for name := range p.lanes.order() {
		if _, takesPart := p.laneIndex[name]; !takesPart && !slices.Contains(p.crowded, name) {
			idle = append(idle, name)
		}
	}
	if slices.Sort(idle); len(idle) > 0 {
		note("%s without a step on this run, and not drawn: %s", isOrAre(len(idle), "lane"),
			listed(idle))
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

// listed lists shortened texts, and says how many there are beyond maxListed.
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

// margin is the number of rows that are kept before and after each important row.
const margin = 2

// matchMessages finds the lanes of each step, and for each receipt the step that sent the message. If
// several messages have the same receipt, it assumes that they are received in the order in which they
// were sent, since the run does not show which one is received.
func (p *plot) matchMessages() {
	steps := p.e.Counterexample.Steps
	p.routes = make([]Route, len(steps))
	p.peers = make([]int, len(steps))
	table := newRouteTable(p.lanes)
	onTheirWay := map[string][]int{} // the steps that have sent a message, by the label of its receipt
	run := p.e.Trace()
	for i := range steps {
		label := steps[i].Label
		p.peers[i] = -1
		if p.lanes.IsNetwork() && i < run.Len() {
			p.routes[i], _ = p.lanes.OfStep(p.e.LTS().Alphabet(), run.Step(i).Label, label)
			continue
		}
		route, isStray := table.routeOf(label)
		if isStray {
			p.stray = append(p.stray, label)
		}
		p.routes[i] = route
		if route.Receipt != "" {
			onTheirWay[route.Receipt] = append(onTheirWay[route.Receipt], i)
			continue
		}
		p.receive(i, table, onTheirWay)
	}
}

// receive connects step i with the step that sent the message that step i receives. It does nothing if
// the label of step i receives no message.
func (p *plot) receive(i int, table *routeTable, onTheirWay map[string][]int) {
	hasLane := p.routes[i].From != ""
	for _, name := range keysOf(p.e.Counterexample.Steps[i].Label) {
		senders := onTheirWay[name]
		if len(senders) > 0 {
			sender := senders[0]
			onTheirWay[name] = senders[1:]
			p.peers[i] = sender
			p.peers[sender] = i
			p.routes[i] = Route{From: p.routes[sender].From, To: p.routes[sender].To}
			return
		}
		lane, isReceipt := table.receivers[name]
		if isReceipt && !hasLane {
			p.routes[i] = Route{From: lane, To: lane} // the message was never sent
		}
	}
}

// routeTable has the lanes of labels, according to a table of lanes.
type routeTable struct {
	lanes     *Lanes
	receivers map[string]string // the lane that receives a message, by the label of the receipt
	routes    map[string]Route  // by the labels so far
}

func newRouteTable(lanes *Lanes) *routeTable {
	t := &routeTable{lanes: lanes, receivers: map[string]string{}, routes: map[string]Route{}}
	for _, line := range lanes.routes {
		if line.Receipt != "" {
			t.receivers[line.Receipt] = line.To
		}
	}
	return t
}

// routeOf returns the lanes of a label. isStray is true if the label has no lane, but only at the
// first call for this label.
func (t *routeTable) routeOf(label string) (route Route, isStray bool) {
	route, isKnown := t.routes[label]
	if isKnown {
		return route, false
	}
	route, isInLane := t.lanes.Of(label)
	t.routes[label] = route
	return route, !isInLane && !t.isReceipt(label)
}

// isReceipt reports whether a label receives a message.
func (t *routeTable) isReceipt(label string) bool {
	for _, key := range keysOf(label) {
		if _, is := t.receivers[key]; is {
			return true
		}
	}
	return false
}

// keysOf returns the names by which a table can refer to a label: the label itself and its gate.
func keysOf(label string) []string {
	if gate, has := actl.GateOf(label); has && gate != label {
		return []string{label, gate}
	}
	return []string{label}
}

// addEvents divides the steps into events, and connects both ends of each message.
func (p *plot) addEvents() {
	c := p.e.Counterexample
	rows := steprows.Rows(len(c.Steps), func(i int) string { return c.Steps[i].Label }, steprows.RowOptions{
		Loop: int(c.LoopStart), Full: p.o.Full, Hides: steprows.Matching(p.o.Hide),
		Eventful: func(i int) bool {
			return p.remarks[i] != nil || p.peers[i] >= 0
		},
	})
	if !p.o.Full {
		rows = p.bounded(rows)
	}
	start := int(c.LoopStart)
	// eventOfStep has the index of the event of each step that is one end of a message.
	eventOfStep := map[int]int{}
	for i, row := range rows {
		v := p.event(row)
		if v.Kind == Sending || v.Kind == Receipt {
			eventOfStep[row.First] = i
		}
		p.chart.Events = append(p.chart.Events, v)
		if row.First == start {
			p.chart.Loop = &Frame{i, len(rows) - 1}
		}
	}
	for i := range p.chart.Events {
		v := &p.chart.Events[i]
		v.Peer = -1
		if peer, shown := eventOfStep[v.Other-1]; shown {
			v.Peer = peer
		}
	}
}

// event returns the event of a row, which is one step, or several steps that are not shown one by one.
// The indices of peers remain to be found.
func (p *plot) event(row steprows.Row) Event {
	c := p.e.Counterexample
	first := &c.Steps[row.First]
	last := &c.Steps[row.End-1]
	v := Event{
		First:  row.First + 1,
		Last:   row.End,
		Leaves: p.e.Name(first.From),
		Enters: p.e.Name(last.To),
	}
	if row.Kind == steprows.Hidden || row.Kind == steprows.LeftOut {
		v.Kind = Unshown
		v.Hidden = row.Kind == steprows.Hidden
		v.Decisions = p.countDecisions(row)
		return v
	}
	r := p.routes[row.First]
	v.Label = first.Label
	v.From = p.lane(r.From)
	v.To = p.lane(r.To)
	v.Other = p.peers[row.First] + 1
	hasPeer := v.Other > 0
	switch {
	case r.Receipt != "":
		v.Kind = Sending
		v.Again = !hasPeer && p.isReceivedInLoop(r)
	case hasPeer:
		v.Kind = Receipt
	case v.From != v.To:
		v.Kind = Message
	}
	if about := p.remarks[row.First]; about != nil {
		v.Decision = about.decision
		if about.decision != nil {
			v.Deciders = p.decidingLanes(about.deciders, &v)
		}
		v.Remarks = about.achieved
		v.NoReturn = about.noReturn
	}
	return v
}

// countDecisions returns the number of steps of a row that leave a decision.
func (p *plot) countDecisions(row steprows.Row) int {
	decisions := 0
	for i := row.First; i < row.End; i++ {
		if about := p.remarks[i]; about != nil && about.decision != nil {
			decisions++
		}
	}
	return decisions
}

// isReceivedInLoop reports whether some step of the loop can receive the message of a route. If the round
// that is shown does not receive it, a later round does.
func (p *plot) isReceivedInLoop(r Route) bool {
	c := p.e.Counterexample
	if c.LoopStart < 0 {
		return false
	}
	return slices.ContainsFunc(c.Steps[c.LoopStart:], func(s explain.Step) bool {
		return slices.Contains(keysOf(s.Label), r.Receipt)
	})
}

// decidingLanes returns the lanes of the owners of a decision or, if none of the owners has a lane, the
// lanes of the step that the run takes.
func (p *plot) decidingLanes(owners []string, taken *Event) []int {
	var lanes []int
	for _, owner := range owners {
		if n, drawn := p.laneIndex[owner]; drawn {
			lanes = append(lanes, n)
		}
	}
	if len(lanes) == 0 {
		return []int{taken.From, taken.To}
	}
	return lanes
}

// bounded leaves out rows if there are too many for a chart. It keeps rows at both ends, at the
// beginning of the loop and at the point of no return, and as many decisions as fit.
func (p *plot) bounded(rows []steprows.Row) []steprows.Row {
	if len(rows) <= maxChartRows {
		return rows
	}
	kept := &keptRows{isKept: make([]bool, len(rows))}
	kept.add(0, 2*margin)
	kept.add(len(rows)-1-2*margin, len(rows)-1)
	for i, row := range rows {
		about := p.remarks[row.First]
		beginsLoop := row.First == int(p.e.Counterexample.LoopStart)
		passesNoReturn := about != nil && about.noReturn
		if beginsLoop || passesNoReturn {
			kept.add(i-margin, i+margin)
		}
	}
	for i, row := range rows {
		if p.remarks[row.First] != nil && kept.number < maxChartRows/2 {
			kept.add(i, i)
		}
	}
	return withoutRows(rows, kept.isKept)
}

// keptRows are the rows of a chart that are not left out.
type keptRows struct {
	isKept []bool
	number int
}

// add keeps the rows from the first to the last one, as far as they exist.
func (k *keptRows) add(first, last int) {
	for i := max(0, first); i <= min(len(k.isKept)-1, last); i++ {
		if !k.isKept[i] {
			k.isKept[i] = true
			k.number++
		}
	}
}

// withoutRows replaces each range of rows that are not kept by one row for all their steps.
func withoutRows(rows []steprows.Row, isKept []bool) []steprows.Row {
	var shown []steprows.Row
	for i := 0; i < len(rows); i++ {
		first := i
		for i < len(rows) && !isKept[i] {
			i++
		}
		if i > first {
			shown = append(shown, steprows.Row{
				First: rows[first].First,
				End:   rows[i-1].End,
				Kind:  steprows.LeftOut,
			})
		}
		if i < len(rows) {
			shown = append(shown, rows[i])
		}
	}
	return shown
}

// remark is the text at a step of a chart: the decision in the state before the step, and the effect of
// the step.
type remark struct {
	decision []string
	deciders []string // the owners of the decision
	achieved []string
	noReturn bool
}

// decidersOf returns the owners of the choices that would have been best, since they could have decided
// otherwise. In a network, these are the components that move, in one text.
func decidersOf(d *explain.Decision, lanes *Lanes) []string {
	switch {
	case !lanes.IsNetwork():
		return lanes.Owners(labelsOf(d.Recommended()))
	case d.Owner != "":
		return []string{d.Owner}
	}
	return nil
}

// decisionTitle names a decision and its owners.
func decisionTitle(e *explain.Explanation, d *explain.Decision, owners []string) string {
	state := e.Name(d.State)
	switch len(owners) {
	case 0:
		return "decision in state " + state
	case 1:
		return fmt.Sprintf("%s decides in state %s", printable.Cut(owners[0], LabelLength),
			state)
	}
	return fmt.Sprintf("%s decide in state %s",
		printable.Cut(printable.List(owners, "or"), LabelLength), state)
}

// labelsOf returns the labels of choices, each once.
func labelsOf(choices []explain.Choice) (labels []string) {
	for _, c := range choices {
		if !slices.Contains(labels, c.Label) {
			labels = append(labels, c.Label)
		}
	}
	return labels
}

// alternativesThat returns the alternatives of a decision after which all runs belong to a class, and of
// these either those after which the run can only end in a deadlock or the others.
func alternativesThat(d *explain.Decision, class fate.Class, stop bool) (chosen []explain.Choice) {
	for _, c := range d.Alternatives {
		if c.After == class && c.Stops == stop {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// remarksOf maps the indices of steps to their remarks. A decision names its owner if lanes knows one.
// Cost O(steps, and alternatives of the choices that matter).
func remarksOf(e *explain.Explanation, lanes *Lanes, o ChartOptions) map[int]*remark {
	b := &remarkBuilder{
		explanation: e,
		lanes:       lanes,
		isFull:      o.Full,
		byStep:      map[int]*remark{},
	}
	b.addDecisions()
	if e.PointOfNoReturn != nil {
		b.at(int(e.PointOfNoReturn.Step)).noReturn = true
	}
	b.addProgress()
	b.addLateProgress()
	return b.byStep
}

// remarkBuilder makes the remarks about the steps of a counterexample.
type remarkBuilder struct {
	explanation *explain.Explanation
	lanes       *Lanes
	isFull      bool // whether lists are complete
	byStep      map[int]*remark
}

// at returns the remark about a step, an empty one if there is none yet.
func (b *remarkBuilder) at(step int) *remark {
	if b.byStep[step] == nil {
		b.byStep[step] = &remark{}
	}
	return b.byStep[step]
}

// addDecisions adds the decisions. Unless lists are complete, a decision with the same alternatives as the
// decision in the previous step only refers to the first of these steps.
func (b *remarkBuilder) addDecisions() {
	var previous []string // the alternatives of the previous decision
	previousStep := -2    // so that step 0 does not follow it
	firstStep := 0        // the first step with these alternatives
	for i := range b.explanation.Decisions {
		d := &b.explanation.Decisions[i]
		step := int(d.Step)
		r := b.at(step)
		lines := b.alternatives(d)
		r.deciders = decidersOf(d, b.lanes)
		title := decisionTitle(b.explanation, d, r.deciders)
		isRepeated := step == previousStep+1 && slices.Equal(lines, previous)
		if isRepeated && !b.isFull {
			r.decision = []string{fmt.Sprintf("%s, as in step %d", title, firstStep+1)}
		} else {
			r.decision = append([]string{title}, lines...)
			firstStep = step
		}
		previous = lines
		previousStep = step
	}
}

// addProgress adds what is done or pending after steps where that changes.
func (b *remarkBuilder) addProgress() {
	c := b.explanation.Counterexample
	add := func(step int, text string) {
		r := b.at(step)
		r.achieved = append(r.achieved, text)
	}
	done := 0
	pending := phraseOf(c.Pending)
	for i := range c.Steps {
		s := &c.Steps[i]
		if s.Progress > done {
			add(i, fmt.Sprintf("%d of %d done", s.Progress, len(b.explanation.Property.Steps)))
		}
		done = s.Progress
		after := phraseOf(s.Pending)
		if after != pending {
			add(i, printable.Cut(after, LabelLength))
			pending = after
		}
	}
}

// addLateProgress adds the progress that is made in later rounds of the loop.
func (b *remarkBuilder) addLateProgress() {
	for i, l := range b.explanation.Counterexample.Late {
		if i < maxListed || b.isFull {
			r := b.at(int(l.Step))
			r.achieved = append(r.achieved, fmt.Sprintf("in round %d: %d of %d done",
				l.Round, l.Progress, len(b.explanation.Property.Steps)))
		}
	}
}

// phraseOf returns in words what is pending; "" for inevitability.
func phraseOf(p *explain.Pending) string {
	switch {
	case p == nil:
		return ""
	case p.Words == nil:
		return "nothing pending"
	}
	return p.Words.String()
}

// maxAlternatives is the largest number of labels that are listed for a decision.
const maxAlternatives = 3

// alternatives lists the recommended choices; if there are none, it only counts those that would have lost
// the property. If lists are complete, it lists all choices that would have made the property certain or
// kept it possible, and counts the others.
func (b *remarkBuilder) alternatives(d *explain.Decision) []string {
	best := d.Recommended()
	if len(best) > 0 && !b.isFull {
		return []string{b.effectOf(d, best)}
	}
	var lines []string
	for _, class := range []fate.Class{fate.Correct, fate.Neutral} {
		for _, stop := range []bool{false, true} {
			choices := alternativesThat(d, class, stop)
			if len(choices) > 0 {
				lines = append(lines, b.effectOf(d, choices))
			}
		}
	}
	losing := 0
	for _, c := range d.Alternatives {
		if c.After == fate.Incorrect {
			losing++
		}
	}
	if losing > 0 {
		lines = append(lines,
			fmt.Sprintf("%s %s would have lost it", LostSign,
				printable.Quantity(losing, "other choice")))
	}
	return lines
}

// effectOf returns the line about some alternatives of a decision with the same effect. A label that also
// leads elsewhere is followed by the states to which these alternatives lead.
func (b *remarkBuilder) effectOf(d *explain.Decision, choices []explain.Choice) string {
	labels := labelsOf(choices)
	class := choices[0].After
	shown := make([]string, len(labels))
	for i, label := range labels {
		shown[i] = printable.Cut(label, LabelLength)
		if leadsElsewhere(d, label, choices[0]) {
			shown[i] += " to " + b.targetsOf(label, choices)
		}
	}
	more := len(shown) - maxAlternatives
	if more > 0 && !b.isFull {
		shown = append(shown[:maxAlternatives], fmt.Sprintf("… %d more", more))
	}
	sign := "?"
	effect := " would have kept the property possible"
	if class == fate.Correct {
		sign = CertainSign
		effect = " would have made the property certain"
	}
	if choices[0].Stops {
		effect += " (the run then stops)"
	}
	return sign + " " + strings.Join(shown, ", ") + effect
}

// leadsElsewhere reports whether the step of the run or an alternative with another effect than one of the
// alternatives has this label, too.
func leadsElsewhere(d *explain.Decision, label string, one explain.Choice) bool {
	return d.Chosen.Label == label || slices.ContainsFunc(d.Alternatives, func(c explain.Choice) bool {
		return c.Label == label && (c.After != one.After || c.Stops != one.Stops)
	})
}

// targetsOf names the states to which the choices with this label lead.
func (b *remarkBuilder) targetsOf(label string, choices []explain.Choice) string {
	var names []string
	for _, c := range choices {
		name := b.explanation.Name(c.To)
		if c.Label == label && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	noun := "state "
	if len(names) > 1 {
		noun = "states "
	}
	return noun + printable.List(names, "or")
}
