package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/internal/testing/collection"
)

// caseAsked is a command about a small model, and what its answer must be.
type caseAsked struct {
	command string   // its words, separated by blanks; quotes group words
	codes   []int    // the exit codes that are right
	has     []string // expressions that what is printed matches
	lacks   []string // expressions that it does not match
}

// oneLine matches what has one line, which is an error.
const oneLine = `\Ainev: [^\n]*\n\z`

// casesAsked are the commands for each row of the table of cases, by the first two columns of the row. The models of rows that only
// describe them are in casesWritten.
var casesAsked = map[string][]caseAsked{
	"Grid.tla|Grid.cfg": {{
		command: `explain Grid.tla`,
		codes:   []int{0},
		has:     []string{`all 3 parts of what is asked hold`},
	}},
	"Line.tla|Line.cfg": {{
		command: `explain Line.tla`,
		codes:   []int{0},
		has:     []string{`satisfies Full`},
	}},
	"Trio.tla|Trio.cfg (SYMMETRY)": {{
		command: `explain Trio.tla`,
		codes:   []int{1, 2},
	}},
	"Till.tla|Till.cfg": {{
		command: `explain Till.tla`,
		codes:   []int{1},
		has:     []string{`It holds if Spec also has WF_vars\(Serve\)\.\n`},
	}},
	"Belt.tla|Belt.cfg": {{
		command: `explain Belt.tla`,
		codes:   []int{1},
		has:     []string{`It holds if Spec also has WF_vars\(Pack\)\.\n`},
	}},
	"Lock3.tla|Lock3.cfg": {{
		command: `explain Lock3.tla`,
		codes:   []int{1},
		has:     []string{`It holds if Spec also has \\A c \\in C : SF_vars\(Take\(c\)\)`},
	}},
	"Grow.tla|Grow.cfg (CONSTRAINT)": {{
		command: `explain Grow.tla`,
		codes:   []int{0},
		has:     []string{`holds here for the wrong reason: no run of the graph is as Spec says`},
		lacks:   []string{`stronger`},
	}},
	"Sub.tla Named.tla Uni.tla UsePar.tla|their cfg": {
		{command: `explain Sub.tla`, codes: []int{0}},
		{command: `explain Named.tla`, codes: []int{0}},
		{command: `explain Uni.tla`, codes: []int{0}},
		{command: `explain UsePar.tla`, codes: []int{0}},
	},
	"Crash.tla|Crash.cfg": {{
		command: `explain Crash.tla`,
		codes:   []int{2},
		has: []string{
			`Late cannot be evaluated: Crash\.tla:7: Head\(log\): log is empty \(where n = 0, log = <<>>\)`,
			`violates Small`,
			`1 of 2 properties is answered, but not Late`,
		},
	}},
	"Blink.tla|Blink.cfg": {
		{
			command: `explain Blink.tla`,
			codes:   []int{1},
			has:     []string{`(?m)^ +3 +0  Flip`},
			lacks:   []string{`(?m)^ +4 +\d+  Flip`},
		},
		{
			command: `repair Blink.tla`,
			codes:   []int{0},
			has:     []string{`\n  - Flip to state \d in state \d\n$`},
		},
	},
	"mu/cafe.aut|mu/m1..m8.mcf": nil, // checkFormulas asks
	"Till.tlc-console.txt|--counterexample, of Till.tla": {{
		command: `explain Till.tla --counterexample Till.tlc-console.txt`,
		codes:   []int{1},
		has:     []string{`This is the given counterexample`, `WF_vars\(Serve\)`},
	}},
	"Lamps.tla|Lamps.cfg, LampsInit.cfg": {
		{
			command: `explain Lamps.tla --cfg Lamps.cfg`,
			codes:   []int{1},
			has:     []string{`It holds if Spec also has WF_s\(Next\)\.\n`},
		},
		{
			command: `explain Lamps.tla --cfg LampsInit.cfg`,
			codes:   []int{1},
			has:     []string{`Spec == Start /\\ \[\]\[Next\]_(s|<<s>>) /\\ WF_(s|<<s>>)\(Next\)\.\n`},
		},
	},
	"Neg.tla|Neg3.cfg": {{
		command: `explain Neg.tla --cfg Neg3.cfg`,
		codes:   []int{0},
		has:     []string{`Zero is a predicate of states: as a property it is about the initial states alone`},
	}},
	"fair2.aut|(G F act && G F noact) -> F x": {{
		command: `explain aut/fair2.aut '(G F act && G F noact) -> F x' --allow-unmatched`,
		codes:   []int{1},
		has:     []string{`x (never happens|happens nowhere)`},
	}},
	"hoa_m.aut|--hoa twomarks.hoa": {{
		command: `explain aut/hoa_m.aut --hoa aut/twomarks.hoa`,
		codes:   []int{1},
		has:     []string{`ack is possible in 1 of the loop's 2\s+states, and drop is taken each time`},
	}},
	"p49.aut|nu X . [true] X && ([b] mu Y . (<c>true || <true>Y))": {{
		command: `ctl aut/p49.aut 'nu X . [true] X && ([b] mu Y . (<c>true || <true>Y))'`,
		codes:   []int{0},
	}},
	"others|their cfg": nil, // checkOthers asks
	`aut: des (0,2,2) / (0,"tau",1) / (1,"A",1)|G F (A && X A)`: {{
		command: `explain Again.aut 'G F (A && X A)'`,
		codes:   []int{0},
		has:     []string{`comes again and again`},
		lacks:   []string{`within 2 to 3`},
	}},
	`tla: two initial states, Init == x = 1 /\ y \in 0..1, Next == y # x /\ x' = (x + 1) % 3 /\ y' \in {0, 2}, Spec with WF_vars(Next), ` +
		`P == <>(x = 5)|explain --trace t.seq, then --counterexample t.seq`: {
		{command: `explain Two.tla --trace t.seq`, codes: []int{1}},
		{
			command: `explain Two.tla --counterexample t.seq`,
			codes:   []int{1},
			has:     []string{`This is the given counterexample`},
		},
	},
	`tla: D0 == x >= 0, Di == Di-1 /\ Di-1 up to D39, property []D39, --timeout 1s|check`: {
		{command: `check Ring.dot --tla Doubled.tla --timeout 1s`, codes: []int{0}},
		{command: `check Ring.dot --tla Runs.tla --timeout 1s`, codes: []int{2}, has: []string{oneLine}},
		{command: `check Ring.dot --tla Chain.tla --timeout 1s`, codes: []int{2}, has: []string{oneLine}},
		{command: `check Ring.dot --tla Joined.tla --timeout 1s --memory 500MB`, codes: []int{2}, has: []string{oneLine}},
		{command: `check Ring.dot --tla Nested.tla --timeout 1s`, codes: []int{2}, has: []string{oneLine}},
	},
	`tla: EWD840-like module whose .cfg names an INVARIANT with a label, \/ P1:: x < 2 \/ P2:: x = 2|check`: {{
		command: `explain Labels.tla`,
		codes:   []int{0},
		has:     []string{`all 3 parts of what is asked hold`},
	}},
}

// TestCases: each row of the table of cases has the right answer.
func TestCases(t *testing.T) {
	table, there := collection.Foreign(t, "../cases/README.tsv")
	if !there {
		t.Skip("the cases are not there")
	}
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	copyCases(t, filepath.Dir(table), folder)
	writeCases(t, folder)
	t.Chdir(folder)
	rows := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	for _, line := range rows {
		row := strings.Split(line, "\t")
		t.Run(row[0], func(t *testing.T) {
			asked, isKnown := casesAsked[row[0]+"|"+row[1]]
			switch {
			case !isKnown:
				t.Errorf("nothing is asked for this row: %s", line)
			case row[0] == "mu/cafe.aut":
				checkFormulas(t)
			case row[0] == "others":
				checkOthers(t)
			}
			for _, a := range asked {
				checkCase(t, a)
			}
		})
	}
}

// copyCases copies the files of the cases, those of TLA+ into the folder itself.
func copyCases(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(filepath.Join(from, "tla"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"aut", "mu"} {
		if err := os.CopyFS(filepath.Join(to, name), os.DirFS(filepath.Join(from, name))); err != nil {
			t.Fatal(err)
		}
	}
}

// checkCase asks and compares the answer. A specification from which TLC would have to make the graph is skipped without TLC.
func checkCase(t *testing.T, a caseAsked) {
	t.Helper()
	words := wordsOf(a.command)
	if strings.HasSuffix(words[1], ".tla") && os.Getenv("TLA2TOOLS") == "" {
		t.Skip("TLA2TOOLS does not name TLC")
	}
	code, said := answered(t, words)
	if !slices.Contains(a.codes, code) {
		t.Errorf("%s ends with %d, want one of %v:\n%s", a.command, code, a.codes, said)
	}
	for _, has := range a.has {
		if !regexp.MustCompile(has).MatchString(said) {
			t.Errorf("%s: there is no %q in:\n%s", a.command, has, said)
		}
	}
	for _, lacks := range a.lacks {
		if regexp.MustCompile(lacks).MatchString(said) {
			t.Errorf("%s: there is %q in:\n%s", a.command, lacks, said)
		}
	}
}

// wordsOf splits a command at blanks outside of quotes.
func wordsOf(command string) (words []string) {
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}

// answered runs a command, and returns its exit code and all that it prints. The command must not take longer than half a minute: all
// these models are small.
func answered(t *testing.T, words []string) (code int, said string) {
	t.Helper()
	var out bytes.Buffer
	begin := time.Now()
	code = run(append([]string{"inev"}, words...), strings.NewReader(""), &out, &out)
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("%v takes %v", words, took)
	}
	return code, out.String()
}

// checkFormulas compares the verdicts of formulas of the mu-calculus with their table.
func checkFormulas(t *testing.T) {
	t.Helper()
	table, err := os.ReadFile(filepath.Join("mu", "verdicts.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		row := strings.Fields(line)
		want := map[string]int{"true": 0, "false": 1}[row[2]]
		code, said := answered(t, []string{"ctl", filepath.Join("mu", row[0]), "--formula", filepath.Join("mu", row[1])})
		if code != want {
			t.Errorf("%s ends with %d, want %d:\n%s", row[1], code, want, said)
		}
	}
}

// checkOthers compares the verdict of each configuration of the folder with that of TLC, except where an evaluation fails.
func checkOthers(t *testing.T) {
	t.Helper()
	tools := os.Getenv("TLA2TOOLS")
	if tools == "" {
		t.Skip("TLA2TOOLS does not name TLC")
	}
	configurations, err := filepath.Glob("*.cfg")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, configuration := range configurations {
		module := moduleOf(configuration)
		if module == "" {
			continue // it is one of those that this test has written
		}
		java := exec.CommandContext(t.Context(), "java", "-XX:+UseSerialGC", "-Xmx512m", "-cp", tools, "tlc2.TLC", "-deadlock", "-workers", "1",
			"-noGenerateSpecTE", "-metadir", t.TempDir(), "-config", configuration, module)
		out, err := java.CombinedOutput()
		if java.ProcessState == nil {
			t.Skipf("java does not run TLC: %v", err)
		}
		judged := java.ProcessState.ExitCode()
		if judged != 0 && judged != 12 && judged != 13 {
			t.Logf("TLC does not decide %s: %s", configuration, firstError(string(out)))
			continue
		}
		code, said := answered(t, []string{"explain", module, "--cfg", configuration})
		if isViolated := code == 1; code == 2 || isViolated != (judged != 0) {
			t.Errorf("%s ends with %d, TLC with %d:\n%s", configuration, code, judged, said)
		}
		compared++
	}
	t.Logf("%d configurations have the verdict of TLC", compared)
}

// moduleOf returns the file of the module that a configuration is for: it has the longest name with which the name of the
// configuration begins. It is "" for the modules that this test has written.
func moduleOf(configuration string) string {
	name := strings.TrimSuffix(configuration, ".cfg")
	for end := len(name); end > 0; end-- {
		module := name[:end] + ".tla"
		if _, isOwn := ownModules()[module]; isOwn {
			return ""
		}
		if _, err := os.Stat(module); err == nil {
			return module
		}
	}
	return ""
}

// firstError returns the line in which TLC tells what is wrong.
func firstError(said string) string {
	_, after, _ := strings.Cut(said, "Error: ")
	first, _, _ := strings.Cut(after, "\n")
	return first
}

// ring is the graph of a variable that counts to two again and again.
const ring = `strict digraph DiskGraph {
subgraph cluster_graph {
1 [label="x = 0",style = filled]
1 -> 2 [label="Next",color="black",fontcolor="black"];
2 [label="x = 1"];
2 -> 3 [label="Next",color="black",fontcolor="black"];
3 [label="x = 2"];
3 -> 1 [label="Next",color="black",fontcolor="black"];
}
}
`

// writeCases writes the models that the table describes.
func writeCases(t *testing.T, folder string) {
	t.Helper()
	writeFile(t, filepath.Join(folder, "Again.aut"), "des (0,2,2)\n(0,\"tau\",1)\n(1,\"A\",1)\n")
	writeFile(t, filepath.Join(folder, "Ring.dot"), ring)
	for name, text := range ownModules() {
		module := strings.TrimSuffix(name, ".tla")
		configuration := "SPECIFICATION Spec\nPROPERTY P\n"
		switch module {
		case "Nested":
			configuration += "CONSTANT C = " + strings.Repeat("{", 100_000) + strings.Repeat("}", 100_000) + "\n"
		case "Labels":
			configuration += "PROPERTY Q\nINVARIANT Inv\n"
		}
		writeFile(t, filepath.Join(folder, name), fmt.Sprintf("---- MODULE %s ----\nEXTENDS Integers, Sequences\n%s====\n", module, text))
		writeFile(t, filepath.Join(folder, module+".cfg"), configuration)
	}
}

// ownModules returns the texts of the modules that the table describes, without the frames that all have.
func ownModules() map[string]string {
	const counting = `VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 3
Spec == Init /\ [][Next]_x /\ WF_x(Next)
`
	modules := map[string]string{
		"Two.tla": `VARIABLES x, y
vars == <<x, y>>
Init == x = 1 /\ y \in 0..1
Next == y # x /\ x' = (x + 1) % 3 /\ y' \in {0, 2}
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
P == <>(x = 5)
`,
		"Doubled.tla": counting + doubled("x >= 0"),
		"Runs.tla":    counting + doubled("<>(x = 2)"),
		"Joined.tla": counting + `RECURSIVE G(_, _)
G(s, n) == IF n = 0 THEN s ELSE G(s \o s, n - 1)
P == []<>(x = 2 /\ Len(G(<<1>>, 40)) > 0)
`,
		"Chain.tla":  counting + "I == INSTANCE Chain25\nP == []<>(I!D /\\ x = 2)\n",
		"Nested.tla": counting + "CONSTANT C\nP == []<>(x = 2)\n",
		"Labels.tla": counting + `Inv == \/ P1:: x < 2
       \/ P2:: x = 2
P == []<>(x = 2)
Q == x = 0 ~> x = 2
`,
		"Chain0.tla": "VARIABLE x\nD == x >= 0\n",
	}
	for i := 1; i < 26; i++ {
		modules[fmt.Sprintf("Chain%d.tla", i)] = fmt.Sprintf("VARIABLE x\nA == INSTANCE Chain%d\nB == INSTANCE Chain%[1]d\nD == A!D /\\ B!D\n", i-1)
	}
	return modules
}

// doubled returns 40 definitions, each of which names the one before twice, and a property that they are always true.
func doubled(first string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "D0 == %s\n", first)
	for i := 1; i < 40; i++ {
		fmt.Fprintf(&text, "D%d == D%d /\\ D%[2]d\n", i, i-1)
	}
	text.WriteString("P == []D39\n")
	return text.String()
}
