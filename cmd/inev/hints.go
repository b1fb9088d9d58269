package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/inev-lts/inev/actl"
)

// sources says, by suffix, what makes a model of a file in a language that inev does not read.
var sources = map[string]string{
	".svl": "a script of SVL, of CADP: run svl FILE, and give inev the .bcg or .aut file that it writes",
	".smv": "a specification of NuSMV, which writes no models with labels; write it in mCRL2 or LNT, or its states in the .aut format",
}

// checkSource refuses a file from which a model would have to be made.
func checkSource(path string) error {
	suffix := filepath.Ext(path)
	how, is := sources[strings.ToLower(suffix)]
	if !is || !isFile(path) {
		return nil
	}
	return fmt.Errorf("%s: this is %s", path, strings.ReplaceAll(how, "FILE", path))
}

// otherLogics are hints for formulas of other logics, by the look of these.
var otherLogics = []struct {
	looks *regexp.Regexp
	hint  string
}{
	{regexp.MustCompile(`↝`), "a leads to b is written G (a -> F b), or Response(a; b)"},
	{regexp.MustCompile(`^[\s(]*<\s*[^>\s]`), "inev ctl answers whether there is a run, and reads <a> and [a] with AG, EF and the like"},
	{regexp.MustCompile(`^[\s(!]*([AE]\s*[GFX]\b|[AE]\s*\[.*\b[GFXUWRM]\b)|\b[AE][GFX]\b`), "this looks like computation tree logic, which inev ctl reads"},
}

// inOtherLogic adds a hint to an error about a formula that looks like one of another logic.
func inOtherLogic(err error) error {
	var syntax *actl.SyntaxError
	var answered interface{ Branching() string }
	if !errors.As(err, &syntax) || syntax.File != "" || errors.As(err, &answered) && answered.Branching() != "" {
		return err
	}
	for _, other := range otherLogics {
		if other.looks.MatchString(syntax.Text) {
			hinted := *syntax
			hinted.Expected += "; " + other.hint
			return &hinted
		}
	}
	return err
}
