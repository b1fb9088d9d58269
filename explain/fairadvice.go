package explain

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// Advice under an assumption takes several passes for each set that is tried, and for each place
// where a correct run may leave the counterexample. mostForFairAdvice is the largest product, as
// counted by largestProduct, for which advice is searched for. mostForks is the largest number of
// places.
const (
	mostForFairAdvice = 450_000
	mostForks         = 8
	mostInFairCut     = 2
	workForFairCut    = 4_000_000
)

const tooLargeForFairAdvice = "the search for what to forbid under the assumption, and for the nearest correct run, is left out: the product of model and property is large"

// adviseFairly finds what would make the property true of the runs that count under the assumption, and
// the nearest correct run that counts. isFull reports whether the assumption is full fairness alone.
func (v violation) adviseFairly(
	ctx context.Context,
	isFull bool,
	found *advised,
) (warnings []string, err error) {
	if largestProduct(v.a.m, v.a.Property) > mostForFairAdvice {
		return []string{tooLargeForFairAdvice}, nil
	}
	fixed, err := v.a.triggers()
	if err != nil {
		return nil, err
	}
	if v.isHopeful(0) {
		if err := v.findNearestFairly(ctx, fixed, found); err != nil {
			return nil, err
		}
	}
	found.Repair, found.NoRepair, err = v.repairFairly(ctx, isFull, fixed)
	if err != nil || found.Repair != nil && !keepsLittle(found.Repair) {
		return nil, err
	}
	plain, noRun, err := v.repairPlainly(ctx, isFull)
	if err != nil {
		return nil, err
	}
	switch {
	case noRun:
		found.NoRepair = &noRepair{NoRun: true}
	case plain != nil && (found.Repair == nil || !keepsLittle(plain)):
		found.Repair = plain
		found.NoRepair = nil
	}
	return nil, nil
}

// keepsLittle reports whether the model loses much by every change that a repair offers.
func keepsLittle(r *Repair) bool {
	cutKeepsLittle := r.Cut == nil || r.Cut.Keeps.IsLittle()
	neverKeepsLittle := len(r.Never) == 0 || r.Keeps.IsLittle()
	return cutKeepsLittle && neverKeepsLittle
}

// findNearestFairly finds the nearest correct run that counts.
func (v violation) findNearestFairly(
	ctx context.Context,
	triggers triggers,
	found *advised,
) (err error) {
	demands := v.demandsOf(triggers)
	found.Nearest, err = v.nearestFairly(ctx, demands)
	found.nearestAt = func(ctx context.Context, at []bool) (d *Diff, isStopped bool, err error) {
		d, err = v.nearestFairlyAt(ctx, at, demands)
		return d, false, err
	}
	return err
}

// repairFairly finds a smallest cut and, for inevitability under full fairness, the guards of a
// supervisor. If there is neither, r is nil, and none is the reason if that is known.
func (v violation) repairFairly(
	ctx context.Context,
	isFull bool,
	fixed triggers,
) (r *Repair, none *noRepair, err error) {
	m := v.a.m
	isProhibited, err := v.a.prohibits(ctx, v.a.Property)
	if err != nil {
		return nil, nil, err
	}
	idle := RepairOptions{Source: Source{Idle: v.a.idle}}
	isControllable := idle.controls(m, fixed)
	r = &Repair{
		Solvable:   true,
		Never:      []Forbidden{},
		NotForEver: []NotForEver{},
	}
	if isFull && v.a.Property.Steps() > 0 {
		guards, err := repair.Find(ctx, m, v.a.Property, repair.Options{
			Controllable: isControllable,
			Fair:         true,
			Most:         repair.MostGuards,
		})
		switch {
		case errors.Is(err, repair.ErrTooMany):
		case err != nil:
			return nil, nil, err
		case guards.Solvable:
			r, err = v.a.describeRepair(ctx, guards, nil)
			if err != nil {
				return nil, nil, err
			}
			isMissed, err := v.a.missed(ctx, isProhibited)
			if err != nil {
				return nil, nil, err
			}
			r.Keeps = v.a.keptBy(guards, isMissed)
		}
	}
	cut, err := v.cutFairly(ctx, isControllable, isProhibited)
	if err != nil {
		return nil, nil, err
	}
	if cut.Found {
		r.Cut, err = v.describeCut(ctx, cut.Transitions, isProhibited)
		if err != nil {
			return nil, nil, err
		}
	}
	r.Triggers = textsOf(m, fixed.has)
	if r.Cut == nil && len(r.Never) == 0 {
		none := noRepairOf(cut)
		if none != nil {
			none.Internal = hasInternalActions(m)
			none.Triggers = r.Triggers
		}
		return nil, none, nil
	}
	return r, nil, nil
}

// noRepair is the reason why there is no repair under an assumption.
type noRepair struct {
	// NoRun reports that no run at all satisfies the property, so that forbidding transitions cannot
	// help.
	NoRun bool
	// AtLeast is the smallest number of transitions that would have to be forbidden; 0 if the property
	// fails whichever transitions are forbidden. The search does not forbid internal actions and labels
	// of Triggers, and it makes no new deadlock.
	AtLeast int
	// Internal reports whether the model has internal actions, which the advice must distinguish from
	// the others.
	Internal bool
	Triggers []string
}

// hasInternalActions reports whether a model has internal actions, which nobody can forbid.
func hasInternalActions(m *lts.LTS) bool {
	for _, text := range m.Alphabet().All() {
		if isInternalText(text) {
			return true
		}
	}
	return false
}

// isInternalText reports whether a label with this text is an internal action.
func isInternalText(text string) bool { return text == "i" || text == "tau" }

// noRepairOf returns the reason why the search for a cut found none; nil if the search was stopped.
func noRepairOf(cut *repair.Fewest) *noRepair {
	switch {
	case cut.Exact:
		return &noRepair{}
	case cut.AtLeast > mostInFairCut:
		return &noRepair{AtLeast: cut.AtLeast}
	}
	return nil
}

// cutFairly finds a smallest cut, or a single prohibition if that is enough.
func (v violation) cutFairly(
	ctx context.Context,
	isControllable, isProhibited func(lts.Label) bool,
) (*repair.Fewest, error) {
	o := repair.FewestOptions{
		Controllable: isControllable,
		Fairness:     v.a.fairness,
		Most:         mostInFairCut,
		First:        v.trace,
		Work:         workForFairCut,
	}
	if isProhibited != nil {
		onlyProhibited := o
		onlyProhibited.Controllable = func(l lts.Label) bool {
			return isControllable(l) && isProhibited(l)
		}
		found, err := repair.FindFewest(ctx, v.a.m, v.a.Property, onlyProhibited)
		if err != nil || found.Found {
			return found, err
		}
	}
	return repair.FindFewest(ctx, v.a.m, v.a.Property, o)
}

// nearestFairly returns the difference to a correct run that counts; nil if there is none. The
// correct run leaves the counterexample on its loop, at the place where the difference is smallest.
// If no correct run leaves it there, it leaves the counterexample as late as possible. The correct
// run does a trigger if the counterexample does.
func (v violation) nearestFairly(ctx context.Context, demands demands) (*Diff, error) {
	for _, places := range v.forks() {
		var best *Diff
		for _, i := range places {
			d, err := v.leavingAt(ctx, i, demands)
			if err != nil {
				return nil, err
			}
			if d != nil && (best == nil || d.Edits < best.Edits) {
				best = d
			}
		}
		if best != nil {
			return best, nil
		}
	}
	return nil, nil
}

// forks returns, in groups, the numbers of steps after which a correct run that counts may leave
// the counterexample. The groups are in the order in which they are tried: the first group has all
// places on the loop; each other group has one place, and the latest place comes first.
func (v violation) forks() (groups [][]int) {
	stem := v.trace.Len()
	var onLoop []int
	if loop, isLasso := v.trace.LoopStart(); isLasso {
		stem = loop
		for i := loop; i < v.trace.Len() && len(onLoop) < mostForks; i++ {
			if v.isHopeful(i) {
				onLoop = append(onLoop, i)
			}
		}
	}
	if len(onLoop) > 0 {
		groups = append(groups, onLoop)
	}
	places := len(onLoop)
	for i := stem - 1; i >= 0 && places < 2*mostForks; i-- {
		if v.isHopeful(i) {
			groups = append(groups, []int{i})
			places++
		}
	}
	return groups
}

// isHopeful reports whether some run that counts begins with the first i steps and satisfies the
// property.
func (v violation) isHopeful(i int) bool {
	s := v.trace.Initial()
	if i > 0 {
		s = v.trace.Step(i - 1).To
	}
	q := v.trace.At(i)
	return v.a.Fates.At(s, q) != fate.Lost && v.a.Fates.AdmitsFrom(s, q)
}

// leavingAt returns the difference to a shortest correct run that counts, and that begins with the
// first i steps of the counterexample; nil if there is none.
func (v violation) leavingAt(ctx context.Context, i int, demands demands) (*Diff, error) {
	m, err := rootedAt(v.a.m, v.after(i).State)
	if err != nil {
		return nil, err
	}
	continuation, err := v.correctContinuation(ctx, m, i, demands)
	if err != nil || continuation == nil {
		return nil, err
	}
	return v.differenceTo(v.correctRunAfter(i, continuation.Steps(), continuation), i), nil
}

// nearestFairlyAt returns the difference to a correct run that counts, and that takes another transition
// instead of step i of the counterexample, where at[i] is set. If at is longer than the counterexample,
// its further elements are for the next rounds of the loop. nearestFairlyAt chooses the smallest of the
// first [mostForks] differences. The result is nil if there is no such run.
func (v violation) nearestFairlyAt(
	ctx context.Context,
	at []bool,
	demands demands,
) (best *Diff, err error) {
	unrolled, err := v.unrolledTo(len(at))
	if err != nil {
		return nil, err
	}
	found := 0
	for i := 0; i < len(at) && found < mostForks; i++ {
		leaving := v
		if i >= v.trace.Len() {
			leaving = unrolled
		}
		if !at[i] || !leaving.isHopeful(i) {
			continue
		}
		d, err := leaving.leavingInsteadOf(ctx, i, demands)
		if err != nil {
			return nil, err
		}
		if d == nil {
			continue
		}
		found++
		if best == nil || d.Edits < best.Edits {
			best = d
		}
	}
	return best, nil
}

// unrolledTo returns the violation with so many rounds of the loop that its run has at least the given
// number of steps. It returns v itself if the run has these steps already.
func (v violation) unrolledTo(steps int) (violation, error) {
	loop, isLasso := v.trace.LoopStart()
	if !isLasso || steps <= v.trace.Len() {
		return v, nil
	}
	all := v.trace.Steps()
	round := all[loop:]
	for len(all) < steps {
		loop = len(all)
		all = append(all, round...)
	}
	trace, err := v.trace.Like(v.a.m, v.a.Property, all, loop)
	if err != nil {
		return violation{}, err
	}
	v.trace = trace
	return v, nil
}

// leavingInsteadOf is like [violation.leavingAt], but the correct run does not take step i of the
// counterexample after the first i steps.
func (v violation) leavingInsteadOf(ctx context.Context, i int, demands demands) (*Diff, error) {
	m, err := rootedBefore(v.a.m, v.trace.Step(i))
	if err != nil {
		return nil, err
	}
	continuation, err := v.correctContinuation(ctx, m, i, demands)
	if err != nil || continuation == nil {
		return nil, err
	}
	steps := continuation.Steps()
	steps[0].From = v.after(i).State
	return v.differenceTo(v.correctRunAfter(i, steps, continuation), i), nil
}

// rootedBefore returns the model with a new initial state. It has the transitions of the source of a
// transition, but not that transition.
func rootedBefore(m *lts.LTS, without lts.Transition) (*lts.LTS, error) {
	var b lts.Builder
	b.Over(m.Alphabet())
	b.Grow(m.NumTransitions())
	root := lts.State(m.NumStates())
	for t := range m.Transitions() {
		b.Add(t.From, t.Label, t.To)
		if t.From == without.From && t != without {
			b.Add(root, t.Label, t.To)
		}
	}
	return b.Build(root, m.NumStates()+1)
}

// correctContinuation returns a shortest run of m that counts, and that continues the first i steps of
// the counterexample to a correct run; nil if there is none.
func (v violation) correctContinuation(
	ctx context.Context,
	m *lts.LTS,
	i int,
	demands demands,
) (*counterexample.Trace, error) {
	// A correct continuation violates the complement of the property.
	automaton := v.a.Property.Automaton()
	automaton.Initial = v.trace.At(i)
	demanding := demands.addTo(automaton, v.trace.Steps()[:i])
	incorrect, err := property.Table(m.Alphabet(), complement(demanding))
	if err != nil {
		return nil, err
	}
	o := fate.Options{}
	o.Fairness = v.a.fairness
	fates, err := fate.Of(ctx, m, incorrect, o)
	if err != nil || fates.Holds() {
		return nil, err
	}
	r, err := counterexample.Fair(ctx, fates)
	if err != nil || r.Trace == nil || r.Trace.Len() == 0 {
		return nil, err
	}
	return r.Trace, nil
}

// correctRun is a correct run that counts.
type correctRun struct {
	steps []lts.Transition
	// loopLength is the number of last steps that the run repeats forever; 0 without a loop. ends
	// reports whether the run ends. If it has no loop and does not end, steps are a beginning that
	// decides: every run that counts and begins with them satisfies the property.
	loopLength int
	ends       bool
}

// correctRunAfter returns the run that consists of the first i steps and a correct continuation, whose
// steps in the model of v are after. It leaves out the end of the run that only fairness needs: for a
// chain, everything after the last step is done.
func (v violation) correctRunAfter(
	i int,
	after []lts.Transition,
	continuation *counterexample.Trace,
) correctRun {
	run := correctRun{
		steps: slices.Concat(v.trace.Steps()[:i], after),
		ends:  continuation.Kind().Ends(),
	}
	loopStart, isLasso := continuation.LoopStart()
	if isLasso {
		run.loopLength = len(after) - loopStart
	}
	if continuation.Kind().IsStem() {
		return run
	}
	decided := v.decidedAfter(i, run.steps)
	if decided > 0 {
		return correctRun{steps: run.steps[:decided]}
	}
	return run
}

// decidedAfter returns a number of steps, more than i, such that every run that counts and begins
// with these steps satisfies the property. If possible, what is pending has changed by then. It
// returns 0 if there is no such number.
func (v violation) decidedAfter(i int, steps []lts.Transition) int {
	a := v.a
	if v.ofAll != nil {
		a = v.ofAll
		steps = stepsIn(a.m, v.a.m, steps)
	}
	p := a.Property
	q := p.Initial()
	pending := ""
	decided := 0
	for k, t := range steps {
		if k == i {
			pending = p.Pending(q).String()
		}
		q = p.Next(q, t.Label)
		isDone := p.Steps() > 0 && p.Progress(q) == p.Steps()
		isSure := p.Steps() == 0 && a.Fates.At(t.To, q) == fate.Sure
		isDecided := isDone || isSure
		if k < i || !isDecided {
			continue
		}
		hasChanged := isDone || p.Pending(q).String() != pending
		if hasChanged {
			return k + 1
		}
		if decided == 0 {
			decided = k + 1
		}
	}
	return decided
}

// differenceTo describes the difference between the counterexample and a correct run with the same
// first i steps. It returns nil if the correct run is a beginning of a counterexample at whose end
// every possible label is refused forever.
func (v violation) differenceTo(run correctRun, i int) *Diff {
	fork, differs := v.unrollToFork(i, &run)
	if !differs {
		return nil
	}
	removed := v.removedFrom(fork, run)
	inserted := run.steps[fork:]
	d := &Diff{
		Edits: len(removed) + len(inserted),
		Fork:  fork,
		Steps: []DiffStep{},
		Loop:  run.loopLength,
		Ends:  run.ends,
	}
	q := v.a.Property.Initial()
	add := func(op string, t lts.Transition) {
		if op != Remove {
			q = v.a.Property.Next(q, t.Label)
		}
		d.Steps = append(d.Steps, DiffStep{
			Op:        op,
			ModelStep: modelStep(v.a.m, t),
			Progress:  int(q),
		})
	}
	for _, t := range run.steps[:fork] {
		add(Keep, t)
	}
	for _, t := range removed {
		add(Remove, t)
	}
	for _, t := range inserted {
		add(Insert, t)
	}
	return d
}

// stepAfter returns the step of the counterexample that follows the first i steps, where the rounds
// of its loop count as well; false after its end.
func (v violation) stepAfter(i int) (lts.Transition, bool) {
	loop, isLasso := v.trace.LoopStart()
	if i >= v.trace.Len() && isLasso {
		i = loop + (i-loop)%(v.trace.Len()-loop)
	}
	if i >= v.trace.Len() {
		return lts.Transition{}, false
	}
	return v.trace.Step(i), true
}

// unrollToFork returns the number of first steps that the counterexample and a correct run have in
// common; they must share at least i. It unrolls the loop of the correct run until the fork lies
// before the loop, or where it begins. differs is false if the correct run ends before a fork.
func (v violation) unrollToFork(i int, run *correctRun) (fork int, differs bool) {
	for fork = i; ; fork++ {
		if fork == len(run.steps) {
			if run.loopLength == 0 {
				return fork, false
			}
			run.unroll()
		}
		step, goesOn := v.stepAfter(fork)
		if !goesOn || step != run.steps[fork] {
			break
		}
	}
	if fork > len(run.steps)-run.loopLength {
		run.unroll()
	}
	return fork, true
}

// unroll adds one round of the loop to the steps before the loop.
func (r *correctRun) unroll() {
	r.steps = append(r.steps, r.steps[len(r.steps)-r.loopLength:]...)
}

// removedFrom returns the steps of the counterexample that a correct run does not take: those from
// the fork to the end or, of a lasso, to the end of the round. Of a lasso, it returns only the step at
// the fork if the correct run is decided.
func (v violation) removedFrom(fork int, run correctRun) (removed []lts.Transition) {
	loopStart, isLasso := v.trace.LoopStart()
	isDecided := run.loopLength == 0 && !run.ends
	end := v.trace.Len()
	switch {
	case isLasso && isDecided:
		end = fork + 1
	case isLasso:
		roundLength := v.trace.Len() - loopStart
		for end <= fork {
			end += roundLength
		}
	}
	for k := fork; k < end; k++ {
		step, _ := v.stepAfter(k)
		removed = append(removed, step)
	}
	return removed
}

// demands are sets of labels. A correct run must do a label of each set.
type demands [][]lts.Label

// mostDemands is the largest number of demands: each demand doubles the automaton.
const mostDemands = 3

// demandsOf returns the demands of the triggers that the counterexample does.
func (v violation) demandsOf(fixed triggers) (all demands) {
	for _, step := range fixed.steps {
		isDone := slices.ContainsFunc(v.trace.Steps(), func(t lts.Transition) bool {
			return slices.Contains(step.Labels, t.Label)
		})
		if isDone && len(all) < mostDemands {
			all = append(all, step.Labels)
		}
	}
	return all
}

// addTo returns an automaton for the words that inner accepts and that meet all demands. The steps
// in before, which come earlier, also count for the demands. Its states are pairs of a state of
// inner and the set of the demands that are met, as bits. Once all are met, each transition has a
// colour of its own, which must occur infinitely often.
func (d demands) addTo(inner property.Automaton, before []lts.Transition) property.Automaton {
	if len(d) == 0 {
		return inner
	}
	all := 1<<len(d) - 1
	pair := func(q property.Q, met int) property.Q {
		return q<<len(d) | property.Q(met)
	}
	colourOfAll := unusedColour(inner.Acceptance)
	letters := d.lettersFor(inner)
	result := property.Automaton{
		Letters:    letters.ofLabel,
		Columns:    len(letters.met),
		Acceptance: property.All(inner.Acceptance, property.Inf(colourOfAll)),
		Kind:       inner.Kind,
		Name:       inner.Name,
	}
	for q := range inner.States() {
		for met := range all + 1 {
			result.Stop = append(result.Stop, inner.Stop[q] && met == all)
			for letter := range letters.met {
				entry := q*inner.Columns + letters.inner[letter]
				nextMet := met | letters.met[letter]
				marks := property.Marks(0)
				if inner.Marks != nil {
					marks = inner.Marks[entry]
				}
				if nextMet == all {
					marks |= property.Mark(colourOfAll)
				}
				result.Next = append(result.Next, pair(inner.Next[entry], nextMet))
				result.Marks = append(result.Marks, marks)
			}
		}
	}
	result.Initial = pair(inner.Initial, d.metBy(before))
	return result
}

// unusedColour returns the smallest colour that a condition does not mention.
func unusedColour(condition property.Acceptance) int {
	used, _ := condition.Colours()
	colour := 0
	for used.Has(colour) {
		colour++
	}
	return colour
}

// demandLetters are letters that distinguish which demands a label meets.
type demandLetters struct {
	ofLabel []uint16 // the letter of each label
	// inner[i] is the letter of the automaton without demands for letter i, and met[i] has the
	// demands that it meets, as bits.
	inner, met []int
}

// lettersFor returns the letters of inner, divided by the demands that their labels meet.
func (d demands) lettersFor(inner property.Automaton) (l demandLetters) {
	type pair struct{ innerLetter, met int }
	number := map[pair]uint16{}
	for label, innerLetter := range inner.Letters {
		met := d.metBy([]lts.Transition{{Label: lts.Label(label)}})
		key := pair{innerLetter: int(innerLetter), met: met}
		letter, known := number[key]
		if !known {
			letter = uint16(len(l.met))
			number[key] = letter
			l.inner = append(l.inner, key.innerLetter)
			l.met = append(l.met, met)
		}
		l.ofLabel = append(l.ofLabel, letter)
	}
	return l
}

// metBy returns the demands that some steps meet, as bits.
func (d demands) metBy(steps []lts.Transition) (met int) {
	for _, t := range steps {
		for i, set := range d {
			if slices.Contains(set, t.Label) {
				met |= 1 << i
			}
		}
	}
	return met
}
