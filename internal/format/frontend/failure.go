//go:build !js

package frontend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
)

// failedError is the error of a tool that did not make a model.
type failedError struct {
	// file is the specification, program is the program that failed, and reason is
	// how it ended.
	file, program, reason string
	// cause is the most informative line of the output; "" if there is no output.
	cause string
	// isRefused reports that the tool does not take the specification, and that cause says where and why.
	isRefused bool
	lines     []string
	total     int
	err       error
}

// Error returns one line.
func (e *failedError) Error() string {
	text := fmt.Sprintf("%s: %s failed (%s)", e.file, e.program, e.reason)
	if e.isRefused {
		text = fmt.Sprintf("%s: %s does not take the specification", e.file, e.program)
	}
	if e.cause != "" {
		text += ": " + e.cause
		remedy := remedyFor(e.cause)
		if remedy != "" {
			text = strings.TrimSuffix(text, ".") + remedy
		}
	} else {
		text += ", and said nothing"
	}
	return text
}

// remedyFor returns a clause about what to do if a module, an operator of one, a constant or the next-state
// relation is missing, or if an assertion fails: TLC then writes no more states, so the graph is not whole.
// It returns "" for other errors.
func remedyFor(cause string) string {
	constant := unassigned().FindStringSubmatch(cause)
	module := missingModule().FindStringSubmatch(cause)
	operator := undefinedOperator().FindStringSubmatch(cause)
	switch {
	case operator != nil && definedBy()[operator[1]] != "":
		return fmt.Sprintf("; EXTENDS %s defines it", definedBy()[operator[1]])
	case constant != nil:
		return "; write " + constant[1] + " = VALUE after CONSTANT in the configuration"
	case module != nil && ofProofs()[module[1]]:
		return "; it belongs to the proof system, whose folder library has it (https://github.com/tlaplus/tlapm): name this folder as a library"
	case module != nil && ofCommunity()[module[1]]:
		return "; it is a community module: put CommunityModules-deps.jar (https://github.com/tlaplus/CommunityModules) beside tla2tools.jar"
	case strings.Contains(cause, "did not specify the initial state predicate"):
		return "; write SPECIFICATION Spec, or INIT and NEXT, in the configuration"
	case strings.Contains(cause, "No next state actions defined"):
		return "; SPECIFICATION needs a definition such as Spec == Init /\\ [][Next]_vars"
	case strings.Contains(cause, "Cannot find source file for module"):
		return "; put the module next to the specification, or name its folder as a library"
	case strings.Contains(cause, "argument of Assert evaluated to FALSE"):
		return "; TLC ends at an assertion that fails: leave it out, and write what it asserts as an INVARIANT, which inev explains"
	}
	return ""
}

// ofProofs are modules of the proof system TLAPS, which TLC needs to read proofs. ofCommunity are community modules.
var (
	ofProofs = sync.OnceValue(func() map[string]bool {
		return namesIn("TLAPS BagsTheorems FiniteSetTheorems NaturalsInduction SequenceTheorems WellFoundedInduction")
	})
	ofCommunity = sync.OnceValue(func() map[string]bool {
		return namesIn("BagsExt Bitwise CSV Combinatorics DyadicRationals FiniteSetsExt FiniteSetsExtTheorems Folds FoldsTheorems FunctionTheorems Functions GraphTheorems GraphViz Graphs HTML IOUtils Quorum QuorumTheorems Relation SVG SequencesExt SequencesExtTheorems ShiViz Statistics UndirectedGraphs VectorClocks")
	})
)

// definedBy maps operators of the standard modules to the modules that have to be extended for them. TLC does not
// name these modules, and refuses the specification before inev reads it.
var definedBy = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for module, operators := range map[string]string{
		"Naturals":   `+ - * ^ < > =< <= >= \leq \geq % \div .. Nat`,
		"Integers":   "-. Int",
		"Sequences":  `Append Head Len SelectSeq Seq SubSeq Tail \o \circ`,
		"FiniteSets": "Cardinality IsFiniteSet",
		"TLC":        ":> @@ Assert Permutations Print PrintT SortSeq ToString",
	} {
		for operator := range namesIn(operators) {
			all[operator] = module
		}
	}
	return all
})

func namesIn(list string) map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields(list) {
		all[name] = true
	}
	return all
}

// Said returns the output of the tool, the last line first, at most 20 of total
// lines, with positions in files as FILE:LINE:COLUMN.
func (e *failedError) Said() (lines []string, total int) { return e.lines, e.total }

// Unwrap returns the error of the system.
func (e *failedError) Unwrap() error { return e.err }

// failure returns the error of a program that failed.
func (w *work) failure(ctx context.Context, s step, err error, printed *output) error {
	printed.endLine()
	e := &failedError{
		file:    w.name,
		program: s.displayName(),
		reason:  err.Error(),
		total:   printed.total,
		err:     err,
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		e.reason = fmt.Sprintf("exit code %d", exit.ExitCode())
	}
	var lines []string
	for _, line := range slices.Concat(printed.first, printed.last) {
		lines = append(lines, w.withFilePositions(line))
	}
	e.cause = w.withPlaceOfName(ctx, w.likelyCause(lines))
	if slices.ContainsFunc(lines, failingAtPercent().MatchString) {
		e.cause = "Unknown operator: '%'"
		e.isRefused = true
		e.total = 0
		return e
	}
	if numErrors, isRefusal := refusalOfTLC(lines); isRefusal && aPlace().MatchString(e.cause) {
		e.isRefused = true
		e.total = 0 // the other lines repeat the error, or list the constructs around it
		if numErrors > 1 {
			e.cause = fmt.Sprintf("%s (the first of %d errors)", strings.TrimSuffix(e.cause, "."), numErrors)
		}
		return e
	}
	slices.Reverse(lines)
	e.lines = lines[:min(len(lines), shownLines)]
	return e
}

// refusalOfTLC reports whether TLC's parser has refused the specification, and how many errors it counts.
func refusalOfTLC(lines []string) (numErrors int, isRefusal bool) {
	isRefusal = slices.Contains(lines, "Error: Parsing or semantic analysis failed.")
	for _, line := range lines {
		count := countOfErrors().FindStringSubmatch(line)
		if count != nil {
			numErrors, _ = strconv.Atoi(count[1])
		}
	}
	return numErrors, isRefusal
}

var (
	inModule = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bline (\d+), col(?:umn)? (\d+)(?: to line \d+, col(?:umn)? \d+)? (?:of module|in) (\w+)`)
	})
	inLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bline (\d+),? col(?:umn)? (\d+)`)
	})
)

// withFilePositions rewrites positions in files to FILE:LINE:COLUMN, which programs
// and terminals follow, with the names that the user gave.
func (w *work) withFilePositions(line string) string {
	line = inModule().ReplaceAllStringFunc(line, func(found string) string {
		groups := inModule().FindStringSubmatch(found)
		lineNumber := groups[1]
		column := groups[2]
		module := groups[3]
		file := filepath.Join(filepath.Dir(w.spec.Path), module+filepath.Ext(w.spec.Path))
		if !isFile(file) {
			return found
		}
		return file + ":" + lineNumber + ":" + column
	})
	if inModule().MatchString(line) {
		return strings.NewReplacer(w.copiesToOriginals...).Replace(line) // of a module elsewhere
	}
	line = inLine().ReplaceAllString(line, strings.ReplaceAll(w.spec.Path, "$", "$$")+":$1:$2")
	return strings.NewReplacer(w.copiesToOriginals...).Replace(line)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

var (
	errorWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)error|exception|fail|cannot|not found|invalid|unknown`)
	})
	// placeAlone matches a line that has only a place, perhaps in another module.
	placeAlone = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*\S+\.\w+:\d+:\d+\s*$`)
	})
	// aPlace matches a text with a place in a file, and countOfErrors the line that counts the errors of TLC's parser.
	aPlace = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\.\w+:\d+`)
	})
	countOfErrors = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\*\*\* Errors: (\d+)$`)
	})
	// afterAnnouncement matches a cause that TLC prints on a line after the announcement of an error.
	afterAnnouncement = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`does not match the name|Cannot find source file for module`)
	})
	// unassigned matches TLC's error about a constant without a value.
	unassigned = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`constant parameter (\w+) is not assigned a value`)
	})
	// undefinedOperator matches the errors of TLC's parser about an operator without a definition. failingAtPercent
	// matches its exception if the operator is %: its errors are formats, in which %' is no verb.
	undefinedOperator = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?:Unknown operator: [`']|definition of symbol ')([^'\\s]+)'")
	})
	failingAtPercent = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`UnknownFormatConversionException: Conversion = '''$`)
	})
	// missingModule matches TLC's error about a module that has no file, and the module that names it.
	missingModule = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`Cannot find source file for module (\w+) imported in module (\w+)`)
	})
	// unset matches a variable without a value in a state that TLC prints.
	unset = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^(?:/\\ )?(\w+) = null$`)
	})
	// ofTLC matches an error of TLC. announcing matches one whose cause is on other lines.
	ofTLC = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^Error: `)
	})
	announcing = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^Error: (The (behavior|following|error occurred)|TLC (was unable|threw)|Parsing|Could not parse|Error |$)`)
	})
	// nested matches an expression that TLC was evaluating; the last one of a list is the innermost.
	nested = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\d+\. `)
	})
)

// withPlaceOfName adds a place to an error about a constant without a value or about a missing
// module: the line that declares the constant, or names the module. TLC itself writes no place.
func (w *work) withPlaceOfName(ctx context.Context, cause string) string {
	constant := unassigned().FindStringSubmatch(cause)
	module := missingModule().FindStringSubmatch(cause)
	for _, f := range w.inputs.files {
		isModule := module != nil && filepath.Base(f.path) == module[2]+filepath.Ext(w.spec.Path)
		if constant == nil && !isModule {
			continue
		}
		text, err := inputfile.ReadRegular(ctx, f.path, inputfile.Limit{Bytes: mostBytes})
		if err != nil {
			continue // the error needs no place
		}
		line := 0
		if isModule {
			line = lineInList(string(text), module[1], "EXTENDS", "INSTANCE")
		} else {
			line = lineInList(string(text), constant[1], "CONSTANT", "CONSTANTS")
		}
		if line > 0 {
			return fmt.Sprintf("%s (%s:%d)", strings.TrimSuffix(cause, "."), f.path, line)
		}
	}
	return cause
}

// errorOfTLC returns the first error that TLC names, or the text of its exception, with the place in the
// specification; "" if there is none.
func errorOfTLC(lines []string, place *regexp.Regexp) string {
	for i, line := range lines {
		cause := strings.TrimSpace(line)
		isTextOfException := i > 0 && strings.HasPrefix(lines[i-1], "The exception was ") && strings.HasPrefix(cause, ": ")
		if isTextOfException {
			cause = "Error" + cause
		}
		if !ofTLC().MatchString(cause) || announcing().MatchString(cause) {
			continue
		}
		if cause == incompleteInitialState {
			return cause + unsetByInit(lines[i:])
		}
		continues := strings.HasSuffix(cause, ":") && i+1 < len(lines)
		if continues {
			cause += " " + strings.TrimSpace(lines[i+1])
		}
		at := placeOfError(lines[i:], place)
		if at != "" && !place.MatchString(cause) {
			cause = strings.TrimSuffix(cause, ".") + " (" + at + ")"
		}
		return cause
	}
	return ""
}

// incompleteInitialState is TLC's error about an initial state in which a variable has no value.
const incompleteInitialState = "Error: current state is not a legal state"

// unsetByInit returns a clause that names the variables without a value; "" if TLC printed none.
func unsetByInit(lines []string) string {
	var names []string
	for _, found := range unset().FindAllStringSubmatch(strings.Join(lines, "\n"), -1) {
		names = append(names, found[1])
	}
	if len(names) == 0 {
		return ""
	}
	return ": the initial predicate gives no value to " + printable.List(names, "and")
}

// placeOfError returns the place of the innermost expression that TLC was evaluating, else the first place.
func placeOfError(lines []string, place *regexp.Regexp) string {
	innermost := ""
	for _, line := range lines {
		switch {
		case nested().MatchString(line) && place.MatchString(line):
			innermost = place.FindString(line)
		case innermost != "" && !nested().MatchString(line):
			return innermost
		}
	}
	return cmp.Or(innermost, place.FindString(strings.Join(lines, "\n")))
}

// likelyCause returns the error that TLC names, with a place in the specification. If TLC names none, it
// returns the first line of the first of these kinds that occurs: a place in the specification, a place in
// another module, a known cause, a mention of an error. Otherwise it returns the last line. If the line
// consists of the place alone, the result also has the next line.
func (w *work) likelyCause(lines []string) string {
	name := regexp.QuoteMeta(strings.TrimSuffix(w.spec.Path, filepath.Ext(w.spec.Path)))
	place := regexp.MustCompile(name + `\.\w+:\d+(:\d+)?`)
	cause := errorOfTLC(lines, place)
	if cause != "" {
		return cause
	}
	for _, sign := range []*regexp.Regexp{place, placeAlone(), afterAnnouncement(), errorWords()} {
		for i, line := range lines {
			if !sign.MatchString(line) {
				continue
			}
			words := strings.Fields(line)
			if len(words) > 1 {
				return strings.TrimSpace(line)
			}
			next := strings.TrimSpace(strings.Join(lines[i+1:], "\n"))
			cause, _, _ := strings.Cut(next, "\n")
			if (sign == place || sign == placeAlone()) && cause != "" {
				return words[0] + ": " + cause
			}
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.TrimSpace(lines[len(lines)-1])
}
