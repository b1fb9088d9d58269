package syntax

// Linear returns the property of runs that f becomes when its quantifiers are left out, in the syntax
// of linear temporal logic: AG (a -> AF b) becomes G (a -> F b). If f is equivalent to any property of
// runs, it is equivalent to this one (E. M. Clarke, I. A. Draghicescu, LNCS 354, 1988, Theorem 1).
// Linear returns false if some quantifier demands only one run, since then no run has to do what f
// demands. It also returns false if f is about labels of transitions. Cost O(length of f).
func (f *Formula) Linear() (string, bool) {
	onRuns, quantified, universal := f.onRuns(true)
	if !universal || !quantified {
		return "", false
	}
	return onRuns.String(), true
}

// onRuns returns f without its quantifiers, and whether it has any. universal reports whether all of
// them demand all runs; positive is false where the negation of f is meant.
func (f *Formula) onRuns(positive bool) (linear *Formula, quantified, universal bool) {
	if f == nil {
		return nil, false, true
	}
	same := *f
	same.left = nil
	same.right = nil
	leftPositive := positive
	rightPositive := positive
	switch f.op {
	case Next, Until, Release, WeakUntil, StrongRelease:
		if f.path != All || !positive || f.labels != nil || f.last != nil {
			return nil, true, false
		}
		same.path = OnRun
		quantified = true
	case Taken, Quantified:
		return nil, true, false
	case Not:
		rightPositive = !positive
	case Implies:
		leftPositive = !positive
	}
	left, leftQuantified, leftUniversal := f.left.onRuns(leftPositive)
	right, rightQuantified, rightUniversal := f.right.onRuns(rightPositive)
	same.left = left
	same.right = right
	return &same, quantified || leftQuantified || rightQuantified, leftUniversal && rightUniversal
}
