package syntax

// Linear returns the property of runs that f becomes when its quantifiers are left out, in the syntax
// of linear temporal logic: AG (a -> AF b) becomes G (a -> F b). If f is equivalent to any property of
// runs, it is equivalent to this one (E. M. Clarke, I. A. Draghicescu, LNCS 354, 1988, Theorem 1).
// Linear returns false if some quantifier demands only one run, since then no run has to do what f
// demands. It also returns false if f is about labels of transitions. Cost O(length of f).
func (f *Formula) Linear() (string, bool) {
	l := f.withoutQuantifiers(true)
	if !l.isUniversal || !l.isQuantified {
		return "", false
	}
	return l.formula.String(), true
}

// linearised is a formula without its quantifiers.
type linearised struct {
	formula      *Formula // has no meaning if isUniversal is false
	isQuantified bool     // whether the original has quantifiers
	isUniversal  bool     // whether all of these demand all runs, and none names labels
}

// withoutQuantifiers returns f without its quantifiers. positive is false for a part of a formula below an
// odd number of negations: there a demand on all runs becomes one on some run.
func (f *Formula) withoutQuantifiers(positive bool) linearised {
	if f == nil {
		return linearised{isUniversal: true}
	}
	notUniversal := linearised{isQuantified: true}
	onRun := *f
	isQuantified := false
	leftPositive := positive
	rightPositive := positive
	switch f.op {
	case Next, Until, Release, WeakUntil, StrongRelease:
		demandsAllRuns := (f.path == All) && positive
		if !demandsAllRuns || f.labels != nil || f.last != nil {
			return notUniversal
		}
		onRun.path = OnRun
		isQuantified = true
	case Taken, Quantified:
		return notUniversal
	case Not:
		rightPositive = !positive
	case Implies:
		leftPositive = !positive
	}
	left := f.left.withoutQuantifiers(leftPositive)
	right := f.right.withoutQuantifiers(rightPositive)
	onRun.left = left.formula
	onRun.right = right.formula
	return linearised{
		formula:      &onRun,
		isQuantified: isQuantified || left.isQuantified || right.isQuantified,
		isUniversal:  left.isUniversal && right.isUniversal,
	}
}
