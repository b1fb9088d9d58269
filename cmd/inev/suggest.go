//go:build !js

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// suggest prints completions of the last word, one on each line. If it prints none, the shell
// completes file names.
func suggest(w io.Writer, app *cli.App, words []string) {
	for _, s := range suggestions(app, words) {
		fmt.Fprintln(w, s)
	}
}

func suggestions(app *cli.App, words []string) []string {
	if len(words) == 0 {
		words = []string{""}
	}
	words = joinValues(words)
	last := len(words) - 1
	before, word := words[:last], words[last]
	if slices.Contains(before, "--") {
		return nil
	}
	if values, pending := pendingValue(app, before, word); pending {
		return values
	}
	_, operands := split(app, before)
	switch {
	case strings.HasPrefix(word, "-"):
		return beginning(flagNames(app, operands), word)
	case len(operands) == 0 || len(operands) == 1 && operands[0] == "help":
		return beginning(commandNames(app), word)
	case len(operands) == 1 && operands[0] == "completion":
		return beginning(shells[:], word)
	case len(operands) == 1 && operands[0] == "generate":
		return beginning(kindNames(), word)
	case isQuoted(word):
		return nil
	case len(operands) > 1 && awaits(app, operands) == "FORMULA":
		return formulas(unquoted(word), modelLabels(unquoted(operands[1])))
	}
	return nil
}

// awaits returns the name of the next operand in the usage of the command.
func awaits(app *cli.App, operands []string) string {
	command := app.Command(operands[0])
	if command == nil {
		return ""
	}
	names := strings.Fields(command.ArgsUsage)
	if len(operands)-1 < len(names) {
		return names[len(operands)-1]
	}
	return ""
}

// joinValues joins --format=json, which bash splits into three words.
func joinValues(words []string) []string {
	var joined []string
	for i, word := range words {
		last := len(joined) - 1
		if last >= 0 && isFlag(joined[last]) && (word == "=" || words[i-1] == "=") {
			joined[last] += word
		} else {
			joined = append(joined, word)
		}
	}
	return joined
}

// pendingValue reports whether word is or ends in the value of a flag, and returns completions
// of it.
func pendingValue(app *cli.App, before []string, word string) (values []string, pending bool) {
	if isFlag(word) {
		f := readFlag(word)
		for _, value := range beginning(choices(f.name), f.value) {
			values = append(values, f.written+"="+value)
		}
		return values, f.valued
	}
	if len(before) == 0 || !isFlag(before[len(before)-1]) {
		return nil, false
	}
	f := readFlag(before[len(before)-1])
	pending = valueFlags(app, commandIn(app, before))[f.name] && !f.valued
	if pending && (f.name == "hide" || f.name == "pattern" || f.name == notFlag) {
		if _, operands := split(app, before); len(operands) > 1 {
			return patterns(word, modelLabels(unquoted(operands[1]))), true
		}
	}
	return beginning(choices(f.name), word), pending
}

// beginning returns the candidates that begin with the written part.
func beginning(candidates []string, part string) []string {
	var found []string
	for _, c := range candidates {
		if strings.HasPrefix(c, part) {
			found = append(found, c)
		}
	}
	return found
}
