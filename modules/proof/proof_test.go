package proof_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/certificate/certify"
	"github.com/inev-lts/inev/internal/certificate/verify"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/property"
)

// deadline is for each process that a test starts, which takes some seconds at most.
const deadline = 5 * time.Minute

// program builds inev-proof and returns its path. The test is skipped where Coq or OCaml is
// missing, and fails if CI is set.
func program(t *testing.T) string {
	t.Helper()
	for _, tool := range []string{"make", "coqc", "ocamlopt"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skipf("%v; Debian's packages coq and ocaml have it", err)
		}
	}
	if out, err := run(t, "make", "all"); err != nil {
		t.Fatalf("make: %v\n%s", err, out)
	}
	path, err := filepath.Abs("inev-proof")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// share is how many of n cases a test takes: a third, or all of them where INEV_PROOF is whole.
func share(n uint64) uint64 {
	if os.Getenv("INEV_PROOF") == "whole" {
		return n
	}
	return n / 3
}

func run(t *testing.T, name string, arguments ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, arguments...).CombinedOutput()
	return string(out), err
}

// subject is a model and a property with a certificate, in files for inev-proof.
type subject struct {
	m             *lts.LTS
	f             property.Formula
	fair          []*actl.Assumption
	text          string
	folder        string
	model, labels string
	forged        []string
	sameWords     int // refusals of both programs with the same words
}

// parsed reads a formula of any kind.
func parsed(t *testing.T, text string) property.Formula {
	t.Helper()
	f, err := formula.Parse(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func bound(m *lts.LTS, f property.Formula) (*property.Property, error) {
	happening, err := m.Happening(context.Background())
	if err != nil {
		return nil, err
	}
	p, _, err := f.Bind(context.Background(), happening)
	return p, err
}

// certified is certified under assumptions; nil if no run counts.
func certified(t *testing.T, m *lts.LTS, f property.Formula, reading neighbourhood.Reading, fair ...*actl.Assumption) *subject {
	t.Helper()
	s := &subject{m: m, f: f, fair: fair, folder: t.TempDir(), text: certificateOf(t, m, f, reading, fair)}
	if s.text == "" {
		return nil
	}
	s.model, s.labels = filepath.Join(s.folder, "m.aut"), filepath.Join(s.folder, "steps.tsv")
	var model bytes.Buffer
	if _, err := aut.Write(&model, m); err != nil {
		t.Fatal(err)
	}
	s.save(t, s.model, model.String())
	p, err := bound(m, f)
	if err != nil {
		t.Fatal(err)
	}
	if chain, is := p.Chain(); is {
		s.save(t, s.labels, steps(t, m, f, chain, fair))
	} else {
		s.save(t, s.labels, table(m, f, p))
	}
	return s
}

var escaped = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\x01", `\x01`)

// steps is what inev formula --steps-out writes of chains.
func steps(t *testing.T, m *lts.LTS, f property.Formula, chain *property.Chain, fair []*actl.Assumption) string {
	t.Helper()
	assumed, _, err := actl.BindAssumptions(context.Background(), fair, m.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\t%d", escaped.Replace(f.String()), chain.Len())
	for _, a := range fair {
		b.WriteString("\t" + escaped.Replace(a.String()))
	}
	switch {
	case assumed != nil && assumed.Full():
		b.WriteString("\nfull")
	case assumed != nil:
		b.WriteString("\ntasks")
		for _, task := range assumed.Tasks() {
			b.WriteString("\t" + map[bool]string{true: "strong", false: "weak"}[task.Strong] + map[bool]string{true: "!"}[task.Nonstuttering])
		}
	}
	b.WriteString("\n")
	for l, text := range chain.Alphabet().All() {
		var done []string
		for i := 1; i <= chain.Len(); i++ {
			if chain.Does(l, i) {
				done = append(done, fmt.Sprint(i))
			}
		}
		if _, begins := m.Alphabet().Facts(l); begins {
			done = []string{"begins"}
		}
		b.WriteString(escaped.Replace(text) + "\t" + strings.Join(done, ","))
		if assumed != nil {
			var tasks []string
			if !assumed.Full() {
				for _, k := range assumed.TasksOf(l) {
					tasks = append(tasks, fmt.Sprint(k))
				}
			}
			b.WriteString("\t" + strings.Join(tasks, ",") + "\t" + map[bool]string{true: "finitely"}[assumed.Rare(l)])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// table is what it writes of other properties.
func table(m *lts.LTS, f property.Formula, p *property.Property) string {
	var ends []string
	for q := range p.States() {
		if p.Stops(property.Q(q)) {
			ends = append(ends, fmt.Sprint(q))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\t%s\nstates\t%d\ninitial\t%d\nmay end\t%s\n", escaped.Replace(f.String()), p.Acceptance(), p.States(), p.Initial(), strings.Join(ends, ","))
	for l, text := range p.Alphabet().All() {
		var cells []string
		for q := range p.States() {
			var colours []string
			for c := range property.Colours {
				if p.Marks(property.Q(q), l).Has(c) {
					colours = append(colours, fmt.Sprint(c))
				}
			}
			cell := fmt.Sprint(p.Next(property.Q(q), l))
			if len(colours) > 0 {
				cell += "{" + strings.Join(colours, ",") + "}"
			}
			cells = append(cells, cell)
		}
		if _, begins := m.Alphabet().Facts(l); begins {
			cells = slices.Insert(cells, 0, "begins")
		}
		b.WriteString(escaped.Replace(text) + "\t" + strings.Join(cells, " ") + "\n")
	}
	return b.String()
}

func (s *subject) save(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// certificateOf returns a certificate, none if no run counts.
func certificateOf(t *testing.T, m *lts.LTS, f property.Formula, reading neighbourhood.Reading, fair []*actl.Assumption) string {
	t.Helper()
	return certificateWith(t, m, f, explain.Options{Reading: reading, Fair: fair})
}

func certificateWith(t *testing.T, m *lts.LTS, f property.Formula, o explain.Options) string {
	t.Helper()
	ctx := context.Background()
	o.NoAdvice = true
	e, err := explain.Explain(ctx, m, f, o)
	if errors.Is(err, explain.ErrNoRunCounts) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := certify.Write(ctx, &b, e); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// judge has all texts judged by both checkers, and fails where they differ. It returns how
// many were accepted.
func (s *subject) judge(t *testing.T, program string, texts []string) int {
	t.Helper()
	arguments := []string{s.model, s.labels}
	for i, text := range texts {
		path := filepath.Join(s.folder, fmt.Sprintf("%d.json", i))
		s.save(t, path, text)
		arguments = append(arguments, path)
	}
	out, err := run(t, program, arguments...)
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 2) {
		t.Fatalf("%v\n%s", err, out)
	}
	refused := map[string]string{}
	accepted := 0
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		if rest, is := strings.CutPrefix(line, "inev-proof: "); is {
			path, why, _ := strings.Cut(rest, ": ")
			refused[path] = why
		} else if strings.HasPrefix(line, "certificate verified: ") {
			accepted++
		} else {
			t.Fatalf("unexpected: %s", line)
		}
	}
	if accepted+len(refused) != len(texts) {
		t.Fatalf("%d certificates, but %d accepted and %d refused:\n%s", len(texts), accepted, len(refused), out)
	}
	for i, text := range texts {
		_, err := verify.Verify(context.Background(), s.m, s.f, s.fair, strings.NewReader(text))
		why, is := refused[arguments[2+i]]
		if is != (err != nil) {
			t.Fatalf("inev verify: %v; inev-proof: %q\n%s\nof %s\n%s under %v", err, why, text, s.text, s.f, s.fair)
		}
		if is && strings.ToValidUTF8(err.Error(), "") == strings.ToValidUTF8(why, "") {
			s.sameWords++
		}
	}
	return accepted
}

// TestExamples has the commands write all that inev-proof reads, of examples.
func TestExamples(t *testing.T) {
	proof, folder := program(t), t.TempDir()
	inev := filepath.Join(folder, "inev")
	if out, err := run(t, "go", "-C", "../..", "build", "-o", inev, "./cmd/inev"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := filepath.Glob("../../examples/*/*.inev")
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for _, file := range files {
		formulas, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		model := strings.TrimSuffix(file, ".inev") + ".aut"
		for formula := range strings.Lines(string(formulas)) {
			formula = strings.TrimSpace(formula)
			if formula == "" || strings.HasPrefix(formula, "#") {
				continue
			}
			for _, fair := range [][]string{nil, {"--fair", "weak"}, {"--fair", "strong!"}, {"--fair", "full"}} {
				if fair != nil && !strings.HasPrefix(formula, "Inev(") {
					continue // under assumptions there are no certificates of others
				}
				steps, text := filepath.Join(folder, "steps.tsv"), filepath.Join(folder, "certificate.json")
				if out, err := run(t, inev, append([]string{"formula", formula, "--model", model, "--steps-out", steps}, fair...)...); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				// Its exit code is the verdict.
				said, _ := run(t, inev, append([]string{"explain", model, formula, "--certificate", text}, fair...)...)
				got, err := run(t, proof, model, steps, text)
				if err != nil {
					t.Fatalf("%v\n%s\n%s", err, got, said)
				}
				if want, err := run(t, inev, append([]string{"verify", model, formula, text}, fair...)...); err != nil || got != want {
					t.Errorf("inev-proof: %sinev verify: %s%v", got, want, err)
				}
				judged++
			}
		}
	}
	if judged < 100 {
		t.Errorf("only %d certificates of examples were judged", judged)
	}
}

// odd are texts that readers may take for something else.
var odd = []string{"tau \"x\"", `a\b`, "tab\there", "é !1", "\xff\xfe", "(1, 2)", "a,b", " blank ", "\x01", "\"", "𝄞"}

// renamed gives odd names to labels that the formula does not name.
func renamed(t *testing.T, r *rand.Rand, m *lts.LTS, formula string) *lts.LTS {
	t.Helper()
	names := map[string]string{}
	for l, text := range m.Alphabet().All() {
		names[text] = text
		if !strings.Contains(formula, text) {
			names[text] = odd[(int(l)+r.IntN(5))%len(odd)] + fmt.Sprint(l)
		}
	}
	var b lts.Builder
	for step := range m.Transitions() {
		b.Add(step.From, b.Label(names[m.Alphabet().Text(step.Label)]), step.To)
	}
	other, err := b.Build(m.Initial(), m.NumStates())
	if err != nil {
		t.Fatal(err)
	}
	return other
}

var (
	numbers = regexp.MustCompile(`[0-9]+`)
	strs    = regexp.MustCompile(`"[^"]*"`)
	letters = regexp.MustCompile(`"out":"[cine]+"`)
	words   = regexp.MustCompile(`"(correct|incorrect|neutral|excluded|mixed|mixed-neutral|free|fated|all|some|satisfied|violated)"|true|false|null`)
	members = regexp.MustCompile(`"[a-z_]+": ?[^,{}\[\]]+,?`)
	lines   = regexp.MustCompile(`\n\{[^\n]*`)
	anyByte = regexp.MustCompile(`(?s).`)
)

// forge changes one place of a certificate.
func forge(r *rand.Rand, text string) string {
	kinds := []*regexp.Regexp{numbers, numbers, numbers, letters, words, words, strs, members, lines, anyByte}
	of := kinds[r.IntN(len(kinds))]
	found := of.FindAllStringIndex(text, -1)
	if len(found) == 0 {
		return text
	}
	at := found[r.IntN(len(found))]
	old, other := text[at[0]:at[1]], found[r.IntN(len(found))]
	changed := text[other[0]:other[1]]
	switch of {
	case numbers:
		var value int
		_, _ = fmt.Sscan(old, &value)
		switch r.IntN(5) {
		case 0:
			value--
		case 1:
			value++
		case 2:
			value = r.IntN(5)
		case 3:
			changed = []string{"01", "1.0", "4294967295", "4294967296", "-1", "1e0", "99999999999999999999", "0", ""}[r.IntN(9)]
			return text[:at[0]] + changed + text[at[1]:]
		default:
			return text[:at[0]] + changed + text[at[1]:]
		}
		changed = fmt.Sprint(value)
	case letters:
		b := []byte(old)
		b[len(`"out":"`)+r.IntN(len(b)-len(`"out":""`))] = "cine"[r.IntN(4)]
		changed = string(b)
	case words:
		all := []string{`"correct"`, `"incorrect"`, `"neutral"`, `"excluded"`, `"mixed"`, `"mixed-neutral"`, `"free"`, `"fated"`,
			`"all"`, `"some"`, `"satisfied"`, `"violated"`, "true", "false", "null", "0"}
		changed = all[r.IntN(len(all))]
	case strs:
		switch r.IntN(3) {
		case 0: // the same, written otherwise
			changed = `"` + fmt.Sprintf(`\u%04x`, old[min(1, len(old)-1)]) + old[min(2, len(old)-1):]
		case 1:
			changed = []string{`"é"`, `"\ud834\udd1e"`, `"\ud834"`, `"\x"`, "\"\xff\"", `"\/"`, `"\n"`, "\"\t\"", `""`}[r.IntN(9)]
		}
	case members, lines: // leave it out, or say it twice
		if changed = ""; r.IntN(2) == 0 {
			changed = old + old
		}
	case anyByte:
		b := "{}[]\",:0 19\n\x00tnfe-.\\\xff"
		i := r.IntN(len(b))
		if changed = b[i : i+1]; r.IntN(2) == 0 {
			changed += old
		}
	}
	return text[:at[0]] + changed + text[at[1]:]
}

// redirected returns m with another target for one of its transitions.
func redirected(t *testing.T, r *rand.Rand, m *lts.LTS) *lts.LTS {
	t.Helper()
	var b lts.Builder
	at, i := r.IntN(max(1, m.NumTransitions())), 0
	for step := range m.Transitions() {
		if i == at {
			step.To = lts.State(r.IntN(m.NumStates()))
		}
		b.Add(step.From, b.Label(m.Alphabet().Text(step.Label)), step.To)
		i++
	}
	changed, err := b.Build(m.Initial(), m.NumStates())
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

var sha = regexp.MustCompile(`"sha256": "[0-9a-f]*"`)

// TestForgeries has forged certificates judged: right ones in which one number, letter, word,
// string, member, line or byte was changed, and right ones of a model with one more transition
// redirected each, which say that they are for this one.
func TestForgeries(t *testing.T) {
	proof := program(t)
	const each = 100
	total, accepted, same := 0, 0, 0
	for seed := range randomlts.Share(share(500)) {
		size := randomlts.Small()
		if seed%4 == 0 {
			size = randomlts.Medium()
		}
		r := rand.New(rand.NewPCG(seed, 3))
		c := randomlts.Seeded(seed, size)
		m := c.Model
		if seed%3 == 0 {
			m = renamed(t, r, m, c.Formula)
		}
		texts := forgeries(t, r, m, parsed(t, c.Formula), neighbourhood.Reading(seed%2), each)
		accepted += texts.judge(t, proof, texts.forged)
		total += len(texts.forged)
		same += texts.sameWords
	}
	t.Logf("%d of %d certificates are right; %d are refused with the same words", accepted, total, same)
	if same < (total-accepted)/2 {
		t.Error("fewer than half of the refusals have the words of inev verify")
	}
}

// forgeries returns a certificate with many that were forged.
func forgeries(t *testing.T, r *rand.Rand, m *lts.LTS, f property.Formula, reading neighbourhood.Reading, many int, fair ...*actl.Assumption) *subject {
	t.Helper()
	s := certified(t, m, f, reading, fair...)
	if s == nil {
		return nil
	}
	s.forged = []string{s.text}
	for len(s.forged) < many-many/5 {
		s.forged = append(s.forged, forge(r, s.text))
	}
	for other := m; len(s.forged) < many; {
		other = redirected(t, r, other)
		s.forged = append(s.forged, sha.ReplaceAllString(certificateOf(t, other, f, reading, fair), sha.FindString(s.text)))
	}
	return s
}

// TestTableForgeries does the same for properties that are no chains.
func TestTableForgeries(t *testing.T) {
	proof := program(t)
	const each = 100
	total, accepted := 0, 0
	for seed := range randomlts.Share(share(300)) {
		r := rand.New(rand.NewPCG(seed, 5))
		m, f := drawTable(t, r, seed, seed%4 == 0)
		s := forgeries(t, r, m, f, neighbourhood.Reading(seed%2), each)
		accepted += s.judge(t, proof, s.forged)
		total += len(s.forged)
	}
	t.Logf("%d of %d certificates are right", accepted, total)
}

// TestTableModels has certificates of random models and properties that are no chains judged.
func TestTableModels(t *testing.T) {
	proof := program(t)
	for seed := range randomlts.Share(share(2000)) {
		m, f := drawTable(t, rand.New(rand.NewPCG(seed, 6)), 20_000+seed, seed%2 == 0)
		s := certified(t, m, f, neighbourhood.Reading(seed%2))
		if s.judge(t, proof, []string{s.text}) != 1 {
			t.Fatalf("refused:\n%s\nof %s", s.text, f)
		}
	}
}

// drawn is an automaton that was drawn.
type drawn struct{ automaton property.Automaton }

func (d drawn) String() string                                 { return "drawn" }
func (d drawn) Kind() string                                   { return "drawn" }
func (d drawn) Unmatched(context.Context, *lts.Alphabet) error { return nil }
func (d drawn) Bind(_ context.Context, a *lts.Alphabet) (*property.Property, []string, error) {
	x := d.automaton
	x.Letters = make([]uint16, a.Len())
	for l := range x.Letters {
		x.Letters[l] = uint16(l % x.Columns)
	}
	p, err := property.Table(a, x)
	return p, nil, err
}

// drawTable returns a model and a property that is no chain: a formula, or an automaton with up to three
// colours.
func drawTable(t *testing.T, r *rand.Rand, seed uint64, medium bool) (*lts.LTS, property.Formula) {
	t.Helper()
	size := randomlts.Small()
	if medium {
		size = randomlts.Medium()
	}
	m := randomlts.Seeded(seed, size).Model
	if r.IntN(3) > 0 {
		f := parsed(t, drawFormula(r, 3))
		if p, err := bound(m, f); err == nil { // some have too large an automaton
			if _, is := p.Chain(); !is {
				return m, f
			}
		}
	}
	states, letters := 1+r.IntN(4), 1+r.IntN(3)
	x := property.Automaton{Columns: letters, Name: "drawn", Initial: property.Q(r.IntN(states)), Acceptance: drawCondition(r, 3)}
	for range states {
		x.Stop = append(x.Stop, r.IntN(2) == 0)
		for range letters {
			x.Next, x.Marks = append(x.Next, property.Q(r.IntN(states))), append(x.Marks, property.Marks(r.IntN(8)&r.IntN(8)))
		}
	}
	return m, drawn{x}
}

func drawCondition(r *rand.Rand, depth int) property.Acceptance {
	switch c := r.IntN(3); r.IntN(4 + 3*min(depth, 1)) {
	case 0, 1:
		return property.Inf(c)
	case 2:
		return property.Fin(c)
	case 3:
		return []property.Acceptance{property.Always(), property.Never(), property.Inf(63)}[c]
	case 4:
		return property.All(drawCondition(r, depth-1), drawCondition(r, depth-1), drawCondition(r, depth-1))
	}
	return property.Any(drawCondition(r, depth-1), drawCondition(r, depth-1))
}

// drawFormula returns a pattern, or a formula of linear temporal logic.
func drawFormula(r *rand.Rand, depth int) string {
	atom := func() string { return string(rune('A' + r.IntN(4))) }
	if depth == 3 && r.IntN(2) == 0 {
		scope := []string{"", "", "; after " + atom(), "; before " + atom(), "; between " + atom() + " and " + atom(), "; after " + atom() + " until " + atom()}[r.IntN(6)]
		return fmt.Sprintf([]string{"Response(%s; %s%s)", "Never(%s, %s%s)", "Precedes(%s; %s%s)", "Response(%s; %s, A%s)"}[r.IntN(4)], atom(), atom(), scope)
	}
	if depth == 0 {
		return []string{atom(), atom(), atom(), "deadlock"}[r.IntN(4)]
	}
	x, y := drawFormula(r, min(depth-1, 2)), drawFormula(r, min(depth-1, 2))
	return fmt.Sprintf([]string{"(%[1]s U %[2]s)", "G (%[1]s -> F %[2]s)", "(G F %[1]s && F G !%[2]s)", "(X %[1]s || G %[2]s)", "(%[1]s -> %[2]s)", "F (%[1]s && X %[2]s)", "G F %[1]s", "F G %[2]s"}[r.IntN(8)], x, y)
}

// TestModels has certificates of random models judged: all must be accepted.
func TestModels(t *testing.T) {
	proof := program(t)
	for seed := range randomlts.Share(share(2000)) {
		c := randomlts.Seeded(10_000+seed, randomlts.Medium())
		s := certified(t, c.Model, parsed(t, c.Formula), neighbourhood.Reading(seed%2))
		if s.judge(t, proof, []string{s.text}) != 1 {
			t.Fatalf("refused:\n%s\nof %v", s.text, c)
		}
	}
}
