//go:build !js

package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/format/frontend"
	"github.com/inev-lts/inev/internal/printable"
)

//go:embed completion
var scripts embed.FS

// shells are the shells for which there is a script.
var shells = [...]string{"bash", "zsh", "fish", "powershell"}

// scriptOf returns the name of the file with a shell's script.
func scriptOf(shell string) string {
	if shell == "powershell" {
		shell = "ps1"
	}
	return "completion/inev." + shell
}

// completionCommand returns inev completion, which prints the script by which a shell asks for [suggestions].
func completionCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:     "print a script that lets a shell complete flags and labels",
		ArgsUsage: "bash|zsh|fish|powershell",
		Description: `Put one of these lines where your shell reads it at start:

  ~/.bashrc                    source <(inev completion bash)
  ~/.zshrc, after compinit     source <(inev completion zsh)
  ~/.config/fish/config.fish   inev completion fish | source
  $PROFILE of PowerShell       inev completion powershell | Out-String | iex

After a model, labels are completed inside a formula: type inev explain m.aut and
press the tab key.`,
		Flags: []cli.Flag{toggle(runFlags, "help", "show this help")},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 || !slices.Contains(shells[:], c.Args().First()) {
				return &usageError{"completion", fmt.Sprintf("expected one of %s, found %q",
					strings.Join(shells[:], ", "), strings.Join(c.Args().Slice(), " "))}
			}
			script, err := scripts.ReadFile(scriptOf(c.Args().First()))
			if err != nil {
				return err
			}
			_, err = p.stdout.Write(script)
			return err
		},
	},
		`inev completion bash`)
}

// suggest prints completions of the last word, one on each line. If it prints none, the shell
// completes file names.
func suggest(w io.Writer, app *cli.App, words []string) {
	for _, s := range suggestions(app, words) {
		fmt.Fprintln(w, s)
	}
}

// suggestions returns completions of the last word of a command line; none where only file names fit.
func suggestions(app *cli.App, words []string) []string {
	if len(words) == 0 {
		words = []string{""}
	}
	words = joinSplitFlags(words)
	last := len(words) - 1
	wordsBefore := words[:last]
	word := words[last]
	if slices.Contains(wordsBefore, "--") {
		return nil
	}
	if isFlag(word) && readFlag(word).hasValue {
		return valueBehindFlag(word)
	}
	if flag, pending := pendingFlag(app, wordsBefore); pending && !isFlag(word) {
		return valuesOf(app, flag, wordsBefore, word)
	}
	_, operands := flagsAndOperands(app, wordsBefore)
	switch {
	case strings.HasPrefix(word, "-"):
		return beginning(flagNames(app, operands), word)
	case len(operands) == 0:
		return beginning(commandNames(app), word)
	case len(operands) == 1:
		return beginning(firstOperands(app, operands[0]), word)
	case isInClosedQuotes(word):
		return nil
	}
	command := app.Command(operands[0])
	if command == nil {
		return nil
	}
	next := len(operands) - 1 // the command itself is no operand of its usage
	names := strings.Fields(command.ArgsUsage)
	if next < len(names) && names[next] == "FORMULA" {
		return formulaCompletions(unquoted(word), modelLabels(unquoted(operands[1])))
	}
	return nil
}

// firstOperands returns the words of which a command takes one as its first operand; none if it takes a
// file or a formula.
func firstOperands(app *cli.App, command string) []string {
	switch command {
	case "help":
		return commandNames(app)
	case "completion":
		return shells[:]
	case "generate":
		return kindNames()
	}
	return nil
}

// joinSplitFlags joins words such as --format=json, which Bash splits into three.
func joinSplitFlags(words []string) []string {
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

func isInClosedQuotes(word string) bool {
	last := len(word) - 1
	return last > 0 && (word[0] == '\'' || word[0] == '"') && word[last] == word[0]
}

// valueBehindFlag returns completions of a word such as --format=js.
func valueBehindFlag(word string) []string {
	f := readFlag(word)
	var words []string
	for _, value := range beginning(choices(f.name), f.value) {
		words = append(words, f.written+"="+value)
	}
	return words
}

// pendingFlag returns the name of the flag that takes the word after these as its value; pending is false
// if there is no such flag.
func pendingFlag(app *cli.App, wordsBefore []string) (name string, pending bool) {
	last := len(wordsBefore) - 1
	if last < 0 || !isFlag(wordsBefore[last]) {
		return "", false
	}
	f := readFlag(wordsBefore[last])
	takesNext := valueFlags(app, commandIn(app, wordsBefore))[f.name] && !f.hasValue
	return f.name, takesNext
}

// valuesOf returns completions of a word that is the value of a flag: labels of the model, if the flag takes
// patterns, or else the words that the flag takes.
func valuesOf(app *cli.App, flag string, before []string, word string) []string {
	_, operands := flagsAndOperands(app, before)
	hasModel := len(operands) > 1
	if hasModel && takesLabels(flag) {
		return patternCompletions(word, modelLabels(unquoted(operands[1])))
	}
	return beginning(choices(flag), word)
}

// takesLabels reports whether the value of a flag is a pattern of labels.
func takesLabels(name string) bool {
	return name == foldFlag || name == hideFlag || name == "pattern" || name == notFlag
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

// largestSuggesting and largestCompressed are the largest sizes, in bytes, of models whose
// labels are suggested: reading them must not delay the response to a key.
const (
	largestSuggesting = 64 << 20
	largestCompressed = 8 << 20
	// largestComposed is the largest number of transitions of networks, whose files do not show their size.
	largestComposed = 500_000
)

var errComposing = errors.New("the network is large")

// modelLabels returns the printable labels of a model in alphabetical order; none if reading them
// would take long.
func modelLabels(path string) []string {
	path = withoutTilde(path)
	isNetwork := frontend.Specification{Path: path}.IsComposed()
	needsProgram := isMade(path) && !isNetwork || format.Of(path, nil).IsConverted()
	if needsProgram || !isSmallFile(path) {
		return nil
	}
	admit := func(_, transitions int64) error {
		if isNetwork && transitions > largestComposed {
			return errComposing
		}
		return nil
	}
	m, _, err := format.Open(context.Background(), path, format.Options{Lenient: true, Admit: admit})
	if err != nil {
		return nil
	}
	var labels []string
	for _, text := range m.LTS.Alphabet().All() {
		if text != "" && printable.Text(text) == text {
			labels = append(labels, text)
		}
	}
	slices.Sort(labels)
	return labels
}

// withoutTilde replaces ~ at the beginning of a path, as the shell does.
func withoutTilde(path string) string {
	rest, isInHome := strings.CutPrefix(path, "~/")
	if !isInHome {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, rest)
}

// isSmallFile reports whether a model in a file is read while the user waits for a completion.
func isSmallFile(path string) bool {
	limit := int64(largestSuggesting)
	isCompressed := format.Suffix(path) != strings.ToLower(filepath.Ext(path))
	if isCompressed {
		limit = largestCompressed
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() <= limit
}

// formulaCompletions returns completions of a formula: inside its parentheses, a label in place of
// the incomplete step. A complete formula is its own completion.
func formulaCompletions(text string, labels []string) []string {
	const property = "Inev("
	if len(labels) == 0 {
		return nil
	}
	if strings.HasPrefix(property, text) {
		text = property
	}
	open := strings.IndexByte(text, '(')
	isLetter := func(r rune) bool { return 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' }
	hasPatternName := open > 0 && strings.TrimFunc(text[:open], isLetter) == ""
	if !hasPatternName {
		return nil
	}
	name := text[:open+1]
	body := text[open+1:]
	separators := ","
	ends := []string{")", ", "}
	if name != property {
		separators = ",;"
		ends = []string{")", ", ", "; "}
	}
	last := lastStep(body, separators)
	if last.complete {
		return []string{text}
	}
	return completions(name, body, last, ends, labels)
}

// patternCompletions returns completions of a quoted list of steps, as flags take it.
func patternCompletions(word string, labels []string) []string {
	text := unquoted(word)
	last := lastStep(text, ",")
	if last.complete {
		return nil
	}
	ends := []string{""}
	if strings.HasPrefix(word, "'") || strings.HasPrefix(word, `"`) {
		ends = append(ends, ", ")
	}
	return completions("", text, last, ends, labels)
}

// completions returns a name and a list of steps with the last step completed by each label that fits.
// If only one fits, it is followed by each of the ends: with two completions, a shell does not take the
// word to be complete.
func completions(name, body string, last stepStart, ends, labels []string) []string {
	if last.inSet {
		ends = []string{"}", ", "}
	}
	typed := strings.TrimLeft(body[last.start:], " ")
	prefix := name + strings.TrimSuffix(body, typed)
	steps := beginning(stepsToOffer(typed, labels), typed)
	if len(steps) != 1 {
		for i, step := range steps {
			steps[i] = prefix + step
		}
		return steps
	}
	var withEnds []string
	for _, end := range ends {
		withEnds = append(withEnds, prefix+steps[0]+end)
	}
	return withEnds
}

// stepsToOffer returns the steps that match single labels, and the gates of labels: bare names, or quoted
// texts if a name would be ambiguous or the user has typed a quote.
func stepsToOffer(typed string, labels []string) []string {
	var steps []string
	for _, label := range labels {
		switch {
		case strings.HasPrefix(typed, `"`):
			steps = append(steps, actl.Quoted(label))
		case strings.Contains(typed, "("):
			if isStep(label) { // a bare text may have blanks in its parentheses
				steps = append(steps, label)
			}
		default:
			steps = append(steps, actl.PatternFor(label))
			if gate, hasGate := actl.GateOf(label); hasGate {
				steps = append(steps, gate)
			}
		}
	}
	slices.Sort(steps)
	return slices.Compact(steps)
}

// isStep reports whether the text of a label, without quotes, is a step that matches the label.
func isStep(label string) bool {
	f, err := actl.Parse(context.Background(), "Inev("+label+")")
	return err == nil && len(f.Steps()) == 1 && f.Steps()[0].Matches(label)
}

// stepStart is where the last step of a list begins.
type stepStart struct {
	start    int
	inSet    bool // between braces
	complete bool // the list may end here, or the last step is in a regular expression
}

// lastStep finds the incomplete step at the end of a list; separators in quotes and parentheses
// do not count.
func lastStep(body, separators string) stepStart {
	last := stepStart{}
	depth := 0
	for i := 0; i < len(body); i++ {
		beginsStep := strings.TrimLeft(body[last.start:i], " ") == ""
		c := body[i]
		switch {
		case beginsStep && (c == '"' || c == '/'):
			i = closingIndex(body, i)
			if i >= len(body) {
				last.complete = c == '/'
				return last
			}
		case beginsStep && c == '{':
			last.inSet = true
			last.start = i + 1
		case c == '(':
			depth++
		case c == ')' && depth == 0:
			last.complete = true
			return last
		case c == ')':
			depth--
		case c == '}' && depth == 0:
			last.inSet = false
		case depth == 0 && strings.IndexByte(separators, c) >= 0:
			last.start = i + 1
		}
	}
	return last
}

// closingIndex returns the index of the character that closes the quote or regular expression which
// opens at an index; an index beyond the text if nothing closes it.
func closingIndex(text string, opening int) int {
	i := opening + 1
	for i < len(text) && text[i] != text[opening] {
		if text[i] == '\\' {
			i++
		}
		i++
	}
	return i
}

// unquoted removes the shell's quotes from a word of a command line; the closing one may be
// missing.
func unquoted(word string) string {
	isQuoted := word != "" && (word[0] == '\'' || word[0] == '"')
	if !isQuoted {
		return strings.ReplaceAll(word, `\`, "")
	}
	quote := word[:1]
	inside := strings.TrimSuffix(word[1:], quote)
	if quote == `"` {
		inside = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(inside)
	}
	return inside
}
