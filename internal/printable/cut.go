package printable

import "fmt"

// Cut returns [Text] of the first runes of a text, with an ellipsis where there are more
// than length of them. Cost O(length), however long the text is.
func Cut(text string, length int) string {
	n := 0
	for at := range text {
		if n == length {
			return Text(text[:at]) + "…"
		}
		n++
	}
	return Text(text)
}

// echoed is the number of characters of a text that an error repeats.
const echoed = 60

// Echo returns what an error repeats of a text that somebody wrote: all of it, or its beginning with an
// ellipsis. Characters stay as they are; whoever shows the error sees to them, see [Text]. Cost O(1).
func Echo(text string) string {
	n := 0
	for at := range text {
		if n == echoed {
			return text[:at] + "…"
		}
		n++
	}
	return text
}

// Quantity returns a number with its noun, in the plural where that is due.
func Quantity(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
