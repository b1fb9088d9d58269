package autx

import "github.com/inev-lts/inev/lts"

// Model is the content of a file.
type Model struct {
	// LTS has the state numbers of the file.
	LTS *lts.LTS
	// Colours[i] is the colour of the i-th transition of LTS.Transitions.
	Colours []Colour
	// Kinds has the kind of each state that is marked as a neighbourhood.
	Kinds map[lts.State]Kind
	// Sink is the state for the target -1 of the file; it has no meaning unless
	// HasSink is true.
	Sink    lts.State
	HasSink bool
}

// Colour is CLEAR's mark on a transition.
type Colour uint8

// The colours.
const (
	Unset Colour = iota // not known
	Green               // correct
	Red                 // incorrect
	Black               // neutral
)

var colourNames = [...]string{Unset: "UNSET", Green: "GREEN", Red: "RED", Black: "BLACK"}

// String returns the name used in files.
func (c Colour) String() string { return colourNames[c] }

// colourOf returns the colour of this name.
func colourOf(name []byte) (Colour, bool) {
	for c, n := range colourNames {
		if n == string(name) {
			return Colour(c), true
		}
	}
	return Unset, false
}

// Kind is CLEAR's mark on a neighbourhood: the colours that leave it.
type Kind uint8

// The kinds.
const (
	NoNeighbourhood Kind = iota
	Unknown
	GreenKind     // G: green, or green and black
	RedKind       // R: red, or red and black
	GreenRed      // GR
	GreenRedBlack // GRB
)

var kindNames = [...]string{NoNeighbourhood: "", Unknown: "U", GreenKind: "G", RedKind: "R", GreenRed: "GR", GreenRedBlack: "GRB"}

// String returns the letters used in files, "" if there is no neighbourhood.
func (k Kind) String() string { return kindNames[k] }

// kindOf returns the kind with these letters.
func kindOf(letters []byte) (Kind, bool) {
	for k, n := range kindNames {
		if n == string(letters) && n != "" {
			return Kind(k), true
		}
	}
	return NoNeighbourhood, false
}
