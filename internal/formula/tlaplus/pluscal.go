package tlaplus

import (
	"regexp"
	"strings"
	"sync"

	"github.com/inev-lts/inev/internal/abort"
)

// InPlusCal returns what an algorithm in PlusCal says in place of a fairness condition that its
// translation would contain: "fair process P", "L:+" or "fair algorithm"; "" if there is no algorithm,
// or if PlusCal cannot say it. It fails if the definition of a process cannot be read.
func (s *Specification) InPlusCal(a Subaction, strong bool) (text string, err error) {
	defer abort.Caught(&err)
	algorithm := s.algorithm()
	if algorithm == "" || a.Of == "" {
		return "", nil
	}
	if a.Of == "Next" && a.Action == "Next" && !strong {
		return "fair algorithm", nil
	}
	isWhole := a.Quantifiers == "" && a.Action == a.Of ||
		strings.HasPrefix(a.Quantifiers, `\A self \in `) && a.Action == a.Of+"(self)"
	if !isWhole {
		return "", nil
	}
	for _, p := range processHead().FindAllStringSubmatch(algorithm, -1) {
		fair := strings.Join(strings.Fields(p[1]), "")
		switch {
		case p[2] == a.Of && strong:
			return "fair+ process " + p[2], nil
		case p[2] == a.Of:
			return "fair process " + p[2], nil
		case strong && fair == "fair" && s.hasLabel(p[2], a.Of) &&
			regexp.MustCompile(`\b`+a.Of+`\s*:[^=]`).MatchString(algorithm):
			return a.Of + ":+", nil
		}
	}
	return "", nil
}

// Processes returns the processes of an algorithm in PlusCal, whose translation the module is, by the labels that are actions without
// arguments; it is empty for other modules. It fails if the definition of a process cannot be read.
func (s *Specification) Processes() (byLabel map[string]string, err error) {
	defer abort.Caught(&err)
	byLabel = map[string]string{}
	for _, p := range processHead().FindAllStringSubmatch(s.algorithm(), -1) {
		d := s.root.module.definition(p[2])
		if d == nil || len(d.parameters) > 0 {
			continue
		}
		byLabel[p[2]] = p[2] // of a process with one label, the translation has the name of the process alone
		var look func(x *expression)
		look = func(x *expression) {
			if x.kind == apply && len(x.args) == 0 && s.root.module.definition(x.name) != nil {
				byLabel[x.name] = p[2]
			}
			x.eachPart(look)
		}
		look(d.read())
	}
	return byLabel, nil
}

// processHead matches the head of a process: whether it is fair, and its name.
var processHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(fair\s*\+?\s*)?process\s*\(?\s*(\w+)`)
})

// algorithm returns the algorithm in PlusCal whose translation the module is; "" if the module is no
// translation.
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
