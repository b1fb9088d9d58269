package render_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
)

// sentencesOf returns what is said of an explanation, claim by claim: as it is told, and with
// no list cut. What is told in short is checked against the latter, and by read where it is
// advice, whose guards are counted then.
func sentencesOf(e *explain.Explanation, read func(string) error) (short, full []string, err error) {
	s := render.NewSentences(e, printable.Code)
	for _, c := range s.Story().All() {
		short, full = append(short, s.Say(c)), append(full, s.InFull().Say(c))
		if i := len(short) - 1; short[i] != full[i] {
			err := isCut(c.Kind(), short[i], full[i])
			if readShort[c.Kind()] && err == nil {
				err = read(short[i])
			}
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w:\n%s\n%s", c.Kind(), err, short[i], full[i])
			}
		}
	}
	for _, brief := range s.InBrief().Hold() {
		if slices.ContainsFunc(short, func(sentence string) bool { return brief == sentence || brief == withoutWays(sentence) }) {
			continue
		}
		if err := read(brief); err != nil {
			return nil, nil, fmt.Errorf("in brief: %w", err)
		}
	}
	return short, full, nil
}

var (
	waysAlone    = regexp.MustCompile(`: .+ (?:is the other choice|are the other choices)\.$`)
	waysAndCosts = regexp.MustCompile(`: .+ (?:is the other choice|are the other choices); `)
)

// withoutWays leaves the other choices out of what to forbid.
func withoutWays(sentence string) string {
	return waysAlone.ReplaceAllString(waysAndCosts.ReplaceAllString(sentence, ": "), ".")
}

var (
	counts     = regexp.MustCompile(`(?: (?:and|or) \d+ (?:more|other actions?)|; likewise (?:at least )?\d+ other (?:pairs?|sets? of \d+)|,? … \(\d+ more\)|\d+ other transitions?)`)
	cutStates  = regexp.MustCompile(`(?:In|in|at|from) states ([\d·, ]+) and (\d+) more`)
	lastNumber = regexp.MustCompile(` and (\d)`)
	numberList = regexp.MustCompile(`\d[\d·]*(?:, \d[\d·]*)+`)
)

// readShort are the kinds of claims whose short sentences are read back, too.
var readShort = map[string]bool{"advice": true, "only_triggers": true, "prevention": true, "owned": true}

// isCut checks that a sentence is another one with its lists cut to three and a count.
func isCut(kind, short, full string) error {
	for _, list := range numberList.FindAllString(short, -1) {
		if strings.Count(list, ",") > 3 { // of four, "and 1 more" would be no shorter
			return fmt.Errorf("the list %s is not cut", list)
		}
	}
	full = lastNumber.ReplaceAllString(full, ", $1")
	for _, m := range cutStates.FindAllStringSubmatch(short, -1) {
		more, _ := strconv.Atoi(m[2])
		rests := strings.Split(full, "states "+m[1]+", ")[1:]
		if !slices.ContainsFunc(rests, func(rest string) bool {
			return strings.Count(numberList.FindString("0, "+rest), ",") == more
		}) {
			return fmt.Errorf("%q counts %d", m[0], more)
		}
	}
	if readShort[kind] {
		return nil // guards are counted by their transitions, loops by their states
	}
	words := strings.Fields(full)
	for _, word := range strings.Fields(counts.ReplaceAllString(short, "")) {
		word = strings.Trim(word, ",.;()")
		for len(words) > 0 && strings.Trim(words[0], ",.;()") != word {
			words = words[1:]
		}
		if len(words) == 0 {
			return fmt.Errorf("%q is not in the long one", word)
		}
		words = words[1:]
	}
	return nil
}
