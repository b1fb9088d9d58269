// Package role says what a pattern wants of each of its steps.
//
// A pattern has as many roles as steps.
package role

import "github.com/inev-lts/inev/property"

// Role is the part that a step has in its pattern. Advice, vacuity and the question which steps a
// property asks for depend on the roles of the steps, and on nothing else in the pattern.
type Role uint8

// The roles. A run that satisfies the pattern still does so if a step that is demanded or allowed
// has more labels, or if a step of another role has fewer.
const (
	Demanded  Role = iota + 1 // it has to happen
	Allowed                   // nothing else may happen
	Forbidden                 // it may not happen, or not as often
	Trigger                   // where it happens, something else has to happen later
	Condition                 // if it does not happen, the pattern holds; if it does, nothing else has to happen later
)

// Asks reports whether the property asks for a step of this role, or forbids it. The other roles
// are occasions on which the property asks for something.
func (r Role) Asks() bool { return r == Demanded || r == Allowed || r == Forbidden }

// Of returns the role of each of the steps of s, without the delimiters of its scope; nil for a
// kind that is no pattern. Cost O(steps).
func Of(s property.Specification) []Role {
	roles := make([]Role, len(s.Steps))
	fill := func(steps []Role, role Role) {
		for i := range steps {
			steps[i] = role
		}
	}
	last := max(0, len(roles)-1)
	switch s.Kind {
	case property.KindInev:
		fill(roles, Demanded)
	case property.KindResponse:
		fill(roles, Demanded)
		fill(roles[:1], Trigger)
	case property.KindNever:
		fill(roles, Condition)
		fill(roles[last:], Forbidden)
	case property.KindPrecedes:
		fill(roles, Demanded)
		fill(roles[last:], Condition)
	case property.KindAlways:
		fill(roles, Allowed)
	case property.KindAtMost:
		fill(roles, Forbidden)
	case property.KindDeadlockFree:
	default:
		return nil
	}
	return roles
}
