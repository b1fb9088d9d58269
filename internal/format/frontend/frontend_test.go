//go:build unix

package frontend_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/format/frontend"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
)

// The models that stand-ins write. A reader is picked by content first.
const (
	asFSM = "x(2) Bool \"false\" \"true\"\n---\n0\n1\n---\n1 2 \"send\"\n2 1 \"lose\"\n"
	asAUT = "des (0, 2, 2)\n(0, \"send\", 1)\n(1, \"lose\", 0)\n"
	asDot = "strict digraph DiskGraph {\nnodesep=0.35;\nsubgraph cluster_graph {\ncolor=\"white\";\n1 [label=\"x = 0\",style = filled]\n" +
		"1 -> 2 [label=\"Send\",color=\"black\",fontcolor=\"black\"];\n2 [label=\"x = 1\",tooltip=\"x = 1\"];\n{rank = same; 1;}\n}\n}\n"
)

// standIns are programs that stand for real ones: they note how they are called.
type standIns struct {
	t      *testing.T
	folder string
}

// newStandIns lets no other program be found, and returns where temporary files will be.
func newStandIns(t *testing.T) (s *standIns, temporary string) {
	t.Helper()
	s, temporary = &standIns{t, t.TempDir()}, filepath.Join(t.TempDir(), "files for a time")
	if err := os.Mkdir(temporary, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", s.folder+":/usr/bin:/bin")
	t.Setenv("TMPDIR", temporary)
	for _, name := range []string{"MCRL2_HOME", "TLA2TOOLS", "CADP", "JAVA_HOME", "CLASSPATH"} {
		t.Setenv(name, "")
	}
	return s, temporary
}

// add adds a program; the script finds its last argument in $last.
func (s *standIns) add(name, script string) {
	s.t.Helper()
	text := "#!/bin/sh\nfor last; do :; done\n{ printf '%s' " + name + "; for a; do printf ' [%s]' \"$a\"; done; echo; } >> " + s.folder + "/calls\n" + script + "\n"
	if err := os.WriteFile(filepath.Join(s.folder, name), []byte(text), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

// calls returns how the programs were called.
func (s *standIns) calls() []string {
	text, err := os.ReadFile(filepath.Join(s.folder, "calls"))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func (s *standIns) mcrl2() {
	s.add("mcrl22lps", "cp \"$2\" \"$3\"")
	s.add("lps2lts", "echo '1200st, 3400tr, explored 50.00%. Last level: 7, 20st, 30tr.' >&2\ncat > \"$last\" <<'END'\n"+asFSM+"END")
}

func written(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// empty fails if there is anything in a folder.
func empty(t *testing.T, folder string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) > 0 {
		t.Errorf("left in the folder of temporary files: %v (error %v)", entries, err)
	}
}

func opened(t *testing.T, ctx context.Context, m *frontend.Maker, s frontend.Specification) (*format.Model, []string, error) {
	t.Helper()
	model, warnings, err := m.Open(ctx, s, format.Options{States: true, Digest: true})
	if closed := m.Close(); closed != nil {
		t.Error(closed)
	}
	return model, warnings, err
}

// TestTools: each kind of file is given to its programs, whatever its name is, with the files that it
// includes, and the model is what they write.
func TestTools(t *testing.T) {
	for _, base := range []string{"link", "-v", "my link", "it's \"$HOME\" `x`;#&", "ünï"} {
		s, temporary := newStandIns(t)
		s.mcrl2()
		s.add("tlc", "while [ $# -gt 0 ]; do [ \"$1\" = -dump ] && dump=$3; [ \"$1\" = -config ] && cat \"$2\" > "+s.folder+"/config; shift; done\ncat > \"$dump\" <<'END'\n"+asDot+"END")
		// Scripts take neither blanks nor signs, and find what is included.
		const plain = "case \"$1$3\" in -*|*[!-a-zA-Z0-9./]*) exit 1;; esac\nhere=$(dirname \"$1\")\n[ -f $1 ] && [ -f $here/Types.h ] && [ -f $here/../common/more.x ] && "
		for open, more := range map[string]string{"lnt.open": "[ -f ${1%.*}.t ] && ", "caesar.open": "[ -f ${1%.*}.t ] && ", "exp.open": ""} {
			s.add(open, plain+more+"[ $2 = generator ] && echo graph > $3")
		}
		s.add("bcg_io", "[ -s \"$1\" ] && cat > \"$2\" <<'END'\n"+asAUT+"END")
		s.add("spins", plain+"echo library > \"$(basename \"$1\").spins\"")
		s.add("prom2lts-seq", "[ -s \"$1\" ] && cat > \"$2\" <<'END'\n"+asAUT+"END")
		folder := filepath.Join(t.TempDir(), "it's here")
		for name, text := range map[string]string{"it's here/Types.h": "", "common/more.x": "", "it's here/" + base + ".t": ""} {
			at := filepath.Join(filepath.Dir(folder), name)
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			written(t, filepath.Dir(at), filepath.Base(at), text)
		}
		for suffix, want := range map[string]string{
			".mcrl2": "mcrl22lps lps2lts", ".lps": "lps2lts", ".tla": "tlc", ".lnt": "lnt.open bcg_io", ".lotos": "caesar.open bcg_io",
			".exp": "exp.open bcg_io", ".bcg": "bcg_io", ".pml": "spins prom2lts-seq",
		} {
			path := written(t, folder, base+suffix, "Types \"Types.h\" \"../common/more.x\"")
			written(t, folder, base+".cfg", "INIT Init\nNEXT Next\nINVARIANT Never\n")
			before := len(s.calls())
			specification := frontend.Specification{Path: path}
			if suffix == ".exp" {
				specification.FrontEnd = frontend.CADP // inev composes networks itself otherwise
			}
			m, _, err := opened(t, context.Background(), &frontend.Maker{}, specification)
			if err != nil {
				t.Errorf("%s%s: %v", base, suffix, err)
				continue
			}
			var programs []string
			for _, call := range s.calls()[before:] {
				name, arguments, _ := strings.Cut(call, " ")
				programs = append(programs, name)
				if arguments == "" {
					t.Errorf("%s is called without arguments", name)
				}
			}
			if got := strings.Join(programs, " "); got != want || m.LTS.NumStates() != 2 || !m.Format.IsConverted() || m.Format.IsAut() {
				t.Errorf("%s%s: %s was run, want %s; %d states", base, suffix, got, want, m.LTS.NumStates())
			}
			if hasValues := m.States != nil; hasValues != (m.Format.Suffixes[0] != ".aut") {
				t.Errorf("%s: values of states: %v", suffix, hasValues)
			}
		}
		config, err := os.ReadFile(filepath.Join(s.folder, "config"))
		if text := string(config); err != nil || !strings.Contains(text, "NEXT Next") || strings.Contains(text, "Never") {
			t.Errorf("configuration %q, error %v", text, err)
		}
		empty(t, temporary)
	}
}

// TestAllInitialStatesOutside: where no initial state satisfies the constraints, TLC writes a graph without states. It is asked again for
// the initial states, which are marked as outside; their steps are not known.
func TestAllInitialStatesOutside(t *testing.T) {
	s, temporary := newStandIns(t)
	const whole = "strict digraph DiskGraph {\nsubgraph cluster_graph {\ncolor=\"white\";\n%s}\n}\n"
	s.add("tlc", "while [ $# -gt 0 ]; do [ \"$1\" = -dump ] && dump=$3; [ \"$1\" = -config ] && config=$2; shift; done\n"+
		"if grep -q '^CONSTRAINT Inside' \"$config\"; then states=''; else cp \"$config\" "+s.folder+"/config; states='1 [label=\"x = 0\",style = filled]'; fi\n"+
		"printf '"+strings.ReplaceAll(whole, "\n", "\\n")+"' \"$states\n\" > \"$dump\"")
	folder := t.TempDir()
	path := written(t, folder, "Far.tla", "")
	written(t, folder, "Far.cfg", "INIT Init\nNEXT Next\nCONSTRAINT Inside\nPROPERTY CONSTRAINED \\* CONSTRAINT\nACTION_CONSTRAINT Small CONSTRAINTS A B\n")
	maker := &frontend.Maker{}
	m, _, err := maker.Open(context.Background(), frontend.Specification{Path: path}, format.Options{States: true, Constrained: true})
	if err != nil || m.LTS.NumStates() != 1 || len(m.Outside) != 1 || m.States.Text(0, m.States.Value(0, 0)) != "0" {
		t.Fatalf("%+v, error %v", m, err)
	}
	_, _, err = maker.Open(context.Background(), frontend.Specification{Path: path}, format.Options{States: true})
	if err == nil || !strings.HasPrefix(err.Error(), path+": state 1 (x = 0) lies outside of the constraints") {
		t.Errorf("without constraints: error %v", err)
	}
	if err := maker.Close(); err != nil {
		t.Error(err)
	}
	config, err := os.ReadFile(filepath.Join(s.folder, "config"))
	want := "INIT Init\nNEXT Next\nACTION_CONSTRAINT Inside\n" + strings.Repeat(" ", len("PROPERTY CONSTRAINED \\* CONSTRAINT")) + "\nACTION_CONSTRAINT Small ACTION_CONSTRAINTS A B\n"
	if string(config) != want || err != nil {
		t.Errorf("configuration\n%s, error %v", config, err)
	}
	empty(t, temporary)
}

// TestNoInitialState: a specification whose initial predicate no state satisfies is told so.
func TestNoInitialState(t *testing.T) {
	s, temporary := newStandIns(t)
	s.tlc(`printf 'strict digraph DiskGraph {\nsubgraph cluster_graph {\ncolor="white";\n}\n}\n' > "$dump"`)
	folder := t.TempDir()
	path := written(t, folder, "Never.tla", "")
	written(t, folder, "Never.cfg", "INIT Init\nNEXT Next\n")
	maker := &frontend.Maker{}
	_, _, err := maker.Open(context.Background(), frontend.Specification{Path: path}, format.Options{})
	if err == nil || !strings.Contains(err.Error(), "no state satisfies the initial predicate") {
		t.Errorf("error %v", err)
	}
	if err := maker.Close(); err != nil {
		t.Error(err)
	}
	empty(t, temporary)
}

// TestMissing: what is not installed is said with the commands to run by hand.
func TestMissing(t *testing.T) {
	s, temporary := newStandIns(t)
	s.add("mcrl22lps", "")
	path := written(t, t.TempDir(), "it's.mcrl2", "init delta;")
	_, _, err := opened(t, context.Background(), &frontend.Maker{}, frontend.Specification{Path: path})
	stem := strings.ReplaceAll(strings.TrimSuffix(path, ".mcrl2"), "'", `'\''`)
	want := fmt.Sprintf("%s: this is a specification of mCRL2; mCRL2 can make a model of it, by way of lps2lts, which is not on the PATH nor in MCRL2_HOME/bin: install mCRL2 (https://mcrl2.org), or run where it is installed: mcrl22lps '%s.mcrl2' '%s.lps' && lps2lts '%[3]s.lps' '%[3]s.lts'", path, stem, stem)
	if err == nil || err.Error() != want {
		t.Errorf("error\n%v\nwant\n%s", err, want)
	}
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("MCRL2_HOME", home)
	s.mcrl2()
	if err := os.Rename(filepath.Join(s.folder, "lps2lts"), filepath.Join(home, "bin", "lps2lts")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := opened(t, context.Background(), &frontend.Maker{}, frontend.Specification{Path: path}); err != nil {
		t.Error(err)
	}
	if len(s.calls()) != 2 {
		t.Errorf("calls %q", s.calls())
	}
	var none *frontend.Maker
	if _, _, err := none.Open(context.Background(), frontend.Specification{Path: path}, format.Options{}); err == nil || !strings.Contains(err.Error(), "make a model of it first: mcrl22lps") {
		t.Error(err)
	}
	empty(t, temporary)
}

// TestFailing: what a program says that fails is kept, as far as it is not too much, the last line
// first, and places in files can be followed.
func TestFailing(t *testing.T) {
	s, temporary := newStandIns(t)
	s.mcrl2()
	path := written(t, t.TempDir(), "m.mcrl2", "init delta;")
	imported := written(t, filepath.Dir(path), "Sub.mcrl2", "init delta;")
	for script, want := range map[string]string{
		"echo 'Semantic errors:'; echo; echo 'line 13, col 11 to line 13, col 22 of module Sub'; echo; echo 'No symbol +'; exit 1": path + ": mcrl22lps failed (exit code 1): " + imported + ":13:11: No symbol +",
		"echo 'Error: TLC threw an unexpected exception.'; echo 'The exception was a java.lang.RuntimeException'; echo ': Attempted to check equality of string \"no\" with non-string:'; echo 1; echo 'Error: The error occurred when TLC was evaluating'; echo '0. Line 3, column 9 to line 4, column 6 in m'; echo '1. Line 4, column 2 to line 4, column 6 in m'; exit 1": path + `: mcrl22lps failed (exit code 1): Error: Attempted to check equality of string "no" with non-string: 1 (` + path + ":4:2)",
		"echo 'Error: The constant parameter N is not assigned a value by the configuration file.'; exit 1": path + ": mcrl22lps failed (exit code 1): Error: The constant parameter N is not assigned a value by the configuration file; write N = VALUE after CONSTANT in the configuration",
		"echo '[error]   Line 6, column 15: syntax error' >&2; echo end; exit 1":                            path + ": mcrl22lps failed (exit code 1): [error]   " + path + ":6:15: syntax error",
		"echo Fatal errors; echo \"File name 'm' does not match the name 'n'\"; exit 1":                     path + ": mcrl22lps failed (exit code 1): File name 'm' does not match the name 'n'",
		"echo 'Semantic errors:'; echo; echo '*** Errors: 2'; echo; echo 'line 7, col 4 to line 7, col 5 of module m'; echo; echo \"Unknown operator: \\`zz'.\"; echo; echo 'line 9, col 4 to line 9, col 5 of module m'; echo \"Unknown operator: \\`yy'.\"; echo Starting...; echo 'Error: Parsing or semantic analysis failed.'; exit 150": path + ": mcrl22lps does not take the specification: " + path + ":7:4: Unknown operator: `zz' (the first of 2 errors)",
		"echo '***Parse Error***'; echo 'Precedence conflict between ops < in block line 11, col 13 to line 11, col 13 of module m and <.'; echo 'Residual stack trace follows:'; echo '*** Errors: 1'; echo 'Error: Parsing or semantic analysis failed.'; exit 150":                                                                         path + ": mcrl22lps does not take the specification: Precedence conflict between ops < in block " + path + ":11:13 and <.",
		"echo 'line 4, col 16 to line 4, col 16 of module m'; echo; echo \"Could not find declaration or definition of symbol '+'.\"; exit 1":                                                                                                                                                                                                 path + ": mcrl22lps failed (exit code 1): " + path + ":4:16: Could not find declaration or definition of symbol '+'; EXTENDS Naturals defines it",
		"echo 'line 4, col 16 to line 4, col 16 of module m'; echo; echo \"Unknown operator: \\`Len'.\"; exit 1":                                                                                                                                                                                                                              path + ": mcrl22lps failed (exit code 1): " + path + ":4:16: Unknown operator: `Len'; EXTENDS Sequences defines it",
		"echo 'Semantic errors:'; echo; echo '*** Errors: 2'; echo; echo \"java.util.UnknownFormatConversionException: Conversion = '''\"; echo 'Error: Parsing or semantic analysis failed.Parsing'; exit 150":                                                                                                                               path + ": mcrl22lps does not take the specification: Unknown operator: '%'; EXTENDS Naturals defines it",
		"echo 'Error: The configuration file did not specify the initial state predicate.'; exit 151":                                                                                                                                                                                                                                         path + ": mcrl22lps failed (exit code 151): Error: The configuration file did not specify the initial state predicate; write SPECIFICATION Spec, or INIT and NEXT, in the configuration",
		"echo 'Error: No next state actions defined to generate successor states from.'; exit 75":                                                                                                                                                                                                                                             path + ": mcrl22lps failed (exit code 75): Error: No next state actions defined to generate successor states from; SPECIFICATION needs a definition such as Spec == Init /\\ [][Next]_vars",
		"echo 'Cannot find source file for module TLAPS imported in module m.'; echo Error: Parsing; exit 1":                                                                                                                                                                                                                                  path + ": mcrl22lps failed (exit code 1): Cannot find source file for module TLAPS imported in module m; it belongs to the proof system, whose folder library has it (https://github.com/tlaplus/tlapm): name this folder as a library",
		"echo 'Cannot find source file for module Bitwise imported in module m.'; echo Error: Parsing; exit 1":                                                                                                                                                                                                                                path + ": mcrl22lps failed (exit code 1): Cannot find source file for module Bitwise imported in module m; it is a community module: put CommunityModules-deps.jar (https://github.com/tlaplus/CommunityModules) beside tla2tools.jar",
		"echo Fatal errors; echo 'Cannot find source file for module Far imported in module m.'; echo Error: Parsing; exit 1":                                                                                                                                                                                                                 path + ": mcrl22lps failed (exit code 1): Cannot find source file for module Far imported in module m; put the module next to the specification, or name its folder as a library",
		"echo 'Error: current state is not a legal state'; echo 'While working on the initial state:'; echo '/\\ y = null'; echo '/\\ x = 0'; exit 1":                                                                                                                                                                                         path + ": mcrl22lps failed (exit code 1): Error: current state is not a legal state: the initial predicate gives no value to y",
		"echo 'line 4, col 16 to line 4, col 16 of module m'; echo; echo 'No symbol +'; exit 1":                                                                                                                                                                                                                                               path + ": mcrl22lps failed (exit code 1): " + path + ":4:16: No symbol +",
		"echo 'line 4, col 16 to line 4, col 16 of module Other'; echo; echo 'Unknown operator'; exit 1":                                                                                                                                                                                                                                      path + ": mcrl22lps failed (exit code 1): Unknown operator",
		"echo 'Error: Successor state lacks y.'; echo 'State 2: <Next line 6, col 9 to line 6, col 24 of module m>'; exit 1":                                                                                                                                                                                                                  path + ": mcrl22lps failed (exit code 1): Error: Successor state lacks y (" + path + ":6:9)",
		"echo 'Error: Attempted to compare \"p\" with:'; echo 1; echo 'Error: TLC was unable to fingerprint.'; echo '0. Line 3, column 9 to line 4, column 6 in m'; echo '1. Line 4, column 2 to line 4, column 6 in m'; echo Reason:; exit 1":                                                                                                path + `: mcrl22lps failed (exit code 1): Error: Attempted to compare "p" with: 1 (` + path + ":4:2)",
		"echo 'Error: In evaluation, the identifier y is undefined.'; echo 'Error: The error occurred when TLC was evaluating'; echo '0. Line 7, column 5 to line 7, column 6 in m'; exit 1":                                                                                                                                                  path + ": mcrl22lps failed (exit code 1): Error: In evaluation, the identifier y is undefined (" + path + ":7:5)",
		"echo 'Error: The first argument of Assert evaluated to FALSE; the second argument was:'; echo '\"no\"'; exit 1":                                                                                                                                                                                                                      path + `: mcrl22lps failed (exit code 1): Error: The first argument of Assert evaluated to FALSE; the second argument was: "no"; TLC ends at an assertion that fails: leave it out, and write what it asserts as an INVARIANT, which inev explains`,
		"echo \"error in $2:3:4\"; exit 1": path + ": mcrl22lps failed (exit code 1): error in " + path + ":3:4",
		"exit 3":                           path + ": mcrl22lps failed (exit code 3), and said nothing",
		"kill -9 $$":                       path + ": mcrl22lps failed (signal: killed), and said nothing",
		"i=0; while [ $i -lt 5000 ]; do echo line $i; i=$((i+1)); done; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last; exit 1": path + ": mcrl22lps failed (exit code 1): last",
		"exit 0": path + ": lps2lts failed (exit code 1): no such file",
	} {
		s.add("mcrl22lps", script)
		s.add("lps2lts", "[ -f \"$2\" ] || { echo no such file; exit 1; }")
		_, _, err := opened(t, context.Background(), &frontend.Maker{}, frontend.Specification{Path: path})
		var failed interface {
			error
			Said() (lines []string, total int)
		}
		if !errors.As(err, &failed) || err.Error() != want {
			t.Errorf("error %v\nwant %s", err, want)
			continue
		}
		lines, total := failed.Said()
		switch {
		case strings.Contains(script, "Parsing or semantic"):
			if len(lines) != 0 || total != 0 {
				t.Errorf("lines %q", lines)
			}
		case strings.Contains(script, "syntax"):
			if len(lines) != 2 || lines[0] != "end" {
				t.Errorf("lines %q", lines)
			}
		case strings.Contains(script, "5000"):
			if len(lines) != 20 || lines[0] != "last" || len(lines[1]) > 600 || lines[2] != "line 4999" || total != 5002 {
				t.Errorf("%d lines of %d: %.2000q", len(lines), total, lines)
			}
		}
	}
	s.add("mcrl22lps", "")
	s.add("lps2lts", "")
	if _, _, err := opened(t, context.Background(), &frontend.Maker{}, frontend.Specification{Path: path}); err == nil || !strings.Contains(err.Error(), "lps2lts ended without an error, but wrote no model") {
		t.Error(err)
	}
	s.add("lps2lts", "echo nonsense > \"$last\"")
	if _, _, err := opened(t, context.Background(), &frontend.Maker{}, frontend.Specification{Path: path}); err == nil {
		t.Error("what is no model is read as one")
	}
	empty(t, temporary)
}

// TestPlacesOfNames: an error about a constant or a module that TLC lacks has the line that declares it.
func TestPlacesOfNames(t *testing.T) {
	s, _ := newStandIns(t)
	s.mcrl2()
	folder := t.TempDir()
	path := written(t, folder, "m.mcrl2", "%% Far\nEXTENDS Integers, \\* Far\n (* Far *) Far\nASSUME F(N, Far)\nCONSTANTS Op(_, _), M,\n  N\nN == Op(N, Far)\n")
	for said, want := range map[string]string{
		"Cannot find source file for module Far imported in module m.":                        "Cannot find source file for module Far imported in module m (" + path + ":3); put the module next to",
		"Cannot find source file for module Off imported in module m.":                        "Cannot find source file for module Off imported in module m; put the module next to",
		"Cannot find source file for module Far imported in module n.":                        "Cannot find source file for module Far imported in module n; put the module next to",
		"Error: The constant parameter N is not assigned a value by the configuration file.":  "Error: The constant parameter N is not assigned a value by the configuration file (" + path + ":6); write N = VALUE",
		"Error: The constant parameter Op is not assigned a value by the configuration file.": "Error: The constant parameter Op is not assigned a value by the configuration file (" + path + ":5); write Op = VALUE",
		"Error: The constant parameter F is not assigned a value by the configuration file.":  "Error: The constant parameter F is not assigned a value by the configuration file; write F = VALUE",
	} {
		s.add("mcrl22lps", "echo '"+said+"'; exit 1")
		_, _, err := opened(t, context.Background(), &frontend.Maker{}, frontend.Specification{Path: path})
		if err == nil || !strings.HasPrefix(err.Error(), path+": mcrl22lps failed (exit code 1): "+want) {
			t.Errorf("%s: %v", said, err)
		}
	}
}

// isRunning reports whether a process is there, and not only the note of its end.
func isRunning(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// TestHanging: a program is ended with those that it started, when its caller gives up.
func TestHanging(t *testing.T) {
	s, temporary := newStandIns(t)
	s.mcrl2()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	// One child holds the output open, the other does not; both ignore being asked.
	s.add("mcrl22lps", "trap '' TERM INT HUP\nsleep 1000 &\na=$!\nsleep 1000 > /dev/null 2>&1 &\necho $$ $a $! > "+pipe+"\nwait")
	path := written(t, t.TempDir(), "m.mcrl2", "init delta;")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	found := make(chan []string, 1)
	go func() {
		text, _ := os.ReadFile(pipe) // waits for the program
		cancel()
		found <- strings.Fields(string(text))
	}()
	_, _, err := opened(t, ctx, &frontend.Maker{}, frontend.Specification{Path: path})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	pids := <-found
	if len(pids) != 3 {
		t.Fatalf("processes %q", pids)
	}
	for _, text := range pids {
		if pid, err := strconv.Atoi(text); err != nil || isRunning(pid) {
			t.Errorf("process %s still runs", text)
		}
	}
	empty(t, temporary)
}

// TestLeftBehind: what a program leaves running is ended when it has done its work.
func TestLeftBehind(t *testing.T) {
	s, temporary := newStandIns(t)
	s.mcrl2()
	pids := filepath.Join(t.TempDir(), "pids")
	s.add("mcrl22lps", "cp \"$2\" \"$3\"\nsleep 1000 > /dev/null 2>&1 &\necho $! > "+pids)
	path := written(t, t.TempDir(), "m.mcrl2", "init delta;")
	if _, _, err := opened(t, context.Background(), &frontend.Maker{}, frontend.Specification{Path: path}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(pids)
	if pid, wrong := strconv.Atoi(strings.TrimSpace(string(text))); err != nil || wrong != nil || isRunning(pid) {
		t.Errorf("process %s still runs (%v, %v)", text, err, wrong)
	}
	empty(t, temporary)
}

// TestMemory: a program is ended once it takes more memory than it may, with its children.
func TestMemory(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("the memory of programs is watched on Linux only")
	}
	if _, err := exec.LookPath("tail"); err != nil {
		t.Skip(err)
	}
	s, temporary := newStandIns(t)
	s.mcrl2()
	s.add("mcrl22lps", "x=$(head -c 200000000 /dev/zero | tr '\\0' x)\nsleep 1000")
	path := written(t, t.TempDir(), "m.mcrl2", "init delta;")
	within := resources.NewBudget(resources.Limit{Bytes: 100 << 20, By: "allowed by the test"}, nil).With(context.Background())
	_, _, err := opened(t, within, &frontend.Maker{}, frontend.Specification{Path: path})
	if err == nil || !strings.Contains(err.Error(), "mcrl22lps was ended: it took ") || !strings.Contains(err.Error(), "are allowed by the test") {
		t.Errorf("error %v", err)
	}
	empty(t, temporary)
}

// TestProgress: it is said which program runs, and how many states it reports.
func TestProgress(t *testing.T) {
	s, _ := newStandIns(t)
	s.mcrl2()
	path := written(t, t.TempDir(), "m.mcrl2", "init delta;")
	var meters []*progress.Meter
	ctx := progress.With(context.Background(), func(m *progress.Meter) { meters = append(meters, m) })
	if _, _, err := opened(t, ctx, &frontend.Maker{}, frontend.Specification{Path: path}); err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, m := range meters {
		shown = append(shown, m.String())
	}
	if got := strings.Join(shown, "; "); !strings.HasPrefix(got, "make the model by mcrl22lps; make the model by lps2lts, 1,200 states") {
		t.Error(got)
	}
}

// merging is a configuration under which TLC would take different states for one.
const merging = "SPECIFICATION Spec\nCONSTANT Who = {a, b, c}\nSYMMETRY Sym\nPROPERTY All\n"

// tlc adds a stand-in for TLC, which keeps its configuration, and runs a script with the name of the graph in $dump.
func (s *standIns) tlc(script string) {
	s.add("tlc", "while [ $# -gt 0 ]; do [ \"$1\" = -dump ] && dump=$3; [ \"$1\" = -config ] && cat \"$2\" > "+s.folder+"/config; shift; done\n"+script)
}

// TestSymmetryIsLeftOut: TLC does not get what merges states, and the graph is made anew for a configuration that differs in
// what TLC gets, and only for such a one.
func TestSymmetryIsLeftOut(t *testing.T) {
	s, _ := newStandIns(t)
	s.tlc("cat > \"$dump\" <<'END'\n" + asDot + "END")
	folder, cached := t.TempDir(), t.TempDir()
	path := written(t, folder, "Trio.tla", "---- MODULE Trio ----\n====\n")
	for i, c := range []struct {
		config, want string
		calls        int
	}{
		{merging, "SPECIFICATION Spec CONSTANT Who = {a, b, c}", 1},
		{strings.Replace(merging, "SYMMETRY Sym", "VIEW Seen   ", 1), "SPECIFICATION Spec CONSTANT Who = {a, b, c}", 1},
		{strings.Replace(merging, "All", "One", 1), "SPECIFICATION Spec CONSTANT Who = {a, b, c}", 1},
		{merging + "CONSTRAINT Few\n", "SPECIFICATION Spec CONSTANT Who = {a, b, c} CONSTRAINT Few", 2},
		{strings.Replace(merging, "c}", "d}", 1), "SPECIFICATION Spec CONSTANT Who = {a, b, d}", 3},
	} {
		written(t, folder, "Trio.cfg", c.config)
		_, warnings, err := opened(t, context.Background(), &frontend.Maker{Cache: cached}, frontend.Specification{Path: path})
		if err != nil || len(warnings) > 0 {
			t.Fatal(i, err, warnings)
		}
		text, err := os.ReadFile(filepath.Join(s.folder, "config"))
		if got := strings.Join(strings.Fields(string(text)), " "); err != nil || got != c.want {
			t.Errorf("%d: TLC gets %q, error %v", i, got, err)
		}
		if n := len(s.calls()); n != c.calls {
			t.Errorf("%d: %d calls, want %d", i, n, c.calls)
		}
	}
}

// TestTimeIsOver: the error of a program that the end of the time ends names the program, and that of somebody who gives up does not.
func TestTimeIsOver(t *testing.T) {
	s, temporary := newStandIns(t)
	s.tlc("sleep 1000")
	folder := t.TempDir()
	path := written(t, folder, "Duo.tla", "---- MODULE Duo ----\n====\n")
	written(t, folder, "Duo.cfg", "SPECIFICATION Spec\n")
	soon, stop := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer stop()
	_, _, err := opened(t, soon, &frontend.Maker{}, frontend.Specification{Path: path})
	if err == nil || !strings.Contains(err.Error(), "Duo.tla: TLC was still making the model when the time was over; ") {
		t.Errorf("error %v", err)
	}
	empty(t, temporary)
	given, giveUp := context.WithCancel(context.Background())
	time.AfterFunc(500*time.Millisecond, giveUp)
	if _, _, err := opened(t, given, &frontend.Maker{}, frontend.Specification{Path: path}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestTooLargeWithoutSymmetry: where the graph without what merges states is too large, one line says so, whichever limit ends it.
func TestTooLargeWithoutSymmetry(t *testing.T) {
	s, temporary := newStandIns(t)
	folder := t.TempDir()
	path := written(t, folder, "Trio.tla", "---- MODULE Trio ----\n====\n")
	config := written(t, folder, "Trio.cfg", merging)
	const some = "printf '1 [label=\"x = 0\",style = filled]\\n1 -> 2 [label=\"A\"];\\n2 [label=\"x = 1\",tooltip=\"x = 1\"];\\n' > \"$dump\"\n"
	const line = ":3: without SYMMETRY, which temporal properties do not survive, the graph has more than 2 states, and "
	s.tlc(some + "sleep 1000")
	soon, stop := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer stop()
	_, _, err := opened(t, soon, &frontend.Maker{}, frontend.Specification{Path: path})
	if want := config + line + "the time is over; take a smaller constant"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	empty(t, temporary)
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("the memory of programs is watched on Linux only")
	}
	s.tlc(some + "x=$(head -c 200000000 /dev/zero | tr '\\0' x)\nsleep 1000")
	within := resources.NewBudget(resources.Limit{Bytes: 100 << 20, By: "allowed by the test"}, nil).With(context.Background())
	_, _, err = opened(t, within, &frontend.Maker{}, frontend.Specification{Path: path})
	if err == nil || !strings.HasPrefix(err.Error(), config+line+"it took ") || !strings.HasSuffix(err.Error(), "are allowed by the test; take a smaller constant") {
		t.Errorf("error %v", err)
	}
	empty(t, temporary)
	// One who gives up is told nothing about the graph.
	given, end := context.WithCancel(context.Background())
	s.tlc("sleep 1000")
	time.AfterFunc(300*time.Millisecond, end)
	if _, _, err := opened(t, given, &frontend.Maker{}, frontend.Specification{Path: path}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
