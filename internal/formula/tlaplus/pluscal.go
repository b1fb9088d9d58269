package tlaplus

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/internal/abort"
)

// Fairness is weak or strong fairness of an action.
type Fairness struct {
	Action   Subaction
	IsStrong bool
}

// InPlusCal returns the changes of a PlusCal algorithm that imply fairness conditions, with "and"
// between them: "fair process P", "L:+" or "fair algorithm". It returns "" if the module is not
// translated from PlusCal, or if PlusCal cannot express a condition. It fails if the definition of a
// process cannot be read.
func (s *Specification) InPlusCal(all []Fairness) (text string, err error) {
	defer abort.Caught(&err)
	algorithm := s.algorithm()
	if algorithm == "" {
		return "", nil
	}
	var changes []string
	processes := processesOf(algorithm)
	for _, f := range all {
		if f.Action.Of == "Next" && f.Action.Action == "Next" && !f.IsStrong {
			changes = append(changes, "fair algorithm")
			continue
		}
		if !s.demand(processes, f, algorithm) {
			return "", nil
		}
	}
	for _, p := range processes {
		changes = append(changes, p.changes()...)
	}
	return strings.Join(changes, " and "), nil
}

// processFairness is the fairness of a process in PlusCal.
type processFairness uint8

const (
	unfair processFairness = iota
	weaklyFair
	stronglyFair
)

// fairProcess is a process of an algorithm, with the fairness that it has, and the fairness that it
// needs.
type fairProcess struct {
	name       string
	has, needs processFairness
	// strongLabels are the labels that need strong fairness.
	strongLabels []string
}

// processesOf returns the processes of an algorithm in PlusCal, in their order, with the fairness that their heads ask for.
func processesOf(algorithm string) []*fairProcess {
	var all []*fairProcess
	for _, head := range processHead().FindAllStringSubmatch(algorithm, -1) {
		p := &fairProcess{name: head[processHead().SubexpIndex("name")]}
		fair := head[processHead().SubexpIndex("fair")]
		switch strings.Join(strings.Fields(fair), "") {
		case "fair":
			p.has = weaklyFair
		case "fair+":
			p.has = stronglyFair
		}
		all = append(all, p)
	}
	return all
}

// demand adds a condition to the needs of its process. It returns false if no change of a process
// implies the condition. A process takes only steps from the label at which it is, and stays there
// until it takes one. So fairness of a process implies fairness of each of its labels.
func (s *Specification) demand(processes []*fairProcess, f Fairness, algorithm string) bool {
	if !f.Action.isApplication() {
		return false
	}
	of := f.Action.Of
	i := slices.IndexFunc(processes, func(p *fairProcess) bool { return p.name == of || s.hasLabel(p.name, of) })
	if i < 0 {
		return false
	}
	p := processes[i]
	isLabel := p.name != of
	switch {
	case isLabel && f.IsStrong:
		p.needs = max(p.needs, weaklyFair) // a plus at a label of an unfair process means nothing
		sign, isLabel := signOf(of, algorithm)
		if sign != "+" {
			p.strongLabels = append(p.strongLabels, of)
		}
		return isLabel && p.has != stronglyFair && (p.has == unfair || sign != "+")
	case f.IsStrong:
		p.needs = stronglyFair
	default:
		p.needs = max(p.needs, weaklyFair)
		return p.has == unfair // or the label has a minus, so that fairness of the process does not apply to it
	}
	return true
}

// signOf returns the plus or minus after a label of an algorithm; "" if there is none. It returns false if
// the algorithm has no such label: the translation gives new names to labels of the same name in several
// processes.
func signOf(label, algorithm string) (sign string, exists bool) {
	found := regexp.MustCompile(`\b` + label + `\s*:\s*([+-]?)(?:[^=]|$)`).FindStringSubmatch(algorithm)
	if found == nil {
		return "", false
	}
	return found[1], true
}

// changes returns the changes that give a process the fairness that it needs.
func (p *fairProcess) changes() (all []string) {
	switch {
	case p.needs <= p.has:
	case p.needs == weaklyFair:
		all = append(all, "fair process "+p.name)
	default:
		all = append(all, "fair+ process "+p.name)
	}
	if p.needs == stronglyFair {
		return all
	}
	for _, label := range p.strongLabels {
		all = append(all, label+":+")
	}
	return all
}

// Processes maps each label of a PlusCal algorithm to its process. It leaves out labels whose actions
// have arguments. The result is empty if the module is not translated from PlusCal. Processes fails if
// the definition of a process cannot be read.
func (s *Specification) Processes() (byLabel map[string]string, err error) {
	defer abort.Caught(&err)
	byLabel = map[string]string{}
	for _, head := range processHead().FindAllStringSubmatch(s.algorithm(), -1) {
		process := head[processHead().SubexpIndex("name")]
		d := s.root.module.definition(process)
		if d == nil || len(d.parameters) > 0 {
			continue
		}
		byLabel[process] = process // the translation of a process with one label has only the name of the process
		var visit func(x *expression)
		visit = func(x *expression) {
			if x.kind == apply && len(x.args) == 0 && s.root.module.definition(x.name) != nil {
				byLabel[x.name] = process
			}
			x.eachPart(visit)
		}
		visit(d.read())
	}
	return byLabel, nil
}

// processHead matches the head of a process, with the word fair if it is there, and the name.
var processHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?P<fair>fair\s*\+?\s*)?process\s*\(?\s*(?P<name>\w+)`)
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
	var visit func(x *expression)
	visit = func(x *expression) {
		found = found || x.kind == apply && x.name == label
		x.eachPart(visit)
	}
	visit(d.read())
	return found
}
