//go:build !js

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/internal/options"
)

const sizeFlags flagGroup = "Size and shape"

// generateCommand returns inev generate, which writes models of any size.
func generateCommand(p *program) *cli.Command {
	work := action(p, writeGenerated)
	return page(&cli.Command{
		Usage:     "write a model of any size, synthetic or of an algorithm",
		ArgsUsage: "KIND",
		Description: `Writes the model as .aut text to standard output, line by line, so that models of any
size take little memory. The same arguments give the same bytes on every machine. KIND
is one of these; inev generate KIND --list describes it:

` + kindList("  ") + `
Numbers may be written as 1000000, 1_000_000, 1M or 1e6.`,
		Flags: slices.Concat(sizes(), []cli.Flag{
			value(resultFlags, "o", "write the model to `FILE`.aut, .aut.gz or .aut.zst"),
			toggle(resultFlags, "property",
				"write a formula worth explaining on the model, not the model"),
			toggle(resultFlags, "list", "list the kinds, or describe KIND"),
		}, runControl()),
		Action: func(c *cli.Context) error {
			if c.Bool("list") || c.NArg() == 0 && c.NumFlags() == 0 {
				return tellKinds(p.stdout, c)
			}
			return work(c)
		},
	},
		`inev generate grid --width 100 --height 100 -o grid.aut`,
		`inev generate scc --states 10k --degree 5 --locality 100 --seed 7`,
		`inev generate stages --height 64 --property`)
}

// sizes are the flags that have the names of parameters.
func sizes() []cli.Flag {
	number := func(name, usage string) cli.Flag {
		var names []string
		for _, k := range generate.Kinds() {
			if _, has := k.Parameter(name); has {
				names = append(names, k.Name)
			}
		}
		return value(sizeFlags, name, usage+": "+strings.Join(names, ", "))
	}
	return []cli.Flag{
		number("states", "`N` states"),
		number("transitions", "`N` transitions"),
		number("degree", "`N` transitions a state"),
		number("labels", "`N` labels"),
		number("locality", "transitions lead at most `N` states away"),
		number("width", "`N` columns, or states of a layer or stage"),
		number("height", "`N` rows, layers or stages"),
		number("processes", "`N` processes"),
		toggle(sizeFlags, "wrap", "connect the borders of a grid to the opposite ones"),
		toggle(sizeFlags, "asymmetric",
			"the last philosopher takes the right fork first"),
		value(sizeFlags, "seed", "seed of random models: `N` from 0 to 2^64-1 (default: 0)"),
		toggle(sizeFlags, "shuffle",
			"number the states at random: the same model, hard to read"),
	}
}

func kindNames() []string {
	var names []string
	for _, k := range generate.Kinds() {
		names = append(names, k.Name)
	}
	return names
}

func kindList(indent string) string {
	var b strings.Builder
	for _, k := range generate.Kinds() {
		fmt.Fprintf(&b, "%s%-12s  %s\n", indent, k.Name, k.Summary)
	}
	return b.String()
}

// tellKinds lists the kinds, or describes the named one.
func tellKinds(w io.Writer, c *cli.Context) error {
	if c.NArg() == 0 {
		_, err := io.WriteString(w, kindList(""))
		return err
	}
	if c.NArg() > 1 {
		return &usageError{
			"generate",
			fmt.Sprintf("expected one KIND, found %d arguments", c.NArg()),
		}
	}
	k, isKind := generate.KindOf(c.Args().First())
	if !isKind {
		return unknownKind(c.Args().First())
	}
	_, err := io.WriteString(w, describeKind(k))
	return err
}

// describeKind returns what the models of a kind are like, and the flags that go with it.
func describeKind(k generate.Kind) string {
	interest := k.Interest
	if k.Unfolded != "" {
		interest += "; with --unfold, " + k.Unfolded
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n", k.Name, k.Summary)
	for _, line := range [][2]string{
		{"states", k.States}, {"transitions", k.Transitions}, {"labels", k.Labels},
		{"formula", k.Formula}, {"", interest},
	} {
		fmt.Fprintf(&b, "  %-15s  %s\n", line[0], line[1])
	}
	b.WriteString("\n")
	for _, f := range k.Parameters {
		switch {
		case f.Switch:
			fmt.Fprintf(&b, "  %-15s  %s\n", "--"+f.Name, f.Usage)
		case f.Default == 0:
			fmt.Fprintf(&b, "  %-15s  %s, from %d to %d (default: no bound)\n",
				"--"+f.Name+" N", f.Usage, f.Min, f.Max)
		default:
			fmt.Fprintf(&b, "  %-15s  %s, from %d to %d (default: %d)\n", "--"+f.Name+" N",
				f.Usage, f.Min, f.Max, f.Default)
		}
	}
	return b.String()
}

func unknownKind(name string) error {
	hint := ""
	if closest, ok := options.Nearest(name, kindNames()); ok {
		hint = fmt.Sprintf(" did you mean %q?", closest)
	}
	return &usageError{
		"generate",
		fmt.Sprintf(`unknown kind %q;%s "inev generate" lists the kinds`, name, hint),
	}
}

// writeGenerated writes a generated model or, with --property, a formula that is interesting for it.
func writeGenerated(j *job) error {
	spec := generate.Spec{Kind: j.operands[0]}
	k, isKind := generate.KindOf(spec.Kind)
	if !isKind {
		return unknownKind(spec.Kind)
	}
	if err := readSizes(j, k, &spec); err != nil {
		return err
	}
	path := j.flag("o")
	if j.c.Bool("property") {
		if path != "" {
			if err := checkPlace(path); err != nil {
				return err
			}
		}
		formula, err := spec.Formula()
		if err != nil {
			return err
		}
		return j.printf("%v\n", formula)
	}
	if path == "" {
		return j.print(func(w io.Writer) error {
			return generate.Write(j.ctx, w, spec)
		})
	}
	if err := checkOutput(path, ".aut", ".aut.gz", ".aut.zst"); err != nil {
		return err
	}
	return j.save(path, func(w io.Writer) error {
		return compressed(w, path, func(w io.Writer) error {
			return generate.Write(j.ctx, w, spec)
		})
	})
}

// readSizes reads the flags that say what model of a kind is generated.
func readSizes(j *job, k generate.Kind, spec *generate.Spec) error {
	for _, f := range sizes() {
		name := f.Names()[0]
		if !j.c.IsSet(name) {
			continue
		}
		isForAll := name == "seed" || name == "shuffle"
		if _, hasParameter := k.Parameter(name); !hasParameter && !isForAll {
			return j.refuse("%s has no --%s; it has %s", k.Name, name, operandNames(flagsOf(k)))
		}
		text := "true"
		if takesValue(f) {
			text = j.flag(name)
		}
		if err := spec.Set(name, text); err != nil {
			return j.refuse("--%s: %v", name, err)
		}
	}
	isRandom := k.Drawn || spec.Shuffle
	if j.c.IsSet("seed") && !isRandom {
		return j.refuse("--seed: nothing is random in %s without --shuffle; leave it out",
			k.Name)
	}
	return nil
}

// flagsOf returns the flags that go with a kind of models.
func flagsOf(k generate.Kind) []string {
	var flags []string
	for _, p := range k.Parameters {
		flags = append(flags, "--"+p.Name)
	}
	if k.Drawn {
		flags = append(flags, "--seed")
	}
	return append(flags, "--shuffle")
}
