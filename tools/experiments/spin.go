package main

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

//go:embed promela/*.pml
var promela embed.FS

// spinRows are the rows of a table with SPIN's figures, as they are printed.
type spinRows string

// rowsIn returns the rows about SPIN in a subject's section of a document.
func rowsIn(document, name string) spinRows {
	_, section, _ := strings.Cut(document, "\n### "+name+"\n")
	section, _, _ = strings.Cut(section, "\n### ")
	var rows spinRows
	for _, line := range strings.SplitAfter(section, "\n") {
		if strings.HasPrefix(line, "| SPIN ") {
			rows += spinRows(line)
		}
	}
	return rows
}

// notInstalled is the row in place of SPIN's figures if SPIN is not installed.
const notInstalled spinRows = "| SPIN: not installed | | | | | |\n"

// runSPIN verifies the Promela model of a subject with SPIN: statement merging and partial order
// reduction are off, so that its steps are the transitions of the LTS.
func runSPIN(ctx context.Context, s subject) (spinRows, error) {
	for _, program := range []string{"spin", "gcc"} {
		if _, err := exec.LookPath(program); err != nil {
			return notInstalled, nil
		}
	}
	folder, err := os.MkdirTemp("", "experiments")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	text, err := promela.ReadFile("promela/" + s.promela)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(folder, s.promela), text, 0o644); err != nil {
		return "", err
	}
	v := verifier{
		ctx:     ctx,
		folder:  folder,
		model:   s.promela,
		reduces: false,
	}
	name, err := v.name()
	if err != nil {
		return "", err
	}
	if _, err := v.command("spin", "-o3", "-a", s.promela); err != nil {
		return "", err
	}
	var rows spinRows
	for _, variant := range [][]string{{"-a"}, {"-a", "-i"}} {
		row, err := v.verify(name, variant)
		if err != nil {
			return "", err
		}
		rows += spinRows(row.String())
	}
	return rows, nil
}

// verifier runs commands in the folder that holds a model.
type verifier struct {
	ctx    context.Context
	folder string
	model  string
	// reduces enables partial order reduction.
	reduces bool
}

// name returns the name of SPIN in tables, with its version.
func (v verifier) name() (string, error) {
	version, err := v.command("spin", "-V")
	if fields := strings.Fields(version); len(fields) > 2 {
		return "SPIN " + fields[2], err
	}
	return "SPIN", err
}

func (v verifier) command(name string, args ...string) (string, error) {
	c := exec.CommandContext(v.ctx, name, args...)
	c.Dir = v.folder
	out, err := c.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %s %s: %w: %s", v.model, name, strings.Join(args, " "), err,
			out)
	}
	return string(out), nil
}

var (
	spinStored  = regexp.MustCompile(`(\d+) states, stored`)
	spinMatched = regexp.MustCompile(`(\d+) states, matched`)
	spinErrors  = regexp.MustCompile(`errors: (\d+)`)
)

// verify compiles the verifier and runs it with these flags.
func (v verifier) verify(name string, flags []string) (figures, error) {
	row := figures{search: name + " " + strings.Join(flags, " ")}
	defines := []string{"-O2", "-w", "-o", "pan", "pan.c"}
	if !v.reduces {
		defines = append(defines, "-DNOREDUCE")
	}
	if len(flags) > 1 {
		defines = append(defines, "-DREACH")
	}
	if _, err := v.command("gcc", defines...); err != nil {
		return row, err
	}
	out, err := v.command("./pan", append(flags, "-m100000")...)
	if err != nil {
		return row, err
	}
	first := func(pattern *regexp.Regexp) string {
		if match := pattern.FindStringSubmatch(out); match != nil {
			return match[1]
		}
		return "?"
	}
	row.stored, row.found = first(spinStored), first(spinErrors)
	row.matched = visits(row.stored, first(spinMatched))
	trail, err := os.ReadFile(filepath.Join(v.folder, v.model+".trail"))
	if err != nil {
		return row, err
	}
	row.length, row.transitions = trailLength(string(trail))
	return row, nil
}

// visits returns the number of visits, first and repeated ones: SPIN counts the repeated ones alone as
// matched. If SPIN has not printed one of the numbers, it is "?".
func visits(stored, revisited string) string {
	first, err := strconv.Atoi(stored)
	if err != nil {
		return "?"
	}
	repeated, err := strconv.Atoi(revisited)
	if err != nil {
		return "?"
	}
	return strconv.Itoa(first + repeated)
}

// trailLength returns the number of states on the path that a trail of SPIN describes, and how many
// of its steps are transitions of the model: every other step is one of the never claim, which is
// process 0. A trail that does not say where its cycle begins is no counterexample to a property of
// this kind.
func trailLength(trail string) (states, transitions string) {
	steps, ofModel, cycle := 0, 0, false
	for _, line := range strings.Fields(trail) {
		var depth, process, transition int
		if _, err := fmt.Sscanf(line, "%d:%d:%d", &depth, &process, &transition); err != nil {
			continue
		}
		switch {
		case depth == -1:
			cycle = true
		case depth > 0:
			steps++
			if process != 0 {
				ofModel++
			}
		}
	}
	if !cycle {
		return "no cycle", ""
	}
	return fmt.Sprint(steps + 1), fmt.Sprint(ofModel)
}
