package batch

import (
	"bytes"
	"errors"
	"slices"
)

// A text of JSON that is kept is sealed: its last field is a checksum of all the
// bytes before that field. Then no bit can change, of a name, a verdict or a number,
// without being noticed.

// seal is how the checksum stands in a text: instead of end, there is before, the
// checksum, and after.
type seal struct{ end, before, after string }

var (
	lineSeal = seal{"}\n", `,"checksum":"`, "\"}\n"}
	planSeal = seal{"\n}\n", ",\n  \"checksum\": \"", "\"\n}\n"}
)

// checksumDigits is how many hexadecimal digits of a SHA-256 are kept: enough
// against accidents, and short in every line.
const checksumDigits = 16

var (
	errUnsealed = errors.New("it has no checksum")
	errSum      = errors.New("its checksum is another one")
)

// add returns an object, as JSON writes it, with its checksum.
func (s seal) add(object []byte) []byte {
	content := bytes.TrimSuffix(object, []byte(s.end))
	return slices.Concat(content, []byte(s.before), []byte(sum(content)[:checksumDigits]), []byte(s.after))
}

// check returns an error where a text is not as it was sealed.
func (s seal) check(text []byte) error {
	content, ends := bytes.CutSuffix(text, []byte(s.after))
	at := len(content) - checksumDigits
	if !ends || at < 0 || !bytes.HasSuffix(content[:at], []byte(s.before)) {
		return errUnsealed
	}
	if sum(content[:at-len(s.before)])[:checksumDigits] != string(content[at:]) {
		return errSum
	}
	return nil
}
