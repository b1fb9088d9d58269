package property

import (
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/enumeration"
)

// Phrase is a text about a property, such as "waiting for ACK since REQ", in pieces. A renderer can set
// the pieces that quote the property, here ACK and REQ, in the type of labels.
type Phrase []Word

// Word is a piece of a phrase. It includes the blanks around it.
type Word struct {
	Text string
	// Quoted reports whether the text quotes the property: a pattern, a formula.
	Quoted bool
	// Kind is the meaning of the piece, for programs that take a phrase apart.
	Kind WordKind
}

// WordKind is the kind of a word; 0 for most words.
type WordKind uint8

// The kinds of words.
const (
	Waiting          WordKind = iota + 1 // begins the state of a run: "waiting for …", "in state …"
	Again                                // follows a thing that the run waits for again and again
	Forbidding                           // follows an action that is forbidden from the beginning
	ForbiddingSince                      // follows an action that is forbidden from now on: "is not allowed any more"
	ForbiddingNext                       // follows an action that must not come next
	ForbiddingBefore                     // follows an action that is forbidden until another one, which the rest of the phrase names
	Limit                                // precedes the action before which, or up to which, something is restricted
	Happened                             // follows what has happened
	Aftermath                            // follows what has happened if nothing was pending before
	Contrast                             // precedes what was pending before something has happened
	since                                // precedes the actions since which the run waits
	hopeless                             // no run can satisfy the property any more, for an unknown reason
)

// String returns the phrase in one piece. Cost O(length of the text).
func (p Phrase) String() string {
	var b strings.Builder
	for _, w := range p {
		b.WriteString(w.Text)
	}
	return b.String()
}

// waiting returns "waiting for A", and "since B, C" after it if there are actions.
func waiting(awaited string, actions ...string) Phrase {
	p := Phrase{{Text: "waiting for ", Kind: Waiting}, {Text: awaited, Quoted: true}}
	before := Word{Text: " since ", Kind: since}
	for _, text := range actions {
		p = append(p, before, Word{Text: text, Quoted: true})
		before = Word{Text: ", "}
	}
	return p
}

// cannotHold is the text for a violation whose cause is unknown.
const cannotHold = "it cannot hold any more"

// Hopeless returns the phrase for a state of a formula from which it cannot hold
// any more.
func Hopeless() Phrase { return Phrase{{Text: cannotHold, Kind: hopeless}} }

// isHopeless reports whether the phrase is [Hopeless].
func (p Phrase) isHopeless() bool { return len(p) == 1 && p[0].Kind == hopeless }

// After returns the phrase to be shown after an action. p is the phrase of the state after the
// action, and previous the phrase of the state in front of it. The result is p, unless p is
// [Hopeless] and previous is not. In that case, it describes the effect of the action. Cost
// O(length of the text).
func (p Phrase) After(previous Phrase, action string) Phrase {
	if !p.isHopeless() || previous.isHopeless() {
		return p
	}
	happened := Phrase{{Text: action, Quoted: true}, {Text: " has happened", Kind: Happened}}
	switch {
	case len(previous) == 0:
		return append(happened, Word{Text: ", after which " + cannotHold, Kind: Aftermath})
	case previous.forbids(action):
		ban := Word{Text: ", which" + previous[1].Text, Kind: previous[1].Kind}
		return append(append(happened, ban), previous[2:]...)
	}
	contrast := ", but "
	if previous.Waits() {
		contrast = ", but the run was still "
	}
	return append(append(happened, Word{Text: contrast, Kind: Contrast}), previous...)
}

// forbids reports whether the phrase only forbids this action.
func (p Phrase) forbids(action string) bool {
	if len(p) < 2 {
		return false
	}
	isAboutAction := p[0].Text == action || p[0].Text == strconv.Quote(action)
	if !isAboutAction {
		return false
	}
	switch p[1].Kind {
	case Forbidding, ForbiddingSince, ForbiddingNext:
		return len(p) == 2
	case ForbiddingBefore:
		return len(p) == 4
	}
	return false
}

// Awaits returns the text of the first thing that the phrase waits for; "" if the phrase does not
// wait for anything. alone reports whether nothing else follows, except since when the run waits,
// or that it waits again and again. Cost O(1).
func (p Phrase) Awaits() (text string, alone bool) {
	if len(p) < 2 || p[0].Kind != Waiting || !p[1].Quoted {
		return "", false
	}
	rest := p[2:]
	if len(rest) > 0 && rest[0].Kind == Again {
		rest = rest[1:]
	}
	return p[1].Text, len(rest) == 0 || rest[0].Kind == since
}

// Waits reports whether the phrase describes the state of the run, "waiting for
// …" or "in state …", and not what is allowed or has happened. Cost O(1).
func (p Phrase) Waits() bool {
	return len(p) > 0 && p[0].Kind == Waiting
}

// UpTo returns the end of a phrase that describes nothing but a restriction up to one action: its word of
// the kind [Limit], and this action. It returns nil for other phrases. Cost O(words).
func (p Phrase) UpTo() Phrase {
	limit := slices.IndexFunc(p, func(w Word) bool { return w.Kind == Limit })
	joinsClauses := slices.ContainsFunc(p, func(w Word) bool { return !w.Quoted && w.Text == "; " })
	if limit < 0 || limit != len(p)-2 || joinsClauses || p.Waits() {
		return nil
	}
	return p[limit:]
}

// HasSince reports whether the phrase names actions after "since". Cost O(words).
func (p Phrase) HasSince() bool {
	return slices.ContainsFunc(p, func(w Word) bool { return w.Kind == since })
}

// Kind is the pattern or syntax in which a property was written; 0, with an empty
// name, if that is unknown.
type Kind uint8

// The kinds.
const (
	KindInev         Kind = iota + 1 // the steps occur, one after the other
	KindResponse                     // after each request the steps occur
	KindNever                        // the steps do not occur one after the other
	KindPrecedes                     // before the last step the others occur, one after the other
	KindAlways                       // no other action than the step occurs
	KindAtMost                       // the step occurs a number of times at most
	KindDeadlockFree                 // the run does not end
	KindLTL                          // a formula of linear temporal logic
	KindHOA                          // an automaton from a file
	KindMuCalculus                   // a formula of MCL or of the mu-calculus
	KindClaim                        // what a never claim forbids
)

var kindNames = enumeration.New("kind of property", "",
	"inev",
	"response",
	"never",
	"precedes",
	"always",
	"at_most",
	"deadlock_free",
	"ltl",
	"hoa",
	"mu_calculus",
	"claim",
)

func (k Kind) String() string { return kindNames.Name(uint8(k)) }

// MarshalText returns the name of the kind.
func (k Kind) MarshalText() ([]byte, error) { return kindNames.Text(uint8(k)) }

// UnmarshalText sets the kind by its name.
func (k *Kind) UnmarshalText(text []byte) error { return enumeration.Set(kindNames, k, text) }
