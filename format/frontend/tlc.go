//go:build !js

package frontend

import (
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

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/remedy"
)

// jarVariable is the environment variable that names tla2tools.jar, and possibly
// more jars, in the syntax of a class path.
const jarVariable = "TLA2TOOLS"

func tlcTool() *tool {
	t := &tool{
		suite: "TLC", home: "https://github.com/tlaplus/tlaplus", suffixes: []string{".tla"}, language: "a specification in TLA+", made: ".dot",
		programs: []program{{name: "tlc"}}, includes: []string{".tla"},
		byHand: func(path, stem string) string {
			return fmt.Sprintf("java -cp tla2tools.jar tlc2.TLC -deadlock -continue -dump dot,actionlabels %s %s, with a .cfg without INVARIANT and PROPERTY, and then inev on %s",
				word(stem+".dot"), path, word(stem+".dot"))
		},
	}
	t.steps = tlcSteps
	return t
}

// jars returns the jars that [jarVariable] names.
func jars() []string {
	var all []string
	for _, jar := range filepath.SplitList(os.Getenv(jarVariable)) {
		if jar != "" {
			all = append(all, jar)
		}
	}
	return all
}

func java() (string, error) {
	return program{name: "java", places: inHome("JAVA_HOME", "bin")}.find()
}

// findTLC returns java and the jars, or otherwise the program tlc.
func (t *tool) findTLC(name, path string) (map[string]string, error) {
	all := jars()
	if len(all) == 0 {
		if tlc, err := exec.LookPath("tlc"); err == nil {
			tlc, err = filepath.Abs(tlc)
			return map[string]string{"tlc": tlc}, err
		}
		return nil, t.without(name, path, errors.New(jarVariable+" does not name its tla2tools.jar, nor is tlc on the PATH"))
	}
	found := map[string]string{}
	for i, jar := range all {
		at, err := filepath.Abs(jar)
		if err == nil {
			_, err = os.Stat(at)
		}
		if err != nil {
			return nil, t.without(name, path, fmt.Errorf("%s names %s, which is not there", jarVariable, jar))
		}
		found[fmt.Sprintf("jar %03d", i)] = at
	}
	at, err := java()
	if err != nil {
		return nil, t.without(name, path, fmt.Errorf("%s names %s, and java is neither in JAVA_HOME/bin nor on the PATH", jarVariable, all[0]))
	}
	found["java"] = at
	return found, nil
}

func (t *tool) without(name, path string, cause error) error {
	return inputfile.NewError(name, 0, remedy.New(cause, fmt.Sprintf("this is %s, and TLC makes models of these; %v: get tla2tools.jar (%s), or run where it is: %s",
		t.language, cause, t.home, t.byHand(word(path), stemOf(path)))))
}

var tlcStates = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([\d,]+) distinct states found`) })

// tlcSteps makes TLC write the graph of all states. Checks are removed from the
// configuration, because a violation would end TLC.
func tlcSteps(w *work, own string) []step {
	config := filepath.Join(own, "model.cfg")
	text, constrained := withoutChecks(w.inputs.configText)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		abort.On(inputfile.NewError(w.name, 0, noRoom(err)))
	}
	dump := "dot,actionlabels"
	if constrained {
		dump += ",constrained"
	}
	arguments := []string{
		// With these options the same states have the same numbers in every run,
		// in the same order.
		"-fp", "0", "-workers", "1",
		"-deadlock", "-continue", "-metadir", filepath.Join(own, "states"), "-config", config,
		"-dump", dump, filepath.Join(own, "model.dot"), w.path,
	}
	if w.programs["java"] == "" {
		return []step{{"tlc", arguments, tlcStates()}}
	}
	machine := []string{"-XX:+UseParallelGC", "-Djava.io.tmpdir=" + own}
	if w.memory > 0 {
		const most = 3.0 / 4 // the rest is for memory outside the heap
		machine = append(machine, fmt.Sprintf("-Xmx%dm", max(int64(float64(w.memory)*most)>>20, 16)))
	}
	var path []string
	for _, name := range slices.Sorted(maps.Keys(w.programs)) {
		if strings.HasPrefix(name, "jar ") {
			path = append(path, w.programs[name])
		}
	}
	machine = append(machine, "-cp", strings.Join(path, string(filepath.ListSeparator)), "tlc2.TLC")
	return []step{{"java", append(machine, arguments...), tlcStates()}}
}

// configOf reads the configuration of a specification: the file that it names, or
// otherwise the file next to it.
func configOf(ctx context.Context, s Specification, name string) (config input, text string) {
	config.path = cmp.Or(s.Config, stemOf(s.Path)+".cfg")
	text, err := config.read(ctx, func(int64) io.Writer { return io.Discard }, true)
	if errors.Is(err, fs.ErrNotExist) && s.Config == "" {
		err = inputfile.NewError(name, 0, remedy.New(err, "TLC needs "+config.path+" next to it, with INIT and NEXT or SPECIFICATION, and the values of constants: write it, or ", remedy.Config))
	}
	abort.On(err)
	if config.info.Size() > mostBytes {
		abort.On(inputfile.NewError(config.path, 0, fmt.Errorf("is not a configuration of TLC: it has more than %d MiB", mostBytes>>20)))
	}
	return config, text
}

// sections maps the keywords that begin a statement of a configuration to
// whether it is a check. The others may change the graph.
var sections = map[string]bool{
	"CONSTANT": false, "CONSTANTS": false, "CONSTRAINT": false, "CONSTRAINTS": false, "ACTION_CONSTRAINT": false, "ACTION_CONSTRAINTS": false,
	"INIT": false, "NEXT": false, "SPECIFICATION": false, "VIEW": false, "SYMMETRY": false, "TYPE": false, "TYPE_CONSTRAINT": false,
	"INVARIANT": true, "INVARIANTS": true, "PROPERTY": true, "PROPERTIES": true, "POSTCONDITION": true, "CHECK_DEADLOCK": true, "ALIAS": true,
	"_PERIODIC": true, "_RL_REWARD": true,
}

var configToken = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)\\\*[^\n]*|\(\*.*?\*\)|"[^"\n]*"|[A-Za-z_0-9]+`) })

// withoutChecks returns a configuration with blanks in place of the checks,
// so that line numbers stay the same, and whether it has constraints.
func withoutChecks(text string) (rest string, constrained bool) {
	kept := []byte(text)
	from, check := 0, false
	blank := func(to int) {
		for i := from; check && i < to; i++ {
			if kept[i] != '\n' && kept[i] != '\r' {
				kept[i] = ' '
			}
		}
	}
	for _, at := range configToken().FindAllStringIndex(text, -1) {
		keyword := text[at[0]:at[1]]
		isCheck, is := sections[keyword]
		if !is {
			continue
		}
		blank(at[0])
		from, check = at[0], isCheck
		constrained = constrained || strings.Contains(keyword, "CONSTRAINT") && keyword != "TYPE_CONSTRAINT"
	}
	blank(len(text))
	return string(kept), constrained
}

// merges returns the keyword of the statement that makes TLC identify states;
// "" if there is none.
func merges(config string) string {
	for _, token := range configToken().FindAllString(config, -1) {
		if token == "SYMMETRY" || token == "VIEW" {
			return token
		}
	}
	return ""
}
