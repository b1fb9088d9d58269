//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/inev-lts/inev/oracle"
	"github.com/inev-lts/inev/oracle/assertions"
)

// checkMarkdown reads the sentences of a report in Markdown back: which there are is told
// by the same command's JSON.
func (r *round) checkMarkdown(c *command, text string) error {
	if c.args[0] != "explain" || !c.has("--full") || c.has("--unfold") || c.has("--hide") || c.has("--search-limit") || c.has("--pattern") || c.has("--algorithm") || c.has("--all") {
		return nil // other sentences, or fewer
	}
	again := &command{args: []string{c.args[0], r.model, r.formula, "--allow-unmatched", "--format", "json"}}
	if c.has("--no-fairness") {
		again.args = append(again.args, "--no-fairness")
	}
	for _, flag := range []string{"--neighbourhood", "--decisions"} {
		if value := c.value(flag); value != "" {
			again.args = append(again.args, flag, value)
		}
	}
	e, err := r.execute(again)
	if err != nil {
		return err
	}
	var x explanation
	if err := json.Unmarshal([]byte(e.stdout), &x); err != nil {
		return err
	}
	s := assertions.Subject{Model: r.small.Model, Steps: r.small.Steps, Violated: x.Verdict == "violated", Reading: oracle.All}
	if c.value("--neighbourhood") == "some" {
		s.Reading = oracle.Some
	}
	for _, step := range x.Property.Steps {
		s.Patterns = append(s.Patterns, step.Pattern)
	}
	if x.Counterexample != nil {
		if s.Run, err = r.runOf(x.Counterexample.Steps, x.Counterexample.LoopStart); err != nil {
			return err
		}
	}
	checker, err := assertions.New(s)
	if err != nil {
		return err
	}
	lines := proseOf(text)
	for _, claim := range x.Claims {
		if claim.Kind == "note" {
			continue
		}
		if claim.Kind == "verdict" && c.stdin != "" {
			claim.Text = "-" + strings.TrimPrefix(claim.Text, r.model)
		}
		sentence, said := takeSentence(lines, claim.Text)
		if !said && (strings.Contains(claim.Text, " other transition") || c.has("--full") && strings.Contains(claim.Text, "what is to be forbidden in")) {
			return nil // JSON counts what --full lists in words only
		}
		if !said && saidOtherwise[claim.Kind] {
			continue
		}
		if !said {
			return fmt.Errorf("the Markdown does not say %q", claim.Text)
		}
		if comparedElsewhere[claim.Kind] {
			continue
		}
		if err := checker.Sentence(sentence); err != nil {
			return err
		}
		r.tally.sentences++
	}
	if !c.has("--no-fairness") {
		if err := checker.WhenComplete(); err != nil {
			return err
		}
	}
	for _, line := range lines {
		if rest := strings.TrimSpace(line); rest != "" && !aside.MatchString(rest) {
			return fmt.Errorf("nothing but Markdown says %q", rest)
		}
	}
	return nil
}

// saidOtherwise are the kinds of claims that a report in full says in other words, or as a part
// of others: the verdict has the diagnosis, the table of steps what the run looks like and lacks,
// and decisions what would have been better.
var saidOtherwise = map[string]bool{"diagnosis": true, "shape": true, "missing": true, "unmet": true, "better": true,
	"within": true, "slowest_run": true}

// comparedElsewhere are the kinds of claims about a property that holds that need other models
// and formulas: the tests of package report compare them with these.
var comparedElsewhere = map[string]bool{"rests_on": true, "nothing_asked": true, "more_holds": true, "not_looked": true, "unbounded": true, "faults": true}

// toGoOn is how a sentence names a flag or a command with which to go on, in the place of
// words for a program.
var toGoOn = regexp.MustCompile(" \\(`(?:--fair '?(weak|strong|full|finitely)([^`]*)|inev repair[^`]*)`\\)")

// inWords returns the words that stand for a flag.
func inWords(flag string) string {
	m := toGoOn.FindStringSubmatch(flag)
	switch {
	case m[1] == "full":
		return " (full fairness)"
	case m[1] == "weak" || m[1] == "strong":
		of := " fairness of this action)"
		if strings.Contains(m[2], ",") {
			of = " fairness of these actions)"
		}
		return " (" + m[1] + of
	}
	return ""
}

// aside is what a report says that is no claim: how its picture is read, warnings, and
// commands that lead on.
var aside = regexp.MustCompile("^(Warning: |Thick: the counterexample|(?:[A-Z][^`.]*): ?`inev |There is no picture here: |!\\[)")

var bullet = regexp.MustCompile(`^(## |\d+\. |- )`)

// proseOf returns the lines of a text in Markdown that hold sentences.
func proseOf(text string) []string {
	var lines []string
	fenced := false
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		if fenced || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "### ") {
			continue
		}
		lines = append(lines, toGoOn.ReplaceAllStringFunc(bullet.ReplaceAllString(line, ""), inWords))
	}
	return lines
}

// takeSentence finds the line that begins with a text, as Markdown sets it, and takes it
// away.
func takeSentence(lines []string, text string) (sentence string, said bool) {
	for i, line := range lines {
		if n := beginsWith(line, text); n > 0 {
			sentence, lines[i] = line[:n], strings.TrimSpace(line[n:])
			return sentence, true
		}
	}
	return "", false
}

// beginsWith returns how much of a line says a text, apart from the marks of code.
func beginsWith(line, text string) int {
	at := 0
	for i := 0; i < len(line); i++ {
		if at == len(text) {
			return i
		}
		switch {
		case line[i] == text[at]:
			at++
		case line[i] != '`':
			return 0
		}
	}
	if at == len(text) {
		return len(line)
	}
	return 0
}
