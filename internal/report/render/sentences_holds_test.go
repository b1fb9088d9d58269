package render_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// The forms of the sentences about what holds; the facts are compared with all runs, and edited
// formulas and models, by the tests of package explain.
var (
	spanForm      = regexp.MustCompile(`(?i)(?:within (\d+) to (\d+)|after exactly (\d+)|within at most (\d+)|(at once))(?: actions?)?`)
	atMostForm    = regexp.MustCompile(`for more than (\d+) actions? \(at least (\d+)\)`)
	unboundedForm = regexp.MustCompile(`^There is no bound: (.+) can come any number of times before (.+)\.$`)
	codeForm      = regexp.MustCompile("`([^`]+)`")
	slowestForm   = regexp.MustCompile(`^The slowest run has (\d+) transitions?: (.+)\.$`)
	withoutForm   = regexp.MustCompile("((?:(?:, | or )?without `[^`]+`)+), a run could (?:(stop) in state (\\d+)|(go round a loop forever))")
	onlyForm      = regexp.MustCompile(`; (\d+) others? (?:is|are) the only choice in some state`)
	gatesForm     = regexp.MustCompile(`^It rests on (\d+) (?:action|label)s?: `)
	neverForm     = regexp.MustCompile("^It holds for the wrong reason: `([^`]+)` never happens(?: `([^`]+)`)?, so (the property requires nothing|the scope is empty)\\.$")
	whateverForm  = regexp.MustCompile(`^It may hold for the wrong reason: it would hold even if (.+) never happened\.$`)
	neededForm    = regexp.MustCompile("`([^`]+)` is not needed: `([^`]+)` holds, too\\.")
	moreForm      = regexp.MustCompile("(?:It also satisfies the stronger `[^`]+`|More holds: `[^`]+` comes again and again, requested or not)\\.")
	faultsForm    = regexp.MustCompile("^It (takes (\\d+) `C`: on every run (?:without any|with at most (\\d+)) it holds|fails without any `C`|fails only if `C` happens infinitely often|holds, however often `C` happens)(?:; after (\\d+) it can no longer hold, though the run then needs (\\d+|infinitely many))?\\.$")
)

// holdsReader reads the sentences about what holds of one explanation.
type holdsReader struct {
	e   *explain.Explanation
	met map[string]int
}

func (r *holdsReader) read(kind, said string) error {
	h := r.e.Reasons
	r.met[kind]++
	switch kind {
	case "within":
		return r.bounds(said)
	case "unbounded":
		m := unboundedForm.FindStringSubmatch(said)
		if m == nil || len(codeForm.FindAllString(m[1], -1)) != len(h.Unbounded.Labels) {
			return fmt.Errorf("%q of %v", said, h.Unbounded)
		}
		for i, label := range codeForm.FindAllStringSubmatch(m[1], -1) {
			if label[1] != h.Unbounded.Labels[i] {
				return fmt.Errorf("%q of %v", said, h.Unbounded)
			}
		}
	case "slowest_run":
		m := slowestForm.FindStringSubmatch(said)
		if m == nil || m[1] != strconv.Itoa(len(h.Slowest.Steps)) {
			return fmt.Errorf("%q of %v", said, h.Slowest)
		}
	case "rests_on":
		return r.supports(said)
	case "nothing_asked":
		n := h.NothingAsked
		if n.Never == "" && n.Scope {
			if said != "It holds for the wrong reason: nothing happens `"+n.Within+"`, so the scope is empty." {
				return fmt.Errorf("%q of %+v", said, n)
			}
			return nil
		}
		if m := neverForm.FindStringSubmatch(said); m != nil {
			if m[1] != n.Never || m[2] != n.Within || (m[3] == "the scope is empty") != n.Scope {
				return fmt.Errorf("%q of %+v", said, n)
			}
			return nil
		}
		if m := whateverForm.FindStringSubmatch(said); m == nil || n.Never != "" || len(codeForm.FindAllString(m[1], -1)) != len(n.Asked) {
			return fmt.Errorf("%q of %+v", said, n)
		}
	case "more_holds":
		if n := len(neededForm.FindAllString(said, -1)) + len(moreForm.FindAllString(said, -1)); n != len(h.NoRole) {
			return fmt.Errorf("%q of %+v", said, h.NoRole)
		}
		for _, m := range neededForm.FindAllStringSubmatch(said, -1) {
			found := false
			for _, n := range h.NoRole {
				found = found || n.Atom == m[1] && n.Still == m[2]
			}
			if !found {
				return fmt.Errorf("%q of %+v", said, h.NoRole)
			}
		}
	case "faults":
		return r.faults(said)
	}
	return nil
}

func (r *holdsReader) bounds(said string) error {
	spans := spanForm.FindAllStringSubmatch(said, -1)
	var all [][2]int
	for _, m := range spans {
		least, err := strconv.Atoi(m[1] + m[3])
		if err != nil {
			least = -1 // it is not said
		}
		most, _ := strconv.Atoi(m[2] + m[3] + m[4])
		if m[5] != "" {
			most = 1
		}
		all = append(all, [2]int{least, most})
	}
	for _, m := range atMostForm.FindAllStringSubmatch(said, -1) {
		least, _ := strconv.Atoi(m[2])
		most, _ := strconv.Atoi(m[1])
		all = append(all, [2]int{least, most})
	}
	if len(all) != len(r.e.Reasons.Bounds) {
		return fmt.Errorf("%q has %d bounds, and not %d", said, len(all), len(r.e.Reasons.Bounds))
	}
	for i, b := range r.e.Reasons.Bounds {
		if all[i] != [2]int{b.Least, *b.Most} && all[i] != [2]int{-1, *b.Most} {
			return fmt.Errorf("%q says %v of %d to %d", said, all[i], b.Least, *b.Most)
		}
	}
	return nil
}

func (r *holdsReader) supports(said string) error {
	type support struct{ gate, kind, state string }
	var all []support
	effects := map[[2]string]bool{}
	for _, clause := range withoutForm.FindAllStringSubmatch(said, -1) {
		effect := [2]string(clause[2:4])
		if effects[effect] {
			return fmt.Errorf("%q says twice what a run could do", said)
		}
		effects[effect] = true
		for _, gate := range codeForm.FindAllStringSubmatch(clause[1], -1) {
			all = append(all, support{gate: gate[1], kind: clause[2], state: clause[3]})
		}
	}
	loops := 0
	for _, s := range r.e.Reasons.RestsOn {
		if s.Kind == "loop" {
			loops++
		}
	}
	only := 0
	if m := onlyForm.FindStringSubmatch(said); m != nil {
		only, _ = strconv.Atoi(m[1])
	}
	if m := gatesForm.FindStringSubmatch(said); m == nil || m[1] != strconv.Itoa(len(r.e.Reasons.RestsOn)) || len(all)+only != len(r.e.Reasons.RestsOn) || loops > 0 && len(all) != loops {
		return fmt.Errorf("%q of %+v", said, r.e.Reasons.RestsOn)
	}
	for _, m := range all {
		found := false
		for _, s := range r.e.Reasons.RestsOn {
			at := ""
			if s.State != nil {
				at = fmt.Sprint(*s.State)
			}
			found = found || s.Gate == m.gate && (m.kind == "stop") == (s.Kind == "deadlock") && m.state == at
		}
		if !found {
			return fmt.Errorf("%q of %+v", said, r.e.Reasons.RestsOn)
		}
	}
	return nil
}

func (r *holdsReader) faults(said string) error {
	f := r.e.Faults
	m := faultsForm.FindStringSubmatch(strings.Replace(said, "; before any it can", "; after 0 it can", 1))
	if m == nil {
		return fmt.Errorf("%q is not understood", said)
	}
	var want string
	switch {
	case f.Least != nil && *f.Least == 0:
		want = "fails without any `C`"
	case f.Least != nil:
		want = "takes " + strconv.Itoa(*f.Least) + " `C`"
	case f.OnlyForEver:
		want = "fails only if `C` happens infinitely often"
	default:
		want = "holds, however often `C` happens"
	}
	if !strings.HasPrefix(m[1], want) || (m[4] != "") != (f.LostAfter != nil) || m[4] != "" && m[4] != strconv.Itoa(*f.LostAfter) {
		return fmt.Errorf("%q of %+v", said, f)
	}
	if m[3] != "" && m[3] != strconv.Itoa(*f.Least-1) || m[5] != "" && (m[5] == "infinitely many") != (f.Least == nil) {
		return fmt.Errorf("%q of %+v", said, f)
	}
	return nil
}

// TestSentencesOfWhatHolds reads the sentences about properties that hold, and about faults,
// back: they say what the data do.
func TestSentencesOfWhatHolds(t *testing.T) {
	formulas := []string{"Inev(A)", "Inev({A, B})", "Inev(A, B, A, C)", "Response(A; B)", "Response(A; {B, C}; after C)", "GF A && GF {B, C}",
		"G (A -> F B)", "G (F A || deadlock)", "GF (A && X B)", "G (A -> F (B && X F C))", "Precedes(A; B)", "Never(B; between A and C)", "Inev(B; after A)"}
	r := holdsReader{met: map[string]int{}}
	for seed := range randomlts.Share(3_000) {
		random := rand.New(rand.NewPCG(seed, 37))
		var b lts.Builder
		labels := []lts.Label{b.Label("A"), b.Label("B"), b.Label("C")}
		n := 1 + random.IntN(6)
		for s := range n {
			for range 1 + random.IntN(3) {
				b.Add(lts.State(s), labels[random.IntN(3)], lts.State(min(n-1, s+random.IntN(3))))
			}
		}
		m, err := b.Build(0, n)
		if err != nil {
			t.Fatal(err)
		}
		text := formulas[random.IntN(len(formulas))]
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		o := explain.Options{Source: explain.Source{File: "m.aut"}, NoFairness: true}
		if random.IntN(2) == 0 {
			fair, err := actl.ParseAssumption(context.Background(), []string{"weak", "strong", "full", "finitely:C"}[random.IntN(4)])
			if err != nil {
				t.Fatal(err)
			}
			o.Fair = append(o.Fair, fair)
		}
		faults, err := actl.Parse(context.Background(), "Inev(C)")
		if err != nil {
			t.Fatal(err)
		}
		o.Faults = faults.Steps()
		if r.e, err = explain.Explain(context.Background(), m, f, o); errors.Is(err, explain.ErrNoRunCounts) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		s := render.NewSentences(r.e, printable.Code).InFull()
		for _, c := range s.Story().All() {
			switch kind := c.Kind(); kind {
			case "within", "unbounded", "slowest_run", "rests_on", "nothing_asked", "more_holds", "faults":
				if err := r.read(kind, s.Say(c)); err != nil {
					t.Fatalf("seed %d, %s %v: %v", seed, text, o.Fair, err)
				}
			}
		}
		if within := s.Within(); within != "" && !strings.HasSuffix(s.Verdict(), ": "+within+".") {
			t.Fatalf("the verdict is %q", s.Verdict())
		}
		if strings.Contains(s.Verdict(), " on every run, fair or not: ") {
			r.met["fair or not"]++
			o.Fair = nil
			if all, err := explain.Check(context.Background(), m, f, o); err != nil || all.Verdict != explain.Satisfied {
				t.Fatalf("seed %d, %s: %s, but %v", seed, text, s.Verdict(), err)
			}
		}
	}
	for _, kind := range []string{"within", "unbounded", "slowest_run", "rests_on", "nothing_asked", "more_holds", "faults", "fair or not"} {
		if randomlts.Whole() && r.met[kind] < 5 {
			t.Errorf("met %v", r.met)
		}
	}
}
