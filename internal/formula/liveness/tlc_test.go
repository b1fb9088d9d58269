package liveness_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/counterexample/sequence"
	"github.com/inev-lts/inev/internal/formula/liveness"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// tlcVariable names the class path of TLC, such as tla2tools.jar. Without it, what asks TLC is skipped. seedsVariable names the
// seeds of specifications, as in 0-299.
const (
	tlcVariable   = "INEV_TLC"
	seedsVariable = "INEV_TLC_SEEDS"
)

// TestVerdictsAreThoseOfTLC: random specifications, each with a property, fairness and sometimes constraints, have TLC's verdict.
func TestVerdictsAreThoseOfTLC(t *testing.T) {
	tlc := newChecker(t)
	first, last := seedsOf(t, 300)
	ctx := context.Background()
	compared, violated, refused, outside := 0, 0, 0, 0
	for seed := first; seed <= last; seed++ {
		folder := t.TempDir()
		if keep := os.Getenv("INEV_TLC_KEEP"); keep != "" {
			folder = filepath.Join(keep, strconv.FormatUint(seed, 10))
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		g := randomSpecification(rand.New(rand.NewPCG(seed, 51)))
		write(t, folder, "Random.tla", g.module)
		write(t, folder, "Random.cfg", g.config+"PROPERTY Asked\n")
		write(t, folder, "Graph.cfg", g.config)
		code, said := tlc.ask(t, folder, "Random.cfg")
		want := ""
		switch {
		case code != 0 && code != 12 && code != 13, strings.Contains(said, " 0 distinct states found"):
			refused++
			t.Logf("seed %d: TLC ends with %d: %s", seed, code, brief(said))
			continue
		case code == 0:
			want = "satisfied"
		default:
			want = "violated"
		}
		if code == 12 {
			// TLC has stopped before the graph was whole.
			code, said := tlc.ask(t, folder, "Graph.cfg")
			if code != 0 {
				t.Fatalf("seed %d: TLC ends with %d: %s", seed, code, said)
			}
			if strings.Contains(said, " 0 distinct states found") {
				refused++ // constraints leave out all initial states, which TLC asks about all the same
				continue
			}
		}
		compared++
		if want == "violated" {
			violated++
		}
		found, err := verdictOf(ctx, folder)
		if err == nil && found == "satisfied" && code == 12 && endsOutside(t, folder, said) {
			outside++
			continue
		}
		if err == nil && found == "violated" && want == "violated" {
			checkBehaviour(ctx, t, folder, said)
		}
		if err != nil || found != want {
			t.Errorf("seed %d: inev says %s %v, TLC %s\n%s%s%s", seed, found, err, want, g.module, g.config, said)
		}
	}
	t.Logf("%d compared, of which %d are violated, %d of them right outside of a constraint; TLC refused %d", compared, violated, outside, refused)
}

// seedsOf returns the first and the last seed: those that are named, or a share of so many.
func seedsOf(t *testing.T, whole uint64) (first, last uint64) {
	t.Helper()
	from, to, is := strings.Cut(os.Getenv(seedsVariable), "-")
	if !is {
		return 0, randomlts.Share(whole) - 1
	}
	first, wrong := strconv.ParseUint(from, 10, 32)
	last, bad := strconv.ParseUint(to, 10, 32)
	if wrong != nil || bad != nil {
		t.Fatalf("%s=%s", seedsVariable, os.Getenv(seedsVariable))
	}
	return first, last
}

// endsOutside reports whether the last state of the behavior that TLC shows is not in the graph: TLC checks
// invariants in the states right outside of a constraint, too, and does not write these states.
func endsOutside(t *testing.T, folder, said string) bool {
	t.Helper()
	_, last, found := cutLast(said, "\nState ")
	if !found {
		return false
	}
	_, values, _ := strings.Cut(last, "\n")
	values, _, _ = strings.Cut(values, "\n\n")
	graph, err := os.ReadFile(filepath.Join(folder, "Random.dot"))
	if err != nil {
		t.Fatal(err)
	}
	label := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(values)
	for line := range strings.Lines(string(graph)) {
		if strings.Contains(line, `[label="`+label+`"`) && !strings.Contains(line, "lightyellow") {
			return false
		}
	}
	return true
}

// cutLast is [strings.Cut] at the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// verdictOf returns what is found in the folder of a specification.
func verdictOf(ctx context.Context, folder string) (string, error) {
	s, err := liveness.Load(ctx, filepath.Join(folder, "Random.tla"), filepath.Join(folder, "Random.cfg"), nil)
	if err != nil {
		return "", err
	}
	m, _, err := format.Open(ctx, filepath.Join(folder, "Random.dot"), format.Options{Name: "Random.dot", States: true, Constrained: true})
	if err != nil {
		return "", err
	}
	g, err := s.On(ctx, m.LTS, m.States, false, m.Outside...)
	if err != nil {
		return "", err
	}
	instances, err := s.Instances(ctx)
	if err != nil {
		return "", err
	}
	for _, i := range instances {
		question, err := g.Ask(ctx, i)
		if err != nil {
			return "", err
		}
		e, err := explain.Check(ctx, question.Model, question.Formula, explain.Options{Fair: question.Fair})
		if err != nil {
			return "", err
		}
		if e.Verdict == explain.Violated {
			return "violated", nil
		}
	}
	return "satisfied", nil
}

// checkBehaviour: the behavior that TLC shows is a run of the graph that violates one of the instances.
func checkBehaviour(ctx context.Context, t *testing.T, folder, said string) {
	t.Helper()
	if endsOutside(t, folder, said) {
		return
	}
	_, _, err := sequence.Read(ctx, strings.NewReader(said), "MC.out")
	var printed *sequence.ValuesError
	if !errors.As(err, &printed) {
		t.Errorf("the behavior is not read: %v\n%s", err, said)
		return
	}
	s, err := liveness.Load(ctx, filepath.Join(folder, "Random.tla"), filepath.Join(folder, "Random.cfg"), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := format.Open(ctx, filepath.Join(folder, "Random.dot"), format.Options{Name: "Random.dot", States: true, Constrained: true})
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.On(ctx, m.LTS, m.States, false, m.Outside...)
	if err != nil {
		t.Fatal(err)
	}
	instances, err := s.Instances(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range instances {
		question, err := g.Ask(ctx, i)
		if err != nil {
			t.Fatal(err)
		}
		given, err := printed.Behaviour.In(question.Model, m.States, g.Stuttering())
		if err != nil {
			t.Errorf("%v\n%s", err, said)
			return
		}
		search := explain.Search{Given: given, Fair: question.Fair}
		violates, err := (&explain.Options{}).GivenViolates(ctx, question.Model, question.Formula, search)
		if err != nil {
			t.Fatal(err)
		}
		if violates {
			return
		}
	}
	t.Errorf("the behavior of TLC violates no instance:\n%s", said)
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// checker is a process that runs TLC again and again, which takes a tenth of the time of a process for each run.
type checker struct {
	in  io.Writer
	out *bufio.Reader
}

// newChecker starts TLC; the test is skipped without it.
func newChecker(t *testing.T) *checker {
	t.Helper()
	classes := os.Getenv(tlcVariable)
	if classes == "" {
		t.Skipf("%s does not name TLC", tlcVariable)
	}
	c := exec.CommandContext(t.Context(), "java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m", filepath.Join("testdata", "tlc", "Checks.java"), classes)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = c.Wait()
	})
	return &checker{in: in, out: bufio.NewReader(out)}
}

// ask checks Random.tla and has the graph written.
func (c *checker) ask(t *testing.T, folder, config string) (code int, said string) {
	t.Helper()
	arguments := []string{
		"-deadlock", "-workers", "1", "-nowarning", "-noGenerateSpecTE", "-metadir", filepath.Join(folder, "states"), "-lncheck", "final",
		"-dump", "dot,actionlabels,constrained", filepath.Join(folder, "Random.dot"), "-config", filepath.Join(folder, config), filepath.Join(folder, "Random.tla"),
	}
	return c.answer(t, arguments)
}

// answer returns what a run of TLC or of the translator of PlusCal ends with, and what it prints.
func (c *checker) answer(t *testing.T, arguments []string) (code int, said string) {
	t.Helper()
	if _, err := fmt.Fprintln(c.in, strings.Join(arguments, "\t")); err != nil {
		t.Fatal(err)
	}
	length := 0
	if _, err := fmt.Fscanf(c.out, "%d %d\n", &code, &length); err != nil {
		t.Fatal(err)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(c.out, text); err != nil {
		t.Fatal(err)
	}
	return code, string(text)
}

// brief returns what TLC says of a mistake.
func brief(said string) string {
	if i := strings.Index(said, "Error:"); i >= 0 {
		said = said[i:]
	}
	return said[:min(len(said), 400)]
}

type randomSpec struct{ module, config string }

// maker makes random texts.
type maker struct{ *rand.Rand }

func (r maker) one(of ...string) string { return of[r.IntN(len(of))] }

// randomSpecification returns one of a number, a function, a set and a sequence, with three actions.
func randomSpecification(random *rand.Rand) randomSpec {
	r := maker{random}
	var b strings.Builder
	variables := []string{"x", "f"}
	if r.IntN(2) == 0 {
		variables = append(variables, "s")
	}
	if r.IntN(3) == 0 {
		variables = append(variables, "q")
	}
	has := func(name string) bool { return strings.Contains(strings.Join(variables, ""), name) }
	fmt.Fprintf(&b, "---- MODULE Random ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\nCONSTANT P\nVARIABLES %s\nvars == <<%[1]s>>\n", strings.Join(variables, ", "))
	b.WriteString(instances)
	fmt.Fprintf(&b, "Init ==\n  /\\ x %s\n  /\\ f = [p \\in P |-> \"a\"]\n", r.one("= 0", "= 1", `\in {0, 2}`))
	if has("s") {
		b.WriteString("  /\\ s = {}\n")
	}
	if has("q") {
		b.WriteString("  /\\ q = <<>>\n")
	}
	action := func(head, p string) {
		fmt.Fprintf(&b, "%s ==\n", head)
		for range 1 + r.IntN(2) {
			fmt.Fprintf(&b, "  /\\ %s\n", r.predicate(has, p, 1))
		}
		for _, v := range variables {
			step := ""
			switch v {
			case "x":
				step = r.one("x' = (x + 1) % 3", "x' = (x + 2) % 3", "x' = 0", `x' \in {x, 1}`, "UNCHANGED x", "UNCHANGED x", "x' = IF x > 0 THEN x - 1 ELSE 2")
			case "f":
				step = fmt.Sprintf(`f' = [f EXCEPT ![%s] = %s]`, p, r.one(`"a"`, `"b"`, `"c"`, `IF @ = "a" THEN "b" ELSE "a"`))
				step = r.one(step, step, "UNCHANGED <<f>>", `f' = [p \in P |-> IF p = `+p+` THEN "c" ELSE f[p]]`)
			case "s":
				step = fmt.Sprintf(r.one(`s' = s \cup {%s}`, `s' = s \ {%s}`, "s' = {%s}", `s' \in {s, {%s}}`, `s' = {p \in P : p \notin s} \* %s`), p)
				step = r.one(step, step, "UNCHANGED s")
			case "q":
				step = r.one(`q' = IF Len(q) < 2 THEN Append(q, x) ELSE Tail(q)`, "q' = <<>>", "UNCHANGED q")
			}
			fmt.Fprintf(&b, "  /\\ %s\n", step)
		}
	}
	action("A", "1")
	action("B", r.one("1", "2"))
	action("C(k)", "k")
	fmt.Fprintf(&b, "Next == A \\/ B \\/ \\E k \\in P : C(k)\n")
	fmt.Fprintf(&b, "Spec == Init /\\ [][Next]_vars")
	for range r.IntN(4) {
		fmt.Fprintf(&b, " /\\ (%s)", r.fairness(has))
	}
	fmt.Fprintf(&b, "\nGoal(k) == %s\nMeets == %s\n", r.predicate(has, "k", 1), r.predicate(has, "1", 2))
	fmt.Fprintf(&b, "Asked == %s\n", r.property(has, "1", 2))
	config := "CONSTANT P = {1, 2}\nSPECIFICATION Spec\n"
	if r.IntN(5) == 0 {
		cut := r.predicate(has, "2", 1)
		if r.IntN(3) == 0 {
			cut = fmt.Sprintf(r.one(`TLCGet("level") < %[2]d`, `TLCGet("level") < %[2]d \/ %[1]s`, `TLCGet("level") > %[2]d => %[1]s`), "("+cut+")", 2+r.IntN(6))
		}
		fmt.Fprintf(&b, "Cut == %s\n", cut)
		config += "CONSTRAINT Cut\n"
	}
	if r.IntN(8) == 0 {
		fmt.Fprintf(&b, "CutStep == %s\n", r.one("x' # x", "x' >= x", "f' # f", "x + x' # 3", `TLCGet("level") < 4`, `TLCGet("level") = 2 => x' = x`))
		config += "ACTION_CONSTRAINT CutStep\n"
	}
	b.WriteString("====\n")
	return randomSpec{b.String(), config}
}

// predicate returns one of a state, which may be about p, often inside an expression with the same value.
func (r maker) predicate(has func(string) bool, p string, depth int) string {
	text := r.plain(has, p, depth)
	for range r.IntN(6) / 3 {
		text = inside(r.one(sameValue...), "("+text+")")
	}
	return text
}

// plain is a predicate without what is around it.
func (r maker) plain(has func(string) bool, p string, depth int) string {
	if depth > 0 && r.IntN(3) == 0 {
		a, b := r.predicate(has, p, depth-1), r.predicate(has, p, depth-1)
		return fmt.Sprintf(r.one("(%s /\\ %s)", "(%s \\/ %s)", "(%s => %s)", "(~%s /\\ %s)", "~(%s /\\ ~(%s))"), a, b)
	}
	if depth > 0 && r.IntN(4) == 0 {
		name := fmt.Sprintf("i%d", depth)
		return fmt.Sprintf("(%s %s \\in P : %s)", r.one(`\A`, `\E`), name, r.predicate(has, name, depth-1))
	}
	all := []string{
		"x = 0", "x # 1", "x > 0", `x \in {0, 2}`, fmt.Sprintf("f[%s] = \"a\"", p), fmt.Sprintf("f[%s] # \"b\"", p), fmt.Sprintf("f[%s] \\in {\"b\", \"c\"}", p),
		`f[1] = f[2]`, `x % 2 = 0`, fmt.Sprintf("x < %s", p),
		`Cardinality({j \in P : f[j] = "a"}) = 1`, `(CHOOSE j \in P : f[j] # "c" \/ j = 2) = 1`, `(LET y == x + 1 IN y * y > 3)`, `(CASE x = 0 -> f[1] = "a" [] OTHER -> TRUE)`,
	}
	if has("s") {
		all = append(all, "s = {}", fmt.Sprintf(`%s \in s`, p), `Cardinality(s) = 1`, `s \subseteq {1}`, fmt.Sprintf(`s \cup {%s} = P`, p))
	}
	if has("q") {
		all = append(all, "q = <<>>", "Len(q) = 2", "(q # <<>> => Head(q) = 0)", `q \in Seq({0, 1})`)
	}
	return r.one(all...)
}

func (r maker) step(has func(string) bool, p string) string {
	return r.one("A", "B", fmt.Sprintf("C(%s)", p), fmt.Sprintf("C(%s)", p), "Next", "A \\/ B", `\E i \in P : C(i)`, "("+r.predicate(has, p, 0)+") /\\ B", "C("+p+") /\\ x' # x", "A /\\ f' = f")
}

func (r maker) fairness(has func(string) bool) string {
	operator := r.one("WF", "WF", "SF")
	vars := r.one("vars", "vars", "vars", "x", "<<x, f>>")
	if r.IntN(4) == 0 {
		return fmt.Sprintf(`\A n \in P : %s_%s(%s)`, operator, vars, r.step(has, "n"))
	}
	return fmt.Sprintf(`%s_%s(%s)`, operator, vars, r.step(has, r.one("1", "2")))
}

// property returns a formula about runs of the forms that TLC checks.
func (r maker) property(has func(string) bool, p string, depth int) string {
	if depth > 0 {
		switch r.IntN(7) {
		case 0, 1:
			a, b := r.property(has, p, depth-1), r.property(has, p, depth-1)
			return fmt.Sprintf(r.one("(%s) /\\ (%s)", "(%s) \\/ (%s)", "(%s) => (%s)"), a, b)
		case 2:
			name := fmt.Sprintf("p%d", depth)
			return fmt.Sprintf(`%s %s \in P : %s`, r.one(`\A`, `\A`, `\E`), name, r.property(has, name, depth-1))
		case 3:
			return "~(" + r.property(has, p, depth-1) + ")"
		}
	}
	one := func() string {
		return r.one(r.predicate(has, p, 1), r.predicate(has, p, 1), fmt.Sprintf("Goal(%s)", p), "Meets", "ENABLED A", fmt.Sprintf("ENABLED <<C(%s)>>_vars", p))
	}
	switch r.IntN(12) {
	case 0, 1:
		return "<>(" + one() + ")"
	case 2:
		return "[](" + one() + ")"
	case 3, 4:
		return "[]<>(" + one() + ")"
	case 5:
		return "<>[](" + one() + ")"
	case 6, 7:
		return "(" + one() + ") ~> (" + one() + ")"
	case 8:
		return "[]<><<" + r.step(has, p) + ">>_vars"
	case 9:
		return "<>[][" + r.step(has, p) + "]_vars"
	case 10:
		return r.fairness(has)
	}
	return "[](" + one() + " => <>(" + one() + "))"
}
