package printable

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns a part of a JSON document with the characters that [Text] escapes written as \u and
// four digits: then a terminal can show the document as safely as a result of Text, and for a
// program it is unchanged. No parser is needed: such characters beyond ASCII occur only in strings,
// and the only one within ASCII that JSON allows is delete. The part must be valid UTF-8 and not
// end within a character. Cost O(len(part)); a part without such characters is returned without a
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
		switch {
		case r >= 0x7f && isHidden(r) && r > 0xffff:
			high, low := utf16.EncodeRune(r)
			escaped = fmt.Appendf(escaped, `\u%04x\u%04x`, high, low)
		case r >= 0x7f && isHidden(r):
			escaped = fmt.Appendf(escaped, `\u%04x`, r)
		default:
			escaped = append(escaped, part[at:at+size]...)
		}
		at += size
	}
	return escaped
}
