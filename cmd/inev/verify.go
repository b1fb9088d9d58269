package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/certificate/verify"
	evidence "github.com/inev-lts/inev/ctl/wmc/verify"
)

func (p *program) verify() *cli.Command {
	return page(&cli.Command{
		Name:      "verify",
		Usage:     "check the evidence that inev explain or inev ctl has written",
		ArgsUsage: "MODEL FORMULA CERTIFICATE",
		Description: `CERTIFICATE is a file that inev explain MODEL FORMULA --certificate has written:
the verdict, the prefixes and suffixes of each reachable state (of a property that
is not Inev, what can follow it), the class of each transition, the decisions and the
counterexample, with evidence for all of it. It is checked against the model, transition by transition, without the code
that computed the results. A certificate under assumptions (--fair) is checked
under the same ones only.

It may also be what inev ctl MODEL FORMULA --evidence has written, about a formula of
CTL: the witness or counterexample, which is checked in the same way.

The exit code is 0 where the certificate is right, whatever its verdict, and 2
where it is not; then the first thing that is wrong is named.`,
		Flags:  slices.Concat(bothInput(), []cli.Flag{stateValues(), fairness()}, modelRun()),
		Action: p.action(verifyCertificate),
	},
		`inev verify m.aut 'Inev(REQ, ACK)' m.certificate.json`,
		`inev verify m.aut 'EF deadlock' m.evidence.json`)
}

// sameAssumptions says how to ask for what a certificate was made under.
func sameAssumptions(made []string) string {
	if len(made) == 0 {
		return "leave --fair out"
	}
	return "give --fair '" + strings.Join(made, "' --fair '") + "'"
}

func verifyCertificate(j *job) error {
	path := j.operands[len(j.operands)-1]
	file, err := aut.OpenFile(j.ctx, path)
	if err != nil {
		var inPath *fs.PathError
		if errors.As(err, &inPath) {
			err = inPath.Err
		}
		return fmt.Errorf("%s: the certificate cannot be read: %w", path, err)
	}
	defer file.Close()
	content := bufio.NewReaderSize(aut.Stoppable(j.ctx, file), 4096)
	// What cannot be read is told by who reads it.
	start, _ := content.Peek(200)
	if evidence.Is(start) {
		return verifyEvidence(j, path, content)
	}
	m, f, err := j.readBoth()
	var syntax *actl.SyntaxError
	if format, _, _ := strings.Cut(verify.Schema, "/"); errors.As(err, &syntax) && !bytes.Contains(start, []byte(`"`+format+`/`)) {
		// The formula may be right for the file that was meant.
		return fmt.Errorf("%s: neither a certificate of inev explain nor evidence of inev ctl", path)
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
	result, err := verify.Verify(j.ctx, m, f, j.options.Fair, content)
	var other *verify.AssumptionError
	if errors.As(err, &other) {
		return fmt.Errorf("%s: %w; %s", path, err, sameAssumptions(other.Made))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	verdict := "satisfied"
	if result.Violated {
		verdict = "violated"
	}
	among := ""
	if len(j.options.Fair) > 0 {
		texts := make([]string, len(j.options.Fair))
		for i, a := range j.options.Fair {
			texts[i] = a.String()
		}
		among = ", among the runs that meet " + strings.Join(texts, " and ")
	}
	return j.print(func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "certificate verified: %s, %d states, %d transitions%s\n", verdict, result.States, result.Transitions, among)
		return err
	})
}
