package printable

import (
	"fmt"
	"strings"
)

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

// What a message shows: words up to longestWord bytes, of a longer one what [Echo] returns; and of more than
// longestMessage bytes the beginning.
const (
	longestWord    = 200
	longestMessage = 4_000
)

// Brief returns [Text] of a message in which all that is very long, since somebody wrote it, is cut. Cost
// O(len(message)).
func Brief(message string) string {
	if len(message) <= longestWord {
		return Text(message)
	}
	var b strings.Builder
	for len(message) > 0 && b.Len() <= longestMessage {
		end := strings.IndexByte(message, ' ') + 1
		if end == 0 {
			end = len(message)
		}
		word := message[:end]
		if message = message[end:]; len(word) > longestWord {
			word = Echo(word) + " "
		}
		b.WriteString(word)
	}
	text := strings.TrimRight(b.String(), " ")
	if len(message) > 0 {
		text += " …"
	}
	return Text(text)
}

// Quantity returns a number with its noun, in the plural where that is due.
func Quantity(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
