package summary

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/testing/oracle/assertions"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
)

// TestPlacesAreTrue reads SARIF and the panel of a job back: the place that they name is the
// transition that decides, by brute force; without a decision, the one that the message is about, and
// then nothing is called a decision.
func TestPlacesAreTrue(t *testing.T) {
	folder := t.TempDir()
	met := map[string]int{}
	for seed := range randomlts.Share(4_500) {
		e := specimens.Nondeterministic(t, seed)
		if e.Trace() == nil || e.LTS().Before() > 0 {
			continue // a model of .aut has one initial state
		}
		is, d, numbers := specimens.Steps(e)
		met["violated"]++
		text := specimens.Written(e)
		lines := strings.Split(strings.TrimSuffix(text, "\n"+e.Property.Text), "\n")
		path := filepath.Join(folder, "m.aut")
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		job := batch.Job{Name: "m", Model: "m.aut", Path: path, Formula: e.Property.Text}
		job.Options.AllowUnmatched = true
		r := batch.Do(context.Background(), job, batch.Work{})
		if r.Status != batch.Violated {
			t.Fatalf("%s: %s\n%s", r.Status, r.Error, text)
		}
		p := placeReader{is: is, diagnosed: d, blamed: numbers, lines: lines, batch: Batch{Manifest: "m.yaml", Results: []batch.Result{r}}, met: met}
		if err := p.panel(written(t, HTMLFile, p.batch)); err != nil {
			t.Errorf("seed %d: panel: %v\n%s", seed, err, text)
		}
		if err := p.sarif(sarif(t, p.batch)); err != nil {
			t.Errorf("seed %d: SARIF: %v\n%s", seed, err, text)
		}
	}
	for _, kind := range []string{"decided by", "where", "where, turned back", "where, starved", "where, recurs"} {
		if randomlts.Whole() && met[kind] < 5 {
			t.Errorf("%s: met %d times", kind, met[kind])
		}
	}
}

// placeReader reads the outputs of a batch of one job.
type placeReader struct {
	is        *assertions.Steps
	diagnosed assertions.Diagnosed
	blamed    []int
	lines     []string // of the model
	batch     Batch
	met       map[string]int
}

// line returns the line of the model with the transition of a step.
func (p *placeReader) line(number int) int {
	at := p.is.Run.Transitions[number-1]
	begin, end := fmt.Sprintf("(%d,", at.From), fmt.Sprintf(",%d)", at.To)
	return 1 + slices.IndexFunc(p.lines, func(line string) bool {
		return strings.HasPrefix(line, begin) && strings.HasSuffix(line, end) && strings.Contains(line, `"`+p.is.Label(number)+`"`)
	})
}

var jobsForm = regexp.MustCompile(`(?s)<script type="application/json" id="jobs">(.*?)</script>`)

func (p *placeReader) panel(page string) error {
	var jobs []jobData
	if err := json.Unmarshal([]byte(jobsForm.FindStringSubmatch(page)[1]), &jobs); err != nil {
		return err
	}
	deciding := jobs[0].Deciding
	if deciding == nil {
		if len(p.is.Run.Transitions) > 0 {
			return fmt.Errorf("no step decides")
		}
		return nil
	}
	if err := p.is.Deciding(deciding.Step, deciding.Why.String(), p.blamed); err != nil {
		return err
	}
	at := p.is.Run.Transitions[deciding.Step-1]
	if deciding.From != fmt.Sprint(at.From) || deciding.To != fmt.Sprint(at.To) || deciding.Label != p.is.Label(deciding.Step) || deciding.Line != p.line(deciding.Step) {
		return fmt.Errorf("%+v, it is %v in line %d", deciding, at, p.line(deciding.Step))
	}
	if decided := deciding.Place == "decided by"; decided != (*jobs[0].Decisions > 0) || *jobs[0].Decisions != len(p.is.Decides) {
		return fmt.Errorf("%s, beside %d decisions of %d", deciding.Place, *jobs[0].Decisions, len(p.is.Decides))
	}
	p.met[deciding.Place]++
	if deciding.Place == "where" {
		p.met["where, "+p.diagnosed.Kind]++
	}
	return nil
}

var (
	takenForm = regexp.MustCompile(`the run takes (.+) to state (\d+) instead`)
	stepForm  = regexp.MustCompile(`^step (\d+): (\S+)`)
)

func (p *placeReader) sarif(run sarifRun) error {
	result := run.Results[0]
	deciding := p.batch.Results[0].Counterexample.Deciding
	if deciding == nil {
		return nil
	}
	if line := result.Locations[0].Physical.Region.StartLine; line != p.line(deciding.Step) {
		return fmt.Errorf("line %d, step %d is in line %d", line, deciding.Step, p.line(deciding.Step))
	}
	if m := takenForm.FindStringSubmatch(result.Message.Text); m != nil && len(p.is.Decides) == 0 {
		at := p.is.Run.Transitions[deciding.Step-1]
		if m[1] != p.is.Label(deciding.Step) || m[2] != fmt.Sprint(at.To) {
			return fmt.Errorf("the message is about %s to %s, the place is %v", m[1], m[2], at)
		}
	}
	for _, step := range result.CodeFlows[0].ThreadFlows[0].Locations {
		number := step.ExecutionOrder
		said := step.Location.Message.Text
		m := stepForm.FindStringSubmatch(said)
		if m == nil || m[1] != fmt.Sprint(number) || m[2] != p.is.Label(number) {
			return fmt.Errorf("step %d is told as %q", number, said)
		}
		if decision := strings.Contains(said, "(decision in state "); decision != p.is.Decides[number] {
			return fmt.Errorf("step %d is a decision: %v", number, decision)
		}
		if essential := step.Importance == "essential"; essential != (p.is.Decides[number] || number == deciding.Step) {
			return fmt.Errorf("step %d is essential: %v", number, essential)
		}
	}
	return nil
}
