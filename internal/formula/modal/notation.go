package modal

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
)

// Notation is what distinguishes a formula of MCL or of mCRL2 from one of computation tree logic with the same text.
type Notation struct {
	// IsModal reports a fixpoint, a quantifier, a condition, an offer that binds, a number of repetitions, <R> @ or
	// [R] -|, which computation tree logic lacks, or the modality [true*…], which is hardly meant as a pattern of labels
	// there.
	IsModal bool
	// HasRegular reports a modality with a sign of regular formulas, or that begins with an action formula in
	// parentheses, braces or single quotes.
	HasRegular bool
	// HasBareSigns reports a modality with a *, | or || that no pattern in quotes precedes. Such a
	// sign does not decide which logic is meant: in computation tree logic, b* is a pattern of
	// labels, and a|b is a disjunction; in the other logics, b* is a repetition, and in mCRL2 a|b
	// is the label of two actions that happen at once.
	HasBareSigns bool
}

// NotationOf returns the notation of a text, which may be a formula of any logic. Cost O(length of the text).
func NotationOf(text string) Notation {
	var n Notation
	tokens := tokensOfAnyLogic(text)
	for i, t := range tokens {
		rest := tokens[i+1:]
		switch {
		case t.is("[", "<"):
			n.addModality(rest)
		case t.kind == offers:
			n.IsModal = n.IsModal || bindsOffers(t.text)
		case isModalWord(t, rest):
			n.IsModal = true
		}
	}
	return n
}

// tokensOfAnyLogic returns the tokens of a text, without arguments after names, and then a token
// that ends it. It leaves out characters that begin no token of MCL.
func tokensOfAnyLogic(text string) []token {
	l := &lexer{ctx: context.Background(), source: &source{text: text}, isFlat: true}
	var all []token
	for {
		var t token
		begin := l.pos
		err := abort.Try(func() { t = l.next() })
		switch {
		case err != nil:
			l.pos = max(l.pos, begin) + 1
		case t.kind == end:
			return append(all, t)
		default:
			all = append(all, t)
		}
		if l.pos > len(text) {
			return append(all, token{})
		}
	}
}

// isModalWord reports whether a fixpoint, a quantifier or a condition begins with a word, before other tokens.
func isModalWord(t token, rest []token) bool {
	if t.kind != word || len(rest) < 2 {
		return false
	}
	isNamed := rest[0].kind == word
	switch t.text {
	case "mu", "nu":
		return isNamed && rest[1].is(".", "(")
	case "forall", "exists":
		return isNamed && rest[1].is(":", ",")
	}
	return rest[0].is("(") && (t.text == "val" || isOwnMacro(t.text))
}

// bindsOffers reports whether an offer in braces binds a variable, or is subject to a condition.
func bindsOffers(text string) bool {
	tokens := tokensOfAnyLogic(text)
	for i, t := range tokens {
		if i > 0 && t.is("where") {
			return true
		}
		if !t.is("?") || tokens[i+1].kind != word {
			continue
		}
		next := tokens[i+2]
		if next.kind == end || next.is(":", "of", "!", "?", "...") {
			return true
		}
	}
	return false
}

// asTimes reports whether a text in braces is a number of repetitions, as in R {3} and R {2 ... 4}.
func asTimes(text string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	_, err := strconv.ParseUint(first, 10, 32)
	return err == nil
}

// addModality records what the tokens after the bracket of a modality show about the notation, if
// the modality is closed.
func (n *Notation) addModality(rest []token) {
	length := slices.IndexFunc(rest, func(t token) bool { return t.is("]", ">") })
	if length <= 0 {
		return // it is not closed, or empty
	}
	inside := rest[:length]
	behind := rest[length+1:]
	n.IsModal = n.IsModal || onlyModal(inside, behind)
	first := inside[0]
	n.HasRegular = n.HasRegular || first.is("(") || first.kind == offers || first.kind == pattern
	hasPattern := false
	for _, t := range inside {
		hasPattern = hasPattern || t.kind == pattern
		isSign := t.kind == sign && strings.ContainsAny(t.text, "*+|.")
		n.HasRegular = n.HasRegular || isSign
		n.HasBareSigns = n.HasBareSigns || t.is("*", "|", "||") && !hasPattern
	}
}

// onlyModal reports whether only MCL and the mu-calculus have a modality with these tokens inside its
// brackets and behind them: one such as [ true* . A ], one with a number of repetitions, or one about
// infinite sequences, with @ or -| behind it.
func onlyModal(inside, behind []token) bool {
	beginsAnywhere := len(inside) > 1 && inside[0].is("true") && inside[1].is("*")
	hasTimes := slices.ContainsFunc(inside[1:], func(t token) bool {
		return t.kind == offers && asTimes(t.text)
	})
	isAboutForever := len(behind) > 0 && behind[0].is("@", "-|")
	return beginsAnywhere || hasTimes || isAboutForever
}
