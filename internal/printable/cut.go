package printable

import (
	"fmt"
	"strings"
)

// Cut returns [Text] of the first length runes of a text, with an ellipsis if
// there are more. Cost O(length), however long the text is.
func Cut(text string, length int) string {
	if first := First(text, length); len(first) < len(text) {
		return Text(first) + "…"
	}
	return Text(text)
}

// First returns the first characters of a text, at most n. Cost O(n).
func First(text string, n int) string {
	for at := range text {
		if n == 0 {
			return text[:at]
		}
		n--
	}
	return text
}

// Label returns [Cut] of a label, in quotes if the label is empty, or begins or ends with a blank.
func Label(label string, length int) string {
	text := Cut(label, length)
	if strings.TrimSpace(text) != text || text == "" {
		return `"` + text + `"`
	}
	return text
}

// echoed is the number of characters of a text that an error shows.
const echoed = 60

// Echo returns the part of a user's text that an error shows: the whole text, or its beginning with
// an ellipsis. It escapes no characters: the code that shows the error does that, see [Text]. Cost
// O(1).
func Echo(text string) string {
	if first := First(text, echoed); len(first) < len(text) {
		return first + "…"
	}
	return text
}

// A message shows words of up to longestWord bytes, and [Echo] of longer ones; of a message of more
// than longestMessage bytes it shows the beginning, and longestEnd bytes of the end, where the
// remedies are.
const (
	longestWord    = 200
	longestMessage = 800
	longestEnd     = 200
)

// Brief returns [Text] of a message, and cuts its very long words, which come from users. The
// texts in given, such as arguments with blanks, are cut as if each were a word. Cost
// O(len(message)) for each text in given.
func Brief(message string, given ...string) string {
	if len(message) <= longestWord {
		return Text(message)
	}
	for _, text := range given {
		if len(text) > longestWord {
			message = strings.ReplaceAll(message, text, Echo(text))
		}
	}
	var b strings.Builder
	for _, word := range strings.SplitAfter(message, " ") {
		if len(word) > longestWord {
			word = Echo(word) + " "
		}
		b.WriteString(word)
	}
	text := strings.TrimRight(b.String(), " ")
	if len(text) > longestMessage {
		text = strings.ToValidUTF8(text[:longestMessage-longestEnd], "") + " … " + strings.ToValidUTF8(text[len(text)-longestEnd:], "")
	}
	return Text(text)
}

// List lists words, with the conjunction before the last one: "a, b or c".
func List(words []string, conjunction string) string {
	if last := len(words) - 1; last > 0 {
		return strings.Join(words[:last], ", ") + " " + conjunction + " " + words[last]
	}
	return strings.Join(words, "")
}

// Quantity returns a number with its noun, which is in the plural unless the number is 1.
func Quantity(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
