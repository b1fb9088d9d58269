package tlaplus

import (
	"regexp"
	"strings"
	"sync"
)

// InPlusCal returns what an algorithm in PlusCal says in place of a fairness condition that its translation would contain:
// "fair process P", "L:+" or "fair algorithm"; "" if there is no algorithm, or nothing that says it.
func (s *Specification) InPlusCal(a Subaction, strong bool) string {
	algorithm := s.algorithm()
	if algorithm == "" || a.Of == "" {
		return ""
	}
	if a.Of == "Next" && a.Action == "Next" && !strong {
		return "fair algorithm"
	}
	isWhole := a.Quantifiers == "" && a.Action == a.Of || strings.HasPrefix(a.Quantifiers, `\A self \in `) && a.Action == a.Of+"(self)"
	if !isWhole {
		return ""
	}
	for _, p := range processHead().FindAllStringSubmatch(algorithm, -1) {
		fair := strings.Join(strings.Fields(p[1]), "")
		switch {
		case p[2] == a.Of && strong:
			return "fair+ process " + p[2]
		case p[2] == a.Of:
			return "fair process " + p[2]
		case strong && fair == "fair" && s.hasLabel(p[2], a.Of) && regexp.MustCompile(`\b`+a.Of+`\s*:[^=]`).MatchString(algorithm):
			return a.Of + ":+"
		}
	}
	return ""
}

// processHead matches the head of a process: whether it is fair, and its name.
var processHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(fair\s*\+?\s*)?process\s*\(?\s*(\w+)`)
})

// algorithm returns the algorithm in PlusCal whose translation the module is; "" if it is none.
func (s *Specification) algorithm() string {
	before, _, isTranslation := strings.Cut(s.root.module.source, "BEGIN TRANSLATION")
	_, algorithm, hasAlgorithm := strings.Cut(before, "algorithm")
	if !isTranslation || !hasAlgorithm {
		return ""
	}
	return algorithm
}

// hasLabel reports whether a process, whose name is defined as the disjunction of its labels, has a label.
func (s *Specification) hasLabel(process, label string) bool {
	d := s.root.module.definition(process)
	if d == nil {
		return false
	}
	found := false
	var look func(x *expression)
	look = func(x *expression) {
		found = found || x.kind == apply && x.name == label
		x.eachPart(look)
	}
	look(d.read())
	return found
}
