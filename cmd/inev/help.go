//go:build !js

package main

import (
	"fmt"
	"io"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
)

// helpCommand returns inev help, which shows what --help shows.
func helpCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:       "show how to use inev or one of its commands",
		ArgsUsage:   "[COMMAND]",
		Description: `inev COMMAND --help shows the same, inev COMMAND --help --all every flag.`,
		Flags: []cli.Flag{
			toggle(resultFlags, "all", "show every flag, not only those that most runs need"),
			toggle(runFlags, "help", "show this help"),
		},
		Action: func(c *cli.Context) error {
			name := c.Args().First()
			switch {
			case c.NArg() == 0:
				return showOverview(p, c)
			case c.NArg() > 1:
				return &usageError{
					"help",
					fmt.Sprintf("expected one COMMAND, found %d arguments", c.NArg()),
				}
			case c.App.Command(name) == nil:
				return unknownCommand(c.App, name)
			default:
				page := shortHelp
				if c.Bool("all") {
					page = pageOf
				}
				_, err := io.WriteString(c.App.Writer, page(c.App.Command(name)))
				return err
			}
		},
	},
		`inev help explain`,
		`inev help explain --all`)
}

func showOverview(p *program, c *cli.Context) error {
	_, err := io.WriteString(c.App.Writer, overview(p, c.App))
	return err
}

// pageOf returns the whole help of a command. It is made on demand, since making the help of all
// commands takes as long as the rest of a short run.
func pageOf(command *cli.Command) string {
	return opening(command, command.Description, strings.Split(command.UsageText, "\n")) +
		flagList(command.Flags)
}

// opening returns the help of a command up to its flags.
func opening(command *cli.Command, description string, examples []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "inev %s - %s\n\n", command.Name, command.Usage)
	fmt.Fprintf(&b, "Usage: inev %s [flags]\n\n%s\n\n",
		strings.TrimSpace(command.Name+" "+command.ArgsUsage), filled(description))
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

MODEL is a labelled transition system: a file of CADP (.aut, .bcg, or a network,
.exp), mCRL2 (.lts, .fsm), CLEAR (.autx), TLC (.dot) or inev (.clts), compressed
or not, or - for standard input.
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
			b.WriteString(entryOf(offer.name, 10, offer.command(p).Usage))
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
		documented := f.(documentedFlag)
		group := documented.GetCategory()
		if lines[group] == nil {
			groups = append(groups, group)
		}
		name, usage, _ := strings.Cut(documented.inHelp(), "\t")
		name, _, _ = strings.Cut(name, " [ ") // the name of a flag that may be repeated ends in a note in brackets
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
	return fmt.Sprintf("  %-*s  %s\n", width, name,
		strings.Join(lines, fmt.Sprintf("\n%*s", column, "")))
}

// filled returns text with its lines filled up to the width of the help; indented lines stay as
// they are.
func filled(text string) string {
	var lines []string
	paragraph := "" // the lines since the last indented one, to be filled
	endParagraph := func() {
		if paragraph != "" {
			lines = append(lines, wrapped(paragraph, helpWidth)...)
		}
		paragraph = ""
	}
	for _, line := range strings.Split(text, "\n") {
		if line == "" || isIndented(line) {
			endParagraph()
			lines = append(lines, line)
			continue
		}
		paragraph += " " + line
	}
	endParagraph()
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

// essence is the part of a command's help that is shown without --all.
type essence struct {
	paragraphs int    // the number of paragraphs of the description; 0 for all
	examples   int    // the number of examples; 0 for all
	flags      string // the topics that most runs need, in this order
}

// essentials has an essence for each command with many flags. The help of other commands is
// shown as a whole.
var essentials = map[string]essence{
	"explain":  {1, 2, "o format html svg json full hide fair faults counterexample formula allow-unmatched memory timeout"},
	"why":      {1, 0, "not step state o format formula fair timeout"},
	"serve":    {1, 0, "port idle lanes fair formula timeout"},
	"compare":  {1, 0, "o format by internal full fair allow-unmatched formula timeout"},
	"repair":   {1, 0, "o format uncontrollable controllable by fewest labels fair formula timeout"},
	"path":     {1, 0, "to pattern o format fair formula timeout"},
	"diagram":  {3, 3, "o view advice lanes rankdir no-legend max-states fair formula timeout"},
	"check":    {1, 2, "o format full hide all limit fair formula timeout"},
	"ctl":      {3, 0, "o format html svg evidence initial internal formula timeout"},
	"batch":    {3, 0, "o html svg format resume force dry-run baseline fail-on jobs shard memory timeout"},
	"formula":  {0, 3, "o format model fair formula hoa hoa-out svg"},
	"replay":   {2, 0, "o format html case field case-field map unlogged skip-broken full formula timeout"},
	"verify":   {1, 0, "formula hoa states fair timeout"},
	"convert":  {0, 0, "o write-states states formula timeout"},
	"enrich":   {0, 0, "o format unfold formula fair timeout"},
	"classify": {0, 0, "neighbourhoods o format unfold formula fair timeout"},
	"lasso":    {2, 0, "algorithm bound anytime o format timeout"},
	"generate": {2, 0, "list states degree labels width height processes seed o property"},
}

// shortHelp returns the help of a command as it is shown by default.
func shortHelp(command *cli.Command) string {
	shown, hasManyFlags := essentials[command.Name]
	if !hasManyFlags {
		return pageOf(command)
	}
	paragraphs := strings.Split(command.Description, "\n\n")
	if shown.paragraphs > 0 {
		paragraphs = paragraphs[:min(shown.paragraphs, len(paragraphs))]
	}
	description := strings.Join(paragraphs, "\n\n")
	examples := strings.Split(command.UsageText, "\n")
	if shown.examples > 0 {
		examples = examples[:min(shown.examples, len(examples))]
	}
	var b strings.Builder
	b.WriteString(opening(command, description, examples))
	var flags []cli.Flag
	for _, name := range strings.Fields(shown.flags) {
		f := findFlag(command, name)
		if f != nil {
			flags = append(flags, ungrouped{f.(documentedFlag)})
		}
	}
	b.WriteString(flagList(flags))
	more := fmt.Sprintf("All flags: inev %s --help --all.", command.Name)
	if strings.Contains(command.ArgsUsage, "FORMULA") && command.Name != "formula" {
		more += " Formulas: inev formula --help."
	}
	return b.String() + "\n" + more + "\n"
}

// documentedFlag is a flag with its text in the help.
type documentedFlag interface {
	cli.Flag
	cli.CategorizableFlag
	inHelp() string
}

// ungrouped is a flag in the group of general flags.
type ungrouped struct{ documentedFlag }

func (ungrouped) GetCategory() string { return string(generalFlags) }

// manCommand returns inev man, which prints the manual page.
func manCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage: "print the manual page",
		Description: `The manual page contains the help of all commands. To read it, or to put it where
man inev finds it:

  inev man > inev.1 && man ./inev.1
  inev man | sudo tee /usr/local/share/man/man1/inev.1 > /dev/null`,
		Flags: []cli.Flag{toggle(runFlags, "help", "show this help")},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return &usageError{
					"man",
					fmt.Sprintf("expected no arguments, found %d", c.NArg()),
				}
			}
			info, _ := debug.ReadBuildInfo()
			return writeManual(p, p.stdout, committed(info))
		},
	},
		`inev man`)
}

// writeManual writes the manual page of a program, made from its help. day is the date of the
// source, as 2006-01-02, or "".
func writeManual(p *program, w io.Writer, day string) error {
	app := p.app()
	m := &manual{}
	m.line(`.TH %s 1 "%s" "%s %s"`, strings.ToUpper(app.Name), day, app.Name, roff(app.Version))
	m.line(".SH NAME")
	m.line("%s \\- %s", app.Name, roff(app.Usage))
	overview, exits, _ := strings.Cut(overview(p, app), "\nExit codes: ")
	m.help(overview, ".SH SYNOPSIS", ".SH DESCRIPTION", ".SS")
	m.line(".SH COMMANDS")
	for _, command := range app.Commands {
		m.line(`.SS "%s %s"`, app.Name, command.Name)
		text := command.Usage
		m.text((strings.ToUpper(text[:1]) + text[1:]) + ".")
		m.help(pageOf(command), ".PP", ".PP", ".PP\n.B")
	}
	m.line(".SH EXIT STATUS")
	m.text(exits)
	_, err := io.WriteString(w, m.String())
	return err
}

// manual is a page in the language of roff, with the macros of man(7).
type manual struct{ strings.Builder }

func (m *manual) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

// entry matches a line of a list in the help: a name, at least two blanks, and a description.
var entry = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^  (\S(?:.*?\S)??) {2,}(\S.*)$`)
})

// help adds a page of help without its first line; the roff macros for the usage, for the text
// after it, and for headings are arguments.
func (m *manual) help(page, usage, body, heading string) {
	paragraphs := strings.Split(strings.TrimSpace(page), "\n\n")
	for i, paragraph := range paragraphs[1:] {
		lines := strings.Split(paragraph, "\n")
		call, isUsage := strings.CutPrefix(paragraph, "Usage: ")
		title, isTitle := strings.CutSuffix(lines[0], ":")
		switch {
		case isUsage:
			m.line("%s\n.B %s\n%s", usage, roff(strings.TrimSpace(call)), body)
			continue
		case isTitle && len(lines) > 1 && isIndented(lines[1]):
			m.line(`%s "%s"`, heading, roff(title))
			lines = lines[1:]
		case i > 1 && !isList(lines):
			m.line(".PP")
		}
		m.blocks(lines)
	}
}

func isIndented(line string) bool { return strings.HasPrefix(line, "  ") }

// blocks adds lines of a paragraph: indented ones are a list, or an example that stays as it
// is.
func (m *manual) blocks(lines []string) {
	for len(lines) > 0 {
		n := 1
		for n < len(lines) && isIndented(lines[n]) == isIndented(lines[0]) {
			n++
		}
		block := lines[:n]
		switch {
		case !isIndented(block[0]):
			m.text(strings.Join(block, "\n"))
		case isList(block):
			for _, line := range block {
				parts := entry().FindStringSubmatch(line)
				if parts != nil {
					m.line(".TP\n.B %s", roff(parts[1]))
					line = parts[2]
				}
				m.text(line)
			}
		default:
			m.line(".RS 4\n.nf")
			for _, line := range block {
				m.line("%s", roff(line[2:]))
			}
			m.line(".fi\n.RE")
		}
		lines = lines[n:]
	}
}

// isList reports whether each line is an entry of a list, or continues the previous entry.
func isList(lines []string) bool {
	for _, line := range lines[1:] {
		if !entry().MatchString(line) && !strings.HasPrefix(line, "        ") {
			return false
		}
	}
	return entry().MatchString(lines[0])
}

// text adds words that roff fills into lines; source lines have the usual length of manual
// pages.
func (m *manual) text(paragraph string) {
	const width = 78
	words := strings.Fields(paragraph)
	for i, word := range words {
		words[i] = roff(word)
	}
	m.line("%s", strings.Join(wrapped(strings.Join(words, " "), width), "\n"))
}

// roff escapes text: characters that roff would take for commands, and those that it would replace
// by typographic ones, so that command lines can be copied.
func roff(text string) string {
	var b strings.Builder
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		b.WriteString(`\&`)
	}
	for _, r := range text {
		switch {
		case signs[r] != "":
			b.WriteString(signs[r])
		case r > 0x7e:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

var signs = map[rune]string{
	'\\': `\e`,
	'-':  `\-`,
	'\'': `\(aq`,
	'`':  `\(ga`,
	'^':  `\(ha`,
	'~':  `\(ti`,
	'"':  `\(dq`,
}
