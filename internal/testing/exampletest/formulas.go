package exampletest

import (
	"fmt"
	"os"
	"strings"
)

// Formula is a formula of an .inev file with its expected outcome.
type Formula struct {
	// Place is FILE:LINE.
	Place string
	Text  string
	// Expect is the expected outcome, such as "satisfied" or "violated lasso 5,
	// neighbourhoods 6".
	Expect string
}

const expectation = "# expect:"

// Read returns the formulas of a file in which a line is blank, a comment that
// begins with #, or a formula. Right before each formula stands its expected
// outcome, which begins with the verdict:
//
//	# expect: violated lasso 5, neighbourhoods 6
//	Inev(PUT)
//
// Errors name file and line. Cost O(size of the file).
func Read(file string) ([]Formula, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var (
		formulas []Formula
		expect   string
	)
	for i, line := range strings.Split(string(text), "\n") {
		place := fmt.Sprintf("%s:%d", file, i+1)
		line = strings.TrimSpace(line)
		outcome, isExpectation := strings.CutPrefix(line, expectation)
		isFormula := line != "" && !strings.HasPrefix(line, "#")
		switch {
		case expect != "" && !isFormula:
			return nil, fmt.Errorf("%s: a formula is to follow the outcome that is expected of it", place)
		case expect == "" && isFormula:
			return nil, fmt.Errorf("%s: a formula without expected outcome; write one in the line before, such as %q", place, expectation+" violated")
		case isExpectation:
			expect = strings.TrimSpace(outcome)
			if verdict, _, _ := strings.Cut(expect, " "); verdict != "violated" && verdict != "satisfied" {
				return nil, fmt.Errorf("%s: the expected outcome begins with %q; write violated or satisfied", place, verdict)
			}
		case isFormula:
			formulas = append(formulas, Formula{Place: place, Text: line, Expect: expect})
			expect = ""
		}
	}
	switch {
	case expect != "":
		return nil, fmt.Errorf("%s: the last expected outcome has no formula", file)
	case len(formulas) == 0:
		return nil, fmt.Errorf("%s: no formula", file)
	}
	return formulas, nil
}
