package tlaplus

import (
	"regexp"
	"strings"
	"sync"

	"github.com/inev-lts/inev/internal/abort"
)

// InPlusCal returns how PlusCal expresses a fairness condition: "fair process P", "L:+" or "fair
// algorithm". It returns "" if the module is not translated from PlusCal, or if PlusCal cannot express
// the condition. It fails if the definition of a process cannot be read.
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

// Processes returns the processes of a PlusCal algorithm by their labels that are actions without
// arguments. The result is empty if the module is not translated from PlusCal. Processes fails if the
// definition of a process cannot be read.
func (s *Specification) Processes() (byLabel map[string]string, err error) {
	defer abort.Caught(&err)
	byLabel = map[string]string{}
	for _, p := range processHead().FindAllStringSubmatch(s.algorithm(), -1) {
		d := s.root.module.definition(p[2])
		if d == nil || len(d.parameters) > 0 {
			continue
		}
		byLabel[p[2]] = p[2] // the translation of a process with one label has only the name of the process
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

// processHead matches the head of a process, with the word fair if it is there, and the name.
var processHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(fair\s*\+?\s*)?process\s*\(?\s*(\w+)`)
})

// algorithm returns the PlusCal algorithm that the module is translated from; "" if there is none.
func (s *Specification) algorithm() string {
	before, _, isTranslation := strings.Cut(s.root.module.source, "BEGIN TRANSLATION")
	_, algorithm, hasAlgorithm := strings.Cut(before, "algorithm")
	if !isTranslation || !hasAlgorithm {
		return ""
	}
	return algorithm
}

// hasLabel reports whether a process has a label. The name of a process is defined as the disjunction
// of its labels.
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
