package view

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/simplify/steprows"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// Graph is the content of a picture, as plain data. Texts are the model's own.
type Graph struct {
	Caption Caption
	Whole   bool
	// Classified reports whether classes are known; if not, all are Neutral.
	Classified bool
	Initial    lts.State
	Nodes      []Node
	Arrows     []Arrow
	Gaps       []Gap
	Stubs      []Stub
	Ahead      []Ahead
	Shown      Size
	Reachable  Size
	States     int // of the model, reachable or not
	// Union is nil unless several counterexamples are shown. OnUnion is the number of their transitions
	// that are shown.
	Union   *Union
	OnUnion int
	// OfNeighbourhoods reports whether the graph is a view of neighbourhoods; Neighbourhoods is
	// their number in the model.
	OfNeighbourhoods bool
	Neighbourhoods   int
	// QuotientOf is the size of the model whose quotient the graph shows; zero if the graph shows no
	// quotient.
	QuotientOf Size
	Folded     int // the number of states inside rows that are drawn as one arrow
	// AllLabels reports whether arrows have all their labels next to them, however many lines they take.
	AllLabels bool
	// Notes are sentences about what the graph omits for lack of room, and about what it shows
	// differently than requested.
	Notes []string
}

// Size counts states and transitions.
type Size struct{ States, Transitions int }

// Caption is the text above a picture. Empty fields are left out.
type Caption struct {
	Model, Formula, Verdict string
	// Diagnosis is the reason why the property fails; "" if the property holds. See [Graph.Diagnosed].
	Diagnosis string
	// Assumed are the assumptions, as the user wrote them.
	Assumed  string
	Unfolded bool
	// History says what the number after · in the name of an unfolded state is: progress, or property
	// state.
	History string
	// Slowest reports that the run is the slowest run of a property that holds, and
	// no counterexample.
	Slowest bool
	// Near reports that the search for the nearest correct run reached its limit, so that another run
	// may be nearer.
	Near bool
}

// Run names the run that is drawn.
func (c *Caption) Run() string {
	if c.Slowest {
		return "the slowest run"
	}
	return "the counterexample"
}

// Node is a shown state, or an end in a view of neighbourhoods.
type Node struct {
	State    lts.State // a number greater than all states if the node is an end
	Name     string    // the name that is shown
	Text     []string  // the text below the name: about a state of an automaton, or the values of the state
	Initial  bool
	Before   bool // whether this is the artificial state before several initial states
	Deadlock bool
	OnRun    bool
	Kind     neighbourhood.Kind // 0 if the node is no neighbourhood
	Turn     Turn               // NoTurn unless the counterexample makes a decision there
	End      End                // NoEnd for a state
	Hidden   int                // the number of neighbourhoods that the end Elsewhere represents
	Merged   int                // the number of states that the node of a quotient represents, otherwise 0
	*Members                    // what is true of only some of these states; nil if the node represents one state
}

// Members describes the states that a node of a quotient represents.
type Members struct {
	Deadlocks      int      // the number of deadlocks
	Neighbourhoods int      // the number of neighbourhoods
	Turns          []string // the names of the states where the run makes the decisions of the node's turn
	// Inside are the steps of the run from one of these states to another, which no arrow shows. They
	// are ranges of numbers from 1, ascending.
	Inside [][2]int
}

// End is the outcome of a path after which nothing more is decided or shown.
type End int

// The ends.
const (
	NoEnd     End = iota
	Satisfied     // the property is satisfied whatever happens
	Violated      // the property is violated whatever happens
	Stuck         // a deadlock to which only neutral transitions lead
	Endless       // an infinite run without another decision
	Elsewhere     // continuations to decisions that are not shown
)

// String returns the name of an end: satisfied, violated, deadlock, endless or elsewhere.
func (e End) String() string {
	return [...]string{"", "satisfied", "violated", "deadlock", "endless", "elsewhere"}[min(e, Elsewhere)]
}

// Bounds on the number of different labels of an arrow. The bound for better choices is larger, so that
// hardly any is left out.
const (
	maxLabels       = 5
	maxBetterLabels = 40
)

// Arrow represents the shown transitions of one class between two states. A numbered step of a
// counterexample has an arrow of its own.
type Arrow struct {
	From, To lts.State
	Class    fate.Class
	// Meaning is the effect of the arrow on the counterexample or, if that is unknown, the class for
	// all runs.
	Meaning fate.Class
	// Better reports that the choice is better than the step of the counterexample.
	Better bool
	// Never is the condition under which the transition must not be taken if the property is to
	// hold; "" if it may always be taken. Branch reports whether the nearest correct run takes the
	// transition, and the counterexample does not.
	Never  string
	Branch bool
	// Side is the version that takes the arrow, in a picture of two versions, where the other one does not, and
	// SideText says so; "" if both take it.
	Side     compare.Side
	SideText string
	Labels   []Label // at least one, and as many as there is room for
	More     int     // the number of transitions with other labels
	Folded   int     // the number of consecutive transitions that the arrow represents; 0 if it is one
	OnRun    bool    // whether a counterexample takes the arrow; then Mark says how
	Mark
}

// Label is the text of a label, and the number of transitions with this label. A model can have the
// same transition several times.
type Label struct {
	Text  string
	Times int
}

// Stub represents the hidden transitions of a shown state.
type Stub struct {
	State lts.State
	Count int
	What  Rest
}

// Rest is the class of the transitions of a stub.
type Rest uint8

// The rests.
const (
	Anything Rest = iota
	NoBetter      // transitions that are no better than the choice of the counterexample
	Certain       // better choices, which make the property certain
	Possible      // better choices, which keep the property possible
	numRests      // the number of rests
)

// graph returns the selected part of the model with all texts of the picture.
func (s *selection) graph() *Graph {
	g := &Graph{
		Whole:      s.whole,
		Classified: s.classes != nil,
		Initial:    s.m.Initial(),
		Gaps:       s.gaps,
		Reachable:  sizeOf(s.m),
		States:     s.m.NumStates() - s.m.Before(),
		AllLabels:  s.bounds.isFull,
	}
	gapStarts := map[lts.Transition]bool{} // the first transitions of gaps: the gaps represent them
	for _, gap := range s.gaps {
		gapStarts[s.run.trace.Step(gap.First-1)] = true
	}
	for _, state := range s.order {
		n := s.node(state)
		g.Nodes = append(g.Nodes, n)
		arrows, shown, hidden := s.arrows(state, gapStarts)
		g.Arrows = append(g.Arrows, arrows...)
		if !n.Before {
			g.Shown.States++
			g.Shown.Transitions += shown
		}
		g.Stubs = append(g.Stubs, s.stubs(state, hidden)...)
	}
	if s.run != nil && s.run.union != nil {
		g.Union = &s.run.union.Union
		for t := range s.run.union.transitions {
			if s.shows(t) {
				g.OnUnion++
			}
		}
	}
	return g
}

// stubs returns the stubs for the hidden transitions of a state. Transitions that matter for the
// counterexample have stubs of their own.
func (s *selection) stubs(state lts.State, hidden []lts.Transition) []Stub {
	var counts [numRests]int
	for _, t := range hidden {
		after, judged := s.after[t]
		switch {
		case !judged || s.run.union != nil:
			counts[Anything]++
		case !s.better[t]:
			counts[NoBetter]++
		case after == fate.Correct:
			counts[Certain]++
		default:
			counts[Possible]++
		}
	}
	var stubs []Stub
	for rest, count := range counts {
		if count > 0 {
			stubs = append(stubs, Stub{
				State: state,
				Count: count,
				What:  Rest(rest),
			})
		}
	}
	return stubs
}

// arrows returns the arrows that leave a state, in the order of their first transitions. It also
// returns the number of transitions that the arrows show, and the transitions that neither an arrow nor a
// gap shows.
func (s *selection) arrows(
	from lts.State,
	gapStarts map[lts.Transition]bool,
) (_ []Arrow, shown int, hidden []lts.Transition) {
	var arrows intern.List[bundle, Arrow]
	for _, t := range s.out(from) {
		if !s.shows(t) {
			if !gapStarts[t] {
				hidden = append(hidden, t)
			}
			continue
		}
		shown++
		key, mark := s.bundleOf(t)
		i := arrows.Index(key, Arrow{
			From:    from,
			To:      key.to,
			Class:   key.class,
			Meaning: key.meaning,
			Better:  key.better,
			Never:   key.never,
			Branch:  key.branch,
			OnRun:   key.onRun,
			Mark:    mark,
		})
		for _, text := range s.labels(t) {
			arrows.All[i].addLabel(text, s.bounds.isFull || s.pending[text])
		}
	}
	return arrows.All, shown, hidden
}

// bundle is the key of the arrows that leave a state. Transitions with equal keys share an arrow.
type bundle struct {
	to             lts.State
	class, meaning fate.Class
	better         bool
	onRun          bool
	loop           bool
	never          string
	branch         bool
	step           lts.Transition // zero for transitions without step numbers
}

// bundleOf returns the key of the arrow that shows a transition, and the mark of the transition.
func (s *selection) bundleOf(t lts.Transition) (key bundle, mark Mark) {
	class := s.class(t)
	key = bundle{
		to:      t.To,
		class:   class,
		meaning: class,
		never:   s.never[t],
		branch:  s.branch[t],
	}
	if s.run == nil {
		return key, mark
	}
	mark, key.onRun = s.run.mark(t)
	key.loop = mark.Loop
	if s.run.union == nil {
		// In a union, a choice can have different effects on different counterexamples.
		key.meaning = s.meaning(t)
		key.better = s.better[t]
	}
	if len(mark.Steps) > 0 {
		key.step = t
	}
	return key, mark
}

// addLabel adds a transition with this label to the arrow. If the arrow has no room for another label, it
// only counts the transition, unless isNeeded is set.
func (a *Arrow) addLabel(text string, isNeeded bool) {
	for i := range a.Labels {
		if a.Labels[i].Text == text {
			a.Labels[i].Times++
			return
		}
	}
	most := maxLabels
	if a.Better {
		most = maxBetterLabels
	}
	if len(a.Labels) >= most && !isNeeded {
		a.More++
		return
	}
	a.Labels = append(a.Labels, Label{text, 1})
}

// Steps returns the number of transitions of the counterexample that arrows show.
func (g *Graph) Steps() int {
	n := 0
	for _, a := range g.Arrows {
		if a.OnRun {
			n += max(1, a.Folded)
		}
	}
	return n
}

// captionOf returns the caption of a picture of an explanation.
func captionOf(e *explain.Explanation, o Options) Caption {
	c := Caption{
		Model:    e.Model.File,
		Formula:  e.Property.AsWritten(),
		Verdict:  e.Verdict.String(),
		Unfolded: e.IsUnfolded(),
		History:  "progress",
	}
	if len(e.Property.Steps) == 0 {
		c.History = "state of the property"
	}
	if e.Fairness != nil {
		var asked []string
		for _, a := range e.Fairness.Asked {
			asked = append(asked, a.String())
		}
		c.Assumed = strings.Join(asked, "; ")
	}
	t := e.Counterexample
	switch {
	case t == nil && e.SlowestRun() != nil:
		c.Slowest = true
		c.Verdict += ": the slowest run has " +
			printable.Quantity(e.SlowestRun().Length, "transition")
	case t == nil:
	case o.All != nil:
		c.Verdict += ": " + howMany(o.AllCount) + " of " +
			printable.Quantity(o.All.Len(), "transition")
	default:
		c.Verdict += ": a run of " + printable.Quantity(t.Length, "transition")
		if t.IsStem() {
			c.Verdict += " loses the property"
		} else if len(t.Refused) > 0 {
			c.Verdict += " stops where all may be blocked"
		} else if t.LoopStart < 0 {
			c.Verdict += " ends in a deadlock"
		} else {
			c.Verdict += " goes round a loop forever"
		}
	}
	return c
}

// howMany says in words how many shortest counterexamples there are. n is nil if their number is
// unknown.
func howMany(n *big.Int) string {
	switch {
	case n == nil:
		return "all shortest counterexamples"
	case n.IsInt64() && n.Int64() == 1:
		return "1 shortest counterexample"
	}
	return grouped(n) + " shortest counterexamples"
}

// maxDigits is the largest number of digits of a number that is written in full.
const maxDigits = 20

// grouped writes a number with commas between the thousands. A number with more than maxDigits digits
// is written as a power of ten.
func grouped(n *big.Int) string {
	digits := n.String()
	if len(digits) > maxDigits {
		return "about " + new(big.Float).SetInt(n).Text('e', 2)
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Signs next to the labels of an arrow. The first two show its effect on the counterexample or, if that
// is unknown, on all runs; the third marks a loop.
const (
	CertainSign = "✓"
	LostSign    = "✗"
	LoopSign    = "↻"
)

// Sign returns the sign of an effect; "" if the effect is open or unknown.
func (g *Graph) Sign(meaning fate.Class) string {
	switch {
	case !g.Classified:
	case meaning == fate.Correct:
		return CertainSign
	case meaning == fate.Incorrect:
		return LostSign
	}
	return ""
}

// LabelLength is the length, in runes, to which labels are cut where there is plenty of room.
const LabelLength = 60

// Lines returns the lines next to an arrow of g: its step numbers and signs, its labels, printable and
// cut to length runes, and the number of transitions whose labels are left out. Cost O(length of the lines).
func (g *Graph) Lines(a Arrow, length int) []string {
	lines, more := g.labelLines(a, length)
	if more > 0 {
		lines = append(lines, fmt.Sprintf("… %d more", more))
	}
	if len(a.Steps) > 0 {
		lines[0] = stepNumbers(a) + ": " + lines[0]
	}
	// A step of the run has a sign only if it passes the point of no return, since all later steps are
	// lost anyway.
	sign := g.Sign(a.Meaning)
	mayHaveSign := !a.OnRun || a.NoReturn
	if sign != "" && mayHaveSign {
		lines[0] = sign + " " + lines[0]
	}
	if a.Branch {
		lines[0] = "+ " + lines[0]
	}
	if a.SideText != "" {
		lines = slices.Insert(lines, 0, a.SideText+":")
	}
	if a.NoReturn {
		line := "point of no return"
		if a.Return > 0 {
			line += fmt.Sprintf(": step %d", a.Return)
		}
		lines = append(lines, line)
	}
	if a.Never != "" {
		lines = append(lines, a.Never)
	}
	return lines
}

// maxLines is the largest number of lines of labels next to an arrow. The tooltip has further labels.
const maxLines = 8

// labelLines returns the lines with the labels of an arrow of g, and the number of its transitions that these
// lines leave out.
func (g *Graph) labelLines(a Arrow, length int) (lines []string, more int) {
	texts := make([]string, len(a.Labels))
	for i, l := range a.Labels {
		texts[i] = a.textOf(l, length)
	}
	most := maxLines
	if g.AllLabels {
		most = len(texts)
	}
	lines, packed := pack(texts, most)
	more = a.More
	for _, l := range a.Labels[packed:] {
		more += l.Times
	}
	return lines, more
}

// textOf returns one label next to an arrow, printable and cut to length runes.
func (a *Arrow) textOf(l Label, length int) string {
	text := printable.Label(l.Text, length)
	if l.Times > 1 {
		text += fmt.Sprintf(" (%d times)", l.Times)
	}
	if a.Folded > 0 {
		text += fmt.Sprintf(" ×%d", a.Folded)
	}
	if a.Loop && len(a.Steps) == 0 {
		text = LoopSign + " " + text
	}
	return text
}

// maxPacked is the largest number of characters on a line that several labels share.
const maxPacked = 60

// pack joins labels into fewer lines if there are more than maxLabels. It returns at most the given number of
// lines, and how many labels are on them.
func pack(labels []string, most int) (lines []string, packed int) {
	if len(labels) <= maxLabels {
		return labels, len(labels)
	}
	lines = labels[:1:1]
	for i, text := range labels[1:] {
		last := &lines[len(lines)-1]
		joined := *last + "  ·  " + text
		switch {
		case utf8.RuneCountInString(joined) <= maxPacked:
			*last = joined
		case len(lines) < most:
			lines = append(lines, text)
		default:
			return lines, 1 + i
		}
	}
	return lines, len(labels)
}

// maxNumbers is the largest number of step numbers, or ranges of step numbers, at an arrow.
const maxNumbers = 5

// stepNumbers lists the steps of an arrow: "2", "2, 5" or "1–6, 9".
func stepNumbers(a Arrow) string {
	var b strings.Builder
	if a.Loop {
		b.WriteString(LoopSign + " ")
	}
	for i, shown := 0, 0; i < len(a.Steps); shown++ {
		if shown > 0 {
			b.WriteString(", ")
		}
		if shown == maxNumbers {
			b.WriteString("…")
			break
		}
		last := i // the end of the range of consecutive numbers that begins at i
		for last+1 < len(a.Steps) && a.Steps[last+1] == a.Steps[last]+1 {
			last++
		}
		fmt.Fprint(&b, a.Steps[i])
		if last > i+1 {
			fmt.Fprintf(&b, "–%d", a.Steps[last])
			i = last + 1
		} else {
			i++
		}
	}
	return b.String()
}

// noteOmitted adds a sentence about the states, steps and labels that g omits, if there are any. Cost
// O(arrows).
func (g *Graph) noteOmitted() {
	var parts []string
	mention := func(isOmitted bool, format string, args ...any) {
		if isOmitted {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	state := "reachable state"
	if g.QuotientOf.States > 0 {
		state = "merged state"
	}
	mention(g.OfNeighbourhoods && g.Shown.States < g.Neighbourhoods, "shows %d of %s",
		g.Shown.States, printable.Quantity(g.Neighbourhoods, "neighbourhood"))
	mention(!g.OfNeighbourhoods && g.Shown != g.Reachable, "shows %d of %s and %d of %s",
		g.Shown.States, printable.Quantity(g.Reachable.States, state),
		g.Shown.Transitions, printable.Quantity(g.Reachable.Transitions, "transition"))
	steps, unlabelled := 0, 0
	for _, gap := range g.Gaps {
		steps += gap.Last - gap.First + 1
	}
	mention(steps > 0, "does not show %s of the counterexample one by one",
		printable.Quantity(steps, "step"))
	mention(g.Folded > 0, "folds %s into arrows that stand for several transitions in a row (×)",
		printable.Quantity(g.Folded, "state"))
	for _, a := range g.Arrows {
		_, more := g.labelLines(a, LabelLength)
		unlabelled += more
	}
	mention(unlabelled > 0, "does not name %s (“… more” on their arrows)",
		printable.Quantity(unlabelled, "transition"))
	last := len(parts) - 1
	if last > 0 {
		g.note("the picture " + strings.Join(parts[:last], ", ") + ", and " + parts[last])
	} else if last == 0 {
		g.note("the picture " + parts[0])
	}
}

// Diagnosed returns the picture with a sentence about why the property fails at the beginning of its
// caption and title.
func (g *Graph) Diagnosed(sentence string) *Graph {
	with := *g
	with.Caption.Diagnosis = sentence
	return &with
}

// Diagnosed returns the chart with a sentence about why the property fails at the beginning of its
// caption and title.
func (c *Chart) Diagnosed(sentence string) *Chart {
	with := *c
	with.Caption.Diagnosis = sentence
	return &with
}

// Diagnosed returns the tour with this sentence at the beginning of the captions of all its pictures.
// Cost O(stops).
func (t *Tour) Diagnosed(sentence string) *Tour {
	with := *t
	with.Stops = slices.Clone(t.Stops)
	for i := range with.Stops {
		stop := &with.Stops[i]
		if stop.Graph != nil {
			stop.Graph = stop.Graph.Diagnosed(sentence)
		}
		if stop.Chart != nil {
			stop.Chart = stop.Chart.Diagnosed(sentence)
		}
	}
	return &with
}

// Drawing is one of the types that package diagram draws: a [*Graph], [*Chart] or [*Argument].
type Drawing interface {
	// Drawn does nothing. It marks the types that are drawings.
	Drawn()
}

// Drawn marks a Graph as a Drawing.
func (*Graph) Drawn() {}

// Drawn marks a Chart as a Drawing.
func (*Chart) Drawn() {}

// Drawn marks an Argument as a Drawing.
func (*Argument) Drawn() {}

// Bounds on the number of values in a node, and on the characters of each value.
const (
	maxValues      = 4
	maxValueLength = 28
)

// valueLines returns a line for each name that has a value, at most maxValues lines.
func valueLines(names []string, values map[string]string) []string {
	var lines []string
	for i, name := range names {
		value, hasValue := values[name]
		if !hasValue {
			continue
		}
		remaining := len(names) - i
		if len(lines) == maxValues-1 && remaining > 1 {
			return append(lines, fmt.Sprintf("… %d more", remaining))
		}
		lines = append(lines, printable.Cut(name+" = "+value, maxValueLength))
	}
	return lines
}

// addValues adds to the nodes of the counterexample the values of their states, if they are known. The
// values that change along the run come first. Cost O(steps · parameters).
func (g *Graph) addValues(e *explain.Explanation) {
	if e.Values == nil || e.Trace() == nil {
		return
	}
	linesOf := valuesOnRun(e)
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.OnRun && n.End == NoEnd {
			n.Text = append(n.Text, linesOf[n.State]...)
		}
	}
}

// valuesOnRun returns, for each state of the counterexample, the lines of its values when the run first
// reaches it.
func valuesOnRun(e *explain.Explanation) map[lts.State][]string {
	names := valueNames(e.Values)
	changedBy := map[explain.StepIndex][]explain.StateValue{}
	for _, s := range e.Values.Steps {
		changedBy[s.Step] = s.Changed
	}
	current := map[string]string{} // the value of each name
	linesAfter := func(changed []explain.StateValue) []string {
		for _, v := range changed {
			current[v.Name] = v.Value
		}
		return valueLines(names, current)
	}
	trace := e.Trace()
	linesOf := map[lts.State][]string{e.LTS().Initial(): linesAfter(e.Values.Initial)}
	for i := range trace.Len() {
		lines := linesAfter(changedBy[explain.StepIndex(i)])
		state := trace.Step(i).To
		_, isKnown := linesOf[state]
		if !isKnown {
			linesOf[state] = lines
		}
	}
	return linesOf
}

// valueNames returns the names of the values: first those that steps change, in the order of the steps.
func valueNames(v *explain.Values) (names []string) {
	var listed []explain.StateValue
	for _, s := range v.Steps {
		listed = append(listed, s.Changed...)
	}
	listed = append(listed, v.Initial...)
	for _, value := range listed {
		if !slices.Contains(names, value.Name) {
			names = append(names, value.Name)
		}
	}
	return names
}

// Turn is the role of a decision in the counterexample, see [explain.Decision].
type Turn uint8

// The turns in ascending order. If a run decides several times in a state, the state has the largest of
// these turns.
const (
	NoTurn       Turn = iota
	CouldBeOpen       // another choice would have kept the property possible
	CouldBeSaved      // another choice would have made the property certain
	LostHere          // the run passes the point of no return
)

// String returns the text in the node of a decision; "" for no turn.
func (t Turn) String() string {
	return [...]string{"", "could stay open", "could be saved", "lost here"}[min(t, LostHere)]
}

// DecisionText returns the text about the decision in a node; "" for none. If this run decides
// nothing in a neighbourhood that it visits, the text is "decides other runs": words about the
// decisions of other runs would contradict this run. If the node represents several states and only
// some of them decide, the text names or counts these states.
func (n *Node) DecisionText() string {
	isMerged := n.Members != nil && n.Merged > 1
	switch {
	case n.Turn != NoTurn && isMerged:
		return strings.TrimSuffix(n.Turn.String(), " here") + " in " + n.turnStates()
	case n.Turn != NoTurn:
		return n.Turn.String()
	case n.Kind == 0, isMerged && n.Neighbourhoods == 0:
		return "" // no state of the node is a neighbourhood
	}
	text := "saved or lost here"
	switch {
	case n.OnRun:
		text = "decides other runs"
	case n.Kind == neighbourhood.CorrectChoice:
		text = "saved here"
	case n.Kind == neighbourhood.IncorrectChoice:
		text = "lost here"
	}
	if isMerged && n.Neighbourhoods < n.Merged {
		text += fmt.Sprintf(" in %d of %d", n.Neighbourhoods, n.Merged)
	}
	return text
}

// mostTurnStates is the largest number of states that a node names. A node with more of them counts
// them.
const mostTurnStates = 2

// turnStates names the states with the decisions of a merged node.
func (n *Node) turnStates() string {
	switch {
	case len(n.Turns) == 1:
		return "state " + n.Turns[0]
	case len(n.Turns) <= mostTurnStates:
		return "states " + printable.List(n.Turns, "and")
	}
	return printable.Quantity(len(n.Turns), "state")
}

// Size returns a text about how many states a node represents, and how many of them are deadlocks; ""
// if the node represents one state.
func (n *Node) Size() string {
	switch {
	case n.Merged < 2:
		return ""
	case n.Members == nil || n.Deadlocks == 0:
		return printable.Quantity(n.Merged, "state")
	case n.Deadlocks == n.Merged:
		return printable.Quantity(n.Merged, "deadlock")
	}
	return printable.Quantity(n.Merged, "state") + ", " +
		printable.Quantity(n.Deadlocks, "deadlock")
}

// InsideSteps returns a text about the steps of the run that stay inside a node; "" if there are
// none.
func (n *Node) InsideSteps() string {
	if n.Members == nil || len(n.Inside) == 0 {
		return ""
	}
	var ranges []string
	numSteps := 0
	for i, r := range n.Inside {
		numSteps += r[1] - r[0] + 1
		switch {
		case i == maxNumbers:
			ranges = append(ranges, "…")
		case i > maxNumbers:
		case r[0] == r[1]:
			ranges = append(ranges, fmt.Sprint(r[0]))
		default:
			ranges = append(ranges, fmt.Sprintf("%d–%d", r[0], r[1]))
		}
	}
	if numSteps == 1 {
		return "step " + ranges[0] + " stays here"
	}
	return "steps " + strings.Join(ranges, ", ") + " stay here"
}

// node returns the node of a state.
func (s *subject) node(state lts.State) Node {
	name := fmt.Sprint(state)
	if s.names != nil {
		name = s.names(state)
	}
	return Node{
		State: state, Name: name, Initial: state == s.m.Initial(), Before: s.m.IsBefore(state), Deadlock: s.m.IsDeadlock(state),
		OnRun: s.run != nil && s.run.visits(state), Kind: s.kind(state), Turn: s.turnsAt[state],
	}
}

// A row of at least minRow transitions is folded. A row of internal actions, which are least
// informative, is folded from minInternalRow transitions on.
const (
	minRow         = 6
	minInternalRow = steprows.FoldFrom
)

// fold replaces each row of consecutive arrows by a single arrow: `tau ×44`. The arrows of a row have
// one label and one meaning, and the states between them have no other arrows. No information is lost,
// and decisions stay. Cost O(N + A).
func (g *Graph) fold() {
	f := g.newFolding()
	for i := range g.Arrows {
		row := f.rowFrom(i)
		if row == nil {
			continue
		}
		first := &g.Arrows[i]
		first.Labels = []Label{{Text: first.Labels[0].Text, Times: 1}}
		first.Steps = slices.Clone(first.Steps)
		for _, next := range row[1:] {
			a := &g.Arrows[next]
			f.inside[a.From] = true
			f.gone[next] = true
			first.Steps = append(first.Steps, a.Steps...)
			first.To = a.To
		}
		first.Folded = len(row)
		g.Folded += len(row) - 1
	}
	if len(f.inside) == 0 {
		return
	}
	g.Nodes = slices.DeleteFunc(g.Nodes, func(n Node) bool {
		return f.inside[n.State]
	})
	kept := g.Arrows[:0]
	for i := range g.Arrows {
		if !f.gone[i] {
			kept = append(kept, g.Arrows[i])
		}
	}
	g.Arrows = kept
}
