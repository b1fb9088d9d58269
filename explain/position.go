package explain

import "fmt"

// Position is a line of an action: its definition or, if it has none, its first occurrence.
type Position struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1
	Text string `json:"text"` // the text of the line, without blanks around it
	// Definition reports whether this line defines the action. Others is the number of other lines
	// that mention it.
	Definition bool `json:"definition"`
	Others     int  `json:"others"`
}

// String returns FILE:LINE, and the number of other lines.
func (p Position) String() string {
	text := fmt.Sprintf("%s:%d", p.File, p.Line)
	switch p.Others {
	case 0:
		return text
	case 1:
		return text + " and 1 other place"
	}
	return fmt.Sprintf("%s and %d other places", text, p.Others)
}

// position returns the position of the action of a label, nil if it is not known.
func (a *Analysis) position(label string) *Position {
	if a.files == nil {
		return nil
	}
	return a.files(label)
}
