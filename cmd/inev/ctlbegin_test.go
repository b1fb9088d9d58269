package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// toldOfCTL is what inev ctl tells of a model and a formula.
type toldOfCTL struct {
	code     int
	warnings []string
	// headline is the first line of the text; cases are the arguments for single states, as text and on the page, and
	// arrows the lines of the picture.
	headline      string
	cases         []string
	sections      []string
	arrows        []string
	good, bad     []int
	states, moves int
	initial       int
}

var (
	section = regexp.MustCompile(`(?s)<section class="card">.*?</section>`)
	arrow   = regexp.MustCompile(`(?m)^\tn\d+->n\d+`)
)

// askCTL asks inev ctl, and lets inev verify check the evidence; what fails, fails the test.
func askCTL(t *testing.T, model, formula string, flags ...string) *toldOfCTL {
	t.Helper()
	folder := t.TempDir()
	path, page, picture, evidence := filepath.Join(folder, "g.dot"), filepath.Join(folder, "g.html"), filepath.Join(folder, "p.dot"), filepath.Join(folder, "e.json")
	if err := os.WriteFile(path, []byte(model), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	call := func(command string, of ...string) int {
		out.Reset()
		errs.Reset()
		return run(append([]string{"inev", command, path, formula}, of...), strings.NewReader(""), &out, &errs)
	}
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	told := &toldOfCTL{code: call("ctl", append(slices.Clone(flags), "--html", page, "--dot", picture)...)}
	told.warnings = strings.Split(strings.ReplaceAll(strings.TrimSpace(errs.String()), folder, ""), "\n")
	if told.code > 1 {
		return told
	}
	paragraphs := strings.Split(strings.TrimRight(out.String(), "\n"), "\n\n")
	told.headline, told.cases = paragraphs[0], paragraphs[1:]
	told.sections = section.FindAllString(read(page), -1)
	told.arrows = arrow.FindAllString(read(picture), -1)
	if strings.Contains(out.String()+read(page)+read(picture), "Init") {
		t.Fatalf("%s: what leads to where runs begin is told\n%s%s", formula, out.String(), model)
	}
	if strings.HasPrefix(formula, "A[F") || strings.HasPrefix(formula, "E[G") {
		return told // CTL* has no evidence
	}
	if code := call("ctl", append(slices.Clone(flags), "--format", "json", "--evidence", evidence)...); code != told.code {
		t.Fatalf("%s: exit code %d as text, and %d as JSON: %s\n%s", formula, told.code, code, errs.String(), model)
	}
	var found struct {
		Model struct {
			States      int
			Transitions int
			Initial     int `json:"initial_states"`
		}
		Good, Bad []int
	}
	if err := json.Unmarshal(out.Bytes(), &found); err != nil {
		t.Fatal(err)
	}
	told.good, told.bad = found.Good, found.Bad
	told.states, told.moves, told.initial = found.Model.States, found.Model.Transitions, found.Model.Initial
	if call("verify", append([]string{evidence}, flags...)...) != 0 {
		t.Fatalf("%s: the evidence is refused: %s\n%s", formula, errs.String(), model)
	}
	return told
}

// refusedState matches the state that an error names because no run from there counts.
var refusedState = regexp.MustCompile(`no run from state (\d+) is admitted`)

// TestCTLOneByOne compares what inev ctl tells of a model with several initial states, as text, as JSON, on the page
// and in the picture, with what it tells of the models that have one of them each.
func TestCTLOneByOne(t *testing.T) {
	formulas := []string{
		"<A> true", "[A] false", "EX true", "AX <B> true", "AF <A> true", "EG !deadlock", "AG x >= 0", "AG x <= 1", "x = 1",
		"E[x = 1 U <A> true]", "A[true {A} U {B} true]", "AG [A] AF x = 2", "EF deadlock", "AG EF x = 0", "E[x # 2 W <B> true]",
		"A[x # 2 R x <= 1]", "A[F x = 1 && G F x # 0]", "E[G F x = 1]", "AX x = 1 || EX x = 2", "EX EX x = 1",
		"AG (x = 0 -> EF <C> true)", "EG x # 1", "AG EX true", "[true* . \"A\"] <true* . \"B\"> true",
	}
	assumptions := []string{"", "", "", "weak:A", "strong:B", "strong", "finitely:C"}
	met := map[int]int{}
	seeds := uint64(60)
	if !randomlts.Whole() {
		seeds = 8 // each makes some ten pages
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 63))
		n := 2 + r.IntN(4)
		edges := map[string]bool{}
		for range 1 + r.IntN(2*n) {
			edges[fmt.Sprintf("%d -> %d [label=%q];", 1+r.IntN(n), 1+r.IntN(n), []string{"A", "B", "C"}[r.IntN(3)])] = true
		}
		var lines []string
		for edge := range edges {
			lines = append(lines, edge)
		}
		slices.Sort(lines)
		initial := r.Perm(n)[:2+r.IntN(n-1)]
		slices.Sort(initial)
		graph := func(initial ...int) string {
			var b strings.Builder
			b.WriteString("strict digraph DiskGraph {\nnode [shape=box,style=rounded]\nnodesep=0.35;\nsubgraph cluster_graph {\ncolor=\"white\";\n")
			for s := range n {
				if slices.Contains(initial, s) {
					fmt.Fprintf(&b, "%d [label=\"/\\\\ x = %d\",style = filled]\n", s+1, s%3)
				} else {
					fmt.Fprintf(&b, "%d [label=\"/\\\\ x = %d\",tooltip=\"/\\\\ x = %d\"];\n", s+1, s%3, s%3)
				}
			}
			return b.String() + strings.Join(lines, "\n") + "\n}\n}\n"
		}
		formula := formulas[r.IntN(len(formulas))]
		var flags []string
		if fair := assumptions[r.IntN(len(assumptions))]; fair != "" {
			flags = []string{"--fair", fair}
		}
		all := askCTL(t, graph(initial...), formula, flags...)
		var want toldOfCTL
		var goodCases, goodSections, refused []string
		for _, s := range initial {
			one := askCTL(t, graph(s), formula, flags...)
			if found := refusedState.FindStringSubmatch(strings.Join(one.warnings, "\n")); one.code > 1 && found != nil {
				refused = append(refused, found[1])
				continue
			}
			want.code = max(want.code, one.code)
			for _, warning := range one.warnings {
				if !slices.Contains(want.warnings, warning) {
					want.warnings = append(want.warnings, warning)
				}
			}
			want.arrows = append(want.arrows, one.arrows...)
			want.good, want.bad = append(want.good, one.good...), append(want.bad, one.bad...)
			want.states, want.moves = one.states, one.moves
			if one.code == 0 {
				goodCases, goodSections = append(goodCases, one.cases...), append(goodSections, one.sections...)
			} else {
				want.cases, want.sections = append(want.cases, one.cases...), append(want.sections, one.sections...)
			}
		}
		want.cases, want.sections = append(want.cases, goodCases...), append(want.sections, goodSections...)
		met[want.code]++
		slices.Sort(all.warnings)
		slices.Sort(want.warnings)
		differs := func(what string, got, want any) {
			t.Errorf("seed %d: %s %v: %s:\n%v\none by one:\n%v\n%s", seed, formula, flags, what, got, want, graph(initial...))
		}
		if n := len(refused); n == len(initial) {
			want.code = 2
		} else if n > 0 {
			// Those are told beside the others, and named. Package fair compares their verdicts with the definition.
			met[-1]++
			named := fmt.Sprintf("from %d state", n)
			if n > 1 {
				named += "s"
			}
			if named += " (" + strings.Join(refused, ", ") + "): A holds there, and E does not"; all.code > 1 || !slices.ContainsFunc(all.warnings, func(w string) bool { return strings.HasSuffix(w, named) }) {
				differs("warning", all.warnings, named)
			}
			isRefused := func(s int) bool { return slices.Contains(refused, fmt.Sprint(s)) }
			all.good, all.bad = slices.DeleteFunc(all.good, isRefused), slices.DeleteFunc(all.bad, isRefused)
			if all.states > 0 && (!slices.Equal(all.good, want.good) || !slices.Equal(all.bad, want.bad)) {
				differs("states", []any{all.good, all.bad}, []any{want.good, want.bad})
			}
			for _, text := range want.cases {
				if !slices.Contains(all.cases, text) {
					differs("text", strings.Join(all.cases, "\n"), text)
				}
			}
			continue
		}
		if all.code != want.code {
			differs("exit code", all.code, want.code)
		}
		if want.code > 1 {
			continue // the error says why
		}
		if !slices.Equal(all.warnings, want.warnings) {
			differs("warnings", all.warnings, want.warnings)
		}
		if !slices.Equal(all.cases, want.cases) {
			differs("text", strings.Join(all.cases, "\n"), strings.Join(want.cases, "\n"))
		}
		if !slices.Equal(all.sections, want.sections) {
			differs("page", strings.Join(all.sections, "\n"), strings.Join(want.sections, "\n"))
		}
		if !slices.Equal(all.good, want.good) || !slices.Equal(all.bad, want.bad) {
			differs("states", []any{all.good, all.bad}, []any{want.good, want.bad})
		}
		if want.states > 0 && (all.states != want.states || all.moves != want.moves || all.initial != len(initial)) {
			differs("size", all, want)
		}
		if len(want.arrows) != len(all.arrows) {
			differs("picture", strings.Join(all.arrows, "\n"), strings.Join(want.arrows, "\n"))
		}
		if want.code < 2 {
			count := fmt.Sprintf("holds in all of %d states", len(initial))
			if want.code == 1 {
				bad := 0
				for _, text := range want.sections[:len(want.sections)-len(goodSections)] {
					bad += strings.Count(text, "<h2>")
				}
				count = fmt.Sprintf("does not hold in %d of %d states", bad, len(initial))
			}
			if !strings.Contains(all.headline, count) {
				differs("headline", all.headline, count)
			}
		}
		if t.Failed() {
			return
		}
	}
	if randomlts.Whole() && (met[0] < 10 || met[1] < 10 || met[-1] == 0) {
		t.Errorf("too little was met: %v", met)
	}
}
