package view

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/lts/multiaction"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// Lanes map the label of a step to the participant (lane) that takes the step, and to the lane that
// receives a message from it, if there is one. A model has no such information. The lanes come from a
// regular expression with captures, or from a table. Lanes are immutable.
type Lanes struct {
	pattern *regexp.Regexp // nil if there is a table
	number  string         // what a lane is whose name is a number, such as "argument"; "" if that is unknown
	source  string         // the file or pattern that gives the lanes, for notes
	routes  []laneLine
	labels  map[string]int            // lines of the table, by whole labels
	gates   map[string]int            // lines of the table, by gates
	network *lts.Alphabet             // the alphabet of a network, whose labels say who moves; nil for others
	process func(label string) string // returns who acts, or "" if that is unknown; nil if the lanes are no processes
}

// ProcessLanes returns the lanes of the processes that take the steps with these labels; nil if there
// are fewer than two. processOf returns the process of a label, or "" if the label shows none; a name
// in quotes is drawn without them. Cost O(labels), and that of processOf.
func ProcessLanes(labels []string, processOf func(label string) string) *Lanes {
	unquoted := func(label string) string {
		return strings.Trim(processOf(label), `"`)
	}
	known := map[string]bool{}
	for _, label := range labels {
		known[unquoted(label)] = true
	}
	delete(known, "")
	if len(known) < 2 {
		return nil
	}
	return &Lanes{process: unquoted, source: "the processes"}
}

// NetworkLanes returns the lanes of a network, which are its components; false if the labels do not say
// who moves. Cost O(1).
func NetworkLanes(a *lts.Alphabet) (*Lanes, bool) {
	if a.Components() == nil {
		return nil, false
	}
	return &Lanes{source: "the network", network: a}, true
}

// IsNetwork reports whether the lanes are the components of a network. Cost O(1).
func (l *Lanes) IsNetwork() bool { return l.network != nil }

func (l *Lanes) namesOf(components []uint32) (names []string) {
	for _, c := range components {
		names = append(names, l.network.Components()[c])
	}
	return names
}

// routeOf returns the route of a step of these components: from the first to the last.
func routeOf(names []string) (Route, bool) {
	if len(names) == 0 {
		return Route{}, false
	}
	return Route{From: names[0], To: names[len(names)-1]}, true
}

// OfStep returns the route of a transition, as [Lanes.Of] does; the alphabet of its label may say who
// moves. Cost as for Of.
func (l *Lanes) OfStep(a *lts.Alphabet, label lts.Label, text string) (Route, bool) {
	if l.network != nil {
		return routeOf(l.namesOf(a.Movers(label)))
	}
	return l.Of(text)
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
	To   string // the same as From if the step has one lane
	// Receipt is the label (or gate) of the step by which To receives the message of From; "" if a
	// single step sends and receives it.
	Receipt string
}

// ParseLanes reads a regular expression between slashes (Go RE2). It has one capture, which is the lane
// that acts, or two, which are the sender and the receiver of a message. If the second capture matches
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
	n := pattern.NumSubexp()
	switch {
	case n == 0:
		return nil, fmt.Errorf("%s has no capture; put the part of labels that names the actor in parentheses, as in /^(CLIENT|SERVER)/", text)
	case n > 2:
		return nil, fmt.Errorf("%s has %d captures; one is the lane that acts, two are from and to; write (?:…) for the others", text, n)
	}
	return &Lanes{pattern: pattern, source: text}, nil
}

// IsLanesPattern reports whether a text is a pattern for [ParseLanes], in slashes, rather than the name
// of a file. Cost O(1).
func IsLanesPattern(text string) bool {
	return len(text) > 1 && strings.HasPrefix(text, "/") && strings.HasSuffix(text, "/")
}

// Of returns the route of the steps with a label; false if no line matches. A line for the whole
// label precedes one for its gate. Cost O(len(label)).
func (l *Lanes) Of(label string) (Route, bool) {
	if l.network != nil {
		return routeOf(l.namesOf(l.network.MoversOf(label)))
	}
	if l.process != nil {
		name := l.process(label)
		return Route{From: name, To: name}, name != ""
	}
	if l.pattern == nil {
		line, isListed := l.labels[label]
		gate, hasGate := actl.GateOf(label)
		if !isListed && hasGate {
			line, isListed = l.gates[gate]
		}
		if !isListed {
			return Route{}, false
		}
		return l.routes[line].Route, true
	}
	match := l.pattern.FindStringSubmatch(label)
	if match == nil {
		return l.ofParts(label)
	}
	r := Route{From: l.named(match[1]), To: l.named(match[len(match)-1])}
	if r.From == "" {
		r.From = r.To
	}
	if r.To == "" {
		r.To = r.From
	}
	return r, r.From != ""
}

// named returns the name of a lane for the part of a label that names it.
func (l *Lanes) named(part string) string { return nameOfLane(l.number, part) }

// nameOfLane returns the name of a lane. A number alone would read like a count: "1 or 2 decide".
func nameOfLane(number, part string) string {
	if number == "" || strings.Trim(part, "0123456789") != "" {
		return part
	}
	return number + " " + part
}

// ofParts returns the route of a multi-action of mCRL2: that of its parts if all have the same route.
func (l *Lanes) ofParts(label string) (common Route, found bool) {
	for i, part := range multiaction.Parts(label) {
		r, isListed := l.Of(part)
		if !isListed || i > 0 && r != common {
			return Route{}, false
		}
		common = r
		found = true
	}
	return common, found
}

// Owner returns the lane that owns the steps with a label, since it could refuse them: the lane that
// acts or, if the label is the receipt of a message, the receiver. If several rows of the table match,
// the first one counts. Owner returns false if no row matches, or if the pattern does not. Cost
// O(len(label) + rows).
func (l *Lanes) Owner(label string) (string, bool) {
	if r, isListed := l.Of(label); isListed {
		return r.From, true
	}
	gate, hasGate := actl.GateOf(label)
	for _, line := range l.routes {
		receives := line.Receipt == label || hasGate && line.Receipt == gate
		if line.Receipt != "" && receives {
			return line.To, true
		}
	}
	return "", false
}

// Owners returns the owners of these labels, each once, in the order of the table or, for a pattern, in
// the order of the labels. Cost O(labels · lines).
func (l *Lanes) Owners(labels []string) []string {
	var names []string
	for _, label := range labels {
		if name, is := l.Owner(label); is && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if l.pattern == nil && l.process == nil {
		places := l.order()
		slices.SortStableFunc(names, func(a, b string) int {
			return places[a] - places[b]
		})
	}
	return names
}

// Components returns the lanes that take part in a step with a label, each once. These are both lanes
// of a message if a single step sends and receives it; otherwise the sender takes part in the sending,
// and the receiver in the receipt. It returns none if no line matches. Cost O(len(label) + lines).
func (l *Lanes) Components(label string) []string {
	if l.network != nil {
		return l.namesOf(l.network.MoversOf(label))
	}
	r, isListed := l.Of(label)
	switch {
	case !isListed:
		receiver, isReceipt := l.Owner(label)
		if isReceipt {
			return []string{receiver}
		}
		return nil
	case r.Receipt != "" || r.To == r.From:
		return []string{r.From}
	}
	return []string{r.From, r.To}
}

// Unmatched returns a sentence about the lines of a table whose names are neither labels nor gates of
// an alphabet; "" if there are none. Cost O(labels and lines).
func (l *Lanes) Unmatched(labels []string) string {
	isUsed := make([]bool, len(l.routes))
	isName := map[string]bool{} // of a label or a gate
	for _, label := range labels {
		isName[label] = true
		if line, isListed := l.labels[label]; isListed {
			isUsed[line] = true
		}
		gate, hasGate := actl.GateOf(label)
		if !hasGate {
			continue
		}
		isName[gate] = true
		if line, isListed := l.gates[gate]; isListed {
			isUsed[line] = true
		}
	}
	var unused []laneLine
	for i, line := range l.routes {
		hasWrongReceipt := line.Receipt != "" && !isName[line.Receipt]
		switch {
		case !isUsed[i]:
			unused = append(unused, line)
		case hasWrongReceipt:
			return fmt.Sprintf("%s:%d: %q, which this line gives as the receipt of its message, is no label or gate of the model", l.source, line.number, line.Receipt)
		}
	}
	if len(unused) == 0 {
		return ""
	}
	text := fmt.Sprintf("%s:%d: no label of the model is %q", l.source, unused[0].number, unused[0].label)
	if len(unused) > 1 {
		text += fmt.Sprintf(", nor any of %s of this file", printable.Quantity(len(unused)-1, "further line"))
	}
	return text
}

// order maps the lanes of a table to their positions, in the order of their first lines.
func (l *Lanes) order() map[string]int {
	places := map[string]int{}
	if l.network != nil {
		for i, name := range l.network.Components() {
			places[name] = i
		}
	}
	for _, line := range l.routes {
		for _, name := range []string{line.From, line.To} {
			if _, known := places[name]; !known {
				places[name] = len(places)
			}
		}
	}
	return places
}

// ReadLanes reads a table of lanes. A line has up to four cells, separated by tabs: a label of the
// model (or a gate, for all its labels); the lane that acts; for a message, the lane that receives it;
// and, if a separate step receives it, the label (or gate) of this step. Lines that begin with # are
// comments. A backslash, tab, line feed and carriage return are written \\, \t, \n and \r, as [inev
// labels] writes them. The name of the file is used in errors.
//
// Errors begin with the name and the number of a line. Cost O(length of the text).
func ReadLanes(ctx context.Context, r io.Reader, name string) (*Lanes, error) {
	l := &Lanes{source: name, labels: map[string]int{}, gates: map[string]int{}}
	at, err := inputfile.EachLine(ctx, r, longestLaneLine, func(number int, line []byte) error {
		text := string(line)
		if strings.TrimSpace(text) == "" || strings.HasPrefix(text, "#") {
			return nil
		}
		if err := l.readLine(number, text); err != nil {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
		return nil
	})
	switch {
	case errors.Is(err, inputfile.ErrLongLine):
		return nil, fmt.Errorf("%s: line %d is longer than %d bytes: this does not look like a table of lanes", name, at, longestLaneLine)
	case err != nil && ctx.Err() == nil && !strings.HasPrefix(err.Error(), name+":"):
		return nil, fmt.Errorf("%s: %w", name, err)
	case err != nil:
		return nil, err
	case len(l.routes) == 0:
		return nil, fmt.Errorf("%s: there is no lane in this file; a line is LABEL, a tab, FROM, a tab, TO", name)
	}
	for _, line := range l.routes {
		if line.Receipt == "" {
			continue
		}
		if to, _ := l.Of(line.Receipt); to.Receipt != "" {
			return nil, fmt.Errorf("%s:%d: %q receives a message, and by another line sends one; leave the receipt out of one of them", name, line.number, line.Receipt)
		}
	}
	return l, nil
}

// readLine reads a line of the table.
func (l *Lanes) readLine(number int, text string) error {
	cells := strings.Split(text, "\t")
	if len(cells) < 2 || len(cells) > 4 {
		return fmt.Errorf("found %s; a line is LABEL, a tab, FROM, and for a message TO after another tab, and after one more the label by which TO receives it", printable.Quantity(len(cells), "cell"))
	}
	for i, cell := range cells {
		cells[i] = printable.FromCell(cell)
		if i > 0 {
			cells[i] = strings.TrimSpace(cells[i])
		}
	}
	line := laneLine{
		number: number,
		label:  cells[0],
		Route:  Route{From: cells[1], To: cells[1]},
	}
	if len(cells) > 2 && cells[2] != "" {
		line.To = cells[2]
	}
	if len(cells) > 3 {
		line.Receipt = cells[3]
	}
	before, known := l.labels[line.label]
	switch {
	case known:
		return fmt.Errorf("%q stands in line %d already", line.label, l.routes[before].number)
	case line.From == "":
		return fmt.Errorf("the lane of %q is empty", line.label)
	case line.Receipt == line.label:
		return fmt.Errorf("%q cannot be its own receipt; leave the receipt out where both lanes do the step together", line.label)
	case line.Receipt != "" && line.To == line.From:
		return fmt.Errorf("%q has the receipt %q, but goes to no other lane", line.label,
			line.Receipt)
	}
	l.labels[line.label] = len(l.routes)
	if gate, has := actl.GateOf(line.label); has && gate == line.label {
		l.gates[gate] = len(l.routes)
	}
	l.routes = append(l.routes, line)
	return nil
}

// longestLaneLine is the largest length of a line of a table of lanes.
const longestLaneLine = 1 << 20

// convention is a common form of labels. The capture of the pattern is the part that names the lane that acts;
// number is what this part is if it is a number.
type convention struct {
	pattern *regexp.Regexp
	number  string
}

// conventions are the common forms of labels. None matches multi-actions of mCRL2, since their parts can have
// different actors.
var conventions = sync.OnceValue(func() []convention {
	return []convention{
		{pattern: regexp.MustCompile(`^\w+\((\d+)\b[^|]*$`), number: "argument"},
		{pattern: regexp.MustCompile(`^\w+\((?:\w+\()?(\d+)\b[^|]*$`), number: "argument"},
		{pattern: regexp.MustCompile(`^\w+ !(\d+)\b`), number: "offer"},
		{pattern: regexp.MustCompile(`^(?:c|s|r)(\d)\d*\([^|]*$`), number: "channel"},
		{pattern: regexp.MustCompile(`^([A-Za-z]+)[0-9]*[._:]\w`)},
		{pattern: regexp.MustCompile(`^\w+\(([A-Za-z]\w*)\b[^|]*$`)},
		{pattern: regexp.MustCompile(`^\w+ !([A-Za-z]\w*)\b`)},
	}
})

// pairEndings are common pairs of endings: one for the label that sends a message, and one for the label that
// receives it.
var pairEndings = [][2]string{
	{"_EM", "_REC"},
	{"_SEND", "_RECV"},
	{"_SEND", "_RECEIVE"},
	{"_snd", "_rcv"},
}

// GuessLanes returns lanes that it finds in the labels of a model by a common convention, and the
// regular expression of the convention between slashes; nil if no convention fits. A label need not
// mean what its form suggests: a chart may show such lanes, but nothing must be concluded from them.
// Cost O(length of the labels).
func GuessLanes(labels []string) (lanes *Lanes, pattern string) {
	found, _ := conventionOf(labels)
	if found == nil {
		return nil, ""
	}
	pattern = "/" + found.pattern.String() + "/"
	return &Lanes{pattern: found.pattern, number: found.number, source: pattern}, pattern
}

// maxOffered is the largest number of lanes that a convention may give.
const maxOffered = 12

// maxUnshared is the largest number of lanes that a convention may give if they have fewer than two labels each.
const maxUnshared = 4

// OfferLanes proposes lanes for the labels of a model by common conventions, as a sentence ("" if no
// convention fits) and as a table for [ReadLanes]. In the table, pairs of labels such as REQ_EM and
// REQ_REC are one message; for other labels, the lane is the part that by convention names a process. A
// label need not mean what its form suggests. Cost O(length of the labels).
func OfferLanes(labels []string) (sentence, table string) {
	pairs := pairsOf(labels)
	arePairsRare := 4*len(pairs) < len(labels)
	if len(pairs) > 0 && !arePairsRare {
		sends := printable.Cut(pairs[0][0], LabelLength)
		receives := printable.Cut(pairs[0][1], LabelLength)
		sentence = fmt.Sprintf("labels come in pairs such as %s and %s: a table makes one message of a pair by the line %s, FROM, TO, %s",
			sends, receives, sends, receives)
		return sentence, tableOfPairs(labels, pairs)
	}
	found, lanes := conventionOf(labels)
	if found == nil {
		return "", ""
	}
	sentence = fmt.Sprintf("'/%s/' would make %d lanes of these labels", found.pattern, lanes)
	return sentence, tableByConvention(labels, found)
}

// proposedTable is the beginning of a proposed table of lanes.
const proposedTable = "# A guess by how the labels are written, not by what they mean: read it, correct it,\n" +
	"# and hand it back as the lanes. A line is LABEL, FROM and, of a message, TO and the\n" +
	"# label that receives it, with tabs between.\n"

// tableOfPairs returns a table of lanes in which each pair of labels is a message. It proposes no lane for
// labels without a pair.
func tableOfPairs(labels []string, pairs [][2]string) string {
	receipt := map[string]string{}
	for _, pair := range pairs {
		receipt[pair[0]] = pair[1]
	}
	isReceipt := map[string]bool{}
	for _, label := range receipt {
		isReceipt[label] = true
	}
	var table strings.Builder
	table.WriteString(proposedTable)
	for _, label := range labels {
		receivedBy, isSent := receipt[label]
		switch {
		case isSent:
			table.WriteString(laneRow(label, "sender", "receiver", receivedBy))
		case !isReceipt[label]:
			table.WriteString(rowWithoutLane(label))
		}
	}
	return table.String()
}

// tableByConvention returns a table of lanes in which a convention finds the lane in each label. It
// proposes no lane for labels that do not follow the convention.
func tableByConvention(labels []string, c *convention) string {
	var table strings.Builder
	table.WriteString(proposedTable)
	for _, label := range labels {
		match := c.pattern.FindStringSubmatch(label)
		if match != nil {
			table.WriteString(laneRow(label, nameOfLane(c.number, match[1])))
		} else {
			table.WriteString(rowWithoutLane(label))
		}
	}
	return table.String()
}

// laneRow returns a line of a table of lanes.
func laneRow(cells ...string) string {
	for i, cell := range cells {
		cells[i] = printable.Cell(cell)
	}
	return strings.Join(cells, "\t") + "\n"
}

// rowWithoutLane returns a comment for a table of lanes. The user can make a row of it.
func rowWithoutLane(label string) string { return "# " + laneRow(label, "?") }

// conventionOf returns the first convention that most labels follow and that gives between two and
// maxOffered lanes, with the number of these lanes; nil if there is none. Truth values are no lanes, and
// neither are data that differ in almost each label, or the beginnings of names in which only some labels
// have an underscore.
func conventionOf(labels []string) (*convention, int) {
	for _, c := range conventions() {
		lanes := map[string]bool{}
		matched := 0
		isUnderscored := false // whether an underscore ends the lane in a label
		for _, label := range labels {
			match := c.pattern.FindStringSubmatch(label)
			if match != nil {
				lanes[match[1]] = true
				matched++
				isUnderscored = isUnderscored || label[len(match[0])-2] == '_'
			}
		}
		isData := lanes["true"] || lanes["false"] || lanes["TRUE"] || lanes["FALSE"]
		isFollowed := 2*matched > len(labels)
		if isUnderscored {
			isFollowed = 10*matched > 9*len(labels)
		}
		isFew := len(lanes) > 1 && len(lanes) <= maxOffered
		areShared := len(lanes) <= maxUnshared || 2*len(lanes) <= matched
		if isFollowed && isFew && areShared && !isData {
			return &c, len(lanes)
		}
	}
	return nil, 0
}

// pairsOf returns the labels that, by their endings, send a message, each with the label that receives
// the message.
func pairsOf(labels []string) (found [][2]string) {
	exists := make(map[string]bool, len(labels))
	for _, label := range labels {
		exists[label] = true
	}
	for _, label := range labels {
		for _, endings := range pairEndings {
			name, sent := strings.CutSuffix(label, endings[0])
			if sent && name != "" && exists[name+endings[1]] {
				found = append(found, [2]string{label, name + endings[1]})
			}
		}
	}
	return found
}
