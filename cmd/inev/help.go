//go:build !js

package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
)

func helpCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Name:        "help",
		Usage:       "show how to use inev or one of its commands",
		ArgsUsage:   "[COMMAND]",
		Description: `inev COMMAND --help shows the same, inev COMMAND --help --all every flag.`,
		Flags: []cli.Flag{
			toggle(resultFlags, "all", "show every flag, not only those that most runs need"),
			toggle(runFlags, "help", "show this help"),
		},
		Action: func(c *cli.Context) error { return showHelp(p, c) },
	},
		`inev help explain`,
		`inev help explain --all`)
}

func showHelp(p *program, c *cli.Context) error {
	switch name := c.Args().First(); {
	case c.NArg() == 0:
		return showOverview(p, c)
	case c.NArg() > 1:
		return &usageError{"help", fmt.Sprintf("expected one COMMAND, found %d arguments", c.NArg())}
	case c.App.Command(name) == nil:
		return unknownCommand(c.App, name)
	default:
		page := briefly
		if c.Bool("all") {
			page = pageOf
		}
		_, err := io.WriteString(c.App.Writer, page(c.App.Command(name)))
		return err
	}
}

func showOverview(p *program, c *cli.Context) error {
	_, err := io.WriteString(c.App.Writer, overview(p, c.App))
	return err
}

// pageOf returns the whole help of a command. It is made on demand, since making the help of all
// commands takes as long as the rest of a short run.
func pageOf(command *cli.Command) string {
	return opening(command, command.Description, strings.Split(command.UsageText, "\n")) + flagList(command.Flags)
}

// opening returns the help of a command up to its flags.
func opening(command *cli.Command, description string, examples []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "inev %s - %s\n\n", command.Name, command.Usage)
	fmt.Fprintf(&b, "Usage: inev %s [flags]\n\n%s\n\n", strings.TrimSpace(command.Name+" "+command.ArgsUsage), filled(description))
	fmt.Fprint(&b, "Examples (m.aut is the model of inev --help):\n")
	for _, example := range examples {
		fmt.Fprintf(&b, "  %s\n", example)
	}
	return b.String()
}

// overview returns the help of inev itself, its commands grouped by purpose.
func overview(p *program, app *cli.App) string {
	var b strings.Builder
	fmt.Fprintf(&b, `inev - %s

Usage: inev COMMAND MODEL [FORMULA] [flags]

MODEL is a labelled transition system: a file of CADP (.aut, .bcg), mCRL2 (.lts,
.fsm), CLEAR (.autx), TLC (.dot) or inev (.clts), compressed or not, or - for
standard input.
FORMULA is a property of its runs, in quotes: Inev(A, B), which says that A
happens on every run and later B; Response(A; B), Never(A) and other patterns;
or LTL, as in 'G (A -> F B)'. See inev formula --help.

Quick start:
  printf 'des (0,3,3)\n(0,"REQ",1)\n(1,"ACK",2)\n(1,"DROP",2)\n' > m.aut
  inev info m.aut
  inev explain m.aut 'Inev(REQ, ACK)'
`, app.Usage)
	for _, purpose := range purposes() {
		fmt.Fprintf(&b, "\n%s:\n", purpose.title)
		for _, offer := range purpose.offers {
			command := offer.command(p)
			b.WriteString(entryOf(command.Name, 10, command.Usage))
		}
	}
	b.WriteString(flagList(app.Flags))
	b.WriteString(`
inev COMMAND --help shows the flags that most runs need, inev COMMAND --help
--all every flag. Flags may stand anywhere; what follows -- is no flag.

Exit codes: 0 the property holds, or the command did its work; 1 the property is
violated; 2 bad usage, bad input, or an input or output error; 130 interrupted.
`)
	return b.String()
}

// flagList lists flags by their groups, in the order in which both come.
func flagList(flags []cli.Flag) string {
	lines := map[string][][2]string{}
	var groups []string
	width := 0
	for _, f := range flags {
		group := f.(cli.CategorizableFlag).GetCategory()
		if lines[group] == nil {
			groups = append(groups, group)
		}
		name, usage, _ := strings.Cut(f.String(), "\t")
		name, _, _ = strings.Cut(name, " [ ") // the rest is for a flag that may be repeated
		lines[group] = append(lines[group], [2]string{name, usage})
		width = max(width, len(name))
	}
	var b strings.Builder
	for _, group := range groups {
		fmt.Fprintf(&b, "\n%s:\n", group)
		for _, line := range lines[group] {
			b.WriteString(entryOf(line[0], width, line[1]))
		}
	}
	return b.String()
}

// helpWidth is the width of the help: that of the narrowest terminals in use.
const helpWidth = 80

// entryOf returns an entry of a list: a name in a column of this width, and the text beside it,
// on as many lines as it needs.
func entryOf(name string, width int, text string) string {
	column := 2 + width + 2
	lines := wrapped(text, helpWidth-column)
	return fmt.Sprintf("  %-*s  %s\n", width, name, strings.Join(lines, fmt.Sprintf("\n%*s", column, "")))
}

// filled returns text with its lines filled up to the width of the help; indented lines stay as
// they are.
func filled(text string) string {
	var lines []string
	ragged := ""
	fill := func() {
		if ragged != "" {
			lines = append(lines, wrapped(ragged, helpWidth)...)
		}
		ragged = ""
	}
	for _, line := range strings.Split(text, "\n") {
		if line == "" || isIndented(line) {
			fill()
			lines = append(lines, line)
			continue
		}
		ragged += " " + line
	}
	fill()
	return strings.Join(lines, "\n")
}

// wrapped returns text in lines of at most this many characters, broken at blanks.
func wrapped(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
