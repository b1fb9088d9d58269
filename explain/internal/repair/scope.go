package repair

import (
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Goal is what a repair has to make true, and by which means.
type Goal struct {
	Property *property.Property
	// Controllable reports which labels may be forbidden, and IsProhibited which the property
	// prohibits; it is nil if the property is no prohibition.
	Controllable, IsProhibited func(lts.Label) bool
}

// Scope is a scope that counts only once it has ended, as in Never(X; between A and B). A repair of
// such a property may forbid B, which says little: X would still happen.
type Scope struct {
	// Strict is a stricter property, by which X is a violation as soon as it happens in the scope.
	// IsProhibited reports which labels it prohibits; nil if it is no prohibition.
	Strict       *property.Property
	IsProhibited func(lts.Label) bool
	// Ends reports which labels end the scope.
	Ends func(lts.Label) bool
}

// Repair returns a repair of the property p that does not forbid what ends the scope, with its goal. The
// repair forbids X in the scope, if that is enough, and if the scope can still begin in each way in
// which it began before. Otherwise it forbids what leads to X in the scope, or what leads from X to
// the end of the scope. Repair returns nil if there is no such repair. find finds a repair; it may
// return nil.
func (s *Scope) Repair(
	p *property.Property,
	isControllable, begins func(lts.Label) bool,
	find func(Goal) (*Repair, error),
) (*Repair, Goal, error) {
	mayForbid := func(l lts.Label) bool { return isControllable(l) && !s.Ends(l) }
	strict := Goal{s.Strict, mayForbid, s.IsProhibited}
	loose := Goal{p, mayForbid, s.IsProhibited}
	ofStrict, err := find(strict)
	if err != nil {
		return nil, Goal{}, err
	}
	isUseful := ofStrict != nil && ofStrict.Solvable && ofStrict.keepsAll(begins)
	if isUseful && s.IsProhibited != nil && ofStrict.ForbidsOnly(s.IsProhibited) {
		return ofStrict, strict, nil
	}
	ofLoose, err := find(loose)
	if err != nil {
		return nil, Goal{}, err
	}
	isPossible := ofLoose != nil && ofLoose.Solvable
	switch {
	case isUseful && (!isPossible || s.prefers(ofStrict, ofLoose)):
		return ofStrict, strict, nil
	case isPossible:
		return ofLoose, loose, nil
	}
	return nil, Goal{}, nil
}

// prefers reports whether a repair of the stricter property is better advice than one of the property
// itself: it forbids no more transitions, and keeps almost as much of the model.
func (s *Scope) prefers(strict, loose *Repair) bool {
	isProhibited := s.IsProhibited
	if isProhibited == nil {
		isProhibited = func(lts.Label) bool { return false }
	}
	return len(strict.Never) <= len(loose.Never) &&
		strict.Kept().keepsEnough(loose.Kept(), isProhibited)
}
