//go:build !js

package main

import (
	"fmt"
	"io"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"
)

func manCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Name:      "man",
		Usage:     "print the manual page",
		ArgsUsage: "",
		Description: `The manual page contains the help of all commands. To read it, or to put it where
man inev finds it:

  inev man > inev.1 && man ./inev.1
  inev man | sudo tee /usr/local/share/man/man1/inev.1 > /dev/null`,
		Flags: []cli.Flag{toggle(runFlags, "help", "show this help")},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return &usageError{"man", fmt.Sprintf("expected no arguments, found %d", c.NArg())}
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
	app, m := p.app(), &manual{}
	m.line(`.TH %s 1 "%s" "%s %s"`, strings.ToUpper(app.Name), day, app.Name, roff(app.Version))
	m.line(".SH NAME")
	m.line("%s \\- %s", app.Name, roff(app.Usage))
	overview, exits, _ := strings.Cut(overview(p, app), "\nExit codes: ")
	m.help(overview, ".SH SYNOPSIS", ".SH DESCRIPTION", ".SS")
	m.line(".SH COMMANDS")
	for _, command := range app.Commands {
		m.line(`.SS "%s %s"`, app.Name, command.Name)
		m.text(sentence(command.Usage) + ".")
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
var entry = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^  (\S(?:.*?\S)??) {2,}(\S.*)$`) })

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
		switch block := lines[:n]; {
		case !isIndented(block[0]):
			m.text(strings.Join(block, "\n"))
		case isList(block):
			for _, line := range block {
				if parts := entry().FindStringSubmatch(line); parts != nil {
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
	'\\': `\e`, '-': `\-`, '\'': `\(aq`, '`': `\(ga`, '^': `\(ha`, '~': `\(ti`, '"': `\(dq`,
}

// sentence begins text with a capital letter.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
