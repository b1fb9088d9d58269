package report

import "github.com/inev-lts/inev/internal/printable"

// Printable returns the text as it can be shown to people anywhere: valid UTF-8
// on one line, without anything that is invisible, moves the cursor, or changes
// the direction of what stands around it; such things are shown as \t, \x1b or
// \u202e. It is for reading: a backslash stays as it is. Cost O(len(text)).
func Printable(text string) string { return printable.Text(text) }
