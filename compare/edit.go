package compare

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// Kind is the kind of a [Change].
type Kind string

// The kinds.
const (
	Added      Kind = "added"
	Removed    Kind = "removed"
	Redirected Kind = "redirected"
	Relabelled Kind = "relabelled"
)

// Change is one transition that only one of the two versions has.
type Change struct {
	Kind Kind
	// Transition is a transition of the new version or, if Kind is Removed, of the old one.
	Transition Arc
	// Was is the transition in the old version, if Kind is Redirected or Relabelled.
	Was Arc
	// At is the source of Transition, as a state of the new version.
	At lts.State
	// Begins reports that the transition leads to one of several initial states, and so is no
	// action of the model.
	Begins bool
}

// Arc is a transition with its label as text.
type Arc struct {
	From  lts.State `json:"from"`
	Label string    `json:"label"`
	To    lts.State `json:"to"`
}

// String returns the label between the states: 0 -REQ-> 1.
func (a Arc) String() string {
	return fmt.Sprintf("%d -%s-> %d", a.From, printable.Text(a.Label), a.To)
}

// String returns the kind and the transition, and what it was before, such as: redirected 0 -REQ-> 1, was 0 -REQ-> 2.
func (c Change) String() string {
	text := string(c.Kind) + " " + c.Transition.String()
	if c.Kind == Redirected || c.Kind == Relabelled {
		text += ", was " + c.Was.String()
	}
	return text
}

// String returns how many transitions and states are changed, such as: changes: 3; new states: 1; gone states: 0.
func (e *Edit) String() string {
	if e == nil {
		return "<nil>"
	}
	return fmt.Sprintf("changes: %d; new states: %d; gone states: %d", len(e.Changes), len(e.NewStates), len(e.GoneStates))
}

// Edit is a way to change the reachable part of the old version into that of the new version, up to
// the numbers of states: changed transitions between states of both versions, and states that are
// added or removed with all their transitions. Other edits exist, and one may be shorter.
type Edit struct {
	Changes []Change
	// NewStates are the states that only the new version has, GoneStates the states that only the
	// old version has.
	NewStates, GoneStates []lts.State
	// Renamed maps labels of the old version to their new names. It is nil unless all changes are
	// renamings; then Changes lists the first 1,000.
	Renamed map[string]string
}

// mostChanges bounds the changes of an Edit.
const mostChanges = 1_000

// aligner maps states of the old version to states of the new one. It walks through both versions
// at once, from their initial states.
type aligner struct {
	d     *disjointUnion
	newOf []lts.State // the new state of each old state
	oldOf []lts.State // the old state of each new state
	queue []lts.State // aligned old states, in the order of alignment
	// ambiguous are aligned old states whose successors can be aligned in several ways. Without blocks,
	// these states wait until all other states are done.
	ambiguous []lts.State
	// disagreeing are the aligned old states whose transitions did not all agree with the transitions
	// of the aligned new state when the walk visited them.
	disagreeing []lts.State
	// inOrder reports whether two states count as equivalent if they have the same labels in the same
	// order.
	inOrder bool
	// renamed maps labels of the old version to their new names; nil if none is renamed.
	renamed map[lts.Label]lts.Label
	// oldRow and newRow are the transitions of the two states that are being compared.
	oldRow, newRow []arc
	ctx            context.Context // the context of edit
	err            error           // the first error of block
}

const unaligned lts.State = lts.MaxStates

// arc is the label and the target of a transition of a version. Labels are numbered as in the union.
type arc struct {
	label lts.Label
	to    lts.State
}

// editOf returns an edit. It returns nil if each edit would have more than mostChanges changes, or align
// less than half of the states of both versions. It aligns states in several ways, by a walk through
// both versions and by numbers, and returns the smallest edit: a redirected transition misleads a walk,
// but numbers stay the same if a file was edited. Cost O(S + T) if few transitions differ, at most
// mostChanges times that.
//
// It also returns the alignment; nil if the edit renames labels.
func editOf(ctx context.Context, d *disjointUnion) (*Edit, *aligner, error) {
	renamed, err := renamedEdit(ctx, d)
	if err != nil || renamed != nil {
		return renamed, nil, err
	}
	var best *Edit
	var bestAligner *aligner
	for _, order := range alignments(d) {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		tried := newAligner(d)
		tried.inOrder = order.inOrder
		if order.byNumbers {
			tried.alignNumbers()
		}
		edit, err := tried.edit(ctx)
		if err != nil {
			return nil, nil, err
		}
		if edit == nil {
			continue
		}
		isSmallest := best == nil || edit.size() < best.size()
		isCoincidence := best == nil && order.byNumbers && edit.size() > d.mostByNumbers()
		if !isSmallest || isCoincidence {
			continue
		}
		best = edit
		bestAligner = tried
		if edit.size() <= 1 {
			break
		}
	}
	return best, bestAligner, nil
}

// alignments returns the ways in which states are aligned, in the order in which they are tried.
func alignments(d *disjointUnion) []alignment {
	walk := alignment{}
	byNumbers := alignment{byNumbers: true}
	if d.blocks != nil {
		return []alignment{walk, byNumbers}
	}
	return []alignment{{inOrder: true}, walk, byNumbers}
}

// alignment is a way to align states by a walk. With inOrder, states are taken for equivalent if
// they have the same labels in the same order. With byNumbers, states are aligned by their numbers
// before the walk.
type alignment struct{ inOrder, byNumbers bool }

// size returns the number of changes and of states that only one version has.
func (e *Edit) size() int { return len(e.Changes) + len(e.NewStates) + len(e.GoneStates) }

func newAligner(d *disjointUnion) *aligner {
	a := &aligner{
		d:     d,
		newOf: unalignedStates(d.old.LTS),
		oldOf: unalignedStates(d.latest.LTS),
	}
	a.align(d.old.Initial(), d.latest.Initial())
	return a
}

// alignNumbers aligns reachable states with the same number in both versions.
func (a *aligner) alignNumbers() {
	for s := range lts.State(min(len(a.newOf), len(a.oldOf))) {
		isReachable := a.d.old.Reachable().Has(s) && a.d.latest.Reachable().Has(s)
		if isReachable && a.newOf[s] == unaligned && a.oldOf[s] == unaligned {
			a.align(s, s)
		}
	}
}

// edit aligns all states that are not aligned yet, and returns the edit of this alignment. It
// returns nil in the cases in which editOf does.
func (a *aligner) edit(ctx context.Context) (*Edit, error) {
	if err := a.alignAll(ctx); err != nil {
		return nil, err
	}
	if len(a.disagreeing) > mostChanges {
		return nil, nil
	}
	e := &Edit{}
	for _, s := range a.disagreeing {
		a.addChanges(e, s)
		if len(e.Changes) > mostChanges {
			return nil, nil
		}
	}
	e.GoneStates = unalignedOf(a.d.old, a.newOf)
	e.NewStates = unalignedOf(a.d.latest, a.oldOf)
	if e.size() > mostChanges {
		return nil, nil
	}
	aligned := 2 * len(a.queue) // states of both versions
	if len(e.NewStates)+len(e.GoneStates) > aligned {
		return nil, nil // the models are too different to be versions of one model
	}
	e.setRenamed(a.d)
	return e, nil
}

// alignAll aligns all states that it can. First it follows the transitions whose targets the labels
// determine. When none is left, it aligns by weaker evidence: it chooses among the targets of one
// ambiguous state, or aligns equivalent states, or states with the same labels. Then it follows
// transitions again. It ends early once more than mostChanges states disagree.
func (a *aligner) alignAll(ctx context.Context) error {
	a.ctx = ctx
	walked := 0 // the number of states of the queue that were visited
	chosen := 0 // the number of ambiguous states that were visited again
	for walked < len(a.queue) || chosen < len(a.ambiguous) {
		for ; walked < len(a.queue); walked++ {
			if err := checkContext(ctx, walked); err != nil {
				return err
			}
			s := a.queue[walked]
			if a.d.blocks != nil || !a.alignDetermined(s) {
				a.ambiguous = append(a.ambiguous, s)
			}
		}
		if chosen < len(a.ambiguous) {
			a.alignByChoice(a.ambiguous[chosen])
			chosen++
		} else if !a.alignEqual() {
			a.alignSimilar()
		}
		if a.err != nil {
			return a.err
		}
		if len(a.disagreeing) > mostChanges {
			return nil
		}
	}
	return nil
}

// alignSimilar aligns the unaligned targets of aligned states if these targets have the same
// labels. Then the transitions that lead to them differ only in their own labels.
func (a *aligner) alignSimilar() {
	for _, s := range a.disagreeing {
		onlyOld, onlyNew := a.unmatched(a.arcs(nil, Old, s), a.arcs(nil, New, a.newOf[s]))
		for _, x := range onlyOld {
			for _, y := range onlyNew {
				isEitherAligned := a.newOf[x.to] != unaligned || a.oldOf[y.to] != unaligned
				if !isEitherAligned && slices.Equal(a.labelsOf(Old, x.to), a.labelsOf(New, y.to)) {
					a.align(x.to, y.to)
				}
			}
		}
	}
}

// align aligns state s of the old version with state t of the new one.
func (a *aligner) align(s, t lts.State) {
	a.newOf[s] = t
	a.oldOf[t] = s
	a.queue = append(a.queue, s)
}

// arcs appends the transitions of a state of one version to all. Renamed labels of the old version have
// their new names.
func (a *aligner) arcs(all []arc, side Side, s lts.State) []arc {
	v := a.d.version(side)
	labels, targets := v.Out(s)
	for i, t := range targets {
		l := v.labelNumber[labels.At(i)]
		if side == Old {
			renamed, isRenamed := a.renamed[l]
			if isRenamed {
				l = renamed
			}
		}
		all = append(all, arc{l, t})
	}
	return all
}

// alignTargets aligns the targets of two transitions of aligned states, if they have the same label and
// neither is aligned. It reports whether the transitions then agree: their labels, and their targets.
func (a *aligner) alignTargets(x, y arc) (agree bool) {
	if x.label != y.label {
		return false
	}
	if a.newOf[x.to] == unaligned && a.oldOf[y.to] == unaligned {
		a.align(x.to, y.to)
	}
	return a.newOf[x.to] == y.to
}

// alignDetermined aligns the targets of the transitions of an aligned state if the labels determine all
// pairs. Otherwise it aligns nothing and returns false. It also returns false if a transition disagrees.
func (a *aligner) alignDetermined(s lts.State) bool {
	a.readRows(s)
	guessNothing := func(_, _ arc) bool { return false }
	return a.alignInOrder(a.oldRow, a.newRow, guessNothing)
}

// alignByChoice aligns the targets of the transitions of an aligned state. If the rows do not agree
// place by place, it pairs targets of transitions with the same label: first those that are
// equivalent, then the others in the order of the rows. If some transitions then remain without a
// counterpart, it adds the state to a.disagreeing.
func (a *aligner) alignByChoice(s lts.State) {
	a.readRows(s)
	if a.alignInOrder(a.oldRow, a.newRow, a.equivalent) {
		return
	}
	labelAndBlock := func(side Side, x arc) group {
		return group{label: x.label, block: a.block(side, x.to)}
	}
	labelAlone := func(_ Side, x arc) group {
		return group{label: x.label}
	}
	old, fresh := a.unmatched(a.oldRow, a.newRow)
	a.pairOff(old, fresh, labelAndBlock)
	a.pairOff(old, fresh, labelAlone)
	old, fresh = a.unmatched(old, fresh)
	if len(old)+len(fresh) > 0 {
		a.disagreeing = append(a.disagreeing, s)
	}
}

// readRows sets the two rows to be compared: the transitions of an aligned state in both versions.
func (a *aligner) readRows(s lts.State) {
	a.oldRow = a.arcs(a.oldRow[:0], Old, s)
	a.newRow = a.arcs(a.newRow[:0], New, a.newOf[s])
}

// equivalent reports whether the targets of two transitions may be equivalent. If it returns false,
// they certainly are not.
func (a *aligner) equivalent(x, y arc) bool {
	if !a.inOrder {
		return a.block(Old, x.to) == a.block(New, y.to)
	}
	oldLabels, _ := a.d.old.Out(x.to)
	newLabels, _ := a.d.latest.Out(y.to)
	if oldLabels.Len() != newLabels.Len() {
		return false
	}
	for k := range oldLabels.Len() {
		if a.d.old.labelNumber[oldLabels.At(k)] != a.d.latest.labelNumber[newLabels.At(k)] {
			return false
		}
	}
	return true
}

// alignInOrder aligns the targets of two rows, place by place, if the rows have the same labels in
// the same order. If a label occurs twice, the targets at each place must be aligned with each
// other already, or mayAlign must accept them. It returns false if the rows are not of this form,
// or if some transitions do not agree.
func (a *aligner) alignInOrder(old, fresh []arc, mayAlign func(x, y arc) bool) bool {
	if len(old) != len(fresh) {
		return false
	}
	isDetermined := eachLabelOnce(old)
	for i, x := range old {
		y := fresh[i]
		if x.label != y.label {
			return false
		}
		isAligned := a.newOf[x.to] == y.to
		if !isDetermined && !isAligned && !mayAlign(x, y) {
			return false
		}
	}
	allAgree := true
	for i, x := range old {
		agree := a.alignTargets(x, fresh[i])
		allAgree = allAgree && agree
	}
	return allAgree
}

// eachLabelOnce reports whether a row is short, and no two of its transitions have the same label.
func eachLabelOnce(row []arc) bool {
	const few = 16 // few enough to compare all pairs
	if len(row) > few {
		return false
	}
	for i := range row {
		for k := range i {
			if row[i].label == row[k].label {
				return false
			}
		}
	}
	return true
}

// block returns a number that is the same for equivalent states, and differs for most other states.
// It keeps the first error in a.err, and returns 0 from then on.
func (a *aligner) block(side Side, s lts.State) uint64 {
	if a.d.blocks != nil {
		return uint64(a.d.block(side, s))
	}
	if a.err != nil {
		return 0
	}
	sketch, err := a.d.sketchOf(a.ctx, side, s)
	a.err = err
	return sketch
}

// unmatched returns the transitions of two rows without the pairs that agree, counting
// multiplicities.
func (a *aligner) unmatched(old, fresh []arc) (onlyOld, onlyNew []arc) {
	unpaired := make(map[arc]int, len(fresh)) // how many transitions of the new row are not paired yet
	for _, y := range fresh {
		unpaired[y]++
	}
	for _, x := range old {
		y := arc{x.label, a.newOf[x.to]}
		if a.newOf[x.to] != unaligned && unpaired[y] > 0 {
			unpaired[y]--
			continue
		}
		onlyOld = append(onlyOld, x)
	}
	for _, y := range slices.Backward(fresh) {
		if unpaired[y] > 0 {
			unpaired[y]--
			onlyNew = append(onlyNew, y)
		}
	}
	slices.Reverse(onlyNew)
	return onlyOld, onlyNew
}

// mostByNumbers returns the largest size of an edit by numbers that counts as an edit although no walk
// has found one. If an edit by numbers is larger, the equal numbers are probably a coincidence.
func (d *disjointUnion) mostByNumbers() int {
	const share = 40
	return max(1, (d.old.NumTransitions()+d.latest.NumTransitions())/share)
}

// group is a label and the block of a target; the block is 0 if it does not count.
type group struct {
	label lts.Label
	block uint64
}

// pairOff aligns targets that are not aligned yet. It goes through the old row, and pairs each
// target with the first target of the new row that is not aligned and in the same group.
func (a *aligner) pairOff(old, fresh []arc, groupOf func(Side, arc) group) {
	// Only labels that both rows have need groups, since a block is costly to compute.
	inOld := make(map[lts.Label]bool)
	inBoth := make(map[lts.Label]bool)
	for _, x := range old {
		inOld[x.label] = true
	}
	candidates := make(map[group][]lts.State) // new targets that were not tried yet
	for _, y := range fresh {
		if inOld[y.label] {
			inBoth[y.label] = true
			g := groupOf(New, y)
			candidates[g] = append(candidates[g], y.to)
		}
	}
	for _, x := range old {
		if !inBoth[x.label] {
			continue
		}
		g := groupOf(Old, x)
		for a.newOf[x.to] == unaligned && len(candidates[g]) > 0 {
			candidate := candidates[g][0]
			candidates[g] = candidates[g][1:]
			if a.oldOf[candidate] == unaligned {
				a.align(x.to, candidate)
			}
		}
	}
}

// alignEqual aligns equivalent states that the walk has not reached. It does nothing if the
// transitions of all aligned states agree. It reports whether it has aligned any.
func (a *aligner) alignEqual() bool {
	if len(a.disagreeing) == 0 {
		return false
	}
	queuedBefore := len(a.queue)
	freeOld := make(map[uint64][]lts.State)
	for _, s := range unalignedOf(a.d.old, a.newOf) {
		block := a.block(Old, s)
		freeOld[block] = append(freeOld[block], s)
	}
	if len(freeOld) == 0 {
		return false
	}
	for _, t := range unalignedOf(a.d.latest, a.oldOf) {
		block := a.block(New, t)
		if len(freeOld[block]) > 0 {
			a.align(freeOld[block][0], t)
			freeOld[block] = freeOld[block][1:]
		}
	}
	return len(a.queue) > queuedBefore
}

// labelsOf returns the labels of the transitions of a state, ascending.
func (a *aligner) labelsOf(side Side, s lts.State) []lts.Label {
	var labels []lts.Label
	for _, x := range a.arcs(nil, side, s) {
		labels = append(labels, x.label)
	}
	slices.Sort(labels)
	return labels
}

// addChanges adds to the edit the changes of the transitions of an aligned state of the old version.
func (a *aligner) addChanges(e *Edit, s lts.State) {
	t := a.newOf[s]
	onlyOld, onlyNew := a.unmatched(a.arcs(nil, Old, s), a.arcs(nil, New, t))
	row := &rowChanges{aligner: a, edit: e, from: s, to: t, onlyOld: onlyOld, onlyNew: onlyNew}
	row.pair(Relabelled, func(old, latest arc) bool { return a.newOf[old.to] == latest.to })
	row.pair(Redirected, func(old, latest arc) bool { return old.label == latest.label })
	for _, old := range row.onlyOld {
		e.Changes = append(e.Changes, Change{
			Kind:       Removed,
			Transition: a.withText(s, old),
			At:         t,
		})
	}
	for _, latest := range row.onlyNew {
		e.Changes = append(e.Changes, Change{
			Kind:       Added,
			Transition: a.withText(t, latest),
			At:         t,
		})
	}
}

// rowChanges makes the changes of the transitions from a state, which is from in the old version and to in the
// new one.
type rowChanges struct {
	*aligner
	edit     *Edit
	from, to lts.State
	// onlyOld and onlyNew are the transitions that only one version has, without those of changes so far.
	onlyOld, onlyNew []arc
}

// pair adds a change for each transition of the old version that matches some transition of the new one. It
// pairs the transition with the first match.
func (r *rowChanges) pair(kind Kind, matches func(old, latest arc) bool) {
	r.onlyOld = slices.DeleteFunc(r.onlyOld, func(old arc) bool {
		i := slices.IndexFunc(r.onlyNew, func(latest arc) bool { return matches(old, latest) })
		if i < 0 {
			return false
		}
		r.edit.Changes = append(r.edit.Changes, Change{
			Kind:       kind,
			Transition: r.withText(r.to, r.onlyNew[i]),
			Was:        r.withText(r.from, old),
			At:         r.to,
		})
		r.onlyNew = slices.Delete(r.onlyNew, i, i+1)
		return true
	})
}

// withText returns a transition that leaves a state, with its label as text.
func (a *aligner) withText(s lts.State, x arc) Arc {
	return Arc{From: s, Label: a.d.texts[x.label], To: x.to}
}

// unalignedOf returns the reachable states of a version that are not aligned.
func unalignedOf(v version, aligned []lts.State) []lts.State {
	var all []lts.State
	for s, t := range aligned {
		if t == unaligned && v.Reachable().Has(lts.State(s)) {
			all = append(all, lts.State(s))
		}
	}
	return all
}

// setRenamed sets Renamed if the edit only renames labels: all changes are relabellings, and all
// transitions with the same old label get the same new one.
func (e *Edit) setRenamed(d *disjointUnion) {
	if len(e.Changes) == 0 || len(e.NewStates)+len(e.GoneStates) > 0 {
		return
	}
	names := make(map[string]string)
	taken := make(map[string]bool)
	for _, c := range e.Changes {
		old := c.Was.Label
		renamed := c.Transition.Label
		mayBeRenaming := c.Kind == Relabelled &&
			slices.Contains(d.old.ownLabels, old) &&
			slices.Contains(d.latest.ownLabels, renamed)
		if !mayBeRenaming {
			return
		}
		known, isKnown := names[old]
		isFirst := !isKnown && !taken[renamed]
		isRepeated := isKnown && known == renamed
		if !isFirst && !isRepeated {
			return
		}
		names[old] = renamed
		taken[renamed] = true
	}
	e.Renamed = names
}

// renamedEdit returns the edit that only renames labels, all transitions with a label at once. It
// is nil unless an alignment shows that the versions differ in nothing else. It pairs names by the
// number of their transitions, then in the order of the alphabets. Cost O(S + T log T), and O(1) if
// both versions have the same labels.
func renamedEdit(ctx context.Context, d *disjointUnion) (*Edit, error) {
	gone := d.old.ownLabels
	added := slices.Clone(d.latest.ownLabels)
	if len(gone) == 0 || len(gone) != len(added) || sizeOf(d.old.LTS) != sizeOf(d.latest.LTS) {
		return nil, nil
	}
	e := &Edit{Renamed: make(map[string]string)}
	names := make(map[lts.Label]lts.Label)
	for _, from := range gone {
		i := slices.IndexFunc(added, func(to string) bool {
			return d.latest.occurrences[to] == d.old.occurrences[from]
		})
		if i < 0 {
			return nil, nil
		}
		to := added[i]
		e.Renamed[from] = to
		names[lts.Label(slices.Index(d.texts, from))] = lts.Label(slices.Index(d.texts, to))
		added = slices.Delete(added, i, i+1)
	}
	byNumber := newAligner(d)
	byNumber.renamed = names
	byNumber.alignNumbers()
	walking := newAligner(d)
	walking.renamed = names
	for _, a := range []*aligner{byNumber, walking} {
		found, err := a.edit(ctx)
		if err != nil {
			return nil, err
		}
		if found != nil && found.size() == 0 {
			a.addRelabellings(e, names)
			return e, nil
		}
	}
	return nil, nil
}

// addRelabellings adds a change to the edit for each transition whose label was renamed, until the edit has
// mostChanges. All reachable states must be aligned.
func (a *aligner) addRelabellings(e *Edit, names map[lts.Label]lts.Label) {
	a.renamed = nil
	for s, t := range a.newOf {
		if t == unaligned {
			continue
		}
		row := a.arcs(nil, Old, lts.State(s))
		slices.SortStableFunc(row, func(x, y arc) int {
			return cmp.Compare(x.label, y.label)
		})
		for _, x := range row {
			name, isRenamed := names[x.label]
			if !isRenamed {
				continue
			}
			if len(e.Changes) == mostChanges {
				return
			}
			e.Changes = append(e.Changes, Change{
				Kind:       Relabelled,
				Transition: a.withText(t, arc{name, a.newOf[x.to]}),
				Was:        a.withText(lts.State(s), x),
				At:         t,
			})
		}
	}
}

// sameInOrder reports whether two models differ only in the numbers of states, with transitions in
// the same order. It walks through both at once, follows the transitions of each state in their
// order, and compares labels and targets. If it succeeds, states at the same position of the walk
// are equivalent, whatever is hidden. Cost O(S + T), less if the models differ.
func (d *disjointUnion) sameInOrder(ctx context.Context) (bool, error) {
	old := d.old.LTS
	latest := d.latest.LTS
	if err := resources.AskFor[lts.State](ctx, 2*old.NumStates()+latest.NumStates()); err != nil {
		return false, err
	}
	newOf := unalignedStates(old)
	oldOf := unalignedStates(latest)
	queue := []lts.State{old.Initial()}
	newOf[old.Initial()] = latest.Initial()
	oldOf[latest.Initial()] = old.Initial()
	for i := 0; i < len(queue); i++ {
		if err := checkContext(ctx, i); err != nil {
			return false, err
		}
		s := queue[i]
		oldLabels, oldTargets := old.Out(s)
		newLabels, newTargets := latest.Out(newOf[s])
		if len(oldTargets) != len(newTargets) {
			return false, nil
		}
		for k, t := range oldTargets {
			u := newTargets[k]
			if d.old.labelNumber[oldLabels.At(k)] != d.latest.labelNumber[newLabels.At(k)] {
				return false, nil
			}
			if newOf[t] == unaligned && oldOf[u] == unaligned {
				newOf[t] = u
				oldOf[u] = t
				queue = append(queue, t)
			}
			isConsistent := newOf[t] == u && oldOf[u] == t
			if !isConsistent {
				return false, nil
			}
		}
	}
	return true, nil
}

func unalignedStates(m *lts.LTS) []lts.State {
	all := make([]lts.State, m.NumStates())
	for s := range all {
		all[s] = unaligned
	}
	return all
}

// distinguishingRun returns a shortest distinguishing run, if such a run ends in a state whose transitions were
// changed; nil if there is none, or if none was found within the limit. Cost O(S + T).
//
// Until a run visits a changed state, the other version can follow it through the aligned states,
// which have the same labels. So a distinguishing run is at least as long as a shortest run to a
// changed state. If a shortest run to a changed state distinguishes the versions, it does so by a
// label that the aligned state does not have.
func (a *aligner) distinguishingRun(ctx context.Context) (*Parting, error) {
	parents, nearest, err := a.nearestChanged(ctx)
	if err != nil {
		return nil, err
	}
	for _, side := range []Side{New, Old} {
		hasOwnLabels := false // whether some changed state has labels in this version only
		for _, s := range nearest {
			ownLabels := a.labelsOnlyIn(side, s)
			if len(ownLabels) == 0 {
				continue
			}
			hasOwnLabels = true
			run := a.runTo(parents, s)
			label, parts := a.partingLabel(ctx, side, run, ownLabels)
			if parts {
				return &Parting{Run: run, Only: side, Label: label}, nil
			}
		}
		if hasOwnLabels {
			return nil, nil // another run to such a state may distinguish the versions
		}
	}
	return nil, nil
}

// partingLabel returns the first candidate that the other version cannot do after a run.
// parts is false if there is no such candidate, or if the search could not decide within its limit
// whether that version can do the run.
func (a *aligner) partingLabel(
	ctx context.Context,
	side Side, // the version that can do the candidates
	run, candidates []string,
) (label string, parts bool) {
	for _, label := range candidates {
		if slices.Contains(a.d.version(side).ownLabels, label) {
			return label, true
		}
	}
	could, follows := a.labelsAfter(ctx, side.Other(), run)
	if !follows {
		return "", false
	}
	for _, label := range candidates {
		if !slices.Contains(could, label) {
			return label, true
		}
	}
	return "", false
}

// labelsOnlyIn returns the labels that a state has on the given side, and that the aligned state of the
// other version lacks.
func (a *aligner) labelsOnlyIn(side Side, s lts.State) []string {
	rows := map[Side][]arc{Old: a.arcs(nil, Old, s), New: a.arcs(nil, New, a.newOf[s])}
	others := rows[side.Other()]
	var only []string
	for _, x := range rows[side] {
		hasLabel := func(y arc) bool { return y.label == x.label }
		if !slices.ContainsFunc(others, hasLabel) {
			only = append(only, a.d.texts[x.label])
		}
	}
	return only
}

// labelsAfter returns the labels that a version can do after a run. follows is false if the version
// cannot do the run, or if the search could not decide that within its limit.
func (a *aligner) labelsAfter(
	ctx context.Context,
	side Side,
	run []string,
) (labels []string, follows bool) {
	m := a.d.version(side).LTS
	f := &follower{
		m:     m,
		hides: Options{}.hides,
		set:   []lts.State{m.Initial()},
		work:  work{ctx, a.d.limit},
	}
	for _, label := range run {
		if !f.step(label) || f.work.left < 0 {
			return nil, false
		}
	}
	return f.possibleLabels(), true
}

// changedStates returns the aligned states of the old version whose transitions were changed. A state of
// a.disagreeing is not among them if its targets were aligned later.
func (a *aligner) changedStates() map[lts.State]bool {
	changed := make(map[lts.State]bool, len(a.disagreeing))
	for _, s := range a.disagreeing {
		old, fresh := a.unmatched(a.arcs(nil, Old, s), a.arcs(nil, New, a.newOf[s]))
		changed[s] = len(old)+len(fresh) > 0
	}
	return changed
}

// nearestChanged returns the changed states nearest to the initial state, and for each visited state its
// parent in the search. All are states of the old version.
func (a *aligner) nearestChanged(ctx context.Context) (parents, nearest []lts.State, err error) {
	m := a.d.old.LTS
	if err := resources.AskFor[lts.State](ctx, 2*m.NumStates()); err != nil {
		return nil, nil, err
	}
	changed := a.changedStates()
	parents = unalignedStates(m)
	parents[m.Initial()] = m.Initial()
	level := []lts.State{m.Initial()}
	var next []lts.State
	for len(level) > 0 && len(nearest) == 0 {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		for _, s := range level {
			if changed[s] {
				nearest = append(nearest, s)
				continue
			}
			_, targets := m.Out(s)
			for _, t := range targets {
				if parents[t] == unaligned {
					parents[t] = s
					next = append(next, t)
				}
			}
		}
		level, next = next, level[:0]
	}
	return parents, nearest, nil
}

// runTo returns the labels of the path to a state in the search tree.
func (a *aligner) runTo(parents []lts.State, s lts.State) []string {
	run := []string{}
	for s != parents[s] {
		from := parents[s]
		labels, targets := a.d.old.Out(from)
		run = append(run, a.d.old.Alphabet().Text(labels.At(slices.Index(targets, s))))
		s = from
	}
	slices.Reverse(run)
	return run
}
