//go:build !js

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/certificate/verify"
	"github.com/inev-lts/inev/internal/ctl/branching"
	fixpointEvidence "github.com/inev-lts/inev/internal/ctl/parity/verify"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	evidence "github.com/inev-lts/inev/internal/ctl/wmc/verify"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/lts"
)

// verifyCommand returns inev verify, which checks certificates and evidence against the model.
func verifyCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:     "check a certificate of inev explain, or the evidence of inev ctl",
		ArgsUsage: "MODEL FORMULA CERTIFICATE",
		Description: `Checks a file of inev explain --certificate or inev ctl --evidence against the model,
transition by transition, without the code that computed the results. Exit code: 0 if
all of it is right, whatever its verdict; otherwise 2, with the first mistake.

A certificate contains the verdict, the prefixes and suffixes of each reachable state
(for properties other than Inev, what can follow it), the class of each transition,
the neighbourhoods and the counterexample, with evidence for all of it. It is checked
under the assumptions (--fair) it was made under, and no others. Evidence of inev ctl
contains the witness or the counterexample.`,
		Flags:  slices.Concat(bothInput(), justFairness(), modelRun()),
		Action: action(p, verifyCertificate),
	},
		`inev verify m.aut 'Inev(REQ, ACK)' m.certificate.json`,
		`inev verify m.aut 'EF deadlock' m.evidence.json`)
}

// sameAssumptions returns the advice how to set --fair to the assumptions of a certificate.
func sameAssumptions(made []string) string {
	if len(made) == 0 {
		return "leave --fair out"
	}
	return "give --fair '" + strings.Join(made, "' --fair '") + "'"
}

// verifyCertificate checks a certificate of inev explain, or evidence of inev ctl: the beginning of
// the file shows which of them it is.
func verifyCertificate(j *job) error {
	path := j.operands[len(j.operands)-1]
	file, err := inputfile.Open(j.ctx, path)
	if err != nil {
		return unreadable(path, "certificate", err)
	}
	defer file.Close()
	content := bufio.NewReaderSize(stoppable.Reader(j.ctx, file), 1<<14)
	// If Peek fails, the reader of the certificate will meet the same error and report it.
	start, _ := content.Peek(1 << 14)
	if evidence.Is(start) || fixpointEvidence.Is(start) {
		return verifyEvidence(j, path, content)
	}
	j.certified = propertyIn(start)
	m, f, err := j.readBoth()
	var syntax *actl.SyntaxError
	if errors.As(err, &syntax) && !looksLikeCertificate(start) {
		// The user has probably named a wrong file. The formula may be right, so the error is about
		// the file.
		return fmt.Errorf("%s: neither a certificate of inev explain nor evidence of inev ctl",
			path)
	}
	if err != nil {
		return err
	}
	happening, err := m.Happening(j.ctx)
	if err != nil {
		return err
	}
	_, warnings, err := f.Bind(j.ctx, happening)
	if err != nil {
		return err
	}
	j.warn(slices.Concat(j.options.Warnings, warnings))
	if err := j.warnOfMisfit(m); err != nil {
		return err
	}
	result, err := verify.Verify(j.ctx, m, f, j.options.Fair, content)
	var other *verify.AssumptionError
	switch {
	case errors.As(err, &other) && j.tla != nil:
		return fmt.Errorf("%s: %w; Spec assumes something else here: give the specification, the configuration and --fair that it was made with", path, err)
	case errors.As(err, &other):
		return fmt.Errorf("%s: %w; %s", path, err, sameAssumptions(other.Made))
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	}
	return j.printVerified(result)
}

// propertyIn returns the property that the beginning of a certificate names; "" if it names none, or is
// cut off before the end of the name.
func propertyIn(start []byte) (text string) {
	if _, behind, isNamed := bytes.Cut(start, []byte(`"property":`)); isNamed {
		_ = json.NewDecoder(bytes.NewReader(behind)).Decode(&text)
	}
	return text
}

// looksLikeCertificate reports whether the beginning of a file names the schema of certificates.
func looksLikeCertificate(start []byte) bool {
	schema, _, _ := strings.Cut(verify.Schema, "/")
	return bytes.Contains(start, []byte(`"`+schema+`/`))
}

// printVerified prints what a verified certificate proves.
func (j *job) printVerified(result *verify.Result) error {
	verdict := "satisfied"
	if result.Violated {
		verdict = "violated"
	}
	scope := ""
	if result.Shortest {
		scope = "; no counterexample is shorter"
	}
	if len(j.options.Fair) > 0 {
		scope = ", among the runs that meet " +
			strings.Join(assumptionTexts(j.options.Fair), " and ")
	}
	return j.printf("certificate verified: %s, %s, %s%s\n", verdict,
		printable.Quantity(result.States, "state"), printable.Quantity(result.Transitions, "transition"), scope)
}

// verifyEvidence checks evidence of inev ctl.
func verifyEvidence(j *job, path string, file io.Reader) error {
	formula, err := readCTL(j)
	if err != nil {
		return err
	}
	if formula.Modal != nil {
		return verifyFixpoints(j, formula, path, file)
	}
	f := formula.Temporal
	if f.IsStar() {
		return errNoStarEvidence
	}
	m, err := j.readModel()
	if err != nil {
		return err
	}
	if err := j.refuseUnmatched(f.Closure().Unmatched(j.ctx, m.Alphabet())); err != nil {
		return err
	}
	j.warn(j.options.Warnings)
	if err := j.warnOfMisfit(m); err != nil {
		return err
	}
	bound := map[syntax.Predicate]func(lts.State) bool{} // the test of each predicate, bound to the values once
	holds := func(p syntax.Predicate, s lts.State) (bool, error) {
		if bound[p] == nil {
			holdsIn, err := p.In(j.options.States)
			if err != nil {
				return false, err
			}
			bound[p] = holdsIn
		}
		return bound[p](s), nil
	}
	result, err := evidence.Verify(j.ctx, m, f, inputfile.Limited(file, evidenceLimit), evidence.Options{
		Fair:  j.options.Fair,
		Holds: holds,
	})
	var other *evidence.AssumptionError
	if errors.As(err, &other) {
		return fmt.Errorf("%s: %w; %s", path, err, sameAssumptions(other.Made))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return j.printEvidence(result.Good, result.Bad)
}

// printEvidence prints what verified evidence proves: the states where the formula holds, and the others.
func (j *job) printEvidence(good, bad []lts.State) error {
	states := slices.Concat(good, bad)
	var verdict string
	switch {
	case len(states) == 1 && len(good) == 1:
		verdict = fmt.Sprintf("holds in state %d", states[0])
	case len(states) == 1:
		verdict = fmt.Sprintf("does not hold in state %d", states[0])
	case len(bad) == 0:
		verdict = fmt.Sprintf("holds in each of %d states", len(states))
	case len(good) == 0:
		verdict = fmt.Sprintf("holds in none of %d states", len(states))
	default:
		verdict = fmt.Sprintf("holds in %d of %d states", len(good), len(states))
	}
	return j.printf("evidence verified: the formula %s\n", verdict)
}

// verifyFixpoints checks evidence of inev ctl for a formula of the mu-calculus.
func verifyFixpoints(j *job, f *branching.Formula, path string, file io.Reader) error {
	if len(j.options.Fair) > 0 {
		return fmt.Errorf("%s: %s", path, sameAssumptions(nil))
	}
	m, err := j.readModel()
	if err != nil {
		return err
	}
	j.warn(j.options.Warnings)
	content, err := io.ReadAll(inputfile.Limited(file, evidenceLimit))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	question := branchingQuestion(j, m, f)
	question.Asked = fixpointEvidence.Asked(m, content)
	graph, means, err := question.Bind(j.ctx)
	if err != nil {
		return err
	}
	result, err := fixpointEvidence.Verify(j.ctx, m, graph, means, bytes.NewReader(content))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return j.printEvidence(result.Good, result.Bad)
}
