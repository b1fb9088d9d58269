package modal

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/formula/temporal"
)

// atom reads a pattern of labels.
func (p *parser) atom() *temporal.Formula {
	t := p.next()
	switch {
	case t.is("true"):
		p.take()
		return temporal.True()
	case t.is("false"):
		p.take()
		return temporal.False()
	case t.is("tau"):
		p.take()
		return p.matching(t, "{tau}")
	case t.is("delay", "yaled"):
		refuse(t, "an action formula without time")
	case p.isMCL && t.is("let", "if"), p.isMCL && t.kind == word && slices.Contains(unread, t.text):
		abort.On(t.refused("an action or a regular expression",
			t.text+" is not read among actions; write the cases as formulas with if"))
	}
	switch t.kind {
	case label:
		p.take()
		if strings.Contains(t.text, `\`) {
			refuseBackslash(t)
		}
		return p.matching(t, actl.Quoted(t.text))
	case pattern:
		p.take()
		return p.regularExpression(t)
	case offers:
		p.take()
		return p.gateWithOffers(t)
	case word, call:
		if slices.Contains(reserved, t.text) {
			p.unexpected("an action")
		}
		if p.isMCL {
			abort.On(t.refused(`an action of MCL, as in "`+t.text+`"`,
				"without quotes it is a macro, and none of this name is defined here"))
		}
		return p.multiAction(t, p.multiActionText())
	}
	p.unexpected(`an action: "LABEL", 'regular expression' or true in MCL, name or name(arguments) in mCRL2`)
	return nil
}

// regularExpression returns an atom that matches the same labels as a UNIX regular expression.
func (p *parser) regularExpression(t token) *temporal.Formula {
	source, err := fromBasic(t.text)
	if err != nil {
		refuse(t, "a UNIX regular expression: %v", err)
	}
	if !strings.ContainsAny(t.text, `.*[]\^$`) {
		return p.matching(t, actl.Quoted(t.text))
	}
	return p.matching(t, "/^"+strings.ReplaceAll(source, "/", `\/`)+"$/")
}

// gateWithOffers returns an atom that matches {GATE !1 …}, an action of MCL version 4 without data.
func (p *parser) gateWithOffers(t token) *temporal.Formula {
	words := strings.Fields(t.text)
	if len(words) == 0 {
		abort.On(t.refused("a gate and offers, as in {PUT !1 ?x:nat}",
			"{PUT ...} has any offers"))
	}
	last := len(words) - 1
	if words[last] != "..." {
		return p.matching(t, actl.Quoted(strings.Join(words, " ")))
	}
	begin := regexp.QuoteMeta(strings.Join(words[:last], " "))
	return p.matching(t, "/^"+begin+endOfAnyOffers)
}

// endOfAnyOffers ends the patterns of actions with any further offers.
const endOfAnyOffers = "([ ;].*)?$/"

// withAnyOffers returns {GATE !1 ...} in place of the pattern that this action was read as; other texts of patterns stay.
func withAnyOffers(pattern string) string {
	begin, isOpen := strings.CutSuffix(strings.TrimPrefix(pattern, "/^"), endOfAnyOffers)
	words := strings.ReplaceAll(begin, `\`, "")
	if !isOpen || regexp.QuoteMeta(words) != begin {
		return pattern
	}
	return "{" + words + " ...}"
}

// multiActionText reads an action or a multi-action of mCRL2.
func (p *parser) multiActionText() string {
	text := p.take().text
	for p.next().is("|") {
		next := p.tokens[p.pos+1]
		if next.kind != word && next.kind != call ||
			slices.Contains(reserved, next.text) {
			break
		}
		p.take()
		text += "|" + p.take().text
	}
	return text
}

// blanksAtBrackets are the blanks that labels of mCRL2 lack: behind an opening parenthesis, before a closing one or
// a comma, and between a name and its arguments.
var blanksAtBrackets = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\()\s+|\s+([),])|(\w)\s+(\()`)
})

// multiAction returns an atom that matches an action or a multi-action of mCRL2.
func (p *parser) multiAction(t token, text string) *temporal.Formula {
	text = blanksAtBrackets().ReplaceAllString(text, "$1$2$3$4")
	if strings.HasSuffix(text, ")") && !strings.ContainsAny(text, `*?"{}|`) {
		return p.matching(t, "{"+text+"}") // blanks do not matter
	}
	return p.matching(t, actl.Quoted(text))
}

// matching returns an atom that matches the labels of a pattern of package actl.
func (p *parser) matching(t token, text string) *temporal.Formula {
	atom, after, err := actl.Text(text).Atom(p.ctx, 0)
	abort.On(p.ctx.Err())
	if err != nil || after != len(text) {
		refuse(t, "a label, or a smaller regular expression of labels")
	}
	return p.numbered(atom)
}

func (p *parser) numbered(atom actl.Pattern) *temporal.Formula {
	return temporal.Atom(p.atoms.Index(atom.String(), atom))
}

// folded returns an equivalent formula with fewer atoms: a disjunction of atoms becomes a set, and the
// two formulas that [actl.Formula.MCL] writes for a bare name become this name again.
func (p *parser) folded(ctx context.Context, a *temporal.Formula) *temporal.Formula {
	if a.Operator() == temporal.AtomOp {
		return a
	}
	var parts []*temporal.Formula
	for _, part := range a.Parts() {
		parts = append(parts, p.folded(ctx, part))
	}
	folded := a.With(parts)
	if a.Operator() != temporal.OrOp {
		return folded
	}
	members := p.membersOf(parts)
	if members == nil {
		return folded
	}
	text := members[0]
	if len(members) > 1 {
		text = "{" + strings.Join(members, ", ") + "}"
	}
	set, after, err := actl.Text(text).Atom(ctx, 0)
	if err != nil || after != len(text) {
		return folded
	}
	return p.numbered(set)
}

// membersOf returns the patterns whose set is the disjunction of some formulas; nil if another formula than
// atoms and bare names is among them.
func (p *parser) membersOf(parts []*temporal.Formula) (members []string) {
	for i := 0; i < len(parts); i++ {
		name := p.bareName(parts[i:])
		if name != "" {
			members = append(members, name)
			i++ // a bare name takes two formulas
			continue
		}
		if parts[i].Operator() != temporal.AtomOp {
			return nil
		}
		members = append(members, p.atoms.All[parts[i].Number()].String())
	}
	return members
}

// bareName returns the bare name for which [actl.Formula.MCL] writes the first two of these formulas;
// "" if there is none.
func (p *parser) bareName(parts []*temporal.Formula) string {
	if len(parts) < 2 {
		return ""
	}
	isAtomFirst := parts[0].Operator() == temporal.AtomOp
	isPairSecond := parts[1].Operator() == temporal.AndOp && len(parts[1].Parts()) == 2
	if !isAtomFirst || !isPairSecond {
		return ""
	}
	name := strings.Trim(p.atoms.All[parts[0].Number()].String(), `"`)
	quoted := regexp.QuoteMeta(name)
	withArguments := parts[1].Parts()[0]
	exception := parts[1].Parts()[1]
	if !p.isAtom(withArguments, "/^"+quoted+"[ (].*$/") || exception.Operator() != temporal.NotOp {
		return ""
	}
	multiActions := exception.Parts()[0]
	if !p.isAtom(multiActions, "/^"+quoted+"\\(.*\\)\\|.*$/") {
		return ""
	}
	bare, after, err := actl.Text(name).Atom(context.Background(), 0)
	if err != nil || after != len(name) || !bare.Matches(name+" !1") {
		return ""
	}
	return name
}

// isAtom reports whether a formula is an atom with this text.
func (p *parser) isAtom(f *temporal.Formula, text string) bool {
	return f.Operator() == temporal.AtomOp && p.atoms.All[f.Number()].String() == text
}
