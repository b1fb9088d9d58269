package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/progress"
)

// summary has the results of all runs under limits.
type summary struct {
	rows  []*row // one for each shape, and then one for each command
	wrong int
}

// row has the results of the runs of one shape, or of one command.
type row struct {
	name               string
	isShape            bool
	runs, ended, wrong int
	// worst is how far a run exceeded its limit at most, in bytes; negative if all runs stayed
	// below. limit and command are those of that run.
	worst, limit int64
	command      string
}

// count adds a run under a limit to the rows of its shape and of its command.
func (s *summary) count(shape, command string, limit int64, o outcome, fault string) {
	if fault != "" {
		s.wrong++
	}
	for _, r := range []*row{s.row(shape, true), s.row(command, false)} {
		r.runs++
		if o.exitCode != exitRefused {
			r.ended++
		}
		if fault != "" {
			r.wrong++
		}
		if over := o.peak - limit; r.runs == 1 || over > r.worst {
			r.worst, r.limit, r.command = over, limit, command
			if !r.isShape {
				r.command = shape
			}
		}
	}
}

func (s *summary) row(name string, isShape bool) *row {
	at := slices.IndexFunc(s.rows, func(r *row) bool {
		return r.name == name && r.isShape == isShape
	})
	if at < 0 {
		s.rows = append(s.rows, &row{name: name, isShape: isShape})
		at = len(s.rows) - 1
	}
	return s.rows[at]
}

const heading = "## Limits of memory\n"

// into puts the summary into a page: it replaces the section of the same kind or, if there is none,
// is added at the end.
func (s *summary) into(page, flags string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, after, is := strings.Cut(string(text), heading)
	if is {
		if at := strings.Index(after, "\n## "); at >= 0 {
			after = after[at+1:]
		} else {
			after = ""
		}
	} else {
		before += "\n"
	}
	section := heading + s.markdown(flags)
	if after != "" {
		section += "\n"
	}
	return os.WriteFile(page, []byte(before+section+after), 0o644)
}

// markdown returns the summary as text in Markdown; flags are those of the command that made it.
func (s *summary) markdown(flags string) string {
	var b strings.Builder
	runs, ended, commands := 0, 0, 0
	for _, r := range s.rows {
		if !r.isShape {
			commands++
			continue
		}
		runs, ended = runs+r.runs, ended+r.ended
	}
	fmt.Fprintf(&b, `
This section is written by

    go -C tools run ./memorylimits %s -page ../docs/research/performance.md

which runs commands with --memory on synthetic models, each with limits between 0.3 and 1.2
times what it takes without one. Of %d runs of %d commands on %d shapes, %d ended, and %d
were stopped with exit code 2, one line that says what to do, and no part of a file; %d did
anything else. The peak is the largest resident memory of the process, as the kernel reports
it (%s/%s). It includes some 20 MB that an idle inev takes, so it exceeds every limit
below 20 MB. The table leaves out runs that take more than %v without a limit.

`, flags, runs, commands, len(s.rows)-commands, ended, runs-ended, s.wrong, runtime.GOOS, runtime.GOARCH, patience)
	for _, of := range []struct {
		isShape     bool
		title, with string
	}{{true, "shape", "command"}, {false, "command", "shape"}} {
		fmt.Fprintf(&b,
			"| %s | runs | ended | wrong | peak less limit, at worst | limit there | %s there |\n| --- | ---: | ---: | ---: | ---: | ---: | --- |\n", of.title, of.with)
		for _, r := range s.rows {
			if r.isShape == of.isShape {
				fmt.Fprintf(&b, "| %s | %d | %d | %d | %s | %s | %s |\n",
					quoted(r.name, !of.isShape), r.runs, r.ended, r.wrong, signed(r.worst), progress.Bytes.Format(r.limit), quoted(r.command, of.isShape))
			}
		}
		if of.isShape {
			b.WriteString("\n")
		}
	}
	return b.String()
}

func quoted(text string, code bool) string {
	if code {
		return "`" + text + "`"
	}
	return text
}

func signed(bytes int64) string {
	if bytes < 0 {
		return "−" + progress.Bytes.Format(-bytes)
	}
	return "+" + progress.Bytes.Format(bytes)
}
