//go:build !js

package frontend

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
)

// tool makes models of the files of some languages, by programs that run one after the other.
type tool struct {
	suite, home string
	// places are the folders that are searched for the programs before the PATH, and placesNamed names
	// them for people; nil and "" if there are none.
	places      func() []string
	placesNamed string
	// made is the suffix of the models that the tool makes.
	made string
	// usesShell reports that its programs are scripts that do not accept blanks in names.
	usesShell bool
	suffixes  []string
	language  string // the name of the language with its article
	commands  []command
	// includes are the suffixes of files that its input files may name.
	includes []string
}

// command runs a program, which is the first of its words. IN stands for the path of the
// specification, IN.spins for the path of the file that SpinS makes of it, and model.SUFFIX for the
// path of a file that the tool makes. The option -v only shows the number of states.
type command struct {
	words string
	// states matches the number of states in a line of the program's output, nil
	// if it reports none.
	states func() *regexp.Regexp
}

// step is a program with its arguments.
type step struct {
	program   string // the name of the program
	arguments []string
	states    func() *regexp.Regexp // as in a command
}

// tools returns all tools. To add a tool, add an entry here.
func tools() []*tool {
	mcrl2 := tool{
		suite:       "mCRL2",
		home:        "https://mcrl2.org",
		places:      inHome("MCRL2_HOME", "bin"),
		placesNamed: "MCRL2_HOME/bin",
		made:        ".lts",
	}
	cadp := tool{
		suite:       "CADP",
		home:        "https://cadp.inria.fr",
		places:      inHome("CADP", "com", "bin.*"),
		placesNamed: "CADP",
		made:        ".aut",
		usesShell:   true,
	}
	ltsmin := tool{
		suite:     "SpinS and LTSmin",
		home:      "https://ltsmin.utwente.nl",
		made:      ".aut",
		usesShell: true,
	}
	newTool := func(suite tool, language string, suffixes, includes []string, commands ...command) *tool {
		suite.language = language
		suite.suffixes = suffixes
		suite.includes = includes
		suite.commands = commands
		return &suite
	}
	toAUT := command{words: "bcg_io model.bcg model.aut"}
	return []*tool{
		newTool(mcrl2, "a specification of mCRL2", []string{".mcrl2"}, nil,
			command{words: "mcrl22lps -v IN model.lps"}, command{"lps2lts -v model.lps model.lts", mcrl2States}),
		newTool(mcrl2, "a linear process of mCRL2", []string{".lps"}, nil, command{"lps2lts -v IN model.lts", mcrl2States}),
		{
			suite:    "TLC",
			home:     "https://github.com/tlaplus/tlaplus",
			suffixes: []string{".tla"},
			language: "a specification in TLA+",
			made:     ".dot",
			includes: []string{".tla"},
		},
		newTool(cadp, "a specification in LNT", []string{".lnt"},
			[]string{".lnt", ".t", ".f", ".tnt", ".fnt", ".h"},
			command{words: "lnt.open IN generator model.bcg"}, toAUT),
		newTool(cadp, "a specification in LOTOS", []string{".lotos", ".lot"},
			[]string{".lib", ".lotos", ".t", ".f", ".h"},
			command{words: "caesar.open IN generator model.bcg"}, toAUT),
		newTool(cadp, "a network of processes of CADP", []string{".exp"}, networkIncludes,
			command{words: "exp.open IN generator model.bcg"}, toAUT),
		newTool(cadp, "a graph of CADP", []string{".bcg"}, nil, command{words: "bcg_io IN model.aut"}),
		newTool(ltsmin, "a model of SPIN", []string{".pml", ".prom", ".promela"},
			[]string{".pml", ".h", ".inc"},
			command{words: "spins IN"}, command{
				"prom2lts-seq IN.spins model.aut",
				ltsminStates,
			}),
	}
}

// inHome returns a function that lists folders below the folder that an environment variable names.
// The names of the folders may be globs.
func inHome(variable string, folders ...string) func() []string {
	return func() (places []string) {
		home := os.Getenv(variable)
		if home == "" {
			return nil
		}
		for _, folder := range folders {
			found, err := filepath.Glob(filepath.Join(home, folder))
			if err == nil {
				places = append(places, found...)
			}
		}
		return places
	}
}

var (
	mcrl2States = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(\d+) ?st(?:ates?)?\b`)
	})
	ltsminStates = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(\d+) states`)
	})
)

// program returns the name of the program.
func (c command) program() string {
	name, _, _ := strings.Cut(c.words, " ")
	return name
}

// arguments returns the words after the program, for the path of a specification and of the model
// without its suffix.
func (c command) arguments(path, spins, model string) []string {
	arguments := strings.Fields(c.words)[1:]
	for i, a := range arguments {
		suffix, made := strings.CutPrefix(a, "model")
		switch {
		case a == "IN":
			arguments[i] = path
		case a == "IN.spins":
			arguments[i] = spins
		case made:
			arguments[i] = model + suffix
		}
	}
	return arguments
}

// steps returns the programs, in the order of running them, with their arguments.
func (t *tool) steps(w *work, ownFolder string) (all []step, err error) {
	if t.isTLC() {
		if len(w.spec.Options) > 0 {
			return nil, inputfile.NewError(w.name, 0,
				errors.New("TLC takes no further options from inev; what it reads is in the configuration"))
		}
		return tlcSteps(w, ownFolder)
	}
	for i, c := range t.commands {
		spins := filepath.Join(ownFolder, filepath.Base(w.path)+".spins")
		arguments := c.arguments(w.path, spins, filepath.Join(ownFolder, "model"))
		if i == 0 {
			arguments = slices.Concat(w.spec.Options, arguments)
		}
		all = append(all, step{
			program:   c.program(),
			arguments: arguments,
			states:    c.states,
		})
	}
	return all, nil
}

// byHand returns the commands with which a user makes the same model.
func (t *tool) byHand(path string) string {
	stem := stemOf(path)
	if t.isTLC() {
		dump := printable.ShellWord(stem + ".dot")
		return fmt.Sprintf("java -cp tla2tools.jar tlc2.TLC -deadlock -continue -dump dot,actionlabels %s %s, with a .cfg without INVARIANT and PROPERTY, and then inev on %s",
			dump, printable.ShellWord(path), dump)
	}
	var commands []string
	for _, c := range t.commands {
		text := c.program()
		for _, a := range c.arguments(path, filepath.Base(path)+".spins", stem) {
			if a != "-v" {
				text += " " + printable.ShellWord(a)
			}
		}
		commands = append(commands, text)
	}
	return strings.Join(commands, " && ")
}

// stemOf returns a path without its suffix.
func stemOf(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) }

// plain are the characters that mean themselves to every shell.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+-:@%"

// Made returns the suffix of the model that a tool makes of the specification;
// "" if it is a model already.
func (s Specification) Made() string {
	if t := toolFor(s.Path); t != nil {
		return t.made
	}
	return ""
}

// toolFor returns the tool for a file; nil if the file is read directly. A file that
// holds a model is read directly whatever its name.
func toolFor(path string) *tool {
	suffix := strings.ToLower(filepath.Ext(path))
	for _, t := range tools() {
		if slices.Contains(t.suffixes, suffix) {
			if suffix != ".lps" && holdsModel(path) {
				return nil
			}
			return t
		}
	}
	return nil
}

// holdsModel reports whether a file has the beginning of a model, whatever its
// name.
func holdsModel(path string) bool {
	file, err := inputfile.OpenRegular(context.Background(), path) // does not wait for a named pipe
	if err != nil {
		return false
	}
	defer file.Close()
	const enough = 16 << 10
	start, _ := io.ReadAll(io.LimitReader(file, enough)) // a later reader meets the same error
	if _, sure := format.ByContent(start); sure {
		return true
	}
	const blanks = " \t\n\f\r"
	behind, begins := bytes.CutPrefix(bytes.TrimLeft(start, blanks), []byte("des"))
	return begins && bytes.HasPrefix(bytes.TrimLeft(behind, blanks), []byte("("))
}

// find returns the path of a program in one of these folders, or on the PATH.
func find(name string, places func() []string) (string, error) {
	if places != nil {
		for _, folder := range places() {
			if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
				return filepath.Abs(path)
			}
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// find returns the paths of all programs.
func (t *tool) find(name, path string) (map[string]string, error) {
	found := map[string]string{}
	for _, c := range t.commands {
		at, err := find(c.program(), t.places)
		if err != nil {
			where := "which is not on the PATH"
			if t.placesNamed != "" {
				where += " nor in " + t.placesNamed
			}
			return nil, inputfile.NewError(name, 0,
				hint.New(err,
					fmt.Sprintf("this is %s; %s can make a model of it, by way of %s, %s: install %s (%s), or run where it is installed: %s",
						t.language, t.suite, c.program(), where, t.suite, t.home, t.byHand(path))))
		}
		found[c.program()] = at
	}
	return found, nil
}

// jarVariable is the environment variable that names tla2tools.jar, and possibly
// more jars, in the syntax of a class path.
const jarVariable = "TLA2TOOLS"

func java() (string, error) {
	return find("java", inHome("JAVA_HOME", "bin"))
}

// findTLC returns java and the jars, or otherwise the program tlc.
func (t *tool) findTLC(name, path string) (map[string]string, error) {
	all := slices.DeleteFunc(filepath.SplitList(os.Getenv(jarVariable)), func(jar string) bool {
		return jar == ""
	})
	if len(all) == 0 {
		if tlc, err := exec.LookPath("tlc"); err == nil {
			tlc, err = filepath.Abs(tlc)
			return map[string]string{"tlc": tlc}, err
		}
		return nil, t.tlcMissing(name, path,
			errors.New(jarVariable+" does not name its tla2tools.jar, nor is tlc on the PATH"))
	}
	found := map[string]string{}
	for i, jar := range all {
		at, err := filepath.Abs(jar)
		if err == nil {
			_, err = os.Stat(at)
		}
		if err != nil {
			return nil, t.tlcMissing(name, path,
				fmt.Errorf("%s names %s, which is not there", jarVariable, jar))
		}
		found[fmt.Sprintf("jar %03d", i)] = at
	}
	for i, jar := range moduleFolders(all) {
		found[fmt.Sprintf("jar %03d", len(all)+i)] = jar
	}
	at, err := java()
	if err != nil {
		return nil, t.tlcMissing(name, path,
			fmt.Errorf("%s names %s, and java is neither in JAVA_HOME/bin nor on the PATH",
				jarVariable, all[0]))
	}
	found["java"] = at
	return found, nil
}

// moduleFolders returns the folders and jars, besides those of TLC, that may have modules. They are
// the entries of Java's class path, which the class path of TLC would replace, and the community
// modules next to the jars.
func moduleFolders(jars []string) (all []string) {
	add := func(path string) {
		at, err := filepath.Abs(path)
		if err != nil || slices.Contains(jars, path) || slices.Contains(all, at) {
			return
		}
		if _, err := os.Stat(at); err == nil {
			all = append(all, at)
		}
	}
	for _, entry := range filepath.SplitList(os.Getenv("CLASSPATH")) {
		if entry != "" {
			add(entry)
		}
	}
	for _, jar := range jars {
		beside, err := filepath.Glob(filepath.Join(filepath.Dir(jar), "CommunityModules*.jar"))
		if err != nil {
			continue // the folder's name is no pattern
		}
		for _, path := range beside {
			add(path)
		}
	}
	return all
}

func (t *tool) tlcMissing(name, path string, cause error) error {
	return inputfile.NewError(name, 0,
		hint.New(cause,
			fmt.Sprintf("this is %s; TLC can make a model of it; %v: get tla2tools.jar (%s), or run where it is: %s",
				t.language, cause, t.home, t.byHand(path))))
}

var tlcStates = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([\d,]+) distinct states found`)
})

// tlcSteps makes TLC write the graph of all states, with the part of the configuration that
// [forGraph] returns.
func tlcSteps(w *work, ownFolder string) ([]step, error) {
	dump := "dot,actionlabels"
	if w.inputs.forGraph.hasConstraints {
		dump += ",constrained"
	}
	one, err := tlcStep(w, ownFolder, w.inputs.forGraph.text, dump)
	return []step{one}, err
}

// initialStatesStep makes TLC write the initial states alone, if none of them satisfies the constraints: TLC
// does not write such states. With the constraints on states as constraints on steps, TLC writes the
// initial states, and no step from them.
func initialStatesStep(w *work, own string) (step, error) {
	return tlcStep(w, own, w.inputs.forGraph.withStepConstraints, "dot,actionlabels")
}

// tlcStep makes TLC write a graph by a configuration.
func tlcStep(w *work, ownFolder, configuration, dump string) (step, error) {
	config := filepath.Join(ownFolder, "model.cfg")
	if err := os.WriteFile(config, []byte(configuration), 0o600); err != nil {
		return step{}, inputfile.NewError(w.name, 0, noRoom(err))
	}
	arguments := []string{
		// With these options the same states have the same numbers in every run,
		// in the same order.
		"-fp", "0", "-workers", "1",
		"-deadlock", "-continue", "-metadir", filepath.Join(ownFolder, "states"), "-config", config,
		"-dump", dump, filepath.Join(ownFolder, "model.dot"), w.path,
	}
	if w.programs["java"] == "" {
		return step{"tlc", arguments, tlcStates}, nil
	}
	machine := []string{"-XX:+UseParallelGC", "-Djava.io.tmpdir=" + ownFolder}
	if w.memory > 0 {
		const most = 3.0 / 4 // the rest is for memory outside the heap
		machine = append(machine,
			fmt.Sprintf("-Xmx%dm", max(int64(float64(w.memory)*most)>>20, 16)))
	}
	var path []string
	for _, name := range slices.Sorted(maps.Keys(w.programs)) {
		if strings.HasPrefix(name, "jar ") {
			path = append(path, w.programs[name])
		}
	}
	machine = append(machine, "-cp", strings.Join(path, string(filepath.ListSeparator)),
		"tlc2.TLC")
	return step{"java", append(machine, arguments...), tlcStates}, nil
}

// configOf reads the configuration of a specification: the file that it names, or
// otherwise the file next to it.
func configOf(
	ctx context.Context,
	s Specification,
	name string,
) (config input, text string, err error) {
	config.path = cmp.Or(s.Config, stemOf(s.Path)+".cfg")
	text, err = config.read(ctx, func(int64) io.Writer { return io.Discard }, true)
	if errors.Is(err, fs.ErrNotExist) && s.Config == "" {
		err = inputfile.NewError(name, 0,
			hint.New(err,
				"TLC needs "+config.path+
					" next to it, with INIT and NEXT or SPECIFICATION, and the values of constants: write it, or ", hint.Config))
	}
	if err != nil {
		return input{}, "", err
	}
	if config.info.Size() > mostBytes {
		return input{}, "", inputfile.NewError(config.path, 0, fmt.Errorf("is not a configuration of TLC: it has more than %d MiB", mostBytes>>20))
	}
	return config, text, nil
}

// statements has the keywords that begin a statement of a configuration. The value reports whether
// TLC gets such a statement. TLC does not get checks, which would end it, nor a statement that
// writes other values of states (ALIAS) or merges different states (SYMMETRY, VIEW).
var statements = map[string]bool{
	"CONSTANT":           true,
	"CONSTANTS":          true,
	"CONSTRAINT":         true,
	"CONSTRAINTS":        true,
	"ACTION_CONSTRAINT":  true,
	"ACTION_CONSTRAINTS": true,
	"INIT":               true,
	"NEXT":               true,
	"SPECIFICATION":      true,
	"TYPE":               true,
	"TYPE_CONSTRAINT":    true,
	"INVARIANT":          false,
	"INVARIANTS":         false,
	"PROPERTY":           false,
	"PROPERTIES":         false,
	"POSTCONDITION":      false,
	"POSTCONDITIONS":     false,
	"CHECK_DEADLOCK":     false,
	"ALIAS":              false,
	"SYMMETRY":           false,
	"VIEW":               false,
	"_PERIODIC":          false,
	"_RL_REWARD":         false,
	"_POSSIBLE":          false,
}

// configuration has the parts of a configuration of TLC that matter for the graph.
type configuration struct {
	// text has blanks in place of the statements that TLC does not get, so that line numbers stay the same.
	text           string
	hasConstraints bool // whether there are constraints
	// withStepConstraints is the text in which each constraint on states has become a constraint on steps,
	// about the state before the step; "" if there are no constraints on states.
	withStepConstraints string
	// merging is SYMMETRY or VIEW if the configuration has such a statement, in line mergingLine;
	// "" if it has none.
	merging     string
	mergingLine int
}

// forGraph returns the part of a configuration that TLC gets, so that it makes a graph of all
// states.
func forGraph(text string) configuration {
	c := configuration{}
	kept := &keptStatements{text: []byte(text), stays: true}
	var onStates []int // the offsets of the constraints on states
	for at := 0; at < len(text); {
		behind := behindToken(text, at)
		keyword := text[at:behind]
		if stays, begins := statements[keyword]; begins {
			kept.end(at)
			kept.stays = stays
		}
		switch keyword {
		case "SYMMETRY", "VIEW":
			if c.merging == "" {
				c.merging = keyword
				c.mergingLine = 1 + strings.Count(text[:at], "\n")
			}
		case "CONSTRAINT", "CONSTRAINTS":
			c.hasConstraints = true
			onStates = append(onStates, at)
		case "ACTION_CONSTRAINT", "ACTION_CONSTRAINTS":
			c.hasConstraints = true
		}
		at = behind
	}
	kept.end(len(text))
	c.text = string(kept.text)
	for _, at := range slices.Backward(onStates) {
		c.withStepConstraints = cmp.Or(c.withStepConstraints, c.text)
		c.withStepConstraints = c.withStepConstraints[:at] + "ACTION_" + c.withStepConstraints[at:]
	}
	return c
}

// keptStatements is the text of a configuration in which blanks replace the statements that TLC does not get.
// Lines keep their numbers, for errors.
type keptStatements struct {
	text []byte
	// begin is the offset of the present statement, and stays reports whether TLC gets it.
	begin int
	stays bool
}

// end ends the present statement at an offset, where the next one begins.
func (k *keptStatements) end(at int) {
	for i := k.begin; !k.stays && i < at; i++ {
		if k.text[i] != '\n' && k.text[i] != '\r' {
			k.text[i] = ' '
		}
	}
	k.begin = at
}

// lineInList returns the line of a name in a list that follows a keyword of TLA+; 0 if there is none. Commas separate
// the items of a list, and an item may have parameters.
func lineInList(text, name string, keywords ...string) int {
	isInList := false
	isItemNext := false
	for at := 0; at < len(text); {
		behind := behindToken(text, at)
		token := text[at:behind]
		isComment := strings.HasPrefix(token, `\*`) || strings.HasPrefix(token, "(*")
		switch {
		case isComment || strings.TrimSpace(token) == "":
		case slices.Contains(keywords, token):
			isInList = true
			isItemNext = true
		case !isInList:
		case token == ",":
			isItemNext = true
		case isItemNext && token == name:
			return 1 + strings.Count(text[:at], "\n")
		case isItemNext:
			isItemNext = false
		default:
			isParameter := token == "(" || token == "_" || token == ")"
			isInList = isParameter
		}
		at = behind
	}
	return 0
}

// behindToken returns the offset after the comment, the string, the word or the sign at an offset.
// Comments can be nested.
func behindToken(text string, at int) int {
	rest := text[at:]
	switch {
	case strings.HasPrefix(rest, `\*`):
		line, _, _ := strings.Cut(rest, "\n")
		return at + len(line)
	case strings.HasPrefix(rest, "(*"):
		return behindComment(text, at)
	case rest[0] == '"':
		if end := strings.IndexAny(rest[1:], "\"\n"); end >= 0 {
			return at + 1 + end + 1
		}
		return len(text)
	}
	n := 0
	for n < len(rest) && isInWord(rest[n]) {
		n++
	}
	return at + max(n, 1)
}

func isInWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// behindComment returns the offset after the comment at an offset, or the end of the text if it is not closed.
func behindComment(text string, at int) int {
	depth := 0
	for at < len(text) {
		rest := text[at:]
		switch {
		case strings.HasPrefix(rest, "(*"):
			depth++
			at += 2
		case strings.HasPrefix(rest, "*)"):
			depth--
			at += 2
			if depth == 0 {
				return at
			}
		default:
			at++
		}
	}
	return at
}
