package tlaplus

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestModulesThatSANYTakes: of random modules with all constructs of the language, nested, those that SANY takes are read: each of
// their definitions is parsed, and its names and levels are understood, whatever of it can be evaluated.
func TestModulesThatSANYTakes(t *testing.T) {
	tools := os.Getenv("TLA2TOOLS")
	if tools == "" {
		t.Skip("TLA2TOOLS does not name tla2tools.jar, whose SANY would judge random modules")
	}
	folder := t.TempDir()
	var paths []string
	for seed := range randomlts.Share(2_000) {
		name := fmt.Sprintf("Random%d", seed)
		path := filepath.Join(folder, name+".tla")
		write(t, path, newModuleText(rand.New(rand.NewPCG(seed, 77)), name))
		paths = append(paths, path)
	}
	write(t, filepath.Join(folder, "Beside.tla"), besideText)
	taken := judgedBySANY(t, tools, folder, paths)
	config := filepath.Join(folder, "All.cfg")
	write(t, config, "CONSTANTS C = 1 D = {1, 2} Op <- Id Pair <- Sum\n")
	refusedByBoth := 0
	for _, path := range paths {
		err := readWhole(t.Context(), path, config)
		switch {
		case taken[path] == "yes" && err != nil:
			t.Errorf("%v\n%s", err, readText(t, path))
		case taken[path] != "yes" && err != nil:
			refusedByBoth++
		}
	}
	count := 0
	for _, answer := range taken {
		if answer == "yes" {
			count++
		}
	}
	t.Logf("SANY takes %d of %d modules; %d are refused by both", count, len(paths), refusedByBoth)
	if count < len(paths)/2 {
		t.Errorf("SANY takes %d of %d modules", count, len(paths))
	}
}

// examplesVariable names the folder of the modules of github.com/tlaplus/Examples, or of other ones.
const examplesVariable = "INEV_TLA_EXAMPLES"

// TestExamplesThatSANYTakes: of the modules in a folder and below it, those that SANY takes are read, as above.
func TestExamplesThatSANYTakes(t *testing.T) {
	tools := os.Getenv("TLA2TOOLS")
	examples := os.Getenv(examplesVariable)
	if tools == "" || examples == "" {
		t.Skipf("TLA2TOOLS does not name tla2tools.jar, or %s no folder of modules", examplesVariable)
	}
	var paths []string
	err := filepath.WalkDir(examples, func(path string, _ os.DirEntry, err error) error {
		if filepath.Ext(path) == ".tla" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	beside, err := filepath.Glob(filepath.Join(filepath.Dir(tools), "CommunityModules*.jar"))
	if err != nil {
		t.Fatal(err)
	}
	classes := strings.Join(append([]string{tools}, beside...), string(filepath.ListSeparator))
	folder := t.TempDir()
	taken := judgedBySANY(t, classes, folder, paths)
	count, refusedByBoth, ofTLC := 0, 0, 0
	for _, path := range paths {
		wrong := wrongIn(t, folder, path)
		isTaken := taken[path] == "yes"
		if isTaken {
			count++
		} else if len(wrong) > 0 {
			refusedByBoth++
		}
		for _, err := range wrong {
			switch {
			case isRefusedByName(err):
				ofTLC++
			case isTaken:
				t.Error(err)
			}
		}
	}
	t.Logf("SANY takes %d of %d modules; %d are refused by both; %d definitions have no value in a graph", count, len(paths), refusedByBoth, ofTLC)
}

// isRefusedByName reports whether an operator is read, and has no value: one that depends on how TLC runs, or a constant with
// arguments, for which the configuration of the test has no definition.
func isRefusedByName(err error) bool {
	return slices.ContainsFunc([]string{
		"depends on how TLC runs", "has no value in a graph", "has no value here", "has no value: give it one in the configuration",
		"the instance substitutes something for it that takes none",
	}, func(text string) bool { return strings.Contains(err.Error(), text) })
}

// wrongIn reads a module and each of its definitions, with model values for its constants, and returns the errors.
func wrongIn(t *testing.T, folder, path string) (wrong []error) {
	t.Helper()
	s, err := Load(t.Context(), path, "", nil)
	if err != nil {
		return []error{err}
	}
	values := ""
	for _, m := range s.root.module.visible {
		for _, name := range m.constants {
			values += "CONSTANT " + name + " = " + name + "\n"
		}
	}
	config := filepath.Join(folder, "Values.cfg")
	write(t, config, values)
	s, err = Load(t.Context(), path, config, nil)
	if err != nil {
		return []error{err}
	}
	for _, name := range sortedNames(s.root.module) {
		d := s.root.module.operators[name]
		if d.instance != nil {
			continue
		}
		s.resetCounts()
		err := abort.Try(func() { s.root.definition(d, applied(name, d.at)) })
		if err != nil {
			wrong = append(wrong, err)
		}
	}
	return wrong
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// judgedBySANY returns "yes" for each module that SANY takes, and what it says of the others.
func judgedBySANY(t *testing.T, tools, folder string, paths []string) map[string]string {
	t.Helper()
	list := filepath.Join(folder, "list")
	answers := filepath.Join(folder, "answers")
	write(t, list, strings.Join(paths, "\n")+"\n")
	driver, err := filepath.Abs(filepath.Join("testdata", "sany", "Accepts.java"))
	if err != nil {
		t.Fatal(err)
	}
	java := exec.CommandContext(t.Context(), "java", "-XX:+UseSerialGC", "-cp", tools, driver, list, answers)
	java.Dir = folder // where SANY looks for modules
	out, err := java.CombinedOutput()
	if err != nil {
		t.Skipf("java does not run SANY: %v\n%s", err, out)
	}
	all := map[string]string{}
	for line := range strings.Lines(readText(t, answers)) {
		path, answer, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all[path] = answer
	}
	return all
}

// readWhole reads a module and all its definitions, those of modules inside it included.
func readWhole(ctx context.Context, path, config string) (err error) {
	defer abort.Caught(&err)
	s, err := Load(ctx, path, config, nil)
	if err != nil {
		return err
	}
	s.resetCounts()
	for _, name := range sortedNames(s.root.module) {
		d := s.root.module.operators[name]
		if d.instance == nil {
			s.root.definition(d, applied(name, d.at))
		}
	}
	return nil
}

func sortedNames(m *Module) []string {
	var all []string
	for name := range m.operators {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// besideText is a module in a file of its own.
const besideText = `---- MODULE Beside ----
EXTENDS Naturals
CONSTANTS given, Apply(_)
VARIABLE held
Both(a) == /\ held = Apply(a)
           /\ a \in {given}
a \prec b == a < b
-. a == {a}
a | b == {a, b}
Later == held' = given
Always == [][Later]_held
====
`

// moduleBeginning has the declarations of a random module and definitions of each kind, whose names and parts expressions use.
const moduleBeginning = `EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANTS C, D, Op(_), Pair(_, _)
VARIABLES v, w
vars == <<v, w>>
Id(a) == a
Sum(a, b) == a + b
Twice(F(_), a) == F(F(a))
Op1(F(_), a) == F(a)
Fold(F(_, _), a, b) == F(a, F(a, b))
Next0(a) == v' = a
a ++ b == <<a, b>>
a \sqcup b == a \cup b
a ^+ == <<a>>
a ^# == {a}
f[n \in Nat] == IF n = 0 THEN 0 ELSE f[n - 1]
g[<<m, n>> \in D \X D, k \in D] == m + n + k
RECURSIVE Rec(_), Even, Odd(_)
Rec(a) == IF a = 0 THEN 0 ELSE Rec(a - 1)
Even == Odd(1)
Odd(a) == IF a = 0 THEN FALSE ELSE Even
LOCAL Hid(a) == a
Tree == /\ top:: \A q \in {1, 2} : in(q):: q + 1 > 0
        /\ \/ C = 1
           \/ low:: LET Inner == C IN Inner \in D
        /\ IF C = 1 THEN {C, 2} = D ELSE \E p, r \in D : p = r
---- MODULE Inner ----
CONSTANT k, K(_)
VARIABLE u
In(a) == K(Id(a)) = k
Move == u' = k
Fair == WF_u(Move)
====
I == INSTANCE Inner WITH k <- C, K <- Op, u <- v
Par(a) == INSTANCE Inner WITH k <- a, K <- LAMBDA z : z + a, u <- <<w, a>>
---- MODULE Named ----
Of(a) == INSTANCE Inner WITH k <- a, K <- LAMBDA z : z, u <- v
Whole == INSTANCE Naturals
====
INSTANCE Named
Num == INSTANCE Naturals
B == INSTANCE Beside WITH given <- C, Apply <- Id, held <- w
`

// generator writes a random module.
type generator struct {
	*rand.Rand
	out    strings.Builder
	column int
	fresh  int
	// names are what is bound around what is written, and definitions those of the module and of LETs around it.
	names       []string
	definitions []operatorName
	// inChange is set where @ has a meaning.
	inChange bool
}

// operatorName is a defined operator: how many arguments it takes and its level.
type operatorName struct {
	name  string
	arity int
	level Level
}

func newModuleText(random *rand.Rand, name string) string {
	g := &generator{Rand: random}
	g.write("---- MODULE " + name + " ----\n" + moduleBeginning)
	for range 3 + g.IntN(4) {
		g.unit()
	}
	g.write("====\n")
	return g.out.String()
}

func (g *generator) write(text string) {
	g.out.WriteString(text)
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		g.column = 0
		text = text[i+1:]
	}
	g.column += len(text)
}

func (g *generator) name() string {
	g.fresh++
	return fmt.Sprintf("x%d", g.fresh)
}

// unit writes a definition, and sometimes what modules hold besides.
func (g *generator) unit() {
	switch g.IntN(12) {
	case 0:
		g.write("ASSUME ")
		g.expression(Constant, 2)
		g.write("\n")
	case 1:
		g.write("ASSUME " + g.name() + " == ")
		g.expression(Constant, 2)
		g.write("\n")
	case 2:
		g.theorem()
	case 3:
		g.write("----------------\n\\* Comment == 1\n(* Nested (* == *) THEOREM *)\n")
	case 4:
		g.write("LOCAL INSTANCE Bags\n")
	case 5:
		g.write("INSTANCE Beside WITH given <- C, Apply <- LAMBDA z : z, held <- <<v, w>>\n")
	}
	g.definition()
}

func (g *generator) theorem() {
	g.write("THEOREM " + g.name() + " == ")
	switch g.IntN(3) {
	case 0:
		g.expression(Temporal, 2)
		g.write("\nPROOF OMITTED\n")
	case 1:
		g.template(State, 2, "ASSUME NEW $1 \\in %e, NEW CONSTANT $2, %i\nPROVE %i\n")
		g.write("<1>1. C = 1\n  BY DEF Id\n<1> DEFINE loc == 1\n<1>2. CASE C = 2\n  <2>1. QED OBVIOUS\n<1>3. PICK p \\in D : p = 1\n  OBVIOUS\n<1>. QED\n  BY <1>1, <1>2\n")
	default:
		g.expression(State, 1)
		g.write("\n<1>a SUFFICES ASSUME NEW y \\in D PROVE TRUE\n  OBVIOUS\n<1>b TAKE z \\in D\n<1>c HAVE C = 1\n<1>d WITNESS 1 \\in D\n<1> USE DEF Id\n<1> HIDE DEF Id\n<1>z QED\n")
	}
}

// definition writes a definition of the module.
func (g *generator) definition() {
	level := Level(g.IntN(4))
	if g.IntN(6) == 0 {
		g.write("LOCAL ")
	}
	g.define(level, 4, true)
	g.write("\n")
}

// define writes the definition of an operator, whose name is known afterwards, or of a function.
func (g *generator) define(level Level, depth int, inModule bool) {
	before := len(g.names)
	defined := operatorName{name: g.name(), level: level}
	g.write(defined.name)
	switch g.IntN(5) {
	case 0:
		defined.level = min(level, State)
		defined.name += "[C]"
		names := []string{g.name(), g.name()}
		g.write("[" + names[0] + ", " + names[1] + " \\in D] == ")
		g.names = append(g.names, names...)
		defined.name = strings.Replace(defined.name, "[C]", "[C, C]", 1)
	case 1, 2:
		defined.arity = 1 + g.IntN(2)
		for range defined.arity {
			g.names = append(g.names, g.name())
		}
		g.write("(" + strings.Join(g.names[before:], ", ") + ") == ")
	default:
		g.write(" == ")
	}
	g.expression(defined.level, depth-1)
	g.names = g.names[:before]
	g.definitions = append(g.definitions, defined)
	if !inModule {
		g.write(" ")
	}
}

// expression writes an expression of at most a level.
func (g *generator) expression(level Level, depth int) {
	if depth <= 0 || g.IntN(8) == 0 {
		g.atom(level)
		return
	}
	k := g.IntN(20)
	switch {
	case k == 0:
		g.junction(level, depth)
	case k == 1:
		g.let(level, depth)
	case k == 2 && len(g.definitions) > 0:
		g.application(level, depth)
	case k == 3:
		g.change(level, depth)
	case k < 12 && level == Temporal:
		g.template(level, depth, temporalTemplates[g.IntN(len(temporalTemplates))])
	case k < 10 && level >= Action:
		g.template(Action, depth, actionTemplates[g.IntN(len(actionTemplates))])
	case k < 6 && level >= State:
		g.template(State, depth, stateTemplates[g.IntN(len(stateTemplates))])
	default:
		g.template(min(level, Action), depth, valueTemplates[g.IntN(len(valueTemplates))])
	}
}

// The templates of expressions. %e is an expression of the same level, %f a formula of the same level or about runs, %c a constant, %s
// an expression about a state, and %a about a step. $1 and so on are names that the template binds, which %i (for %e) and %g (for
// %f) know.
var (
	valueTemplates = []string{
		"(%e)", "{%e, %e}", "{}", "<<%e, %e>>", "<<>>", "<<%e>>", "[a |-> %e, b |-> %e]", "[a : %e, b : %e]", "[%e -> %e]",
		"[$1 \\in %e |-> %i]", "[$1, $2 \\in %e, $3 \\in %e |-> %i]", "[<<$1, $2>> \\in %e |-> %i]", "[<<$1, $2>> \\in %e, $3 \\in %e |-> %i]",
		"{$1 \\in %e : %i}", "{<<$1, $2>> \\in %e : %i}", "{%i : $1 \\in %e}", "{%i : $1, $2 \\in %e, <<$3, $4>> \\in %e}",
		"(CHOOSE $1 \\in %e : %i)", "(CHOOSE <<$1, $2>> \\in %e : %i)", "(CHOOSE $1 : %i)", "(CHOOSE <<$1, $2>> : %i)",
		"(\\A $1 \\in %e : %i)", "(\\E $1, $2 \\in %e, $3 \\in %e : %i)", "(\\A <<$1, $2>> \\in %e, $3 \\in %e : %i)", "(\\A $1 : %i)", "(\\E $1, $2 : %i)",
		"(\\forall $1 \\in %e : %i)", "(\\exists $1 : %i)",
		"(IF %e THEN %e ELSE %e)", "(CASE %e -> %e [] %e -> %e [] OTHER -> %e)", "(CASE %e -> %e)",
		"(%e)[%e]", "(%e)[%e, %e]", "(%e).a", "f[%e]", "g[<<%e, %e>>, %e]", "Rec(%e)", "Odd(%e)", "Hid(%e)", "Pair(%e, %e)", "Op(%e)",
		"~ (%e)", "- (%e)", "-(%e)", "SUBSET (%e)", "UNION (%e)", "DOMAIN (%e)", "\\lnot (%e)", "\\neg (%e)",
		"((%e) /\\ (%e))", "((%e) \\/ (%e))", "((%e) => (%e))", "((%e) <=> (%e))", "((%e) \\equiv (%e))", "((%e) \\land (%e) \\land (%e))",
		"((%e) = (%e))", "((%e) # (%e))", "((%e) /= (%e))", "((%e) \\in (%e))", "((%e) \\notin (%e))", "((%e) \\subseteq (%e))",
		"((%e) \\cup (%e))", "((%e) \\union (%e) \\cup (%e))", "((%e) \\ (%e))", "((%e) \\X (%e))", "((%e) \\X (%e) \\times (%e))",
		"((%e) + (%e) - (%e))", "((%e) * (%e) * (%e))", "((%e) \\div (%e))", "((%e) % (%e))", "((%e) .. (%e))", "((%e) ^ (%e))", "((%e) < (%e))", "((%e) =< (%e))", "((%e) \\geq (%e))",
		"((%e) \\o (%e))", "((%e) \\circ (%e))", "((%e) :> (%e) @@ (%e))", "((%e) ++ (%e))", "((%e) \\sqcup (%e))", "(%e)^+", "(%e)^#",
		"%e + %e", "%e /\\ %e", "%e \\in %e", "%e = %e", "%e \\cup %e", "-%e", "~%e", "SUBSET %e \\ %e", "%e + %e * %e",
		"Twice(Id, %e)", "Twice(LAMBDA $1 : %i, %e)", "Twice(Op, %e)", "Twice(-., %e)", "Twice(SUBSET, %e)", "Twice(^+, %e)", "Twice(~, %e)", "Twice(Cardinality, %e)",
		"Fold(+, %e, %e)", "Fold(Sum, %e, %e)", "Fold(LAMBDA $1, $2 : %i, %e, %e)", "Fold(Pair, %e, %e)", "Fold(\\cup, %e, %e)", "Fold(=>, %e, %e)",
		"I!In(%e)", "Par(C)!In(%c)", "Num!+(%e, %e)", "Num!Nat", "Of(C)!In(%c)", "Whole!+(%e, %e)", "B!-.(%e)", "B!|(%e, %e)", "Twice(B!-., %e)", "Fold(B!|, %e, %e)", "Twice(I!In, %e)", "Num!<(%e, %e)", "B!\\prec(%e, %e)", "Twice(LAMBDA $1 : $1 \\in %e, %e)",
		"Tree!top!(%e)", "Tree!top!in(%e)", "Tree!1!in(%e)!1!2", "Twice(Tree!1!@, %e)", "Fold(Tree!3!3!@, %e, %e)", "Fold(\\in, %e, %e)", "Fold(.., %e, %e)", "Twice(Id!:, %e)", "Fold(Sum!:, %e, %e)", "Sum(%e, %e)!<<", "Sum(%e, %e)!2", "Tree!3!3!(%e, %e)!1",
		"Len(%e)", "Append(%e, %e)", "SubSeq(%e, %e, %e)", "SelectSeq(%e, LAMBDA $1 : %i)", "SelectSeq(%e, Id)", "Cardinality(%e)", "Assert(%e, \"no\")",
		"%%(%e)", "(* a (* nested *) comment *) (%e) \\* the end\n ",
	}
	stateTemplates = []string{
		"(ENABLED (%a))", "ENABLED (%a)", "(v = %s)", "I!In(v)", "B!Both(%s)", "(w[%s] = v)", "v.a", "Par(v)!In(%c)", "(\\A $1 \\in v : %i)",
	}
	actionTemplates = []string{
		"(%s)'", "(v' = %e)", "Op1(', %s)", "Op1(UNCHANGED, %s)", "Op1(ENABLED, %s)", "UNCHANGED vars", "(UNCHANGED <<v, w>>)", "UNCHANGED (%s)", "[%a]_vars", "[%a]_<<v, w>>", "[%a]_(%s)", "<<%a>>_v", "<<%a>>_<<v, w>>",
		"(%a \\cdot %a)", "I!Move", "Par(C)!Move", "Of(C)!Move", "B!Later", "Next0(%s)", "(\\E $1 \\in %s : %i)", "v'[%s]", "Twice(LAMBDA $1 : $1, %e)", "(%a /\\ %a)", "w'.a", "(%s)' \\in %s",
	}
	temporalTemplates = []string{
		"[](%s)", "<>(%s)", "[]<>(%s)", "<>[](%s)", "[][%a]_vars", "<><<%a>>_vars", "[]<><<%a>>_<<v, w>>", "[](%f)", "<>(%f)",
		"((%s) ~> (%s))", "((%f) ~> (%f))", "(%s ~> %s)", "WF_vars(%a)", "SF_<<v, w>>(%a)", "WF_(%s)(%a)", "SF_v(%a)", "((%s) -+-> (%s))",
		"((%s) /\\ (%f))", "((%f) \\/ (%s))", "((%f) => (%f))", "((%f) <=> (%f))", "~(%f)", "(IF %s THEN %f ELSE %f)",
		"(\\A $1 \\in %c : %g)", "(\\E $1, $2 \\in %c : %g)", "(\\AA $1 : %g)", "(\\EE $1, $2 : %g)", "(\\A $1 : %g)",
		"Twice([], %f)", "Twice(<>, %f)", "Fold(~>, %f, %f)", "Twice(LAMBDA $1 : [](%g), %f)", "Id(%f)", "I!Fair", "B!Always", "Par(C)!Fair", "(CASE %s -> %f [] OTHER -> %f)",
		"%%(%f)", "[]%s", "<>[]%s", "~[]%s",
	}
)

// template writes an expression by a template.
func (g *generator) template(level Level, depth int, text string) {
	var bound []string
	for i := 1; strings.Contains(text, fmt.Sprintf("$%d", i)); i++ {
		bound = append(bound, g.name())
	}
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '$':
			i++
			g.write(bound[text[i]-'1'])
		case text[i] == '%' && i+1 < len(text) && strings.IndexByte("eifgcsa%", text[i+1]) >= 0:
			i++
			g.hole(text[i], level, depth, bound)
		default:
			g.write(text[i : i+1])
		}
	}
}

// hole writes what stands for a hole of a template.
func (g *generator) hole(kind byte, level Level, depth int, bound []string) {
	before := len(g.names)
	if kind == 'i' || kind == 'g' {
		g.names = append(g.names, bound...)
	}
	switch kind {
	case 'e', 'i':
		g.expression(min(level, Action), depth-1)
	case 'f', 'g':
		g.expression([]Level{State, Temporal}[g.IntN(2)], depth-1)
	case 'c':
		g.expression(Constant, depth-1)
	case 's':
		g.expression(State, depth-1)
	case 'a':
		g.expression(Action, depth-1)
	case '%':
		g.label()
	}
	g.names = g.names[:before]
}

// label writes a label with all names that are bound around it.
func (g *generator) label() {
	g.write(g.name())
	if len(g.names) > 0 {
		g.write("(" + strings.Join(g.names, ", ") + ")")
	}
	g.write(":: ")
}

// atom writes an expression without parts.
func (g *generator) atom(level Level) {
	all := []string{"0", "12", "1.5", "\\b101", "\\O17", "\\hFf", `"text"`, `"a \" \\ b"`, "TRUE", "FALSE", "BOOLEAN", "STRING", "Nat", "Int", "C", "D", "Even", "f", "Tree!1", "Tree!low", "Tree!2!1", "Tree!3!2!1", "Tree!:"}
	all = append(all, g.names...)
	if level >= State {
		all = append(all, "v", "w", "vars", "v", "w")
	}
	if level >= Action {
		all = append(all, "v'", "w'", "I!Move")
	}
	if g.inChange {
		all = append(all, "@", "@")
	}
	g.write(all[g.IntN(len(all))])
}

// junction writes a list by its layout.
func (g *generator) junction(level Level, depth int) {
	sign := []string{"/\\ ", "\\/ "}[g.IntN(2)]
	g.write("(")
	column := g.column
	for i := range 2 + g.IntN(2) {
		if i > 0 {
			g.write("\n" + strings.Repeat(" ", column))
		}
		g.write(sign)
		g.expression(level, depth-1)
	}
	g.write(")")
}

func (g *generator) let(level Level, depth int) {
	before := len(g.definitions)
	g.write("(LET ")
	for range 1 + g.IntN(2) {
		switch g.IntN(6) {
		case 0:
			name := g.name()
			g.write("RECURSIVE " + name + "(_) " + name + "(q) == IF q = 0 THEN 0 ELSE " + name + "(q - 1) ")
			g.definitions = append(g.definitions, operatorName{name: name, arity: 1})
		case 1:
			name := g.name()
			g.write(name + "(q) == INSTANCE Inner WITH k <- q, K <- Op, u <- v ")
			g.definitions = append(g.definitions, operatorName{name: name + "(C)!Move", level: Action})
		case 2:
			g.write("m %% n == n + m ")
		default:
			g.define(min(level, Action), depth-1, false)
		}
	}
	g.write("IN ")
	g.expression(level, depth-1)
	g.write(")")
	g.definitions = g.definitions[:before]
}

// application writes the application of a definition.
func (g *generator) application(level Level, depth int) {
	d := g.definitions[g.IntN(len(g.definitions))]
	if d.level > level {
		g.atom(level)
		return
	}
	g.write(d.name)
	for i := range d.arity {
		g.write([]string{"(", ", "}[min(i, 1)])
		g.expression(min(level, State), depth-1)
	}
	if d.arity > 0 {
		g.write(")")
	}
}

// change writes [f EXCEPT ![a].b = e, …].
func (g *generator) change(level Level, depth int) {
	was := g.inChange
	level = min(level, Action)
	g.write("[")
	g.expression(level, depth-1)
	g.write(" EXCEPT ")
	for i := range 1 + g.IntN(2) {
		if i > 0 {
			g.write(", ")
		}
		g.template(level, depth, []string{"![%e] = ", "!.a = ", "![%e].b = ", "![%e, %e][%e] = ", "!.a[%e] = "}[g.IntN(5)])
		g.inChange = true
		g.expression(level, depth-1)
		g.inChange = was
	}
	g.write("]")
}
