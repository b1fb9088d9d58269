package page

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/assertions"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// TestPagesAreTrue reads the data of pages back, and compares each claim about a single step with
// brute force: what the run takes where the reader walks, the decisions, the step that decides, and what
// the headline is about. Several transitions of the models have one label and one source.
func TestPagesAreTrue(t *testing.T) {
	met := map[string]int{}
	for seed := range randomlts.Share(3_000) {
		e := specimens.Nondeterministic(t, seed)
		if e.Trace() == nil {
			continue
		}
		if err := readPage(t, e, met); err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, specimens.Written(e))
		}
	}
	for _, kind := range []string{"violated", "several initial states", "another with the label", "merged", "merged no return", "no decisions on a loop", "starved", "turned back", "recurs", "lost", "stops", "forbidden", "impossible"} {
		if randomlts.Whole() && met[kind] < 20 {
			t.Errorf("%s: met %d times", kind, met[kind])
		}
	}
	if randomlts.Whole() && met["cause"] < 5 { // few random loops have one
		t.Errorf("cause: met %d times", met["cause"])
	}
}

func readPage(t *testing.T, e *explain.Explanation, met map[string]int) error {
	is, d, numbers := specimens.Steps(e)
	met["violated"]++
	met[e.Diagnosis.Kind.String()]++
	if len(is.Causing(d)) > 0 {
		met["cause"]++
	}
	if e.LTS().Before() > 0 {
		met["several initial states"]++
	}
	if e.Counterexample.LoopStart >= 0 && len(e.Decisions) == 0 {
		met["no decisions on a loop"]++
	}
	tour, err := view.NewTour(context.Background(), e, 0)
	if err != nil {
		return err
	}
	if err := walkedOff(e, tour.Surroundings, met); err != nil {
		return fmt.Errorf("walk off the run: %w", err)
	}
	data, err := json.Marshal(scriptData(e, 0))
	if err != nil {
		return err
	}
	var x extra
	if err := json.Unmarshal(data, &x); err != nil {
		return err
	}
	var decides []int
	for number := range is.Run.Transitions {
		if is.Decides[number+1] {
			decides = append(decides, number+1)
		}
	}
	if !slices.Equal(x.Decisions, decides) && len(x.Decisions)+len(decides) > 0 {
		return fmt.Errorf("decisions at %v, they are at %v", x.Decisions, decides)
	}
	if err := is.Blamed(d, numbers); err != nil {
		return err
	}
	headline := map[int]bool{}
	for _, number := range append(is.Causing(d), numbers...) {
		headline[number] = true
	}
	if len(x.Blamed) != len(headline) {
		return fmt.Errorf("%d steps are blamed, the headline is about %v", len(x.Blamed), headline)
	}
	for number, said := range x.Blamed {
		if err := is.Blame(number, plainly(said), d); err != nil {
			return fmt.Errorf("%q: %w", said, err)
		}
	}
	if decided := e.Deciding(); decided != nil {
		if err := is.Deciding(int(decided.Step)+1, decided.Why.String(), numbers); err != nil {
			return err
		}
	}
	return cardOf(e, is, met)
}

// plainly returns a sentence of a page without its marks.
func plainly(said string) string {
	return strings.NewReplacer(string(codeBegins), "", string(codeEnds), "", "<code>", "", "</code>", "").Replace(html.UnescapeString(said))
}

// walkedOff compares the transitions that are marked as steps of the run with the run.
func walkedOff(e *explain.Explanation, s *view.Surroundings, met map[string]int) error {
	run := e.Trace().Steps()
	marked := 0
	for _, near := range s.States {
		for _, taken := range near.Taken {
			number, row := taken[0], taken[1]
			out := near.Out[row]
			at := run[number-1]
			if s.Labels[out[0].(int)] != e.LTS().Alphabet().Text(at.Label) || out[1] != any(at.To) || near.State != any(at.From) {
				return fmt.Errorf("state %v: step %d is %v", near.State, number, out)
			}
			marked++
			for i, other := range near.Out {
				if i != row && other[0] == out[0] && other[1] != out[1] {
					met["another with the label"]++
				}
			}
		}
	}
	if marked != len(run) {
		return fmt.Errorf("%d of %d steps are marked", marked, len(run))
	}
	return nil
}

// cardOf checks the card with the decisions.
func cardOf(e *explain.Explanation, is *assertions.Steps, met map[string]int) error {
	told, more := decisionsOf(e, render.NewSentences(e, quote), "")
	all := more
	for _, d := range told {
		all += len(d.Steps) + d.MoreSteps
		if len(d.Steps) > 1 {
			met["merged"]++
		}
		if len(d.Steps) > 1 && d.NoReturn != "" {
			met["merged no return"]++
		}
		if d.MoreSteps == 0 {
			if err := is.PointOfNoReturn(plainly(string(d.NoReturn)), d.Steps); err != nil {
				return err
			}
		}
		best := map[string]bool{}
		for _, number := range d.Steps {
			better := is.Better[number]
			if len(better) == 0 {
				return fmt.Errorf("nothing would have been better at step %d", number)
			}
			for _, t := range better {
				best[e.Name(t.To)] = true
			}
		}
		if d.MoreSteps == 0 && len(d.Instead)+d.MoreInstead != len(best) || slices.ContainsFunc(d.Instead, func(to string) bool { return !best[to] }) {
			return fmt.Errorf("instead to %v and %d more, it is to %v", d.Instead, d.MoreInstead, best)
		}
		if d.MoreSteps == 1 || d.MoreInstead == 1 {
			return fmt.Errorf("1 more of the steps %v, or of the states %v", d.Steps, d.Instead)
		}
	}
	want := len(slices.DeleteFunc(slices.Clone(e.Decisions), func(d explain.Decision) bool { return !d.HasBetter() }))
	if all != want {
		return fmt.Errorf("%d decisions are listed, there are %d", all, want)
	}
	for _, d := range e.Decisions {
		if best := is.Better[int(d.Step)+1]; d.Chosen.After == fate.Correct && len(best) > 0 {
			return fmt.Errorf("step %d is certain", d.Step+1)
		}
	}
	return nil
}
