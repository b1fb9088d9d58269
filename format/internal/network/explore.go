package network

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/pagedlist"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// explorer composes the components of a network.
type explorer struct {
	ctx        context.Context
	o          Options
	automata   []automaton
	moves      []searchMove
	movesLedBy [][][]uint32 // movesLedBy[c][l] has the moves whose first part is component c with its label l
	priorities []searchPriority
	alphabet   []movedLabel // the labels of the network, with who moves
	table      table

	// rows and pieces have the transitions that were found. finalLabels has the label in the model of each label
	// of alphabet, and usedLabels the labels of the model in their order.
	rows           pagedlist.List[uint32]
	pieces         []piece
	numTransitions int
	finalLabels    []lts.Label
	usedLabels     []movedLabel
}

// movedLabel is the label of transitions by the same components.
type movedLabel struct {
	label  string
	movers []uint32
}

// searchMove is a move for the search.
type searchMove struct {
	parts  []part
	label  uint32 // in explorer.alphabet
	yields []yield
	// shares reports that other moves have the same label, so that their transitions may be equal.
	shares bool
}

// searchPriority is a priority for the search.
type searchPriority struct {
	moves   []searchMove
	classes []int
	above   [][]int
}

// automaton is a component: the transitions of each state in the order of their labels.
type automaton struct {
	name  string
	model *lts.LTS
	// word, shift and mask are the place of its state in the key of a state of the network.
	word  int
	shift uint
	mask  uint64
	// groups[firstGroup[s]:firstGroup[s+1]] are the labels of state s, each with its targets.
	firstGroup []uint32
	groups     []labelGroup
	// index has, for each state and label, the index of the group plus 1; 0 if there is none. It is
	// nil if it would be too large.
	index     []uint32
	numLabels int
}

// labelGroup has the transitions of a state with one label.
type labelGroup struct {
	label   lts.Label
	targets []lts.State
}

// mostIndexEntries bounds the tables by which labels of states are found.
const mostIndexEntries = 1 << 22

// newAutomaton returns a component for the search. Equal transitions are one.
func newAutomaton(ctx context.Context, c component) (automaton, error) {
	m := c.model
	a := automaton{name: c.name, model: m, numLabels: m.Alphabet().Len()}
	if err := resources.Ask(ctx, 4*int64(m.NumStates())+36*int64(m.NumTransitions())); err != nil {
		return a, err
	}
	a.firstGroup = make([]uint32, 1, m.NumStates()+1)
	for s := range lts.State(m.NumStates()) {
		a.groups = appendGroups(a.groups, sortedRow(m, s))
		a.firstGroup = append(a.firstGroup, uint32(len(a.groups)))
		if s%4096 == 0 && ctx.Err() != nil {
			return a, ctx.Err()
		}
	}
	if m.NumStates()*a.numLabels <= mostIndexEntries {
		a.indexLabels()
	}
	return a, nil
}

// sortedRow returns the transitions of a state by label and target, without repetitions.
func sortedRow(m *lts.LTS, s lts.State) []lts.Transition {
	var row []lts.Transition
	for l, to := range m.From(s) {
		row = append(row, lts.Transition{Label: l, To: to})
	}
	slices.SortFunc(row, func(x, y lts.Transition) int {
		return cmp.Or(cmp.Compare(x.Label, y.Label), cmp.Compare(x.To, y.To))
	})
	return slices.Compact(row)
}

// appendGroups adds the groups of a sorted row, one for each label.
func appendGroups(groups []labelGroup, row []lts.Transition) []labelGroup {
	for i, t := range row {
		if i == 0 || row[i-1].Label != t.Label {
			groups = append(groups, labelGroup{label: t.Label})
		}
		last := &groups[len(groups)-1]
		last.targets = append(last.targets, t.To)
	}
	return groups
}

// indexLabels makes the table by which groups are found: for each state and label, the index of the
// group plus 1, or 0 if there is no group.
func (a *automaton) indexLabels() {
	states := a.model.NumStates()
	a.index = make([]uint32, states*a.numLabels)
	for s := range states {
		for g := a.firstGroup[s]; g < a.firstGroup[s+1]; g++ {
			a.index[s*a.numLabels+int(a.groups[g].label)] = g + 1
		}
	}
}

// targetsOf returns the targets of the transitions with a label that leave a state; nil if there
// are none.
func (a *automaton) targetsOf(s lts.State, l lts.Label) []lts.State {
	if a.index != nil {
		g := a.index[int(s)*a.numLabels+int(l)]
		if g == 0 {
			return nil
		}
		return a.groups[g-1].targets
	}
	groups := a.groups[a.firstGroup[s]:a.firstGroup[s+1]]
	i, found := slices.BinarySearchFunc(groups, l, func(g labelGroup, l lts.Label) int {
		return int(g.label) - int(l)
	})
	if !found {
		return nil
	}
	return groups[i].targets
}

// newExplorer prepares the search.
func newExplorer(
	ctx context.Context,
	components []component,
	moves []move,
	priorities []*priority,
	o Options,
) (*explorer, error) {
	x := &explorer{ctx: ctx, o: o}
	if err := x.addComponents(components); err != nil {
		return nil, err
	}
	words, width := x.pack()
	x.table = newTable(words, width)
	x.addMoves(moves)
	for _, p := range priorities {
		r := searchPriority{classes: p.classes, above: p.above}
		for i := range p.moves {
			r.moves = append(r.moves, x.searchMove(&p.moves[i]))
		}
		x.priorities = append(x.priorities, r)
	}
	x.finalLabels = slices.Repeat([]lts.Label{noLabel}, len(x.alphabet))
	return x, nil
}

// addComponents makes the automata; components with the same model share one.
func (x *explorer) addComponents(components []component) error {
	automatonOf := map[*lts.LTS]automaton{}
	for _, c := range components {
		a, known := automatonOf[c.model]
		if !known {
			var err error
			a, err = newAutomaton(x.ctx, c)
			if err != nil {
				return err
			}
			automatonOf[c.model] = a
		}
		a.name = c.name
		x.automata = append(x.automata, a)
	}
	return nil
}

// addMoves adds the moves for the search, with the numbers of their labels.
func (x *explorer) addMoves(moves []move) {
	numbers := map[string]uint32{}
	for i := range moves {
		m := x.searchMove(&moves[i])
		m.label = x.labelOf(&moves[i], numbers)
		x.moves = append(x.moves, m)
	}
	uses := make([]int, len(x.alphabet))
	for i := range x.moves {
		uses[x.moves[i].label]++
	}
	for i := range x.moves {
		x.moves[i].shares = uses[x.moves[i].label] > 1
	}
	x.indexByFirstPart()
}

// noLabel is the number of a label that no transition has yet.
const noLabel = math.MaxUint32

func (x *explorer) searchMove(m *move) searchMove {
	return searchMove{parts: m.parts, yields: m.yields}
}

// labelOf returns the number of the label of a move, which also says who moves.
func (x *explorer) labelOf(m *move, numbers map[string]uint32) uint32 {
	var key strings.Builder
	var movers []uint32
	for _, p := range m.parts {
		movers = append(movers, uint32(p.component))
		fmt.Fprintf(&key, "%d ", p.component)
	}
	key.WriteString(m.label)
	number, known := numbers[key.String()]
	if !known {
		number = uint32(len(x.alphabet))
		numbers[key.String()] = number
		x.alphabet = append(x.alphabet, movedLabel{label: m.label, movers: movers})
	}
	return number
}

// indexByFirstPart finds, for each component and label, the moves whose first part is this component with
// this label.
func (x *explorer) indexByFirstPart() {
	for _, a := range x.automata {
		x.movesLedBy = append(x.movesLedBy, make([][]uint32, a.numLabels))
	}
	for i, m := range x.moves {
		first := m.parts[0]
		x.movesLedBy[first.component][first.label] = append(x.movesLedBy[first.component][first.label],
			uint32(i))
	}
}

// pack gives each component its bits in the key of a state, and returns the numbers of words and bits of a key.
func (x *explorer) pack() (words int, numBits uint) {
	free := uint(0) // bits of the last word
	for i := range x.automata {
		a := &x.automata[i]
		width := uint(bits.Len(uint(a.model.NumStates() - 1)))
		if width > free {
			words++
			free = 64
		}
		a.word = max(words-1, 0) // components of one state need no bits, and no word
		a.shift = 64 - free
		a.mask = (1<<width - 1) << a.shift
		free -= width
		numBits += width
	}
	return max(words, 1), numBits
}

// stateOf returns the state of a component in a key.
func (a *automaton) stateOf(key []uint64) lts.State {
	return lts.State(key[a.word] & a.mask >> a.shift)
}

// set sets the state of a component in a key.
func (a *automaton) set(key []uint64, s lts.State) {
	key[a.word] = key[a.word]&^a.mask | uint64(s)<<a.shift
}

// batchStates is the number of states that each worker expands before new states are numbered. It
// is so small that the parts of the table that the workers read are then still in the caches.
const batchStates = 1 << 11

// explore finds all states and transitions.
func (x *explorer) explore() (*lts.LTS, error) {
	meter := progress.Start(x.ctx, "compose", progress.States, 0)
	initial := make([]uint64, x.table.words)
	for i := range x.automata {
		x.automata[i].set(initial, x.automata[i].model.Initial())
	}
	x.table.insert(hash(initial), initial)
	workers := x.o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	searches := make([]*search, workers)
	for i := range searches {
		searches[i] = newSearch(x)
	}
	for first := 0; first < x.table.len(); {
		end := min(x.table.len(), first+workers*batchStates)
		if err := x.expandBatch(searches, first, end); err != nil {
			return nil, err
		}
		meter.Add(int64(end - first))
		first = end
	}
	return x.buildModel()
}

// expandBatch finds the transitions of the states from first to end, on all cores, and then takes them over in the order of
// the states.
func (x *explorer) expandBatch(searches []*search, first, end int) error {
	if err := x.ctx.Err(); err != nil {
		return err
	}
	const leastPerWorker = 256
	workers := max(1, min(len(searches), (end-first)/leastPerWorker))
	perWorker := (end - first + workers - 1) / workers
	cores.Share(workers, func(worker int) {
		from := first + worker*perWorker
		searches[worker].run(from, min(end, from+perWorker))
	})
	for _, s := range searches[:workers] {
		if err := x.takeOver(s); err != nil {
			return err
		}
	}
	if x.o.Admit != nil {
		return x.o.Admit(int64(x.table.len()), int64(x.numTransitions))
	}
	return nil
}

// takeOver numbers the new states among the targets that a search has found, in their order.
func (x *explorer) takeOver(s *search) (err error) {
	p, err := x.roomFor(len(s.found))
	if err != nil {
		return err
	}
	words := x.table.words
	labels := s.labels[:0]
	first := len(p.targets)
	targets := p.targets[:first+len(s.found)]
	for i, t := range s.found {
		to := t.to
		if to == unknown {
			to, err = x.table.findOrInsert(x.ctx, s.targetHashes[i], s.targetKeys[i*words:(i+1)*words])
			if err != nil {
				return err
			}
		}
		targets[first+i] = lts.State(to)
		label := x.finalLabels[t.label]
		if label == noLabel {
			label = x.finalLabelOf(t.label)
		}
		labels = append(labels, label)
	}
	p.targets = targets
	p.labels.Put(first, labels)
	s.labels = labels
	end := uint32(x.numTransitions)
	for _, n := range s.counts {
		end += n
		x.rows.Append(end)
	}
	x.numTransitions += len(s.found)
	return nil
}

// piece has transitions that were found one after the other. Pieces are put together only at the
// end, so that transitions are not copied repeatedly while the network grows.
type piece struct {
	targets []lts.State
	labels  lts.LabelColumn
}

// pieceSize is the number of transitions for which a piece has room at least.
const pieceSize = 1 << 16

// roomFor returns a piece with room for more transitions.
func (x *explorer) roomFor(more int) (*piece, error) {
	if x.numTransitions+more > math.MaxUint32-1 {
		return nil, fmt.Errorf("the network has more than %d transitions", x.numTransitions)
	}
	if n := len(x.pieces); n > 0 {
		if last := &x.pieces[n-1]; cap(last.targets)-len(last.targets) >= more {
			return last, nil
		}
	}
	size := max(pieceSize, more)
	targets, err := resources.Make[lts.State](x.ctx, size)
	if err != nil {
		return nil, err
	}
	labels, err := lts.NewLabelColumn(x.ctx, size, len(x.alphabet))
	if err != nil {
		return nil, err
	}
	x.pieces = append(x.pieces, piece{targets: targets[:0], labels: labels})
	return &x.pieces[len(x.pieces)-1], nil
}

// joinPieces returns the transitions of all pieces, which become empty.
func (x *explorer) joinPieces() (lts.LabelColumn, []lts.State, error) {
	targets, err := resources.Make[lts.State](x.ctx, x.numTransitions)
	if err != nil {
		return lts.LabelColumn{}, nil, err
	}
	labels, err := lts.NewLabelColumn(x.ctx, x.numTransitions, len(x.alphabet))
	if err != nil {
		return lts.LabelColumn{}, nil, err
	}
	labels.Cut(0)
	targets = targets[:0]
	for i := range x.pieces {
		p := &x.pieces[i]
		p.labels.Cut(len(p.targets))
		labels.AppendAll(p.labels.Labels())
		targets = append(targets, p.targets...)
		*p = piece{}
	}
	return labels, targets, nil
}

// finalLabelOf returns the number of a label in the model, in the order in which labels occur.
func (x *explorer) finalLabelOf(label uint32) lts.Label {
	if x.finalLabels[label] == noLabel {
		x.finalLabels[label] = lts.Label(len(x.usedLabels))
		x.usedLabels = append(x.usedLabels, x.alphabet[label])
	}
	return x.finalLabels[label]
}

// buildModel returns the model.
func (x *explorer) buildModel() (*lts.LTS, error) {
	texts := make([]string, len(x.usedLabels))
	movers := make([][]uint32, len(x.usedLabels))
	for i, t := range x.usedLabels {
		texts[i] = t.label
		movers[i] = t.movers
	}
	names := make([]string, len(x.automata))
	for i := range x.automata {
		names[i] = x.automata[i].name
	}
	labels, targets, err := x.joinPieces()
	if err != nil {
		return nil, err
	}
	rows, err := resources.Make[uint32](x.ctx, x.rows.Len()+1)
	if err != nil {
		return nil, err
	}
	for i, end := range x.rows.All() {
		rows[i+1] = end
	}
	return lts.FromRows(0, lts.MovingAlphabet(texts, names, movers), rows, labels, targets)
}

// states returns the state of each component in each state of the network.
func (x *explorer) states() (*lts.Values, error) {
	var parameters []lts.Parameter
	// known has, for each component, the values of its states that have been met; NoValue for the others.
	var known [][]lts.Value
	for i := range x.automata {
		parameters = append(parameters, lts.Parameter{Name: x.automata[i].name, Sort: "Nat"})
		values, err := resources.Make[lts.Value](x.ctx, x.automata[i].model.NumStates())
		if err != nil {
			return nil, err
		}
		for s := range values {
			values[s] = lts.NoValue
		}
		known = append(known, values)
	}
	b, err := lts.NewValuesBuilder(x.ctx, parameters)
	if err != nil {
		return nil, err
	}
	for s := range x.table.len() {
		key := x.table.key(s)
		for i := range x.automata {
			inside := x.automata[i].stateOf(key)
			value := known[i][inside]
			if value == lts.NoValue {
				value = b.Value(i, strconv.AppendUint(nil, uint64(inside), 10))
				known[i][inside] = value
			}
			if err := b.Set(lts.State(s), i, value); err != nil {
				return nil, err
			}
		}
		if s%4096 == 0 && x.ctx.Err() != nil {
			return nil, x.ctx.Err()
		}
	}
	return b.Build(x.table.len())
}
