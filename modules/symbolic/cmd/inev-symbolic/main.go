// Command inev-symbolic answers formulas of computation tree logic about circuits in the AIGER
// format, shows evidence, and checks it. The exit code is 0 if a formula holds, 1 if it does not,
// and 2 if no answer was found.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/modules/symbolic"
	"github.com/inev-lts/inev/modules/symbolic/aiger"
)

const usage = `inev-symbolic ctl [-evidence FILE] [-svg FILE] MODEL FORMULA
                                                    is the formula true in all initial states?
inev-symbolic verify MODEL FORMULA FILE             check evidence of inev-symbolic ctl
inev-symbolic justice MODEL NUMBER                  is there a run that meets a justice property?
inev-symbolic arbiter [-buggy] [-binary] CELLS      write McMillan's arbiter as AIGER

MODEL is a file in the AIGER format 1.9, ascii or binary. A FORMULA is one of inev ctl, without
labels; predicates are the symbols of the file, and places such as l0 (latch), i0 (input), o0, b0, c0
and f0. States are the values of latches and inputs. Exit code: 0 if the formula holds, or there is
such a run; 1 if not; 2 if something is wrong.
`

var errViolated = errors.New("does not hold")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run runs a command, and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out := bufio.NewWriter(stdout)
	err := dispatch(ctx, args, out)
	flushErr := out.Flush()
	if err == nil {
		err = flushErr
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errViolated):
		return 1
	}
	fmt.Fprintf(stderr, "inev-symbolic: %v\n", err)
	return 2
}

// dispatch runs the command that the first argument names, or shows the help.
func dispatch(ctx context.Context, args []string, out *bufio.Writer) error {
	isHelp := func(arg string) bool {
		name := strings.TrimLeft(arg, "-")
		return name != arg && (name == "h" || name == "help")
	}
	if len(args) == 0 || args[0] == "help" || slices.ContainsFunc(args, isHelp) {
		_, err := out.WriteString(usage)
		return err
	}
	commands := map[string]func(context.Context, []string, *bufio.Writer) error{
		"ctl":     answerFormula,
		"verify":  verifyEvidence,
		"justice": findJustRun,
		"arbiter": writeArbiter,
	}
	command, known := commands[args[0]]
	if !known {
		return fmt.Errorf("there is no command %q; inev-symbolic help lists them", args[0])
	}
	return command(ctx, args[1:], out)
}

// operands parses flags, which may stand anywhere, and returns the other words. It fails if their
// number is not n.
func operands(flags *flag.FlagSet, args []string, n int) ([]string, error) {
	flags.SetOutput(io.Discard)
	var rest []string
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		args = flags.Args()
		if len(args) == 0 {
			break
		}
		rest, args = append(rest, args[0]), args[1:]
	}
	if len(rest) != n {
		return nil, fmt.Errorf("%s takes %d operands; inev-symbolic help shows them",
			flags.Name(), n)
	}
	return rest, nil
}

// readCircuit reads a circuit from a file.
func readCircuit(path string) (*aiger.Circuit, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := aiger.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

func readFormula(ctx context.Context, text string) (*syntax.Formula, error) {
	f, err := syntax.Parse(ctx, text)
	var refused *actl.SyntaxError
	if errors.As(err, &refused) {
		return nil, fmt.Errorf("formula: %w\n%s", err, refused.Caret())
	}
	return f, err
}

// readBoth reads the files of the first two operands: a circuit, and a formula over its names.
func readBoth(ctx context.Context, rest []string) (*aiger.Circuit, *syntax.Formula, error) {
	f, err := readFormula(ctx, rest[1])
	if err != nil {
		return nil, nil, err
	}
	c, err := readCircuit(rest[0])
	if err != nil {
		return nil, nil, err
	}
	if err := symbolic.Defines(c, f); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", rest[0], err)
	}
	return c, f, nil
}

func verdict(holds bool) string {
	if holds {
		return "holds"
	}
	return "does not hold"
}

// answerFormula is the command ctl: it writes whether a formula holds, with a run and the files of evidence that
// the flags ask for.
func answerFormula(ctx context.Context, args []string, out *bufio.Writer) error {
	flags := flag.NewFlagSet("ctl", flag.ContinueOnError)
	evidence := flags.String("evidence", "", "")
	svg := flags.String("svg", "", "")
	rest, err := operands(flags, args, 2)
	if err != nil {
		return err
	}
	c, f, err := readBoth(ctx, rest)
	if err != nil {
		return err
	}
	x, err := symbolic.NewCircuit(c)
	if err != nil {
		return err
	}
	a, err := x.Answer(ctx, f)
	if err != nil {
		return err
	}
	answer := fmt.Sprintf("%s %s", f, verdict(a.Holds))
	fmt.Fprintf(out, "%s: %s\n", rest[0], answer)
	if len(c.Fairness) > 0 {
		fmt.Fprintln(out,
			"Formulas are about all runs: the fairness constraints of the file count for inev-symbolic justice.")
	}
	writeLayers(out, a)
	writeRun(out, c, a.Run)
	if *evidence != "" {
		if err := writeEvidence(*evidence, x, a); err != nil {
			return err
		}
	}
	if *svg != "" {
		if err := writePicture(*svg, c, filepath.Base(rest[0])+": "+answer, f.String(), a.Layers, a.Run); err != nil {
			return err
		}
	}
	if !a.Holds {
		return errViolated
	}
	return nil
}

func writeEvidence(path string, x *symbolic.Circuit, a *symbolic.Answer) error {
	var b strings.Builder
	if err := x.WriteEvidence(&b, a); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o666)
}

// writeLayers writes how many states are reached by each number of steps.
func writeLayers(out *bufio.Writer, a *symbolic.Answer) {
	if len(a.Layers) == 0 {
		return
	}
	fmt.Fprint(out, "\nUnfolded from the initial states:\n")
	for i, l := range a.Layers {
		const most = 10
		if i == most && len(a.Layers) > most+1 {
			fmt.Fprintf(out, "  … %d more layers\n", len(a.Layers)-most)
			break
		}
		steps := "steps"
		if i == 1 {
			steps = "step"
		}
		fmt.Fprintf(out, "  after %d %s: %.6g states, in a diagram of %d nodes\n", i, steps,
			l.States, l.Nodes)
	}
}

// writeRun writes, for each state, the names that are true in it.
func writeRun(out *bufio.Writer, c *aiger.Circuit, r *symbolic.Run) {
	if r == nil {
		return
	}
	fmt.Fprint(out, "\nA run that shows this, with the names that are true in each state:\n")
	for i, s := range r.States {
		const most = 40
		if i == most && len(r.States) > most+1 {
			fmt.Fprintf(out, "  … %d more states\n", len(r.States)-most)
			break
		}
		sign := "  "
		if r.Loop >= 0 && i >= r.Loop {
			sign = "↻ "
		}
		names := slices.Concat(trueNames(c, "l", s.Latches), trueNames(c, "i", s.Inputs))
		fmt.Fprintf(out, "%s%d: %s\n", sign, i, strings.Join(names, " "))
	}
}

// trueNames returns the names of the latches, or of the inputs, that are true. The letter is that of
// their places in AIGER.
func trueNames(c *aiger.Circuit, letter, bits string) (names []string) {
	for i := range bits {
		if bits[i] != '1' {
			continue
		}
		place := letter + strconv.Itoa(i)
		symbol := c.Symbols[place]
		if symbol != "" {
			quoted := strconv.QuoteToGraphic(symbol)
			place = quoted[1 : len(quoted)-1]
		}
		names = append(names, place)
	}
	return names
}

// verifyEvidence is the command verify: it checks the evidence in a file.
func verifyEvidence(ctx context.Context, args []string, out *bufio.Writer) error {
	rest, err := operands(flag.NewFlagSet("verify", flag.ContinueOnError), args, 3)
	if err != nil {
		return err
	}
	c, f, err := readBoth(ctx, rest)
	if err != nil {
		return err
	}
	file, err := os.Open(rest[2])
	if err != nil {
		return err
	}
	defer file.Close()
	holds, err := symbolic.Verify(ctx, c, f, file)
	if err != nil {
		return fmt.Errorf("%s: %w", rest[2], err)
	}
	_, err = fmt.Fprintf(out, "evidence verified: the formula %s\n", verdict(holds))
	return err
}

// findJustRun is the command justice: it looks for a run that meets a justice property.
func findJustRun(ctx context.Context, args []string, out *bufio.Writer) error {
	rest, err := operands(flag.NewFlagSet("justice", flag.ContinueOnError), args, 2)
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(rest[1])
	if err != nil {
		return fmt.Errorf("%q is not the number of a justice property", rest[1])
	}
	c, err := readCircuit(rest[0])
	if err != nil {
		return err
	}
	x, err := symbolic.NewCircuit(c)
	if err != nil {
		return err
	}
	r, err := x.Justice(ctx, number)
	if err != nil {
		return err
	}
	if r == nil {
		fmt.Fprintf(out, "%s: no run meets justice property %d\n", rest[0], number)
		return errViolated
	}
	if err := symbolic.CheckJustice(c, number, r); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: a run meets justice property %d\n", rest[0], number)
	writeRun(out, c, r)
	return nil
}

// writeArbiter is the command arbiter: it writes a circuit.
func writeArbiter(_ context.Context, args []string, out *bufio.Writer) error {
	flags := flag.NewFlagSet("arbiter", flag.ContinueOnError)
	buggy := flags.Bool("buggy", false, "")
	binary := flags.Bool("binary", false, "")
	rest, err := operands(flags, args, 1)
	if err != nil {
		return err
	}
	cells, err := strconv.Atoi(rest[0])
	if err != nil || cells > 1000 {
		return fmt.Errorf("%q is not a number of cells from 2 to 1000", rest[0])
	}
	c, err := symbolic.ArbiterCircuit(cells, *buggy)
	if err != nil {
		return err
	}
	if *binary {
		return c.WriteBinary(out)
	}
	return c.Write(out)
}
