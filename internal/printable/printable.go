// Package printable makes texts of models and users, which may hold any bytes, safe to show to
// people: on a terminal, in a document, in a picture. The results are valid UTF-8 on one line (on
// two lines for [Caret]), cannot control the program that shows them, and are no markup where they
// are code.
package printable

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text returns a text that can be shown to people anywhere: valid UTF-8 on one
// line, without characters that are invisible, move the cursor, or change the
// direction of the text around them. Ordinary characters of all scripts stay; the
// others become \t, \n, \r, \x1b (controls of ASCII, and bytes that are no
// UTF-8), \u202e or \U000e0001.
//
// A backslash is not escaped, because labels with backslashes are more common
// than labels with characters that need one. Hence the result is for reading
// only: it does not distinguish the text \t from a tab. Cost O(len(text)); a text
// without characters to be escaped is returned without a copy.
func Text(text string) string {
	for at, r := range text {
		if isHidden(r) || r == utf8.RuneError {
			return escaped(text, at, isHidden)
		}
	}
	return text
}

// UTF8 returns the text with bytes that are no UTF-8 written as \x and two
// digits, for formats that cannot hold them. Everything else is unchanged. Cost
// O(len(text)); valid text is returned without a copy.
func UTF8(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return escaped(text, 0, func(rune) bool { return false })
}

// escaped escapes the hidden characters of a text, and bytes that are no UTF-8; its first clean bytes
// need no escape.
func escaped(text string, clean int, hidden func(rune) bool) string {
	var b strings.Builder
	b.WriteString(text[:clean])
	for at := clean; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[at])
		case !hidden(r):
			b.WriteRune(r)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r <= 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			// Two digits would mean a byte that is no UTF-8.
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		at += size
	}
	return b.String()
}

// isHidden reports whether a character must not be shown. Such characters are those that Unicode
// does not count among letters, marks, numbers, punctuation and symbols: controls, blanks other
// than the plain one, marks of direction or of zero width, and private or unassigned numbers.
// Others are those that Unicode says to show as nothing. Arabic and Syriac signs that Unicode
// counts among the format characters, but that have a shape, are not hidden.
func isHidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	if unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
		return false
	}
	return !unicode.IsPrint(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// Cut returns [Text] of the first length runes of a text, with an ellipsis if
// there are more. Cost O(length), however long the text is.
func Cut(text string, length int) string {
	first := First(text, length)
	if len(first) < len(text) {
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
	first := First(text, echoed)
	if len(first) < len(text) {
		return first + "…"
	}
	return text
}

// [Brief] shows words of up to longestWord bytes; of a longer word it shows what [Echo] shows. Of a
// message of more than longestMessage bytes, it shows the beginning, and the last longestEnd bytes,
// where the remedies are.
const (
	longestWord    = 200
	longestMessage = 800
	longestEnd     = 200
)

// Brief returns [Text] of a message, shortened: it cuts very long words, which come from users, and
// the middle of a message that is still longer than longestMessage. The texts in given, such as
// arguments with blanks, are cut as if each were a word. Cost O(len(message)) for each text in given.
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
		text = strings.ToValidUTF8(text[:longestMessage-longestEnd], "") + " … " +
			strings.ToValidUTF8(text[len(text)-longestEnd:], "")
	}
	return Text(text)
}

// List lists words, with the conjunction before the last one: "a, b or c".
func List(words []string, conjunction string) string {
	last := len(words) - 1
	if last > 0 {
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

// ordinals are the ordinal numbers that are written as words.
var ordinals = [...]string{
	1:  "first",
	2:  "second",
	3:  "third",
	4:  "fourth",
	5:  "fifth",
	6:  "sixth",
	7:  "seventh",
	8:  "eighth",
	9:  "ninth",
	10: "tenth",
}

// Ordinal returns the ordinal number of n, which must be positive: "first", "second", up to "tenth", then
// "11th".
func Ordinal(n int) string {
	switch {
	case n < len(ordinals):
		return ordinals[n]
	case n%10 == 1 && n%100 != 11:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2 && n%100 != 12:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3 && n%100 != 13:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

// AnOrdinal returns [Ordinal] with its article: "a second", "an eighth", "an 11th".
func AnOrdinal(n int) string {
	text := Ordinal(n)
	beginsWithVowel := n == 11 || n == 18 || text[0] == '8' || text[0] == 'e'
	if beginsWithVowel {
		return "an " + text
	}
	return "a " + text
}

// CaretWindow is the approximate number of columns of a long text that [Caret] shows.
const CaretWindow = 100

// Caret returns two lines: the text, and a caret under the byte at offset. Of a long text only the
// neighbourhood of the offset is shown. Every character counts as one column, and a control
// character is shown by its Unicode symbol; if wide or combining characters precede the offset, the
// caret is off by their number.
func Caret(text string, offset int) string {
	shown := []rune(Visible(text))
	column := utf8.RuneCountInString(text[:offset])
	if len(shown) > CaretWindow {
		first := max(0, min(column-CaretWindow/2, len(shown)-CaretWindow))
		end := first + CaretWindow
		if end < len(shown) {
			shown = append(shown[:end:end], '…')
		}
		if first > 0 {
			shown = append([]rune{'…'}, shown[first:]...)
			column -= first - 1 // the ellipsis takes a column, too
		}
	}
	line := strings.TrimRight(string(shown), " ")
	return line + "\n" + strings.Repeat(" ", column) + "^"
}

// Visible maps every character of text to one that is safe to show and takes a
// column of its own.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || '\t' <= r && r <= '\r':
			return ' '
		case r < ' ':
			return '␀' + r
		case r == 0x7f:
			return '␡'
		case !unicode.IsPrint(r):
			return utf8.RuneError
		}
		return r
	}, text)
}

// cellReplacers are the replacers of [Cell] and [FromCell].
type cellReplacers struct{ escape, read *strings.Replacer }

var cells = sync.OnceValue(func() cellReplacers {
	letters := map[int]string{'\\': `\\`, '\t': `\t`, '\n': `\n`, '\r': `\r`}
	var escape, read []string // pairs of a text and its replacement
	for c := range 256 {
		digits := fmt.Sprintf(`\x%02x`, c)
		read = append(read, digits, string([]byte{byte(c)}))
		letter, hasLetter := letters[c]
		isControl := c < ' ' || c == 0x7f
		switch {
		case hasLetter:
			read = append(read, letter, string(rune(c)))
			escape = append(escape, string(rune(c)), letter)
		case isControl:
			escape = append(escape, string(rune(c)), digits)
		}
	}
	return cellReplacers{
		escape: strings.NewReplacer(escape...),
		read:   strings.NewReplacer(read...),
	}
})

// Cell returns a text as it is written in a cell of a tab-separated table:
// backslash, tab, line feed and carriage return as \\, \t, \n and \r, any other
// control character of ASCII as \x and two digits, so that the text neither ends
// the cell nor controls a terminal that shows the table. All other bytes are
// unchanged. [FromCell] is the inverse. Cost O(len(text)).
func Cell(text string) string { return cells().escape.Replace(text) }

// FromCell returns the text from which [Cell] made a cell. A backslash that begins no escape means
// itself, since people write such cells. Cost O(len(cell)).
func FromCell(cell string) string { return cells().read.Replace(cell) }

// plainWord matches a word that no shell interprets.
var plainWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_./:=@%+,-]+$`)
})

// ShellWord writes a text as one word of a POSIX shell, in quotes if a shell would interpret it. Words
// with invisible characters are written as $'…', which POSIX has since 2024 and the common shells
// had long before. Cost O(len(word)).
func ShellWord(word string) string {
	if plainWord().MatchString(word) {
		return word
	}
	isInvisible := func(r rune) bool {
		return !unicode.IsPrint(r) || r == unicode.ReplacementChar
	}
	if !strings.ContainsFunc(word, isInvisible) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	// All but printable ASCII is written as octal bytes.
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(word) {
		c := word[i]
		isPlain := c >= ' ' && c < 0x7f && c != '\'' && c != '\\'
		if isPlain {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	return b.String() + "'"
}

// Code formats a text as Markdown code, made printable: in code, hosts interpret
// no markup, links or names of users. The fence is longer than any run of
// backquotes in the text. Cost O(len(text)).
func Code(text string) string {
	text = Text(text)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || text == "" {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// CodeCell formats a text as code in a cell of a table. A vertical bar would end the
// cell even in code, unless a backslash precedes it. If the text already has a
// backslash there, hosts disagree on the meaning, so that HTML is used. Cost
// O(len(text)).
func CodeCell(text string) string {
	text = Text(text)
	if !strings.Contains(text, `\|`) {
		return strings.ReplaceAll(Code(text), "|", `\|`)
	}
	var b strings.Builder
	for _, r := range text {
		if r < utf8.RuneSelf && (unicode.IsPunct(r) || unicode.IsSymbol(r)) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return "<code>" + b.String() + "</code>"
}

// JSON returns a part of a JSON document with the characters that [Text] escapes written as \u and four
// digits: then a terminal can show the document as safely as a result of Text, and for a program it is
// unchanged. No parser is needed: outside of strings JSON has none of these characters, and inside of
// strings the only one of ASCII that JSON does not escape is delete. The part must be valid UTF-8 and
// not end within a character. Cost O(len(part)); a part without such characters is returned without a
// copy.
func JSON(part []byte) []byte {
	clean := 0
	for clean < len(part) && part[clean] < 0x7f {
		clean++
	}
	if clean == len(part) {
		return part
	}
	escaped := append(make([]byte, 0, len(part)+16), part[:clean]...)
	for at := clean; at < len(part); {
		r, size := utf8.DecodeRune(part[at:])
		isEscaped := r >= 0x7f && isHidden(r)
		switch {
		case isEscaped && r > 0xffff:
			high, low := utf16.EncodeRune(r)
			escaped = fmt.Appendf(escaped, `\u%04x\u%04x`, high, low)
		case isEscaped:
			escaped = fmt.Appendf(escaped, `\u%04x`, r)
		default:
			escaped = append(escaped, part[at:at+size]...)
		}
		at += size
	}
	return escaped
}
