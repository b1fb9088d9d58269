package aut

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/testing/mutation"
)

// grammar is the shape of a line, written down once more: between the numbers
// at both ends lies whatever reaches to the final comma.
var grammar = regexp.MustCompile(`(?s)^[ \t\r]*\([ \t\r]*([0-9]+)[ \t\r]*,(.*),[ \t\r]*([0-9]+)[ \t\r]*\)[ \t\r]*$`)

// parseByGrammar is the reference for parseTransition.
func parseByGrammar(line string) (from, label, to string, ok bool) {
	parts := grammar.FindStringSubmatch(line)
	if parts == nil {
		return "", "", "", false
	}
	label = strings.Trim(parts[2], " \t\r")
	if rest, quoted := strings.CutPrefix(label, `"`); quoted {
		if label, quoted = strings.CutSuffix(rest, `"`); !quoted {
			return "", "", "", false
		}
	} else if label == "" {
		return "", "", "", false
	}
	return parts[1], label, parts[3], true
}

// valueOf is the reference for number.
func valueOf(digits string) uint64 {
	n, _ := new(big.Int).SetString(digits, 10)
	if n.Cmp(big.NewInt(tooLarge)) >= 0 {
		return tooLarge
	}
	return n.Uint64()
}

// checkLine compares parseTransition with the grammar on one line, and looks
// whether every other line is explained.
func checkLine(t interface {
	Helper()
	Fatalf(string, ...any)
}, line string) {
	t.Helper()
	got, ok := parseTransition([]byte(line))
	wantFrom, wantLabel, wantTo, want := parseByGrammar(line)
	switch {
	case ok != want:
		t.Fatalf("%q: accepted %v, want %v", line, ok, want)
	case ok && (got.from != valueOf(wantFrom) || string(got.label) != wantLabel || got.to != valueOf(wantTo)):
		t.Fatalf("%q: %d %q %d, want %s %q %s", line, got.from, got.label, got.to, wantFrom, wantLabel, wantTo)
	case !ok && strings.Trim(line, " \t\r") != "":
		r := explainTransition([]byte(line))
		if r.message == "" || len(r.message) > 300 || strings.ContainsFunc(r.message, unicode.IsControl) {
			t.Fatalf("%q: refused with %q", line, r.message)
		}
	}
}

// anyLine draws lines that are transitions, or nearly.
func anyLine() *rapid.Generator[string] {
	token := rapid.SampledFrom([]string{
		"(", ")", ",", `"`, `"`, "0", "17", "4294967295", "00000000000000000001", "123456789012345678901", "-1", "1/3",
		" ", "\t", "\r", "a", "b !1", `\"`, ":GREEN", ":N:G", "\x00", "\xff", "des",
	})
	return rapid.Custom(func(t *rapid.T) string {
		label := strings.Join(rapid.SliceOfN(token, 0, 6).Draw(t, "label"), "")
		if rapid.Bool().Draw(t, "quoted") {
			label = `"` + label + `"`
		}
		line := []string{"(", "12", ",", " ", label, " ", ",", "3", ")"}
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			line[rapid.IntRange(0, len(line)-1).Draw(t, "where")] = token.Draw(t, "what")
		}
		return strings.Join(line, "")
	})
}

func TestParseTransitionFollowsTheGrammar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkLine(t, anyLine().Draw(t, "line")) })
}

func FuzzParseTransition(f *testing.F) {
	f.Add(`(0, "a", 1)`)
	f.Add(`(0,a,1)`)
	f.Add(`(14:N:G, "EXEC":GREEN, -1)`)
	f.Add(`(3,"c",0 1/7 1 3/7 2 2/7 3)`)
	f.Add("\t( 17 ,\t\"a\", 1)\" , 00000000001 )\r")
	f.Fuzz(func(t *testing.T, line string) {
		defer mutation.Limited()()
		checkLine(t, line)
	})
}

func TestNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.StringMatching(`[^0-9]{0,12}`).Draw(t, "before")
		digits := rapid.StringMatching(`[0-9]{1,25}`).Draw(t, "digits")
		behind := rapid.StringMatching(`[^0-9]{0,12}`).Draw(t, "behind")
		line := []byte(before + digits + behind)
		start, end := len(before), len(before)+len(digits)
		if n, i := number(line, start); n != valueOf(digits) || i != end {
			t.Fatalf("%q from %d: %d up to %d", line, start, n, i)
		}
	})
}

// TestNumberWithoutDigits also has the bytes beside the digits, and beyond
// ASCII, in every place of a word.
func TestNumberWithoutDigits(t *testing.T) {
	for c := range 256 {
		isDigit := c >= '0' && c <= '9'
		for place := range 10 {
			line := []byte("1234567890")
			line[place] = byte(c)
			wantEnd := len(line)
			if !isDigit {
				wantEnd = place
			}
			n, end := number(line, 0)
			if want, _ := strconv.ParseUint(string(line[:wantEnd]), 10, 64); n != want || end != wantEnd {
				t.Errorf("%q: %d up to %d, want %d up to %d", line, n, end, want, wantEnd)
			}
		}
	}
}
