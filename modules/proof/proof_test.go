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
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/certificate"
	"github.com/inev-lts/inev/certificate/verify"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/oracle/randomlts"
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

func run(t *testing.T, name string, arguments ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, arguments...).CombinedOutput()
	return string(out), err
}

// subject is a model and a property with a certificate, in files for inev-proof.
type subject struct {
	m             *lts.LTS
	f             *actl.Formula
	text          string
	folder        string
	model, labels string
}

func certified(t *testing.T, m *lts.LTS, formula string, reading neighbourhood.Reading) *subject {
	t.Helper()
	ctx := context.Background()
	s := &subject{m: m, folder: t.TempDir(), text: certificateOf(t, m, formula, reading)}
	s.model, s.labels = filepath.Join(s.folder, "m.aut"), filepath.Join(s.folder, "steps.tsv")
	var err error
	if s.f, err = actl.Parse(ctx, formula); err != nil {
		t.Fatal(err)
	}
	happening, err := m.Happening(ctx)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := s.f.Bind(ctx, happening)
	if err != nil {
		t.Fatal(err)
	}
	chain, is := p.Chain()
	if !is {
		t.Fatalf("%s is no chain", formula)
	}
	var model bytes.Buffer
	if _, err := aut.Write(&model, m); err != nil {
		t.Fatal(err)
	}
	s.save(t, s.model, model.String())
	s.save(t, s.labels, steps(s.f, chain))
	return s
}

// steps is what inev formula --steps-out writes.
func steps(f *actl.Formula, chain *property.Chain) string {
	escaped := strings.NewReplacer("\\", `\\`, "\t", `\t`, "\x01", `\x01`)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\t%d\n", escaped.Replace(f.String()), chain.Len())
	for l, text := range chain.Alphabet().All() {
		var done []string
		for i := 1; i <= chain.Len(); i++ {
			if chain.Does(l, i) {
				done = append(done, fmt.Sprint(i))
			}
		}
		b.WriteString(escaped.Replace(text) + "\t" + strings.Join(done, ",") + "\n")
	}
	return b.String()
}

func (s *subject) save(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func certificateOf(t *testing.T, m *lts.LTS, formula string, reading neighbourhood.Reading) string {
	t.Helper()
	ctx := context.Background()
	f, err := actl.Parse(ctx, formula)
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(ctx, m, f, explain.Options{Reading: reading, NoAdvice: true})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := certificate.Write(ctx, &b, e); err != nil {
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
		_, err := verify.Verify(context.Background(), s.m, s.f, nil, strings.NewReader(text))
		why, is := refused[arguments[2+i]]
		if is != (err != nil) {
			t.Fatalf("inev verify: %v; inev-proof: %q\n%s\nof %s\n%s", err, why, text, s.text, s.f)
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
			if !strings.HasPrefix(formula, "Inev(") {
				continue
			}
			steps, text := filepath.Join(folder, "steps.tsv"), filepath.Join(folder, "certificate.json")
			if out, err := run(t, inev, "formula", formula, "--model", model, "--steps-out", steps); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			// Its exit code is the verdict.
			said, _ := run(t, inev, "explain", model, formula, "--certificate", text)
			got, err := run(t, proof, model, steps, text)
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, got, said)
			}
			if want, err := run(t, inev, "verify", model, formula, text); err != nil || got != want {
				t.Errorf("inev-proof: %sinev verify: %s%v", got, want, err)
			}
			judged++
		}
	}
	if judged < 40 {
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
	letters = regexp.MustCompile(`"out":"[cin]+"`)
	words   = regexp.MustCompile(`"(correct|incorrect|neutral|mixed|mixed-neutral|free|fated|all|some|satisfied|violated)"|true|false|null`)
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
		b[len(`"out":"`)+r.IntN(len(b)-len(`"out":""`))] = "cin"[r.IntN(3)]
		changed = string(b)
	case words:
		all := []string{`"correct"`, `"incorrect"`, `"neutral"`, `"mixed"`, `"mixed-neutral"`, `"free"`, `"fated"`,
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
	total, accepted := 0, 0
	for seed := range randomlts.Share(500) {
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
		reading := neighbourhood.Reading(seed % 2)
		s := certified(t, m, c.Formula, reading)
		texts := []string{s.text}
		for len(texts) < each-20 {
			texts = append(texts, forge(r, s.text))
		}
		for other := m; len(texts) < each; {
			other = redirected(t, r, other)
			texts = append(texts, sha.ReplaceAllString(certificateOf(t, other, c.Formula, reading), sha.FindString(s.text)))
		}
		accepted += s.judge(t, proof, texts)
		total += len(texts)
	}
	t.Logf("%d of %d certificates are right", accepted, total)
}

// TestModels has certificates of random models judged: all must be accepted.
func TestModels(t *testing.T) {
	proof := program(t)
	for seed := range randomlts.Share(2000) {
		c := randomlts.Seeded(10_000+seed, randomlts.Medium())
		s := certified(t, c.Model, c.Formula, neighbourhood.Reading(seed%2))
		if s.judge(t, proof, []string{s.text}) != 1 {
			t.Fatalf("refused:\n%s\nof %v", s.text, c)
		}
	}
}
